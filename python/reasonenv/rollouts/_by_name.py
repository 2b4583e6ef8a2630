"""Parts that exist only for run files, by name."""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium

from reasonenv import _checks
from reasonenv._files import NamedFile, lines
from reasonenv._native import Batch, InvalidArgument, Mixture, Source, Task, family
from reasonenv._records import Record
from reasonenv.data._rows import Rows, from_rows
from reasonenv.rollouts._run import append_lines
from reasonenv.types import SplitName


def source(
    name: str,
    *,
    level: int = 0,
    params: dict[str, Any] | None = None,
    split: SplitName = "train",
    seed: int = 0,
    style: dict[str, Any] | None = None,
) -> Source:
    """Tasks of one family."""
    return family(name).source(level=level, params=params, split=split, seed=seed, style=style)


def mixture(
    sources: Sequence[Any],
    weights: Sequence[float] | None = None,
    split: SplitName = "train",
    seed: int = 0,
) -> Mixture:
    """Tasks of several families: names, or mappings with a `name` and the arguments of its source."""
    if isinstance(sources, str) or not isinstance(sources, Sequence):
        msg = f"`sources` is {_checks.shown(sources)}, but must be a list of families"
        raise InvalidArgument(msg)
    found = []
    for i, one in enumerate(sources):
        given = {"name": one} if isinstance(one, str) else _checks.mapping(f"sources[{i}]", one) or {}
        known = ("name", "level", "params", "split", "seed", "style")
        for key in given:
            if key not in known:
                raise _checks.unknown(f"key of `sources[{i}]`", key, known)
        found.append(source(**({"split": split, "seed": seed} | given)))
    return Mixture(found, weights=weights, split=split, seed=seed)


def rows(path: str, *, shuffle: bool = True, shuffle_seed: int = 0, **arguments: Any) -> Rows:
    """Rows of a file, in an order that a seed determines, so that the first n are a fair sample.

    Args:
        path: Path of the file.
        shuffle: False to keep the order of the file.
        shuffle_seed: Determines the order.
        **arguments: The other arguments of `from_rows`.
    """
    for name in arguments:
        if name not in (known := [*inspect.signature(from_rows).parameters][1:]):
            raise _checks.no_argument("`rows`", name, ["path", "shuffle", "shuffle_seed", *known])
    found = from_rows(path, **arguments)
    return found.shuffle(shuffle_seed) if _checks.flag("shuffle", shuffle) else found


def tasks(path: str) -> Batch:
    """Tasks from a file that `reasonenv generate` wrote."""
    return Batch([Task.from_json(line) for _, line in lines(path)])


def environment(id: str, **arguments: Any) -> Any:
    """Factory of environments with an id."""
    spec = gymnasium.spec(id)
    return lambda: gymnasium.make(spec, **arguments)


class JsonLines:
    """A logger that writes each trajectory as one line of a file."""

    def __init__(self, path: str) -> None:
        self.path = Path(_checks.path("path", path))

    def __call__(self, trajectory: Record) -> None:
        """Write a trajectory."""
        with NamedFile(str(self.path), "a", self.path) as file:
            append_lines(file, [trajectory.to_dict()])


class Lines:
    """A logger that prints a line for each trajectory."""

    def __call__(self, trajectory: Record) -> None:
        """Print a trajectory."""
        came_to = trajectory.error or f"reward {trajectory.reward:g}"
        print(f"{trajectory.policy}  {trajectory.group_id}  {trajectory.rollout}  {came_to}")
