"""Reads star battle: so many stars in each row, column and region, none touching; the given cells stay."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from random import Random
from typing import NamedTuple

from bit_grids import Unit, bits, cells_of, grids, lines_of, spelled, spoiled, text

WORDINGS = """
Solve this star battle. Put stars on a grid of SIZE rows and SIZE columns so that every row, every column
and every region has exactly EACH star[s]. No two stars may touch, not even diagonally. Each letter shows
the region of a cell: REGIONS Some cells are known already: 1 is a star, 0 is no star, and "GAP" is a cell
that you have to decide. GRID Write 1 for a star and 0 for a cell without one. Give

A kingdom of SIZE by SIZE squares has SIZE provinces. The map shows each square as the letter of its
province: REGIONS The king had the towers built by three rules. Every row and every column has exactly EACH
tower[s]. Every province has exactly EACH tower[s], too. None of the squares that share a side or a corner
with a tower's square has another tower. Scouts have seen some squares. They wrote 1 for a tower, 0 for
none, and "GAP" for a square that they have not seen: GRID Reconstruct the plan of the towers, with 1 for a
square with a tower and 0 for any other. Give

I need help with my orchard. It has SIZE rows of SIZE plots and is divided into fields, here shown by
letters: REGIONS Every field must get exactly EACH beehive[s], and so must every row and every column of the
orchard. Bees quarrel: two hives must never be in neighboring plots, and plots that meet only at a corner
count as neighbors, too. For some plots I have decided already. They are 1 below if they get a hive and 0 if
they do not; "GAP" is open. GRID Where do the hives go? Mark plots with a hive by 1 and all others by 0.
Give

An astronomer cut a chart of SIZE by SIZE fields into SIZE constellations. Fields with the same letter
belong to the same constellation: REGIONS She noticed that each constellation contains exactly EACH star[s],
and so does each row and each column of the chart. No field with a star has another star in any of the
fields around it, including the diagonal ones. Part of her list has survived, with 1 for a field with a
star, 0 for a field without, and "GAP" where the ink has faded: GRID Give the whole chart, as 1 and 0. It is
the only one that agrees with all this. Give

Input: a SIZE x SIZE matrix of letters, the regions of the cells: REGIONS Known cells (1 or 0; "GAP" is
unknown): GRID Output: a SIZE x SIZE matrix over {0, 1}. Constraints: known cells keep their values; the
ones in each row, in each column and in each region number exactly EACH; no two ones are adjacent
horizontally, vertically or diagonally. Exactly one matrix satisfies all constraints. Give
"""


class Problem(NamedTuple):
    size: int
    rules: list[list[Unit]]
    """Of the rows, the columns and the regions."""
    fixed: list[Unit]
    apart: list[int]
    """For each cell those that can't be ones beside it."""
    given: str


@lru_cache(maxsize=64)
def problem(prompt: str) -> Problem:
    """The parts of the prompt; any sentence that isn't known is an error."""
    regions, given = re.findall(r"(?<=\n\n)([A-Z][A-Z \n]+|[01._][01._ \n]+)(?=\n\n)", prompt)
    (gap,) = {*given} - {*"01 \n"}
    (each,) = {*map(int, re.findall(r"exactly (\d+)", prompt))}
    size = given.count("\n") + 1
    for cells, part in (("[A-Z]", regions), (f"[01{gap}]", given)):
        line = rf"{cells}(?: {cells}){{{size - 1}}}"
        assert re.fullmatch(rf"{line}(?:\n{line}){{{size - 1}}}", part)
    ending = f""" the completed grid as {size} lines of {size} numbers separated by spaces, with no other
        marks, inside <answer></answer> tags, and write nothing after them."""
    texts = WORDINGS.replace("[s]", "s" * (each > 1))
    parts = {"SIZE": size, "GAP": gap, "EACH": each, "REGIONS": regions, "GRID": given}
    for name, part in parts.items():
        texts = texts.replace(name, str(part))
    said = re.sub(r"\ban (?=8 x|11 x)", "a ", " ".join(prompt.split()))
    assert said in [" ".join((text + ending).split()) for text in texts.strip().split("\n\n")], prompt
    letters, known, every = "".join(regions.split()), "".join(given.split()), range(size * size)
    assert len({*letters}) == size
    names = [[at // size for at in every], [at % size for at in every], [*map(ord, letters)]]
    rules = [[(sum(1 << at for at in every if of[at] == n), each, each) for n in {*of}] for of in names]
    fixed = [(1 << at, int(cell), int(cell)) for at, cell in enumerate(known) if cell != gap]
    near = [
        [b for b in every if max(abs(a // size - b // size), abs(a % size - b % size)) == 1] for a in every
    ]
    return Problem(size, rules, fixed, [sum(1 << b for b in others) for others in near], given)


def judge(prompt: str, answer: str) -> bool:
    size, rules, fixed, apart, _ = problem(prompt)
    cells = cells_of(answer, size)
    if cells is None:
        return False
    ones = sum(1 << at for at, cell in enumerate(cells) if cell == "1")
    units = sum(rules, fixed)
    if not all(least <= (ones & cells).bit_count() <= most for cells, least, most in units):
        return False
    return not any(ones & apart[at] for at in bits(ones))


def answers(prompt: str, rng: Random) -> Iterator[str]:
    size, rules, fixed, apart, given = problem(prompt)

    def found(rules: list[list[Unit]], fixed: list[Unit], apart: list[int] = apart) -> Iterator[str]:
        for ones in islice(grids(sum(rules, fixed), apart, rng, 0, (1 << size * size) - 1), 2):
            yield text(lines_of(ones, size))

    (right,) = found(rules, fixed)  # Two wordings say that only one fits.
    lines = [line.replace(" ", "") for line in right.split("\n")]
    yield from spelled(lines)
    yield from found(rules, fixed, [0] * size * size)
    for kind in range(3):
        yield from found(rules[:kind] + rules[kind + 1 :], fixed)
    yield from found(rules, [])
    at = rng.randrange(len(fixed))
    cell, held, _ = fixed[at]
    yield from found(rules, [*fixed[:at], (cell, 1 - held, 1 - held), *fixed[at + 1 :]])
    yield from found(rules, [(cell, 1 - held, 1 - held)])
    yield from (given, re.sub(r"[^ \n01]", "0", given))
    yield from spoiled(lines, rng)
