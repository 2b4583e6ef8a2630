"""Opponents that a game can have, and those that reply at once."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from reasonenv._native import Game, InvalidOpponent, State, list_opponents

if TYPE_CHECKING:  # it has a class for every family and game, which would slow down the import
    from reasonenv.types import OpponentName

GamePolicy: TypeAlias = Callable[[State], int]
"""Policy for games: takes a copy of the state and returns a legal action."""

SOLVING: "tuple[OpponentName, ...]" = ("minimax", "first_best", "last_best")
"""Opponents that solve positions."""

FAST_PLIES = 24
"""In games of at most this many plies, opponents that solve positions reply at once."""


def available_opponents(game: Game) -> "list[OpponentName]":
    """Return the names of the opponents that the game supports without further options."""

    def able(name: "OpponentName") -> bool:
        try:
            game.opponent(name)
        except InvalidOpponent:
            return False
        return True

    return [name for name in list_opponents() if able(name)]


def fast_opponents(game: Game) -> "list[OpponentName]":
    """Return those of `available_opponents` that reply quickly; in long games, none that solves positions."""
    return [name for name in available_opponents(game) if game.max_plies <= FAST_PLIES or name not in SOLVING]
