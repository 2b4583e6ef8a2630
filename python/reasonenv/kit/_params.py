"""Params of a family or a game: a frozen dataclass, each field with its default, bounds, role and doc."""

import dataclasses
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from reasonenv import _checks
from reasonenv._native import InvalidArgument

T = TypeVar("T", bool, int, float, str)

ROLES = ("difficulty", "structure", "style")
"""Roles of a param: it decides how hard a task is, of which kind, or how it looks."""

_KEY = "reasonenv"
_TYPES: dict[Any, str] = {bool: "boolean", int: "integer", float: "number", str: "string"}


@dataclass(frozen=True)
class _Param:
    doc: str
    low: float | None
    high: float | None
    choices: tuple[Any, ...] | None
    role: str


def param(
    default: T,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[T] | None = None,
    role: str = "difficulty",
) -> T:
    """Declare a field of a params dataclass. Its type is that of its default.

    Args:
        default: Value unless a level or a caller gives another. Changing it changes no task of callers who
            name the param.
        doc: Meaning of the param, with its unit.
        low: Smallest value allowed.
        high: Largest value allowed.
        choices: All allowed values.
        role: "difficulty", "structure" or "style".
    """
    about = _Param(doc, low, high, None if choices is None else tuple(choices), role)
    made: T = dataclasses.field(default=default, metadata={_KEY: about})
    return made


def schema(kind: Any, owner: str) -> dict[str, Any]:
    """The JSON schema of params.

    Raises:
        InvalidArgument: The params are not declared properly; names the field.
    """
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        msg = f"`params` of {owner} is {_checks.shown(kind)}, but must be a dataclass with `kit.param` fields"
        raise InvalidArgument(msg)
    parameters: Any = kind
    if not parameters.__dataclass_params__.frozen:
        msg = f"`params` of {owner} is {kind.__name__}, but must be frozen: @dataclass(frozen=True)"
        raise InvalidArgument(msg)
    hints = typing.get_type_hints(kind)
    properties = {field.name: _field(field, hints[field.name], owner) for field in dataclasses.fields(kind)}
    return {
        "title": kind.__name__,
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def _field(field: "dataclasses.Field[Any]", hint: Any, owner: str) -> dict[str, Any]:
    name = f"params.{field.name}"
    about = field.metadata.get(_KEY)
    if not isinstance(about, _Param):
        msg = f"`{name}` of {owner} is a plain field, but must be given by `kit.param(default, doc, ...)`"
        raise InvalidArgument(msg)
    if hint not in _TYPES or type(field.default) is not hint:
        must = "its type must be bool, int, float or str, and that of its default"
        msg = f"`{name}` of {owner} is declared as {hint} with the default {field.default!r}, but {must}"
        raise InvalidArgument(msg)
    _checks.one_of(f"{name}.role", about.role, ROLES)
    made: dict[str, Any] = {
        "type": _TYPES[hint],
        "description": _checks.text(f"{name}.doc", about.doc),
        "default": field.default,
        "role": about.role,
    }
    if about.low is not None:
        made["minimum"] = about.low
    if about.high is not None:
        made["maximum"] = about.high
    if about.choices is not None:
        made["enum"] = list(about.choices)
    return made


def fields(given: Any) -> dict[str, Any]:
    """The params as plain data."""
    return dataclasses.asdict(given)


def check(name: str, given: Any, kind: type, known: dict[str, Any]) -> None:
    """Check params against their bounds.

    Raises:
        InvalidArgument: A field is out of bounds; names it.
    """
    if type(given) is not kind:
        msg = f"`{name}` is {_checks.shown(given)}, but must be a {kind.__name__}"
        raise InvalidArgument(msg)
    for field, value in fields(given).items():
        about = known["properties"][field]
        own = f"{name}.{field}"
        if "enum" in about:
            if value not in about["enum"]:
                raise _checks.not_one_of(own, value, about["enum"])
        elif about["type"] == "integer":
            _checks.whole(own, value)
        elif about["type"] == "number":
            _checks.number(own, value)
        elif about["type"] == "boolean":
            _checks.flag(own, value)
        else:
            _checks.text(own, value)
        low, high = about.get("minimum"), about.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            bounds = f"between {low} and {high}"
            if low is None or high is None:
                bounds = f"at most {high}" if low is None else f"at least {low}"
            msg = f"`{own}` is {value}, but must be {bounds}"
            raise InvalidArgument(msg)
