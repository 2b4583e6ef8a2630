"""Rewards of reasoning steps: what each of them brings."""

from collections.abc import Sequence
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from reasonenv import _checks
from reasonenv._native import InvalidArgument, StepVerdict

Process = Literal["progress", "delta", "clip", "mean"]
"""Measure of reasoning steps."""

PAID_BY_STEP = ("delta", "clip")
"""Measures that pay a step when it is taken."""


def process_rewards(
    steps: Sequence[StepVerdict] | Sequence[float], process: Process = "delta"
) -> NDArray[np.float64]:
    """Rewards of the reasoning steps of one solution; their sum is the part `process` of a reward.

    "delta" pays each advancing step its share of the way to the end. "progress" pays the same in one sum with
    the last step. "clip" pays like "delta", but a false step uses up the share of the next one that advances.
    "mean" pays each true step the same. Where a false claim is easily guessed, such as a number of a grid, it
    takes back a share under "progress" and "delta", so that listing every value of every cell earns nothing.

    Args:
        steps: Output of `Task.verify_steps`, or the scores of a judge of your own, from 0 to 1: how far the
            solution has come with each step. A score below the one before counts as a false step; "mean" is
            the mean of the scores.
        process: The measure.

    Returns:
        A float64 array with one number per step.

    Raises:
        InvalidArgument: `steps` are neither verdicts nor such scores, or `process` is unknown.
    """
    _checks.one_of("process", process, get_args(Process))
    if isinstance(steps, str | bytes) or not isinstance(steps, Sequence | np.ndarray):
        msg = f"`steps` is {_checks.shown(steps)}, but must be verdicts on steps, or a score for each"
        raise InvalidArgument(msg)
    if all(isinstance(step, StepVerdict) for step in steps):
        verdicts = cast("Sequence[StepVerdict]", steps)
        scores = [verdict.progress for verdict in verdicts]
        return measured_steps(scores, [verdict.holds for verdict in verdicts], process)
    scores = [_checks.number(f"steps[{i}]", score, 0, 1) for i, score in enumerate(steps)]
    return measured_steps(scores, None, process)


def measured_steps(
    scores: Sequence[float], true: Sequence[bool] | None, process: Process
) -> NDArray[np.float64]:
    """The same of the progress after each step, and of which are true; None: those that don't fall."""
    way = np.asarray(scores, np.float64)
    if process == "mean":
        return (way if true is None else np.asarray(true, np.float64)) / max(1, len(way))
    best = np.maximum.accumulate(way) if len(way) else way
    # The scores of your own judge may fall; verdicts take back only what false claims cost.
    gains = np.diff(best if true is None or process == "clip" else way, prepend=0.0)
    if process == "progress" and len(way):
        gains = np.append(np.zeros(len(way) - 1), gains.sum())
    if process == "clip":
        false = np.diff(way, prepend=0.0) < 0 if true is None else ~np.asarray(true, np.bool_)
        owed = 0
        for at, gain in enumerate(gains):
            if false[at]:
                owed += 1
            if gain > 0 and owed:
                owed -= 1
                gains[at] = 0.0
    return gains
