"""The types of a Pydantic model, as JSON schemas and by Pydantic's lax rules, without Pydantic.

A type's schema is strict: a string never passes as a number. `load` converts as Pydantic's lax mode does,
where `"5"` is a whole number.
"""

import json
import math
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reasonenv._native import Verifier
from reasonenv.verifiers._synthetic2._moments import matches


class RejectedError(Exception):
    """A value breaks a rule."""


def _require(holds: bool) -> None:
    if not holds:
        raise RejectedError


class Type:
    """Any value."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema."""
        return {}

    def load(self, value: Any) -> Any:
        """Convert a value of JSON.

        Raises:
            RejectedError: The type refuses it.
        """
        return value


class Null(Type):
    """None alone."""

    def schema(self) -> dict[str, Any]:
        return {"type": "null"}

    def load(self, value: Any) -> Any:
        _require(value is None)


class Boolean(Type):
    """Truth values and their common spellings."""

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def load(self, value: Any) -> Any:
        if isinstance(value, str):
            word = value.lower()
            _require(word in _TRUE or word in _FALSE)
            return word in _TRUE
        _require(isinstance(value, int | float) and value in (0, 1))
        return bool(value)


_TRUE, _FALSE = ("1", "on", "t", "true", "y", "yes"), ("0", "off", "f", "false", "n", "no")
_DIGITS = re.compile(r"[+-]?[0-9]+(?:_[0-9]+)*(?:\.0+)?")
_MOST_DIGITS = 4300


class Integer(Type):
    """Whole numbers, and texts and fractions that are whole."""

    def schema(self) -> dict[str, Any]:
        return {"type": "integer"}

    def load(self, value: Any) -> Any:
        if isinstance(value, str):
            text = value.strip()
            _require(len(text) <= _MOST_DIGITS and _DIGITS.fullmatch(text) is not None)
            return int(text.partition(".")[0])
        if isinstance(value, float):
            _require(value.is_integer() and abs(value) < 2**63)
        _require(isinstance(value, int | float))
        return int(value)


_DECIMAL = r"[0-9]+(?:_[0-9]+)*"
_FLOAT = re.compile(rf"[+-]?(?:{_DECIMAL}(?:\.(?:{_DECIMAL})?)?|\.{_DECIMAL})(?:[eE][+-]?[0-9]+)?")
_SPECIAL = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)


class Float(Type):
    """Numbers, and texts that are numbers."""

    def schema(self) -> dict[str, Any]:
        return {"type": "number"}

    def load(self, value: Any) -> Any:
        if isinstance(value, str):
            text = value.strip()
            _require(bool(_FLOAT.fullmatch(text) or _SPECIAL.fullmatch(text)))
            return float(text)
        _require(isinstance(value, int | float))
        try:
            return float(value)
        except OverflowError:
            raise RejectedError from None


@dataclass(frozen=True)
class Text(Type):
    """Texts."""

    strip: bool = False

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}

    def load(self, value: Any) -> Any:
        _require(isinstance(value, str))
        return value.strip() if self.strip else value


@dataclass(frozen=True)
class Moment(Type):
    """Dates, times and identifiers, written as texts."""

    name: str

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}

    def load(self, value: Any) -> Any:
        _require(matches(self.name, value))
        return value


@dataclass(frozen=True)
class Constant(Type):
    """One of several values, of a `Literal` or an enumeration."""

    values: tuple[Any, ...]

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.values)}

    def load(self, value: Any) -> Any:
        _require(not isinstance(value, list | dict) and value in self.values)
        return value


@dataclass(frozen=True)
class ListType(Type):
    """Lists; a tuple has a type for each place, a set counts equal items once."""

    item: Type = field(default_factory=Type)
    places: tuple[Type, ...] | None = None
    distinct: bool = False

    def schema(self) -> dict[str, Any]:
        if self.places is None:
            return {"type": "array", "items": self.item.schema()}
        count = len(self.places)
        fixed = {"prefixItems": [one.schema() for one in self.places]} if count else {}
        return {"type": "array", **fixed, "minItems": count, "maxItems": count}

    def load(self, value: Any) -> Any:
        _require(isinstance(value, list))
        if self.places is not None:
            _require(len(value) == len(self.places))
            return [kind.load(one) for kind, one in zip(self.places, value, strict=True)]
        loaded = [self.item.load(one) for one in value]
        return set(loaded) if self.distinct else loaded


@dataclass(frozen=True)
class Mapped(Type):
    """Objects with values of one type; keys are texts that the type of keys converts."""

    key: Type = field(default_factory=Type)
    value: Type = field(default_factory=Type)

    def schema(self) -> dict[str, Any]:
        keys = self.key.schema()
        named = {"propertyNames": keys} if isinstance(self.key, Constant) else {}
        return {"type": "object", "additionalProperties": self.value.schema(), **named}

    def load(self, value: Any) -> Any:
        _require(isinstance(value, dict))
        return {self.key.load(key): self.value.load(one) for key, one in value.items()}


@dataclass(frozen=True)
class Either(Type):
    """Any of several types."""

    members: tuple[Type, ...]

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [one.schema() for one in self.members]}

    def load(self, value: Any) -> Any:
        for member in self.members:
            try:
                return member.load(value)
            except RejectedError:
                continue
        raise RejectedError


_KEYWORDS = {
    "gt": "exclusiveMinimum",
    "ge": "minimum",
    "lt": "exclusiveMaximum",
    "le": "maximum",
    "multiple_of": "multipleOf",
}
_LENGTHS = {
    ListType: ("minItems", "maxItems"),
    Mapped: ("minProperties", "maxProperties"),
    Text: ("minLength", "maxLength"),
}


@dataclass(frozen=True)
class Bounded(Type):
    """A type with bounds."""

    base: Type
    bounds: Mapping[str, Any]

    def __post_init__(self) -> None:
        numeric = isinstance(self.base, Integer | Float)
        for name, bound in self.bounds.items():
            fits = (
                numeric
                if name in _KEYWORDS
                else isinstance(self.base, Text if name == "pattern" else tuple(_LENGTHS))
            )
            if not fits:
                raise ValueError(f"`{name}` is no bound of this type")
            if name in _KEYWORDS and not (isinstance(bound, int | float) and math.isfinite(bound)):
                raise ValueError(f"`{name}` must be a number")
            if name in ("min_length", "max_length") and (not isinstance(bound, int) or bound < 0):
                raise ValueError(f"`{name}` must be a whole number")
        if self.bounds.get("multiple_of", 1) <= 0:
            raise ValueError("`multiple_of` must be above 0")
        if "pattern" in self.bounds:
            for _, reason in Verifier("json_schema", tag=None).check([self._pattern]):
                raise ValueError(reason)

    @property
    def _pattern(self) -> str:
        return json.dumps({"pattern": self.bounds["pattern"]})

    def schema(self) -> dict[str, Any]:
        schema = dict(self.base.schema())
        low, high = next((names for kind, names in _LENGTHS.items() if isinstance(self.base, kind)), ("", ""))
        names = {**_KEYWORDS, "min_length": low, "max_length": high, "pattern": "pattern"}
        return schema | {names[name]: bound for name, bound in self.bounds.items() if name in names}

    def load(self, value: Any) -> Any:
        loaded = self.base.load(value)
        for name, bound in self.bounds.items():
            _require(self._holds(name, loaded, bound))
        return loaded

    def _holds(self, name: str, value: Any, bound: Any) -> bool:
        if name == "pattern":
            judge = Verifier("json_schema", tag=None)
            return bool(judge([json.dumps(value)], [self._pattern]).passed[0])
        if name == "multiple_of":
            return _is_multiple(value, bound)
        return bool(_COMPARE[name](len(value) if name.endswith("_length") else value, bound))


_COMPARE = {
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "min_length": operator.ge,
    "max_length": operator.le,
}


def _is_multiple(value: float, of: float) -> bool:
    if isinstance(value, int) and isinstance(of, int):
        return value % of == 0
    rest = math.fmod(value, of)
    near = abs(value) / 1e9
    return abs(rest) <= near or abs(abs(rest) - of) <= near


@dataclass(frozen=True)
class Field:
    """A field of a model."""

    keys: tuple[str, ...]
    """Names under which a value may stand, in order."""
    type: Type
    required: bool


@dataclass(frozen=True)
class ModelType(Type):
    """A model: an object with fields."""

    fields: tuple[Field, ...]
    extra: str = "ignore"

    def schema(self) -> dict[str, Any]:
        properties = {key: one.type.schema() for one in self.fields for key in one.keys}
        required = [one.keys[0] for one in self.fields if one.required and len(one.keys) == 1]
        several = [
            {"anyOf": [{"required": [key]} for key in one.keys]}
            for one in self.fields
            if one.required and len(one.keys) > 1
        ]
        schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
        if several:
            schema["allOf"] = several
        if self.extra == "forbid":
            schema["additionalProperties"] = False
        return schema

    def load(self, value: Any) -> Any:
        _require(isinstance(value, dict))
        loaded = {}
        for one in self.fields:
            key = next((key for key in one.keys if key in value), None)
            _require(key is not None or not one.required)
            if key is not None:
                loaded[key] = one.type.load(value[key])
        _require(self.extra != "forbid" or loaded.keys() == value.keys())
        return loaded
