"""Reads nonogram: every row and every column of the picture must have the runs that are given."""

import re
from collections.abc import Iterator
from functools import lru_cache, partial, reduce
from operator import and_, or_
from random import Random

Clues = tuple[tuple[int, ...], ...]


def clues(prompt: str) -> tuple[Clues, Clues]:
    """The runs of the rows and of the columns."""
    matches = partial(re.findall, string=prompt, flags=re.MULTILINE)
    if "row 1:" in prompt:
        found = [matches(rf"^{name} \d+: ([\d ]+|none)$") for name in ("row", "column")]
    elif "rows = [" in prompt:
        found = [re.findall(r"\[([\d, ]*)\]", line) for line in matches(r"^(?:rows|columns) = \[(.*)\]$")]
    elif "Rows (top to bottom): " in prompt:
        found = [line.split("; ") for line in matches(r"^(?:Rows|Columns) \(.*?\): (.*)$")]
    else:
        found = [re.findall(r"\(([\d ]+|none)\)", line) for line in matches(r"^\(.*")]
    rows, columns = (tuple(tuple(map(int, re.findall(r"\d+", runs))) for runs in line) for line in found)
    assert f"{len(rows)} lines of {len(columns)} numbers" in prompt
    return rows, columns


def runs(line: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(len(run) for run in "".join(map(str, line)).split("0") if run)


def judge(prompt: str, answer: str) -> bool:
    lines = [line.strip(" ") for line in answer.strip(" \n").split("\n")]
    if not all(re.fullmatch(r"[01]( +[01])*", line) for line in lines):
        return False
    rows, columns = clues(prompt)
    cells = [tuple(int(cell) for cell in line.split()) for line in lines]
    if len(cells) != len(rows) or any(len(row) != len(columns) for row in cells):
        return False
    return (tuple(map(runs, cells)), tuple(map(runs, zip(*cells, strict=True)))) == (rows, columns)


@lru_cache(maxsize=10_000)
def lines(lengths: tuple[int, ...], size: int) -> list[int]:
    """All lines with these runs, as bits, the first cell lowest."""
    if not lengths:
        return [0]
    first, *rest = lengths
    room = size - sum(rest) - len(rest) - first
    return [
        ((1 << first) - 1) << at | after << (at + first + 1)
        for at in range(room + 1)
        for after in lines(tuple(rest), size - at - first - 1)
    ]


def narrowed(these: list[list[int]], those: list[list[int]]) -> list[list[int]]:
    """The lines of `these` that agree with every cell on which all lines across do."""
    must, may = [reduce(and_, line) for line in those], [reduce(or_, line) for line in those]
    kept = []
    for at, line in enumerate(these):
        on = sum((bits >> at & 1) << i for i, bits in enumerate(must))
        off = sum((1 - (bits >> at & 1)) << i for i, bits in enumerate(may))
        kept.append([bits for bits in line if bits & on == on and not bits & off])
    return kept


def pictures(rows: list[list[int]], columns: list[list[int]]) -> Iterator[list[int]]:
    """All pictures, as a number for each row."""
    while True:
        before = sum(map(len, rows + columns))
        columns = narrowed(columns, rows)
        if not all(columns):
            return
        rows = narrowed(rows, columns)
        if not all(rows):
            return
        if sum(map(len, rows + columns)) == before:
            break
    open_rows = [at for at, line in enumerate(rows) if len(line) > 1]
    if not open_rows:
        yield [line[0] for line in rows]
        return
    at = min(open_rows, key=lambda at: len(rows[at]))
    for line in rows[at]:
        yield from pictures([*rows[:at], [line], *rows[at + 1 :]], columns)


@lru_cache(maxsize=4096)
def solved(rows: Clues, columns: Clues) -> list[list[int]]:
    """Every picture that fits."""
    return [*pictures([lines(row, len(columns)) for row in rows], [lines(c, len(rows)) for c in columns])]


def answers(prompt: str, rng: Random) -> Iterator[str]:
    rows, columns = clues(prompt)
    size = len(columns)

    def text(picture: list[int], between: str = " ", width: int = size) -> str:
        return "\n".join(between.join(str(bits >> at & 1) for at in range(width)) for bits in picture)

    for right in solved(rows, columns):
        yield text(right)
        yield text(right) + "\n"
    by_rows = [rng.choice(lines(row, size)) for row in rows]
    by_columns = [rng.choice(lines(column, len(rows))) for column in columns]
    yield text(by_rows)
    yield text([sum((bits >> at & 1) << c for c, bits in enumerate(by_columns)) for at in range(len(rows))])
    yield text([lines(row, size)[0] for row in rows])
    for _ in range(2):
        at = rng.randrange(len(rows))
        yield text([*right[:at], right[at] ^ 1 << rng.randrange(size), *right[at + 1 :]])
        yield text([*right[:at], by_rows[at], *right[at + 1 :]])
    yield text([sum((bits >> at & 1) << r for r, bits in enumerate(right)) for at in range(size)])
    yield text(right[::-1])
    yield text([~bits for bits in right])
    yield text([*right[1:], right[0]])
    yield text([0] * len(rows))
    yield text(right[:-1])
    yield text([*right, 0])
    yield text(right, " ", size - 1)
    yield text(right, " ", size + 1)
    yield text(right, "")
    yield text(right, ",")
    yield "\n".join(" ".join(map(str, row)) for row in rows)
