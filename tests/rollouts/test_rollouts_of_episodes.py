"""Rollouts of environments and games."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from reasonenv.errors import InvalidArgument
from reasonenv.rollouts import (
    Context,
    Sampling,
    rollout,
)
from rollout_checks import GAME, plain, text_game


def test_games_are_played_by_their_opponents_in_numbers_and_in_text() -> None:
    for env in (GAME, text_game(opponent="random")):
        result = rollout(env, ["game:minimax", "game:random"], n=12, group_size=4)
        best, chance = result.summary
        assert best.mean_score > chance.mean_score
        assert {one.source for one in result} == {GAME}
        assert len({one.prompt for one in result.groups[0]}) == 1, "a group begins alike"
        assert len({one.prompt for one in result}) > 1
        for one in result:
            assert one.turns[0]["observation"] is not None
            assert sum(turn["reward"] for turn in one.turns) == pytest.approx(one.reward)
            assert one.terminated or one.truncated
            json.dumps(one.to_dict())
    random = rollout(text_game(), "game:random", n=3, group_size=6)
    assert all(len({str(one.turns) for one in group}) > 1 for group in random.groups)
    assert plain(random) == plain(rollout(text_game(), "game:random", n=3, group_size=6))


def test_one_environment_is_stepped_alone_and_gives_the_same() -> None:
    own = gymnasium.make(GAME, mode="text", opponent="random")
    ask: dict[str, Any] = {"n": 5, "group_size": 3}
    alone = rollout(own, "game:heuristic", **ask)
    beside = rollout(text_game(opponent="random"), "game:heuristic", **ask)
    assert plain(alone) == plain(beside)


def test_episodes_are_logged_and_go_on(tmp_path: Path) -> None:
    asked: list[str] = []

    def policy(limit: int) -> Any:
        def answers(contexts: Sequence[Context], _rollout: int) -> list[str]:
            if len(asked) >= limit:
                raise KeyboardInterrupt
            asked.extend(context.id for context in contexts)
            return [f"<move>{context.env.unwrapped.state.legal_actions()[0]}</move>" for context in contexts]

        return answers

    ask: dict[str, Any] = {"n": 3, "group_size": 3}
    own = gymnasium.make(GAME, mode="text", opponent="random")
    whole = rollout(own, {"p": policy(10**9)}, **ask)
    needed = len(asked)
    asked.clear()
    with pytest.raises(KeyboardInterrupt):
        rollout(own, {"p": policy(needed // 2)}, saving=tmp_path, **ask)
    first = len(asked)
    result = rollout(own, {"p": policy(10**9)}, saving=tmp_path, **ask)
    assert needed <= len(asked) <= needed + 5, "no episode that had ended is played again"
    assert first < needed
    assert plain(result) == plain(whole)
    assert plain(rollout(own, {"p": policy(0)}, saving=tmp_path, **ask)) == plain(whole)


def test_a_position_is_worth_what_it_leads_to() -> None:
    def corner_first(_episode: int) -> list[str]:
        return ["<move>0</move>"]

    env = text_game(opponent="random", seat="first", reward_weights={"outcome": 1.0})
    result = rollout(env, "game:minimax", n=2, group_size=40, sampling=Sampling(branch=corner_first))
    assert all(one.prefix == ["<move>0</move>"] for one in result)
    assert (result.values.mean > 0.6).all()
    assert (
        rollout(env, "game:random", n=2, group_size=40, sampling=Sampling(branch=corner_first)).values.mean
        < result.values.mean
    ).all()
    with pytest.raises(InvalidArgument, match=r"`branch` ends episode 0 with action \d of 9"):
        rollout(env, "game:minimax", n=1, sampling=Sampling(branch=[f"<move>{i}</move>" for i in range(9)]))


def test_rewards_are_discounted_by_gamma() -> None:
    env = text_game(opponent="random", seat="first")
    for one in rollout(env, "game:minimax", n=3, group_size=2, sampling=Sampling(gamma=0.5)):
        assert one.reward == pytest.approx(sum(turn["reward"] * 0.5**k for k, turn in enumerate(one.turns)))


class Echo(gymnasium.Env[str, str]):
    """A third-party environment with two steps."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.word, self.turn = f"word{self.np_random.integers(1000)}", 0
        return f"Say {self.word}.", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        self.turn += 1
        said = action == self.word
        return "Again!", float(said), self.turn == 2, False, {"is_success": said}


def test_any_environment_that_speaks_will_do() -> None:
    def policy(contexts: Sequence[Context], rollout: int) -> list[str]:
        words = [context.messages[0]["content"].split()[1].rstrip(".") for context in contexts]
        return [
            word if context.turn <= rollout else "what?"
            for context, word in zip(contexts, words, strict=True)
        ]

    result = rollout(Echo, policy, n=4, group_size=2)
    assert result.rewards.tolist() == [[1, 2]] * 4
    assert result.passed.tolist() == [[False, True]] * 4
    assert {one.source for one in result} == {"Echo"}
    assert len({one.prompt for one in result}) == 4
    with pytest.raises(InvalidArgument, match="policy `oracle` answers tasks, but Echo/0/0 poses none"):
        rollout(Echo, "oracle", n=1)
    with pytest.raises(InvalidArgument, match="policy `game:minimax` plays games, but Echo/0/0 is no"):
        rollout(Echo, "game:minimax", n=1)


def test_policies_that_answer_tasks_answer_those_of_environments() -> None:
    result = rollout("reasonenv/Sorting-v1", ["oracle", "noisy:1"], n=5, group_size=2)
    assert result.passed.tolist() == [[True, True]] * 5 + [[False, False]] * 5
    assert result[0].family == "sorting"
    assert result[0].verdict is not None
