"""Manifests: the items of a benchmark, with a digest of every group of them.

A manifest is a file, `manifests/NAME-vN.json`. A frozen one never changes; other items are a new
version. A preview may be rewritten, so results on one are comparable only with results on
the same preview.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

import gymnasium

from reasonenv import _checks
from reasonenv._native import Batch, ReasonEnvError, Source, family, game
from reasonenv.envs import env_id
from reasonenv.rollouts._feeds import episode_seed
from reasonenv.rollouts._run import read_json
from reasonenv.types import SplitName

FOLDER = Path(__file__).parent / "manifests"

_Entry = TypeVar("_Entry", "Items", "Games")


class InvalidManifest(ReasonEnvError):
    """A manifest is damaged, or the items made here differ from those that it names."""


def sha256(content: object) -> str:
    """Digest of plain data, whatever the order of its keys."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Items:
    """The first items of one family at one level, in one wording."""

    family: str
    version: int
    level: int
    seed: int
    split: SplitName
    count: int
    template: str
    """Template of all of them, by name."""
    held_out: bool
    """True if they repeat other items' problems in a wording that no training task has."""
    digest: str = ""
    """SHA-256 over every task as JSON."""

    @property
    def name(self) -> str:
        """Name in tables and traces."""
        seed = f"#{self.seed}" if self.seed else ""
        return f"{self.family}@{self.level}{seed}{f'/{self.template}' if self.held_out else ''}"

    @property
    def standard(self) -> str:
        """Name of the items with the same problems in a wording that is also used for training."""
        return replace(self, held_out=False).name

    @property
    def source(self) -> Source:
        """Source of the items."""
        style = {"template": self.template}
        return family(self.family).source(seed=self.seed, level=self.level, split=self.split, style=style)

    def batch(self) -> Batch:
        """The items."""
        return self.source.batch(0, self.count)

    def measured(self) -> str:
        """Digest of the items as made here."""
        return hashlib.sha256(self.batch().to_jsonl().encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Games:
    """Episodes of one game in text against one opponent; each seat is played in about half of them."""

    game: str
    version: int
    params: dict[str, Any]
    opponent: str
    random_move_prob: float
    seed: int
    count: int
    digest: str = ""
    """SHA-256 over the player's messages before the first move of every episode."""

    @property
    def name(self) -> str:
        """Name in tables and traces."""
        errs = f":{self.random_move_prob:g}" if self.random_move_prob else ""
        return f"{self.game} vs {self.opponent}{errs}"

    def make(self) -> Any:
        """An environment to play in."""
        return gymnasium.make(
            f"reasonenv:{env_id(self.game)}",
            mode="text",
            params=self.params,
            opponent=self.opponent,
            random_move_prob=self.random_move_prob,
        )

    def measured(self) -> str:
        """Digest of the episodes' starts as made here."""
        env, told = self.make(), []
        for number in range(self.count):
            observation, info = env.reset(seed=episode_seed(self.seed, number))
            told.append([info.get("instructions"), observation])
        env.close()
        return sha256(told)


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """Items of a benchmark: `str(manifest)` is its name and version, `digest` identifies it."""

    name: str
    version: int
    summary: str
    preview: bool
    """True if it may still be rewritten under the same version."""
    trained_levels: tuple[int, int]
    """Lowest and highest level allowed for training; levels above test generalization to size."""
    items: tuple[Items, ...]
    games: tuple[Games, ...]

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the whole manifest, including the digests of its items."""
        return sha256(self.to_dict())

    @property
    def entries(self) -> "tuple[Items | Games, ...]":
        """All entries, group by group."""
        return (*self.items, *self.games)

    @property
    def count(self) -> int:
        """Number of items and episodes."""
        return sum(one.count for one in self.entries)

    def only(self, *names: str, count: int | None = None) -> "Manifest":
        """Part of the manifest, for a first look: some families or games, `count` items of each entry.

        A part is a separate manifest with another digest, so it cannot pass for the whole.

        Args:
            names: Families and games; by default all of them.
            count: Number of items of each entry, from the first; by default all of them.

        Raises:
            UnknownName: The manifest has no such family or game.
            InvalidArgument: `count` is not at least 1.
        """
        known = sorted({one.family for one in self.items} | {one.game for one in self.games})
        for name in names:
            if name not in known:
                raise _checks.unknown(f"family or game of {self}", name, known)
        most = None if count is None else _checks.whole("count", count, 1)

        def kept(entries: Sequence[_Entry], asked: Iterable[str]) -> tuple[_Entry, ...]:
            found: list[_Entry] = []
            for entry, name in zip(entries, asked, strict=True):
                if names and name not in names:
                    continue
                cut = entry if most is None or most >= entry.count else replace(entry, count=most)
                found.append(cut if cut is entry else replace(cut, digest=cut.measured()))
            return tuple(found)

        items = kept(self.items, (one.family for one in self.items))
        games = kept(self.games, (one.game for one in self.games))
        if (items, games) == (self.items, self.games):
            return self
        return replace(self, name=f"{self.name}-part", preview=True, items=items, games=games)

    def check(self) -> Iterator[str]:
        """Make every item, and yield the name of each entry once it matches its digest.

        Raises:
            InvalidManifest: An entry's items differ here; names it and says what to do.
        """
        for entry in self.entries:
            here = entry.measured()
            if here != entry.digest:
                raise InvalidManifest(self._differs(entry))
            yield entry.name

    def _differs(self, entry: "Items | Games") -> str:
        what = f"the items of {entry.name} are not those of {self}"
        kind = family(entry.family) if isinstance(entry, Items) else game(entry.game)
        if kind.version != entry.version:
            what += f", which are of version {entry.version} of {kind.name} and here it is {kind.version}"
        remedy = (
            "as it is a preview, `make manifests` writes it anew" if self.preview else "take another version"
        )
        return f"{what}; {remedy}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in its file."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read the output of `to_dict`.

        Raises:
            InvalidManifest: The record lacks a field or has a wrong value; names the field.
        """
        made = dict(_fields(cls, record, "a manifest"))
        try:
            made["items"] = tuple(Items(**_fields(Items, one, "an entry")) for one in made["items"])
            made["games"] = tuple(Games(**_fields(Games, one, "an entry")) for one in made["games"])
            low, high = made["trained_levels"]
        except (TypeError, ValueError):
            msg = "a manifest's `items`, `games` or `trained_levels` is not what `to_dict` writes"
            raise InvalidManifest(msg) from None
        names = [one.name for one in (*made["items"], *made["games"])]
        if len(set(names)) != len(names):
            msg = f"a manifest has {max(names, key=names.count)} twice, but its entries must differ"
            raise InvalidManifest(msg)
        return cls(**made | {"trained_levels": (int(low), int(high))})

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a manifest's file.

        Raises:
            InvalidManifest: It isn't a manifest, or was edited; names the file.
            OSError: It cannot be read.
        """
        path = _checks.path("path", path)
        record = read_json(path)
        digest = record.pop("digest", None)
        try:
            found = cls.from_dict(record)
        except InvalidManifest as error:
            msg = f"{path}: {error}"
            raise InvalidManifest(msg) from None
        if found.digest != digest:
            msg = (
                f"{path} was edited: its digest is {found.digest}, not the {_checks.shown(digest)} it states"
            )
            raise InvalidManifest(msg)
        return found

    def __str__(self) -> str:
        return f"{self.name}-v{self.version}"

    def __repr__(self) -> str:
        state = ", a preview" if self.preview else ""
        return f"<Manifest {self}: {len(self.entries)} entries, {self.count:,} items{state}>"


def _fields(kind: type, record: object, what: str) -> Mapping[str, Any]:
    """A record with exactly the fields of a class."""
    known = [item.name for item in fields(kind)]
    if not isinstance(record, Mapping):
        msg = f"{what} is {_checks.shown(record)}, but must be a mapping"
        raise InvalidManifest(msg)
    for name in known:
        if name not in record:
            msg = f"{what} has no `{name}`"
            raise InvalidManifest(msg)
    for name in record:
        if name not in known:
            msg = f"{what} has `{_checks.shown(name)}`, but there are {', '.join(known)}"
            raise InvalidManifest(msg)
    return record


def list_manifests() -> list[str]:
    """Manifests that come with reasonenv, by name and version."""
    return sorted(path.stem for path in FOLDER.glob("*-v*.json"))


def manifest(name: str) -> Manifest:
    """Manifest by its name, "core" for the newest version and "core-v1" for a specific one, or by its path.

    Raises:
        UnknownName: No manifest has this name; suggests the nearest, or lists them all.
        InvalidManifest: Its file is damaged.
    """
    name = _checks.text("name", name)
    if name.endswith(".json"):
        return Manifest.load(name)
    versions = [one for one in list_manifests() if name in (one, one.rpartition("-v")[0])]
    if not versions:
        raise _checks.unknown("manifest", name, list_manifests())
    newest = max(versions, key=lambda one: int(one.rpartition("-v")[2]))
    return Manifest.load(FOLDER / f"{newest}.json")
