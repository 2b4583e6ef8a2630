"""A policy's rollouts over batches of tasks: answered, verified and rewarded."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from reasonenv._checks import shown
from reasonenv._native import Batch, InvalidArgument, ReasonEnvError, Task, Verdict
from reasonenv.data._mixed import MixedTasks
from reasonenv.data._rows import Row, Rows
from reasonenv.rewards._weighted import Reward
from reasonenv.rollouts._asking import Answerer, Pump, as_completion, asked
from reasonenv.rollouts._completion import Completion, Context
from reasonenv.rollouts._past import Past
from reasonenv.rollouts._policies import needs_family, takes_tasks, version_of
from reasonenv.rollouts._samples import Group, Sample, TaskBatch, Tasks
from reasonenv.rollouts._sources import CompletionReward, reward_name
from reasonenv.types import ReadingName

_LARGEST_REWARD = 1e100
"""Rewards are squared and summed over a group, and the sum must stay finite."""

KeepPending: TypeAlias = Callable[[list[dict[str, Any]]], None]
"""Saves answers in incomplete groups."""


class Clock:
    """Number of things done, and the time they took."""

    def __init__(self) -> None:
        self.count = 0
        self.seconds = 0.0

    @contextmanager
    def timed(self, count: int) -> Iterator[int]:
        """Count and time the work within as `count` things."""
        start = time.perf_counter()
        yield count
        self.seconds += time.perf_counter() - start
        self.count += count

    @property
    def rate(self) -> float | None:
        """Things per second; None before the first."""
        return self.count / self.seconds if self.seconds > 0 else None


@dataclass(frozen=True)
class Trial:
    """A policy, with the settings for verifying and rewarding its answers."""

    who: Answerer
    reading: ReadingName | None
    reward: Reward | CompletionReward
    concurrency: int
    hold: KeepPending | None

    def sample(self, items: TaskBatch, past: Past, clock: Clock, tell: Callable[[int], None]) -> list[Group]:
        """Every group of a batch: known from an earlier session, or answered and verified now."""
        found: list[dict[int, Sample]] = [{} for _ in items.ids]
        missing: list[tuple[int, int]] = []
        said: list[Completion] = []
        given: list[tuple[int, int]] = []
        for i, named in enumerate(items.ids):
            for rollout in range(items.rollouts[i]):
                if record := past.known.get((named, rollout)):
                    found[i][rollout] = Sample.of_record(record, fresh=False)
                elif answer := past.held.get((named, rollout)):
                    if record := answer.get("record"):
                        found[i][rollout] = Sample.of_record(record, fresh=True)
                    else:
                        given.append((i, rollout))
                        said.append(Completion.from_dict(answer["completion"]))
                else:
                    missing.append((i, rollout))
        tell(len(given) + sum(map(len, found)))
        hold = self.hold if max(items.rollouts, default=1) > 1 or self.who.pump is not None else None

        def done(pairs: Sequence[tuple[int, int]], answers: Sequence[Completion]) -> None:
            if hold is not None:
                # A failed request is not held, so that the next session repeats it.
                came = [pair for pair in zip(pairs, answers, strict=True) if pair[1].error is None]
                hold([self._answer(items, *pair, answer) for pair, answer in came])
            given.extend(pairs)
            said.extend(answers)
            tell(len(pairs))

        if self.who.pump is not None:
            self._ask_each(self.who.pump, items, missing, done)
        else:
            self._ask_batches(items, missing, done)
        order = sorted(range(len(given)), key=given.__getitem__)
        given, said = [given[at] for at in order], [said[at] for at in order]
        for (i, _), sample in zip(given, self._judged(items, given, said, clock), strict=True):
            found[i][sample.rollout] = sample
        return [
            Group(named, [of[rollout] for rollout in range(count)], task)
            for named, of, count, task in zip(items.ids, found, items.rollouts, items.tasks, strict=True)
        ]

    def _answer(self, items: TaskBatch, i: int, rollout: int, said: Completion) -> dict[str, Any]:
        """An answer as a line of `pending.jsonl`."""
        place = {
            "source": items.source,
            "policy": self.who.name,
            "group_id": items.ids[i],
            "rollout": rollout,
        }
        return place | {"completion": said.to_dict()}

    def _ask_batches(
        self,
        items: TaskBatch,
        missing: Sequence[tuple[int, int]],
        done: Callable[[Sequence[tuple[int, int]], Sequence[Completion]], None],
    ) -> None:
        """Ask a callable for all tasks of the batch at once, one rollout at a time."""
        if isinstance(items.batch, Rows | MixedTasks) and needs_family(self.who.policy):
            msg = (
                f"policy `{self.who.name}` answers as a family's tasks are answered, and {items.source} has "
                "rows; name `oracle`, `echo`, `empty`, a model, or give a callable"
            )
            raise InvalidArgument(msg)
        by_rollout: dict[int, list[int]] = {}
        for i, rollout in missing:
            by_rollout.setdefault(rollout, []).append(i)
        for rollout, chosen in sorted(by_rollout.items()):
            requests: Sequence[Any]
            if items.prefixes is None or takes_tasks(self.who.policy):
                requests = items.tasks if len(chosen) == len(items) else _tasks(items, chosen)
            else:
                requests = [_context(items, i) for i in chosen]
            ids = [items.ids[i] for i in chosen]
            answers = asked(self.who, requests, rollout, ids)
            done([(i, rollout) for i in chosen], answers)

    def _ask_each(
        self,
        pump: Pump,
        items: TaskBatch,
        missing: Sequence[tuple[int, int]],
        done: Callable[[Sequence[tuple[int, int]], Sequence[Completion]], None],
    ) -> None:
        """Ask a coroutine function for one rollout at a time, with many requests in parallel."""

        async def ask(i: int, rollout: int) -> Completion:
            before = time.perf_counter()
            answer = await self.who.policy(_context(items, i), rollout)
            return as_completion(self.who.name, answer, items.ids[i], time.perf_counter() - before)

        work = [lambda pair=pair: ask(*pair) for pair in missing]
        pump.each(work, self.concurrency, lambda at, answer: done([missing[at]], [answer]))

    def _judged(
        self, items: TaskBatch, pairs: Sequence[tuple[int, int]], said: Sequence[Completion], clock: Clock
    ) -> Iterator[Sample]:
        """Completions as rollouts; failed requests are not verified."""
        policy = self.who.name, version_of(self.who.policy)
        fine = [at for at, one in enumerate(said) if one.error is None]
        texts = [said[at].text for at in fine]
        if items.prefixes is not None:
            texts = [items.prefixes[pairs[at][0]] + text for at, text in zip(fine, texts, strict=True)]
            said = list(said)
            for at, text in zip(fine, texts, strict=True):
                said[at] = _with_text(said[at], text)
        tasks = _tasks(items, [pairs[at][0] for at in fine])
        with clock.timed(len(texts)):
            verdicts = tasks.verify(texts, self.reading) if isinstance(tasks, Batch) else tasks.verify(texts)
        rewards: Iterator[tuple[float, dict[str, float]]]
        if isinstance(self.reward, Reward):
            lengths = _token_counts(self.who.name, self.reward, [said[at] for at in fine])
            parts = self.reward.parts(verdicts, texts, lengths=lengths)
            total = sum(parts.values(), np.zeros(len(texts))).tolist()
            rows = zip(*(column.tolist() for column in parts.values()), strict=True)
            rewards = zip(total, (dict(zip(parts, row, strict=True)) for row in rows), strict=True)
        else:
            rewards = map(self._own_reward, tasks, texts, verdicts)
        results = zip(verdicts, rewards, strict=True)
        for (i, rollout), one in zip(pairs, said, strict=True):
            judged = None if one.error is not None else next(results)
            yield Sample.judged((items, i, rollout), one, judged, policy)

    def _own_reward(self, task: Task | Row, text: str, verdict: Verdict) -> tuple[float, dict[str, float]]:
        assert not isinstance(self.reward, Reward), "a function's rewards are asked for one by one"
        reward = _rewarded(task, self.reward(task, text, verdict))
        return reward, {reward_name(self.reward): reward}


def _tasks(items: TaskBatch, chosen: list[int]) -> Tasks:
    """Tasks of a batch at these places, which are in order."""
    times, rest = divmod(len(chosen), max(1, len(items)))
    if times and not rest and chosen == [i for i in range(len(items)) for _ in range(times)]:
        return items.batch.repeat(times)
    if not isinstance(items.batch, Batch):
        return items.batch.tasks(chosen)
    known = {i: items.tasks[i] for i in set(chosen)}
    return Batch([known[i] for i in chosen])


def _context(items: TaskBatch, i: int) -> Context:
    """Request about a task to a policy for conversations."""
    prompt = items.facts(i)["prompt"]
    messages = [{"role": "user", "content": prompt}]
    if items.prefixes is not None and items.prefixes[i]:
        messages.append({"role": "assistant", "content": items.prefixes[i]})
    return Context(items.ids[i], tuple(messages), prompt, prompt, task=items.tasks[i])


def _with_text(said: Completion, text: str) -> Completion:
    return Completion.from_dict(said.to_dict() | {"text": text})


def _token_counts(name: str, reward: Reward, said: Sequence[Completion]) -> list[int] | None:
    """Lengths that a reward in tokens needs."""
    if "length" not in reward.weights or reward.length_unit != "tokens":
        return None
    counts: list[int] = []
    for one in said:
        usage: Mapping[str, int] = one.usage or {}
        if "completion_tokens" not in usage:
            msg = (
                f"the reward has the part `length` in tokens, and policy `{name}` counts none; give "
                "`Completion`s with a `usage`, or take length_unit='characters'"
            )
            raise InvalidArgument(msg)
        counts.append(usage["completion_tokens"])
    return counts


def _rewarded(task: Task | Row, given: object) -> float:
    """Value of the user's reward, as a number."""
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
