"""SQL on a small database in memory: read-only, in counted steps."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.tools._tool import Tool, ToolContext, ToolError, from_function
from reasonenv.verifiers._sql._engine import Database, QueryError, query
from reasonenv.verifiers._sql._schema import TableContent, shown_database
from reasonenv.verifiers._sql_result import SqlResult, schema_of

_LARGEST = 64 << 20
"""Maximum size in bytes of a database."""

_LONGEST_CELL = 200


def make(*, database: str | Path | None = None, steps: int = 2_000_000, shown: int = 50) -> Tool:
    """The tool `sql`.

    Args:
        database: The statements that create and fill its tables, or the `Path` of a file of SQLite. None: the
            task's own: its attribute `database`, or the schema of a row of `verifiers.sql_result`.
        steps: Instructions of SQLite's virtual machine that a query may take.
        shown: Number of rows that a query shows.

    Raises:
        InvalidArgument: An argument is invalid, or the database cannot be made; names the reason.
    """
    steps = _checks.whole("steps", steps, 1000, 10**9)
    shown = _checks.whole("shown", shown, 1, 10_000)
    opened = None if database is None else _opened(database)
    tool = from_function(_Shell(opened, steps, shown).sql)
    if opened is None:
        return tool
    about = f"{tool.description} The tables are {opened.tables}."
    return Tool(tool.name, about, tool.parameters, tool.function, tool.context)


@dataclass(frozen=True)
class _Opened:
    database: Database = field(repr=False)
    tables: str
    """The tables and their columns."""


@dataclass(frozen=True)
class _Shell:
    opened: _Opened | None
    steps: int
    shown: int

    def sql(self, query: str, context: ToolContext) -> str:
        """Runs one SQLite query on a database that it can only read, and gives the rows.

        Args:
            query: A single SELECT statement.
            context: The task, which may have a database.
        """
        opened = self.opened or _of_task(context.task)
        try:
            found = _run(opened.database, query, self.steps, self.shown + 1)
        except QueryError as error:
            raise ToolError(f"{error}; the tables are {opened.tables}") from None
        lines = [" | ".join(_cell(cell) for cell in row) for row in found.rows[: self.shown]]
        more = [f"[cut: only {self.shown} rows are shown]"] if len(found.rows) > self.shown else []
        return "\n".join([" | ".join(found.columns), *lines, *more]) if lines else "no rows"


_run = query


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    text = value.hex() if isinstance(value, bytes) else str(value)
    return text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}..."


def _of_task(task: Any) -> _Opened:
    """Database of a task: only what creates and fills its tables, never the reference query."""
    script = getattr(task, "database", None)
    if script is None and isinstance(getattr(task, "verifier", None), SqlResult):
        script = schema_of(task.answer)
    if not isinstance(script, str):
        who = getattr(task, "id", task)
        msg = f"the task {_checks.shown(who)} has no database; give the tool `sql` one: `database=`"
        raise InvalidArgument(msg)
    return _from_script(script)


def _opened(database: object) -> _Opened:
    if isinstance(database, str):
        return _from_script(database)
    if isinstance(database, Path):
        return _from_file(database)
    msg = f"`database` is {_checks.shown(database)}, but must be SQL statements, or the `Path` of a file"
    raise InvalidArgument(msg)


@lru_cache(maxsize=64)
def _from_script(script: str) -> _Opened:
    try:
        return _described(*shown_database(script))
    except QueryError as error:
        raise InvalidArgument(f"`database` cannot be made: {error}") from None


def _from_file(path: Path) -> _Opened:
    try:
        if path.stat().st_size > _LARGEST:
            raise InvalidArgument(f"`database` is {path}, but may have at most {_LARGEST >> 20} MB")
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("SELECT 1 FROM sqlite_schema").fetchall()
            content = bytearray(connection.serialize())
    except (OSError, sqlite3.Error, ValueError) as error:
        raise InvalidArgument(f"`database` is {path}, but cannot be read: {error}") from None
    content[18:20] = b"\1\1"  # a database in memory has no write-ahead log
    try:
        return _described(*shown_database(bytes(content)))
    except (QueryError, sqlite3.Error) as error:
        raise InvalidArgument(f"`database` is {path}, but cannot be read: {error}") from None


def _described(database: Database, tables: list[TableContent]) -> _Opened:
    about = [f"{one.name}({', '.join(column.name for column in one.columns)})" for one in tables]
    return _Opened(database, ", ".join(about) or "none")
