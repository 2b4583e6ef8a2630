"""Values that tell a query from its near misses, for each column that it may read."""

import datetime
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from reasonenv.verifiers._sql._engine import Database, QueryError, Reader, opened
from reasonenv.verifiers._sql._mutants import slips
from reasonenv.verifiers._sql._schema import Column, TableContent, quoted
from reasonenv.verifiers._sql._tokens import COMPARISONS, Statement, number, parsed

Place = tuple[str, int]
"""A table and the place of a column in it."""

Target = tuple[Place, int]
"""A column and the number of a set of telling values."""

_MOST_CANDIDATES = 120
_MOST_CONDITIONS = 40
_STEPS = 200_000
_USUAL_ROWS = 24
_EXACT = 6
"""Factor by which a literal of the query is drawn more often than other values."""
_EXCLUDING = ("or", "union", "except", "not", "case", "left", "full")
_LARGEST_BOUND = 60
_WIDE = 300
_MOST_SLIPS = 60
_LONGEST_TEXT = 250
_INTEGERS = (0, 1, 2, 3, 5, 7, 9, 10, 20, 99, 100, 101, 1000, 9999, -1, -8, -20, 12345, 1_000_000_007)
_TEXTS = (
    "Ada",
    "ada",
    "ADA",
    " Ada",
    "Ada ",
    "Ben",
    "Cleo",
    "Dan",
    "",
    "9",
    "10",
    "Zoe",
    "a b",
    "x%",
    "O'Neil",
)
_DAYS = ("2019-12-31", "2020-01-01", "2020-02-29", "2021-03-01", "2021-11-30", "1999-12-31", "2000-01-01")
_CLOCKS = ("00:00:00", "09:05:00", "12:30:00", "23:59:59")
_WORDS = "amber birch cedar delta ember fable grove haven iris jade kite lunar maple noble opal pearl".split()  # noqa: SIM905


@dataclass
class Domain:
    """Values of a column."""

    usual: list[Any]
    """Values of the shown rows, values near the literals of the query, and others."""
    met: list[list[Any]] = field(default_factory=list)
    """Values by the conditions that they meet and by their near misses, those that meet most first."""
    best: int = 0
    """Number of groups that meet most conditions."""
    wide: list[Any] = field(default_factory=list)
    """Many values that meet the conditions."""
    telling: list[list[Any]] = field(default_factory=list)
    """Values on which a condition and a near miss of it differ, for each such near miss."""


@dataclass(frozen=True)
class Joint:
    """Values of several columns of a table that together meet a condition, and values that don't."""

    places: list[int]
    met: list[tuple[Any, ...]]
    unmet: list[tuple[Any, ...]]


@dataclass
class Plan:
    """Values that a query distinguishes."""

    domains: dict[Place, Domain]
    joints: dict[str, list[Joint]]
    """Conditions on several columns, by table."""
    links: list[tuple[Place, Place]]
    """Columns that the query compares with each other."""
    groups: set[Place]
    """Columns that the query groups or counts by."""
    size: int
    """Rows that a table needs so that the query's limits and bounds on groups matter."""
    bound: int
    """Largest bound on the size of a group, or 0."""
    self_joined: bool
    """True if a table comes twice, so that a single row joins with nothing."""
    excluding: bool
    """True if rows that don't meet the conditions matter, as with OR and EXCEPT."""

    def target_rows(self) -> int:
        """Return the fewest rows on which a row at a boundary can matter."""
        return self.bound + (3 if self.self_joined else 1)

    def targets(self) -> list[Target]:
        """Return all sets of telling values, those of different columns in turn."""
        found = [(at, place) for place, one in self.domains.items() for at in range(len(one.telling))]
        return [(place, at) for at, place in sorted(found, key=lambda one: one[0])]


def planned(tables: Sequence[TableContent], query: Statement, answer: Statement | None = None) -> Plan:
    """Find values for all columns from the conditions of a query and the rows that are shown.

    Args:
        tables: All tables.
        query: The reference.
        answer: Another query; the values tell its conditions from those of the reference.
    """
    finder = _Finder(tables, [query] if answer is None else [query, answer])
    conditions = finder.conditions(0)
    others = [] if answer is None else finder.conditions(1)
    domains = {
        (table.name, at): finder.domain(table, at, conditions, others)
        for table in tables
        for at in range(len(table.columns))
    }
    joints: dict[str, list[Joint]] = defaultdict(list)
    for table in tables:
        for text, places in [*conditions, *others]:
            if len(places) in (2, 3) and {name for name, _ in places} == {table.name}:
                joint = finder.joint(table, text, [at for _, at in places], domains)
                if joint:
                    joints[table.name].append(joint)
    return Plan(
        domains,
        joints,
        finder.links(),
        finder.groups(),
        finder.size(),
        max(finder.bounds("having"), default=0),
        finder.is_self_joined(),
        any(token.value in _EXCLUDING for token in query.tokens if token.kind == "word"),
    )


class _Finder:
    def __init__(self, tables: Sequence[TableContent], queries: Sequence[Statement]) -> None:
        self.tables, self.queries = tables, queries
        self.answered = len(queries) > 1
        self.near: list[tuple[str, str]] = []
        self.names = {one.name: [column.name for column in one.columns] for one in tables}
        self.sources = [query.sources(self.names) for query in queries]
        known = {name.lower() for columns in self.names.values() for name in columns} | {
            name.lower() for name in self.names
        }
        literals = [query.literals() for query in queries]
        self.numbers = list(dict.fromkeys(one for numbers, _ in literals for one in numbers))[:40]
        self.texts = [
            one
            for one in dict.fromkeys(one for _, texts in literals for one in texts)
            if one.lower() not in known
        ][:40]
        self.reads_lengths = any(re.search(r"length|substr", query.text, re.IGNORECASE) for query in queries)

    def conditions(self, which: int) -> list[tuple[str, list[Place]]]:
        """Return the conditions that a row of one table decides, with the columns that they read."""
        found: dict[tuple[str, tuple[Place, ...]], None] = {}
        query, sources = self.queries[which], self.sources[which]
        for start, end in query.conditions():
            options: dict[int, dict[str, Place]] = defaultdict(dict)
            for at, table, name in query.columns(start, end, self.names, sources):
                options[at][table] = (table, self._place(table, name))
            tokens = query.tokens
            owners = {tokens[at - 2].value if tokens[at - 1].value == "." else "" for at in options}
            if not options or len(owners) > 1 or any(one.value == "select" for one in tokens[start:end]):
                continue
            for table in self.names:
                if all(table in option for option in options.values()):
                    places = dict.fromkeys(option[table] for option in options.values())
                    found[self._bare(query, start, end), tuple(places)] = None
        return [(text, list(places)) for text, places in list(found)[:_MOST_CONDITIONS]]

    def _bare(self, query: Statement, start: int, end: int) -> str:
        """Return a condition without the names of tables before columns."""
        written = []
        for at in range(start, end):
            token = query.tokens[at]
            if token.value == "." or (
                at + 1 < end and query.tokens[at + 1].value == "." and token.kind != "number"
            ):
                continue
            written.append(query.text[token.start : token.end])
        return " ".join(written)

    def _place(self, table: str, column: str) -> int:
        return self.names[table].index(column)

    def links(self) -> list[tuple[Place, Place]]:
        """Return the pairs of columns that queries compare."""
        found: dict[tuple[Place, Place], None] = {}
        for query, sources in zip(self.queries, self.sources, strict=True):
            columns = {
                at: (table, self._place(table, name))
                for at, table, name in query.columns(0, len(query.tokens), self.names, sources)
            }
            for at, token in enumerate(query.tokens):
                if token.value not in COMPARISONS and token.value != "in":
                    continue
                following = [one.value for one in query.tokens[at + 1 : at + 6]]
                skipped = sum(1 for one in following[:3] if one in ("(", "select", "distinct"))
                other = at + 1 + skipped + (2 if "." in following[skipped : skipped + 2] else 0)
                if at - 1 in columns and other in columns:
                    found[columns[at - 1], columns[other]] = None
        shared: dict[str, Place] = {}
        for table in self.tables:
            for at, column in enumerate(table.columns):
                same = shared.setdefault(column.name.lower(), (table.name, at))
                if same[0] != table.name and column.name.lower() not in ("id", "name"):
                    found[(table.name, at), same] = None
        return list(found)

    def groups(self) -> set[Place]:
        """Return the columns that queries group by."""
        return {
            (table, self._place(table, name))
            for query, sources in zip(self.queries, self.sources, strict=True)
            for select in query.selects
            if "group" in select.clauses
            for _, table, name in query.columns(*select.clauses["group"], self.names, sources)
        }

    def is_self_joined(self) -> bool:
        """True if a table refers to itself, or if the reference reads one by several names."""
        read = [
            table for name, tables in self.sources[0].items() for table in tables if name != table.lower()
        ]
        return len(set(read)) < len(read) or any(
            key.parent == table.name for table in self.tables for key in table.parents if table.name in read
        )

    def bounds(self, clause: str) -> list[int]:
        """Return the numbers in a clause."""
        return [
            int(number(token.value))
            for query in self.queries
            for select in query.selects
            for token in query.tokens[slice(*select.clauses.get(clause, (0, 0)))]
            if token.kind == "number" and number(token.value) <= _LARGEST_BOUND
        ]

    def size(self) -> int:
        """Return a number of rows that exceeds limits and bounds on groups."""
        return max(_USUAL_ROWS, *(3 * one + 6 for one in (0, *self.bounds("limit"), *self.bounds("having"))))

    def domain(
        self,
        table: TableContent,
        at: int,
        conditions: list[tuple[str, list[Place]]],
        others: list[tuple[str, list[Place]]],
    ) -> Domain:
        """Return the values of a column."""
        column = table.columns[at]
        draw = Random(f"{table.name}.{column.name}")
        shown = list(dict.fromkeys(_short(row[at]) for row in table.rows if row[at] is not None))
        if len(shown) > 40:
            shown = draw.sample(shown, 40)
        theirs = [text for text, places in others if places == [(table.name, at)]]
        mine = [text for text, places in conditions if places == [(table.name, at)]]
        numbers = self.numbers
        if column.kind == "text":  # numbers compared with other columns say nothing about a text
            numbers = [one for text in (*mine, *theirs) for one in parsed(text).literals()[0]]
        near = list(dict.fromkeys(candidates(column, numbers, self.texts, lengths=self.reads_lengths)))
        close = set(near)
        near = near if len(near) <= _MOST_CANDIDATES else draw.sample(near, _MOST_CANDIDATES)
        usual = list(dict.fromkeys([*shown, *near, *generic(column)]))
        checks = [(text, True) for text in table.checks if _mentions(text, table, at)]
        if checks:
            usual += [one for text, _ in checks for one in _literals(text)]
            answers = _evaluated([text for text, _ in checks], table, [at], [(one,) for one in usual])
            allowed = [one for one in answers if one is not None]
            usual = [
                value for place, value in enumerate(usual) if all(one[place] != 0 for one in allowed)
            ] or shown
        found = Domain(usual)
        if mine or theirs:
            if column.nullable:
                found.usual = usual = [*usual, None]
            exact = {*self.numbers, *self.texts, *(str(one) for one in self.numbers)}
            often = [_EXACT if one in exact else 1 + (one in close) for one in usual]
            self.near = [(one, slip) for one in mine for slip in slips(one, column.name)]
            texts = list(dict.fromkeys([*mine, *theirs, *(slip for _, slip in self.near)]))
            told = _evaluated(texts[:_MOST_SLIPS], table, [at], [(one,) for one in usual])
            flags = {text: one for text, one in zip(texts, told, strict=False) if one is not None}
            self._divide(found, often, flags, mine, theirs)
            found.wide = self._wide(table, at, mine, draw)
        return found

    def _wide(self, table: TableContent, at: int, mine: list[str], draw: Random) -> list[Any]:
        column = table.columns[at]
        values = [fresh(column, draw) for _ in range(_WIDE)]
        if column.kind == "text":
            patterns = [one.replace("_", "q") for one in self.texts if "%" in one]
            values += [one.replace("%", f"{place}") for one in patterns for place in range(_WIDE)]
        told = [one for one in _evaluated(mine, table, [at], [(one,) for one in values]) if one is not None]
        return [value for place, value in enumerate(values) if all(one[place] for one in told)]

    def _divide(
        self, domain: Domain, often: list[int], told: dict[str, list[Any]], mine: list[str], theirs: list[str]
    ) -> None:
        """Divide the values of a column by the conditions that they meet and by their near misses.

        Args:
            domain: The column's values.
            often: How often each value is drawn.
            told: What each condition and near miss says of each value.
            mine: The conditions of the reference.
            theirs: The conditions of the answer.
        """
        mine, theirs = ([text for text in texts if text in told] for texts in (mine, theirs))
        lost, new = [one for one in mine if one not in theirs], [one for one in theirs if one not in mine]
        groups: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
        sets: dict[str, list[Any]] = defaultdict(list)
        for place, value in enumerate(domain.usual):
            met = {text: bool(told[text][place]) for text in told}
            count = sum(met[text] for text in mine)
            groups[count, *(one[place] for one in told.values())] += [value] * often[place]
            if self.answered:
                if all(met[text] for text in lost) != all(met[text] for text in new):
                    sets["answer"].append(value)
                continue
            for text, slip in self.near:
                if text in mine and slip in told and met[text] != met[slip]:
                    sets[slip].append(value)
        order = sorted(groups, key=lambda one: -one[0])
        domain.met = [groups[one] for one in order]
        domain.best = sum(1 for one in order if one[0] == order[0][0])
        domain.telling = list({repr(one): one for one in sets.values()}.values())

    def joint(
        self, table: TableContent, text: str, places: list[int], domains: dict[Place, Domain]
    ) -> Joint | None:
        """Return values of several columns that meet a condition, and values that don't."""
        draw = Random(f"{table.name}\n{text}")
        pools = [domains[table.name, at].usual for at in places]
        if not all(pools):
            return None
        given = [tuple(_short(row[at]) for at in places) for row in table.rows[:20]]
        for _ in range(80):
            one = [draw.choice(pool) for pool in pools]
            if draw.random() < 0.4:  # equal or nearly equal values
                one[1] = one[0] if draw.random() < 0.5 or not isinstance(one[0], int | float) else one[0] + 1
            given.append(tuple(one))
        given += self._exact(table, text, places, pools)
        (told,) = _evaluated([text], table, places, given)
        met = [one for one, flag in zip(given, told or (), strict=bool(told)) if flag]
        unmet = [one for one, flag in zip(given, told or (), strict=bool(told)) if not flag]
        return Joint(places, met, unmet) if met else None

    def _exact(
        self, table: TableContent, text: str, places: list[int], pools: list[list[Any]]
    ) -> list[tuple[Any, ...]]:
        """Return pairs of numbers whose sum, difference, product or quotient is a literal of a condition."""
        kinds = [table.columns[at].kind for at in places]
        if len(places) != 2 or not set(kinds) <= {"integer", "real"}:
            return []
        found: list[tuple[Any, ...]] = []
        for literal in parsed(text).literals()[0]:
            for one in (one for one in pools[0][:20] if isinstance(one, int | float) and one):
                others = (literal / one, literal - one, one - literal, one * literal)
                whole = [int(other) for other in others if other == int(other)]
                found += [(one, other) for other in (others if kinds[1] == "real" else whole)]
        return found


def _short(value: Any) -> Any:
    return value[:_LONGEST_TEXT] if isinstance(value, str | bytes) else value


def _mentions(condition: str, table: TableContent, at: int) -> bool:
    words = {one.lower() for one in re.findall(r"\w+", condition)}
    others = {one.name.lower() for place, one in enumerate(table.columns) if place != at}
    return table.columns[at].name.lower() in words and not words & others


def _literals(text: str) -> list[Any]:
    numbers = [int(one) for one in re.findall(r"(?<![\w.'])-?\d{1,15}(?![\w.'])", text)]
    return [*(near for one in numbers for near in (one, one + 1, one - 1)), *re.findall(r"'([^']*)'", text)]


def _evaluated(
    conditions: Sequence[str], table: TableContent, places: Sequence[int], given: Sequence[tuple[Any, ...]]
) -> list[list[Any] | None]:
    """Return which of the given values meet each condition, None if it needs more than these columns."""
    if not conditions:
        return []
    columns = [table.columns[at] for at in places]
    declared = ", ".join(f"{quoted(one.name)} {_plain_type(one.declared)}" for one in columns)
    with opened() as connection:
        connection.execute(f"CREATE TABLE v (place INTEGER PRIMARY KEY, {declared})")
        marks = ", ".join("?" * (len(columns) + 1))
        connection.executemany(
            f"INSERT INTO v VALUES ({marks})", [(at, *one) for at, one in enumerate(given)]
        )
        content = Database("", connection.serialize(), 1000)
    answers: list[list[Any] | None] = []
    with Reader() as reader:
        reader.load(content)
        for condition in conditions:
            try:
                rows = reader.run(f"SELECT ({condition}) FROM v ORDER BY place", _STEPS, len(given)).rows
            except QueryError:
                rows = []
            answers.append([told for (told,) in rows] if len(rows) == len(given) else None)
    return answers


def _plain_type(declared: str) -> str:
    return re.sub(r"[^\w(), ]", "", declared)


def generic(column: Column) -> list[Any]:
    """Return values that any column of a kind may hold."""
    positive = [one for one in _INTEGERS if one >= 0]
    values: dict[str, list[Any]] = {
        "boolean": [0, 1],
        "integer": list(_INTEGERS),
        "real": [_real(column, one) for one in (*_INTEGERS[:-1], 0.5, 33.25, 66.75, -3.5)],
        "digits": [str(one) for one in positive],
        "date": list(_DAYS),
        "time": [f"{day} {_CLOCKS[at % len(_CLOCKS)]}" for at, day in enumerate((*_DAYS, *_DAYS[1:]))],
        "text": list(_TEXTS),
    }
    return values[column.kind]


def fresh(column: Column, draw: Random, digits: int = 6) -> Any:
    """Return a value that hardly occurs twice; a number has at most so many digits."""
    if column.kind == "boolean":
        return draw.randrange(2)
    if column.kind in ("integer", "real", "digits"):
        size = 10 ** draw.randint(1, digits)
        number = draw.randint(-size // 4, size)
        if column.kind == "real":
            return _real(column, number + draw.random())
        return str(abs(number)) if column.kind == "digits" else number
    if column.kind == "text":
        text = f"{draw.choice(_WORDS)} {draw.choice(_WORDS)}{draw.randrange(10_000)}"
        return draw.choice((text, text.title(), text.upper(), f" {text}", f"{text} ", text[::-1]))
    day = datetime.date.fromordinal(draw.randint(693_600, 738_500)).isoformat()
    seconds = draw.randrange(86_400)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return day if column.kind == "date" else f"{day} {clock}"


def _real(column: Column, value: float) -> float:
    """Return a nearby number whose sums are exact in any order, with more decimals than rounding keeps."""
    if column.places is not None:
        return round(value * 4) / 4 if column.places > 1 else float(round(value))
    return (round(value * 2048) * 2 + 1) / 4096 if value % 1 else float(value)


def candidates(column: Column, numbers: Iterable[float], texts: Iterable[str], *, lengths: bool) -> list[Any]:
    """Return values of a column's kind near literals."""
    if column.kind == "boolean":
        return [0, 1]
    if column.kind in ("date", "time"):
        return _near_dates(column, [*texts, *(str(one) for one in numbers)])
    if column.kind in ("integer", "real", "digits"):
        read = [float(one) for one in texts if re.fullmatch(r"-?\d{1,15}(\.\d+)?", one)]
        found = [near for one in (*numbers, *read) for near in _near_number(column, one)]
        return [str(one) for one in found if one >= 0] if column.kind == "digits" else found
    found_texts = [near for one in texts for near in _near_text(one)]
    for one in numbers:
        if lengths and 0 < one <= _LONGEST_TEXT and one == int(one):
            texts_of_length = [("abcdefghij" * 26)[: int(one) + more] for more in (-1, 0, 1, 2)]
            found_texts += [
                padded for near in texts_of_length for padded in (near, f" {near[1:]}", f"{near[:-1]} ")
            ]
        found_texts += [str(one), str(one + 1), str(one - 1)]
    return found_texts


def _near_number(column: Column, one: float) -> list[float]:
    if abs(one) > 10**15:
        return []
    found: list[float] = [one, one + 1, one - 1, -one, 2 * one, one / 2, 10 * one, one + 10]
    if column.kind != "real":
        return list(dict.fromkeys(round(near) for near in found))
    return [one, *(_real(column, near) for near in (*found[1:], one + 0.3, one - 0.3))]


def _near_text(one: str) -> list[str]:
    bare = one.replace("%", "").replace("_", "q").replace("*", "").replace("?", "q")
    wider = one.replace("%", "xy").replace("_", "q").replace("*", "xy").replace("?", "q")
    found = [
        bare,
        wider,
        bare.upper(),
        bare.lower(),
        bare.title(),
        f" {bare}",
        f"{bare} ",
        f"x{bare}",
        f"{bare}y",
    ]
    if one != bare:
        found += [f"zz {bare} zz", bare[1:], bare[:-1]]
    return [near[:_LONGEST_TEXT] for near in found]


def _near_dates(column: Column, texts: Iterable[str]) -> list[str]:
    days: list[datetime.date] = []
    clocks = list(_CLOCKS) if column.kind == "time" else []
    for text in texts:
        clocks += [f"{one}:00" if len(one) == 5 else one for one in re.findall(r"\d\d:\d\d(?::\d\d)?", text)]
        match = re.match(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", text)
        year, month, day = (
            (int(one) if one else None for one in match.groups()) if match else (None, None, None)
        )
        if year is None and re.fullmatch(r"\d{1,2}", text) and text.strip("0"):
            number = int(text)
            days += _valid(
                (2020, number, 15),
                (2021, number, 1),
                (2020, number + 1, 1),
                (2020, 3, number),
                (2021, 7, number),
            )
        if year is None:
            continue
        if month is None:
            days += _valid(
                *((one, *end) for one in (year, year + 1, year - 1) for end in ((1, 1), (12, 31), (6, 15)))
            )
        else:
            days += _valid(
                *((year, month, one) for one in (1, 15, 28, 30, 31)),
                (year + 1, month, 10),
                (year - 1, month, 10),
            )
            for exact in _valid((year, month, day or 1)):
                days += [exact + datetime.timedelta(more) for more in (0, 1, -1, 31, -31, 365)]
    found = [one.isoformat() for one in dict.fromkeys(days)]
    if column.kind == "date":
        return found
    return [f"{one} {clocks[at % len(clocks)]}" for at, one in enumerate(found * 2)]


def _valid(*given: tuple[int, int, int]) -> list[datetime.date]:
    found = []
    for year, month, day in given:
        if 1 < year < 9998 and 1 <= month <= 12:
            try:
                found.append(datetime.date(year, month, day))
            except ValueError:
                continue
    return found
