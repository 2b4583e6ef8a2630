"""Schedulers that keep single tasks and come back to those that teach most."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reasonenv import _checks
from reasonenv._native import Unsupported
from reasonenv.curriculum.arms import draw, learnability
from reasonenv.curriculum.refs import Aim, TaskRef
from reasonenv.curriculum.scheduler import Assignment, Choice, Result, Scheduler
from reasonenv.curriculum.tracks import Space

__all__ = ["PLR", "Accel", "KeepHardest", "Learnability"]


@dataclass
class _Kept:
    """A task that may come again."""

    task: TaskRef
    score: float
    version: int
    """Of the policy, when the score was taken."""

    def to_dict(self) -> dict[str, Any]:
        return {"task": self.task.to_dict(), "score": self.score, "version": self.version}

    @classmethod
    def from_dict(cls, record: Any) -> "_Kept":
        return cls(TaskRef.from_dict(record["task"]), float(record["score"]), int(record["version"]))


class _Replay(Scheduler):
    """What schedulers that keep tasks have in common: new tasks, each setting of each track as likely."""

    def _new_task(self) -> TaskRef:
        track = self.tracks[int(self._rng.integers(len(self.tracks)))]
        return self._new(self._any(track.settings))

    def _score(self, assignment: Assignment, result: Result) -> float:
        return learnability(result.pass_rate, assignment.task.setting.guess_rate)


class PLR(_Replay):
    """Prioritized level replay: tasks come again by the rank of what they teach and by how long ago that was.

    With chance `replay` a task is one of those kept, else a new one. A kept task is drawn with
    (1 − `staleness`) · score share + `staleness` · staleness share: the score share falls with the rank as
    rank^(−1/`temperature`), the staleness share grows with the versions of the policy since it was scored.
    The score is `learnability`. No task is drawn twice in one `ask`, nor while it is under way. Where there
    is no room, the least probable one makes way for a task of a higher score.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several.
        replay: The chance that a task comes again, once `size` / 4 are kept.
        size: The most tasks kept.
        temperature: How much the rank counts; the smaller, the more.
        staleness: How much staleness counts, from 0 to 1.
        train_new: Whether new tasks are trained on. False scores them only, as robust PLR does.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.
    """

    name = "plr"

    def __init__(
        self,
        space: Space,
        *,
        replay: float = 0.5,
        size: int = 256,
        temperature: float = 0.3,
        staleness: float = 0.1,
        train_new: bool = True,
        rollouts: int = 8,
        seed: int = 0,
    ) -> None:
        super().__init__(space, rollouts=rollouts, seed=seed)
        self.replay = _checks.number("replay", replay, 0, 1)
        self.size = _checks.whole("size", size, 1, 1_000_000)
        self.temperature = _checks.number("temperature", temperature, 1e-3)
        self.staleness = _checks.number("staleness", staleness, 0, 1)
        self.train_new = _checks.flag("train_new", train_new)
        self._kept: dict[str, _Kept] = {}
        self._version = 0
        self._order: list[_Kept] = []
        self._weights: NDArray[np.float64] = np.zeros(0)

    def metrics(self) -> dict[str, float]:
        """Those of every scheduler, and `kept` and `mean_score` of the tasks that are kept."""
        scores = [kept.score for kept in self._kept.values()]
        mean = sum(scores) / len(scores) if scores else 0.0
        return super().metrics() | {"kept": float(len(scores)), "mean_score": mean}

    def _begin(self) -> None:
        under_way = {assignment.task.key for assignment in self._pending.values()}
        self._order = [kept for key, kept in self._kept.items()]
        self._weights = self._probabilities()
        for place, kept in enumerate(self._order):
            if kept.task.key in under_way:
                self._weights[place] = 0.0

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
        by_age = ages / ages.sum() if ages.any() else np.full(len(kept), 1 / len(kept))
        chances: NDArray[np.float64] = (
            1 - self.staleness
        ) * by_score / by_score.sum() + self.staleness * by_age
        return chances

    def _choose(self) -> Choice:
        enough = len(self._kept) >= max(1, self.size // 4)
        if enough and self._weights.any() and self._rng.random() < self.replay:
            place = draw(self._rng, self._weights)
            self._weights[place] = 0.0
            return Choice(self._order[place].task, "replay")
        return Choice(self._new_task(), "new", self.train_new)

    def _learn(self, assignment: Assignment, result: Result) -> None:
        self._version = max(self._version, result.version)
        self._keep(_Kept(assignment.task, self._score(assignment, result), result.version))

    def _keep(self, one: _Kept) -> None:
        """Keeps a task, unless all that are kept are better."""
        key = one.task.key
        if key not in self._kept and len(self._kept) >= self.size:
            least = list(self._kept)[int(np.argmin(self._probabilities()))]
            if self._kept[least].score >= one.score:
                return
            del self._kept[least]
        self._kept[key] = one

    def _state(self) -> Any:
        return {"version": self._version, "kept": [kept.to_dict() for kept in self._kept.values()]}

    def _restore(self, own: Any) -> None:
        kept, version = [_Kept.from_dict(record) for record in own["kept"]], int(own["version"])
        self._kept, self._version = {one.task.key: one for one in kept}, version


class Accel(PLR):
    """PLR whose tasks evolve: one that comes again is mutated, and the mutation is kept if it teaches.

    Mutations are the families' own, and certified; they stay in the split. A family that has none is
    replayed as by PLR.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several.
        aims: What mutations aim at, in turn.
        edits: The most mutations of one task, one after the other.
        replay: The chance that a task comes again, once `size` / 4 are kept.
        size: The most tasks kept.
        temperature: How much the rank counts; the smaller, the more.
        staleness: How much staleness counts, from 0 to 1.
        train_new: Whether new tasks and mutations are trained on when they are first tried.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.
    """

    name = "accel"

    def __init__(
        self,
        space: Space,
        *,
        aims: Iterable[Aim] = ("harder", "same"),
        edits: int = 8,
        replay: float = 0.5,
        size: int = 256,
        temperature: float = 0.3,
        staleness: float = 0.1,
        train_new: bool = True,
        rollouts: int = 8,
        seed: int = 0,
    ) -> None:
        super().__init__(
            space,
            replay=replay,
            size=size,
            temperature=temperature,
            staleness=staleness,
            train_new=train_new,
            rollouts=rollouts,
            seed=seed,
        )
        self.aims = tuple(_checks.texts("aims", tuple(aims)))
        if not self.aims:
            _checks.one_of("aims", None, ["harder", "same", "easier"])
        for aim in self.aims:
            _checks.one_of("aims", aim, ["harder", "same", "easier"])
        self.edits = _checks.whole("edits", edits, 1, 64)
        self._ahead: deque[TaskRef] = deque(maxlen=self.size)
        self._edited = 0
        self._refused = 0

    def metrics(self) -> dict[str, float]:
        """Those of PLR, and `edited` and `refused`: mutations made, and those no family gave."""
        return super().metrics() | {"edited": float(self._edited), "refused": float(self._refused)}

    def _choose(self) -> Choice:
        if self._ahead:
            return Choice(self._ahead.popleft(), "edit", self.train_new)
        return super()._choose()

    def _learn(self, assignment: Assignment, result: Result) -> None:
        super()._learn(assignment, result)
        task = assignment.task
        if assignment.source == "replay" and not task.setting.is_game and len(task.edits) < self.edits:
            number = self._edited + self._refused
            edited = task.edited(self.aims[number % len(self.aims)], number)  # type: ignore[arg-type]
            try:
                edited.task()
            except Unsupported:
                self._refused += 1
            else:
                self._edited += 1
                self._ahead.append(edited)

    def _state(self) -> Any:
        ahead = [task.to_dict() for task in self._ahead]
        return super()._state() | {"ahead": ahead, "edited": self._edited, "refused": self._refused}

    def _restore(self, own: Any) -> None:
        ahead = [TaskRef.from_dict(record) for record in own["ahead"]]
        edited, refused = int(own["edited"]), int(own["refused"])
        super()._restore(own)
        self._ahead, self._edited, self._refused = deque(ahead, maxlen=self.size), edited, refused


class Learnability(_Replay):
    """Sampling for learnability: probes new tasks, and trains for a while on those that teach most.

    A round is `probes` new tasks that only score, then `period` assignments, of which the share `replay` is
    drawn from the `top` best of the probes and the rest is new. The score is `learnability`.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several.
        probes: New tasks that a round begins with.
        top: Of the probes, how many are trained on.
        period: Assignments of a round after its probes.
        replay: Share of these that are drawn from the top.
        train_probes: Whether probes are trained on too, which the original does not.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.
    """

    name = "learnability"

    def __init__(
        self,
        space: Space,
        *,
        probes: int = 64,
        top: int = 16,
        period: int = 128,
        replay: float = 0.75,
        train_probes: bool = False,
        rollouts: int = 8,
        seed: int = 0,
    ) -> None:
        super().__init__(space, rollouts=rollouts, seed=seed)
        self.probes = _checks.whole("probes", probes, 1)
        self.top = _checks.whole("top", top, 1, self.probes)
        self.period = _checks.whole("period", period, 1)
        self.replay = _checks.number("replay", replay, 0, 1)
        self.train_probes = _checks.flag("train_probes", train_probes)
        self._turn = 0
        self._scored: list[_Kept] = []
        self._best: list[TaskRef] = []

    def _choose(self) -> Choice:
        place = self._turn % (self.probes + self.period)
        self._turn += 1
        if place < self.probes:
            if place == 0:
                self._scored = []
            return Choice(self._new_task(), "probe", self.train_probes)
        if self._best and self._rng.random() < self.replay:
            return Choice(self._best[int(self._rng.integers(len(self._best)))], "replay")
        return Choice(self._new_task(), "new")

    def _learn(self, assignment: Assignment, result: Result) -> None:
        if assignment.source != "probe":
            return
        self._scored.append(_Kept(assignment.task, self._score(assignment, result), result.version))
        # Probes that are late, or never come, hold nobody up.
        ranked = sorted(self._scored, key=lambda kept: -kept.score)
        if len(ranked) >= self.top:
            self._best = [kept.task for kept in ranked[: self.top] if kept.score > 0]

    def _state(self) -> Any:
        return {
            "turn": self._turn,
            "scored": [kept.to_dict() for kept in self._scored],
            "best": [task.to_dict() for task in self._best],
        }

    def _restore(self, own: Any) -> None:
        turn = int(own["turn"])
        scored = [_Kept.from_dict(record) for record in own["scored"]]
        best = [TaskRef.from_dict(record) for record in own["best"]]
        self._turn, self._scored, self._best = turn, scored, best


class KeepHardest(_Replay):
    """Comes back to the tasks that fail most, until they pass.

    With chance `replay` a task is one of those kept, each as likely, else a new one. The tasks of the lowest
    pass rates are kept; one that passes at a rate of `drop` or more is dropped.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several.
        replay: The chance that a task comes again.
        size: The most tasks kept.
        drop: The pass rate from which on a task is dropped.
        solvable: Whether only tasks that passed at least once are kept: what never passes teaches nothing.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.
    """

    name = "keep_hardest"

    def __init__(
        self,
        space: Space,
        *,
        replay: float = 0.5,
        size: int = 64,
        drop: float = 0.75,
        solvable: bool = False,
        rollouts: int = 8,
        seed: int = 0,
    ) -> None:
        super().__init__(space, rollouts=rollouts, seed=seed)
        self.replay = _checks.number("replay", replay, 0, 1)
        self.size = _checks.whole("size", size, 1, 1_000_000)
        self.drop = _checks.number("drop", drop, 0, 1)
        self.solvable = _checks.flag("solvable", solvable)
        self._kept: dict[str, _Kept] = {}

    def metrics(self) -> dict[str, float]:
        """Those of every scheduler, and `kept`, the number of tasks that are kept."""
        return super().metrics() | {"kept": float(len(self._kept))}

    def _choose(self) -> Choice:
        if self._kept and self._rng.random() < self.replay:
            kept = list(self._kept.values())
            return Choice(kept[int(self._rng.integers(len(kept)))].task, "replay")
        return Choice(self._new_task(), "new")

    def _learn(self, assignment: Assignment, result: Result) -> None:
        rate, key = result.pass_rate, assignment.task.key
        self._kept.pop(key, None)
        if rate >= self.drop or (self.solvable and not any(result.passed)):
            return
        self._kept[key] = _Kept(assignment.task, 1 - rate, result.version)
        if len(self._kept) > self.size:
            del self._kept[min(self._kept, key=lambda one: self._kept[one].score)]

    def _state(self) -> Any:
        return {"kept": [kept.to_dict() for kept in self._kept.values()]}

    def _restore(self, own: Any) -> None:
        kept = [_Kept.from_dict(record) for record in own["kept"]]
        self._kept = {one.task.key: one for one in kept}
