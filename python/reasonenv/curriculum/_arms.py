"""Schedulers that weigh settings against each other, whatever their order."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reasonenv.curriculum._scheduler import Assignment, Choice, Scheduler, option
from reasonenv.parts import Result


def known_rate(pass_rate: float, guess_rate: float) -> float:
    """The pass rate less what guessing passes, from 0 to 1."""
    return min(1.0, max(0.0, (pass_rate - guess_rate) / (1 - guess_rate)))


def learnability(pass_rate: float, guess_rate: float = 0.0) -> float:
    """How much a group is likely to teach: q (1 − q), q being the pass rate less what guessing passes.

    Args:
        pass_rate: Share of rollouts that passed.
        guess_rate: What a blind policy passes, as `Family.guess_rate` has it; below 1.
    """
    known = known_rate(pass_rate, guess_rate)
    return known * (1 - known)


class Uniform(Scheduler):
    """New tasks; each track is as likely as the others, and so is each of its settings."""

    name = "uniform"

    def _choose(self) -> Choice:
        return Choice(self._new_anywhere(), "new")


@dataclass(eq=False, kw_only=True)
class Stratified(Scheduler):
    """Every batch spans the whole of each track: assignment `i` is of slice `i % num_groups`.

    A track is cut into `num_groups` slices of neighboring settings, which are taken in turn; within a slice
    each setting is as likely. With a sweep of `random_move_prob` this is the schedule of the tic-tac-toe
    course.

    Args:
        num_groups: Slices of each track; one of fewer settings has a slice for each.
    """

    name = "stratified"
    num_groups: int = option(4, 1)
    _turn: int = field(init=False, repr=False, default=0)

    def _choose(self) -> Choice:
        turn, group = divmod(self._turn, self.num_groups)
        self._turn += 1
        track = self.tracks[turn % len(self.tracks)]
        slices = min(self.num_groups, len(track))
        group %= slices
        low, high = (len(track) * at // slices for at in (group, group + 1))
        return Choice(self._new(self._any(track[low:high])), f"group {group}")


@dataclass(eq=False, kw_only=True)
class Thompson(Scheduler):
    """Draws a pass rate for each setting from what is believed of it, and takes the one that teaches most.

    The belief is a Beta distribution of the rollouts that passed and failed; what a group teaches is
    `learnability`. Every group that is told makes all beliefs a little vaguer, so that a setting that was too
    hard is tried again.

    Args:
        memory: Groups after which a result counts for 1/e: 1 forgets at once.
    """

    name = "thompson"
    memory: float = option(200.0, 1)
    _tallies: dict[str, tuple[float, float]] = field(init=False, repr=False, default_factory=dict)
    """What passed and what failed of each setting that was tried, by its key; older rollouts count less."""

    def metrics(self) -> dict[str, float]:
        """The metrics of every scheduler, and `believed/TRACK`: each track's mean believed pass rate."""
        passed, failed = self._beliefs
        means = dict(zip(self.settings, passed / (passed + failed), strict=True))
        return super().metrics() | {
            f"believed/{track.name}": float(np.mean([means[setting] for setting in track]))
            for track in self.tracks
        }

    @property
    def _beliefs(self) -> NDArray[np.float64]:
        """The two parameters of each setting's Beta distribution."""
        tallies = [self._tallies.get(setting.key, (0.0, 0.0)) for setting in self.settings]
        return 1 + np.array(tallies).T

    @cached_property
    def _guess_rates(self) -> NDArray[np.float64]:
        return np.array([setting.guess_rate for setting in self.settings])

    def _choose(self) -> Choice:
        drawn = self._rng.beta(*self._beliefs)
        known = np.clip((drawn - self._guess_rates) / (1 - self._guess_rates), 0.0, 1.0)
        return Choice(self._new(self.settings[int(np.argmax(known * (1 - known)))]), "new")

    def _learn(self, assignment: Assignment, result: Result) -> None:
        kept = 1 - 1 / self.memory
        for key, (passed, failed) in self._tallies.items():
            self._tallies[key] = (kept * passed, kept * failed)
        key, more = assignment.task.setting.key, sum(result.passed)
        passed, failed = self._tallies.get(key, (0.0, 0.0))
        self._tallies[key] = (passed + more, failed + len(result.passed) - more)


@dataclass(eq=False, kw_only=True)
class Weakness(Scheduler):
    """Practices the skills that fail: each setting is drawn in proportion to the failures of its skills.

    A skill is what families name as such (`Family.skills`); a task counts for all of its family's. The share
    of rollouts that failed is remembered over the last `memory` rollouts or so of a skill. While all skills
    fail alike, each track is as likely as the others, however many skills it has.

    It tells skills apart and not settings, so it saves little where difficulty lies along tracks: a level
    that is hopeless fails as one does that is about to be learnt.

    Args:
        memory: Rollouts of a skill after which a result counts for 1/e.
    """

    name = "weakness"
    memory: float = option(400.0, 1)
    _tallies: dict[str, tuple[float, float]] = field(init=False, repr=False, default_factory=dict)
    """What failed, and all rollouts, of each skill that was tried; older rollouts count less."""

    @property
    def failing(self) -> dict[str, float]:
        """The share of rollouts that failed for each skill, as if two had been seen, one of which failed."""
        skills = sorted({skill for skills in self._skills for skill in skills})
        tallies = {skill: self._tallies.get(skill, (0.0, 0.0)) for skill in skills}
        return {skill: (1 + failed) / (2 + tried) for skill, (failed, tried) in tallies.items()}

    def metrics(self) -> dict[str, float]:
        """The metrics of every scheduler, and `failing/SKILL` for each skill."""
        return super().metrics() | {f"failing/{skill}": share for skill, share in self.failing.items()}

    @cached_property
    def _skills(self) -> list[tuple[str, ...]]:
        """The skills of each setting."""
        return [setting.skills for setting in self.settings]

    def _choose(self) -> Choice:
        failing = self.failing
        failures = [sum(failing[skill] for skill in skills) / len(skills) for skills in self._skills]
        shares = [1 / len(self._places[setting].track) for setting in self.settings]
        return Choice(self._new(self.settings[self._draw(np.multiply(failures, shares))]), "new")

    def _learn(self, assignment: Assignment, result: Result) -> None:
        more = len(result.passed)
        kept = (1 - 1 / self.memory) ** more
        for skill in assignment.task.setting.skills:
            failed, tried = self._tallies.get(skill, (0.0, 0.0))
            self._tallies[skill] = (failed * kept + more - sum(result.passed), tried * kept + more)
