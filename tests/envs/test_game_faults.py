"""Opponents that raise: after any error in a step or a reset, the same call can be repeated."""

import threading
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from reasonenv import envs
from reasonenv.envs import GameEnv, GameVectorEnv

GAMES = reasonenv.list_games()
MODES = [mode.value for mode in AutoresetMode]


def equal(one: object, other: object) -> bool:
    return data_equivalence(one, other, exact=True)


class Trouble(BaseException):
    """Error of an opponent that, like KeyboardInterrupt, is not an Exception."""


class Troubled:
    """Plays the middle one of the legal actions, but raises in one of its calls."""

    def __init__(self, raises_at: int | None = None) -> None:
        self.calls, self.raises_at = 0, raises_at

    def __call__(self, state: reasonenv.State) -> int:
        self.calls += 1
        legal = state.legal_actions()
        if self.calls == self.raises_at:
            state.apply(legal[0])  # its own copy
            raise Trouble
        return legal[len(legal) // 2]


def run(env: Any, opponent: Troubled, calls: list[Callable[[Any], Any]]) -> list[Any]:
    """Results of the calls; one that raises is repeated."""
    told = []
    for call in calls:
        try:
            answer = call(env)
        except Trouble:
            assert opponent.calls == opponent.raises_at
            answer = call(env)
        told.append(answer)
    return told


def reset(kwargs: dict[str, Any]) -> Callable[[Any], Any]:
    return lambda env: env.reset(**kwargs)


def step(action: Any) -> Callable[[Any], Any]:
    return lambda env: env.step(action)


def single_calls(env: GameEnv, rng: np.random.Generator) -> list[Callable[[Any], Any]]:
    """Resets of every kind, and the steps between them, legal and not."""
    calls: list[Callable[[Any], Any]] = []

    def do(call: Callable[[Any], Any]) -> Any:
        calls.append(call)
        return call(env)

    resets: list[dict[str, Any]] = [{"seed": 3}, {}, {}, {"options": {"episode": 5}}, {}, {"seed": 4}, {}, {}]
    for kwargs in resets:
        do(reset(kwargs))
        for _ in range(4):
            action: Any = int(rng.choice(env.state.legal_actions())) if rng.random() < 0.9 else -1
            if env.mode == "text":
                action = f"<move>{env.game.action_name(action)}</move>" if action >= 0 else "nothing"
            if any(do(step(action))[2:4]):
                break
    return calls


@pytest.mark.parametrize(
    "kwargs", [{}, {"mode": "text"}, {"text": True, "opening_plies": 1}, {"render_mode": "human"}], ids=str
)
def test_an_opponent_that_raises_leaves_no_half_step(
    game: str, kwargs: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    def make(opponent: Troubled) -> GameEnv:
        return GameEnv(game=game, opponent=opponent, **kwargs)

    calm = Troubled()
    calls = single_calls(make(calm), np.random.default_rng(0))
    whole = run(make(Troubled()), Troubled(), calls)
    assert calm.calls > 2
    for raises_at in range(1, calm.calls + 1):
        opponent = Troubled(raises_at)
        env = make(opponent)
        assert equal(run(env, opponent, calls), whole)
        assert opponent.calls > raises_at, "it was asked again"
    capsys.readouterr()


@pytest.mark.parametrize("mode", MODES)
def test_an_opponent_that_raises_leaves_no_half_step_of_many_envs(game: str, mode: str) -> None:
    def make(opponent: Troubled) -> GameVectorEnv:
        many = gymnasium.make_vec(
            envs.env_id(game), 3, autoreset_mode=mode, opponent=opponent, illegal="penalty", max_turns=2
        )
        assert isinstance(many, GameVectorEnv)
        return many

    calls: list[Callable[[Any], Any]] = []
    calm = Troubled()
    many = make(calm)
    rng = np.random.default_rng(0)

    def do(call: Callable[[Any], Any]) -> Any:
        calls.append(call)
        return call(many)

    resets: list[dict[str, Any]] = [{"seed": 5}, {"seed": [None, 7, None]}, {"options": {"episode": 2}}]
    for kwargs in resets:
        do(reset(kwargs))
        for _ in range(4):
            masks = many.action_masks()
            actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
            told = do(step(actions))
            over = told[2] | told[3]
            if mode == "Disabled" and over.any():
                do(reset({"options": {"reset_mask": over}}))
    assert calm.calls > 5
    whole = run(make(Troubled()), Troubled(), calls)
    for raises_at in range(1, calm.calls + 1):
        opponent = Troubled(raises_at)
        assert equal(run(make(opponent), opponent, calls), whole)


@pytest.mark.parametrize("mode", MODES)
def test_a_callable_in_many_envs_is_a_callable_in_each(game: str, mode: str) -> None:
    ours = gymnasium.make_vec(envs.env_id(game), 3, autoreset_mode=mode, opponent=Troubled())
    sync = gymnasium.make_vec(
        envs.env_id(game),
        3,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        opponent=Troubled(),
    )
    assert equal(ours.reset(seed=5), sync.reset(seed=5))
    rng = np.random.default_rng(0)
    for _ in range(20):
        masks = ours.unwrapped.action_masks()  # type: ignore[attr-defined]
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        one, other = ours.step(actions), sync.step(actions)
        assert equal(one, other)
        over = one[2] | one[3]
        if mode == "Disabled" and over.any():
            some = {"reset_mask": over}
            assert equal(ours.reset(options=some), sync.reset(options=dict(some)))


def test_a_callable_is_asked_on_the_callers_thread_while_a_search_runs_on_another() -> None:
    asked = []

    def policy(state: reasonenv.State) -> int:
        asked.append(threading.current_thread())
        return state.legal_actions()[0]

    # Its exact values need a search, which analysis starts at every step.
    env = GameEnv(game="hexapawn", params={"rows": 4, "columns": 4}, opponent=policy, analysis=True)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert set(asked) == {threading.main_thread()}
    broken = GameEnv(
        game="hexapawn", params={"rows": 4, "columns": 4}, opponent=Troubled(1), analysis=True, seat="second"
    )
    with pytest.raises(Trouble):
        broken.reset(seed=0)
    assert broken.reset(seed=0)[1]["seat"] == 1
