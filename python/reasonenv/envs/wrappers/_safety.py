"""Steps in the form of Safety-Gymnasium, with the cost beside the reward."""

from typing import Any, NoReturn

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv, VectorWrapper

from reasonenv._native import InvalidArgument
from reasonenv.envs._vector import Bools, Floats


class SafetyEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Returns six values from `step`, as Safety-Gymnasium does: the cost comes after the reward.

    It is the outermost wrapper, because those of Gymnasium expect five values.

    Args:
        env: An environment whose steps have `info["cost"]`, as all of reasonenv do.
    """

    def step(  # type: ignore[override]  # six values are its purpose
        self, action: Any
    ) -> tuple[Any, float, float, bool, bool, dict[str, Any]]:
        """Take an action.

        Returns:
            Observation, reward, cost, terminated, truncated, info.

        Raises:
            InvalidArgument: The environment tells no cost.
        """
        observation, reward, terminated, truncated, info = self.env.step(action)
        if "cost" not in info:
            _refuse(self.env)
        return observation, float(reward), float(info["cost"]), terminated, truncated, info


class SafetyVectorEnv(VectorWrapper[Any, Any, Any, Any, Any]):
    """Returns six values from `step`, as `SafetyEnv` does, for a vector environment.

    Costs are float64 of shape (num_envs,), and 0.0 for an env that was only reset. The cost of the last step
    of an episode is there in every autoreset mode: with "SameStep" it is taken from `infos["final_info"]`.

    Args:
        env: A vector environment whose steps have `infos["cost"]`, as all of reasonenv do; games have them
            with `episode_infos`.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self._ended = np.zeros(self.num_envs, np.bool_)

    def step(  # type: ignore[override]  # six values are its purpose
        self, actions: Any
    ) -> tuple[Any, Floats, Floats, Bools, Bools, dict[str, Any]]:
        """Take an action in each env.

        Returns:
            Observations, rewards, costs, terminations, truncations, infos.

        Raises:
            InvalidArgument: An env tells no cost.
        """
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        costs, known = np.zeros(self.num_envs), self._ended
        for told in (infos, infos.get("final_info", {})):
            if "cost" in told:
                # Where a column has no value it is 0.
                costs, known = costs + told["cost"], known | told["_cost"]
        if not known.all():
            _refuse(self.env)
        self._ended = terminations | truncations
        return observations, rewards, costs, terminations, truncations, infos


def _refuse(env: object) -> NoReturn:
    msg = f'`env` is {env}, whose steps have no info["cost"]; make one with reasonenv'
    raise InvalidArgument(msg)
