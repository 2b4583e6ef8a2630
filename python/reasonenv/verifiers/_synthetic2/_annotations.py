"""Parts of models: known types, bounds, constants and enumerations."""

import ast
from collections.abc import Mapping
from typing import Any

from reasonenv.verifiers._synthetic2 import _moments
from reasonenv.verifiers._synthetic2._types import (
    Boolean,
    Bounded,
    Constant,
    Either,
    Float,
    Integer,
    ListType,
    Mapped,
    Moment,
    Null,
    Text,
    Type,
)


class UnreadableError(ValueError):
    """Something that cannot be read without running it."""


SCALARS: dict[str, Type] = {
    "str": Text(),
    "int": Integer(),
    "float": Float(),
    "bool": Boolean(),
    "Any": Type(),
    "object": Type(),
    "None": Null(),
    "NoneType": Null(),
    "list": ListType(),
    "List": ListType(),
    "Sequence": ListType(),
    "dict": Mapped(Text()),
    "Dict": Mapped(Text()),
    "PositiveInt": Bounded(Integer(), {"gt": 0}),
    "NonNegativeInt": Bounded(Integer(), {"ge": 0}),
    "NegativeInt": Bounded(Integer(), {"lt": 0}),
    "NonPositiveInt": Bounded(Integer(), {"le": 0}),
    "PositiveFloat": Bounded(Float(), {"gt": 0}),
    "NonNegativeFloat": Bounded(Float(), {"ge": 0}),
    "NegativeFloat": Bounded(Float(), {"lt": 0}),
    "NonPositiveFloat": Bounded(Float(), {"le": 0}),
    **{name: Moment(name) for name in _moments.NAMES},
}
CONSTRAINED = {"constr": "str", "conint": "int", "confloat": "float", "conlist": "list"}
_BOUNDS = {
    "gt": "gt", "ge": "ge", "lt": "lt", "le": "le", "multiple_of": "multiple_of", "min_length": "min_length",
    "max_length": "max_length", "min_items": "min_length", "max_items": "max_length", "pattern": "pattern",
}  # fmt: skip
_HARMLESS = {
    "description", "title", "examples", "example", "json_schema_extra", "deprecated", "repr", "frozen",
    "exclude",
    "serialization_alias", "kw_only", "init",
}  # fmt: skip
HARMLESS_CONFIG = {
    "title",
    "json_schema_extra",
    "validate_assignment",
    "arbitrary_types_allowed",
    "frozen",
    "use_enum_values",
    "json_encoders",
    "from_attributes",
    "orm_mode",
    "schema_extra",
    "protected_namespaces",
    "ser_json_timedelta",
}
MODULES = {
    "__future__",
    "collections.abc",
    "datetime",
    "enum",
    "pydantic",
    "typing",
    "typing_extensions",
    "uuid",
}
BUILTIN = {"str", "int", "float", "bool", "object", "None", "list", "dict", "set", "frozenset", "tuple"}


def expression(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnreadableError(f"the annotation {text!r}") from None


def is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def value_of(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise UnreadableError(f"`{ast.unparse(node)}` is no constant") from None


def bounds_of(named: Mapping[str, ast.expr]) -> dict[str, Any]:
    found = {}
    for name, node in named.items():
        if name in _BOUNDS:
            value = value_of(node)
            if value is not None:
                found[_BOUNDS[name]] = value
        elif name not in _HARMLESS:
            raise UnreadableError(f"`{name}=`")
    return found


def bounded(kind: Type, bounds: dict[str, Any]) -> Type:
    if not bounds:
        return kind
    if isinstance(kind, Either):
        inner = [one for one in kind.members if not isinstance(one, Null)]
        if len(inner) != 1 or len(kind.members) == 1:
            raise UnreadableError("bounds of a union")
        return Either((bounded(inner[0], bounds), Null()))
    if isinstance(kind, Bounded):
        if kind.bounds.keys() & bounds.keys():
            raise UnreadableError("a bound given twice")
        return bounded(kind.base, {**kind.bounds, **bounds})
    try:
        return Bounded(kind, bounds)
    except (TypeError, ValueError) as error:
        raise UnreadableError(str(error)) from None


def stripped(kind: Type) -> Type:
    match kind:
        case Text():
            return Text(strip=True)
        case Bounded(base=Text()):
            return Bounded(Text(strip=True), kind.bounds)
        case Either():
            return Either(tuple(stripped(one) for one in kind.members))
        case ListType(places=None):
            return ListType(stripped(kind.item), None, kind.distinct)
    return kind


def either(kinds: list[Type]) -> Type:
    members: list[Type] = []
    for kind in kinds:
        members += kind.members if isinstance(kind, Either) else [kind]
    return Either(tuple(members))


def constant(values: list[Any]) -> Constant:
    for value in values:
        if not isinstance(value, str | int | None):
            raise UnreadableError("a constant that is neither a text nor a whole number")
    return Constant(tuple(values))


def enumeration(defined: ast.ClassDef, bases: list[str]) -> Constant:
    values = []
    for statement in defined.body:
        match statement:
            case ast.Assign(targets=[ast.Name()], value=value):
                values.append(value_of(value))
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                continue
            case _:
                raise UnreadableError(f"line {statement.lineno} in the enumeration `{defined.name}`")
    if not all(isinstance(value, str) for value in values) or not set(bases) <= {"str", "Enum", "StrEnum"}:
        raise UnreadableError(f"the enumeration `{defined.name}` has values that are no texts")
    return constant(values)
