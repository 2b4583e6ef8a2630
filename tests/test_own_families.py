"""Task families written in Python: everywhere a family may stand, and refused where they break a contract."""

import gc
import itertools
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
import reasonenv
from gymnasium.utils.env_checker import check_env
from own_units import Adder, AdderParams, AdderProblem
from reasonenv import kit
from reasonenv.kit import forms
from reasonenv.testing import BrokenContract, check_family

NAME = Adder.about.name


@pytest.fixture
def adder() -> Iterator[reasonenv.Family]:
    yield reasonenv.register_family(Adder, replace=True)
    if NAME in reasonenv.list_families():
        reasonenv.unregister_family(NAME)


def changed(**methods: Any) -> type[Adder]:
    """The family with other methods."""
    return type("Changed", (Adder,), methods)


def test_it_is_a_family_by_name(adder: reasonenv.Family) -> None:
    names: list[str] = list(reasonenv.list_families())
    assert NAME in names
    assert names == sorted(names)
    assert reasonenv.find_family(NAME).summary == "Add up a few numbers."
    assert (adder.version, adder.top_level, adder.judged_by) == (1, 2, "normalized")
    assert adder.held_out_templates == ["tell"]
    assert adder.params_schema["properties"]["terms"]["maximum"] == 9
    task = adder.sample(seed=3, index=5, level=1)
    assert task.verify(task.wrap(task.solution.answer)).passed
    assert task.prompt.endswith("inside <answer></answer> tags, and write nothing after them.")
    assert adder.certify(task.problem).proof == "its own solution passes"
    with pytest.raises(reasonenv.Unsupported):
        task.moves()
    with pytest.raises(reasonenv.Unsupported):
        task.verify_steps(["1 + 1 = 2"])
    with pytest.raises(reasonenv.Unsupported):
        task.mutate()
    assert repr(adder).startswith(f"<Family {NAME} v1")


def test_the_contracts_hold(adder: reasonenv.Family) -> None:
    check_family(adder, items=10, guesses=100)
    check_family(NAME, items=3, guesses=20)
    check_family(Adder(), items=3, guesses=20)


@pytest.mark.parametrize("name", ["chain_sum", "countdown", "knights_and_knaves"])
def test_the_contracts_hold_for_built_in_families(name: str) -> None:
    check_family(name, items=3, guesses=40)


def test_verdicts_are_what_the_judge_says(adder: reasonenv.Family) -> None:
    task = adder.task('{"terms": [3, 4]}')
    right = task.verify("so <answer>7</answer>")
    assert (right.passed, right.score, right.parts, right.answer) == (True, 1.0, {"near": 1.0}, "7")
    wrong = task.verify("<answer>-7</answer>")
    assert wrong.failures == ("wrong_answer", "wrong_sign")
    assert 0 <= wrong.score < 1
    assert task.verify("<answer>7.0</answer>").failures == ("malformed_answer",)
    assert task.verify("7").failures[0] == "no_answer"
    assert task.verify("<answer>7</answer> then", "clean").failures == ("extra_text_outside_tags",)
    assert task.verify("<answer>7</answer><|mine|>", stop_tokens=["<|mine|>"]).passed


def test_records_and_copies_go_round(adder: reasonenv.Family) -> None:
    for task in adder.batch(0, 0, 8, level=2, split="eval"):
        again = reasonenv.Task.from_json(task.to_json())
        assert again == task
        assert again.key == task.key
        assert pickle.loads(pickle.dumps(task)) == task
    source = adder.source(level=1, seed=4)
    assert pickle.loads(pickle.dumps(source)).task(3) == source.task(3)
    assert pickle.loads(pickle.dumps(adder)).name == NAME
    batch = source.batch(0, 5)
    assert list(pickle.loads(pickle.dumps(batch))) == list(batch)


def test_items_follow_from_their_index_alone(adder: reasonenv.Family) -> None:
    batch = adder.batch(0, 0, 300, level=1)
    alone = [adder.sample(0, index, level=1).to_json() for index in range(300)]
    assert [task.to_json() for task in batch] == alone
    threads = [
        threading.Thread(target=lambda: found.append(adder.batch(0, 0, 50, level=1).to_jsonl()))
        for _ in "abc"
    ]
    found: list[str] = []
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [batch[:50].to_jsonl()] * 3


def test_splits_share_no_problem(adder: reasonenv.Family) -> None:
    keys = [{task.key for task in adder.batch(0, 0, 200, split=split)} for split in ("train", "eval", "test")]
    assert all(not one & other for at, one in enumerate(keys) for other in keys[at + 1 :])
    own = cast("Any", adder).source(level=0)
    assert {task.style["template"] for task in own.batch(0, 50)} == {"ask"}


def test_batches_mix_it_with_built_in_families(adder: reasonenv.Family) -> None:
    mixture = reasonenv.Mixture([(adder, 1), ("countdown", 1), ("chain_sum", 2)], seed=5)
    batch = mixture.batch(0, 400)
    assert {*batch.families} == {NAME, "countdown", "chain_sum"}
    texts = [task.wrap(answer) for task, answer in zip(batch, batch.answers, strict=True)]
    verdicts = batch.verify(texts)
    assert verdicts.passed.all()
    wrong = batch.verify([text if at % 2 else "" for at, text in enumerate(texts)])
    assert (wrong.passed == (np.arange(400) % 2 == 1)).all()
    assert [len(prompt) > 5 for prompt in batch.prompts] == [True] * 400
    assert batch.difficulty.shape == (400,)
    problems = [task.problem for task in batch]
    again = reasonenv.verify_all(batch.families, problems, texts, certified=False)
    assert again.passed.all()
    assert reasonenv.verify(NAME, '{"terms": [1, 2]}', "<answer>3</answer>", certified=True).passed
    lines = batch.to_jsonl()
    assert reasonenv.Batch.from_jsonl(lines).to_jsonl() == lines
    assert pickle.loads(pickle.dumps(mixture)).task(7) == mixture.task(7)


def test_gymnasium_knows_it(adder: reasonenv.Family) -> None:
    for mode in ("solution", "step", "token"):
        env = gymnasium.make("reasonenv/OwnAdder-v0", level=1, mode=mode)
        check_env(env.unwrapped, skip_render_check=True)
    env = gymnasium.make("reasonenv/OwnAdder-v0", level=1)
    env.reset(seed=2)
    task = cast("Any", env.unwrapped).task
    _, reward, terminated, _, info = env.step(task.wrap(task.solution.answer))
    assert (reward, terminated, info["passed"]) == (1.0, True, True)
    vector = gymnasium.make_vec("reasonenv/OwnAdder-v0", 3)
    vector.reset(seed=0)
    _, rewards, *_ = vector.step(("", "<answer>1</answer>", "x"))
    assert rewards.shape == (3,)
    composed = reasonenv.ReasonEnv(NAME)
    composed.reset(seed=0)
    assert composed.step(f"final answer: {composed.task.solution.answer}")[1] == 1.0
    with pytest.raises(reasonenv.Unsupported):
        gymnasium.make("reasonenv/OwnAdder-v0", mode="moves")


def test_rollouts_and_evaluations_take_it(adder: reasonenv.Family) -> None:
    table = reasonenv.evaluate([adder, reasonenv.family("chain_sum")], "oracle", n=6)
    assert NAME in str(table)
    found = reasonenv.rollout("oracle", adder.batch(0, 0, 4), group_size=2)
    assert found.passed.shape == (4, 2)
    assert found.passed.all()


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = os.environ | {"PYTHONPATH": path} | environment
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)


def test_the_command_line_knows_what_is_imported(tmp_path: Path) -> None:
    (tmp_path / "own_plugin.py").write_text(
        "import reasonenv\nfrom own_units import Adder\nreasonenv.register_family(Adder)\n"
    )
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"PYTHONPATH": path, "REASONENV_IMPORT": "own_plugin"}
    run = [sys.executable, "-m", "reasonenv"]
    shown = subprocess.run([*run, "show", NAME], capture_output=True, text=True, env=env, check=False)
    assert shown.returncode == 0
    assert "sum of" in shown.stdout, shown.stderr
    listed = subprocess.run([*run, "families"], capture_output=True, text=True, env=env, check=False)
    assert NAME in listed.stdout, listed.stderr
    env["REASONENV_IMPORT"] = "no_such_module"
    refused = subprocess.run([*run, "families"], capture_output=True, text=True, env=env, check=False)
    assert refused.returncode == 1
    assert "REASONENV_IMPORT" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_an_entry_point_registers_it(tmp_path: Path) -> None:
    package = tmp_path / "own_plugin-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: own-plugin\nVersion: 1.0\n")
    points = "[reasonenv.families]\nadder = own_units:Adder\nbroken = own_units:Missing\n"
    (package / "entry_points.txt").write_text(f"{points}[reasonenv.games]\nrace = own_units:Race\n")
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    code = (
        f"import reasonenv; print(reasonenv.find_family({NAME!r}).sample().id, "
        "reasonenv.find_game('own_race').name)"
    )
    env = os.environ | {"PYTHONPATH": path}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)
    assert ran.returncode == 0
    assert "own_adder/v1" in ran.stdout
    assert "own_race" in ran.stdout, ran.stderr
    assert "RuntimeWarning: the entry point 'broken'" in ran.stderr


def first_id(line: str) -> str:
    return reasonenv.Task.from_json(line).id


def registered_first_id(line: str) -> str:
    reasonenv.register_family(Adder)
    return first_id(line)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_worker_knows_it(adder: reasonenv.Family) -> None:
    task = adder.sample()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(first_id, (task.to_json(),)) == task.id


def test_a_spawned_worker_registers_it_first(adder: reasonenv.Family) -> None:
    task = adder.sample()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        with pytest.raises(reasonenv.UnknownFamily):
            pool.apply(first_id, (task.to_json(),))
        assert pool.apply(registered_first_id, (task.to_json(),)) == task.id


# Exceptions in a family's own code.

BOOM = RuntimeError("boom")
COUNTER = itertools.count(1)


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
    with pytest.raises(
        reasonenv.FamilyError, match=rf"^{NAME}\.{method} raised RuntimeError: boom$"
    ) as caught:
        CALLS[method](task)
    assert caught.value.__cause__ is BOOM
    mixed = reasonenv.Batch([task, reasonenv.family("chain_sum").sample()])
    if method == "verify":
        for count in (1, 50):
            texts = ["<answer>1</answer>"] * (2 * count)
            with pytest.raises(reasonenv.FamilyError, match=r"\.verify raised"):
                mixed.repeat(count).verify(texts)
        with pytest.raises(reasonenv.FamilyError):
            reasonenv.verify(NAME, task.problem, "<answer>1</answer>")
        with pytest.raises(reasonenv.FamilyError):
            reasonenv.verify_all([NAME] * 2, [task.problem] * 2, ["<answer>1</answer>"] * 2)
        env = gymnasium.make("reasonenv/OwnAdder-v0")
        env.reset(seed=0)
        with pytest.raises(reasonenv.FamilyError):
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
    made: tuple[Callable[[], object], ...] = (family.sample, lambda: family.batch(0, 0, 200))
    for call in (calls[method],) if method in calls else made:
        with pytest.raises(reasonenv.FamilyError, match="raised RuntimeError: boom"):
            call()
    if method not in calls:
        with pytest.raises(reasonenv.FamilyError):
            next(iter(family.source()))
        with pytest.raises(reasonenv.FamilyError):
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
    "no solution": ({"solution": lambda *_: 5}, r"solution gave 5, but must give a kit\.Solution"),
    "a solution that the form cannot write": (
        {"solution": lambda *_: kit.Solution("five")},
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

    with pytest.raises(reasonenv.FamilyError, match=says):
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
        raise reasonenv.Exhausted("no luck")

    def search(self: Adder, params: AdderParams, rng: kit.Rng) -> AdderProblem:
        while True:
            rng.shuffled(range(100_000))

    def tell(problem: AdderProblem, rng: kit.Rng) -> str:
        while True:
            rng.shuffled(range(100_000))

    family = reasonenv.register_family(changed(templates=(kit.Template("ask", tell),)), replace=True)
    with pytest.raises(reasonenv.FamilyError, match="raised Exhausted: more than 4000000 draws in one call"):
        _ = family.sample().prompt
    for generate in (give_up, search):
        family = reasonenv.register_family(changed(generate=generate), replace=True)
        with pytest.raises(reasonenv.Exhausted, match="no item within the budget"):
            family.sample()


def test_the_generator_is_the_frozen_one(adder: reasonenv.Family) -> None:
    rng = kit.Rng(7, 3)
    words = [rng.word() for _ in range(4)]
    again = kit.Rng(7, 3)
    assert [again.word() for _ in range(4)] == words
    assert len({*words}) == 4
    assert all(0 <= rng.below(6) < 6 for _ in range(100))
    assert all(1 <= rng.int(1, 6) <= 6 for _ in range(100))
    assert sorted(rng.shuffled("abc")) == ["a", "b", "c"]
    assert rng.pick("a") == "a"
    assert len({*rng.sample(range(10), 4)}) == 4
    assert rng.weighted([0, 5, 0]) == 1
    assert rng.chance(1, 1)
    assert not rng.chance(0, 5)
    for call in (
        lambda: rng.below(0),
        lambda: rng.int(3, 2),
        lambda: rng.pick([]),
        lambda: rng.weighted([0, 0]),
        lambda: rng.weighted([-1]),
        lambda: rng.sample([1], 2),
        lambda: rng.chance(3, 2),
        lambda: kit.Rng(-1),
    ):
        with pytest.raises(reasonenv.InvalidArgument):
            call()
    kept: list[kit.Rng] = []

    def keep(self: Adder, params: AdderParams, rng: kit.Rng) -> AdderProblem:
        kept.append(rng)
        return AdderProblem([rng.int(1, 9), rng.int(1, 9)])

    reasonenv.register_family(changed(generate=keep), replace=True).sample()
    with pytest.raises(RuntimeError, match="within the call that it was given to"):
        kept[0].word()


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
        "[" * 100_000: "recursion limit",
        '{"terms": [' + "1" * 5000 + ", 2]}": "number out of range",
        '{"terms": ["' + "x" * 2_000_000 + '"]}': "bytes of JSON",
    }.items():
        with pytest.raises(reasonenv.InvalidProblem, match=says):
            adder.task(problem)


def test_params_are_checked_as_those_of_built_in_families(adder: reasonenv.Family) -> None:
    for params, says in (
        ({"terms": 1}, "`terms` is 1, but must be between 2 and 9"),
        ({"terms": 2.5}, "`terms` is 2.5, but must be of type"),
        ({"term": 3}, "no param `term`; did you mean `terms`?"),
        ({"terms": 9}, "`terms` is 9, but must be at most 8 unless `signed`"),
    ):
        with pytest.raises(reasonenv.InvalidParams, match=says.replace("?", r"\?")):
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
    with pytest.raises(reasonenv.InvalidArgument, match=says):
        reasonenv.register_family(family, replace=True)
    assert NAME not in reasonenv.list_families()


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"name": "Own Adder"}, "`about.name` is 'Own Adder'"),
        ({"summary": " "}, "`about.summary`"),
        ({"changes": []}, "`about.changes` is empty"),
        ({"judged_by": "luck"}, "`about.judged_by` is 'luck'"),
        ({"reading": "loose"}, "`about.reading` is 'loose'"),
        ({"answer_tag": "think"}, "`about.answer_tag` is 'think'"),
        ({"failures": {"wrong_answer": "twice"}}, "beyond the common ones"),
        ({"guess_rate": 2}, "`about.guess_rate` is 2"),
        ({"distinct_from": 3}, "`about.distinct_from` is 3"),
        ({"name": "tic_tac_toe"}, "the name of a game"),
    ],
)
def test_facts_are_held_against_what_they_must_be(facts: dict[str, Any], says: str) -> None:
    known = {name: getattr(Adder.about, name) for name in Adder.about.__dataclass_fields__}
    with pytest.raises(reasonenv.InvalidArgument, match=says):
        reasonenv.register_family(changed(about=kit.About(**(known | facts))))


def test_a_name_is_taken_once(adder: reasonenv.Family) -> None:
    with pytest.raises(reasonenv.Unsupported, match="pass `replace=True`"):
        reasonenv.register_family(Adder)
    known = {name: getattr(Adder.about, name) for name in Adder.about.__dataclass_fields__}
    built_in = changed(about=kit.About(**(known | {"name": "chain_sum"})))
    for replace in (False, True):
        with pytest.raises(reasonenv.Unsupported, match="a built-in family has this name"):
            reasonenv.register_family(built_in, replace=replace)
    with pytest.raises(reasonenv.Unsupported, match="a built-in family stays"):
        reasonenv.unregister_family("chain_sum")
    old = adder.sample()
    reasonenv.register_family(changed(verify=boom), replace=True)
    assert old.verify(old.wrap(old.solution.answer)).passed, "a task keeps the family it was drawn from"
    reasonenv.unregister_family(NAME)
    gc.collect()
    assert old.verify(old.wrap(old.solution.answer)).passed
    with pytest.raises(reasonenv.UnknownFamily):
        reasonenv.find_family(NAME)
    assert "reasonenv/OwnAdder-v0" not in gymnasium.registry


def test_a_derived_family_is_about_built_in_ones(adder: reasonenv.Family) -> None:
    with pytest.raises(reasonenv.InvalidParams, match="must be a built-in family"):
        cast("Any", reasonenv.family("repair_solution")).sample(params={"inner": NAME})


LABELS = """
import pickle, reasonenv
kept = reasonenv.Verdict(False, failures=["kept"])
said = pickle.dumps(reasonenv.Verdict(False, failures=["from afar"]))
for count in range(5000):
    try:
        reasonenv.Verdict(False, failures=[f"label {count}"])
    except reasonenv.InvalidArgument as error:
        assert "`failures` has `label" in str(error) and "4096" in str(error), error
        break
else:
    raise AssertionError
assert 4000 < count <= 4096
assert reasonenv.Verdict(False, failures=["kept", "wrong_answer"]).failures[0] == "kept"
assert pickle.loads(said).failures == ("from afar",)
for wrong in ({"failures": ["another"]}, {"parts": {"another": 0.5}}, {"failures": ["x" * 300]}):
    try:
        reasonenv.Verdict(False, **wrong)
    except reasonenv.InvalidArgument:
        continue
    raise AssertionError(wrong)
"""


def test_labels_are_kept_and_so_bounded() -> None:
    ran = run_python(LABELS)
    assert ran.returncode == 0, ran.stderr


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
    with pytest.raises(reasonenv.InvalidArgument, match=says):
        reasonenv.Verdict(**given)


def test_a_verdict_just_below_passing_has_not_passed() -> None:
    near = reasonenv.Verdict(False, 1 - 1e-12)
    assert not near.passed
    assert near.score < 1


# Families that break one contract each.

BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "a judge that refuses its own solution": ({"verify": lambda *_: False}, "solutions"),
    "a judge that pays everything": ({"verify": lambda *_: True}, "near misses"),
    "a judge that pays what is near": (
        {"verify": lambda _, problem, answer: abs(sum(problem.terms) - answer) <= 1},
        "near misses",
    ),
    "a judge that raises on some answers": (
        {
            "verify": lambda _, problem, answer: (
                sum(problem.terms) == answer or 1 // (answer - 999999999999) == 1
            )
        },
        "any text",
    ),
    "a judge that forgets": (
        {
            "verify": lambda self, problem, answer: (
                Adder.verify(self, problem, answer) if next(COUNTER) % 2 else 0.25
            )
        },
        "any text",
    ),
    "a generator that draws elsewhere": (
        {"generate": lambda *_: AdderProblem([next(COUNTER) % 9000, next(COUNTER) % 9000])},
        "same items twice",
    ),
    "a generator that draws from little": (
        {"generate": lambda _, params, rng: AdderProblem([rng.int(1, 4), rng.int(1, 4)])},
        "distinct items",
    ),
    "a check that refuses what is generated": (
        {"check": lambda _, problem: (_ for _ in ()).throw(ValueError("`terms` is odd"))},
        "solutions",
    ),
    "a check that lets all through": ({"check": lambda *_: None}, "problems from outside"),
    "a key that tells twins apart": ({"key": lambda _, problem: problem}, "twins"),
    "near misses that are too few": ({"near_misses": lambda *_: [], "form": lambda *_: PLAIN}, "near misses"),
    "a guess that earns more than is declared": (
        {"guesses": lambda _, problem, rng: {"the sum": sum(problem.terms)}},
        "guess rate",
    ),
    "a wording that gives the answer away": (
        {"templates": (kit.Template("ask", lambda problem: f"Say <answer>{sum(problem.terms)}</answer>."),)},
        "prompts",
    ),
    "levels that are all the same": ({"levels": [AdderParams(), AdderParams()]}, "levels"),
    "a param without a doc": ({"params": None}, "docs"),
    "a score that rises with the faults": (
        {
            "near_misses": lambda _, problem, faults, rng: [
                sum(problem.terms) + (100 if faults.count == 1 else 1) * sign for sign in (1, -1)
            ]
        },
        "faults",
    ),
    "a form whose spellings pass": ({"form": lambda *_: LAX}, "near misses"),
}


class Plain(kit.Form):
    """Any whole number, and no spelling known to be wrong."""

    def asks(self) -> str:
        return "Give a whole number"

    def read(self, text: str) -> int:
        try:
            return int(text[:4000])
        except ValueError:
            raise kit.Malformed("that is no whole number") from None

    def write(self, answer: int) -> str:
        return str(answer)

    def mangled(self, right: str) -> list[str]:
        return []


class Lax(Plain):
    """It says that a plus in front is not allowed, and reads it."""

    def mangled(self, right: str) -> list[str]:
        return [f"+{right}", "x", "y"]


PLAIN: kit.Form = Plain()
LAX: kit.Form = Lax()


@pytest.mark.parametrize("broken", BROKEN)
def test_a_family_that_breaks_a_contract_is_told_which(adder: reasonenv.Family, broken: str) -> None:
    methods, contract = BROKEN[broken]
    if broken == "a param without a doc":

        @dataclass(frozen=True)
        class Undocumented(AdderParams):
            terms: int = kit.param(3, " ", low=2, high=9)

        methods = {"params": Undocumented, "levels": [Undocumented()]}
    if broken == "a check that lets all through":
        methods = methods | {
            "solution": lambda _, problem: kit.Solution(sum(problem.terms) // len(problem.terms[1:]))
        }
    with pytest.raises(BrokenContract) as caught:
        check_family(changed(**methods), items=8, guesses=60)
    assert contract in caught.value.broken, str(caught.value)
    assert NAME in str(caught.value)
    assert "; " in str(caught.value) or ":" in str(caught.value)


# Forms.

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
    with pytest.raises(reasonenv.InvalidArgument, match="must fit the form"):
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
    with pytest.raises(reasonenv.InvalidArgument):
        make()


def test_a_problem_may_be_a_dict(adder: reasonenv.Family) -> None:
    class Loose(Adder):
        problem = None  # type: ignore[assignment]

        def generate(self, params: AdderParams, rng: kit.Rng) -> Any:
            return {"terms": [rng.int(1, params.largest), rng.int(1, params.largest)], "note": None}

        def check(self, problem: Any) -> None:
            Adder.check(self, AdderProblem(self.terms(problem)))

        def terms(self, problem: Any) -> list[int]:
            terms = problem.get("terms")
            if not isinstance(terms, list) or not all(type(term) is int for term in terms):
                raise ValueError("`terms` must be whole numbers")
            return terms

        templates = (kit.Template("ask", lambda problem: f"Add {problem['terms']}."),)

        def solution(self, problem: Any) -> kit.Solution[int]:
            return Adder.solution(self, AdderProblem(problem["terms"]))

        def verify(self, problem: Any, answer: int) -> Any:
            return Adder.verify(self, AdderProblem(problem["terms"]), answer)

        def near_misses(self, problem: Any, faults: kit.Faults, rng: kit.Rng) -> list[int]:
            return Adder.near_misses(self, AdderProblem(problem["terms"]), faults, rng)

        def guesses(self, problem: Any, rng: kit.Rng) -> dict[str, int]:
            return {}

        def key(self, problem: Any) -> Any:
            return sorted(problem["terms"])

        def twin(self, problem: Any, rng: kit.Rng) -> Any:
            return problem | {"terms": rng.shuffled(problem["terms"])}

        levels = (AdderParams(largest=999),)

    check_family(Loose, items=5, guesses=60)
    assert json.loads(reasonenv.find_family(NAME).sample().problem)["note"] is None
