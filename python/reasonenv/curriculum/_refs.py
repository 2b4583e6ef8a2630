"""References: values that name a task, or a kind of task, without making it."""

import hashlib
import json
from collections.abc import Callable, Mapping
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
"""One mutation of a task: its aim and its seed."""

OTHERS: "dict[str, Callable[[Mapping[str, Any]], Setting]]" = {}
"""Functions that find settings of no family and no game by their params, by what stands for the name."""

_TRIES = 96
"""Mutations tried to find one that stays in the split; each has a chance of about one in eight or better."""

_DIGEST_BYTES = 6
"""Bytes of the digest in a key. A million settings have a collision with a probability of 1 in 500."""


@dataclass(frozen=True, eq=False)
class Setting:
    """The arguments of an environment: a kind of task, with a task at each index.

    A setting is a value: settings with the same arguments are equal and have the same `key`, and they can be
    pickled. `Setting.of` makes one from a level and fills in the defaults.

    Raises:
        ReasonEnvError: An argument is invalid or unknown.
    """

    family: str
    """Name of a family or a game."""
    version: int
    params: Mapping[str, Any]
    """All params of a family, or the arguments of a game's environment, such as `random_move_prob`."""
    style: Mapping[str, Any] = field(default_factory=dict)
    """Style of the wording."""
    hint: float = 0.0
    """Share of the solution's steps, from the first one on, that the prompt shows."""
    split: str = "train"
    key: str = field(init=False, repr=False)
    """Text that is the same for equal settings in any process."""

    def __new__(cls, family: str, _version: int = 0, params: Any = None, *_: Any, **given: Any) -> Self:
        """Find the setting, if it is of no family and no game."""
        find = OTHERS.get(family) if cls is Setting and isinstance(family, str) else None
        if find is not None:
            return find(given.get("params", params))  # type: ignore[return-value]  # of a subclass
        return super().__new__(cls)

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
        """Make a setting of a family from a level and overriding `params`, or of a game from `params`.

        Raises:
            ReasonEnvError: An argument is invalid, or a game is given a level.
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
        """Return a reference to the task at an index."""
        return TaskRef(self, seed, index, edits)

    def with_hint(self, hint: float) -> "Setting":
        """Return the same setting with another share of steps shown in the prompt."""
        return Setting(self.family, self.version, self.params, self.style, hint, self.split)

    def other_task(self, ref: "TaskRef") -> Any:
        """Make a task of no family."""
        raise NotImplementedError

    @property
    def is_game(self) -> bool:
        """True if this is a setting of a game."""
        return isinstance(_unit(self.family), Game)

    @property
    def guess_rate(self) -> float:
        """Highest pass rate of a blind policy; 0 for a game."""
        unit = _unit(self.family)
        return unit.guess_rate if isinstance(unit, Family) else 0.0

    @property
    def skills(self) -> tuple[str, ...]:
        """Skills of the family; for a game, its name."""
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
        """Read the output of `to_dict`.

        Raises:
            InvalidArgument: The record is invalid, or has another version of its family.
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
    """A reference to one task: its setting and its place there.

    Like a setting it is a value: the same task always has the same `key`, in any process. `task()` makes the
    task of a family; that of a game is an episode of `environment()`.
    """

    setting: Setting
    seed: int = 0
    index: int = 0
    edits: tuple[Edit, ...] = ()
    """Mutations, applied one after the other."""
    key: str = field(init=False, repr=False)
    """Text that is the same for equal references in any process."""

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
            _checks.one_of("aim of an edit", aim, get_args(Aim))
        if edits and self.setting.is_game:
            msg = f"`edits` is {_checks.shown(edits)}, but {self.setting.family} is a game, which has none"
            raise InvalidArgument(msg)
        key = "/".join(
            [self.setting.key, f"{seed}", f"{index}", *(f"{aim}:{number}" for aim, number in edits)]
        )
        _set(self, seed=seed, index=index, edits=edits, key=key)

    @property
    def family(self) -> str:
        """Name of the family or the game."""
        return self.setting.family

    @property
    def version(self) -> int:
        """Version of the family or the game."""
        return self.setting.version

    @property
    def params(self) -> Mapping[str, Any]:
        """All params of a family, or the arguments of a game's environment."""
        return self.setting.params

    @property
    def style(self) -> Mapping[str, Any]:
        """Style of the wording."""
        return self.setting.style

    @property
    def hint(self) -> float:
        """Share of the solution's steps that the prompt shows."""
        return self.setting.hint

    @property
    def split(self) -> str:
        """Split of the task, edited or not."""
        return self.setting.split

    @property
    def is_game(self) -> bool:
        """True if this is an episode of a game."""
        return self.setting.is_game

    def task(self) -> Any:
        """Make the task: a `Task`, or a `Row` of a setting of rows.

        An edited task stays in the split of the original: mutations that leave it are drawn again. A hint
        comes before the prompt's last sentence and appears in the task's id.

        Raises:
            Unsupported: It is an episode of a game, or no such edit was found.
        """
        setting = self.setting
        if setting.family in OTHERS:
            return setting.other_task(self)
        unit = _unit(setting.family)
        if not isinstance(unit, Family):
            msg = f"{setting.family} is a game and has no tasks; `environment()` gives what poses its episode"
            raise Unsupported(msg)
        task = unit.sample(
            seed=self.seed,
            index=self.index,
            params=dict(setting.params),
            split=setting.split,  # type: ignore[arg-type]
            style=dict(setting.style),
        )
        for aim, number in self.edits:
            task = _edited(unit, task, aim, number, setting.split)
        return with_hint(task, setting.hint) if setting.hint else task

    def environment(
        self, mode: Literal["solution", "step", "moves"] = "solution"
    ) -> tuple[str, dict[str, Any], dict[str, Any]]:
        """Return the id and arguments for `gymnasium.make`, and the options for `reset`, that pose the task.

        In the modes "step" and "moves" of a family the episode begins after the steps that the hint shows.

        Args:
            mode: Mode of a family's environment; a game has its own among its arguments.

        Raises:
            Unsupported: The reference has edits or, for the mode "solution", a hint; only `task()` supports
                them.
        """
        setting = self.setting
        _checks.one_of("mode", mode, ["solution", "step", "moves"])
        if setting.is_game:
            return env_id(setting.family), dict(setting.params), {"episode": self.index}
        if self.edits or (setting.hint and mode == "solution"):
            msg = f"{self.key} has edits or a hint, which no environment poses; use `task()`"
            raise Unsupported(msg)
        arguments: dict[str, Any] = {
            "params": dict(setting.params),
            "split": setting.split,
            "task_seed": self.seed,
        }
        if mode != "moves":
            arguments["style"] = dict(setting.style) or None
        if mode != "solution":
            arguments["mode"] = mode
        options = {"index": self.index} | ({"start": setting.hint} if setting.hint else {})
        return env_id(setting.family), arguments, options

    def edited(self, aim: Aim, seed: int) -> "TaskRef":
        """Return the task made from this one by one more mutation."""
        return TaskRef(self.setting, self.seed, self.index, (*self.edits, (aim, seed)))

    def with_hint(self, hint: float) -> "TaskRef":
        """Return the same task with another share of steps shown in its prompt."""
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
        """Read the output of `to_dict`.

        Raises:
            InvalidArgument: The record is invalid, or has another version of its family.
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
    """Set checked fields of a frozen dataclass."""
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
    """Round-trip a mapping through JSON: NumPy's numbers become Python's, tuples become lists."""
    plain: dict[str, Any] = json.loads(json.dumps(_checks.mapping(name, given) or {}, default=_number))
    return plain


def _number(value: Any) -> Any:
    """Convert a NumPy scalar; `_checks.mapping` lets nothing else through."""
    return value.item()


def _field(what: str, record: object, name: str) -> Any:
    if not isinstance(record, Mapping) or name not in record:
        msg = f"{what} is {_checks.shown(record)}, but must have `{name}`, as `to_dict` writes it"
        raise InvalidArgument(msg)
    return record[name]


def _edited(unit: Family, task: Task, aim: Aim, seed: int, split: str) -> Task:
    """The first of several drawn mutations of a task that belongs to the split."""
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
