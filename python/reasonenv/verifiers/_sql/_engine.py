"""SQLite in memory under limits: scripts that set up a database, and queries that can only read it."""

import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

from reasonenv.verifiers._sql._calls import CLOCK, guard

Row = tuple[Any, ...]

_FUNCTIONS = frozenset(
    """
    abs acos acosh asin asinh atan atan2 atanh avg cast ceil ceiling char coalesce concat concat_ws cos cosh
    count cume_dist date datetime degrees dense_rank exp first_value floor format glob group_concat hex
    ifnull iif instr json json_array json_array_length json_extract json_group_array json_group_object
    json_object json_quote json_type json_valid julianday lag last_value lead length like likelihood likely ln
    log log10 log2 lower ltrim max min mod nth_value ntile nullif octet_length percent_rank pi pow power
    printf quote radians rank replace round row_number rtrim sign sin sinh soundex sqrt strftime string_agg
    substr substring sum tan tanh time total trim trunc typeof unicode unixepoch unlikely upper -> ->>
    """.split()  # noqa: SIM905  a table of names
)
"""Functions of SQLite that are deterministic and touch nothing outside the database.

A call on values within the limit takes time and memory that are bounded by a fraction of a second; see
`_calls` for those of which that is true only under guard.
"""

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
_HIDDEN_TABLES = ("sqlite_", "pragma_", "dbstat", "bytecode", "tables_used")
"""Beginnings of names of tables that tell more than the tables of the schema."""

_STRIDE = 200
"""Instructions of SQLite's virtual machine between checks of the count."""

_CLOCK_STRIDE = 100 * _STRIDE
"""Instructions between looks at the processor time, which is a last resort."""

_USUAL_STEPS = 2_000_000

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

SHORTEST_LIMIT = 1000
"""Smallest limit in bytes on a value or a row, however short those of the database are."""

_LARGEST_RESULT = 32 << 20
"""Limit in bytes on all rows that are fetched."""

_SECONDS = 5
"""Processor time after which a query ends, whatever it was counted. A query needs a tenth of it or less."""

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
    row_bytes: int
    """Size of a row of all its tables together, at most."""

    @property
    def longest(self) -> int:
        """Limit in bytes on a value or a row."""
        return max(SHORTEST_LIMIT, 2 * self.row_bytes)


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
    with _guarded(connection, _SETS_UP, steps, script, 1 << 20):
        connection.executescript(script)


class Reader:
    """A connection that runs queries, which can only read, on one database after another."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, cached_statements=0, check_same_thread=False
        )
        self._connection.execute("PRAGMA temp_store = MEMORY")
        self._connection.text_factory = _text
        for limit, value in _LIMITS.items():
            self._connection.setlimit(limit, value)
        self._longest = 0

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def load(self, database: Database, *, reverse: bool = False) -> None:
        """Replace the database by a fresh copy of another.

        Args:
            database: The database.
            reverse: True to reverse the usual order of rows that no `ORDER BY` orders.
        """
        connection = self._connection
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)
        connection.deserialize(database.content)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.execute("PRAGMA query_only = ON")
        connection.execute(f"PRAGMA reverse_unordered_selects = {'ON' if reverse else 'OFF'}")
        self._longest = database.longest
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self._longest)

    def run(self, statement: str, steps: int, most: int, columns: int | None = None) -> QueryResult:
        """Return at most `most` rows of a query.

        Args:
            statement: A single statement that only reads.
            steps: Instructions of SQLite's virtual machine that the query may take.
            most: Number of rows to fetch.
            columns: Number of columns; of a result with another number, no row is fetched.

        Raises:
            QueryError: The query returns no result.
        """
        with _guarded(self._connection, _READS, steps, statement, self._longest) as taken:
            cursor = self._connection.execute(statement)
            if cursor.description is None:
                raise QueryError("no_code", "the statement gives no result")
            names = [name for name, *_ in cursor.description]
            rows = _fetched(cursor, most, self._longest) if columns in (None, len(names)) else []
        return QueryResult(rows, taken(), names)


def query(database: Database, statement: str, steps: int, most: int) -> QueryResult:
    """Return at most `most` rows of a query on a fresh copy of a database, see `Reader`.

    Raises:
        QueryError: The query returns no result.
    """
    with Reader() as reader:
        reader.load(database)
        return reader.run(statement, steps, most)


def _fetched(cursor: sqlite3.Cursor, most: int, longest: int) -> list[Row]:
    rows: list[Row] = []
    size = 0
    while len(rows) < most:
        share = cursor.fetchmany(min(most - len(rows), 1000))
        if not share:
            break
        rows += share
        if longest * len(cursor.description) * most > _LARGEST_RESULT:
            size += sum(len(cell) for row in share for cell in row if isinstance(cell, str | bytes))
            if size > _LARGEST_RESULT:
                raise MemoryError
    return rows


def row_bytes(connection: sqlite3.Connection) -> int:
    """Return the size of the largest row of each table, taken together."""
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    total = 0
    for name in names:
        quoted = '"' + name.replace('"', '""') + '"'
        columns = [one[1].replace('"', '""') for one in connection.execute(f"PRAGMA table_info({quoted})")]
        sizes = " + ".join(f'9 + ifnull(length(CAST("{one}" AS BLOB)), 0)' for one in columns)
        total += connection.execute(f"SELECT ifnull(max({sizes}), 0) FROM {quoted}").fetchone()[0]
    return total


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@contextmanager
def _guarded(
    connection: sqlite3.Connection, actions: frozenset[int], steps: int, statement: str, longest: int
) -> Iterator[Callable[[], int]]:
    """Allow `actions` and `steps`, yield a counter of the steps taken, and label errors."""
    taken = 0
    until = time.thread_time() + _SECONDS * max(1, steps / _USUAL_STEPS)

    def count() -> bool:
        nonlocal taken
        taken += _STRIDE
        return taken > steps or (taken % _CLOCK_STRIDE == 0 and time.thread_time() > until)

    broken = guard(connection, statement, longest)

    connection.set_authorizer(_authorizer(actions))
    connection.set_progress_handler(count, _STRIDE)
    try:
        yield lambda: taken
    except (sqlite3.Error, sqlite3.Warning) as error:
        if broken:
            raise QueryError(*broken[0]) from None
        raise _labeled(error, spent=taken > steps) from None
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
            and (first or "").lower().startswith(_HIDDEN_TABLES)
        ):
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    return authorize


def _labeled(error: Exception, *, spent: bool) -> QueryError:
    told = " ".join(str(error).split())[:200]
    if spent or _TOO_MUCH.search(told):
        return QueryError("over_budget", f"the query needs more than is allowed ({told})")
    if "function: current_" in told:
        return QueryError("constraint_violated", CLOCK)
    if any(word in told for word in ("not authorized", "authorization denied", "prohibited", "readonly")):
        return QueryError("constraint_violated", f"the query may only read the tables ({told})")
    if _SYNTAX.search(told):
        return QueryError("syntax_error", told)
    return QueryError("crashed", told)
