"""Tasks, batches and verdicts as Python sees them; loops over the registry."""

import contextlib
import copy
import json
import pickle
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import reasonenv
from hypothesis import given, settings
from hypothesis import strategies as st
from reasonenv.errors import (
    InvalidArgument,
    InvalidParams,
    InvalidProblem,
    InvalidStyle,
    InvalidTask,
    UnknownFamily,
    UnknownName,
    Unsupported,
)
from reasonenv.types import ReadingName

FAMILIES = reasonenv.list_families()


def test_a_task_has_what_its_record_says(family: str) -> None:
    unit = reasonenv.family(family)
    task = unit.sample(seed=0, index=3, level=2)
    record = json.loads(task.to_json())
    assert record == task.to_dict()
    assert record["task_id"] == task.id
    assert task.id.startswith(f"{family}/v{unit.version}/train/0/3-")
    for field in (
        "prompt",
        "answer_tag",
        "problem",
        "key",
        "level",
        "split",
        "seed",
        "index",
        "params",
        "style",
    ):
        assert record[field] == getattr(task, field), field
    assert record["solution"] == {"steps": task.solution.steps, "answer": task.solution.answer}
    assert record["difficulty"] == pytest.approx(task.difficulty)
    assert 0 <= task.difficulty <= 1
    assert task.level == 2


def test_batches_are_sequences_of_the_same_tasks(family: str) -> None:
    unit = reasonenv.family(family)
    batch = unit.batch(seed=1, start=5, count=20, level=1, split="eval")
    assert isinstance(batch, Sequence)
    assert len(batch) == 20
    singles = [unit.sample(seed=1, index=5 + i, level=1, split="eval") for i in range(20)]
    assert list(batch) == singles
    assert batch[-1] == singles[-1]
    assert list(batch[2:8:3]) == singles[2:8:3]
    assert batch.prompts == [task.prompt for task in singles]
    assert batch.answers == [task.solution.answer for task in singles]
    assert batch.ids == [task.id for task in singles]
    assert batch.difficulty.dtype == np.float32
    with pytest.raises(IndexError, match="20 items"):
        batch[20]


def test_batch_verdicts_are_arrays_and_equal_single_ones(family: str) -> None:
    batch = reasonenv.family(family).batch(count=40, level=1)
    texts = [
        task.wrap(task.solution.answer if i % 2 else task.wrong_answers(seed=i)[0])
        for i, task in enumerate(batch)
    ]
    verdicts = batch.verify(texts)
    assert verdicts.passed.dtype == np.bool_
    assert verdicts.score.dtype == np.float32
    assert verdicts.passed.tolist() == [bool(i % 2) for i in range(40)]
    assert ((verdicts.score == 1.0) == verdicts.passed).all()
    for i, (task, text) in enumerate(zip(batch, texts, strict=True)):
        single = task.verify(text)
        assert verdicts[i] == single
        assert verdicts.failures[i] == single.failures
        assert verdicts.detail[i] == single.detail
        assert {part: float(values[i]) for part, values in verdicts.parts.items()} == single.parts
        assert reasonenv.verify(family, task.problem, text) == single
    assert reasonenv.verify_all([family] * 40, [task.problem for task in batch], texts) == verdicts


def test_tasks_judge_alike_after_json_pickle_and_copy(family: str) -> None:
    task = reasonenv.family(family).sample(seed=2, index=1, level=2)
    texts = [task.wrap(answer) for answer in (task.solution.answer, *task.wrong_answers())]
    for other in (
        reasonenv.Task.from_json(task.to_json()),
        pickle.loads(pickle.dumps(task)),
        copy.deepcopy(task),
        copy.copy(task),
    ):
        assert other == task
        assert hash(other) == hash(task)
        assert [other.verify(text) for text in texts] == [task.verify(text) for text in texts]
    verdict = task.verify(texts[1])
    assert pickle.loads(pickle.dumps(verdict)) == verdict
    batch = reasonenv.family(family).batch(count=5)
    assert list(pickle.loads(pickle.dumps(batch))) == list(batch)
    assert pickle.loads(pickle.dumps(reasonenv.family(family))).name == family


def test_sources_give_any_indices() -> None:
    source = reasonenv.family(FAMILIES[0]).source(seed=4, level=1, style={"wrapper": "contract"})
    tasks = source.tasks([7, 3, 2**64 - 1])
    assert [task.index for task in tasks] == [7, 3, 2**64 - 1]
    assert tasks[1] == source.task(3)
    again = pickle.loads(pickle.dumps(source))
    assert again.task(3) == tasks[1]
    assert tasks[0].prompt.endswith("Answer:")


def test_a_wrapper_of_the_users_own_surrounds_the_prompt() -> None:
    family = reasonenv.family(FAMILIES[0])
    bare = family.sample(style={"wrapper": "bare"})
    own = family.sample(style={"wrapper": "Q: {prompt} (in <{tag}>)\nA:"})
    assert own.prompt == f"Q: {bare.prompt} (in <{own.answer_tag}>)\nA:"
    assert own.id != bare.id
    assert own.problem == bare.problem


BAD: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "family": (lambda: reasonenv.family("chain_sun"), UnknownFamily, "mean `chain_sum`"),
    "level": (lambda: _first().sample(level=99), InvalidParams, "`level` is 99"),
    "negative level": (lambda: _first().sample(level=-1), InvalidParams, "`level` is -1"),
    "seed": (lambda: _first().sample(seed=-1), InvalidArgument, "`seed` is -1"),
    "start": (
        lambda: _first().batch(start=2**64 - 1, count=3),
        InvalidArgument,
        "`start` is",
    ),
    "param": (
        lambda: _first().sample(params={"nothing_like_it": 1}),
        InvalidParams,
        "no param",
    ),
    "split": (lambda: _first().sample(split="trian"), UnknownName, "did you mean `train`"),
    "reading": (
        lambda: _first().sample().verify("", reading="stric"),
        UnknownName,
        "`strict`",
    ),
    "template": (
        lambda: _first().sample(style={"template": "?"}),
        UnknownName,
        "no template",
    ),
    "style": (
        lambda: _first().sample(style={"colour": 1}),
        InvalidStyle,
        "template, words, wrapper, answer",
    ),
    "aim": (lambda: _first().sample().mutate("hardest"), UnknownName, "aim"),
    "problem": (lambda: _first().certify("[]"), InvalidProblem, "not a problem"),
    "record": (lambda: reasonenv.Task.from_json("{}"), InvalidTask, "`family`"),
    "count": (lambda: _first().batch(count=2).verify(["x"]), ValueError, "1 texts for 2 tasks"),
    "text": (lambda: _first().batch(count=1).verify([None]), InvalidArgument, r"texts\[0\]"),
    "one text": (lambda: _first().batch(count=1).verify("x"), InvalidArgument, "one str"),
}


def _first() -> Any:
    """The first family without its type, for calls that type checkers refuse."""
    return reasonenv.family(FAMILIES[0])


@pytest.mark.parametrize("what", BAD)
def test_errors_teach(what: str) -> None:
    wrong, kind, says = BAD[what]
    with pytest.raises(kind, match=says):
        wrong()
    if issubclass(kind, reasonenv.ReasonEnvError):
        assert issubclass(kind, ValueError)


def test_numpy_scalars_are_params() -> None:
    family = reasonenv.family("chain_sum")
    four: Any = np.int64(4)
    assert family.sample(params={"terms": four}) == family.sample(params={"terms": 4})


def test_powers_a_family_lacks_say_so() -> None:
    lacking = 0
    for name in FAMILIES:
        task = reasonenv.family(name).sample(level=2)
        for power in (task.moves, task.mutate, lambda task=task: task.verify_steps(["x"])):
            with contextlib.suppress(Unsupported):
                power()
                continue
            with pytest.raises(Unsupported, match=name):
                power()
            lacking += 1
    assert lacking > 0


_SAMPLES = [reasonenv.family(name).sample(seed=9, level=1) for name in FAMILIES]


@settings(max_examples=300, deadline=None)
@given(
    st.text(), st.sampled_from(_SAMPLES), st.sampled_from(["clean", "strict", "lenient", None]), st.booleans()
)
def test_any_text_gets_a_verdict(
    text: str, task: reasonenv.Task, reading: ReadingName | None, wrapped: bool
) -> None:
    verdict = task.verify(task.wrap(text) if wrapped else text, reading)
    assert verdict.passed == (verdict.score == 1.0) == (not verdict.failures)
    assert 0 <= verdict.score <= 1


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet=st.characters()), min_size=3, max_size=3), st.sampled_from(FAMILIES))
def test_lone_surrogates_are_text_like_any_other(texts: list[str], name: str) -> None:
    batch = reasonenv.family(name).batch(count=3)
    verdicts = batch.verify([text + "\ud800" for text in texts])
    assert not verdicts.passed.any()


def test_threads_agree() -> None:
    family = reasonenv.family(FAMILIES[0])
    expected = family.batch(count=300, level=1).prompts
    seen: list[list[str]] = []

    def work() -> None:
        batch = family.batch(count=300, level=1)
        assert batch.verify([task.wrap(task.solution.answer) for task in batch]).passed.all()
        seen.append(batch.prompts)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert seen == [expected] * 8


def test_the_number_of_threads_changes_nothing() -> None:
    family = reasonenv.family(FAMILIES[0])
    many = family.batch(count=300).prompts
    reasonenv.set_num_threads(1)
    try:
        assert reasonenv.num_threads() == 1
        assert family.batch(count=300).prompts == many
    finally:
        reasonenv.set_num_threads(0)


@pytest.mark.parametrize("given", [None, b"4", 4, [], [{"role": "user", "content": "4"}]])
def test_what_is_no_completion_is_named(given: Any) -> None:
    task = reasonenv.family("chain_sum").sample()
    problem = task.to_dict()["problem"]
    for call in (
        lambda: task.verify(given),
        lambda: reasonenv.verify("chain_sum", problem, given),
        lambda: reasonenv.Batch([task]).verify([given]),
        lambda: reasonenv.verify_all(["chain_sum"], [problem], [given]),
    ):
        with pytest.raises(InvalidArgument, match=r"`texts?(\[0\])?` is .*, but must be text, or chat"):
            call()


def test_the_last_message_of_a_chat_is_judged() -> None:
    task = reasonenv.family("chain_sum").sample()
    chat = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": task.wrap(task.solution.answer)},
    ]
    assert task.verify(chat) == task.verify(chat[1]) == task.verify(chat[1]["content"])
    assert task.verify(chat).passed
    assert reasonenv.Batch([task, task]).verify([chat, "no"]).passed.tolist() == [True, False]


def test_families_and_games_have_the_names_that_people_type() -> None:
    for name, family in (
        ("kk", "knights_and_knaves"),
        ("hanoi", "tower_of_hanoi"),
        ("Chain-Sum", "chain_sum"),
    ):
        assert reasonenv.family(name).name == family
        assert reasonenv.envs.env_id(name) == reasonenv.envs.env_id(family)
    assert reasonenv.game("tictactoe").name == "tic_tac_toe"
    with pytest.raises(UnknownFamily, match=r"did you mean `exact_probability` with `kind='dice'`"):
        reasonenv.family("dice")
    with pytest.raises(UnknownFamily) as raised:
        reasonenv.family("nim")
    assert str(raised.value).endswith("; `nim` is a game")
    assert len(str(raised.value)) < 120


def test_what_is_declared_has_few_digits() -> None:
    families = map(reasonenv.family, reasonenv.list_families())
    assert all(len(str(share)) <= 8 for one in families for share in (one.guess_rate, one.guess_score))


def test_the_package_lists_what_it_imports_late() -> None:
    assert set(reasonenv.__all__) <= set(dir(reasonenv))


@pytest.mark.parametrize("name", reasonenv.list_families())
def test_solutions_are_distinct_and_right(name: str) -> None:
    several = 0
    for index in range(6):
        task = reasonenv.family(name).sample(seed=0, index=index, level=1)
        found = task.solutions(5)
        assert found[0] == task.solution.answer
        assert len(set(found)) == len(found) <= 5
        assert all(task.verify(task.wrap(answer)).passed for answer in found)
        assert found == task.solutions(5)
        assert task.solutions(1) == found[:1]
        assert not task.solutions(0)
        several += len(found) > 1
    if name in {"graph_coloring", "topological_order", "maze"}:
        assert several


def test_params_lift_what_only_easy_levels_restrict() -> None:
    family = reasonenv.family("chain_sum")
    usual = family.level_params(0)
    assert usual["plain"]
    assert usual["small_steps"]
    overridden = family.source(params={"terms": 3, "digits": 2})
    assert overridden.task(0).params == {"terms": 3, "digits": 2, "subtraction": True}
    assert overridden.task(0).level == 3
    kept = family.source(params={"plain": True, "small_steps": True})
    assert [kept.task(at).prompt for at in range(5)] == [family.sample(index=at).prompt for at in range(5)]


def test_a_number_alone_is_no_seed() -> None:
    sample: Any = reasonenv.family("chain_sum").sample
    with pytest.raises(InvalidArgument, match=r"seed=2 for the seed; `batch\(count=2\)` for several tasks"):
        sample(2)
    assert sample(seed=2) == reasonenv.family("chain_sum").batch(seed=2)[0]
    batch: Any = reasonenv.family("chain_sum").batch
    with pytest.raises(InvalidArgument, match=r"count=2 for the number of tasks, seed=2 for the seed"):
        batch(2)
    assert len(batch(count=2)) == 2


def test_extra_text_is_named_by_its_place() -> None:
    forgives = ": this reading allows none; reading=lenient forgives it ("
    task = reasonenv.family("chain_sum").sample(level=3)
    answer = task.wrap(task.solution.answer)
    assert task.verify(f"{answer} so it is", "strict").detail.startswith(f"text follows </answer>{forgives}")
    assert task.verify(f"So {answer}", "clean").detail.startswith(f"text stands before the answer{forgives}")
    boxed = reasonenv.family("chain_sum").sample(level=3, style={"answer": "boxed"})
    box = f"\\boxed{{{boxed.solution.answer}}}"
    assert boxed.verify(f"${box}$ so it is", "strict").detail.startswith(f"text follows {box}{forgives}")
    assert boxed.verify(f"${box}$.", "strict").passed
