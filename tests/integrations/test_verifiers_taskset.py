"""The contracts of verifiers, before and from 0.4 on, checked with fakes of its base classes."""

import asyncio
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
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
    system_prompt: str | None = None


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


class Env(Generic[ConfigT]):
    pass


V1 = {
    "TaskData": TaskData,
    "Task": VfTask,
    "TasksetConfig": TasksetConfig,
    "Taskset": Taskset,
    "Trace": object,
    "Agents": object,
    "AgentConfig": lambda **given: given,
    "EnvConfig": object,
    "Env": Env,
    "reward": lambda function: function,
    "metric": lambda function: function,
}


@pytest.fixture
def current() -> Iterator[Any]:
    with fakes.adapter("verifiers", {"verifiers.v1": V1}) as module:
        yield module


def replied(*texts: str) -> Any:
    return SimpleNamespace(assistant_messages=[SimpleNamespace(content=text) for text in texts])


class Agent:
    """An agent of verifiers: its interactions run one segment per turn, with replies from a script."""

    def __init__(self, says: Callable[[list[dict[str, Any]]], str], most: int = 1000) -> None:
        self.says, self.most, self.messages = says, most, list[dict[str, Any]]()
        self.trace = replied()

    @asynccontextmanager
    async def interaction(self, task: Any) -> Any:
        system = [] if task.data.system_prompt is None else [("system", task.data.system_prompt)]
        opening = [*system, ("user", task.data.prompt)]
        self.messages = [{"role": role, "content": text} for role, text in opening]
        yield self
        await task.reward(self.trace)

    async def turn(self, message: str | None = None) -> Any:
        if message is not None:
            self.messages.append({"role": "user", "content": message})
        if len(self.trace.assistant_messages) == self.most:
            return SimpleNamespace(terminated=True)
        text = self.says(self.messages)
        self.messages.append({"role": "assistant", "content": text})
        self.trace.assistant_messages.append(SimpleNamespace(content=text))
        return SimpleNamespace(terminated=False)


def agent_plays(
    current: Any, config: Any, says: Callable[[list[dict[str, Any]]], str], most: int = 1000
) -> Any:
    """Play the first task of a taskset; return the agent and the reward."""
    task = next(current.ReasonEnvTaskset(config).load())
    agent = Agent(says, most)
    asyncio.run(current.ReasonEnvEnv().run(task, SimpleNamespace(agent=agent)))
    return agent, asyncio.run(task.reward(agent.trace))


def test_an_agent_plays_tic_tac_toe_to_its_end_and_is_paid(current: Any) -> None:
    strata = {"min_random_move_prob": 0.2, "max_random_move_prob": 0.7, "num_groups": 4}
    config = current.ReasonEnvConfig(source="tic_tac_toe", options=strata, system="Play well.")
    agent, reward = agent_plays(current, config, lambda _: "no move")
    assert reward == pytest.approx(-0.1)
    assert [one["role"] for one in agent.messages[:4]] == ["system", "user", "assistant", "user"]
    agent, reward = agent_plays(current, config, first_free)
    assert reward > 0
    assert "won" in agent.messages[-2]["content"] or len(agent.messages) > 6
    cut, reward = agent_plays(current, config, first_free, most=1)
    assert (len(cut.trace.assistant_messages), reward) == (1, 0.0)


def first_free(messages: list[dict[str, Any]]) -> str:
    return f"<move>{messages[-1]['content'].rpartition('positions: [')[2][0]}</move>"


def test_a_taskset_yields_tasks_that_judge_themselves(current: Any) -> None:
    config = current.ReasonEnvConfig(source="countdown, sudoku", level=1, split="eval", seed=3)
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
        assert (asyncio.run(task.reward(right)), asyncio.run(task.metrics(right))["score"]) == (1.0, 1.0)
        for text in ("", "\0", "\ud800", "no idea", *map(ours.wrap, ours.wrong_answers()[:2])):
            told = asyncio.run(task.metrics(replied(text)))
            assert asyncio.run(task.reward(replied(text))) == told["passed"] == 0.0
            assert 0.0 <= told["score"] < 1.0


def test_a_bad_option_is_named(current: Any) -> None:
    for wrong in (
        {"source": "nope"},
        {"turns": "nope"},
        {"reward": "nope"},
        {"level": 99},
        {"split": "nope"},
        {"seed": -1},
    ):
        with pytest.raises((reasonenv.ReasonEnvError, OverflowError)):
            next(current.ReasonEnvTaskset(current.ReasonEnvConfig(**wrong)).load())


class MultiTurnEnv:
    """As that of verifiers 0.1.9 and later: it asks, and replies until a `stop` is true."""

    def __init__(self, **keywords: Any) -> None:
        vars(self).update(keywords)

    async def rollout(self, row: dict[str, Any], says: Callable[[list[dict[str, Any]]], str]) -> Any:
        env: Any = self
        state: dict[str, Any] = {"answer": row["answer"], "trajectory": []}
        state = await env.setup_state(state) or state
        messages = list(row["prompt"])
        stops = [one for one in vars(type(env)).values() if getattr(one, "stops", False)]
        while not any([await stop(env, state) for stop in stops]):
            if state["trajectory"]:
                messages += await env.env_response(messages, state)
            said = {"role": "assistant", "content": says(messages)}
            messages.append(said)
            state["trajectory"].append({"completion": [said]})
        rubric = zip(env.rubric.funcs, env.rubric.weights, strict=True)
        return messages, sum(
            weight * function(state=state, answer=row["answer"]) for function, weight in rubric
        )


def stop(function: Any) -> Any:
    function.stops = True
    return function


V0: dict[str, dict[str, Any]] = {
    "verifiers": {"MultiTurnEnv": MultiTurnEnv, "Rubric": SimpleNamespace, "stop": stop},
    "datasets": {"Dataset": SimpleNamespace(from_list=list)},
}


@pytest.fixture
def before() -> Iterator[Any]:
    """As versions before 0.4 are."""

    with fakes.adapter("verifiers_v0", V0) as module:
        yield module


def test_an_environment_of_before_has_rows_and_a_rubric(before: Any) -> None:
    env = before.load_environment("countdown", n=20, eval_n=5, level=1, seed=2, system="Think.")
    train = reasonenv.family("countdown").batch(seed=2, count=20, level=1)
    held_out = reasonenv.family("countdown").batch(seed=2, count=5, level=1, split="eval")
    for found, tasks in ((env.dataset, train), (env.eval_dataset, held_out)):
        assert [row["info"]["task_id"] for row in found] == tasks.ids
        for row, task in zip(found, tasks, strict=True):
            assert [one["content"] for one in row["prompt"]] == ["Think.", task.prompt]
            for text, paid in ((task.wrap(task.solution.answer), 1.0), ("", 0.0), ("\ud800", 0.0)):
                messages, reward = asyncio.run(env.rollout(row, lambda _, text=text: text))
                assert (len(messages), reward) == (3, paid)


def test_a_game_of_before_is_played_in_turns(before: Any) -> None:
    env = before.load_environment(
        game="tic_tac_toe", n=3, eval_n=2, min_random_move_prob=0.2, max_random_move_prob=0.7, num_groups=3
    )
    assert asyncio.run(env.rollout(env.dataset[0], lambda _: "no move"))[1] == pytest.approx(-0.1)
    for row in (*env.dataset, *env.eval_dataset):
        messages, reward = asyncio.run(env.rollout(row, first_free))
        assert {one["role"] for one in messages} == {"user", "assistant"}
        assert reward in (0.2, pytest.approx(0.7), pytest.approx(1.2))


def test_metrics_of_before_are_those_of_the_conversation(before: Any) -> None:
    env = before.load_environment(game="tic_tac_toe", n=1, eval_n=1)
    state: dict[str, Any] = {"answer": env.dataset[0]["answer"], "trajectory": []}
    state = asyncio.run(env.setup_state(state))
    state["trajectory"] = [{"completion": [{"role": "assistant", "content": "no move"}]}] * 8
    told = {function.__name__: function(state=state) for function in env.rubric.funcs}
    parts = {"reward/outcome": 0.0, "reward/format": 0.0, "reward/invalid": 1.0}
    results = {"win": 0.0, "draw": 0.0, "loss": 1.0, "format": 0.0, "invalid_moves": 8.0}
    assert told == {"reward": pytest.approx(-0.1)} | results | parts


def test_rows_of_before_have_no_column_that_verifiers_takes_for_the_row(before: Any) -> None:
    (row,) = before.load_environment("countdown", n=1, eval_n=1).dataset
    assert "task" not in row  # versions before 0.4 replace the row by what it holds


def test_rows_of_ones_own_are_split_by_place(before: Any) -> None:
    own = reasonenv.from_rows([{"question": f"{i} + 1?", "answer": str(i + 1)} for i in range(10)])
    env = before.load_environment(own, n=6, eval_n=4)
    assert [row["prompt"][0]["content"][0] for row in env.dataset] == list("012345")
    assert [row["prompt"][0]["content"][0] for row in env.eval_dataset] == list("6789")
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
    both = ["ReasonEnvEnv", "ReasonEnvTaskset", "load_environment"]
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
