"""GEM: tasks and games of any kind as environments for its agents. Needs no extra.

from reasonenv.integrations import gem

env = gem.make("countdown", level=2)
question, info = env.reset(seed=0)
said, reward, terminated, truncated, info = env.step("<answer>1 + 2</answer>")
"""

import json
import random
from typing import Any, Self

from gymnasium.error import ResetNeeded

from reasonenv import _checks
from reasonenv._native import InvalidState
from reasonenv.data._sources import SourceLike
from reasonenv.envs._options import checked_options
from reasonenv.integrations._conversations import Conversation
from reasonenv.integrations._setup import Setup

__all__ = ["GemEnv", "make"]

_MOST = 2**31
"""Number of tasks that a seed chooses from in an unlimited source."""


class GemEnv:
    """A GEM environment, in which prompts and replies are text; OpenEnv's and the server's build on it.

    Args:
        setup: Settings of its tasks or games.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._draws = random.Random()
        self._talk: Conversation | None = None
        self._row: dict[str, Any] = {}
        next(setup.rows(1))  # raises for a bad setting before the first reset

    # Not a property, since GEM's wrappers copy every attribute before the first reset.
    def episode(self) -> Conversation:
        """The episode.

        Raises:
            ResetNeeded: None has begun.
        """
        if self._talk is None:
            raise ResetNeeded("no episode has begun; call reset() first")
        return self._talk

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode; return the prompt and an info.

        Args:
            seed: Decides this episode and, as long as no other seed is given, all that follow.
            options: `{"index": i}` poses task or game `i` instead of one that is drawn.
        """
        index = checked_options(options, "index").get("index")
        if seed is not None:
            self._draws = random.Random(_checks.seed("seed", seed))
        most = self.setup.count or _MOST
        at = self._draws.randrange(most) if index is None else _checks.whole("index", index, 0, most - 1)
        self._pose(at, [])
        return self._seen(), self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take the agent's text; return the reply, the reward, `terminated`, `truncated` and an info.

        Raises:
            ResetNeeded: The episode is over or has not begun.
        """
        talk = self.episode()
        if talk.is_over:
            raise ResetNeeded("the episode is over; call reset() to begin another")
        talk.say(action)
        return self._seen(), talk.turn_reward, not talk.is_cut and talk.is_over, talk.is_cut, self._info()

    def sample_random_action(self) -> str:
        """Return random text, which is almost never right."""
        return "".join(random.choices("abcdefghijklmnopqrstuvwxyz <>/0123456789", k=20))

    def get_state(self) -> bytes:
        """Return the complete state: the draws, the row and what was said."""
        said = [one for one in self.episode().messages if one["role"] == "assistant"]
        kept = {"index": self._row["at"], "said": said, "draws": self._draws.getstate()}
        return json.dumps(kept).encode()

    def set_state(self, state: bytes) -> None:
        """Resume from the output of `get_state`.

        Raises:
            InvalidState: The state is damaged.
        """
        try:
            kept = json.loads(state)
            version, words, gauss = kept["draws"]
            self._draws.setstate((version, tuple(words), gauss))
            self._pose(kept["index"], kept["said"])
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidState(f"the state is damaged: {error}") from None

    def spawn(self, same_state: bool = False, **_: Any) -> Self:
        """Make another environment with the same settings, in the same state or with another task."""
        other = type(self)(self.setup)
        if same_state:
            other.set_state(self.get_state())
        else:
            other.reset(seed=random.SystemRandom().randrange(2**63))
        return other

    def close(self) -> None:
        """Close the environment."""
        self._talk = None

    def _pose(self, index: int, said: list[dict[str, Any]]) -> None:
        self._row = next(self.setup.rows(1, index)) | {"at": index}
        self._talk = Conversation(self._row["problem"]).replay(said)

    def _seen(self) -> str:
        """The prompt, or the reply."""
        talk = self.episode()
        return "" if talk.is_over else "\n".join(str(one["content"]) for one in talk.replies)

    def _info(self) -> dict[str, Any]:
        told = {} if self.setup.system is None else {"system": self.setup.system}
        return self.episode().info | {"task_id": self._row["task_id"], "index": self._row["at"]} | told


def make(source: str | SourceLike, **settings: Any) -> GemEnv:
    """A family, rows, tasks or a game as GEM's environments.

    Args:
        source: Name of a family or a game, or another source of tasks.
        **settings: Fields of `reasonenv.integrations.Setup`, and options of the environment behind `turns`.

    Raises:
        ReasonEnvError: A setting is unknown or out of bounds; names it.
    """
    return GemEnv(Setup.of(source, **settings))
