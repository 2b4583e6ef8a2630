"""Roles of tasks: four of them, which share no problem."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_args

from reasonenv import _checks
from reasonenv._native import Family, InvalidArgument, UnknownName, family, list_families
from reasonenv.data._split import place_of, share_at

ROLES: Mapping[str, str] = MappingProxyType(
    {
        "sft": "train",
        "rl": "train",
        "validation": "eval",
        "transfer": "test",
    }
)
"""Roles, each with the split of its tasks."""

TRAINING_ROLES = tuple(role for role, split in ROLES.items() if split == "train")
"""Roles that may be trained on."""


@dataclass(frozen=True)
class HoldOut:
    """Families, levels and templates that no training task has; they are kept for transfer.

    Raises:
        UnknownName: A name does not exist.
        InvalidArgument: A field has another type.
    """

    families: Collection[str] = ()
    domains: Collection[str] = ()
    levels: Collection[int] = ()
    """Levels held out from every training family."""
    templates: Collection[str] = ()
    """Templates, as `template` or `family/template`, besides those that a family always holds out."""
    _templates: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        known = [family(name) for name in list_families()]
        for name in ("families", "domains", "templates"):
            object.__setattr__(self, name, tuple(sorted(_checks.texts(name, getattr(self, name)))))
        if isinstance(self.levels, str | Mapping) or not isinstance(self.levels, Iterable):
            msg = f"`levels` is {_checks.shown(self.levels)}, but must be several levels"
            raise InvalidArgument(msg)
        top = max(one.top_level for one in known)
        levels = tuple(sorted(_checks.whole("levels", level, 0, top) for level in self.levels))
        object.__setattr__(self, "levels", levels)
        named = tuple(sorted({family(name).name for name in self.families}))
        object.__setattr__(self, "families", named)
        _all_known("domain", self.domains, {one.domain for one in known})
        words = {word for one in known for word in one.templates}
        full = {f"{one.name}/{word}" for one in known for word in one.templates}
        _all_known("template", self.templates, words | full)
        object.__setattr__(self, "_templates", frozenset(self.templates))

    def check(self, units: Collection[Family], levels: Collection[int]) -> None:
        """Refuse entries that hold out nothing from these families and levels.

        Raises:
            InvalidArgument: An entry has no effect; names the first one.
        """
        there: dict[str, set[Any]] = {
            "families": {unit.name for unit in units},
            "domains": {unit.domain for unit in units},
            "levels": set(levels),
            "templates": {
                name for unit in units for word in unit.templates for name in (word, f"{unit.name}/{word}")
            },
        }
        for kind, known in there.items():
            for one in getattr(self, kind):
                if one not in known:
                    msg = f"`hold_out.{kind}` has {_checks.shown(one)}, but nothing that is built does"
                    raise InvalidArgument(f"{msg}; build it too, or do not hold it out")

    def has(self, unit: Family, level: int) -> bool:
        """Return True if all tasks of a family at a level are held out."""
        return unit.name in self.families or unit.domain in self.domains or level in self.levels

    def has_template(self, name: str, template: str) -> bool:
        """Return True if a template of a family is held out."""
        return template in self._templates or f"{name}/{template}" in self._templates

    def templates_of(self, unit: Family) -> list[str]:
        """Return the templates that no training task of a family has, including its own held-out ones."""
        own = set(unit.held_out_templates)
        return [word for word in unit.templates if word in own or self.has_template(unit.name, word)]

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data, fit for JSON."""
        names = ("families", "domains", "levels", "templates")
        return {name: list(getattr(self, name)) for name in names}


Duplicates = Literal["keep", "drop"]


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Number of tasks in each role of a data set, and the problems kept out of training.

    Raises:
        ReasonEnvError: A setting is invalid; names it.
    """

    sft: float = 0.25
    """Share of the training tasks that are for SFT, from 0 to 1; the others are for RL."""
    validation: int | None = None
    """Tasks for validation of each family and level; by default n / 10, at least one."""
    transfer: int | None = None
    """Tasks for transfer, likewise."""
    hold_out: HoldOut = field(default_factory=HoldOut)
    """Families, levels and wordings kept for transfer."""
    duplicates: Duplicates = "drop"
    """Treatment of repeated problems: "drop" or "keep".

    The manifest counts them by role, family and level. Shards drop their own, and `merge_datasets` those that
    several have.
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "sft", _checks.number("sft", self.sft, 0, 1))
        for name in ("validation", "transfer"):
            count = getattr(self, name)
            if count is not None:
                object.__setattr__(self, name, _checks.whole(name, count, 0, _checks.LARGEST_COUNT))
        if not isinstance(self.hold_out, HoldOut):
            msg = f"`hold_out` is {_checks.shown(self.hold_out)}, but must be a `HoldOut`"
            raise InvalidArgument(msg)
        _checks.one_of("duplicates", self.duplicates, get_args(Duplicates))

    def to_dict(self, n: int) -> dict[str, Any]:
        """Plain data, with the counts that follow from `n` tasks for training."""
        fewer = max(1, n // 10)
        return {
            "sft": self.sft,
            "validation": fewer if self.validation is None else self.validation,
            "transfer": fewer if self.transfer is None else self.transfer,
            "hold_out": self.hold_out.to_dict(),
        }


def _all_known(kind: str, given: Iterable[str], known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            error: UnknownName = _checks.unknown(kind, name, sorted(known))
            raise error


def training_role(key: str, sft: float, seed: int) -> str:
    """Return the role of a training problem, which depends only on its key and `seed`."""
    return share_at({"sft": sft, "rl": 1 - sft}, place_of("role", seed, key))
