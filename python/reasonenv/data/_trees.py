"""Directory trees of this machine as tasks of the `ascii_tree` family."""

import json
import os
from collections.abc import Callable, Collection
from functools import cache, partial
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument, InvalidProblem, Task, family
from reasonenv.data._drawings import FAMILY, DrawnLines, digest_of, problem_of

_CACHES = ("__pycache__",)
"""Names left out by default: caches come and go, which would change the tree of a folder."""


def directory_tree(
    path: str | Path,
    *,
    max_depth: int = 6,
    max_lines: int = 60,
    directories_only: bool = True,
    skip: Collection[str] = _CACHES,
    style: dict[str, Any] | None = None,
    id: str | None = None,
) -> Task:
    """Make a task from the tree of a real directory.

    Names are sorted. Links are not followed. Names that are hidden, unprintable, or look like part of the
    drawing are left out. A tree with too many lines loses its deepest ones first.

    Args:
        path: A directory, whose name becomes that of the root.
        max_depth: Most levels below the root, 1 to 32.
        max_lines: Most lines of the drawing, 1 to 500.
        directories_only: Whether to leave out files. The prompt calls everything in the tree a directory.
        skip: More names to leave out.
        style: Style of the wording, as in `Family.task`.
        id: Id of the task; by default made from the name of the directory and the tree.

    Raises:
        FileNotFoundError, NotADirectoryError: `path` is not a directory.
        InvalidArgument: An argument has another type, or `max_depth` or `max_lines` is out of bounds.
        InvalidProblem: The name of the root cannot be drawn.
    """
    root = _directory("path", path)
    max_depth, max_lines = _bounds(max_depth, max_lines)
    skip = frozenset(_checks.texts("skip", skip))
    style = _checks.mapping("style", style)
    if id is not None:
        _checks.text("id", id)
    if not _fit(_root_name(root)):
        msg = f"the directory's name, {_root_name(root)!r}, cannot be drawn; name another directory"
        raise InvalidProblem(msg)
    entries = partial(_entries, skip=skip)
    rows = _walk(root, max_depth, max_lines, directories_only, entries)
    return _pose(rows, style, id, _root_name(root))


def directory_trees(
    root: str | Path,
    n: int,
    seed: int = 0,
    *,
    min_lines: int = 3,
    max_lines: int = 60,
    max_depth: int = 6,
    directories_only: bool = True,
    skip: Collection[str] = _CACHES,
    style: dict[str, Any] | None = None,
    max_scanned: int = 20_000,
) -> list[Task]:
    """Make tasks from the trees of directories under a root that are within the bounds, in random order.

    Equal trees appear once. A tree may be part of another one: to train on some and evaluate on others, take
    them from different roots.

    Args:
        root: A directory; it and all directories below it are candidates.
        n: Most tasks to return, 0 or more; there may be fewer.
        seed: Seed of the selection, the order and, without a `style`, the wording.
        min_lines: Fewest lines of a drawing, 1 or more.
        max_lines: Most lines of a drawing, up to 500.
        max_depth: Most levels below the root of a tree, up to 32.
        directories_only: Whether to leave out files.
        skip: Names to leave out, besides hidden and unprintable ones.
        style: Style of the wording, as in `Family.task`.
        max_scanned: Most directories to scan, nearest the root first.

    Raises:
        FileNotFoundError, NotADirectoryError: `root` is not a directory.
        InvalidArgument: An argument has another type or is out of bounds, or no tree is within the bounds.
    """
    top = _directory("root", root)
    n = _checks.whole("n", n, 0)
    seed = _checks.seed("seed", seed)
    max_depth, max_lines = _bounds(max_depth, max_lines)
    min_lines = _checks.whole("min_lines", min_lines, 1, max_lines)
    max_scanned = _checks.whole("max_scanned", max_scanned, 1)
    skip = frozenset(_checks.texts("skip", skip))
    style = _checks.mapping("style", style)
    entries = cache(partial(_entries, skip=skip))
    seen: set[str] = set()
    found: list[tuple[bytes, str, DrawnLines]] = []
    ahead = [top]
    for directory in ahead:  # grows during the loop: nearest the root first
        if len(ahead) < max_scanned:
            ahead += [directory / name for name, is_dir in entries(directory) if is_dir]
        # One line and one level more than allowed show whether the tree is too large.
        rows = _walk(directory, max_depth + 1, max_lines + 1, directories_only, entries)
        problem = problem_of(rows)
        fits = min_lines <= len(rows) <= max_lines and max(depth for depth, _ in rows) <= max_depth
        if fits and problem not in seen and _fit(rows[0][1]):
            seen.add(problem)
            place = directory.relative_to(top).as_posix()
            label = _root_name(top) if place == "." else f"{_root_name(top)}/{place}"
            found.append((digest_of(seed, label), label, rows))
    if not found:
        msg = (
            f"no tree in {root} has between {min_lines} (`min_lines`) and {max_lines} (`max_lines`) lines; "
            "widen the bounds, or name another root"
        )
        raise InvalidArgument(msg)
    found.sort(key=lambda tree: tree[:2])
    return [_pose(rows, style, None, label, seed) for _, label, rows in found[:n]]


def _bounds(max_depth: object, max_lines: object) -> tuple[int, int]:
    return _checks.whole("max_depth", max_depth, 1, 32), _checks.whole("max_lines", max_lines, 1, 500)


def _directory(name: str, path: object) -> Path:
    directory = _checks.path(name, path)
    if not directory.exists():
        msg = f"there is no directory {directory}; `{name}` must be one that is there"
        raise FileNotFoundError(msg)
    if not directory.is_dir():
        msg = f"{directory} is not a directory, but `{name}` must be one"
        raise NotADirectoryError(msg)
    return directory


def _root_name(directory: Path) -> str:
    """Resolved name of the directory; the root of a file system has none."""
    return directory.name or directory.resolve().name or "root"


def _fit(name: str) -> bool:
    """True if a name can be drawn and does not look like part of the drawing."""
    if not name.isprintable() or name != name.strip():
        return False
    try:
        family(FAMILY).certify(json.dumps({"rows": [[0, "root"], [1, name]]}))
    except InvalidProblem:
        return False
    return True


def _entries(directory: Path, skip: Collection[str]) -> list[tuple[str, bool]]:
    """Visible names of a directory in order, each with True for a directory."""
    try:
        with os.scandir(directory) as entries:
            shown = [
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in entries
                if not entry.is_symlink()
                and not entry.name.startswith(".")
                and entry.name not in skip
                and _fit(entry.name)
            ]
    except OSError:
        # Unreadable, or removed since it was listed: shown as empty.
        return []
    return sorted(shown)


def _walk(
    root: Path,
    max_depth: int,
    max_lines: int,
    directories_only: bool,
    entries: Callable[[Path], list[tuple[str, bool]]],
) -> DrawnLines:
    """Rows of the tree. If there are too many, the first ones in breadth-first order are kept."""
    names: list[tuple[int, str]] = [(0, _root_name(root))]
    children: list[list[int]] = [[]]
    ahead = [(0, root)]
    for node, directory in ahead:
        depth = names[node][0]
        if depth == max_depth or len(names) >= max_lines:
            continue
        for name, is_dir in entries(directory):
            if len(names) >= max_lines:
                break
            if is_dir or not directories_only:
                children[node].append(len(names))
                if is_dir:
                    ahead.append((len(names), directory / name))
                names.append((depth + 1, name))
                children.append([])
    rows: DrawnLines = []
    stack = [0]
    while stack:
        node = stack.pop()
        rows.append(names[node])
        stack += reversed(children[node])
    return rows


def _pose(rows: DrawnLines, style: dict[str, Any] | None, id: str | None, label: str, seed: int = 0) -> Task:
    """Make a task from a tree."""
    kind = family(FAMILY)
    problem = problem_of(rows)
    kind.certify(problem)
    digest = digest_of(seed, label, problem)
    made = f"{kind.name}/v{kind.version}/directory/{label}-{digest_of(problem)[:4].hex()}"
    words = {"words": int.from_bytes(digest[:4], "big")}
    return kind.task(problem, id=made if id is None else id, style=words | (style or {}))
