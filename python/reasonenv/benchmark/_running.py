"""A manifest run: a policy answers every entry through the rollout engine, so a killed run resumes."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reasonenv import _checks
from reasonenv._files import writing
from reasonenv._native import InvalidArgument
from reasonenv._records import TRACES, InvalidRun, read_lines
from reasonenv.benchmark._entries import Manifest, manifest, sha256
from reasonenv.benchmark._result import BenchmarkResult, measured
from reasonenv.rollouts import Progress, Sampling, Saving, evaluate, rollout
from reasonenv.rollouts._engine import AnyPolicy
from reasonenv.rollouts._policies import version_of
from reasonenv.rollouts._settings import LARGEST_GROUP, sampling_of, saving_of, teller
from reasonenv.rollouts._sources import answerers
from reasonenv.types import ReadingName

_CHECKED: set[str] = set()
"""Digests of manifests whose items this process has already made and checked."""


def run(
    what: str | Manifest,
    policy: AnyPolicy,
    *,
    group_size: int = 1,
    seed: int = 0,
    reading: ReadingName | None = None,
    sampling: Sampling | None = None,
    saving: str | Path | Saving | None = None,
) -> BenchmarkResult:
    """Run a policy on a manifest.

    Args:
        what: A manifest, or its name: "core" for the newest version, "core-v1" for a specific one.
        policy: As for `reasonenv.evaluate`: one name, callable or coroutine function.
        group_size: Rollouts of each item, at most 10,000. pass@k is reported for k = 1, 2, 4 … 1024 up to it.
        seed: Determines the randomness of built-in policies. The items are the manifest's.
        reading: Reading of the answers; None is each family's own.
        sampling: A `reasonenv.rollouts.Sampling`; only `batch_size` and `concurrency` may differ from the
            defaults.
        saving: A folder, or a `reasonenv.rollouts.Saving`: `tasks` and `games` in it hold the traces,
            `result.json` the result. The same call resumes a killed run, and reads a finished one.

    Raises:
        ReasonEnvError: An argument is invalid; names it.
        InvalidManifest: The items made here differ from the manifest's; names the entry.
        InvalidRun: The folder holds another run, or an endpoint gave no answer to some items: the same call
            asks for those again.
        OSError: The folder cannot be written; names the path.
    """
    asked = what if isinstance(what, Manifest) else manifest(what)
    group_size = _checks.whole("group_size", group_size, 1, LARGEST_GROUP)
    sampling, place = sampling_of(sampling), saving_of(saving)
    if sampling != Sampling(batch_size=sampling.batch_size, concurrency=sampling.concurrency):
        msg = "`sampling` may set `batch_size` and `concurrency` alone in a benchmark; leave out the others"
        raise InvalidArgument(msg)
    named = answerers([policy] if isinstance(policy, str) or callable(policy) else policy, seed)
    if len(named) != 1:
        msg = f"`policy` has {len(named)} policies, but a benchmark is of one; run it for each"
        raise InvalidArgument(msg)
    ((name, answerer),) = named.items()
    with ExitStack() as stack:
        folder = Path(place.folder or stack.enter_context(TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        _own(folder / "manifest.json", asked, place.overwrite)
        tell = teller(stack, place) or _silent
        if asked.digest not in _CHECKED:
            for done, entry in enumerate(asked.check(), 1):
                tell(Progress(f"checking {entry}", name, done, len(asked.entries)))
            _CHECKED.add(asked.digest)
        common = {"group_size": group_size, "sampling": sampling}
        inner = replace(place, folder=folder, progress=False, on_progress=tell)
        unanswered = _asked(asked, named, inner, common | {"seed": seed, "reading": reading})
        if unanswered:
            msg = f"{unanswered} rollouts have no answer of the endpoint; make the same call again to resume"
            raise InvalidRun(msg)
        facts = {
            "policy": name,
            "policy_version": version_of(answerer),
            "rollouts": group_size,
            "reading": reading,
        }
        result = measured(asked, facts, _records(folder / "tasks"), _episodes(asked, folder))
        with writing(folder / "result.json") as file:
            file.write(json.dumps(result.to_dict(), indent=1) + "\n")
    return result


def _asked(asked: Manifest, named: dict[str, Any], saving: Saving, common: dict[str, Any]) -> int:
    """Run the policy on every entry and return the number of rollouts without an answer."""
    total, before, unanswered = asked.count * common["group_size"], 0, 0

    def told(now: Progress) -> None:
        if saving.on_progress is not None:
            saving.on_progress(replace(now, done=before + now.done, total=total))

    def within(name: str) -> Saving:
        return replace(saving, folder=Path(saving.folder or "") / name, on_progress=told)

    if asked.items:
        summary = evaluate(
            {entry.name: entry.source for entry in asked.items},
            named,
            n=max(entry.count for entry in asked.items),
            saving=within("tasks"),
            **common,
        )
        unanswered += sum(row.errors for row in summary)
        before += sum(entry.count for entry in asked.items) * common["group_size"]
    for entry in asked.games:
        # Each entry has its own opponents, and the engine takes one environment at a time.
        played = rollout(
            entry.make,
            named,
            n=entry.count,
            saving=within(f"games/{_file_name(entry.name)}"),
            **(common | {"seed": entry.seed, "reading": None}),
        )
        unanswered += len(played.errors)
        before += entry.count * common["group_size"]
    return unanswered


def _silent(_now: Progress) -> None:
    """Reports nothing."""


def _own(path: Path, asked: Manifest, overwrite: bool) -> None:
    """Keep the manifest with the answers to it."""
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
    """Records of a run, if there is one, without their prompts."""
    path = folder / TRACES
    if path.exists():
        yield from (line.record for line in read_lines(path))


def _episodes(asked: Manifest, folder: Path) -> Iterator[dict[str, Any]]:
    """Episodes of every game, under the names of their entries."""
    for entry in asked.games:
        for record in _records(folder / "games" / _file_name(entry.name)):
            yield record | {"source": entry.name}


def verify_run(folder: str | Path) -> BenchmarkResult:
    """Verify every completion of a finished benchmark again, and return the result.

    Anyone with the folder can thus check a result without asking the policy. The moves of games are as
    logged.

    Raises:
        InvalidRun: A verdict differs, or the result doesn't follow from the traces; names which.
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
                msg = f"{place} has a rollout of {record['task_id']}, which is not an item of {asked}"
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
