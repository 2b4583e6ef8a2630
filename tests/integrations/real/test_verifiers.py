"""verifiers 0.4 itself: its loader finds the taskset, and its tasks score its traces."""

import asyncio
from itertools import islice
from typing import Any

import pytest
import verifiers.v1 as vf
from pages import ROOT, run_page
from reasonenv import Task
from reasonenv.integrations import task_of
from reasonenv.integrations.verifiers import ReasonEnvConfig, ReasonEnvTaskset
from verifiers.v1.trace import TraceTask
from verifiers.v1.utils.loaders import taskset_class


def test_the_loader_finds_the_package_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "verifiers_suite"))
    assert taskset_class("reasonenv-suite") is ReasonEnvTaskset


def tasks(count: int, **config: Any) -> list[Any]:
    return list(islice(iter(ReasonEnvTaskset(ReasonEnvConfig(**config))), count))


def test_tasks_have_keys_of_their_own_and_views_keep_them() -> None:
    found = tasks(300, families=["countdown", "sudoku"], level=1, seed=3)
    assert len({task.key for task in found}) == 300
    assert [task.data.idx for task in found] == list(range(300))
    taskset = ReasonEnvTaskset(ReasonEnvConfig(families=["countdown", "sudoku"], level=1, seed=3))
    assert [task.key for task in taskset.include(idx=["10:20"])] == [task.key for task in found[10:20]]
    assert all(asyncio.run(task.validate(None)) for task in found[:10])


def trace(task: Any, reply: str) -> vf.Trace:
    """A finished rollout of a task, as an agent leaves it."""
    made: vf.Trace = vf.Trace.model_construct(
        task=TraceTask(type=type(task).__name__, data=task.data, key=task.key),
        root_reply=reply,
        rewards={},
        metrics={},
        errors=[],
        nodes=[],
        ok=True,
    )
    return made


def test_scores_of_traces_are_those_of_the_judge() -> None:
    (task,) = tasks(1, families=["countdown"], level=1)
    ours = task_of(task.data.problem)
    assert isinstance(ours, Task)
    for reply, reward in ((ours.wrap(ours.solution.answer), 1.0), ("no idea", 0.0)):
        rollout = trace(task, reply)
        assert asyncio.run(task.passed(rollout)) == reward
        asyncio.run(task.score(rollout))
        assert rollout.rewards["passed"].value == reward
        assert rollout.metrics["partial"] == ours.verify(reply).score


def test_the_page_is_true() -> None:
    run_page(ROOT / "docs" / "trainers" / "verifiers.md", packages=True)
