"""The order of a reference's rows, and the orders that it leaves open."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from reasonenv.verifiers._sql._engine import Database, QueryError, Row, query

_SKIPPED = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(r"[()]|\w+")
_MOST_ROWS = 20_000
REFERENCE_STEPS = 20_000_000


def _clauses(statement: str) -> Iterator[tuple[int, int]]:
    """Yield the end of each `ORDER BY` clause and its depth in brackets."""
    bare = _SKIPPED.sub(lambda found: " " * len(found[0]), statement).lower()
    tokens = [(found[0], found.start()) for found in _TOKEN.finditer(bare)]
    depth = 0
    opened: dict[int, bool] = {}
    for (token, at), following in zip(tokens, [*tokens[1:], ("", len(bare))], strict=True):
        if token == "(":
            depth += 1
        elif token == ")":
            if opened.pop(depth, False):
                yield at, depth
            depth -= 1
        elif token == "order" and following[0] == "by":
            opened[depth] = True
        elif token in ("limit", "rows", "range", "groups") and opened.pop(depth, False):
            yield at, depth
    if opened.pop(0, False):
        yield len(bare.rstrip().rstrip(";")), 0


def orders(statement: str) -> bool:
    """True if a query orders its result."""
    return any(depth == 0 for _, depth in _clauses(statement))


def _broken_ties(statement: str, columns: int, direction: str) -> str:
    """Return a query with ties broken by its own columns, which leaves no order open."""
    for at, depth in sorted(_clauses(statement), reverse=True):
        places = range(1, columns + 1 if depth == 0 else 2)
        added = "".join(f", {place} {direction}" for place in places)
        statement = f"{statement[:at].rstrip()}{added} {statement[at:]}"
    return statement


class Expected(NamedTuple):
    """Result of a reference on a database."""

    database: Database
    rows: list[Row]
    groups: list[Counter[Row]]
    """Groups in order; the rows within a group may come in any order."""
    steps: int
    """Steps that the reference took."""


def results(database: Database, reference: str) -> Expected | None:
    """Return a reference's rows and their groups, or None if the rows depend on an order left open.

    The order of the groups counts; the rows within a group tie and may come in any order. An unordered query
    has a single group.

    Raises:
        QueryError: The reference fails.
    """
    rows, steps, _ = query(database, reference, REFERENCE_STEPS, _MOST_ROWS)
    others = [query(database, reference, REFERENCE_STEPS, _MOST_ROWS, reverse=True).rows]
    if rows:
        for direction in ("ASC", "DESC"):
            statement = _broken_ties(reference, len(rows[0]), direction)
            try:
                others.append(query(database, statement, REFERENCE_STEPS, _MOST_ROWS).rows)
            except QueryError:
                continue  # an order that accepts no column numbers
    ours = comparable(rows)
    count = Counter(ours)
    if any(Counter(comparable(other)) != count for other in others):
        return None
    if not orders(reference):
        return Expected(database, ours, [count], steps)
    return Expected(database, ours, _groups(ours, [comparable(other) for other in others]), steps)


def _groups(rows: list[Row], others: list[list[Row]]) -> list[Counter[Row]]:
    """Split rows wherever all lists agree on the set of rows so far."""
    groups: list[Counter[Row]] = []
    group: Counter[Row] = Counter()
    off = [Counter[Row]() for _ in others]
    for at, row in enumerate(rows):
        group[row] += 1
        for other, counted in zip(others, off, strict=True):
            counted[row] += 1
            counted[other[at]] -= 1
        if not any(any(counted.values()) for counted in off):
            groups.append(group)
            group = Counter()
    return groups


def comparable(rows: list[Row]) -> list[Row]:
    """Return rows in the form they are compared in: 1 equals 1.0, and floats are rounded to nine digits."""
    return [tuple(float(f"{cell:.9g}") if isinstance(cell, float) else cell for cell in row) for row in rows]


def in_order(rows: list[Row], groups: list[Counter[Row]]) -> bool:
    """True if rows come group by group."""
    at = 0
    for group in groups:
        size = group.total()
        if Counter(rows[at : at + size]) != group:
            return False
        at += size
    return at == len(rows)
