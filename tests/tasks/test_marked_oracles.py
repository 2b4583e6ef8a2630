"""Grids of stars, tents and bulbs, stated once more for CP-SAT: each has one solution, and it alone passes.

Needs the `oracle` extra; `make test-all` installs it. Where it is missing these tests fail.
"""

import json
import random
from collections.abc import Callable
from itertools import chain, product
from typing import Any

import pytest
import reasonenv
from cp_sat import Grid, lines_of, read, solutions, written

pytestmark = pytest.mark.slow

PUZZLES = 1_000
"""Puzzles of each family, over all its levels."""

Cell = tuple[int, int]


def places_of(cells: Grid) -> list[Cell]:
    return list(product(range(len(cells)), range(len(cells[0]))))


def beside(cells: Grid, place: Cell) -> list[Cell]:
    row, column = place
    near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [(r, c) for r, c in near if 0 <= r < len(cells) and 0 <= c < len(cells[0])]


def apart(model: Any, cells: Grid) -> None:
    """No two cells with a 1 share a side or a corner."""
    for one, other in product(places_of(cells), repeat=2):
        if one < other and max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1:
            model.add(cells[one[0]][one[1]] + cells[other[0]][other[1]] <= 1)


def star_battle(model: Any, cells: Grid, problem: dict[str, Any]) -> None:
    regions: dict[int, list[Any]] = {}
    for row, column in places_of(cells):
        regions.setdefault(problem["regions"][row][column], []).append(cells[row][column])
    assert len(regions) == len(cells)
    for group in chain(lines_of(cells), regions.values()):
        model.add(sum(group) == problem["stars"])
    apart(model, cells)


def tents(model: Any, cells: Grid, problem: dict[str, Any]) -> None:
    """Each pair of a tree and a cell beside it is a variable of its own."""
    for line, count in zip(lines_of(cells), problem["counts"], strict=True):
        if count is not None:
            model.add(sum(line) == count)
    apart(model, cells)
    mine: dict[Cell, list[Any]] = {place: [] for place in places_of(cells)}
    for tree in places_of(cells):
        if problem["trees"][tree[0]][tree[1]]:
            near = beside(cells, tree)
            pairs = [model.new_bool_var("") for _ in near]
            model.add_exactly_one(pairs)
            for place, pair in zip(near, pairs, strict=True):
                mine[place].append(pair)
            model.add(cells[tree[0]][tree[1]] == 0)
    for (row, column), pairs in mine.items():
        model.add(cells[row][column] == sum(pairs))


def light_up(model: Any, cells: Grid, problem: dict[str, Any]) -> None:
    walls = problem["walls"]
    for row, column in places_of(cells):
        if walls[row][column]:
            model.add(cells[row][column] == 0)
            if walls[row][column] > 1:
                near = sum(cells[r][c] for r, c in beside(cells, (row, column)))
                model.add(near == walls[row][column] - 2)
            continue
        others = []
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            r, c = row + down, column + right
            while 0 <= r < len(cells) and 0 <= c < len(cells[0]) and not walls[r][c]:
                others.append(cells[r][c])
                r, c = r + down, c + right
        model.add_at_least_one([cells[row][column], *others])
        for other in others:
            model.add_implication(cells[row][column], other.negated())


RULES: dict[str, Callable[[Any, Grid, dict[str, Any]], None]] = {
    "light_up": light_up,
    "star_battle": star_battle,
    "tents": tents,
}


def posed(name: str, task: Any) -> tuple[Any, Grid]:
    """A model of a task and its cells."""
    from ortools.sat.python import cp_model  # noqa: PLC0415  an optional extra

    problem = json.loads(task.problem)
    signs = {0: "", 1: "0", 2: "1"}
    shown = [[signs[given] for given in row] for row in problem["givens"]]
    model = cp_model.CpModel()
    cells = [[model.new_bool_var("") for _ in row] for row in shown]
    for cell, sign in zip(chain(*cells), chain(*shown), strict=True):
        if sign in ("0", "1"):
            model.add(cell == int(sign))
    RULES[name](model, cells, problem)
    return model, cells


def spoiled(grid: list[list[int]], rng: random.Random) -> list[list[int]]:
    """The grid with a 1 moved to a cell beside it or anywhere, or with a number changed."""
    other = [row[:] for row in grid]
    held = [(row, column) for row, column in places_of(grid) if grid[row][column]]
    row, column = rng.choice(held)
    kind = rng.randrange(3)
    targets = beside(grid, (row, column)) if kind == 0 else places_of(grid)
    to = rng.choice([(r, c) for r, c in targets if not grid[r][c]] or [(row, column)])
    other[row][column] = int(kind == 2)
    other[to[0]][to[1]] = 1
    return other


@pytest.mark.parametrize("name", RULES)
def test_the_only_solution_is_ours(name: str) -> None:
    family = reasonenv.family(name)
    for at in range(PUZZLES):
        task = family.sample(seed=11, index=at, level=at % (family.top_level + 1))
        assert solutions(*posed(name, task)) == [read(task.solution.answer)], task.id


@pytest.mark.parametrize("name", RULES)
def test_answers_are_judged_alike(name: str) -> None:
    """A right answer and a spoiled one, which CP-SAT judges as well."""
    family, rng, wrong = reasonenv.family(name), random.Random(5), 0
    for at in range(PUZZLES):
        task = family.sample(seed=12, index=at, level=at % (family.top_level + 1))
        right = read(task.solution.answer)
        for grid in (right, spoiled(right, rng)):
            model, cells = posed(name, task)
            for cell, number in zip(chain(*cells), chain(*grid), strict=True):
                model.add(cell == number)
            text = written(grid)
            passes = bool(solutions(model, cells, most=1))
            assert task.verify(task.wrap(text)).passed == passes, (task.id, text)
            wrong += not passes
    assert wrong >= PUZZLES * 0.95
