"""Databases derived from the one shown, on which near misses of the reference query give other results."""

import random
import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reasonenv.verifiers._sql._engine import SHORTEST_LIMIT, Database, QueryError, opened, set_up

_SETUP_STEPS = 20_000_000
_MOST_ROWS = 400
"""Largest table that derived databases start from, in rows; larger tables are sampled."""

_FAR_ROWS = 250
"""Rows that are added to each table beside extreme values; more than the limits that answers like to set."""


@dataclass
class TableContent:
    """A table: its columns and rows."""

    name: str
    columns: list["Column"]
    rows: list[list[Any]]
    unique: list[list[int]]
    """Groups of columns whose combined values are unique, the primary key included."""
    parents: dict[int, tuple[str, int]]
    """Table and column that each foreign key refers to, by the key's column."""

    @property
    def keys(self) -> set[int]:
        """Columns that identify a row or refer to one."""
        return {place for group in self.unique for place in group} | set(self.parents)


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    numeric: bool
    nullable: bool


@dataclass(frozen=True)
class Constants:
    """Numbers and texts in a query."""

    numbers: list[float]
    texts: list[str]


def derive(schema: str, reference: str) -> list[Database]:
    """Build the shown database and, after it, the hidden ones derived from it.

    Raises:
        QueryError: The schema cannot be set up.
    """
    shown, tables = shown_database(schema)
    with opened() as connection:
        connection.deserialize(shown.content)
        structure = _structure(connection)
    constants = _constants(reference)
    if not any(table.rows for table in tables):
        tables = [_filled(table, constants) for table in _ordered(tables)]
    found = [shown]
    for kind, change in _KINDS.items():
        draw = random.Random(f"{kind}\n{schema}\n{reference}")
        copies = [
            TableContent(one.name, one.columns, [list(row) for row in one.rows], one.unique, one.parents)
            for one in _ordered(tables)
        ]
        change(copies, constants, draw)
        found.append(_built(kind, structure, copies))
    return found


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
        return _database("as shown", connection.serialize(), tables), tables


def _built(kind: str, structure: list[str], tables: list[TableContent]) -> Database:
    with opened() as connection:
        for statement in structure:
            connection.execute(statement)
        for table in tables:
            marks = ", ".join("?" * len(table.columns))
            names = ", ".join(_quoted(one.name) for one in table.columns)
            # A row that breaks a constraint is left out.
            connection.executemany(
                f"INSERT OR IGNORE INTO {_quoted(table.name)} ({names}) VALUES ({marks})", table.rows
            )
        return _database(kind, connection.serialize(), tables)


def _database(kind: str, content: bytes, tables: list[TableContent]) -> Database:
    longest = max((len(str(cell)) for table in tables for row in table.rows for cell in row), default=0)
    return Database(kind, content, max(SHORTEST_LIMIT, 4 * longest))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _structure(connection: sqlite3.Connection) -> list[str]:
    """Return the statements that create the tables, indexes and views."""
    found = connection.execute(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
        "ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, rowid"
    )
    return [sql for (sql,) in found]


def _tables(connection: sqlite3.Connection) -> list[TableContent]:
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ).fetchall()
    return [_table(connection, name) for (name,) in names]


def _table(connection: sqlite3.Connection, name: str) -> TableContent:
    quoted = _quoted(name)
    info = [one for one in connection.execute(f"PRAGMA table_xinfo({quoted})") if one[6] == 0]
    places = {one[1]: at for at, one in enumerate(info)}
    columns = []
    for _, column, kind, not_null, _, key, _ in info:
        numeric = bool(re.search(r"INT|REAL|FLOA|DOUB|NUM|DEC", (kind or "").upper()))
        columns.append(Column(column, numeric, not not_null and not key))
    key = sorted((one[5], places[one[1]]) for one in info if one[5])
    unique = [[place for _, place in key]] if key else []
    for _, index, is_unique, *_ in connection.execute(f"PRAGMA index_list({quoted})").fetchall():
        if is_unique:
            held = connection.execute(f"PRAGMA index_info({_quoted(index)})").fetchall()
            unique.append([places[column] for _, _, column in held if column in places])
    parents = {}
    for _, _, parent, ours, theirs, *_ in connection.execute(f"PRAGMA foreign_key_list({quoted})").fetchall():
        others = connection.execute(f"PRAGMA table_info({_quoted(parent)})").fetchall()
        at = next(
            (at for at, one in enumerate(others) if one[1] == theirs or (theirs is None and one[5])), None
        )
        if at is not None and ours in places:
            parents[places[ours]] = (parent, at)
    names = ", ".join(_quoted(one.name) for one in columns)
    rows = [list(row) for row in connection.execute(f"SELECT {names} FROM {quoted}")]
    if len(rows) > _MOST_ROWS:
        rows = random.Random(name).sample(rows, _MOST_ROWS)
    return TableContent(name, columns, rows, unique, parents)


def _ordered(tables: list[TableContent]) -> list[TableContent]:
    """Sort tables so that each follows the tables it refers to, as far as possible."""
    found: list[TableContent] = []
    left = list(tables)
    while left:
        names = {one.name for one in left}
        ready = [
            one
            for one in left
            if not any(name in names and name != one.name for name, _ in one.parents.values())
        ]
        for one in ready or left[:1]:
            found.append(one)
            left.remove(one)
    return found


_LITERALS = re.compile(r"'((?:[^']|'')*)'|\b(\d+(?:\.\d+)?)\b|\"([^\"]*)\"")


def _constants(reference: str) -> Constants:
    numbers: list[float] = []
    texts: list[str] = []
    for text, number, quoted in _LITERALS.findall(reference):
        if number:
            numbers.append(float(number) if "." in number else int(number))
        else:
            texts.append(text.replace("''", "'") or quoted)
    return Constants(numbers, [one for one in texts if one])


def _filled(table: TableContent, constants: Constants) -> TableContent:
    """Fill an empty table with small values and those of the query."""
    numbers = [*range(1, 7), *constants.numbers, *(one + 1 for one in constants.numbers)]
    texts = [*constants.texts, "Ada", "Ben", "Cleo", "Dan"]

    def cell(at: int, place: int) -> Any:
        is_key = place in table.keys
        if table.columns[place].numeric:
            return at + 1 if is_key else numbers[(at + place) % len(numbers)]
        if is_key and place not in table.parents:
            return f"{texts[at % len(texts)]}{at}"
        return texts[(at + place) % len(texts)]

    count = max(8, len(numbers))
    rows = [[cell(at, place) for place in range(len(table.columns))] for at in range(count)]
    return TableContent(table.name, table.columns, rows, table.unique, table.parents)


def _nulls(tables: list[TableContent], constants: Constants, draw: random.Random) -> None:
    """Set about a third of all nullable values to NULL, at least one in each column."""
    _boundaries(tables, constants, draw)  # so that rows found by the query get NULLs, too
    for table in tables:
        for place, column in enumerate(table.columns):
            if column.nullable and table.rows:
                surely = draw.randrange(len(table.rows))
                for at, row in enumerate(table.rows):
                    if at == surely or draw.random() < 0.3:
                        row[place] = None


def _duplicates(tables: list[TableContent], _: Constants, draw: random.Random) -> None:
    """Add one or two copies of every row under new keys."""
    for table in tables:
        fresh = _fresh_keys(table)
        table.rows += [fresh(row) for row in list(table.rows) for _ in range(draw.choice((1, 1, 2)))]


def _fresh_keys(table: TableContent) -> Callable[[list[Any]], list[Any]]:
    """Return a function that copies a row under new keys and keeps its references to other rows."""
    own = {place for group in table.unique for place in group} - set(table.parents)
    highest = {
        place: max((row[place] for row in table.rows if isinstance(row[place], int | float)), default=0)
        for place in own
    }

    def fresh(row: list[Any]) -> list[Any]:
        made = list(row)
        for place in own:
            highest[place] += 1
            text = isinstance(row[place], str)
            made[place] = f"{row[place]}{highest[place]}" if text else int(highest[place])
        return made

    return fresh


def _ties(tables: list[TableContent], _: Constants, draw: random.Random) -> None:
    """Reduce each column to few values, with the least and the greatest occurring twice."""
    for table in tables:
        for place in range(len(table.columns)):
            if place in table.keys and place not in table.parents:
                continue
            values = sorted({row[place] for row in table.rows if row[place] is not None}, key=_order)
            if not values:
                continue
            few = [values[0], values[-1], values[len(values) // 2]]
            for at, row in enumerate(table.rows):
                row[place] = few[at % 2] if at < 4 else draw.choice(few)


def _order(value: Any) -> tuple[str, Any]:
    return ("number", value) if isinstance(value, int | float) else (type(value).__name__, value)


def _empty_groups(tables: list[TableContent], _: Constants, draw: random.Random) -> None:
    """Leave parents without children: every second parent loses its own, and new parents have none."""
    for table in tables:
        for place, (parent, column) in table.parents.items():
            kept = {
                row[column]
                for other in tables
                if other.name == parent
                for row in other.rows[::2]
                if column < len(row)
            }
            table.rows = [row for row in table.rows if row[place] in kept] or table.rows[:1]
        if not table.parents:
            fresh = _fresh_keys(table)
            table.rows += [fresh(row) for row in table.rows[:4]]
        elif len(table.rows) > 2:
            table.rows = [row for row in table.rows if draw.random() < 0.8] or table.rows


def _boundaries(tables: list[TableContent], constants: Constants, draw: random.Random) -> None:
    """Add rows with the numbers and texts of the query and their neighbors."""
    numbers = [near for one in constants.numbers for near in (one, one - 1, one + 1, -one)] or [0, -1, 1]
    texts = [
        near
        for one in constants.texts
        for near in (one.strip("%"), one.strip("%").upper(), one.strip("%").lower(), f"x{one.strip('%')}y")
    ] or ["", "A", "a"]
    for table in tables:
        fresh = _fresh_keys(table)
        pattern = list(table.rows) or [[None] * len(table.columns)]
        for at in range(4 * max(len(numbers), len(texts))):
            row = fresh(pattern[at % len(pattern)])
            for place, column in enumerate(table.columns):
                if place not in table.keys and draw.random() < 0.7:
                    row[place] = draw.choice(numbers if column.numeric else texts)
            table.rows.append(row)


def _extremes(tables: list[TableContent], _: Constants, draw: random.Random) -> None:
    """Add many rows with values far from those shown, so that bounds and limits invented to fit them show."""
    numbers = [sign * size for size in (10**2, 10**3, 10**4, 10**6, 10**9) for sign in (1, -1)]
    texts = ["", " ", "0000", "1000-01-01", "9999-12-31", "~~~~"]
    for table in tables:
        fresh = _fresh_keys(table)
        pattern = list(table.rows) or [[None] * len(table.columns)]
        for at in range(_FAR_ROWS):
            row = fresh(pattern[at % len(pattern)])
            for place, column in enumerate(table.columns):
                if place not in table.keys and draw.random() < 0.3:
                    row[place] = draw.choice(numbers if column.numeric else texts)
            table.rows.append(row)


def _shuffled(tables: list[TableContent], _: Constants, draw: random.Random) -> None:
    """Combine the same values in other ways."""
    for table in tables:
        for place in range(len(table.columns)):
            if place in table.keys and place not in table.parents:
                continue
            values = [row[place] for row in table.rows]
            draw.shuffle(values)
            for row, value in zip(table.rows, values, strict=True):
                row[place] = value


def _half(tables: list[TableContent], _: Constants, draw: random.Random) -> None:
    """Keep half of the rows, in another order."""
    for table in tables:
        table.rows = draw.sample(table.rows, (len(table.rows) + 1) // 2)


def _empty(tables: list[TableContent], _: Constants, __: random.Random) -> None:
    """Remove all rows."""
    for table in tables:
        table.rows = []


_KINDS: dict[str, Callable[[list[TableContent], Constants, random.Random], None]] = {
    "with NULLs": _nulls,
    "with duplicates": _duplicates,
    "with ties": _ties,
    "with empty groups": _empty_groups,
    "with values at the boundaries": _boundaries,
    "with extreme values": _extremes,
    "with shuffled values": _shuffled,
    "with fewer rows": _half,
    "without rows": _empty,
}
