"""A policy's rollouts over batches of tasks: asked for, judged, rewarded."""

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from reasonenv._checks import shown
from reasonenv._native import Batch, ReasonEnvError, Task, Verdict, Verdicts
from reasonenv.rewards.groups import advantages as group_advantages
from reasonenv.rewards.weighted import Reward
from reasonenv.rollouts.policies import Policy
from reasonenv.rollouts.records import Known, record_of, task_fields
from reasonenv.rollouts.sources import RewardFunction, Supply, reward_name
from reasonenv.types import ReadingName

__all__ = ["Clock", "Items", "Trial"]

_LARGEST_REWARD = 1e100
"""Squares of rewards are summed over a group, which has to stay finite."""


class Clock:
    """How many things were done in how much time."""

    def __init__(self) -> None:
        self.count = 0
        self.seconds = 0.0

    @contextmanager
    def timed(self, count: int) -> Iterator[int]:
        """Adds what is done within as `count` things."""
        start = time.perf_counter()
        yield count
        self.seconds += time.perf_counter() - start
        self.count += count

    @property
    def rate(self) -> float | None:
        """Things per second; None before any."""
        return self.count / self.seconds if self.seconds > 0 else None


class Items:
    """A batch of tasks with what every record of them repeats."""

    def __init__(self, supply: Supply, tasks: Sequence[Task]) -> None:
        self.tasks = tasks
        self.ids = Batch(tasks).ids
        self._supply = supply
        self._fields: list[dict[str, Any]] = []

    def fields(self, i: int) -> dict[str, Any]:
        """The fields of a record that follow from the task alone."""
        if not self._fields:
            prompts = Batch(self.tasks).prompts
            self._fields = [
                task_fields(task, self._supply.name, prompt)
                for task, prompt in zip(self.tasks, prompts, strict=True)
            ]
        return self._fields[i]


@dataclass(frozen=True)
class Trial:
    """A policy's rollouts over batches of tasks."""

    name: str
    policy: Policy
    rollouts: int
    reading: ReadingName | None
    reward: Reward | RewardFunction

    def judge(
        self, items: Items, known: Known, clock: Clock
    ) -> tuple[list[dict[str, Any]], list[list[dict[str, Any]]]]:
        """Asks for what is not known yet; gives the fresh records, and all of them by group."""
        groups: list[list[dict[str, Any]]] = [[] for _ in items.ids]
        fresh: list[list[dict[str, Any]]] = [[] for _ in items.ids]
        for rollout in range(self.rollouts):
            missing = [i for i, task_id in enumerate(items.ids) if (task_id, rollout) not in known]
            whole = len(missing) == len(items.ids)
            tasks = items.tasks if whole else [items.tasks[i] for i in missing]
            before = time.perf_counter()
            texts = self._completions(tasks, rollout) if missing else []
            seconds = (time.perf_counter() - before) / max(1, len(missing))
            verdicts = _judged(tasks, texts, self.reading, clock)
            for i, task, text, verdict in zip(missing, tasks, texts, verdicts, strict=True):
                record = self._record(items.fields(i), task, text, verdict)
                record |= {"rollout": rollout, "seconds": seconds}
                fresh[i].append(record)
            for i, task_id in enumerate(items.ids):
                groups[i].append(known.get((task_id, rollout)) or fresh[i][-1])
        advantages = group_advantages([[record["reward"] for record in group] for group in groups])
        for of_group, records in zip(advantages.tolist(), fresh, strict=True):
            for record in records:
                record["advantage"] = of_group[record["rollout"]]
        return [record for records in fresh for record in records], groups

    def _completions(self, tasks: Sequence[Task], rollout: int) -> list[str]:
        """What the policy answers. Errors of its own come out as they are."""
        given: Any = self.policy(tasks, rollout)
        if isinstance(given, str | bytes | Mapping | Set) or not isinstance(given, Iterable):
            msg = f"policy `{self.name}` gave {shown(given)}, but must give a sequence of texts, one a task"
            raise ReasonEnvError(msg)
        texts = list(given)
        if len(texts) != len(tasks):
            msg = (
                f"policy `{self.name}` gave {len(texts)} completions for {len(tasks)} tasks, "
                "but must give one for each"
            )
            raise ReasonEnvError(msg)
        for task, text in zip(tasks, texts, strict=True):
            if not isinstance(text, str):
                msg = f"policy `{self.name}` gave {shown(text)} for {task.id}, but must give text"
                raise ReasonEnvError(msg)
        return texts

    def _record(self, fields: dict[str, Any], task: Task, text: str, verdict: Verdict) -> dict[str, Any]:
        """A trajectory record but for its place in its group."""
        if isinstance(self.reward, Reward):
            parts = self.reward.parts_of_one(verdict, text)
        else:
            parts = {reward_name(self.reward): _rewarded(task, self.reward(task, text, verdict))}
        return fields | record_of(task, text, verdict, (self.name, self.policy), parts)


def _judged(
    tasks: Sequence[Task], texts: Sequence[str], reading: ReadingName | None, clock: Clock
) -> Verdicts:
    batch = Batch(tasks)
    with clock.timed(len(texts)):
        return batch.verify(texts, reading)


def _rewarded(task: Task, given: object) -> float:
    """A reward of a caller's own, as a number."""
    try:
        reward = math.nan if isinstance(given, str | bytes) else float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        reward = math.nan
    if not abs(reward) <= _LARGEST_REWARD:
        msg = (
            f"the reward of {task.id} is {shown(given)}, but must be a finite number between "
            f"-{_LARGEST_REWARD:g} and {_LARGEST_REWARD:g}"
        )
        raise ReasonEnvError(msg)
    return reward
