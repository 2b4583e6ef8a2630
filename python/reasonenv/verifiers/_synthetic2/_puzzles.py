"""Rows of reasoning-gym: the eight tasks of the data set, by the rules of reasoning-gym."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from reasonenv import _checks
from reasonenv._native import Verdict
from reasonenv.verifiers._reasoning import without_reasoning
from reasonenv.verifiers._synthetic2._kind import Kind, attempt, text_of, verdict_of
from reasonenv.verifiers._synthetic2._reading import Answer, after_think, json_answer, last_json

_FINAL = "Final Answer:"
_MOST_BUTTONS = 10_000


@dataclass(frozen=True)
class _Puzzle:
    field: str | None
    """Field of the JSON answer; None for a text behind "Final Answer:"."""
    answer: str
    is_right: Callable[[str], bool]


class Puzzles(Kind):
    """`reasoning_gym`: an entry of reasoning-gym."""

    marks: ClassVar = (_FINAL + " ", "")

    def read(self, info: Mapping[str, Any]) -> _Puzzle:
        """Read an entry of a task that the data set has."""
        name = text_of(info, "reasoning_gym_dataset")
        if name not in _TASKS:
            raise _checks.not_one_of("reasoning_gym_dataset", name, list(_TASKS))
        entry = info.get("reasoning_gym_entry")
        if not isinstance(entry, Mapping) or not isinstance(entry.get("answer"), str | int):
            raise ValueError(
                f"`reasoning_gym_entry` is {_checks.shown(entry)}, but must be an object with `answer`"
            )
        field, rule = _TASKS[name]
        try:
            return _Puzzle(field, str(entry["answer"]), rule(entry))
        except (AttributeError, LookupError, TypeError, ValueError):
            raise ValueError(f"`reasoning_gym_entry` is no entry of {name}") from None

    def judge(self, texts: Sequence[str], references: Sequence[_Puzzle]) -> list[Verdict]:
        """Compare by the rule of the task; the answer must be the only one."""
        return [_verdict(text, puzzle) for text, puzzle in zip(texts, references, strict=True)]


def _verdict(text: str, puzzle: _Puzzle) -> Verdict:
    published = _final(text) if puzzle.field is None else _field(text, puzzle.field)
    compat = 0.0 if published is None else attempt(puzzle.is_right, published)
    answer = _strict_final(text) if puzzle.field is None else _strict_field(text, puzzle.field)
    if answer.text is None:
        return verdict_of(compat, answer.label, answer.detail)
    right = attempt(puzzle.is_right, answer.text)
    told = f"`{_checks.shown(answer.text)}` does not solve the task"
    return verdict_of(compat, "" if right else "wrong_answer", "" if right else told, answer.text)


def _final(text: str) -> str | None:
    tail = after_think(text)
    if tail is None or _FINAL not in tail:
        return None
    return tail.rpartition(_FINAL)[2].strip()


def _field(text: str, field: str) -> str | None:
    value = last_json(text)
    return str(value.get(field)) if isinstance(value, dict) else None


def _strict_final(text: str) -> Answer:
    _, *answers = without_reasoning(text).split(_FINAL)
    if not answers:
        return Answer(None, "no_answer", f'nothing follows "{_FINAL}" after the reasoning')
    if len({answer.strip() for answer in answers}) > 1:
        return Answer(None, "hedged", "the text has different final answers")
    return Answer(answers[0].strip())


def _strict_field(text: str, field: str) -> Answer:
    answer = json_answer(text)
    if answer.text is None:
        return answer
    try:
        value = json.loads(answer.text)
    except (ValueError, RecursionError):
        return Answer(None, "malformed_answer", "the answer is not JSON")
    if not isinstance(value, dict) or field not in value:
        return Answer(None, "malformed_answer", f"the answer is no JSON object with `{field}`")
    return Answer(str(value[field]))


def _equal(entry: Mapping[str, Any]) -> Callable[[str], bool]:
    wanted = str(entry["answer"])
    return lambda answer: answer == wanted


def _grid(entry: Mapping[str, Any]) -> Callable[[str], bool]:
    """A grid of digits, a row a line, with or without a line about its shape."""
    wanted = [[int(cell) for cell in row] for row in entry["metadata"]["output"]]
    if not wanted:
        raise ValueError

    def is_right(answer: str) -> bool:
        lines = [line.strip() for line in answer.split("\n")]
        text = "\n".join(line for line in lines if not line.startswith("Shape: ")).strip()
        rows = [[cell.strip() for cell in row.strip().split(" ")] for row in text.split("\n")]
        return rows == [[str(cell) for cell in row] for row in wanted]

    return is_right


def _number(entry: Mapping[str, Any]) -> Callable[[str], bool]:
    wanted = int(str(entry["answer"]), 0)
    return lambda answer: int(answer, 0) == wanted


def _lock(entry: Mapping[str, Any]) -> Callable[[str], bool]:
    """A shortest sequence of buttons that reaches the target."""
    puzzle = entry["metadata"]
    buttons = {button["name"]: button for button in puzzle["buttons"]}
    shortest = _buttons(str(entry["answer"]))
    target = puzzle["target_value"]

    def value_after(sequence: list[str]) -> int:
        value, color = puzzle["initial_value"], puzzle["initial_state"]
        for name in sequence:
            button = buttons.get(name)
            if button is None or button["active_state"] not in (color, "any"):
                continue
            value = _OPERATIONS[button["type"]](value, button["value"])
            color = "green" if color == "red" else "red"
        return int(value)

    def is_right(answer: str) -> bool:
        given = _buttons(answer)
        return given == shortest or (len(given) == len(shortest) and value_after(given) == target)

    if len(shortest) > _MOST_BUTTONS or value_after(shortest) != target:
        raise ValueError
    return is_right


def _buttons(text: str) -> list[str]:
    return re.findall("[A-C]", text.upper())


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda value, by: value + by,
    "subtract": lambda value, by: value - by,
    "multiply": lambda value, by: value * by,
}

_TASKS: dict[str, tuple[str | None, Callable[[Mapping[str, Any]], Callable[[str], bool]]]] = {
    "arc_agi": (None, _grid),
    "rearc": (None, _grid),
    "binary_matrix": (None, _equal),
    "maze": ("num_steps", _equal),
    "quantum_lock": ("sequence", _lock),
    "rotten_oranges": ("answer", _equal),
    "self_reference": ("answer", _equal),
    "bitwise_arithmetic": ("answer", _number),
}
