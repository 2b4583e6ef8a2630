"""Reads kakuro: in each run different digits that add up to its sum; black cells and givens stay."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from random import Random

# How each wording lists a run, and the whole text.
WORDINGS = {
    "{Row} {cells}: {total} boxes": """
A warehouse floor is divided into {h} rows and {w} columns of squares, both counted from 1, starting at the
top left. A 0 is a pillar. On every other square stands a stack of 1 to 9 boxes; "{gap}" means that nobody
has counted that stack:||{grid}||In each stretch of squares listed here no two stacks are equally high, and
the number of boxes in the whole stretch is known:||{across}|{down}||How high is each stack? Write 0 for the
pillars.|
""",
    "{row} {cells}, sum {total}": """
A matrix m has {h} rows and {w} columns, indexed from 1. Its entries are digits from 0 to 9; it is known
which ones are 0, and "{gap}" marks a digit from 1 to 9 that was lost:||{grid}||For each of the following
groups of adjacent entries it is known that its digits are pairwise different and what they add up to:||
{across}|{down}||Restore the matrix. Only one fits.|
""",
    "- {row} {cells}: {total}": """
Solve this kakuro puzzle. The grid has {h} rows and {w} columns; rows are numbered from the top and columns
from the left, starting at 1. A 0 marks a black cell, which stays 0. Every other cell is white: write a digit
from 1 to 9 in each white cell that is shown as "{gap}". Digits that are already there must stay.||{grid}||
The white cells form runs. In each run all digits are different, and they add up to the sum of the run. The
same digit may occur again in another run of the same row or column. These are the runs and their sums:||
{across}|{down}||
""",
    "sum of {row} {cells} = {total}": """
Input: a grid with {h} rows and {w} columns, in which 0 is a blocked cell and "{gap}" is an unknown digit from
1 to 9.||{grid}||Constraints (indices are 1-based and inclusive):||{across}|{down}||Output: the grid with
every unknown digit filled in.|Rules: known digits and blocked cells keep their values; the cells of each
constraint hold pairwise distinct digits from 1 to 9 with that sum. Cells that share no constraint may be
equal.|
""",
    "{Row} {cells}: total {total}": """
I'm stuck on a kakuro. Here is my grid, with 0 for the black squares, which nobody writes in, and "{gap}" for
the squares I haven't filled in yet:||{grid}||Each group of squares below needs different digits from 1 to 9
that add up to its total (rows count from the top, columns from the left, both from 1).||Across:|{across}||
Down:|{down}||Can you finish it for me? Leave the digits that are already there, and keep the 0s.|
""",
}
LAST = (
    "Give the completed grid as {h} lines of {w} numbers separated by spaces, with no other marks, "
    "inside <answer></answer> tags, and write nothing after them."
)
RUN = r"(?im)^.*\b(row|column) (\d+), (?:rows|columns) (\d+) to (\d+)\D+(\d+)"

Grid = dict[tuple[int, int], str]  # each cell with its digit, or with all those it may be
Run = tuple[tuple[tuple[int, int], ...], int]


@lru_cache(maxsize=64)
def read(prompt: str) -> tuple[int, int, Grid, list[Run]]:
    """Height, width, the cells, and each run with its sum."""
    h, w = map(int, re.findall(r"as (\d+) lines of (\d+) numbers", prompt)[0])
    (gap,) = re.findall(r'"([._])"', prompt)
    lines = re.findall(rf"(?m)^[0-9{gap}](?: [0-9{gap}])+$", prompt)
    assert len(lines) == h
    assert {len(line) for line in lines} == {2 * w - 1}
    grid = {(r, c): line[2 * c].replace(gap, "123456789") for r, line in enumerate(lines) for c in range(w)}
    runs: list[Run] = []
    shown: dict[str, list[str]] = {form: [] for form in WORDINGS}
    found = [(kind.lower(), *map(int, numbers)) for kind, *numbers in re.findall(RUN, prompt)]
    for kind, at, first, last, total in found:
        span = range(first - 1, last)
        runs.append((tuple((at - 1, i) if kind == "row" else (i, at - 1) for i in span), total))
        cells = f"{at}, {'columns' if kind == 'row' else 'rows'} {first} to {last}"
        for form, texts in shown.items():
            texts.append(form.format(row=kind, Row=kind.title(), cells=cells, total=total))
    across, texts = sum(kind == "row" for kind, *_ in found), []
    for form, wording in WORDINGS.items():
        text = wording.strip("\n").replace("|\n", "|").replace("\n", " ").replace("|", "\n") + LAST
        lists = {"across": "\n".join(shown[form][:across]), "down": "\n".join(shown[form][across:])}
        texts.append(text.format(h=h, w=w, gap=gap, grid="\n".join(lines), **lists))
    assert prompt in texts, prompt
    # The runs are all stretches of white cells, and all of them have two cells or more.
    rows = ["".join("#" if grid[r, c] == "0" else "." for c in range(w)) for r in range(h)]
    both = (rows, ["".join(column) for column in zip(*rows, strict=True)])
    spans = [(i, m.span()) for side in both for i, line in enumerate(side) for m in re.finditer(r"\.+", line)]
    assert [(at - 1, (first - 1, last)) for _, at, first, last, _ in found] == spans
    assert all(last - first > 1 for _, (first, last) in spans)
    return h, w, grid, runs


def judge(prompt: str, answer: str) -> bool:
    h, w, given, runs = read(prompt)
    plain = re.sub(r"\b0+(?=\d)", "", answer.strip(" \n"))  # 07 is 7
    lines = [line.strip(" ") for line in plain.split("\n")]
    if len(lines) != h or not all(re.fullmatch(rf"[0-9](?: +[0-9]){{{w - 1}}}", line) for line in lines):
        return False
    grid = {(r, c): cell for r, line in enumerate(lines) for c, cell in enumerate(line.split())}
    for cells, total in runs:
        digits = [int(grid[cell]) for cell in cells]
        if sum(digits) != total or len({*digits}) < len(digits):
            return False
    return all(grid[cell] in may for cell, may in given.items())


@lru_cache(maxsize=100_000)
def narrowed(cells: tuple[str, ...], total: int) -> tuple[str, ...]:
    """The digits that each cell of a run has in some way to fill it; empty texts if there is none."""
    layers: list[set[frozenset[str]]] = [{frozenset()}]
    for may in cells:
        layers.append({used | {digit} for used in layers[-1] for digit in may if digit not in used})
    ends = {used for used in layers[-1] if sum(map(int, used)) == total}
    kept = []
    for may, layer in zip(cells[::-1], layers[-2::-1], strict=True):
        steps = [(end - {d}, d) for end in ends for d in may if d in end and end - {d} in layer]
        kept.append("".join(sorted({digit for _, digit in steps})))
        ends = {start for start, _ in steps}
    return tuple(kept[::-1])


def grids(grid: Grid, runs: list[Run], rng: Random) -> Iterator[Grid]:
    """All ways to fill the grid, in an order at random."""
    grid, before = dict(grid), Grid()
    while grid != before:
        before = dict(grid)
        for cells, total in runs:
            grid.update(zip(cells, narrowed(tuple(grid[cell] for cell in cells), total), strict=True))
    if not all(grid.values()):
        return
    at = min(grid, key=lambda cell: (len(grid[cell]) == 1, len(grid[cell])))
    if len(grid[at]) == 1:
        yield grid
        return
    for digit in rng.sample(grid[at], len(grid[at])):
        yield from grids(grid | {at: digit}, runs, rng)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    h, w, given, runs = read(prompt)
    (grid,) = grids(given, runs, rng)  # only one fits, as one wording says

    def table(grid: Grid) -> list[list[str]]:
        return [[grid[r, c] for c in range(w)] for r in range(h)]

    def text(rows: list[list[str]], between: str = " ", end: str = "\n") -> str:
        return end.join(between.join(row) for row in rows)

    def changed(*cells: tuple[tuple[int, int], int]) -> str:
        return text(table(grid | {cell: str(int(grid[cell]) + step) for cell, step in cells}))

    rows = table(grid)
    for between, end in [(" ", "\n"), ("  ", " \n"), (" ", "\n  "), (" ", " \n")] * 3:
        yield text(rows, between, end)
    yield f"\n{text(rows)}\n"
    white = sorted(cell for cell in given if given[cell] != "0")
    known = [cell for cell in white if len(given[cell]) == 1]
    empty = {cell: may if may == "0" else "123456789" for cell, may in given.items()}
    for other in islice(grids(empty, runs, rng), 2):  # the known digits may differ
        yield text(table(other))
    corners = [(a, b) for a in white for b in white if a[0] < b[0] and a[1] < b[1]]
    for (r, c), (s, d) in rng.sample(corners, min(len(corners), 5)):
        if (r, d) in white and (s, c) in white:  # most often the sums stay right
            step = rng.choice([-1, 1])
            yield changed(((r, c), step), ((r, d), -step), ((s, c), -step), ((s, d), step))
    for _ in range(3):
        cells, total = rng.choice(runs)
        a, b = rng.sample(cells, 2)
        yield changed((a, 1), (b, -1))
        yield text(table(grid | {a: grid[b], b: grid[a]}))
        yield text(table(grid | {a: grid[b]}))
        yield text(table(grid | {rng.choice(known or white): rng.choice("123456789")}))
        for wrong in (total + 1, total - 1):
            near = [(run, wrong if run == cells else right) for run, right in runs]
            yield from (text(table(other)) for other in islice(grids(given, near, rng), 1))
        yield from (changed((a, step)) for step in (1, -1, 10))
        yield text(table(grid | {a: "0"}))
    for cell in [cell for cell in given if given[cell] == "0"][:2]:
        yield from (text(table(grid | {cell: mark})) for mark in "159.#_X")
    columns = [list(column) for column in zip(*rows, strict=True)]
    others = [columns, rows[::-1], [row[::-1] for row in rows], rows[:-1], rows[1:], [*rows, rows[0]]]
    others += [[row[:-1] for row in rows], [[*row, "0"] for row in rows], [*rows, ["0"] * w]]
    others += [[[{"0": "0"}.get(cell, str(10 - int(cell))) for cell in row] for row in rows]]
    others += [[["." if len(may) > 1 else may for may in row] for row in table(given)]]
    others += [[[may[:1] for may in row] for row in table(given)]]
    others += [[[chr(0x0660 + int(cell)) for cell in row] for row in rows]]  # Arabic digits
    yield from map(text, others)
    yield from (text(rows, between) for between in ("", ",", ", ", "|", " 0", " +"))
    yield from (text(rows, " ", " "), text(rows, " ", ", "), f"[{text(rows)}]", f"```\n{text(rows)}\n```", "")
