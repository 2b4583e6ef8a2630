"""Adapter between a Python-defined family and the extension.

Problems and params cross as text, and exceptions name the method that raised them.
"""

import json
import numbers
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from reasonenv import _checks
from reasonenv._native import (
    Certificate,
    Exhausted,
    FamilyError,
    InvalidArgument,
    Malformed,
    Rng,
    Verdict,
    common_failures,
)
from reasonenv.kit import _plain
from reasonenv.kit._family import Effort, Faults, TaskFamily, Template, WorkedSolution

Stored = tuple[str, bytes]
"""A problem as JSON, and the key that decides its split."""

_MOST_PARAMS = 64


@contextmanager
def raised_in(kind: type[Exception], unit: str, method: str) -> Iterator[None]:
    """Re-raise exceptions within as `kind`, naming the unit and its method; the original is the cause."""
    try:
        yield
    except kind:
        raise
    except Exception as error:
        if isinstance(error, Exhausted) and method == "generate":
            raise
        unwritten = isinstance(error, NotImplementedError) and not str(error)
        raise kind(
            f"{unit}.{method} is not implemented"
            if unwritten
            else f"{unit}.{method} raised {_checks.described(error)}"
        ) from error


def told(error: Exception) -> str:
    told = " ".join(str(error).split())
    return told if len(told) <= 300 else told[:297] + "..."


class AskedFamily:
    """A registered Python-defined family, as the extension calls it."""

    def __init__(
        self, family: TaskFamily[Any, Any, Any], templates: tuple[tuple[Template, bool], ...]
    ) -> None:
        self.family = family
        self._name = family.about.name
        self._templates = templates
        self._labels = {*common_failures(), *family.about.failures}
        self._parts = set(family.about.parts)
        self._params: dict[str, Any] = {}

    def _in(self, method: str) -> Any:
        return raised_in(FamilyError, self._name, method)

    def _gave(self, method: str, given: object, must: str) -> FamilyError:
        return FamilyError(f"{self._name}.{method} gave {_checks.shown(given)}, but must give {must}")

    # Params.

    def _read_params(self, text: str) -> Any:
        if (params := self._params.get(text)) is None:
            params = _plain.from_json(text, self.family.params)
            if len(self._params) < _MOST_PARAMS:
                self._params[text] = params
        return params

    def check_params(self, text: str) -> str | None:
        """Return why these params do not fit together, or None if they do."""
        params = self._read_params(text)
        try:
            self.family.check_params(params)
        except (ValueError, AssertionError) as error:
            return told(error)
        except Exception as error:
            msg = f"{self._name}.check_params raised {_checks.described(error)}"
            raise FamilyError(msg) from error
        return None

    # Problems.

    def _problem(self, text: str) -> Any:
        return _plain.from_json(text, self.family.problem)

    def _stored(self, method: str, problem: Any) -> Stored:
        kind = self.family.problem
        if kind is not None and type(problem) is not kind:
            raise self._gave(method, problem, f"a {kind.__name__}")
        if kind is None and not isinstance(problem, Mapping):
            raise self._gave(method, problem, "a dict")
        try:
            text = _plain.to_json(problem)
            # Every method gets a problem that was read from JSON, never one straight from `generate`.
            problem = self._problem(text)
        except ValueError as error:
            msg = f"{self._name}.{method} gave a problem in which {told(error)}"
            raise FamilyError(msg) from error
        return text, self._key(problem)

    def _key(self, problem: Any) -> bytes:
        with self._in("key"):
            key = self.family.key(problem)
            return key if isinstance(key, bytes) else _plain.canonical(key).encode()

    def generate(self, params: str, rng: Rng) -> Stored:
        with self._in("generate"):
            problem = self.family.generate(self._read_params(params), rng)
        return self._stored("generate", problem)

    def twin(self, text: str, rng: Rng) -> Stored:
        with self._in("twin"):
            problem = self.family.twin(self._problem(text), rng)
        return self._stored("twin", problem)

    def _refusal(self, text: str) -> str | None:
        """Return why a text is not a problem of the family, or None if it is one."""
        try:
            problem = self._problem(text)
        except (ValueError, RecursionError) as error:
            return told(error)
        try:
            self.family.check(problem)
        except (ValueError, AssertionError) as error:
            return told(error)
        except Exception as error:
            msg = f"{self._name}.check raised {_checks.described(error)}"
            raise FamilyError(msg) from error
        return None

    def read(self, text: str) -> Stored | str:
        """Read a problem from an untrusted text, or return why it is not one."""
        if (refusal := self._refusal(text)) is not None:
            return refusal
        problem = self._problem(text)
        return _plain.to_json(problem), self._key(problem)

    def certify(self, text: str) -> tuple[bool, str] | str:
        """Return whether the answer is unique and what was proved, or why the problem must not be posed."""
        if (refusal := self._refusal(text)) is not None:
            return refusal
        try:
            given = self.family.certify(self._problem(text))
        except (ValueError, AssertionError) as error:
            return told(error)
        except Exception as error:
            msg = f"{self._name}.certify raised {_checks.described(error)}"
            raise FamilyError(msg) from error
        if isinstance(given, Certificate):
            return given.unique, given.proof
        if given is not None:
            raise self._gave("certify", given, "a Certificate or None")
        verdict = self.judge(text, self.solution(text)[1])
        if not verdict.passed:
            return f"its solution fails: {verdict.detail}"
        return self.family.about.judged_by in ("exact", "normalized"), "its own solution passes"

    # Words.

    def word(self, text: str, template: int, rng: Rng) -> str:
        made, takes_rng = self._templates[template]
        method = f"templates[{made.name!r}]" if self.family.templates else "prompt"
        with self._in(method):
            worded = made.word(self._problem(text), rng) if takes_rng else made.word(self._problem(text))
        return self._text(method, worded)

    def _text(self, method: str, given: object) -> str:
        try:
            return _checks.text(method, given)
        except InvalidArgument:
            raise self._gave(method, given, "text") from None

    def _form(self, text: str) -> Any:
        with self._in("form"):
            form = self.family.form(self._problem(text))
        for method in ("asks", "sentence", "read", "write", "mangled"):
            if not callable(getattr(form, method, None)):
                raise self._gave("form", form, f"a form, which has the method `{method}`")
        return form

    def asks(self, text: str) -> str:
        with self._in("form"):
            return self._text("form", self._form(text).asks())

    def sentence(self, text: str, tag: str) -> str:
        with self._in("form"):
            return self._text("form", self._form(text).sentence(tag))

    # Answers.

    def _written(self, method: str, form: Any, answer: Any) -> str:
        with self._in(method):
            return self._text(method, form.write(answer))

    def solution(self, text: str) -> tuple[list[str], str]:
        with self._in("solution"):
            solution = self.family.solution(self._problem(text))
        if not isinstance(solution, WorkedSolution):
            raise self._gave("solution", solution, "a kit.WorkedSolution")
        steps = [self._text("solution", step) for step in solution.steps]
        return steps, self._written("solution", self._form(text), solution.answer)

    def near_misses(self, text: str, faults: int | None, rng: Rng) -> list[str]:
        form = self._form(text)
        with self._in("near_misses"):
            wrong = list(self.family.near_misses(self._problem(text), Faults(faults), rng))
        return [self._written("near_misses", form, answer) for answer in wrong]

    @contextmanager
    def verdicts_noted(self, passed: list[bool]) -> Iterator[None]:
        """Note in `passed` the outcome of each call to `verify` that other methods of the class make."""
        verify, attributes = self.family.verify, vars(self.family)
        before = dict(attributes)

        def noted(problem: Any, answer: Any) -> Verdict | bool | float:
            given = verify(problem, answer)
            passed.append(self._verdict(given).passed)
            return given

        attributes["verify"] = noted
        try:
            yield
        finally:
            attributes.clear()
            attributes.update(before)

    def drawn(self, text: str, most: int, rng: Rng) -> list[str]:
        """Distinct right answers that `another` draws."""
        form = self._form(text)
        found: dict[str, None] = {}
        for _ in range(most):
            with self._in("another"):
                answer = self.family.another(self._problem(text), rng)
            if answer is None:
                break
            found[self._written("another", form, answer)] = None
        return list(found)

    def rewritten(self, text: str, answer: str) -> str | None:
        """The answer as the form writes it; None if the form cannot read it."""
        form = self._form(text)
        try:
            return self._written("read", form, form.read(answer))
        except Malformed:
            return None

    def reference(self, text: str, answer: str) -> bool | None:
        """True if an answer is right by `reference`; None without one, or if the form cannot read it."""
        try:
            read = self._form(text).read(answer)
        except Malformed:
            return None
        with self._in("reference"):
            given = self.family.reference(self._problem(text), read)
        if given is None or isinstance(given, bool | np.bool_):
            return None if given is None else bool(given)
        raise self._gave("reference", given, "True, False or None")

    def guesses(self, text: str, rng: Rng) -> list[tuple[str, str]]:
        form = self._form(text)
        with self._in("guesses"):
            guesses = dict(self.family.guesses(self._problem(text), rng))
        return [(str(name), self._written("guesses", form, answer)) for name, answer in guesses.items()]

    def mangled(self, text: str, right: str) -> list[str]:
        form = self._form(text)
        with self._in("form"):
            return [self._text("form", one) for one in form.mangled(right)]

    def effort(self, text: str) -> tuple[int, int]:
        with self._in("effort"):
            effort = self.family.effort(self._problem(text))
        if not isinstance(effort, Effort):
            raise self._gave("effort", effort, "a kit.Effort")
        try:
            most = 2**53
            return _checks.whole("steps", effort.steps, 0, most), _checks.whole("half", effort.half, 1, most)
        except InvalidArgument as error:
            msg = f"{self._name}.effort gave an Effort in which {error}"
            raise FamilyError(msg) from error

    def judge(self, text: str, answer: str) -> Verdict:
        """The verdict on an answer: the text between the tags."""
        form = self._form(text)
        try:
            read = form.read(answer)
        except Malformed as error:
            detail = str(error) or "the answer is not of the form that was asked for"
            return Verdict(False, 0.0, failures=["malformed_answer"], detail=detail)
        except Exception as error:
            msg = f"{self._name}.form.read raised {_checks.described(error)}"
            raise FamilyError(msg) from error
        with self._in("verify"):
            given = self.family.verify(self._problem(text), read)
        return self._verdict(given)

    def _verdict(self, given: object) -> Verdict:
        must = "a Verdict, True, False, or a score between 0 and 1"
        if isinstance(given, bool | np.bool_):
            given = Verdict(bool(given))
        elif isinstance(given, numbers.Real):
            try:
                given = Verdict(float(given) == 1, float(given))
            except InvalidArgument:
                raise self._gave("verify", given, must) from None
        if not isinstance(given, Verdict):
            raise self._gave("verify", given, must)
        if given.passed:
            return given
        for label in given.failures:
            if label not in self._labels:
                raise self._gave("verify", label, "failures that `about.failures` or the common ones have")
        for part in given.parts:
            if part not in self._parts:
                raise self._gave("verify", part, "parts that `about.parts` has")
        if given.detail:
            return given
        return Verdict(
            False, given.score, failures=given.failures, parts=given.parts, detail="the answer is wrong"
        )


def described(facts: Mapping[str, Any]) -> str:
    """The facts as JSON for the extension."""
    return json.dumps(facts, ensure_ascii=False, allow_nan=False)
