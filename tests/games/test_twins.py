"""Rules of board games that OpenSpiel lacks, written anew in Python and played in lock step at random."""

import random
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import pytest
import reasonenv

Cell = tuple[int, int]


def named(cell: Cell) -> str:
    row, column = cell
    return f"{'abcdefgh'[column]}{row + 1}"


class Twin(Protocol):
    """A game under way."""

    board: dict[Cell, str]

    def moves(self) -> set[str]:
        """Names of the legal moves; empty at the end."""

    def play(self, move: str) -> None: ...

    def result(self) -> int:
        """Return of player 0."""


class Domineering:
    def __init__(self, params: dict[str, Any]) -> None:
        rows, columns = params["rows"], params["columns"]
        self.board: dict[Cell, str] = {(row, column): "." for row in range(rows) for column in range(columns)}
        self.mover = 0

    def dominoes(self) -> Iterator[tuple[Cell, Cell]]:
        for row, column in self.board:
            other = (row + 1, column) if self.mover == 0 else (row, column + 1)
            if self.board[row, column] == self.board.get(other) == ".":
                yield (row, column), other

    def moves(self) -> set[str]:
        return {named(first) for first, _ in self.dominoes()}

    def play(self, move: str) -> None:
        both = next(both for both in self.dominoes() if named(both[0]) == move)
        self.board.update(dict.fromkeys(both, "VH"[self.mover]))
        self.mover = 1 - self.mover

    def result(self) -> int:
        return -1 if self.mover == 0 else 1


class ThreeMensMorris:
    def __init__(self, params: dict[str, Any]) -> None:
        self.board: dict[Cell, str] = {(row, column): "." for row in range(3) for column in range(3)}
        self.steps, self.left, self.played = params["steps"], params["plies"], 0

    def own(self) -> list[Cell]:
        return [cell for cell, mark in self.board.items() if mark == "XO"[self.played % 2]]

    def reaches(self, start: Cell, end: Cell) -> bool:
        apart = sorted(abs(a - b) for a, b in zip(start, end, strict=True))
        near = {"orthogonal": apart == [0, 1], "king": apart[1] == 1, "anywhere": True}
        return near[self.steps]

    def free(self) -> list[Cell]:
        return [cell for cell, mark in self.board.items() if mark == "."]

    def possible(self) -> set[str]:
        if self.played < 6:
            return set(map(named, self.free()))
        return {
            f"{named(start)}-{named(end)}"
            for start in self.own()
            for end in self.free()
            if self.reaches(start, end)
        }

    def lined(self) -> bool:
        """True if the player who has just moved has three in a row."""
        rows = [[(at, n) for n in range(3)] for at in range(3)]
        lines = [*rows, *([(b, a) for a, b in row] for row in rows)]
        lines += [[(n, n) for n in range(3)], [(n, 2 - n) for n in range(3)]]
        mark = "XO"[(self.played + 1) % 2]
        return any(all(self.board[cell] == mark for cell in line) for line in lines)

    def moves(self) -> set[str]:
        return set() if self.lined() or not self.left else self.possible()

    def play(self, move: str) -> None:
        *start, end = move.split("-")
        cells = {named(cell): cell for cell in self.board}
        for cell in start:
            self.board[cells[cell]] = "."
        self.board[cells[end]] = "XO"[self.played % 2]
        self.played += 1
        self.left -= 1

    def result(self) -> int:
        if not self.lined() and self.possible():
            return 0
        return 1 if self.played % 2 else -1


TWINS: list[tuple[str, Callable[[dict[str, Any]], Twin], dict[str, Any]]] = [
    *(
        ("domineering", Domineering, {"rows": rows, "columns": columns})
        for rows, columns in [(4, 4), (1, 2), (3, 5), (8, 8)]
    ),
    *(
        ("three_mens_morris", ThreeMensMorris, {"steps": steps, "plies": plies})
        for steps in ("orthogonal", "king", "anywhere")
        for plies in (10, 60)
    ),
]


@pytest.mark.parametrize(("name", "twin", "params"), TWINS, ids=str)
def test_random_play_is_the_same_in_the_twin(
    name: str, twin: Callable[[dict[str, Any]], Twin], params: dict[str, Any]
) -> None:
    rng = random.Random(0)
    game = reasonenv.game(name, params)
    for seed in range(150):
        ours, theirs = game.start(seed), twin(params)
        while moves := theirs.moves():
            names = {game.action_name(action): action for action in ours.legal_actions()}
            assert set(names) == moves, ours.text()
            rows = [line.split()[1:] for line in ours.text().splitlines()[1:] if line[:1].isdigit()]
            cells = {(row, at): mark for row, line in enumerate(rows) for at, mark in enumerate(line)}
            assert cells == theirs.board
            move = rng.choice(sorted(moves))
            ours.apply(names[move])
            theirs.play(move)
        assert ours.is_over, ours.text()
        assert ours.returns == [theirs.result(), -theirs.result()]
