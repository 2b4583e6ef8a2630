"""Tasks and games as GEM has them: what its agents are stepped in. Needs no extra.

from reasonenv.integrations import gem

env = gem.make("countdown", level=2)
question, info = env.reset(seed=0)
said, reward, terminated, truncated, info = env.step("<answer>1 + 2</answer>")
"""

import copy
import random
from typing import Any, Self, cast

import gymnasium

from reasonenv import _checks, _native
from reasonenv._native import InvalidArgument
from reasonenv.data._sources import SourceLike
from reasonenv.envs import SolutionEnv, env_id
from reasonenv.envs._generators import TaskSampler, generator_of
from reasonenv.integrations._items import source_of

__all__ = ["GemEnv", "make"]

_ANY_SEED = 2**63


class GemEnv:
    """An environment of text as GEM has it: prompts and replies are text, nothing else is asked of an agent.

    Args:
        env: An environment of this package that observes text and takes text.

    Raises:
        InvalidArgument: It observes or takes something else.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        for space in (env.observation_space, env.action_space):
            if not isinstance(space, gymnasium.spaces.Text):
                msg = f'`env` is {_checks.shown(env)}, but must be one of text; games are with mode="text"'
                raise InvalidArgument(msg)
        self.env = env

    def reset(self, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        """Begins an episode: the prompt, and an info. The seed decides this one and those that follow."""
        return self.env.reset(seed=seed)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Says something: the reply, the reward, whether it is over, whether it was cut off, an info."""
        seen, reward, terminated, truncated, info = self.env.step(action)
        return seen, float(reward), terminated, truncated, info

    def sample_random_action(self) -> str:
        """Random text, which is hardly ever right."""
        sampled: str = self.env.action_space.sample()
        return sampled

    def get_state(self) -> bytes:
        """All that decides what happens next."""
        saved: bytes = self.env.get_wrapper_attr("get_state")()
        return saved

    def set_state(self, state: bytes) -> None:
        """Goes on from what `get_state` gave."""
        self.env.get_wrapper_attr("set_state")(state)

    def spawn(self, same_state: bool = False, **_: Any) -> Self:
        """Another one of the same arguments; in the same state, or waiting for `reset`."""
        other = copy.deepcopy(self)
        if not same_state:
            other.env.reset(seed=random.SystemRandom().randrange(_ANY_SEED))
        return other

    def close(self) -> None:
        """Closes the environment."""
        self.env.close()


def make(
    name: str | SourceLike, *, level: int = 0, split: Any = "train", seed: int = 0, **keywords: Any
) -> GemEnv:
    """A family, rows, tasks or a game as GEM's environments.

    Args:
        name: A family or what else items come from, or the name of a game.
        level: Of a family.
        split: Of a family.
        seed: Of a family's items; `reset(seed=…)` decides which are posed.
        **keywords: Of the environment: `reward`, `reading`; of a game `opponent`, `params` and the like.

    Raises:
        ReasonEnvError: An argument names nothing that exists or is out of bounds; it says which.
    """
    if isinstance(name, str) and name in _native.list_games():
        for option, value, usual in (("level", level, 0), ("split", split, "train")):
            if value != usual:
                msg = f"`{option}` is {_checks.shown(value)}, but {name} is a game and has none; leave it out"
                raise InvalidArgument(msg)
        told = {"instructions": "first_message", "mode": "text", **keywords}
        return GemEnv(gymnasium.make(env_id(name), disable_env_checker=True, **told))
    found = source_of(name, level=level, split=split, seed=seed)
    return GemEnv(SolutionEnv(cast("TaskSampler", generator_of(found)), **keywords))
