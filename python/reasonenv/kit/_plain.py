"""Conversion of dataclasses to plain data for JSON and back, checked against the types of their fields."""

import dataclasses
import functools
import json
import math
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin

from reasonenv import _checks


def to_json(value: Any) -> str:
    """Write a value as JSON, with the fields of dataclasses in their order.

    Raises:
        ValueError: The value is not plain data; says where.
    """
    return json.dumps(as_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def canonical(value: Any) -> str:
    """Write a value as JSON with sorted keys: equal texts for equal values."""
    plain = as_plain(value)
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)


def from_json(text: str, kind: Any) -> Any:
    """Read the output of `to_json` as a value of a type; None accepts any plain data.

    Raises:
        ValueError: The value has another type; names the field.
    """
    given = json.loads(text)
    return given if kind is None else as_typed(given, kind)


def as_plain(value: Any, where: str = "") -> Any:  # noqa: PLR0911  a case for each type
    """Convert a value to JSON types: dataclasses by their arguments, tuples as lists, NumPy's numbers.

    Args:
        value: Any value.
        where: Name of the value in errors.

    Raises:
        ValueError: The value is not plain data; says where.
    """
    if value is None or isinstance(value, bool | str):
        if isinstance(value, str):
            _checks.text(where or "a text", value)
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            msg = f"{_named(where)} is {value}, but must be a finite number"
            raise ValueError(msg)
        return float(value)
    if hasattr(value, "dtype") and hasattr(value, "tolist"):  # a scalar or an array of NumPy
        return as_plain(value.tolist(), where)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        return {name: as_plain(getattr(value, name), _join(where, name)) for name in names}
    if isinstance(value, Mapping):
        wrong = [name for name in value if not isinstance(name, str)]
        if wrong:
            msg = f"{_named(where)} has the key {_checks.shown(wrong[0])}, but keys must be text"
            raise ValueError(msg)
        return {name: as_plain(item, _join(where, name)) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(item, f"{where}[{at}]") for at, item in enumerate(value)]
    msg = (
        f"{_named(where)} is {_checks.shown(value)}, but must be plain data: numbers, text, "
        "True, False, None, "
        "lists, tuples, dicts with text as keys, and dataclasses of these"
    )
    raise ValueError(msg)


@functools.cache
def _fields(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind) if field.init}


_SIMPLE: dict[Any, str] = {bool: "True or False", int: "a whole number", str: "text", type(None): "null"}


def as_typed(given: Any, kind: Any, where: str = "") -> Any:  # noqa: PLR0911, PLR0912  a case for each type
    """Convert the output of `as_plain` back to a value of its type.

    Args:
        given: Data read from JSON.
        kind: Type of the value.
        where: Name of the value in errors.

    Raises:
        ValueError: The data has another type; names the field.
        TypeError: JSON cannot represent the type.
    """
    if kind is Any:
        return given
    if kind is None:
        kind = type(None)
    if kind in _SIMPLE:
        if type(given) is kind:
            return given
        raise _misfit(given, _SIMPLE[kind], where)
    if kind is float:
        if type(given) in (int, float):
            return float(given)
        raise _misfit(given, "a number", where)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(given, kind, where)
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin is Literal:
        if any(type(given) is type(one) and given == one for one in inner):
            return given
        raise _misfit(given, f"one of {', '.join(map(repr, inner))}", where)
    if origin in (Union, types.UnionType):
        for one in inner:
            try:
                return as_typed(given, one, where)
            except ValueError:
                continue
        raise _misfit(given, str(kind), where)
    if origin in (list, tuple) and not isinstance(given, list):
        raise _misfit(given, "a list", where)
    if origin is list:
        item = inner[0] if inner else Any
        return [as_typed(one, item, f"{where}[{at}]") for at, one in enumerate(given)]
    if origin is tuple:
        if not inner or inner[-1] is Ellipsis:
            item = inner[0] if inner else Any
            return tuple(as_typed(one, item, f"{where}[{at}]") for at, one in enumerate(given))
        if len(given) != len(inner):
            raise _misfit(given, f"a list of {len(inner)}", where)
        pairs = enumerate(zip(given, inner, strict=True))
        return tuple(as_typed(one, item, f"{where}[{at}]") for at, (one, item) in pairs)
    if origin in (dict, Mapping):
        if not isinstance(given, dict):
            raise _misfit(given, "an object", where)
        item = inner[1] if inner else Any
        return {name: as_typed(one, item, _join(where, name)) for name, one in given.items()}
    msg = (
        f"{_named(where)} is declared as {kind}, but must be of a type that JSON has: int, float, bool, str, "
        "None, list, tuple, dict, Literal, or a dataclass of these"
    )
    raise TypeError(msg)


def _dataclass(given: Any, kind: type, where: str) -> Any:
    if not isinstance(given, dict):
        raise _misfit(given, "an object", where)
    fields = _fields(kind)
    for name in given:
        if name not in fields:
            msg = f"no field {_named(_join(where, name))}; there are {', '.join(fields)}"
            raise ValueError(msg)
    for name in fields:
        if name not in given:
            msg = f"{_named(_join(where, name))} is missing"
            raise ValueError(msg)
    return kind(**{name: as_typed(given[name], hint, _join(where, name)) for name, hint in fields.items()})


def _join(where: str, name: str) -> str:
    return f"{where}.{name[:60]}" if where else name[:60]


def _named(where: str) -> str:
    return f"`{where}`" if where else "the whole"


def _misfit(given: Any, must: str, where: str) -> ValueError:
    return ValueError(f"{_named(where)} is {_checks.shown(given)}, but must be {must}")
