"""Synthetic students, to judge schedulers by without a model.

No task is made and no text is judged: a student is a few numbers, and passes with a chance that follows from
them. What it can show is whether a scheduler finds the tasks that teach, and how soon. What it cannot show is
whether a language model learns like that.
"""

import hashlib
import math
from collections.abc import Callable
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from reasonenv import _checks
from reasonenv.curriculum._refs import Setting, TaskRef
from reasonenv.curriculum._scheduler import Assignment, Scheduler
from reasonenv.curriculum._tracks import Space, as_tracks
from reasonenv.parts import Result

_NORMAL = NormalDist()

_EDITS = {"harder": 0.5, "same": 0.0, "easier": -0.5}
"""What one mutation adds to a task's difficulty."""


class Student:
    """A logistic ability for each track, which grows where groups are mixed.

    It is assumed that

    1. one number per track, the ability θ, says all; a task of difficulty d is known how to do with chance
       σ(1.5 (θ − d)), and guessed right with the family's guess rate otherwise;
    2. the settings of a track lie one apart in difficulty, in their order, from 0 on; tasks of one setting
       differ by a normal deviate of 0.4, which follows from the task alone;
    3. a group teaches as much as it is mixed: of K rollouts, k of which were known, θ grows by
       0.04 · 4 (k/K)(1 − k/K); a lucky guess teaches nothing, nor does an assignment not trained on;
    4. a hint that shows the share f takes 3 f off the difficulty and f off what is learnt;
    5. what is learnt stays, and helps no other track;
    6. at first θ is normal with mean 0 and deviation 0.5.

    Args:
        space: The tracks, as the scheduler has them.
        seed: Decides the first abilities and all passes.
    """

    name: ClassVar[str] = "logistic"
    slope = 1.5
    rate = 0.04
    spread = 0.4
    relief = 3.0

    def __init__(self, space: Space, *, seed: int = 0) -> None:
        self.tracks = as_tracks(space)
        self.seed = _checks.seed("seed", seed)
        self._rng = np.random.Generator(np.random.PCG64([self.seed, 0x57D]))
        self.abilities = [float(ability) for ability in self._rng.normal(0.0, 0.5, len(self.tracks))]
        self._place = {
            setting.with_hint(0) if setting.hint else setting: (at, self._difficulty(at, position))
            for at, track in enumerate(self.tracks)
            for position, setting in enumerate(track)
        }
        self._guess = {setting: setting.guess_rate for setting in self._place}
        self._offsets: dict[str, float] = {}
        self.version = 0

    def _difficulty(self, track: int, position: int) -> float:  # noqa: ARG002  other students look at it
        """How difficult the tasks of a setting are on the whole."""
        return float(position)

    def known(self, track: int, difficulty: float) -> float:
        """The chance to know how to do a task."""
        return 1.0 / (1.0 + math.exp(-self.slope * (self.abilities[track] - difficulty)))

    def attempt(self, assignment: Assignment) -> Result:
        """Does an assignment, and learns from it if it is to."""
        task = assignment.task
        setting = task.setting.with_hint(0) if task.hint else task.setting
        track, difficulty = self._place[setting]
        rollouts = assignment.rollouts
        known = int(self._rng.binomial(rollouts, self._chance(task, setting, track, difficulty)))
        lucky = int(self._rng.binomial(rollouts - known, self._guess[setting]))
        if assignment.train:
            share = known / rollouts
            self._learn(track, setting, 4 * share * (1 - share) * (1 - task.hint))
        passed = known + lucky
        return Result(assignment, (True,) * passed + (False,) * (rollouts - passed), self.version)

    def _chance(self, task: TaskRef, setting: Setting, track: int, difficulty: float) -> float:  # noqa: ARG002
        return self.known(track, difficulty + self._offset(task) - self.relief * task.hint)

    def _learn(self, track: int, setting: Setting, mixed: float) -> None:  # noqa: ARG002
        self.abilities[track] += self.rate * mixed

    def _offset(self, task: TaskRef) -> float:
        """How much more difficult a task is than its setting on the whole; hints aside."""
        base = f"{task.family}/{task.seed}/{task.index}"
        offset = self._offsets.get(base)
        if offset is None:
            word = int.from_bytes(hashlib.sha256(base.encode()).digest()[:6], "big")
            offset = self._offsets[base] = self.spread * _NORMAL.inv_cdf((word + 0.5) / 2**48)
        return offset + sum(_EDITS[aim] for aim, _ in task.edits)

    def top_chances(self) -> list[float]:
        """The chance to know how to do the hardest setting of each track."""
        hardest = [0.0] * len(self.tracks)
        for track, difficulty in self._place.values():
            hardest[track] = max(hardest[track], difficulty)
        return [self.known(track, difficulty) for track, difficulty in enumerate(hardest)]

    def mastered(self) -> bool:
        """Whether the hardest setting of every track is known with a chance of 0.8 or more."""
        return min(self.top_chances()) >= 0.8


class ForgetfulStudent(Student):
    """A student who breaks assumption 5: each group that teaches a track takes a little of all the others.

    A group takes 0.00008 · θ of each other track, so that one left alone for 1,000 groups loses 8 %.
    """

    name = "forgetful"
    fade = 0.00008

    def _learn(self, track: int, setting: Setting, mixed: float) -> None:
        super()._learn(track, setting, mixed)
        for other in range(len(self.abilities)):
            if other != track:
                self.abilities[other] -= self.fade * max(0.0, self.abilities[other])


class UnevenStudent(Student):
    """A student who breaks assumption 2: levels say little about difficulty.

    Neighbouring settings are swapped in difficulty with a chance of one half, steps between them are of 0.25
    to 1.75, and tasks of one setting differ by a deviate of 0.8.
    """

    name = "uneven"
    spread = 0.8

    def _difficulty(self, track: int, position: int) -> float:
        rng = np.random.Generator(np.random.PCG64([self.seed, track, 0x0DD]))
        count = len(self.tracks[track])
        ladder = np.concatenate([[0.0], np.cumsum(rng.uniform(0.25, 1.75, count - 1))])
        for lower in range(0, count - 1, 2):
            if rng.random() < 0.5:
                ladder[[lower, lower + 1]] = ladder[[lower + 1, lower]]
        return float(ladder[position])


class CoinStudent(Student):
    """A student for whom uniform should win: the judge of one setting in three tosses a coin.

    In the middle of each track and from there every third setting passes one rollout in two, whatever the
    ability, and teaches nothing. Groups there are mixed for ever: a scheduler that looks for mixed groups
    finds these, and one that waits for a pass rate waits there for ever. Uniform loses one group in three.
    """

    name = "coin"

    def __init__(self, space: Space, *, seed: int = 0) -> None:
        super().__init__(space, seed=seed)
        self._coins = {
            setting
            for track in self.tracks
            for at, setting in enumerate(track)
            if at % 3 == 1 and at + 1 < len(track)
        }

    def _chance(self, task: TaskRef, setting: Setting, track: int, difficulty: float) -> float:
        return 0.5 if setting in self._coins else super()._chance(task, setting, track, difficulty)

    def _learn(self, track: int, setting: Setting, mixed: float) -> None:
        if setting not in self._coins:
            super()._learn(track, setting, mixed)


STUDENTS: dict[str, type[Student]] = {
    student.name: student for student in (Student, ForgetfulStudent, UnevenStudent, CoinStudent)
}
"""The students by name. Schedulers are made for all of them but the last, where uniform should win."""


def steps_to_mastery(
    scheduler: Scheduler,
    student: Student,
    *,
    groups: int = 16,
    most: int = 1000,
    rival: Student | None = None,
    on_step: Callable[[int], None] | None = None,
) -> int:
    """Steps of training until a student has mastered every track; `most` where it has not by then.

    A step asks for some groups, does them, tells what came of them, and counts one version of the policy.
    Groups that are not trained on count like the others: they cost as much.

    Args:
        scheduler: Chooses the tasks.
        student: Does them; of a pair of policies it is the one to be trained.
        groups: Assignments per step.
        most: Steps after which to give up.
        rival: Does the assignments whose source is "antagonist", where the scheduler makes such.
        on_step: Called with the number of each step.
    """
    for step in range(1, most + 1):
        asked = scheduler.ask(groups)
        doers = [rival if rival is not None and one.source == "antagonist" else student for one in asked]
        scheduler.tell(doer.attempt(one) for doer, one in zip(doers, asked, strict=True))
        student.version += 1
        if rival is not None:
            rival.version += 1
        if on_step is not None:
            on_step(step)
        if student.mastered():
            return step
    return most
