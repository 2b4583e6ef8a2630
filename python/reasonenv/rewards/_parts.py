"""The parts of a reward, measured over many verdicts at once."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Verdict, Verdicts

LengthUnit = Literal["characters", "tokens"]
"""Unit in which the length of a completion is counted."""

PARTS = {
    "correct": "1 where the completion passed, else 0",
    "partial": "the verdict's score: partial credit from 0 to 1, which is 1 exactly where it passed",
    "format": "1 where the answer was in the form that was asked for, else 0",
    "length": "minus the length of the completion, in the reward's unit: thousands of characters by default",
    "outcome": "what a game returned, as the caller measured it",
    "process": "the share of the way to the end that the reasoning steps went, as the caller measured it",
    "true_steps": "the share of reasoning steps that hold, as the caller measured it",
    "invalid": "minus the invalid moves, as the caller counted them",
    "regret": "minus the value that moves gave away, as the caller measured it",
    "cost": "minus what was spent, as the caller measured it",
    "search": "1 where a search tool was called and every call was well-formed, as the caller measured it",
}
"""Parts that verifiers do not measure. Penalties are negative, so that no weight has to be."""

MEASURED = ("outcome", "process", "true_steps", "invalid", "regret", "cost", "search")
"""Parts that the caller measures."""

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
"""Failure labels of completions without an answer in the requested form."""

_AGAINST = ("length", "invalid", "regret", "cost")


def measure(
    name: str,
    verdicts: Verdicts,
    texts: str | Sequence[str] | None,
    lengths: ArrayLike | None,
    measured: Mapping[str, ArrayLike | None],
    *,
    unit: LengthUnit = "characters",
) -> NDArray[np.float64]:
    """One part of every verdict: float64, shape (n,); `length` is in `unit`."""
    if name in ("correct", "partial"):
        return (verdicts.passed if name == "correct" else verdicts.score).astype(np.float64)
    if name == "format":
        readable = (FORMAT_FAILURES.isdisjoint(labels) for labels in verdicts.failures)
        return np.fromiter(readable, np.bool_, len(verdicts)) * (1.0 - verdicts.respelled)
    if name not in PARTS:
        # Rows of other families, perhaps all rows, lack this part.
        judged = verdicts.parts.get(name, np.zeros(len(verdicts)))
        return np.nan_to_num(judged.astype(np.float64), nan=0.0)
    if name == "length":
        values = _lengths(texts, lengths, len(verdicts), unit)
    else:
        given = measured.get(name)
        if given is None:
            raise InvalidArgument(_not_given(name))
        values = _column(name, given, len(verdicts))
    return -values if name in _AGAINST else values


def measure_one(
    name: str,
    verdict: Verdict,
    text: str | None,
    length: float | None,
    measured: Mapping[str, float | None],
    *,
    unit: LengthUnit = "characters",
) -> float:
    """The same part of one verdict."""
    if name in ("correct", "partial"):
        return float(verdict.passed) if name == "correct" else verdict.score
    if name == "format":
        return float(FORMAT_FAILURES.isdisjoint(verdict.failures) and not verdict.respelled)
    if name not in PARTS:
        return verdict.parts.get(name, 0.0)
    if name == "length":
        if length is None and (text is None or unit == "tokens"):
            raise InvalidArgument(_no_lengths(unit))
        value = len(text or "") if length is None else _checks.number("lengths", length)
    else:
        given = measured.get(name)
        if given is None:
            raise InvalidArgument(_not_given(name))
        value = _checks.number(name, given)
    return -value if name in _AGAINST else value


def _no_lengths(unit: LengthUnit) -> str:
    if unit == "tokens":
        return (
            "the reward has the part `length` in tokens: give each completion's number of them as `lengths`"
        )
    return "the reward has the part `length`: give the completions as `texts`, or `lengths`"


def _not_given(name: str) -> str:
    return f"the reward has the part `{name}`, which is the caller's: give `{name}=`"


def _lengths(
    texts: str | Sequence[str] | None, lengths: ArrayLike | None, count: int, unit: LengthUnit
) -> NDArray[np.float64]:
    """Lengths of completions, as counted by the caller or in characters."""
    if lengths is not None:
        return _column("lengths", lengths, count)
    if texts is None or unit == "tokens":
        raise InvalidArgument(_no_lengths(unit))
    if isinstance(texts, str) or len(texts) != count:
        msg = f"`texts` is {_checks.shown(texts)}, but must be the {count} completions of the verdicts"
        raise InvalidArgument(msg)
    return np.fromiter((len(text) for text in texts), np.float64, count)


def _column(name: str, given: ArrayLike, count: int) -> NDArray[np.float64]:
    """One number for each verdict."""
    try:
        values = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    values = np.atleast_1d(values)
    if values.shape != (count,) or not np.isfinite(values).all():
        must = f"must be a finite number for each of the {count} verdicts"
        msg = f"`{name}` is {_checks.shown(given)}, but {must}"
        raise InvalidArgument(msg)
    return values
