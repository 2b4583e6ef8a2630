"""Reads numbrix and hidato: a path 1, 2, 3, ... over all cells, to the sides or also to the corners."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, pairwise
from random import Random
from typing import NamedTuple

# <if only sides count|if corners count too>
WORDINGS = """
Solve this <numbrix|hidato> puzzle. Fill the grid with the numbers from 1 to ALL, each of them exactly once,
so that every two consecutive numbers are in neighboring cells: cells that share a side<, not only a| or
touch at a> corner. The numbers that are already there must stay; "GAP" is an empty cell. GRID Give

A postman visited all ALL houses of a village, SIZE rows of SIZE, and no house twice. From each house he
went to <the one in front, behind, to the left or to the right, never diagonally|one of the houses around
it, diagonals included>. Some people remember his visit: 1 was the first, ALL the last, and "GAP" means that
nobody knows. GRID Reconstruct his round. Write down for every house the number of his visit. Give

I need the solution of this number path. It runs 1, 2, 3, ... up to ALL and visits every cell once. Each
step goes to the next cell <up, down, left or right, no diagonals|in any of the eight directions>. Here is
what's printed, with "GAP" for the cells I have to fill in: GRID I know that only one solution exists.
Thanks! Give

A <rook that moves only one square at a time|king> toured a SIZE x SIZE board and stood on every square
exactly once. Each move led to a square that shares a side <|or a corner >with the one before. The squares
were numbered in the order of the tour from 1 on, but where "GAP" is, the number has been lost: GRID Restore
all the numbers. Give

Input: a SIZE x SIZE grid of integers, where "GAP" is an unknown cell. GRID Output: the grid with every
unknown cell filled in. Rules: known cells keep their values; each integer from 1 to ALL occurs exactly
once; for each k below ALL, if k is in row r and column c and k + 1 in row s and column d, then <ABS(r - s)
+ ABS(c - d)|max(ABS(r - s), ABS(c - d))> = 1. Give
"""
LAST = (
    " the completed grid as SIZE lines of SIZE numbers separated by spaces, with no other marks, "
    "inside <answer></answer> tags, and write nothing after them."
)
TEXTS = [" ".join(text.split()) for text in WORDINGS.split("\n\n")]


class Puzzle(NamedTuple):
    """The given cells by rows, with 0 in the gaps."""

    size: int
    corners: bool
    given: list[int]

    def near(self, at: int, corners: bool | None = None) -> list[int]:
        """The cells next to a cell."""
        r, c = divmod(at, self.size)
        reach = 2 if (self.corners if corners is None else corners) else 1
        steps = [(d, e) for d in (-1, 0, 1) for e in (-1, 0, 1) if 0 < abs(d) + abs(e) <= reach]
        fit = [(r + d, c + e) for d, e in steps if 0 <= r + d < self.size and 0 <= c + e < self.size]
        return [r * self.size + c for r, c in fit]


@lru_cache(maxsize=64)
def read(prompt: str) -> Puzzle:
    blocks = r"(?<=\n)(?:[\d._ ]+\n)+"
    (block,) = re.findall(blocks, prompt)
    rows = [line.split() for line in block[:-1].split("\n")]
    cells, size = [cell for row in rows for cell in row], len(rows)
    (gap,) = {*cells} & {*"._0"}
    said = " ".join(re.sub(blocks, "GRID ", prompt).split())
    matches = []
    for corners in (False, True):
        for text in TEXTS:
            wanted = re.sub(r"<([^|]*)\|([^>]*)>", rf"\{corners + 1}", text) + LAST
            wanted = wanted.replace("SIZE", str(size)).replace("ALL", str(size * size)).replace("GAP", gap)
            if re.sub(r"ABS\((.*?)\)", r"|\1|", wanted) == said:
                matches.append(corners)
    (corners,) = matches
    given = [0 if cell == gap else int(cell) for cell in cells]
    known = [number for number in given if number]
    assert all(len(row) == size for row in rows), prompt
    assert len({*known}) == len(known), prompt
    assert max(known) <= size * size, prompt
    return Puzzle(size, corners, given)


def judge(prompt: str, answer: str) -> bool:
    puzzle = read(prompt)
    lines = [line.strip(" ") for line in answer.strip(" \n").split("\n")]
    if not all(re.fullmatch(r"[0-9]+(?: +[0-9]+)*", line) for line in lines):
        return False
    rows = [[int(number) for number in line.split(" ") if number] for line in lines]
    if len(rows) != puzzle.size or any(len(row) != puzzle.size for row in rows):
        return False
    cells, last = [number for row in rows for number in row], puzzle.size**2
    if sorted(cells) != [*range(1, last + 1)]:
        return False
    if any(given not in (0, cell) for given, cell in zip(puzzle.given, cells, strict=True)):
        return False
    places = [cells.index(number) for number in range(1, last + 1)]
    return all(there in puzzle.near(here) for here, there in pairwise(places))


def paths(places: list[int], near: list[int], rng: Random) -> Iterator[list[int]]:
    """All ways to number the cells, as bits of the cells where each number may be."""
    before: list[int] = []
    while before != places:
        before = places[:]
        for order in (range(1, len(places)), range(len(places) - 2, -1, -1)):
            for at in order:
                cells, beside = places[at - order.step], 0
                while cells:
                    beside |= near[(cells & -cells).bit_length() - 1]
                    cells &= cells - 1
                places[at] &= beside
        once = twice = 0
        for cells in places:
            twice, once = twice | once & cells, once | cells
        fixed = sum({cells for cells in places if cells.bit_count() == 1})
        alone = [cells & once & ~twice or cells for cells in places]
        places = [cells if cells.bit_count() == 1 else cells & ~fixed for cells in alone]
        if once != (1 << len(places)) - 1 or not all(places):
            return
    left = [at for at, cells in enumerate(places) if cells.bit_count() > 1]
    if not left:
        if len({*places}) == len(places):
            yield places
        return
    at = min(left, key=lambda at: places[at].bit_count())
    bits = [1 << cell for cell in range(len(places)) if places[at] >> cell & 1]
    for bit in rng.sample(bits, len(bits)):
        yield from paths([*places[:at], bit, *places[at + 1 :]], near, rng)


def solutions(
    puzzle: Puzzle, given: list[int], rng: Random, corners: bool | None = None
) -> Iterator[list[int]]:
    """The numbers of the cells in every way that keeps what is given, in an order at random."""
    near = [sum(1 << other for other in puzzle.near(at, corners)) for at in range(len(given))]
    free = sum(1 << at for at, number in enumerate(given) if not number)
    start = [1 << given.index(number) if number in given else free for number in range(1, len(given) + 1)]
    for places in paths(start, near, rng):
        yield [places.index(1 << at) + 1 for at in range(len(given))]


def answers(prompt: str, rng: Random) -> Iterator[str]:
    puzzle = read(prompt)
    size, given, last = puzzle.size, puzzle.given, puzzle.size**2
    (right,) = solutions(puzzle, given, rng)  # Each puzzle is made so, and one wording says it.

    def text(
        cells: list[int], between: str = " ", end: str = "\n", form: str = "{}", wide: int = size
    ) -> str:
        lines = [cells[at : at + wide] for at in range(0, len(cells), wide)]
        return end.join(between.join(form.format(number) for number in line) for line in lines)

    yield from (text(right), text(right) + "\n", text(right, form="{:2}"), text(right, "  ", " \n"))
    yield text(right, form="{:02}")
    others = [*islice(solutions(puzzle, given, rng, corners=True), 3)]
    for at in rng.sample([at for at in range(last) if given[at]], 3):
        number = rng.choice([number for number in range(1, last + 1) if number not in given] or [0])
        others += islice(solutions(puzzle, [*given[:at], number, *given[at + 1 :]], rng), 1)
        fewer = [0 if rng.random() < 0.3 else number for number in given]
        others += islice(solutions(puzzle, fewer, rng), 1)
        others.append([*right[:at], right[at] + rng.choice((-1, 1)), *right[at + 1 :]])
        swap = rng.randrange(1, last)
        others.append([{swap: swap + 1, swap + 1: swap}.get(number, number) for number in right])
        one, other = rng.sample([number for number in right if number not in given] or right, 2)
        others.append([{one: other, other: one}.get(number, number) for number in right])
        others.append([{one: other}.get(number, number) for number in right])
    yield from (text(cells) for cells in others if cells != right)
    numbers = [*range(1, last + 1)]
    yield from (text(numbers), text(rng.sample(numbers, last)), text(given), text(right[::-1]), "")
    yield text([number if number % (2 * size) <= size else -number for number in right])
    yield from (text([last + 1 - number for number in right]), text([number - 1 for number in right]))
    yield from (text([number % last + 1 for number in right]), text([last, *right[1:]]))
    yield from (text([right[r * size + c] for c in range(size) for r in range(size)]), text(right[:-1]))
    yield from (text(right[size:]), text(right[:-size]), text(right + right[:size]), text(right, wide=last))
    yield from (text(right, wide=size + 1), text(right, wide=size - 1), text(right, form="+{}"))
    yield from (text(right, between) for between in ("", ",", ", ", " | ", " - "))
    yield from (text(right, form=form) for form in ("{}.", "{}.0", "r{}", "[{}]"))
    yield from (text(right, end=", "), text(right) + ".", text(right).replace(str(last), "."))
