"""Steps in the form of Safety-Gymnasium, with the cost beside the reward."""

from typing import Any

import gymnasium

from reasonenv._native import InvalidArgument


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
            msg = f'`env` is {self.env}, whose steps have no info["cost"]; make one with reasonenv'
            raise InvalidArgument(msg)
        return observation, float(reward), float(info["cost"]), terminated, truncated, info
