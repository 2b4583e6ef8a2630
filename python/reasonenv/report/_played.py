"""Episodes of games: how they ended, beside what reference policies get, computed exactly."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reasonenv._intervals import wilson_interval
from reasonenv._native import Game, ReasonEnvError, game, list_games

_MOST_POSITIONS = 200_000
"""Positions to search for an exact table: about a second's work."""

RESULTS = ("win", "draw", "loss", "cut off")


def is_played(record: Mapping[str, Any]) -> bool:
    """True for an episode of a game, cut off or not."""
    return record["reward"] is not None and not record.get("error") and "winner" in _last_info(record)


@dataclass
class EpisodeCounts:
    """Results of one policy's episodes in one environment."""

    results: Counter[str] = field(default_factory=Counter)
    reward: float = 0.0

    def add(self, record: Mapping[str, Any]) -> None:
        """Count an episode."""
        self.results[_result(record)] += 1
        self.reward += record["reward"]

    @property
    def count(self) -> int:
        """Episodes counted."""
        return self.results.total()

    def share(self, result: str) -> float:
        """Share of the episodes with this result."""
        return self.results[result] / max(1, self.count)

    def interval(self, result: str) -> tuple[float, float]:
        """The 95 % interval of that share."""
        return wilson_interval(self.results[result], self.count)

    @property
    def mean_reward(self) -> float:
        """Mean reward of an episode."""
        return self.reward / max(1, self.count)


def _result(record: Mapping[str, Any]) -> str:
    """Result of an episode, from its last turn."""
    result = _last_info(record).get("result")
    if isinstance(result, int | float):
        return "win" if result > 0 else "loss" if result < 0 else "draw"
    return "cut off"


def _last_info(record: Mapping[str, Any]) -> Mapping[str, Any]:
    turns = record.get("turns")
    last = turns[-1] if isinstance(turns, Sequence) and turns else None
    info = last.get("info") if isinstance(last, Mapping) else None
    return info if isinstance(info, Mapping) else {}


def exact_rows(source: Mapping[str, Any] | None) -> dict[str, tuple[float, float, float]]:
    """Chances of a win, a draw and a loss of reference policies against a source's opponent.

    Empty if the source isn't a game, if the opponent varies, and if the game is too large.
    """
    kwargs = (source or {}).get("kwargs")
    if not isinstance(kwargs, Mapping) or kwargs.get("game") not in list_games():
        return {}
    spread = (
        "min_random_move_prob",
        "max_random_move_prob",
        "blunder_prob",
        "exact_plies",
        "playouts",
        "opening_plies",
    )
    seats = kwargs.get("seat", "random") == "random"
    named = kwargs.get("opponent") is None or isinstance(kwargs["opponent"], str)
    if not (seats and named) or any(kwargs.get(name) for name in spread):
        return {}
    try:
        played: Game = game(kwargs["game"], kwargs.get("params"))
        name = kwargs.get("opponent") or played.default_opponent
        errs = float(kwargs.get("random_move_prob") or 0.0)
        opponent = played.opponent(name, random_move_prob=errs, optimality=kwargs.get("optimality") or "dtm")
        table = played.calibrate(opponent, _MOST_POSITIONS)
    except (ReasonEnvError, TypeError):
        return {}
    return {policy: (win, draw, loss) for policy, (win, draw, loss, _) in table.items()}
