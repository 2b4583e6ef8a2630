"""The verifier `synthetic2`: rows of SYNTHETIC-2, each by the rule of its kind."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from reasonenv import _checks
from reasonenv._native import InvalidParams, Verdict
from reasonenv.verifiers._code._batch import RUNTIMES, RuntimeName
from reasonenv.verifiers._defined import PythonVerifier, register
from reasonenv.verifiers._synthetic2._answers import CodeOutput, JsonOutput, Mathematics, Models, Programs
from reasonenv.verifiers._synthetic2._instructions import Instructions
from reasonenv.verifiers._synthetic2._kind import Kind, verdict_of
from reasonenv.verifiers._synthetic2._puzzles import Puzzles
from reasonenv.verifiers._synthetic2._texts import Diffs, Passages, ReversedText, Sentences, Trees

LONGEST = 1 << 20
"""Limit of a completion in characters, reasoning included."""

_SURROGATES = re.compile("[\ud800-\udfff]")


@register
@dataclass(frozen=True, repr=False)
class Synthetic2(PythonVerifier):
    """The options of `synthetic2`."""

    name: ClassVar[str] = "synthetic2"
    summary: ClassVar[str] = "an answer to a row of SYNTHETIC-2, whose `task_type` decides"
    example: ClassVar[dict[str, str]] = {
        "reference": json.dumps(
            {"task_type": "code_output_prediction", "verification_info": {"code_output": "[1, 2]"}}
        ),
        "right": '<think>so</think>```json\n{"code_output": "[1, 2]"}\n```',
        "wrong": '<think>so</think>```json\n{"code_output": "[2, 1]"}\n```',
    }
    instruction: ClassVar[str] = ""
    columns: ClassVar[tuple[str, ...]] = ("task_type", "verification_info")

    runtime: RuntimeName = "monty"
    seconds: float = 2.0

    def __post_init__(self) -> None:
        try:
            _checks.one_of("runtime", self.runtime, RUNTIMES)
            _checks.number("seconds", self.seconds, 0.01, 600)
        except ValueError as error:
            raise InvalidParams(f"{self.name}: {error}") from None

    def read_reference(self, reference: Any) -> tuple[Kind, Any]:
        """Read an object with `task_type` and `verification_info`, once for equal references."""
        if not isinstance(reference, str):
            try:
                reference = json.dumps(reference, ensure_ascii=False)
            except (TypeError, ValueError, RecursionError):
                raise ValueError("a reference must be text, or what JSON can say") from None
        return _read(reference, self.runtime, float(self.seconds))

    def marks(self, reference: Any) -> tuple[str, str]:
        """Return what encloses an answer in a completion."""
        kind, read = self.read_reference(reference)
        return kind.marks_of(read)

    def judge(self, texts: Sequence[str], references: Sequence[tuple[Kind, Any]]) -> list[Verdict]:
        """Verify the completions of each kind together."""
        found: list[Verdict | None] = [None] * len(texts)
        by_kind: dict[Kind, list[int]] = {}
        for at, (text, (kind, _)) in enumerate(zip(texts, references, strict=True)):
            if len(text) > LONGEST:
                found[at] = verdict_of(0.0, "answer_too_long", "the completion has over 1,048,576 characters")
            else:
                by_kind.setdefault(kind, []).append(at)
        for kind, places in by_kind.items():
            # No reference contains a lone surrogate.
            plain = [_SURROGATES.sub("\ufffd", texts[at]) for at in places]
            for at, verdict in zip(
                places, kind.judge(plain, [references[at][1] for at in places]), strict=True
            ):
                found[at] = verdict
        return [verdict for verdict in found if verdict is not None]


_KINDS: dict[str, Kind] = {
    "ascii_tree_formatting": Trees(),
    "verifiable_math": Mathematics(),
    "code_output_prediction": CodeOutput(),
    "complex_json_output": JsonOutput(),
    "pydantic_adherance": Models(),
    "unscramble_sentence": Sentences(),
    "formatask": Passages(),
    "reverse_text": ReversedText(),
    "ifeval": Instructions(),
    "reasoning_gym": Puzzles(),
    "git_diff": Diffs(),
}
TASK_TYPES = (*_KINDS, "prime_rl_code")
"""Kinds of tasks that can be verified."""


@lru_cache(maxsize=2048)
def _read(reference: str, runtime: RuntimeName, seconds: float) -> tuple[Kind, Any]:
    row = _object("reference", reference)
    name = row.get("task_type")
    if name == "no_verification":
        raise ValueError("`task_type` is `no_verification`: there is no reference to check an answer against")
    if name is None:
        raise ValueError("`task_type` is missing")
    if name not in TASK_TYPES:
        raise _checks.not_one_of("task_type", name, TASK_TYPES)
    kind = _KINDS[name] if name in _KINDS else Programs(runtime, seconds)
    return kind, kind.read(_object("verification_info", row.get("verification_info")))


def _object(name: str, value: Any) -> Mapping[str, Any]:
    """Return an object, which may be given as JSON."""
    try:
        value = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, Mapping):
        raise ValueError(f"`{name}` must be an object, or a JSON string of one")
    return value


def synthetic2(*, runtime: RuntimeName = "monty", seconds: float = 2.0) -> Synthetic2:
    """An answer to a row of SYNTHETIC-2, checked as its `task_type` says.

    Each reference is an object with `task_type` and `verification_info`, which may be a JSON string. A
    verdict is strict; its part `compat` is the data set's own score. docs/synthetic2.md has the rules of each
    kind.

    Args:
        runtime: The runtime of programs, as for `python_tests`.
        seconds: Seconds per test of a program.
    """
    return Synthetic2(runtime, seconds)
