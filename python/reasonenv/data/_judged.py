"""Verification of rows with completions and references, streamed from JSON lines or Parquet."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any, NamedTuple

from reasonenv import _native
from reasonenv._checks import shown
from reasonenv._files import called, lines
from reasonenv._native import InvalidArgument, InvalidReference, ReasonEnvError, Verdict
from reasonenv.data._formats import RowFormat, cell, some
from reasonenv.data._hints import OF_FORM, FormHint, reference_hint
from reasonenv.verifiers import Judge

_CHUNK = 4096
"""Rows verified at once: enough to keep every core busy."""

_CHUNK_CHARACTERS = 1 << 24
"""Characters verified at once, which limits memory if rows are long."""


class RowVerdict(NamedTuple):
    """Verdict on a completion of a row."""

    where: str
    """File and line, for a person."""
    id: Any
    """Id of the row, or its number from 1."""
    sample: int | None
    """Number of the completion, if the row has a list of them."""
    verdict: Verdict


@dataclass(frozen=True)
class Columns:
    """Names of the fields of a row. A dotted name leads into objects: `reward_model.ground_truth`."""

    completion: str = "completion"
    format: RowFormat | None = None
    """Format that knows the reference."""
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
        return ", ".join(f"`{name}`" for name in self.references) or "the reference"

    @property
    def usual_id(self) -> str:
        """The column of ids where there is one."""
        return "id" if self.format is None else self.format.id


def judged_rows(
    judge: Judge, path: str, columns: Columns, form: FormHint | None = None
) -> Iterator[RowVerdict]:
    """Verify the rows of a file in order; only a few thousand are in memory at a time.

    Args:
        judge: The verifier.
        path: Path of the file.
        columns: Names of its columns.
        form: Gets the failures of form.

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
            msg = f"{chunk[at].where}: {told}{reference_hint(judge, references[at])}"
            raise InvalidReference(msg) from error
        if form is not None:
            odd = [
                row
                for row, verdict in zip(chunk, verdicts, strict=True)
                if not verdict.passed and OF_FORM.issuperset(verdict.failures)
            ]
            form.add([row.completion for row in odd], [row.reference for row in odd])
        for row, verdict in zip(chunk, verdicts, strict=True):
            yield RowVerdict(row.where, row.id, row.sample, verdict)


class _Row(NamedTuple):
    where: str
    id: Any
    sample: int | None
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
        try:
            written = cell(fields, columns.completion, or_null=True)
            completions = _completions(written, columns.completion)
            reference = _reference_of(fields, columns)
            given = fields.get(columns.usual_id, number) if columns.id is None else cell(fields, columns.id)
        except ValueError as error:
            raise ReasonEnvError(f"{where}: {error}") from None
        if isinstance(completions, str):
            yield _Row(where, given, None, completions, reference)
        else:
            yield from (_Row(where, given, at, text, reference) for at, text in enumerate(completions))


def _reference_of(fields: Mapping[str, Any], columns: Columns) -> str | list[str]:
    """Reference of a row: by its format, the value of one column, or an object of several."""
    if columns.format is not None:
        return _text(columns.format.reference(fields), columns)
    if columns.reference is None:
        return ""
    single = isinstance(columns.reference, str)
    value = cell(fields, *columns.references) if single else some(fields, columns.references)
    if not columns.accepted:
        return _text(value, columns)
    if isinstance(value, list) and value:
        return [_text(one, columns) for one in value]
    msg = f"{columns.reference_name} is {shown(value)}, but `--accepted` takes lists of answers"
    raise ValueError(msg)


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
    if columns is None or columns.format is not None:
        return None
    asked = {columns.completion, *columns.references, columns.id or "id"}
    found = [
        name for name in names if name in asked or any(f"{one}.".startswith(f"{name}.") for one in asked)
    ]
    # A file without any of them is read completely, so that the error can list its columns.
    return found or None


def _completions(value: Any, name: str) -> str | list[str]:
    """Text, or that of chat messages; or several of either. Null is an empty completion, which fails."""
    if isinstance(value, list) and value and not any(isinstance(one, Mapping) for one in value):
        return [_completion(one, name) for one in value]
    return _completion(value, name)


def _completion(value: Any, name: str) -> str:
    try:
        return "" if value is None else _native._completion(name, value)
    except InvalidArgument as error:
        raise ValueError(str(error)) from None


def _text(value: Any, columns: Columns) -> str:
    """Text unchanged, anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, _Float):
        return value.written
    if isinstance(value, Decimal):
        return str(value)
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        msg = f"{columns.reference_name} is {shown(value)}, but must be text, a number or JSON"
        raise ValueError(msg) from error
