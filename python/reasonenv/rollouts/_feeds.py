"""Input of the loop, batch by batch: tasks of a source, or episodes of an environment."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import gymnasium
from gymnasium.envs.registration import EnvSpec

from reasonenv import _checks
from reasonenv._native import InvalidArgument, ReasonEnvError, Task, list_readings
from reasonenv.rewards._weighted import Reward
from reasonenv.rollouts._asking import Answerer
from reasonenv.rollouts._completion import plain
from reasonenv.rollouts._past import Past
from reasonenv.rollouts._playing import EpisodeRunner, Pool, Start, prefix_of
from reasonenv.rollouts._samples import Group, TaskBatch, Tasks
from reasonenv.rollouts._session import RolloutSession, another_level, hinted
from reasonenv.rollouts._settings import LARGEST_GROUP, Sampling
from reasonenv.rollouts._sources import CompletionReward, Supply, paying
from reasonenv.rollouts._tree_runner import TreeRunner
from reasonenv.rollouts._trial import Clock, Trial
from reasonenv.types import ReadingName


@dataclass(frozen=True)
class Ask:
    """Checked arguments of the loop."""

    n: int
    group_size: int
    reading: ReadingName | None
    reward: str | Mapping[str, float] | Reward | CompletionReward
    seed: int
    sampling: Sampling

    def __post_init__(self) -> None:
        _checks.whole("n", self.n, 1, _checks.LARGEST_COUNT)
        _checks.whole("group_size", self.group_size, 1, LARGEST_GROUP)
        _checks.seed("seed", self.seed)
        if self.sampling.on_flat != "keep" and self.group_size < 2:
            on_flat = self.sampling.on_flat
            msg = f"`group_size` is 1, but must be at least 2 where `on_flat` is {on_flat!r}"
            raise InvalidArgument(msg)
        if self.reading is not None and self.reading not in list_readings():
            raise _checks.unknown("reading", self.reading, list_readings())


class Feed(Protocol):
    """A source of groups."""

    @property
    def name(self) -> str:
        """Its name in records."""

    @property
    def family(self) -> str:
        """The family; "several" if there is more than one."""

    @property
    def version(self) -> int | None:
        """The family's version."""

    @property
    def level(self) -> int | None:
        """The level, if there is one."""

    @property
    def split(self) -> str | None:
        """The split, if there is one."""

    @property
    def config(self) -> Mapping[str, Any]:
        """Settings that determine its groups."""

    @property
    def total(self) -> int:
        """Number of rollouts per policy."""

    @property
    def draws(self) -> bool:
        """True if tasks are generated rather than given."""

    def batches(self, generation: Clock) -> Iterator[Any]:
        """Batches in order; each is sampled before the next is requested."""

    def sample(self, batch: Any, session: RolloutSession, who: Answerer, clock: Clock) -> list[Group]:
        """A policy's groups of a batch, written to the session's log if it has one."""


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
        self.total = supply.count * ask.group_size
        self.reward = paying(ask.reward, supply)
        refuse_tree(ask, supply.name)
        if not supply.of_families:
            _must_be_asked_plainly(ask)
        if ask.sampling.on_flat == "resample" and not supply.draws:
            msg = (
                "`on_flat` is 'resample', but a list of tasks has no others to take their place; "
                "give a source, or take 'drop'"
            )
            raise InvalidArgument(msg)

    def batches(self, generation: Clock) -> Iterator[tuple[int, TaskBatch]]:
        """Position of each batch's first task, and the batch."""
        size = self.ask.sampling.batch_size
        for start in range(0, self.supply.count, size):
            with generation.timed(min(size, self.supply.count - start)) as count:
                tasks = self.supply.batch(start, count)
            prefixes = prefixes_of(self.ask.sampling.branch, tasks)
            yield start, TaskBatch(self.name, tasks, self.ask.group_size, prefixes=prefixes)

    def sample(
        self,
        batch: tuple[int, TaskBatch],
        session: RolloutSession,
        who: Answerer,
        clock: Clock,
    ) -> list[Group]:
        """A policy's groups of a batch."""
        start, items = batch
        trial = trial_of(self.ask, session, who, self.reward)

        def others(
            flat: Sequence[tuple[int, list[Group]]], attempt: int
        ) -> tuple[list[int], TaskBatch] | None:
            found = [(at, self._another(start + at, attempt, groups)) for at, groups in flat]
            places = [at for at, other in found if other is not None]
            tasks, hints = (
                zip(*(other for _, other in found if other is not None), strict=True) if places else ((), ())
            )
            return (places, TaskBatch(self.name, tasks, self.ask.group_size, hints=hints)) if places else None

        def ask(items: TaskBatch, past: Past, tell: Callable[[int], None]) -> list[Group]:
            return trial.sample(items, past, clock, tell)

        return session.sample(self.name, who.name, items, ask, others)

    def _another(self, index: int, attempt: int, groups: Sequence[Group]) -> tuple[Task, str | None] | None:
        """Replacement of a task whose group is flat, and the hint in its prompt."""
        sampling, task = self.ask.sampling, groups[0].task
        assert isinstance(task, Task), "rows have no others"
        if sampling.on_flat == "resample":
            other = self.supply.batch(index + attempt * self.supply.count, 1)[0]
            assert isinstance(other, Task), "what draws tasks is of families"
            return other, None
        if sampling.on_flat == "hint":
            return hinted(task, attempt / (sampling.max_resamples + 1))
        solved = all(sample.passed for sample in groups[-1].samples)
        moved = another_level(task, attempt if solved else -attempt)
        return None if moved is None else (moved, None)


def trial_of(ask: Ask, session: RolloutSession, who: Answerer, reward: Reward | CompletionReward) -> Trial:
    """A policy with the loop's settings."""
    hold = None if session.log is None else session.log.hold
    return Trial(who, ask.reading, reward, ask.sampling.concurrency, hold)


def prefixes_of(branch: Any, tasks: Tasks) -> list[str] | None:
    """Beginning of each completion.

    Raises:
        ReasonEnvError: `branch`, or a value that it returned, is invalid.
    """
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


def refuse_tree(ask: Ask, name: str) -> None:
    """Refuse a tree where nothing can be forked."""
    if ask.sampling.tree is not None:
        msg = (
            f"`tree` is a `Tree`, but {name} is answered in one turn, and a tree needs an environment with "
            'several, such as mode="step"'
        )
        raise InvalidArgument(msg)


def _must_be_asked_plainly(ask: Ask) -> None:
    """Refuse settings that need tasks of a family."""
    if ask.reading is not None:
        msg = f"`reading` is {ask.reading!r}, but rows have one in their verifier; give it there"
        raise InvalidArgument(msg)
    if ask.sampling.on_flat in ("change_level", "hint"):
        msg = f"`on_flat` is {ask.sampling.on_flat!r}, but rows have neither levels nor steps; take 'drop'"
        raise InvalidArgument(msg)


def is_environment(given: object) -> bool:
    """True if something is an environment, its id, or a callable that makes one."""
    is_id = isinstance(given, str) and "/" in given
    return is_id or isinstance(given, gymnasium.Env | EnvSpec) or callable(given)


class EpisodeFeed:
    """Episodes of one environment: the same ones for every policy, each `group_size` times."""

    level = version = split = None
    draws = True

    def __init__(self, ask: Ask, env: Any) -> None:
        if isinstance(env, gymnasium.vector.VectorEnv):
            msg = "`tasks` is a vector environment; give its id, or a callable that makes a single one"
            raise InvalidArgument(msg)
        if ask.sampling.on_flat in ("change_level", "hint"):
            msg = (
                f"`on_flat` is {ask.sampling.on_flat!r}, but an environment poses what it poses; take 'drop'"
            )
            raise InvalidArgument(msg)
        self.ask = ask
        make: Callable[[], Any] = env if callable(env) else lambda: gymnasium.make(env)
        self._pool = Pool(make, env if isinstance(env, gymnasium.Env) else None)
        first = self._pool.take()
        self._pool.give(first)
        spec = first.spec
        self.name = self.family = spec.id if spec is not None else type(first.unwrapped).__name__
        kwargs = {} if spec is None else {name: _said(one) for name, one in sorted(spec.kwargs.items())}
        self.config = {"name": self.name, "environment": self.family, "kwargs": kwargs, "items": ask.n}
        self.total = ask.n * ask.group_size

    def batches(self, generation: Clock) -> Iterator[list[int]]:  # noqa: ARG002, nothing is generated
        """Numbers of episodes."""
        try:
            for start in range(0, self.ask.n, self.ask.sampling.batch_size):
                yield list(range(start, min(self.ask.n, start + self.ask.sampling.batch_size)))
        finally:
            self._pool.close()

    def sample(
        self,
        batch: list[int],
        session: RolloutSession,
        who: Answerer,
        clock: Clock,  # noqa: ARG002, nobody but the environment judges
    ) -> list[Group]:
        """A policy's groups of a batch."""
        sampling = self.ask.sampling
        given = who, self.name, sampling.gamma, sampling.concurrency, session
        play = EpisodeRunner(*given)
        if sampling.tree is not None:
            play = TreeRunner(*given, sampling, self.ask.seed)

        def ask(numbers: list[int], past: Past, tell: Callable[[int], None]) -> list[Group]:
            starts = [self._start(number) for number in numbers]
            return play.groups(starts, [self.ask.group_size] * len(starts), past, tell)

        def others(flat: Sequence[tuple[int, list[Group]]], attempt: int) -> tuple[list[int], list[int]]:
            places = [at for at, _ in flat]
            return places, [batch[at] + attempt * self.ask.n for at in places]

        resamples = self.ask.sampling.on_flat == "resample"
        return session.sample(self.name, who.name, batch, ask, others if resamples else None)

    def _start(self, number: int) -> Start:
        ask = self.ask
        group, prefix = f"{self.name}/{ask.seed}/{number}", prefix_of(ask.sampling.branch, number)
        return Start(group, number, self._pool, episode_seed(ask.seed, number), prefix=prefix)


def episode_seed(seed: int, number: int) -> int:
    """Seed for an environment's `reset`: adjacent episodes and seeds are unrelated."""
    digest = hashlib.sha256(f"reasonenv/episode/{seed}/{number}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def _said(value: Any) -> Any:
    """Description of an environment's argument for a config, the same in every process."""
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__qualname__))
    if isinstance(value, list | tuple):
        return [_said(one) for one in value]
    known = isinstance(value, str | int | float | bool | dict | None)
    return plain(value) if known else type(value).__name__
