"""SQLite in memory under limits: scripts that set up a database, and queries that can only read it."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

Row = tuple[Any, ...]

_FUNCTIONS = frozenset(
    """
    abs acos asin atan atan2 avg cast ceil ceiling char coalesce concat concat_ws cos count cume_dist date
    datetime degrees dense_rank exp first_value floor format glob group_concat hex ifnull iif instr
    json_array json_array_length json_extract json_group_array json_group_object json_object json_type
    julianday lag last_value lead length like likelihood likely ln log log10 log2 lower ltrim max min mod
    nth_value ntile nullif octet_length percent_rank pi pow power printf quote radians rank replace round
    row_number rtrim sign sin soundex sqrt strftime string_agg substr substring sum tan time total trim
    trunc typeof unhex unicode unixepoch unlikely upper -> ->>
    """.split()  # noqa: SIM905  a table of names
)
"""Functions of SQLite that are deterministic and touch nothing outside the database."""

_READS = frozenset(
    (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
)
_SETS_UP = _READS | {
    sqlite3.SQLITE_ALTER_TABLE,
    sqlite3.SQLITE_ANALYZE,
    sqlite3.SQLITE_CREATE_INDEX,
    sqlite3.SQLITE_CREATE_TABLE,
    sqlite3.SQLITE_CREATE_VIEW,
    sqlite3.SQLITE_DELETE,
    sqlite3.SQLITE_DROP_TABLE,
    sqlite3.SQLITE_DROP_VIEW,
    sqlite3.SQLITE_INSERT,
    sqlite3.SQLITE_REINDEX,
    sqlite3.SQLITE_TRANSACTION,
    sqlite3.SQLITE_UPDATE,
}
_CLOCK = frozenset(("date", "datetime", "julianday", "strftime", "time", "unixepoch"))
_STRIDE = 200
"""Instructions of SQLite's virtual machine between checks of the count."""

_LIMITS = {
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1 << 14,
    sqlite3.SQLITE_LIMIT_COLUMN: 200,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 50,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_MOST_PAGES = 16_384
"""Largest database that a script can make: 64 MB."""

SHORTEST_LIMIT = 4096
"""Smallest limit in bytes on a value, however short the values of the database are."""

_SYNTAX = re.compile(
    r"syntax error|incomplete input|unrecognized token|one statement at a time|null character"
)
_TOO_MUCH = re.compile(
    r"interrupted|at most \d+|too complex|too big|too large|too many|parser stack overflow|out of memory"
)


class QueryError(Exception):
    """Failure of a query, with a label and a reason."""

    def __init__(self, label: str, reason: str) -> None:
        super().__init__(reason)
        self.label = label


class QueryResult(NamedTuple):
    """Rows that a query returned, the steps it took, and the names of the columns."""

    rows: list[Row]
    steps: int
    columns: list[str]


class Database(NamedTuple):
    """A database as bytes; each check works on a copy."""

    kind: str
    """Short description of the difference from the other databases."""
    content: bytes
    longest: int
    """Limit in bytes on a value."""


@contextmanager
def opened() -> Iterator[sqlite3.Connection]:
    """Open an empty database in memory."""
    with closing(sqlite3.connect(":memory:", isolation_level=None, cached_statements=0)) as connection:
        connection.execute("PRAGMA temp_store = MEMORY")
        yield connection


def set_up(connection: sqlite3.Connection, script: str, steps: int) -> None:
    """Run statements that create and fill tables, and no others.

    Raises:
        QueryError: A statement fails or is not allowed.
    """
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1 << 20)
    connection.execute(f"PRAGMA max_page_count = {_MOST_PAGES}")
    with _guarded(connection, _SETS_UP, steps):
        connection.executescript(script)


def query(database: Database, statement: str, steps: int, most: int, *, reverse: bool = False) -> QueryResult:
    """Return at most `most` rows of a query on a fresh copy of a database.

    Args:
        database: The database.
        statement: A single statement that only reads.
        steps: Instructions of SQLite's virtual machine that the query may take.
        most: Number of rows to fetch.
        reverse: True to reverse the usual order of rows that no `ORDER BY` orders.

    Raises:
        QueryError: The query returns no result.
    """
    with opened() as connection:
        connection.deserialize(database.content)
        connection.execute("PRAGMA query_only = ON")
        if reverse:
            connection.execute("PRAGMA reverse_unordered_selects = ON")
        for limit, value in _LIMITS.items():
            connection.setlimit(limit, value)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, database.longest)
        connection.text_factory = _text
        with _guarded(connection, _READS, steps) as taken:
            cursor = connection.execute(statement)
            if cursor.description is None:
                raise QueryError("no_code", "the statement gives no result")
            rows = cursor.fetchmany(most)
            columns = [name for name, *_ in cursor.description]
        return QueryResult(rows, taken(), columns)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@contextmanager
def _guarded(
    connection: sqlite3.Connection, actions: frozenset[int], steps: int
) -> Iterator[Callable[[], int]]:
    """Allow `actions` and `steps`, yield a counter of the steps taken, and label errors."""
    taken = 0

    def count() -> bool:
        nonlocal taken
        taken += _STRIDE
        return taken > steps

    connection.set_authorizer(_authorizer(actions))
    connection.set_progress_handler(count, _STRIDE)
    try:
        yield lambda: taken
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise _labeled(error, taken > steps) from None
    except (UnicodeEncodeError, ValueError) as error:  # a lone surrogate or a NUL character
        raise QueryError("syntax_error", str(error)) from None
    except (OverflowError, MemoryError):
        raise QueryError("over_budget", "the query needs more memory than is allowed") from None
    finally:
        connection.set_authorizer(None)
        connection.set_progress_handler(None, 0)


def _authorizer(actions: frozenset[int]) -> Callable[..., int]:
    def authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action not in actions:
            return sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _FUNCTIONS:
            return sqlite3.SQLITE_DENY
        if (
            actions is _READS
            and action == sqlite3.SQLITE_READ
            and (first or "").lower().startswith("sqlite_")
        ):
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    return authorize


def _labeled(error: Exception, spent: bool) -> QueryError:
    told = " ".join(str(error).split())[:200]
    if spent or _TOO_MUCH.search(told):
        return QueryError("over_budget", f"the query needs more than is allowed ({told})")
    if any(word in told for word in ("not authorized", "authorization denied", "prohibited", "readonly")):
        return QueryError("constraint_violated", f"the query may only read the tables ({told})")
    if _SYNTAX.search(told):
        return QueryError("syntax_error", told)
    return QueryError("crashed", told)


def depends_on_clock(statement: str) -> bool:
    """True if a query reads the clock."""
    text = statement.lower()
    return "current_" in text or ("now" in text and any(f"{name}(" in text for name in _CLOCK))
