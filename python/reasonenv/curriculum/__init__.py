"""Curricula: what decides the next task."""

from reasonenv.curriculum.hints import with_hint
from reasonenv.curriculum.refs import Setting, TaskRef
from reasonenv.curriculum.scheduler import Assignment, Result, Scheduler
from reasonenv.curriculum.tracks import Track, hints, levels, sweep
from reasonenv.curriculum.uniform import Uniform

__all__ = [
    "Assignment",
    "Result",
    "Scheduler",
    "Setting",
    "TaskRef",
    "Track",
    "Uniform",
    "hints",
    "levels",
    "sweep",
    "with_hint",
]
