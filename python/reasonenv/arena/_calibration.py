"""Exact results of reference policies, computed rather than played, to compare results with."""

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from reasonenv import _checks
from reasonenv._native import Game, InvalidArgument
from reasonenv.arena._policies import check_game
from reasonenv.types import OpponentName

LARGEST_SEARCH = 10**12
"""Largest value of `max_positions`."""

Odds: TypeAlias = tuple[float, float, float, float]
"""Probabilities of a win, a draw and a loss, and the mean return."""


def calibration(
    game: Game,
    random_move_probs: Iterable[float] = (1, 0.45, 0.125, 0),
    opponent: OpponentName | None = None,
    *,
    optimality: Literal["wdl", "dtm"] = "dtm",
    max_positions: int | None = None,
) -> dict[float, dict[str, Odds]]:
    """Compute the exact results of reference policies against an opponent with random moves.

    Args:
        game: A game small enough for a search of its whole tree.
        random_move_probs: The opponent's probabilities of a random move, each between 0 and 1.
        opponent: Name of the opponent; by default the game's `default_opponent`.
        optimality: Criterion of the opponent's best moves: "wdl" or "dtm".
        max_positions: Most positions to search for each probability, at least 1; None sets no limit.

    Returns:
        For each probability and each policy (weakest first), the probabilities of a win, a draw and a loss,
        and the mean return, with the policy moving first in half of the games.

    Raises:
        Unsolved: The limit was reached, or the game has no exact values.
        InvalidOpponent: The game does not support this opponent.
        InvalidArgument: A probability or `max_positions` is out of bounds.
    """
    check_game(game)
    if isinstance(random_move_probs, str | Mapping) or not isinstance(random_move_probs, Iterable):
        msg = f"`random_move_probs` is {_checks.shown(random_move_probs)}, but must be several numbers"
        raise InvalidArgument(msg)
    probs = [_checks.number(f"random_move_probs[{i}]", p, 0, 1) for i, p in enumerate(random_move_probs)]
    if max_positions is not None:
        max_positions = _checks.whole("max_positions", max_positions, 1, LARGEST_SEARCH)
    if opponent is not None:
        _checks.text("opponent", opponent)
    _checks.text("optimality", optimality)
    name = opponent or game.default_opponent
    return {
        p: game.calibrate(game.opponent(name, random_move_prob=p, optimality=optimality), max_positions)
        for p in probs
    }
