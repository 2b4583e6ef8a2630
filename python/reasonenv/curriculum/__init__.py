"""Curricula: schedulers that decide which task comes next.

A scheduler chooses among settings (the arguments of an environment), which tracks order by difficulty. It
names each task by a `TaskRef`, a value that makes the same task anywhere:

>>> from reasonenv import curriculum
>>> scheduler = curriculum.make("threshold", ["chain_sum", "sudoku"], seed=0)
>>> assignments = scheduler.ask(4)
>>> assignments[0].task.task().verify("no idea").passed
False
>>> scheduler.tell([curriculum.Result(one, [True] * one.rollouts) for one in assignments])
"""

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from reasonenv import _checks
from reasonenv.curriculum._arms import Stratified, Thompson, Uniform, Weakness, learnability
from reasonenv.curriculum._climb import Ladder, RlveWindow, Threshold
from reasonenv.curriculum._guided import Guide, HintIRT
from reasonenv.curriculum._hints import checklist, with_hint, with_text
from reasonenv.curriculum._pairs import HintRegret, Paired
from reasonenv.curriculum._refs import Setting, TaskRef
from reasonenv.curriculum._replay import PLR, Accel, KeepHardest, Learnability
from reasonenv.curriculum._reverse import Reverse
from reasonenv.curriculum._scale import Scale, calibrate, published_scale
from reasonenv.curriculum._scheduler import Assignment, Choice, Scheduler, option
from reasonenv.curriculum._student import STUDENTS, Student, steps_to_mastery
from reasonenv.curriculum._tracks import Space, Track, hints, levels, sweep
from reasonenv.parts import Result

__all__ = [
    "PLR",
    "SCHEDULERS",
    "STUDENTS",
    "Accel",
    "Assignment",
    "Choice",
    "Guide",
    "HintIRT",
    "HintRegret",
    "KeepHardest",
    "Ladder",
    "Learnability",
    "Paired",
    "Result",
    "Reverse",
    "RlveWindow",
    "Scale",
    "Scheduler",
    "Setting",
    "Space",
    "Stratified",
    "Student",
    "TaskRef",
    "Thompson",
    "Threshold",
    "Track",
    "Uniform",
    "Weakness",
    "calibrate",
    "checklist",
    "hints",
    "learnability",
    "levels",
    "make",
    "option",
    "published_scale",
    "steps_to_mastery",
    "sweep",
    "with_hint",
    "with_text",
]

SCHEDULERS: Mapping[str, type[Scheduler]] = MappingProxyType(
    {
        scheduler.name: scheduler
        for scheduler in (
            Uniform,
            Threshold,
            RlveWindow,
            PLR,
            Accel,
            Learnability,
            Thompson,
            Stratified,
            Paired,
            KeepHardest,
            Weakness,
            Ladder,
            HintRegret,
            HintIRT,
            Guide,
            Reverse,
        )
    }
)
"""The schedulers by name."""


def make(name: str, space: Space, **arguments: Any) -> Scheduler:
    """Make a scheduler by name.

    Args:
        name: One of `SCHEDULERS`.
        space: One or several tracks, settings or names of families to choose from.
        **arguments: Arguments of the scheduler, such as `rollouts` and `seed`.

    Raises:
        UnknownName: The scheduler does not exist, or it has no such argument.
        ReasonEnvError: An argument is invalid; names it.
    """
    if name not in SCHEDULERS:
        raise _checks.unknown("scheduler", name, SCHEDULERS)
    kind = SCHEDULERS[name]
    known = list(inspect.signature(kind).parameters)[1:]
    for argument in arguments:
        if argument not in known:
            raise _checks.no_argument(f"scheduler `{name}`", argument, known)
    return kind(space, **arguments)
