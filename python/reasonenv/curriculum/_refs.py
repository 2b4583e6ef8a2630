"""Which task: values that name a task, or a kind of task, without making it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, Self, get_args

from reasonenv import _checks
from reasonenv._ids import env_id
from reasonenv._native import (
    Family,
    Game,
    InvalidArgument,
    InvalidTask,
    Task,
    Unsupported,
    family,
    game,
    list_families,
    list_games,
)
from reasonenv.curriculum._hints import with_hint

Aim = Literal["harder", "easier", "same"]

Edit = tuple[Aim, int]
"""One mutation of a task: what it aims at, and its seed."""

_TRIES = 96
"""Mutations tried for one that stays in the split; each has about one chance in eight or better."""

_DIGEST_BYTES = 6
"""Of the digest in a key. A curriculum with a million settings has a clash with a chance of 1 in 500."""


@dataclass(frozen=True, eq=False)
class Setting:
    """The arguments of an environment: a kind of task, of which there are as many as there are indices.

    A setting is a value: two of the same arguments are equal, have the same `key`, and can be pickled.
    `Setting.of` makes one from a level and fills in what is left to its default.

    Raises:
        ReasonEnvError: An argument is not what it must be, or names nothing that exists.
    """

    family: str
    """A family, or a game, by name."""
    version: int
    params: Mapping[str, Any]
    """Every param of a family; of a game, the arguments of its environment, such as `random_move_prob`."""
    style: Mapping[str, Any] = field(default_factory=dict)
    """What is asked of the wording."""
    hint: float = 0.0
    """Share of the true solution's steps that the prompt shows, from the first on."""
    split: str = "train"
    key: str = field(init=False, repr=False)
    """The same text for equal settings, in any process."""

    def __post_init__(self) -> None:
        unit = _unit(self.family)
        version = _checks.whole("version", self.version, 0)
        if version != unit.version:
            msg = f"`version` is {version}, but this release has {self.family} in version {unit.version}"
            raise InvalidArgument(msg)
        params, style = (_plain_mapping(name, getattr(self, name)) for name in ("params", "style"))
        hint = _checks.number("hint", self.hint, 0, 1)
        if isinstance(unit, Game) and (hint or style):
            msg = f"{self.family} is a game, whose moves have neither `hint` nor `style`; leave them out"
            raise InvalidArgument(msg)
        if isinstance(unit, Family):
            unit.source(params=params, split=self.split, style=style)  # type: ignore[arg-type]
        digest = _digest(params, style, hint)
        key = f"{self.family}/v{version}/{self.split}/{digest}"
        _set(self, params=MappingProxyType(params), style=MappingProxyType(style), hint=hint, key=key)

    @classmethod
    def of(
        cls,
        name: str,
        *,
        level: int | None = None,
        params: Mapping[str, Any] | None = None,
        style: Mapping[str, Any] | None = None,
        hint: float = 0.0,
        split: str = "train",
    ) -> Self:
        """A family's setting from a level and the params that replace some of its, or a game's from `params`.

        Raises:
            ReasonEnvError: An argument is not what it must be, or a game is given a level.
        """
        unit = _unit(name)
        given = _checks.mapping("params", params) or {}
        style = _checks.mapping("style", style) or {}
        if isinstance(unit, Family):
            source = unit.source(level=level or 0, params=given, split=split, style=style)  # type: ignore[arg-type]
            given = source.params
        elif level is not None:
            msg = f"`level` is {level}, but {name} is a game, which has none; give `params`"
            raise InvalidArgument(msg)
        return cls(name, unit.version, given, style, hint, split)

    def at(self, index: int, seed: int = 0, edits: tuple[Edit, ...] = ()) -> "TaskRef":
        """The task at an index."""
        return TaskRef(self, seed, index, edits)

    def with_hint(self, hint: float) -> "Setting":
        """The same setting, but for the share of steps that the prompt shows."""
        return Setting(self.family, self.version, self.params, self.style, hint, self.split)

    @property
    def is_game(self) -> bool:
        """Whether this is a game's setting."""
        return isinstance(_unit(self.family), Game)

    @property
    def guess_rate(self) -> float:
        """The most a blind policy passes; 0 for a game."""
        unit = _unit(self.family)
        return unit.guess_rate if isinstance(unit, Family) else 0.0

    @property
    def skills(self) -> tuple[str, ...]:
        """What it takes to solve it; the game's name for a game."""
        unit = _unit(self.family)
        return tuple(unit.skills) if isinstance(unit, Family) else (unit.name,)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit for JSON."""
        return {
            "family": self.family,
            "version": self.version,
            "params": dict(self.params),
            "style": dict(self.style),
            "hint": self.hint,
            "split": self.split,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Reads what `to_dict` wrote.

        Raises:
            InvalidArgument: It is no such record, or of another version of its family.
        """
        names = ("family", "version", "params", "style", "hint", "split")
        return cls(*(_field("a setting", record, name) for name in names))

    def __repr__(self) -> str:
        return f"<Setting {self.key}>"

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Setting) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Setting.from_dict, (self.to_dict(),)


@dataclass(frozen=True, eq=False)
class TaskRef:
    """A reference to one task: its setting, and where it stands there.

    A value, as its setting is: the same task has the same `key` in any process and any year. `task()` makes
    the task of a family; a game's is an episode of `environment`.
    """

    setting: Setting
    seed: int = 0
    index: int = 0
    edits: tuple[Edit, ...] = ()
    """Mutations made one after the other."""
    key: str = field(init=False, repr=False)
    """The same text for equal references, in any process."""

    def __post_init__(self) -> None:
        seed = _checks.seed("seed", self.seed)
        index = _checks.whole("index", self.index, 0, _checks.LARGEST_SEED)
        try:
            edits = tuple((aim, _checks.seed("a seed of `edits`", number)) for aim, number in self.edits)
        except (TypeError, ValueError) as error:
            if isinstance(error, InvalidArgument):
                raise
            msg = f"`edits` is {_checks.shown(self.edits)}, but must be pairs of an aim and a seed"
            raise InvalidArgument(msg) from None
        for aim, _ in edits:
            _checks.one_of("the aim of an edit", aim, get_args(Aim))
        if edits and self.setting.is_game:
            msg = f"`edits` is {_checks.shown(edits)}, but {self.setting.family} is a game, which has none"
            raise InvalidArgument(msg)
        key = "/".join(
            [self.setting.key, f"{seed}", f"{index}", *(f"{aim}:{number}" for aim, number in edits)]
        )
        _set(self, seed=seed, index=index, edits=edits, key=key)

    @property
    def family(self) -> str:
        """The family, or the game, by name."""
        return self.setting.family

    @property
    def version(self) -> int:
        """The version of the family or game."""
        return self.setting.version

    @property
    def params(self) -> Mapping[str, Any]:
        """Every param of a family; of a game, the arguments of its environment."""
        return self.setting.params

    @property
    def style(self) -> Mapping[str, Any]:
        """What is asked of the wording."""
        return self.setting.style

    @property
    def hint(self) -> float:
        """Share of the true solution's steps that the prompt shows."""
        return self.setting.hint

    @property
    def split(self) -> str:
        """Which split the task is of, edited or not."""
        return self.setting.split

    @property
    def is_game(self) -> bool:
        """Whether this is an episode of a game."""
        return self.setting.is_game

    def task(self) -> Task:
        """Makes the task.

        An edited task stays in the split of the one it was made from: mutations that leave it are drawn
        again. A hint stands before the prompt's last sentence, and in the task's id.

        Raises:
            Unsupported: It is a game's, or no such edit is possible there.
        """
        setting = self.setting
        unit = _unit(setting.family)
        if not isinstance(unit, Family):
            msg = f"{setting.family} is a game and has no tasks; `environment()` gives what poses its episode"
            raise Unsupported(msg)
        task = unit.sample(
            self.seed,
            self.index,
            params=dict(setting.params),
            split=setting.split,  # type: ignore[arg-type]
            style=dict(setting.style),
        )
        for aim, number in self.edits:
            task = _edited(unit, task, aim, number, setting.split)
        return with_hint(task, setting.hint) if setting.hint else task

    def environment(self) -> tuple[str, dict[str, Any], dict[str, Any]]:
        """What `gymnasium.make` takes to pose it: an id and arguments; then the options of `reset`.

        Raises:
            Unsupported: It has edits or a hint, which only `task()` gives.
        """
        setting = self.setting
        if setting.is_game:
            return env_id(setting.family), dict(setting.params), {"episode": self.index}
        if self.edits or setting.hint:
            msg = f"{self.key} has edits or a hint, which no environment poses; use `task()`"
            raise Unsupported(msg)
        arguments = {
            "params": dict(setting.params),
            "split": setting.split,
            "task_seed": self.seed,
            "style": dict(setting.style) or None,
        }
        return env_id(setting.family), arguments, {"index": self.index}

    def edited(self, aim: Aim, seed: int) -> "TaskRef":
        """The task made from this one by one more mutation."""
        return TaskRef(self.setting, self.seed, self.index, (*self.edits, (aim, seed)))

    def with_hint(self, hint: float) -> "TaskRef":
        """The same task, but for the share of steps that its prompt shows."""
        return TaskRef(self.setting.with_hint(hint), self.seed, self.index, self.edits)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit for JSON."""
        return self.setting.to_dict() | {
            "seed": self.seed,
            "index": self.index,
            "edits": [list(edit) for edit in self.edits],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Reads what `to_dict` wrote.

        Raises:
            InvalidArgument: It is no such record, or of another version of its family.
        """
        seed, index, edits = (_field("a task reference", record, name) for name in ("seed", "index", "edits"))
        return cls(Setting.from_dict(record), seed, index, edits)

    def __repr__(self) -> str:
        return f"<TaskRef {self.key}>"

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, TaskRef) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[Any, ...]:
        return TaskRef.from_dict, (self.to_dict(),)


def _set(value: Setting | TaskRef, **fields: object) -> None:
    """Fields as they were checked; the class is frozen for everybody else."""
    for name, content in fields.items():
        object.__setattr__(value, name, content)


@cache
def _known(name: str) -> Family | Game | None:
    if name in list_families():
        return family(name)
    return game(name) if name in list_games() else None


def _unit(name: object) -> Family | Game:
    unit = _known(_checks.text("family", name)) if isinstance(name, str) else None
    if unit is None:
        raise _checks.unknown("family or game", name, [*list_families(), *list_games()])
    return unit


def _digest(params: Mapping[str, Any], style: Mapping[str, Any], hint: float) -> str:
    text = json.dumps([params, style, hint], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()[:_DIGEST_BYTES].hex()


def _plain_mapping(name: str, given: object) -> dict[str, Any]:
    """A mapping as JSON would give it back: NumPy's numbers become Python's, tuples become lists."""
    plain: dict[str, Any] = json.loads(json.dumps(_checks.mapping(name, given) or {}, default=_number))
    return plain


def _number(value: Any) -> Any:
    """NumPy's scalars as the numbers they are; `_checks.mapping` lets nothing else through."""
    return value.item()


def _field(what: str, record: object, name: str) -> Any:
    if not isinstance(record, Mapping) or name not in record:
        msg = f"{what} is {_checks.shown(record)}, but must have `{name}`, as `to_dict` writes it"
        raise InvalidArgument(msg)
    return record[name]


def _edited(unit: Family, task: Task, aim: Aim, seed: int, split: str) -> Task:
    """A mutation of a task that is in a split; the first of a few that are drawn."""
    for attempt in range(_TRIES):
        digest = hashlib.sha256(f"reasonenv/edit/{seed}/{attempt}".encode()).digest()
        try:
            record = unit.mutate(task, aim, seed=int.from_bytes(digest[:8], "big")).to_dict()
        except Unsupported:
            continue
        record |= {"split": split, "task_id": f"{task.id}/{aim}/{seed}"}
        try:
            return Task.from_json(json.dumps(record))
        except InvalidTask:  # it belongs to another split
            continue
    msg = f"{task.id}: no {aim} problem was found near it that stays in split `{split}`"
    raise Unsupported(msg)
