"""OpenEnv: a server app for a family or a game. Needs the `openenv` extra.

    # app.py, for: uvicorn app:app
    from reasonenv.integrations.openenv import create_app

    app = create_app("countdown", level=2)

OpenEnv's generic client works with it: an action is `{"text": …}`, an observation has the `prompt`, and in
games the `legal` moves. `reset(split=, index=)` poses a given task, or a given episode of a game.
"""

import html
from functools import partial
from typing import Any

from reasonenv import _checks, _native
from reasonenv._native import InvalidArgument
from reasonenv._plain import plain
from reasonenv.envs import GameEnv
from reasonenv.integrations import gem
from reasonenv.integrations._items import needs

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
    """An OpenEnv environment of a family or a game, one for each session.

    Args:
        name: Name of a family or a game.
        **keywords: Arguments of `reasonenv.integrations.gem.make`: `level`, `seed`, `opponent` …
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, name: str, **keywords: Any) -> None:
        super().__init__()
        self.name, self._keywords = name, keywords
        self._is_game = name in _native.list_games()
        self._envs: dict[str, gem.GemEnv] = {}
        self._split = "train"
        self._state = State()
        self._env("train")

    def _env(self, split: str) -> Any:
        _checks.one_of("split", split, self.list_splits())
        if split not in self._envs:
            given = self._keywords if self._is_game else {**self._keywords, "split": split}
            self._envs[split] = gem.make(self.name, **given)
        return self._envs[split].env

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str = "train",
        index: int | None = None,
        **_: Any,
    ) -> TextObservation:
        """Start the episode at an index, or one drawn with the seed."""
        env, options = self._env(split), None
        if index is not None:
            options = {"episode" if self._is_game else "index": _checks.whole("index", index, 0, TASKS - 1)}
            seed = (self._keywords.get("seed") or 0) if self._is_game and seed is None else seed
        prompt, info = env.reset(seed=seed, options=options)
        self._split = split
        told = {key: info[key] for key in ("task_id", "index", "episode_index") if key in info}
        self._state = State(episode_id=episode_id, step_count=0, split=split, **told)
        return self._seen(prompt, info)

    def step(self, action: TextAction, timeout_s: float | None = None, **_: Any) -> TextObservation:  # noqa: ARG002
        """Take the agent's text."""
        prompt, reward, terminated, truncated, info = self._env(self._split).step(action.text)
        self._state.step_count += 1
        return self._seen(prompt, info, reward=float(reward), done=bool(terminated or truncated))

    def _seen(self, prompt: str, info: dict[str, Any], **told: Any) -> TextObservation:
        table, legal = self.unwrapped, list[str]()
        if isinstance(table, GameEnv) and not table.state.is_over:
            legal = list(map(table.state.action_name, table.state.legal_actions()))
        return TextObservation(prompt=prompt, legal=legal, metadata=plain(info), **told)

    @property
    def unwrapped(self) -> Any:
        """Underlying environment of this package."""
        return self._env(self._split).unwrapped

    @property
    def state(self) -> State:
        """Id of the episode and number of steps so far."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Return the name and a description."""
        unit = _native.game(self.name) if self._is_game else _native.family(self.name)
        return EnvironmentMetadata(
            name=f"reasonenv-{self.name}", description=unit.summary, version=str(unit.version)
        )

    def list_splits(self) -> list[str]:
        """Return the splits, which share no task; a game has only one."""
        return ["train"] if self._is_game else list(SPLITS)

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
        return {"id": f"{self.name}-{split}-{index}", "split": split, "index": index}

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


def create_app(name: str, *, max_concurrent_envs: int = 64, **keywords: Any) -> Any:
    """Create a FastAPI app that serves a family or a game, with sessions and the task API.

    Args:
        name: Name of a family or a game.
        max_concurrent_envs: Most sessions open at once.
        **keywords: Arguments of `reasonenv.integrations.gem.make`: `level`, `seed`, `opponent` …

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """
    TextEnvironment(name, **keywords)  # raises here rather than for the first client
    make = partial(TextEnvironment, name, **keywords)
    return create_openenv_app(
        make, TextAction, TextObservation, env_name=name, max_concurrent_envs=max_concurrent_envs
    )
