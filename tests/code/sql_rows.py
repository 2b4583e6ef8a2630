"""Rows for `sql_result`: references, near misses that other results prove wrong, and right rewordings.

Near misses are proved here, on databases made here, without the verifier's own.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from sql_schemas import SCHEMAS, Condition, Table, condition


@dataclass(frozen=True)
class Query:
    """A query by its clauses."""

    items: tuple[str, ...]
    source: str
    where: tuple[str, ...] = ()
    distinct: bool = False
    group: str = ""
    having: str = ""
    order: str = ""
    limit: str = ""

    def __str__(self) -> str:
        written = f"SELECT {'DISTINCT ' if self.distinct else ''}{', '.join(self.items)} FROM {self.source}"
        if self.where:
            alone = len(self.where) == 1
            written += " WHERE " + " AND ".join(
                one if alone or " OR " not in one else f"({one})" for one in self.where
            )
        for word, clause in (
            ("GROUP BY", self.group),
            ("HAVING", self.having),
            ("ORDER BY", self.order),
            ("LIMIT", self.limit),
        ):
            written += f" {word} {clause}" if clause else ""
        return written


@dataclass
class Row:
    """A reference with near misses and right rewordings."""

    schema: str
    reference: str
    ordered: bool
    near: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)
    values: dict[str, list[Any]] = field(default_factory=dict)
    seed: int = 0


def rows(seeds: range) -> Iterator[Row]:
    """Yield a row for each seed."""
    for seed in seeds:
        draw = random.Random(f"sql row {seed}")
        form = FORMS[seed % len(FORMS)]
        row = form(draw)
        row.seed = seed
        yield row


def _base(draw: random.Random, most: int = 3) -> tuple[str, Table, list[Condition]]:
    schema = draw.choice(list(SCHEMAS))
    table = draw.choice(SCHEMAS[schema])
    columns = draw.sample(table.columns, min(len(table.columns), draw.randint(1, most)))
    return schema, table, [condition(draw, "", one) for one in columns]


def _finished(
    schema: str,
    query: Query,
    conditions: list[Condition],
    draw: random.Random,
    table: Table,
    *,
    prefix: str = "",
) -> Row:
    """Return a row with the slips and rewordings that any query may have."""
    row = Row(schema, str(query), bool(query.order))
    for at, one in enumerate(conditions):
        row.values.setdefault(one.column, []).extend(one.values)
        place = query.where.index(one.text)
        for text, into in ((one.slips, row.near), (one.rewordings, row.right)):
            into += [
                str(replace(query, where=(*query.where[:place], other, *query.where[place + 1 :])))
                for other in text
            ]
        others = (*query.where[:place], *query.where[place + 1 :])
        row.near.append(str(replace(query, where=others)))
        if at == 0 and len(conditions) > 1:
            joined = (f"{conditions[0].text} OR {conditions[1].text}", *(two.text for two in conditions[2:]))
            row.near.append(str(replace(query, where=joined)))
            row.right.append(str(replace(query, where=tuple(reversed(query.where)))))
    extra = draw.choice(table.columns)
    name = f"{prefix}{extra.name}"
    row.near += [
        str(replace(query, where=(*query.where, more)))
        for more in (f"{name} IS NOT NULL", f"{prefix}id > 0", f"{name} <> {'8123' if extra.kind in ('int', 'real') else repr('Zanzibar')}", f"{prefix}id < 100000")
    ]  # fmt: skip
    row.near += ["SELECT NULL WHERE 0", f"SELECT {', '.join('NULL' for _ in query.items)} WHERE 0"]
    if not query.limit:
        row.near += [str(replace(query, limit=size)) for size in ("10", "150", "500")]
    return row


def filtered(draw: random.Random) -> Row:
    schema, table, conditions = _base(draw, 4)
    items = draw.sample([one.name for one in table.columns], 2)
    query = Query(
        tuple(items), table.name, tuple(one.text for one in conditions), distinct=draw.random() < 0.3
    )
    row = _finished(schema, query, conditions, draw, table)
    row.near += [
        str(replace(query, distinct=not query.distinct)),
        str(replace(query, items=tuple(reversed(items)))),
    ]
    wraps = (
        "trim({})",
        "upper({})",
        "coalesce({}, 0)",
        "CAST({} AS INTEGER)",
        "round({}, 2)",
        "coalesce({}, '')",
    )
    row.near += [str(replace(query, items=(wrap.format(items[0]), items[1]))) for wrap in wraps]
    row.right += [f"SELECT * FROM ({query}) AS x", f"WITH x AS ({query}) SELECT * FROM x", f"{query};"]
    aliased = tuple(f"{one} AS c{at}" for at, one in enumerate(items))
    row.right.append(str(replace(query, items=aliased, order="1")))
    return row


def aggregated(draw: random.Random) -> Row:
    schema, table, conditions = _base(draw, 2)
    column = draw.choice(table.of("int", "real") or list(table.columns))
    name, function = column.name, draw.choice(("count", "sum", "avg", "max", "min"))
    query = Query((f"{function}({name})",), table.name, tuple(one.text for one in conditions))
    row = _finished(schema, query, conditions, draw, table)
    others = {
        "count": (f"count(DISTINCT {name})", "count(*)", f"sum({name})"),
        "sum": (f"total({name})", f"coalesce(sum({name}), 0)", f"sum(DISTINCT {name})", f"round(sum({name}), 1)", f"sum(abs({name}))"),
        "avg": (f"sum({name}) * 1.0 / count(*)", f"round(avg({name}), 2)", f"round(avg({name}), 5)", f"avg(DISTINCT {name})", f"avg(coalesce({name}, 0))", f"CAST(avg({name}) AS INTEGER)"),
        "max": (f"min({name})", f"max(CAST({name} AS TEXT))", f"coalesce(max({name}), 0)", f"round(max({name}))"),
        "min": (f"max({name})", f"min(CAST({name} AS TEXT))", f"coalesce(min({name}), 0)", f"min(abs({name}))"),
    }[function]  # fmt: skip
    row.near += [str(replace(query, items=(other,))) for other in others]
    row.right.append(f"SELECT ({query})")
    if function == "avg":
        row.right.append(str(replace(query, items=(f"sum({name}) * 1.0 / count({name})",))))
    if function in ("max", "min"):
        way = "DESC" if function == "max" else "ASC"
        inner = replace(
            query,
            items=(name,),
            where=(*query.where, f"{name} IS NOT NULL"),
            order=f"{name} {way}",
            limit="1",
        )
        row.right.append(f"SELECT ({inner})")
        row.near.append(str(inner))
    return row


def counted(draw: random.Random) -> Row:
    schema = draw.choice(list(SCHEMAS))
    table = draw.choice(SCHEMAS[schema])
    query = Query(("count(*)",), table.name)
    row = _finished(schema, query, [], draw, table)
    others = [one.name for one in SCHEMAS[schema] if one is not table]
    row.near += [str(replace(query, items=(f"count({one.name})",))) for one in table.columns]
    row.near += [f"SELECT count(*) FROM {table.name}, (SELECT 1 FROM {other} LIMIT 1)" for other in others]
    row.near += [
        f"SELECT max(id) FROM {table.name}",
        f"SELECT sum(1) FROM {table.name}",
        f"SELECT count(*) FROM {others[0]}",
    ]
    row.near.append(
        f"SELECT count(*) FROM (SELECT DISTINCT {table.columns[0].name}, {table.columns[1].name} FROM {table.name})"
    )
    row.right += [f"SELECT count(id) FROM {table.name}", f"SELECT coalesce(sum(1), 0) FROM {table.name}"]
    return row


def grouped(draw: random.Random) -> Row:
    schema, table, conditions = _base(draw, 1)
    keys = table.of("text")
    if not keys:
        return grouped(draw)
    key = draw.choice(keys).name
    other = draw.choice([one.name for one in table.columns if one.name != key])
    bound = draw.choice((1, 2, 4))
    having = f"count(*) > {bound}" if draw.random() < 0.6 else ""
    query = Query(
        (key, "count(*)", f"max({other})"),
        table.name,
        tuple(one.text for one in conditions),
        group=key,
        having=having,
    )
    row = _finished(schema, query, conditions, draw, table)
    changes = [
        {"items": (key, f"count({other})", f"max({other})")},
        {"items": (key, f"count({key})", f"max({other})")},
        {"items": (key, "count(*)", f"min({other})")},
        {"items": (key, "count(*)", f"total({other})")},
        {"group": f"{key}, {other}"},
        {"group": f"lower({key})"},
        {"group": f"{key} COLLATE NOCASE"},
        {"having": f"{having} AND {key} IS NOT NULL" if having else f"{key} IS NOT NULL"},
        {"having": f"count({other}) > {bound}"},
        {"having": f"count(*) >= {bound}" if having else "count(*) > 1"},
    ]
    row.near += [str(replace(query, **change)) for change in changes]  # type: ignore[arg-type]
    row.right += [str(replace(query, group="1", items=(key, "count(id)", f"max({other})")))]
    if having:
        row.right.append(str(replace(query, having=f"count(*) >= {bound + 1}")))
    return row


@cache
def _links(schema: str) -> list[tuple[Table, Table, str]]:
    tables = {one.name: one for one in SCHEMAS[schema]}
    return [
        (tables[parent], child, name)
        for child in SCHEMAS[schema]
        for name, parent, _ in child.parents
        if parent != child.name
    ]


def joined(draw: random.Random) -> Row:
    schema = draw.choice(list(SCHEMAS))
    parent, child, key = draw.choice(_links(schema))
    above, below = draw.choice(parent.columns), draw.choice(child.columns)
    conditions = [
        condition(draw, "p.", draw.choice(parent.columns)),
        condition(draw, "c.", draw.choice(child.columns)),
    ]
    conditions = conditions[: draw.randint(0, 2)]
    source = f"{parent.name} p JOIN {child.name} c ON c.{key} = p.id"
    items = (f"p.{above.name}", f"c.{below.name}")
    query = Query(items, source, tuple(one.text for one in conditions))
    row = _finished(schema, query, conditions, draw, child, prefix="c.")
    sources = [
        source.replace("JOIN", "LEFT JOIN"),
        source.replace(f"c.{key}", "c.id"),
        f"{child.name} c LEFT JOIN {parent.name} p ON c.{key} = p.id",
        f"{parent.name} p, {child.name} c",
        f"{source} AND p.id > 1",
    ]
    row.near += [str(replace(query, source=one)) for one in sources]
    row.near.append(str(replace(query, distinct=True)))
    row.right += [
        str(
            replace(query, source=f"{child.name} c, {parent.name} p", where=(*query.where, f"p.id = c.{key}"))
        ),
        str(replace(query, source=f"{child.name} c INNER JOIN {parent.name} p ON p.id = c.{key}")),
    ]
    return row


def children_counted(draw: random.Random) -> Row:
    schema = draw.choice(list(SCHEMAS))
    parent, child, key = draw.choice(_links(schema))
    name = draw.choice(parent.columns).name
    source = f"{parent.name} p LEFT JOIN {child.name} c ON c.{key} = p.id"
    query = Query(("p.id", f"p.{name}", "count(c.id)"), source, group="p.id")
    row = _finished(schema, query, [], draw, parent, prefix="p.")
    other = draw.choice(child.columns).name
    row.near += [
        str(replace(query, items=("p.id", f"p.{name}", what)))
        for what in ("count(*)", f"count(c.{other})", f"count(DISTINCT c.{other})", "count(p.id)")
    ]
    row.near += [
        str(replace(query, source=source.replace("LEFT JOIN", "JOIN"))),
        str(replace(query, group=f"p.{name}")),
    ]
    row.right += [
        f"SELECT id, {name}, (SELECT count(*) FROM {child.name} c WHERE c.{key} = p.id) FROM {parent.name} p",
        str(replace(query, group=f"p.id, p.{name}")),
    ]
    return row


def childless(draw: random.Random) -> Row:
    schema = draw.choice(list(SCHEMAS))
    parent, child, key = draw.choice(_links(schema))
    name = draw.choice(parent.columns).name
    more = condition(draw, "c.", draw.choice(child.columns))
    query = Query(
        (f"p.{name}",),
        f"{parent.name} p",
        (f"NOT EXISTS (SELECT 1 FROM {child.name} c WHERE c.{key} = p.id AND {more.text})",),
    )
    row = _finished(schema, query, [], draw, parent, prefix="p.")
    row.values[more.column] = list(more.values)
    row.near += [
        str(query).replace("NOT EXISTS", "EXISTS"),
        str(query).replace(f" AND {more.text}", ""),
        f"SELECT p.{name} FROM {parent.name} p WHERE p.id NOT IN (SELECT c.id FROM {child.name} c WHERE {more.text})",
        f"SELECT p.{name} FROM {parent.name} p LEFT JOIN {child.name} c ON c.{key} = p.id WHERE NOT ({more.text})",
        f"SELECT p.{name} FROM {parent.name} p JOIN {child.name} c ON c.{key} = p.id WHERE NOT ({more.text})",
        f"SELECT p.{name} FROM {parent.name} p EXCEPT SELECT p.{name} FROM {parent.name} p JOIN {child.name} c ON c.{key} = p.id AND {more.text}",
        *(str(query).replace(more.text, f"({slip})") for slip in more.slips),
    ]  # fmt: skip
    row.right += [
        f"SELECT p.{name} FROM {parent.name} p WHERE p.id NOT IN (SELECT c.{key} FROM {child.name} c WHERE c.{key} IS NOT NULL AND {more.text})",
        f"SELECT p.{name} FROM {parent.name} p LEFT JOIN {child.name} c ON c.{key} = p.id AND {more.text} WHERE c.id IS NULL",
        *(str(query).replace(more.text, f"({one})") for one in more.rewordings),
    ]
    return row


def ranked(draw: random.Random) -> Row:
    schema, table, conditions = _base(draw, 1)
    by = draw.choice(table.of("int", "real", "day"))
    name = draw.choice([one.name for one in table.columns if one is not by])
    way, size = draw.choice(("DESC", "ASC")), draw.choice((1, 3, 5))
    query = Query(
        (name, by.name),
        table.name,
        (*(one.text for one in conditions), f"{by.name} IS NOT NULL"),
        order=f"{by.name} {way}",
        limit=str(size),
    )
    row = _finished(schema, query, conditions, draw, table)
    other = "ASC" if way == "DESC" else "DESC"
    changes: list[dict[str, Any]] = [
        {"order": f"{by.name} {other}"},
        {"order": f"CAST({by.name} AS TEXT) {way}"},
        {"order": f"id {way}"},
        {"limit": str(size + 1)},
        {"limit": ""},
        {"limit": f"{size} OFFSET 1"},
        {"items": (by.name, name)},
        {"where": (*query.where, f"{name} IS NOT NULL")},
    ]
    row.near += [str(replace(query, **change)) for change in changes]
    row.right.append(f"SELECT * FROM ({query}) ORDER BY 2 {way}")
    if size == 1:
        best = f"SELECT {'max' if way == 'DESC' else 'min'}({by.name}) FROM {table.name} WHERE {' AND '.join(query.where)}"
        row.right.append(str(Query(query.items, table.name, (*query.where, f"{by.name} = ({best})"))))
    return row


def best(draw: random.Random) -> Row:
    schema = draw.choice(list(SCHEMAS))
    table = draw.choice([one for one in SCHEMAS[schema] if one.of("int", "real")])
    by = draw.choice(table.of("int", "real")).name
    name = draw.choice([one.name for one in table.columns if one.name != by])
    sign, function = draw.choice((("=", "max"), ("=", "min"), (">", "avg"), ("<", "avg")))
    query = Query((name,), table.name, (f"{by} {sign} (SELECT {function}({by}) FROM {table.name})",))
    row = _finished(schema, query, [], draw, table)
    inner = f"(SELECT {function}({by}) FROM {table.name})"
    row.near += [
        str(query).replace(f"{by} {sign}", f"{by} {'<=' if sign == '=' else sign + '='}"),
        str(query).replace(inner, f"(SELECT {function}({by}) FROM {table.name} WHERE {name} IS NOT NULL)"),
        str(query).replace(inner, f"(SELECT round({function}({by}), 1) FROM {table.name})"),
        str(query).replace(function, {"max": "min", "min": "max", "avg": "max"}[function]),
        f"SELECT {name} FROM {table.name} WHERE {by} IS NOT NULL ORDER BY {by} {'ASC' if function == 'min' else 'DESC'} LIMIT 1",
        str(query).replace(inner, f"(SELECT sum({by}) / count(*) FROM {table.name})"),
        str(query).replace(inner, f"(SELECT avg(DISTINCT {by}) FROM {table.name})"),
    ]
    row.right.append(
        f"WITH m AS (SELECT {function}({by}) AS v FROM {table.name}) SELECT {name} FROM {table.name}, m WHERE {by} {sign} v"
    )
    return row


def combined(draw: random.Random) -> Row:
    schema, table, conditions = _base(draw, 3)
    if len(conditions) < 2:
        return combined(draw)
    name = draw.choice(table.columns).name
    word = draw.choice(("INTERSECT", "EXCEPT", "UNION"))
    first, second = (f"SELECT {name} FROM {table.name} WHERE {one.text}" for one in conditions[:2])
    row = Row(schema, f"{first} {word} {second}", ordered=False)
    for one in conditions[:2]:
        row.values.setdefault(one.column, []).extend(one.values)
        row.near += [row.reference.replace(one.text, slip) for slip in one.slips]
        row.right += [row.reference.replace(one.text, other) for other in one.rewordings]
    row.near += [
        f"{first} {other} {second}"
        for other in ("INTERSECT", "EXCEPT", "UNION", "UNION ALL")
        if other != word
    ]
    sign = {"INTERSECT": "AND", "EXCEPT": "AND NOT", "UNION": "OR"}[word]
    row.near += [
        f"SELECT DISTINCT {name} FROM {table.name} WHERE ({conditions[0].text}) {sign} ({conditions[1].text})",
        first,
        second,
    ]
    if word != "EXCEPT":
        row.right.append(f"{second} {word} {first}")
    if word == "UNION":
        row.near.pop(-3)
        row.right.append(
            f"SELECT DISTINCT {name} FROM {table.name} WHERE ({conditions[0].text}) OR ({conditions[1].text})"
        )
    return row


def bosses(draw: random.Random) -> Row:
    staff = SCHEMAS["staff"][1]
    ours, theirs = (
        condition(draw, "e.", draw.choice(staff.columns)),
        condition(draw, "b.", draw.choice(staff.columns)),
    )
    conditions = [ours, theirs][: draw.randint(0, 2)]
    more = draw.choice((("e.salary > b.salary",), ()))
    query = Query(
        ("e.name", "b.name"),
        "employee e JOIN employee b ON e.boss_id = b.id",
        (*(one.text for one in conditions), *more),
    )
    row = _finished("staff", query, conditions, draw, staff, prefix="e.")
    row.near += [
        str(query).replace("JOIN", "LEFT JOIN"),
        str(query).replace("e.boss_id = b.id", "b.boss_id = e.id"),
        str(query).replace("e.boss_id = b.id", "e.id = b.id"),
        str(replace(query, distinct=True)),
        str(replace(query, items=("b.name", "e.name"))),
    ]
    if more:
        row.near += [
            str(query).replace(more[0], "e.salary >= b.salary"),
            str(query).replace(more[0], "e.salary < b.salary"),
        ]
    row.right.append(str(query).replace("e.boss_id = b.id", "b.id = e.boss_id"))
    return row


def chained(draw: random.Random) -> Row:
    schema, last = draw.choice((("shop", "orders"), ("school", "enrolment")))
    child = next(one for one in SCHEMAS[schema] if one.name == last)
    (key, first, _), (other_key, second, _) = child.parents
    tables = {one.name: one for one in SCHEMAS[schema]}
    conditions = [
        condition(draw, "a.", draw.choice(tables[first].columns)),
        condition(draw, "b.", draw.choice(tables[second].columns)),
    ]
    conditions = conditions[: draw.randint(1, 2)]
    source = f"{first} a JOIN {last} c ON c.{key} = a.id JOIN {second} b ON c.{other_key} = b.id"
    query = Query(
        (f"a.{tables[first].columns[0].name}", f"b.{tables[second].columns[0].name}"),
        source,
        tuple(one.text for one in conditions),
    )
    row = _finished(schema, query, conditions, draw, child, prefix="c.")
    row.near += [
        str(
            replace(
                query,
                source=f"{first} a JOIN {last} c ON c.{key} = a.id LEFT JOIN {second} b ON c.{other_key} = b.id",
            )
        ),
        str(
            replace(query, source=f"{first} a JOIN {last} c ON c.{key} = a.id JOIN {second} b ON c.id = b.id")
        ),
        str(replace(query, source=f"{first} a, {second} b")),
        str(replace(query, distinct=True)),
    ]
    row.right.append(
        str(
            replace(
                query,
                source=f"{last} c, {second} b, {first} a",
                where=(*query.where, f"c.{key} = a.id", f"c.{other_key} = b.id"),
            )
        )
    )
    return row


def split(draw: random.Random) -> Row:
    schema, table, conditions = _base(draw, 1)
    one = conditions[0]
    query = Query((f"sum(CASE WHEN {one.text} THEN 1 ELSE 0 END)", "count(*)"), table.name)
    row = _finished(schema, query, [], draw, table)
    row.values[one.column] = list(one.values)
    row.near += [str(query).replace(one.text, f"({slip})") for slip in one.slips]
    row.near += [
        f"SELECT count(CASE WHEN {one.text} THEN 1 END), count(*) FROM {table.name}",
        f"SELECT count(*), count(*) FROM {table.name} WHERE {one.text}",
    ]
    row.right += [str(query).replace(one.text, f"({other})") for other in one.rewordings]
    row.right.append(f"SELECT sum(iif({one.text}, 1, 0)), count(id) FROM {table.name}")
    return row


FORMS: list[Callable[[random.Random], Row]] = [
    filtered, joined, aggregated, grouped, children_counted, ranked, childless, best, combined, bosses, chained, split, filtered, joined, counted,
]  # fmt: skip
