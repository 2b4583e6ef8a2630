"""Synthetic students, for comparing schedulers without a model.

No task is made and no text is verified: a student is a few numbers that determine its pass rates. It shows
whether a scheduler finds the tasks that teach, and how soon; it cannot show that a language model learns in
the same way.
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
"""Change in a task's difficulty by one mutation."""


class Student:
    """A logistic ability for each track, which grows with every mixed group.

    Assumptions:

    1. One number per track, the ability θ, describes the student. It solves a task of difficulty d with
       probability σ(1.5 (θ − d)), and otherwise guesses right with the family's guess rate.
    2. The settings of a track have the difficulties 0, 1, 2 and so on. Tasks of one setting differ by a
       normal deviate with deviation 0.4 that depends only on the task.
    3. A mixed group teaches: if k of K rollouts were solved, θ grows by 0.04 · 4 (k/K)(1 − k/K). Lucky
       guesses teach nothing, and neither do assignments that are not trained on.
    4. A hint that shows the share f lowers the difficulty by 3 f and the learning by the share f.
    5. Nothing is forgotten, and tracks do not help each other.
    6. Initially θ is normal with mean 0 and deviation 0.5.

    Args:
        space: Tracks of the scheduler.
        seed: Seed of the initial abilities and all outcomes.
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
        """Mean difficulty of the tasks of a setting."""
        return float(position)

    def known(self, track: int, difficulty: float) -> float:
        """Probability of solving a task without guessing."""
        return 1.0 / (1.0 + math.exp(-self.slope * (self.abilities[track] - difficulty)))

    def attempt(self, assignment: Assignment) -> Result:
        """Do an assignment, and learn from it if it is for training."""
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
        """Difficulty of a task relative to its setting, without hints."""
        base = f"{task.family}/{task.seed}/{task.index}"
        offset = self._offsets.get(base)
        if offset is None:
            word = int.from_bytes(hashlib.sha256(base.encode()).digest()[:6], "big")
            offset = self._offsets[base] = self.spread * _NORMAL.inv_cdf((word + 0.5) / 2**48)
        return offset + sum(_EDITS[aim] for aim, _ in task.edits)

    def top_chances(self) -> list[float]:
        """Probability of solving the hardest setting of each track."""
        hardest = [0.0] * len(self.tracks)
        for track, difficulty in self._place.values():
            hardest[track] = max(hardest[track], difficulty)
        return [self.known(track, difficulty) for track, difficulty in enumerate(hardest)]

    def mastered(self) -> bool:
        """True if the hardest setting of every track is solved with probability 0.8 or more."""
        return min(self.top_chances()) >= 0.8


class ForgetfulStudent(Student):
    """A student that violates assumption 5: each group that teaches one track costs the others a little.

    A group takes 0.00008 · θ from each other track, so that an unused one loses 8 % in 1,000 groups.
    """

    name = "forgetful"
    fade = 0.00008

    def _learn(self, track: int, setting: Setting, mixed: float) -> None:
        super()._learn(track, setting, mixed)
        for other in range(len(self.abilities)):
            if other != track:
                self.abilities[other] -= self.fade * max(0.0, self.abilities[other])


class UnevenStudent(Student):
    """A student that violates assumption 2: levels say little about difficulty.

    Neighboring settings are swapped in difficulty with a probability of one half, steps between them range
    from 0.25 to 1.75, and tasks of one setting have a deviation of 0.8.
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
    """A student for which `Uniform` should win: the verifier of one setting in three tosses a coin.

    Every third setting, from the second one on and without the last, passes half of its rollouts whatever the
    ability, and teaches nothing. Groups there stay mixed forever, which misleads a scheduler that looks for
    mixed groups and blocks one that waits for a pass rate. `Uniform` only loses one group in three.
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
"""The students by name. Schedulers should beat `Uniform` on all of them except the last."""


def steps_to_mastery(
    scheduler: Scheduler,
    student: Student,
    *,
    groups: int = 16,
    most: int = 1000,
    rival: Student | None = None,
    on_step: Callable[[int], None] | None = None,
) -> int:
    """Count the training steps until a student has mastered every track; `most` if it never does.

    A step asks for `groups` assignments, does them, tells the results, and counts as one version of the
    policy. Groups that are not trained on count as well, because they cost as much.

    Args:
        scheduler: Scheduler that chooses the tasks.
        student: Student that does them; in a pair of policies, the protagonist.
        groups: Assignments per step.
        most: Steps after which to give up.
        rival: Student that does the assignments with the source "antagonist", if there are any.
        on_step: Callback with the number of each step.
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
