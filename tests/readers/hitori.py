"""Reads hitori: struck cells (1) are apart, the others (0) are joined and repeat no number in a line."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from random import Random
from typing import NamedTuple

from bit_grids import cells_of, spelled, spoiled, text

# <if part of the solution is given|if not>
WORDINGS = """
Solve this hitori puzzle. Strike some of the cells of the grid so that no number occurs twice among the
cells that remain in a row, nor among those that remain in a column. Two struck cells are never side by side
or one above the other, and all remaining cells are connected: from each of them you can get to every other
by going up, down, left and right over remaining cells. GRID <Part of the solution is known: below, 1 is a
struck cell, 0 one that remains, and "GAP" one that is open. GRID |>Write the solution as a grid with 1 for
a struck cell and 0 for a cell that remains. Give

The market square has SIZE rows of SIZE stalls, and this is what each stall sells, by number: GRID The mayor
wants to close some stalls, so that no two open stalls in the same row, and no two in the same column, sell
the same thing. A closed stall may touch another closed one only at a corner. And it must be possible to get
from each open stall to every other through open stalls alone, stepping up, down, left or right. <Some
decisions have been made for good: 1 means closed, 0 means open, and "GAP" means undecided. GRID |>Which
stalls does she close? In your plan, write 1 for closed and 0 for open. Give

hey, can you do this hitori for me? here are the numbers: GRID <and this is as far as I got, 1 = blacked
out, 0 = stays white, "GAP" = no idea yet (what's there is right, so leave it): GRID |>rules in case you
forgot: white cells in one row all have different numbers, same for each column. black cells never share a
side. and the white cells are in one piece, connected by their sides. there's exactly one solution. send me
the whole grid with 1 for black and 0 for white. Give

A choir stands in SIZE rows and SIZE columns, and every singer has a song in mind, given here by its number:
GRID Some singers are to sit down, so that all who still stand in a row have different songs in mind, and so
do all who still stand in a column. No two who sit may be next to each other in a row or a column. And
anyone who stands can pass a note to anyone else who stands, through singers who stand, each handing it to a
neighbor in front, behind, to the left or to the right. <Some already know that they will sit (1) or stand
(0); the others are shown as "GAP": GRID |>Answer with 1 for each singer who sits down and 0 for each who
stands. Give

Input: AN SIZE x SIZE matrix A of integers< and a partial 0/1 matrix, where "GAP" is unknown|>. A: GRID
<Partial matrix: GRID |>Output: AN SIZE x SIZE matrix B over {0, 1}< that agrees with the partial matrix
where it is known|>. Rules: no two entries of B that are 1 are horizontally or vertically adjacent; if two
entries of a row or a column of A are equal, B is 1 at one of them at least; the entries of B that are 0 are
connected by horizontal and vertical adjacency. There is exactly one such B. Give
"""
LAST = (
    " the completed grid as SIZE lines of SIZE numbers separated by spaces, with no other marks, "
    "inside <answer></answer> tags, and write nothing after them."
)
TEXTS = [" ".join(text.split()) for text in WORDINGS.split("\n\n")]


class Board(NamedTuple):
    """Cell c of row r is bit r * (size + 1) + c; between two rows one bit is always free."""

    size: int
    every: int
    one: int
    zero: int
    rows: list[int]  # the cells of each number that is twice in a row
    columns: list[int]

    def bits(self, cells: str, sign: str) -> int:
        return sum(1 << at + at // self.size for at, cell in enumerate(cells) if cell == sign)

    def fits(self, one: int, zero: int, skip: str = "") -> bool:
        """No rule is broken yet, but for that of the name `skip`."""
        wide, free = self.size + 1, self.every & ~one
        if one & zero:
            return False
        if skip != "apart" and one & (one << 1 | one << wide):
            return False
        for name, groups in (("rows", self.rows), ("columns", self.columns)):
            if skip != name and any((zero & group).bit_count() > 1 for group in groups):
                return False
        piece, before = zero & -zero, 0
        while piece != before and skip != "joined":
            before = piece
            piece |= (piece << 1 | piece >> 1 | piece << wide | piece >> wide) & free
        return skip == "joined" or not zero & ~piece

    def follow(self, one: int, zero: int, skip: str) -> tuple[int, int]:
        """Known cells, and those that follow from them one by one."""
        wide, before = self.size + 1, (0, 0)
        groups = self.rows * (skip != "rows") + self.columns * (skip != "columns")
        while before != (one, zero) and not one & zero:
            before = one, zero
            zero |= (one << 1 | one >> 1 | one << wide | one >> wide) & self.every
            for group in groups:
                if zero & group:
                    one |= group & ~(zero & group & -(zero & group))
        return one, zero

    def solutions(self, one: int, zero: int, rng: Random, skip: str = "") -> Iterator[int]:
        """Choices of struck cells, in an order at random."""
        before, left = -1, [0]
        while before != one | zero and left:
            before, left = one | zero, []
            for at in range(self.every.bit_length()):
                if (bit := 1 << at) & self.every & ~one & ~zero:
                    on, off = self.follow(one | bit, zero, skip), self.follow(one, zero | bit, skip)
                    if not self.fits(*on, skip):
                        one, zero = off
                    elif not self.fits(*off, skip):
                        one, zero = on
                    else:
                        left.append(bit)
        if not self.fits(one, zero, skip):
            return
        if not left:
            yield one
            return
        bit = rng.choice(left)
        for chosen in rng.sample((True, False), 2):
            yield from self.solutions(one | bit * chosen, zero | bit * (not chosen), rng, skip)


@lru_cache(maxsize=64)
def read(prompt: str) -> Board:
    blocks = r"(?<=\n)(?:[\d._ ]+\n)+"
    numbers, *known = [
        [row.split() for row in block[:-1].split("\n")] for block in re.findall(blocks, prompt)
    ]
    size, cells = len(numbers), "".join("".join(row) for rows in known for row in rows)
    (gap,) = {*cells} - {*"01"} or {"?"}
    said = " ".join(re.sub(blocks, "GRID ", prompt).split())
    texts = [re.sub(r"<([^<>|]*)\|>", r"\1" if known else "", text) + LAST for text in TEXTS]
    article = "an" if size == 8 else "a"
    filled = [text.replace("AN ", f"{article} ").replace("SIZE", str(size)) for text in texts]
    assert said in [text.replace("GAP", gap) for text in filled], prompt
    assert all(len(row) == len(rows) == size for rows in (numbers, *known) for row in rows), prompt
    places = {(r, c): 1 << r * (size + 1) + c for r in range(size) for c in range(size)}
    groups: list[list[int]] = []
    for axis in (0, 1):
        found: dict[tuple[int, int], int] = {}
        for place, bit in places.items():
            key = place[axis], int(numbers[place[0]][place[1]])
            found[key] = found.get(key, 0) | bit
        groups.append([group for group in found.values() if group.bit_count() > 1])
    board = Board(size, sum(places.values()), 0, 0, *groups)
    return board._replace(one=board.bits(cells, "1"), zero=board.bits(cells, "0"))


def judge(prompt: str, answer: str) -> bool:
    board = read(prompt)
    cells = cells_of(answer, board.size)
    if cells is None:
        return False
    one, zero = board.bits(cells, "1"), board.bits(cells, "0")
    return not (board.one & zero or board.zero & one) and board.fits(one, zero)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    board = read(prompt)
    size = board.size
    (right,) = board.solutions(board.one, board.zero, rng)  # Some wordings say that only one fits.

    def rows(one: int) -> list[str]:
        return ["".join("01"[one >> r * (size + 1) + c & 1] for c in range(size)) for r in range(size)]

    lines = rows(right)
    yield from spelled(lines)
    more = [right | 1 << at for at in range(board.every.bit_length()) if 1 << at & board.every & ~right]
    touching = [one for one in more if board.fits(one, board.every & ~one, "apart")]
    yield from (text(rows(one)) for one in rng.sample(touching, min(2, len(touching))))
    for skip in ("rows", "columns", "joined"):
        found = islice(board.solutions(board.one, board.zero, rng, skip), 2)
        yield from (text(rows(one)) for one in found if one != right)
    for at in rng.sample(range(board.every.bit_length()), 6):
        bit = 1 << at & board.every
        yield text(rows(right ^ bit))
        yield text(rows(right ^ bit ^ (right & bit) << rng.choice((1, size + 1))))
        if bit & (board.one | board.zero):
            one, zero = board.one & ~bit | board.zero & bit, board.zero & ~bit | board.one & bit
            yield from (text(rows(other)) for other in islice(board.solutions(one, zero, rng), 1))
    yield from (text(rows(~right)), text(rows(0)), text(rows(board.one)), text(rows(~board.zero)))
    yield from spoiled(lines, rng)
