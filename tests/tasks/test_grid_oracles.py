"""Grid puzzles, stated once more for CP-SAT: every one has exactly one solution, it is ours, and others fail.
"""Grid puzzles, stated once more for CP-SAT: every one has exactly one solution, it is ours, and only it passes.
"""Grid puzzles, stated once more for CP-SAT: every one has exactly one solution, and only this one passes.

Needs the `oracle` extra; `make test-all` installs it. Where it is missing these tests fail.
"""

import json
import math
import random
import re
from collections.abc import Callable, Iterator
from itertools import chain, permutations
import random
import re
from collections.abc import Callable, Iterator
from itertools import chain, product
from itertools import chain, groupby, pairwise
from typing import Any

import pytest
import reasonenv

pytestmark = pytest.mark.slow

PUZZLES = 1_000
"""Puzzles of each family, over all its levels."""

Grid = list[list[Any]]
Cell = tuple[int, int]


def grid_shown(prompt: str) -> list[list[str]]:
    """Rows of the grid that a prompt shows: lines of signs between spaces."""
    lines = [line.split() for line in prompt.splitlines()]
    shown = [line for line in lines if len(line) > 1 and all(re.fullmatch(r"\d+|[._]", sign) for sign in line)]
    assert len({len(line) for line in shown}) == 1, prompt
    return shown
Cut = list[Any]
"""Literals of which one must be true."""
Cuts = Callable[[Grid], list[Cut]]
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


def lines_of(cells: Grid) -> Iterator[list[Any]]:
    yield from cells
    yield from (list(column) for column in zip(*cells, strict=True))


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


def binairo(model: Any, cells: Grid, problem: dict[str, Any]) -> None:
def around(row: int, column: int, size: int, *, diagonal: bool = False) -> list[tuple[int, int]]:
    steps = [(0, 1), (1, 0), (0, -1), (-1, 0), *([(1, 1), (1, -1), (-1, 1), (-1, -1)] if diagonal else [])]
    places = [(row + down, column + right) for down, right in steps]
    return [place for place in places if min(place) >= 0 and max(place) < size]


def no_cuts(_: Grid) -> list[Cut]:
    return []


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


def binairo(model: Any, cells: Grid, shown: list[Grid], problem: dict[str, Any]) -> Cuts:
    keep_given(model, cells, shown[0])
    for line in lines_of(cells):
        model.add(2 * sum(line) == len(line))
        for at in range(len(line) - 2):
            model.add_linear_constraint(sum(line[at : at + 3]), 1, 2)
    if problem["distinct"]:
        for lines in (cells, list(zip(*cells, strict=True))):
            numbers = [sum(cell * 2**at for at, cell in enumerate(line)) for line in lines]
            model.add_all_different(numbers)
    return no_cuts


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
                fits = {
                    "difference": lambda one, other: abs(one - other) == number,
                    "quotient": lambda one, other: max(one, other) == number * min(one, other),
                }[operation]
                model.add_allowed_assignments(cage, [pair for pair in pairs if fits(*pair)])


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
    "binairo": binairo,
    "light_up": light_up,
    "star_battle": star_battle,
    "tents": tents,
}


def posed(name: str, task: Any) -> tuple[Any, Grid, Any]:
    """A model of a task, its cells, and a solver."""
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
    "binairo": binairo,
    "hitori": hitori,
    "numbrix": numbrix,
    "nurikabe": nurikabe,
    "slitherlink": slitherlink,
}


def solutions(model: Any, cells: Grid, cuts: Cuts) -> list[Grid]:
    """Up to two solutions of a model that has one."""
    from ortools.sat.python import cp_model  # noqa: PLC0415  an optional extra

    problem = json.loads(task.problem)
    signs = {0: "", 1: "0", 2: "1"}
    shown = [[signs[given] for given in row] for row in problem["givens"]]
    if name == "binairo":
        shown = grid_shown(task.prompt)
    model = cp_model.CpModel()
    cells = [[model.new_bool_var("") for _ in row] for row in shown]
    for cell, sign in zip(chain(*cells), chain(*shown), strict=True):
        if sign in ("0", "1"):
            model.add(cell == int(sign))
    RULES[name](model, cells, problem)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    return model, cells, solver


def solutions(model: Any, cells: Grid, solver: Any, most: int = 2) -> list[list[list[int]]]:
    """Up to so many solutions of a model."""
    from ortools.sat.python import cp_model  # noqa: PLC0415

    found: list[list[list[int]]] = []
    while len(found) < most and solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        found.append([[solver.value(cell) for cell in row] for row in cells])
        model.add_forbidden_assignments(list(chain(*cells)), [list(chain(*found[-1]))])
    return found


def spoiled(grid: list[list[int]], empty: list[tuple[int, int]], numbers: range, rng: random.Random) -> str:
    """The grid with two different numbers of empty cells exchanged, or one of them changed."""
    other = [list(row) for row in grid]
    (row, column), (above, left) = rng.choice(empty), rng.choice(empty)
    if rng.random() < 1 / 2 and grid[row][column] != grid[above][left]:
        other[row][column], other[above][left] = grid[above][left], grid[row][column]
    else:
        other[row][column] = rng.choice([number for number in numbers if number != grid[row][column]])
    return written(other)


def written(grid: list[list[int]]) -> str:
    return "\n".join(" ".join(map(str, row)) for row in grid)
def numbers(answer: str) -> list[list[int]]:
    return [[int(number) for number in row.split()] for row in answer.splitlines()]


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
        ours = [[int(number) for number in row.split()] for row in task.solution.answer.splitlines()]
        assert solutions(model, cells) == [ours], task.id
        assert task.verify(task.wrap(written(ours))).passed, task.id
        wrong = spoiled(ours, empty, numbers, rng)
        assert not task.verify(task.wrap(wrong)).passed, (task.id, wrong)
    family = reasonenv.family(name)
    for at in range(PUZZLES):
        task = family.sample(seed=11, index=at, level=at % (family.top_level + 1))
        assert solutions(*posed(name, task)) == [numbers(task.solution.answer)], task.id


@pytest.mark.parametrize("name", RULES)
def test_answers_are_judged_alike(name: str) -> None:
    """A right answer and a spoiled one, which CP-SAT judges as well."""
    family, rng, wrong = reasonenv.family(name), random.Random(5), 0
    for at in range(PUZZLES):
        task = family.sample(seed=12, index=at, level=at % (family.top_level + 1))
        right = numbers(task.solution.answer)
        for grid in (right, spoiled(right, rng)):
            model, cells, solver = posed(name, task)
            for cell, number in zip(chain(*cells), chain(*grid), strict=True):
                model.add(cell == number)
            text = "\n".join(" ".join(map(str, row)) for row in grid)
            passes = bool(solutions(model, cells, solver, 1))
            assert task.verify(task.wrap(text)).passed == passes, (task.id, text)
            wrong += not passes
    assert wrong >= PUZZLES * 0.95
    found: list[Grid] = []
    while len(found) < 2 and solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        grid = [[solver.value(cell) for cell in row] for row in cells]
        broken = cuts(grid)
        for cut in broken:
            model.add_bool_or(cut)
        if not broken:
            found.append(grid)
            model.add_forbidden_assignments(list(chain(*cells)), [list(chain(*grid))])
    return found


@pytest.mark.parametrize("name", FAMILIES)
def test_the_only_solution_alone_passes(name: str) -> None:
    from ortools.sat.python import cp_model  # noqa: PLC0415

    family, wrong = reasonenv.family(name), 0
    for at in range(PUZZLES):
        task = family.sample(seed=11, index=at, level=at % (family.top_level + 1))
        shown, problem = grids_shown(task.prompt), json.loads(task.problem)
        size = len(shown[0])
        low, high = (1, size * size) if name == "numbrix" else (0, 1)
        model = cp_model.CpModel()
        cells = [[model.new_int_var(low, high, "") for _ in range(size)] for _ in range(size)]
        found = solutions(model, cells, FAMILIES[name](model, cells, shown, problem))
        assert len(found) == 1, task.id
        right = "\n".join(" ".join(map(str, row)) for row in found[0])
        assert task.verify(task.wrap(right)).passed, task.id
        for answer in [*task.wrong_answers(seed=at), *task.shortcuts(seed=at).values()]:
            if not re.fullmatch(r"[0-9 \n]+", answer):
                continue  # not a grid
            passes = answer == right
            assert task.verify(task.wrap(answer)).passed == passes, (task.id, answer)
            wrong += not passes
    assert wrong >= PUZZLES
