"""Stable-Baselines3 over the games: its own check, the contract of a VecEnv, and a policy that learns.

Needs the `sb3` extra, which pulls PyTorch, so `make test-sb3` runs it in an environment of its own.
"""

import copy
import pathlib
import pickle
import re
import subprocess
import sys
import time
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
import torch
from env_checks import PLAYED
from numpy.typing import NDArray
from reasonenv.envs import env_id
from reasonenv.integrations.sb3 import GymnasiumVecEnv, make_vec_env
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env as sb3_make_vec_env
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

ANY = "tic_tac_toe"
COUNT = 5


every_game = pytest.mark.parametrize("name", reasonenv.list_games())


def begun(name: str = ANY, seed: int = 0, **kwargs: Any) -> tuple[VecEnv, NDArray[np.float32]]:
    many = make_vec_env(name, COUNT, seed=seed, **{"opponent": "random", **kwargs})
    return many, many.reset()


def legal(many: VecEnv, rng: np.random.Generator) -> NDArray[np.int64]:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in get_action_masks(many)])


@every_game
def test_sb3s_own_check_passes(name: str) -> None:
    with warnings.catch_warnings():  # it takes any three axes for a picture
        warnings.filterwarnings("ignore", ".*image|.*resolution")
        check_env(gymnasium.make(env_id(name), opponent="random").unwrapped)


@pytest.mark.parametrize("reward", ["binary", "partial"])
@pytest.mark.parametrize("name", PLAYED)
def test_sb3s_own_check_passes_on_problems_played_move_by_move(name: str, reward: str) -> None:
    with warnings.catch_warnings():  # it takes any three axes for a picture
        warnings.filterwarnings("ignore", ".*image|.*resolution")
        check_env(gymnasium.make(env_id(name), mode="moves", reward=reward).unwrapped)


@every_game
def test_sb3s_own_check_passes_on_self_play(name: str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*image|.*resolution")
        check_env(gymnasium.make(env_id(name), opponent="self").unwrapped)


@every_game
def test_the_learner_may_have_every_seat(name: str) -> None:
    many, _ = begun(name, opponent="self")
    rng, ended = np.random.default_rng(0), 0
    movers = [info["current_player"] for info in begins(many)]
    for _ in range(150):
        _, rewards, over, infos = many.step(legal(many, rng))
        for at in np.flatnonzero(over).tolist():
            assert infos[at]["current_player"] == -1
            assert infos[at]["returns"].shape == (2,)
            assert infos[at]["returns"][movers[at]] == rewards[at]
            infos[at] = begins(many)[at]
            ended += 1
        movers = [info["current_player"] for info in infos]
    assert ended > COUNT


@pytest.mark.parametrize("family", reasonenv.list_families())
def test_sb3s_own_check_passes_for_tasks_by_the_character(family: str) -> None:
    check_env(gymnasium.make(env_id(family), mode="token").unwrapped)


# SB3 asks every environment for pictures.
@pytest.mark.filterwarnings("ignore:.*no render mode 'rgb_array'")
def test_ppo_types() -> None:
    arguments = {"mode": "token", "window": 32, "max_chars": 24, "reward": "partial"}
    many = sb3_make_vec_env(env_id("chain_sum"), 2, seed=0, env_kwargs=arguments)
    model = PPO("MlpPolicy", many, n_steps=64, batch_size=64, seed=0)
    model.learn(256)
    assert model.num_timesteps == 256
    assert model.predict(many.reset())[0].shape == (2,)


def begins(many: VecEnv) -> list[dict[str, Any]]:
    """Infos of the last resets, which SB3's wrappers do not pass on."""
    infos: list[dict[str, Any]] = many.unwrapped.reset_infos
    return infos


@every_game
def test_games_are_those_of_the_single_envs(name: str) -> None:
    """Against SB3's own VecEnv over single environments: all it returns is the same."""
    ours, seen = begun(name, seed=7)
    theirs = sb3_make_vec_env(env_id(name), COUNT, seed=7, env_kwargs={"opponent": "random"})
    np.testing.assert_array_equal(seen, theirs.reset())
    rng, ended = np.random.default_rng(0), 0
    for _ in range(100):
        assert begins(ours)[0].keys() == begins(theirs)[0].keys()
        np.testing.assert_array_equal(get_action_masks(ours), get_action_masks(theirs))
        actions = legal(ours, rng)
        one, two = ours.step(actions), theirs.step(actions)
        for mine, other in zip(one[:3], two[:3], strict=True):
            np.testing.assert_array_equal(mine, other)
            assert mine.dtype == other.dtype
        for mine, other, over in zip(one[3], two[3], one[2].tolist(), strict=True):
            assert ("terminal_observation" in mine) is ("episode" in mine) is over
            assert mine.keys() == other.keys()
            for key in mine.keys() - {"episode"}:
                np.testing.assert_array_equal(mine[key], other[key], key)
            ended += over
    assert ended > COUNT


def test_what_was_seen_last_is_kept_and_what_is_cut_off_is_said() -> None:
    many, _ = begun(max_turns=2, seat="first")
    for _ in range(2):
        seen, _, ended, infos = many.step(get_action_masks(many).argmax(1))
    assert ended.all()
    for now, info in zip(seen, infos, strict=True):
        assert info["TimeLimit.truncated"] is True
        assert info["terminal_observation"].sum() == 4
        assert now.sum() == 0


@every_game
def test_masks_are_asked_for_as_maskable_algorithms_do(name: str) -> None:
    many, _ = begun(name)
    assert is_masking_supported(many)
    masks = get_action_masks(many)
    assert (masks.shape, masks.dtype) == ((COUNT, many.action_space.n), np.bool_)
    some = many.env_method("action_masks", indices=[1, 3])
    np.testing.assert_array_equal(some, masks[[1, 3]])
    (one,) = many.env_method("action_masks", indices=2)
    np.testing.assert_array_equal(one, masks[2])


def test_attributes_are_those_of_each_env() -> None:
    many, _ = begun()
    assert many.get_attr("render_mode") == [None] * COUNT
    assert many.get_attr("observation_space", 0) == [many.observation_space]
    assert many.get_attr("game", [0, 1]) == [reasonenv.game(ANY)] * 2
    assert many.get_attr("states", 3)[0].game == reasonenv.game(ANY)
    assert not many.has_attr("nonsense")
    assert many.env_is_wrapped(gymnasium.Wrapper) == [False] * COUNT
    with pytest.raises(NotImplementedError, match="give it to make_vec_env"):
        many.set_attr("seat", "first")
    with pytest.raises(NotImplementedError, match="it has 'action_masks' and 'render'"):
        many.env_method("reset")


def test_seeds_are_used_by_the_next_reset() -> None:
    many, first = begun(seed=3)
    again = make_vec_env(ANY, COUNT, opponent="random")
    assert again.seed(3) == [3, 4, 5, 6, 7]
    np.testing.assert_array_equal(again.reset(), first)
    assert [info["seat"] for info in begins(again)] == [info["seat"] for info in begins(many)]
    examples = [info["example"] for info in begins(again)]
    again.reset()
    assert [info["example"] for info in begins(again)] != examples


def test_options_are_used_by_the_next_reset() -> None:
    many, _ = begun()
    many.set_options({"episode": 9})
    many.reset()
    assert [info["episode_index"] for info in begins(many)] == [9] * COUNT
    many.set_options([{"episode": i} for i in range(COUNT)])
    with pytest.raises(ValueError, match="one dict for all"):
        many.reset()


def test_pictures_are_tiled() -> None:
    many, _ = begun(render_mode="rgb_array")
    image = many.render()
    assert image is not None
    assert (image.dtype, image.ndim) == (np.uint8, 3)


def test_it_can_be_copied_and_wrapped() -> None:
    monitored, _ = begun()
    assert VecNormalize(monitored).reset().shape == (COUNT, *monitored.observation_space.shape)
    many = monitored.unwrapped
    rng = np.random.default_rng(0)
    copies = [copy.deepcopy(many), pickle.loads(pickle.dumps(many))]
    actions = legal(many, rng)
    after = many.step(actions)
    for each in copies:
        np.testing.assert_array_equal(each.step(actions)[0], after[0])
    many.close()


def test_what_sb3_cannot_take_is_refused() -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=r"`autoreset_mode` is .*NEXT_STEP.*must be"):
        GymnasiumVecEnv(gymnasium.make_vec(env_id(ANY), 2))
    with pytest.raises(reasonenv.errors.UnknownName, match="did you mean `sudoku`"):
        make_vec_env("sudok", 2)


# SB3 asks every environment for pictures.
@pytest.mark.filterwarnings("ignore:.*no render mode 'rgb_array'")
@pytest.mark.parametrize(("name", "mode"), [("chain_sum", "token"), ("sudoku", "moves")])
def test_text_is_refused_with_the_mode_that_works(name: str, mode: str) -> None:
    told = f'no policy for text; give mode="{mode}"'
    with pytest.raises(reasonenv.ReasonEnvError, match=told):
        PPO("MlpPolicy", f"reasonenv:{env_id(name)}")
    with pytest.raises(reasonenv.ReasonEnvError, match=told):
        PPO("MlpPolicy", gymnasium.make(env_id(name)))
    for make in (make_vec_env, sb3_make_vec_env):
        with pytest.raises(reasonenv.ReasonEnvError, match=told):
            make(env_id(name), 2)
    assert make_vec_env(name, 2, mode=mode).reset().shape[0] == 2


def test_an_id_is_enough() -> None:
    model = MaskablePPO("MlpPolicy", f"reasonenv:{env_id(ANY)}", n_steps=64, batch_size=64, seed=0)
    model.learn(128)


def test_the_guide_runs() -> None:
    guide = (pathlib.Path(__file__).parents[2] / "docs" / "sb3.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert len(blocks) == 6
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_policy_learns_by_playing_itself() -> None:
    example = pathlib.Path(__file__).parents[2] / "examples" / "selfplay_sb3.py"
    done = subprocess.run(
        [sys.executable, str(example), "200000"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    lost = [float(share) for share in re.findall(r"([\d.]+)% lost", done.stdout)]
    before, after = lost[:2], lost[2:]
    assert after[0] < before[0] / 2, done.stdout
    assert after[1] < before[1], done.stdout


def test_a_policy_learns_its_way_through_mazes_that_it_has_not_seen() -> None:
    example = pathlib.Path(__file__).parents[2] / "examples" / "maze_sb3.py"
    done = subprocess.run(
        [sys.executable, str(example), "40000"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    before, *_, after = (float(share) for share in re.findall(r"([\d.]+)% solved", done.stdout))
    assert before < 10
    assert after > 20


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_a_policy_learns_to_beat_the_random_opponent(name: str) -> None:
    torch.set_num_threads(1)
    many = make_vec_env(name, 16, opponent="random")
    model = MaskablePPO("MlpPolicy", many, n_steps=128, batch_size=256, learning_rate=1e-3, gamma=1.0, seed=0)

    def wins() -> float:
        games = make_vec_env(name, 16, seed=10_000, opponent="random")
        rewards, _ = evaluate_policy(model, games, n_eval_episodes=400, return_episode_rewards=True)
        return float(np.mean(np.array(rewards) > 0))

    before, start = wins(), time.perf_counter()
    model.learn(20_480)
    after = wins()
    seconds = time.perf_counter() - start
    print(f"{name}: won {before:.1%} before and {after:.1%} after 20,480 steps in {seconds:.0f} s")
    assert before < 0.75
    assert after >= 0.8
