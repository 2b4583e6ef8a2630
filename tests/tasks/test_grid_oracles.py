"""Grid puzzles, stated once more for CP-SAT: every one has exactly one solution, and it is ours.

Needs the `oracle` extra; `make test-all` installs it. Where it is missing these tests fail.
"""

import json
import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import pytest
import reasonenv

pytestmark = pytest.mark.slow

PUZZLES = 1_000
"""Puzzles of each family, over all its levels."""

Grid = list[list[Any]]


def grid_shown(prompt: str) -> list[list[str]]:
    """Rows of the grid that a prompt shows: lines of signs between spaces, as many as each has signs."""
    lines = [line.split() for line in prompt.splitlines()]
    shown = [line for line in lines if len(line) > 1 and all(re.fullmatch(r"[\d._]", sign) for sign in line)]
    assert len(shown) == len(shown[0]), prompt
    return shown


def lines_of(cells: Grid) -> Iterator[list[Any]]:
    yield from cells
    yield from (list(column) for column in zip(*cells, strict=True))


def binairo(model: Any, cells: Grid, problem: dict[str, Any]) -> None:
    for line in lines_of(cells):
        model.add(2 * sum(line) == len(line))
        for at in range(len(line) - 2):
            model.add_linear_constraint(sum(line[at : at + 3]), 1, 2)
    if problem["distinct"]:
        for lines in (cells, list(zip(*cells, strict=True))):
            numbers = [sum(cell * 2**at for at, cell in enumerate(line)) for line in lines]
            model.add_all_different(numbers)


RULES: dict[str, Callable[[Any, Grid, dict[str, Any]], None]] = {"binairo": binairo}


def solutions(model: Any, cells: Grid) -> list[list[list[int]]]:
    """Up to two solutions of a model that has one."""
    from ortools.sat.python import cp_model  # noqa: PLC0415  an optional extra

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    found: list[list[list[int]]] = []
    while len(found) < 2 and solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        found.append([[solver.value(cell) for cell in row] for row in cells])
        flat = zip(chain(*cells), chain(*found[-1]), strict=True)
        model.add_bool_or([cell.negated() if value else cell for cell, value in flat])
    return found


@pytest.mark.parametrize("name", RULES)
def test_the_only_solution_is_ours(name: str) -> None:
    from ortools.sat.python import cp_model  # noqa: PLC0415

    family = reasonenv.family(name)
    for at in range(PUZZLES):
        task = family.sample(seed=11, index=at, level=at % (family.top_level + 1))
        shown = grid_shown(task.prompt)
        model = cp_model.CpModel()
        cells = [[model.new_bool_var("") for _ in row] for row in shown]
        for row, signs in zip(cells, shown, strict=True):
            for cell, sign in zip(row, signs, strict=True):
                if sign in "01":
                    model.add(cell == int(sign))
        RULES[name](model, cells, json.loads(task.problem))
        ours = [[int(number) for number in row.split()] for row in task.solution.answer.splitlines()]
        assert solutions(model, cells) == [ours], task.id
