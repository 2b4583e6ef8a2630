"""Number families stated once more in Python and for SymPy: answers are the same, and wrong ones are others.

Needs the `oracle` extra; `make test-all` installs it. Where it is missing these tests fail.
"""

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, reduce
from itertools import chain, permutations
from typing import Any

import numpy as np
import pytest
import reasonenv

pytestmark = pytest.mark.slow

COUNT = 1_000
"""Tasks of each family, over all its levels."""


def tasks(name: str) -> Iterator[Any]:
    family = reasonenv.family(name)
    levels = family.top_level + 1
    for level in range(levels):
        yield from family.source(level=level, seed=2026).batch(0, COUNT // levels + 1)


def compare(name: str, answer: Callable[[Any], str], parts: Callable[[str], object] = str) -> None:
    """Assert that these answers pass, and that the family's wrong ones have other `parts` and fail."""
    right = wrong = 0
    for task in tasks(name):
        own = answer(task)
        assert task.verify(task.wrap(own)).passed, task.prompt
        right += 1
        for other in task.wrong_answers(seed=right)[:3]:
            assert parts(other) != parts(own), task.prompt
            assert not task.verify(task.wrap(other)).passed, task.prompt
            wrong += 1
    assert min(right, wrong) >= COUNT


@cache
def orders(count: int, among: int) -> Any:
    """All ways to choose so many different numbers below another in order, a column for each way."""
    ways = np.fromiter(chain.from_iterable(permutations(range(among), count)), np.uint8)
    return ways.reshape(-1, count).T


def choices(problem: dict[str, Any]) -> list[dict[str, int]]:
    """All ways to give the hidden letters of a puzzle digits, each tried."""
    letters = dict(zip(problem["digits"], problem["letters"], strict=True))
    parts, sign = problem["parts"], problem["operation"]
    result = {"+": sum(parts), "-": parts[0] - parts[1], "*": parts[0] * parts[1]}[sign]
    words = [[letters[int(digit)] for digit in str(number)] for number in [*parts, result]]
    hidden = sorted(problem["letters"][: problem["unknown"]])
    known = {
        letter: digit for digit, letter in letters.items() if letter in chain(*words) and letter not in hidden
    }
    free = np.array([digit for digit in range(10) if digit not in known.values()], np.int64)
    rows = dict(zip(hidden, orders(len(hidden), len(free)), strict=True))

    def apply(numbers: list[Any]) -> Any:
        return {"+": sum(numbers), "-": numbers[0] - numbers[1], "*": numbers[0] * numbers[1]}[sign]

    # The last digits leave a tenth of the ways.
    small = free.astype(np.int16)
    *ends, end = [small[rows[word[-1]]] if word[-1] in rows else known[word[-1]] for word in words]
    ways = np.broadcast_to((apply(ends) - end) % 10 == 0, rows[hidden[0]].shape)
    keep = np.flatnonzero(ways)
    digit: dict[str, Any] = known | {letter: free[row[keep]] for letter, row in rows.items()}
    *joined, made = [reduce(lambda value, letter: 10 * value + digit[letter], word, 0) for word in words]
    fits = np.broadcast_to(apply(joined) == made, keep.shape)
    for word in words:
        fits = fits & (digit[word[0]] > 0)
    return [{letter: int(digit[letter][way]) for letter in hidden} for way in np.flatnonzero(fits)]


def value_of(problem: dict[str, Any]) -> Any:
    """The matrix that a problem asks for, or the determinant."""
    from sympy import Matrix  # noqa: PLC0415  an optional extra

    a, b, modulus = Matrix(problem["a"]), problem["b"], problem["modulus"]
    match problem["operation"]:
        case "*":
            return a * Matrix(b)
        case "d":
            return Matrix([[a.det()]])
        case "i":
            return a.inv()
        case _:
            return reduce(
                lambda power, _: (power * a).applyfunc(lambda x: x % modulus),
                range(1, problem["exponent"]),
                a,
            )


def test_matrices_are_those_of_sympy() -> None:
    def answer(task: Any) -> str:
        rows = value_of(json.loads(task.problem)).tolist()
        return "\n".join(" ".join(str(entry) for entry in row) for row in rows)

    compare("matrix_algebra", answer)


Rule = Callable[[Fraction, Fraction], Fraction]


def rule(definition: str) -> Rule:
    """The function that a prompt defines: `2 * a + b if a > b, and (a - b) / 3 otherwise`."""
    first, _, rest = definition.partition(" if ")
    case, _, last = rest.removesuffix(" otherwise").partition(", and ")
    condition = case.replace("a and b differ by more than 3", "abs(a - b) > 3") or "True"
    text = f"({first}) if {condition} else ({last or first})"
    assert re.fullmatch(r"[ab0-9 ()*/+>-]*", re.sub(r"\b(if|else|abs|True)\b", "", text)), text
    code = compile(text, "rule", "eval")
    return lambda a, b: Fraction(eval(code, {"a": a, "b": b}))


def result(prompt: str, expression: str) -> Fraction:
    """Evaluate an expression by what its prompt says: inner parentheses first, then operator by operator."""
    found = re.findall(r"^(?:- |define |  )?a (\S+) b (?:=|as|is|:=) (.+)$", prompt, re.MULTILINE)
    rules = {name: rule(definition) for name, definition in found}
    stronger = dict(re.findall(r"(\S+) binds more strongly than ([^\s;.]+)", prompt))
    order = sorted(set(rules) - set(stronger.values())) if stronger else list(rules)
    while order[-1] in stronger:
        order.append(stronger[order[-1]])
    assert sorted(order) == sorted(rules), prompt
    right = {name for name in rules if f"x {name} y {name} z means x {name} (y {name} z)" in prompt}
    values: list[Fraction] = []

    def held(value: Fraction) -> str:
        values.append(value)
        return f"v{len(values) - 1}"

    def reduced(flat: str) -> str:
        tokens = flat.split()
        for name in order:
            while name in tokens:
                at = tokens.index(name) if name not in right else len(tokens) - 1 - tokens[::-1].index(name)
                a, b = (values[int(tokens[side][1:])] for side in (at - 1, at + 1))
                tokens[at - 1 : at + 2] = [held(rules[name](a, b))]
        (token,) = tokens
        return token

    text = re.sub(r"\d+", lambda number: held(Fraction(number.group())), expression)
    while "(" in text:
        text = re.sub(r"\(([^()]*)\)", lambda inner: reduced(inner.group(1)), text)
    return values[int(reduced(text)[1:])]


def test_operators_do_as_their_prompts_say() -> None:
    compare("new_operators", lambda task: str(result(task.prompt, json.loads(task.problem)["expression"])))


def test_letters_stand_for_the_only_digits_that_fit() -> None:
    def answer(task: Any) -> str:
        (only,) = choices(json.loads(task.problem))
        return ", ".join(f"{letter}: {digit}" for letter, digit in only.items())

    compare("cryptarithm", answer, parts=lambda text: frozenset(text.split(", ")))
