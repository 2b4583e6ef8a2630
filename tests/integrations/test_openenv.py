"""OpenEnv's contract, checked with fakes of its base classes: sessions, the task API, policies, a package."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fakes
import pytest
import reasonenv
import yaml
from pydantic import BaseModel, ConfigDict
from reasonenv.errors import InvalidArgument, UnknownName


class Action(BaseModel):
    model_config = ConfigDict(extra="forbid")
    metadata: dict[str, Any] = {}


class Observation(BaseModel):
    model_config = ConfigDict(extra="forbid")
    done: bool = False
    reward: bool | int | float | None = None
    metadata: dict[str, Any] = {}


class State(BaseModel):
    model_config = ConfigDict(extra="allow", validate_assignment=True)
    episode_id: str | None = None
    step_count: int = 0


class Environment:
    def __init__(self) -> None:
        self.rubric = None


class Metadata(BaseModel):
    name: str
    description: str
    version: str | None = None


def create_app(make: Any, action: Any, observation: Any, **keywords: Any) -> dict[str, Any]:
    return {"make": make, "action": action, "observation": observation, **keywords}


SERVER = "openenv.core.env_server"
FAKE: dict[str, dict[str, Any]] = {
    f"{SERVER}.http_server": {"create_app": create_app},
    f"{SERVER}.interfaces": {"Environment": Environment},
    f"{SERVER}.types": {
        "Action": Action,
        "Observation": Observation,
        "State": State,
        "EnvironmentMetadata": Metadata,
    },
}


@pytest.fixture
def openenv() -> Iterator[Any]:
    with fakes.adapter("openenv", FAKE) as module:
        yield module


@pytest.fixture
def package(openenv: Any) -> Iterator[Any]:  # noqa: ARG001  what it imports is there
    with fakes.adapter("openenv_package", {}) as module:
        yield module


def test_the_oracle_earns_1_and_the_floor_0_in_every_split(openenv: Any, package: Any, family: str) -> None:
    env = openenv.TextEnvironment(family)
    for split in env.list_splits():
        for policy, reward in ((package.oracle, 1.0), (package.floor, 0.0)):
            seen = env.reset(split=split, index=2)
            task = reasonenv.family(family).sample(index=2, split=split)
            assert (seen.prompt, seen.done, seen.reward, seen.legal) == (task.prompt, False, None, [])
            assert env.state.task_id == task.id
            assert set(seen.metadata) == {"task_id", "level", "difficulty", "index"}  # no answer among them
            seen = env.step(openenv.TextAction(text=policy(env)))
            assert (seen.done, seen.reward, env.state.step_count) == (True, reward, 1)


def test_games_have_buttons_for_their_moves(openenv: Any, game: str) -> None:
    env = openenv.TextEnvironment(game, opponent="random", reward_weights={"format": 0})
    seen = env.reset(seed=1, index=3)
    assert env.reset(seed=1, index=3) == seen
    while not seen.done:
        told = seen.model_dump()
        assert env.render_web(told).startswith("<pre>")
        label, action = env.web_actions(told)[-1]
        assert label in seen.legal
        seen = env.step(openenv.TextAction(**action))
        assert seen.metadata["invalid"] is False
    assert env.web_actions(seen.model_dump()) == []
    assert env.list_splits() == ["train"]


def test_a_strong_player_is_the_oracle_of_a_game(openenv: Any, package: Any) -> None:
    env = openenv.TextEnvironment("nim", opponent="random")
    for index in range(5):
        seen = env.reset(index=index)
        while not seen.done:
            seen = env.step(openenv.TextAction(text=package.oracle(env)))
        assert seen.reward > 1
    assert "<" not in env.render_web({"prompt": "<script>"})[5:-6]


def test_tasks_are_listed_by_split_and_index(openenv: Any) -> None:
    env = openenv.TextEnvironment("countdown", level=2)
    assert env.list_splits() == ["train", "eval", "test"]
    assert env.num_tasks("test") == 2**31
    assert env.get_task("test", 7) == {"id": "countdown-test-7", "split": "test", "index": 7}
    assert [one["index"] for one in env.get_task_range("eval", 5, 8)] == [5, 6, 7]
    assert len(env.list_tasks("train")) == len(env.get_task_range("train")) == 10
    for index in (-1, 2**31):
        with pytest.raises(IndexError):
            env.get_task("test", index)
        with pytest.raises(InvalidArgument, match="index"):
            env.reset(index=index)
    for ask in (env.num_tasks, lambda split: env.reset(split=split)):
        with pytest.raises(UnknownName, match="split"):
            ask("nope")
    with pytest.raises(InvalidArgument, match="1000"):
        env.get_task_range("test", 0, 10**9)


def test_an_app_makes_a_session_for_each_client(openenv: Any) -> None:
    app = openenv.create_app("countdown", level=2, max_concurrent_envs=3)
    assert app["max_concurrent_envs"] == 3
    first, second = app["make"](), app["make"]()
    first.reset(index=1)
    second.reset(index=2)
    assert first.state.index == 1
    assert first.get_metadata().name == "reasonenv-countdown"
    assert first.SUPPORTS_CONCURRENT_SESSIONS
    for wrong in ({"source": "nope"}, {"source": "countdown", "level": 99}):
        with pytest.raises(reasonenv.ReasonEnvError):
            openenv.create_app(**wrong)


def test_a_package_says_what_it_is_and_runs(
    package: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = package.write_package(tmp_path / "package", "countdown", level=2)
    said = yaml.safe_load((folder / "openenv.yaml").read_text())
    assert said["name"] == "reasonenv-countdown"
    assert said["validation"]["capabilities"]["oracle"] == {"form": "script", "location": "oracle.py"}
    names: dict[str, Any] = {}
    exec((folder / "app.py").read_text(), names)
    assert names["app"]["make"]().reset(index=0).metadata["level"] == 2
    exec((folder / "oracle.py").read_text(), {})
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[1:] for line in lines] == [["oracle", "1.0", "1.0"], ["floor", "0.0", "0.0"]] * 3


def test_a_missing_package_is_named_with_its_extra() -> None:
    with (
        fakes.missing("openenv"),
        pytest.raises(ImportError, match=r"pip install 'reasonenv\[openenv\]'"),
        fakes.adapter("openenv", {}),
    ):
        pass
