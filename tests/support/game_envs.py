"""Helpers to make, play and compare game environments."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from reasonenv import envs
from reasonenv.envs import GameEnv, GameVectorEnv
from reasonenv.errors import InvalidOpponent

GAMES = reasonenv.list_games()
ANY = GAMES[0]
TTT = "tic_tac_toe"
ILLEGAL: list[Any] = [
    -1,
    2**70,
    -(2**70),
    10**6,
    np.int8(-1),
    np.uint64(2**63),
    np.array(-5),
    np.array([999]),
]
STRANGE = ["0", "<move>", "\x00", "\ud800", "<move>\ud800</move>", "x" * 300_000]
NO_ACTIONS: list[Any] = [
    0.0,
    np.float32(1),
    float("nan"),
    None,
    b"<move>0</move>",
    [],
    {},
    [0],
    np.bool_(True),
    np.zeros(3),
    np.zeros(1),
    np.zeros(2, np.int64),
    np.zeros((1, 1), np.int64),
    object(),
]
BEGIN = {"seat", "random_move_prob", "example", "episode_index"}
STEP = {"invalid", "cost", "episode_cost"}
END = {"winner", "turns", "invalid_moves"}
EXACT = {"regret", "blunder", "forced", "missed_win", "missed_block", "allowed_fork", "exact"}


def make(game: str = ANY, **kwargs: Any) -> GameEnv:
    env = gymnasium.make(envs.env_id(game), **kwargs).unwrapped
    assert isinstance(env, GameEnv)
    return env


def make_vec(game: str = ANY, num_envs: int = 3, **kwargs: Any) -> GameVectorEnv:
    many = gymnasium.make_vec(envs.env_id(game), num_envs=num_envs, **kwargs)
    assert isinstance(many, GameVectorEnv)
    return many


def legal(mask: Any, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def finish(env: GameEnv, rng: np.random.Generator) -> list[Any]:
    """Play legal moves to the end of a numeric episode."""
    steps = []
    while True:
        steps.append(env.step(legal(env.action_masks(), rng)))
        if steps[-1][2] or steps[-1][3]:
            return steps


def said(env: GameEnv, action: int) -> str:
    return f"<move>{env.game.action_name(action)}</move>"


def alternates(game: str) -> bool:
    """True if no player moves twice in a row in games of random moves."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        state, last = reasonenv.game(game).start(seed), None
        while not state.is_over:
            if state.current_player == last:
                return False
            last = state.current_player
            state.apply(int(rng.choice(state.legal_actions())))
    return True


def valued(game: str, **kwargs: Any) -> GameEnv:
    """An env that knows exact values; skips games that have none."""
    try:
        return make(game, analysis=True, **kwargs)
    except InvalidOpponent as error:
        pytest.skip(str(error))


def small(game: str) -> dict[str, Any]:
    """The params of the game's shortest variant that lasts eight plies or more: its values come quickly."""
    known = [params for params in reasonenv.game(game).variants if solved(game, params)]
    if not known:
        pytest.skip("it has no exact values")
    return min(known, key=lambda params: reasonenv.game(game, params).max_plies)


def solved(game: str, params: dict[str, Any]) -> bool:
    """True if a game with these params can be solved and is not trivial."""
    unit = reasonenv.game(game, params)
    return not (unit.unsolvable_reason or unit.has_hidden_information) and unit.max_plies >= 8
