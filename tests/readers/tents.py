"""Reads tents: each tree has its own tent beside it, no two touch, and the numbers count them."""

import re
from collections.abc import Iterator
from functools import lru_cache, reduce
from itertools import combinations, islice
from operator import or_
from random import Random
from typing import NamedTuple

from bit_grids import Unit, bits, cells_of, grids, lines_of, spelled, spoiled, text

WORDINGS = """
Solve this tents puzzle. The grid has SIZE rows and SIZE columns. "T" is a tree, and "GAP" is a cell that
may or may not hold a tent. [A cell with 1 is known to hold a tent, and a cell with 0 to hold none. ]Trees
and tents form pairs: every tree has exactly one tent of its own, every tent belongs to exactly one tree,
and the two are in cells that share a side. A tent may be beside other trees, too. Two tents never touch,
not even diagonally. The numbers on the left and above say how many tents are in each row and in each
column<; "?" means that the number is unknown>. GRID Write 1 for a tent and 0 for every other cell, trees
included. Give

I run a campsite of SIZE by SIZE plots. Some have a tree (T), the others are free for tents (GAP). [I have
fixed a few: 1 gets a tent, 0 stays empty. ]I have exactly as many guests as trees, and each guest wants a
tree that is his alone and directly left or right of his tent, above or below it. Other trees beside his
tent do not bother him, but neighbors do: no two tents may be on plots that share a side or a corner. For
each row and column I have noted, at its beginning, how many tents it gets<, but where there is a "?" I
cannot read my writing>. GRID Where do they go? Put 1 for a tent and 0 for any other plot. Give

A map of SIZE rows and SIZE columns shows planets as T. Every planet has exactly one moon, in the cell
directly above, below, left or right of it, and every moon belongs to exactly one planet, though it may be
beside others. No cell holds two moons, or a planet and a moon, and the eight cells around a moon are free
of other moons. The number left of a row or above a column counts its moons< ("?" if they were not
counted)>. "GAP" is unexplored[, 1 is a known moon, and 0 is a cell known to have none]. GRID Draw the map
of the moons: 1 for a moon, 0 for everything else. Give

T marks the places of a car park, SIZE rows of SIZE places, in which electric cars are parked. Some of the
other places get one charger each: as many as there are cars, since each car has a charger of its own, right
next to it in its row or in its column. Chargers get hot, so no two may be in neighboring places, not even
diagonally. Before each row and above each column is the number of its chargers<, or "?" if it is not
known>. [A place with 1 has a charger, one with 0 gets none, and nothing|Nothing] is decided about places
with "GAP". GRID Give the only plan, with 1 for a charger and 0 for none. Give

Input: a SIZE x SIZE grid with a number before each row and above each column< ("?": unspecified)>. T is a
tree; "GAP" is an unknown cell[; 0 and 1 are known cells]. GRID Output: a SIZE x SIZE matrix over {0, 1}.
Constraints: [known cells keep their values; ]trees are 0; each row and column has as many ones as its
number says<, if it has one>; no two ones are adjacent horizontally, vertically or diagonally; there is a
bijection between the trees and the ones that maps each tree to a one that is horizontally or vertically
adjacent to it. Give
"""


class Problem(NamedTuple):
    size: int
    rules: list[Unit]
    """As many ones as trees; what the numbers say."""
    fixed: list[Unit]
    apart: list[int]
    """For each cell those that can't be ones beside it."""
    trees: list[int]
    """The cells that share a side with each tree."""
    given: str


@lru_cache(maxsize=64)
def problem(prompt: str) -> Problem:
    """The parts of the prompt; any sentence that isn't known is an error."""
    (grid,) = re.findall(r"(?<=\n\n)   [0-9?].*?(?=\n\n)", prompt, re.DOTALL)
    size = grid.count("\n")
    (gap,) = {*grid} & {*"._"}
    line = rf"\n[0-9?]  [01T{gap}](?: [01T{gap}]){{{size - 1}}}"
    assert re.fullmatch(rf"   [0-9?](?: [0-9?]){{{size - 1}}}(?:{line}){{{size}}}", grid)
    above, *rows = [line.split() for line in grid.split("\n")]
    numbers, known = [row[0] for row in rows] + above, [cell for row in rows for cell in row[1:]]
    ending = f""" the completed grid as {size} lines of {size} numbers separated by spaces, with no other
        marks, inside <answer></answer> tags, and write nothing after them."""
    texts = WORDINGS
    for name, part in {"SIZE": str(size), "GAP": gap, "GRID": grid}.items():
        texts = texts.replace(name, part)
    texts = re.sub(r"<(.*?)>", r"\1" if "?" in numbers else "", texts, flags=re.DOTALL)
    texts = re.sub(r"\[([^|\]]*)\|?(.*?)\]", r"\1" if {*"01"} & {*known} else r"\2", texts)
    said = re.sub(r"\ban (?=8 x|11 x)", "a ", " ".join(prompt.split()))
    assert said in [" ".join((text + ending).split()) for text in texts.strip().split("\n\n")], prompt
    every = range(size * size)
    steps = {a: [(abs(a // size - b // size), abs(a % size - b % size)) for b in every] for a in every}
    apart = [sum(1 << b for b in every if max(steps[a][b]) == 1) for a in every]
    trees = [sum(1 << b for b in every if sum(steps[a][b]) == 1) for a in every if known[a] == "T"]
    lines = [sum(1 << at for at in every if at // size == r) for r in range(size)]
    lines += [sum(1 << at for at in every if at % size == c) for c in range(size)]
    counts = [(cells, int(n), int(n)) for cells, n in zip(lines, numbers, strict=True) if n != "?"]
    fixed = [(1 << at, cell == "1", cell == "1") for at, cell in enumerate(known) if cell != gap]
    rules = [((1 << size * size) - 1, len(trees), len(trees)), *counts]
    return Problem(size, rules, fixed, apart, trees, "\n".join(" ".join(row[1:]) for row in rows))


def paired(ones: int, trees: list[int]) -> bool:
    """Can every tree have a one of its own beside it?"""
    owner: dict[int, int] = {}

    def settled(tree: int, asked: set[int]) -> bool:
        for at in bits(ones & trees[tree]):
            if at not in asked:
                asked.add(at)
                if at not in owner or settled(owner[at], asked):
                    owner[at] = tree
                    return True
        return False

    return all(settled(tree, set()) for tree in range(len(trees)))


def judge(prompt: str, answer: str) -> bool:
    size, rules, fixed, apart, trees, _ = problem(prompt)
    cells = cells_of(answer, size)
    if cells is None:
        return False
    ones = sum(1 << at for at, cell in enumerate(cells) if cell == "1")
    if not all(least <= (ones & cells).bit_count() <= most for cells, least, most in rules + fixed):
        return False
    return paired(ones, trees) and not any(ones & apart[at] for at in bits(ones))


def answers(prompt: str, rng: Random) -> Iterator[str]:
    size, rules, fixed, apart, trees, given = problem(prompt)
    beside = [(cells, 1, 4) for cells in trees]
    groups: list[tuple[int, int]] = []  # Of trees that have cells in common, with as many ones as trees.
    for cells in trees:
        joined = [group for group in groups if group[0] & cells]
        groups = [group for group in groups if group not in joined]
        groups.append((reduce(or_, [near for near, _ in joined], cells), 1 + sum(n for _, n in joined)))
    pairs = beside + [(a | b, 2, 8) for a, b in combinations(trees, 2) if a & b]
    pairs += [(cells, n, n) for cells, n in groups]

    def found(units: list[Unit], apart: list[int] = apart, right: bool = False) -> Iterator[str]:
        ways = grids(units, apart, rng, 0, (1 << size * size) - 1)
        for ones in islice((ones for ones in ways if not right or paired(ones, trees)), 2):
            yield text(lines_of(ones, size))

    (right,) = found(rules + pairs + fixed, right=True)  # Two wordings say that only one fits.
    lines = [line.replace(" ", "") for line in right.split("\n")]
    yield from spelled(lines)
    if size < 8:  # It would take long on larger grids.
        yield from found(rules + fixed)
        yield from found(rules + beside + fixed)
        yield from found(rules + pairs + fixed, [0] * size * size)
    yield from found(rules[:1] + fixed)
    yield from found(rules[:1] + beside + fixed)
    yield from found(pairs + fixed)
    yield from found(pairs + fixed, [0] * size * size)
    yield from found(rules + pairs)
    cell, held, _ = rng.choice(fixed)
    yield from found(rules + pairs + [(cell, 1 - held, 1 - held)])
    yield from found([*rules[:1], (cell, 1 - held, 1 - held)])
    yield from (given, re.sub(r"[^ \n01]", "0", given))
    yield from spoiled(lines, rng)
