"""Reads nurikabe: islands (0), each with one number that is its size, in a sea (1) that is in one piece."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from random import Random
from typing import NamedTuple

from bit_grids import cells_of, spelled, spoiled, text

WORDINGS = """
Solve this nurikabe puzzle: decide for every cell whether it is land or sea. Land cells that share sides
form an island. Each island contains exactly one number, which is the number of its cells; so two islands
never share a side, but they may touch at a corner. All sea cells are connected by their sides, and no 2 by
2 square is all sea. "-" is a cell without a number. GRID ~Some cells are known (0 for land, 1 for sea, "GAP"
for unknown; cells with a number are land): GRID ~Write 0 for land, also where the numbers are, and 1 for
sea. Give

A garden of SIZE by SIZE plots has flower beds, and all other plots are lawn. Plots with flowers that lie
side by side or one behind the other are one bed. In every bed there is exactly one sign, and it says how
many plots the bed has. This is where the signs are ("-" is a plot without one): GRID ~The gardener remembers
some plots, 0 for flowers and 1 for lawn, but not those marked "GAP": GRID ~The lawn is one piece: without
stepping on flowers one can walk from each lawn plot to every other, always to the next plot in front,
behind, left or right. And nowhere do four lawn plots form a square of 2 by 2. Draw the garden, with 0 for
flowers, signs included, and 1 for lawn. Give

can you solve this one? it's a grid of rooms (white) and walls (black): GRID each number is in a white cell
and says how many white cells are in its group, counting itself. every white group has one number, never
two, never none. groups are connected through sides, not corners. the black cells are all in one group,
through sides, too, and there's never a 2x2 block of black. "-" just means no number, can be either color.
~here's what I have already, it's all correct (0 white, 1 black, "GAP" not done): GRID ~please fill in all of
it with 0 for white (numbers are white!) and 1 for black. Give

An old chart of SIZE by SIZE squares shows the sea with some islands. On each island the cartographer noted,
in one of its squares, how many squares it covers, and he left no island without such a note. Land squares
that share a side are on the same island. A ship can sail from any sea square to any other, moving up, down,
left and right over sea squares. But the sea is narrow: there is land in every block of 2 x 2 squares. The
notes can still be read, and "-" is any other square: GRID ~So can part of the drawing, with 0 for land, 1
for sea and "GAP" where it has faded: GRID ~Redraw the chart with 0 for land, including squares with a note,
and 1 for sea. Give

Input: AN SIZE x SIZE matrix in which "-" is no number~, and a partial 0/1 matrix in which "GAP" is unknown~.
Numbers: GRID ~Partial matrix: GRID ~Output: AN SIZE x SIZE matrix over {0, 1}~ that agrees with the partial
matrix where it is known~. Rules: cells with a number are 0; each connected component of the cells that are 0
contains exactly one cell with a number, and that number is the size of the component; the cells that are 1
form one connected component; no 2 x 2 submatrix of adjacent cells is all 1. Connected means by horizontal
and vertical adjacency. Exactly one matrix satisfies this. Give
"""
LAST = (
    " the completed grid as SIZE lines of SIZE numbers separated by spaces, with no other marks, "
    "inside <answer></answer> tags, and write nothing after them."
)
TEXTS = [" ".join(text.split()) + LAST for text in WORDINGS.split("\n\n")]


class Board(NamedTuple):
    """Cell c of row r is bit r * (size + 1) + c; between two rows one bit is always free."""

    size: int
    every: int
    sea: int
    land: int
    numbers: dict[int, int]  # by the bit of the cell

    def bits(self, cells: str, sign: str) -> int:
        return sum(1 << at + at // self.size for at, cell in enumerate(cells) if cell == sign)

    def grown(self, piece: int, among: int, steps: int = -1) -> int:
        """Cells that can be reached over the cells `among`."""
        wide, before = self.size + 1, 0
        while piece != before and steps:
            before, steps = piece, steps - 1
            piece |= (piece << 1 | piece >> 1 | piece << wide | piece >> wide) & among
        return piece

    def fits(self, sea: int, land: int, skip: str | int = "") -> bool:
        """No rule is broken yet, but for that of the name, or the number at the bit, `skip`."""
        wide, near = self.size + 1, 0
        if skip != "square" and sea & sea >> 1 & sea >> wide & sea >> (wide + 1):
            return False
        if skip != "joined" and sea & ~self.grown(sea & -sea, self.every & ~land):
            return False
        for bit, number in self.numbers.items():
            island = self.grown(bit, land)
            size, taken = island.bit_count(), sum(island & other > 0 for other in self.numbers)
            if skip == bit:
                near |= self.grown(island, self.every & ~sea)
                continue
            if size > number or taken > 1 or not land & bit:
                return False
            rest = land & ~island & sum(self.numbers)
            others = self.grown(rest, land)
            walls = sea | others | others << 1 | others >> 1 | others << wide | others >> wide
            reach = self.grown(island, self.every & ~walls, number - size) if number > size else island
            if reach.bit_count() < number:
                return False
            near |= reach
        return skip == "unnumbered" or not land & ~near

    def solutions(self, sea: int, land: int, rng: Random, skip: str | int = "") -> Iterator[int]:
        """The sea, in every way that keeps what is known, in an order at random."""
        cells = [1 << at for at in range(self.every.bit_length()) if self.every >> at & 1]
        before, left = -1, cells
        while before != sea | land:
            before, left = sea | land, [bit for bit in left if not bit & (sea | land)]
            for bit in left:
                if not self.fits(sea | bit, land, skip):
                    land |= bit
                elif not self.fits(sea, land | bit, skip):
                    sea |= bit
        if not self.fits(sea, land, skip):
            return
        if not left:
            yield sea
            return
        wide, known = self.size + 1, sea | land
        around = {b: b << 1 | b >> 1 | b << wide | b >> wide | b << wide + 1 | b >> wide + 1 for b in left}
        bit = max(left, key=lambda bit: (around[bit] & known).bit_count())
        for on in rng.sample((True, False), 2):
            yield from self.solutions(sea | bit * on, land | bit * (not on), rng, skip)


@lru_cache(maxsize=64)
def read(prompt: str) -> Board:
    blocks = r"(?<=\n)(?:[\d._-][\d._ -]*\n)+"
    rows = [[row.split() for row in block[:-1].split("\n")] for block in re.findall(blocks, prompt)]
    size = len(rows[0])
    assert all(len(row) == len(grid) == size for grid in rows for row in grid), prompt
    numbers, *partial = [[cell for row in grid for cell in row] for grid in rows]
    known = partial[0] if partial else ["?" if cell == "-" else "0" for cell in numbers]
    (gap,) = {*known} - {*"01"}
    said, article = " ".join(re.sub(blocks, "GRID ", prompt).split()), "an" if size == 8 else "a"
    texts = [re.sub("~(.*?)~", r"\1" if partial else "", text) for text in TEXTS]
    filled = [text.replace("AN ", f"{article} ").replace("SIZE", str(size)) for text in texts]
    assert said in [text.replace("GAP", gap) for text in filled], prompt
    board, cells = Board(size, 0, 0, 0, {}), "".join(known)
    given = {1 << at + at // size: int(number) for at, number in enumerate(numbers) if number != "-"}
    every, land = board.bits("x" * size**2, "x"), board.bits(cells, "0")
    assert not sum(given) & ~land, prompt  # All cells with a number are given as land.
    return Board(size, every, board.bits(cells, "1"), land, given)


def judge(prompt: str, answer: str) -> bool:
    board = read(prompt)
    cells = cells_of(answer, board.size)
    if cells is None:
        return False
    sea, land = board.bits(cells, "1"), board.bits(cells, "0")
    return not (board.sea & land or board.land & sea) and board.fits(sea, land)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    board = read(prompt)
    size = board.size
    (right,) = board.solutions(board.sea, board.land, rng)  # Each puzzle is made so, and one wording says it.

    def rows(sea: int) -> list[str]:
        return ["".join("01"[sea >> r * (size + 1) + c & 1] for c in range(size)) for r in range(size)]

    lines = rows(right)
    yield from spelled(lines)
    skips: list[str | int] = ["square", "joined", "unnumbered", *rng.sample([*board.numbers], 2)]
    for skip in skips:
        found = islice(board.solutions(board.sea, board.land, rng, skip), 2)
        yield from (text(rows(sea)) for sea in found if sea != right)
    known = [bit for at in range(board.every.bit_length()) if (bit := 1 << at) & (board.sea | board.land)]
    for bit in rng.sample(known, 2):
        yield text(rows(right ^ bit))
        sea, land = board.sea & ~bit | board.land & bit, board.land & ~bit | board.sea & bit
        yield from (text(rows(other)) for other in islice(board.solutions(sea, land, rng), 1))
    for at in rng.sample(range(board.every.bit_length()), 6):
        if (bit := 1 << at) & board.every:
            yield text(rows(right ^ bit))
            yield text(rows(right ^ bit ^ bit << rng.choice((1, size + 1))))
    yield from (
        text(rows(~right)),
        text(rows(0)),
        text(rows(-1)),
        text(rows(board.sea)),
        text(rows(~board.land)),
    )
    yield from spoiled(lines, rng)
