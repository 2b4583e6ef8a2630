"""Rows of public benchmarks: their columns, and a verifier with the rules of the benchmark's own grader."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from reasonenv import _checks
from reasonenv.verifiers._sql._files import tables_of

Fields = Mapping[str, Any]

_LENIENT = {"tag": None, "reading": "lenient"}
_CODE = {"verifier": "python_tests", "runtime": "cpython", "seconds": 3.0}
_CHOICE = {
    "verifier": "first_readable",
    "judges": [
        {"verifier": "choice", "extract": "auto", **_LENIENT},
        {"verifier": "choice", "extract": "whole", **_LENIENT},
    ],
}
_LETTER = 'End with "The answer is (X)", where X is the letter of the right choice.'


@dataclass(frozen=True, kw_only=True)
class RowFormat:
    """A benchmark's rows."""

    about: str
    """The rows and what is compared, in a line."""
    verifier: Mapping[str, Any]
    """Configuration of the verifier."""
    reference: Callable[[Fields], Any]
    """The reference of a row, for the verifier."""
    question: Callable[[Fields], str]
    """The question of a row."""
    solution: Callable[[Fields], str | None] = lambda _: None
    """The right answer without marks, as `wrap` takes it; None where a row has none."""
    instruction: str | None = None
    """Sentence that asks for the answer; None for the verifier's own."""
    id: str = "id"
    """Column of the id, where there is one."""

    def configured(self, options: Fields) -> dict[str, Any]:
        """Configuration of the verifier with other options."""
        return _with(self.verifier, options)

    def asked(self, fields: Fields, options: Fields) -> str:
        """The question of a row, with the tables of its database if the row only names that.

        Raises:
            ValueError: The row has no such question; says why.
        """
        folder = options.get("databases")
        if folder is not None and "db_id" in fields:
            fields = {"schema": tables_of(folder, fields["db_id"]), **fields}
        return self.question(fields)


def row_format(name: object) -> RowFormat:
    """The format of a name.

    Raises:
        UnknownName: There is none; suggests the nearest.
    """
    if not isinstance(name, str) or name not in FORMATS:
        raise _checks.unknown("format", _checks.text("format", name), FORMATS)
    return FORMATS[name]


def _with(config: Fields, options: Fields) -> dict[str, Any]:
    if "judges" in config:
        return {**config, "judges": [_with(judge, options) for judge in config["judges"]]}
    return {**config, **options}


def cell(fields: Fields, *names: str, or_null: bool = False) -> Any:
    """The first of these columns that a row has. A dotted name leads into objects.

    Raises:
        ValueError: It has none of them, or only an empty one and null is not allowed.
    """
    found = [_value(fields, name) for name in names]
    for value in found:
        if value is not _MISSING and value is not None:
            return value
    told = " or ".join(f"`{name}`" for name in names)
    if any(value is None for value in found):
        if or_null:
            return None
        raise ValueError(f"{told} is empty")
    there = ", ".join(f"`{key}`" for key in list(fields)[:12]) or "no columns"
    raise ValueError(f"there is no column {told}; there are {there}")


_MISSING = object()


def _value(fields: Fields, name: str) -> Any:
    if name in fields:
        return fields[name]
    value: Any = fields
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return _MISSING
        value = value[part]
    return value


def some(fields: Fields, names: Sequence[str]) -> dict[str, Any]:
    """An object of those of the columns that a row has.

    Raises:
        ValueError: It has none of them.
    """
    values = {name: _value(fields, name) for name in names}
    found = {name: value for name, value in values.items() if value is not _MISSING and value is not None}
    return found or {names[0]: cell(fields, names[0])}


def _text(fields: Fields, *names: str) -> str:
    value = cell(fields, *names)
    if not isinstance(value, str):
        msg = f"`{names[0]}` is {_checks.shown(value)}, but must be text"
        raise ValueError(msg)
    return value


def _column(*names: str) -> Callable[[Fields], Any]:
    return lambda fields: cell(fields, *names)


def _words(*names: str) -> Callable[[Fields], str]:
    return lambda fields: _text(fields, *names)


def _gsm8k(fields: Fields) -> str:
    """The number after `####`; or the whole answer, if it is only that."""
    return str(cell(fields, "answer")).rpartition("####")[2].strip().replace(",", "")


def _last_box(fields: Fields) -> str:
    """Content of the last box of a solution."""
    solution = _text(fields, "solution")
    inside = solution[solution.rfind("{", 0, solution.rfind(r"\boxed{") + 7) + 1 :]
    depth = 1
    for at, mark in enumerate(inside):
        depth += (mark == "{") - (mark == "}")
        if depth == 0:
            return inside[:at]
    return solution


def _choices(fields: Fields, *names: str) -> list[str]:
    """Texts of a row's choices: a list, or an object of `text` and `label`, as in ARC."""
    value = cell(fields, *names)
    texts = value.get("text") if isinstance(value, Mapping) else value
    if (
        isinstance(texts, Sequence)
        and not isinstance(texts, str)
        and all(isinstance(one, str) for one in texts)
    ):
        return list(texts)
    msg = f"`{names[0]}` is {_checks.shown(value)}, but must be a list of texts"
    raise ValueError(msg)


def _place(fields: Fields, answer: str, choices: str) -> Any:
    """The right choice: its place from 0, its letter, or, where choices have labels, its label."""
    value, among = cell(fields, answer), cell(fields, choices)
    labels = among.get("label") if isinstance(among, Mapping) else None
    if labels is None:
        return value
    if value not in labels:
        msg = f"`{answer}` is {_checks.shown(value)}, which is no label of `{choices}`"
        raise ValueError(msg)
    return list(labels).index(value)


def _multiple_choice(
    about: str, question: Sequence[str], answer: str, choices: str, **more: Any
) -> RowFormat:
    def reference(fields: Fields) -> dict[str, Any]:
        return {"answer": _place(fields, answer, choices), "choices": _choices(fields, choices)}

    def asked(fields: Fields) -> str:
        lines = [f"{chr(65 + at)}. {text}" for at, text in enumerate(_choices(fields, choices))]
        return "\n".join([_text(fields, *question), *lines])

    def solution(fields: Fields) -> str:
        place = _place(fields, answer, choices)
        is_place = isinstance(place, int) or (isinstance(place, str) and place.isdecimal())
        return chr(65 + int(place)) if is_place else str(place)

    return RowFormat(
        about=about, verifier=_CHOICE, reference=reference, question=asked, solution=solution,
        instruction=_LETTER, **more,
    )  # fmt: skip


def _mbpp(fields: Fields) -> str:
    tests = "\n".join(map(str, cell(fields, "test_list")))
    return f"{_text(fields, 'text', 'prompt')}\nYour code should pass these tests:\n\n{tests}"


def _sql_question(fields: Fields) -> str:
    parts = [fields.get("schema") or fields.get("context"), _text(fields, "question"), fields.get("evidence")]
    return "\n\n".join(part for part in parts if isinstance(part, str) and part)


def _sql(about: str, *query: str, **more: Any) -> RowFormat:
    def reference(fields: Fields) -> dict[str, Any]:
        tables = next((name for name in ("schema", "context", "db_id") if fields.get(name)), "db_id")
        return {tables: cell(fields, tables), "query": _text(fields, *query)}

    return RowFormat(
        about=about, verifier={"verifier": "sql_result"}, reference=reference, question=_sql_question,
        solution=_words(*query), **more,
    )  # fmt: skip


def _coding(about: str, question: Sequence[str], *columns: str, **more: Any) -> RowFormat:
    return RowFormat(
        about=about, verifier=_CODE, question=_words(*question),
        reference=lambda fields: some(fields, columns), **more,
    )  # fmt: skip


def _human_eval_solution(fields: Fields) -> str | None:
    body = fields.get("canonical_solution")
    return f"{_text(fields, 'prompt')}{body}" if isinstance(body, str) else None


def _python(*names: str) -> Callable[[Fields], str | None]:
    def solution(fields: Fields) -> str | None:
        return next((fields[name] for name in names if isinstance(fields.get(name), str)), None)

    return solution


_BOXED = {"verifier": "math_equal", "extract": "boxed", **_LENIENT}

FORMATS: Mapping[str, RowFormat] = MappingProxyType(
    {
        "gsm8k": RowFormat(
            about="the number after ####, commas aside",
            verifier={"verifier": "number_equal", "extract": "hash", "thousands": True, "currency": True}
            | _LENIENT,
            reference=_gsm8k,
            question=_words("question"),
            solution=_gsm8k,
        ),
        "math": RowFormat(
            about="the last box, against that of `solution`",
            verifier={**_BOXED, "references": "solution"},
            reference=_words("solution"),
            question=_words("problem"),
            solution=_last_box,
        ),
        "math500": RowFormat(
            about="the last box, against `answer`",
            verifier=_BOXED,
            reference=_column("answer"),
            question=_words("problem"),
            solution=lambda fields: str(cell(fields, "answer")),
            id="unique_id",
        ),
        "aime": RowFormat(
            about="the last box, against `answer`",
            verifier=_BOXED,
            reference=_column("answer", "Answer"),
            question=_words("problem", "Problem"),
            solution=lambda fields: str(cell(fields, "answer", "Answer")),
        ),
        "mmlu": _multiple_choice("a letter, against a place from 0", ["question"], "answer", "choices"),
        "mmlu_pro": _multiple_choice(
            "a letter of up to ten", ["question"], "answer", "options", id="question_id"
        ),
        "arc": _multiple_choice("a letter, against `answerKey`", ["question"], "answerKey", "choices"),
        "commonsense_qa": _multiple_choice(
            "a letter, against `answerKey`", ["question"], "answerKey", "choices"
        ),
        "openbookqa": _multiple_choice(
            "a letter, against `answerKey`", ["question_stem", "question"], "answerKey", "choices"
        ),
        "hellaswag": _multiple_choice(
            "a letter, against a place from 0", ["ctx"], "label", "endings", id="ind"
        ),
        "mbpp": RowFormat(
            about="a program that passes `test_list`",
            verifier=_CODE,
            reference=lambda fields: some(fields, ("test_list", "test_setup_code", "test_imports")),
            question=_mbpp,
            solution=_python("code"),
            id="task_id",
        ),
        "humaneval": _coding(
            "a function, or its body, that passes `test`",
            ["prompt"], "test", "prompt", "entry_point",
            solution=_human_eval_solution,
            instruction="Complete the function. Write your Python code in one fenced code block that begins "
            "with ```python.",
            id="task_id",
        ),
        "apps": _coding("a program that passes `input_output`", ["question"], "input_output"),
        "taco": _coding("a program that passes `input_output`", ["question"], "input_output"),
        "livecodebench": _coding(
            "a program that passes the public and the private tests",
            ["question_content"], "public_test_cases", "private_test_cases", "metadata",
            id="question_id",
        ),
        "spider": _sql("a query with the result of `query`", "query", "SQL"),
        "bird": _sql("a query with the result of `SQL`", "SQL", "query", id="question_id"),
    }
)  # fmt: skip
"""Formats by name."""
