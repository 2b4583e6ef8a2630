"""The caller's rows as tasks: a question, a reference, and a verifier that compares answers with it."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, overload

from reasonenv import _checks, verifiers
from reasonenv._answers import has_block, has_box
from reasonenv._native import InvalidArgument, InvalidTask, Verdict, Verdicts, Verifier
from reasonenv.data._judged import read_rows
from reasonenv.verifiers import Judge
from reasonenv.verifiers._combined import Combined
from reasonenv.verifiers._defined import PythonVerifier

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
        made._numbers = [_checks.whole("number", record.get("number"), 0)]
        return made[0]


class Rows(Sequence[Row]):
    """A `Sequence[Row]` with columns, and a source of tasks. Slices are `Rows`, too.

    Made by `reasonenv.from_rows`.
    """

    def __init__(
        self, questions: list[str], answers: list[str], groups: list[Any], verifier: Judge, instruction: str
    ) -> None:
        self.questions, self.answers, self.groups = questions, answers, groups
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
        return Row(self.questions[at], self.answers[at], at, self._numbers[at], self.groups[at], self)

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
        made._numbers = [self._numbers[i] for i in chosen]
        return made

    def repeat(self, count: int) -> "Rows":
        """Return each row `count` times in succession, as for groups of completions."""
        times = _checks.whole("count", count, 1)
        return self.tasks(i for i in range(len(self)) for _ in range(times))

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
    question: str = "question",
    answer: str | Sequence[str] = "answer",
    verifier: str | Mapping[str, Any] | Judge = "exact_match",
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
        question: Column of the question, which is text.
        answer: Column of the reference: text, or a number, boolean, list or object, which counts as its JSON.
            Several columns form an object, for `python_tests`; a row may lack some of them.
        verifier: A name from `verifiers.list_verifiers()`, a configuration for `verifiers.from_config`, or
            the verifier itself.
        group: Column of a value that related rows share, such as the problem they were made from.
        instruction: Text appended to each question. None: a sentence that asks for the answer in the form
            that the verifier reads; "" for none.

    Raises:
        InvalidArgument: An argument is invalid.
        InvalidTask: The input is empty, or a row lacks a column or has an invalid value in it; names the row,
            counted from 0, and the column.
        OSError: The file cannot be read; names it.
    """
    judge = _verifier(verifier)
    question = _checks.text("question", question)
    if isinstance(answer, str):
        answer = _checks.text("answer", answer)
    else:
        answer = tuple(_checks.texts("answer", answer))
        if not answer:
            raise InvalidArgument("`answer` is empty, but must name a column")
    group = None if group is None else _checks.text("group", group)
    added = _Asked.of(judge).sentence if instruction is None else _checks.text("instruction", instruction)
    questions: list[str] = []
    references: list[str] = []
    groups: list[Any] = []
    for number, row in enumerate(_read(rows)):
        asked = _cell(number, row, question)
        if not isinstance(asked, str):
            raise InvalidTask(f"row {number}: `{question}` is {_checks.shown(asked)}, but must be text")
        questions.append(_checked(number, question, asked))
        references.append(_reference(number, row, answer))
        groups.append(None if group is None else _cell(number, row, group))
    if not questions:
        raise InvalidTask("`rows` has no rows, but must have one or more")
    for number, reason in judge.check(references):
        named = answer if isinstance(answer, str) else "`, `".join(answer)
        raise InvalidTask(f"row {number}: `{named}` is {_checks.shown(references[number])}: {reason}")
    return Rows(questions, references, groups, judge, added)


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


def _cell(number: int, row: Any, column: str) -> Any:
    if not isinstance(row, Mapping):
        raise InvalidTask(f"row {number} is {_checks.shown(row)}, but must be a mapping of columns")
    value = row.get(column)
    if value is None:
        there = f"is missing; the columns are {', '.join(map(str, row)) or 'none'}"
        raise InvalidTask(f"row {number}: `{column}` {'is empty' if column in row else there}")
    return value


def _reference(number: int, row: Any, columns: str | tuple[str, ...]) -> str:
    """The reference of a row, of one column or of several."""
    if isinstance(columns, str):
        return _checked(number, columns, _as_text(number, columns, _cell(number, row, columns)))
    found = {name: row[name] for name in columns if isinstance(row, Mapping) and row.get(name) is not None}
    if not found:
        _cell(number, row, columns[0])
    named = ", ".join(columns)
    return _checked(number, named, _as_text(number, named, found))


def _as_text(number: int, column: str, value: Any) -> str:
    """Reference as text."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        item = getattr(value, "item", None)  # NumPy's numbers
        if callable(item):
            return _reference(number, column, item())
        msg = f"row {number}: `{column}` is {_checks.shown(value)}, but must be text, or what JSON can say"
        raise InvalidTask(msg) from None


def _checked(number: int, column: str, text: str) -> str:
    try:
        return _checks.text(column, text)
    except InvalidArgument as error:
        raise InvalidTask(f"row {number}: {error}") from None
