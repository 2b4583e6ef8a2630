"""Tables of a database: columns, rows and constraints."""

import random
import re
import sqlite3
from dataclasses import dataclass, field
from typing import Any, Literal

from reasonenv.verifiers._sql._engine import Database, QueryError, opened, row_bytes, set_up

_SETUP_STEPS = 20_000_000
_MOST_ROWS = 400
"""Largest number of rows that are read of a table; of larger tables a sample."""

Kind = Literal["boolean", "integer", "real", "text", "digits", "date", "time"]
"""Kind of a column's values; `digits` are numbers as text, `time` are dates with a time of day."""

_TYPES: tuple[tuple[Kind, str], ...] = (
    ("boolean", r"BOOL"),
    ("real", r"REAL|FLOA|DOUB"),
    ("integer", r"INT|(NUM|DEC)[A-Z]*\s*\(\s*\d+\s*(,\s*0\s*)?\)"),
    ("real", r"NUM|DEC"),
    ("time", r"DATETIME|TIMESTAMP"),
    ("date", r"\bDATE\b"),
)
"""Kinds by the declared type."""

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?")
_DIGITS = re.compile(r"-?\d+(\.\d+)?")


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    declared: str
    """Type and collation as declared."""
    kind: Kind
    places: int | None
    """Decimals that the type keeps, None for any number."""
    nullable: bool


@dataclass(frozen=True)
class ForeignKey:
    """Columns that refer to the columns of a parent."""

    columns: list[int]
    parent: str
    theirs: list[int]


@dataclass
class TableContent:
    """A table: its columns, rows and constraints."""

    name: str
    columns: list[Column]
    rows: list[list[Any]]
    unique: list[list[int]]
    """Groups of columns whose combined values are unique, the primary key included."""
    parents: list[ForeignKey]
    checks: list[str] = field(default_factory=list)
    """Conditions that each row meets."""

    def place(self, column: str) -> int:
        """Return the place of a column."""
        return next(at for at, one in enumerate(self.columns) if one.name == column)


def shown_database(schema: str | bytes) -> tuple[Database, list[TableContent]]:
    """Build the database of a schema, or read the content of one, and return it with its tables.

    Raises:
        QueryError: The schema cannot be set up.
    """
    with opened() as connection:
        if isinstance(schema, bytes):
            connection.deserialize(schema)
        else:
            set_up(connection, schema, _SETUP_STEPS)
        tables = _tables(connection)
        if not tables:
            raise QueryError("crashed", "the schema makes no table")
        return Database("as shown", connection.serialize(), row_bytes(connection)), tables


def structure(content: bytes) -> list[str]:
    """Return the statements that create the tables, indexes and views of a database."""
    with opened() as connection:
        connection.deserialize(content)
        found = connection.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
            "ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, rowid"
        )
        return [sql for (sql,) in found]


def quoted(name: str) -> str:
    """Return a name in quotes."""
    return '"' + name.replace('"', '""') + '"'


def parents_first(tables: list[TableContent]) -> list[TableContent]:
    """Sort tables so that each follows the tables it refers to, as far as possible."""
    found: list[TableContent] = []
    left = list(tables)
    while left:
        names = {one.name for one in left}
        ready = [
            one
            for one in left
            if not any(key.parent in names and key.parent != one.name for key in one.parents)
        ]
        for one in ready or left[:1]:
            found.append(one)
            left.remove(one)
    return found


def _tables(connection: sqlite3.Connection) -> list[TableContent]:
    found = connection.execute(
        "SELECT name, sql FROM sqlite_master "
        "WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    ).fetchall()
    names = {name.lower(): name for name, _ in found}
    return [_table(connection, name, sql or "", names) for name, sql in found]


def _table(connection: sqlite3.Connection, name: str, sql: str, names: dict[str, str]) -> TableContent:
    info = [one for one in connection.execute(f"PRAGMA table_xinfo({quoted(name)})") if one[6] == 0]
    places = {one[1].lower(): at for at, one in enumerate(info)}
    listed = ", ".join(quoted(one[1]) for one in info)
    rows = [list(row) for row in connection.execute(f"SELECT {listed} FROM {quoted(name)}")]
    if len(rows) > _MOST_ROWS:
        rows = random.Random(name).sample(rows, _MOST_ROWS)
    columns = [
        _column(column, kind or "", [row[at] for row in rows], nullable=not not_null and not key)
        for at, (_, column, kind, not_null, _, key, _) in enumerate(info)
    ]
    key = sorted((one[5], places[one[1].lower()]) for one in info if one[5])
    unique = [[place for _, place in key]] if key else []
    for _, index, is_unique, *rest in connection.execute(f"PRAGMA index_list({quoted(name)})").fetchall():
        held = connection.execute(f"PRAGMA index_info({quoted(index)})").fetchall()
        group = [places.get((column or "").lower(), -1) for _, _, column in held]
        if is_unique and rest[1:2] != [1] and -1 not in group and group not in unique:
            unique.append(group)
    parents = _foreign_keys(connection, name, places, names)
    return TableContent(name, columns, rows, unique, parents, _checks(sql))


def _foreign_keys(
    connection: sqlite3.Connection, table: str, places: dict[str, int], names: dict[str, str]
) -> list[ForeignKey]:
    found: dict[int, list[tuple[str, str, str | None]]] = {}
    for at, _, parent, ours, theirs, *_ in connection.execute(f"PRAGMA foreign_key_list({quoted(table)})"):
        found.setdefault(at, []).append((parent, ours, theirs))
    keys = []
    for _, pairs in sorted(found.items()):
        parent = names.get(pairs[0][0].lower())
        if parent is None:
            continue
        others = connection.execute(f"PRAGMA table_info({quoted(parent)})").fetchall()
        by_name = {one[1].lower(): at for at, one in enumerate(others)}
        primary = [at for _, at in sorted((one[5], at) for at, one in enumerate(others) if one[5])]
        theirs = [by_name.get(name.lower(), -1) if name else -1 for _, _, name in pairs]
        if all(name is None for _, _, name in pairs) and len(primary) == len(pairs):
            theirs = primary
        columns = [places.get(ours.lower(), -1) for _, ours, _ in pairs]
        if -1 not in theirs and -1 not in columns:
            keys.append(ForeignKey(columns, parent, theirs))
    return keys


def _column(name: str, declared: str, values: list[Any], *, nullable: bool) -> Column:
    given = [one for one in values if one is not None]
    upper = declared.upper()
    scale = re.search(r"(?:NUM|DEC)[A-Z]*\s*\(\s*\d+\s*,\s*(\d+)\s*\)", upper)
    return Column(name, declared, _kind(upper, given), int(scale[1]) if scale else None, nullable)


def _kind(declared: str, values: list[Any]) -> Kind:
    """Return the kind of a column by its values, or by its type where these leave it open."""
    texts = [one for one in values if isinstance(one, str)]
    if any(isinstance(one, bytes) for one in values) or 0 < len(texts) < len(values):
        return "text"
    if texts:
        patterns: list[tuple[Kind, re.Pattern[str]]] = [("time", _TIME), ("date", _DATE), ("digits", _DIGITS)]
        return next((one for one, form in patterns if all(map(form.fullmatch, texts))), "text")
    if any(isinstance(one, float) for one in values):
        return "real"
    if values and "BOOL" not in declared and not re.search(r"REAL|FLOA|DOUB", declared):
        return "integer"
    return next((kind for kind, form in _TYPES if re.search(form, declared)), "text")


def _checks(sql: str) -> list[str]:
    """Return the conditions of CHECK constraints."""
    found = []
    for match in re.finditer(r"\bCHECK\s*\(", sql, re.IGNORECASE):
        depth = 1
        for at in range(match.end(), len(sql)):
            depth += (sql[at] == "(") - (sql[at] == ")")
            if not depth:
                found.append(sql[match.end() : at])
                break
    return found
