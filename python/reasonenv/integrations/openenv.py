"""OpenEnv: a server app for a family or a game. Needs the `openenv` extra.

    # app.py, for: uvicorn app:app
    from reasonenv.integrations.openenv import create_app

    app = create_app("countdown", level=2)

OpenEnv's generic client works with it: an action is `{"text": …}`, an observation has the `prompt`, and in
games the `legal` moves. `reset(split=, index=)` poses a given task, or a given episode of a game.
"""

import html
from dataclasses import replace
from functools import partial
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument, __version__
from reasonenv._plain import plain
from reasonenv.data._sources import SourceLike
from reasonenv.envs import GameEnv
from reasonenv.integrations import gem
from reasonenv.integrations._items import needs
from reasonenv.types import SplitName

with needs("openenv", "OpenEnv"):
    from openenv.core.env_server.http_server import create_app as create_openenv_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State

__all__ = ["TextEnvironment", "create_app"]

SPLITS = ("train", "eval", "test")
TASKS = 2**31
"""Number of tasks that a split reports; there are more, but clients count in 32 bits."""

_MOST_LISTED = 1000


class TextAction(Action):
    """An answer, or a move in `<move>` tags."""

    text: str


class TextObservation(Observation):
    """The prompt and, in games, the legal moves."""

    prompt: str
    legal: list[str] = []  # noqa: RUF012  pydantic copies it


class TextEnvironment(Environment):
    """An OpenEnv environment of tasks or a game, one for each session.

    Args:
        source: Name of a family or a game, or another source of tasks.
        **settings: Fields of `reasonenv.integrations.Setup`, and options of the environment behind `turns`.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, source: str | SourceLike, **settings: Any) -> None:
        super().__init__()
        self._env = gem.make(source, **settings)
        self._setup = self._env.setup
        self._state = State()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: SplitName = "train",
        index: int | None = None,
        **_: Any,
    ) -> TextObservation:
        """Start the episode at an index, or one drawn with the seed."""
        _checks.one_of("split", split, self.list_splits())
        if self._splits():
            self._env.setup = replace(self._setup, split=split)
        if index is not None:
            _checks.whole("index", index, 0, TASKS - 1)
        prompt, info = self._env.reset(seed=seed, options=None if index is None else {"index": index})
        told = {"task_id": info["task_id"], "index": info["index"]}
        self._state = State(episode_id=episode_id, step_count=0, split=split, **told)
        return self._seen(prompt, info)

    def step(self, action: TextAction, timeout_s: float | None = None, **_: Any) -> TextObservation:  # noqa: ARG002
        """Take the agent's text."""
        prompt, reward, terminated, truncated, info = self._env.step(action.text)
        self._state.step_count += 1
        return self._seen(prompt, info, reward=reward, done=terminated or truncated)

    def _seen(self, prompt: str, info: dict[str, Any], **told: Any) -> TextObservation:
        table, legal = self.unwrapped, list[str]()
        if isinstance(table, GameEnv) and not table.state.is_over:
            legal = list(map(table.state.action_name, table.state.legal_actions()))
        return TextObservation(prompt=prompt, legal=legal, metadata=plain(info), **told)

    def _splits(self) -> bool:
        """True if the tasks are of families, which have splits."""
        return self._setup.held_out(0)[0] is not self._setup

    @property
    def unwrapped(self) -> Any:
        """Underlying environment of this package."""
        return self._env.episode().env.unwrapped

    @property
    def state(self) -> State:
        """Id of the episode and number of steps so far."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Return the name and a description."""
        name = self._setup.name
        return EnvironmentMetadata(
            name=f"reasonenv-{name}", description=f"{name}, turns: {self._setup.turns}", version=__version__
        )

    def list_splits(self) -> list[str]:
        """Return the splits, which share no task; a game or a list of tasks has only one."""
        return list(SPLITS) if self._splits() else ["train"]

    def num_tasks(self, split: str) -> int:
        """Return the number of tasks of a split."""
        _checks.one_of("split", split, self.list_splits())
        return TASKS

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return the arguments with which a client asks for a task; raise IndexError if it does not exist."""
        _checks.one_of("split", split, self.list_splits())
        if not 0 <= index < TASKS:
            msg = f"`index` is {index}, but must be between 0 and {TASKS - 1}"
            raise IndexError(msg)
        return {"id": f"{self._setup.name}-{split}-{index}", "split": split, "index": index}

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Return the first tasks of a split."""
        return self.get_task_range(split, 0, 10)

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[dict[str, Any]]:
        """Return the tasks from `start` up to `stop`, at most 1,000."""
        first = start or 0
        last = first + 10 if stop is None else stop
        if last - first > _MOST_LISTED:
            msg = f"`stop` is {last}, but at most {_MOST_LISTED} tasks are listed at once"
            raise InvalidArgument(msg)
        return [self.get_task(split, index) for index in range(first, last)]

    def render_web(self, observation: dict[str, Any]) -> str | None:
        """Return the message in a fixed-width font, for the page at /web."""
        return f"<pre>{html.escape(str(observation.get('prompt', '')))}</pre>"

    def web_actions(self, observation: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """Return a button for each legal move of a game."""
        return [(name, {"text": f"<move>{name}</move>"}) for name in observation.get("legal") or ()]


def create_app(source: str | SourceLike, *, max_concurrent_envs: int = 64, **settings: Any) -> Any:
    """Create a FastAPI app that serves tasks or a game, with sessions and the task API.

    Args:
        source: Name of a family or a game, or another source of tasks.
        max_concurrent_envs: Most sessions open at once.
        **settings: As for `TextEnvironment`.

    Raises:
        ReasonEnvError: A setting is unknown or out of bounds; names it.
    """
    name = TextEnvironment(source, **settings)._setup.name  # raises here rather than for the first client
    return create_openenv_app(
        partial(TextEnvironment, source, **settings),
        TextAction,
        TextObservation,
        env_name=name,
        max_concurrent_envs=max_concurrent_envs,
    )
