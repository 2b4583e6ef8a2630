"""Verifiers of a user's own rows."""

import copy
import difflib
import json
import math
import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import reasonenv
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reasonenv import InvalidArgument, InvalidParams, InvalidTruth, ReasonEnvError, verifiers
from reasonenv.types import VerifierName
from reasonenv.verifiers import Verifier

ALL: dict[str, Verifier] = {
    **{name: Verifier(name) for name in verifiers.list_verifiers()},
    "exact_match, a function": verifiers.exact_match(normalize=str.lower),
    "exact_match, case+spacing": verifiers.exact_match(normalize="case+spacing"),
    "number_equal, tolerance": verifiers.number_equal(tolerance=0.01),
    "ascii_tree, compat": verifiers.ascii_tree(scorer="compat"),
    "ascii_tree, structural": verifiers.ascii_tree(scorer="structural"),
}
JUDGES = pytest.mark.parametrize("judge", ALL.values(), ids=ALL)
LONE = "\ud800"


def answers(judge: Verifier, *texts: str) -> list[str]:
    """The texts as well-formed completions."""
    tag = judge.options["tag"]
    return [text if tag is None else f"<{tag}>{text}</{tag}>" for text in texts]


def truth_of(judge: Verifier) -> str:
    """A truth that every verifier takes; SYNTHETIC-2's scorer pays no tree of one line in full."""
    return "1\n `--1" if judge.options.get("scorer") == "compat" else "1"


def passes(judge: Verifier, answer: str, truth: str) -> bool:
    return bool(judge(answers(judge, answer), [truth]).passed[0])


def test_exact_match_reads_the_tag_and_compares() -> None:
    judge = verifiers.exact_match()
    verdicts = judge(["so <answer> 4 </answer>", "<answer>5</answer>", "4"], ["4", "4", "4"])
    assert verdicts.passed.tolist() == [True, False, False]
    assert verdicts.failures[1] == ("wrong_answer",)
    assert verdicts.failures[2][0] == "no_answer"
    assert verdicts[0].answer == "4"


@pytest.mark.parametrize("name", verifiers.list_verifiers())
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
        of_truth = message.replace(f"the answer in `texts\\[{row}\\]`", f"`truths\\[{row}\\]`")
        with pytest.raises(InvalidArgument, match=of_truth):
            judge(["?"] * (row + 1), ["ok"] * row + [text])

    def interrupted(_text: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verifiers.exact_match(normalize=interrupted)(["7"], ["7"])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400), st.text(max_size=400))
def test_difflib_ratio_is_pythons(answer: str, truth: str) -> None:
    answer, truth = answer.strip(), truth.strip()
    score = verifiers.difflib_ratio()([answer], [truth]).score[0]
    if answer != truth:
        expected = np.float32(difflib.SequenceMatcher(None, answer, truth).ratio())
        assert score == min(expected, np.nextafter(np.float32(1), np.float32(0)))


def test_autojunk_is_reproduced_and_lcs_has_no_such_cliff() -> None:
    truth = "abcdefghij" * 30
    answer = truth[:150] + "z" + truth[150:]
    low = verifiers.difflib_ratio()([answer], [truth]).score[0]
    high = verifiers.lcs_ratio()([answer], [truth]).score[0]
    assert low < 0.6
    assert high > 0.99


# JSON


def json_values(numbers: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values that JSON can hold, lone surrogates in their text included."""
    text = st.text(st.characters(), max_size=8)
    return st.recursive(
        st.none() | st.booleans() | numbers | text,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=12,
    )


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=500, deadline=None)
@given(json_values(st.integers() | FINITE), st.booleans(), st.sampled_from([None, 2]))
def test_json_equals_itself_however_python_writes_it(value: Any, sort: bool, indent: int | None) -> None:
    judge = verifiers.json_equal(tag=None)
    written = json.dumps(value, sort_keys=sort, indent=indent)
    assert passes(judge, written, json.dumps(value))


@settings(max_examples=500, deadline=None)
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
    """What Python reads, with numbers kept exactly and nothing allowed that RFC 8259 does not allow."""

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


@settings(max_examples=2_000, deadline=None)
@given(
    st.lists(st.sampled_from(TOKENS), max_size=8).map("".join),
    st.lists(st.sampled_from(TOKENS), max_size=8).map("".join)
    | json_values(st.integers(-1, 1)).map(json.dumps),
)
def test_json_agrees_with_pythons_reader(one: str, other: str) -> None:
    judge = verifiers.json_equal(tag=None)
    try:
        truth = strict_json(other)
    except ValueError:
        with pytest.raises(InvalidTruth, match=r"json_equal: `truths\[0\]` is"):
            judge([one], [other])
        return
    verdict = judge([one], [other])[0]
    try:
        answer = strict_json(one)
    except ValueError:
        assert verdict.failures == ("malformed_answer",)
    else:
        assert verdict.passed == (answer == truth)


# Numbers

INTEGERS = st.integers(-(10**30), 10**30) | st.integers(-20, 20)
FRACTIONS = st.builds(Fraction, INTEGERS, INTEGERS.filter(bool))
DECIMALS = st.builds(lambda digits, power: Decimal(f"{digits}e{power}"), INTEGERS, st.integers(-25, 25))
NUMBERS = FRACTIONS | DECIMALS


@settings(max_examples=1_000, deadline=None)
@given(NUMBERS, NUMBERS, st.sampled_from([0, 1, -1]), st.sampled_from([0.0, 1e-30, 0.1, 0.3, 2.5, 1e20]))
def test_numbers_agree_with_pythons_fractions(
    one: Fraction | Decimal, other: Fraction | Decimal, sign: int, tolerance: float
) -> None:
    allowed = Fraction(repr(tolerance))
    judge = verifiers.number_equal(tolerance=tolerance)
    for truth in (Fraction(one), Fraction(other)):
        # Exactly as far off as is allowed, and a trifle further.
        for answer in (Fraction(one), truth + sign * allowed, truth + sign * (allowed + Fraction(1, 10**60))):
            assert passes(judge, str(answer), str(truth)) == (abs(answer - truth) <= allowed)
    assert passes(judge, str(one), str(other)) == (abs(Fraction(one) - Fraction(other)) <= allowed)
    assert passes(judge, str(one), str(one))


def test_odd_numbers() -> None:
    judge = verifiers.number_equal()
    long = "7" * 60_000
    for answer, truth in [
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
        assert not passes(judge, answer, truth), answer[:50]
    for answer, truth in [
        ("1000000000000000000000000000000/3", "2000000000000000000000000000000/6"),
        ("1e999999999", "10e999999998"),
        (long, f"{long}.0"),
        (f"{long[:30_000]}/{long[:30_000]}", "1"),
        ("−1 / 2", "-.5"),
    ]:
        assert passes(judge, answer, truth), answer[:50]


# Truths


@pytest.mark.parametrize(
    ("judge", "truth", "message"),
    [
        (verifiers.number_equal(), "seven", "is `seven`, but must be one number like"),
        (verifiers.number_equal(), "1/0", "is `1/0`, but must be one number"),
        (verifiers.number_equal(), "nan", "is `nan`, but must be one number"),
        (verifiers.number_equal(tolerance=0.1), "", "is ``, but must be one number"),
        (verifiers.json_equal(), "{'a': 1}", "but must be JSON: expected a key in double quotes"),
        (verifiers.json_equal(), '{"a": 1, "a": 1}', "but must be JSON: the key `a` is given twice"),
        (verifiers.json_equal(), "NaN", "is `NaN`, but must be JSON"),
        (verifiers.json_equal(), "[" * 100_000, "nested deeper than 1000 levels"),
        *[
            (verifiers.ascii_tree(scorer=scorer), " \n", "but must be the drawing of a tree")
            for scorer in ("strict", "compat", "structural")
        ],
        *[(judge, LONE, "has a lone surrogate, but must be Unicode") for judge in ALL.values()],
    ],
)
def test_a_truth_that_is_none_is_the_callers_error(judge: Verifier, truth: str, message: str) -> None:
    good = "1"
    for text in [*answers(judge, "1"), "", "unread"]:
        with pytest.raises(ReasonEnvError) as raised:
            judge([text, text, text], [good, truth, truth])
        told = str(raised.value)
        assert "`truths[1]`" in told
        assert message in told
        assert len(told) < 300
        assert isinstance(raised.value, InvalidArgument if truth == LONE else InvalidTruth)


# Reading


@JUDGES
def test_end_marks_of_chat_templates_count_as_white_space(judge: Verifier) -> None:
    truth = truth_of(judge)
    right, wrong = answers(judge, truth, "2")
    if judge.options["tag"] is None:
        assert not judge([f"{right}</s>"], [truth]).passed[0]
        return
    # SYNTHETIC-2's own scorer reads the first block, whatever follows.
    compat = judge.options.get("scorer") == "compat"
    for marks in [
        "</s>",
        "<|im_end|>\n",
        " <|eot_id|> <|eot_id|>",
        "<|end|><|endoftext|>",
        "<\uff5cend\u2581of\u2581sentence\uff5c>",
    ]:
        ends = ["", "x", wrong]
        verdicts = judge([right + marks + end for end in ends], [truth] * 3)
        assert verdicts.passed.tolist() == [True, compat, compat]
        assert verdicts.answers[0] == truth
        assert not judge([wrong + marks, wrong + marks + right], [truth] * 2).passed.any()


@JUDGES
def test_stop_tokens_are_a_models_own(judge: Verifier) -> None:
    own = Verifier(judge.name, **judge.options | {"stop_tokens": ["###", "<|call|>"]})
    truth = truth_of(judge)
    (right,) = answers(own, truth)
    ended = f"{right} ### <|call|>\n###\n"
    verdicts = own([right, ended], [truth] * 2)
    assert verdicts.passed.all()
    assert verdicts.answers == [truth] * 2
    compat = judge.options.get("scorer") == "compat"
    assert own([f"{right}### and"], [truth]).passed[0] == compat
    assert judge([f"{right}###"], [truth]).passed[0] == compat


def test_answers_are_read_as_told() -> None:
    texts = [
        "é <answer> 7 </answer><|im_end|>",
        "<answer>7</answer>END",
        "7",
        f"{LONE}<answer>{LONE}</answer>",
    ]
    assert verifiers.read_answers(texts) == ["7", None, None, "\ufffd\ufffd\ufffd"]
    assert verifiers.read_answers(texts[:2], stop_tokens=["END"]) == ["7", "7"]
    assert verifiers.read_answers(texts[:2], reading="clean", stop_tokens=["END"]) == [None, "7"]
    assert verifiers.read_answers(["<a>7</a>"], tag="a") == ["7"]


def test_tasks_take_stop_tokens() -> None:
    family = reasonenv.family("chain_sum")
    batch = family.batch(count=3)
    texts = [task.wrap(task.solution.answer) + "<|im_end|>###" for task in batch]
    assert not batch.verify(texts).passed.any()
    assert batch.verify(texts, stop_tokens=["###"]).passed.all()
    for task, text in zip(batch, texts, strict=True):
        verdict = task.verify(text, stop_tokens=["###"])
        assert verdict.passed
        assert verdict.answer == task.solution.answer
        assert reasonenv.verify("chain_sum", task.problem, text, stop_tokens=["###"]) == verdict
        assert not task.verify(text).passed
    problems = [task.problem for task in batch]
    verdicts = reasonenv.verify_all(["chain_sum"] * 3, problems, texts, stop_tokens=["###"])
    assert all(verdict.passed for verdict in verdicts)
    for wrong in (["x", ""], "###", [3], 3, [LONE]):
        with pytest.raises(InvalidArgument, match="`stop_tokens"):
            batch.verify(texts, stop_tokens=wrong)  # type: ignore[arg-type]


# Any text, any argument


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.text(st.characters()), st.text()), max_size=5),
    st.sampled_from(sorted(ALL)),
    st.booleans(),
)
def test_any_text_gets_a_verdict(rows: list[tuple[str, str]], name: str, wrapped: bool) -> None:
    judge = ALL[name]
    texts, truths = [text for text, _ in rows], [truth for _, truth in rows]
    if wrapped:
        texts = answers(judge, *texts)
    try:
        verdicts = judge(texts, truths)
    except InvalidTruth:
        verdicts = judge(texts, ["1"] * len(rows))
    assert len(verdicts) == len(rows)
    assert ((verdicts.score == 1.0) == verdicts.passed).all()
    assert [verdict.passed for verdict in verdicts] == verdicts.passed.tolist()
    singles = [judge([text], ["1"])[0] for text in texts]
    assert singles == list(judge(texts, ["1"] * len(rows)))


class Hostile:
    """What raises wherever it is looked at."""

    def __repr__(self) -> str:
        raise RuntimeError

    def __len__(self) -> int:
        return 2**62

    def __iter__(self) -> Any:
        return iter([self])


ODD: list[Any] = [
    *(None, True, 3, -1, 0.5, math.nan, math.inf, 10**400, "", " ", LONE, "x", "<a>", "a\0b", b"x", [], [3]),
    *([LONE], [None], {"a": 1}, {1, 2}, object(), Hostile(), np.float64("nan"), np.arange(3), int, [[[]]]),
    *("x" * 100_000, str.lower),
]


def raises_from_the_tree(call: Callable[[], Any], *fields: str) -> None:
    """The call succeeds, or raises an error of ours that names one of the fields."""
    try:
        call()
    except ReasonEnvError as error:
        told = str(error)
    else:
        return
    assert any(field in told for field in fields)
    assert len(told) < 600


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
@pytest.mark.parametrize("name", verifiers.list_verifiers())
def test_odd_options_raise_an_error_that_names_them(name: VerifierName, odd: Any) -> None:
    for option in Verifier(name).options:
        raises_from_the_tree(lambda option=option: Verifier(name, **{option: odd}), option)  # type: ignore[misc]
    raises_from_the_tree(lambda: Verifier(odd), "name", "no verifier")
    with pytest.raises(InvalidParams, match="no param `colour`"):
        Verifier(name, colour=1)


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_odd_rows_raise_an_error_that_names_them(odd: Any) -> None:
    for judge in ALL.values():
        raises_from_the_tree(lambda judge=judge: judge(odd, ["1"]), "texts")  # type: ignore[misc]
        raises_from_the_tree(lambda judge=judge: judge(["1"], odd), "truths")  # type: ignore[misc]
        raises_from_the_tree(lambda judge=judge: judge([odd], ["1"]), "texts[0]")  # type: ignore[misc]
        raises_from_the_tree(lambda judge=judge: judge(["1", "1"], ["1", odd]), "truths[1]")  # type: ignore[misc]
    raises_from_the_tree(lambda: verifiers.read_answers(odd), "texts")
    raises_from_the_tree(lambda: verifiers.read_answers(["1"], tag=odd), "tag")
    raises_from_the_tree(lambda: verifiers.read_answers(["1"], reading=odd), "reading")
    raises_from_the_tree(lambda: verifiers.read_answers(["1"], stop_tokens=odd), "stop_tokens")
    raises_from_the_tree(lambda: verifiers.tree_compat(odd, ["1"]), "texts")
    raises_from_the_tree(lambda: verifiers.tree_compat(["1"], odd), "truths")
    raises_from_the_tree(lambda: verifiers.tree_compat(["1"], ["1"], tag=odd), "tag")


UNTYPED: Any = verifiers


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: UNTYPED.exact_match(normalize="upper"), '`normalize` is "upper", but must be one of'),
        (lambda: UNTYPED.exact_match(normalize=3), "`normalize` is 3, but must be one of"),
        (lambda: UNTYPED.exact_match(tag="<answer>"), '`tag` is "<answer>", but must be a name'),
        (lambda: UNTYPED.exact_match(tag=3), "`tag` is 3, but must be a name"),
        (lambda: UNTYPED.number_equal(tolerance=-1), "`tolerance` is -1, but must be at least 0"),
        (lambda: UNTYPED.number_equal(tolerance="x"), '`tolerance` is "x", but must be of type'),
        (lambda: UNTYPED.number_equal(tolerance=True), "`tolerance` is true, but must be of type"),
        (lambda: UNTYPED.number_equal(tolerance=math.nan), "`tolerance` is nan, but must be"),
        (lambda: UNTYPED.json_equal(reading="strct"), '`reading` is "strct", but must be one of "clean"'),
        (lambda: UNTYPED.json_equal(stop_tokens="</s>"), '`stop_tokens` is "</s>", but must be a list'),
        (lambda: UNTYPED.ascii_tree(scorer="loose"), '`scorer` is "loose", but must be one of "strict"'),
        (lambda: Verifier("number"), "no verifier `number`; "),  # type: ignore[arg-type]
        (lambda: UNTYPED.number_equal()(["1", "2"], ["1"]), "2 `texts` for 1 `truths`"),
        (lambda: UNTYPED.number_equal()(["1", 2], ["1", "2"]), "`texts[1]` is int, but must be str"),
        (lambda: UNTYPED.number_equal()("1", ["1"]), "`texts` is one str, but must be a sequence of str"),
        (lambda: UNTYPED.number_equal()(["1"], None), "`truths` is NoneType, but must be a sequence"),
    ],
)
def test_bad_options_and_rows_are_told(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ReasonEnvError) as raised:
        make()
    assert message in str(raised.value)


# Copies


def first_word(text: str) -> str:
    return text.partition(" ")[0]


def copies(value: Any) -> list[Any]:
    pickles = [pickle.dumps(value, protocol) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    return [copy.copy(value), copy.deepcopy(value), *map(pickle.loads, pickles)]


@pytest.mark.parametrize(
    "judge",
    [
        *ALL.values(),
        verifiers.exact_match(normalize=first_word, stop_tokens=["###"], reading="lenient", tag="a"),
        verifiers.number_equal(tolerance=0.30000000000000004),
        verifiers.number_equal(tolerance=5e-324, tag=None),
    ],
    ids=lambda judge: f"{judge.name}, {judge.options}".split(" at 0x")[0],
)
def test_verifiers_and_all_they_return_pickle_and_copy(judge: Verifier) -> None:
    texts, truths = [*answers(judge, "1", "12", f"{LONE}\0é"), "", "<think>"], ["1"] * 5
    verdicts = judge(texts, truths)
    for other in copies(judge):
        assert type(other) is Verifier
        assert other.options == judge.options
        assert repr(other) == repr(judge)
        assert other(texts, truths) == verdicts
    for others in copies(verdicts):
        assert type(others) is reasonenv.Verdicts
        assert others == verdicts
        assert others.passed.tolist() == verdicts.passed.tolist()
        assert others.score.tobytes() == verdicts.score.tobytes()
        assert {name: part.tolist() for name, part in others.parts.items()} == {
            name: part.tolist() for name, part in verdicts.parts.items()
        }
        assert others.failures == verdicts.failures
        assert others.detail == verdicts.detail
        assert others.answers == verdicts.answers
    for verdict in verdicts:
        for other in copies(verdict):
            assert other == verdict
            assert other.to_dict() == verdict.to_dict()
        fields = verdict.to_dict()
        assert list(fields) == ["passed", "score", "parts", "failures", "detail", "answer"]
        assert json.loads(json.dumps(fields)) == fields
        assert all(
            fields[name] == getattr(verdict, name)
            for name in ("passed", "score", "parts", "detail", "answer")
        )
        assert tuple(fields["failures"]) == verdict.failures
    assert verdicts[1:3] == [verdicts[1], verdicts[2]]
    assert verdicts[-1] == verdicts[4]
    for index in (5, -6, 10**30, -(10**30)):
        with pytest.raises(IndexError, match="out of range for 5 items"):
            verdicts[index]


def test_step_verdicts_pickle_and_copy() -> None:
    task = reasonenv.family("chain_sum").sample()
    for verdict in task.verify_steps([*task.solution.steps, "1 + 1 = 3"]):
        for other in copies(verdict):
            assert (other, other.detail) == (verdict, verdict.detail)


@pytest.mark.parametrize("kind", [reasonenv.Verdict, reasonenv.Verdicts, reasonenv.StepVerdict])
def test_a_pickle_of_something_else_is_refused(kind: Any) -> None:
    with pytest.raises(TypeError):
        kind()
    for odd in ODD:
        with pytest.raises(InvalidArgument, match="`json`"):
            kind._from_json(odd)
    row = '{"passed": false, "score": 0, "parts": [], "failures": [], "detail": "", "answer": null}'
    for wrong in ("{}", "[1]", '[["x"], [{}]]', f'[["x"], [{row}]]', "[true, 1, 2]"):
        with pytest.raises(InvalidArgument, match="`json`"):
            kind._from_json(wrong)
