"""Export of rows for trainers, as JSON lines or Parquet, with a manifest."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from reasonenv import _checks
from reasonenv._files import writing
from reasonenv._native import InvalidArgument, Task, __version__
from reasonenv._records import checked_record
from reasonenv.data._traces import completion_of, source_record, why_unfit
from reasonenv.data._warmup import worked

Format = Literal["jsonl", "parquet"]
Purpose = Literal["train", "evaluate"]

_FORMATS: Mapping[str, Format] = MappingProxyType({".jsonl": "jsonl", ".parquet": "parquet"})
"""Formats by file extension."""

RESERVED = frozenset(
    {
        "completion",
        "completion_ids",
        "images",
        "environment",
        "trainer_state",
        "log_extra",
        "log_metric",
    }
)
"""Columns reserved by trainers for what they add to prompts; the shape "kto" has a `completion`."""

_ROWS = 1024
"""Rows written at once."""


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def _number(value: object) -> str | None:
    """Write a whole number as text, since seeds up to 2**64 - 1 exceed Arrow's signed integers."""
    return None if value is None else str(value)


def _task(record: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of a task, the same for all families; what differs is in JSON text."""
    return {
        "task_id": record["task_id"],
        "family": record["family"],
        "domain": record["domain"],
        "version": record["version"],
        "split": record["split"],
        "seed": _number(record["seed"]),
        "index": _number(record["index"]),
        "level": record["level"],
        "difficulty": record["difficulty"],
        "prompt": record["prompt"],
        "answer_tag": record["answer_tag"],
        "params": _json(record["params"]),
        "style": _json(record["style"]),
        "solution": _json(record["solution"]),
        "problem": record["problem"],
        "key": record["key"],
    }


def _judged_alone(record: Mapping[str, Any]) -> str:
    """Problem for `reasonenv.integrations.score`."""
    boxed = (record["style"] or {}).get("answer") == "boxed"
    style = {"style": {"answer": "boxed"}} if boxed else {}
    return _json({"family": record["family"], "problem": record["problem"]} | style)


def _trl(record: Mapping[str, Any]) -> dict[str, Any]:
    """Prompts as messages for TRL, and the columns for a reward function."""
    task = _task(record) | {"problem": _judged_alone(record)}
    return task | {"prompt": [{"role": "user", "content": record["prompt"]}]}


def _verl(record: Mapping[str, Any]) -> dict[str, Any]:
    """Rows for verl with a rule-based reward, whose ground truth is the problem for `reasonenv.verify`."""
    task = _task(record)
    extra = {name: task[name] for name in ("task_id", "split", "seed", "index", "level", "difficulty", "key")}
    return {
        "data_source": f"reasonenv/{record['family']}",
        "prompt": [{"role": "user", "content": record["prompt"]}],
        "ability": record["domain"],
        "reward_model": {"style": "rule", "ground_truth": _judged_alone(record)},
        "extra_info": extra,
    }


def _sft(record: Mapping[str, Any]) -> dict[str, Any]:
    """A trace as messages."""
    messages = [{"role": "user", "content": record["prompt"]}]
    turns = [turn for turn in record.get("turns") or () if isinstance(turn, Mapping)]
    if turns:
        messages = []
        for turn in turns:
            messages.append({"role": "user", "content": str(turn.get("observation", ""))})
            messages.append({"role": "assistant", "content": str(turn.get("action", ""))})
    else:
        messages.append({"role": "assistant", "content": completion_of(record)})
    return {"task_id": record["task_id"], "messages": messages}


def _solved(record: Mapping[str, Any]) -> dict[str, Any]:
    """A task with its solution as messages, as a teacher would write it."""
    task = Task.from_json(json.dumps(record))
    messages = [
        {"role": "user", "content": record["prompt"]},
        {"role": "assistant", "content": worked(task)},
    ]
    return {"task_id": record["task_id"], "messages": messages}


def _preferences(record: Mapping[str, Any]) -> dict[str, Any]:
    """A preference pair as messages; a pair of a tree also has its place and margin."""
    return _asked(record) | {
        "chosen": [{"role": "assistant", "content": record["chosen"]}],
        "rejected": [{"role": "assistant", "content": record["rejected"]}],
        **({"margin": record["margin"]} if "margin" in record else {}),
    }


def _asked(record: Mapping[str, Any]) -> dict[str, Any]:
    """Task, prompt as messages and, in a tree, the actions so far."""
    prompt = record["prompt"]
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    prefix = {"prefix": record["prefix"]} if "prefix" in record else {}
    return {"task_id": record["task_id"], "prompt": messages} | prefix


def _values(record: Mapping[str, Any]) -> dict[str, Any]:
    """A step with its value."""
    names = ("action", "value", "visits", "pass_rate", "exact")
    return _asked(record) | {name: record[name] for name in names}


def _kto(record: Mapping[str, Any]) -> dict[str, Any]:
    """A step that is desirable or not, as TRL's KTO reads it."""
    said = [{"role": "assistant", "content": record["action"]}]
    return _asked(record) | {"completion": said, "label": record["label"]}


def _prm(record: Mapping[str, Any]) -> dict[str, Any]:
    """The labeled steps of a path in plain text, as TRL's PRM trainer reads them."""
    prompt = "\n\n".join(str(message["content"]) for message in record["prompt"])
    row = {"task_id": record["task_id"], "prompt": prompt}
    return row | {"completions": record["steps"], "labels": record["labels"]}


SHAPES: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = MappingProxyType(
    {
        "tasks": _task,
        "trl": _trl,
        "verl": _verl,
        "solutions": _solved,
        "sft": _sft,
        "preferences": _preferences,
        "divergences": _preferences,
        "values": _values,
        "kto": _kto,
        "prm": _prm,
        "source": source_record,
    }
)
"""Shapes by name: "tasks", "trl", "verl" and "solutions" for tasks, "sft" and "source" for traces,
"preferences" for pairs, and it and "divergences", "values", "kto" and "prm" for trees."""

_OF_TRACES = ("sft", "source")
_OF_TASKS = ("tasks", "trl", "verl", "solutions")


def export(
    records: Iterable[Mapping[str, Any]],
    path: str | os.PathLike[str],
    shape: str = "tasks",
    *,
    format: Format | None = None,
    purpose: Purpose = "train",
    force: bool = False,
    everything: bool = False,
) -> dict[str, Any]:
    """Write rows in the shape that a trainer reads, and `PATH.manifest.json`; return the manifest.

    Rows are streamed: a million tasks need no more memory than a few thousand. Seeds and indices are text,
    because Arrow's integers are signed; params, styles, solutions and problems are JSON text, so that all
    families have the same schema.

    Traces whose endpoint failed are never written, and the shape "sft" only has those fit to imitate, as in
    `traces/sft.jsonl` of a data set. The manifest counts the omitted traces by reason.

    Args:
        records: Records of tasks, trajectories or pairs, or `run_records`, depending on the shape.
        path: Path of the file.
        shape: One of `SHAPES`.
        format: "jsonl" or "parquet", which needs pyarrow; None: by the extension of the path.
        purpose: Purpose of the rows. "train" refuses records of the splits "eval" and "test".
        force: Whether to write them anyway.
        everything: Whether the shape "sft" also has traces that are not fit to imitate.

    Raises:
        InvalidArgument: A record does not fit the shape, or must not be trained on; names it.
        OSError: A file cannot be written; names it.
        ModuleNotFoundError: pyarrow is not installed.
    """
    target = _checks.path("path", path)
    if shape not in SHAPES:
        raise _checks.unknown("shape of rows", shape, SHAPES)
    kind = format or _FORMATS.get(target.suffix.lower())
    if kind is None:
        ends = " or ".join(_FORMATS)
        msg = f"`path` is {_checks.shown(str(target))}, but must end with {ends}, or give `format`"
        raise InvalidArgument(msg)
    _checks.one_of("format", kind, get_args(Format))
    _checks.one_of("purpose", purpose, get_args(Purpose))
    families: Counter[str] = Counter()
    versions: dict[str, Any] = {}
    splits: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    _checks.flag("everything", everything)

    def rows() -> Iterator[dict[str, Any]]:
        for number, record in enumerate(records):
            row = _row(record, number, shape, purpose, force)
            reason = why_unfit(record) if shape in _OF_TRACES else None
            if reason is not None and (record.get("error") or (shape == "sft" and not everything)):
                left_out[reason] += 1
                continue
            yield row
            families[str(record.get("family") or _family_of(record))] += 1
            splits[str(record.get("split"))] += 1
            if "version" in record:
                versions[record["family"]] = record["version"]

    count = _write_parquet(target, rows()) if kind == "parquet" else _write_lines(target, rows())
    with target.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    manifest = {
        "reasonenv": __version__,
        "shape": shape,
        "format": kind,
        "purpose": purpose,
        "forced": _checks.flag("force", force),
        "rows": count,
        "left_out": dict(sorted(left_out.items())),
        "families": dict(sorted(families.items())),
        "versions": dict(sorted(versions.items())),
        "splits": dict(sorted(splits.items())),
        "bytes": target.stat().st_size,
        "sha256": digest,
    }
    with writing(f"{os.fspath(target)}.manifest.json") as out:
        out.write(json.dumps(manifest, indent=2) + "\n")
    return manifest


def _family_of(record: Mapping[str, Any]) -> str:
    return str(record.get("task_id", "")).partition("/")[0]


def _row(record: Mapping[str, Any], number: int, shape: str, purpose: str, force: bool) -> dict[str, Any]:
    if not isinstance(record, Mapping):
        msg = f"record {number} is {_checks.shown(record)}, but must be a mapping"
        raise InvalidArgument(msg)
    if purpose == "train" and not force and _evaluates(record):
        msg = (
            f"record {number}, {record.get('task_id')}, is of a split to evaluate on; leave it out, say "
            'purpose="evaluate", or force it'
        )
        raise InvalidArgument(msg)
    _check_kind(record, f"record {number}", shape)
    try:
        return SHAPES[shape](record)
    except (KeyError, TypeError) as error:
        msg = f"record {number} does not fit the shape `{shape}`: it has no {error}; see docs/data.md"
        raise InvalidArgument(msg) from None


def _check_kind(record: Mapping[str, Any], where: str, shape: str) -> None:
    """Refuse tasks for shapes of traces, and vice versa."""
    is_task, is_trace = "problem" in record, "verdict" in record
    if shape in _OF_TRACES and is_task and not is_trace:
        msg = (
            f"{where}, {record.get('task_id')}, is a task, but the shape `{shape}` takes traces of a run; "
            "take the shape `solutions` for the tasks' own solutions"
        )
        raise InvalidArgument(msg)
    if shape in _OF_TASKS and is_trace and not is_task:
        msg = (
            f"{where}, {record.get('task_id')}, is a trace, but the shape `{shape}` takes tasks; take one of "
            f"the shapes {', '.join(_OF_TRACES)}"
        )
        raise InvalidArgument(msg)
    if shape in _OF_TRACES:
        checked_record(record, where)


def _evaluates(record: Mapping[str, Any]) -> bool:
    """True if a record belongs to an evaluation split, also by the id of a generated task."""
    parts = str(record.get("task_id", "")).split("/")
    named = parts[2] if len(parts) > 4 and parts[1].startswith("v") else None
    return bool({"eval", "test"} & {record.get("split"), named})


def _write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    count = 0
    with writing(path) as file:
        for row in rows:
            file.write(json.dumps(row, allow_nan=False, separators=(",", ":")) + "\n")
            count += 1
    return count


def _write_parquet(path: Path, rows: Iterator[dict[str, Any]]) -> int:
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ModuleNotFoundError as error:
        msg = "a Parquet file needs pyarrow; pip install 'reasonenv[parquet]', or write JSON lines"
        raise ModuleNotFoundError(msg) from error
    count = 0
    with writing(path) as file:
        out = file.buffer  # type: ignore[attr-defined]
        writer: Any = None
        while chunk := list(islice(rows, _ROWS)):
            table = pa.Table.from_pylist(chunk, schema=None if writer is None else writer.schema)
            if writer is None:
                table = table.cast(_nullable(table.schema, pa))
                writer = pq.ParquetWriter(out, table.schema)
            writer.write_table(table)
            count += len(chunk)
        if writer is None:
            msg = "there are no records to write, and Parquet has no file without columns; write JSON lines"
            raise InvalidArgument(msg)
        writer.close()
    return count


def _nullable(schema: Any, pa: Any) -> Any:
    """Schema of the first chunk, in which an all-null column may get another type later."""
    types = {"level": pa.int64(), "pass_rate": pa.float64(), "exact": pa.float64()}

    def mended(one: Any) -> Any:
        if pa.types.is_null(one.type):
            return pa.field(one.name, types.get(one.name, pa.string()))
        if one.name == "prefix":  # empty at the root
            return pa.field(one.name, pa.list_(pa.string()))
        if pa.types.is_struct(one.type):
            return pa.field(
                one.name, pa.struct([mended(one.type.field(i)) for i in range(one.type.num_fields)])
            )
        return one

    return pa.schema([mended(one) for one in schema])
