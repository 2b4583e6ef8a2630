"""Grid puzzles, stated once more for CP-SAT: every one has exactly one solution, it is ours, and others fail.

Needs the `oracle` extra; `make test-all` installs it. Where it is missing these tests fail.
"""

import json
import math
import random
import re
from collections.abc import Callable
from itertools import chain, permutations
from typing import Any

import pytest
import reasonenv
from cp_sat import Grid, lines_of, read, solutions, written

pytestmark = pytest.mark.slow

PUZZLES = 1_000
"""Puzzles of each family, over all its levels."""


def grid_shown(prompt: str) -> list[list[str]]:
    """Rows of the grid that a prompt shows: lines of signs between spaces."""
    lines = [line.split() for line in prompt.splitlines()]
    sign = re.compile(r"\d+|[._]")
    shown = [line for line in lines if len(line) > 1 and all(map(sign.fullmatch, line))]
    assert len({len(line) for line in shown}) == 1, prompt
    return shown


def binairo(model: Any, cells: Grid, problem: dict[str, Any]) -> None:
    for line in lines_of(cells):
        model.add(2 * sum(line) == len(line))
        for at in range(len(line) - 2):
            model.add_linear_constraint(sum(line[at : at + 3]), 1, 2)
    if problem["distinct"]:
        for lines in (cells, list(zip(*cells, strict=True))):
            numbers = [sum(cell * 2**at for at, cell in enumerate(line)) for line in lines]
            model.add_all_different(numbers)


def calcudoku(model: Any, cells: Grid, problem: dict[str, Any]) -> None:
    for line in lines_of(cells):
        model.add_all_different(line)
    areas = list(chain(*problem["cages"]["areas"]))
    for area, target in enumerate(problem["cages"]["targets"]):
        cage = [cell for cell, other in zip(chain(*cells), areas, strict=True) if other == area]
        number = target["number"]
        match target["operation"]:
            case "sum":
                model.add(sum(cage) == number)
            case "product":
                model.add_multiplication_equality(number, cage)
            case operation:
                pairs = permutations(range(1, len(cells) + 1), 2)
                results = {
                    pair: {"difference": max(pair) - min(pair), "quotient": max(pair) / min(pair)}[operation]
                    for pair in pairs
                }
                fitting = [pair for pair, made in results.items() if made == number]
                model.add_allowed_assignments(cage, fitting)


def kakurasu(model: Any, cells: Grid, problem: dict[str, Any]) -> None:
    totals = problem["sums"]["rows"] + problem["sums"]["columns"]
    for line, total in zip(lines_of(cells), totals, strict=True):
        model.add(sum(at * cell for at, cell in enumerate(line, start=1)) == total)


def kakuro(model: Any, cells: Grid, problem: dict[str, Any]) -> None:
    totals = iter(problem["across"] + problem["down"])
    black = [[given == 1 for given in row] for row in problem["givens"]]
    for line, walls in zip(lines_of(cells), lines_of(black), strict=True):
        signs = "".join("#" if wall else "." for wall in walls)
        for run in re.finditer(r"\.+", signs):
            white = line[slice(*run.span())]
            assert len(white) > 1
            model.add_all_different(white)
            model.add(sum(white) == next(totals))
            for cell in white:
                model.add(cell >= 1)
    assert next(totals, None) is None


def survo(model: Any, cells: Grid, problem: dict[str, Any]) -> None:
    model.add_all_different(list(chain(*cells)))
    for line, total in zip(lines_of(cells), problem["row_sums"] + problem["column_sums"], strict=True):
        model.add(sum(line) == total)


RULES: dict[str, tuple[Callable[[Any, Grid, dict[str, Any]], None], Callable[[int], range]]] = {
    "binairo": (binairo, lambda _: range(2)),
    "calcudoku": (calcudoku, lambda cells: range(1, math.isqrt(cells) + 1)),
    "kakurasu": (kakurasu, lambda _: range(2)),
    "kakuro": (kakuro, lambda _: range(10)),
    "survo": (survo, lambda cells: range(1, cells + 1)),
}
"""For each family its rules and the numbers that a grid of so many cells may hold."""


def spoiled(grid: list[list[int]], empty: list[tuple[int, int]], numbers: range, rng: random.Random) -> str:
    """The grid with two different numbers of empty cells exchanged, or one of them changed."""
    other = [list(row) for row in grid]
    (row, column), (above, left) = rng.choice(empty), rng.choice(empty)
    if rng.random() < 1 / 2 and grid[row][column] != grid[above][left]:
        other[row][column], other[above][left] = grid[above][left], grid[row][column]
    else:
        other[row][column] = rng.choice([number for number in numbers if number != grid[row][column]])
    return written(other)


@pytest.mark.parametrize("name", RULES)
def test_the_only_solution_is_ours(name: str) -> None:
    from ortools.sat.python import cp_model  # noqa: PLC0415  an optional extra

    family, rng = reasonenv.family(name), random.Random(name)
    rule, numbers_of = RULES[name]
    for at in range(PUZZLES):
        task = family.sample(seed=11, index=at, level=at % (family.top_level + 1))
        shown = grid_shown(task.prompt)
        numbers = numbers_of(len(shown) * len(shown[0]))
        model = cp_model.CpModel()
        cells = [[model.new_int_var(numbers[0], numbers[-1], "") for _ in row] for row in shown]
        empty = []
        for row, signs in enumerate(shown):
            for column, sign in enumerate(signs):
                # A sign for an empty cell is a number that no cell may hold, or none.
                if sign.isdigit() and int(sign) in numbers:
                    model.add(cells[row][column] == int(sign))
                else:
                    empty.append((row, column))
        rule(model, cells, json.loads(task.problem))
        ours = read(task.solution.answer)
        assert solutions(model, cells) == [ours], task.id
        assert task.verify(task.wrap(written(ours))).passed, task.id
        wrong = spoiled(ours, empty, numbers, rng)
        assert not task.verify(task.wrap(wrong)).passed, (task.id, wrong)
