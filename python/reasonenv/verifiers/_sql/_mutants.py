"""Near misses of a query: the query with a single slip."""

from collections.abc import Iterator, Sequence
from random import Random

from reasonenv.verifiers._sql._schema import TableContent
from reasonenv.verifiers._sql._tokens import COMPARISONS, Select, Statement, Token, number, parsed

_MOST = 160
_AGGREGATES = ("count", "sum", "avg", "min", "max", "total")
_SIMPLE = {"and": "OR", "or": "AND", "desc": "ASC", "asc": "DESC"}
_FORMS = ("trim({})", "lower({})", "CAST({} AS TEXT)", "CAST({} AS INT)", "round({})", "abs({})")
_OTHER_COLUMNS = 3
_MOST_SLIPS = 40


def mutants(query: Statement, tables: Sequence[TableContent]) -> list[str]:
    """Return near misses of a query, each once; a few may not run or say the same as the query."""
    found = dict.fromkeys(_all(query, tables))
    found.pop(query.text, None)
    listed = list(found)
    return listed if len(listed) <= _MOST else Random(query.text).sample(listed, _MOST)


def slips(condition: str, column: str) -> list[str]:
    """Return near misses of a condition on a column, as far as values can tell them from it."""
    query = parsed(condition)
    found = [f"({condition}) IS NOT 0", "1"]
    for at, token in enumerate(query.tokens):
        found += [_replaced(query, at, at + 1, other) for other in _other_tokens(query, at, token)]
        if token.value.lower() == column.lower() and token.kind in ("word", "quoted"):
            name = query.written(at, at + 1)
            found += [_replaced(query, at, at + 1, form.format(name)) for form in _FORMS]
    return list(dict.fromkeys(found))[:_MOST_SLIPS]


def _all(query: Statement, tables: Sequence[TableContent]) -> Iterator[str]:
    names = {one.name: [column.name for column in one.columns] for one in tables}
    sources = query.sources(names)
    used = sorted({table for found in sources.values() for table in found})
    for at, token in enumerate(query.tokens):
        for other in _other_tokens(query, at, token):
            yield _replaced(query, at, at + 1, other)
        if (
            [one.value for one in query.tokens[at : at + 2]] == ["count", "("]
            and query.tokens[at + 3 : at + 4]
            and query.tokens[at + 3].value == ")"
        ):
            counted = ("*", *(f'"{name}"' for table in used for name in names[table]))
            yield from (_replaced(query, at + 2, at + 3, other) for other in counted)
    for start, end in query.conditions():
        written = query.written(start, end)
        yield _replaced(query, start, end, "1")
        yield _replaced(query, start, end, f"(({written}) IS NOT 0)")
    columns = query.columns(0, len(query.tokens), names, sources)
    for at, table, name in columns:
        place = names[table].index(name)
        for step in range(1, _OTHER_COLUMNS + 1):
            other = names[table][(place + step) % len(names[table])]
            yield _replaced(query, at, at + 1, f'"{other}"')
    for select in query.selects:
        yield from _of_select(query, select, names, sources)


def _replaced(query: Statement, start: int, end: int, text: str) -> str:
    tokens = query.tokens
    return f"{query.text[: tokens[start].start]}{text}{query.text[tokens[end - 1].end :]}"


def _inserted(query: Statement, at: int, text: str) -> str:
    """Insert text before a token."""
    place = query.tokens[at].start if at < len(query.tokens) else len(query.text.rstrip().rstrip(";"))
    return f"{query.text[:place]} {text} {query.text[place:]}"


def _other_tokens(query: Statement, at: int, token: Token) -> Iterator[str]:
    tokens = query.tokens
    before = tokens[at - 1].value if at else ""
    after = tokens[at + 1].value if at + 1 < len(tokens) else ""
    if token.kind == "number":
        yield from (str(number(token.value) + 1), str(number(token.value) - 1))
    elif token.kind == "text":
        bare = token.value.replace("'", "''")
        yield from (
            f"'{one}'" for one in (bare.lower(), bare.upper(), f"{bare} ", bare.strip("%"), bare.lstrip("%"))
        )
    elif token.kind == "sign" and token.value in COMPARISONS:
        yield from (one for one in ("=", "<>", "<", "<=", ">", ">=", "LIKE") if one != token.value)
    elif token.kind == "word":
        yield from _other_words(token.value, before, after)


def _other_words(word: str, before: str, after: str) -> Iterator[str]:
    if word in _SIMPLE:
        yield _SIMPLE[word]
    elif word == "join" and before not in ("left", "outer", "cross", "natural", "right", "full"):
        yield "LEFT JOIN" if before != "inner" else "JOIN"
    elif word == "left":
        yield "INNER" if after != "outer" else ""
    elif word in ("outer", "distinct") or (word == "all" and before == "union"):
        yield ""
    elif word in _AGGREGATES and after == "(":
        yield from (one for one in _AGGREGATES if one != word)
    elif word == "union":
        yield from (("UNION",) if after == "all" else ("UNION ALL", "INTERSECT", "EXCEPT"))
    elif word in ("intersect", "except"):
        yield from (one for one in ("UNION", "INTERSECT", "EXCEPT") if one.lower() != word)
    elif word == "like":
        yield from ("=", "GLOB")


def _of_select(
    query: Statement, select: Select, names: dict[str, list[str]], sources: dict[str, set[str]]
) -> Iterator[str]:
    tokens, clauses = query.tokens, select.clauses
    start, end = clauses["select"]
    if start < end and tokens[start].value != "distinct":
        yield _inserted(query, start, "DISTINCT")
    yield from _of_items(query, start, end)
    for name in ("group", "order"):
        if name in clauses:
            yield from _of_terms(query, *clauses[name], ordered=name == "order")
    if "limit" in clauses:
        low, high = clauses["limit"]
        yield query.text[: tokens[low - 1].start] + query.text[tokens[high - 1].end :]
    elif select.depth == 0:
        for size in (1, 3, 10, 100, 200):
            yield _inserted(query, select.end, f"LIMIT {size}")
    if "having" in clauses:
        low, high = clauses["having"]
        yield _replaced(query, low, high, "1")
    yield from _with_conditions(query, select, names, sources)


def _of_items(query: Statement, start: int, end: int) -> Iterator[str]:
    """Yield queries that wrap an item of the SELECT, or count other things."""
    tokens = query.tokens
    for begun, high in _terms(tokens, start, end):
        low = begun + (tokens[begun].value in ("distinct", "all"))
        stop = next((at for at in range(low, high) if tokens[at].value == "as"), high)
        written = query.written(low, stop)
        if not written or written == "*":
            continue
        for form in (
            "round({}, 2)",
            "round({}, 6)",
            "trim({})",
            "upper({})",
            "CAST({} AS INT)",
            "coalesce({}, 0)",
            "abs({})",
            "({}) + 0",
        ):
            yield _replaced(query, low, stop, form.format(written))
    for at in range(start, end - 2):
        called = tokens[at].value in _AGGREGATES and tokens[at + 1].value == "("
        if called and tokens[at + 2].value not in ("*", "distinct"):
            yield _inserted(query, at + 2, "DISTINCT")


def _terms(tokens: list[Token], start: int, end: int) -> Iterator[tuple[int, int]]:
    begun = start
    for at in range(start, end + 1):
        if at == end or (tokens[at].value == "," and tokens[at].depth == tokens[start].depth):
            if at > begun:
                yield begun, at
            begun = at + 1


def _of_terms(query: Statement, start: int, end: int, *, ordered: bool) -> Iterator[str]:
    tokens = query.tokens
    terms = list(_terms(tokens, start, end))
    for low, high in terms:
        if len(terms) > 1:
            first = low if low > start else low + 1
            yield (
                _replaced(query, first - 1, high, "") if low > start else _replaced(query, low, high + 1, "")
            )
        last = tokens[high - 1].value
        bare = high - 1 if last in ("asc", "desc") else high
        written, way = query.written(low, bare), last if bare < high else ""
        if ordered:
            if not way:
                yield _replaced(query, low, high, f"{written} DESC")
            yield _replaced(query, low, high, f"CAST({written} AS TEXT) {way}")
            yield _replaced(query, low, high, f"CAST({written} AS INT) {way}")
            yield _replaced(query, low, high, f"{written} COLLATE NOCASE {way}")
            yield _replaced(query, low, high, f"{written} {way} NULLS {'FIRST' if way == 'desc' else 'LAST'}")
        else:
            yield _replaced(query, low, high, f"lower({written})")
            yield _replaced(query, low, high, f"trim({written})")
    if ordered:
        yield _replaced(query, start - 2, end, "")


def _with_conditions(
    query: Statement, select: Select, names: dict[str, list[str]], sources: dict[str, set[str]]
) -> Iterator[str]:
    """Yield queries with one more condition."""
    clauses = select.clauses
    if "from" not in clauses:
        return
    start, end = clauses["from"]
    held = {
        name: table
        for name, among in sources.items()
        for table in among
        if any(
            token.value.lower() == name for token in query.tokens[start:end] if token.depth == select.depth
        )
    }
    aliased = {table for name, table in held.items() if name != table.lower()}
    conditions = []
    for name, table in held.items():
        if name == table.lower() and table in aliased:
            continue
        for column in names[table]:
            place = f'"{name}"."{column}"'
            conditions += [f"{place} IS NOT NULL", f"{place} > 0", f"{place} < 1000", f"{place} <> ''"]
    conditions += [f'EXISTS (SELECT 1 FROM "{table}")' for table in names]
    for one in conditions:
        if "where" in clauses:
            low, high = clauses["where"]
            yield _replaced(query, low, high, f"({query.written(low, high)}) AND {one}")
        else:
            yield _inserted(query, end, f"WHERE {one}")
