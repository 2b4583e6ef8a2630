"""Reads sliding_tiles: fewest moves from one grid to another, proved by a search from both ends."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from random import Random
from typing import NamedTuple

# What is in brackets is there if the grid has walls; "|" ends a line.
WORDINGS = """
In this sliding puzzle, a move slides one tile up, down, left or right onto the empty square next to it,
which is shown as "_".[ A square marked "#" is a wall: no tile ever moves there.]||Start:||GRID||Goal:||GOAL||
Get from the start to the goal in as few moves as possible. If several solutions are equally short, any of
them will do.|

I found my old number slider in a drawer[, and the spots with # are blocked for good]. One spot is free (_),
and you can push a tile right beside it into that spot, but not diagonally. Right now it looks like this:||
GRID||I'd like to have it like this:||GOAL||Which tiles do I have to push, one after the other? I'm looking
for the fewest pushes; if there are several ways, I don't mind which.|

grid:|GRID||target:|GOAL||move(n) exchanges the number n with the only "_" in the grid. They must be next to
each other in a row or in a column; otherwise it is an error.[ A "#" never changes.] What is the shortest
sequence of arguments that turns the grid into the target? Any shortest sequence is accepted.|

A store room is packed with numbered crates; only the square marked _ is free[, and # is a pillar]:||GRID||
All that the porter can do is push a crate from a neighboring square, not diagonally, onto the free square,
which leaves the crate's own square free. By tonight the crates have to be like this:||GOAL||He wants to push
as seldom as possible. Which crates does he push, in order? Any plan with the fewest pushes is fine.|

Problem: tile sliding|Initial state:|GRID|Goal state:|GOAL|Symbols: _ is the blank, numbers are tiles[, # is
an obstacle]|Action n: tile n, which shares an edge with the blank, changes places with it|Cost: 1 per
action|Task: find a plan with minimum cost; if there is more than one, any will be accepted||
"""
LAST = (
    "Give the numbers of the tiles in the order in which they are moved, separated by commas, "
    "inside <answer></answer> tags, and write nothing after them."
)
ROWS = r"[ \d#_]+(?:\n[ \d#_]+)+"


def patterns(walls: bool) -> list[re.Pattern[str]]:
    found = []
    for wording in WORDINGS.strip().split("\n\n"):
        text = re.sub(r"\[(.*?)\]", r"\1" if walls else "", wording.replace("||\n", "||").replace("\n", " "))
        form = re.escape(text.replace("|", "\n") + LAST)
        found.append(re.compile(form.replace("GRID", f"({ROWS})").replace("GOAL", f"({ROWS})")))
    return found


PATTERNS = {walls: patterns(walls) for walls in (False, True)}


class Puzzle(NamedTuple):
    """Grids as integers, four bits a square, 0 if it is empty or a wall; `near` leaves walls out."""

    start: int
    goal: int
    blank: int
    goal_blank: int
    near: tuple[tuple[int, ...], ...]


def cells_of(rows: str) -> list[list[str]]:
    cells = [line.split() for line in rows.split("\n")]
    assert rows == "\n".join(" ".join(f"{cell:>2}" for cell in row) for row in cells), rows
    assert all(len(row) == len(cells) for row in cells), rows
    return cells


def packed(cells: list[str]) -> int:
    return sum(int(cell) << 4 * at for at, cell in enumerate(cells) if cell not in "_#")


@lru_cache(maxsize=64)
def read(prompt: str) -> Puzzle:
    (match,) = [found for form in PATTERNS["#" in prompt] if (found := form.fullmatch(prompt))]
    size = len(cells_of(match[1]))
    start, goal = ([*chain(*cells_of(rows))] for rows in match.groups())
    free = [at for at, cell in enumerate(start) if cell != "#"]
    assert free == [at for at, cell in enumerate(goal) if cell != "#"], prompt
    assert {*start} - {"#"} == {*goal} - {"#"} == {"_", *map(str, range(1, len(free)))}, prompt
    near = [[at for at in free if abs(at // size - i // size) + abs(at % size - i % size) == 1]
            for i in range(size * size)]  # fmt: skip
    return Puzzle(packed(start), packed(goal), start.index("_"), goal.index("_"), tuple(map(tuple, near)))


def slide(state: int, tile_at: int, blank: int) -> int:
    tile = state >> 4 * tile_at & 15
    return state + (tile << 4 * blank) - (tile << 4 * tile_at)


Layer = dict[int, int]  # each grid with the place of its empty square


@lru_cache(maxsize=8)
def layers(puzzle: Puzzle) -> tuple[list[Layer], list[Layer]]:
    """The grids at each distance from the start and from the goal, until the last layers meet.

    A move changes the color of the empty square as on a chessboard, so none stays within a layer.
    """
    ahead: list[Layer] = [{}, {puzzle.start: puzzle.blank}]
    behind: list[Layer] = [{}, {puzzle.goal: puzzle.goal_blank}]
    while ahead[-1].keys().isdisjoint(behind[-1]):
        side = min(ahead, behind, key=lambda side: len(side[-1]))
        before, last, new = side[-2], side[-1], Layer()
        for state, blank in last.items():
            for at in puzzle.near[blank]:
                after = slide(state, at, blank)
                if after not in before:
                    new[after] = at
        assert new, "no way"
        side.append(new)
    return ahead[1:], behind[1:]


def least(puzzle: Puzzle) -> int:
    ahead, behind = layers(puzzle)
    return len(ahead) + len(behind) - 2


def shortest(puzzle: Puzzle, rng: Random) -> list[int]:
    """A shortest plan, any of several."""
    ahead, behind = layers(puzzle)
    middle = rng.choice(sorted(ahead[-1].keys() & behind[-1].keys()))
    ways: list[list[int]] = []
    for side in (ahead, behind):
        state, blank, way = middle, side[-1][middle], list[int]()
        for layer in side[-2::-1]:
            steps = [(at, after) for at in puzzle.near[blank] if (after := slide(state, at, blank)) in layer]
            at, after = rng.choice(steps)
            way.append(state >> 4 * at & 15)
            state, blank = after, at
        ways.append(way)
    return ways[0][::-1] + ways[1]


def played(puzzle: Puzzle, plan: list[int]) -> tuple[int, int] | None:
    """The grid and its empty square after the moves, if all of them can be made."""
    state, blank = puzzle.start, puzzle.blank
    for tile in plan:
        places = [at for at in puzzle.near[blank] if state >> 4 * at & 15 == tile]
        if not places:
            return None
        state, blank = slide(state, places[0], blank), places[0]
    return state, blank


def judge(prompt: str, answer: str) -> bool:
    puzzle = read(prompt)
    numbers = re.split(r"[ \n]*,[ \n]*", answer.strip(" \n"))
    if not all(re.fullmatch(r"[1-9][0-9]?", number) for number in numbers):
        return False
    plan = [*map(int, numbers)]
    return played(puzzle, plan) == (puzzle.goal, puzzle.goal_blank) and len(plan) == least(puzzle)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    puzzle = read(prompt)

    def text(plan: list[int], between: str = ", ") -> str:
        return between.join(map(str, plan))

    for between in (", ", ",", ",\n", " , ", ", ", ", "):
        yield text(shortest(puzzle, rng), between)
    best = shortest(puzzle, rng)
    yield f"\n{text(best)} "

    tiles = [tile for tile in range(1, 16) if tile in {puzzle.start >> 4 * at & 15 for at in range(16)}]
    for _ in range(3):
        i, j = sorted(rng.sample(range(len(best)), 2))
        grid = played(puzzle, best[:i])
        assert grid
        near = [grid[0] >> 4 * at & 15 for at in puzzle.near[grid[1]]]
        turn = rng.choice(near)
        yield text([*best[:i], turn, turn, *best[i:]])
        yield text([*best[:i], turn])
        yield text([*best[:i], turn, *best[i + 1 :]])
        yield text([*best[:i], best[j], *best[i + 1 : j], best[i], *best[j + 1 :]])
        yield text([*best[:i], rng.choice(tiles), *best[i + 1 :]])
        yield text([*best[:i], rng.choice(tiles), *best[i:]])
        yield text(best[:i] + best[i + 1 :])
        yield text(best[:i] + best[j:])
    aside = rng.choice(puzzle.near[puzzle.blank])  # may be the first move of a shortest plan, or a detour
    moved = puzzle._replace(start=slide(puzzle.start, aside, puzzle.blank), blank=aside)
    yield text([puzzle.start >> 4 * aside & 15, *shortest(moved, rng)])
    changed = [at for at in range(16) if (puzzle.start ^ puzzle.goal) >> 4 * at & 15]
    lists = [best[::-1], best[:-1], best[1:], [*best, best[-1]], [*best, *best[-1:] * 2], [best[0], *best]]
    lists += [[*best[:-1], 16], [0, *best], [*best, 0], [*best, len(tiles) + 1], sorted({*best}), best[:1]]
    lists += [[tile + 1 for tile in best], [-tile for tile in best], rng.sample(best, len(best))]
    lists += [[puzzle.start >> 4 * at & 15 for at in changed], [at + 1 for at in changed], best + best[::-1]]
    yield from map(text, lists)
    yield from (text(best, between) for between in (" ", "\n", "; ", " -> ", ",, ", ", _, "))
    yield from (f"{text(best)},", f"{text(best)}.", f"[{text(best)}]", f"#, {text(best)}", f"_, {text(best)}")
    yield from (", ".join(f"move({tile})" for tile in best), str(len(best)), "")
