"""Proofs that queries differ from a reference, on databases within the constraints of their schemas."""

import random
import sqlite3
from typing import Any

from sql_rows import Row
from sql_schemas import DAYS, SCHEMAS, WORDS, Column, structure


def database(schema: str, values: dict[str, list[Any]], seed: int) -> sqlite3.Connection:
    """Make a database within the constraints of a schema."""
    draw = random.Random(f"{schema} {seed}")
    connection = sqlite3.connect(":memory:")
    connection.executescript(structure(schema))
    tables = SCHEMAS[schema]
    size = 700 if seed % 10 == 9 else draw.choice((3, 8, 16, 30))
    empty = tables[seed // 4 % len(tables)].name if seed % 4 == 3 else ""
    ids: dict[str, list[int]] = {}
    wide = seed % 3 == 0 or size > 100
    nulls = draw.choice((0.0, 0.1, 0.4))
    for table in tables:
        count = 0 if table.name == empty else size
        start = draw.choice((1, -4, 100_000 - 3))
        ids[table.name] = list(range(start, start + count))
        for key in ids[table.name]:
            cells = (
                _cell(draw, one, values.get(one.name, []), wide=wide, nulls=nulls) for one in table.columns
            )
            row: list[Any] = [key, *cells]
            for _, parent, null in table.parents:
                known = ids.get(parent, [])
                known = [other for other in known if other < key] if parent == table.name else known
                row.append(None if not known or (null and draw.random() < 0.25) else draw.choice(known))
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT OR IGNORE INTO {table.name} VALUES ({marks})", row)
    return connection


def _cell(draw: random.Random, column: Column, near: list[Any], *, wide: bool, nulls: float) -> Any:
    if column.null and draw.random() < nulls:
        return None
    if near and draw.random() < 0.6:
        return draw.choice(near)
    if column.kind == "int":
        return (
            draw.randint(-(10 ** draw.randint(1, 5)), 10 ** draw.randint(1, 5))
            if wide
            else draw.choice((0, 1, 5, 9, 10, 100, -3, 8123))
        )
    if column.kind == "real":
        return (
            draw.randint(-2000, 90_000) / 1024
            if wide
            else draw.choice((0.0, 2.5, 9.125, 10.0, 33.0625, -1.5))
        )
    if column.kind == "text":
        return f"{draw.choice(WORDS)}{draw.randint(0, 9999)}" if wide else draw.choice((*WORDS, "Zanzibar"))
    return (
        f"{draw.randint(2015, 2024)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        if wide
        else draw.choice(DAYS)
    )


def answer(connection: sqlite3.Connection, query: str) -> list[tuple[Any, ...]] | None:
    """Return the rows of a query with floats rounded, None if it does not run."""
    try:
        found = connection.execute(query).fetchall()
    except sqlite3.Error:
        return None
    return [tuple(float(f"{cell:.8g}") if isinstance(cell, float) else cell for cell in row) for row in found]


def told_apart(row: Row, databases: int = 48) -> tuple[list[str], list[str]]:
    """Return the near misses proved wrong, and the rewordings that no database proves wrong."""
    near, right = list(dict.fromkeys(row.near)), list(dict.fromkeys(row.right))
    wrong: dict[str, None] = {}
    off: set[str] = set()
    for seed in range(databases):
        connection = database(row.schema, row.values, seed)
        expected = answer(connection, row.reference)
        assert expected is not None, row.reference
        if row.ordered and not _is_strict(connection, row.reference):
            continue
        for query in (one for one in (*near, *right) if one not in wrong and one not in off):
            found = answer(connection, query)
            same = found is not None and (
                found == expected if row.ordered else _sorted(found) == _sorted(expected)
            )
            if not same:
                if query in near:
                    wrong[query] = None
                else:
                    off.add(query)
        connection.close()
    return list(wrong), [one for one in right if one not in off]


def _is_strict(connection: sqlite3.Connection, reference: str) -> bool:
    """True if a ranking has no two rows with the same key."""
    ranking = answer(connection, reference.rsplit(" LIMIT ", 1)[0]) or []
    return len({row[1] for row in ranking}) == len(ranking)


def _sorted(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(found, key=repr)


def shown(schema: str, seed: int) -> str:
    """Return a script with few rows, as a reader might write it."""
    connection = database(schema, {}, 4 * seed + 1)
    script = "\n".join(connection.iterdump())
    connection.close()
    return script
