"""Schedulers that keep single tasks and come back to those that teach most."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self, get_args

import numpy as np
from numpy.typing import NDArray

from reasonenv import _checks
from reasonenv._native import Unsupported
from reasonenv.curriculum._arms import learnability
from reasonenv.curriculum._refs import Aim, TaskRef
from reasonenv.curriculum._scheduler import Assignment, Choice, Scheduler, option
from reasonenv.curriculum._tracks import Space
from reasonenv.parts import Result


@dataclass
class _Kept:
    """A task that may come again."""

    task: TaskRef
    score: float
    version: int
    """Of the policy, when the score was taken."""

    @classmethod
    def of(cls, assignment: Assignment, result: Result) -> Self:
        """A task with the learnability that a result shows."""
        score = learnability(result.pass_rate, assignment.task.setting.guess_rate)
        return cls(assignment.task, score, result.version)


@dataclass(eq=False, kw_only=True)
class PLR(Scheduler):
    """Prioritized level replay: tasks come again by the rank of what they teach and by how long ago that was.

    With chance `replay` a task is one of those kept, else a new one. A kept task is drawn with
    (1 − `staleness`) · score share + `staleness` · staleness share: the score share falls with the rank as
    rank^(−1/`temperature`), the staleness share grows with the versions of the policy since it was scored.
    The score is `learnability`. No task is drawn twice in one `ask`, nor while it is under way. Where there
    is no room, the least probable one makes way for a task of a higher score.

    Args:
        replay: The chance that a task comes again, once `size` / 4 are kept.
        size: The most tasks kept.
        temperature: How much the rank counts; the smaller, the more.
        staleness: How much staleness counts, from 0 to 1.
        train_new: Whether new tasks are trained on. False scores them only, as robust PLR does.
    """

    name = "plr"
    replay: float = option(0.5, 0, 1)
    size: int = option(256, 1, 1_000_000)
    temperature: float = option(0.3, 1e-3)
    staleness: float = option(0.1, 0, 1)
    train_new: bool = option(True)
    _kept: dict[str, _Kept] = field(init=False, repr=False, default_factory=dict)
    """The tasks that are kept, by key."""
    _version: int = field(init=False, repr=False, default=0)
    """The newest version of the policy that was told."""

    def metrics(self) -> dict[str, float]:
        """The metrics of every scheduler, and `kept` and `mean_score` of the tasks that are kept."""
        scores = [kept.score for kept in self._kept.values()]
        mean = sum(scores) / len(scores) if scores else 0.0
        return super().metrics() | {"kept": float(len(scores)), "mean_score": mean}

    def _begin(self) -> None:
        self._order = list(self._kept.values())
        self._weights = self._probabilities()
        under_way = {assignment.task.key for assignment in self._pending.values()}
        self._weights[[kept.task.key in under_way for kept in self._order]] = 0.0

    def _probabilities(self) -> NDArray[np.float64]:
        """The chance of each kept task to be the next that comes again, in the order they are kept."""
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
        """Keeps a task, unless all that are kept are better."""
        key = one.task.key
        if key not in self._kept and len(self._kept) >= self.size:
            least = list(self._kept)[int(np.argmin(self._probabilities()))]
            if self._kept[least].score >= one.score:
                return
            del self._kept[least]
        self._kept[key] = one


@dataclass(eq=False, kw_only=True)
class Accel(PLR):
    """PLR whose tasks evolve: one that comes again is mutated, and the mutation is kept if it teaches.

    Mutations are the families' own, and certified; they stay in the split. A family that has none is
    replayed as by PLR.

    Args:
        aims: What mutations aim at, in turn.
        edits: The most mutations of one task, one after the other.
        replay: The chance that a task comes again, once `size` / 4 are kept.
        size: The most tasks kept.
        temperature: How much the rank counts; the smaller, the more.
        staleness: How much staleness counts, from 0 to 1.
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
        self.aims = tuple(self.aims)
        for aim in self.aims or (None,):
            _checks.one_of("aims", aim, get_args(Aim))

    def metrics(self) -> dict[str, float]:
        """The metrics of PLR, and `edited` and `refused`: counts of mutations made and not found."""
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
    """Sampling for learnability: probes new tasks, and trains for a while on those that teach most.

    A round is `probes` new tasks that only score, then `period` assignments, of which the share `replay` is
    drawn from the `top` best of the probes and the rest is new. The score is `learnability`.

    Args:
        probes: New tasks that a round begins with.
        top: Of the probes, how many are trained on.
        period: Assignments of a round after its probes.
        replay: Share of these that are drawn from the top.
        train_probes: Whether probes are trained on too, which the original does not.
    """

    name = "learnability"
    probes: int = option(64, 1)
    top: int = option(16, 1, "probes")
    period: int = option(128, 1)
    replay: float = option(0.75, 0, 1)
    train_probes: bool = option(False)
    _turn: int = field(init=False, repr=False, default=0)
    _scored: list[_Kept] = field(init=False, repr=False, default_factory=list)
    """The probes of this round."""
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
        # Probes that are late, or never come, hold nobody up.
        ranked = sorted(self._scored, key=lambda kept: -kept.score)
        if len(ranked) >= self.top:
            self._best = [kept.task for kept in ranked[: self.top] if kept.score > 0]


@dataclass(eq=False, kw_only=True)
class KeepHardest(Scheduler):
    """Comes back to the tasks that fail most, until they pass.

    With chance `replay` a task is one of those kept, each as likely, else a new one. The tasks of the lowest
    pass rates are kept; one that passes at a rate of `drop` or more is dropped.

    Args:
        replay: The chance that a task comes again.
        size: The most tasks kept.
        drop: The pass rate from which on a task is dropped.
        solvable: Whether only tasks that passed at least once are kept: what never passes teaches nothing.
    """

    name = "keep_hardest"
    replay: float = option(0.5, 0, 1)
    size: int = option(64, 1, 1_000_000)
    drop: float = option(0.75, 0, 1)
    solvable: bool = option(False)
    _kept: dict[str, _Kept] = field(init=False, repr=False, default_factory=dict)
    """The tasks that are kept, by key."""

    def metrics(self) -> dict[str, float]:
        """The metrics of every scheduler, and `kept`, the number of tasks that are kept."""
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
