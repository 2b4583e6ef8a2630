"""Rollouts: a policy's completions of a batch of tasks, judged, as records."""

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from reasonenv._checks import shown
from reasonenv._native import Batch, ReasonEnvError, Task, Verdict, __version__
from reasonenv.rollout.policies import Policy
from reasonenv.rollout.run import InvalidRun, Run
from reasonenv.rollout.sources import Reward, Supply
from reasonenv.rollout.stats import group_advantages
from reasonenv.types import ReadingName

__all__ = ["Clock", "Items", "Known", "Trial", "earlier", "version_of"]

_LARGEST_REWARD = 1e100
"""Squares of rewards are summed over a group, which has to stay finite."""

Known: TypeAlias = dict[tuple[str, int], dict[str, Any]]
"""Records of an earlier session, by task id and rollout."""


def earlier(log: Run | None) -> dict[tuple[str, str], Known]:
    """What a run holds already, by source and policy, without the texts.

    Raises:
        InvalidRun: A record is not one of an evaluation; names the line and the field.
    """
    found: dict[tuple[str, str], Known] = {}
    kept = ("reward", "reward_parts", "verifier", "failure_types")
    for number, record in enumerate(log.records() if log is not None else (), 1):
        wrong = _wrong_field(record)
        if log is not None and wrong is not None:
            value = shown(record[wrong]) if wrong in record else "missing"
            msg = (
                f"line {number} of {log.traces_path} is no rollout: `{wrong}` is {value}; "
                "mend it, or name another folder"
            )
            raise InvalidRun(msg)
        known = found.setdefault((record["source"], record["policy"]), {})
        known[record["task_id"], record["rollout"]] = {name: record[name] for name in kept}
    return found


def _wrong_field(record: Mapping[str, Any]) -> str | None:
    """The first field of a record that does not hold what a tally needs."""

    def is_number(value: object) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

    verifier, parts, labels = (record.get(name) for name in ("verifier", "reward_parts", "failure_types"))
    passed, score = (
        verifier.get(name) if isinstance(verifier, dict) else None for name in ("passed", "score")
    )
    holds = {name: isinstance(record.get(name), str) for name in ("task_id", "source", "policy")} | {
        "rollout": type(record.get("rollout")) is int,
        "reward": is_number(record.get("reward")),
        "reward_parts": isinstance(parts, dict) and all(map(is_number, parts.values())),
        "verifier": isinstance(passed, bool) and is_number(score),
        "failure_types": isinstance(labels, list) and all(isinstance(label, str) for label in labels),
    }
    return next((name for name, well in holds.items() if not well), None)


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
        self._facts: list[dict[str, Any]] = []

    def facts(self, i: int) -> dict[str, Any]:
        """The fields of a record that follow from the task alone."""
        if not self._facts:
            tasks, kind = self.tasks, self._supply.family
            prompts = Batch(tasks).prompts
            self._facts = [
                {
                    "task_id": task.id,
                    "source": self._supply.name,
                    "family": kind.name,
                    "domain": kind.domain,
                    "level": task.level,
                    "difficulty": task.difficulty,
                    "split": task.split,
                    "seed": task.seed,
                    "prompt": prompt,
                }
                for task, prompt in zip(tasks, prompts, strict=True)
            ]
        return self._facts[i]


def _judged(
    tasks: Sequence[Task], texts: Sequence[str], reading: ReadingName | None, clock: Clock
) -> Sequence[Verdict]:
    batch = Batch(tasks)
    with clock.timed(len(texts)):
        return batch.verify(texts, reading)


@dataclass(frozen=True)
class Trial:
    """A policy's rollouts over batches of tasks."""

    name: str
    policy: Policy
    rollouts: int
    reading: ReadingName | None
    reward: str | Reward

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
            verdicts = _judged(tasks, texts, self.reading, clock) if missing else []
            for i, task, text, verdict in zip(missing, tasks, texts, verdicts, strict=True):
                record = self._record(items.facts(i), task, text, verdict)
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

    def _record(self, facts: dict[str, Any], task: Task, text: str, verdict: Verdict) -> dict[str, Any]:
        """A trajectory record but for its place in its group."""
        parts, failures = verdict.parts, verdict.failures
        if callable(self.reward):
            reward = _rewarded(task, self.reward(task, text, verdict))
        elif self.reward == "passed":
            reward = float(verdict.passed)
        else:
            reward = verdict.score if self.reward == "score" else parts[self.reward]
        return facts | {
            "text": text,
            "reasoning": _reasoning(text, task.answer_tag, verdict.answer),
            "final_answer": verdict.answer,
            "reward": reward,
            "reward_parts": parts,
            "verifier": {
                "passed": verdict.passed,
                "score": verdict.score,
                "error": verdict.detail or None,
            },
            "failure_type": failures[0] if failures else None,
            "failure_types": list(failures),
            "group_id": task.id,
            "rollout": 0,
            "advantage": 0.0,
            "policy": self.name,
            "policy_version": version_of(self.policy),
            "hint": None,
            "turns": [],
            "process_scores": None,
            "terminated": True,
            "truncated": "truncated" in failures,
            "usage": None,
            "seconds": 0.0,
            "versions": {"reasonenv": __version__, "family": task.version},
        }


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


def _reasoning(text: str, tag: str, answer: str | None) -> str:
    """What stands before the answer's tag; all of the text where no answer was read."""
    return text if answer is None else text.rpartition(f"<{tag}>")[0].rstrip()


def version_of(policy: Policy) -> str | None:
    """A policy's own `version`, if it has one: a model's checkpoint, for instance."""
    version = getattr(policy, "version", None)
    return None if version is None else str(version)
