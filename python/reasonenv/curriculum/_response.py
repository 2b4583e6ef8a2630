"""Item response theory: the chance to pass a task, from ability, difficulty and the share of a hint.

The log-odds of passing are `ability + relief · hint − difficulty`, above a guess rate. The difficulty of a
task is that of its setting plus a deviation of its own, and abilities change from round to round.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[np.float64]

_STEPS = 25
_LARGEST_STEP = 2.0

_ABILITY = 3.0
_DRIFT = 0.5
_RELIEF = (4.0, 2.0)
_SLOPE = 1.5
_SETTING = 2.0
_TASK = 0.7
"""Prior deviations in log-odds: of an ability, of its change in a round, of a hint's relief (after its mean),
of a setting's difficulty (around `_SLOPE` times its position) and of a task within its setting."""


@dataclass(frozen=True)
class Observation:
    """The outcome of one group."""

    task: int
    """Number of the task."""
    hint: float
    """Share of the solution that was shown."""
    passed: int
    rollouts: int
    round: int


@dataclass(frozen=True)
class Layout:
    """Settings of tasks, and tracks of settings."""

    setting: NDArray[np.intp]
    """Setting of each task."""
    track: NDArray[np.intp]
    """Track of each setting."""
    position: NDArray[np.intp]
    """Position of each setting in its track."""
    guess: _Array
    """Guess rate of each setting."""

    @property
    def tracks(self) -> int:
        """Number of tracks."""
        return int(self.track.max()) + 1


@dataclass(frozen=True)
class Response:
    """Fitted parameters, in log-odds."""

    layout: Layout
    ability: _Array
    """Present ability in each track."""
    relief: _Array
    """Relief of a hint that shows the whole solution, for each track."""
    difficulty: _Array
    """Difficulty of each task."""

    def chance(self, task: int, hint: float | _Array) -> _Array:
        """Probability of passing a task with a share of its solution shown."""
        setting = self.layout.setting[task]
        track = self.layout.track[setting]
        odds = self.ability[track] + self.relief[track] * np.asarray(hint) - self.difficulty[task]
        guess = self.layout.guess[setting]
        chance: _Array = guess + (1 - guess) * logistic(odds)
        return chance


@dataclass(frozen=True)
class Outcomes:
    """Counts of passes, each with what its chance depends on."""

    design: _Array
    """Log-odds of each outcome are its row times the parameters."""
    passed: _Array
    rollouts: _Array
    guess: _Array


def fit(layout: Layout, seen: Sequence[Observation]) -> Response:
    """Fit the most probable parameters to outcomes."""
    rounds = sorted({one.round for one in seen}) or [0]
    tracks, settings, tasks = layout.tracks, len(layout.track), len(layout.setting)
    relief_at = tracks * len(rounds)
    setting_at = relief_at + tracks
    task_at = setting_at + settings
    prior, mean = _prior(layout, rounds, task_at + tasks)
    values = mean
    if seen:
        task = np.array([one.task for one in seen])
        setting = layout.setting[task]
        track = layout.track[setting]
        when = np.searchsorted(rounds, [one.round for one in seen])
        rows = np.arange(len(seen))
        design = np.zeros((len(seen), len(mean)))
        design[rows, track * len(rounds) + when] = 1.0
        design[rows, relief_at + track] = [one.hint for one in seen]
        design[rows, setting_at + setting] = -1.0
        design[rows, task_at + task] = -1.0
        passed = np.array([one.passed for one in seen], dtype=np.float64)
        rollouts = np.array([one.rollouts for one in seen], dtype=np.float64)
        values, _ = most_probable(Outcomes(design, passed, rollouts, layout.guess[setting]), prior, mean)
    ability = values[:relief_at].reshape(tracks, len(rounds))[:, -1]
    difficulty = values[setting_at + layout.setting] + values[task_at:]
    return Response(layout, ability, values[relief_at:setting_at], difficulty)


def most_probable(seen: Outcomes, prior: _Array, mean: _Array) -> tuple[_Array, _Array]:
    """Return the most probable parameters, by Newton's method, and their covariance.

    Args:
        seen: The outcomes.
        prior: Precision matrix of the parameters before anything is seen.
        mean: Their means.
    """
    values, guess = mean.copy(), seen.guess
    for _ in range(_STEPS):
        known = logistic(seen.design @ values)
        chance = np.clip(guess + (1 - guess) * known, 1e-9, 1 - 1e-9)
        slope = (1 - guess) * known * (1 - known)
        pull = (seen.passed - seen.rollouts * chance) * slope / (chance * (1 - chance))
        weight = seen.rollouts * slope**2 / (chance * (1 - chance))
        precision = prior + (seen.design.T * weight) @ seen.design
        step = np.linalg.solve(precision, seen.design.T @ pull - prior @ (values - mean))
        values += np.clip(step, -_LARGEST_STEP, _LARGEST_STEP)
        if np.abs(step).max() < 1e-6:
            break
    return values, np.asarray(np.linalg.inv(precision), dtype=np.float64)


def _prior(layout: Layout, rounds: Sequence[int], size: int) -> tuple[_Array, _Array]:
    """Return the precision matrix and the means of all parameters."""
    precision, mean = np.zeros((size, size)), np.zeros(size)
    count = len(rounds)
    for track in range(layout.tracks):
        first = track * count
        precision[first, first] += _ABILITY**-2
        for at, apart in enumerate(np.diff(rounds), start=first):
            change = 1 / (_DRIFT**2 * apart)
            precision[at : at + 2, at : at + 2] += change * np.array([[1.0, -1.0], [-1.0, 1.0]])
    deviations = np.concatenate(
        [
            np.full(layout.tracks, _RELIEF[1]),
            np.full(len(layout.track), _SETTING),
            np.full(len(layout.setting), _TASK),
        ]
    )
    rest = np.arange(layout.tracks * count, size)
    precision[rest, rest] = deviations**-2
    mean[rest[: layout.tracks]] = _RELIEF[0]
    mean[rest[layout.tracks : layout.tracks + len(layout.track)]] = _SLOPE * layout.position
    return precision, mean


def logistic(odds: _Array) -> _Array:
    found: _Array = 1 / (1 + np.exp(-np.clip(odds, -40, 40)))
    return found
