"""Databases made for a query, on which its near misses give other results."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeVar

from reasonenv.verifiers._sql._engine import Database, opened, row_bytes
from reasonenv.verifiers._sql._schema import ForeignKey, TableContent, parents_first, quoted
from reasonenv.verifiers._sql._values import Domain, Place, Plan, Target, fresh

_T = TypeVar("_T")

_MANY_ROWS = 270
"""Rows of the table with many rows; more than the limits that answers like to set."""

_SMALL = 200
"""Bound on usual numbers of tables whose sums and means should keep their decimals."""

_MOST_DIGITS = 6
_MOST_EMPTIED = 6
_PAIRED_ROWS = (30, 40)
"""Rows of a table that is joined with itself, so that pairs differ in all ways."""


@dataclass(frozen=True)
class Style:
    """Character of the rows of a database."""

    kind: str
    """Short description, told in verdicts."""
    rows: int | None = None
    """Rows of a table, by default as many as the query needs."""
    target: Target | None = None
    """Values of which one row has one, while all rows meet all other conditions."""
    last: bool = False
    """True if that row is the last, which may refer to others of its table, rather than the first."""
    met: float = 0.6
    """Share of the rows that meet the conditions of the query, or all but one."""
    unmet: bool = False
    """True if no row meets the conditions."""
    spared: float = 0.45
    """Share of these rows that break a condition."""
    others: bool = True
    """False if rows at a boundary break all other conditions."""
    nulls: float = 0.0
    """Share of values that are NULL."""
    cleared: Place | None = None
    """Column of NULLs."""
    values: int | None = None
    """Number of different values in a column."""
    distinct: bool = False
    """True if values hardly repeat."""
    stairs: bool = True
    """True if values hardly repeat except those that the query groups by, and groups differ in size."""
    childless: float = 0.2
    """Share of the rows that no row of another table refers to."""
    twins: float = 0.0
    """Share of the rows that come again under another key."""
    shown: float = 0.0
    """Share of the shown rows that are kept."""
    shuffled: bool = False
    """True if values are those shown, combined anew."""
    empty: str = ""
    """Table without rows."""
    nulls_by_group: bool = False
    """True if groups have nothing but NULLs."""
    nulls_beside_extremes: bool = False
    """True if the rows with the least and the greatest value of a column have NULLs elsewhere."""


_STYLES = (
    Style("with other values"),
    Style("with NULLs", nulls=0.3),
    Style("with duplicates", twins=0.7, values=8),
    Style("with ties", values=3, met=0.8),
    Style("with distinct values", distinct=True),
    Style("with distinct values and NULLs", distinct=True, nulls=0.15),
    Style("with equal values", values=1, met=1.0),
    Style("without rows that meet the conditions", unmet=True),
    Style("with empty groups", childless=0.6, nulls=0.05),
    Style("with values at the boundaries", met=1.0, rows=40),
    Style("with groups of NULLs", nulls_by_group=True, values=6),
    Style("with NULLs beside extreme values", nulls_beside_extremes=True, distinct=True),
    Style("with shuffled values", shuffled=True, met=0.0),
    Style("with fewer rows", shown=0.5, rows=2),
    Style("with many rows", rows=_MANY_ROWS, distinct=True, stairs=False, met=0.9, spared=0.1),
    Style("without rows", rows=0),
)


def styles(tables: list[TableContent], used: set[str]) -> list[Style]:
    """Return the styles that every row gets; the tables that the query uses come first."""
    order = sorted(tables, key=lambda one: one.name not in used)
    alone = [Style(f"with the table {one.name} empty", empty=one.name) for one in order[:_MOST_EMPTIED]]
    return [*_STYLES, *(alone if len(tables) > 1 else [])]


def boundary_styles(plan: Plan) -> list[Style]:
    """Return styles with few rows, on which a condition and a near miss of it differ."""
    rows = plan.target_rows()
    ways = [(rows, True), (rows, False)] if plan.excluding else [(rows, True)]
    found = [
        Style("with a row at a boundary", target=one, rows=count, others=others, childless=0.0)
        for one in plan.targets()
        for count, others in ways
    ]
    if plan.self_joined:
        found += [replace(one, rows=count, last=True) for count in (rows + 1, *_PAIRED_ROWS) for one in found]
    return found


def cleared_styles(plan: Plan, tables: list[TableContent], used: set[str]) -> list[Style]:
    """Return styles with few rows, which meet all conditions and have NULLs in one other column."""
    return [
        Style(
            "with a column of NULLs",
            rows=_PAIRED_ROWS[0] if plan.self_joined else plan.target_rows(),
            met=1.0,
            spared=0.45 if plan.self_joined else 0.0,
            childless=0.0,
            cleared=(table.name, at),
        )
        for table in tables
        if table.name in used
        for at, column in enumerate(table.columns)
        if column.nullable and not plan.domains[table.name, at].met
    ]


def mixed_style(seed: int) -> Style:
    """Return a style that combines others; in two of three databases each row matters."""
    draw = Random(f"style {seed}")
    if seed % 3:
        rows = pick(draw, (1, 1, 2, 3, 5))
        nulls = pick(draw, (0.0, 0.0, 0.2))
        return Style("with few rows", rows, met=1.0, nulls=nulls, distinct=draw.random() < 0.5, childless=0.0)
    return Style(
        "with values mixed in another way",
        rows=pick(draw, (None, 12, 40)),
        met=pick(draw, (0.3, 0.6, 0.9, 1.0)),
        nulls=pick(draw, (0.0, 0.0, 0.1, 0.3)),
        values=pick(draw, (None, None, 2, 4)),
        distinct=draw.random() < 0.35,
        childless=pick(draw, (0.0, 0.3, 0.6)),
        twins=pick(draw, (0.0, 0.0, 0.4)),
        nulls_by_group=draw.random() < 0.15,
        nulls_beside_extremes=draw.random() < 0.25,
    )


class Maker:
    """Makes databases of a schema within its constraints."""

    def __init__(self, structure: list[str], tables: list[TableContent], used: set[str]) -> None:
        self._structure = structure
        self._tables = parents_first(tables)
        self._used = used

    def make(self, plan: Plan, style: Style, seed: str) -> Database:
        """Make a database; equal arguments give equal databases."""
        draw = Random(f"{style.kind}\n{seed}")
        made: dict[str, list[list[Any]]] = {}
        for table in self._tables:
            rows = (
                []
                if table.name == style.empty
                else _Rows(table, style, plan, made, draw).rows(used=table.name in self._used)
            )
            made[table.name] = rows
        return self._built(style.kind, made)

    def _built(self, kind: str, made: dict[str, list[list[Any]]]) -> Database:
        with opened() as connection:
            connection.execute("PRAGMA page_size = 1024")  # a page is the smallest table
            for statement in self._structure:
                connection.execute(statement)
            connection.execute("BEGIN")
            for table in self._tables:
                marks = ", ".join("?" * len(table.columns))
                names = ", ".join(quoted(one.name) for one in table.columns)
                # A row that breaks a constraint is left out.
                connection.executemany(
                    f"INSERT OR IGNORE INTO {quoted(table.name)} ({names}) VALUES ({marks})",
                    made[table.name],
                )
            _remove_orphans(connection)
            connection.execute("COMMIT")
            return Database(kind, connection.serialize(), row_bytes(connection))


def _remove_orphans(connection: sqlite3.Connection) -> None:
    """Remove rows that refer to a row that is missing, and those that refer to them."""
    for _ in range(10):
        try:
            orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        except sqlite3.Error:  # a key that refers to no key
            return
        found = {(table, row) for table, row, *_ in orphans if row is not None}
        if not found:
            return
        for table, row in sorted(found):
            connection.execute(f"DELETE FROM {quoted(table)} WHERE rowid = ?", (row,))


class _Rows:
    """Draws the rows of a table."""

    def __init__(
        self,
        table: TableContent,
        style: Style,
        plan: Plan,
        made: dict[str, list[list[Any]]],
        draw: Random,
    ) -> None:
        self.table, self.style, self.plan, self.made, self.draw = table, style, plan, made, draw
        self.referring = {at for key in table.parents for at in key.columns}
        self.keys = {group[0] for group in table.unique if len(group) == 1} - self.referring
        self.digits = pick(draw, (3, 3, 4, _MOST_DIGITS))
        self.domains = [self._domain(at) for at in range(len(table.columns))]
        self.conditional = [
            at for at, one in enumerate(self.domains) if len(one.met) > one.best and at not in self.referring
        ]
        self.telling = 0
        self.broken = pick(draw, self.conditional) if self.conditional and style.unmet else None
        self.one_group = {
            at: pick(draw, self.domains[at].usual)
            for at in range(len(table.columns))
            if (table.name, at) in plan.groups and self.domains[at].usual
        }
        self.taken: list[set[Any]] = [set() for _ in table.columns]
        self.found: list[list[Any]] = []

    def rows(self, *, used: bool) -> list[list[Any]]:
        """Return the rows."""
        style, table = self.style, self.table
        count = self.plan.size if style.rows is None else style.rows
        if not used:
            count = min(count, 8)
        elif table.parents and style.rows != 0:
            count += count // 2
        self.telling = count - 1 if style.last else 0
        if style.shown:
            keep = round(style.shown * len(table.rows))
            self.found += [list(row) for row in self.draw.sample(table.rows, keep)]
            for row in self.found:
                self._note(row)
        keys = {at: self._keys(at, count) for at in self.keys}
        parents = [self._references(key, count) for key in table.parents]
        for number in range(count):
            row = self._row(number, keys, parents)
            if self._is_new(row):
                self.found.append(row)
                self._note(row)
        if style.twins:
            self._repeat()
        self._set_nulls()
        return self.found

    def _domain(self, at: int) -> Domain:
        known = self.plan.domains[self.table.name, at]
        shown = [row[at] for row in self.table.rows if row[at] is not None]
        if self.style.shuffled and shown:
            return Domain(shown)
        if not known.usual:
            return known
        if self.style.values is None:
            if (self.table.name, at) in self.plan.groups and self.plan.bound and self.style.stairs:
                return replace(known, usual=self._group_values(known))
            small = [one for one in known.usual if isinstance(one, int | float) and abs(one) < _SMALL]
            return replace(known, usual=small) if small and self.digits < _MOST_DIGITS else known
        few = self.draw.sample(known.usual, min(self.style.values, len(known.usual)))
        best, others = known.met[: known.best], known.met[known.best :]
        kept = self.draw.sample(best, min(len(best), 1 + self.style.values // 2))
        kept += self.draw.sample(others, min(len(others), self.style.values - len(kept)))
        return Domain(few, [[pick(self.draw, group)] for group in kept], min(known.best, len(kept)))

    def _group_values(self, known: Domain) -> list[Any]:
        """Return few values, so that groups exceed a bound, among them some that are nearly equal."""
        few = self.draw.sample(known.usual, min(len(known.usual), 2 + int(2 * self.draw.random())))
        texts = [one for one in known.usual if isinstance(one, str) and one.lower() != one.upper()]
        one = pick(self.draw, texts) if texts else None
        return few if one is None else [*few[:2], one, pick(self.draw, (one.lower(), one.upper(), f"{one} "))]

    def _keys(self, at: int, count: int) -> list[Any]:
        """Return different values for a column that identifies rows."""
        column, draw = self.table.columns[at], self.draw
        place, which = self.style.target or (("", 0), 0)
        telling = self.domains[at].telling[which] if place == (self.table.name, at) else []
        near = [one for group in self.domains[at].met for one in group[:3] if one is not None][:12]
        if column.kind in ("integer", "real", "digits") and draw.random() < 0.6:
            middle = pick(draw, [int(float(one)) for one in near] or [0]) - count // 2
            start = pick(draw, (1, 0, 100) if column.kind == "digits" else (1, 1, 0, middle, middle))
            values: list[Any] = list(range(start, start + count))
            values = [str(one) for one in values] if column.kind == "digits" else values
        elif column.kind in ("integer", "real", "digits"):
            values = [fresh(column, draw) for _ in range(count)]
        else:
            usual = [one for one in self.domains[at].usual if one is not None]
            values = [
                *draw.sample(usual, min(len(usual), count // 2)),
                *(fresh(column, draw) for _ in range(count)),
            ]
        values = [*draw.sample(near, len(near)), *values] if draw.random() < 0.5 else values
        values = [*draw.sample(telling, min(max(2, count // 3), len(telling))), *values]
        values = [one for one in dict.fromkeys(values) if one not in self.taken[at]]
        for _ in range(8):
            if len(values) < count:
                more = (fresh(column, draw) for _ in range(count))
                values = list(dict.fromkeys([*values, *(one for one in more if one not in self.taken[at])]))
        values += values[:1] * (count - len(values))  # a kind of few values; rows beyond them are left out
        values = values[:count]
        if draw.random() < 0.6:
            draw.shuffle(values)
        return values

    def _references(self, key: ForeignKey, count: int) -> list[list[Any]]:
        """Return for each row the values that refer to a parent."""
        itself = key.parent == self.table.name
        rows = self.made.get(key.parent, [])
        values = [[row[at] for at in key.theirs] for row in rows]
        values = [one for one in values if None not in one]
        if itself or not values:
            return []
        kept = self.draw.sample(values, max(1, round(len(values) * (1 - self.style.childless))))
        if not (self.style.distinct and self.style.stairs):
            return [pick(self.draw, kept) for _ in range(count)]
        stairs = [one for size, one in enumerate(kept, 1) for _ in range(size)][:count]
        stairs += [pick(self.draw, kept) for _ in range(count - len(stairs))]
        self.draw.shuffle(stairs)
        return stairs

    def _row(self, number: int, keys: dict[int, list[Any]], parents: list[list[list[Any]]]) -> list[Any]:
        draw, table = self.draw, self.table
        aimed = draw.random() < self.style.met
        spared = (
            pick(draw, self.conditional) if self.conditional and draw.random() < self.style.spared else None
        )
        if self.style.unmet or self.style.target:
            aimed, spared = True, self.broken
        row: list[Any] = [None] * len(table.columns)
        for at in range(len(table.columns)):
            if at in keys:
                row[at] = keys[at][number]
            elif at not in self.referring:
                row[at] = self._value(number, at, aimed=aimed, spared=at == spared)
        self._join(row)
        for joint in self.plan.joints.get(table.name, ()):
            if draw.random() < self.style.met and not self.keys & set(joint.places):
                among = joint.met if draw.random() < 0.6 or not joint.unmet else joint.unmet
                for at, value in zip(joint.places, pick(draw, among), strict=True):
                    if at not in self.referring:
                        row[at] = value
        for key, values in zip(table.parents, parents, strict=True):
            chosen: list[Any] | None = values[number] if values else None
            if key.parent == table.name and self.found and draw.random() < 0.8:
                chosen = [pick(draw, self.found)[at] for at in key.theirs]
            for at, value in zip(key.columns, chosen or [None] * len(key.columns), strict=True):
                row[at] = value
        return row

    def _aimed_value(self, number: int, at: int) -> Any:
        """Return a value that meets the conditions, in the first row one that tells them from near misses."""
        place, which = self.style.target or ((self.table.name, at), 0)
        domain = self.domains[at]
        if self.style.unmet:
            return pick(self.draw, pick(self.draw, domain.met[domain.best :]))
        if place == (self.table.name, at) and (number == self.telling or self.draw.random() < 0.3):
            return pick(self.draw, domain.telling[which])
        if not domain.met:
            return self.one_group[at]
        if self.plan.self_joined and self.draw.random() < 0.4:  # a row may be either of a pair
            return pick(self.draw, pick(self.draw, domain.met))
        unmet = () if self.style.others else domain.met[domain.best :]
        return pick(self.draw, pick(self.draw, unmet or domain.met[: domain.best]))

    def _value(self, number: int, at: int, *, aimed: bool, spared: bool) -> Any:
        draw, domain, column = self.draw, self.domains[at], self.table.columns[at]
        if (self.style.unmet and spared) or (self.style.target and (domain.met or at in self.one_group)):
            return self._aimed_value(number, at)
        aimed = aimed and not spared
        if domain.met and (aimed or draw.random() < 0.3):
            best = aimed and draw.random() < (0.7 if self.style.spared else 1.0)
            if best and domain.wide and self.style.distinct and draw.random() < 0.8:
                return pick(draw, domain.wide)
            return pick(draw, pick(draw, domain.met[: domain.best] if best else domain.met))
        if not domain.usual:
            return fresh(column, draw)
        if not self.style.distinct or column.kind == "boolean":
            return pick(draw, domain.usual)
        return self._distinct_value(at)

    def _distinct_value(self, at: int) -> Any:
        """Return a value that hardly repeats, unless rows are grouped by it."""
        draw, domain, column = self.draw, self.domains[at], self.table.columns[at]
        if self.style.stairs and (self.table.name, at) in self.plan.groups:
            return domain.usual[int(len(domain.usual) * draw.random() ** 3)]
        value = pick(draw, domain.usual) if draw.random() < 0.4 else fresh(column, draw, self.digits)
        for more in range(8):
            if value not in self.taken[at]:
                break
            value = fresh(column, draw, self.digits + more // 3)
        return value

    def _join(self, row: list[Any]) -> None:
        """Let columns that the query compares with others have values that occur there."""
        for first, second in self.plan.links:
            for (name, at), (other, theirs) in ((first, second), (second, first)):
                if (
                    name != self.table.name
                    or at in self.keys
                    or at in self.referring
                    or at in self.conditional
                ):
                    continue
                rows = self.found if other == name else self.made.get(other, [])
                if rows and self.draw.random() < (0.3 if first == second else 0.7):
                    row[at] = pick(self.draw, rows)[theirs]

    def _is_new(self, row: list[Any]) -> bool:
        for group in self.table.unique:
            if len(group) == 1 and row[group[0]] is not None and row[group[0]] in self.taken[group[0]]:
                return False
        return True

    def _note(self, row: list[Any]) -> None:
        for at, value in enumerate(row):
            if value is not None:
                self.taken[at].add(value)

    def _repeat(self) -> None:
        """Add rows that differ from others in nothing but their keys."""
        twins = [row for row in self.found if self.draw.random() < self.style.twins]
        keys = {at: self._keys(at, len(twins)) for at in self.keys}
        for number, row in enumerate(twins):
            twin = [keys[at][number] if at in keys else value for at, value in enumerate(row)]
            self.found.append(twin)
            self._note(twin)

    def _set_nulls(self) -> None:
        style, draw, table = self.style, self.draw, self.table
        unique = {at for group in table.unique for at in group}
        open_ = [at for at, one in enumerate(table.columns) if one.nullable and at not in unique]
        for at in open_ if style.nulls and self.found else ():
            surely = draw.randrange(len(self.found))
            for number, row in enumerate(self.found):
                if number == surely or draw.random() < style.nulls:
                    row[at] = None
        if style.cleared and style.cleared[0] == table.name and style.cleared[1] in open_:
            for row in self.found:
                row[style.cleared[1]] = None
        if style.nulls_by_group:
            self._clear_groups(open_)
        if style.nulls_beside_extremes:
            self._clear_beside_extremes(open_)

    def _clear_beside_extremes(self, open_: list[int]) -> None:
        for at in range(len(self.table.columns)):
            rows = [row for row in self.found if row[at] is not None]
            for end in (min, max) if rows else ():
                extreme = end(rows, key=lambda row: order(row[at]))
                for other in open_:
                    if other != at and self.draw.random() < 0.4:
                        extreme[other] = None

    def _clear_groups(self, open_: list[int]) -> None:
        """Set everything to NULL in the rows of some groups."""
        mine = [at for name, at in sorted(self.plan.groups) if name == self.table.name]
        by = [*mine, *sorted(self.referring)] or list(range(len(self.table.columns)))
        at = pick(self.draw, by)
        values = sorted({row[at] for row in self.found if row[at] is not None}, key=order)
        cleared = set(self.draw.sample(values, (len(values) + 1) // 2))
        for row in self.found:
            if row[at] in cleared:
                for other in open_:
                    if other != at:
                        row[other] = None


def pick(draw: Random, pool: Sequence[_T]) -> _T:
    """Return one of several values; as `Random.choice`, in a third of its time."""
    return pool[int(draw.random() * len(pool))]


def order(value: Any) -> tuple[str, Any]:
    """Sort key of values of any type."""
    return ("number", value) if isinstance(value, int | float) else (type(value).__name__, value)
