"""Helpers for tests of rollouts."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import gymnasium
import reasonenv
from reasonenv.rollouts import (
    Rollouts,
)
from reasonenv.rollouts._policies import Noisy

GAME = "reasonenv/TicTacToe-v1"


def plain(result: Rollouts) -> list[dict[str, Any]]:
    """All but the times."""
    return [{name: value for name, value in one.to_dict().items() if name != "seconds"} for one in result]


def text_game(**more: Any) -> Any:
    return lambda: gymnasium.make(GAME, mode="text", **more)


class Counting:
    """Noisy, and counts what it is asked."""

    name = "counting"

    def __init__(self, limit: int = 10**9) -> None:
        self.asked: Counter[tuple[str, int]] = Counter()
        self.limit = limit

    def __call__(self, tasks: Sequence[reasonenv.Task], rollout: int) -> list[str]:
        if self.asked.total() >= self.limit:
            raise KeyboardInterrupt
        self.asked.update((task.id, rollout) for task in tasks)
        return Noisy(0.5)(tasks, rollout)
