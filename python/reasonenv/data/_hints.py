"""Advice where many rows fail for one reason: another reading of completions, or of references."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reasonenv import verifiers
from reasonenv._native import ReasonEnvError
from reasonenv.verifiers import Judge

OF_FORM = frozenset(
    (
        "no_answer",
        "missing_or_broken_tags",
        "extra_text_outside_tags",
        "fenced",
        "no_code",
        "malformed_answer",
    )
)
"""Failures of completions whose answer was not read: of its form, rather than of what it says."""

UNSUPPORTED = "unsupported"
"""Failure of a program that the runtime could not run, which says nothing about the model."""

_LAXER: tuple[Mapping[str, Any], ...] = (
    {"reading": "lenient"},
    {"extract": "auto"},
    {"extract": "auto", "reading": "lenient"},
    {"extract": "last_number"},
    {"extract": "last_line"},
)
"""Options under which more completions have an answer, the least change first."""


def reference_hint(judge: Judge, reference: object) -> str:
    """Return the end of an error about a reference that is a whole solution, or "" if it is none."""
    text = reference if isinstance(reference, str) else json.dumps(reference)
    if "####" not in text and r"\boxed" not in text:
        return ""
    if verifiers.math_equal(references="solution").check([text]):
        return ""
    of = "" if judge.name == "math_equal" else "--verifier math_equal "
    if "####" in text:
        of = f"--format gsm8k, or {of}"
    return f"; to read whole solutions, take {of}--option references=solution"


def with_options(config: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Configuration of a verifier with other options; of a combination, each verifier that has them."""
    if "judges" in config:
        return {**config, "judges": [with_options(judge, options) for judge in config["judges"]]}
    return {**config, **{name: value for name, value in options.items() if name in config}}


@dataclass
class FormHint:
    """Counts the failures of form, and which options let how many of them pass."""

    judge: Judge
    failures: int = 0
    passing: dict[str, int] = field(default_factory=dict)
    """For options as text, the failures of form that pass under them."""
    _laxer: list[tuple[str, Judge]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        config = verifiers.config_of(self.judge)
        for options in _LAXER:
            changed = with_options(config, options)
            if changed == config:
                continue
            try:
                laxer = verifiers.from_config(changed)
            except (ReasonEnvError, TypeError):  # an option of another verifier, or a function among them
                continue
            self._laxer.append((", ".join(f"{name}={value}" for name, value in options.items()), laxer))

    def add(self, texts: Sequence[str], references: Sequence[Any]) -> None:
        """Judge failures of form once more, each time with other options."""
        self.failures += len(texts)
        for told, laxer in self._laxer if texts else ():
            passed = int(laxer(list(texts), list(references)).passed.sum())
            self.passing[told] = self.passing.get(told, 0) + passed

    @property
    def best(self) -> tuple[str, int] | None:
        """The options under which most of them pass, and how many do; None if none do."""
        told, passing = max(self.passing.items(), key=lambda item: item[1], default=("", 0))
        return (told, passing) if passing else None
