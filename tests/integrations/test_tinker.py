"""The contract of Tinker's cookbook, checked with fakes of its base classes and its group rollouts."""

import asyncio
import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import fakes
import pytest
import reasonenv
from reasonenv.errors import UnknownGame
from reasonenv.integrations import conversation_rows, game_rows, item, rows, task_of


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


def saying(text: str) -> Callable[[Any], str]:
    return lambda _: text


def test_a_task_pays_the_reward_of_its_settings_to_the_bit(tinker: Any) -> None:
    settings: dict[str, Any] = {
        "reward": "reasonrl-v5",
        "wrapper": "reasonrl",
        "reading": "clean",
        "params": {"lines": 4},
    }
    for row in rows("ascii_tree", 4, system="Be exact.", **settings):
        task = task_of(row["problem"])
        assert isinstance(task, reasonenv.Task)
        assert task.params is not None
        assert (task.style["wrapper"], task.params["lines"]) == ("reasonrl", 4)
        right = task.wrap(task.solution.answer)
        for text in (right, f"Well: {right}", task.wrap(task.wrong_answers()[0]), "", "\0", "\ud800"):
            builder = tinker.ConversationGroupBuilder(row["problem"], None, 1)
            ((rewards, seen),) = asyncio.run(group(asyncio.run(builder.make_envs()), [saying(text)]))
            verdict = task.verify(text, "clean")
            assert rewards == [reasonenv.rewards.preset("reasonrl-v5")(verdict, text)]
            assert seen[:2] == [
                {"role": "system", "content": "Be exact."},
                {"role": "user", "content": task.prompt},
            ]


def first_messages(groups: Any) -> list[str]:
    envs = [asyncio.run(one.make_envs())[0] for one in groups]
    return [asyncio.run(env.initial_observation())[0][-1]["content"] for env in envs]


def test_batches_follow_from_their_index_and_do_not_overlap(tinker: Any) -> None:
    builder = tinker.TaskDatasetBuilder(
        source="countdown, sudoku",
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
        assert first_messages(groups) == mixture[4 * index : 4 * index + 4].prompts
        assert {one.num_envs for one in groups} == {3}
        assert {one.renderer for one in groups} == {"the renderer role_colon of m"}
        assert {tag for one in groups for tag in one.logging_tags()} <= {
            "reasonenv/countdown",
            "reasonenv/sudoku",
        }
    assert {one.num_envs for one in test.get_batch(0)} == {1}
    asked = {text for at in range(5) for text in first_messages(train.get_batch(at))}
    assert asked.isdisjoint(first_messages(test.get_batch(0)))
    without = tinker.TaskDatasetBuilder(
        source="countdown", model_name_for_tokenizer="m", renderer_name="r", test_batches=0
    )
    assert asyncio.run(without())[1] is None
    game = tinker.TaskDatasetBuilder(
        source="tic_tac_toe",
        model_name_for_tokenizer="m",
        renderer_name="r",
        options={"min_random_move_prob": 0.2, "max_random_move_prob": 0.7, "num_groups": 4},
        batch_size=2,
        batches=3,
    )
    train, test = asyncio.run(game())
    problems = [[one.problem for one in batch] for batch in (train.get_batch(2), test.get_batch(0))]
    assert [json.loads(one)["episode"] for batch in problems for one in batch] == [4, 5, 6, 7]


def test_a_conversation_pays_what_its_turns_add_up_to(tinker: Any) -> None:
    row = next(conversation_rows("countdown", 1, turns="retry", attempts=3))
    task = reasonenv.family("countdown").sample()
    envs = asyncio.run(tinker.ConversationGroupBuilder(row["problem"], None, 2).make_envs())
    replies = iter(["no idea", task.wrap(task.solution.answer)])
    right, wrong = asyncio.run(group(envs, [lambda _: next(replies), lambda _: "no idea"]))
    assert (sum(right[0]), len(right[0])) == (1.0, 2)
    assert (sum(wrong[0]), len(wrong[0])) == (0.0, 3)
    assert right[1][0] == {"role": "user", "content": row["prompt"]}
    row = next(game_rows("tic_tac_toe", 1, opponent="random"))
    envs = asyncio.run(tinker.ConversationGroupBuilder(row["problem"], None, 1).make_envs())
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
    built = tinker.ConversationGroupBuilder(problem, None, 4)
    assert pickle.loads(pickle.dumps(built)) == built
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
