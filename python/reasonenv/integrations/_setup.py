"""The settings that every adapter takes: tasks or games, how a model meets them, and what it is paid."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, get_args

from reasonenv import _checks
from reasonenv._native import (
    Family,
    InvalidArgument,
    Mixture,
    Task,
    game,
    list_games,
    list_readings,
)
from reasonenv.data._rows import Row
from reasonenv.data._sources import SourceLike, TaskSource, as_family, as_source, count_of
from reasonenv.integrations._conversations import Conversation, table
from reasonenv.integrations._items import columns, reward_data
from reasonenv.types import ReadingName, SplitName

Turns = Literal["single", "retry", "double_check", "moves", "tools", "game"]

_CHUNK = 1024
"""Tasks generated at once."""

_OF_TASKS: Mapping[str, Any] = {
    "level": 0,
    "split": "train",
    "reading": None,
    "style": None,
    "wrapper": None,
}
"""Settings that games do not have, with their defaults."""


@dataclass(frozen=True)
class Setup:
    """Tasks or games for a trainer; the fields are settings of every adapter.

    >>> setup = Setup.of("countdown", turns="retry", attempts=2, reward="partial", level=1)
    >>> row = next(setup.rows(1))
    >>> Conversation(row["problem"]).messages == [{"role": "user", "content": row["prompt"]}]
    True

    Raises:
        ReasonEnvError: A setting is unknown or out of bounds; names it.
    """

    source: str | SourceLike
    """A family or its name, several of them (also as one text with commas), the name of a game, or another
    source of tasks."""
    turns: Turns = "single"
    """ "single": one answer. "retry": feedback on an answer, then another attempt. "double_check": "Are you
    sure?". "moves": the moves of `Task.moves()`, one per message. "tools": calls of tools before the answer.
    "game": a game in text."""
    reward: Any = None
    """Name of a preset or part, weights of parts, or a `Reward`. None: "binary", or the game's own."""
    reading: ReadingName | None = None
    """Reading of the answers. None: the default of each family."""
    level: int = 0
    """Level of a family."""
    split: SplitName = "train"
    """Split of a family."""
    seed: int = 0
    """Seed of a family, or of a game's seats, openings and opponents."""
    params: Mapping[str, Any] | None = None
    """Params of a family that replace the level's, or of a game."""
    style: Mapping[str, Any] | None = None
    """Wording of a family's tasks."""
    wrapper: str | None = None
    """The style's wrapper: a name, or text with `{prompt}` in it."""
    system: str | None = None
    """System prompt."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the environment behind `turns`, such as `attempts`, `mistakes`, `tools`, `opponent`."""

    @classmethod
    def of(cls, source: Any, **settings: Any) -> Self:
        """Make it from settings by name; any others are `options`, and games are recognized."""
        fields = cls.__dataclass_fields__
        options = dict(settings.pop("options", None) or {})
        options |= {name: settings.pop(name) for name in [*settings] if name not in fields}
        if "turns" not in settings and isinstance(source, str) and source in list_games():
            settings["turns"] = "game"
        return cls(source, **settings, options=options)

    def __post_init__(self) -> None:
        """Check all settings but those of the source, which is checked when the first task is made."""
        _checks.one_of("turns", self.turns, get_args(Turns))
        if self.reading is not None and self.reading not in list_readings():
            raise _checks.unknown("reading", self.reading, list_readings())
        if self.system is not None:
            _checks.text("system", self.system)
        if self.turns == "game":
            for name, usual in _OF_TASKS.items():
                if (value := getattr(self, name)) != usual:
                    msg = f"`{name}` is {_checks.shown(value)}, but {self.source} is a game and has none"
                    raise InvalidArgument(f"{msg}; leave it out")
            game(
                str(self.source), None if self.params is None else dict(self.params)
            )  # an unknown name raises an error with suggestions
        elif self.turns == "single" and self.options:
            known = [name for name in self.__dataclass_fields__ if name != "options"]
            raise _checks.unknown("setting", min(self.options), known)
        reward_data(self.reward, is_game=self.turns == "game")

    @cached_property
    def tasks(self) -> TaskSource:
        """The source of the tasks.

        Raises:
            ReasonEnvError: There is none, or it has its own level, split, seed, params or style.
        """
        given: Any = self.source
        style = dict(self.style or {}) | ({} if self.wrapper is None else {"wrapper": self.wrapper})
        params = None if self.params is None else dict(self.params)
        drawing: dict[str, Any] = {"level": self.level, "split": self.split, "seed": self.seed}
        drawing |= {"params": params, "style": style or None}
        if isinstance(given, str) and "," in given:
            given = [name.strip() for name in given.split(",")]
        if isinstance(given, list | tuple) and given and isinstance(given[0], str | Family):
            families = [as_family(one, "source") for one in given]
            if len(families) > 1:
                many = [one.source(**drawing) for one in families]
                return Mixture(many, split=self.split, seed=self.seed)
            given = families[0]
        if isinstance(given, str | Family):
            return as_source(given, "source", **drawing)
        usual = {"level": 0, "split": "train", "seed": 0, "params": None, "style": None}
        for name, value in drawing.items():
            if value != usual[name]:
                msg = f"`{name}` is {_checks.shown(value)}, but this source has its own; leave it out"
                raise InvalidArgument(msg)
        return as_source(given, "source")

    @property
    def count(self) -> int | None:
        """Number of tasks; None for a generator or a game."""
        return None if self.turns == "game" else count_of(self.tasks)

    def held_out(self, trained: int) -> tuple["Setup", int]:
        """Return a setup for evaluation and its first index, given the number of rows for training.

        Families have the split "eval"; of a game, rows or tasks, those after the rows for training.
        """
        named = self.source if isinstance(self.source, list | tuple) else [self.source]
        if self.turns != "game" and all(isinstance(one, str | Family) for one in named):
            return replace(self, split="eval"), 0
        return self, trained

    @property
    def name(self) -> str:
        """Name of the family or game, for logs."""
        return str(getattr(self.source, "name", self.source if isinstance(self.source, str) else "tasks"))

    def items(self, n: int | None = None, start: int = 0) -> Iterator[Task | Row]:
        """Yield the tasks `start .. start + n`, made in chunks.

        Raises:
            ReasonEnvError: There are not enough rows or tasks.
        """
        first, size = _checks.whole("start", start, 0), self.count
        left = _checks.LARGEST_COUNT if size is None else max(size - first, 0)
        count = left if n is None and size is not None else _checks.whole("n", n, 1, _checks.LARGEST_COUNT)
        if not 0 < count <= left:
            msg = f"`n` is {n} from `start` {first}, but the source has {size} tasks"
            raise InvalidArgument(msg)
        return self._made(first, count)

    def _made(self, first: int, count: int) -> Iterator[Task | Row]:
        for at in range(0, count, _CHUNK):
            yield from self.tasks.batch(first + at, min(_CHUNK, count - at))

    def rows(self, n: int | None = None, start: int = 0) -> Iterator[dict[str, Any]]:
        """Yield tasks or games as flat columns; `problem` begins a `Conversation`."""
        return self._games(n, start) if self.turns == "game" else map(self.row, self.items(n, start))

    def row(self, task: Task | Row) -> dict[str, Any]:
        """Return a task as a row."""
        row = columns(task)
        if (problem := self._problem(task=row["problem"])) == row["problem"]:
            return row
        row["problem"] = problem
        if self.turns in ("moves", "tools"):
            row["prompt"] = Conversation(problem).messages[-1]["content"]
        return row

    def _games(self, n: int | None, start: int) -> Iterator[dict[str, Any]]:
        name, options = str(self.source), dict(self.options)
        if self.params is not None:
            options["params"] = dict(self.params)
        first, count = _checks.whole("start", start, 0), _checks.whole("n", n, 1, _checks.LARGEST_COUNT)
        seed, env = _checks.seed("seed", self.seed), table(name, options, self.reward)
        for at in range(first, first + count):
            prompt, _ = env.reset(seed=seed, options={"episode": at})
            yield {
                "prompt": str(prompt),
                "problem": self._problem(game=name, seed=seed, episode=at, options=options),
                "task_id": f"{name}/{seed}/{at}",
                "family": name,
                "level": None,
                "split": None,
                "seed": str(seed),
                "index": str(at),
            }

    def _problem(self, **what: Any) -> str:
        """JSON text of a problem with all settings that matter to its conversation."""
        reward = reward_data(self.reward, is_game=self.turns == "game")
        given = {"reward": reward, "reading": self.reading, "system": self.system}
        extra = {name: value for name, value in given.items() if value is not None}
        if self.turns == "single" and not extra:
            return str(what["task"])
        problem = {"turns": self.turns, "options": dict(self.options)} | what | extra
        try:
            return json.dumps(problem, allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError):
            msg = f"`options` is {_checks.shown(dict(self.options))}, but must be what JSON can say"
            raise InvalidArgument(msg) from None


def items(
    source: str | SourceLike, n: int | None = None, *, start: int = 0, **settings: Any
) -> Iterator[Any]:
    """Yield the tasks `start .. start + n` of a source.

    Args:
        source: Source of the tasks.
        n: Number of tasks. None takes all rows or tasks; a generator is unlimited and needs a number.
        start: Index of the first task.
        **settings: Settings of the source: `level`, `split`, `seed`, `params`, `style`, `wrapper`.

    Raises:
        ReasonEnvError: An argument is invalid, or there are not enough rows or tasks.
    """
    return Setup.of(source, **settings).items(n, start)


def rows(
    source: str | SourceLike, n: int | None = None, *, start: int = 0, **settings: Any
) -> Iterator[dict[str, Any]]:
    """Yield tasks or games as flat columns, with the same names and types for all: those of `columns`.

    Args:
        source: Source of the tasks, or the name of a game.
        n: Number of rows. None takes all rows or tasks; a generator is unlimited and needs a number.
        start: Index of the first.
        **settings: Fields of `Setup`, and options of the environment behind `turns`.

    Raises:
        ReasonEnvError: An argument is invalid, or there are not enough rows or tasks.
    """
    return Setup.of(source, **settings).rows(n, start)


def conversation_rows(
    source: str | SourceLike, n: int | None = None, *, turns: Turns = "retry", start: int = 0, **settings: Any
) -> Iterator[dict[str, Any]]:
    """Yield tasks in several turns, as `rows` does; `problem` begins a `Conversation`."""
    if turns not in (several := tuple(one for one in get_args(Turns) if one != "single")):
        _checks.one_of("turns", turns, several)
    return Setup.of(source, turns=turns, **settings).rows(n, start)


def game_rows(name: str, n: int, *, start: int = 0, **settings: Any) -> Iterator[dict[str, Any]]:
    """Yield games in text, as `rows` does; `problem` begins a `Conversation`."""
    return Setup.of(name, turns="game", **settings).rows(n, start)


def chat(row: Mapping[str, Any], system: str | None = None) -> list[dict[str, str]]:
    """Return the messages that open the conversation of a row; its own system prompt is the default."""
    if system is None and '"system"' in row["problem"]:
        system = json.loads(row["problem"]).get("system")
    first = [] if system is None else [{"role": "system", "content": _checks.text("system", system)}]
    return [*first, {"role": "user", "content": row["prompt"]}]
