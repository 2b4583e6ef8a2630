"""Which opponents a game can have, which of them reply at once, and which one is the default."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from reasonenv._native import Game, InvalidOpponent, Opponent, list_opponents

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.types import OpponentName

__all__ = ["available_opponents", "default_opponent", "fast_opponents", "strongest"]

STRONGEST_FIRST: "tuple[OpponentName, ...]" = ("minimax", "equilibrium", "heuristic", "random")
"""The default opponent is the first of these that the game allows."""

SOLVING: "tuple[OpponentName, ...]" = ("minimax", "first_best", "last_best")
"""Opponents that solve positions."""

FAST_PLIES = 24
"""In games of at most this many plies, opponents that solve positions reply at once."""


def strongest(game: Game, **dials: Any) -> Opponent:
    """The first of `STRONGEST_FIRST` that the game allows.

    Raises:
        InvalidOpponent: The game allows none of them with these dials; says why of the first.
    """
    for name in STRONGEST_FIRST:
        with suppress(InvalidOpponent):
            return game.opponent(name, **dials)
    return game.opponent(STRONGEST_FIRST[0], **dials)


def default_opponent(game: Game) -> "OpponentName":
    """Who plays the game best at once: "minimax", where it has none "equilibrium", else "heuristic"."""
    return next(name for name in STRONGEST_FIRST if name in available_opponents(game))


def available_opponents(game: Game) -> "list[OpponentName]":
    """The opponents the game can have without further options, by name."""

    def able(name: "OpponentName") -> bool:
        try:
            game.opponent(name)
        except InvalidOpponent:
            return False
        return True

    return [name for name in list_opponents() if able(name)]


def fast_opponents(game: Game) -> "list[OpponentName]":
    """Of `available_opponents`, those whose games are soon over: in long games none that solves."""
    return [name for name in available_opponents(game) if game.longest <= FAST_PLIES or name not in SOLVING]
