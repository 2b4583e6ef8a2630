"""Problems of several turns, as a conversation in text: games, and tasks that take more than one answer."""

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
"""What makes a conversation of a task."""


class Conversation:
    """One episode in several turns, from its problem alone: what is said to a model, and what it answers.

    >>> row = next(game_rows("tic_tac_toe", 1))
    >>> talk = Conversation(row["problem"])
    >>> while not talk.is_over:
    ...     reply = talk.say("a reply of your model's")
    >>> talk.reward
    0.0

    The same problem always begins alike, and the same answers get the same replies.

    Args:
        problem: JSON in text, as `game_rows` and `conversation_rows` give it.

    Raises:
        InvalidTask: It is no such problem.
        ReasonEnvError: It names a game, a task or an option that does not exist.
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
        """The sum of what the turns so far paid."""
        self.turn_reward = 0.0
        """What the last turn paid."""
        self.messages: Messages = [{"role": "user", "content": str(seen)}]

    @property
    def passed(self) -> bool:
        """Whether it came to a right answer, or the game was won."""
        told = self.info.get("passed", self.info.get("result"))
        return bool(told is not None and float(told) > 0)

    def wrap(self, answer: str) -> str:
        """A move or an answer alone as a well-formed reply, for agents that act by tools."""
        return self._wrap(answer)

    def say(self, text: str) -> str:
        """Says something for the model, whatever it is; gives the reply, "" at the end.

        Raises:
            InvalidArgument: It is over, or `text` is no text.
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
    """Whether a value is JSON in text that has the shape of a problem of several turns."""
    try:
        return bool(_read(value))
    except InvalidTask:
        return False


def game_rows(
    name: str, n: int, *, start: int = 0, seed: int = 0, **options: Any
) -> Iterator[dict[str, Any]]:
    """Games in text as rows: the columns of `rows`, of which `problem` begins a `Conversation`.

    Args:
        name: The game.
        n: How many episodes.
        start: The first one's number.
        seed: What they are drawn from: seats, openings, opponents.
        **options: Of the environment, such as `opponent="random"`; what JSON can say.

    Raises:
        ReasonEnvError: There is no such game or option.
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
    """Tasks in several turns as rows: the columns of `rows`, `problem` that of a `Conversation`.

    Args:
        source: As in `rows`; so are `n`, `start`, `level`, `split` and `seed`.
        n: How many.
        turns: "retry" (what the judge says of an answer, and another attempt), "double_check" ("Are you
            sure?"), or "moves" (what `Task.moves()` offers, played by a move in each message).
        start: The first one's index.
        level: Of a family.
        split: Of a family.
        seed: Of a family.
        **options: Of the wrapper, such as `attempts=3`; with "moves" `reward` and `mistakes`, after how many
            of which it ends. What JSON can say.

    Raises:
        Unsupported: With "moves", a family whose problems cannot be played.
        ReasonEnvError: An argument is not what it must be.
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
    """A game in text, whose first message tells the rules."""
    game(name)  # tells what names come near
    if options.get("opponent") == "self":
        raise InvalidArgument("`opponent` is 'self', but a conversation has one side; name an opponent")
    text = {"mode": "text", "instructions": "first_message"}
    made: gymnasium.Env[Any, Any] = _called(gymnasium.make, env_id(name), **(text | dict(options)))
    return made


def _called(make: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """What a callable makes of options that come from a file."""
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
