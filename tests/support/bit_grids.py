"""Grids of 0 and 1 as readers of prompts take them: their text, texts near the right one, and a search."""

import re
from collections.abc import Iterator
from random import Random

Unit = tuple[int, int, int]
"""Cells, as bits from the first one on, and the least and the most ones in them."""


def cells_of(answer: str, size: int) -> str | None:
    """The cells of a square that a text holds, in reading order; None if it isn't one."""
    rows = [line.strip(" ") for line in answer.split("\n") if line.strip(" ")]
    form = re.compile(rf"[01](?: +[01]){{{size - 1}}}")
    if len(rows) != size or not all(map(form.fullmatch, rows)):
        return None
    return "".join(rows).replace(" ", "")


def text(lines: list[str], between: str = " ", end: str = "\n") -> str:
    """The text of a grid whose lines are strings of digits."""
    return end.join(between.join(line) for line in lines)


def lines_of(ones: int, size: int) -> list[str]:
    """The lines of a square whose ones are bits."""
    return ["".join("01"[ones >> size * row + at & 1] for at in range(size)) for row in range(size)]


def spelled(lines: list[str]) -> Iterator[str]:
    """Other spellings of the same grid."""
    yield from (text(lines), text(lines) + "\n", text(lines, "  ", " \n"), f"\n {text(lines)}")
    yield text(lines, " ", " \n\n")


def spoiled(lines: list[str], rng: Random) -> Iterator[str]:
    """Texts near that of the right grid."""
    size, right = len(lines), text(lines)
    for _ in range(4):
        at, r, s = 2 * rng.randrange(size * size), *rng.sample(range(size), 2)
        yield right[:at] + "10"[int(right[at])] + right[at + 1 :]
        yield text([lines[{r: s, s: r}.get(at, at)] for at in range(size)])
        yield text([line[1:] + line[0] if at == r else line for at, line in enumerate(lines)])
    yield from (text(lines[::-1]), text([line[::-1] for line in lines]))
    yield text(["".join(column) for column in zip(*lines, strict=True)])
    yield from (text(lines[1:]), text(lines[:-1]), text([*lines, lines[0]]), right[:-2], right + " 0")
    yield from (text([line[1:] for line in lines]), text([f"{line}0" for line in lines]), "")
    yield from (right.replace("1", "0"), right.replace("0", "1"), f"[{right}]", right + ".")
    yield from map(right.replace, "1100", "*2-.")
    yield from (text(lines, between) for between in ("", ",", ", ", "|"))
    yield from (text(lines, " ", " "), text(lines, " ", ", "))


def bits(cells: int) -> list[int]:
    """Places of the bits that are set."""
    return [at for at in range(cells.bit_length()) if cells >> at & 1]


def grids(units: list[Unit], apart: list[int], rng: Random, ones: int, free: int) -> Iterator[int]:
    """All ways to keep within the limits of every unit, in an order at random.

    Args:
        units: Cells with the least and the most ones in them.
        apart: For each cell, those that hold 0 if it holds 1.
        rng: Source of the order.
        ones: Cells that hold 1.
        free: Cells that are open.
    """
    before = (-1, -1)
    while before != (ones, free):
        before = (ones, free)
        for cells, least, most in units:
            have, room = (ones & cells).bit_count(), (free & cells).bit_count()
            if have > most or have + room < least:
                return
            if have == most:
                free &= ~cells
            elif have + room == least:
                for at in bits(free & cells):
                    if not free >> at & 1:
                        return
                    ones, free = ones | 1 << at, free & ~(1 << at | apart[at])
    lacking = [free & cells for cells, least, _ in units if (ones & cells).bit_count() < least]
    if not lacking:
        yield ones
        return
    at = rng.choice(bits(min(lacking, key=int.bit_count)))
    left, rest = [unit for unit in units if unit[0] & free], free & ~(1 << at)
    yield from grids(left, apart, rng, ones | 1 << at, rest & ~apart[at])
    yield from grids(left, apart, rng, ones, rest)
