"""Reads survo: each number once in the grid, every line adds up to its sum, and the given numbers stay."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, permutations
from random import Random

WORDINGS = """
I dealt {n} cards, numbered from 1 to {n}, into {h} rows and {w} columns on a table and turned some of them
over. Here is what you can see, with "{gap}" for a card that lies face down:||{grid}||The rows add up, from
top to bottom, to {rows}. The columns add up, from left to right, to {columns}. Face-down cards count, too.
Which card is where?|

A club has lockers in {h} rows and {w} columns. There are {n} keys, numbered from 1 to {n}, one for each
locker. For each row, top row first, the caretaker wrote down the sum of its key numbers: {rows}. He did the
same for each column, leftmost column first: {columns}. Then he lost some of the labels. These are still
there, and "{gap}" stands for a lost one:||{grid}||Find the key number of every locker.|

The list [1, 2, ..., {n}] was shuffled and reshaped into a matrix with {h} rows and {w} columns. A program
printed the sums of the rows, from the first to the last:||{rows}||and the sums of the columns, from the
first to the last:||{columns}||Some entries were lost, which the matrix shows as "{gap}":||{grid}||Restore
the matrix. There is only one that fits.|

Solve this Survo puzzle. The grid has {h} rows and {w} columns. Fill in the empty cells, shown as "{gap}", so
that the whole grid contains each of the numbers from 1 to {n} exactly once and every row and every column
has the sum that is given for it. The numbers that are already there must stay.||{grid}||{sums}||

Input: a matrix with {h} rows and {w} columns, in which "{gap}" is an unknown entry.||{grid}||Row sums (top
to bottom): {rows}|Column sums (left to right): {columns}||Output: the matrix with every unknown entry filled
in.|Rules: known entries keep their values; each integer from 1 to {n} occurs exactly once in the matrix;
every row and every column has its sum.|
"""
LAST = (
    "Give the completed grid as {h} lines of {w} numbers separated by spaces, with no other marks, "
    "inside <answer></answer> tags, and write nothing after them."
)
TEXTS = [text.replace("\n", " ").replace("|", "\n") + LAST for text in WORDINGS.strip().split("\n\n")]

Grid = list[list[int]]  # 0 in the gaps


@lru_cache(maxsize=64)
def read(prompt: str) -> tuple[Grid, list[int], list[int]]:
    """The grid, and the sums of the rows and of the columns."""
    h, w = map(int, re.findall(r"as (\d+) lines of (\d+) numbers", prompt)[0])
    (gap,) = re.findall(r'"([._0])"', prompt)
    lines = re.findall(rf"(?m)^ *(?:\d+|[{gap}])(?: +(?:\d+|[{gap}])){{{w - 1}}}$", prompt)
    grid = [[int(cell) if cell != gap else 0 for cell in line.split()] for line in lines]
    totals = [*map(int, re.findall(r"(?m)^Sum of .*: (\d+)$", prompt))]
    totals = totals or [*map(int, ", ".join(re.findall(r"\d+(?:, \d+){2,}", prompt)).split(", "))]
    assert len(grid) == h
    assert len(totals) == h + w
    names = [f"row {at + 1}" if at < h else f"column {at - h + 1}" for at in range(h + w)]
    wide = len(str(max(map(max, grid))))
    parts = {
        "rows": ", ".join(map(str, totals[:h])),
        "columns": ", ".join(map(str, totals[h:])),
        "sums": "\n".join(f"Sum of {name}: {total}" for name, total in zip(names, totals, strict=True)),
        "grid": "\n".join(" ".join(f"{cell or gap:>{wide}}" for cell in row) for row in grid),
    }
    assert prompt in [text.format(h=h, w=w, n=h * w, gap=gap, **parts) for text in TEXTS], prompt
    return grid, totals[:h], totals[h:]


def turned(grid: Grid) -> Grid:
    return [list(column) for column in zip(*grid, strict=True)]


def judge(prompt: str, answer: str) -> bool:
    given, across, down = read(prompt)
    plain = re.sub(r"\b0+(?=\d)", "", answer.strip(" \n"))  # 07 is 7
    lines = [line.strip(" ") for line in plain.split("\n")]
    if not all(re.fullmatch(r"[1-9][0-9]*(?: +[1-9][0-9]*)*", line) for line in lines):
        return False
    rows = [[int(cell) for cell in line.split()] for line in lines]
    if [*map(len, rows)] != [*map(len, given)] or [*map(sum, rows)] != across:
        return False
    each = sorted(cell for row in rows for cell in row) == [*range(1, len(across) * len(down) + 1)]
    stay = all(a in (0, b) for pair in zip(given, rows, strict=True) for a, b in zip(*pair, strict=True))
    return each and stay and [*map(sum, turned(rows))] == down


def grids(grid: Grid, across: list[int], down: list[int]) -> Iterator[Grid]:
    """All grids with the given numbers and the sums; the line with the fewest ways to fill it goes first."""
    free = sorted({*range(1, len(across) * len(down) + 1)} - {cell for row in grid for cell in row})
    lines = []
    for flip, (rows, totals) in enumerate(((grid, across), (turned(grid), down))):
        for at, (row, total) in enumerate(zip(rows, totals, strict=True)):
            gaps, need = row.count(0), total - sum(row)
            if gaps:
                if not sum(free[:gaps]) <= need <= sum(free[-gaps:]) or (gaps == 1 and need not in free):
                    return
                lines.append((gaps, flip, at, need))
            elif need:
                return
    if not lines:
        yield grid
        return
    gaps, flip, at, need = min(lines)
    row = (turned(grid) if flip else grid)[at]
    for first in combinations(free, gaps - 1):
        last = need - sum(first)
        if last in free and last > max(first, default=0):
            for cells in permutations((*first, last)):
                left = iter(cells)
                rows = turned(grid) if flip else grid[:]
                rows[at] = [cell or next(left) for cell in row]
                yield from grids(turned(rows) if flip else rows, across, down)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    given, across, down = read(prompt)
    h, w = len(across), len(down)
    n = h * w
    (rows,) = grids(given, across, down)  # only one fits, as one wording says

    def text(rows: Grid, between: str = " ", end: str = "\n", form: str = "") -> str:
        return end.join(between.join(f"{cell:{form}}" for cell in row) for row in rows)

    def changed(*cells: tuple[int, int, int]) -> str:
        new = [row[:] for row in rows]
        for r, c, cell in cells:
            new[r][c] = cell
        return text(new)

    for between, end, form in [(" ", "\n", ""), ("  ", " \n", ""), (" ", "\n ", ""), (" ", "\n", ">3")] * 3:
        yield text(rows, between, end, form)
    yield f"\n{text(rows)}\n"
    places = [(r, s, c, d) for r, s in combinations(range(h), 2) for c, d in combinations(range(w), 2)]
    for r, s, c, d in rng.sample(places, len(places)):
        e, f, g, i = rows[r][c], rows[r][d], rows[s][c], rows[s][d]
        if e + f == g + i:  # all sums stay right, but at least one given number doesn't
            yield changed((r, c, g), (s, c, e), (r, d, i), (s, d, f))
        if e + g == f + i:
            yield changed((r, c, f), (r, d, e), (s, c, i), (s, d, g))
    for r, s, c, d in rng.sample(places, 3):
        e, f, g, i = rows[r][c], rows[r][d], rows[s][c], rows[s][d]
        yield changed((r, c, e + 1), (r, d, f - 1), (s, c, g - 1), (s, d, i + 1))  # the sums stay right
        yield changed((r, c, f), (r, d, e))
        yield changed((r, c, g), (s, c, e))
        yield changed((r, c, i), (s, d, e))
        yield from (changed((r, c, cell)) for cell in (e + 1, e - 1, 0, n + 1, f, -e))
    gaps = [(r, c) for r in range(h) for c in range(w) if not given[r][c]]
    for _ in range(2):
        for some in (gaps, rng.sample(gaps, 2)):
            cells = rng.sample(some, len(some))
            yield changed(*((r, c, rows[s][d]) for (r, c), (s, d) in zip(some, cells, strict=True)))
    others = [turned(rows), rows[::-1], given, rows[:-1], rows[1:], [*rows, rows[0]], [*rows, down]]
    others += [[row[::-1] for row in rows], [row[:-1] for row in rows], [[*row, sum(row)] for row in rows]]
    others += [[[cell - 1 for cell in row] for row in rows], [[n + 1 - cell for cell in row] for row in rows]]
    yield from map(text, others)
    yield from (text(rows, between) for between in ("", ",", ", ", "|", " + "))
    yield from (text(rows, " ", "\n", form) for form in ("02", "+", ".1f", "x>2"))
    yield from (text(rows, " ", " "), text(rows, " ", ", "), text(given).replace("0", "_"), "")
    yield from (f"[{text(rows)}]", f"```\n{text(rows)}\n```", f"{text(rows)}.", f"Grid:\n{text(rows)}")
    yield "".join(chr(0x0660 + int(cell)) if cell.isdigit() else cell for cell in text(rows))  # Arabic digits
