"""The verifier `sql_result`: queries checked by their results."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from reasonenv import _checks
from reasonenv._native import InvalidParams, Verdict
from reasonenv.verifiers._code._extract import EXTRACTS, Extract, extract_code
from reasonenv.verifiers._code._pool import judge_rows
from reasonenv.verifiers._defined import PythonVerifier, register
from reasonenv.verifiers._sql._databases import derive
from reasonenv.verifiers._sql._engine import QueryError, Row, depends_on_clock, query
from reasonenv.verifiers._sql._order import Expected, comparable, in_order, results

_FEWEST_HIDDEN = 3
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

    def __post_init__(self) -> None:
        try:
            _checks.one_of("extract", self.extract, EXTRACTS)
            if self.tag is not None:
                _checks.text("tag", self.tag)
            _checks.whole("steps", self.steps, 1000, 10**9)
        except ValueError as error:
            raise InvalidParams(f"{self.name}: {error}") from None

    def read_reference(self, reference: Any) -> tuple[Expected, ...]:
        """Run the reference on all databases, once for equal references."""
        return _read(reference if isinstance(reference, str) else json.dumps(reference, ensure_ascii=False))

    def judge(self, texts: Sequence[str], references: Sequence[tuple[Expected, ...]]) -> list[Verdict]:
        """Run each query on the databases of its row."""
        return judge_rows(self._verdict, list(zip(texts, references, strict=True)))

    def _verdict(self, row: tuple[str, tuple[Expected, ...]]) -> Verdict:
        text, databases = row
        code = extract_code(text, "sql", self.extract, self.tag)
        if code.text is None:
            return Verdict(False, failures=[code.label], detail=code.detail)
        labels: list[str] = []
        told: list[str] = []
        right: list[bool] = []
        for expected in databases:
            try:
                # One row beyond the expected number reveals a result that is too long.
                steps = max(self.steps, 10 * expected.steps)
                rows = query(expected.database, code.text, steps, len(expected.rows) + 1).rows
            except QueryError as error:
                right.append(False)
                labels.append(error.label)
                told.append(str(error))
                if error.label in ("constraint_violated", "syntax_error", "over_budget", "no_code"):
                    right += [False] * (len(databases) - len(right))
                    break
                continue
            reason = _difference(rows, expected, shown=not right)
            right.append(not reason)
            if reason:
                labels.append("wrong_answer")
                told.append(reason)
        parts = {"visible": float(right[0]), "hidden": sum(right[1:]) / (len(right) - 1)}
        if all(right):
            return Verdict(True, parts=parts, answer=code.text)
        return Verdict(
            False, failures=list(dict.fromkeys(labels)), detail=told[0], parts=parts, answer=code.text
        )


def sql_result(*, extract: Extract = "auto", tag: str | None = None, steps: int = 2_000_000) -> SqlResult:
    """A query with the same results as a reference query, on the shown database and on hidden ones.

    Each reference is an object with `schema` (or `setup` or `context`), the statements that create and fill
    tables, and `query` (or `sql` or `answer`), the reference. Hidden databases are derived from the shown
    one, with NULLs, duplicates, ties, empty groups, values at the boundaries of the query, and more. A
    database does not count if the reference's result depends on the order of rows there; at least three must
    remain. Rows are compared in order if the reference orders them, otherwise in any order; columns are
    compared by position.

    Queries run on SQLite in memory, can only read, and take counted steps. `parts` holds `visible` and
    `hidden`, the share of hidden databases passed. Besides `wrong_answer`, a failed query is labeled
    `no_code`, `syntax_error`, `crashed` (for example by an unknown column), `constraint_violated` if it does
    more than read, or `over_budget`.

    Args:
        extract: "auto", the last fenced SQL block, or the whole completion if it has no block; "fence",
            only the block; "whole", the whole completion.
        tag: Tag to search for the query.
        steps: Instructions of SQLite's virtual machine that a query may take on each database, or ten times
            as many as the reference takes there, if that is more.
    """
    return SqlResult(extract, tag, steps)


@lru_cache(maxsize=512)
def _read(reference: str) -> tuple[Expected, ...]:
    row = _row(reference)
    schema, reference = _column(row, *_SCHEMA), _column(row, "query", "sql", "answer")
    if depends_on_clock(reference):
        raise ValueError("the reference depends on the time of day")
    try:
        shown, *hidden = derive(schema, reference)
        found = [results(one, reference) for one in (shown, *hidden)]
    except QueryError as error:
        raise ValueError(f"the reference or its schema does not run ({error})") from None
    if found[0] is None:
        raise ValueError("which rows the reference returns depends on an order that it leaves open")
    databases = tuple(one for one in found if one is not None)
    if len(databases) <= _FEWEST_HIDDEN:
        raise ValueError(
            "which rows the reference returns depends on an order that it leaves open on all but "
            f"{len(databases) - 1} hidden databases, of which there must be {_FEWEST_HIDDEN}"
        )
    return databases


def schema_of(reference: str) -> str:
    """Return the statements of a reference that create and fill its tables.

    Raises:
        ValueError: It isn't such a reference.
    """
    return _column(_row(reference), *_SCHEMA)


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


def _difference(rows: list[Row], expected: Expected, *, shown: bool) -> str:
    """Return the first difference from the expected rows, or "" if there is none."""
    where = "on the shown database" if shown else f"on a hidden database {expected.database.kind}"
    if rows and expected.rows and len(rows[0]) != len(expected.rows[0]):
        return f"{where}, rows have {len(rows[0])} columns, but must have {len(expected.rows[0])}"
    ours, theirs = comparable(rows), expected.rows
    if in_order(ours, expected.groups):
        return ""
    if len(ours) != len(theirs):
        found = (
            f"many rows: more than {len(theirs)}"
            if len(ours) > len(theirs)
            else f"few rows: {len(ours)} of {len(theirs)}"
        )
        return f"{where}, the query returns too {found}"
    if Counter(ours) == Counter(theirs):
        return f"{where}, rows are in another order"
    if not shown:
        return f"{where}, the query returns other rows"
    missing = next(iter(Counter(theirs) - Counter(ours)))
    return f"{where}, the row {_checks.shown(missing)} is missing"
