"""The contract of Tinker's cookbook, checked with fakes of its base classes and its group rollouts."""

import asyncio
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import fakes
import pytest
import reasonenv
from reasonenv.errors import UnknownGame
from reasonenv.integrations import conversation_rows, game_rows, item


class ProblemEnv:
    def __init__(self, renderer: Any, format_coef: float = 0.1) -> None:
        self.renderer, self.format_coef = renderer, format_coef

    def reward(self, text: str) -> float:
        """As theirs computes it."""
        env: Any = self
        return self.format_coef * (float(env.check_format(text)) - 1) + float(env.check_answer(text))


@dataclass(frozen=True)
class ProblemGroupBuilder:
    env_thunk: Callable[[], Any]
    num_envs: int
    dataset_name: str = "problems"


@dataclass
class MessageStepResult:
    reward: float
    episode_done: bool
    next_messages: list[Any]
    metrics: dict[str, float] = field(default_factory=dict)


class EnvFromMessageEnv:
    """In theirs actions are tokens; here a reply, or None for one that was cut off."""

    def __init__(self, renderer: Any, message_env: Any) -> None:
        self.renderer, self.message_env = renderer, message_env

    async def initial_observation(self) -> Any:
        return (await self.message_env.initial_observation(), "stop")

    async def step(self, action: Any, *, extra: Any = None) -> Any:  # noqa: ARG002
        if action is None:
            return SimpleNamespace(reward=-0.1, episode_done=True, next_observation=[])
        result = await self.message_env.step({"role": "assistant", "content": action})
        return SimpleNamespace(
            reward=result.reward, episode_done=result.episode_done, next_observation=result.next_messages
        )


def configured(cls: type) -> type:
    return dataclass(frozen=True)(cls)


_ROOT = "tinker_cookbook"
FAKE: dict[str, dict[str, Any]] = {
    "chz": {"chz": configured},
    f"{_ROOT}.renderers": {
        "Message": dict,
        "Renderer": object,
        "get_renderer": lambda name, _, model_name: f"the renderer {name} of {model_name}",
        "get_text_content": lambda message: message["content"],
    },
    f"{_ROOT}.tokenizer_utils": {"get_tokenizer": lambda name: name},
    f"{_ROOT}.rl.message_env": {
        "EnvFromMessageEnv": EnvFromMessageEnv,
        "MessageEnv": object,
        "MessageStepResult": MessageStepResult,
    },
    f"{_ROOT}.rl.problem_env": {"ProblemEnv": ProblemEnv, "ProblemGroupBuilder": ProblemGroupBuilder},
    f"{_ROOT}.rl.types": dict.fromkeys(("Env", "EnvGroupBuilder", "RLDataset", "RLDatasetBuilder"), object),
}


@pytest.fixture
def tinker() -> Iterator[Any]:
    with fakes.adapter("tinker", FAKE) as module:
        yield module


@pytest.fixture
def turns() -> Iterator[Any]:
    with fakes.adapter("tinker_turns", FAKE) as module:
        yield module


async def played(env: Any, agent: Callable[[Any], Any]) -> tuple[list[float], list[Any]]:
    """One rollout: the rewards of its turns, and what was seen last."""
    (seen, _), rewards, done = await env.initial_observation(), [], False
    while not done:
        result = await env.step(agent(seen))
        rewards.append(result.reward)
        seen, done = result.next_observation, result.episode_done
    return rewards, seen


async def group(envs: Any, agents: list[Callable[[Any], Any]]) -> list[tuple[list[float], list[Any]]]:
    """All rollouts of a group side by side, as the cookbook has it."""
    pairs = zip(envs, agents, strict=True)
    return await asyncio.wait_for(asyncio.gather(*(played(env, agent) for env, agent in pairs)), 60)


def test_a_task_pays_as_problem_envs_do(tinker: Any, family: str) -> None:
    task = reasonenv.family(family).sample(seed=1)
    env = tinker.TaskEnv(item(task).problem, None)
    assert env.get_question() == task.prompt
    assert task.verify(task.wrap(env.get_reference_answer())).passed
    assert env.reward(task.wrap(task.solution.answer)) == 1.0
    for text in ("", "\0", "\ud800", "no idea"):
        assert env.reward(text) == pytest.approx(-0.1)


def test_batches_follow_from_their_index_and_do_not_overlap(tinker: Any) -> None:
    builder = tinker.TaskDatasetBuilder(
        families=["countdown", "sudoku"],
        model_name_for_tokenizer="m",
        renderer_name="role_colon",
        level=1,
        batch_size=4,
        group_size=3,
        batches=5,
        test_batches=2,
    )
    train, test = asyncio.run(builder())
    assert (len(train), len(test)) == (5, 2)
    mixture = reasonenv.Mixture([("countdown", 1), ("sudoku", 1)])
    for index in (3, 0, 3):
        groups = train.get_batch(index)
        envs = [one.env_thunk() for one in groups]
        assert [env.get_question() for env in envs] == mixture[4 * index : 4 * index + 4].prompts
        assert {one.num_envs for one in groups} == {3}
        assert envs[0].renderer == "the renderer role_colon of m"
        assert {one.dataset_name for one in groups} <= {"reasonenv/countdown", "reasonenv/sudoku"}
    assert {one.num_envs for one in test.get_batch(0)} == {1}
    questions = {one.env_thunk().get_question() for at in range(5) for one in train.get_batch(at)}
    assert questions.isdisjoint(one.env_thunk().get_question() for one in test.get_batch(0))
    without = tinker.TaskDatasetBuilder(
        families=["countdown"], model_name_for_tokenizer="m", renderer_name="r", test_batches=0
    )
    assert asyncio.run(without())[1] is None


def test_a_conversation_pays_what_its_turns_add_up_to(turns: Any) -> None:
    row = next(conversation_rows("countdown", 1, turns="retry", attempts=3))
    task = reasonenv.family("countdown").sample()
    envs = asyncio.run(turns.ConversationGroupBuilder(row["problem"], None, 2).make_envs())
    replies = iter(["no idea", task.wrap(task.solution.answer)])
    right, wrong = asyncio.run(group(envs, [lambda _: next(replies), lambda _: "no idea"]))
    assert (sum(right[0]), len(right[0])) == (1.0, 2)
    assert (sum(wrong[0]), len(wrong[0])) == (0.0, 3)
    assert right[1][0] == {"role": "user", "content": row["prompt"]}
    row = next(game_rows("tic_tac_toe", 1, opponent="random"))
    envs = asyncio.run(turns.ConversationGroupBuilder(row["problem"], None, 1).make_envs())
    ((rewards, seen),) = asyncio.run(group(envs, [lambda _: "\ud800"]))
    assert sum(rewards) <= 0
    assert len(seen) > 2


def first_legal(game: str) -> Callable[[Any], str]:
    """Says the lowest legal move, which it works out from a game of its own."""

    def agent(seen: Any) -> str:
        state = reasonenv.game(game).start()
        legal = [state.action_name(action) for action in range(state.action_count)]
        shown = seen[-1]["content"].rpartition("[")[2]
        return f"<move>{next(name for name in legal if name in shown)}</move>"

    return agent


def test_two_seats_share_a_game_and_what_one_wins_the_other_loses(turns: Any) -> None:
    for game in ("tic_tac_toe", "connect_four", "nim"):
        agents = [first_legal(game), first_legal(game)]
        envs = asyncio.run(turns.game_group(game, None, 5).make_envs())
        (first, seen), (second, _) = asyncio.run(group(envs, agents))
        assert sorted((sum(first), sum(second))) == [-1.0, 1.0]
        assert first[:-1] == [0.0] * (len(first) - 1)
        assert seen[0]["content"].startswith(reasonenv.game(game).rules)
        again = asyncio.run(group(asyncio.run(turns.game_group(game, None, 5).make_envs()), agents))
        assert again[0] == (first, seen)


def test_a_seat_that_is_cut_off_loses_and_keeps_nobody_waiting(turns: Any) -> None:
    says = first_legal("tic_tac_toe")
    for leaver in (0, 1):
        envs = asyncio.run(turns.game_group("tic_tac_toe", None).make_envs())
        agents: list[Any] = [says, says]
        agents[leaver] = lambda _: None
        found = asyncio.run(group(envs, agents))
        assert found[leaver][0] == [-0.1]
        assert found[1 - leaver][0][-1] == 1.0

    async def fails(_: Any) -> Any:
        raise RuntimeError

    envs = asyncio.run(turns.game_group("tic_tac_toe", None).make_envs())
    envs[0].message_env.step = fails
    with pytest.raises(RuntimeError):
        asyncio.run(group(envs, [says, says]))


def test_a_seat_that_never_answers_loses_after_a_while(turns: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_PATIENCE", 0.1)

    async def alone() -> float:
        envs = await turns.game_group("tic_tac_toe", None).make_envs()
        await envs[0].initial_observation()
        result = await envs[0].step("<move>4</move>")
        assert result.episode_done
        return float(result.reward)

    assert asyncio.run(alone()) == 1.0


def test_seats_that_never_move_come_to_an_end(turns: Any) -> None:
    envs = asyncio.run(turns.game_group("tic_tac_toe", None).make_envs())
    found = asyncio.run(group(envs, [lambda _: "", lambda _: "\ud800"]))
    assert [sum(rewards) for rewards, _ in found] == [0.0, 0.0]


def test_builders_pickle(tinker: Any, turns: Any) -> None:
    problem = item(reasonenv.family("sudoku").sample()).problem
    built = tinker.task_group(problem, None, 4)
    assert pickle.loads(pickle.dumps(built)).env_thunk().problem == problem
    seats = pickle.loads(pickle.dumps(turns.game_group("nim", None, 3, params={"heaps": 4})))
    assert (seats.game, seats.seed, seats.options) == ("nim", 3, {"params": {"heaps": 4}})
    assert seats.logging_tags() == ["reasonenv/nim"]
    with pytest.raises(UnknownGame):
        turns.game_group("nope", None)


@pytest.mark.parametrize("name", ["tinker", "tinker_turns"])
def test_a_missing_package_is_named_with_its_extra(name: str) -> None:
    with (
        fakes.missing("tinker_cookbook", "chz"),
        pytest.raises(ImportError, match=r"pip install 'reasonenv\[tinker\]'"),
        fakes.adapter(name, {}),
    ):
        pass
