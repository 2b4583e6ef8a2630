"""The caller's rows as tasks: a question, a reference, and a verifier that compares answers with it."""

import hashlib
import json
import os
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, overload

from reasonenv import _checks, verifiers
from reasonenv._answers import has_block, has_box
from reasonenv._native import InvalidArgument, InvalidTask, Verdict, Verdicts
from reasonenv.data._formats import cell, row_format, some
from reasonenv.data._hints import reference_hint
from reasonenv.data._judged import read_rows
from reasonenv.verifiers import Judge
from reasonenv.verifiers._combined import Combined
from reasonenv.verifiers._defined import PythonVerifier, Verifier

_NO_ANSWER = ("instructions", "length", "tags", "think")
"""Verifiers that check the whole completion, so that the prompt asks for no marked answer."""


@dataclass(frozen=True)
class Row:
    """One row as a task, with the attributes of `Task` that make sense for a row."""

    question: str
    answer: str
    """Reference, as the verifier receives it."""
    index: int
    """Position among these rows."""
    number: int
    """Position among all rows that were read, which slicing does not change."""
    group: Any
    solution: str = field(compare=False)
    """Right answer, for `wrap`: the reference, unless the rows' format knows better."""
    _rows: "Rows" = field(repr=False, compare=False)

    @property
    def prompt(self) -> str:
        """Question and instruction."""
        return "\n\n".join(part for part in (self.question, self._rows.instruction) if part)

    @property
    def key(self) -> str:
        """128-bit fingerprint of question and reference, as 32 hex digits."""
        return hashlib.sha256(json.dumps([self.question, self.answer]).encode()).hexdigest()[:32]

    @property
    def id(self) -> str:
        """`rows/NUMBER-KEY`, with the first digits of the key."""
        return f"rows/{self.number}-{self.key[:8]}"

    @property
    def answer_tag(self) -> str | None:
        """Tag around the answer, or None."""
        asked = self._rows.asked
        return asked.tag if asked.way == "tag" else None

    @property
    def answer_alone(self) -> bool:
        """True if a completion with more than the answer fails."""
        return self._rows.asked.alone

    def wrap(self, answer: str) -> str:
        """Return an answer as a well-formed completion."""
        if isinstance(self.verifier, PythonVerifier):
            opening, closing = self.verifier.marks(self.answer)
            return f"{opening}{answer}{closing}"
        return self._rows.asked.wrap(answer)

    def has_answer(self, text: str) -> bool:
        """Return True if a text has an answer between the requested marks; always False without marks."""
        if isinstance(self.verifier, PythonVerifier):
            mark = self.verifier.marks(self.answer)[0].strip()
            return bool(mark) and ("```" if mark.startswith("```") else mark) in text
        return self._rows.asked.marks(text)

    @property
    def verifier(self) -> Judge:
        """Verifier of the row."""
        return self._rows.verifier

    def verify(self, text: str) -> Verdict:
        """Verify a completion."""
        return self.verifier([text], [self.answer])[0]

    def to_json(self) -> str:
        """Return the row and the configuration of its verifier as one line of JSON.

        Raises:
            InvalidArgument: The verifier uses a Python function, which JSON cannot represent.
        """
        record = {
            "task_id": self.id,
            "question": self.question,
            "answer": self.answer,
            **({} if self.solution == self.answer else {"solution": self.solution}),
            "instruction": self._rows.instruction,
            "number": self.number,
            "verifier": verifiers.config_of(self.verifier),
        }
        try:
            return json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError):
            msg = f"the verifier is {_checks.shown(self.verifier)}, but must be one that JSON can say"
            raise InvalidArgument(msg) from None

    @staticmethod
    def from_json(text: str) -> "Row":
        """Read the output of `to_json`.

        Raises:
            InvalidTask: The text is not such a row; names the field at fault.
            InvalidArgument: The verifier does not exist, or has no such option.
        """
        try:
            record = json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
            msg = f"not a row: {_checks.shown(str(error))}"
            raise InvalidTask(msg) from None
        if not isinstance(record, dict):
            raise InvalidTask("not a row: a record is a JSON object")
        for name in ("question", "answer", "instruction"):
            if not isinstance(record.get(name), str):
                raise InvalidTask(
                    f"not a row: `{name}` is {_checks.shown(record.get(name))}, but must be text"
                )
        judge = _judge_of(json.dumps(record.get("verifier")))
        made = from_rows([record], verifier=judge, instruction=record["instruction"])
        if isinstance(record.get("solution"), str):
            made.solutions = [record["solution"]]
        made._numbers = [_checks.whole("number", record.get("number"), 0)]
        return made[0]


class Rows(Sequence[Row]):
    """A `Sequence[Row]` with columns, and a source of tasks. Slices are `Rows`, too.

    Made by `reasonenv.from_rows`.
    """

    def __init__(
        self,
        questions: list[str],
        answers: list[str],
        groups: list[Any],
        verifier: Judge,
        instruction: str,
    ) -> None:
        self.questions, self.answers, self.groups = questions, answers, groups
        self.solutions = answers
        self.verifier, self.instruction = verifier, instruction
        self.asked = _Asked.of(verifier)
        self._numbers: Sequence[int] = range(len(questions))

    @property
    def prompts(self) -> list[str]:
        """Prompts in order."""
        return [row.prompt for row in self]

    @property
    def ids(self) -> list[str]:
        """Ids in order."""
        return [row.id for row in self]

    def task(self, index: int) -> Row:
        """Return the row at `index`."""
        at = _checks.whole("index", index, 0, len(self) - 1)
        return Row(
            self.questions[at],
            self.answers[at],
            at,
            self._numbers[at],
            self.groups[at],
            self.solutions[at],
            self,
        )

    def batch(self, start: int, count: int) -> "Rows":
        """Return the rows `start .. start + count`."""
        return self.tasks(range(start, start + count))

    def tasks(self, indices: Iterable[int], /) -> "Rows":
        """Return the rows at any indices, in the order of the indices."""
        chosen = [_checks.whole("index", index, 0, len(self) - 1) for index in indices]
        made = Rows(
            [self.questions[i] for i in chosen],
            [self.answers[i] for i in chosen],
            [self.groups[i] for i in chosen],
            self.verifier,
            self.instruction,
        )
        made.solutions = [self.solutions[i] for i in chosen]
        made._numbers = [self._numbers[i] for i in chosen]
        return made

    def repeat(self, count: int) -> "Rows":
        """Return each row `count` times in succession, as for groups of completions."""
        times = _checks.whole("count", count, 1)
        return self.tasks(i for i in range(len(self)) for _ in range(times))

    def shuffle(self, seed: int = 0) -> "Rows":
        """Return the rows in an order that the seed determines, so that the first n are a fair sample."""
        return self.tasks(shuffled(len(self), seed))

    def verify(self, texts: Sequence[str]) -> Verdicts:
        """Verify one completion per row, in order, in parallel without the GIL.

        Raises:
            InvalidArgument: There are not as many texts as rows, or not all of them are str.
        """
        return self.verifier(texts, self.answers)

    def __len__(self) -> int:
        return len(self.questions)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> "Rows": ...
    def __getitem__(self, index: int | slice) -> "Row | Rows":
        places = range(len(self))[index]
        return self.task(places) if isinstance(places, int) else self.tasks(places)

    def __repr__(self) -> str:
        return f"Rows({len(self)} rows, verifier={self.verifier!r})"


@dataclass(frozen=True)
class _Asked:
    """Form of the answer that a verifier reads, which determines the instruction."""

    way: str
    tag: str | None
    alone: bool
    sentence: str

    @classmethod
    def of(cls, judge: Judge) -> "_Asked":
        """Form of a verifier; of several, that of the first one that looks for a marked answer."""
        found = list(_judges(judge))
        chosen = next((one for one in found if _asks(one)), found[0])
        if isinstance(chosen, PythonVerifier):
            return cls("own", None, False, chosen.instruction)
        options = chosen.options
        way, tag, clean = options["extract"], options["tag"], options["reading"] == "clean"
        if way == "auto":
            way = "boxed" if tag is None else "tag"
        sentence = {
            "tag": f"Give your answer inside <{tag}></{tag}> tags, and write nothing "
            + ("outside them." if clean else "after them."),
            "boxed": r"Give your answer inside \boxed{}, and write nothing "
            + ("outside it." if clean else "after it."),
            "hash": "Give your answer on a last line of its own, which begins with ####.",
            "formula": "End with your answer, which is a formula or a number.",
            "last_number": "End with your answer, which is a number.",
            "last_line": "Give your answer alone on the last line.",
            "whole": "Write your answer and nothing else.",
        }[way]
        if way == "whole" and chosen.name in _NO_ANSWER:
            sentence = ""
        return cls(way, tag, clean or way == "whole", sentence)

    def wrap(self, answer: str) -> str:
        if self.way == "tag":
            return f"<{self.tag}>{answer}</{self.tag}>"
        return {"boxed": f"\\boxed{{{answer}}}", "hash": f"#### {answer}"}.get(self.way, answer)

    def marks(self, text: str) -> bool:
        if self.way == "tag":
            return has_block(self.tag or "", text)
        if self.way == "boxed":
            return has_box(text)
        return self.way == "hash" and f"\n{text}".find("\n####") >= 0


def _asks(judge: Verifier | PythonVerifier) -> bool:
    """Return whether a verifier looks for an answer at a place in the completion."""
    return isinstance(judge, PythonVerifier) or judge.options["extract"] != "whole"


def _judges(judge: Judge) -> Iterator[Verifier | PythonVerifier]:
    if isinstance(judge, Combined):
        for one in judge.judges:
            yield from _judges(one)
    else:
        yield judge


def from_rows(
    rows: str | os.PathLike[str] | Iterable[Mapping[str, Any]],
    *,
    format: str | None = None,
    question: str | None = None,
    answer: str | Sequence[str] | None = None,
    verifier: str | Mapping[str, Any] | Judge | None = None,
    group: str | None = None,
    instruction: str | None = None,
) -> Rows:
    """Make tasks from your own rows.

    >>> import reasonenv
    >>> rows = reasonenv.from_rows([{"question": "2 + 2?", "answer": 4}], verifier="number_equal")
    >>> rows[0].verify("<answer>4.0</answer>").passed
    True

    Args:
        rows: The path of a JSONL file (one object per line) or of a Parquet file (needs pyarrow), or
            mappings: a list of dicts, a Hugging Face dataset.
        format: The benchmark that the rows are of, such as "gsm8k" or "mmlu" (`data.FORMATS` has them all).
            It knows the columns and the verifier, whose rules are those of the benchmark's own grader.
        question: Column of the question, which is text; "question" unless said. A dotted name leads into
            objects.
        answer: Column of the reference, "answer" unless said: text, or a number, boolean, list or object,
            which counts as its JSON. Several columns form an object, for `python_tests`; a row may lack some
            of them.
        verifier: A name from `verifiers.list_verifiers()`, a configuration for `verifiers.from_config`, or
            the verifier itself; "exact_match" unless said. With a format, options that differ from its own.
        group: Column of a value that related rows share, such as the problem they were made from.
        instruction: Text appended to each question. None: a sentence that asks for the answer in the form
            that the verifier reads; "" for none.

    Raises:
        InvalidArgument: An argument is invalid.
        UnknownName: There is no such format.
        InvalidTask: The input is empty, or a row lacks a column or has an invalid value in it; names the row,
            counted from 0, and the column.
        OSError: The file cannot be read; names it.
    """
    columns = (
        _columns(question, answer, verifier)
        if format is None
        else _formatted(format, question, answer, verifier)
    )
    group = None if group is None else _checks.text("group", group)
    added = instruction
    if instruction is None:
        added = columns.instruction if columns.instruction is not None else _Asked.of(columns.judge).sentence
    added = _checks.text("instruction", added)
    questions: list[str] = []
    references: list[str] = []
    solutions: list[str] = []
    groups: list[Any] = []
    for number, row in enumerate(_read(rows)):
        if not isinstance(row, Mapping):
            raise InvalidTask(f"row {number} is {_checks.shown(row)}, but must be a mapping of columns")
        try:
            questions.append(_checks.text(columns.asks, columns.question(row)))
            references.append(_checks.text(columns.named, _as_text(columns.named, columns.reference(row))))
            solutions.append(columns.solution(row) or references[-1])
            groups.append(None if group is None else cell(row, group))
        except ValueError as error:
            raise InvalidTask(f"row {number}: {error}") from None
    if not questions:
        raise InvalidTask("`rows` has no rows, but must have one or more")
    for number, reason in columns.judge.check(references):
        told = re.sub(r"`references\[\d+\]`", f"`{columns.named}`", reason, count=1)
        hint = reference_hint(columns.judge, references[number])
        raise InvalidTask(f"row {number}: {told}{hint}")
    made = Rows(questions, references, groups, columns.judge, added)
    made.solutions = solutions
    return made


class _Columns(NamedTuple):
    """The parts of a row, and its verifier."""

    judge: Judge
    question: Callable[[Mapping[str, Any]], Any]
    reference: Callable[[Mapping[str, Any]], Any]
    solution: Callable[[Mapping[str, Any]], str | None]
    instruction: str | None
    asks: str
    """Column of the question, for errors."""
    named: str
    """Columns of the reference, for errors."""


def _columns(question: object, answer: object, verifier: object) -> _Columns:
    """Columns by name."""
    asks = "question" if question is None else _checks.text("question", question)
    names: tuple[str, ...] = ("answer",) if answer is None else ()
    if isinstance(answer, str):
        names = (_checks.text("answer", answer),)
    elif answer is not None and not (names := tuple(_checks.texts("answer", answer))):
        raise InvalidArgument("`answer` is empty, but must name a column")
    single = answer is None or isinstance(answer, str)

    def reference(row: Mapping[str, Any]) -> Any:
        return cell(row, names[0]) if single else some(row, names)

    judge = _verifier("exact_match" if verifier is None else verifier)
    return _Columns(
        judge, lambda row: cell(row, asks), reference, lambda _: None, None, asks, "`, `".join(names)
    )


def _formatted(name: object, question: object, answer: object, verifier: object) -> _Columns:
    """Columns of a format."""
    chosen = row_format(name)
    for field_name, given in (("question", question), ("answer", answer)):
        if given is not None:
            msg = (
                f"`{field_name}` is {_checks.shown(given)}, but the format {name} knows its columns; drop one"
            )
            raise InvalidArgument(msg)
    options = verifier if isinstance(verifier, Mapping) and "verifier" not in verifier else {}
    judge = (
        verifiers.from_config(chosen.configured(options))
        if verifier is None or options
        else _verifier(verifier)
    )
    return _Columns(
        judge, lambda row: chosen.asked(row, options), chosen.reference, chosen.solution, chosen.instruction,
        "question", "answer",
    )  # fmt: skip


def shuffled(count: int, seed: int) -> list[int]:
    """Return the numbers below `count` in an order that the seed determines."""
    order = list(range(count))
    random.Random(_checks.seed("seed", seed)).shuffle(order)
    return order


@lru_cache(maxsize=256)
def _judge_of(config: str) -> Judge:
    """Verifier of a configuration as JSON, cached: rows that share one are verified in one call."""
    return verifiers.from_config(json.loads(config))


def _verifier(given: object) -> Judge:
    if isinstance(given, str):
        return verifiers.from_config({"verifier": given})
    if isinstance(given, Mapping):
        return verifiers.from_config(given)
    if isinstance(given, Judge):
        return given
    msg = (
        f"`verifier` is {_checks.shown(given)}, but must be a name, a configuration, or a verifier of "
        "reasonenv.verifiers; judges of your own go to ReasonEnv(verifier=)"
    )
    raise InvalidArgument(msg)


def _read(rows: Any) -> Iterator[Any]:
    """Yield the rows."""
    if isinstance(rows, str | os.PathLike):
        return (fields for _, fields in read_rows(str(_checks.path("rows", rows))))
    if isinstance(rows, bytes | Mapping) or not (isinstance(rows, Iterable) or hasattr(rows, "__getitem__")):
        msg = f"`rows` is {_checks.shown(rows)}, but must be a path, or several mappings"
        raise InvalidArgument(msg)
    return iter(rows)


def _as_text(column: str, value: Any) -> str:
    """Reference as text."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        item = getattr(value, "item", None)  # NumPy's numbers
        if callable(item):
            return _as_text(column, item())
        msg = f"`{column}` is {_checks.shown(value)}, but must be text, or what JSON can say"
        raise ValueError(msg) from None
