"""Many games at once behave like single ones side by side."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from env_checks import equal, every_mode, make_sync
from game_envs import ILLEGAL, TTT, legal, make, make_vec, valued
from gymnasium.wrappers import RecordEpisodeStatistics
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics
from reasonenv import envs
from reasonenv.errors import InvalidArgument

SETUPS: list[dict[str, Any]] = [
    {},
    {"illegal": "penalty", "max_turns": 3},
    {"min_random_move_prob": 0.2, "max_random_move_prob": 0.7, "num_groups": 4, "seat": "second"},
    {"analysis": True, "reward": "luck_free"},
    {"opponent": "random", "opening_plies": 2},
]


@every_mode
@pytest.mark.parametrize("kwargs", SETUPS, ids=lambda kwargs: "-".join(kwargs) or "plain")
def test_a_vector_env_is_its_single_envs(game: str, mode: str, kwargs: dict[str, Any]) -> None:
    if "analysis" in kwargs:
        valued(game)
    ours, sync = make_vec(game, 4, autoreset_mode=mode, **kwargs), make_sync(game, 4, mode, **kwargs)
    assert ours.observation_space == sync.observation_space
    assert ours.action_space == sync.action_space
    given, other = ours.reset(seed=5), sync.reset(seed=5)
    assert equal(given, other)
    rng, count, ends = np.random.default_rng(0), reasonenv.game(game).action_count, 0
    for _ in range(30):
        assert equal(ours.action_masks(), np.stack(sync.call("action_masks")))
        masks = ours.action_masks()
        actions = np.array(
            [
                legal(mask, rng) if mask.any() and rng.random() < 0.9 else rng.integers(-2, count + 2)
                for mask in masks
            ]
        )
        one, other = ours.step(actions), sync.step(actions)
        assert equal(one, other)
        over = one[2] | one[3]
        ends += over.sum()
        if mode == "Disabled" and over.any():
            some = {"reset_mask": over}
            assert equal(ours.reset(options=some), sync.reset(options=dict(some)))
            assert some["reset_mask"] is over, "the caller's options are the caller's"
    assert ends > 0
    assert equal(ours.reset(), sync.reset())
    assert ours.np_random_seed == sync.np_random_seed == (5, 6, 7, 8)


@every_mode
def test_seeds_and_episodes_may_be_given_one_by_one(mode: str) -> None:
    ours, single = make_vec(autoreset_mode=mode), make()
    seen, infos = ours.reset(seed=[7, None, 3])
    assert equal(seen[0], single.reset(seed=7)[0])
    assert infos["example"][2] == single.reset(seed=3)[1]["example"]
    before = infos["example"].copy()
    _, infos = ours.reset(seed=[None, 9, None], options={"reset_mask": np.array([True, True, False])})
    assert infos["example"][0] not in before
    assert infos["example"][1] == single.reset(seed=9)[1]["example"]
    assert infos["_example"].tolist() == [True, True, False]
    _, infos = ours.reset(options={"episode": 4})
    assert infos["example"][2] == single.reset(seed=3, options={"episode": 4})[1]["example"]
    assert infos["episode_index"].tolist() == [4, 4, 4]
    with pytest.raises(ValueError, match="2 seeds for 3 envs"):
        ours.reset(seed=[1, 2])


def test_vector_actions_are_numbers_of_any_kind() -> None:
    illegal = ILLEGAL[:-1]
    ours = make_vec(num_envs=len(illegal), autoreset_mode="SameStep")
    ours.reset(seed=0)
    _, rewards, terminations, _, infos = ours.step(illegal)
    assert terminations.all()
    assert (rewards == -1.0).all()
    assert infos["final_info"]["invalid"].all()
    first = ours.action_masks().argmax(1)
    copies = [ours.clone() for _ in range(3)]
    whole = ours.step(first)
    for other, actions in zip(copies, (first.tolist(), first.astype(np.int32), tuple(first)), strict=True):
        assert equal(other.step(actions), whole)
    for wrong in ([0, 1], np.zeros(9, np.int64), range(100)):
        with pytest.raises(InvalidArgument, match="actions for"):
            ours.step(wrong)


def test_arrays_are_the_callers_own(game: str) -> None:
    ours, twin = make_vec(game, autoreset_mode="SameStep"), make_vec(game, autoreset_mode="SameStep")
    rng = np.random.default_rng(0)
    for env in (ours, twin):
        env.reset(seed=0)
    for _ in range(20):
        actions = np.array([legal(mask, rng) for mask in ours.action_masks()])
        step, kept = ours.step(actions), twin.step(actions)
        assert equal(step, kept)
        for array in (*step[:4], step[4]["action_mask"], step[4]["_action_mask"]):
            array[:] = 1


@every_mode
def test_statistics_are_recorded(mode: str) -> None:
    single = RecordEpisodeStatistics(gymnasium.make(envs.env_id(TTT), opponent="random"))
    single.reset(seed=0)
    over = False
    while not over:
        _, reward, over, _, info = single.step(int(np.flatnonzero(single.unwrapped.action_masks())[0]))  # type: ignore[attr-defined]
    assert info["episode"]["r"] == reward
    ours = make_vec(TTT, 8, autoreset_mode=mode, opponent="random")
    env = RecordVectorStatistics(ours)
    env.reset(seed=0)
    returns = 0.0
    for _ in range(12):
        _, rewards, terminated, truncated, infos = env.step(ours.action_masks().argmax(1))
        if "episode" in infos and mode != "SameStep":
            ended = infos["_episode"]
            assert equal(ended, terminated | truncated)
            assert infos["episode"]["r"][ended].tolist() == rewards[ended].tolist()
        returns += rewards.sum()
        if mode == "Disabled" and terminated.any():
            env.reset(options={"reset_mask": terminated})
    assert env.episode_count > 8


def test_infos_may_hold_masks_alone() -> None:
    for mode in ("NextStep", "SameStep"):
        full, lean = (
            gymnasium.make_vec(envs.env_id("nim"), 64, autoreset_mode=mode, episode_infos=told)
            for told in (True, False)
        )
        (_, infos), (_, lean_infos) = full.reset(seed=1), lean.reset(seed=1)
        assert set(lean_infos) == {"action_mask", "_action_mask"} < set(infos)
        for _ in range(20):
            actions = infos["action_mask"].argmax(1)
            seen, rewards, *_, infos = full.step(actions)
            lean_seen, lean_rewards, *_, lean_infos = lean.step(actions)
            np.testing.assert_array_equal(lean_seen, seen)
            np.testing.assert_array_equal(lean_rewards, rewards)
            np.testing.assert_array_equal(lean_infos["action_mask"], infos["action_mask"])
            assert ("final_obs" in lean_infos) == ("final_obs" in infos)
            assert "winner" not in lean_infos
    with pytest.raises(reasonenv.ReasonEnvError, match="episode_infos"):
        gymnasium.make_vec(envs.env_id("nim"), 4, episode_infos=False, analysis=True)
