"""Stable-Baselines3: many games at once as a `VecEnv` for its algorithms. Needs the `sb3` extra.

    from reasonenv.integrations.sb3 import make_vec_env
    from sb3_contrib import MaskablePPO

    envs = make_vec_env("reasonenv/TicTacToe-v1", 64, opponent="random")
    MaskablePPO("MlpPolicy", envs).learn(100_000)

Algorithms also take ids, as in `MaskablePPO("MlpPolicy", "reasonenv:reasonenv/TicTacToe-v1")`, and then play
one game at a time.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from reasonenv import _checks, _native, envs
from reasonenv.envs._spaces import SharedText
from reasonenv.integrations._items import needs

with needs("sb3", "Stable-Baselines3"):
    from stable_baselines3.common.vec_env import VecEnv, VecMonitor

Infos = list[dict[str, Any]]
Indices = int | Iterable[int] | None

# Methods that query each env without changing it.
QUESTIONS = ("action_masks", "render")

__all__ = ["GymnasiumVecEnv", "make_vec_env"]


def make_vec_env(id: str, n_envs: int = 1, seed: int | None = None, **kwargs: Any) -> VecMonitor:
    """Make `n_envs` games that are stepped in one call into Rust, with the statistics that SB3 logs.

    Args:
        id: A Gymnasium id such as "reasonenv/TicTacToe-v1", or the name of a game or of a family that can be
            played, such as "tic_tac_toe" or "sudoku".
        n_envs: Number of games.
        seed: Env `i` starts with `seed + i`; None leaves the seed to the operating system or the algorithm.
        **kwargs: Arguments of `reasonenv.envs.GameVectorEnv`, such as `opponent`.

    Returns:
        A `GymnasiumVecEnv` within SB3's `VecMonitor`.

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds, or observations are text.
        gymnasium.error.Error: The id is not registered.
    """
    name, games, families = id, _native.list_games(), _native.list_families()
    if id in games:
        name = envs.env_id(id)
    elif id in families:
        name = envs.env_id(id)
        kwargs.setdefault("mode", "moves" if "moves" in _native.family(id).modes else "solution")
    elif "/" not in id:
        raise _checks.unknown("game or family", id, [*games, *families])
    many = gymnasium.make_vec(name, n_envs, autoreset_mode=AutoresetMode.SAME_STEP.value, **kwargs)
    made = GymnasiumVecEnv(many)
    if seed is not None:
        made.seed(seed)
    return VecMonitor(made)


class GymnasiumVecEnv(VecEnv):
    """A Gymnasium vector env with same-step autoreset, as SB3's `VecEnv`.

    As usual in SB3, the step that ends an episode returns the first observation of the next one, and its info
    has `terminal_observation` and `TimeLimit.truncated`. Seeds and options take effect at the next `reset`.

    Args:
        many: The vector env, made with `autoreset_mode="SameStep"`.

    Raises:
        ReasonEnvError: The env has another autoreset mode, or observations are text, for which SB3 has no
            policy.
    """

    def __init__(self, many: VectorEnv[Any, Any, Any]) -> None:
        mode = many.metadata.get("autoreset_mode")
        if mode is not AutoresetMode.SAME_STEP:
            raise _native.InvalidArgument(f'`autoreset_mode` is {mode}, but must be "SameStep"')
        if isinstance(many.single_observation_space, spaces.Text):
            space = many.single_observation_space
            hint = space.numbers if isinstance(space, SharedText) else "games observe numbers"
            raise _native.InvalidArgument(f"Stable-Baselines3 has no policy for text; {hint}")
        self.many = many
        self._actions: Any = None
        super().__init__(many.num_envs, many.single_observation_space, many.single_action_space)

    def reset(self) -> NDArray[Any]:
        """Reset all envs with the seeds and options that were set, and clear these.

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
        """Store the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], Infos]:
        """Return observations, rewards (float32) and ends of episodes, one row per env, and infos."""
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
        """Close the vector env."""
        self.many.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return an image of each game; needs `render_mode="rgb_array"`."""
        pictures: Any = self.many.render()
        return list(pictures or ())

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute for each env: its row if there is one row per env, else the whole.

        Raises:
            AttributeError: The attribute does not exist.
        """
        single = f"single_{attr_name}"
        value = getattr(self.many, single if hasattr(self.many, single) else attr_name)
        return self._each(value, indices)

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Unsupported, because the envs share their arguments.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(f"{attr_name} cannot be set; give it to make_vec_env")

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> list[Any]:
        """Return `action_masks` (bool of shape (actions,)) or `render` of each env.

        Raises:
            NotImplementedError: Any other method, which would act on all envs at once.
        """
        if method_name not in QUESTIONS:
            valid = " and ".join(map(repr, QUESTIONS))
            raise NotImplementedError(f"env_method has no {method_name!r}; it has {valid}")
        return self._each(getattr(self.many, method_name)(*args, **kwargs), indices)

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],  # noqa: ARG002
        indices: Indices = None,
    ) -> list[bool]:
        """Return False for each env, because single envs cannot be wrapped."""
        return [False for _ in self._get_indices(indices)]

    def _each(self, value: Any, indices: Indices) -> list[Any]:
        has_rows = isinstance(value, tuple | np.ndarray) and len(value) == self.num_envs
        return [value[i] if has_rows else value for i in self._get_indices(indices)]


def _rows(infos: dict[str, Any], count: int) -> Infos:
    """Convert infos of a Gymnasium vector env, one column per key, to one dict per env."""
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
