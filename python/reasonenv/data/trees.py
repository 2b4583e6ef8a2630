"""Tasks from outside: directory trees of this machine, and the rows of a published data set.

Both make `ascii_tree` tasks, posed through the family and judged by it like any other.
"""

import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from reasonenv import _checks
from reasonenv._native import InvalidArgument, InvalidProblem, InvalidTask, Task, family

__all__ = ["directory_tree", "directory_trees", "split_by_problem_id", "synthetic2"]

_FAMILY = "ascii_tree"
_TASK_TYPE = "ascii_tree_formatting"
_CACHES = ("__pycache__",)
"""Left out by default: they come and go with use, so that the same folder would give different trees."""

_Rows = list[tuple[int, str]]
"""Depth and name of each directory, depth first, the root at depth 0."""


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
    """The tree of a real directory, as a task.

    Names stand in sorted order. Links are not followed. Names that are hidden, unprintable, or could not be
    told from the drawing around them are left out. A tree of too many lines loses its deepest ones first.

    Args:
        path: A directory; its own name is the root's.
        max_depth: Levels below the root, 1 to 32.
        max_lines: Lines of the drawing, 1 to 500.
        directories_only: Whether files are left out. The prompt calls all that is in the tree directories.
        skip: More names to leave out.
        style: Wording, as `Family.task` takes it.
        id: The task's id; by default one made of the directory's name and the tree.

    Raises:
        FileNotFoundError, NotADirectoryError: `path` names no directory.
        InvalidArgument: An argument is of another type, or `max_depth` or `max_lines` is out of bounds.
        InvalidProblem: The root's own name cannot be drawn.
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
    """Trees of the directories under a root, as tasks: those wholly within the bounds, in an order of `seed`.

    Each tree is given once, however many directories look like it. A tree may lie within another one: to
    train on some and evaluate on others, take them from different roots.

    Args:
        root: A directory; it and all under it are candidates.
        n: The most tasks to give, 0 or more; there may be fewer.
        seed: Decides which, in what order and, unless `style` says so, in what words.
        min_lines: The fewest lines of a drawing, 1 or more.
        max_lines: The most lines of a drawing, up to 500.
        max_depth: The most levels below a tree's root, up to 32.
        directories_only: Whether files are left out.
        skip: Names to leave out, beside hidden and unprintable ones.
        style: Wording, as `Family.task` takes it.
        max_scanned: Directories looked at, nearest the root first.

    Raises:
        FileNotFoundError, NotADirectoryError: `root` names no directory.
        InvalidArgument: An argument is of another type or out of bounds, or no tree is within the bounds.
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
    found: list[tuple[bytes, str, _Rows]] = []
    ahead = [top]
    for directory in ahead:  # it grows as it is read: nearest the root first
        if len(ahead) < max_scanned:
            ahead += [directory / name for name, is_dir in entries(directory) if is_dir]
        # One line and one level more than allowed tell a tree that is too large from one that just fits.
        rows = _walk(directory, max_depth + 1, max_lines + 1, directories_only, entries)
        problem = _problem(rows)
        fits = min_lines <= len(rows) <= max_lines and max(depth for depth, _ in rows) <= max_depth
        if fits and problem not in seen and _fit(rows[0][1]):
            seen.add(problem)
            place = directory.relative_to(top).as_posix()
            label = _root_name(top) if place == "." else f"{_root_name(top)}/{place}"
            found.append((_digest(seed, label), label, rows))
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
        msg = f"{directory} is no directory, but `{name}` must be one"
        raise NotADirectoryError(msg)
    return directory


def _root_name(directory: Path) -> str:
    """The directory's own name, whatever it was called by; a file system's root has none."""
    return directory.name or directory.resolve().name or "root"


def _fit(name: str) -> bool:
    """Whether a name can stand in a drawing and be told from it."""
    if not name.isprintable() or name != name.strip():
        return False
    try:
        family("ascii_tree").certify(json.dumps({"rows": [[0, "root"], [1, name]]}))
    except InvalidProblem:
        return False
    return True


def _entries(directory: Path, skip: Collection[str]) -> list[tuple[str, bool]]:
    """What a directory shows: names in order, each with whether it is a directory."""
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
        # Not ours to read, or gone since it was listed: shown as empty.
        return []
    return sorted(shown)


def _walk(
    root: Path,
    max_depth: int,
    max_lines: int,
    directories_only: bool,
    entries: Callable[[Path], list[tuple[str, bool]]],
) -> _Rows:
    """The tree's rows. Breadth first decides who stays when there are too many."""
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
    rows: _Rows = []
    stack = [0]
    while stack:
        node = stack.pop()
        rows.append(names[node])
        stack += reversed(children[node])
    return rows


def _problem(rows: _Rows) -> str:
    return json.dumps({"rows": rows}, ensure_ascii=False, separators=(",", ":"))


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()


def _pose(rows: _Rows, style: dict[str, Any] | None, id: str | None, label: str, seed: int = 0) -> Task:
    """A task around a tree that was found."""
    kind = family(_FAMILY)
    problem = _problem(rows)
    kind.certify(problem)
    digest = _digest(seed, label, problem)
    made = f"{kind.name}/v{kind.version}/directory/{label}-{_digest(problem)[:4].hex()}"
    words = {"words": int.from_bytes(digest[:4], "big")}
    return kind.task(problem, id=made if id is None else id, style=words | (style or {}))


_LINE = re.compile(r" ((?:\|   |    )*)(?:\+|`)--(.*)")


def _read_drawing(drawing: str) -> _Rows:
    """The rows of a drawing in the data set's glyphs.

    Raises:
        ValueError: A line is not drawn so; says which.
    """
    root, *below = drawing.strip().split("\n")
    rows: _Rows = [(0, root)]
    for number, line in enumerate(below, 2):
        drawn = _LINE.fullmatch(line)
        if drawn is None:
            msg = f"line {number}, {line!r}, is not a branch"
            raise ValueError(msg)
        rows.append((len(drawn[1]) // 4 + 1, drawn[2]))
    return rows


def synthetic2(
    rows: Iterable[Mapping[str, Any]], *, errors: Literal["raise", "skip"] = "raise"
) -> list[Task]:
    """Rows of SYNTHETIC-2's `ascii_tree_formatting` tasks, judged against their ground truth.

    Each task keeps its row's prompt word for word, and its `problem_id` as the task's id; where a problem_id
    comes more than once, the second task is `problem_id#2` and so on.

    Args:
        rows: Mappings with `prompt`, `verification_info` (a JSON string of `description` and `ground_truth`),
            `task_type` and `problem_id`.
        errors: "raise" for an error at the first row that is not of the kind; "skip" leaves such rows out.

    Raises:
        InvalidTask: A row is not of the kind; names the row, counted from 0, and the field at fault.
    """
    if errors not in ("raise", "skip"):
        msg = f'`errors` is {errors!r}, but must be "raise" or "skip"'
        raise InvalidArgument(msg)
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        msg = f"`rows` is {_checks.shown(rows)}, but must be several mappings"
        raise InvalidArgument(msg)
    tasks: list[Task] = []
    times: Counter[str] = Counter()
    for number, row in enumerate(rows):
        try:
            problem_id, prompt, truth = _read_row(row)
            task = _pose_row(problem_id, prompt, truth, times[problem_id] + 1)
        except ValueError as error:
            if errors == "skip":
                continue
            msg = f"row {number}: {error}"
            raise InvalidTask(msg) from error
        times[problem_id] += 1
        tasks.append(task)
    return tasks


def _read_row(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """A row's problem_id, prompt and ground truth."""

    def text(holder: Mapping[str, Any], name: str, within: str = "") -> str:
        value = holder.get(name)
        if not isinstance(value, str) or not value.strip():
            what = "missing" if value is None else _checks.shown(value)
            msg = f"`{within}{name}` is {what}, but must be text"
            raise ValueError(msg)
        return _checks.text(within + name, value)

    if not isinstance(row, Mapping):
        msg = f"it is {_checks.shown(row)}, but must be a mapping"
        raise ValueError(msg)

    kind = text(row, "task_type")
    if kind != _TASK_TYPE:
        msg = f"`task_type` is `{kind}`, but must be `{_TASK_TYPE}`"
        raise ValueError(msg)
    info = row.get("verification_info")
    try:
        info = json.loads(info) if isinstance(info, str) else None
    except (ValueError, RecursionError):
        info = None
    if not isinstance(info, dict):
        msg = "`verification_info` must be a JSON string of an object with `description` and `ground_truth`"
        raise ValueError(msg)
    return text(row, "problem_id"), text(row, "prompt"), text(info, "ground_truth", "verification_info.")


def _pose_row(problem_id: str, prompt: str, truth: str, time: int) -> Task:
    where = "`verification_info.ground_truth`"
    try:
        task_id = problem_id if time == 1 else f"{problem_id}#{time}"
        task = family(_FAMILY).task(_problem(_read_drawing(truth)), id=task_id, prompt=prompt)
    except ValueError as error:
        msg = f"{where} is not a tree: {error}"
        raise ValueError(msg) from error
    # The judge compares with our own drawing: it has to be theirs, letter for letter.
    ours, theirs = task.solution.answer.split("\n"), truth.strip().split("\n")
    for number, (our, their) in enumerate(zip(ours, theirs, strict=True), 1):
        if our != their:
            msg = f"{where}: line {number} is {their!r}, but the tree it tells of has {our!r} there"
            raise ValueError(msg)
    return task


_Item = TypeVar("_Item")


def split_by_problem_id(
    rows: Iterable[_Item],
    shares: Mapping[str, float] | None = None,
    *,
    seed: int = 0,
    key: Callable[[_Item], str] | None = None,
) -> dict[str, list[_Item]]:
    """Splits rows so that all rows of one problem_id land in one split.

    A problem_id's split follows from it and `seed` alone: rows added later move no other row.

    Args:
        rows: Mappings with a `problem_id`, or anything `key` reads one from.
        shares: Names of the splits and their shares, which add up to 1; by default 80 % train, 10 % eval and
            10 % test.
        seed: Another seed splits otherwise.
        key: Reads the id of a row.

    Returns:
        The rows of each split, in their order.

    Raises:
        InvalidArgument: The shares do not add up to 1, or an argument is of another type.
        InvalidTask: A row has no problem_id; names the row, counted from 0. An error that `key` raises comes
            out as it is.
    """
    shares = {"train": 0.8, "eval": 0.1, "test": 0.1} if shares is None else shares
    if not isinstance(shares, Mapping):
        msg = f"`shares` is {_checks.shown(shares)}, but must be a mapping of names to numbers, or None"
        raise InvalidArgument(msg)
    shares = {name: _checks.number(f"shares[{name!r}]", share, 0, 1) for name, share in shares.items()}
    if abs(math.fsum(shares.values()) - 1) > 1e-9:
        msg = f"`shares` are {shares}, but must be at least 0 and add up to 1"
        raise InvalidArgument(msg)
    seed = _checks.seed("seed", seed)
    if key is not None:
        _checks.function("key", key, "a callable of a row, or None")
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        msg = f"`rows` is {_checks.shown(rows)}, but must be several rows"
        raise InvalidArgument(msg)
    splits: dict[str, list[_Item]] = {name: [] for name in shares}
    ids: dict[str, set[str]] = {name: set() for name in shares}
    for number, row in enumerate(rows):
        problem_id = _problem_id(row) if key is None else key(row)
        if not isinstance(problem_id, str) or not problem_id:
            msg = f"row {number}: `problem_id` is {_checks.shown(problem_id)}, but must be text"
            raise InvalidTask(msg)
        place = int.from_bytes(_digest("split", seed, problem_id)[:8], "big") / 2**64
        name = _share_at(shares, place)
        splits[name].append(row)
        ids[name].add(problem_id)
    total = sum(map(len, ids.values()))
    assert len(set().union(*ids.values())) == total, "a problem_id has one place, hence one split"
    return splits


def _problem_id(row: object) -> object:
    return row.get("problem_id") if isinstance(row, Mapping) else None


def _share_at(shares: Mapping[str, float], place: float) -> str:
    """The split at a place in [0, 1] when splits lie side by side; never one whose share is 0."""
    taken = [(name, share) for name, share in shares.items() if share > 0]
    for name, share in taken[:-1]:
        if place < share:
            return name
        place -= share
    return taken[-1][0]
