"""The ready-made forms for Python-defined families."""

from collections.abc import Callable
from typing import Any

import pytest
from reasonenv import kit
from reasonenv.errors import InvalidArgument
from reasonenv.kit import forms

FORMS: dict[str, tuple[kit.ReadyForm, Any, str, Any]] = {
    "integer": (forms.integer(), -7, "-7", 2.5),
    "integers": (forms.integers(3, "counts"), [1, -2, 3], "1, -2, 3", [1]),
    "numbers": (forms.numbers("factors"), [2, 3], "2, 3", []),
    "choices": (forms.choices(4, "true statements"), [1, 4], "1, 4", [5]),
    "line": (forms.line("the text"), "a b", "a b", "a\nb"),
    "lines": (forms.lines("the drawing"), "a\n b", "a\n b", 5),
    "words": (forms.words("the moves", ["up", "down"]), ["up", "up"], "up, up", ["left"]),
    "assignment": (
        forms.assignment("islander", ["Ada", "Ben"], ["knight", "knave"]),
        {"Ada": "knight", "Ben": "knave"},
        "Ada: knight, Ben: knave",
        {"Ada": "knight"},
    ),
    "route": (forms.route(["A", "B", "C"], "A", "C"), ["A", "B", "C"], "A -> B -> C", ["D"]),
    "grid": (forms.grid("the grid", 2, 2, 0, 9), [[1, 2], [3, 4]], "1 2\n3 4", [[1, 2]]),
}


def read_or_refused(form: kit.ReadyForm, text: str) -> Any:
    try:
        return form.read(text)
    except kit.Malformed as refused:
        return f"refused: {refused}"


@pytest.mark.parametrize("name", forms.__all__)
def test_a_ready_made_form_reads_what_it_writes_and_nothing_else(name: str) -> None:
    form, answer, text, wrong = FORMS[name]
    assert form.write(answer) == text
    assert form.read(text) == answer
    assert form.sentence("answer").startswith(form.asks())
    assert "<answer></answer>" in form.sentence("answer")
    with pytest.raises(InvalidArgument, match="must fit the form"):
        form.write(wrong)
    spelled = form.mangled(text)
    assert len(spelled) >= 10
    if name not in ("lines", "line"):
        for mangled in spelled:
            assert read_or_refused(form, mangled) != answer, mangled


@pytest.mark.parametrize(
    "make",
    [
        lambda: forms.integers(1, "counts"),
        lambda: forms.line("the <b>"),
        lambda: forms.words("moves", []),
        lambda: forms.words("moves", ["a", "A"]),
        lambda: forms.words("moves", ["a,b"]),
        lambda: forms.assignment("x", ["a"], ["b"]),
        lambda: forms.route(["A"], "A"),
        lambda: forms.route(["A"], "A", "B"),
        lambda: forms.grid("g", 0, 1, 0, 1),
        lambda: forms.grid("g", 1, 1, 3, 1),
    ],
)
def test_what_is_no_form_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(InvalidArgument):
        make()
