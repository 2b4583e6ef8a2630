"""Tasks answered character by character; loops over the registry."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from env_checks import copies, equal, every_mode
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from reasonenv import envs
from reasonenv.envs import TokenEnv
from reasonenv.errors import InvalidArgument, InvalidState


def make(family: str = "chain_sum", **kwargs: Any) -> TokenEnv:
    env = gymnasium.make(envs.env_id(family), mode="token", **kwargs).unwrapped
    assert isinstance(env, TokenEnv)
    return env


def type_in(env: TokenEnv, text: str) -> tuple[Any, float, bool, bool, dict[str, Any]]:
    for character in text[:-1]:
        _, reward, terminated, truncated, _ = env.step(TokenEnv.CHARACTERS.index(character))
        assert (reward, terminated, truncated) == (0.0, False, False)
    return env.step(TokenEnv.CHARACTERS.index(text[-1]))


def test_the_checker_passes(family: str) -> None:
    check_env(make(family), skip_render_check=True)


def test_a_familys_own_solution_passes_and_ends_with_the_closing_tag(family: str) -> None:
    env = make(family, max_chars=4000)
    for seed in range(2):
        env.reset(seed=seed)
        text = env.task.wrap(env.task.solution.answer)
        _, reward, terminated, truncated, info = type_in(env, text)
        assert (reward, terminated, truncated, info["passed"], info["text"]) == (1.0, True, False, True, text)


def test_random_actions_never_raise(family: str) -> None:
    env = make(family, max_chars=30)
    env.action_space.seed(0)
    for seed in range(3):
        env.reset(seed=seed)
        over = False
        while not over:
            seen, reward, terminated, truncated, info = env.step(env.action_space.sample())
            assert env.observation_space.contains(seen)
            over = terminated or truncated
        assert (reward, info["passed"]) == (0.0, False)


def test_the_last_characters_are_seen_as_codes() -> None:
    env = make(window=400)
    assert isinstance(env.observation_space, spaces.MultiDiscrete)
    assert isinstance(env.action_space, spaces.Discrete)
    assert env.action_space.n == 97
    seen, _ = env.reset(seed=0)
    length = len(env.task.prompt) + 1
    assert seen.shape == (400,)
    assert seen.dtype == np.int64
    assert not seen[:-length].any()
    shown = "".join(TokenEnv.CHARACTERS[code - 1] for code in seen[-length:])
    assert shown == env.task.prompt + "\n"
    seen, *_ = env.step(TokenEnv.CHARACTERS.index("A"))
    assert seen[-1] == TokenEnv.CHARACTERS.index("A") + 1
    narrow = make(window=5)
    narrow.reset(seed=0)
    seen, *_ = type_in(narrow, "hello")
    assert "".join(TokenEnv.CHARACTERS[code - 1] for code in seen) == "hello"


def test_end_ends_and_the_cap_truncates() -> None:
    env = make(max_chars=3)
    env.reset(seed=0)
    type_in(env, "4")
    _, reward, terminated, truncated, info = env.step(TokenEnv.END)
    assert (reward, terminated, truncated, info["text"]) == (0.0, True, False, "4")
    assert info["verdict"]["failures"]
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(TokenEnv.END)
    env.reset()
    _, reward, terminated, truncated, info = type_in(env, "abc")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["verdict"]["failures"] == ["truncated"]


def test_numbers_that_stand_for_nothing_type_nothing() -> None:
    env = make(max_chars=3)
    env.reset(seed=0)
    env.step(-1)
    env.step(10**30)
    assert env.text == ""
    with pytest.raises(InvalidArgument, match="`action` is 'a', but must be a whole number"):
        env.step("a")  # type: ignore[arg-type]
    assert env.step(0)[3]


def test_a_closing_tag_at_the_cap_is_an_answer() -> None:
    env = make()
    env.reset(seed=0)
    text = env.task.wrap(env.task.solution.answer)
    env = make(max_chars=len(text))
    env.reset(seed=0)
    _, reward, terminated, truncated, _ = type_in(env, text)
    assert (reward, terminated, truncated) == (1.0, True, False)


def test_copies_go_on_as_the_env_does(family: str) -> None:
    env = make(family, max_chars=20)
    env.reset(seed=3)
    type_in(env, "<answer>")
    twins = list(copies(env))
    ours = [env.step(3), env.step(TokenEnv.END), env.reset(), env.step(5)]
    for twin in twins:
        assert equal([twin.step(3), twin.step(TokenEnv.END), twin.reset(), twin.step(5)], ours)


def test_a_finished_episode_is_saved_as_one() -> None:
    env = make()
    env.reset(seed=0)
    env.step(TokenEnv.END)
    other = make()
    other.set_state(env.get_state())
    with pytest.raises(ResetNeeded):
        other.step(TokenEnv.END)
    with pytest.raises(InvalidState, match="not a state"):
        other.set_state(b"{}")


def test_specs_survive_json() -> None:
    env = gymnasium.make(envs.env_id("tsp"), mode="token", window=9, max_chars=7, reward="partial")
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert equal(env.reset(seed=4), again.reset(seed=4))


@every_mode
def test_vector_environments_run(mode: str) -> None:
    many: Any = gymnasium.make_vec(
        envs.env_id("chain_sum"), 3, mode="token", autoreset_mode=mode, window=8, max_chars=4
    )
    seen, _ = many.reset(seed=0)
    assert seen.shape == (3, 8)
    for _ in range(3):
        seen, rewards, terminations, truncations, _ = many.step(np.array([5, 6, 7]))
        assert not (terminations | truncations).any()
    seen, rewards, terminations, truncations, _ = many.step(np.array([5, TokenEnv.END, 7]))
    assert terminations.tolist() == [False, True, False]
    assert truncations.tolist() == [True, False, True]
    assert rewards.tolist() == [0, 0, 0]


def test_what_is_typed_can_be_rendered() -> None:
    env = make(render_mode="ansi")
    env.reset(seed=0)
    type_in(env, "so")
    assert env.render() == f"{env.task.prompt}\n\nso"
    env.step(TokenEnv.END)
    frame = env.render()
    assert frame is not None
    assert "failed (" in frame
