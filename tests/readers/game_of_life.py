"""Reads game_of_life: the board is developed by the rules, and the answer has to show the same cells."""

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random

Board = list[list[int]]


def problem(prompt: str) -> tuple[Board, int, bool]:
    """The first board, the number of generations, and whether the edges are joined."""
    rows = re.findall(r"^[01.#](?: [01.#])+$", prompt, re.MULTILINE)
    board = [[int(cell in "1#") for cell in row.split()] for row in rows]
    (after,) = re.findall(r"after (\d+) (?:generation|minute|step)", prompt)
    joined = bool(
        re.search(
            "edges of the board are joined|joined edges|wraps around in both|count as touching|modulo", prompt
        )
    )
    bounded = re.search(
        "beyond the edges|permanently dead|doesn't wrap|no other lamps|entries outside the array", prompt
    )
    assert joined != bool(bounded)
    assert f"{len(board)} lines of {len(board[0])} numbers" in prompt
    return board, int(after), joined


def neighbors(board: Board, row: int, column: int, joined: bool) -> int:
    height, width = len(board), len(board[0])
    alive = 0
    for r in range(row - 1, row + 2):
        for c in range(column - 1, column + 2):
            inside = 0 <= r < height and 0 <= c < width
            if (r, c) != (row, column) and (inside or joined):
                alive += board[r % height][c % width]
    return alive


def developed(board: Board, times: int, joined: bool, *, born: str = "3", stays: str = "23") -> Board:
    for _ in range(times):
        board = [
            [
                int(str(neighbors(board, r, c, joined)) in (stays if cell else born))
                for c, cell in enumerate(row)
            ]
            for r, row in enumerate(board)
        ]
    return board


@lru_cache(maxsize=64)
def final(prompt: str) -> Board:
    return developed(*problem(prompt))


def judge(prompt: str, answer: str) -> bool:
    lines = [line.strip(" ") for line in answer.strip(" \n").split("\n")]
    if not all(re.fullmatch(r"[01]( +[01])*", line) for line in lines):
        return False
    return [[int(cell) for cell in line.split()] for line in lines] == final(prompt)


def in_place(board: Board, times: int, joined: bool) -> Board:
    """Wrong result in which each cell already sees the new state of those before it."""
    board = [row[:] for row in board]
    for _ in range(times):
        for r, row in enumerate(board):
            for c, cell in enumerate(row):
                row[c] = int(neighbors(board, r, c, joined) in ((2, 3) if cell else (3,)))
    return board


def answers(prompt: str, rng: Random) -> Iterator[str]:
    board, times, joined = problem(prompt)
    right = final(prompt)

    def text(cells: Board, alive: str = "1", dead: str = "0") -> str:
        return "\n".join(" ".join(alive if cell else dead for cell in row) for row in cells)

    yield text(right)
    yield "\n" + text(right) + "\n"
    yield text(right, "#", ".")
    yield text(board)
    yield text(developed(board, times - 1, joined))
    yield text(developed(board, times + 1, joined))
    yield text(developed(board, times, not joined))
    yield text(developed(board, times, joined, born="36"))
    yield text(developed(board, times, joined, stays="234"))
    yield text(developed(board, times, joined, stays="3"))
    yield text(in_place(board, times, joined))
    for _ in range(2):
        one_off = [row[:] for row in right]
        one_off[rng.randrange(len(right))][rng.randrange(len(right[0]))] ^= 1
        yield text(one_off)
    yield text(right[::-1])
    yield text([row[::-1] for row in right])
    yield text([list(column) for column in zip(*right, strict=True)])
    yield text([[1 - cell for cell in row] for row in right])
    yield text([[0] * len(row) for row in right])
    yield text(right[:-1])
    yield text([*right, right[-1]])
    yield text([row[1:] for row in right])
    yield text([[*row, 0] for row in right])
    yield text([*right[1:], right[0]])
    changed = [row[:] for row in board]
    changed[rng.randrange(len(board))][rng.randrange(len(board[0]))] ^= 1
    yield text(developed(changed, times, joined))
