"""Kinds whose answers are values: mathematics, JSON, programs and puzzles."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from reasonenv import _checks
from reasonenv._native import Verdict, Verifier
from reasonenv.verifiers._code._batch import RuntimeName
from reasonenv.verifiers._code._tests import CodeTests
from reasonenv.verifiers._maths import math_equal
from reasonenv.verifiers._python_tests import PythonTests
from reasonenv.verifiers._synthetic2._kind import Kind, attempt, scored, text_of, verdict_of
from reasonenv.verifiers._synthetic2._model import Model, read_model
from reasonenv.verifiers._synthetic2._reading import between_thinks, json_answer, last_json


class Mathematics(Kind):
    """`verifiable_math`: an answer in a box, or a list of accepted ones."""

    marks: ClassVar = (r"\boxed{", "}")

    def read(self, info: Mapping[str, Any]) -> list[str]:
        """Read the accepted answers, which may be solutions with a box."""
        given = info.get("ground_truth")
        given = given if isinstance(given, list) else [given]
        if not given or not all(isinstance(one, str | int | float) for one in given):
            shown = _checks.shown(info.get("ground_truth"))
            raise ValueError(f"`ground_truth` is {shown}, but must be an answer or several")
        texts = [str(one) for one in given]
        answers = [text if "\\boxed" not in text else last_box(text) or "" for text in texts]
        for _, reason in math_equal().check([answers]):
            raise ValueError(reason)
        return answers

    def judge(self, texts: Sequence[str], references: Sequence[list[str]]) -> list[Verdict]:
        """Compare mathematically. The data set takes the last box between the first two `</think>`."""
        verdicts = math_equal(extract="auto")(texts, references)
        boxes = [last_box(between_thinks(text) or "") for text in texts]
        boxed = math_equal(tag=None, extract="whole")([box or "" for box in boxes], references)
        return [
            scored(one, float(box is not None and other.passed))
            for one, box, other in zip(verdicts, boxes, boxed, strict=True)
        ]


def last_box(text: str) -> str | None:
    r"""Return what the last `\boxed{…}` of a text holds; None if there is none or it is not closed."""
    start = text.rfind("\\boxed{")
    if start < 0:
        return None
    depth = 0
    for brace in re.finditer("[{}]", text[start:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return text[start + 7 : start + brace.start()]
    return None


class _Json(NamedTuple):
    """A JSON reference: a schema of right answers, and the data set's own rule."""

    schema: str
    compat: Callable[[Any], bool]


class _JsonKind(Kind):
    marks: ClassVar = ("```json\n", "\n```")

    def judge(self, texts: Sequence[str], references: Sequence[_Json]) -> list[Verdict]:
        """Check the one JSON answer behind the reasoning by the schema."""
        answers = [json_answer(text) for text in texts]
        verdicts = Verifier("json_schema", tag=None)(
            [answer.text or "" for answer in answers], [one.schema for one in references]
        )
        found = []
        for text, answer, verdict, reference in zip(texts, answers, verdicts, references, strict=True):
            value = last_json(text)
            compat = 0.0 if value is None else attempt(reference.compat, value)
            if answer.text is None:
                found.append(verdict_of(compat, answer.label, answer.detail))
            else:
                found.append(scored(verdict, compat))
        return found


class CodeOutput(_JsonKind):
    """`code_output_prediction`: the field `code_output` of a JSON object."""

    def read(self, info: Mapping[str, Any]) -> _Json:
        """Read the output."""
        if "code_output" not in info:
            raise ValueError("`code_output` is missing")
        wanted = info["code_output"]
        schema = {
            "type": "object",
            "required": ["code_output"],
            "properties": {"code_output": {"const": wanted}},
        }
        return _Json(_schema(schema), lambda value: value.get("code_output") == wanted)


class JsonOutput(_JsonKind):
    """`complex_json_output`: a JSON value equal to the reference."""

    def read(self, info: Mapping[str, Any]) -> _Json:
        """Read the value."""
        if not info.get("ground_truth"):
            raise ValueError(f"`ground_truth` is {_checks.shown(info.get('ground_truth'))}, but must be JSON")
        wanted = info["ground_truth"]
        return _Json(_schema({"const": wanted}), lambda value: bool(value) and wanted == value)


class Models(_JsonKind):
    """`pydantic_adherance`: JSON that a model accepts. The model is read, never run."""

    def read(self, info: Mapping[str, Any]) -> _Json:
        """Read the model's class as a schema and as rules."""
        model: Model = read_model(text_of(info, "pydantic_config"), text_of(info, "model_name"))
        return _Json(_schema(model.schema()), model.accepts)

    def judge(self, texts: Sequence[str], references: Sequence[_Json]) -> list[Verdict]:
        """As for other JSON; what a schema can't say, such as dates, must hold as well."""
        found = []
        for verdict, text, reference in zip(super().judge(texts, references), texts, references, strict=True):
            if verdict.passed and not _holds(reference, json_answer(text).text):
                told = "a value breaks a rule of the model that its schema cannot express"
                compat = verdict.parts["compat"]
                found.append(verdict_of(compat, "constraint_violated", told, verdict.answer))
            else:
                found.append(verdict)
        return found


def _holds(reference: _Json, answer: str | None) -> bool:
    try:
        return answer is not None and attempt(reference.compat, json.loads(answer)) == 1
    except (ValueError, RecursionError):
        return False


def _schema(schema: Any) -> str:
    try:
        text = json.dumps(schema, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the reference is no JSON: {error}") from None
    for _, reason in Verifier("json_schema", tag=None).check([text]):
        raise ValueError(reason)
    return text


@dataclass(frozen=True)
class Programs(Kind):
    """`prime_rl_code`: a Python program that passes hidden tests."""

    marks: ClassVar = ("```python\n", "\n```")

    runtime: RuntimeName
    seconds: float

    def read(self, info: Mapping[str, Any]) -> CodeTests:
        """Read the tests."""
        given = {name: info[name] for name in ("test_cases", "fn_name") if info.get(name) is not None}
        if "test_cases" not in given:
            raise ValueError("`test_cases` is missing")
        return PythonTests(self.runtime).read_reference(given)

    def judge(self, texts: Sequence[str], references: Sequence[CodeTests]) -> list[Verdict]:
        """Run programs. Where the data set finds another program, that one runs for its score."""
        tests = PythonTests(self.runtime, "fence", seconds=self.seconds)
        verdicts = tests.judge(texts, references)
        compats = []
        others = []
        for verdict, text in zip(verdicts, texts, strict=True):
            code = _last_program(text)
            compats.append(float(code is not None and verdict.passed))
            if code is not None and (verdict.answer is None or verdict.answer.strip() != code.strip()):
                others.append((len(compats) - 1, f"```python\n{code}\n```"))
        again = tests.judge([code for _, code in others], [references[at] for at, _ in others])
        for (at, _), verdict in zip(others, again, strict=True):
            compats[at] = float(verdict.passed)
        return [scored(one, compat) for one, compat in zip(verdicts, compats, strict=True)]


def _last_program(text: str) -> str | None:
    """The last block that the data set's rule finds: "```python", a line, and a line of three backticks."""
    tail = between_thinks(text) or ""
    found = None
    at = 0
    while (start := tail.find("```python\n", at)) >= 0:
        start += len("```python\n")
        end = tail.find("\n```", start)
        if end < 0:
            break
        found, at = tail[start:end], end + 4
    return found
