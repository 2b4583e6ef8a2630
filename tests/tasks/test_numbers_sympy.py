"""Number families solved by SymPy: its answer and ours are one, and the wrong answers are others."""

import json
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
