"""Conversations: environments in which the policy speaks several times and receives messages in between."""

from collections.abc import Sequence
from typing import Any

import gymnasium

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.envs._generators import TaskSampler
from reasonenv.envs._reason import ReasonEnv
from reasonenv.envs._scratchpad import TaskVerifier
from reasonenv.envs._solution import SolutionEnv
from reasonenv.parts import Curriculum, EpisodeState, Logger, RewardFunction, Turn, VerifierFunction
from reasonenv.rewards._presets import RewardLike
from reasonenv.types import CostSettings


class Keywords(CostSettings, total=False):
    """Keywords that every wrapper takes besides its own arguments, as `ReasonEnv` does."""

    verifier: VerifierFunction | None
    reward: RewardLike | RewardFunction
    curriculum: Curriculum | None
    logger: Logger | None
    gamma: float
    render_mode: str | None


class Dialogue(ReasonEnv):
    """An environment that shows the conversation so far and verifies the last message."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation in the form of OpenAI's API.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        said = [{"role": "user", "content": self.opening(self.state)}]
        for turn in self.state.history:
            said.append({"role": "assistant", "content": turn.action})
            if turn.reply:
                said.append({"role": "user", "content": turn.reply})
        return said

    def opening(self, state: EpisodeState) -> str:
        """First message to the policy."""
        return str(state.task.prompt)


def transcript(task: Any, history: Sequence[Turn], opening: str | None = None) -> str:
    """The opening, by default the question, then the policy's messages and the replies, turn by turn."""
    parts = [task.prompt if opening is None else opening]
    for turn in history:
        parts.append(f"[you]\n{turn.action}")
        if turn.reply:
            parts.append(f"[reply]\n{turn.reply}")
    return "\n\n".join(parts)


def parts_of(over: object, keywords: Keywords) -> dict[str, Any]:
    """Parts that a wrapper takes over: those of an environment, or a generator and the keywords.

    Raises:
        InvalidArgument: It wraps an environment that poses no tasks in text.
    """
    kept: dict[str, Any] = {"generator": over, "verifier": TaskVerifier()}
    if isinstance(over, gymnasium.Env):
        env = over.unwrapped
        if isinstance(env, SolutionEnv):
            kept["generator"] = TaskSampler(env.source, env.num_tasks)
            kept |= {"verifier": TaskVerifier(env.reading), "reward": env.reward}
            kept |= env.costs.settings
        elif isinstance(env, ReasonEnv):
            kept |= {"generator": env.generator, "verifier": env.judge.verifier, "reward": env.reward}
            kept |= {"curriculum": env.curriculum, "logger": env.logger, "gamma": env.gamma}
            kept |= env.costs.settings
        else:
            msg = f'{_checks.shown(over)} poses no tasks in text; wrap one of mode "solution", or a family'
            raise InvalidArgument(msg)
        if env.render_mode is not None:
            kept["render_mode"] = env.render_mode
    given = {name: value for name, value in keywords.items() if value is not None}
    return kept | given
