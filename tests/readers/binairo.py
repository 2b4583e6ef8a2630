"""Reads binairo: no three equal neighbors, as many 0s as 1s, no equal lines, and the given cells stay."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from random import Random

WORDINGS = """
Solve this binary puzzle. Write 0 or 1 in every empty cell, shown as "GAP", so that no three neighboring
cells in a row or in a column hold the same number, and every row and every column has as many 0s as 1s. No
two rows may be the same, and no two columns. The numbers that are already there must stay. GRID Give

A hall has SIZE rows of SIZE seats. Every seat belongs to a fan of team 0 or of team 1, and each row and
each column has as many fans of one team as of the other. Three fans of the same team never sit side by side
in a row or one behind the other in a column. No two rows are seated alike, and no two columns. Some seats
are known; "GAP" marks one that is not: GRID Find out which team has each seat. Give

A floor of SIZE by SIZE tiles is laid with white tiles, written 0, and black tiles, written 1. Every row and
every column has as many white tiles as black ones, and nowhere do three tiles of one color follow each
other in a row or column. All rows are different, and so are all columns. Some tiles are laid already, and
"GAP" is a gap: GRID Fill the gaps. There is only one way to do it. Give

Input: a SIZE x SIZE grid over {0, 1} in which "GAP" is an unknown cell. GRID Output: the grid with every
unknown cell filled in. Rules: known cells keep their values; no three consecutive cells of a row or column
are equal; each row and each column contains 0 and 1 equally often. The rows are pairwise distinct, and so
are the columns. Give
"""


@lru_cache(maxsize=64)
def problem(prompt: str) -> list[str]:
    """The rows, with "." in the gaps; any sentence that isn't known is an error."""
    (grid,) = re.findall(r"\n\n([01._\n ]+)\n\n", prompt)
    (gap,) = {*grid} - {*"01 \n"}
    rows, size = grid.split("\n"), grid.count("\n") + 1
    assert all(re.fullmatch(rf"[01{gap}](?: [01{gap}]){{{size - 1}}}", row) for row in rows)
    said = " ".join(prompt.split()).replace("Input: an 8 x", "Input: a 8 x")
    form = f" the completed grid as {size} lines of {size} numbers separated by spaces, with no other marks"
    filled_in = WORDINGS.replace("SIZE", str(size)).replace("GAP", gap).replace("GRID", grid)
    assert sum(" ".join(text.split()) + form in said for text in filled_in.split("\n\n")) == 1, prompt
    return [row.replace(" ", "").replace(gap, ".") for row in rows]


def turned(rows: list[str]) -> list[str]:
    return ["".join(column) for column in zip(*rows, strict=True)]


def judge(prompt: str, answer: str) -> bool:
    texts = [line.strip(" ") for line in answer.strip(" \n").split("\n")]
    rows, given = [text.replace(" ", "") for text in texts], problem(prompt)
    if not all(re.fullmatch(r"[01](?: +[01])*", text) for text in texts) or len(rows) != len(given):
        return False
    if not all(map(re.fullmatch, given, rows)):
        return False
    columns = turned(rows)
    if len({*rows}) < len(rows) or len({*columns}) < len(columns):
        return False
    both = rows + columns
    return all(line.count("0") == line.count("1") and not re.search("000|111", line) for line in both)


@lru_cache(maxsize=100_000)
def lines(known: str, calm: bool = True) -> list[str]:
    """The lines with as many 0s as 1s that have the known cells; `calm`: and no three equal neighbors."""
    size = len(known)
    if "0" in known or "1" in known:
        return [line for line in lines("." * size, calm) if re.fullmatch(known, line)]
    every = [f"{bits:0{size}b}" for bits in range(1 << size) if bits.bit_count() * 2 == size]
    return [line for line in every if not (calm and re.search("000|111", line))]


def grids(rows: list[str], rng: Random, apart: bool = True, calm: bool = True) -> Iterator[list[str]]:
    """All grids with the known cells, in an order at random; `apart`: with no equal lines."""
    before: list[str] = []
    while before != rows:
        before = rows
        for _ in range(2):
            fit = [lines(row, calm) for row in rows]
            if apart:
                fit = [[x for x in xs if x not in rows[:at] + rows[at + 1 :]] for at, xs in enumerate(fit)]
            if not all(fit):
                return
            agreed = [[{*cells} for cells in zip(*xs, strict=True)] for xs in fit]
            rows = turned(["".join(c.pop() if len(c) == 1 else "." for c in line) for line in agreed])
    gaps = [at for at, row in enumerate(rows) if "." in row]
    if not gaps:
        yield rows
        return
    at = min(gaps, key=lambda at: len(lines(rows[at], calm)))
    fitting = lines(rows[at], calm)
    for line in rng.sample(fitting, len(fitting)):
        yield from grids([*rows[:at], line, *rows[at + 1 :]], rng, apart, calm)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    given = problem(prompt)
    size = len(given)

    def text(rows: list[str], between: str = " ", end: str = "\n") -> str:
        return end.join(between.join(row) for row in rows)

    def flipped(*cells: tuple[int, int]) -> str:
        changed = [list(row) for row in rows]
        for r, c in cells:
            changed[r][c] = "10"[int(changed[r][c])]
        return text(["".join(row) for row in changed])

    (rows,) = grids(given, rng)  # Only one fits: each puzzle is made so, and one wording says it.
    yield text(rows)
    yield text(rows) + "\n"
    yield text(rows, "  ", " \n")
    for loose in [*islice(grids(given, rng, apart=False), 9), *islice(grids(given, rng, calm=False), 2)]:
        if loose != rows:
            yield text(loose)
    at, c = rng.choice([(r, c) for r, row in enumerate(given) for c, cell in enumerate(row) if cell != "."])
    held = [row[:c] + "10"[int(row[c])] + row[c + 1 :] if r == at else row for r, row in enumerate(given)]
    yield from map(text, islice(grids(held, rng), 1))
    yield flipped((at, c))
    yield text([rng.choice(lines(row)) for row in given])
    for _ in range(2):
        r, s, c, d = *rng.sample(range(size), 2), *rng.sample(range(size), 2)
        yield flipped((r, c))
        yield flipped((r, c), (r, d))
        yield flipped((r, c), (r, d), (s, c), (s, d))
        yield text([rows[{r: s, s: r}.get(at, at)] for at in range(size)])
        yield text([rows[{r: s}.get(at, at)] for at in range(size)])
    yield flipped(*((r, c) for r in range(size) for c in range(size)))
    yield text(turned(rows))
    yield text(rows[::-1])
    yield text(given)
    yield text([row.replace(".", "0") for row in given])
    yield text(rows[:-1])
    yield text([*rows, rows[0]])
    yield text([row[:-1] for row in rows])
    for between in ("", ",", ", ", "|"):
        yield text(rows, between)
    yield text(rows, " ", " ")
    yield text(rows, " ", ", ")
