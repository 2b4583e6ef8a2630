"""Grids of connected cells, stated once more for CP-SAT: each has one solution, and only this one passes.

Needs the `oracle` extra; `make test-all` installs it. Where it is missing these tests fail.
"""

import json
import re
from collections.abc import Callable
from itertools import chain, groupby, pairwise
from typing import Any

import pytest
import reasonenv
from cp_sat import Cut, Cuts, Grid, lines_of, no_cuts, solutions, written

pytestmark = pytest.mark.slow

PUZZLES = 1_000
"""Puzzles of each family, over all its levels."""

Puzzle = Callable[[Any, Grid, list[Grid], dict[str, Any]], Cuts]
"""Adds the rules of a puzzle to a model of its cells, given the grids that the prompt shows. What it returns
finds cuts that a solution of the model breaks if its cells are not connected as they should be."""


def grids_shown(prompt: str) -> list[Grid]:
    """Grids that a prompt shows: lines of numbers and signs between spaces."""
    lines = [line.split() for line in prompt.splitlines()]

    def is_row(line: list[str]) -> bool:
        return len(line) > 1 and all(re.fullmatch(r"\d+|[._-]", sign) for sign in line)

    grids = [list(rows) for row, rows in groupby(lines, is_row) if row]
    assert all(len(grid) == len(row) for grid in grids for row in grid), prompt
    return grids


def around(row: int, column: int, size: int, *, diagonal: bool = False) -> list[tuple[int, int]]:
    steps = [(0, 1), (1, 0), (0, -1), (-1, 0), *([(1, 1), (1, -1), (-1, 1), (-1, -1)] if diagonal else [])]
    places = [(row + down, column + right) for down, right in steps]
    return [place for place in places if min(place) >= 0 and max(place) < size]


def parts(grid: Grid, value: int) -> list[set[tuple[int, int]]]:
    """Connected sets of the cells that hold a value."""
    size = len(grid)
    left = {(row, column) for row in range(size) for column in range(size) if grid[row][column] == value}
    found = []
    while left:
        part = {left.pop()}
        edge = [*part]
        while edge:
            near = left & {*around(*edge.pop(), size)}
            left -= near
            part |= near
            edge += near
        found.append(part)
    return found


def apart(cells: Grid, grid: Grid, value: int, anchors: set[tuple[int, int]] | None = None) -> list[Cut]:
    """Cuts for the parts of a value that lack an anchor; without anchors, for all but one."""

    def literal(place: tuple[int, int], *, holds: bool) -> Any:
        cell = cells[place[0]][place[1]]
        return cell if holds == bool(value) else cell.negated()

    found = parts(grid, value)
    also = [] if anchors is not None or not found else [literal(next(iter(found[0])), holds=False)]
    wrong = found[1:] if anchors is None else [part for part in found if not part & anchors]
    cuts = []
    for part in wrong:
        edge = {near for place in part for near in around(*place, len(grid))} - part
        cut = [literal(place, holds=False) for place in part] + [literal(place, holds=True) for place in edge]
        cuts.append(cut + also)
    return cuts


def keep_given(model: Any, cells: Grid, shown: Grid, *, empty: str = "._") -> None:
    for cell, sign in zip(chain(*cells), chain(*shown), strict=True):
        if sign not in empty:
            model.add(cell == int(sign))


def hitori(model: Any, cells: Grid, shown: list[Grid], _: dict[str, Any]) -> Cuts:
    numbers, *known = shown
    for grid in known:
        keep_given(model, cells, grid)
    for line, held in zip(lines_of(cells), lines_of(numbers), strict=True):
        for one, other in pairwise(line):
            model.add_bool_or([one.negated(), other.negated()])
        for at, cell in enumerate(line):
            for before in (before for before in range(at) if held[before] == held[at]):
                model.add_bool_or([cell, line[before]])
    return lambda grid: apart(cells, grid, 0)


def numbrix(model: Any, cells: Grid, shown: list[Grid], problem: dict[str, Any]) -> Cuts:
    size = len(cells)
    empty = "0._" if any(sign == "0" for sign in chain(*shown[0])) else "._"
    keep_given(model, cells, shown[0], empty=empty)
    model.add_all_different(list(chain(*cells)))
    # A tour over the cells that enters and leaves by one node more.
    arcs = []
    for row, column in ((row, column) for row in range(size) for column in range(size)):
        here, cell = 1 + row * size + column, cells[row][column]
        first, last = model.new_bool_var(""), model.new_bool_var("")
        arcs += [(0, here, first), (here, 0, last)]
        model.add(cell == 1).only_enforce_if(first)
        model.add(cell == size * size).only_enforce_if(last)
        for down, right in around(row, column, size, diagonal=problem["diagonal"]):
            arcs.append((here, 1 + down * size + right, model.new_bool_var("")))
            model.add(cells[down][right] == cell + 1).only_enforce_if(arcs[-1][2])
    model.add_circuit(arcs)
    return no_cuts


def slitherlink(model: Any, cells: Grid, shown: list[Grid], _: dict[str, Any]) -> Cuts:
    numbers, *known = shown
    size = len(cells)
    for grid in known:
        keep_given(model, cells, grid)
    places = [(row, column) for row in range(size) for column in range(size)]
    for row, column in ((row, column) for row, column in places if numbers[row][column] != "-"):
        cell, near = cells[row][column], around(row, column, size)
        sides = [(4 - len(near)) * cell]
        for down, right in near:
            sides.append(model.new_bool_var(""))
            model.add(cell != cells[down][right]).only_enforce_if(sides[-1])
            model.add(cell == cells[down][right]).only_enforce_if(sides[-1].negated())
        model.add(sum(sides) == int(numbers[row][column]))
    for upper, lower in pairwise(cells):
        for (a, b), (c, d) in zip(pairwise(upper), pairwise(lower), strict=True):
            model.add_bool_or([a.negated(), d.negated(), b, c])
            model.add_bool_or([a, d, b.negated(), c.negated()])
    model.add_bool_or(list(chain(*cells)))
    edge = {place for place in places if len(around(*place, size)) < 4}
    return lambda grid: apart(cells, grid, 1) + apart(cells, grid, 0, edge)


def nurikabe(model: Any, cells: Grid, shown: list[Grid], _: dict[str, Any]) -> Cuts:
    numbers, *known = shown
    size = len(cells)
    for grid in known:
        keep_given(model, cells, grid)
    places = [(row, column) for row in range(size) for column in range(size)]
    islands = {
        place: int(numbers[place[0]][place[1]]) for place in places if numbers[place[0]][place[1]] != "-"
    }
    # Which island takes which cells.
    takes = {island: {place: model.new_bool_var("") for place in places} for island in islands}
    for island, count in islands.items():
        model.add(sum(takes[island].values()) == count)
        model.add(takes[island][island] == 1)
    for place in places:
        row, column = place
        model.add(sum(taken[place] for taken in takes.values()) == 1 - cells[row][column])
        for near in around(row, column, size):
            for taken in takes.values():
                model.add_bool_or([taken[place].negated(), taken[near], cells[near[0]][near[1]]])
    for upper, lower in pairwise(cells):
        for one, other in zip(pairwise(upper), pairwise(lower), strict=True):
            model.add_bool_or([cell.negated() for cell in one + other])
    return lambda grid: apart(cells, grid, 1) + apart(cells, grid, 0, {*islands})


FAMILIES: dict[str, Puzzle] = {
    "hitori": hitori,
    "numbrix": numbrix,
    "nurikabe": nurikabe,
    "slitherlink": slitherlink,
}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_only_solution_alone_passes(name: str) -> None:
    from ortools.sat.python import cp_model  # noqa: PLC0415  an optional extra

    family, wrong = reasonenv.family(name), 0
    for at in range(PUZZLES):
        task = family.sample(seed=11, index=at, level=at % (family.top_level + 1))
        shown, problem = grids_shown(task.prompt), json.loads(task.problem)
        size = len(shown[0])
        low, high = (1, size * size) if name == "numbrix" else (0, 1)
        model = cp_model.CpModel()
        cells = [[model.new_int_var(low, high, "") for _ in range(size)] for _ in range(size)]
        found = solutions(model, cells, cuts=FAMILIES[name](model, cells, shown, problem))
        assert len(found) == 1, task.id
        right = written(found[0])
        assert task.verify(task.wrap(right)).passed, task.id
        for answer in [*task.wrong_answers(seed=at), *task.shortcuts(seed=at).values()]:
            if not re.fullmatch(r"[0-9 \n]+", answer):
                continue  # not a grid
            passes = answer == right
            assert task.verify(task.wrap(answer)).passed == passes, (task.id, answer)
            wrong += not passes
    assert wrong >= PUZZLES
