"""Rules of board games that OpenSpiel lacks, written anew in Python and played in lock step at random."""

import random
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import pytest
import reasonenv

Cell = tuple[int, int]


def named(cell: Cell) -> str:
    row, column = cell
    return f"{'abcdefghi'[column]}{row + 1}"


def grid(board: dict[Cell, str]) -> list[str]:
    """The words of the board's text: letters of columns, and every row with its number."""
    rows, columns = (1 + max(cell[way] for cell in board) for way in (0, 1))
    words = list("abcdefghi"[:columns])
    for row in range(rows):
        words += [str(row + 1), *(board[row, column] for column in range(columns))]
    return words


class Twin(Protocol):
    """A game under way."""

    def words(self) -> list[str]:
        """The text, word by word."""

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

    def words(self) -> list[str]:
        return grid(self.board)

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

    def words(self) -> list[str]:
        return [*grid(self.board), "Turns", "left:", "0" if self.lined() else str(self.left)]

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


class Notakto:
    def __init__(self, params: dict[str, Any]) -> None:
        self.boards = params["boards"]
        self.board: dict[Cell, str] = {
            (row, column): "." for row in range(3) for column in range(3 * self.boards)
        }
        self.played = 0

    def closed(self, at: int) -> bool:
        own = [[self.board[row, 3 * at + column] for column in range(3)] for row in range(3)]
        lines = [*own, *map(list, zip(*own, strict=True))]
        lines += [[own[n][n] for n in range(3)], [own[n][2 - n] for n in range(3)]]
        return ["X"] * 3 in lines

    def words(self) -> list[str]:
        shut = {cell: "#" for cell, mark in self.board.items() if mark == "." and self.closed(cell[1] // 3)}
        return grid(self.board | shut)

    def moves(self) -> set[str]:
        free = (cell for cell, mark in self.board.items() if mark == ".")
        return {named(cell) for cell in free if not self.closed(cell[1] // 3)}

    def play(self, move: str) -> None:
        self.board[next(cell for cell in self.board if named(cell) == move)] = "X"
        self.played += 1

    def result(self) -> int:
        return -1 if self.played % 2 else 1


class Chopsticks:
    def __init__(self, params: dict[str, Any]) -> None:
        self.params, self.left = params, params["plies"]
        self.own, self.other = {"left": 1, "right": 1}, {"left": 1, "right": 1}

    def second(self) -> bool:
        return bool((self.params["plies"] - self.left) % 2)

    def words(self) -> list[str]:
        both = (self.other, self.own) if self.second() else (self.own, self.other)
        first, second = (list(map(str, hands.values())) for hands in both)
        words = ["left", "right", "first", *first, "second", *second]
        return [*words, "Turns", "left:", str(self.left)]

    def moves(self) -> set[str]:
        if not self.left or not any(self.own.values()) or not any(self.other.values()):
            return set()
        moves = {f"{a}-{b}" for a in self.own for b in self.other if self.own[a] and self.other[b]}
        if self.params["splits"]:
            before = sorted(self.own.values())
            pairs = [(a, sum(before) - a) for a in range(5)]
            moves |= {f"{a}-{b}" for a, b in pairs if 0 <= b < 5 and sorted((a, b)) != before}
        return moves

    def play(self, move: str) -> None:
        a, b = move.split("-")
        if a in self.own:
            fingers = self.other[b] + self.own[a]
            over = 0 if self.params["overflow"] == "cut_off" else fingers - 5
            self.other[b] = over if fingers >= 5 else fingers
        else:
            self.own = {"left": int(a), "right": int(b)}
        self.own, self.other = self.other, self.own
        self.left -= 1

    def result(self) -> int:
        if any(self.own.values()):
            return 0
        return 1 if self.second() else -1


class Kalah:
    """A ring of both rows and both stores, South's at `pits`."""

    def __init__(self, params: dict[str, Any]) -> None:
        self.pits = params["pits"]
        self.ring = ([params["seeds"]] * self.pits + [0]) * 2
        self.mover = 0

    def row(self, player: int) -> range:
        start = player * (self.pits + 1)
        return range(start, start + self.pits)

    def words(self) -> list[str]:
        numbers = [str(pit + 1) for pit in range(self.pits)]
        south, north = ([str(self.ring[at]) for at in self.row(player)] for player in (0, 1))
        stores = [str(self.ring[-1]), str(self.ring[self.pits])]
        names = ["North's", "pits"], ["South's", "pits"]
        return [*numbers[::-1], *names[0], *north[::-1], *stores, *south, *numbers, *names[1]]

    def moves(self) -> set[str]:
        rows = [[self.ring[at] for at in self.row(player)] for player in (0, 1)]
        if not all(map(any, rows)):
            return set()
        return {str(pit + 1) for pit, seeds in enumerate(rows[self.mover]) if seeds}

    def play(self, move: str) -> None:
        own, other = self.row(self.mover), self.row(1 - self.mover)
        at = own[int(move) - 1]
        seeds, self.ring[at] = self.ring[at], 0
        while seeds:
            at = (at + 1) % len(self.ring)
            if at != other.stop:
                self.ring[at] += 1
                seeds -= 1
        across = 2 * self.pits - at
        if at in own and self.ring[at] == 1 and self.ring[across]:
            self.ring[own.stop] += 1 + self.ring[across]
            self.ring[at] = self.ring[across] = 0
        if at != own.stop:
            self.mover = 1 - self.mover
        if not self.moves():
            for row in (own, other):
                self.ring[row.stop] += sum(self.ring[at] for at in row)
                for pit in row:
                    self.ring[pit] = 0

    def result(self) -> int:
        south, north = self.ring[self.pits], self.ring[-1]
        return int(south > north) - int(south < north)


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
    *(("notakto", Notakto, {"boards": boards}) for boards in (1, 2, 3)),
    *(
        ("chopsticks", Chopsticks, {"overflow": overflow, "splits": splits, "plies": plies})
        for overflow in ("cut_off", "roll_over")
        for splits in (False, True)
        for plies in (10, 60)
    ),
    *(("kalah", Kalah, {"pits": pits, "seeds": seeds}) for pits, seeds in [(1, 6), (2, 4), (3, 3), (6, 6)]),
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
            assert ours.text().split() == theirs.words()
            move = rng.choice(sorted(moves))
            ours.apply(names[move])
            theirs.play(move)
        assert ours.is_over, ours.text()
        assert ours.returns == [theirs.result(), -theirs.result()]
