"""Verifiers of rows: which answers pass, and how they are read."""

import difflib
import json
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reasonenv import _native, verifiers
from reasonenv.errors import InvalidArgument, InvalidReference
from reasonenv.types import VerifierName
from reasonenv.verifiers import Verifier
from verifier_checks import LONE, answers, passes


def test_exact_match_reads_the_tag_and_compares() -> None:
    judge = verifiers.exact_match()
    verdicts = judge(["so <answer> 4 </answer>", "<answer>5</answer>", "4"], ["4", "4", "4"])
    assert verdicts.passed.tolist() == [True, False, False]
    assert verdicts.failures[1] == ("wrong_answer",)
    assert verdicts.failures[2][0] == "no_answer"
    assert verdicts[0].answer == "4"


@pytest.mark.parametrize("name", _native.list_verifiers())
def test_every_verifier_has_a_factory_with_the_same_defaults(name: VerifierName) -> None:
    assert getattr(verifiers, name)().options == Verifier(name).options
    assert name in verifiers.__all__


@pytest.mark.parametrize(
    ("normalize", "answer", "right"),
    [
        (None, "new york", False),
        ("case", "new  york", False),
        (lambda text: text.replace("-", " "), "New_York", False),
        (lambda text: text.strip("NY"), "ew York", True),
        (None, "New York", True),
        ("case", "NEW YORK", True),
        ("spacing", "New \n York", True),
        ("case+spacing", " new   YORK", True),
        (lambda text: text.replace("-", " "), "New-York", True),
    ],
)
def test_normalizing_ignores_only_what_is_asked(
    normalize: verifiers.Normalize, answer: str, right: bool
) -> None:
    assert passes(verifiers.exact_match(normalize=normalize), answer, "New York") is right


def test_what_a_function_returns_is_compared_and_never_read() -> None:
    upper = verifiers.exact_match(normalize=str.upper)
    verdicts = upper(["<answer>a</answer> <answer>b</answer>", "a", "<answer>a"], ["A", "A", "A"])
    assert not verdicts.passed.any()
    assert [labels[0] for labels in verdicts.failures] == ["hedged", "no_answer", "truncated"]

    tagged = verifiers.exact_match(normalize=lambda text: f"</answer><answer>{text}</answer>")
    verdicts = tagged(answers(tagged, "7", "8"), ["7", "7"])
    assert verdicts.passed.tolist() == [True, False]
    assert verdicts.failures[1] == ("wrong_answer",)
    assert verdicts.answers == ["7", "8"]

    # An answer that becomes a tag is still the one that was read.
    tag = verifiers.exact_match(normalize=lambda text: text.replace("[", "<").replace("]", ">"))
    assert passes(tag, "[answer]7", "<answer>7")
    assert not passes(tag, "[/answer]", "7")
    assert not passes(tag, "8[/answer][answer]7", "7")
    untagged = verifiers.exact_match(tag=None, normalize=lambda text: f" {text}")
    assert passes(untagged, "7\n", "7")


@pytest.mark.parametrize("row", [0, 1])
def test_a_function_that_fails_is_told_with_its_row(row: int) -> None:
    def odd(text: str) -> Any:
        return {"number": 3, "lone": LONE}[text] if text in ("number", "lone") else int(text)

    for text, message in [
        ("number", f"`normalize` returned int for the answer in `texts\\[{row}\\]`, but must return"),
        ("lone", f"`normalize` returned a lone surrogate for the answer in `texts\\[{row}\\]`"),
        ("x", f"`normalize` raised for the answer in `texts\\[{row}\\]`: ValueError: invalid literal"),
    ]:
        judge = verifiers.exact_match(normalize=lambda text: odd(text) if text != "ok" else text)
        with pytest.raises(InvalidArgument, match=message):
            judge(answers(judge, *["ok"] * row, text), ["ok"] * (row + 1))
        of_reference = message.replace(f"the answer in `texts\\[{row}\\]`", f"`references\\[{row}\\]`")
        with pytest.raises(InvalidArgument, match=of_reference):
            judge(["?"] * (row + 1), ["ok"] * row + [text])

    def interrupted(_text: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verifiers.exact_match(normalize=interrupted)(["7"], ["7"])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400), st.text(max_size=400))
def test_difflib_ratio_is_pythons(answer: str, reference: str) -> None:
    answer, reference = answer.strip(), reference.strip()
    score = verifiers.difflib_ratio()([answer], [reference]).score[0]
    if answer != reference:
        expected = np.float32(difflib.SequenceMatcher(None, answer, reference).ratio())
        assert score == min(expected, np.nextafter(np.float32(1), np.float32(0)))


def test_autojunk_is_reproduced_and_lcs_has_no_such_cliff() -> None:
    reference = "abcdefghij" * 30
    answer = reference[:150] + "z" + reference[150:]
    low = verifiers.difflib_ratio()([answer], [reference]).score[0]
    high = verifiers.lcs_ratio()([answer], [reference]).score[0]
    assert low < 0.6
    assert high > 0.99


def json_values(numbers: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values that JSON can hold, lone surrogates in their text included."""
    text = st.text(st.characters(), max_size=8)
    return st.recursive(
        st.none() | st.booleans() | numbers | text,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=12,
    )


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=200, deadline=None)
@given(json_values(st.integers() | FINITE), st.booleans(), st.sampled_from([None, 2]))
def test_json_equals_itself_however_python_writes_it(value: Any, sort: bool, indent: int | None) -> None:
    judge = verifiers.json_equal(tag=None)
    written = json.dumps(value, sort_keys=sort, indent=indent)
    assert passes(judge, written, json.dumps(value))


@settings(max_examples=200, deadline=None)
@given(FINITE)
@example(9.999999999999999)
@example(5e-324)
@example(1.7976931348623157e308)
@example(-0.0)
def test_a_float_equals_itself_and_not_its_neighbour(value: float) -> None:
    beside = math.nextafter(value, math.inf)
    for judge in (verifiers.json_equal(), verifiers.number_equal()):
        assert passes(judge, repr(value), repr(value))
        assert passes(judge, f"{Decimal(value):f}", str(Decimal(value)))
        if math.isfinite(beside):
            assert not passes(judge, repr(beside), repr(value))


def strict_json(text: str) -> Any:
    """Parse JSON with Python, with exact numbers and only what RFC 8259 allows."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError
        return dict(pairs)

    def refuse(_name: str) -> None:
        raise ValueError

    read = json.loads(
        text, parse_int=Decimal, parse_float=Decimal, parse_constant=refuse, object_pairs_hook=once
    )
    return tagged(read)


def tagged(value: Any) -> Any:
    """The value with its type, since True == 1."""
    if isinstance(value, list):
        return ("list", [tagged(item) for item in value])
    if isinstance(value, dict):
        return ("dict", {key: tagged(item) for key, item in value.items()})
    return (type(value).__name__, value)


TOKENS = [*"{}[],:1", '"a"', '"b"', '"\\u0061"', '"\\ud800"', '""', "true", "false", "null"]
TOKENS += ["1.0", "10e-1", "0", "-0", "01", "1.", ".5", "1e", "0.1"]


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.sampled_from(TOKENS), max_size=8).map("".join),
    st.lists(st.sampled_from(TOKENS), max_size=8).map("".join)
    | json_values(st.integers(-1, 1)).map(json.dumps),
)
def test_json_agrees_with_pythons_reader(one: str, other: str) -> None:
    judge = verifiers.json_equal(tag=None)
    try:
        reference = strict_json(other)
    except ValueError:
        with pytest.raises(InvalidReference, match=r"json_equal: `references\[0\]` is"):
            judge([one], [other])
        return
    verdict = judge([one], [other])[0]
    try:
        answer = strict_json(one)
    except ValueError:
        assert verdict.failures == ("malformed_answer",)
    else:
        assert verdict.passed == (answer == reference)


# Numbers

INTEGERS = st.integers(-(10**30), 10**30) | st.integers(-20, 20)
FRACTIONS = st.builds(Fraction, INTEGERS, INTEGERS.filter(bool))
DECIMALS = st.builds(lambda digits, power: Decimal(f"{digits}e{power}"), INTEGERS, st.integers(-25, 25))
NUMBERS = FRACTIONS | DECIMALS


@settings(max_examples=300, deadline=None)
@given(NUMBERS, NUMBERS, st.sampled_from([0, 1, -1]), st.sampled_from([0.0, 1e-30, 0.1, 0.3, 2.5, 1e20]))
def test_numbers_agree_with_pythons_fractions(
    one: Fraction | Decimal, other: Fraction | Decimal, sign: int, tolerance: float
) -> None:
    allowed = Fraction(repr(tolerance))
    judge = verifiers.number_equal(tolerance=tolerance)
    for reference in (Fraction(one), Fraction(other)):
        # Exactly at the tolerance, and slightly beyond it.
        for answer in (
            Fraction(one),
            reference + sign * allowed,
            reference + sign * (allowed + Fraction(1, 10**60)),
        ):
            assert passes(judge, str(answer), str(reference)) == (abs(answer - reference) <= allowed)
    assert passes(judge, str(one), str(other)) == (abs(Fraction(one) - Fraction(other)) <= allowed)
    assert passes(judge, str(one), str(one))


def test_odd_numbers() -> None:
    judge = verifiers.number_equal()
    long = "7" * 60_000
    for answer, reference in [
        ("9.9999999999999999", "10"),
        ("1e-400", "0"),
        ("1e999999999", "1e999999998"),
        ("1e999999999", "0"),
        (long, long[1:]),
        (f"{long[:30_000]}/3", f"{long[:30_000]}/4"),
        (f"1e{long}", "1"),
        ("5000", "500"),
        ("1,000", "1000"),
        ("seven", "7"),
        ("7 apples", "7"),
        ("6+1", "7"),
        ("\u0667", "7"),
        ("nan", "7"),
        ("7/0", "7"),
        ("", "0"),
    ]:
        assert not passes(judge, answer, reference), answer[:50]
    for answer, reference in [
        ("1000000000000000000000000000000/3", "2000000000000000000000000000000/6"),
        ("1e999999999", "10e999999998"),
        (long, f"{long}.0"),
        (f"{long[:30_000]}/{long[:30_000]}", "1"),
        ("−1 / 2", "-.5"),
    ]:
        assert passes(judge, answer, reference), answer[:50]


# Several accepted answers


def test_the_best_of_the_accepted_answers_counts() -> None:
    f1 = verifiers.text_f1(tag=None)
    texts, references = ["the Nile", "Blue Nile", "Nile"], [["x", "Nile"], ("Nile", "a b c"), "Nile"]
    verdicts = f1(texts, references)
    assert verdicts.passed.tolist() == [True, False, True]
    assert verdicts[1].score == pytest.approx(2 / 3)
    assert "1 other answers are accepted" in verdicts[1].detail
    folded = verifiers.exact_match(tag=None, normalize=str.lower)
    assert folded(texts, references).passed.tolist() == [False, False, True]
    both = verifiers.any_of(f1, folded)
    assert both(texts, references).passed.tolist() == [True, False, True]


@pytest.mark.parametrize("name", _native.list_verifiers())
def test_every_verifier_takes_accepted_answers(name: VerifierName) -> None:
    judge = Verifier(name)
    reference, right, wrong = judge.example["reference"], judge.example["right"], judge.example["wrong"]
    texts = answers(judge, right, wrong)
    assert judge(texts, [[reference], (reference,)]) == judge(texts, [reference, reference])
    assert judge.check([[reference], [reference, reference]]) == []


@pytest.mark.parametrize(
    ("references", "message"),
    [
        (["1", []], "`references[1]` is empty, but must have an answer"),
        (["1", ["1", None]], "`references[1][1]` is None, but must be text, a number"),
        (["1", None], "`references[1]` is None, but must be text, a number, other plain data, or a list of"),
        (["1", {"1"}], "`references[1]` is {'1'}, but must be text, a number"),
        (["1", float("nan")], "`references[1]` is nan, but must be text, a number"),
        (["1", ["1", LONE]], "`references[1][1]` has a lone surrogate"),
        (["1"], "2 `texts` for 1 `references`"),
        ([["1", "2"]], "2 `texts` for 1 `references`"),
    ],
)
def test_lists_that_hold_no_answers_are_told(references: Any, message: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        verifiers.exact_match()(["", ""], references)
    assert message in str(raised.value)


def test_references_may_be_numbers_and_plain_data() -> None:
    number = verifiers.number_equal(tag=None)
    assert number(["4"] * 5, [4, 4.0, np.int64(4), [5, 4], 10**30]).passed.tolist() == [True] * 4 + [False]
    assert number.check([4, "x"]) == number.check(["4", "x"])
    equal = verifiers.json_equal(tag=None)
    assert equal(['{"é": [1]}', "true"], [{"é": [1]}, True]).passed.all()


def test_completions_may_be_chat_messages() -> None:
    said = {"role": "assistant", "content": "<answer>4</answer>"}
    judge = verifiers.number_equal()
    assert judge([[said], said, [{"role": "user", "content": "2 + 2?"}, said]], ["4"] * 3).passed.all()


def test_a_reference_among_several_is_named() -> None:
    judge = verifiers.number_equal()
    with pytest.raises(InvalidReference, match=r"`references\[1\]\[2\]` is `x`"):
        judge(["", ""], ["1", ["1", "2", "x"]])
    assert [row for row, _ in judge.check([["1", "y"], "2", ["x", "x"]])] == [0, 2, 2]
