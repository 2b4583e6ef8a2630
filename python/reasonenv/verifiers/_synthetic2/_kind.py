"""Base class of all kinds of tasks, and verdicts with the data set's own score."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from reasonenv import _checks
from reasonenv._native import Verdict


class Kind(ABC):
    """A kind of task."""

    marks: ClassVar[tuple[str, str]]
    """Text before and after an answer in a completion."""

    @abstractmethod
    def read(self, info: Mapping[str, Any]) -> Any:
        """Read the reference from the object `verification_info`.

        Raises:
            ValueError: No answer could be checked against it; the message says why.
        """

    def marks_of(self, reference: Any) -> tuple[str, str]:  # noqa: ARG002 - some kinds have several tags
        """Return the marks for a row."""
        return self.marks

    @abstractmethod
    def judge(self, texts: Sequence[str], references: Sequence[Any]) -> list[Verdict]:
        """Verify completions; `compat` among the parts is the data set's own score."""


def text_of(info: Mapping[str, Any], name: str) -> str:
    """Return a field that must be text."""
    value = info.get(name)
    if not isinstance(value, str) or not value.strip():
        there = "missing" if value is None else _checks.shown(value)
        raise ValueError(f"`{name}` is {there}, but must be text")
    return _checks.text(name, value)


def scored(verdict: Verdict, compat: float) -> Verdict:
    """Return a verdict with the data set's own score as a part."""
    return Verdict(
        verdict.passed,
        verdict.score,
        failures=verdict.failures,
        detail=verdict.detail,
        parts=verdict.parts | {"compat": compat},
        answer=verdict.answer,
        respelled=verdict.respelled,
    )


def verdict_of(compat: float, label: str, detail: str = "", answer: str | None = None) -> Verdict:
    """Return the verdict on an answer, which passes without a label."""
    if not label:
        return Verdict(True, parts={"compat": compat}, answer=answer)
    return Verdict(False, 0.0, failures=[label], detail=detail, parts={"compat": compat}, answer=answer)


def over_budget(verdict: Verdict) -> Verdict:
    """Return a verdict without the data set's score, which takes too many steps; equal answers have it."""
    if verdict.passed:
        return scored(verdict, 1.0)
    return Verdict(
        False,
        verdict.score,
        failures=[*verdict.failures, "over_budget"],
        detail=f"{verdict.detail}; the data set's own score takes too many steps and counts as 0",
        parts=verdict.parts | {"compat": 0.0},
        answer=verdict.answer,
    )


def attempt(rule: Callable[[Any], bool], answer: Any) -> float:
    """Return 1 if a rule holds; 0 where it fails or breaks, as on JSON that is too deep."""
    try:
        return float(rule(answer))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return 0.0
