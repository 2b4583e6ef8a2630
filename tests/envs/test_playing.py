"""Problems played move by move, side by side: `ProblemEpisodes`."""

from typing import Literal

import numpy as np
import pytest
import reasonenv
from env_checks import PLAYED
from reasonenv import _native
from reasonenv.errors import InvalidArgument, InvalidState, Unsupported

every_family = pytest.mark.parametrize("family", PLAYED)


@every_family
def test_one_lane_is_rewarded_by_the_judge(family: str) -> None:
    source = reasonenv.family(family).source(seed=1)
    rewards: list[Literal["binary", "partial"]] = ["binary", "partial"]
    for reward in rewards:
        episodes = _native.ProblemEpisodes(source, reward=reward)
        episodes.seed(0, 7)
        seen, info = episodes.begin()
        assert set(info) == {"example", "episode_index", "action_mask"}
        assert list(seen.shape) == episodes.shape
        terminated, total = False, 0.0
        while not terminated:
            action = int(np.flatnonzero(info["action_mask"])[-1])
            seen, earned, terminated, truncated, info = episodes.play(action)
            assert not truncated
            assert not info["invalid"]
            total += earned
        task = episodes.task()
        assert task.index == episodes.episode_info()["example"]
        answer = episodes.state().answer()
        assert answer is not None
        verdict = task.verify(task.wrap(answer))
        assert (info["passed"], info["score"]) == (verdict.passed, verdict.score)
        assert total == (verdict.passed if reward == "binary" else verdict.score)
        assert not info["action_mask"].any()


@every_family
def test_many_lanes_step_as_each_alone(family: str) -> None:
    source, count = reasonenv.family(family).source(seed=1), 8
    many = _native.ProblemEpisodes(source, count, illegal="penalty")
    chosen = np.ones(count, bool)
    many.seed_all(np.arange(count, dtype=np.uint64), chosen)
    many.reset_all(chosen)
    one = _native.ProblemEpisodes(source, illegal="penalty")
    one.seed(0, 5)
    one.reset()
    rng = np.random.default_rng(0)
    for _ in range(80):
        masks = many.action_masks()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        actions[rng.random(count) < 0.05] = -1
        seen, rewards, ended, cut, masks, _, over, told = many.step_all(actions, "SameStep")
        alone = one.step_all(actions[5:6], "SameStep")
        assert np.array_equal(seen[5:6], alone[0])
        assert np.array_equal(masks[5:6], alone[4])
        assert (rewards[5], ended[5], cut[5]) == (alone[1][0], alone[2][0], alone[3][0])
        assert np.array_equal(told["step"]["invalid"], actions == -1)
        assert not over.any()
        done = ended | cut
        assert ("end" in told) == ("begin" in told) == bool(done.any())
        if done.any():
            assert np.array_equal(told["end"]["turns"] > 0, done)
            assert np.array_equal(told["begin"]["episode_index"] > 0, done)
        other = _native.ProblemEpisodes(source, count, illegal="penalty")
        other.restore(many.save())
        assert np.array_equal(other.observations(), seen)
    assert (many.begin_columns(chosen)["episode_index"] > 0).any()


def test_misuse_is_told() -> None:
    source = reasonenv.family("tsp").source()
    with pytest.raises(Unsupported, match="cannot be played"):
        _native.ProblemEpisodes(reasonenv.family("chain_sum").source())
    for keywords, message in [
        ({"reward": "all"}, "unknown reward 'all'; choose 'binary' or 'partial'"),
        ({"illegal": "win"}, "unknown illegal 'win'"),
        ({"max_turns": 0}, "`max_turns` is 0"),
        ({"invalid_penalty": float("nan")}, "`invalid_penalty` is"),
        ({"count": 0}, "`count` is 0"),
    ]:
        with pytest.raises(reasonenv.ReasonEnvError, match=message):
            _native.ProblemEpisodes(source, **keywords)  # type: ignore[arg-type]
    episodes = _native.ProblemEpisodes(source, 2)
    with pytest.raises(InvalidArgument, match="1 actions for 2 envs"):
        episodes.step_all(np.zeros(1, np.int64), "Disabled")
    with pytest.raises(InvalidState):
        episodes.restore(b"[]")
