"""Reads calcudoku: a Latin square in which the numbers of each cage make its target, and the givens stay."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, product
from math import prod
from random import Random

# How each wording shows a target (the space before the last only keeps the keys apart), and the whole text.
WORDINGS = {
    "- {name} ({cells}): {target}": """
Can you help me with a number puzzle? It's {an} {n} by {n} square, and every row and every column has to have
each of the numbers 1 to {n} once. On top of that there are groups of cells, one group for each letter ("a"
and "A" would be two groups):||{map}||This is what the numbers of each group have to come to:||{targets}||
{meaning} The same number twice in a group is fine unless it's the same row or column. Here's what I have so
far, with "{gap}" where nothing is written yet:||{grid}||I'm sure that these numbers are right. What's the
complete square?|
""",
    "{name}: {cells} -> {target}": """
A program stores a Latin square m of order {n}: each row and each column is a permutation of 1 to {n}. Cell
r2c1 means row 2, column 1, counted from 1 at the top left. Known cells, with "{gap}" for an unknown one:||
{grid}||The cells are partitioned into groups, and for each group it is known what its numbers make:||
{targets}||{meaning} Numbers in a group may repeat. Print the square.|
""",
    "{name}: {target}": """
Solve this calcudoku puzzle. Fill a grid of {n} rows and {n} columns with the numbers from 1 to {n}, so that
each row and each column contains every number exactly once. The grid is divided into cages. This map shows a
letter for each cell; the cells with the same letter are one cage, and capital and small letters are
different:||{map}||In each cage the numbers must make its target:||{targets}||{meaning} A number may occur
twice in a cage if the rows and columns allow it. These numbers are given and must stay; "{gap}" is an empty
cell:||{grid}||
""",
    "{name} = {target}": """
Input: {an} {n} x {n} grid in which "{gap}" is an unknown cell, a map of its regions (one letter each;
upper and lower case differ), and a target for each
region.||Grid:|{grid}||Regions:|{map}||Targets:|{targets}||Output:
the grid with every unknown cell filled in.|Rules: known cells keep their values; each row and each column
contains each of 1 to {n} once; the numbers of each region make its target, and may repeat in it. {meaning}|
""",
    " {name}: {target}": """
A mosaic of {n} by {n} tiles has a number from 1 to {n} on each tile. No number occurs twice in a row or in a
column. Each tile belongs to a patch, named by a letter (small and capital letters differ):||{map}||On the
back of each patch the maker wrote what its numbers make:||{targets}||{meaning} Within a patch a number may
be there more than once. Some tiles can still be read, and "{gap}" marks the others:||{grid}||What did the
mosaic look like?|
""",
}
MEANING = {
    "sum": "The sum is all of them added.",
    "product": "The product is all of them multiplied.",
    "difference": "The difference is of two numbers, the larger one minus the smaller one, "
    "wherever they are.",
    "quotient": "The quotient is of two numbers, the larger one divided by the smaller one, "
    "wherever they are, without a remainder.",
    "": "A target without a word is the number of a single cell.",
}
LAST = (
    "Give the completed grid as {n} lines of {n} numbers separated by spaces, with no other marks, "
    "inside <answer></answer> tags, and write nothing after them."
)
TARGET = r"(?m)^(?:- )?([A-Za-z])(?: \(([rc\d, ]+)\))?(?: =|: ([rc\d, ]+) ->|:) (?:([a-z]+) )?(\d+)$"

Cell = tuple[int, int]
Cage = tuple[tuple[Cell, ...], str, int]
Grid = dict[Cell, str]  # each cell with its number, or with all those it may have


@lru_cache(maxsize=64)
def read(prompt: str) -> tuple[int, Grid, list[Cage]]:
    """The size, the cells, and the cages with the words and numbers of their targets."""
    n = int(re.findall(r"as (\d+) lines of \d+ numbers", prompt)[0])
    (gap,) = re.findall(r'"([._0])"', prompt)
    grid, regions = (
        re.findall(rf"(?m)^{one}(?: {one}){{{n - 1}}}$", prompt) for one in (rf"[1-{n}{gap}]", "[A-Za-z]")
    )
    places = [(r, c) for r in range(n) for c in range(n)]
    cages: list[Cage] = []
    shown: dict[str, list[str]] = {form: [] for form in WORDINGS}
    for name, *listed, word, number in re.findall(TARGET, prompt):
        cells = tuple((r, c) for r, c in places if regions and regions[r][2 * c] == name)
        names = re.findall(r"r(\d+)c(\d+)", "".join(listed))
        cells = cells or tuple((int(r) - 1, int(c) - 1) for r, c in names)
        assert word in ("sum", "product") or len(cells) == (2 if word else 1), prompt
        cages.append((cells, word, int(number)))
        named, target = ", ".join(f"r{r + 1}c{c + 1}" for r, c in cells), f"{word} {number}".strip()
        for form, texts in shown.items():
            texts.append(form.strip().format(name=name, cells=named, target=target))
    assert len(grid) == n
    assert sorted(cell for cells, _, _ in cages for cell in cells) == places, prompt
    meaning = " ".join(text for word, text in MEANING.items() if any(cage[1] == word for cage in cages))
    parts = {"grid": "\n".join(grid), "map": "\n".join(regions), "meaning": meaning, "gap": gap}
    texts = []
    for form, wording in WORDINGS.items():
        text = wording.strip("\n").replace("|\n", "|").replace("\n", " ").replace("|", "\n") + LAST
        texts.append(text.format(n=n, an="an" if n == 8 else "a", targets="\n".join(shown[form]), **parts))
    assert prompt in texts, prompt
    every = "".join(map(str, range(1, n + 1)))
    return n, {(r, c): grid[r][2 * c].replace(gap, every) for r, c in places}, cages


def made(word: str, numbers: list[int]) -> int:
    """Result for the numbers; -1 for a quotient with a remainder."""
    if word == "product":
        return prod(numbers)
    if word in ("sum", ""):
        return sum(numbers)
    less, more = sorted(numbers)
    return more - less if word == "difference" else -1 if more % less else more // less


def judge(prompt: str, answer: str) -> bool:
    n, given, cages = read(prompt)
    plain = re.sub(r"\b0+(?=\d)", "", answer.strip(" \n"))  # 07 is 7
    lines = [line.strip(" ") for line in plain.split("\n")]
    if len(lines) != n or not all(re.fullmatch(rf"[1-{n}](?: +[1-{n}]){{{n - 1}}}", line) for line in lines):
        return False
    rows = [line.split() for line in lines]
    if any(len({*line}) < n for line in (*rows, *zip(*rows, strict=True))):
        return False
    if not all(rows[r][c] in may for (r, c), may in given.items()):
        return False
    return all(made(word, [int(rows[r][c]) for r, c in cells]) == number for cells, word, number in cages)


@lru_cache(maxsize=200_000)
def narrowed(cells: tuple[str, ...]) -> tuple[str, ...]:
    """The numbers that each cell of a line has in some way to fill it; empty texts if there is none."""
    if all(len(may) == 1 for may in cells):
        return cells if len({*cells}) == len(cells) else ("",) * len(cells)
    layers: list[set[int]] = [{0}]
    for may in cells:
        layers.append({used | 1 << int(d) for used in layers[-1] for d in may if not used >> int(d) & 1})
    ends, kept = layers[-1], list[str]()
    for may, layer in zip(cells[::-1], layers[-2::-1], strict=True):
        steps = [(end ^ 1 << int(d), d) for end in ends for d in may if end >> int(d) & 1]
        kept.append("".join(sorted({d for start, d in steps if start in layer})))
        ends = {start for start, _ in steps if start in layer}
    return tuple(kept[::-1])


@lru_cache(maxsize=10_000)
def ways_of(cage: Cage, n: int) -> list[str]:
    """All ways to make the target with numbers up to n that differ within a row or column."""
    cells, word, number = cage
    pairs = [(i, j) for i in range(len(cells)) for j in range(i) if sum(map(int.__eq__, cells[i], cells[j]))]
    every = product(range(1, n + 1), repeat=len(cells))
    ways = (way for way in every if all(way[i] != way[j] for i, j in pairs))
    return ["".join(map(str, way)) for way in ways if made(word, [*way]) == number]


@lru_cache(maxsize=200_000)
def caged(cage: Cage, n: int, mays: tuple[str, ...]) -> tuple[str, ...]:
    """The numbers that each cell of a cage has in some way to make its target; empty if there is none."""
    ways = [way for way in ways_of(cage, n) if all(map(str.__contains__, mays, way))]
    return tuple("".join(sorted({*kept})) for kept in zip(*ways, strict=True)) or ("",) * len(mays)


def grids(n: int, grid: Grid, cages: list[Cage], rng: Random) -> Iterator[Grid]:
    """All ways to fill the grid, in an order at random."""
    grid, before = dict(grid), Grid()
    lines = [[(r, c) for c in range(n)] for r in range(n)] + [[(r, c) for r in range(n)] for c in range(n)]
    while grid != before:
        before = dict(grid)
        for cage in cages:
            grid.update(zip(cage[0], caged(cage, n, tuple(grid[cell] for cell in cage[0])), strict=True))
        for line in lines:
            grid.update(zip(line, narrowed(tuple(grid[cell] for cell in line)), strict=True))
        if not all(grid.values()):
            return
    at = min(grid, key=lambda cell: (len(grid[cell]) == 1, len(grid[cell])))
    if len(grid[at]) == 1:
        yield grid
        return
    for number in rng.sample(grid[at], len(grid[at])):
        yield from grids(n, grid | {at: number}, cages, rng)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    n, given, cages = read(prompt)
    (grid,) = grids(n, given, cages, rng)  # only one fits, as the questions suppose

    def table(grid: Grid) -> list[list[str]]:
        return [[grid[r, c] for c in range(n)] for r in range(n)]

    def text(rows: list[list[str]], between: str = " ", end: str = "\n") -> str:
        return end.join(between.join(row) for row in rows)

    rows, every = table(grid), "".join(map(str, range(1, n + 1)))
    for between, end in [(" ", "\n"), ("  ", " \n"), (" ", "\n  "), (" ", " \n")] * 3:
        yield text(rows, between, end)
    yield f"\n{text(rows)}\n"
    for other in islice(grids(n, dict.fromkeys(given, every), cages, rng), 2):  # the known cells may differ
        yield text(table(other))
    for _ in range(3):
        at = rng.randrange(len(cages))
        (cells, word, number), rest = cages[at], cages[:at] + cages[at + 1 :]
        yield from (text(table(other)) for other in islice(grids(n, given, rest, rng), 2))
        for wrong in [(cells, word, number + 1), (cells, word, number - 1), (cells, "sum", number)]:
            yield from (text(table(other)) for other in islice(grids(n, given, [*rest, wrong], rng), 1))
        for way in rng.sample(ways := ways_of(cages[at], n), min(len(ways), 2)):  # most often no Latin square
            yield text(table(grid | dict(zip(cells, way, strict=True))))
        (r, s), a, b = rng.sample(range(n), 2), *rng.sample([*grid], 2)
        swap = {r: s, s: r}
        yield text([rows[swap.get(at, at)] for at in range(n)])
        yield text([[row[swap.get(at, at)] for at in range(n)] for row in rows])
        yield text([[str(swap.get(int(cell) - 1, int(cell) - 1) + 1) for cell in row] for row in rows])
        yield text(table(grid | {a: grid[b], b: grid[a]}))
        yield from (text(table(grid | {a: cell})) for cell in (grid[b], "0", str(n + 1), "-1", "_"))
    others = [[*map(list, zip(*rows, strict=True))], rows[::-1], [row[::-1] for row in rows], rows[:-1]]
    others += [rows[1:], [*rows, rows[0]], [row[:-1] for row in rows], [[*row, row[0]] for row in rows]]
    others += [[[str(n + 1 - int(cell)) for cell in row] for row in rows], rows[1:] + rows[:1]]
    others += [[["." if len(may) > 1 else may for may in row] for row in table(given)]]
    others += [[[chr(0x0660 + int(cell)) for cell in row] for row in rows]]  # Arabic digits
    others += [[[str(int(cell) - 1) for cell in row] for row in rows]]
    yield text(table(next(grids(n, given, [], rng))))  # a Latin square
    yield from map(text, others)
    yield from (text(rows, between) for between in ("", ",", ", ", "|", " 0", " +"))
    yield from (text(rows, " ", " "), text(rows, " ", ", "), f"[{text(rows)}]", f"```\n{text(rows)}\n```", "")
