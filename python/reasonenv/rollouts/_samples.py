"""Verified rollouts, and the groups they form."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reasonenv._native import Batch, Task, Verdict
from reasonenv._records import new_record, reasoning_of, task_facts
from reasonenv._trees import SearchTree
from reasonenv.data._mixed import MixedTasks
from reasonenv.data._rows import Row, Rows
from reasonenv.rewards import groups as of_groups
from reasonenv.rewards._parts import FORMAT_FAILURES
from reasonenv.rewards.groups import Sigma
from reasonenv.rollouts._completion import Completion

Tasks: TypeAlias = Batch | Rows | MixedTasks
"""Tasks that are verified together."""


class TaskBatch:
    """A batch of tasks, with the fields that all of their records share.

    Args:
        source: Name of their source in this run.
        tasks: The tasks.
        ids: Ids of the groups; by default the tasks' own.
        rollouts: Number of rollouts of each task, or of all of them.
        hints: Part of each solution shown in its prompt.
        prefixes: Beginning of each completion.
    """

    def __init__(
        self,
        source: str,
        tasks: Sequence[Task] | Rows | MixedTasks,
        rollouts: int | Sequence[int],
        *,
        ids: Sequence[str] | None = None,
        hints: Sequence[str | None] | None = None,
        prefixes: Sequence[str] | None = None,
    ) -> None:
        self.source = source
        self.tasks: Sequence[Any] = tasks
        self.batch: Tasks = tasks if isinstance(tasks, Batch | Rows | MixedTasks) else Batch(tasks)
        self.ids = self.batch.ids if ids is None else list(ids)
        self.rollouts = [rollouts] * len(tasks) if isinstance(rollouts, int) else list(rollouts)
        self.hints = [None] * len(tasks) if hints is None else list(hints)
        self.prefixes = prefixes
        self._facts: list[dict[str, Any]] = []
        self.tags: list[str | None] = []

    def facts(self, i: int) -> dict[str, Any]:
        """Fields of a record that describe a task and its place in the run."""
        if not self._facts:
            tasks: Iterable[Task | Row] = self.batch
            for at, (task, prompt) in enumerate(zip(tasks, self.batch.prompts, strict=True)):
                place = {
                    "source": self.source,
                    "group_id": self.ids[at],
                    "hint": self.hints[at],
                    "prefix": None if self.prefixes is None else self.prefixes[at],
                }
                self._facts.append(task_facts(task, prompt) | place)
                self.tags.append(task.answer_tag)
        return self._facts[i]

    def __len__(self) -> int:
        return len(self.ids)


class Sample:
    """A rollout with its verdict and reward; its record is made on demand."""

    __slots__ = (
        "_made_of",
        "_record",
        "advantage",
        "dropped",
        "error",
        "failures",
        "formed",
        "is_fresh",
        "parts",
        "passed",
        "reward",
        "rollout",
        "score",
        "truncated",
        "usage",
    )

    def __init__(self, rollout: int) -> None:
        self.rollout = rollout
        self.is_fresh = True
        self.dropped = False
        self.advantage: float | None = None
        self.error: str | None = None
        self.reward: float | None = None
        self.passed: bool | None = None
        self.score = 0.0
        self.parts: Mapping[str, float] = {}
        self.failures: Sequence[str] = ()
        self.truncated = False
        self.formed = False
        """True for an answer in the requested form, right or wrong."""
        self.usage: Mapping[str, int] | None = None
        self._record: dict[str, Any] | None = None
        self._made_of: tuple[Any, ...] = ()

    @classmethod
    def judged(
        cls,
        place: tuple[TaskBatch, int, int],
        said: Completion,
        judged: tuple[Verdict, tuple[float, dict[str, float]]] | None,
        policy: tuple[str, str | None],
    ) -> "Sample":
        """Completion of a task, with its verdict and its reward by parts unless the endpoint failed."""
        verdict, (reward, parts) = (None, (None, {})) if judged is None else judged
        items, i, rollout = place
        sample = cls(rollout)
        sample._made_of = (items, i, said, verdict, parts, policy)
        sample.error = said.error
        sample.truncated = said.truncated
        sample.usage = said.usage
        if verdict is not None:
            sample.reward = reward
            sample.passed = verdict.passed
            sample.score = verdict.score
            sample.parts = verdict.parts
            sample.failures = verdict.failures
            sample.formed = is_formed(verdict.failures, respelled=verdict.respelled)
            sample.truncated = said.truncated or "truncated" in sample.failures
        return sample

    @classmethod
    def of_record(cls, record: dict[str, Any], *, fresh: bool) -> "Sample":
        """Rollout from its record: one from an earlier session, or an episode, which is fresh."""
        sample = cls(record["rollout"])
        sample._record = record
        sample.is_fresh = fresh
        sample.error = record.get("error")
        sample.reward = record["reward"]
        sample.advantage = record.get("advantage")
        sample.dropped = bool(record.get("dropped"))
        sample.truncated = bool(record["truncated"])
        sample.usage = record.get("usage")
        verdict = record["verdict"]
        if verdict is not None:
            sample.passed = verdict["passed"]
            sample.score = verdict["score"]
            sample.parts = verdict["parts"]
            sample.failures = verdict["failures"]
            sample.formed = is_formed(sample.failures, respelled=bool(verdict.get("respelled")))
        return sample

    def record(self) -> dict[str, Any]:
        """The rollout as a line of the traces."""
        if self._record is None:
            items, i, said, verdict, parts, (policy, version) = self._made_of
            facts = items.facts(i)
            answer = None if verdict is None else verdict.answer
            self._record = new_record(
                facts,
                {
                    "text": said.text,
                    "reasoning": reasoning_of(said.text, items.tags[i], answer, said.reasoning),
                    "final_answer": answer,
                    "reward": self.reward,
                    "reward_parts": parts,
                    "verdict": None if verdict is None else verdict.to_dict(),
                    "rollout": self.rollout,
                    "policy": policy,
                    "policy_version": version,
                    "turns": [],
                    "terminated": said.error is None,
                    "truncated": self.truncated,
                    "usage": None if said.usage is None else dict(said.usage),
                    "seconds": said.seconds or 0.0,
                    "error": self.error,
                    "note": said.note,
                },
            )
        if self.is_fresh:
            self._record["advantage"] = self.advantage
            self._record["dropped"] = self.dropped
        return self._record


def is_formed(failures: Sequence[str], *, respelled: bool) -> bool:
    """True for a verdict on an answer in the requested form."""
    return FORMAT_FAILURES.isdisjoint(failures) and not respelled


@dataclass
class Group:
    """Rollouts of one policy on one task."""

    id: str
    samples: list[Sample]
    task: Task | Row | None = None
    """None in an environment."""
    tree: SearchTree | None = None
    """The tree that they are paths of, if it isn't saved."""

    @property
    def dropped(self) -> bool:
        """True if dynamic sampling left it out."""
        return any(sample.dropped for sample in self.samples)

    @property
    def has_errors(self) -> bool:
        """True if an endpoint failed to answer one of them."""
        return any(sample.error is not None for sample in self.samples)


def columns(
    groups: Sequence[Group], *, filter_overlong: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Rewards, passes and a mask of valid rollouts, each of shape (n, K); smaller groups are padded."""
    most = max((len(group.samples) for group in groups), default=0)
    rewards = np.zeros((len(groups), most))
    passed = np.zeros((len(groups), most), np.bool_)
    counts = np.zeros((len(groups), most), np.bool_)
    for i, group in enumerate(groups):
        for k, sample in enumerate(group.samples):
            if sample.reward is not None:
                rewards[i, k] = sample.reward
                passed[i, k] = bool(sample.passed)
                counts[i, k] = not (filter_overlong and sample.truncated and not sample.passed)
    return rewards, passed, counts


def give_advantages(groups: Sequence[Group], sigma: Sigma | None, *, filter_overlong: bool) -> None:
    """Give each fresh rollout its advantage, except where its endpoint failed."""
    if not groups:
        return
    rewards, _, counts = columns(groups, filter_overlong=filter_overlong)
    found = of_groups.advantages(rewards, sigma=sigma, mask=counts).tolist()
    for group, row in zip(groups, found, strict=True):
        for sample, advantage in zip(group.samples, row, strict=False):
            if sample.is_fresh:
                sample.advantage = None if sample.reward is None else advantage
