"""Base of the environments in which a text is an episode, paid by how a solver fares."""

from typing import Any

import gymnasium
from gymnasium.error import ResetNeeded

from reasonenv import _checks
from reasonenv._native import Family, Task
from reasonenv.envs._options import checked_options
from reasonenv.envs._spaces import AnyText, CompletionSpace
from reasonenv.selfplay._proposals import known_family, pass_rate


class TextEnv(gymnasium.Env[str, str]):
    """One text is an episode; subclasses ask for it and pay for it."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012, as Env has it

    def __init__(self, family: str | Family[Any], solver: Any, attempts: int, level: int) -> None:
        self.family = known_family(family)
        self.solver = solver
        self.attempts = _checks.whole("attempts", attempts, 1, 10_000)
        self.level = _checks.whole("level", level, 0, self.family.top_level)
        self.observation_space = AnyText()
        self.action_space = CompletionSpace()
        self._begun = False

    @property
    def prompt(self) -> str:
        """The request for a text."""
        raise NotImplementedError

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Ask for a text; the seed determines the tasks shown and the randomness of a built-in solver."""
        checked_options(options)
        super().reset(seed=seed)
        info = self._begin(self._draw())
        self._begun = True
        return self.prompt, info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Let the solver try what the text makes of its task, and end the episode.

        Raises:
            ResetNeeded: The episode is over or has not begun.
            ReasonEnvError: The solver answered no request.
        """
        if not self._begun:
            raise ResetNeeded("an episode is one text; call reset() first")
        self._begun = False
        reward, info = self._paid(action)
        cost = float(bool(info["failure"]))
        return self.prompt, reward, True, False, info | {"cost": cost, "episode_cost": cost}

    def _begin(self, draw: int) -> dict[str, Any]:
        """Draw the tasks of an episode; returns its first info."""
        raise NotImplementedError

    def _paid(self, action: object) -> tuple[float, dict[str, Any]]:
        """Reward and info of a text; `info["failure"]` is "" unless it is refused."""
        raise NotImplementedError

    def _draw(self) -> int:
        return int(self.np_random.integers(2**31))

    def _rate(self, task: Task, seed: int) -> float:
        return pass_rate(self.solver, task, self.attempts, seed)
