"""Schemas, and conditions on their columns with slips in them and right rewordings."""

import random
from dataclasses import dataclass
from typing import Any

WORDS = ("Oslo", "Rome", "Lima", "oslo", "Kyoto", "Bern ", " Rome", "Cairo", "", "Quito", "12", "9")
DAYS = ("2018-12-31", "2019-01-01", "2019-06-15", "2020-02-29", "2021-07-04", "2021-12-31", "2022-01-01")


@dataclass(frozen=True)
class Column:
    name: str
    kind: str
    """`int`, `real`, `text` or `day`."""
    null: bool = True


@dataclass(frozen=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    parents: tuple[tuple[str, str, bool], ...] = ()
    """Columns that refer to the `id` of a table, and whether they may be NULL."""

    def of(self, *kinds: str) -> list[Column]:
        return [one for one in self.columns if one.kind in kinds]


def _table(name: str, columns: str, *parents: tuple[str, str, bool]) -> Table:
    made = []
    for one in columns.split():
        column, kind = one.split(":")
        made.append(Column(column, kind.rstrip("!"), not kind.endswith("!")))
    return Table(name, tuple(made), parents)


SCHEMAS: dict[str, tuple[Table, ...]] = {
    "music": (
        _table("singer", "name:text country:text age:int worth:real"),
        _table("concert", "title:text! year:int seats:int day:day", ("singer_id", "singer", True)),
    ),
    "shop": (
        _table("customer", "name:text! city:text joined:day points:int"),
        _table("product", "label:text category:text price:real! stock:int"),
        _table("orders", "quantity:int! placed:day", ("customer_id", "customer", False), ("product_id", "product", True)),
    ),
    "staff": (
        _table("department", "name:text budget:real floor:int"),
        _table("employee", "name:text job:text salary:int hired:day", ("department_id", "department", True), ("boss_id", "employee", True)),
    ),
    "school": (
        _table("student", "name:text major:text grade:real age:int!"),
        _table("course", "title:text credits:int! room:text"),
        _table("enrolment", "mark:int term:text", ("student_id", "student", False), ("course_id", "course", False)),
    ),
    "flights": (
        _table("airport", "city:text code:text height:int"),
        _table("flight", "carrier:text distance:int! fare:real flown:day", ("airport_id", "airport", True)),
    ),
}  # fmt: skip
TYPES = {"int": "INTEGER", "real": "REAL", "text": "TEXT", "day": "DATE"}


def structure(schema: str) -> str:
    statements = []
    for table in SCHEMAS[schema]:
        columns = ["id INTEGER PRIMARY KEY"]
        columns += [f"{one.name} {TYPES[one.kind]}{'' if one.null else ' NOT NULL'}" for one in table.columns]
        columns += [
            f"{name} INTEGER{'' if null else ' NOT NULL'} REFERENCES {parent}(id)"
            for name, parent, null in table.parents
        ]
        statements.append(f"CREATE TABLE {table.name} ({', '.join(columns)})")
    return ";\n".join(statements)


@dataclass(frozen=True)
class Condition:
    """A comparison of a column with literals, a slip in it, and another wording."""

    text: str
    slips: tuple[str, ...]
    rewordings: tuple[str, ...]
    column: str
    values: tuple[Any, ...]
    """Values on both sides of its boundary."""


def condition(draw: random.Random, prefix: str, column: Column) -> Condition:
    name = f"{prefix}{column.name}"
    form = draw.randrange(5)
    values: tuple[Any, ...]
    n: float
    if column.kind == "int":
        n = draw.choice((3, 10, 18, 40, 99, 250, 2015))
        values = (n - 1, n, n + 1, n + 4, n + 5, n + 6)
        forms = [
            (f"{name} > {n}", (f"{name} >= {n}", f"{name} < {n}", f"{name} > {n + 1}", f"{name} > {n} AND {name} < {n + 5000}"), (f"NOT {name} <= {n}", f"{n} < {name}", f"{name} >= {n + 1}")),
            (f"{name} <= {n}", (f"{name} < {n}", f"{name} <= {n} OR {name} IS NULL", f"{name} = {n}"), (f"NOT ({name} > {n})", f"{name} < {n + 1}")),
            (f"{name} BETWEEN {n} AND {n + 5}", (f"{name} > {n} AND {name} <= {n + 5}", f"{name} >= {n} AND {name} < {n + 5}", f"{name} >= {n}"), (f"({name} >= {n} AND {name} <= {n + 5})",)),
            (f"{name} = {n}", (f"{name} >= {n}", f"{name} IN ({n}, {n + 1})", f"abs({name}) = {n}"), (f"{name} IN ({n})", f"{name} BETWEEN {n} AND {n}")),
            (f"{name} <> {n}", (f"{name} IS NOT {n}", f"{name} < {n}", f"{name} > {n}"), (f"NOT {name} = {n}", f"({name} < {n} OR {name} > {n})")),
        ]  # fmt: skip
    elif column.kind == "real":
        n = draw.choice((2.5, 10.0, 49.99, 100.25))
        values = (n - 0.5, n, n + 0.5, n + 20)
        forms = [
            (f"{name} >= {n}", (f"{name} > {n}", f"{name} >= {int(n)}" if n % 1 else f"{name} >= {n + 0.25}", f"round({name}) >= {n}"), (f"NOT {name} < {n}",)),
            (f"{name} < {n}", (f"{name} <= {n}", f"{name} < {n} OR {name} IS NULL"), (f"{n} > {name}",)),
        ]  # fmt: skip
    elif column.kind == "text":
        word = draw.choice(("Oslo", "Rome", "Kyoto", "Quito"))
        other = draw.choice([one for one in ("Oslo", "Rome", "Kyoto") if one != word])
        values = (word, word.upper(), f"New {word}", f"{word}ville", other, f"{word} ")
        forms = [
            (f"{name} = '{word}'", (f"{name} LIKE '{word}'", f"{name} LIKE '{word}%'", f"trim({name}) = '{word}'", f"{name} IN ('{word}', '{other}')"), (f"{name} IN ('{word}')", f"NOT {name} <> '{word}'")),
            (f"{name} LIKE '%{word}%'", (f"{name} LIKE '{word}%'", f"{name} = '{word}'", f"instr({name}, '{word}') > 0"), (f"instr(lower({name}), '{word.lower()}') > 0",)),
            (f"{name} IN ('{word}', '{other}')", (f"{name} = '{word}'", f"{name} LIKE '{word}' OR {name} = '{other}'"), (f"({name} = '{word}' OR {name} = '{other}')",)),
            (f"{name} <> '{word}'", (f"{name} IS NOT '{word}'", f"{name} NOT LIKE '{word}'"), (f"NOT {name} = '{word}'", f"{name} NOT IN ('{word}')")),
            (f"length({name}) > 8", (f"length({name}) >= 8", f"length(trim({name})) > 8"), (f"NOT length({name}) <= 8", f"length({name}) >= 9")),
        ]  # fmt: skip
        values += ("abcdefgh", "abcdefghi", "  padded  ")
    else:
        year = draw.choice((2019, 2020, 2021))
        values = (
            f"{year}-01-01",
            f"{year}-12-31",
            f"{year - 1}-12-31",
            f"{year + 1}-01-01",
            f"{year}-06-15",
            f"{year}-07-01",
        )
        forms = [
            (f"strftime('%Y', {name}) = '{year}'", (f"{name} >= '{year}-01-01'", f"{name} < '{year + 1}-01-01'", f"{name} > '{year}-01-01' AND {name} <= '{year}-12-31'"), (f"substr({name}, 1, 4) = '{year}'", f"{name} BETWEEN '{year}-01-01' AND '{year}-12-31'")),
            (f"{name} >= '{year}-06-15'", (f"{name} > '{year}-06-15'", f"{name} >= '{year}-07-01'"), (f"NOT {name} < '{year}-06-15'", f"date({name}) >= '{year}-06-15'")),
            (f"strftime('%m', {name}) = '06'", (f"strftime('%m', {name}) >= '06'", f"strftime('%m', {name}) = '07'"), (f"substr({name}, 6, 2) = '06'", f"CAST(strftime('%m', {name}) AS INTEGER) = 6")),
        ]  # fmt: skip
    text, slips, rewordings = forms[form % len(forms)]
    return Condition(text, slips, rewordings, column.name, values)
