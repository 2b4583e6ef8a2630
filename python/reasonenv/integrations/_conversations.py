"""Conversations: problems of several turns in text, either games or tasks with more than one answer."""

import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import gymnasium

from reasonenv import _checks
from reasonenv._native import InvalidArgument, InvalidTask, game
from reasonenv.data._sources import SourceLike
from reasonenv.envs import env_id, wrappers
from reasonenv.integrations._items import columns, items, source_of, task_of
from reasonenv.integrations._moves import TextMoves
from reasonenv.types import SplitName

Messages = list[dict[str, str]]

_OF_A_TASK: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {"retry": wrappers.retry, "double_check": wrappers.double_check, "moves": TextMoves}
)
"""Makers of a conversation about a task, by the value of `turns`."""


class Conversation:
    """One episode in several turns, made from its problem alone.

    >>> row = next(game_rows("tic_tac_toe", 1))
    >>> talk = Conversation(row["problem"])
    >>> while not talk.is_over:
    ...     reply = talk.say("a reply of your model's")
    >>> talk.reward  # the penalty of a reply that names no move
    -0.1

    The same problem always starts in the same way, and the same answers get the same replies.

    Args:
        problem: JSON text from a row of `game_rows` or `conversation_rows`.

    Raises:
        InvalidTask: The text is not such a problem.
        ReasonEnvError: A game, task or option in it does not exist.
    """

    def __init__(self, problem: str) -> None:
        kind, given = _read(problem)
        options = {} if given.get("options") is None else given["options"]
        if not isinstance(options, dict):
            raise InvalidTask(f"`options` is {_checks.shown(options)}, but must be an object")
        self.env: gymnasium.Env[Any, Any]
        self._wrap: Callable[[str], str] = "<move>{}</move>".format
        if kind == "game":
            name = str(given.get("game"))
            self.env = _table(name, options)
            seed, episode = (_checks.seed(key, given.get(key)) for key in ("seed", "episode"))
            seen, self.info = self.env.reset(seed=seed, options={"episode": episode})
        else:
            task = task_of(given["task"])
            if kind != "moves":
                self._wrap = task.wrap
            self.env = _of_a_task(kind, task, options)
            seen, self.info = self.env.reset(seed=0)
        self.is_over = False
        self.reward = 0.0
        """Sum of the rewards of all turns so far."""
        self.turn_reward = 0.0
        """Reward of the last turn."""
        self.messages: Messages = [{"role": "user", "content": str(seen)}]

    @property
    def passed(self) -> bool:
        """True if the final answer is right, or the game was won."""
        told = self.info.get("passed", self.info.get("result"))
        return bool(told is not None and float(told) > 0)

    def wrap(self, answer: str) -> str:
        """Wrap a bare move or answer as a well-formed reply, for agents that act by tools."""
        return self._wrap(answer)

    def say(self, text: str) -> str:
        """Take any message of the model and return the reply, which is "" at the end.

        Raises:
            InvalidArgument: The conversation is over, or `text` is not text.
        """
        if self.is_over:
            raise InvalidArgument("the conversation is over; begin another")
        if not isinstance(text, str):
            raise InvalidArgument(f"`text` is {_checks.shown(text)}, but must be text")
        seen, reward, terminated, truncated, self.info = self.env.step(text)
        self.turn_reward = float(reward)
        self.reward += self.turn_reward
        self.is_over = terminated or truncated
        self.messages.append({"role": "assistant", "content": text})
        told = getattr(self.env.unwrapped, "messages", None)
        reply = "" if self.is_over else str(seen) if told is None else str(told[-1]["content"])
        if reply:
            self.messages.append({"role": "user", "content": reply})
        return reply


def is_conversation(value: object) -> bool:
    """True if a value is JSON text with the shape of a problem of several turns."""
    try:
        return bool(_read(value))
    except InvalidTask:
        return False


def game_rows(
    name: str, n: int, *, start: int = 0, seed: int = 0, **options: Any
) -> Iterator[dict[str, Any]]:
    """Yield games in text as rows with the columns of `rows`; `problem` starts a `Conversation`.

    Args:
        name: Name of the game.
        n: Number of episodes.
        start: Number of the first episode.
        seed: Seed of the seats, the openings and the opponents.
        **options: Options of the environment that JSON can represent, such as `opponent="random"`.

    Raises:
        ReasonEnvError: The game or an option does not exist.
    """
    first, count = _checks.whole("start", start, 0), _checks.whole("n", n, 1, _checks.LARGEST_COUNT)
    env = _table(name, options)
    for at in range(first, first + count):
        problem = _json({"turns": "game", "game": name, "seed": seed, "episode": at, "options": options})
        prompt, _ = env.reset(seed=_checks.seed("seed", seed), options={"episode": at})
        yield {
            "prompt": str(prompt),
            "problem": problem,
            "task_id": f"{name}/{seed}/{at}",
            "family": name,
            "level": None,
            "split": None,
            "seed": str(seed),
            "index": str(at),
        }


def conversation_rows(
    source: str | SourceLike,
    n: int | None = None,
    *,
    turns: str = "retry",
    start: int = 0,
    level: int = 0,
    split: SplitName = "train",
    seed: int = 0,
    **options: Any,
) -> Iterator[dict[str, Any]]:
    """Yield tasks in several turns as rows with the columns of `rows`; `problem` starts a `Conversation`.

    Args:
        source: Source of the tasks, as in `rows`.
        n: Number of tasks, as in `rows`.
        turns: "retry" (feedback on an answer, then another attempt), "double_check" ("Are you sure?"), or
            "moves" (the moves of `Task.moves()`, one per message).
        start: Index of the first task.
        level: Level of a family.
        split: Split of a family.
        seed: Seed of a family.
        **options: Options of the wrapper that JSON can represent, such as `attempts=3`; with "moves",
            `reward` and `mistakes`, the number of mistakes that end the episode.

    Raises:
        Unsupported: With "moves", the problems of the family cannot be played.
        ReasonEnvError: An argument is invalid.
    """
    _checks.one_of("turns", turns, tuple(_OF_A_TASK))
    found = source_of(source, level=level, split=split, seed=seed)
    for task in items(found, n, start=start):
        row = columns(task)
        problem = _json({"turns": turns, "task": row["problem"], "options": options})
        first = {"prompt": Conversation(problem).messages[0]["content"]} if turns == "moves" else {}
        yield row | {"problem": problem} | first


def _read(problem: object) -> tuple[str, dict[str, Any]]:
    try:
        given = json.loads(problem) if isinstance(problem, str) else None
    except (ValueError, RecursionError):
        given = None
    if isinstance(given, dict):
        kind = given.get("turns")
        if kind == "game" or (kind in list(_OF_A_TASK) and isinstance(given.get("task"), str)):
            return str(kind), given
    msg = f"`problem` is {_checks.shown(problem)}, but must be JSON as `game_rows` gives it"
    raise InvalidTask(msg)


def _of_a_task(kind: str, task: Any, options: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    made: gymnasium.Env[Any, Any] = _called(_OF_A_TASK[kind], task if kind == "moves" else [task], **options)
    return made


def _table(name: str, options: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    """Make a game in text whose first message contains the rules."""
    game(name)  # an unknown name raises an error with suggestions
    if options.get("opponent") == "self":
        raise InvalidArgument("`opponent` is 'self', but a conversation has one side; name an opponent")
    text = {"mode": "text", "instructions": "first_message"}
    made: gymnasium.Env[Any, Any] = _called(gymnasium.make, env_id(name), **(text | dict(options)))
    return made


def _called(make: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call with options from a file, which may be wrong."""
    try:
        return make(*args, **options)
    except TypeError as error:
        msg = f"`options` is {_checks.shown(options)}: {error}"
        raise InvalidArgument(msg) from None


def _json(value: Mapping[str, Any]) -> str:
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError):
        msg = f"`options` is {_checks.shown(value['options'])}, but must be what JSON can say"
        raise InvalidArgument(msg) from None
