"""Data sets on disk: tasks in four roles that share no problem, and traces filtered for training."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from reasonenv import _checks
from reasonenv._files import remove_drafts, writing
from reasonenv._native import Family, InvalidArgument, InvalidTask, Source, Task, __version__
from reasonenv._repeats import warn_of_repeats
from reasonenv.data import _traces as of_traces
from reasonenv.data._roles import ROLES, TRAINING_ROLES, Duplicates, HoldOut, Roles, training_role
from reasonenv.data._shards import checked_shard
from reasonenv.data._sources import as_family
from reasonenv.data._split import place_of

MANIFEST = "manifest.json"
FORMAT = 1
"""Version of the format; raised whenever an older data set would be misread."""

_CHUNK = 1024
"""Tasks generated at once."""

TRACE_FILES: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "traces/outcome.jsonl": of_traces.is_passed,
    "traces/sft.jsonl": of_traces.is_clean,
    "traces/process.jsonl": of_traces.goes_straight,
}
"""Files of traces, each with its filter."""

STEPS, PAIRS = "traces/steps.jsonl", "traces/preferences.jsonl"


@dataclass
class _Repeats:
    """Problems of each role, and counts of repeats by role, family and level."""

    policy: Duplicates
    counts: Counter[tuple[str, str, int | None]] = field(default_factory=Counter)
    _seen: dict[str, set[int]] = field(default_factory=dict)

    def takes(self, role: str, family: str, level: int | None, key: str) -> bool:
        """Return True if a task should be written. Half a key is enough; a million of them take 70 MB."""
        seen, short = self._seen.setdefault(role, set()), int(key[:16], 16)
        if short not in seen:
            seen.add(short)
            return True
        self.counts[role, family, level] += 1
        return self.policy == "keep"


@dataclass
class _File:
    """A file of a data set, with its entry in the manifest."""

    out: IO[str]
    lines: int = 0
    bytes: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def write(self, line: str) -> None:
        """Write a line, given without its end."""
        data = (line + "\n").encode("utf-8", "backslashreplace")
        self.out.write(line + "\n")
        self.lines += 1
        self.bytes += len(data)
        self.digest.update(data)

    def facts(self) -> dict[str, Any]:
        return {"lines": self.lines, "bytes": self.bytes, "sha256": self.digest.hexdigest()}


@dataclass(frozen=True)
class _Part:
    """Tasks of one source that are candidates for some roles."""

    source: Source
    count: int
    roles: tuple[str, ...]


def build_dataset(
    out: str | os.PathLike[str],
    families: str | Family | Iterable[str | Family] = (),
    n: int = 1000,
    *,
    levels: Iterable[int] = (0,),
    roles: Roles | None = None,
    params: Mapping[str, Any] | None = None,
    style: Mapping[str, Any] | None = None,
    seed: int = 0,
    traces: "of_traces.Traces | None" = None,
    shard: tuple[int, int] | None = None,
    overwrite: bool = False,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> dict[str, Any]:
    """Build a data set in a folder; return its manifest.

    The tasks are written as records of docs/records.md to `tasks/sft.jsonl` and `tasks/rl.jsonl` (both of the
    split "train", divided by the key of each problem), `tasks/validation.jsonl` ("eval") and
    `tasks/transfer.jsonl` ("test", and all that is held out). No problem is in two of them. The same
    arguments write the same bytes with any number of threads, and concatenated shards equal the whole.

    From `traces` come, only for tasks with the role "sft", `traces/outcome.jsonl` (those that passed),
    `traces/sft.jsonl` (those fit to imitate), `traces/process.jsonl` (those with only right steps) and
    `traces/steps.jsonl` (sub-trajectories of those fit to imitate); and for tasks of both training roles
    `traces/preferences.jsonl` (pairs from mixed groups). Without families, all traces of the split "train"
    count as "sft".

    Args:
        out: The folder; its parent has to be there.
        families: Families by name or themselves, one or several.
        n: Candidates for training of each family and level.
        levels: Levels that each family has.
        roles: A `Roles`: shares and counts of the four roles, hold-outs, and whether repeats are kept.
        params: Overrides the levels' params.
        style: Wording, as `Family.source` takes it.
        seed: Decides the items, and which role a training problem has.
        traces: Trajectories: a file, a run's folder, or records.
        shard: (i, n) builds the i-th of n parts, from 0. Traces are not sharded.
        overwrite: Whether to replace an existing data set.
        on_progress: Callback with the number of candidates made, the number of all, and the family's name.

    Raises:
        ReasonEnvError: An argument is invalid; names it.
        FileExistsError: The folder has a data set or something else in it.
        OSError: A file cannot be written; names the path. The folder then has no manifest.
    """
    roles = Roles() if roles is None else roles
    if not isinstance(roles, Roles):
        msg = f"`roles` is {_checks.shown(roles)}, but must be a `Roles`"
        raise InvalidArgument(msg)
    plan = _plan(families, n, levels, roles, params=params, style=style, seed=seed)
    repeats = _Repeats(roles.duplicates)
    if shard is not None:
        shard = checked_shard(shard)
        if traces is not None:
            msg = "`traces` are not sharded; build the shards without them, merge these, and add traces then"
            raise InvalidArgument(msg)
    if not plan.parts and traces is None:
        msg = "`families` is empty and there are no `traces`; name at least one family"
        raise InvalidArgument(msg)
    folder = _fresh(out, overwrite=overwrite)
    counts: Counter[tuple[str, str, int | None]] = Counter()
    role_of: dict[bytes, str] | None = {} if traces is not None else None
    with ExitStack() as stack:
        files = {
            f"tasks/{role}.jsonl": stack.enter_context(_file(folder, f"tasks/{role}.jsonl")) for role in ROLES
        }
        total = sum(part.count for part in plan.parts)
        at, of = shard or (0, 1)
        low, high = total * at // of, total * (at + 1) // of
        total, done, first = high - low, 0, 0
        for part in plan.parts:
            # Candidates are counted through all parts, so that concatenated shards equal the whole.
            begin, end = (min(max(bound - first, 0), part.count) for bound in (low, high))
            first += part.count
            unit, level = part.source.family.name, part.source.level
            warn_of_repeats(part.source, end - begin)
            for start in range(begin, end, _CHUNK):
                count = min(_CHUNK, end - start)
                for role, line, task in _tasks(plan, part, start, count):
                    if not repeats.takes(role, unit, level, task.key):
                        continue
                    files[f"tasks/{role}.jsonl"].write(line)
                    counts[role, unit, level] += 1
                    if role_of is not None:
                        role_of[_short(task.id)] = role
                done += count
                if on_progress is not None:
                    on_progress(done, total, unit)
        skipped = {}
        if traces is not None and role_of is not None:
            several = traces if isinstance(traces, str | os.PathLike) else list(traces)
            files |= {name: stack.enter_context(_file(folder, name)) for name in (*TRACE_FILES, STEPS, PAIRS)}
            skipped = _sort_traces(several, role_of if plan.parts else None, files)
    manifest = {
        "format": FORMAT,
        "reasonenv": __version__,
        "config": plan.config,
        "shard": None if shard is None else list(shard),
        "files": {name: file.facts() for name, file in files.items()},
        "counts": _nested(counts),
        "duplicates": _nested(repeats.counts),
        "skipped_traces": skipped,
    }
    _write_manifest(folder, manifest)
    return manifest


@dataclass(frozen=True)
class _Plan:
    parts: Sequence[_Part]
    config: dict[str, Any]
    roles: Roles
    seed: int


def _plan(
    families: str | Family | Iterable[str | Family],
    n: int,
    levels: Iterable[int],
    roles: Roles,
    *,
    params: Mapping[str, Any] | None,
    style: Mapping[str, Any] | None,
    seed: int,
) -> _Plan:
    """Plan of the tasks to make, in order, with its part of the manifest."""
    given = [families] if isinstance(families, str | Family) else families
    found = [as_family(one, "families") for one in given]
    units = list({unit.name: unit for unit in found}.values())
    n = _checks.whole("n", n, 1, _checks.LARGEST_COUNT)
    if isinstance(levels, str | Mapping) or not isinstance(levels, Iterable):
        msg = f"`levels` is {_checks.shown(levels)}, but must be several levels, as in [0, 2]"
        raise InvalidArgument(msg)
    wanted = sorted({_checks.whole("levels", level, 0) for level in levels})
    if not wanted:
        msg = "`levels` is empty, but must have at least one level"
        raise InvalidArgument(msg)
    params, style = _checks.mapping("params", params), _checks.mapping("style", style)
    seed = _checks.seed("seed", seed)
    if units:
        roles.hold_out.check(units, wanted)
    config = {
        "families": {unit.name: unit.version for unit in units},
        "n": n,
        "levels": wanted,
        **roles.to_dict(n),
        "params": params,
        "style": style,
        "seed": str(seed),
        "duplicates": roles.duplicates,
    }
    parts = [
        part
        for unit in units
        for level in wanted
        for part in _parts(unit, level, config, roles.hold_out, seed)
    ]
    return _Plan(parts, config, roles, seed)


def _parts(
    unit: Family, level: int, config: Mapping[str, Any], hold_out: HoldOut, seed: int
) -> Iterator[_Part]:
    """Parts made from one level of a family."""
    style, transfer = config["style"] or {}, config["transfer"]

    def source(split: str, seed: int = seed, **words: str) -> Source:
        asked: Any = {"params": config["params"], "split": split, "style": {**style, **words} or None}
        return unit.source(seed=seed, level=level, **asked)

    if hold_out.has(unit, level):
        yield _Part(source("test"), transfer, ("transfer",))
        return
    yield _Part(source("train"), config["n"], TRAINING_ROLES)
    yield _Part(source("eval"), config["validation"], ("validation",))
    words = [] if "template" in style else hold_out.templates_of(unit)
    # Half of transfer has wordings that training never shows, so that both effects can be measured.
    worded = transfer // 2 if words else 0
    yield _Part(source("test"), transfer - worded, ("transfer",))
    share, rest = divmod(worded, max(1, len(words)))
    for at, word in enumerate(words):
        # A different seed for different tasks than above.
        other = int(place_of("held-out", seed, word) * 2**63)
        yield _Part(source("test", other, template=word), share + (at < rest), ("transfer",))


def _tasks(plan: _Plan, part: _Part, start: int, count: int) -> Iterator[tuple[str, str, Task]]:
    """Yield the tasks of a part that have a role: the role, the line of the record, and the task."""
    batch = part.source.batch(start, count)
    name = part.source.family.name
    training = part.roles == TRAINING_ROLES
    for task, line in zip(batch, batch.to_jsonl().rstrip("\n").split("\n"), strict=True):
        role = part.roles[0]
        if training:
            if plan.roles.hold_out.has_template(name, task.style["template"]):
                continue
            role = training_role(task.key, plan.roles.sft, plan.seed)
        elif role == "validation" and plan.roles.hold_out.has_template(name, task.style["template"]):
            continue
        yield role, line, task


def _sort_traces(
    traces: of_traces.Traces, roles: dict[bytes, str] | None, files: Mapping[str, _File]
) -> dict[str, int]:
    """Write the files of traces; return the number of omitted traces by reason."""

    def role_of(record: Mapping[str, Any]) -> str | None:
        if roles is None:
            return "sft" if record.get("split") == "train" else "validation"
        return roles.get(_short(record["task_id"].partition("/hint:")[0]))

    skipped: Counter[str] = Counter()
    for record in of_traces.read_traces(traces):
        role = role_of(record)
        if not of_traces.is_judged(record):
            skipped["that nobody judged"] += 1
        elif role is None:
            skipped["of unknown tasks"] += 1
        elif role != "sft":
            skipped[f"of role {role}"] += 1
        else:
            line = _line(record)
            for name, fits in TRACE_FILES.items():
                if fits(record):
                    files[name].write(line)
            if of_traces.is_clean(record):
                for step in of_traces.step_records(record):
                    files[STEPS].write(_line(step))
    pairs = of_traces.preference_pairs(traces, only=lambda record: role_of(record) in TRAINING_ROLES)
    for pair in pairs:
        files[PAIRS].write(_line(pair))
    return dict(sorted(skipped.items()))


def merge_datasets(
    out: str | os.PathLike[str], shards: Sequence[str | os.PathLike[str]], *, overwrite: bool = False
) -> dict[str, Any]:
    """Concatenate the shards of a data set; return the manifest, which is that of the whole.

    Raises:
        InvalidTask: A folder has no shard, or they are not all the shards of one data set in order.
        FileExistsError: The folder `out` is not empty.
        OSError: A file cannot be read or written; names the path.
    """
    manifests = [read_manifest(shard) for shard in shards]
    for at, (path, manifest) in enumerate(zip(shards, manifests, strict=True)):
        if manifest["shard"] != [at, len(shards)] or manifest["config"] != manifests[0]["config"]:
            whole = {**manifest["config"], "shard": manifest["shard"]}
            first = {**manifests[0]["config"], "shard": [at, len(shards)]}
            names = [name for name in first if whole.get(name) != first[name]]
            name = names[0] if names else "shard"
            msg = (
                f"{os.fspath(path)} does not fit: its `{name}` is {_checks.shown(whole.get(name))}, but must "
                f"be {_checks.shown(first[name])}; give all shards of one data set, in their order"
            )
            raise InvalidTask(msg)
    if not manifests:
        msg = "`shards` is empty, but must name the folders of all shards"
        raise InvalidArgument(msg)
    folder = _fresh(out, overwrite=overwrite)
    counts: Counter[tuple[str, str, int | None]] = Counter()
    repeats = _Repeats(manifests[0]["config"]["duplicates"])
    with ExitStack() as stack:
        files = {name: stack.enter_context(_file(folder, name)) for name in manifests[0]["files"]}
        for name, file in files.items():
            role = name.removeprefix("tasks/").removesuffix(".jsonl")
            for shard in shards:
                with (Path(shard) / name).open(encoding="utf-8", newline="\n") as lines:
                    for line in lines:
                        record = json.loads(line)
                        if role not in ROLES:
                            file.write(line.rstrip("\n"))
                        elif repeats.takes(role, record["family"], record["level"], record["key"]):
                            file.write(line.rstrip("\n"))
                            counts[role, record["family"], record["level"]] += 1
    for manifest in manifests if repeats.policy == "drop" else []:
        repeats.counts.update(_flattened(manifest["duplicates"]))
    whole_manifest = {
        **manifests[0],
        "shard": None,
        "files": {name: file.facts() for name, file in files.items()},
        "counts": _nested(counts),
        "duplicates": _nested(repeats.counts),
    }
    _write_manifest(folder, whole_manifest)
    return whole_manifest


def read_manifest(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the manifest of a data set.

    Raises:
        InvalidTask: The folder has no data set, or one of another format.
    """
    path = _checks.path("folder", folder) / MANIFEST
    if not path.exists():
        msg = f"{os.fspath(folder)} holds no data set: it has no {MANIFEST}; build one there"
        raise InvalidTask(msg)
    try:
        manifest = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        manifest = None
    fields = ("files", "counts", "config")
    if not isinstance(manifest, dict) or not all(isinstance(manifest.get(name), dict) for name in fields):
        msg = f"{path} is not the manifest of a data set; build it again"
        raise InvalidTask(msg)
    if manifest.get("format") != FORMAT:
        msg = f"{path}: `format` is {_checks.shown(manifest.get('format'))}, but this release reads {FORMAT}"
        raise InvalidTask(msg)
    return manifest


def _fresh(out: str | os.PathLike[str], *, overwrite: bool) -> Path:
    """Prepare a folder to build in. An old data set is removed, its manifest first."""
    folder = _checks.path("out", out)
    if (folder / MANIFEST).exists() and not overwrite:
        msg = f"{folder} holds a data set already; name another folder, or overwrite it"
        raise FileExistsError(msg)
    # The manifest is removed first and written last, so an incomplete folder never has one.
    known = [MANIFEST, *(f"tasks/{role}.jsonl" for role in ROLES), *TRACE_FILES, STEPS, PAIRS]
    if folder.exists():
        there = [path for path in sorted(folder.rglob("*")) if not path.is_dir()]
        ours = {folder / name for name in known}
        foreign = [path for path in there if path not in ours and path.suffix != ".part"]
        if foreign or not folder.is_dir():
            msg = f"{folder} holds {foreign[0].name if foreign else 'no folder'}; name another folder"
            raise FileExistsError(msg)
        for name in known:
            (folder / name).unlink(missing_ok=True)
            remove_drafts(folder / name)
    for part in ("tasks", "traces"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    return folder


def _write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    if not any((folder / "traces").iterdir()):
        (folder / "traces").rmdir()
    with writing(folder / MANIFEST) as file:
        file.write(json.dumps(manifest, indent=2, sort_keys=True) + "\n")


@contextmanager
def _file(folder: Path, name: str) -> Iterator[_File]:
    with writing(folder / name) as out:
        yield _File(out)


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, separators=(",", ":"))


def _short(task_id: str) -> bytes:
    """Short digest of an id; a million of them take little memory."""
    return hashlib.blake2b(task_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _flattened(
    nested: Mapping[str, Mapping[str, Mapping[str, int]]],
) -> dict[tuple[str, str, int | None], int]:
    """Counts from the output of `_nested`."""
    return {
        (role, name, None if level == "null" else int(level)): count
        for role, families in nested.items()
        for name, levels in families.items()
        for level, count in levels.items()
    }


def _nested(counts: Mapping[tuple[str, str, int | None], int]) -> dict[str, dict[str, dict[str, int]]]:
    """Counts by role, family and level, for JSON."""
    nested: dict[str, dict[str, dict[str, int]]] = {role: {} for role in ROLES}
    for (role, name, level), count in counts.items():
        key = "null" if level is None else str(level)
        nested[role].setdefault(name, {})[key] = nested[role].get(name, {}).get(key, 0) + count
    return nested
