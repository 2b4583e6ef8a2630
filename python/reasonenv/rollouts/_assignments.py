"""Assignments of a curriculum: tasks and episodes of games. The curriculum learns of their results."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import gymnasium
import numpy as np

from reasonenv import _checks
from reasonenv._native import Batch, InvalidArgument, ReasonEnvError, Task
from reasonenv.data._mixed import MixedTasks
from reasonenv.data._rows import Row
from reasonenv.parts import Curriculum, Result
from reasonenv.rewards._presets import every_part, resolve_judged
from reasonenv.rewards._weighted import Reward
from reasonenv.rollouts._asking import Answerer
from reasonenv.rollouts._feeds import Ask, prefixes_of, refuse_tree, trial_of
from reasonenv.rollouts._past import Past
from reasonenv.rollouts._playing import EpisodeRunner, Pool, Start, prefix_of
from reasonenv.rollouts._samples import Group, TaskBatch, Tasks
from reasonenv.rollouts._session import RolloutSession
from reasonenv.rollouts._settings import LARGEST_GROUP
from reasonenv.rollouts._sources import SEVERAL
from reasonenv.rollouts._trial import Clock


class GameRef(Protocol):
    """A reference to an episode of a game, such as `reasonenv.curriculum.TaskRef`."""

    @property
    def key(self) -> str: ...
    @property
    def seed(self) -> int: ...
    def environment(self) -> tuple[str, dict[str, Any], dict[str, Any]]: ...


@dataclass(frozen=True)
class _Batch:
    """Assignments made together, tasks separate from games."""

    assignments: Sequence[Any]
    items: TaskBatch
    starts: Sequence[Start]
    is_game: Sequence[bool]
    """One entry per assignment, in order."""


class AssignmentFeed:
    """Assignments of a curriculum, which learns of the results of each batch before the next is assigned."""

    def __init__(self, ask: Ask, curriculum: Curriculum, asking: Mapping[str, Any]) -> None:
        if len(asking) != 1:
            msg = f"`policies` has {len(asking)} policies, but a curriculum follows one; give one"
            raise InvalidArgument(msg)
        if ask.sampling.on_flat not in ("keep", "drop"):
            msg = (
                f"`on_flat` is {ask.sampling.on_flat!r}, but a curriculum decides what comes instead; "
                "take 'keep' or 'drop'"
            )
            raise InvalidArgument(msg)
        self.ask = ask
        refuse_tree(ask, "a curriculum's task")
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
        self.total = ask.n * ask.group_size
        self.reward = ask.reward
        if isinstance(self.reward, str | Mapping | Reward):
            self.reward = resolve_judged(self.reward, every_part())
        self._pools: dict[str, Pool] = {}

    def batches(self, generation: Clock) -> Iterator[_Batch]:
        """Assignments, with their tasks and the starts of their games."""
        left = self.ask.n
        try:
            while left > 0:
                assigned = list(self.curriculum.ask(min(left, self.ask.sampling.batch_size)))
                if not assigned:
                    return
                left -= len(assigned)
                with generation.timed(len(assigned)):
                    batch = self._batch(assigned)
                yield batch
        finally:
            for pool in self._pools.values():
                pool.close()

    def sample(self, batch: _Batch, session: RolloutSession, who: Answerer, clock: Clock) -> list[Group]:
        """The policy's groups of a batch, reported to the curriculum."""
        assert not isinstance(self.reward, str | Mapping), "names and weights were resolved before"
        trial = trial_of(self.ask, session, who, self.reward)
        play = EpisodeRunner(who, self.name, self.ask.sampling.gamma, self.ask.sampling.concurrency, session)
        rollouts = [
            one.rollouts for one, is_game in zip(batch.assignments, batch.is_game, strict=True) if is_game
        ]

        def ask(batch: _Batch, past: Past, tell: Callable[[int], None]) -> list[Group]:
            answered = iter(trial.sample(batch.items, past, clock, tell))
            played = iter(play.groups(batch.starts, rollouts, past, tell))
            return [next(played if is_game else answered) for is_game in batch.is_game]

        groups = session.sample(self.name, who.name, batch, ask)
        version = _version(who.policy)
        results = [
            Result(
                one, [bool(sample.passed) for sample in group.samples if sample.passed is not None], version
            )
            for one, group in zip(batch.assignments, groups, strict=True)
        ]
        self.curriculum.tell(results)
        return groups

    def _batch(self, assigned: Sequence[Any]) -> _Batch:
        for one in assigned:
            _checks.whole("the rollouts of an assignment", one.rollouts, 1, LARGEST_GROUP)
        is_game = [bool(getattr(one.task, "is_game", False)) for one in assigned]
        of_tasks = [one for one, plays in zip(assigned, is_game, strict=True) if not plays]
        starts = [self._start(one) for one, plays in zip(assigned, is_game, strict=True) if plays]
        tasks = [_task(one) for one in of_tasks]
        # A curriculum may assign the same task again.
        ids = [f"{task.id}#{one.id}" for one, task in zip(of_tasks, tasks, strict=True)]
        own = [task for task in tasks if isinstance(task, Task)]
        given: Tasks = Batch(own) if len(own) == len(tasks) else MixedTasks(tasks, ids)
        prefixes = prefixes_of(self.ask.sampling.branch, given) if tasks else None
        items = TaskBatch(self.name, given, [one.rollouts for one in of_tasks], ids=ids, prefixes=prefixes)
        return _Batch(assigned, items, starts, is_game)

    def _start(self, assignment: Any) -> Start:
        """Start of the episodes of a game's assignment."""
        ref: GameRef = assignment.task
        called, arguments, options = ref.environment()
        kind = f"{called} {sorted(arguments.items())}"
        pool = self._pools.setdefault(kind, Pool(lambda: gymnasium.make(called, **arguments)))
        prefix = prefix_of(self.ask.sampling.branch, assignment.id)
        return Start(f"{ref.key}#{assignment.id}", assignment.id, pool, ref.seed, options, prefix)


def _task(assignment: Any) -> Task | Row:
    """The assigned task or row, or the one that the assigned reference makes."""
    given = assignment.task
    task = given if isinstance(given, Task | Row) else given.task()
    if not isinstance(task, Task | Row):
        msg = f"an assignment's task is {_checks.shown(task)}, but must be a task or a row"
        raise ReasonEnvError(msg)
    return task


def _version(policy: object) -> int:
    """Version of the policy as curricula count it: its `version`, if that is a number, else 0."""
    version = getattr(policy, "version", None)
    text = str(version)
    is_number = isinstance(version, int | np.integer | str) and text.isascii() and text.isdecimal()
    return int(text) if is_number and len(text) < 19 else 0
