"""The parts of a reward: what each one measures, over many verdicts at once."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Verdicts

__all__ = ["FORMAT_FAILURES", "MEASURED", "PARTS", "measure"]

PARTS = {
    "correct": "1 where the completion passed, else 0",
    "partial": "the verdict's score: partial credit from 0 to 1, which is 1 exactly where it passed",
    "format": "1 where an answer could be read in the form that was asked for, else 0",
    "length": "minus the length of the completion in thousands of characters, or of the caller's own units",
    "outcome": "what a game returned, as the caller measured it",
    "process": "the share of steps that hold, as the caller measured it",
    "invalid": "minus the invalid moves, as the caller counted them",
    "regret": "minus the value that moves gave away, as the caller measured it",
    "cost": "minus what was spent, as the caller measured it",
}
"""Every part that no judge measures. What counts against a completion is negative, so that no weight has to be."""

MEASURED = ("outcome", "process", "invalid", "regret", "cost")
"""The parts that the caller measures."""

FORMAT_FAILURES = frozenset(
    {
        "no_answer",
        "missing_or_broken_tags",
        "extra_text_outside_tags",
        "fenced",
        "hedged",
        "truncated",
        "answer_too_long",
        "malformed_answer",
    }
)
"""The failure labels that say that no answer could be read in the form that was asked for."""

_AGAINST = ("length", "invalid", "regret", "cost")


def measure(
    name: str,
    verdicts: Verdicts,
    texts: Sequence[str] | None,
    lengths: ArrayLike | None,
    measured: Mapping[str, ArrayLike | None],
) -> NDArray[np.float64]:
    """One part of every verdict: float64, shape (n,)."""
    if name == "correct":
        return verdicts.passed.astype(np.float64)
    if name == "partial":
        return verdicts.score.astype(np.float64)
    if name == "format":
        readable = (FORMAT_FAILURES.isdisjoint(labels) for labels in verdicts.failures)
        return np.fromiter(readable, np.float64, len(verdicts))
    if name == "length":
        return -_lengths(texts, lengths, len(verdicts))
    if name in MEASURED:
        given = measured.get(name)
        if given is None:
            msg = f"the reward has the part `{name}`, which is the caller's: give `{name}=`"
            raise InvalidArgument(msg)
        values = _column(name, given, len(verdicts))
        return -values if name in _AGAINST else values
    judged = verdicts.parts.get(name)
    if judged is None:
        # A judge's part that no row has: of other families, perhaps.
        return np.zeros(len(verdicts))
    return np.nan_to_num(judged.astype(np.float64), nan=0.0)


def _lengths(texts: Sequence[str] | None, lengths: ArrayLike | None, count: int) -> NDArray[np.float64]:
    """The lengths of completions in units: the caller's own, or thousands of characters."""
    if lengths is not None:
        return _column("lengths", lengths, count)
    if texts is None:
        msg = "the reward has the part `length`: give the completions as `texts`, or `lengths`"
        raise InvalidArgument(msg)
    if isinstance(texts, str) or len(texts) != count:
        msg = f"`texts` is {_checks.shown(texts)}, but must be the {count} completions of the verdicts"
        raise InvalidArgument(msg)
    return np.fromiter((len(text) for text in texts), np.float64, count) / 1000


def _column(name: str, given: ArrayLike, count: int) -> NDArray[np.float64]:
    """A number for each verdict."""
    try:
        values = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    values = np.atleast_1d(values)
    if values.shape != (count,) or not np.isfinite(values).all():
        msg = f"`{name}` is {_checks.shown(given)}, but must be a finite number for each of the {count} verdicts"
        raise InvalidArgument(msg)
    return values
