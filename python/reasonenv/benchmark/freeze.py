"""Writes manifests: `make manifests` rewrites the previews, and freezing one makes it final.

`python -m reasonenv.benchmark.freeze` for the previews, `python -m reasonenv.benchmark.freeze core` to
freeze one, `python -m reasonenv.benchmark.freeze --unreleased` to make every manifest anew before a release.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._files import writing
from reasonenv._native import Family, InvalidArgument, family, game, list_families, list_games
from reasonenv.benchmark._entries import FOLDER, Games, Items, Manifest

_VERSION = 1
"""The version in preparation."""

_COUNT = 20
_EPISODES = 50
_STEPS = 50
"""Steps of a solution from which an item counts as long. The next is the same for a prompt's characters."""
_LETTERS = 2_500


def _items(
    kind: Family, levels: Sequence[int], seed: int = 0, *, reworded: int | None = None
) -> Iterator[Items]:
    """Entries of a family: each level in a wording used for training, one level also in a held-out wording.

    The seed is the first of `seed`, `seed` + 10, `seed` + 20, … whose items are all different problems.
    """
    usual = next(name for name in kind.templates if name not in kind.held_out_templates)
    for level in levels:
        entry = Items(
            family=kind.name,
            version=kind.version,
            level=level,
            seed=seed,
            split="test",
            count=_COUNT,
            template=usual,
            held_out=False,
        )
        while len({task.key for task in entry.batch()}) < _COUNT:
            entry = replace(entry, seed=entry.seed + 10)
        yield entry
        if level == reworded:
            yield replace(entry, template=kind.held_out_templates[0], held_out=True)


def _core() -> tuple[str, list[Items], list[Games]]:
    items: list[Items] = []
    for name in list_families():
        kind = family(name)
        first = min(max(1, kind.distinct_from), kind.top_level - 2)
        apart = min(3, (kind.top_level - first) // 2)
        levels = (first, first + apart, first + 2 * apart)
        items += _items(kind, levels, reworded=levels[1])
    return "Every family at three levels, and one of them in a wording that is held out.", items, []


def _hard() -> tuple[str, list[Items], list[Games]]:
    items = []
    for name in list_families():
        kind = family(name)
        for seed in (0, 1):
            items += [*_items(kind, (kind.top_level,), seed)]
    return "Every family at its top level, under two seeds.", items, []


def _long() -> tuple[str, list[Items], list[Games]]:
    items = []
    for name in list_families():
        (one,) = _items(family(name), (family(name).top_level,), 2)
        batch = one.batch()
        steps = sum(len(task.solution.steps) for task in batch) / len(batch)
        if steps >= _STEPS or sum(map(len, batch.prompts)) / len(batch) >= _LETTERS:
            items.append(one)
    summary = f"What takes {_STEPS} steps or more to solve, or {_LETTERS:,} characters or more to ask."
    return summary, items, []


def _games() -> tuple[str, list[Items], list[Games]]:
    games = []
    for name in list_games():
        kind = game(name)
        for opponent, errs in (("random", 0.0), (kind.default_opponent, 0.2), (kind.default_opponent, 0.0)):
            games.append(
                Games(
                    game=name,
                    version=kind.version,
                    params={},
                    opponent=opponent,
                    random_move_prob=errs,
                    seed=0,
                    count=_EPISODES,
                )
            )
    summary = (
        "Every game in text against a random player, its default opponent and one that errs now and then."
    )
    return summary, [], games


RULES = {"core": _core, "games": _games, "hard": _hard, "long": _long}
"""Maker of each manifest's items."""


def build(name: str) -> Manifest:
    """Manifest of the current registry, as a preview of the version in preparation.

    Raises:
        UnknownName: No rule has this name.
    """
    if name not in RULES:
        raise _checks.unknown("manifest", name, RULES)
    summary, items, games = RULES[name]()
    return Manifest(
        name=name,
        version=_VERSION,
        summary=summary,
        preview=True,
        trained_levels=(0, 4),
        items=tuple(replace(one, digest=one.measured()) for one in items),
        games=tuple(replace(one, digest=one.measured()) for one in games),
    )


def write(made: Manifest, folder: Path = FOLDER) -> Path:
    """Write a manifest's file; a frozen one is never changed.

    Raises:
        InvalidArgument: A different frozen manifest with this name and version exists.
    """
    path = folder / f"{made}.json"
    if path.exists() and not (there := Manifest.load(path)).preview and there.digest != made.digest:
        msg = (
            f"{path.name} is frozen, but the items made here are others; give the new manifest a new version"
        )
        raise InvalidArgument(msg)
    record: dict[str, Any] = made.to_dict() | {"digest": made.digest}
    with writing(path) as file:
        file.write(json.dumps(record, indent=1) + "\n")
    return path


def freeze(name: str, folder: Path = FOLDER) -> Path:
    """Make the preview of a manifest final. Its items must still match.

    Raises:
        InvalidManifest: They don't match.
        InvalidArgument: It is already frozen.
    """
    made = Manifest.load(folder / f"{name}-v{_VERSION}.json")
    if not made.preview:
        msg = f"{made} is frozen already; raise the version in the making to start another"
        raise InvalidArgument(msg)
    for _ in made.check():
        pass
    return write(replace(made, preview=False), folder)


def write_previews(folder: Path = FOLDER) -> list[Path]:
    """Rewrite every manifest that is not frozen."""
    frozen = {path.stem for path in folder.glob("*.json") if not Manifest.load(path).preview}
    return [write(build(name), folder) for name in RULES if f"{name}-v{_VERSION}" not in frozen]


def write_unreleased(folder: Path = FOLDER) -> list[Path]:
    """Make every manifest anew, frozen as it was. A manifest that a release has must never be made anew."""
    written = []
    for name in RULES:
        path = folder / f"{name}-v{_VERSION}.json"
        preview = not path.exists() or Manifest.load(path).preview
        made = replace(build(name), preview=preview)
        path.unlink(missing_ok=True)
        written.append(write(made, folder))
    return written


if __name__ == "__main__":
    if sys.argv[1:] == ["--unreleased"]:
        paths = write_unreleased()
    else:
        paths = [freeze(name) for name in sys.argv[1:]] or write_previews()
    for path in paths:
        print(path)
