"""A reference query and the databases that tell it from its near misses."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from reasonenv.verifiers._sql._databases import (
    Maker,
    Style,
    boundary_styles,
    cleared_styles,
    mixed_style,
    styles,
)
from reasonenv.verifiers._sql._engine import Database, QueryError, Reader
from reasonenv.verifiers._sql._mutants import mutants
from reasonenv.verifiers._sql._order import Expected, agrees, results
from reasonenv.verifiers._sql._schema import TableContent, shown_database, structure
from reasonenv.verifiers._sql._tokens import Statement, parsed
from reasonenv.verifiers._sql._values import planned

_FEWEST_HIDDEN = 3
_TRIES = 4
"""Databases of a style that are made until the reference leaves no order open on one."""

_TARGETS = 40
"""Databases with a row at a boundary, of which those are kept on which a surviving mutant differs."""

_MIXED = 30
"""Databases that are searched for those on which a surviving mutant differs."""

_IN_VAIN = 10
"""Databases in a row on which none differs, after which the search ends."""

_MUTANT_STEPS = 20_000
_MOST_PROBE_ROWS = 1100
_MOST_ROWS = 4000
_MANY = ((2, 1.0, 0.1), (2, 0.0, 0.9), (2, 0.5, 0.6), (8, 1.0, 0.1), (8, 0.0, 0.1))
"""Rows per row of a long result, the share that meets the conditions and the childless one, tried in turn."""

_PROBES = (
    Style("with values of the query", met=0.9, distinct=True),
    Style("with values of the query and repeated ones", met=0.7, nulls=0.05),
    Style("with few values of the query", met=0.5, values=3),
)


@dataclass(frozen=True)
class Reference:
    """A reference query and its results."""

    databases: tuple[Expected, ...]
    """Results on the shown database and, after it, on the hidden ones."""
    _query: str = field(repr=False)
    _tables: list[TableContent] = field(repr=False)
    _maker: Maker = field(repr=False)

    def __len__(self) -> int:
        return len(self.databases)

    def probes(self, reader: Reader, answer: str) -> Iterator[Expected]:
        """Yield results on further databases with the literals of a query that the reference lacks."""
        ours, theirs = parsed(self._query), parsed(answer)
        new = _literals(theirs, self._tables) - _literals(ours, self._tables)
        if not new and _limits(theirs) <= _limits(ours):
            return
        plan = planned(self._tables, ours, theirs)
        for number, style in enumerate((*boundary_styles(plan)[:_TARGETS], *_PROBES)):
            expected = _result(reader, self._maker.make(plan, style, f"probe {number}"), self._query)
            if expected is not None:
                yield expected
        longest = max((one for one in _limits(theirs) - _limits(ours) if one < _MOST_PROBE_ROWS), default=0)
        for factor, met, childless in _MANY if longest else ():
            rows = min(_MOST_ROWS, factor * longest + 5)
            style = Style(
                "with many rows", met=met, spared=0.0, distinct=True, stairs=False, childless=childless
            )
            expected = _result(
                reader, self._maker.make(plan, replace(style, rows=rows), "probe"), self._query
            )
            if expected is not None and len(expected.rows) > longest:
                yield expected
                return


def _limits(statement: Statement) -> set[int]:
    """Return the numbers by which a query limits its rows."""
    return {
        int(token.value)
        for select in statement.selects
        for token in statement.tokens[slice(*select.clauses.get("limit", (0, 0)))]
        if token.kind == "number" and token.value.isdigit()
    }


def prepared(schema: str, query: str) -> Reference:
    """Run a reference on the shown database and on hidden ones.

    Raises:
        QueryError: The schema or the reference does not run.
        ValueError: The reference does not tell right queries from wrong ones.
    """
    shown, tables = shown_database(schema)
    statement = parsed(query)
    used = {name for found in statement.sources([one.name for one in tables]).values() for name in found}
    maker = Maker(structure(shown.content), tables, used)
    plan = planned(tables, statement)
    with Reader() as reader:
        first = results(reader, shown, query, hidden=False)
        if first is None:
            raise ValueError("which rows the reference returns depends on an order that it leaves open")
        hidden = []
        for style in styles(tables, used):
            for seed in range(_TRIES):
                expected = _result(reader, maker.make(plan, style, str(seed)), query)
                if expected is not None:
                    hidden.append(expected)
                    break
        if len(hidden) < _FEWEST_HIDDEN:
            raise ValueError(
                "which rows the reference returns depends on an order that it leaves open on all but "
                f"{len(hidden)} hidden databases, of which there must be {_FEWEST_HIDDEN}"
            )
        living = mutants(statement, tables)
        for expected in (first, *hidden):
            living = _survivors(reader, expected, living)
        boundaries = [*cleared_styles(plan, tables, used)[:_TARGETS], *boundary_styles(plan)[:_TARGETS]]
        mixed = [mixed_style(seed) for seed in range(_MIXED)]
        for searched, patience in ((boundaries, len(boundaries)), (mixed, _IN_VAIN)):
            vain = 0
            for seed, style in enumerate(searched):
                if not living or vain == patience:
                    break
                vain += 1
                expected = _result(reader, maker.make(plan, style, str(seed)), query)
                left = living if expected is None else _survivors(reader, expected, living)
                if expected is not None and len(left) < len(living):
                    hidden.append(expected)
                    living, vain = left, 0
    if all(not one.rows for one in hidden):
        raise ValueError(
            "the reference returns no row on any hidden database, so that any query without rows would pass"
        )
    if all(one.rows == hidden[0].rows for one in hidden):
        raise ValueError(
            "the reference returns the same rows on every hidden database, so that a constant would pass"
        )
    return Reference((first, *hidden), query, tables, maker)


def _result(reader: Reader, database: Database, query: str) -> Expected | None:
    """Return a reference's result on a hidden database, or None if the database does not count."""
    try:
        return results(reader, database, query)
    except QueryError as error:
        if error.label in ("over_budget", "crashed"):  # too many rows, or a value that it cannot compute with
            return None
        raise


def _survivors(reader: Reader, expected: Expected, living: list[str]) -> list[str]:
    """Return the mutants that agree with the reference."""
    left = []
    reader.load(expected.database)
    for mutant in living:
        try:
            steps = max(_MUTANT_STEPS, 10 * expected.steps)
            rows = reader.run(mutant, steps, len(expected.rows) + 1, expected.columns).rows
        except QueryError:
            continue
        if agrees(rows, expected):
            left.append(mutant)
    return left


def _literals(statement: Statement, tables: list[TableContent]) -> set[float | str]:
    known = {one.name.lower() for one in tables} | {
        column.name.lower() for one in tables for column in one.columns
    }
    numbers, texts = statement.literals()
    found: set[float | str] = {*numbers, *(one for one in texts if one.lower() not in known)}
    return found - {0, 1}
