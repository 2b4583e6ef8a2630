"""Ray: generation on several machines; verification is in `ray_verify`. Needs the `ray` extra.

    from reasonenv.integrations import ray

    ray.write_tasks("countdown", 10_000_000, "/shared/countdown", level=2)
    tasks = ray.dataset("countdown", 1_000_000, level=2)

A task depends only on its source and its index, so a shard is a range of indices, and the bytes are the same
on any number of workers. Only the first call of `ray.remote` starts Ray; nothing here stops it.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._files import writing
from reasonenv._native import InvalidArgument, __version__, num_threads, set_num_threads
from reasonenv.data._rows import Rows
from reasonenv.data._sources import SourceLike
from reasonenv.integrations._items import needs
from reasonenv.integrations._setup import Setup

# Workers import this module, so Ray Data, whose import takes seconds, is imported only where it is used.
with needs("ray", "Ray"):
    import ray

__all__ = ["dataset", "write_tasks"]

_PLAN = "plan.json"
_TOLD_APART = 64
"""Number of tasks whose ids identify a call."""


@dataclass(frozen=True)
class _Shards:
    """Ranges of a source's indices, which workers turn into tasks."""

    setup: Setup
    count: int
    size: int
    cpus: float

    @classmethod
    def of(cls, source: str | SourceLike, n: int, size: int, cpus: float, ask: dict[str, Any]) -> "_Shards":
        found = Setup.of(source, **ask)
        count = _checks.whole("n", n, 1, found.count or 2**63 - 1)
        size = _checks.whole("shard_size", size, 1, _checks.LARGEST_COUNT)
        return cls(found, count, size, _checks.number("num_cpus", cpus, 0.01, 1024))

    def ranges(self) -> list[tuple[int, int]]:
        return [(lo, min(lo + self.size, self.count)) for lo in range(0, self.count, self.size)]

    def tasks(self, lo: int, hi: int) -> Any:
        return self.setup.tasks.batch(lo, hi - lo)

    def rows(self, lo: int, hi: int) -> list[dict[str, Any]]:
        cap_threads(self.cpus)
        return [{"position": lo + at} | row for at, row in enumerate(self.setup.rows(hi - lo, lo))]

    def lines(self, lo: int, hi: int) -> str:
        """Records of the tasks, one per line."""
        cap_threads(self.cpus)
        tasks = self.tasks(lo, hi)
        own = isinstance(tasks, Rows)
        return "".join(task.to_json() + "\n" for task in tasks) if own else str(tasks.to_jsonl())


def cap_threads(cpus: float) -> None:
    """Limit the threads to the CPUs that Ray gave the worker; with more, workers would compete."""
    threads = max(int(cpus), 1)
    if num_threads() != threads:
        set_num_threads(threads)


def write_tasks(
    source: str | SourceLike,
    n: int,
    folder: str | os.PathLike[str],
    *,
    shard_size: int = 100_000,
    num_cpus: float = 1,
    **settings: Any,
) -> list[Path]:
    """Write the first `n` tasks of a source as JSON lines, one file per range of indices; return the paths.

    The concatenated files equal the output of `reasonenv generate`, on any number of workers. Existing files
    are not made again, so after an interruption the same call resumes.

    Args:
        source: Source of the tasks, as in `reasonenv.integrations.rows`.
        n: Number of tasks.
        folder: Folder on a file system that all nodes share.
        shard_size: Tasks per file.
        num_cpus: CPUs, and therefore threads, of each worker.
        **settings: Settings of the tasks, as in `reasonenv.integrations.rows`.

    Raises:
        InvalidArgument: The folder has files of another call.
        ReasonEnvError: Another argument is invalid.
    """
    shards = _Shards.of(source, n, shard_size, num_cpus, settings)
    # Workers have another working directory.
    target = _checks.path("folder", folder).absolute()
    target.mkdir(parents=True, exist_ok=True)
    ids = [task.id for task in shards.tasks(0, min(shards.count, _TOLD_APART))]
    digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()
    plan = {"reasonenv": __version__, "n": shards.count, "shard_size": shards.size, "first_ids": digest}
    said = json.dumps(plan, indent=2) + "\n"
    there = target / _PLAN
    if there.exists() and there.read_text(encoding="utf-8") != said:
        msg = f"`folder` is {target}, which holds files of another call; name another folder"
        raise InvalidArgument(msg)
    with writing(there) as file:
        file.write(said)
    paths = {(lo, hi): target / f"part-{lo:012d}-{hi:012d}.jsonl" for lo, hi in shards.ranges()}
    write = ray.remote(_write).options(num_cpus=shards.cpus, scheduling_strategy="SPREAD")
    missing = [(lo, hi, str(path)) for (lo, hi), path in paths.items() if not path.exists()]
    ray.get([write.remote(shards, *one) for one in missing])
    return list(paths.values())


def _write(shards: _Shards, lo: int, hi: int, path: str) -> None:
    # The file is complete or absent, whatever stops the worker.
    with writing(path) as file:
        file.write(shards.lines(lo, hi))


def dataset(
    source: str | SourceLike,
    n: int,
    *,
    shard_size: int = 10_000,
    num_cpus: float = 1,
    **settings: Any,
) -> Any:
    """Make a `ray.data.Dataset` of the first `n` tasks of a source, generated where they are used.

    Its columns are those of `reasonenv.integrations.rows` and `position`. Ray Data does not keep the order;
    sort by `position` if it matters. The arguments are those of `write_tasks`.
    """
    shards = _Shards.of(source, n, shard_size, num_cpus, settings)
    ranges = [{"lo": lo, "hi": hi} for lo, hi in shards.ranges()]

    def make(asked: dict[str, Any]) -> Any:
        (lo,), (hi,) = asked["lo"], asked["hi"]
        return _table(shards.rows(int(lo), int(hi)))

    with needs("ray", "Ray Data"):
        from ray import data  # noqa: PLC0415  see above
    many = data.from_items(ranges, override_num_blocks=len(ranges))
    return many.map_batches(make, batch_size=1, num_cpus=shards.cpus)


def _table(rows: list[dict[str, Any]]) -> Any:
    """Make an Arrow table of rows, always with the same schema."""
    import pyarrow as pa  # noqa: PLC0415  comes with Ray Data

    numbers = ("position", "level")
    schema = pa.schema([(name, pa.int64() if name in numbers else pa.string()) for name in rows[0]])
    return pa.Table.from_pylist(rows, schema=schema)
