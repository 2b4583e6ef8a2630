"""Completions and references as models and data sets write them, judged by `math_equal`."""

import json
from pathlib import Path
from typing import Any

import pytest
from reasonenv import verifiers
from reasonenv.errors import InvalidParams, InvalidReference

CORPUS = Path(__file__).parents[1] / "golden/maths/completions.jsonl"
MODES: list[dict[str, Any]] = [
    {},
    {"reading": "lenient"},
    {"extract": "formula"},
    {"extract": "formula", "reading": "lenient"},
]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_no_wrong_completion_is_paid(mode: dict[str, Any]) -> None:
    rows = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    agreed = 0
    for row in rows:
        judge = verifiers.math_equal(**mode, **row.get("options", {}))
        if judge.check([row["reference"]]):
            continue
        passed = judge([row["completion"]], [row["reference"]])[0].passed
        assert row["passes"] or not passed, row
        agreed += passed == row["passes"]
    if mode.get("extract") == "formula":
        assert agreed >= 0.97 * len(rows)


def test_solutions_are_references_and_rows_without_an_answer_are_reported() -> None:
    judge = verifiers.math_equal(references="solution", extract="formula")
    solutions = [r"So $x = \boxed{3}$.", "48 + 24 = 72\n#### 72", "left as an exercise", r"\boxed{3"]
    assert [row for row, _ in judge.check(solutions)] == [2, 3]
    assert judge(["Thus $x = 3$.", "#### 72"], solutions[:2]).passed.all()
    with pytest.raises(InvalidReference, match="must have its answer in"):
        judge(["1"], ["left as an exercise"])
    assert judge.options["references"] == "solution"


@pytest.mark.parametrize(
    "reference",
    ["\x0crac{1}{2}", r"\\frac{1}{2}", r"$\frac{1}{2}$.", r"\boxed{\frac12}", "#### 1/2", "$$0.5$$"],
)
def test_references_are_read_as_data_sets_write_them(reference: str) -> None:
    judge = verifiers.math_equal()
    assert judge(["0.5", "2", r"\boxed{\frac12}"], [reference] * 3).passed.tolist() == [True, False, True]


def test_decimal_commas_are_an_option() -> None:
    comma = verifiers.math_equal(decimal=",")
    assert comma(["0,50", "1.234,5", "2; 1,5"], ["0,5", "1234,5", "1,5; 2"]).passed.all()
    assert not verifiers.math_equal()(["0,5"], ["0.5"]).passed.any()
    with pytest.raises(InvalidParams, match="decimal"):
        verifiers.math_equal(decimal=";")  # type: ignore[arg-type]
