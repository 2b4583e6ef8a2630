"""Opponents that a game can have, and those that reply at once."""

import logging
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from reasonenv._native import Game, InvalidOpponent, State, list_opponents

if TYPE_CHECKING:  # it has a class for every family and game, which would slow down the import
    from reasonenv.types import OpponentName

GamePolicy: TypeAlias = Callable[[State], int]
"""Policy for games: takes a copy of the state and returns a legal action."""

SOLVING: "tuple[OpponentName, ...]" = ("minimax", "first_best", "last_best")
"""Opponents that solve positions."""

SEARCHING = "mcts"
"""The opponent whose replies take as long as its playouts."""

_LOG = logging.getLogger(__name__)

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
    slow = (SEARCHING,) if game.max_plies <= FAST_PLIES else (SEARCHING, *SOLVING)
    return [name for name in available_opponents(game) if name not in slow]


def warn_of_slow(game: Game, opponent: object, exact_plies: int | None) -> None:
    """Log a warning, once per game and opponent, if it searches a long game to its end."""
    if (
        isinstance(opponent, str)
        and opponent in SOLVING
        and exact_plies is None
        and not game.solves_instantly
    ):
        fast = [name for name in fast_opponents(game) if name not in SOLVING]
        _warn(game.name, opponent, " or ".join(f'"{name}"' for name in fast))


@cache
def _warn(game: str, opponent: str, fast: str) -> None:
    _LOG.warning(
        'opponent="%s" searches %s to its end, which may take seconds a move; opponent=%s replies at once, '
        "and exact_plies=12 plays perfectly in the last 12 plies only",
        opponent,
        game,
        fast,
    )
