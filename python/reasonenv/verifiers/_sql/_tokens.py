"""The parts of a query: its tokens, clauses, tables, conditions and literals."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<skipped>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])
    |(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<word>[^\W\d]\w*)
    |(?P<sign><>|<=|>=|==|!=|\|\||->>?|<<|>>|.)""",
    re.DOTALL | re.VERBOSE,
)

COMPARISONS = ("=", "==", "<>", "!=", "<", "<=", ">", ">=")
_COMPOUNDS = ("union", "intersect", "except")
_JOINS = frozenset(("join", "left", "inner", "cross", "natural", "right", "full", "outer"))
_CLAUSES = ("from", "where", "group", "having", "window", "order", "limit")
_AFTER_TABLE = frozenset(
    (*_JOINS, *_CLAUSES, *_COMPOUNDS, "on", "using", "as", "indexed", "not", "returning", "set")
)


class Token(NamedTuple):
    """A token of a statement."""

    kind: str
    """`word`, `quoted`, `text`, `number` or `sign`."""
    value: str
    """A word in lower case, a quoted name or text without its quotes, anything else as written."""
    start: int
    end: int
    depth: int
    """Brackets around it; a bracket is as deep as what surrounds it."""


@dataclass(frozen=True)
class Select:
    """A SELECT: its clauses as ranges of tokens, without the words that open them."""

    depth: int
    clauses: dict[str, tuple[int, int]]
    end: int


@dataclass(frozen=True)
class Statement:
    """A query and its parts."""

    text: str
    tokens: list[Token] = field(repr=False)
    selects: list[Select] = field(repr=False)

    def written(self, start: int, end: int) -> str:
        """Return a range of tokens as written."""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end] if start < end else ""

    def conditions(self) -> Iterator[tuple[int, int]]:
        """Yield every comparison or other single condition, as a range of tokens."""
        for select in self.selects:
            for name in ("where", "having"):
                if name in select.clauses:
                    yield from self._single(*select.clauses[name])
        for at, token in enumerate(self.tokens):
            if token.kind == "word" and token.value in ("on", "when"):
                yield from self._single(at + 1, self._end_of_condition(at))

    def _end_of_condition(self, at: int) -> int:
        depth = self.tokens[at].depth
        stops = _AFTER_TABLE - {"not", "as", "set"} | {"then", "when"}
        for end in range(at + 1, len(self.tokens)):
            token = self.tokens[end]
            ends = token.value == "," or (token.value in stops and token.kind == "word")
            if token.depth < depth or (token.depth == depth and ends):
                return end
        return len(self.tokens)

    def _single(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        while start < end and self.tokens[start].value == "not" and self.tokens[start].kind == "word":
            start += 1
        if start >= end:
            return
        depth = self.tokens[start].depth
        between, cases, begun = False, 0, start
        pieces = []
        for at in range(start, end):
            token = self.tokens[at]
            if token.kind != "word" or token.depth != depth:
                continue
            cases += (token.value == "case") - (token.value == "end")
            if token.value == "between":
                between = True
            elif token.value == "and" and between:
                between = False
            elif token.value in ("and", "or") and not cases:
                pieces.append((begun, at))
                begun = at + 1
        pieces.append((begun, end))
        if len(pieces) > 1:
            for piece in pieces:
                yield from self._single(*piece)
        elif self.tokens[start].value == "(" and self._closing(start) == end - 1:
            if self.tokens[start + 1].value != "select":
                yield from self._single(start + 1, end - 1)
        else:
            yield start, end

    def _closing(self, start: int) -> int:
        depth = self.tokens[start].depth
        for at in range(start + 1, len(self.tokens)):
            if self.tokens[at].value == ")" and self.tokens[at].depth == depth:
                return at
        return -1

    def sources(self, tables: Iterable[str]) -> dict[str, set[str]]:
        """Return the tables that each name or alias stands for."""
        known = {name.lower(): name for name in tables}
        found: dict[str, set[str]] = {}
        for select in self.selects:
            start, end = select.clauses.get("from", (0, 0))
            expected = True
            for at in range(start, end):
                token = self.tokens[at]
                if token.value == "," or (token.kind == "word" and token.value == "join"):
                    expected = True
                elif expected and token.kind in ("word", "quoted") and token.value.lower() in known:
                    table = known[token.value.lower()]
                    found.setdefault(token.value.lower(), set()).add(table)
                    after = [one for one in self.tokens[at + 1 : min(at + 3, end)] if one.value != "as"][:1]
                    if after and after[0].kind in ("word", "quoted") and after[0].value not in _AFTER_TABLE:
                        found.setdefault(after[0].value.lower(), set()).add(table)
                    expected = False
                elif token.value not in _JOINS:
                    expected = False
        return found

    def columns(
        self, start: int, end: int, tables: Mapping[str, Iterable[str]], sources: Mapping[str, set[str]]
    ) -> list[tuple[int, str, str]]:
        """Return the columns in a range: the place of the name, the table and the column.

        Args:
            start: First token.
            end: Token after the last.
            tables: Columns of each table.
            sources: Tables by name and alias, see `sources`.
        """
        spelled = {table: {one.lower(): one for one in columns} for table, columns in tables.items()}
        used = sorted({table for found in sources.values() for table in found})
        found = []
        for at in range(start, end):
            token = self.tokens[at]
            if token.kind not in ("word", "quoted"):
                continue
            following = self.tokens[at + 1].value if at + 1 < len(self.tokens) else ""
            if following in ("(", "."):
                continue
            qualified = at > 1 and self.tokens[at - 1].value == "."
            among = sorted(sources.get(self.tokens[at - 2].value.lower(), ())) if qualified else used
            found += [
                (at, table, spelled[table][token.value.lower()])
                for table in among
                if token.value.lower() in spelled[table]
            ]
        return found

    def literals(self) -> tuple[list[float], list[str]]:
        """Return the numbers and the texts of the statement, each once."""
        numbers = [number(one.value) for one in self.tokens if one.kind == "number"]
        texts = [
            one.value for one in self.tokens if one.kind == "text" or (one.kind == "quoted" and one.value)
        ]
        return list(dict.fromkeys(numbers)), list(dict.fromkeys(texts))


def number(text: str) -> float:
    """Read a number literal; a whole one becomes an `int`."""
    if text.isdigit() and len(text) < 19:
        return int(text)
    return float(text)


def parsed(text: str) -> Statement:
    """Split a statement into its parts."""
    tokens = list(_tokens(text))
    selects = [
        _select(tokens, at)
        for at, token in enumerate(tokens)
        if token.value == "select" and token.kind == "word"
    ]
    return Statement(text, tokens, selects)


def _tokens(text: str) -> Iterator[Token]:
    depth = 0
    for match in _TOKEN.finditer(text):
        kind, value = match.lastgroup or "", match[0]
        if kind == "skipped":
            continue
        if kind == "word":
            value = value.lower()
        elif kind == "text":
            value = value[1:-1].replace("''", "'")
        elif kind == "quoted":
            value = value[1:-1].replace('""', '"')
        if value == ")" and kind == "sign":
            depth -= 1
        yield Token(kind, value, match.start(), match.end(), depth)
        if value == "(" and kind == "sign":
            depth += 1


def _select(tokens: list[Token], start: int) -> Select:
    depth = tokens[start].depth
    clauses = {}
    name, begun = "select", start + 1
    at = start + 1
    while at < len(tokens):
        token = tokens[at]
        if token.depth < depth or (token.depth == depth and token.value == ";"):
            break
        if token.depth == depth and token.kind == "word":
            if token.value in _COMPOUNDS:
                break
            if token.value in _CLAUSES:
                clauses[name] = (begun, at)
                name = token.value
                by = at + 1 < len(tokens) and tokens[at + 1].value == "by"
                begun = at + 2 if by else at + 1
        at += 1
    clauses[name] = (min(begun, at), at)
    return Select(depth, clauses, at)
