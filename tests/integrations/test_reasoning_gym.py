"""Data sets as reasoning-gym makes them: the same calls, items of the same keys, answers without tags."""

import json
from contextlib import nullcontext
from typing import Any

import pytest
import reasonenv
from reasonenv.integrations import reasoning_gym
from reasoning_gym_names import PAGE, written

HOSTILE = ["", "\0", "\ud800", "<answer>", "</answer><answer>", "x" * 100_000]


def test_answers_of_every_family_are_worth_1_bare_and_in_tags(family: str) -> None:
    data = reasoning_gym.create_dataset(family, size=2, seed=42, level=1)
    for index, item in enumerate(data):
        assert list(item) == ["question", "answer", "metadata"]
        assert (item["metadata"]["source_dataset"], item["metadata"]["source_index"]) == (family, index)
        task = reasonenv.family(family).sample(seed=42, index=index, level=1)
        assert (item["question"], item["answer"]) == (task.prompt, task.solution.answer)
        assert data.score_answer(item["answer"], item) == 1.0
        assert data.score_answer(task.wrap(item["answer"]), item) == 1.0
        for wrong in [*task.wrong_answers()[:3], *HOSTILE]:
            assert 0.0 <= data.score_answer(wrong, item) < 1.0
        assert data.score_answer(None, item) == 0.0


def test_a_data_set_is_a_sequence_that_its_seed_decides() -> None:
    data = reasoning_gym.create_dataset("countdown", size=10, seed=7)
    assert len(data) == len(list(data)) == 10
    assert data[-1] == data[9] == list(data)[9]
    assert data[2:4] == [data[2], data[3]]
    for index in (10, -11):
        with pytest.raises(IndexError, match="10 items"):
            data[index]
    again = reasoning_gym.create_dataset("countdown", size=10, seed=7)
    assert list(again) == list(data)
    drawn = reasoning_gym.create_dataset("countdown", size=1)
    assert reasoning_gym.create_dataset("countdown", size=1, seed=drawn.seed)[0] == drawn[0]


def test_items_are_scored_without_their_data_set() -> None:
    item = reasoning_gym.create_dataset("sudoku", size=1, seed=0)[0]
    score = reasoning_gym.get_score_answer_fn("sudoku")
    assert score(item["answer"], item) == 1.0
    wrong: list[Any] = [{}, {"metadata": {}}, None, {"metadata": {"problem": 7}}]
    for entry in wrong:
        with pytest.raises(reasonenv.ReasonEnvError):
            score("1", entry)


def test_names_of_theirs_lead_to_families_here() -> None:
    for theirs, (ours, params, differs) in reasoning_gym.NAMES.items():
        with pytest.warns(match=f"`{theirs}` is `{ours}` here") if differs else nullcontext():
            data = reasoning_gym.create_dataset(theirs, size=1, seed=0)
        item = data[0]["metadata"]
        assert item["source_dataset"] == ours
        assert json.loads(item["problem"])["params"].items() >= params.items()
        assert callable(reasoning_gym.get_score_answer_fn(theirs))
    assert set(reasoning_gym.list_datasets()) >= {*reasonenv.list_families(), *reasoning_gym.NAMES}


def test_names_of_theirs_without_a_counterpart_are_told_why() -> None:
    assert not set(reasoning_gym.MISSING) & set(reasoning_gym.NAMES)
    assert not set(reasoning_gym.MISSING) & set(reasonenv.list_families())
    for name, reason in reasoning_gym.MISSING.items():
        with pytest.raises(reasonenv.errors.UnknownName, match=f"`{name}` has no counterpart here: {reason}"):
            reasoning_gym.create_dataset(name)


def test_several_families_are_one_data_set() -> None:
    specs: list[dict[str, Any]] = [
        {"name": "chain_sum", "weight": 3, "config": {"terms": 4, "level": 1}},
        {"name": "mini_sudoku", "weight": 1, "config": {}},
    ]
    data = reasoning_gym.create_dataset("composite", size=100, seed=1, datasets=specs)
    names = [item["metadata"]["source_dataset"] for item in data]
    assert 60 < names.count("chain_sum") < 90
    assert names.count("chain_sum") + names.count("sudoku") == 100
    assert all(data.score_answer(item["answer"], item) == 1.0 for item in data)


@pytest.mark.parametrize(
    ("keywords", "named"),
    [
        ({"name": "nope"}, "nope"),
        ({"name": "countdown", "size": 0}, "size"),
        ({"name": "countdown", "seed": -1}, "seed"),
        ({"name": "countdown", "level": 99}, "level"),
        ({"name": "countdown", "numbers": 99}, "numbers"),
        ({"name": "countdown", "bogus": 1}, "bogus"),
        ({"name": "countdown", "datasets": []}, "datasets"),
        ({"name": "composite"}, "sources"),
        ({"name": "composite", "numbers": 3}, "numbers"),
        ({"name": "composite", "datasets": [{"weight": 1}]}, "name"),
        ({"name": "composite", "datasets": [{"name": "countdown", "weight": -1}]}, "weight"),
    ],
)
def test_a_mistake_is_named(keywords: dict[str, Any], named: str) -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=named):
        reasoning_gym.create_dataset(**keywords)


def test_the_page_lists_every_name() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page, "run `make surface`"
