"""Reads slitherlink: which cells (1) lie inside one closed loop, with counts of the loop's sides at cells."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from random import Random
from typing import NamedTuple

from bit_grids import cells_of, spelled, spoiled, text

WORDINGS = """
Solve this slitherlink puzzle, in which a single closed loop runs along sides of cells, perhaps also at the
edge of the grid. It never crosses or touches itself, not even at a corner. A number says how many of the
four sides of its cell belong to the loop; "-" is a cell without a number. GRID ~Some cells are known to be
inside (1) or outside (0), where "GAP" is unknown: GRID ~Write down for every cell whether it is inside the
loop (1) or outside (0). Give

A farm has SIZE rows of SIZE square fields and one fence, a single closed ring that runs along sides of
fields and perhaps along the border of the farm. It passes no point twice. For some fields it is known how
many of their four sides are fenced ("-" is not known): GRID ~Some fields are known to be inside the ring,
marked 1, or outside, marked 0; "GAP" may be either. GRID ~Only one ring fits. Mark every field inside with
1 and every field outside with 0. Give

Color each cell black (1) or white (0). All around the grid is white, too. A number counts the sides of its
cell at which black meets white, also at the edge of the grid; "-" is no number. GRID ~Some colors are
given, but not those of "GAP": GRID ~There is a black cell. The black cells are connected by sides, and from
each white cell there is a path out of the grid through white cells that share sides. Where four cells meet,
two diagonal ones are never black while the other two are white. Give the coloring. Give

A map of SIZE by SIZE squares, each land or water, shows one island in the sea, which is also all around the
map. Its coast is one closed line that passes no point twice, so there is no lake. For some squares it is
known along how many of their four sides the coast runs; "-" is any other. GRID ~Squares that have been
explored, 1 for land and 0 for water, with "GAP" for the others: GRID ~Draw the map with 1 for land and 0
for water. Give

Input: AN SIZE x SIZE matrix of numbers, "-" where there is none~, and a partial 0/1 matrix, "GAP" where it
is unknown~. Numbers: GRID ~Partial matrix: GRID ~Output: AN SIZE x SIZE matrix over {0, 1}~ that agrees
with the partial matrix where it is known~. Cells beyond the matrix count as 0. Rules: a number equals how
many of its cell's four neighbors (up, down, left, right) differ from the cell; the boundary between cells
with 1 and cells with 0 is one simple closed curve: it is not empty, connected, and passes each lattice
point at most once. Exactly one matrix satisfies this. Give
"""
LAST = (
    " the completed grid as SIZE lines of SIZE numbers separated by spaces, with no other marks, "
    "inside <answer></answer> tags, and write nothing after them."
)
TEXTS = [" ".join(text.split()) + LAST for text in WORDINGS.split("\n\n")]


class Board(NamedTuple):
    """Cell c of row r is bit (r + 1) * (size + 2) + c + 1; the bits around the grid are always outside."""

    size: int
    every: int
    one: int
    zero: int
    numbers: dict[int, int]  # by the bit of the cell

    def bits(self, cells: str, sign: str) -> int:
        wide = self.size + 2
        return sum(
            1 << at + wide + 1 + 2 * (at // self.size) for at, cell in enumerate(cells) if cell == sign
        )

    def joined(self, cells: int, among: int) -> bool:
        """True if `cells` are, or may still be, in one piece of the cells `among`."""
        wide, piece, before = self.size + 2, cells & -cells, 0
        while piece != before and cells & ~piece:
            before = piece
            piece |= (piece << 1 | piece >> 1 | piece << wide | piece >> wide) & among
        return not cells & ~piece

    def fits(self, one: int, zero: int, skip: str | int = "") -> bool:
        """No rule is broken yet, but for that of the name, or the number at the bit, `skip`."""
        wide, around = self.size + 2, ~self.every & (1 << (self.size + 2) ** 2) - 1
        zero |= around
        for bit, number in self.numbers.items():
            near = bit << 1 | bit >> 1 | bit << wide | bit >> wide
            outside, inside = (near & zero).bit_count(), (near & one).bit_count()
            may = (not bit & zero and outside <= number <= 4 - inside) or (
                not bit & one and inside <= number <= 4 - outside
            )
            if not may and bit != skip:
                return False
        for here, there in ((one, zero), (zero, one)):
            if here & here >> (wide + 1) & there >> 1 & there >> wide and skip != "corner":
                return False
        if one | zero == self.every | around and not one:
            return False
        all_in = skip == "pieces" or self.joined(one, self.every & ~zero)
        return all_in and (skip == "holes" or self.joined(zero, (self.every | around) & ~one))

    def solutions(self, one: int, zero: int, rng: Random, skip: str | int = "") -> Iterator[int]:
        """The cells inside, in every way that keeps what is known, in an order at random."""
        before, cells = -1, [1 << at for at in range(self.every.bit_length()) if self.every >> at & 1]
        while before != one | zero:
            before = one | zero
            for bit in cells:
                if not bit & (one | zero):
                    if not self.fits(one | bit, zero, skip):
                        zero |= bit
                    elif not self.fits(one, zero | bit, skip):
                        one |= bit
        if not self.fits(one, zero, skip):
            return
        left = [bit for bit in cells if not bit & (one | zero)]
        if not left:
            yield one
            return
        wide, known = self.size + 2, one | zero
        around = {b: b << 1 | b >> 1 | b << wide | b >> wide | b << wide + 1 | b >> wide + 1 for b in left}
        bit = max(left, key=lambda bit: (around[bit] & known).bit_count())
        for on in rng.sample((True, False), 2):
            yield from self.solutions(one | bit * on, zero | bit * (not on), rng, skip)


@lru_cache(maxsize=64)
def read(prompt: str) -> Board:
    blocks = r"(?<=\n)(?:[\d._-][\d._ -]*\n)+"
    rows = [[row.split(" ") for row in block[:-1].split("\n")] for block in re.findall(blocks, prompt)]
    size = len(rows[0])
    assert all(len(row) == len(grid) == size for grid in rows for row in grid), prompt
    numbers, *partial = ["".join("".join(row) for row in grid) for grid in rows]
    known = "".join(partial)
    (gap,) = {*known} - {*"01"} or {"?"}
    said, article = " ".join(re.sub(blocks, "GRID ", prompt).split()), "an" if size == 8 else "a"
    texts = [re.sub("~(.*?)~", r"\1" if known else "", text) for text in TEXTS]
    filled = [text.replace("AN ", f"{article} ").replace("SIZE", str(size)) for text in texts]
    assert said in [text.replace("GAP", gap) for text in filled], prompt
    assert re.fullmatch("[0-4-]+", numbers), prompt
    board = Board(size, 0, 0, 0, {})
    given = {
        board.bits("_" * at + "x", "x"): int(number) for at, number in enumerate(numbers) if number != "-"
    }
    return Board(size, board.bits("x" * size**2, "x"), board.bits(known, "1"), board.bits(known, "0"), given)


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
        return [
            "".join("01"[one >> (r + 1) * (size + 2) + c & 1] for c in range(1, size + 1))
            for r in range(size)
        ]

    lines = rows(right)
    yield from spelled(lines)
    skips: list[str | int] = ["corner", "pieces", "holes", *rng.sample([*board.numbers], 2)]
    for skip in skips:
        found = islice(board.solutions(board.one, board.zero, rng, skip), 2)
        yield from (text(rows(one)) for one in found if one != right)
    known = [bit for at in range(board.every.bit_length()) if (bit := 1 << at) & (board.one | board.zero)]
    for bit in rng.sample(known, min(2, len(known))):
        one, zero = board.one & ~bit | board.zero & bit, board.zero & ~bit | board.one & bit
        yield from (text(rows(other)) for other in islice(board.solutions(one, zero, rng), 1))
        yield text(rows(right ^ bit))
    for at in rng.sample(range(size + 2, board.every.bit_length()), 6):
        if (bit := 1 << at) & board.every:
            yield text(rows(right ^ bit))
            yield text(rows(right ^ bit ^ bit << rng.choice((1, size + 2))))
    yield from (
        text(rows(~right)),
        text(rows(0)),
        text(rows(-1)),
        text(rows(board.one)),
        text(rows(~board.zero)),
    )
    yield from spoiled(lines, rng)
