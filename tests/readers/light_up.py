"""Reads light up: every free cell sees a bulb, bulbs see no others, and walls have as many as they say."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from random import Random
from typing import NamedTuple

from bit_grids import Unit, bits, cells_of, grids, lines_of, spelled, spoiled, text

WORDINGS = """
Solve this light up puzzle, also known as akari, on a grid of SIZE rows and SIZE columns. "##" is a wall,
"#" with a digit is a wall with that number, and every other cell is free. Put bulbs into free cells. A bulb
lights its own cell and all cells in its row and its column up to the next wall or the edge. Every free cell
must be lit, and no bulb may be lit by another one. A wall with a number has exactly that many bulbs in the
cells that share a side with it; a wall without one may have any number of them. "GAP" is a free cell that
you have to decide[, 1 is one that has a bulb, and 0 is one that has none]. GRID Write 1 for a bulb, and 0
for a free cell without one and for a wall. Give

Our museum has one large hall of SIZE by SIZE squares with pillars in it. I drew them as ##, or as #0, #1,
#2, #3 or #4. GRID Guards are to watch all squares without a pillar. A guard sees his own square and, in the
four directions along his row and his column, all squares up to a pillar or the end of the hall; he cannot
see past a pillar. Guards do not watch each other: a guard must not be in a square that another guard sees.
At a pillar with a digit there are exactly as many guards as it says, on the squares directly above, below,
left and right of it; at ## there can be any number. Guards never share a square. [A 1 means that a guard is
already there, and a 0 that nobody will be. ]Please tell me for each square marked "GAP" if it gets a guard:
1 if so, 0 if not. Pillars are 0, too. Give

A garden is divided into SIZE rows of SIZE beds. Hedges (## or # and a digit) fill some of them, and each
sprinkler takes a bed without a hedge. Its water reaches its own bed and spreads to the left, to the right,
up and down from bed to bed until it meets a hedge or leaves the garden. Every bed without a hedge needs the
water of at least one sprinkler, but no sprinkler may get the water of another. A hedge with a digit has
sprinklers in exactly that many of the beds next to it (not diagonally); beside ## there can be any number.
GRID "GAP" is a bed for which the gardener is undecided[; with 1 he has chosen a sprinkler, with 0 none].
Complete the plan: 1 for a sprinkler, 0 for none, and 0 for a hedge. Give

You install cameras in a warehouse whose floor is a grid with SIZE rows and SIZE columns. Shelves block the
view; they are ## or # with a digit. A camera films the cell that it is in, and from there all cells to the
north, south, east and west, in each direction until a shelf or the wall of the warehouse. The contract
says: each cell without a shelf is filmed; no camera is filmed by another camera; cameras are in cells
without a shelf; in the cells that share a side with a numbered shelf, there are exactly as many cameras as
its digit says. [For some cells it is settled that they have a camera (1) or have none (0). ]Cells with
"GAP" are still open. GRID There is one way to fulfill the contract. Show it, with 1 for a camera and 0 for
any other cell. Give

Input: a SIZE x SIZE grid. "##": wall; "#k" with a digit k: wall with the number k; "GAP": unknown free
cell[; 0, 1: known free cells]. GRID Output: a SIZE x SIZE matrix over {0, 1}. Constraints: known cells keep
their values, and walls are 0. Two cells see each other if they are in the same row or column with no wall
between them; a cell also sees itself. Every free cell sees at least one 1. Two 1s never see each other. For
each wall with a number k, exactly k of the cells that are horizontally or vertically adjacent to it are 1.
Exactly one matrix satisfies this. Give
"""


class Problem(NamedTuple):
    size: int
    lit: list[Unit]
    """True if each free cell sees a one."""
    walls: list[Unit]
    fixed: list[Unit]
    apart: list[int]
    """The other cells that each free cell sees."""
    given: str


@lru_cache(maxsize=64)
def problem(prompt: str) -> Problem:
    """The parts of the prompt; any sentence that isn't known is an error."""
    (grid,) = re.findall(r"(?<=\n\n)[ #][0-4#._].*?(?=\n\n)", prompt, re.DOTALL)
    size = grid.count("\n") + 1
    (gap,) = {*grid} & {*"._"}
    line = rf"(?: [01{gap}]|#[#0-4])(?: (?: [01{gap}]|#[#0-4])){{{size - 1}}}"
    assert re.fullmatch(rf"{line}(?:\n{line}){{{size - 1}}}", grid)
    ending = f""" the completed grid as {size} lines of {size} numbers separated by spaces, with no other
        marks, inside <answer></answer> tags, and write nothing after them."""
    texts, known = WORDINGS, grid.split()
    for name, part in {"SIZE": str(size), "GAP": gap, "GRID": grid}.items():
        texts = texts.replace(name, part)
    texts = re.sub(r"\[(.*?)\]", r"\1" if {*"01"} & {*known} else "", texts, flags=re.DOTALL)
    said = re.sub(r"\ban (?=8 x|11 x)", "a ", " ".join(prompt.split()))
    assert said in [" ".join((text + ending).split()) for text in texts.strip().split("\n\n")], prompt

    def ray(at: int, r: int, c: int, far: bool = True) -> int:
        """The cells that are seen from this one in a direction; unless `far`, only the first."""
        s, d = at // size + r, at % size + c
        if not (0 <= s < size and 0 <= d < size) or known[s * size + d][0] == "#":
            return 0
        seen: int = 1 << s * size + d
        return seen | ray(s * size + d, r, c) if far else seen

    ways, every = [(-1, 0), (1, 0), (0, -1), (0, 1)], range(size * size)
    apart = [sum(ray(at, *way) for way in ways) for at in every]
    lit = [(1 << at | apart[at], 1, size * size) for at in every if known[at][0] != "#"]
    digits = {at: int(known[at][1]) for at in every if re.fullmatch(r"#\d", known[at])}
    walls = [(sum(ray(at, *way, far=False) for way in ways), n, n) for at, n in digits.items()]
    fixed = [(1 << at, cell == "1", cell == "1") for at, cell in enumerate(known) if cell != gap]
    return Problem(size, lit, walls, fixed, apart, grid)


def judge(prompt: str, answer: str) -> bool:
    size, lit, walls, fixed, apart, _ = problem(prompt)
    cells = cells_of(answer, size)
    if cells is None:
        return False
    ones = sum(1 << at for at, cell in enumerate(cells) if cell == "1")
    units = lit + walls + fixed
    if not all(least <= (ones & cells).bit_count() <= most for cells, least, most in units):
        return False
    return not any(ones & apart[at] for at in bits(ones))


def answers(prompt: str, rng: Random) -> Iterator[str]:
    size, lit, walls, fixed, apart, given = problem(prompt)

    def found(units: list[Unit], apart: list[int] = apart) -> Iterator[str]:
        for ones in islice(grids(units, apart, rng, 0, (1 << size * size) - 1), 2):
            yield text(lines_of(ones, size))

    (right,) = found(lit + walls + fixed)  # Two wordings say that only one fits.
    lines = [line.replace(" ", "") for line in right.split("\n")]
    yield from spelled(lines)
    yield from found(lit + walls + fixed, [0] * size * size)
    yield from found(lit + fixed)
    yield from found(walls + fixed)
    yield from found(lit + walls)
    yield from found(lit)
    cell, held, _ = rng.choice(fixed)
    yield from found([*lit, *walls, (cell, 1 - held, 1 - held)])
    yield from found([*lit, (cell, 1 - held, 1 - held)])
    at = rng.randrange(len(walls))
    cells, number, _ = walls[at]
    for other in (number - 1, number + 1):
        yield from found([*lit, *fixed, *walls[:at], (cells, other, other), *walls[at + 1 :]])
    yield from (given, re.sub(r"[^ \n01]", "0", given))
    yield from spoiled(lines, rng)
