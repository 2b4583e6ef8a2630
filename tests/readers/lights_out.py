"""Reads lights_out: fewest presses that turn all lamps off, proved with linear algebra over GF(2)."""

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import NamedTuple

# What comes before and after the board; <what it says of gaps|and without them>.
WORDINGS = """
On this board, 1 is a lamp that is on<, 0 is a lamp that is off, and "." is a square without a lamp| and 0 is
a lamp that is off>: BOARD Pressing a lamp changes that lamp and the lamps directly above, below, left and
right of it: those that are on go off, and those that are off go on. Turn all lamps off with as few presses as
possible. The order does not matter, and any shortest solution will do.

My daughter got one of those light-up toys, and we can't get it dark! This is how it looks right now (1 = lit,
0 = dark<, "." = no light there|>): BOARD When you push a light, it flips, and so do the lights right next to
it, up, down, left and right. Which lights do we push to make everything dark? Please use as few pushes as you
can, in whatever order.

cells: BOARD flip(r, c) exchanges 0 and 1 in row r and column c, and in every cell that shares a side with it.
<A cell that holds "." never changes, and flip must not be called on it. |>Write a shortest sequence of calls
after which no cell holds 1. Any order and any shortest sequence is accepted.

Before she goes home, a guard has to make all rooms of a museum dark. On her plan, 1 is a room with the light
on<, 0| and 0> a room that is already dark<, and "." a courtyard, which has no light and no switch|>: BOARD
The switch in a room changes the light there and in the rooms directly north, south, east and west of it, from
on to off or from off to on. North is at the top. She wants to use as few switches as possible, and
the order does not matter. Which ones should she use?

Tokens lie on <some|all> squares of a board, with the black side (1) or the white side (0) up<; "." is an
empty square|>. BOARD A move picks a token and turns over that token and its neighbors, the tokens on the next
squares in the same row or column. Find a smallest set of moves, in any order, after which all tokens show
white.
"""
TEXTS = [" ".join(text.split()) for text in WORDINGS.split("\n\n")]
KNOWN = {
    gaps: {tuple(re.sub(r"<(.*?)\|(.*?)>", rf"\{2 - gaps}", text).split(" BOARD ")) for text in TEXTS}
    for gaps in (False, True)
}
LAST = (
    r"Give the squares to press, each written like r2c3 for row 2 from the top and column 3 from the left, "
    r"separated by commas, inside <answer></answer> tags, and write nothing after them\."
)
PROMPT = re.compile(rf"([^\n]+)\n\n?([01.]+(?:\n[01.]+)+)\n\n([^\n]+)\n{LAST}")
SIDES = ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0))

Square = tuple[int, int]


class Board(NamedTuple):
    """Its lamps by row and column, from 1, and which of them are lit."""

    size: int
    lamps: list[Square]
    lit: int  # bit i is for lamp i


@lru_cache(maxsize=64)
def read(prompt: str) -> Board:
    match = PROMPT.fullmatch(prompt)
    assert match, prompt
    assert (match[1], match[3]) in KNOWN["." in match[2]], prompt
    assert (match[1] == "cells:") == (f"{match[1]}\n{match[2]}" in prompt)
    rows = match[2].split("\n")
    assert all(len(row) == len(rows) for row in rows), prompt
    assert "1" in match[2], prompt
    cells = {(r, c): cell for r, row in enumerate(rows, 1) for c, cell in enumerate(row, 1) if cell != "."}
    return Board(len(rows), [*cells], sum(1 << i for i, cell in enumerate(cells.values()) if cell == "1"))


def effects(board: Board, sides: tuple[Square, ...] = SIDES) -> list[int]:
    """The lamps that each lamp changes when it is pressed."""
    at = {square: i for i, square in enumerate(board.lamps)}
    near = [[at.get((r + down, c + right)) for down, right in sides] for r, c in board.lamps]
    return [sum(1 << i for i in lamps if i is not None) for lamps in near]


def solve(board: Board, sides: tuple[Square, ...] = SIDES) -> tuple[int | None, list[int]]:
    """One set of presses if there is any, and a basis of those that change nothing."""
    pivots: list[tuple[int, int, int]] = []  # the lowest lamp changed, all lamps changed, the presses
    null = []
    for i, own in enumerate(effects(board, sides)):
        changed, presses = own, 1 << i
        for low, lamps, others in pivots:
            if changed & low:
                changed, presses = changed ^ lamps, presses ^ others
        if changed:
            pivots.append((changed & -changed, changed, presses))
        else:
            null.append(presses)
    left, solution = board.lit, 0
    for low, lamps, others in pivots:
        if left & low:
            left, solution = left ^ lamps, solution ^ others
    return (None if left else solution), null


@lru_cache(maxsize=64)
def solutions(prompt: str) -> list[int]:
    """Every set of presses that turns all lamps off, the smallest first."""
    first, null = solve(read(prompt))
    assert first is not None, prompt
    found = [first]
    for presses in null:
        found += [other ^ presses for other in found]
    return sorted(found, key=int.bit_count)


def judge(prompt: str, answer: str) -> bool:
    board = read(prompt)
    names = re.split(r"[ \n]*,[ \n]*", answer.strip(" \n"))
    squares = [re.fullmatch(r"r([1-9]\d*)c([1-9]\d*)", name, re.ASCII) for name in names]
    pressed = [(int(square[1]), int(square[2])) for square in squares if square]
    if len(pressed) < len(names) or not {*pressed} <= {*board.lamps}:
        return False
    left, changes = board.lit, effects(board)
    for square in pressed:
        left ^= changes[board.lamps.index(square)]
    return not left and len(pressed) == solutions(prompt)[0].bit_count()


def answers(prompt: str, rng: Random) -> Iterator[str]:
    board = read(prompt)
    size, lamps = board.size, board.lamps
    everywhere = [(r, c) for r in range(1, size + 1) for c in range(1, size + 1)]

    def squares(presses: int) -> list[Square]:
        return [lamp for i, lamp in enumerate(lamps) if presses >> i & 1]

    def text(pressed: list[Square], between: str = ", ", form: str = "r{}c{}") -> str:
        return between.join(form.format(r, c) for r, c in pressed)

    found = solutions(prompt)
    smallest = [presses for presses in found if presses.bit_count() == found[0].bit_count()]
    best = squares(rng.choice(smallest))
    for between in (", ", ",", ",\n", " , "):
        presses = squares(rng.choice(smallest))
        yield text(rng.sample(presses, len(presses)), between)
        yield text(presses[::-1], between)
    yield f"\n{text(best)} "

    yield from (text(squares(presses)) for presses in rng.sample(found, min(3, len(found))))
    yield text(squares(found[-1]))
    no_self, diagonal = SIDES[1:], tuple((r, c) for r in (-1, 0, 1) for c in (-1, 0, 1))
    for sides in (no_self, diagonal, (*SIDES, *((r * (1 - size), c * (1 - size)) for r, c in SIDES[1:]))):
        other, _ = solve(board, sides)
        if other is not None:
            yield text(squares(other))
    yield text(squares(board.lit))
    yield text(lamps)
    extra, gone = rng.choice(everywhere), rng.randrange(len(best))
    rest = best[:gone] + best[gone + 1 :]
    beside = [(best[gone][0] + down, best[gone][1] + right) for down, right in SIDES[1:]]
    lists = [[*best, extra], [*best, extra, extra], [*best, best[gone]], [*best, *best], [*best] * 3, rest]
    lists += [[*rest, square] for square in beside]
    lists += [[(c, r) for r, c in best], [(r - 1, c - 1) for r, c in best], [*rest, (size + 1, 1)]]
    lists += [[(size + 1 - r, c) for r, c in best], [(r, size + 1 - c) for r, c in best], [*rest, (0, 0)]]
    lists += [[*best, (size + 1, 2)], rng.sample(lamps, len(best))]
    lists += [[square for square in everywhere if square not in best]]
    yield from map(text, lists)
    yield from (text(best, between) for between in (" ", "\n", "; ", ", and ", ",, "))
    yield from (text(best, form=form) for form in ("({}, {})", "{}{}", "c{1}r{0}", "r{}", "flip({}, {})"))
    yield from (f"{text(best)},", f"{text(best)}.", f", {text(best)}", f"{{{text(best)}}}")
    yield from (str(len(best)), "")
