"""verifiers 0.4 itself: its loader finds the taskset, and its tasks score its traces."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import verifiers.v1 as vf
from drivers import verifiers_play
from loops import endpoint
from pages import ROOT, run_page
from parity import KINDS, Says, check
from reasonenv import Task
from reasonenv.integrations import rows, task_of, verifiers
from reasonenv.integrations.verifiers import ReasonEnvConfig, ReasonEnvTaskset
from verifiers.v1.agent import Segment
from verifiers.v1.cli.eval.main import main
from verifiers.v1.trace import TraceTask
from verifiers.v1.types import AssistantMessage
from verifiers.v1.utils.loaders import environment_class, taskset_class

COMMAND = ["--env.agent.runtime.type", "subprocess", "--no-push", "--no-rich"]
"""Options of docs/trainers/verifiers.md: rollouts need no sandbox, and no login to record them."""


def test_the_loader_finds_the_package_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "verifiers_suite"))
    assert taskset_class("reasonenv-suite") is ReasonEnvTaskset


def tasks(count: int, **config: Any) -> list[Any]:
    return list(islice(iter(ReasonEnvTaskset(ReasonEnvConfig(**config))), count))


def test_tasks_have_keys_of_their_own_and_views_keep_them() -> None:
    found = tasks(300, source="countdown, sudoku", level=1, seed=3)
    assert len({task.key for task in found}) == 300
    assert [task.data.idx for task in found] == list(range(300))
    taskset = ReasonEnvTaskset(ReasonEnvConfig(source="countdown, sudoku", level=1, seed=3))
    assert [task.key for task in taskset.include(idx=["10:20"])] == [task.key for task in found[10:20]]
    assert all(asyncio.run(task.validate(None)) for task in found[:10])


def trace(task: Any, *replies: str) -> vf.Trace:
    """A rollout of a task, as an agent leaves it."""
    made: vf.Trace = vf.Trace.model_construct(
        task=TraceTask(type=type(task).__name__, data=task.data, key=task.key),
        root_reply=None,
        rewards={},
        metrics={},
        errors=[],
        nodes=[node(text) for text in replies],
        ok=True,
    )
    return made


def node(text: str) -> Any:
    return SimpleNamespace(sampled=True, message=AssistantMessage(content=text))


class Agent:
    """An agent whose interactions run one segment per turn, with replies from a script."""

    def __init__(self, says: Says) -> None:
        self.says, self.messages = says, list[dict[str, Any]]()

    @asynccontextmanager
    async def interaction(self, task: Any) -> AsyncIterator["Agent"]:
        self.trace = trace(task)
        opening = [("system", task.data.system_prompt), ("user", task.data.prompt)]
        self.messages = [{"role": role, "content": text} for role, text in opening if text is not None]
        yield self
        await task.score(self.trace)

    async def turn(self, message: str | None = None) -> Segment:
        if message is not None:
            self.messages.append({"role": "user", "content": message})
        text = self.says(self.messages)
        self.messages.append({"role": "assistant", "content": text})
        self.trace.nodes.append(node(text))
        return Segment(messages=[])


def test_same_bytes_same_pay() -> None:
    assert check(verifiers_play(verifiers, Agent), plain=True) == 100


@pytest.mark.loop
@pytest.mark.parametrize("kind", KINDS)
def test_its_command_plays_every_kind_of_episode(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "verifiers_suite"))
    monkeypatch.setenv("NO_KEY", "none")
    fields, n = ReasonEnvConfig.model_fields, 6
    settings = {name: value for name, value in KINDS[kind].items() if name in fields}
    settings["options"] = {name: value for name, value in KINDS[kind].items() if name not in fields}
    command = ["reasonenv-suite", *COMMAND, "-n", str(n), "-o", str(tmp_path), "-m", "model"]
    for name, value in settings.items():
        told = value if isinstance(value, str) else json.dumps(value)
        command += [f"--env.taskset.{name}", told]
    with endpoint(list(rows(**KINDS[kind], n=n))) as (server, wanted):
        main([*command, "--client.base-url", server.url, "--client.api-key-var", "NO_KEY"])
    (path,) = tmp_path.rglob("traces.jsonl")
    found = [trace for line in path.read_text().splitlines() for trace in json.loads(line)["traces"]]
    assert len(found) == n
    for one in found:
        played = wanted[one["task"]["key"]]
        assert one["errors"] == []
        assert one["rewards"]["reward"]["score"] == pytest.approx(played.reward)
        assert ("win" in one["metrics"]) == (kind == "game")


def test_the_loader_finds_the_environment_beside_the_taskset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "verifiers_suite"))
    assert environment_class("reasonenv-suite") is verifiers.ReasonEnvEnv


def test_scores_of_traces_are_those_of_the_judge() -> None:
    (task,) = tasks(1, source="countdown", level=1)
    ours = task_of(task.data.problem)
    assert isinstance(ours, Task)
    for reply, reward in ((ours.wrap(ours.solution.answer), 1.0), ("no idea", 0.0)):
        rollout = trace(task, reply)
        asyncio.run(task.score(rollout))
        assert rollout.rewards["reward"].value == rollout.metrics["passed"] == reward
        assert rollout.metrics["score"] == ours.verify(reply).score
        assert rollout.metrics["reward/correct"] == reward


def test_the_page_is_true() -> None:
    run_page(ROOT / "docs" / "trainers" / "verifiers.md", packages=True)
