"""The verifier `python_tests`: programs checked by running them against tests."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar, Literal

from reasonenv import _checks
from reasonenv._native import InvalidParams, Verdict
from reasonenv.verifiers._code._batch import RUNTIMES, RuntimeName, run_rows
from reasonenv.verifiers._code._extract import EXTRACTS, Code, Extract, extract_code
from reasonenv.verifiers._code._judge import summarize
from reasonenv.verifiers._code._rows import read_tests
from reasonenv.verifiers._code._sandbox import Isolation, Outcome, SandboxLimits
from reasonenv.verifiers._code._tests import CodeTests, fits
from reasonenv.verifiers._code._values import OutputComparison
from reasonenv.verifiers._defined import PythonVerifier, register

Compare = Literal["values", "text"]


@register
@dataclass(frozen=True, repr=False)
class PythonTests(PythonVerifier):
    """The options of `python_tests`."""

    name: ClassVar[str] = "python_tests"
    summary: ClassVar[str] = "a Python program that passes its tests, visible and hidden ones"
    example: ClassVar[dict[str, str]] = {
        "reference": '["assert double(3) == 6", "assert double(-1) == -2"]',
        "right": "```python\ndef double(n):\n    return 2 * n\n```",
        "wrong": "```python\ndef double(n):\n    return n + 3\n```",
    }
    instruction: ClassVar[str] = "Write your Python code in one fenced code block that begins with ```python."
    fence: ClassVar[str] = "python"

    runtime: RuntimeName = "monty"
    extract: Extract = "auto"
    tag: str | None = None
    visible: int = 0
    score: Literal["passed", "share"] = "passed"
    compare: Compare = "values"
    tolerance: float = 0.0
    seconds: float = 2.0
    memory_mb: int = 128
    output_kb: int = 1024
    isolation: Isolation = "sandbox"

    def __post_init__(self) -> None:
        try:
            _checks.one_of("runtime", self.runtime, RUNTIMES)
            _checks.one_of("extract", self.extract, EXTRACTS)
            _checks.one_of("score", self.score, ["passed", "share"])
            if self.tag is not None:
                _checks.text("tag", self.tag)
            _checks.whole("visible", self.visible, 0)
            _checks.one_of("compare", self.compare, ["values", "text"])
            _checks.number("tolerance", self.tolerance, 0, 1)
            _checks.number("seconds", self.seconds, 0.01, 600)
            _checks.whole("memory_mb", self.memory_mb, 16, 1 << 16)
            _checks.whole("output_kb", self.output_kb, 1, 1 << 16)
            _checks.one_of("isolation", self.isolation, ["sandbox", "process"])
        except ValueError as error:
            raise InvalidParams(f"{self.name}: {error}") from None

    def read_reference(self, reference: Any) -> CodeTests:
        """Read tests of any format, parsing equal texts only once."""
        if isinstance(reference, CodeTests):
            return reference
        text = reference if isinstance(reference, str) else _json(reference)
        tests = read_tests(reference) if text is None else _read(text)
        return tests.show(self.visible) if self.visible else tests

    def judge(self, texts: Sequence[str], references: Sequence[CodeTests]) -> list[Verdict]:
        """Run each program against its tests."""
        codes = [
            extract_code(text, "python", self.extract, self.tag, partial(fits, tests))
            for text, tests in zip(texts, references, strict=True)
        ]
        rows = [
            (code.text, tests) for code, tests in zip(codes, references, strict=True) if code.text is not None
        ]
        limits = SandboxLimits(self.seconds, self.memory_mb, self.output_kb, self.isolation)
        comparison = OutputComparison(float(self.tolerance), self.compare == "values")
        outcomes = iter(run_rows(self.runtime, rows, limits, comparison))
        return [
            Verdict(False, failures=[code.label], detail=code.detail)
            if code.text is None
            else self._verdict(code, tests, next(outcomes))
            for code, tests in zip(codes, references, strict=True)
        ]

    def _verdict(self, code: Code, tests: CodeTests, outcomes: list[Outcome]) -> Verdict:
        if not code.fenced and outcomes[0].label == "syntax_error":
            return Verdict(
                False, failures=["no_code"], detail="the completion has no code block and is no Python"
            )
        parts = {
            name: sum(not one.label for one in part) / len(part) for name, part in summarize(tests, outcomes)
        }
        labels = list(dict.fromkeys(one.label for one in outcomes if one.label))
        if not labels:
            return Verdict(True, parts=parts, answer=code.text)
        # A half-right program is of no use, so a share is rewarded only on request.
        score = 0.0
        if self.score == "share":
            score = min(parts.get("hidden", parts.get("visible", 0.0)), 0.99)
        detail = _told(code.text or "", tests, outcomes)
        return Verdict(False, score, failures=labels, detail=detail, parts=parts, answer=code.text)


def _told(code: str, tests: CodeTests, outcomes: list[Outcome]) -> str:
    """Return a detail that a person can act on; of hidden tests it reveals only the outcomes."""
    counts = [
        f"{sum(not one.label for one in part)} of {len(part)} {name} tests passed"
        for name, part in summarize(tests, outcomes)
    ]
    each = [
        f"{name}: {', '.join(one.label or 'passed' for one in part[:50])}"
        for name, part in summarize(tests, outcomes)
    ]
    first = next(at for at, one in enumerate(outcomes) if one.label)
    found = outcomes[first]
    detail = found.detail if first < len(tests.visible) else found.public(code)
    reason = f": {detail}" if detail else ""
    return f"{'; '.join(counts)}; {found.label}{reason} ({'; '.join(each)})"


@lru_cache(maxsize=2048)
def _read(reference: str) -> CodeTests:
    return read_tests(reference)


def _json(reference: Any) -> str | None:
    """Return a reference as JSON; None if it holds an integer with more digits than Python writes."""
    try:
        return json.dumps(reference, ensure_ascii=False, default=_listed)
    except (TypeError, RecursionError):
        raise ValueError("tests must be text, or what JSON can say") from None
    except ValueError:
        return None


def _listed(value: Any) -> Any:
    """Return an array of NumPy, as rows of Parquet hold them, as a list."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError


def python_tests(
    *,
    runtime: RuntimeName = "monty",
    extract: Extract = "auto",
    tag: str | None = None,
    visible: int = 0,
    score: Literal["passed", "share"] = "passed",
    compare: Compare = "values",
    tolerance: float = 0.0,
    seconds: float = 2.0,
    memory_mb: int = 128,
    output_kb: int = 1024,
    isolation: Isolation = "sandbox",
) -> PythonTests:
    """A Python program that passes its tests, run in a sandbox that holds no expected value.

    Each reference holds tests in a format that `read_tests` knows. `parts` holds the shares of `visible` and
    `hidden` tests passed; `detail` has the outcome of each test. Besides `wrong_answer`, a failed program is
    labeled `no_code`, `syntax_error`, `crashed`, `timeout`, `memory`, or `unsupported`, with the name of the
    feature that the runtime lacks.

    Args:
        runtime: "monty", a subset of Python interpreted in worker processes, needs the extra `code`;
            "cpython", processes of this Python that the kernel confines, needs Linux (see docs/code.md);
            "auto", monty, and what is unsupported there again with cpython.
        extract: "auto", the last fenced Python block, or the whole completion if it has no block;
            "fence", only the block; "whole", the whole completion.
        tag: Tag to search for the code.
        visible: Number of first tests that the prompt shows; they count as `visible`.
        score: "passed", 1 or 0; "share", the share of hidden tests passed, below 1 unless all tests pass.
        compare: "values", outputs word by word and numbers by value: `1.0` is `1` and rounded decimals
            pass, as the graders of APPS, TACO and LiveCodeBench do; "text", lines as they are written.
        tolerance: Largest relative or absolute difference of floats that counts as equal.
        seconds: Seconds per test; all tests of a row may take four times as many.
        memory_mb: Memory of a program in megabytes.
        output_kb: Output per test in kilobytes; a returned value may take 16 times as much.
        isolation: What keeps a program of "cpython" in: "sandbox", walls that are tried at every start, or an
            error if one does not hold; "process", only what this machine gives.
    """
    return PythonTests(
        runtime, extract, tag, visible, score, compare, tolerance, seconds, memory_mb, output_kb, isolation
    )
