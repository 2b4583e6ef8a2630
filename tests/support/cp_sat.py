"""Grids as models of CP-SAT, for oracles. Needs the `oracle` extra."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

Grid = list[list[Any]]
Cut = list[Any]
"""Literals of which one must be true."""
Cuts = Callable[[Grid], list[Cut]]
"""Finds cuts that a solution of a model breaks if it is not one of the puzzle."""


def lines_of(cells: Grid) -> Iterator[list[Any]]:
    """Rows, then columns."""
    yield from cells
    yield from (list(column) for column in zip(*cells, strict=True))


def no_cuts(_: Grid) -> list[Cut]:
    return []


def solutions(model: Any, cells: Grid, *, cuts: Cuts = no_cuts, most: int = 2) -> list[list[list[int]]]:
    """Up to so many solutions of a model."""
    from ortools.sat.python import cp_model  # noqa: PLC0415  an optional extra

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    found: list[list[list[int]]] = []
    while len(found) < most and solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        grid = [[solver.value(cell) for cell in row] for row in cells]
        broken = cuts(grid)
        for cut in broken:
            model.add_bool_or(cut)
        if not broken:
            found.append(grid)
            model.add_forbidden_assignments(list(chain(*cells)), [list(chain(*grid))])
    return found


def written(grid: Grid) -> str:
    return "\n".join(" ".join(map(str, row)) for row in grid)


def read(answer: str) -> list[list[int]]:
    return [[int(number) for number in row.split()] for row in answer.splitlines()]
