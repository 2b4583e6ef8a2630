"""Completions and references in the forms in which libraries and data sets hold them."""

import json
import pickle
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_calls import ok
from reasonenv import verifiers
from reasonenv.errors import InvalidArgument
from reasonenv.verifiers import Judge, Verifier

BOXED = verifiers.number_equal(extract="boxed")
RIGHT = {"role": "assistant", "content": r"\boxed{5}"}
CODE = verifiers.python_tests()


@pytest.mark.parametrize(
    ("completion", "passes"),
    [
        ([{"role": "assistant", "content": None}], False),
        ([{"role": "assistant", "content": None, "tool_calls": []}], False),
        ([{"role": "assistant", "content": []}], False),
        ([{"role": "assistant", "content": [{"type": "thinking", "text": r"\boxed{5}"}]}], False),
        ([RIGHT, {"role": "assistant", "content": r"\boxed{6}"}, {"role": "tool", "content": "x"}], False),
        ([{"role": "assistant", "content": [{"type": "text", "text": r"\boxed{5}"}]}], True),
        ([{"role": "assistant", "content": [{"type": "text", "text": "\\box"}, "ed{5}"]}], True),
        ([RIGHT, {"role": "tool", "content": "x"}], True),
        (RIGHT, True),
    ],
)
def test_messages_get_a_verdict(completion: Any, passes: bool) -> None:
    assert BOXED([completion], ["5"])[0].passed == passes
    tests = {"test_list": ["assert f(1) == 2"]}
    assert CODE([completion], [tests])[0].failures[0] in ("no_code", "malformed_answer", "crashed")


@pytest.mark.parametrize("completion", [None, 5, [], [{"role": "user", "content": "5"}], [{"content": 5}]])
def test_what_no_model_wrote_is_refused(completion: Any) -> None:
    for judge, reference in ((BOXED, "5"), (CODE, {"test_list": ["assert f(1) == 2"]})):
        with pytest.raises(InvalidArgument, match=r"`texts\[0\]`"):
            judge([completion], [reference])


@pytest.mark.parametrize(
    ("reference", "passes"),
    [
        (Decimal("0.51"), False),
        (np.array(["4", "6"]), False),
        (Decimal("0.50"), True),
        (Fraction(1, 2), True),
        (np.array(["4", "0.5"]), True),
        (np.array([4, 0.5]), True),
        (np.float64(0.5), True),
        ([Decimal(4), Decimal("0.5")], True),
    ],
)
def test_references_may_be_numbers_of_any_kind(reference: Any, passes: bool) -> None:
    assert BOXED([r"\boxed{0.5}"], [reference])[0].passed == passes


def test_plain_data_may_hold_arrays() -> None:
    judge = verifiers.json_equal(tag=None)
    assert judge(['{"a": [1, 2], "b": 0.5}'], [{"a": np.array([1, 2]), "b": Decimal("0.5")}]).passed.all()
    wrongs: list[Any] = [Decimal("NaN"), {"a": object()}, {"a": b"x"}]
    for wrong in wrongs:
        with pytest.raises(InvalidArgument, match="plain data"):
            judge(["1"], [wrong])


@pytest.mark.parametrize("name", verifiers.list_verifiers())
def test_any_verifier_is_made_by_its_name(name: str) -> None:
    judge = Verifier(name)
    assert judge.name == name
    assert judge == Verifier(name)
    assert hash(judge) == hash(Verifier(name))
    assert pickle.loads(pickle.dumps(judge)) == judge
    both: Judge = verifiers.all_of(judge, verifiers.length())
    assert pickle.loads(pickle.dumps(both)) == both
    assert both != verifiers.all_of(judge, verifiers.length(max_chars=9))
    assert judge != Verifier("length", max_chars=9)


def test_a_null_row_is_judged_and_ends_nothing(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    completions = [r"\boxed{5}", None, [{"role": "assistant", "content": None}], r"\boxed{5}"]
    lines = [json.dumps({"completion": completion, "answer": "5"}) for completion in completions]
    rows.write_text("\n".join(lines), encoding="utf-8")
    told = json.loads(ok("judge", rows, "-v", "number_equal", "--option", "extract=boxed", "--json"))
    assert (told["rows"], told["passed"], told["failures"]) == (4, 2, {"no_answer": 2})


@pytest.mark.parametrize("mark", ["think>", "THINK]", "thinking>"])
def test_a_box_right_behind_reasoning_is_an_answer(mark: str) -> None:
    start = "[" if mark.endswith("]") else "<"
    said = rf"{start}{mark}maybe \boxed{{4}}{start}/{mark}\boxed{{5}}"
    assert verifiers.number_equal(extract="boxed", tag=None)([said] * 2, ["5", "4"]).passed.tolist() == [
        True,
        False,
    ]
