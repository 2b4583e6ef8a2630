"""Reads kakurasu: the places of the 1s in each line add up to its total, and the given cells stay."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from random import Random

WORDINGS = """
I have a panel of lamps in {h} rows and {w} columns, and I lost the note that said which ones are on. What I
still know is this. A lamp that is on scores its column number for its row, and its row number for its
column (the top row is row 1, the left column is column 1). Lamps that are off score nothing.||Row scores,
from top to bottom: {rows}|Column scores, from left to right: {columns}||Here is the panel: 1 is a lamp that
I know is on, 0 one that I know is off, and "{gap}" one that I don't know.||{grid}||Can you fill in the
whole panel with 1s and 0s? Only one way fits.|

An orchard has {h} rows of {w} plots each. Some plots have a tree (written 1), the others are bare (written
0), and "{gap}" marks a plot that nobody has looked at:||{grid}||In each row the farmer added up the
positions of the trees, where the leftmost plot has position 1, and got these totals from the top row to the
bottom row: {rows}. In each column she added up the positions of the trees, where the topmost plot has
position 1, and got these totals from the leftmost column to the rightmost: {columns}. A line without trees
has the total 0.||Work out what is on every plot.|

A program filled an array a with {h} rows and {w} columns; every entry a[i][j] is 0 or 1, with i and j
counted from 1. Then it printed, for every row i, the sum of j * a[i][j] over all j:||{rows}||and, for every
column j, the sum of i * a[i][j] over all i:||{columns}||Part of the array is known, with "{gap}" for an
unknown entry:||{grid}||Recover the array.|

Solve this kakurasu puzzle with {h} rows and {w} columns. Write 1 in every cell that you choose and 0 in
every other cell.||- The sum of a row is the sum of the column numbers of its chosen cells: a chosen cell in
column 3 counts 3.|- The sum of a column is the sum of the row numbers of its chosen cells: a chosen cell in
row 2 counts 2.|- Rows are numbered from 1 at the top, columns from 1 at the left.||{sums}||Cells that
already show a number must keep it; "{gap}" marks the others:||{grid}||

Input: a grid over {{0, 1}} with {h} rows and {w} columns, in which "{gap}" is an unknown cell.||{grid}||Row
targets (top to bottom): {rows}|Column targets (left to right): {columns}||Output: the grid with every
unknown cell filled in.|Rules: known cells keep their values; in every row, the 1-based column indices of
the 1s add up to the row's target; in every column, the 1-based row indices of the 1s add up to the column's
target.|
"""
LAST = (
    "Give the completed grid as {h} lines of {w} numbers separated by spaces, with no other marks, "
    "inside <answer></answer> tags, and write nothing after them."
)
TEXTS = [text.replace("\n", " ").replace("|", "\n") + LAST for text in WORDINGS.strip().split("\n\n")]


@lru_cache(maxsize=64)
def read(prompt: str) -> tuple[list[str], list[int], list[int]]:
    """The rows, with "." in the gaps, and the totals of the rows and of the columns."""
    h, w = map(int, re.findall(r"as (\d+) lines of (\d+) numbers", prompt)[0])
    (gap,) = re.findall(r'"([._])"', prompt)
    grid = re.findall(rf"(?m)^[01{gap}](?: [01{gap}])+$", prompt)
    lists = ", ".join(re.findall(r"\d+(?:, \d+){2,}", prompt)).split(", ")
    totals = [*map(int, re.findall(r"must be (\d+)\.", prompt) or lists)]
    assert len(grid) == h
    assert {len(row) for row in grid} == {2 * w - 1}
    assert len(totals) == h + w
    names = [f"row {at + 1}" if at < h else f"column {at - h + 1}" for at in range(h + w)]
    parts = {
        "rows": ", ".join(map(str, totals[:h])),
        "columns": ", ".join(map(str, totals[h:])),
        "sums": "\n".join(f"The sum of {a} must be {n}." for a, n in zip(names, totals, strict=True)),
        "grid": "\n".join(grid),
    }
    assert prompt in [text.format(h=h, w=w, gap=gap, **parts) for text in TEXTS], prompt
    return [row.replace(" ", "").replace(gap, ".") for row in grid], totals[:h], totals[h:]


def turned(rows: list[str]) -> list[str]:
    return ["".join(column) for column in zip(*rows, strict=True)]


def total(line: str) -> int:
    return sum(at for at, cell in enumerate(line, 1) if cell == "1")


def fits(known: str, line: str) -> bool:
    return all(cell in (".", other) for cell, other in zip(known, line, strict=True))


def judge(prompt: str, answer: str) -> bool:
    given, across, down = read(prompt)
    plain = re.sub(r"\b0+(?=\d)", "", answer.strip(" \n"))  # 07 is 7
    lines = [line.strip(" ") for line in plain.split("\n")]
    rows = [line.replace(" ", "") for line in lines]
    if [*map(len, rows)] != [*map(len, given)]:
        return False
    if not all(re.fullmatch(r"[01](?: +[01])*", line) for line in lines):
        return False
    right = [total(row) for row in rows] == across and [total(column) for column in turned(rows)] == down
    return right and all(map(fits, given, rows))


@lru_cache(maxsize=100_000)
def lines_of(known: str, wanted: int) -> list[str]:
    """The lines with the total that have the known cells."""
    size = len(known)
    if known != "." * size:
        return [line for line in lines_of("." * size, wanted) if fits(known, line)]
    return [line for bits in range(1 << size) if total(line := f"{bits:0{size}b}") == wanted]


def grids(rows: list[str], across: list[int], down: list[int], rng: Random) -> Iterator[list[str]]:
    """All grids with the known cells and the totals, in an order at random."""
    before: list[str] = []
    while before != rows:
        before = rows
        for totals in (across, down):
            fit = [*map(lines_of, rows, totals)]
            if not all(fit):
                return
            agreed = [[{*cells} for cells in zip(*lines, strict=True)] for lines in fit]
            rows = turned(["".join(c.pop() if len(c) == 1 else "." for c in line) for line in agreed])
    if not any("." in row for row in rows):
        yield rows
        return
    fit = [*map(lines_of, rows, across)]
    at = min((at for at, row in enumerate(rows) if "." in row), key=lambda at: len(fit[at]))
    for line in rng.sample(fit[at], len(fit[at])):
        yield from grids([*rows[:at], line, *rows[at + 1 :]], across, down, rng)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    given, across, down = read(prompt)
    h, w = len(across), len(down)
    (rows,) = grids(given, across, down, rng)  # only one fits, as one wording says

    def text(rows: list[str], between: str = " ", end: str = "\n") -> str:
        return end.join(between.join(row) for row in rows)

    def flipped(*cells: tuple[int, int]) -> list[str]:
        changed = [list(row) for row in rows]
        for r, c in cells:
            changed[r][c] = "10"[int(changed[r][c])]
        return ["".join(row) for row in changed]

    for between, end in [(" ", "\n"), ("  ", " \n"), (" ", "\n  "), (" ", " \n")] * 3:
        yield text(rows, between, end)
    yield f"\n{text(rows)}\n"
    free = (other for other in grids(["." * w] * h, across, down, rng) if other != rows)
    yield from map(text, islice(free, 1))  # only known cells are wrong
    for _ in range(3):
        r, s, c, d = *rng.sample(range(h), 2), *rng.sample(range(w), 2)
        others = [flipped((r, c)), flipped((r, c), (r, d)), flipped((r, c), (r, d), (s, c), (s, d))]
        others.append([*rows[:r], rng.choice(lines_of(given[r], across[r])), *rows[r + 1 :]])
        columns = turned(rows)
        columns[c] = rng.choice(lines_of(turned(given)[c], down[c]))
        others += [turned(columns), [rows[{r: s, s: r}.get(at, at)] for at in range(h)]]
        yield from map(text, others)
    yield text([*map(rng.choice, map(lines_of, given, across))])
    yield text(turned([*map(rng.choice, map(lines_of, turned(given), down))]))
    others = [turned(rows), rows[::-1], given, [row[::-1] for row in rows], rows[:-1], rows[1:]]
    others += [[*rows, rows[0]], [row[:-1] for row in rows], [row + "0" for row in rows], [*rows, "0" * w]]
    others += [[row.replace(".", cell) for row in given] for cell in "01"]
    others.append(flipped(*((r, c) for r in range(h) for c in range(w))))
    others.append(["".join(chr(0x0660 + int(cell)) for cell in row) for row in rows])  # Arabic digits
    yield from map(text, others)
    yield from (text(rows, between) for between in ("", ",", ", ", "|", " 0"))
    yield from (text(rows, " ", " "), text(rows, " ", ", "), text(rows).replace("1", "2"), "")
    yield from (text(rows).replace("0", "."), f"[{text(rows)}]", f"```\n{text(rows)}\n```", f"{text(rows)}.")
