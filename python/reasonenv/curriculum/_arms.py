"""Schedulers that choose among settings regardless of their order."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reasonenv.curriculum._scheduler import Assignment, Choice, Scheduler, option
from reasonenv.parts import Result


def known_rate(pass_rate: float, guess_rate: float) -> float:
    """Pass rate corrected for guessing, from 0 to 1."""
    return min(1.0, max(0.0, (pass_rate - guess_rate) / (1 - guess_rate)))


def learnability(pass_rate: float, guess_rate: float = 0.0) -> float:
    """Estimate of how much a group teaches: q (1 − q), where q is the pass rate corrected for guessing.

    Args:
        pass_rate: Share of rollouts that passed.
        guess_rate: Pass rate of a blind policy, as in `Family.guess_rate`; below 1.
    """
    known = known_rate(pass_rate, guess_rate)
    return known * (1 - known)


class Uniform(Scheduler):
    """New tasks from a random track and, within it, a random setting."""

    name = "uniform"

    def _choose(self) -> Choice:
        return Choice(self._new_anywhere(), "new")


@dataclass(eq=False, kw_only=True)
class Stratified(Scheduler):
    """Batches that span the whole of each track: assignment `i` comes from slice `i % num_groups`.

    A track is cut into `num_groups` slices of neighboring settings, which are taken in turn; within a slice
    all settings are equally likely. With a sweep of `random_move_prob` this is the schedule of the
    tic-tac-toe course.

    Args:
        num_groups: Slices of each track; a shorter track has one slice per setting.
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
    """Thompson sampling: draw a pass rate for each setting and take the one with the most to teach.

    The pass rate is drawn from a Beta distribution over the rollouts that passed and failed; `learnability`
    of it says how much the setting teaches. Every result makes all beliefs a little vaguer, so that a setting
    that was too hard is tried again.

    Args:
        memory: Groups after which the weight of a result has fallen to 1/e; 1 forgets at once.
    """

    name = "thompson"
    memory: float = option(200.0, 1)
    _tallies: dict[str, tuple[float, float]] = field(init=False, repr=False, default_factory=dict)
    """Rollouts that passed and failed for each tried setting, by its key; older ones count less."""

    def metrics(self) -> dict[str, float]:
        """The common metrics, and `believed/TRACK`: the mean believed pass rate of each track."""
        passed, failed = self._beliefs
        means = dict(zip(self.settings, passed / (passed + failed), strict=True))
        return super().metrics() | {
            f"believed/{track.name}": float(np.mean([means[setting] for setting in track]))
            for track in self.tracks
        }

    @property
    def _beliefs(self) -> NDArray[np.float64]:
        """Parameters of the Beta distribution of each setting."""
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
    """Practice of weak skills: each setting is drawn in proportion to the failure rate of its skills.

    Families declare their skills (`Family.skills`); a task counts for all skills of its family. The failure
    rate of a skill is taken over about its last `memory` rollouts. While all skills fail equally often, all
    tracks are equally likely, however many skills they have.

    This distinguishes skills, not settings, so it helps little if difficulty varies along tracks: a hopeless
    level fails just like one that is about to be learned.

    Args:
        memory: Rollouts of a skill after which the weight of a result has fallen to 1/e.
    """

    name = "weakness"
    memory: float = option(400.0, 1)
    _tallies: dict[str, tuple[float, float]] = field(init=False, repr=False, default_factory=dict)
    """Failed rollouts, and all rollouts, of each tried skill; older ones count less."""

    @property
    def failing(self) -> dict[str, float]:
        """Failure rate of each skill, with a prior of two rollouts of which one failed."""
        skills = sorted({skill for skills in self._skills for skill in skills})
        tallies = {skill: self._tallies.get(skill, (0.0, 0.0)) for skill in skills}
        return {skill: (1 + failed) / (2 + tried) for skill, (failed, tried) in tallies.items()}

    def metrics(self) -> dict[str, float]:
        """The common metrics, and `failing/SKILL` for each skill."""
        return super().metrics() | {f"failing/{skill}": share for skill, share in self.failing.items()}

    @cached_property
    def _skills(self) -> list[tuple[str, ...]]:
        """Skills of each setting."""
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
