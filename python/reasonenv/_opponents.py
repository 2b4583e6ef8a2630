"""Which opponents a game can have, which of them reply at once, and which one is the default."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from reasonenv._native import Game, InvalidOpponent, Opponent, State, list_opponents

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.types import OpponentName

GamePolicy: TypeAlias = Callable[[State], int]
"""Takes a copy of the state it is to move in and gives a legal action."""

STRONGEST_FIRST: "tuple[OpponentName, ...]" = ("minimax", "equilibrium", "heuristic", "random")
"""Who plays if nobody is named and the game's own default cannot: the first of these that the game allows."""

SOLVING: "tuple[OpponentName, ...]" = ("minimax", "first_best", "last_best")
"""Opponents that solve positions."""

FAST_PLIES = 24
"""In games of at most this many plies, opponents that solve positions reply at once."""


def made_by_default(game: Game, **dials: Any) -> Opponent:
    """The game's `default_opponent`; where dials need exact values, the strongest that the game allows.

    Raises:
        InvalidOpponent: The game allows nobody with these dials; says why of the strongest.
    """
    is_exact = dials.get("exact_plies") is not None or not _is_none(dials.get("blunder_prob"))
    for name in STRONGEST_FIRST if is_exact else (game.default_opponent, *STRONGEST_FIRST):
        with suppress(InvalidOpponent):
            return game.opponent(name, **dials)
    return game.opponent(STRONGEST_FIRST[0], **dials)


def _is_none(dial: object) -> bool:
    """Whether a probability is left at 0; what is no number is for the game to refuse."""
    return dial is None or (isinstance(dial, int | float) and not dial)


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
    return [name for name in available_opponents(game) if game.max_plies <= FAST_PLIES or name not in SOLVING]
