"""Number families stated once more in Python or for CP-SAT: their answers are ours, and the wrong answers are others.

Needs the `oracle` extra; `make test-all` installs it. Where it is missing these tests fail.
"""

import json
from collections.abc import Iterator
from functools import reduce
from typing import Any

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


def choices(problem: dict[str, Any]) -> list[dict[str, int]]:
    """Up to two ways to give the letters of a puzzle digits."""
    from ortools.sat.python import cp_model  # noqa: PLC0415  an optional extra

    letters = {digit: letter for digit, letter in zip(problem["digits"], problem["letters"], strict=True)}
    parts, sign = problem["parts"], problem["operation"]
    result = {"+": sum(parts), "-": parts[0] - parts[1], "*": parts[0] * parts[1]}[sign]
    words = [[letters[int(digit)] for digit in str(number)] for number in [*parts, result]]
    model = cp_model.CpModel()
    digit = {letter: model.new_int_var(0, 9, letter) for letter in {letter for word in words for letter in word}}
    model.add_all_different(list(digit.values()))
    for word in words:
        model.add(digit[word[0]] > 0)
    hidden = set(problem["letters"][: problem["unknown"]])
    for letter in set(digit) - hidden:
        model.add(digit[letter] == problem["digits"][problem["letters"].index(letter)])
    *joined, made = [reduce(lambda value, letter: 10 * value + digit[letter], word, 0) for word in words]
    if sign == "*":
        product = model.new_int_var(0, 10**18, "product")
        model.add_multiplication_equality(product, joined)
        model.add(product == made)
    else:
        model.add((joined[0] - joined[1] if sign == "-" else sum(joined)) == made)
    found: list[dict[str, int]] = []

    class Collect(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found.append({letter: self.value(digit[letter]) for letter in sorted(hidden)})

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    assert solver.solve(model, Collect()) == cp_model.OPTIMAL
    return found


def value_of(problem: dict[str, Any]) -> Any:
    """The matrix that a problem asks for, or the determinant."""
    from sympy import Matrix  # noqa: PLC0415

    a, b, modulus = Matrix(problem["a"]), problem["b"], problem["modulus"]
    match problem["operation"]:
        case "*":
            return a * Matrix(b)
        case "d":
            return Matrix([[a.det()]])
        case "i":
            return a.inv()
        case _:
            return reduce(lambda power, _: (power * a).applyfunc(lambda x: x % modulus), range(1, problem["exponent"]), a)


def test_matrices_are_those_of_sympy() -> None:
    right = wrong = 0
    for task in tasks("matrix_algebra"):
        value = value_of(json.loads(task.problem)).tolist()
        answer = "\n".join(" ".join(str(entry) for entry in row) for row in value)
        assert task.verify(task.wrap(answer)).passed, task.prompt
        right += 1
        for other in task.wrong_answers(seed=right)[:3]:
            assert other != answer, task.prompt
            assert not task.verify(task.wrap(other)).passed, task.prompt
            wrong += 1
    assert min(right, wrong) >= COUNT


def test_letters_stand_for_the_digits_that_cp_sat_finds() -> None:
    right = wrong = 0
    for task in tasks("cryptarithm"):
        (only,) = choices(json.loads(task.problem))
        answer = ", ".join(f"{letter}: {digit}" for letter, digit in only.items())
        assert task.verify(task.wrap(answer)).passed, task.prompt
        right += 1
        for other in task.wrong_answers(seed=right)[:3]:
            named = dict(pair.split(": ") for pair in other.split(", "))
            assert {letter: int(digit) for letter, digit in named.items()} != only, task.prompt
            assert not task.verify(task.wrap(other)).passed, task.prompt
            wrong += 1
    assert min(right, wrong) >= COUNT
