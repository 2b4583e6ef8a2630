"""Faults of Python-defined families: each raises an error that names it."""

import gc
from collections.abc import Callable
from typing import Any, cast

import gymnasium
import pytest
import reasonenv
from own_checks import NAME, changed
from own_units import Adder, AdderParams, AdderProblem
from reasonenv import kit
from reasonenv.errors import (
    Exhausted,
    FamilyError,
    InvalidArgument,
    InvalidParams,
    InvalidProblem,
    UnknownFamily,
    Unsupported,
)

BOOM = RuntimeError("boom")


def boom(*_: Any) -> Any:
    raise BOOM


CALLS: dict[str, Callable[[reasonenv.Task], object]] = {
    "verify": lambda task: task.verify("<answer>1</answer>"),
    "form": lambda task: task.prompt,
    "solution": lambda task: task.solution,
    "near_misses": lambda task: task.wrong_answers(),
    "effort": lambda task: task.difficulty,
}


@pytest.mark.parametrize("method", CALLS)
def test_what_a_method_raises_is_an_error_that_names_it(adder: reasonenv.Family, method: str) -> None:
    family = reasonenv.register_family(changed(**{method: boom}), replace=True)
    task = family.sample()
    with pytest.raises(FamilyError, match=rf"^{NAME}\.{method} raised RuntimeError: boom$") as caught:
        CALLS[method](task)
    assert caught.value.__cause__ is BOOM
    mixed = reasonenv.Batch([task, reasonenv.family("chain_sum").sample()])
    if method == "verify":
        for count in (1, 50):
            texts = ["<answer>1</answer>"] * (2 * count)
            with pytest.raises(FamilyError, match=r"\.verify raised"):
                mixed.repeat(count).verify(texts)
        with pytest.raises(FamilyError):
            reasonenv.verify(NAME, task.problem, "<answer>1</answer>")
        with pytest.raises(FamilyError):
            reasonenv.verify_all([NAME] * 2, [task.problem] * 2, ["<answer>1</answer>"] * 2)
        env = gymnasium.make("reasonenv/OwnAdder-v1")
        env.reset(seed=0)
        with pytest.raises(FamilyError):
            env.step("<answer>1</answer>")
        assert not task.verify("no tag at all").passed


@pytest.mark.parametrize("method", ["generate", "key", "check_params", "check", "templates"])
def test_what_is_raised_while_a_task_is_made(adder: reasonenv.Family, method: str) -> None:
    given = (kit.Template("ask", boom_word),) if method == "templates" else boom
    if method == "check_params":
        with pytest.raises(RuntimeError, match="boom"):
            reasonenv.register_family(changed(check_params=boom), replace=True)
        return
    family = reasonenv.register_family(changed(**{method: given}), replace=True)
    calls: dict[str, Callable[[], object]] = {
        "check": lambda: family.task('{"terms": [1, 2]}'),
        "templates": lambda: family.sample().prompt,
    }
    made: tuple[Callable[[], object], ...] = (family.sample, lambda: family.batch(count=200))
    for call in (calls[method],) if method in calls else made:
        with pytest.raises(FamilyError, match="raised RuntimeError: boom"):
            call()
    if method not in calls:
        with pytest.raises(FamilyError):
            next(iter(family.source()))
        with pytest.raises(FamilyError):
            reasonenv.Mixture([family]).task(0)


def boom_word(problem: AdderProblem) -> str:
    raise BOOM


def test_ctrl_c_in_a_method_is_ctrl_c(adder: reasonenv.Family) -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    family = reasonenv.register_family(changed(verify=interrupt), replace=True)
    with pytest.raises(KeyboardInterrupt):
        family.sample().verify("<answer>1</answer>")


five: Callable[..., Any] = lambda problem: 5  # noqa: E731


WRONG_GIFTS: dict[str, tuple[dict[str, Any], str]] = {
    "a problem of another kind": (
        {"generate": lambda *_: {"terms": [1]}},
        r"generate gave .* must give a AdderProblem",
    ),
    "a problem that is no data": (
        {"generate": lambda *_: AdderProblem(cast("Any", [object()]))},
        r"`terms\[0\]` is <object",
    ),
    "a problem of other types": (
        {"generate": lambda *_: AdderProblem(cast("Any", ["1"]))},
        r"`terms\[0\]` is '1', but must be a whole number",
    ),
    "no verdict": ({"verify": lambda *_: "yes"}, r"verify gave 'yes', but must give a Verdict"),
    "nothing": ({"verify": lambda *_: None}, r"verify gave None"),
    "a score beyond 1": ({"verify": lambda *_: 1.5}, r"verify gave 1\.5"),
    "an undeclared label": (
        {"verify": lambda *_: reasonenv.Verdict(False, failures=["surprise"])},
        r"verify gave 'surprise', but must give failures that",
    ),
    "an undeclared part": (
        {"verify": lambda *_: reasonenv.Verdict(False, parts={"surprise": 0.5})},
        r"verify gave 'surprise', but must give parts that",
    ),
    "no form": ({"form": lambda *_: "digits"}, r"form gave 'digits', but must give a form"),
    "no solution": ({"solution": lambda *_: 5}, r"solution gave 5, but must give a kit\.WorkedSolution"),
    "a solution that the form cannot write": (
        {"solution": lambda *_: kit.WorkedSolution("five")},
        r"solution raised InvalidArgument: `answer` is 'five'",
    ),
    "no effort": ({"effort": lambda *_: 3}, r"effort gave 3, but must give a kit\.Effort"),
    "no text": ({"templates": (kit.Template("ask", five),)}, r"gave 5, but must give text"),
}


@pytest.mark.parametrize("wrong", WRONG_GIFTS)
def test_what_a_method_must_not_give_is_an_error(adder: reasonenv.Family, wrong: str) -> None:
    methods, says = WRONG_GIFTS[wrong]
    family = reasonenv.register_family(changed(**methods), replace=True)

    def use() -> None:
        task = family.sample()
        _ = task.prompt, task.solution, task.difficulty
        task.verify("<answer>1</answer>")

    with pytest.raises(FamilyError, match=says):
        use()


def test_a_method_can_change_nothing(adder: reasonenv.Family) -> None:
    def verify(self: Adder, problem: AdderProblem, answer: int) -> bool:
        right = sum(problem.terms) == answer
        problem.terms.clear()
        return right

    task = reasonenv.register_family(changed(verify=verify), replace=True).sample()
    text = task.wrap(task.solution.answer)
    assert [task.verify(text).passed for _ in range(3)] == [True] * 3


def test_a_generator_may_give_up_and_never_runs_on(adder: reasonenv.Family) -> None:
    def give_up(self: Adder, params: AdderParams, rng: kit.Rng) -> AdderProblem:
        raise Exhausted("no luck")

    def search(self: Adder, params: AdderParams, rng: kit.Rng) -> AdderProblem:
        while True:
            rng.shuffled(range(100_000))

    def tell(problem: AdderProblem, rng: kit.Rng) -> str:
        while True:
            rng.shuffled(range(100_000))

    family = reasonenv.register_family(changed(templates=(kit.Template("ask", tell),)), replace=True)
    with pytest.raises(FamilyError, match="raised Exhausted: more than 4000000 draws in one call"):
        _ = family.sample().prompt
    for generate in (give_up, search):
        family = reasonenv.register_family(changed(generate=generate), replace=True)
        with pytest.raises(Exhausted, match="no item within the budget"):
            family.sample()


def test_problems_from_outside_are_checked(adder: reasonenv.Family) -> None:
    for problem, says in {
        "{}": "`terms` is missing",
        "[]": "a problem is a JSON object",
        '{"terms": 1}': "`terms` is 1, but must be a list",
        '{"terms": [1, "2"]}': r"`terms\[1\]` is '2', but must be a whole number",
        '{"terms": [1, true]}': r"`terms\[1\]` is True",
        '{"terms": [1, 2.5]}': r"`terms\[1\]` is 2.5",
        '{"terms": [1], "more": 2}': "no field `more`; there are terms",
        '{"terms": [1]}': "`terms` holds 1 numbers, but must hold 2 to 9",
        '{"terms": [1, NaN]}': "expected",
        "[" * 100_000: "a problem is a JSON object",
        '{"terms": ' * 100_000: "recursion limit",
        '{"terms": [' + "1" * 5000 + ", 2]}": "number out of range",
        '{"terms": ["' + "x" * 2_000_000 + '"]}': "bytes of JSON",
    }.items():
        with pytest.raises(InvalidProblem, match=says):
            adder.task(problem)


def test_params_are_checked_as_those_of_built_in_families(adder: reasonenv.Family) -> None:
    for params, says in (
        ({"terms": 1}, "`terms` is 1, but must be between 2 and 9"),
        ({"terms": 2.5}, "`terms` is 2.5, but must be of type"),
        ({"term": 3}, "no param `term`; did you mean `terms`?"),
        ({"terms": 9}, "`terms` is 9, but must be at most 8 unless `signed`"),
    ):
        with pytest.raises(InvalidParams, match=says.replace("?", r"\?")):
            cast("Any", adder).sample(params=params)
    own = cast("Any", adder).sample(params={"terms": 9, "signed": True})
    assert own.level is None
    assert own.params["largest"] == 99
    assert cast("Any", adder).sample(params={"terms": 5, "largest": 999}).level == 1


REFUSED: dict[str, tuple[Any, str]] = {
    "no family": (object(), "must be a subclass of kit.TaskFamily"),
    "no facts": (changed(about=None), "must be a kit.About"),
    "no params": (changed(params=dict), "must be a dataclass"),
    "no levels": (changed(levels=()), "`levels` is"),
    "a level out of bounds": (
        changed(levels=[AdderParams(1)]),
        r"`levels\[0\].terms` is 1, but must be between 2",
    ),
    "a level of another kind": (changed(levels=[{}]), r"`levels\[0\]` is {}, but must be a AdderParams"),
    "wordings all held out": (
        changed(templates=(kit.Template("ask", lambda problem: "", held_out=True),)),
        "all held out of training",
    ),
    "two wordings of one name": (changed(templates=[kit.Template("ask", str)] * 2), "a name of their own"),
    "a wording that takes nothing": (
        changed(templates=[kit.Template("ask", lambda: "")]),
        "takes 0 arguments",
    ),
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_what_is_no_family_is_refused(wrong: str) -> None:
    family, says = REFUSED[wrong]
    with pytest.raises(InvalidArgument, match=says):
        reasonenv.register_family(family, replace=True)
    assert NAME not in reasonenv.list_families()


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"name": "Own Adder"}, "`about.name` is 'Own Adder'"),
        ({"summary": " "}, "`about.summary`"),
        ({"changes": []}, "`about.changes` is empty"),
        ({"judged_by": "luck"}, "unknown about.judged_by 'luck'"),
        ({"reading": "loose"}, "unknown about.reading 'loose'"),
        ({"answer_tag": "think"}, "`about.answer_tag` is 'think'"),
        ({"failures": {"wrong_answer": "twice"}}, "beyond the common ones"),
        ({"guess_rate": 2}, "`about.guess_rate` is 2"),
        ({"distinct_from": 3}, "`about.distinct_from` is 3"),
        ({"name": "tic_tac_toe"}, "the name of a game"),
    ],
)
def test_facts_are_held_against_what_they_must_be(facts: dict[str, Any], says: str) -> None:
    known = {name: getattr(Adder.about, name) for name in Adder.about.__dataclass_fields__}
    with pytest.raises(InvalidArgument, match=says):
        reasonenv.register_family(changed(about=kit.About(**(known | facts))))


def test_a_name_is_taken_once(adder: reasonenv.Family) -> None:
    with pytest.raises(Unsupported, match="pass `replace=True`"):
        reasonenv.register_family(Adder)
    known = {name: getattr(Adder.about, name) for name in Adder.about.__dataclass_fields__}
    built_in = changed(about=kit.About(**(known | {"name": "chain_sum"})))
    for replace in (False, True):
        with pytest.raises(Unsupported, match="a built-in family has this name"):
            reasonenv.register_family(built_in, replace=replace)
    with pytest.raises(Unsupported, match="a built-in family stays"):
        reasonenv.unregister_family("chain_sum")
    old = adder.sample()
    reasonenv.register_family(changed(verify=boom), replace=True)
    assert old.verify(old.wrap(old.solution.answer)).passed, "a task keeps the family it was drawn from"
    reasonenv.unregister_family(NAME)
    gc.collect()
    assert old.verify(old.wrap(old.solution.answer)).passed
    with pytest.raises(UnknownFamily):
        reasonenv.family(NAME)
    assert "reasonenv/OwnAdder-v1" not in gymnasium.registry


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"passed": 1}, "`passed` is 1, but must be True or False"),
        ({"passed": True, "score": 0.5}, "the score must be 1 exactly where it passed"),
        ({"passed": False, "score": 1}, "the score must be 1 exactly where it passed"),
        ({"passed": False, "score": float("nan")}, "`score` is NaN, but must be between 0 and 1"),
        ({"passed": False, "failures": "wrong"}, "`failures` is one str"),
        ({"passed": False, "parts": {"near": 2}}, r"`parts\[.near.\]` is 2, but must be between 0 and 1"),
        ({"passed": False, "parts": [1]}, "`parts` is .* but must be a dict"),
        ({"passed": False, "detail": 5}, "`detail` is 5, but must be a str"),
    ],
)
def test_what_is_no_verdict_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        reasonenv.Verdict(**given)


def test_a_verdict_just_below_passing_has_not_passed() -> None:
    near = reasonenv.Verdict(False, 1 - 1e-12)
    assert not near.passed
    assert near.score < 1
