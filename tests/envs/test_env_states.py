"""Copies and saved states of task and game environments continue like the originals."""

import json
from typing import Any

import game_envs
import kinds
import numpy as np
import pytest
import reasonenv
import task_envs
from env_checks import copies, equal, every_mode
from gymnasium.error import ResetNeeded
from reasonenv.envs import SolutionEnv, SolutionVectorEnv
from reasonenv.errors import InvalidState

GAMES = {*game_envs.GAMES, *kinds.GAMES}


def make_one(name: str, **kwargs: Any) -> Any:
    return (game_envs if name in GAMES else task_envs).make(name, **kwargs)


def make_many(name: str, **kwargs: Any) -> Any:
    return (game_envs if name in GAMES else task_envs).make_vec(name, **kwargs)


GAME_KEYWORDS: list[dict[str, Any]] = [{}, {"mode": "text"}, {"text": True, "max_turns": 3}]
UNITS: list[tuple[str, dict[str, Any]]] = [(name, {"level": 1}) for name in kinds.FAMILIES] + [
    (name, {"random_move_prob": 0.3}) for name in kinds.GAMES
]
SINGLES = [
    (name, {**kwargs, **more})
    for name, kwargs in UNITS
    for more in (GAME_KEYWORDS if name in kinds.GAMES else [{}])
]


def an_action(env: Any, rng: np.random.Generator) -> Any:
    """The right answer to a task, or a legal move."""
    if isinstance(env, SolutionEnv):
        return task_envs.right(env.task)
    action = game_envs.legal(env.action_masks(), rng)
    return game_envs.said(env, action) if env.mode == "text" else action


def actions_of(many: Any, rng: np.random.Generator) -> Any:
    """An answer or a legal move for each env; anything for those that are over."""
    if isinstance(many, SolutionVectorEnv):
        return task_envs.answers(many.tasks, [0, 1, 2])
    return np.array([game_envs.legal(mask, rng) if mask.any() else 0 for mask in many.action_masks()])


@pytest.mark.usefixtures("adder", "race")
@pytest.mark.parametrize(("name", "kwargs"), SINGLES)
def test_a_copy_goes_on_as_the_env_does(name: str, kwargs: dict[str, Any]) -> None:
    env = make_one(name, render_mode="ansi", **kwargs)
    env.np_random  # noqa: B018, seeds it
    for other in list(copies(env)):
        assert equal(other.reset(), env.clone().reset())
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    over, action = False, None
    while not over:
        action = an_action(env, rng)
        posed = list(copies(env))
        after = env.step(action)
        for other in posed:
            assert equal(other.step(action), after)
            assert other.render() == env.render()
            assert other.get_state() == env.get_state()
        over = after[2] or after[3]
    ended = list(copies(env))
    frame, following = env.render(), env.reset()
    for other in ended:
        with pytest.raises(ResetNeeded):
            other.step(action)
        assert other.render() == frame
        assert equal(other.reset(), following)


@every_mode
@pytest.mark.usefixtures("adder", "race")
@pytest.mark.parametrize(("name", "kwargs"), UNITS)
def test_copies_of_a_vector_env_go_on_as_it_does(name: str, kwargs: dict[str, Any], mode: str) -> None:
    ours = make_many(name, autoreset_mode=mode, render_mode="ansi", **kwargs)
    ours.np_random  # noqa: B018, seeds them
    for other in list(copies(ours)):
        assert equal(other.reset(), ours.clone().reset())
    ours.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(8):
        actions = actions_of(ours, rng)
        posed = list(copies(ours))
        after = ours.step(actions)
        for other in posed:
            assert equal(other.step(actions), after)
            assert other.render() == ours.render()
        over = after[2] | after[3]
        if mode == "Disabled" and over.any():
            ours.reset(options={"reset_mask": over})


EITHER = pytest.mark.parametrize("name", [task_envs.ANY, game_envs.ANY])


@EITHER
@pytest.mark.parametrize("state", [b"", b"{}", b"[]", b"\xff", b'{"np_random": 1}', b"null"])
def test_a_damaged_state_is_refused(name: str, state: bytes) -> None:
    for env in (make_one(name), make_many(name)):
        with pytest.raises(InvalidState, match="not a state"):
            env.set_state(state)


KINDS: list[Any] = [None, True, -1, 1.5, 10**30, "x", [], [None], {}, {"a": []}]


@EITHER
@pytest.mark.parametrize("make", [make_one, make_many])
def test_a_state_with_a_field_of_another_kind_is_refused(make: Any, name: str) -> None:
    env = make(name)
    env.reset(seed=0)
    before = env.get_state()
    for field in json.loads(before):
        for junk in KINDS:
            damaged = json.dumps(json.loads(before) | {field: junk}).encode()
            try:
                env.set_state(damaged)
            except InvalidState:
                assert env.get_state() == before, f"{field}: {junk!r} was refused, but changed something"
            else:
                env.set_state(before)
    with pytest.raises(InvalidState, match="not a state"):
        env.set_state(b"[" * 100_000)


def test_a_state_of_other_items_is_refused() -> None:
    env, ours = task_envs.make(), task_envs.make_vec()
    env.reset(seed=0)
    ours.reset(seed=0)
    for other in (
        task_envs.make(level=1),
        task_envs.make(task_seed=1),
        task_envs.make(split="eval"),
        task_envs.make(style={"words": 1}),
    ):
        other.reset(seed=1)
        before = other.get_state()
        with pytest.raises(reasonenv.ReasonEnvError, match="other items"):
            other.set_state(env.get_state())
        assert other.get_state() == before
    with pytest.raises(reasonenv.ReasonEnvError, match="it is of 3 envs, where these are 2"):
        task_envs.make_vec(num_envs=2).set_state(ours.get_state())


def test_another_kind_of_generator_cannot_be_saved() -> None:
    env = task_envs.make()
    env.np_random = np.random.Generator(np.random.MT19937(0))
    env.reset()
    with pytest.raises(reasonenv.ReasonEnvError, match="'MT19937', but must be 'PCG64'"):
        env.get_state()


def test_copies_share_the_solved_game() -> None:
    env = game_envs.make(game_envs.TTT)
    assert env.clone().game is env.game
    assert game_envs.make_vec(game_envs.TTT).clone().game == env.game


def test_a_state_of_another_game_is_refused() -> None:
    env, ours = game_envs.make(game_envs.TTT), game_envs.make_vec(game_envs.TTT)
    env.reset(seed=0)
    ours.reset(seed=0)
    other = game_envs.make(game_envs.TTT, params={"rows": 4})
    other.reset(seed=1)
    before = other.get_state()
    with pytest.raises(reasonenv.ReasonEnvError, match="another game"):
        other.set_state(env.get_state())
    assert other.get_state() == before
    with pytest.raises(reasonenv.ReasonEnvError, match="it is of 3 envs, where these are 2"):
        game_envs.make_vec(game_envs.TTT, 2).set_state(ours.get_state())
