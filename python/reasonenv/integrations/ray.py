"""Ray: generation and verification past one machine. Needs the extra `ray`.

    from reasonenv.integrations import ray

    ray.write_tasks("countdown", 10_000_000, "/shared/countdown", level=2)
    judged = ray.score(ray.dataset("countdown", 1_000_000, level=2), text="completion")
    pool = ray.VerifierPool(4)

An item follows from its source and its index alone, so that a shard is a range of indices, and the bytes are
the same on any number of workers. Nothing here starts or stops Ray but the first call of `ray.remote`.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._files import writing
from reasonenv._native import InvalidArgument, Verdict, Verdicts, __version__, num_threads, set_num_threads
from reasonenv.data.rows import Rows
from reasonenv.integrations._items import AnySource, columns, needs, score_all, source_of
from reasonenv.rewards.presets import RewardLike, every_part, resolve_judged
from reasonenv.rewards.weighted import Reward
from reasonenv.types import ReadingName, SplitName

# Workers import this module: Ray Data, which takes seconds, is for those who use it.
with needs("ray", "Ray"):
    import ray

__all__ = ["VerifierPool", "dataset", "score", "write_tasks"]

_PLAN = "plan.json"
_TOLD_APART = 64
"""Tasks whose ids tell one call from another."""

_LEAST = 1000
"""Items of a call to an actor, below which the call costs more than the judging."""


@dataclass(frozen=True)
class _Shards:
    """Ranges of a source's indices, and what a worker makes of one."""

    source: Any
    count: int
    size: int
    cpus: float

    @classmethod
    def of(cls, source: AnySource, n: int, size: int, cpus: float, ask: dict[str, Any]) -> "_Shards":
        found = source_of(source, **ask)
        count = _checks.whole("n", n, 1, len(found) if isinstance(found, Sequence) else 2**63 - 1)
        size = _checks.whole("shard_size", size, 1, _checks.LARGEST_COUNT)
        return cls(found, count, size, _checks.number("num_cpus", cpus, 0.01, 1024))

    def ranges(self) -> list[tuple[int, int]]:
        return [(lo, min(lo + self.size, self.count)) for lo in range(0, self.count, self.size)]

    def rows(self, lo: int, hi: int) -> list[dict[str, Any]]:
        _cap(self.cpus)
        tasks: Sequence[Any] = (
            self.source.batch(lo, hi - lo) if hasattr(self.source, "batch") else self.source[lo:hi]
        )
        return [{"position": lo + at} | columns(task) for at, task in enumerate(tasks)]

    def lines(self, lo: int, hi: int) -> str:
        """The records of tasks, a line each."""
        _cap(self.cpus)
        tasks = self.source.batch(lo, hi - lo) if hasattr(self.source, "batch") else self.source[lo:hi]
        own = isinstance(tasks, Rows)
        return "".join(task.to_json() + "\n" for task in tasks) if own else str(tasks.to_jsonl())


def _cap(cpus: float) -> None:
    """As many threads as Ray gave the worker CPUs: N workers of N threads each would wait for another."""
    threads = max(int(cpus), 1)
    if num_threads() != threads:
        set_num_threads(threads)


def write_tasks(
    source: AnySource,
    n: int,
    folder: str | os.PathLike[str],
    *,
    level: int = 0,
    split: SplitName = "train",
    seed: int = 0,
    shard_size: int = 100_000,
    num_cpus: float = 1,
) -> list[Path]:
    """Writes the first `n` tasks of a source as JSON lines, a file for each range of indices; gives paths.

    Files one after the other are what `reasonenv generate` writes, on any number of workers. A range whose
    file is there is not made again, so that the same call goes on where one was stopped.

    Args:
        source: As in `reasonenv.integrations.rows`; so are `level`, `split` and `seed`.
        n: How many.
        folder: Where to, by a path that all nodes share.
        level: Of a family.
        split: Of a family.
        seed: Of a family.
        shard_size: Tasks of a file.
        num_cpus: CPUs, and so threads, of each worker.

    Raises:
        InvalidArgument: The folder holds files of another call.
        ReasonEnvError: Another argument is not what it must be.
    """
    shards = _Shards.of(source, n, shard_size, num_cpus, {"level": level, "split": split, "seed": seed})
    # Workers have another working directory.
    target = _checks.path("folder", folder).absolute()
    target.mkdir(parents=True, exist_ok=True)
    ids = [row["task_id"] for row in shards.rows(0, min(shards.count, _TOLD_APART))]
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
    # The file is whole or not there, whatever stops the worker.
    with writing(path) as file:
        file.write(shards.lines(lo, hi))


def dataset(
    source: AnySource,
    n: int,
    *,
    level: int = 0,
    split: SplitName = "train",
    seed: int = 0,
    shard_size: int = 10_000,
    num_cpus: float = 1,
) -> Any:
    """The first `n` tasks of a source as a `ray.data.Dataset`, made where they are used.

    Its columns are those of `reasonenv.integrations.rows`, and `position`, which Ray Data does not keep in
    order: sort by it where order counts. The arguments are those of `write_tasks`.
    """
    shards = _Shards.of(source, n, shard_size, num_cpus, {"level": level, "split": split, "seed": seed})
    ranges = [{"lo": lo, "hi": hi} for lo, hi in shards.ranges()]

    def make(asked: dict[str, Any]) -> Any:
        (lo,), (hi,) = asked["lo"], asked["hi"]
        return _table(shards.rows(int(lo), int(hi)))

    with needs("ray", "Ray Data"):
        from ray import data  # noqa: PLC0415  see above
    many = data.from_items(ranges, override_num_blocks=len(ranges))
    return many.map_batches(make, batch_size=1, num_cpus=shards.cpus)


def _table(rows: list[dict[str, Any]]) -> Any:
    """Rows as an Arrow table of one schema, whatever they hold."""
    import pyarrow as pa  # noqa: PLC0415  comes with Ray Data

    numbers = ("position", "level")
    schema = pa.schema([(name, pa.int64() if name in numbers else pa.string()) for name in rows[0]])
    return pa.Table.from_pylist(rows, schema=schema)


def score(
    given: Any,
    *,
    text: str = "text",
    problem: str = "problem",
    reward: RewardLike = "binary",
    reading: ReadingName | None = None,
    batch_size: int = 4096,
    num_cpus: float = 1,
) -> Any:
    """Judges the completions of a `ray.data.Dataset`: adds `passed`, `score`, `reward` and `failure`.

    Args:
        given: The data set.
        text: The column of completions.
        problem: The column of problems.
        reward: What `reward` is: the name of a preset or of a part, weights of parts, or a `Reward`.
        reading: How answers are read; None is each family's own way.
        batch_size: Completions of one call.
        num_cpus: CPUs, and so threads, of each worker.

    Raises:
        ReasonEnvError: An argument is not what it must be.
    """
    paid = resolve_judged(reward, every_part())
    size = _checks.whole("batch_size", batch_size, 1, _checks.LARGEST_COUNT)
    cpus = _checks.number("num_cpus", num_cpus, 0.01, 1024)

    def judge(batch: Any) -> Any:
        _cap(cpus)
        texts = batch[text].to_pylist()
        verdicts = score_all(texts, batch[problem].to_pylist(), reading)
        return _judged(batch, verdicts, paid, texts)

    return given.map_batches(judge, batch_format="pyarrow", batch_size=size, num_cpus=cpus)


def _judged(batch: Any, verdicts: Verdicts, paid: Reward, texts: list[str]) -> Any:
    import pyarrow as pa  # noqa: PLC0415  comes with Ray Data

    failures = ["" if not labels else labels[0] for labels in verdicts.failures]
    more = {
        "passed": pa.array(verdicts.passed),
        "score": pa.array(verdicts.score),
        "reward": pa.array(paid(verdicts, texts)),
        "failure": pa.array(failures, pa.string()),
    }
    for name, values in more.items():
        batch = batch.append_column(name, values)
    return batch


class VerifierPool:
    """Actors that judge, for a trainer that runs on Ray already.

    Args:
        size: How many.
        num_cpus: CPUs, and so threads, of each one.

    Raises:
        InvalidArgument: The cluster has not as many CPUs: Ray would wait for them for ever.
    """

    def __init__(self, size: int, *, num_cpus: float = 1) -> None:
        count = _checks.whole("size", size, 1, 100_000)
        cpus = _checks.number("num_cpus", num_cpus, 0.01, 1024)
        if not ray.is_initialized():
            ray.init()
        free = ray.available_resources().get("CPU", 0.0)
        if count * cpus > free:
            msg = f"`size` is {count} of {cpus:g} CPUs each, but the cluster has {free:g} that are free"
            raise InvalidArgument(msg)
        kind = ray.remote(_Judge).options(num_cpus=cpus, scheduling_strategy="SPREAD")
        self.actors = [kind.remote(cpus) for _ in range(count)]

    def score(
        self, texts: Sequence[str], problems: Sequence[str], reading: ReadingName | None = None
    ) -> Verdicts:
        """`reasonenv.integrations.score_all`, spread over the actors in calls of 1,000 items or more."""
        if len(texts) != len(problems):
            return score_all(texts, problems)  # tells what is wrong
        share = max(-(-len(texts) // len(self.actors)), _LEAST)
        calls = [
            actor.score.remote(list(texts[at : at + share]), list(problems[at : at + share]), reading)
            for actor, at in zip(self.actors, range(0, len(texts), share), strict=False)
        ]
        found: list[Verdict] = [verdict for verdicts in ray.get(calls) for verdict in verdicts]
        return Verdicts(found)

    def close(self) -> None:
        """Ends the actors."""
        for actor in self.actors:
            ray.kill(actor)
        self.actors = []


class _Judge:
    """What an actor does."""

    def __init__(self, cpus: float) -> None:
        _cap(cpus)

    def score(self, texts: list[str], problems: list[str], reading: ReadingName | None) -> Verdicts:
        return score_all(texts, problems, reading)
