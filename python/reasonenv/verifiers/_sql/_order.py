"""The order of a reference's rows, and the orders that it leaves open."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from reasonenv.verifiers._sql._engine import Database, QueryError, Reader, Row
from reasonenv.verifiers._sql._tokens import Statement, Token, parsed

MOST_ROWS = 20_000
_AFTER_ORDER = ("limit", "rows", "range", "groups")
REFERENCE_STEPS = 20_000_000
_WIDER = (1, 8, 64, 512)
"""Factors for the limit on values that are tried in turn, until the reference runs."""


def _clauses(statement: Statement) -> Iterator[tuple[int, int]]:
    """Yield the end of each `ORDER BY` clause and its depth in brackets."""
    depths: dict[int, bool] = {}
    tokens = statement.tokens
    last = 0
    for at, token in enumerate(tokens):
        if token.kind == "sign" and token.value == ")" and depths.pop(token.depth + 1, False):
            yield last, token.depth + 1
        elif token.kind == "word" and token.value == "order" and _value(tokens, at + 1) == "by":
            depths[token.depth] = True
        elif token.kind == "word" and token.value in _AFTER_ORDER and depths.pop(token.depth, False):
            yield last, token.depth
        if not (token.kind == "sign" and token.value == ";"):
            last = token.end
    if depths.pop(0, False):
        yield last, 0


def _value(tokens: list[Token], at: int) -> str:
    return tokens[at].value if at < len(tokens) else ""


def orders(statement: str) -> bool:
    """True if a query orders its result."""
    return any(depth == 0 for _, depth in _clauses(parsed(statement)))


def _broken_ties(statement: str, columns: int, direction: str) -> str:
    """Return a query with ties broken by its own columns, which leaves no order open."""
    for at, depth in sorted(_clauses(parsed(statement)), reverse=True):
        places = range(1, columns + 1 if depth == 0 else 2)
        added = "".join(f", {place} {direction}" for place in places)
        statement = f"{statement[:at]}{added} {statement[at:]}"
    return statement


class _Cut(NamedTuple):
    """A query without its limit, and how to see whether the limit cuts through a tie."""

    statement: str
    keys: list[int]
    """Columns by which rows are ordered."""
    at: list[int]
    """Numbers of rows before each cut."""


def _cut(statement: Statement, columns: list[str]) -> _Cut | None:
    """Return where a query's limit cuts, or None if it has none or a form that cannot be read."""
    outer = [one for one in statement.selects if one.depth == 0]
    if not outer or "order" not in outer[-1].clauses or "limit" not in outer[-1].clauses:
        return None
    select, tokens = outer[-1], statement.tokens
    limit = tokens[slice(*select.clauses["limit"])]
    numbers = [int(one.value) for one in limit if one.kind == "number" and one.value.isdigit()]
    if len(limit) not in (1, 3) or len(numbers) != (len(limit) + 1) // 2:
        return None
    if len(limit) == 3 and limit[1].value == ",":
        numbers.reverse()
    size, skipped = numbers[0], numbers[1] if len(numbers) > 1 else 0
    keys: list[int] = []
    added: list[str] = []
    names = [one.lower() for one in columns]
    for start, end in _terms(tokens, *select.clauses["order"]):
        token = tokens[start]
        if end - start == 1 and token.kind == "number" and token.value.isdigit():
            keys.append(int(token.value) - 1)
        elif end - start == 1 and token.value.lower() in names:
            keys.append(names.index(token.value.lower()))
        elif len(outer) > 1 or _value(tokens, select.clauses["select"][0]) == "distinct":
            return None
        else:
            keys.append(len(columns) + len(added))
            added.append(statement.written(start, end))
    at = tokens[select.clauses["select"][1] - 1].end
    stop = tokens[select.clauses["limit"][0] - 1].start
    more = "".join(f", ({one})" for one in added)
    text = f"{statement.text[:at]}{more}{statement.text[at:stop]}"
    return _Cut(text, keys, [one for one in (skipped, skipped + size) if one])


def _terms(tokens: list[Token], start: int, end: int) -> Iterator[tuple[int, int]]:
    depth = tokens[start].depth if start < end else 0
    begun = start
    for at in range(start, end + 1):
        if at == end or (tokens[at].value == "," and tokens[at].depth == depth):
            stop = at
            while stop > begun and tokens[stop - 1].value in ("asc", "desc", "nulls", "first", "last"):
                stop -= 1
            if stop > begun:
                yield begun, stop
            begun = at + 1


class Expected(NamedTuple):
    """Result of a reference on a database."""

    database: Database
    rows: list[Row]
    groups: list[Counter[Row]]
    """Groups in order; the rows within a group may come in any order."""
    steps: int
    """Steps that the reference took."""
    columns: int
    """Number of columns."""


def agrees(rows: list[Row], expected: Expected) -> bool:
    """True if a query returned the expected rows."""
    return len(rows) == len(expected.rows) and in_order(comparable(rows), expected.groups)


def results(reader: Reader, database: Database, reference: str, *, hidden: bool = True) -> Expected | None:
    """Return a reference's rows and their groups, or None if they depend on an order that it leaves open.

    The order of the groups counts; the rows within a group tie and may come in any order. An unordered query
    has a single group.

    Args:
        reader: Runs the queries.
        database: The database.
        reference: The query.
        hidden: True to return None also if a limit cuts through a tie of rows that look alike.

    Raises:
        QueryError: The reference fails.
    """
    database, turned = _reversed(reader, database, reference)
    others = [turned]
    reader.load(database)
    rows, steps, names = reader.run(reference, REFERENCE_STEPS, MOST_ROWS)
    statement = parsed(reference)
    if hidden and _cuts_a_tie(reader, statement, names):
        return None
    if rows and any(_clauses(statement)):
        for direction in ("ASC", "DESC"):
            try:
                broken = _broken_ties(reference, len(names), direction)
                others.append(reader.run(broken, REFERENCE_STEPS, MOST_ROWS).rows)
            except QueryError:
                continue  # an order that accepts no column numbers
    ours = comparable(rows)
    count = Counter(ours)
    if any(Counter(comparable(other)) != count for other in others):
        return None
    if not orders(reference):
        return Expected(database, ours, [count], steps, len(names))
    groups = _groups(ours, [comparable(other) for other in others])
    return Expected(database, ours, groups, steps, len(names))


def _reversed(reader: Reader, database: Database, reference: str) -> tuple[Database, list[Row]]:
    """Return the rows with unordered ones reversed, and the database with room for the reference's values."""
    wider = [database._replace(row_bytes=factor * database.longest // 2) for factor in _WIDER]
    for one in wider:
        reader.load(one, reverse=True)
        try:
            return one, reader.run(reference, REFERENCE_STEPS, MOST_ROWS).rows
        except QueryError as error:
            if one is wider[-1] or "too big" not in str(error):
                raise
    raise AssertionError


def _cuts_a_tie(reader: Reader, statement: Statement, names: list[str]) -> bool:
    """True if a limit separates rows that the order leaves together, or nothing orders them."""
    cut = _cut(statement, names)
    if cut is None:
        return False
    try:
        rows = comparable(reader.run(cut.statement, REFERENCE_STEPS, max(cut.at, default=0) + 1).rows)
    except QueryError:  # an order by something that cannot be selected
        return False
    if rows and rows[0][cut.keys[0]] is rows[-1][cut.keys[0]] is None:
        return True  # rows are ranked by nothing
    return any(
        at < len(rows) and all(rows[at][key] == rows[at - 1][key] for key in cut.keys) for at in cut.at
    )


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
