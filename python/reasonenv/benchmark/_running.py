"""A manifest run: a policy through every entry, on the rollout engine, so that a killed run goes on."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reasonenv import _checks
from reasonenv._files import writing
from reasonenv._native import InvalidArgument
from reasonenv.benchmark._entries import Manifest, manifest, sha256
from reasonenv.benchmark._result import BenchmarkResult, measured
from reasonenv.rollouts import Progress, evaluate, rollout
from reasonenv.rollouts._engine import AnyPolicy
from reasonenv.rollouts._feeds import LARGEST_GROUP
from reasonenv.rollouts._records import version_of
from reasonenv.rollouts._run import InvalidRun, read_records
from reasonenv.rollouts._sources import answerers
from reasonenv.types import ReadingName

_CHECKED: set[str] = set()
"""Digests of manifests whose items were made and checked by this process already."""


def run(
    what: str | Manifest,
    policy: AnyPolicy,
    *,
    rollouts: int = 1,
    seed: int = 0,
    reading: ReadingName | None = None,
    batch_size: int = 256,
    concurrency: int = 32,
    run: str | Path | None = None,
    overwrite: bool = False,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> BenchmarkResult:
    """Takes a policy through a manifest.

    Args:
        what: A manifest, or its name: "core" for the newest version, "core-v1" for one of them.
        policy: As `reasonenv.evaluate` takes it: a name, a callable, or a coroutine function; one of them.
        rollouts: Answers to each item, at most 10,000. pass@k is told for k = 1, 2, 4 … 1024 up to these.
        seed: Decides what is random in built-in policies. The items are the manifest's.
        reading: How answers are read; None is each family's own.
        batch_size: Items given to a policy at once.
        concurrency: Requests under way at once, of a policy that is a coroutine function.
        run: A folder to log to: `tasks` and `games` hold the traces, `result.json` the result. The same call
            goes on with a run that was killed, and reads one that is finished.
        overwrite: Drops what is in the folder.
        on_progress: Called with how many are done, of how many, and what is being done.

    Raises:
        ReasonEnvError: An argument is not what it must be.
        InvalidManifest: The items made here are not the manifest's; names the entry.
        InvalidRun: The folder holds another run, or an endpoint gave no answer to some items: the same call
            asks for those again.
        OSError: The folder cannot be written; names the path.
    """
    asked = what if isinstance(what, Manifest) else manifest(what)
    rollouts = _checks.whole("rollouts", rollouts, 1, LARGEST_GROUP)
    _checks.flag("overwrite", overwrite)
    named = answerers([policy] if isinstance(policy, str) or callable(policy) else policy, seed)
    if len(named) != 1:
        msg = f"`policy` has {len(named)} policies, but a benchmark is of one; run it for each"
        raise InvalidArgument(msg)
    with ExitStack() as stack:
        if run is None:
            folder = Path(stack.enter_context(TemporaryDirectory()))
        else:
            folder = _checks.path("run", run)
            folder.mkdir(parents=True, exist_ok=True)
        _own(folder / "manifest.json", asked, overwrite)
        tell = on_progress or _silent
        if asked.digest not in _CHECKED:
            for done, name in enumerate(asked.check(), 1):
                tell(done, len(asked.entries), f"checking {name}")
            _CHECKED.add(asked.digest)
        common: dict[str, Any] = {
            "seed": seed,
            "batch_size": batch_size,
            "concurrency": concurrency,
            "overwrite": overwrite,
        }
        unanswered = _asked(asked, named, folder, rollouts, reading, tell, common)
        if unanswered:
            msg = f"{unanswered} rollouts have no answer of the endpoint; make the same call again to go on"
            raise InvalidRun(msg)
        ((name, answerer),) = named.items()
        facts = {
            "policy": name,
            "policy_version": version_of(answerer),
            "rollouts": rollouts,
            "reading": reading,
        }
        result = measured(asked, facts, _records(folder / "tasks"), _episodes(asked, folder))
        with writing(folder / "result.json") as file:
            file.write(json.dumps(result.to_dict(), indent=1) + "\n")
    return result


def _asked(  # noqa: PLR0917
    asked: Manifest,
    named: dict[str, Any],
    folder: Path,
    rollouts: int,
    reading: ReadingName | None,
    tell: Callable[[int, int, str], None],
    common: dict[str, Any],
) -> int:
    """Takes the policy through every entry; gives the number of rollouts that have no answer."""
    total, before, unanswered = asked.count * rollouts, 0, 0

    def told(now: Progress) -> None:
        tell(before + now.done, total, f"{now.source}, {now.policy}")

    if asked.items:
        summary = evaluate(
            {entry.name: entry.source for entry in asked.items},
            named,
            n=max(entry.count for entry in asked.items),
            rollouts=rollouts,
            reading=reading,
            run=folder / "tasks",
            on_progress=told,
            **common,
        )
        unanswered += sum(row.errors for row in summary)
        before += sum(entry.count for entry in asked.items) * rollouts
    for entry in asked.games:
        # Each entry has opponents of its own, and the engine takes one environment at a time.
        played = rollout(
            named,
            entry.make,
            n=entry.count,
            group_size=rollouts,
            run=folder / "games" / _file_name(entry.name),
            on_progress=told,
            **(common | {"seed": entry.seed}),
        )
        unanswered += len(played.errors)
        before += entry.count * rollouts
    return unanswered


def _silent(done: int, total: int, doing: str) -> None:
    """Says nothing."""


def _own(path: Path, asked: Manifest, overwrite: bool) -> None:
    """Keeps the manifest beside what was said to it."""
    if path.exists() and not overwrite:
        there = Manifest.load(path)
        if there.digest != asked.digest:
            msg = f"{path.parent} was run on another {there}; name another folder, or overwrite this one"
            raise InvalidRun(msg)
        return
    with writing(path) as file:
        file.write(json.dumps(asked.to_dict() | {"digest": asked.digest}, indent=1) + "\n")


def _file_name(name: str) -> str:
    return name.replace(" ", "_").replace(":", "_")


def _records(folder: Path) -> Iterator[dict[str, Any]]:
    """The traces of a run, if there is one."""
    path = folder / "traces.jsonl"
    if path.exists():
        yield from (record for _, record in read_records(path))


def _episodes(asked: Manifest, folder: Path) -> Iterator[dict[str, Any]]:
    """The episodes of every game, under the names of their entries."""
    for entry in asked.games:
        for record in _records(folder / "games" / _file_name(entry.name)):
            yield record | {"source": entry.name}


def verify_run(folder: str | Path) -> BenchmarkResult:
    """Judges every completion of a finished benchmark anew, and gives the result that this comes to.

    Whoever has the folder can so check a result without asking the policy. Of games the moves are as logged.

    Raises:
        InvalidRun: A completion is judged otherwise, or the result is not that of the traces; names which.
        InvalidManifest: The manifest's items cannot be made here.
    """
    place = _checks.path("folder", folder)
    told = BenchmarkResult.load(place)
    asked = Manifest.load(place / "manifest.json")
    for _ in asked.check():
        pass
    batches = {entry.name: {task.id: task for task in entry.batch()} for entry in asked.items}

    def judged() -> Iterator[dict[str, Any]]:
        for record in _records(place / "tasks"):
            task = batches.get(record["source"], {}).get(record["task_id"])
            if task is None:
                msg = f"{place} has a rollout of {record['task_id']}, which is no item of {asked}"
                raise InvalidRun(msg)
            verdict = task.verify(record["text"], told.reading)  # type: ignore[arg-type]
            if verdict.passed != record["verdict"]["passed"]:
                said, here = ("failed", "passed") if verdict.passed else ("passed", "failed")
                where = f"rollout {record['rollout']} of {task.id}"
                msg = f"{where} is logged as {said}, but {here} when judged anew"
                raise InvalidRun(msg)
            yield record

    facts = {name: getattr(told, name) for name in ("policy", "policy_version", "rollouts", "reading")}
    found = measured(asked, facts, judged(), _episodes(asked, place))
    if sha256(found.to_dict() | {"reasonenv": ""}) != sha256(told.to_dict() | {"reasonenv": ""}):
        msg = f"{place / 'result.json'} is not the result of the traces beside it; run the benchmark again"
        raise InvalidRun(msg)
    return found
