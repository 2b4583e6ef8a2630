"""Plain data, the only values that leave a sandbox, and its comparison outside."""

import ast
import json
import math
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from typing import Any, NamedTuple

from reasonenv.verifiers._code._streams import PROMPT_END, PROMPT_START
from reasonenv.verifiers._code._wire import DEEPEST, NOT_PLAIN, NotPlainError

_ATOMS = (type(None), bool, int, float, complex, str, bytes, Decimal, date, datetime, timedelta)


def plain(value: Any, depth: int = DEEPEST) -> Any:
    """Rebuild a value from exact built-in types, so that none of its own methods decides a comparison.

    Raises:
        NotPlainError: The value holds other types or is nested too deeply.
    """
    kind = type(value)
    if kind in _ATOMS:
        return value
    if depth == 0:
        raise NotPlainError("a value nested deeper than 100 levels")
    if kind is list:
        return [plain(one, depth - 1) for one in value]
    if kind is tuple or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return tuple([plain(one, depth - 1) for one in tuple.__iter__(value)])
    if kind is set or kind is frozenset:
        return kind([plain(one, depth - 1) for one in value])
    if kind is dict:
        return {plain(key, depth - 1): plain(one, depth - 1) for key, one in value.items()}
    raise NotPlainError(f"{NOT_PLAIN} {getattr(value, 'name', None) or kind.__name__}")


class OutputComparison(NamedTuple):
    """Settings for comparing values and outputs."""

    tolerance: float = 0.0
    """Largest absolute or relative difference of floats that counts as equal."""
    by_value: bool = True
    """True to compare numbers in outputs and floats of JSON by value, False to compare what is written."""


def same(value: Any, expected: Any, how: OutputComparison, *, as_json: bool = False) -> bool:
    """True if two values of plain data are equal as Python compares them.

    Args:
        value: Value that a program returned.
        expected: Value that it should have returned.
        how: Settings of the comparison.
        as_json: True to count tuples as lists, since JSON has no tuples, and to accept rounded floats.
    """
    if as_json and isinstance(value, tuple):
        value = list(value)
    if isinstance(value, list | tuple) and isinstance(expected, list | tuple):
        return (
            type(value) is type(expected)
            and len(value) == len(expected)
            and all(same(a, b, how, as_json=as_json) for a, b in zip(value, expected, strict=True))
        )
    if isinstance(value, dict) and isinstance(expected, dict):
        if as_json:  # JSON turns every key into text
            value = {key if isinstance(key, str) else _json_key(key): one for key, one in value.items()}
        return value.keys() == expected.keys() and all(
            same(value[key], one, how, as_json=as_json) for key, one in expected.items()
        )
    if value == expected:
        return True
    if not (isinstance(value, int | float) and isinstance(expected, int | float)):
        return False
    if as_json and isinstance(value, float) and isinstance(expected, float):
        return same_number(repr(value), repr(expected), how)
    floats = isinstance(value, float) or isinstance(expected, float)
    return (
        floats
        and how.tolerance > 0
        and math.isclose(value, expected, rel_tol=how.tolerance, abs_tol=how.tolerance)
    )


def _json_key(key: Any) -> str:
    return json.dumps(key) if key is None or isinstance(key, bool) else str(key)


_PROMPT = re.compile(f"{PROMPT_START}[^{PROMPT_START}{PROMPT_END}]*{PROMPT_END}")


def readings(output: str) -> Iterator[str]:
    """Yield an output without the prompts of `input`, and with them if it has any."""
    yield _PROMPT.sub("", output)
    if PROMPT_START in output:
        yield output.replace(PROMPT_START, "").replace(PROMPT_END, "")


def same_output(printed: str, expected: str, how: OutputComparison) -> bool:
    """True if two outputs have the same lines, but for white space at their ends and empty lines around all.

    By value, lines are compared word by word, as the graders of APPS, TACO and LiveCodeBench do.
    """
    ours, theirs = _lines(printed), _lines(expected)
    if ours == theirs or not (how.by_value or how.tolerance):
        return ours == theirs
    return len(ours) == len(theirs) and all(
        a == b or _same_words(a.split(), b.split(), how) for a, b in zip(ours, theirs, strict=True)
    )


def _lines(text: str) -> list[str]:
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    return [line.rstrip() for line in text.split("\n")]


def _same_words(ours: list[str], theirs: list[str], how: OutputComparison) -> bool:
    return len(ours) == len(theirs) and all(
        a == b or same_number(a, b, how) for a, b in zip(ours, theirs, strict=True)
    )


_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]*|(?=\.[0-9]))(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,4}))?")
_NOISE = Decimal("1e-9")
_PRECISE = Context(prec=1000)


def same_number(word: str, expected: str, how: OutputComparison) -> bool:
    """True if two words are numbers of the same value.

    Decimals need only agree up to what floats cannot hold (1e-9), or to the digits of the shorter one if it
    has six or more. Integers are exact, also beside a decimal, and a word with leading zeros is not a number.
    """
    ours, theirs = _NUMBER.fullmatch(word), _NUMBER.fullmatch(expected)
    if ours is None or theirs is None or max(len(word), len(expected)) > _LONGEST_NUMBER:
        return False
    a, b = Decimal(word), Decimal(expected)
    decimals = [one[1] is not None or one[2] is not None for one in (ours, theirs)]
    off, size = abs(_PRECISE.subtract(a, b)), max(abs(a), abs(b))
    if how.tolerance and any(decimals) and off <= Decimal(how.tolerance) * max(size, Decimal(1)):
        return True
    if not (how.by_value and any(decimals)):
        return how.by_value and off == 0
    if not decimals[1]:
        return off <= _NOISE
    return off <= _NOISE * max(size, Decimal("0.001")) or (decimals[0] and _rounded(a, b))


def _rounded(a: Decimal, b: Decimal) -> bool:
    """True if one decimal is the other, rounded or cut off to at least six digits."""
    shorter, longer = sorted((a, b), key=lambda one: len(one.as_tuple().digits))
    digits, place = len(shorter.as_tuple().digits), int(shorter.as_tuple().exponent)
    unit = Decimal(1).scaleb(place)
    more = _PRECISE.subtract(abs(longer), abs(shorter))
    return digits >= _ENOUGH and longer * shorter > 0 and -unit / 2 <= more < unit


_LONGEST_NUMBER = 400
_ENOUGH = 6

_CONSTRUCTORS = {"set": set, "frozenset": frozenset, "tuple": tuple, "list": list, "dict": dict}


def literal(node: ast.expr) -> Any:  # noqa: PLR0911  a case for each shape
    """Return the value of an expression without running it: a literal, `set()`, `float("inf")`.

    Raises:
        ValueError: The expression is of another kind.
    """
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _CONSTRUCTORS:
            if len(args) > 1:
                raise ValueError("not a literal")
            given = [literal(one) for one in args]
            return _CONSTRUCTORS[name](*given)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(text))], keywords=[]):
            return float(text)
        case ast.Name(id="inf" | "nan" as name):
            return float(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = literal(operand)
            if isinstance(value, int | float | complex):
                return -value
        case ast.List(elts=elements):
            return [literal(one) for one in elements]
        case ast.Tuple(elts=elements):
            return tuple(literal(one) for one in elements)
        case ast.Set(elts=elements):
            return {literal(one) for one in elements}
        case ast.Dict(keys=keys, values=values) if all(keys):
            return {literal(key): literal(one) for key, one in zip(keys, values, strict=True) if key}
        case ast.Constant() | ast.BinOp():
            return ast.literal_eval(node)
    raise ValueError("not a literal")
