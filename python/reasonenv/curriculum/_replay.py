"""Schedulers that keep individual tasks and replay those that teach most."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self, get_args

import numpy as np
from numpy.typing import NDArray

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Unsupported
from reasonenv.curriculum._arms import learnability
from reasonenv.curriculum._refs import Aim, Setting, TaskRef
from reasonenv.curriculum._scheduler import Assignment, Choice, Scheduler, option
from reasonenv.curriculum._tracks import Space
from reasonenv.parts import Result

_TRIES = 8
"""Tasks that are tried to see if a family has mutations."""


@dataclass
class _Kept:
    """A task that may be replayed."""

    task: TaskRef
    score: float
    version: int
    """Version of the policy when the score was measured."""

    @classmethod
    def of(cls, assignment: Assignment, result: Result) -> Self:
        """Keep a task with the learnability of its result."""
        score = learnability(result.pass_rate, assignment.task.setting.guess_rate)
        return cls(assignment.task, score, result.version)


@dataclass(eq=False, kw_only=True)
class PLR(Scheduler):
    """Prioritized level replay: replay tasks by the rank of their score and by its age.

    With probability `replay` the next task is a kept one, otherwise a new one. A kept task is drawn with
    probability (1 − `staleness`) · score share + `staleness` · staleness share: the score share falls with
    the rank as rank^(−1/`temperature`), the staleness share grows with the number of policy versions since
    the task was scored. The score is `learnability`. No task is drawn twice in one `ask`, or while it is
    pending. When the buffer is full, a task with a higher score replaces the least probable one.

    Args:
        replay: Probability that a task is replayed, once `size` / 4 are kept.
        size: Most tasks kept.
        temperature: Temperature of the ranks; the smaller, the more they matter.
        staleness: Weight of staleness, from 0 to 1.
        train_new: Whether new tasks are trained on. False only scores them, as in robust PLR.
    """

    name = "plr"
    replay: float = option(0.5, 0, 1)
    size: int = option(256, 1, 1_000_000)
    temperature: float = option(0.3, 1e-3)
    staleness: float = option(0.1, 0, 1)
    train_new: bool = option(True)
    _kept: dict[str, _Kept] = field(init=False, repr=False, default_factory=dict)
    """Kept tasks by key."""
    _version: int = field(init=False, repr=False, default=0)
    """Newest version of the policy among the results."""

    def metrics(self) -> dict[str, float]:
        """The common metrics, and `kept` and `mean_score` of the kept tasks."""
        scores = [kept.score for kept in self._kept.values()]
        mean = sum(scores) / len(scores) if scores else 0.0
        return super().metrics() | {"kept": float(len(scores)), "mean_score": mean}

    def _begin(self) -> None:
        self._order = list(self._kept.values())
        self._weights = self._probabilities()
        under_way = {assignment.task.key for assignment in self._pending.values()}
        self._weights[[kept.task.key in under_way for kept in self._order]] = 0.0

    def _probabilities(self) -> NDArray[np.float64]:
        """Probability of each kept task to be replayed next, in order."""
        kept = list(self._kept.values())
        if not kept:
            return np.zeros(0)
        scores = np.array([one.score for one in kept])
        ranks = np.empty(len(kept))
        ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(kept) + 1)
        by_score = ranks ** (-1 / self.temperature)
        ages = np.array([self._version - one.version for one in kept], dtype=np.float64)
        by_age = ages if ages.any() else np.ones(len(kept))
        chances: NDArray[np.float64] = (1 - self.staleness) * by_score / by_score.sum()
        chances += self.staleness * by_age / by_age.sum()
        return chances

    def _choose(self) -> Choice:
        enough = len(self._kept) >= max(1, self.size // 4)
        if enough and self._weights.any() and self._rng.random() < self.replay:
            place = self._draw(self._weights)
            self._weights[place] = 0.0
            return Choice(self._order[place].task, "replay")
        return Choice(self._new_anywhere(), "new", self.train_new)

    def _learn(self, assignment: Assignment, result: Result) -> None:
        self._version = max(self._version, result.version)
        self._keep(_Kept.of(assignment, result))

    def _keep(self, one: _Kept) -> None:
        """Keep a task; in a full buffer, only in place of one with a lower score."""
        key = one.task.key
        if key not in self._kept and len(self._kept) >= self.size:
            least = list(self._kept)[int(np.argmin(self._probabilities()))]
            if self._kept[least].score >= one.score:
                return
            del self._kept[least]
        self._kept[key] = one


@dataclass(eq=False, kw_only=True)
class Accel(PLR):
    """PLR with evolving tasks: a replayed task is mutated, and the mutation is kept if it teaches.

    Families define their mutations, which are certified and stay in the split. Games and tasks of a family
    without mutations are only replayed, as in PLR; a space of nothing else is an error.

    Args:
        aims: Aims of the mutations, in turn.
        edits: Most mutations of one task, one after the other.
        replay: Probability that a task is replayed, once `size` / 4 are kept.
        size: Most tasks kept.
        temperature: Temperature of the ranks; the smaller, the more they matter.
        staleness: Weight of staleness, from 0 to 1.
        train_new: Whether new tasks and mutations are trained on when they are first tried.
    """

    name = "accel"
    aims: Sequence[Aim] = ("harder", "same")
    edits: int = option(8, 1, 64)
    _ahead: list[TaskRef] = field(init=False, repr=False, default_factory=list)
    """Mutations to try next."""
    _edited: int = field(init=False, repr=False, default=0)
    _refused: int = field(init=False, repr=False, default=0)

    def __post_init__(self, space: Space) -> None:
        super().__post_init__(space)
        self.aims = tuple(_checks.listed("aims", self.aims))
        for aim in self.aims or (None,):
            _checks.one_of("aim", aim, get_args(Aim))
        if not any(map(self._has_edits, self.settings)):
            names = ", ".join(sorted({setting.family for setting in self.settings}))
            msg = f"`space` is {names}, but `accel` mutates tasks, and these have no mutations"
            raise InvalidArgument(f"{msg}; name other families, or take `plr`")

    def _has_edits(self, setting: Setting) -> bool:
        """True if one of a few tasks can be mutated: a family mutates most of its tasks, or none."""
        if setting.is_game:
            return False
        for index in range(_TRIES):
            try:
                TaskRef(setting, self.seed, index).edited(self.aims[index % len(self.aims)], index).task()
            except Unsupported:
                continue
            return True
        return False

    def metrics(self) -> dict[str, float]:
        """The metrics of PLR, and `edited` and `refused`: how many mutations were made, and not found."""
        return super().metrics() | {"edited": float(self._edited), "refused": float(self._refused)}

    def _choose(self) -> Choice:
        if self._ahead:
            return Choice(self._ahead.pop(0), "edit", self.train_new)
        return super()._choose()

    def _learn(self, assignment: Assignment, result: Result) -> None:
        super()._learn(assignment, result)
        task = assignment.task
        if assignment.source == "replay" and not task.setting.is_game and len(task.edits) < self.edits:
            number = self._edited + self._refused
            edited = task.edited(self.aims[number % len(self.aims)], number)
            try:
                edited.task()
            except Unsupported:
                self._refused += 1
            else:
                self._edited += 1
                self._ahead = [*self._ahead, edited][-self.size :]


@dataclass(eq=False, kw_only=True)
class Learnability(Scheduler):
    """Sampling for learnability: probe new tasks, then train for a while on those that teach most.

    A round consists of `probes` new tasks that are only scored, then `period` assignments: a share of
    `replay` comes from the `top` best probes, the others are new. The score is `learnability`.

    Args:
        probes: New tasks at the start of a round.
        top: Number of best probes to train on.
        period: Assignments of a round after its probes.
        replay: Share of these that come from the best probes.
        train_probes: Whether probes are trained on too, unlike in the original.
    """

    name = "learnability"
    probes: int = option(64, 1)
    top: int = option(16, 1, "probes")
    period: int = option(128, 1)
    replay: float = option(0.75, 0, 1)
    train_probes: bool = option(False)
    _turn: int = field(init=False, repr=False, default=0)
    _scored: list[_Kept] = field(init=False, repr=False, default_factory=list)
    """Scored probes of this round."""
    _best: list[TaskRef] = field(init=False, repr=False, default_factory=list)

    def _choose(self) -> Choice:
        place = self._turn % (self.probes + self.period)
        self._turn += 1
        if place < self.probes:
            if place == 0:
                self._scored = []
            return Choice(self._new_anywhere(), "probe", self.train_probes)
        if self._best and self._rng.random() < self.replay:
            return Choice(self._any(self._best), "replay")
        return Choice(self._new_anywhere(), "new")

    def _learn(self, assignment: Assignment, result: Result) -> None:
        if assignment.source != "probe":
            return
        self._scored.append(_Kept.of(assignment, result))
        # Late or lost probes delay nothing: the best of those scored so far are used.
        ranked = sorted(self._scored, key=lambda kept: -kept.score)
        if len(ranked) >= self.top:
            self._best = [kept.task for kept in ranked[: self.top] if kept.score > 0]


@dataclass(eq=False, kw_only=True)
class KeepHardest(Scheduler):
    """Replay of the tasks that fail most often, until they pass.

    With probability `replay` the next task is a random kept one, otherwise a new one. The tasks with the
    lowest pass rates are kept; a task with a pass rate of `drop` or more is dropped.

    Args:
        replay: Probability that a task is replayed.
        size: Most tasks kept.
        drop: Lowest pass rate at which a task is dropped.
        solvable: Whether to keep only tasks that passed at least once; a task that never passes teaches
            nothing.
    """

    name = "keep_hardest"
    replay: float = option(0.5, 0, 1)
    size: int = option(64, 1, 1_000_000)
    drop: float = option(0.75, 0, 1)
    solvable: bool = option(False)
    _kept: dict[str, _Kept] = field(init=False, repr=False, default_factory=dict)
    """Kept tasks by key."""

    def metrics(self) -> dict[str, float]:
        """The common metrics, and `kept`, the number of kept tasks."""
        return super().metrics() | {"kept": float(len(self._kept))}

    def _choose(self) -> Choice:
        if self._kept and self._rng.random() < self.replay:
            return Choice(self._any(list(self._kept.values())).task, "replay")
        return Choice(self._new_anywhere(), "new")

    def _learn(self, assignment: Assignment, result: Result) -> None:
        rate, key = result.pass_rate, assignment.task.key
        self._kept.pop(key, None)
        if rate >= self.drop or (self.solvable and not any(result.passed)):
            return
        self._kept[key] = _Kept(assignment.task, 1 - rate, result.version)
        if len(self._kept) > self.size:
            del self._kept[min(self._kept, key=lambda one: self._kept[one].score)]
