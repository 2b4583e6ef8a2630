"""Episodes of games, tasks or a run, as columns of offline data sets."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.arena._policies import make_policy
from reasonenv.envs import GameEnv
from reasonenv.rollouts import Record

EnvPolicy = str | Callable[[Any, dict[str, Any]], Any]
"""Policy: a name such as "minimax" or "random:0.5" for games, or a function of observation and info."""


@dataclass(frozen=True)
class Episode:
    """One episode. Observations and infos start at the reset, so there is one more of them than of steps."""

    seed: int | None
    observations: list[Any]
    actions: list[Any]
    rewards: list[float]
    terminations: list[bool]
    truncations: list[bool]
    infos: dict[str, list[Any]]
    """One column per key, with the same keys and types in all episodes of a call."""


def played(
    env: str | gymnasium.Env[Any, Any], policy: EnvPolicy, n: int, *, seed: int = 0, **keywords: Any
) -> list[Episode]:
    """Play episodes with a policy.

    Args:
        env: A Gymnasium id of this package, or an environment.
        policy: The policy that plays.
        n: Number of episodes.
        seed: Seed of all episodes.
        **keywords: Arguments of `gymnasium.make`, if `env` is an id.

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """
    n, seed = _checks.whole("n", n, 1, _checks.LARGEST_COUNT), _checks.seed("seed", seed)
    made = gymnasium.make(env, disable_env_checker=True, **keywords) if isinstance(env, str) else env
    act = _policy(made, policy)
    found, told = list[Episode](), list[list[dict[str, Any]]]()
    for number in range(n):
        seen, info = made.reset(seed=seed if number == 0 else None)
        episode = Episode(seed if number == 0 else None, [seen], [], [], [], [], {})
        infos, over = [info], False
        while not over:
            action = act(seen, info)
            seen, reward, terminated, truncated, info = made.step(action)
            over = terminated or truncated
            for column, value in zip(
                (episode.observations, episode.actions, episode.rewards),
                (seen, action, float(reward)),
                strict=True,
            ):
                column.append(value)
            episode.terminations.append(terminated)
            episode.truncations.append(truncated)
            infos.append(info)
        found.append(episode)
        told.append(infos)
    return _with_infos(found, told)


def from_run(traces: str | os.PathLike[str]) -> list[Episode]:
    """Read the rollouts of a run as episodes of text, with their verdicts in the infos.

    Rollouts whose endpoint failed are left out. `infos` have `task_id`, `group_id`, `policy`, `rollout`,
    `passed`, `score` and `advantage`.

    Raises:
        ReasonEnvError: The path is not a run.
    """
    found, told = list[Episode](), list[list[dict[str, Any]]]()
    for one in Record.load(os.fspath(traces)):
        if one.error is not None or one.reward is None:
            continue
        actions = [str(turn["action"]) for turn in one.turns] or [one.text]
        seen = [str(turn["observation"]) for turn in one.turns] or [one.prompt]
        last = len(actions) - 1
        rewards = [float(turn["reward"]) for turn in one.turns] or [float(one.reward)]
        ends = [at == last for at in range(len(actions))]
        cut = bool(one.truncated and not one.terminated)
        found.append(
            Episode(
                None,
                [*seen, seen[-1]],
                actions,
                rewards,
                [end and not cut for end in ends],
                [end and cut for end in ends],
                {},
            )
        )
        verdict = one.verdict or {}
        info = {
            "task_id": one.task_id,
            "group_id": one.group_id,
            "policy": one.policy,
            "rollout": one.rollout,
            "passed": bool(verdict.get("passed", False)),
            "score": float(verdict.get("score", 0.0)),
            "advantage": float("nan") if one.advantage is None else one.advantage,
        }
        told.append([info] * (len(actions) + 1))
    return _with_infos(found, told)


def _policy(env: gymnasium.Env[Any, Any], policy: EnvPolicy) -> Callable[[Any, dict[str, Any]], Any]:
    if not isinstance(policy, str):
        _checks.function("policy", policy, "a name, or a function of observation and info")
        return policy
    game = env.unwrapped
    if not isinstance(game, GameEnv):
        msg = f"`policy` is {_checks.shown(policy)}, but only games have players by name; give a function"
        raise InvalidArgument(msg)
    player = make_policy(game.game, policy)

    def act(_seen: Any, _info: dict[str, Any]) -> Any:
        state = game.state
        action = player(state)
        return f"<move>{state.action_name(action)}</move>" if game.mode == "text" else action

    return act


def _with_infos(episodes: list[Episode], told: list[list[dict[str, Any]]]) -> list[Episode]:
    """Give all episodes the same columns of infos.

    A value that only the reset reports, such as a seat, is repeated to the end. Any other value that a step
    lacks is False, "", NaN or zeros.
    """
    rows = [[_flat(info) for info in infos] for infos in told]
    blank: dict[str, Any] = {}
    for row in (row for infos in rows for row in infos):
        for key, value in row.items():
            blank.setdefault(key, _blank(value))
    columns = [{key: _column(key, empty, infos) for key, empty in blank.items()} for infos in rows]
    for key, empty in sorted(blank.items()):
        mixed = isinstance(empty, float) and any(isinstance(x, float) for one in columns for x in one[key])
        for episode, one in zip(episodes, columns, strict=True):
            episode.infos[key] = list(map(float, one[key])) if mixed else one[key]
    return episodes


def _column(key: str, empty: Any, infos: list[dict[str, Any]]) -> list[Any]:
    if key in infos[0] and not isinstance(empty, np.ndarray):
        empty = infos[0][key]
    return [row.get(key, empty) for row in infos]


def _blank(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.zeros_like(value)
    return False if isinstance(value, bool) else "" if isinstance(value, str) else float("nan")


def storable(value: Any) -> Any:
    """Make text fit for HDF5, which allows neither null bytes nor lone surrogates."""
    if not isinstance(value, str):
        return value
    return value.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def _flat(info: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flatten an info to numbers, text and arrays; lists become JSON, and None is left out."""
    flat: dict[str, Any] = {}
    for key, value in info.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}.")
        elif isinstance(value, bool | np.bool_):
            flat[prefix + key] = bool(value)
        elif isinstance(value, int | float | np.number):
            flat[prefix + key] = value.item() if isinstance(value, np.number) else value
        elif isinstance(value, str):
            flat[prefix + key] = storable(value)
        elif isinstance(value, np.ndarray):
            flat[prefix + key] = value
        elif value is not None:
            flat[prefix + key] = json.dumps(value, default=str)
    return flat
