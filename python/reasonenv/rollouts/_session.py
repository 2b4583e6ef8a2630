"""One session of the loop: results of earlier sessions, new answers and verdicts, and records to write."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from reasonenv._native import Task, family
from reasonenv._records import Record, as_record
from reasonenv.rewards.groups import dynamic_sampling
from reasonenv.rollouts._past import Past, earlier
from reasonenv.rollouts._run import Run
from reasonenv.rollouts._samples import Group, columns, give_advantages
from reasonenv.rollouts._settings import Progress, Sampling

T = TypeVar("T")

AskGroups: TypeAlias = Callable[[T, Past, Callable[[int], None]], list[Group]]
"""Groups of a batch, from the batch, results of an earlier session, and a function that counts answers."""

Others: TypeAlias = Callable[[Sequence[tuple[int, list[Group]]], int], tuple[list[int], T] | None]
"""Replacements for the places with their groups so far, in an attempt: places, and a batch for them."""


@dataclass
class RolloutSession:
    """State and output of the loop: one for each call."""

    log: Run | None
    sampling: Sampling
    logger: Callable[[Record], object] | None
    on_progress: Callable[[Progress], None] | None
    total: int
    each: bool
    """True to report progress after each answer rather than after each batch."""
    done: int = 0
    failed: bool = False
    """True if an endpoint failed to give an answer, so that the run isn't finished."""
    _past: dict[tuple[str, str], Past] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.log is not None:
            self._past = earlier(self.log)

    def sample(
        self, source: str, policy: str, batch: T, ask: AskGroups[T], others: "Others[T] | None" = None
    ) -> list[Group]:
        """The groups of a batch, written to disk, including those that dynamic sampling leaves out.

        Args:
            source: Source of the batch.
            policy: Name of the policy.
            batch: Tasks or episodes.
            ask: Returns the groups of a batch, from the results of an earlier session and from the policy.
            others: Returns replacements for flat groups.
        """
        past = self._past.get((source, policy)) or Past()

        def tell(count: int) -> None:
            self.done += count
            if self.each and count:
                self._tell(source, policy)

        attempts = [[group] for group in ask(batch, past, tell)]
        chosen = list(range(len(attempts)))
        for attempt in range(1, self.sampling.max_resamples + 2):
            chosen = self._flat(attempts, chosen)
            if not chosen or others is None or attempt > self.sampling.max_resamples:
                break
            following = others([(at, attempts[at]) for at in chosen], attempt)
            if following is None:
                break
            chosen, again = following
            groups = ask(again, past, tell)
            self.total += sum(len(group.samples) for group in groups)
            for at, group in zip(chosen, groups, strict=True):
                attempts[at].append(group)
        groups = [group for tried in attempts for group in tried]
        kept = [group for group in groups if not group.dropped]
        give_advantages(kept, self.sampling.sigma, filter_overlong=self.sampling.filter_overlong)
        self._write(groups)
        self._tell(source, policy)
        return groups

    def _write(self, groups: Sequence[Group]) -> None:
        """Write fresh rollouts and pass them to the logger."""
        fresh = [sample for group in groups for sample in group.samples if sample.is_fresh]
        self.failed = self.failed or any(sample.error is not None for sample in fresh)
        if self.log is not None:
            self.log.append([sample.record() for sample in fresh])
        if self.logger is not None:
            for sample in fresh:
                self.logger(as_record(sample.record()))

    def _tell(self, source: str, policy: str) -> None:
        if self.on_progress is not None:
            self.on_progress(Progress(source, policy, self.done, self.total))

    def _flat(self, attempts: Sequence[list[Group]], chosen: Sequence[int]) -> list[int]:
        """Chosen places whose last group is flat, and therefore dropped, and may be replaced."""
        if self.sampling.on_flat == "keep" or not chosen:
            return []
        last = [attempts[at][-1] for at in chosen]
        rewards, passed, counts = columns(last, filter_overlong=self.sampling.filter_overlong)
        actions = dynamic_sampling(rewards, passed, self.sampling.on_flat, mask=counts)
        flat = []
        for at, group, action in zip(chosen, last, actions.tolist(), strict=True):
            if action == "keep" or group.has_errors:
                continue
            for sample in group.samples:
                sample.dropped = True
            if action != "drop":
                flat.append(at)
        return flat


def another_level(task: Task, steps: int) -> Task | None:
    """Task at the same index, so many levels harder; None if there is no such level."""
    if task.level is None or task.index is None or task.seed is None or task.split is None:
        return None
    kind = family(task.family)
    level = task.level + steps
    if not 0 <= level <= kind.top_level:
        return None
    style = {"wrapper": task.style["wrapper"]} if "wrapper" in task.style else None
    return kind.source(level=level, seed=task.seed, split=task.split, style=style).task(task.index)  # type: ignore[arg-type]


def hinted(task: Task, share: float) -> tuple[Task, str | None] | None:
    """The task with a share of its solution's steps in the prompt, and the steps shown."""
    from reasonenv.curriculum._hints import shown_steps, with_hint  # noqa: PLC0415, which imports much

    shown = shown_steps(task, share)
    return (with_hint(task, share), "\n".join(shown)) if shown else None
