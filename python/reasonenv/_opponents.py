"""Opponents of a game: the available ones, the fast ones and the default."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from reasonenv._native import Game, InvalidOpponent, Opponent, State, list_opponents

if TYPE_CHECKING:  # it has a class for every family and game, which would slow down the import
    from reasonenv.types import OpponentName

GamePolicy: TypeAlias = Callable[[State], int]
"""Policy for games: takes a copy of the state and returns a legal action."""

STRONGEST_FIRST: "tuple[OpponentName, ...]" = ("minimax", "equilibrium", "heuristic", "random")
"""Fallbacks for the game's default opponent; the first one that the game supports plays."""

SOLVING: "tuple[OpponentName, ...]" = ("minimax", "first_best", "last_best")
"""Opponents that solve positions."""

FAST_PLIES = 24
"""In games of at most this many plies, opponents that solve positions reply at once."""


def made_by_default(game: Game, **dials: Any) -> Opponent:
    """Make the game's `default_opponent` or, if settings need exact values, the strongest one possible.

    Raises:
        InvalidOpponent: The game supports no opponent with these settings; gives the reason for the
            strongest.
    """
    is_exact = dials.get("exact_plies") is not None or not _is_none(dials.get("blunder_prob"))
    for name in STRONGEST_FIRST if is_exact else (game.default_opponent, *STRONGEST_FIRST):
        with suppress(InvalidOpponent):
            return game.opponent(name, **dials)
    return game.opponent(STRONGEST_FIRST[0], **dials)


def _is_none(dial: object) -> bool:
    """True if a probability is 0; the game refuses values that are not numbers."""
    return dial is None or (isinstance(dial, int | float) and not dial)


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
