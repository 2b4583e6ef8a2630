"""Python-defined task families wherever a family can be used."""

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
import reasonenv
from gymnasium.utils.env_checker import check_env
from own_checks import NAME, changed, run_python
from own_units import Adder, AdderParams, AdderProblem
from reasonenv import _checks, kit
from reasonenv.errors import InvalidArgument, InvalidParams, UnknownFamily, Unsupported
from reasonenv.kit._asked import raised_in
from reasonenv.testing import check_family

SUPPORT = str(Path(__file__).parents[1] / "support")


def test_it_is_a_family_by_name(adder: reasonenv.Family) -> None:
    names: list[str] = list(reasonenv.list_families())
    assert NAME in names
    assert names == sorted(names)
    assert reasonenv.family(NAME).summary == "Add up a few numbers."
    assert (adder.version, adder.top_level, adder.judged_by) == (1, 2, "normalized")
    assert adder.held_out_templates == ["tell"]
    assert adder.params_schema["properties"]["terms"]["maximum"] == 9
    task = adder.sample(seed=3, index=5, level=1)
    assert task.verify(task.wrap(task.solution.answer)).passed
    assert task.prompt.endswith("inside <answer></answer> tags, and write nothing after them.")
    assert adder.certify(task.problem).proof == "its own solution passes"
    with pytest.raises(Unsupported):
        task.moves()
    with pytest.raises(Unsupported):
        task.verify_steps(["1 + 1 = 2"])
    with pytest.raises(Unsupported):
        task.mutate()
    assert repr(adder).startswith(f"<Family {NAME} v1")


def test_the_contracts_hold(adder: reasonenv.Family) -> None:
    check_family(adder, items=5, guesses=40)
    check_family(NAME, items=3, guesses=20)
    check_family(Adder(), items=3, guesses=20)


@pytest.mark.parametrize("name", ["chain_sum", "countdown"])
def test_the_contracts_hold_for_built_in_families(name: str) -> None:
    check_family(name, items=2, guesses=20)


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
    for task in adder.batch(count=8, level=2, split="eval"):
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
    batch = adder.batch(count=300, level=1)
    alone = [adder.sample(seed=0, index=index, level=1).to_json() for index in range(300)]
    assert [task.to_json() for task in batch] == alone
    threads = [
        threading.Thread(target=lambda: found.append(adder.batch(count=50, level=1).to_jsonl()))
        for _ in "abc"
    ]
    found: list[str] = []
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [batch[:50].to_jsonl()] * 3


def test_splits_share_no_problem(adder: reasonenv.Family) -> None:
    keys = [{task.key for task in adder.batch(count=200, split=split)} for split in ("train", "eval", "test")]
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
        env = gymnasium.make("reasonenv/OwnAdder-v1", level=1, mode=mode)
        check_env(env.unwrapped, skip_render_check=True)
    env = gymnasium.make("reasonenv/OwnAdder-v1", level=1)
    env.reset(seed=2)
    task = cast("Any", env.unwrapped).task
    _, reward, terminated, _, info = env.step(task.wrap(task.solution.answer))
    assert (reward, terminated, info["passed"]) == (1.0, True, True)
    vector = gymnasium.make_vec("reasonenv/OwnAdder-v1", 3)
    vector.reset(seed=0)
    _, rewards, *_ = vector.step(("", "<answer>1</answer>", "x"))
    assert rewards.shape == (3,)
    composed = reasonenv.ReasonEnv(NAME)
    composed.reset(seed=0)
    assert composed.step(f"final answer: {composed.task.solution.answer}")[1] == 1.0
    with pytest.raises(Unsupported):
        gymnasium.make("reasonenv/OwnAdder-v1", mode="moves")


def test_rollouts_and_evaluations_take_it(adder: reasonenv.Family) -> None:
    table = reasonenv.evaluate([adder, reasonenv.family("chain_sum")], "oracle", n=6)
    assert NAME in str(table)
    found = reasonenv.rollout(adder.batch(count=4), "oracle", group_size=2)
    assert found.passed.shape == (4, 2)
    assert found.passed.all()


def test_the_command_line_knows_what_is_imported(tmp_path: Path) -> None:
    (tmp_path / "own_plugin.py").write_text(
        "import reasonenv\nfrom own_units import Adder\nreasonenv.register_family(Adder)\n"
    )
    path = os.pathsep.join([str(tmp_path), SUPPORT, os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"PYTHONPATH": path, "REASONENV_IMPORT": "own_plugin"}
    run = [sys.executable, "-m", "reasonenv"]
    shown = subprocess.run([*run, "show", NAME], capture_output=True, text=True, env=env, check=False)
    assert shown.returncode == 0
    assert "sum of" in shown.stdout, shown.stderr
    listed = subprocess.run([*run, "families"], capture_output=True, text=True, env=env, check=False)
    assert NAME in listed.stdout, listed.stderr
    # The script `reasonenv`, unlike `python -m`, does not look in the working folder by itself.
    env["PYTHONPATH"] = os.pathsep.join(path.split(os.pathsep)[1:])
    script = [sys.executable, "-P", "-m", "reasonenv", "show", NAME]
    shown = subprocess.run(script, capture_output=True, text=True, env=env, check=False, cwd=tmp_path)
    assert "sum of" in shown.stdout, shown.stderr
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
    path = os.pathsep.join([str(tmp_path), SUPPORT, os.environ.get("PYTHONPATH", "")])
    code = f"import reasonenv; print(reasonenv.family({NAME!r}).sample().id, reasonenv.game('own_race').name)"
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
        with pytest.raises(UnknownFamily):
            pool.apply(first_id, (task.to_json(),))
        assert pool.apply(registered_first_id, (task.to_json(),)) == task.id


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
        with pytest.raises(InvalidArgument):
            call()
    kept: list[kit.Rng] = []

    def keep(self: Adder, params: AdderParams, rng: kit.Rng) -> AdderProblem:
        kept.append(rng)
        return AdderProblem([rng.int(1, 9), rng.int(1, 9)])

    reasonenv.register_family(changed(generate=keep), replace=True).sample()
    with pytest.raises(RuntimeError, match="within the call that it was given to"):
        kept[0].word()


def test_a_derived_family_is_about_built_in_ones(adder: reasonenv.Family) -> None:
    with pytest.raises(InvalidParams, match="must be a built-in family"):
        cast("Any", reasonenv.family("repair_solution")).sample(params={"inner": NAME})


LABELS = """
import pickle, reasonenv
kept = reasonenv.Verdict(False, failures=["kept"])
said = pickle.dumps(reasonenv.Verdict(False, failures=["from afar"]))
for count in range(5000):
    try:
        reasonenv.Verdict(False, failures=[f"label {count}"])
    except reasonenv.errors.InvalidArgument as error:
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
    except reasonenv.errors.InvalidArgument:
        continue
    raise AssertionError(wrong)
"""


def test_labels_are_kept_and_so_bounded() -> None:
    ran = run_python(LABELS)
    assert ran.returncode == 0, ran.stderr


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

        def solution(self, problem: Any) -> kit.WorkedSolution[int]:
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
    assert json.loads(reasonenv.family(NAME).sample().problem)["note"] is None


def test_a_missing_method_is_named() -> None:
    with (
        pytest.raises(InvalidArgument, match=r"^balance\.generate is not implemented$"),
        raised_in(InvalidArgument, "balance", "generate"),
    ):
        raise NotImplementedError
    assert _checks.described(ValueError()) == "ValueError"
    assert _checks.described(ValueError("of  two\nlines")) == "ValueError: of two lines"
