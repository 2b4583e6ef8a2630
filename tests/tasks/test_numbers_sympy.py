"""Number families solved by SymPy: its answer and ours are one, and the wrong answers are others."""

import json
import re
from fractions import Fraction
from math import gcd

import pytest
import reasonenv

COUNT = 1_000


def solved(exponent: bool, congruences: list[tuple[int, tuple[int, int]]]) -> int:
    """The smallest positive x that satisfies all congruences."""
    from sympy import discrete_log, mod_inverse, n_order  # noqa: PLC0415
    from sympy.ntheory.modular import solve_congruence  # noqa: PLC0415

    if exponent:
        ((a, (b, m)),) = congruences
        return int(n_order(a, m) if b == 1 else discrete_log(m, b, a))
    remainders = []
    for a, (b, m) in congruences:
        common = gcd(a, m)
        assert b % common == 0
        modulus = m // common
        remainders.append((b // common * int(mod_inverse(a // common, modulus)) % modulus, modulus))
    x, _ = solve_congruence(*remainders)
    return int(x)


@pytest.mark.slow
def test_congruences_are_those_of_sympy() -> None:
    pytest.importorskip("sympy")  # the extra `oracle`
    right = wrong = 0
    family = reasonenv.family("congruences")
    levels = family.top_level + 1
    for level in range(levels):
        for task in family.source(level=level, seed=2026).batch(0, COUNT // levels + 1):
            problem = json.loads(task.problem)
            x = str(solved(problem["exponent"], problem["congruences"]))
            assert task.verify(task.wrap(x)).passed, task.prompt
            right += 1
            other = task.wrong_answers(seed=right)[0]
            assert other != x, task.prompt
            assert not task.verify(task.wrap(other)).passed, task.prompt
            wrong += 1
    assert min(right, wrong) >= COUNT


def potentials(resistors: list[tuple[str, str, int]], plus: str, minus: str) -> dict[str, Fraction]:
    """The potential of each point when a current of 1 enters at one and leaves at the other, which has 0."""
    from sympy import Matrix, Rational, zeros  # noqa: PLC0415

    points = sorted({point for a, b, _ in resistors for point in (a, b)} - {minus})
    index = {point: at for at, point in enumerate(points)}
    currents, laws = zeros(len(points), 1), zeros(len(points), len(points))
    currents[index[plus]] = 1
    for a, b, ohms in resistors:
        for here, there in ((a, b), (b, a)):
            if here != minus:
                laws[index[here], index[here]] += Rational(1, ohms)
                if there != minus:
                    laws[index[here], index[there]] -= Rational(1, ohms)
    solution = Matrix(laws).LUsolve(currents)
    found = {point: Fraction(int(solution[at].p), int(solution[at].q)) for point, at in index.items()}
    return found | {minus: Fraction(0)}


RESISTOR = (
    re.compile(r"(?P<ohms>\d+) ohms? between (?P<a>[A-Z]) and (?P<b>[A-Z])"),
    re.compile(r"^R\d+ (?P<a>[A-Z]) (?P<b>[A-Z]) (?P<ohms>\d+)$", re.MULTILINE),
    re.compile(r"^\(\d+\) (?P<a>[A-Z]) - (?P<b>[A-Z]): (?P<ohms>\d+) ohms?$", re.MULTILINE),
    re.compile(r"^\* from post (?P<a>[A-Z]) to post (?P<b>[A-Z]), (?P<ohms>\d+) ohms?$", re.MULTILINE),
)
POTENTIAL = (
    r"keeps (?P<plus>.) at (?P<volts>\d+) volts? and (?P<minus>.) at 0 .* potential of (?P<asked>.),",
    r"(?P<volts>\d+) V source .* at node (?P<plus>.) and .* at node (?P<minus>.), .* of node (?P<asked>.),",
    r"(?P<volts>\d+) volts? on (?P<plus>.) and ground (?P<minus>.) .* will I find at (?P<asked>.)\?",
    r"(?P<plus>.) is fixed at (?P<volts>\d+) V, and that of (?P<minus>.) at .* potential of (?P<asked>.) in",
    r"post (?P<plus>.) at (?P<volts>\d+) volts? and post (?P<minus>.) at 0 .* volts is post (?P<asked>.)\?",
)
RESISTANCE = (
    r"whole network between (?P<plus>.) and (?P<minus>.),",
    r"seen between nodes (?P<plus>.) and (?P<minus>.),",
    r"ohmmeter show between (?P<plus>.) and (?P<minus>.) if",
    r"enters at (?P<plus>.) and leaves at (?P<minus>.)\.",
    r"connected to posts (?P<plus>.) and (?P<minus>.) only",
)


def question(prompt: str, wordings: tuple[str, ...]) -> dict[str, str] | None:
    found = [match.groupdict() for text in wordings if (match := re.search(text, prompt))]
    assert len(found) <= 1, prompt
    return found[0] if found else None


@pytest.mark.slow
def test_networks_obey_kirchhoffs_laws() -> None:
    pytest.importorskip("sympy")  # the extra `oracle`
    right = wrong = 0
    family = reasonenv.family("resistor_network")
    levels = family.top_level + 1
    for split in ("train", "eval"):
        for level in range(levels):
            for task in family.source(level=level, seed=2026, split=split).batch(0, COUNT // levels // 2 + 1):
                (resistors,) = filter(None, ([*text.finditer(task.prompt)] for text in RESISTOR))
                circuit = [(each["a"], each["b"], int(each["ohms"])) for each in resistors]
                assert len(circuit) == len(json.loads(task.problem)["resistors"]), task.prompt
                asked = question(task.prompt, POTENTIAL) or question(task.prompt, RESISTANCE)
                assert asked, task.prompt
                found = potentials(circuit, asked["plus"], asked["minus"])
                value = found[asked["plus"]]
                if "volts" in asked:
                    value = int(asked["volts"]) * found[asked["asked"]] / value
                assert task.verify(task.wrap(str(value))).passed, task.prompt
                right += 1
                for other in task.wrong_answers(seed=right)[:1]:
                    assert Fraction(other) != value, task.prompt
                    assert not task.verify(task.wrap(other)).passed, task.prompt
                    wrong += 1
    assert min(right, wrong) >= COUNT
