"""The verifier `sql_result`: queries checked by their results."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from reasonenv import _checks
from reasonenv._native import InvalidParams, Verdict
from reasonenv.verifiers._code._extract import EXTRACTS, Extract, extract_code
from reasonenv.verifiers._code._pool import judge_rows
from reasonenv.verifiers._defined import PythonVerifier, register
from reasonenv.verifiers._sql._engine import SHORTEST_LIMIT, QueryError, QueryResult, Reader
from reasonenv.verifiers._sql._files import schema_in
from reasonenv.verifiers._sql._order import Expected, comparable, in_order
from reasonenv.verifiers._sql._reference import Reference, prepared

_TIMES = 3
"""Factor by which a query may exceed, on all databases together, the steps for one."""

_SCHEMA = ("schema", "setup", "context")


@register
@dataclass(frozen=True, repr=False)
class SqlResult(PythonVerifier):
    """The options of `sql_result`."""

    name: ClassVar[str] = "sql_result"
    summary: ClassVar[str] = "a query with the reference's result on the shown database and on hidden ones"
    example: ClassVar[dict[str, str]] = {
        "reference": json.dumps(
            {
                "schema": "CREATE TABLE t (name TEXT, age INT); INSERT INTO t VALUES ('Ada', 36), ('Ben', 9)",
                "query": "SELECT name FROM t WHERE age >= 30",
            }
        ),
        "right": "```sql\nSELECT name FROM t WHERE NOT age < 30\n```",
        "wrong": "```sql\nSELECT name FROM t WHERE age > 30\n```",
    }
    instruction: ClassVar[str] = "Write one SQLite query in a fenced code block that begins with ```sql."
    fence: ClassVar[str] = "sql"

    extract: Extract = "auto"
    tag: str | None = None
    steps: int = 2_000_000
    databases: str | None = None

    def __post_init__(self) -> None:
        try:
            _checks.one_of("extract", self.extract, EXTRACTS)
            if self.tag is not None:
                _checks.text("tag", self.tag)
            _checks.whole("steps", self.steps, 1000, 10**9)
            if self.databases is not None and not Path(_checks.text("databases", self.databases)).is_dir():
                raise ValueError(f"`databases` is {self.databases}, which is no folder")
        except ValueError as error:
            raise InvalidParams(f"{self.name}: {error}") from None

    def read_reference(self, reference: Any) -> Reference:
        """Run the reference on all databases, once for equal references."""
        text = reference if isinstance(reference, str) else json.dumps(reference, ensure_ascii=False)
        return _read(text, self.databases)

    def judge(self, texts: Sequence[str], references: Sequence[Reference]) -> list[Verdict]:
        """Run each query on the databases of its row."""
        return judge_rows(self._verdict, list(zip(texts, references, strict=True)))

    def _verdict(self, row: tuple[str, Reference]) -> Verdict:
        text, reference = row
        code = extract_code(text, "sql", self.extract, self.tag)
        if code.text is None:
            return Verdict(False, failures=[code.label], detail=code.detail)
        labels: list[str] = []
        told: list[str] = []
        right: list[bool] = []
        left = _TIMES * self.steps
        with Reader() as reader:
            for expected in reference.databases:
                taken, label, reason = self._compared(reader, code.text, expected, left, shown=not right)
                left -= taken
                right.append(not label)
                if label:
                    labels.append(label)
                    told.append(reason)
                if label in ("constraint_violated", "syntax_error", "over_budget", "no_code"):
                    right += [False] * (len(reference) - len(right))
                    break
            if all(right):
                for expected in reference.probes(reader, code.text):
                    taken, label, reason = self._compared(reader, code.text, expected, left, shown=False)
                    left -= taken
                    right.append(not label)
                    if label:
                        labels.append(label)
                        told.append(reason)
        parts = {"visible": float(right[0]), "hidden": sum(right[1:]) / (len(right) - 1)}
        if all(right):
            return Verdict(True, parts=parts, answer=code.text)
        return Verdict(
            False, failures=list(dict.fromkeys(labels)), detail=told[0], parts=parts, answer=code.text
        )

    def _compared(
        self, reader: Reader, query: str, expected: Expected, left: int, *, shown: bool
    ) -> tuple[int, str, str]:
        """Return the steps taken, and the label and the reason of a failure, or twice ""."""
        reader.load(expected.database)
        # Each step may store a value: the longer values may be, the fewer steps there are.
        steps = min(left, self.steps * SHORTEST_LIMIT // expected.database.longest)
        try:
            # One row beyond the expected number reveals a result that is too long.
            most = len(expected.rows) + 1
            found = reader.run(query, max(steps, 10 * expected.steps), most, expected.columns)
        except QueryError as error:
            return 0, error.label, str(error)
        reason = _difference(found, expected, shown=shown)
        return found.steps, "wrong_answer" if reason else "", reason


def sql_result(
    *,
    extract: Extract = "auto",
    tag: str | None = None,
    steps: int = 2_000_000,
    databases: str | None = None,
) -> SqlResult:
    """A query with the same results as a reference query, on the shown database and on hidden ones.

    Each reference is an object with `schema` (or `setup` or `context`), the statements that create and fill
    tables, and `query` (or `sql` or `answer`), the reference. With `databases`, `db_id` may replace
    `schema`: the name of a database in that folder. Hidden databases are made for the reference, with rows
    that meet its conditions and rows that don't, NULLs, duplicates, ties, empty groups and tables, and those
    on which a near miss of the reference differs. A database does not count if the reference's result depends
    on the order of rows there; at least three must remain, and the result must not be empty or the same on
    all of them. Rows are compared in order if the reference orders them, otherwise in any order; columns are
    compared by position.

    Queries run on SQLite in memory, can only read, and take counted steps. `parts` holds `visible` and
    `hidden`, the share of hidden databases passed. Besides `wrong_answer`, a failed query is labeled
    `no_code`, `syntax_error`, `crashed` (for example by an unknown column), `constraint_violated` if it does
    more than read, or `over_budget`.

    Args:
        extract: "auto", the last fenced SQL block, or the whole completion if it has no block; "fence",
            only the block; "whole", the whole completion.
        tag: Tag to search for the query.
        steps: Instructions of SQLite's virtual machine that a query may take on each database; on all
            together it may take three times as many. Ten times the steps of the reference are always allowed.
        databases: Folder of SQLite files that `db_id` names, laid out as in Spider and BIRD:
            `NAME/NAME.sqlite`, or `NAME.sqlite`.
    """
    return SqlResult(extract, tag, steps, databases)


@lru_cache(maxsize=512)
def _read(reference: str, databases: str | None) -> Reference:
    row = _row(reference)
    try:
        return prepared(_schema(row, databases), _column(row, "query", "sql", "answer"))
    except QueryError as error:
        raise ValueError(f"the reference or its schema does not run ({error})") from None


def schema_of(reference: str, databases: str | None = None) -> str:
    """Return the statements of a reference that create and fill its tables.

    Raises:
        ValueError: It isn't such a reference.
    """
    return _schema(_row(reference), databases)


def _schema(row: Mapping[str, Any], databases: str | None) -> str:
    if "db_id" not in row or any(row.get(name) for name in _SCHEMA):
        return _column(row, *_SCHEMA)
    if databases is None:
        raise ValueError("it names a database, `db_id`; say in which folder with `databases=FOLDER`")
    return schema_in(databases, row["db_id"])


def _row(reference: str) -> Mapping[str, Any]:
    try:
        row = json.loads(reference)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, Mapping):
        raise ValueError("must be an object of `schema` and `query`")
    return row


def _column(row: Mapping[str, Any], *names: str) -> str:
    for name in names:
        value = row.get(name)
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            return ";\n".join(value)
        if isinstance(value, str) and value.strip():
            return value
    raise ValueError(f"`{names[0]}` is missing; the columns are {', '.join(map(str, row)) or 'none'}")


def _difference(found: QueryResult, expected: Expected, *, shown: bool) -> str:
    """Return the first difference from the expected rows, or "" if there is none."""
    where = "on the shown database" if shown else f"on a hidden database {expected.database.kind}"
    if len(found.columns) != expected.columns:
        return f"{where}, rows have {len(found.columns)} columns, but must have {expected.columns}"
    ours, theirs = comparable(found.rows), expected.rows
    if in_order(ours, expected.groups):
        return ""
    if len(ours) != len(theirs):
        number = (
            f"many rows: more than {len(theirs)}"
            if len(ours) > len(theirs)
            else f"few rows: {len(ours)} of {len(theirs)}"
        )
        return f"{where}, the query returns too {number}"
    if Counter(ours) == Counter(theirs):
        return f"{where}, rows are in another order"
    if not shown:
        return f"{where}, the query returns other rows"
    missing = next(iter(Counter(theirs) - Counter(ours)))
    return f"{where}, the row {_checks.shown(missing)} is missing"
