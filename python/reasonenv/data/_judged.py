"""Verification of rows with completions and references, streamed from JSON lines or Parquet."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from reasonenv._checks import shown
from reasonenv._files import called, lines
from reasonenv._native import InvalidReference, ReasonEnvError, Verdict
from reasonenv.verifiers import Judge

_CHUNK = 4096
"""Rows verified at once: enough to keep every core busy."""

_CHUNK_CHARACTERS = 1 << 24
"""Characters verified at once, which limits memory if rows are long."""


class RowVerdict(NamedTuple):
    """Verdict on a row."""

    where: str
    """File and line, for a person."""
    id: Any
    """Id of the row, or its number from 1."""
    verdict: Verdict


@dataclass(frozen=True)
class Columns:
    """Names of the fields of a row. A dotted name leads into objects: `reward_model.ground_truth`."""

    completion: str = "completion"
    reference: str | tuple[str, ...] | None = "answer"
    """Field of the reference, or several that form an object; None if references do not count."""
    id: str | None = None
    """Field of the id; by default "id" if there is one."""
    accepted: bool = False
    """True if a reference is a list of accepted answers, of which the best counts."""

    @property
    def references(self) -> tuple[str, ...]:
        """The columns of references."""
        return (self.reference,) if isinstance(self.reference, str) else self.reference or ()

    @property
    def reference_name(self) -> str:
        """The columns of references, for a person."""
        return ", ".join(f"`{name}`" for name in self.references)


def judged_rows(judge: Judge, path: str, columns: Columns) -> Iterator[RowVerdict]:
    """Verify the rows of a file in order; only a few thousand are in memory at a time.

    Raises:
        ReasonEnvError: A row is broken, or lacks a column; names the line.
        InvalidReference: A reference cannot be compared with any answer; names the line.
    """
    rows = _numbered(path, columns)
    while chunk := list(_chunk(rows)):
        references = [row.reference for row in chunk]
        try:
            verdicts = judge([row.completion for row in chunk], references)
        except InvalidReference as error:
            bad = judge.check(references)
            if not bad:
                raise
            at, told = bad[0]
            told = re.sub(r"`references\[\d+\](\[\d+\])?`", columns.reference_name, told, count=1)
            msg = f"{chunk[at].where}: {told}"
            raise InvalidReference(msg) from error
        for row, verdict in zip(chunk, verdicts, strict=True):
            yield RowVerdict(row.where, row.id, verdict)


class _Row(NamedTuple):
    where: str
    id: Any
    completion: str
    reference: str | list[str]


def _chunk(rows: Iterator[_Row]) -> Iterator[_Row]:
    characters = 0
    for row in islice(rows, _CHUNK):
        yield row
        characters += len(row.completion) + len(row.reference)
        if characters > _CHUNK_CHARACTERS:
            return


def _numbered(path: str, columns: Columns) -> Iterator[_Row]:
    for number, (where, fields) in enumerate(read_rows(path, columns), 1):
        completion = _completion(_field(fields, columns.completion, where), columns.completion, where)
        reference: str | list[str] = ""
        if columns.reference is not None:
            reference = _reference(_given(fields, columns, where), columns, where)
        given = fields.get("id", number) if columns.id is None else _field(fields, columns.id, where)
        yield _Row(where, given, completion, reference)


def _given(fields: Mapping[str, Any], columns: Columns, where: str) -> Any:
    """Reference of a row: the value of one column, or an object of several."""
    if isinstance(columns.reference, str):
        return _field(fields, columns.reference, where)
    there = [name for name in columns.references if _has(fields, name)]
    if not there:
        return _field(fields, columns.references[0], where)
    found = {name: _field(fields, name, where) for name in there}
    return {name: value for name, value in found.items() if value is not None}


def _has(fields: Mapping[str, Any], name: str) -> bool:
    return name in fields or name.partition(".")[0] in fields


def read_rows(path: str, columns: Columns | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a file with their places: a JSON object per line, one JSON list, or Parquet.

    Args:
        path: Path of the file, Parquet by its extension; "-" is stdin, as JSON.
        columns: Columns needed from a Parquet file; by default all.

    Raises:
        ReasonEnvError: A line is not a JSON object; names it.
        OSError: The file cannot be read; names it.
    """
    if path.lower().endswith((".parquet", ".pq")):
        yield from _parquet(path, columns)
        return
    numbered = lines(path)
    for number, line in numbered:
        where, what = f"{called(path)}, line {number}", "each line"
        text, is_list = line, number == 1 and line.lstrip().startswith("[")
        if is_list:
            text, what = line + "".join(more for _, more in numbered), "each item"
        try:
            given = json.loads(text, parse_float=_Float)
        except (ValueError, RecursionError) as error:
            msg = f"{where}: not JSON ({error}); each line must be one object"
            raise ReasonEnvError(msg) from error
        for at, fields in enumerate(given if is_list else [given], 1):
            here = f"{called(path)}, item {at}" if is_list else where
            if not isinstance(fields, dict):
                msg = f"{here}: {shown(fields)}, but {what} must be one object"
                raise ReasonEnvError(msg)
            yield here, fields


class _Float(float):
    """A number with its original text, since Python's floats cannot represent 1e400."""

    def __new__(cls, written: str) -> "_Float":
        made = super().__new__(cls, written)
        made.written = written
        return made

    written: str


def _parquet(path: str, columns: Columns | None) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        import pyarrow  # noqa: PLC0415 - an extra
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        msg = f"{path} is Parquet, which needs pyarrow; pip install 'reasonenv[parquet]'"
        raise ReasonEnvError(msg) from error
    with open(path, "rb") as file:
        try:
            table = pyarrow.parquet.ParquetFile(file)
            wanted = _wanted(table.schema_arrow.names, columns)
            number = 0
            for batch in table.iter_batches(batch_size=1024, columns=wanted):
                for fields in batch.to_pylist():
                    number += 1
                    yield f"{path}, row {number}", fields
        except pyarrow.ArrowException as error:
            msg = f"{path}: not Parquet ({' '.join(str(error).split())[:200]})"
            raise ReasonEnvError(msg) from error


def _wanted(names: list[str], columns: Columns | None) -> list[str] | None:
    """Select the needed columns of a file, so that the others are not read."""
    if columns is None:
        return None
    asked = {columns.completion, *columns.references, columns.id or "id"}
    found = [
        name for name in names if name in asked or any(f"{one}.".startswith(f"{name}.") for one in asked)
    ]
    # A file without any of them is read completely, so that the error can list its columns.
    return found or None


def _field(fields: Mapping[str, Any], name: str, where: str) -> Any:
    """A field by its plain or dotted name."""
    if name in fields:
        return fields[name]
    value: Any = fields
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            there = ", ".join(f"`{key}`" for key in list(fields)[:12]) or "no columns"
            msg = f"{where}: there is no column `{name}`; there are {there}"
            raise ReasonEnvError(msg)
        value = value[part]
    return value


def _completion(value: Any, name: str, where: str) -> str:
    """Text, or the content of the last of several chat messages."""
    if isinstance(value, list) and value and isinstance(value[-1], Mapping):
        value = value[-1].get("content")
    if isinstance(value, str):
        return value
    msg = f"{where}: `{name}` is {shown(value)}, but must be text, or a list of chat messages"
    raise ReasonEnvError(msg)


def _reference(value: Any, columns: Columns, where: str) -> str | list[str]:
    if not columns.accepted:
        return _text(value, columns, where)
    if isinstance(value, list) and value:
        return [_text(one, columns, where) for one in value]
    msg = f"{where}: {columns.reference_name} is {shown(value)}, but `--accepted` takes lists of answers"
    raise ReasonEnvError(msg)


def _text(value: Any, columns: Columns, where: str) -> str:
    """Text unchanged, anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, _Float):
        return value.written
    if value is None:
        msg = f"{where}: {columns.reference_name} is null, but must be a reference"
        raise ReasonEnvError(msg)
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        msg = f"{where}: {columns.reference_name} is {shown(value)}, but must be text, a number or JSON"
        raise ReasonEnvError(msg) from error
