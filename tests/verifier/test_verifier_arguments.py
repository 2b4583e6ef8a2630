"""Verifiers with any text, reference, option and copy."""

import copy
import itertools
import json
import math
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import reasonenv
from hypothesis import given, settings
from hypothesis import strategies as st
from reasonenv import ReasonEnvError, _native, verifiers
from reasonenv.errors import InvalidArgument, InvalidParams, InvalidReference
from reasonenv.types import VerifierName
from reasonenv.verifiers import Verifier
from verifier_checks import ALL, JUDGES, LONE, answers, reference_of, right_of


@pytest.mark.parametrize(
    ("judge", "reference", "message"),
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
def test_a_reference_that_matches_nothing_is_the_callers_error(
    judge: Verifier, reference: str, message: str
) -> None:
    good = reference_of(judge)
    for text in [*answers(judge, right_of(judge)), "", "unread"]:
        with pytest.raises(ReasonEnvError) as raised:
            judge([text, text, text], [good, reference, reference])
        told = str(raised.value)
        assert "`references[1]`" in told
        assert message in told
        assert len(told) < 300
        assert isinstance(raised.value, InvalidArgument if reference == LONE else InvalidReference)


@JUDGES
def test_end_marks_of_chat_templates_count_as_white_space(judge: Verifier) -> None:
    reference, answer = reference_of(judge), right_of(judge)
    right, wrong = answers(judge, answer, judge.example["wrong"])
    if judge.options["extract"] == "whole":
        assert judge([f"{right}</s>"], [reference]).answers == [f"{right}</s>"]
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
        verdicts = judge([right + marks + end for end in ends], [reference] * 3)
        assert verdicts.passed.tolist() == [True, compat, compat]
        assert verdicts.answers[0] == answer
        assert not judge([wrong + marks, wrong + marks + right], [reference] * 2).passed.any()


@JUDGES
def test_stop_tokens_are_a_models_own(judge: Verifier) -> None:
    own = Verifier(judge.name, **judge.options | {"stop_tokens": ["###", "<|call|>"]})
    reference, answer = reference_of(judge), right_of(judge)
    (right,) = answers(own, answer)
    ended = f"{right} ### <|call|>\n###\n"
    verdicts = own([right, ended], [reference] * 2)
    assert verdicts.passed.all()
    assert verdicts.answers == [answer] * 2
    if judge.options["extract"] == "whole":
        assert judge([f"{right}###"], [reference]).answers == [f"{right}###"]
        return
    compat = judge.options.get("scorer") == "compat"
    assert own([f"{right}### and"], [reference]).passed[0] == compat
    assert judge([f"{right}###"], [reference]).passed[0] == compat


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


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.text(st.characters()), st.text()), max_size=5),
    st.sampled_from(sorted(ALL)),
    st.booleans(),
)
def test_any_text_gets_a_verdict(rows: list[tuple[str, str]], name: str, wrapped: bool) -> None:
    judge = ALL[name]
    good = reference_of(judge)
    texts, references = [text for text, _ in rows], [reference for _, reference in rows]
    if wrapped:
        texts = answers(judge, *texts)
    try:
        verdicts = judge(texts, references)
    except InvalidReference:
        verdicts = judge(texts, [good] * len(rows))
    assert len(verdicts) == len(rows)
    assert ((verdicts.score == 1.0) == verdicts.passed).all()
    assert [verdict.passed for verdict in verdicts] == verdicts.passed.tolist()
    singles = [judge([text], [good])[0] for text in texts]
    assert singles == list(judge(texts, [good] * len(rows)))


class Hostile:
    """An object that raises whenever it is inspected."""

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


@pytest.mark.parametrize("name", _native.list_verifiers())
def test_odd_options_raise_an_error_that_names_them(name: VerifierName) -> None:
    for option, odd in itertools.product(Verifier(name).options, ODD):
        raises_from_the_tree(partial(Verifier, name, **{option: odd}), option)
    with pytest.raises(InvalidParams, match="no param `colour`"):
        Verifier(name, colour=1)


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_odd_rows_and_names_raise_an_error_that_names_them(odd: Any) -> None:
    raises_from_the_tree(lambda: Verifier(odd), "name", "no verifier")
    for judge in ALL.values():
        good = reference_of(judge)
        raises_from_the_tree(lambda judge=judge, good=good: judge(odd, [good]), "texts")  # type: ignore[misc]
        raises_from_the_tree(lambda judge=judge: judge(["1"], odd), "references")  # type: ignore[misc]
        raises_from_the_tree(lambda judge=judge, good=good: judge([odd], [good]), "texts[0]")  # type: ignore[misc]
        raises_from_the_tree(
            lambda judge=judge, good=good: judge(["1", "1"], [good, odd]),  # type: ignore[misc]
            "references[1]",
        )
        raises_from_the_tree(lambda judge=judge: judge.check(odd), "references")  # type: ignore[misc]
    raises_from_the_tree(lambda: verifiers.read_answers(odd), "texts")
    raises_from_the_tree(lambda: verifiers.read_answers(["1"], tag=odd), "tag")
    raises_from_the_tree(lambda: verifiers.read_answers(["1"], reading=odd), "reading")
    raises_from_the_tree(lambda: verifiers.read_answers(["1"], stop_tokens=odd), "stop_tokens")
    raises_from_the_tree(lambda: verifiers.tree_compat(odd, ["1"]), "texts")
    raises_from_the_tree(lambda: verifiers.tree_compat(["1"], odd), "references")
    raises_from_the_tree(lambda: verifiers.tree_compat(["1"], ["1"], tag=odd), "tag")


UNTYPED: Any = verifiers


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: UNTYPED.exact_match(normalize="upper"), 'unknown normalize "upper"; choose "none", "case"'),
        (lambda: UNTYPED.exact_match(normalize=3), '`normalize` is 3, but must be "none", "case"'),
        (lambda: UNTYPED.exact_match(tag="<answer>"), '`tag` is "<answer>", but must be a name'),
        (lambda: UNTYPED.exact_match(tag=3), "`tag` is 3, but must be a name"),
        (lambda: UNTYPED.number_equal(tolerance=-1), "`tolerance` is -1, but must be at least 0"),
        (lambda: UNTYPED.number_equal(tolerance="x"), '`tolerance` is "x", but must be of type'),
        (lambda: UNTYPED.number_equal(tolerance=True), "`tolerance` is true, but must be of type"),
        (lambda: UNTYPED.number_equal(tolerance=math.nan), "`tolerance` is nan, but must be"),
        (lambda: UNTYPED.json_equal(reading="strct"), 'unknown reading "strct"; did you mean "strict"'),
        (lambda: UNTYPED.json_equal(stop_tokens="</s>"), '`stop_tokens` is "</s>", but must be a list'),
        (
            lambda: UNTYPED.ascii_tree(scorer="loose"),
            'unknown scorer "loose"; choose "strict", "compat" or "structural"',
        ),
        (lambda: Verifier("number"), "no verifier `number`; "),
        (lambda: UNTYPED.number_equal()(["1", "2"], ["1"]), "2 `texts` for 1 `references`"),
        (lambda: UNTYPED.number_equal()(["1", 2], ["1", "2"]), "`texts[1]` is 2, but must be text, or chat"),
        (lambda: UNTYPED.number_equal()("1", ["1"]), "`texts` is one str, but must be a sequence of str"),
        (lambda: UNTYPED.number_equal()(["1"], None), "`references` is NoneType, but must be a sequence"),
    ],
)
def test_bad_options_and_rows_are_told(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ReasonEnvError) as raised:
        make()
    assert message in str(raised.value)


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
    texts = [*answers(judge, right_of(judge), "12", f"{LONE}\0é"), "", "<think>"]
    references = [reference_of(judge)] * 5
    verdicts = judge(texts, references)
    for other in copies(judge):
        assert type(other) is Verifier
        assert other.options == judge.options
        assert repr(other) == repr(judge)
        assert other(texts, references) == verdicts
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
        assert list(fields) == ["passed", "score", "parts", "failures", "detail", "answer", "respelled"]
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
