"""A reference query and the databases that tell it from its near misses."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from reasonenv.verifiers._sql._databases import Maker, Style, mixed_style, styles
from reasonenv.verifiers._sql._engine import Database, QueryError, Reader
from reasonenv.verifiers._sql._mutants import mutants
from reasonenv.verifiers._sql._order import Expected, agrees, results
from reasonenv.verifiers._sql._schema import TableContent, shown_database, structure
from reasonenv.verifiers._sql._tokens import Statement, parsed
from reasonenv.verifiers._sql._values import planned

_FEWEST_HIDDEN = 3
_TRIES = 4
"""Databases of a style that are made until the reference leaves no order open on one."""

_MIXED = 12
"""Databases that are searched for those on which a surviving mutant differs."""

_IN_VAIN = 5
"""Databases in a row on which none differs, after which the search ends."""

_MUTANT_STEPS = 20_000
_MOST_PROBE_ROWS = 1100
_PROBES = (
    Style("with values of the query", met=0.9, distinct=True),
    Style("with values of the query and repeated ones", met=0.7, nulls=0.05),
    Style("with other values of the query", met=0.5),
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
        if not new:
            return
        plan = planned(self._tables, [ours, theirs])
        for style in _PROBES:
            expected = _result(reader, self._maker.make(plan, style, "probe"), self._query)
            if expected is not None:
                yield expected
        largest = max((one for one in new if isinstance(one, int) and one < _MOST_PROBE_ROWS), default=0)
        if largest > max(len(one.rows) for one in self.databases) // 2 and "limit" in {
            one.value for one in theirs.tokens
        }:
            style = Style("with many rows", rows=largest + largest // 2, distinct=True, stairs=False, met=1.0)
            expected = _result(reader, self._maker.make(plan, style, "probe"), self._query)
            if expected is not None:
                yield expected


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
    plan = planned(tables, [statement])
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
        vain = 0
        for seed in range(_MIXED):
            if not living or vain == _IN_VAIN:
                break
            vain += 1
            expected = _result(reader, maker.make(plan, mixed_style(seed), str(seed)), query)
            if expected is not None:
                left = _survivors(reader, expected, living)
                if len(left) < len(living):
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
