"""Plain data, the only values that leave a sandbox, and its comparison outside."""

import ast
import json
import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

_ATOMS = (type(None), bool, int, float, complex, str, bytes, Decimal, date, datetime, timedelta)
_DEEPEST = 100


NOT_PLAIN = "an object of type"
"""Start of a `NotPlainError` message, recognized after it has crossed between processes."""


class NotPlainError(ValueError):
    """A value that is not plain data."""


def plain(value: Any, depth: int = _DEEPEST) -> Any:
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


def same(value: Any, expected: Any, tolerance: float = 0.0, *, as_json: bool = False) -> bool:
    """True if two values of plain data are equal as Python compares them.

    Args:
        value: Value that a program returned.
        expected: Value that it should have returned.
        tolerance: Largest absolute or relative difference of floats that counts as equal.
        as_json: True to count tuples as lists, since JSON has no tuples.
    """
    if as_json and isinstance(value, tuple):
        value = list(value)
    if isinstance(value, list | tuple) and isinstance(expected, list | tuple):
        return (
            type(value) is type(expected)
            and len(value) == len(expected)
            and all(same(a, b, tolerance, as_json=as_json) for a, b in zip(value, expected, strict=True))
        )
    if isinstance(value, dict) and isinstance(expected, dict):
        if as_json:  # JSON turns every key into text
            value = {key if isinstance(key, str) else _json_key(key): one for key, one in value.items()}
        return value.keys() == expected.keys() and all(
            same(value[key], one, tolerance, as_json=as_json) for key, one in expected.items()
        )
    if tolerance and isinstance(value, int | float) and isinstance(expected, int | float):
        return math.isclose(value, expected, rel_tol=tolerance, abs_tol=tolerance)
    return bool(value == expected)


def _json_key(key: Any) -> str:
    return json.dumps(key) if key is None or isinstance(key, bool) else str(key)


def same_output(printed: str, expected: str, tolerance: float = 0.0) -> bool:
    """True if two outputs are equal, ignoring white space at line ends and empty lines around them."""
    ours, theirs = ([line.rstrip() for line in text.strip().splitlines()] for text in (printed, expected))
    if ours == theirs or not tolerance:
        return ours == theirs
    return len(ours) == len(theirs) and all(
        len(a.split()) == len(b.split())
        and all(_same_word(x, y, tolerance) for x, y in zip(a.split(), b.split(), strict=True))
        for a, b in zip(ours, theirs, strict=True)
    )


def _same_word(word: str, expected: str, tolerance: float) -> bool:
    if word == expected:
        return True
    try:
        return math.isclose(float(word), float(expected), rel_tol=tolerance, abs_tol=tolerance)
    except ValueError:
        return False


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
