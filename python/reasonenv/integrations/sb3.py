"""Stable-Baselines3: games, many at once, as the `VecEnv` its algorithms take. Needs the `sb3` extra.

    from reasonenv.integrations.sb3 import make_vec_env
    from sb3_contrib import MaskablePPO

    envs = make_vec_env("reasonenv/TicTacToe-v1", 64, opponent="random")
    MaskablePPO("MlpPolicy", envs).learn(100_000)

Algorithms also take ids as they are, `MaskablePPO("MlpPolicy", "reasonenv:reasonenv/TicTacToe-v1")`, and then
play one game at a time.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from reasonenv import _native, envs
from reasonenv.integrations._items import needs

with needs("sb3", "Stable-Baselines3"):
    from stable_baselines3.common.vec_env import VecEnv, VecMonitor

Infos = list[dict[str, Any]]
Indices = int | Iterable[int] | None

# Methods of a vector env that ask each env and change none.
QUESTIONS = ("action_masks", "render")

__all__ = ["GymnasiumVecEnv", "make_vec_env"]


def make_vec_env(id: str, n_envs: int = 1, seed: int | None = None, **kwargs: Any) -> VecMonitor:
    """`n_envs` games that are stepped in one call into Rust, with the statistics SB3 logs.

    Args:
        id: A Gymnasium id such as "reasonenv/TicTacToe-v1", or the name of a game such as "tic_tac_toe".
        n_envs: How many.
        seed: Env `i` begins with `seed + i`; None seeds from the operating system, or by the algorithm.
        **kwargs: Those of `reasonenv.envs.GameVectorEnv`, such as `opponent`.

    Returns:
        A `GymnasiumVecEnv` within SB3's `VecMonitor`.

    Raises:
        ReasonEnvError: An argument names nothing that exists or is out of bounds, or the env observes text.
        gymnasium.error.Error: The id is not registered.
    """
    name = envs.env_id(id) if id in _native.list_games() else id
    many = gymnasium.make_vec(name, n_envs, autoreset_mode=AutoresetMode.SAME_STEP.value, **kwargs)
    made = GymnasiumVecEnv(many)
    if seed is not None:
        made.seed(seed)
    return VecMonitor(made)


class GymnasiumVecEnv(VecEnv):
    """A Gymnasium vector env that resets by the step that ended it, as SB3's `VecEnv`.

    As SB3 has it, observations after an episode's end are those of the next one, and the info of the step
    that ended it holds `terminal_observation`; `TimeLimit.truncated` tells whether it was cut off. Seeds
    and options are used by the next `reset`.

    Args:
        many: The vector env, made with `autoreset_mode="SameStep"`.

    Raises:
        ReasonEnvError: It resets at another time, or observes text, for which SB3 has no policy.
    """

    def __init__(self, many: VectorEnv[Any, Any, Any]) -> None:
        mode = many.metadata.get("autoreset_mode")
        if mode is not AutoresetMode.SAME_STEP:
            raise _native.InvalidArgument(f'`autoreset_mode` is {mode}, but must be "SameStep"')
        if isinstance(many.single_observation_space, spaces.Text):
            raise _native.InvalidArgument(
                "the env observes text, for which Stable-Baselines3 has no policy; "
                f"games observe numbers: one of {', '.join(_native.list_games())}"
            )
        self.many = many
        self._actions: Any = None
        super().__init__(many.num_envs, many.single_observation_space, many.single_action_space)

    def reset(self) -> NDArray[Any]:
        """Begins anew everywhere, with the seeds and options that were set, and forgets them.

        Raises:
            ValueError: `set_options` gave different options to different envs.
        """
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        options = self._options[0] if self._options else {}
        if any(each != options for each in self._options):
            raise ValueError("set_options: these envs take the same options, one dict for all")
        seen, infos = self.many.reset(seed=seeds, options=options or None)
        self.reset_infos = _rows(infos, self.num_envs)
        self._reset_seeds()
        self._reset_options()
        return np.asarray(seen)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], Infos]:
        """Observations, rewards as float32, and whether each game ended, one row per env; and infos."""
        seen, rewards, terminated, truncated, infos = self.many.step(self._actions)
        ended = terminated | truncated
        told = _rows(infos, self.num_envs)
        cut = (truncated & ~terminated).tolist()
        lasts = np.flatnonzero(ended).tolist()
        if lasts:
            finals = _rows(infos["final_info"], self.num_envs)
            for i in lasts:
                self.reset_infos[i], told[i] = told[i], finals[i]
                told[i]["terminal_observation"] = infos["final_obs"][i]
        for info, was_cut in zip(told, cut, strict=True):
            info["TimeLimit.truncated"] = was_cut
        return np.asarray(seen), rewards.astype(np.float32), ended, told

    def close(self) -> None:
        """Closes the vector env."""
        self.many.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """A picture of each game; needs `render_mode="rgb_array"`."""
        pictures: Any = self.many.render()
        return list(pictures or ())

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of the vector env for each env: its row of what has one per env, else the whole.

        Raises:
            AttributeError: There is no such attribute.
        """
        single = f"single_{attr_name}"
        value = getattr(self.many, single if hasattr(self.many, single) else attr_name)
        return self._each(value, indices)

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Refused: the envs share their arguments.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(f"{attr_name} cannot be set; give it to make_vec_env")

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> list[Any]:
        """What `action_masks` (bool of shape (actions,)) or `render` tells of each env.

        Raises:
            NotImplementedError: It is another method, which would act on all envs at once.
        """
        if method_name not in QUESTIONS:
            valid = " or ".join(map(repr, QUESTIONS))
            raise NotImplementedError(f"env_method({method_name!r}), but these envs answer only {valid}")
        return self._each(getattr(self.many, method_name)(*args, **kwargs), indices)

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],  # noqa: ARG002
        indices: Indices = None,
    ) -> list[bool]:
        """False for each: there are no single envs to wrap."""
        return [False for _ in self._get_indices(indices)]

    def _each(self, value: Any, indices: Indices) -> list[Any]:
        has_rows = isinstance(value, tuple | np.ndarray) and len(value) == self.num_envs
        return [value[i] if has_rows else value for i in self._get_indices(indices)]


def _rows(infos: dict[str, Any], count: int) -> Infos:
    """Infos as Gymnasium's vector envs give them, one column per key, as one dict per env."""
    rows: Infos = [{} for _ in range(count)]
    for key, column in infos.items():
        if key.startswith("_") or key in ("final_obs", "final_info"):
            continue
        values: Sequence[Any]
        if isinstance(column, dict):
            values = _rows(column, count)
        else:
            values = column.tolist() if column.ndim == 1 else column
        present = infos.get(f"_{key}")
        for i in range(count) if present is None else np.flatnonzero(present).tolist():
            rows[i][key] = values[i]
    return rows
