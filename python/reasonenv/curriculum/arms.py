"""Schedulers that weigh settings against each other, whatever their order."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.curriculum.scheduler import Assignment, Choice, Result, Scheduler
from reasonenv.curriculum.tracks import Space

__all__ = ["Stratified", "Thompson", "Uniform", "Weakness", "learnability"]


def learnability(pass_rate: float, guess_rate: float = 0.0) -> float:
    """How much a group is likely to teach: q (1 − q), q being the pass rate less what guessing passes.

    Args:
        pass_rate: Share of rollouts that passed.
        guess_rate: What a blind policy passes, as `Family.guess_rate` has it; below 1.
    """
    known = min(1.0, max(0.0, (pass_rate - guess_rate) / (1 - guess_rate)))
    return known * (1 - known)


class Uniform(Scheduler):
    """New tasks; each track is as likely as the others, and so is each of its settings."""

    name = "uniform"

    def _choose(self) -> Choice:
        track = self.tracks[int(self._rng.integers(len(self.tracks)))]
        return Choice(self._new(self._any(track.settings)), "new")


class Stratified(Scheduler):
    """Every batch spans the whole of each track: assignment `i` is of slice `i % num_groups`.

    A track is cut into `num_groups` slices of neighbouring settings, which are taken in turn; within a slice
    each setting is as likely. With a sweep of `random_move_prob` this is the schedule of the tic-tac-toe
    course.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several.
        num_groups: Slices of each track; one of fewer settings has a slice for each.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.
    """

    name = "stratified"

    def __init__(self, space: Space, *, num_groups: int = 4, rollouts: int = 8, seed: int = 0) -> None:
        super().__init__(space, rollouts=rollouts, seed=seed)
        self.num_groups = _checks.whole("num_groups", num_groups, 1)
        self._turn = 0

    def _choose(self) -> Choice:
        turn, group = divmod(self._turn, self.num_groups)
        self._turn += 1
        track = self.tracks[turn % len(self.tracks)]
        slices = min(self.num_groups, len(track))
        group %= slices
        low, high = (len(track) * at // slices for at in (group, group + 1))
        return Choice(self._new(self._any(track[low:high])), f"group {group}")

    def _state(self) -> Any:
        return {"turn": self._turn}

    def _restore(self, own: Any) -> None:
        self._turn = int(own["turn"])


class Thompson(Scheduler):
    """Draws a pass rate for each setting from what is believed of it, and takes the one that teaches most.

    The belief is a Beta distribution of the rollouts that passed and failed; what a group teaches is
    `learnability`. Every group that is told makes all beliefs a little vaguer, so that a setting that was too
    hard is tried again.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several.
        memory: Groups after which a result counts for 1/e: 1 forgets at once.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.
    """

    name = "thompson"

    def __init__(self, space: Space, *, memory: float = 200, rollouts: int = 8, seed: int = 0) -> None:
        super().__init__(space, rollouts=rollouts, seed=seed)
        self.memory = _checks.number("memory", memory, 1)
        self._passed = np.zeros(len(self.settings))
        self._failed = np.zeros(len(self.settings))
        self._guess = np.array([setting.guess_rate for setting in self.settings])

    def metrics(self) -> dict[str, float]:
        """Those of every scheduler, and `believed/TRACK`: each track's mean believed pass rate."""
        means = (1 + self._passed) / (2 + self._passed + self._failed)
        ends = np.cumsum([len(track) for track in self.tracks])[:-1]
        parts = zip(self.tracks, np.split(means, ends), strict=True)
        return super().metrics() | {f"believed/{track.name}": float(part.mean()) for track, part in parts}

    def _choose(self) -> Choice:
        drawn = self._rng.beta(1 + self._passed, 1 + self._failed)
        known = np.clip((drawn - self._guess) / (1 - self._guess), 0.0, 1.0)
        return Choice(self._new(self.settings[int(np.argmax(known * (1 - known)))]), "new")

    def _learn(self, assignment: Assignment, result: Result) -> None:
        kept = 1 - 1 / self.memory
        self._passed *= kept
        self._failed *= kept
        number = self._numbers[assignment.task.setting]
        passed = sum(result.passed)
        self._passed[number] += passed
        self._failed[number] += len(result.passed) - passed

    def _state(self) -> Any:
        return {"passed": self._passed.tolist(), "failed": self._failed.tolist()}

    def _restore(self, own: Any) -> None:
        self._passed, self._failed = (_column(own[name], len(self.settings)) for name in ("passed", "failed"))


class Weakness(Scheduler):
    """Practises the skills that fail: each is drawn in proportion to its failures.

    A skill is what families name as such (`Family.skills`); a task counts for all of its family's. The share
    of rollouts that failed is remembered over the last `memory` rollouts or so of a skill.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several.
        memory: Rollouts of a skill after which a result counts for 1/e.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.
    """

    name = "weakness"

    def __init__(self, space: Space, *, memory: float = 400, rollouts: int = 8, seed: int = 0) -> None:
        super().__init__(space, rollouts=rollouts, seed=seed)
        self.memory = _checks.number("memory", memory, 1)
        self._skills = sorted({skill for setting in self.settings for skill in setting.skills})
        self._with = {skill: [one for one in self.settings if skill in one.skills] for skill in self._skills}
        self._tried = dict.fromkeys(self._skills, 0.0)
        self._failed = dict.fromkeys(self._skills, 0.0)

    @property
    def failing(self) -> dict[str, float]:
        """The share of rollouts that failed for each skill, as if two had been seen, one of which failed."""
        return {skill: (1 + self._failed[skill]) / (2 + self._tried[skill]) for skill in self._skills}

    def metrics(self) -> dict[str, float]:
        """Those of every scheduler, and `failing/SKILL` for each skill."""
        return super().metrics() | {f"failing/{skill}": share for skill, share in self.failing.items()}

    def _choose(self) -> Choice:
        shares = np.array([*self.failing.values()])
        skill = self._skills[draw(self._rng, shares)]
        return Choice(self._new(self._any(self._with[skill])), skill)

    def _learn(self, assignment: Assignment, result: Result) -> None:
        kept = (1 - 1 / self.memory) ** len(result.passed)
        failed = len(result.passed) - sum(result.passed)
        for skill in assignment.task.setting.skills:
            self._tried[skill] = self._tried[skill] * kept + len(result.passed)
            self._failed[skill] = self._failed[skill] * kept + failed

    def _state(self) -> Any:
        return {"tried": dict(self._tried), "failed": dict(self._failed)}

    def _restore(self, own: Any) -> None:
        tried, failed = (
            {skill: float(own[name][skill]) for skill in self._skills} for name in ("tried", "failed")
        )
        self._tried, self._failed = tried, failed


def draw(rng: np.random.Generator, weights: NDArray[np.float64]) -> int:
    """A place drawn in proportion to weights of at least 0, some of them above."""
    ends = np.cumsum(weights)
    if not ends[-1] > 0:
        msg = f"the weights are {_checks.shown(weights.tolist())}, but some must be above 0"
        raise InvalidArgument(msg)
    return int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))


def _column(given: Any, count: int) -> NDArray[np.float64]:
    column = np.array(given, dtype=np.float64)
    if column.shape != (count,) or not np.isfinite(column).all() or (column < 0).any():
        raise ValueError("it has a count that is missing or no number")
    return column
