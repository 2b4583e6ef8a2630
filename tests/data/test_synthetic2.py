"""SYNTHETIC-2: every kind by the published rules and by ours, and what no text and no row can do."""

import difflib
import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reasonenv
import synthetic2_reference as published
import synthetic2_rows
from reasonenv import integrations, rewards, verifiers
from reasonenv.data import split_by_group, synthetic2
from reasonenv.errors import InvalidArgument, InvalidTask
from reasonenv.verifiers._synthetic2 import _ratio
from reasonenv.verifiers._synthetic2._model import read_model

KINDS = pytest.mark.parametrize("kind", synthetic2_rows.CASES)
CHECK = verifiers.synthetic2()
HOSTILE = ("", "\0", "\ud800", "\u202e", "NaN", "🙂" * 999, "\r\n", "</think>", "\x1c")


def frozen(kind: str) -> list[dict[str, Any]]:
    path = synthetic2_rows.GOLDEN / f"{kind}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def asked(kind: str, row: dict[str, Any], **change: Any) -> dict[str, Any]:
    """A row as the data set has it."""
    info = json.dumps(row["verification_info"])
    return {
        "problem_id": f"{kind}_1",
        "task_type": kind,
        "prompt": "do it",
        "verification_info": info,
    } | change


@KINDS
def test_each_kind_has_the_published_score_and_ours(kind: str) -> None:
    rows = frozen(kind)
    assert len(rows) >= 20
    verdicts = CHECK([row["completion"] for row in rows], [asked(kind, row) for row in rows])
    for row, verdict in zip(rows, verdicts, strict=True):
        assert (verdict.passed, verdict.parts["compat"]) == (
            row["passed"],
            float(np.float32(row["compat"])),
        ), row
        assert verdict.score == verdict.passed or kind == "ascii_tree_formatting" or verdict.score < 1
        assert verdict.passed == (not verdict.failures)
        assert verdict.passed or verdict.detail
    assert 0.1 < verdicts.passed.mean() < 0.9


@KINDS
def test_expected_scores_follow_from_the_published_rules(kind: str) -> None:
    assert json.loads(json.dumps(synthetic2_rows.rows(kind))) == frozen(kind)


@KINDS
def test_no_text_raises_or_takes_long(kind: str) -> None:
    case = synthetic2_rows.CASES[kind][0]
    row = asked(kind, {"verification_info": case.info})
    opening, closing = CHECK.marks(row)
    long = ["1" * 60_000, "1" * 60_000 + "x", " " * 60_000, "[" * 60_000, '{"a":' * 13_000, "<<" * 30_000, "@@" * 30_000,
            "```" * 20_000, "```diff" + " " * 60_000, "\\boxed{" * 8_000, "ab" * 30_000, "a\n" * 30_000,
            '{"x":[1,' * 8_000, "1. a\n" * 12_000, case.right * 2_000, "```json\n{}\n```" * 4_000]  # fmt: skip
    texts = [*HOSTILE, *long, "</think>" * 1000]
    texts = [
        text
        for each in texts
        for text in (each, f"{opening}{each}{closing}", f"</think>{opening}{each}{closing}")
    ]
    if kind == "prime_rl_code":
        texts = texts[:60]
    for text in texts:
        start = time.process_time()
        verdict = CHECK([text], [row])[0]
        assert time.process_time() - start < 4, ascii(text[:80])
        assert not verdict.passed or kind == "ifeval" or case.right in text, ascii(text[:80])
        assert 0 <= verdict.parts["compat"] <= 1


@KINDS
def test_random_edits_have_the_published_score(kind: str) -> None:
    rng = random.Random(kind)
    for case in synthetic2_rows.CASES[kind]:
        for _ in range(6 if kind == "prime_rl_code" else 60):
            text = synthetic2_rows.THINK + case.right
            for _ in range(rng.choice((1, 1, 2, 4))):
                at = rng.randrange(len(text) + 1)
                piece = rng.choice((*PIECES, rng.choice(case.wrong)))
                text = text[:at] + piece + text[at + rng.randrange(4) :]
            verdict = CHECK([text], [asked(kind, {"verification_info": case.info})])[0]
            if kind not in (
                "prime_rl_code",
                "verifiable_math",
            ):  # the reference has no sandbox and no algebra
                expected = synthetic2_rows.compat(kind, text, case.info, case.right)
                assert verdict.parts["compat"] == float(np.float32(expected)), text


PIECES = (
    "</think>", "<think>", "```", "\n```\n", "```json\n", "```diff\n", "{", "}", "[", "]", '"', "*", "**", " ", "\n",
    "\t", "1", "a", "É", "\x1c", "\u2028", "1. ", "Final Answer:", "@@", "index 1\n", "A", ",", "<answer>",
)  # fmt: skip


def test_two_models_of_difflib_agree_to_the_bit() -> None:
    rng = random.Random(0)
    for _ in range(60):
        letters = rng.choice(("ab", "abcdefgh \n", "aé日𝄞"))
        a, b = ("".join(rng.choices(letters, k=rng.randrange(1, 500))) for _ in range(2))
        b = rng.choice((b, a[: len(a) // 2] + b, a))
        for autojunk in (True, False):
            expected = difflib.SequenceMatcher(None, a, b, autojunk).ratio()
            assert _ratio.ratio(a, b, autojunk=autojunk) == expected
    with pytest.raises(_ratio.OverBudgetError):
        _ratio.ratio("ab" * 5000, "ba" * 5000 + "c", autojunk=False)
    reference = {"task_type": "git_diff", "verification_info": {"diff": "ab" * 5000}}
    near, right = CHECK(
        [f"```diff\n{text}\n```" for text in ("ba" * 5000 + "c", "ab" * 5000)], [reference] * 2
    )
    assert near.failures == ("wrong_answer", "over_budget")
    assert right.passed
    assert right.parts["compat"] == 1


HEAD = """
from datetime import date, datetime, time
from enum import Enum
from typing import Annotated, Any, Dict, List, Literal, Optional, Set, Tuple, Union
from uuid import UUID
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, StringConstraints, confloat, conint, conlist, constr
class Color(str, Enum):
    RED = "red"
class Inner(BaseModel):
    a: int
    b: Optional[str] = None
"""
TYPES = (
    "int", "float", "str", "bool", "date", "datetime", "time", "UUID", "Any", "Color", "Inner", "Optional[int]",
    "Union[int, str]", "'int | None'", "List[int]", "Dict[str, float]", "Dict[int, str]", "Tuple[int, str]",
    "Tuple[int, ...]", "Set[int]", "Literal['a', 1]", "Literal[True, 'x']", "List[Inner]", "list", "dict",
    "Dict[Color, int]", "PositiveInt", "constr(min_length=2, max_length=3)", "conint(ge=2, lt=10)",
    "confloat(gt=0.5)", "conlist(int, min_length=1, max_length=2)", "Annotated[int, Field(gt=3)]",
    "constr(pattern=r'^[a-c]+$')", "constr(strip_whitespace=True, min_length=1)",
    "Annotated[str, StringConstraints(max_length=2)]", "Annotated[int, Field(multiple_of=5)]",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    0, 1, 5, -1, 10, True, False, None, 1.0, 1.5, 1e20, -1e19, float("nan"), float("inf"), 10**25, "", "a", "ab",
    "abcd", "x", "1", " 5 ", "+5", "5.0", "5.", "5.5", "1_000", "1__0", "1e3", "inf", ".5", "0x5", "true", "OFF", "t",
    "2024-01-02", "2024-13-02", "2024-01-02T03:04", "2024-01-02T03:04:05Z", "2024-01-02 03:04:05.123+02:00",
    "2024-01-02T00:00:00", "2024-01-02T24:00:00", "2024-1-2", "2024-01-02T03:04:05 +02:00", "03:04", "25:00", "12:00Z",
    "1700000000", "1704067200", 1704067200, 1704067200000, 86399, 86400, -5.5, "1.7e9",
    "12345678-1234-5678-1234-567812345678", "12345678123456781234567812345678", "red", "RED", [], [1], ["1"],
    [1, 2, 3], [1, "x"], [1, 1], {}, {"a": 1}, {"a": "1", "b": None}, {"a": 1, "c": 2}, {"1": "x"}, {"red": 1},
    {"green": 1}, [{"a": 1}], [{"b": "x"}], {"a": 1.5}, "é", "\uff11", "5\n", "-0", -0.0, "+nan", "2023-02-29T00:00",
)  # fmt: skip


@pytest.mark.parametrize("annotation", TYPES)
def test_models_are_read_as_pydantic_reads_them(annotation: str) -> None:
    for default in ("", " = None"):
        source = f"{HEAD}class M(BaseModel):\n    x: {annotation}{default}\n"
        model = read_model(source, "M")
        for value in ({}, *({"x": value} for value in VALUES)):
            assert model.accepts(value) == published.validates(source, "M", value), value


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "    x: int\n    @field_validator('x')\n    def f(cls, v): return v",
            "`f` is a validator, which is code",
        ),
        ("    x: EmailStr", "`EmailStr` is unknown"),
        ("    x: 'M'", "`M` refers to itself"),
        ("    x: int = compute()", "the default of `x`"),
        ("    x: int = Field(ge=len('a'))", "is no constant"),
        ("    x: int = Field(strict=True)", "`strict=`"),
        ("    x: constr(pattern='(?=a)')", "look-around"),
        ("    x: __import__('os').system('id')", "the annotation"),
        ("    def __init__(self): pass", "the method `__init__`"),
        ("    x = 3", "in a class"),
        ("    model_config = {'extra': 'maybe'}", "`extra` of the configuration"),
        ("    x: [1]", "the annotation"),
        ("    (", "is no Python"),
    ],
)
def test_a_model_that_needs_running_is_refused_with_the_reason(body: str, reason: str) -> None:
    source = f"from pydantic import BaseModel, EmailStr, Field, constr, field_validator\nclass M(BaseModel):\n{body}\n"
    row = asked("pydantic_adherance", {"verification_info": {"pydantic_config": source, "model_name": "M"}})
    with pytest.raises(InvalidTask, match=f"row 1: .*{reason}"):
        synthetic2([asked("ifeval", {"verification_info": {"func_name": "validate_title"}}), row])


def test_no_model_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    for line in (f"open({str(trap)!r}, 'w')", f"class M(BaseModel, metaclass=open({str(trap)!r}, 'w')): x: int",
                 f"class M(BaseModel):\n    x: Literal[open({str(trap)!r}, 'w')]"):  # fmt: skip
        source = f"from typing import Literal\nfrom pydantic import BaseModel\n{line}\nclass N(BaseModel):\n    x: int\n"
        for name in ("M", "N"):
            info = {"pydantic_config": source, "model_name": name}
            CHECK.check([{"task_type": "pydantic_adherance", "verification_info": info}])
    assert not trap.exists()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"task_type": "no_verification"}, "there is no reference to check"),
        ({"task_type": "poetry"}, "unknown task_type 'poetry'; choose 'ascii_tree_formatting', "),
        ({"task_type": None}, "`task_type` is missing"),
        ({"prompt": " "}, "`prompt` is ' ', but must be text"),
        ({"problem_id": 7}, "`problem_id` is 7, but must be text"),
        ({"verification_info": "{"}, "`verification_info` must be a JSON string"),
        ({"verification_info": "[]"}, "`verification_info` must be an object"),
        ({"verification_info": "{}"}, "`ground_truth` is missing"),
        ({"task_type": "ifeval"}, "`func_name` is missing"),
        ({"task_type": "verifiable_math"}, "has a mathematical|`ground_truth`|math"),
        ({"task_type": "unscramble_sentence"}, "fewer than two numbered sentences"),
        ({"task_type": "prime_rl_code"}, "`test_cases` is missing"),
        ({"task_type": "reasoning_gym"}, "`reasoning_gym_dataset` is missing"),
        ({"task_type": "git_diff"}, "`diff` is missing"),
        ({"task_type": "code_output_prediction"}, "`code_output` is missing"),
    ],
)
def test_a_row_that_cannot_be_verified_is_named_with_its_reason(change: dict[str, Any], reason: str) -> None:
    good = asked("formatask", {"verification_info": {"ground_truth": "[]"}})
    given = good | change
    if change.get("task_type") == "verifiable_math":
        given["verification_info"] = '{"ground_truth": null}'
    with pytest.raises(InvalidTask, match=f"row 1: .*({reason})"):
        synthetic2([good, given])
    assert len(synthetic2([good, given], errors="skip")) == 1


def test_epochs_of_a_problem_share_their_group() -> None:
    info = {"verification_info": {"ground_truth": "[a]"}}
    ids = ["formatask_e0_7", "formatask_dual_e3_7", "formatask_e1_8", "ascii_format_a/e0", None]
    rows = synthetic2([asked("formatask", info, problem_id=name) for name in ids])
    assert rows.groups == ["formatask_7", "formatask_7", "formatask_8", "ascii_format_a/e0", "do it"]
    splits = split_by_group(rows, {"a": 0.5, "b": 0.5}, group=lambda row: str(row.group))
    assert sum(map(len, splits.values())) == 5


@KINDS
def test_rows_are_tasks_for_rewards_and_trainers(kind: str) -> None:
    case = synthetic2_rows.CASES[kind][0]
    rows = synthetic2([asked(kind, {"verification_info": case.info})] * 2)
    assert rows[0].prompt == "do it"
    text = synthetic2_rows.THINK + case.right
    assert rows.verify([text, ""]).passed.tolist() == [True, False]
    right, empty = rewards.preset("synthetic2")(rows.verify([text, ""]))
    assert 0.9 < right <= 1  # a diff may pass with other function names
    assert empty == 0
    problem = integrations.item(rows[0]).problem
    assert integrations.score(text, problem).passed
    assert rows[0].wrap("x").startswith(CHECK.marks(rows[0].answer)[0])
    assert rows[0].has_answer(rows[0].wrap("x")) or kind == "ifeval"
    assert reasonenv.from_rows(
        [asked(kind, {"verification_info": case.info})],
        question="prompt", answer=["task_type", "verification_info"], verifier="synthetic2",
    )[0].verify(text).passed  # fmt: skip


def test_bad_arguments_are_named() -> None:
    with pytest.raises(InvalidArgument, match=r"`verifier` is .*, but must be `verifiers.synthetic2"):
        synthetic2([], verifier=verifiers.python_tests())
    with pytest.raises(InvalidTask, match="`rows` has no rows that can be verified"):
        synthetic2([])
    with pytest.raises(ValueError, match="synthetic2: unknown runtime 'js'"):
        verifiers.synthetic2(runtime="js")  # type: ignore[arg-type]
