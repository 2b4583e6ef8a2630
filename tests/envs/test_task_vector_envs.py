"""Many tasks at once behave like single ones, also for wrappers and other vector envs."""

import contextlib
import copy
import itertools
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from env_checks import MODES, equal, every_mode, make_sync
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics
from hypothesis import given, settings
from hypothesis import strategies as st
from reasonenv import envs
from reasonenv.errors import InvalidArgument, InvalidParams
from task_envs import (
    ANY,
    GARBAGE,
    answers,
    forks,
    make,
    make_vec,
    many_items_in_the_pool,
    right,
)


@every_mode
def test_a_vector_env_is_its_single_envs(family: str, mode: str) -> None:
    ours, sync = make_vec(family, 4, level=1, autoreset_mode=mode), make_sync(family, 4, mode, level=1)
    assert ours.observation_space == sync.observation_space
    assert ours.action_space == sync.action_space
    assert ours.single_action_space == sync.single_action_space
    assert equal(ours.reset(seed=5), sync.reset(seed=5))
    for turn in range(4):
        said = answers(ours.tasks, [turn, turn + 1, turn + 2, turn + 4])
        one, other = ours.step(said), sync.step(said)
        assert equal(one, other)
        assert one[1].dtype == np.float64
        if mode == "Disabled":
            over = {"reset_mask": one[2]}
            assert equal(ours.reset(options=over), sync.reset(options=dict(over)))
    assert equal(ours.reset(), sync.reset())
    assert ours.np_random_seed == sync.np_random_seed == (5, 6, 7, 8)


@given(
    mode=st.sampled_from(MODES),
    turns=st.lists(
        st.tuples(st.integers(0, 7), st.lists(st.integers(0, 20), min_size=3, max_size=3), st.booleans()),
        max_size=6,
    ),
)
@settings(max_examples=30, deadline=None)
def test_resets_of_some_envs_keep_the_streams(mode: str, turns: list[tuple[int, list[int], bool]]) -> None:
    ours, sync = make_vec(autoreset_mode=mode), make_sync(ANY, 3, mode)
    assert equal(ours.reset(seed=1), sync.reset(seed=1))
    over = np.zeros(3, bool)
    for bits, kinds, seeded in turns:
        mask = np.array([bits & 1, bits & 2, bits & 4], bool)
        if mode == "Disabled":
            mask |= over
        if mask.any():
            seed = [bits, None, kinds[0]] if seeded else None
            options = {"reset_mask": mask}
            assert equal(ours.reset(seed=seed, options=options), sync.reset(seed=seed, options=dict(options)))
            assert options["reset_mask"] is mask, "the caller's options are the caller's"
        said = answers(ours.tasks, kinds)
        one, other = ours.step(said), sync.step(said)
        assert equal(one, other)
        over = one[2]


def params_of_no_level(family: reasonenv.Family) -> dict[str, Any]:
    """A level's params with one field of another's, such that they make no level and yet are valid."""
    levels = [family.level_params(level) for level in range(family.top_level + 1)]
    for low, high in itertools.permutations(levels, 2):
        for name in high:
            with contextlib.suppress(InvalidParams):
                if family.source(params=low | {name: high[name]}).level is None:
                    return {**low, name: high[name]}
    pytest.skip(f"all mixtures of {family.name}'s levels are levels")


def test_where_params_make_no_level_it_is_none(family: str) -> None:
    params = params_of_no_level(reasonenv.family(family))
    ours, sync = make_vec(family, params=params), make_sync(family, 3, "NextStep", params=params)
    assert make(family, params=params).reset(seed=0)[1]["level"] is None
    assert equal(ours.reset(seed=0), sync.reset(seed=0))
    some = {"reset_mask": np.array([True, False, True])}
    assert equal(ours.reset(options=some), sync.reset(options=dict(some)))


def test_seeds_and_indices_may_be_given_one_by_one() -> None:
    ours, single = make_vec(), make()
    prompts, infos = ours.reset(seed=[7, None, 3])
    assert prompts[0] == single.reset(seed=7)[0]
    assert prompts[2] == single.reset(seed=3)[0]
    prompts, infos = ours.reset(options={"index": [4, 5, 4]})
    assert infos["index"].tolist() == [4, 5, 4]
    assert prompts[1] == single.reset(options={"index": 5})[0]
    assert ours.reset(options={"index": np.int64(2)})[1]["index"].tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="2 indices for 3 envs"):
        ours.reset(options={"index": [1, 2]})
    with pytest.raises(ValueError, match="2 seeds for 3 envs"):
        ours.reset(seed=[1, 2])


def test_arrays_are_the_callers_own() -> None:
    ours = make_vec(autoreset_mode="SameStep")
    ours.reset(seed=0)
    first = ours.step([right(task) for task in ours.tasks])
    kept = copy.deepcopy(first)
    ours.step(["", "", ""])
    assert equal(first, kept)
    arrays = [first[1], first[2], first[3], *(v for v in first[4].values() if isinstance(v, np.ndarray))]
    for array in arrays:
        array[:] = array[::-1].copy() if array.dtype == object else 1
    ours.step(["", "", ""])


@pytest.mark.parametrize(
    ("actions", "error", "says"),
    [
        ("one text", InvalidArgument, "one str"),
        (["a", "b"], InvalidArgument, "2 actions for 3 envs"),
        ((), InvalidArgument, "0 actions"),
    ],
)
def test_as_many_actions_as_envs(actions: Any, error: type[Exception], says: str) -> None:
    ours = make_vec()
    ours.reset(seed=0)
    with pytest.raises(error, match=says):
        ours.step(actions)


def test_no_vector_action_raises() -> None:
    ours = make_vec(num_envs=len(GARBAGE), autoreset_mode="SameStep")
    ours.reset(seed=0)
    _, rewards, terminations, _, infos = ours.step(GARBAGE)
    assert not rewards.any()
    assert terminations.all()
    assert all(infos["final_info"]["verdict"]["failures"])
    ours.step(list(np.array(["no"] * len(GARBAGE))))


def test_a_partial_score_can_be_the_reward(family: str) -> None:
    ours = make_vec(family, 8, level=1, reward="partial", autoreset_mode="SameStep")
    ours.reset(seed=0)
    said = answers(ours.tasks, [0, 1, 4, 7, 10, 13, 16, 19])
    scores = [task.verify(text).score for task, text in zip(ours.tasks, said, strict=True)]
    assert ours.step(said)[1].tolist() == scores


def test_rewards_of_parts_are_paid_as_single_envs_pay_them(family: str) -> None:
    weights = {"correct": 1.0, "partial": 0.5, "format": 0.2, "length": 0.1}
    ours = make_vec(family, 8, level=1, reward=weights, autoreset_mode="Disabled")
    ours.reset(seed=0)
    said = answers(ours.tasks, [0, 1, 4, 7, 10, 13, 16, 19])
    _, rewards, _, _, infos = ours.step(said)
    single = make(family, level=1, reward=weights)
    for i, index in enumerate(infos["index"].tolist()):
        single.reset(options={"index": index})
        _, reward, _, _, info = single.step(said[i])
        assert rewards[i] == pytest.approx(reward)
        parts = {name: infos["reward_parts"][name][i] for name in info["reward_parts"]}
        assert parts == pytest.approx(info["reward_parts"])


def test_wrappers_work() -> None:
    env = TimeLimit(RecordEpisodeStatistics(gymnasium.make(envs.env_id(ANY))), max_episode_steps=1)
    env.reset(seed=0)
    task = env.unwrapped.task  # type: ignore[attr-defined]
    _, _, terminated, truncated, info = env.step(right(task))
    assert (terminated, truncated) == (True, True)
    assert (info["episode"]["r"], info["episode"]["l"]) == (1.0, 1)


@pytest.mark.parametrize("limit", [1, 2, None])
@every_mode
def test_a_time_limit_means_the_same_to_a_vector_env(mode: str, limit: int | None) -> None:
    ours = make_vec(autoreset_mode=mode, max_episode_steps=limit)
    sync = make_sync(ANY, 3, mode, max_episode_steps=limit)
    for env in (ours, sync):
        env.reset(seed=0)
    one = ours.step(("", "", ""))
    assert equal(one, sync.step(("", "", "")))
    assert not np.shares_memory(one[2], one[3])


@every_mode
def test_statistics_count_episodes_of_one_step(mode: str) -> None:
    ours = make_vec(autoreset_mode=mode)
    env = RecordVectorStatistics(ours)
    env.reset(seed=0)
    for _ in range(2):
        _, _, terminations, _, infos = env.step((right(ours.tasks[0]), "", right(ours.tasks[2])))
        assert infos["episode"]["r"].tolist() == [1.0, 0.0, 1.0]
        assert infos["episode"]["l"].tolist() == [1, 1, 1]
        if mode == "Disabled":
            env.reset(options={"reset_mask": terminations})
        elif mode == "NextStep":
            assert "episode" not in env.step(("", "", ""))[4]
    assert env.episode_count == 6


def single_envs(count: int) -> list[Callable[[], gymnasium.Env[str, str]]]:
    return [lambda: gymnasium.make(envs.env_id(ANY), level=1)] * count


@forks
def test_async_workers_give_what_sync_gives() -> None:
    many_items_in_the_pool()
    sync = SyncVectorEnv(single_envs(3))
    workers = AsyncVectorEnv(single_envs(3), shared_memory=False)
    try:
        assert equal(workers.reset(seed=0), sync.reset(seed=0))
        for said in (("a", "b", "c"), ("", "", "")):
            assert equal(workers.step(said), sync.step(said))
    finally:
        workers.close()
