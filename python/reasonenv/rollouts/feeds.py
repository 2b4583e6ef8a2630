"""What the loop goes through: tasks of a source, or what a curriculum assigns; batch by batch."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from reasonenv import _checks
from reasonenv._native import (
    Batch,
    InvalidArgument,
    ReasonEnvError,
    Task,
    list_readings,
)
from reasonenv.parts import Curriculum, Result
from reasonenv.rewards.presets import every_part, resolve_judged
from reasonenv.rewards.weighted import Reward
from reasonenv.rollouts.asking import Answerer
from reasonenv.rollouts.samples import Group, Items
from reasonenv.rollouts.session import Session, Settings, another_level, hinted
from reasonenv.rollouts.sources import SEVERAL, RewardFunction, Supply, paying
from reasonenv.rollouts.trial import Clock, Past, Trial
from reasonenv.types import ReadingName

LARGEST_BATCH = 1_000_000
"""The most items that a policy is given at once, all of which are held."""

LARGEST_GROUP = 10_000
"""The most rollouts of an item, which are held until all of them are judged."""

LARGEST_CONCURRENCY = 10_000
"""The most requests that are under way at once."""


@dataclass(frozen=True)
class Ask:
    """What is asked of the loop, checked."""

    n: int
    groups_by: str
    """What the caller calls `rollouts`."""
    rollouts: int
    batch_size: int
    concurrency: int
    reading: ReadingName | None
    reward: str | Mapping[str, float] | Reward | RewardFunction
    settings: Settings
    seed: int
    branch: Any = None
    gamma: float = 1.0

    def __post_init__(self) -> None:
        _checks.whole(self.groups_by, self.rollouts, 1, LARGEST_GROUP)
        _checks.whole("n", self.n, 1, _checks.LARGEST_COUNT)
        _checks.whole("batch_size", self.batch_size, 1, LARGEST_BATCH)
        _checks.whole("concurrency", self.concurrency, 1, LARGEST_CONCURRENCY)
        _checks.seed("seed", self.seed)
        _checks.number("gamma", self.gamma, 0, 1)
        if self.settings.on_flat != "keep" and self.rollouts < 2:
            on_flat = self.settings.on_flat
            msg = f"`{self.groups_by}` is 1, but must be at least 2 where `on_flat` is {on_flat!r}"
            raise InvalidArgument(msg)
        if self.reading is not None and self.reading not in list_readings():
            raise _checks.unknown("reading", self.reading, list_readings())

    def more(self) -> dict[str, Any]:
        """What of a run's config differs from the usual."""
        more: dict[str, Any] = self.settings.to_dict()
        if self.branch is not None:
            more["branch"] = getattr(self.branch, "__name__", None) or _checks.shown(self.branch)
        if self.gamma != 1:
            more["gamma"] = self.gamma
        return more


class Feed(Protocol):
    """Where groups come from."""

    @property
    def name(self) -> str:
        """What records call it."""

    @property
    def family(self) -> str:
        """The family; "several" where there is more than one."""

    @property
    def version(self) -> int | None:
        """The family's version."""

    @property
    def level(self) -> int | None:
        """The level, where there is one."""

    @property
    def split(self) -> str | None:
        """The split, where there is one."""

    @property
    def config(self) -> Mapping[str, Any]:
        """What decides its groups."""

    @property
    def total(self) -> int:
        """Rollouts that a policy makes."""

    @property
    def draws(self) -> bool:
        """Whether tasks are generated, rather than given."""

    def batches(self, generation: Clock) -> Iterator[Any]:
        """Batch after batch; each is sampled before the next is asked for."""

    def sample(self, batch: Any, session: Session, who: Answerer, clock: Clock) -> list[Group]:
        """A policy's groups of a batch, written where the session is logged."""


class TaskFeed:
    """Tasks of one source."""

    def __init__(self, ask: Ask, supply: Supply) -> None:
        self.ask = ask
        self.supply = supply
        self.name, self.family, self.version = supply.name, supply.family, supply.version
        self.level, self.split, self.config, self.draws = (
            supply.level,
            supply.split,
            supply.config,
            supply.draws,
        )
        self.total = supply.count * ask.rollouts
        self.reward = paying(ask.reward, supply)
        if ask.settings.on_flat == "resample" and not supply.draws:
            msg = (
                "`on_flat` is 'resample', but a list of tasks has no others to take their place; "
                "give a source, or take 'drop'"
            )
            raise InvalidArgument(msg)

    def batches(self, generation: Clock) -> Iterator[tuple[int, Items]]:
        """The position of each batch's first task, and the batch."""
        size = self.ask.batch_size
        for start in range(0, self.supply.count, size):
            with generation.timed(min(size, self.supply.count - start)) as count:
                tasks = self.supply.batch(start, count)
            prefixes = _prefixes(self.ask.branch, tasks)
            yield start, Items(self.name, tasks, self.ask.rollouts, prefixes=prefixes)

    def sample(
        self,
        batch: tuple[int, Items],
        session: Session,
        who: Answerer,
        clock: Clock,
    ) -> list[Group]:
        """A policy's groups of a batch."""
        start, items = batch
        trial = _trial(self.ask, session, who, self.reward)

        def others(flat: Sequence[tuple[int, list[Group]]], attempt: int) -> tuple[list[int], Items] | None:
            found = [(at, self._another(start + at, attempt, groups)) for at, groups in flat]
            places = [at for at, other in found if other is not None]
            tasks, hints = (
                zip(*(other for _, other in found if other is not None), strict=True) if places else ((), ())
            )
            return (places, Items(self.name, tasks, self.ask.rollouts, hints=hints)) if places else None

        def ask(items: Items, past: Past, tell: Callable[[int], None]) -> list[Group]:
            return trial.sample(items, past, clock, tell)

        return session.sample(self.name, who.name, items, ask, others)

    def _another(self, index: int, attempt: int, groups: Sequence[Group]) -> tuple[Task, str | None] | None:
        """What takes the place of a task whose group is flat, and what it shows of its solution."""
        settings, task = self.ask.settings, groups[0].task
        assert task is not None, "groups of tasks have a task"
        if settings.on_flat == "resample":
            return self.supply.batch(index + attempt * self.supply.count, 1)[0], None
        if settings.on_flat == "hint":
            return hinted(task, attempt / (settings.max_resamples + 1))
        solved = all(sample.passed for sample in groups[-1].samples)
        other = another_level(task, attempt if solved else -attempt)
        return None if other is None else (other, None)


def _trial(ask: Ask, session: Session, who: Answerer, reward: Reward | RewardFunction) -> Trial:
    hold = None if session.log is None else session.log.hold
    return Trial(who, ask.reading, reward, ask.concurrency, hold)


def _prefixes(branch: Any, tasks: Batch) -> list[str] | None:
    """What each completion begins with."""
    if branch is None:
        return None
    if isinstance(branch, str):
        return [_checks.text("branch", branch)] * len(tasks)
    _checks.function("branch", branch, "the beginning of a completion, or a callable of a task that gives it")
    prefixes = []
    for task in tasks:
        prefix = branch(task)
        if not isinstance(prefix, str):
            msg = f"`branch` gave {_checks.shown(prefix)} for {task.id}, but must give text"
            raise ReasonEnvError(msg)
        prefixes.append(prefix)
    return prefixes


class AssignmentFeed:
    """What a curriculum assigns; it is told what came of each batch before it is asked for the next."""

    def __init__(self, ask: Ask, curriculum: Curriculum, tasks: object, asking: Mapping[str, Any]) -> None:
        if tasks is not None:
            msg = f"`tasks` is {_checks.shown(tasks)}, but must be None with a curriculum, which decides them"
            raise InvalidArgument(msg)
        if len(asking) != 1:
            msg = f"`policies` has {len(asking)} policies, but a curriculum follows one; give one"
            raise InvalidArgument(msg)
        if not (hasattr(curriculum, "ask") and hasattr(curriculum, "tell")):
            msg = f"`curriculum` is {_checks.shown(curriculum)}, but must have `ask` and `tell`"
            raise InvalidArgument(msg)
        if ask.settings.on_flat not in ("keep", "drop"):
            msg = (
                f"`on_flat` is {ask.settings.on_flat!r}, but a curriculum decides what comes instead; "
                "take 'keep' or 'drop'"
            )
            raise InvalidArgument(msg)
        self.ask = ask
        self.curriculum = curriculum
        self.name, self.family, self.version = "curriculum", SEVERAL, None
        self.level = self.split = None
        self.draws = True
        self.config = {
            "name": self.name,
            "curriculum": str(getattr(curriculum, "name", type(curriculum).__name__)),
            "seed": getattr(curriculum, "seed", None),
            "items": ask.n,
        }
        self.total = ask.n * ask.rollouts
        self.reward = ask.reward
        if isinstance(self.reward, str | Mapping | Reward):
            self.reward = resolve_judged(self.reward, every_part())

    def batches(self, generation: Clock) -> Iterator[tuple[Sequence[Any], Items]]:
        """Assignments, and their tasks."""
        left = self.ask.n
        while left > 0:
            assigned = list(self.curriculum.ask(min(left, self.ask.batch_size)))
            if not assigned:
                return
            left -= len(assigned)
            with generation.timed(len(assigned)):
                tasks = [_task(one) for one in assigned]
            # The same task may be assigned again.
            ids = [f"{task.id}#{one.id}" for one, task in zip(assigned, tasks, strict=True)]
            prefixes = _prefixes(self.ask.branch, Batch(tasks))
            rollouts = [
                _checks.whole("the rollouts of an assignment", one.rollouts, 1, LARGEST_GROUP)
                for one in assigned
            ]
            yield assigned, Items(self.name, tasks, rollouts, ids=ids, prefixes=prefixes)

    def sample(
        self,
        batch: tuple[Sequence[Any], Items],
        session: Session,
        who: Answerer,
        clock: Clock,
    ) -> list[Group]:
        """The policy's groups of a batch, of which the curriculum is told."""
        assigned, items = batch
        assert not isinstance(self.reward, str | Mapping), "names and weights were resolved before"
        trial = _trial(self.ask, session, who, self.reward)

        def ask(items: Items, past: Past, tell: Callable[[int], None]) -> list[Group]:
            return trial.sample(items, past, clock, tell)

        groups = session.sample(self.name, who.name, items, ask)
        passes = [
            [sample.passed for sample in group.samples if sample.passed is not None] for group in groups
        ]
        self.curriculum.tell([Result(one, passed) for one, passed in zip(assigned, passes, strict=True)])
        return groups


def _task(assignment: Any) -> Task:
    """The task of an assignment, by itself or by a reference that makes it."""
    given = assignment.task
    task = given if isinstance(given, Task) else given.task()
    if not isinstance(task, Task):
        msg = f"an assignment's task is {_checks.shown(task)}, but must be a task"
        raise ReasonEnvError(msg)
    return task
