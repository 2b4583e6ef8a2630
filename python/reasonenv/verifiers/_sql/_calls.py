"""Functions of SQLite under guard: calls that read the clock or whose work their values do not bound."""

import re
import sqlite3
from collections.abc import Callable
from typing import Any

from reasonenv.verifiers._sql._tokens import Token, parsed

CLOCK = "the query depends on the time of day or on the time zone"

_DATES = frozenset(("date", "datetime", "julianday", "strftime", "time", "unixepoch"))
_FORMATS = frozenset(("printf", "format"))
_SEARCHES = frozenset(("instr", "replace", "trim", "ltrim", "rtrim"))
_CALL = re.compile(rf"\b({'|'.join(sorted(_DATES | _FORMATS | _SEARCHES))})\b", re.IGNORECASE)
_WIDEST = 1000
"""Largest width or precision of a format."""

_LONGEST_SEARCHED = 4096
"""Length in bytes up to which a search that takes the product of its lengths is fast."""


class _Refused(Exception):
    def __init__(self, label: str, reason: str) -> None:
        super().__init__(label, reason)


def guard(connection: sqlite3.Connection, statement: str, longest: int) -> list[tuple[str, str]]:
    """Replace the functions that a statement may misuse by ones that refuse to.

    Returns:
        A list that receives the label and the reason of a call that is refused.
    """
    broken: list[tuple[str, str]] = []
    for name in sorted({found.lower() for found in _CALL.findall(statement)}):
        if _is_plain(name, statement, longest):
            continue
        connection.create_function(name, -1, _guarded(name, longest, broken), deterministic=True)
    return broken


def _is_plain(name: str, statement: str, longest: int) -> bool:
    """True if a look at the calls is enough to know that they are fine."""
    if name in _SEARCHES:
        return longest <= _LONGEST_SEARCHED
    if len(statement) > 1 << 14:
        return False
    tokens = parsed(statement).tokens
    for at, token in enumerate(tokens[:-1]):
        if token.value.lower() != name or token.kind == "text" or tokens[at + 1].value != "(":
            continue
        given = _arguments(tokens, at + 1)
        if name in _FORMATS:
            if len(given) < 1 or len(given[0]) != 1 or given[0][0].kind != "text":
                return False
            if _is_wide(given[0][0].value):
                return False
        elif len(given) < 1 + (name == "strftime") or not all(_is_value(one) for one in given):
            return False
    return True


def _arguments(tokens: list[Token], at: int) -> list[list[Token]]:
    depth = tokens[at].depth
    given: list[list[Token]] = [[]]
    for token in tokens[at + 1 :]:
        if token.depth <= depth:
            break
        if token.depth == depth + 1 and token.value == "," and token.kind == "sign":
            given.append([])
        else:
            given[-1].append(token)
    return [one for one in given if one]


def _is_value(argument: list[Token]) -> bool:
    """True for a literal and for a column."""
    if len(argument) == 1:
        return argument[0].kind == "number" or not _reads_clock(argument[0].value)
    return len(argument) == 3 and argument[1].value == "."  # a column of a table


def _reads_clock(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower() in ("now", "localtime", "utc")


def _is_wide(form: str) -> bool:
    return "*" in form or any(len(one) > 3 for one in re.findall(r"\d+", form))


def _guarded(name: str, longest: int, broken: list[tuple[str, str]]) -> Callable[..., Any]:
    native: list[sqlite3.Connection] = []

    def call(*given: Any) -> Any:
        try:
            _check(name, given)
            if name in _SEARCHES and len(given) > 1 and all(isinstance(one, str) for one in given):
                return _searched(name, given, longest)
            if not native:
                native.append(sqlite3.connect(":memory:", check_same_thread=False))
                native[0].setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
            return native[0].execute(f"SELECT {name}({', '.join('?' * len(given))})", given).fetchone()[0]
        except _Refused as error:
            broken.append(error.args)
            raise

    return call


def _check(name: str, given: tuple[Any, ...]) -> None:
    """Refuse a call that reads the clock or that formats at great width."""
    if name in _DATES and (len(given) < 1 + (name == "strftime") or any(_reads_clock(one) for one in given)):
        raise _Refused("constraint_violated", CLOCK)
    if name in _FORMATS and given and isinstance(given[0], str) and _is_wide(given[0]):
        sizes = [int(one[:20]) for one in re.findall(r"\d+", given[0])]
        if "*" in given[0]:
            sizes += [abs(_number(one)) for one in given[1:]]
        if any(one > _WIDEST for one in sizes):
            raise _Refused("over_budget", f"a format is wider than {_WIDEST} characters")
    if name in _SEARCHES and sum(len(one) for one in given if isinstance(one, bytes)) > _LONGEST_SEARCHED:
        raise _Refused("over_budget", "a search in a long blob")


def _number(value: Any) -> int:
    try:
        return int(float(value))
    except (TypeError, ValueError):
        return 0
    except OverflowError:
        return _WIDEST + 1


def _searched(name: str, given: tuple[str, ...], longest: int) -> Any:
    text, part = given[0], given[1]
    if name == "instr":
        return text.find(part) + 1
    if name == "replace":
        if not part:
            return text
        if len(text) + text.count(part) * (len(given[2]) - len(part)) > longest:
            raise _Refused("over_budget", "a text becomes too long")
        return text.replace(part, given[2])
    strip = {"trim": str.strip, "ltrim": str.lstrip, "rtrim": str.rstrip}[name]
    return strip(text, "".join(sorted(set(part)))) if part else text
