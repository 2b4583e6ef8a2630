"""The contracts of verifiers, before and from 0.4 on, checked with fakes of its base classes."""

import asyncio
import importlib
import sys
from collections.abc import Iterator
from itertools import islice
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

import fakes
import pytest
import reasonenv
from pages import ROOT
from pydantic import BaseModel, ConfigDict
from reasonenv.integrations import item, task_of, verifiers_v0

DataT = TypeVar("DataT")
ConfigT = TypeVar("ConfigT")


class TaskData(BaseModel):
    model_config = ConfigDict(frozen=True)
    idx: int | None = None
    id: str | None = None
    name: str | None = None
    prompt: str | None = None


class VfTask(Generic[DataT]):
    def __init__(self, data: Any, config: Any) -> None:
        self.data, self.config = data, config


class TasksetConfig(BaseModel):
    id: str = ""
    task: dict[str, Any] = {}


class Taskset(Generic[DataT, ConfigT]):
    INFINITE = False

    def __init__(self, config: Any) -> None:
        self.config = config


V1 = {
    "TaskData": TaskData,
    "Task": VfTask,
    "TasksetConfig": TasksetConfig,
    "Taskset": Taskset,
    "Trace": object,
    "reward": lambda function: function,
    "metric": lambda function: function,
}


@pytest.fixture
def current() -> Iterator[Any]:
    with fakes.adapter("verifiers", {"verifiers.v1": V1}) as module:
        yield module


def replied(text: str) -> Any:
    return SimpleNamespace(last_reply=text)


def test_a_taskset_yields_tasks_that_judge_themselves(current: Any) -> None:
    config = current.ReasonEnvConfig(families=["countdown", "sudoku"], level=1, split="eval", seed=3)
    taskset = current.ReasonEnvTaskset(config)
    assert taskset.INFINITE
    tasks = list(islice(taskset.load(), 600))
    assert len({task.key for task in tasks}) == 600
    mixture = reasonenv.Mixture([("countdown", 1), ("sudoku", 1)], split="eval", seed=3)
    assert [task.key for task in tasks] == mixture[0:600].ids
    for task in tasks[:20]:
        ours = task_of(task.data.problem)
        assert isinstance(ours, reasonenv.Task)
        assert task.data.prompt == ours.prompt
        assert asyncio.run(task.validate(None))
        right = replied(ours.wrap(ours.solution.answer))
        assert (asyncio.run(task.passed(right)), asyncio.run(task.partial(right))) == (1.0, 1.0)
        for text in ("", "\0", "\ud800", "no idea", *map(ours.wrap, ours.wrong_answers()[:2])):
            assert asyncio.run(task.passed(replied(text))) == 0.0
            assert 0.0 <= asyncio.run(task.partial(replied(text))) < 1.0


def test_a_bad_option_is_named(current: Any) -> None:
    for wrong in ({"families": ["nope"]}, {"level": 99}, {"split": "nope"}, {"seed": -1}):
        with pytest.raises((reasonenv.ReasonEnvError, OverflowError)):
            next(current.ReasonEnvTaskset(current.ReasonEnvConfig(**wrong)).load())


class SingleTurnEnv:
    def __init__(self, **keywords: Any) -> None:
        vars(self).update(keywords)


@pytest.fixture
def before() -> Iterator[Any]:
    """As versions before 0.4 are."""

    def rubric(**keywords: Any) -> Any:
        return SimpleNamespace(**keywords)

    dataset = SimpleNamespace(from_list=list)
    modules: dict[str, dict[str, Any]] = {
        "verifiers": {"SingleTurnEnv": SingleTurnEnv, "Rubric": rubric},
        "datasets": {"Dataset": dataset},
    }
    with fakes.adapter("verifiers_v0", modules) as module:
        yield module


def test_an_environment_of_before_has_rows_and_a_rubric(before: Any) -> None:
    env = before.load_environment("countdown", n=20, eval_n=5, level=1, seed=2, system_prompt="Think.")
    assert env.system_prompt == "Think."
    train = reasonenv.family("countdown").batch(2, 0, 20, level=1)
    held_out = reasonenv.family("countdown").batch(2, 0, 5, level=1, split="eval")
    for rows, tasks in ((env.dataset, train), (env.eval_dataset, held_out)):
        assert [row["info"]["task_id"] for row in rows] == tasks.ids
        for row, task in zip(rows, tasks, strict=True):
            assert (row["question"], row["task"]) == (task.prompt, "countdown")
            passed, partial = env.rubric.funcs
            right = task.wrap(task.solution.answer)
            said: Any
            for said in (right, [{"role": "assistant", "content": right}], [SimpleNamespace(content=right)]):
                assert passed(completion=said, answer=row["answer"], prompt="", state={}) == 1.0
            for said in ("", "\ud800", [], [{"role": "assistant", "content": None}], 7, None):
                assert passed(completion=said, answer=row["answer"], info={}) == 0.0
                assert partial(completion=said, answer=row["answer"]) < 1.0
    assert env.rubric.weights == [1.0, 0.0]


def test_rows_of_ones_own_are_split_by_place(before: Any) -> None:
    own = reasonenv.from_rows([{"question": f"{i} + 1?", "answer": str(i + 1)} for i in range(10)])
    env = before.load_environment(own, n=6, eval_n=4)
    assert [row["question"][0] for row in env.dataset] == list("012345")
    assert [row["question"][0] for row in env.eval_dataset] == list("6789")
    assert env.dataset[0]["answer"] == item(own[0]).problem


@pytest.mark.parametrize("version", ["current", "before"])
def test_the_package_of_the_examples_exports_what_each_version_looks_for(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, version: str
) -> None:
    request.getfixturevalue(version)
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "verifiers_suite"))
    monkeypatch.delitem(sys.modules, "reasonenv_suite", raising=False)
    suite: Any = importlib.import_module("reasonenv_suite")
    monkeypatch.delitem(sys.modules, "reasonenv_suite")
    both = ["ReasonEnvTaskset", "load_environment"]
    assert suite.__all__ == (both if version == "current" else ["load_environment"])
    assert all(hasattr(suite, name) for name in suite.__all__)


def test_a_missing_package_is_named_with_its_extra() -> None:
    with (
        fakes.missing("verifiers"),
        pytest.raises(ImportError, match=r"pip install 'reasonenv\[verifiers\]'"),
        fakes.adapter("verifiers", {}),
    ):
        pass
    with (
        fakes.missing("verifiers"),
        pytest.raises(ImportError, match=r"pip install 'reasonenv\[verifiers\]'"),
    ):
        verifiers_v0.load_environment("countdown", n=1, eval_n=1)
