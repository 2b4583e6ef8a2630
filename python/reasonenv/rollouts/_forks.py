"""Forks of environments, and what a search has to know of a state: its actions, its key, its value."""

import copy
from collections.abc import Hashable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit

from reasonenv._native import Game, Play, Proof, State

_PLAIN = (OrderEnforcing, PassiveEnvChecker, TimeLimit)
"""Wrappers whose state is a few numbers."""


def forked(env: Any) -> Any:
    """A copy of an environment in the same state, to be stepped but not reset."""
    if isinstance(env, gymnasium.Wrapper):
        if type(env) not in _PLAIN:
            return copy.deepcopy(env)
        made = type(env).__new__(type(env))
        vars(made).update(vars(env), env=forked(env.env))
        return made
    if hasattr(env, "fork"):
        return env.fork()
    return env.clone() if hasattr(env, "clone") else copy.deepcopy(env)


def play_of(env: Any) -> Play | State | None:
    """The play or game in progress, if an environment has one."""
    state = getattr(env.unwrapped, "state", None)
    return state if isinstance(state, Play | State) else None


def legal_actions(env: Any, info: Any, *, text: bool) -> list[Any] | None:
    """All legal actions, if an environment lists them; of tactics those that are worth trying."""
    play = play_of(env)
    if play is not None and text:
        return [f"<move>{play.action_name(action)}</move>" for action in play.legal_actions()]
    proof = getattr(env.unwrapped, "proof", None)
    if isinstance(proof, Proof):
        return proof.candidates()
    mask = info.get("action_mask")
    if mask is not None:
        found: list[Any] = np.flatnonzero(mask).tolist()
        return found
    return None if play is None else play.legal_actions()


def is_fully_known(env: Any) -> bool:
    """True if the same actions always lead to the same states, and all players see them.

    An opponent's replies are not part of that, since a fork would foresee them.
    """
    game = getattr(env.unwrapped, "game", None)
    if isinstance(game, Game):
        return env.unwrapped.opponent == "self" and not (game.has_chance or game.has_hidden_information)
    return isinstance(play_of(env), Play)


def state_key(env: Any) -> Hashable | None:
    """Key that two states share only if everything that may follow is the same; None if unknown."""
    own = getattr(env.unwrapped, "state_key", None)
    if callable(own):
        key: Hashable = own()
        return key
    state = play_of(env)
    if not isinstance(state, State) or not is_fully_known(env):
        return None
    return state.current_player, len(state.moves), state.observation(0).tobytes()


def exact_values(env: Any) -> dict[int, float]:
    """Value of every legal action to the mover under best play, where a solver knows it at once."""
    state = play_of(env)
    if not isinstance(state, State) or not is_fully_known(env):
        return {}
    if state.is_over or state.game.has_stakes or not state.game.solves_instantly:
        return {}
    return {action: float(value.outcome) for action, value in state.values().items()}
