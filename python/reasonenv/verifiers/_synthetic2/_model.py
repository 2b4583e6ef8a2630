"""Pydantic models read from their source by its syntax tree; nothing of it is run."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reasonenv.verifiers._synthetic2._annotations import (
    BUILTIN,
    CONSTRAINED,
    HARMLESS_CONFIG,
    MODULES,
    SCALARS,
    UnreadableError,
    bounded,
    bounds_of,
    constant,
    either,
    enumeration,
    expression,
    is_text,
    stripped,
    value_of,
)
from reasonenv.verifiers._synthetic2._types import (
    Constant,
    Field,
    Integer,
    ListType,
    Mapped,
    ModelType,
    Null,
    RejectedError,
    Text,
    Type,
)

_LONGEST = 1 << 16
_DEEPEST = 40
"""Limit of types within types."""


@dataclass(frozen=True)
class Model:
    """A model as a type."""

    type: ModelType

    def schema(self) -> dict[str, Any]:
        """Return the strict JSON schema."""
        return self.type.schema()

    def accepts(self, value: Any) -> bool:
        """True if Pydantic's lax mode accepts a value of JSON."""
        try:
            self.type.load(value)
        except RejectedError:
            return False
        return True


def read_model(source: str, name: str) -> Model:
    """Read a model from Python source.

    Raises:
        ValueError: The source cannot be read without running it; names the first obstacle.
    """
    if len(source) > _LONGEST:
        raise UnreadableError("`pydantic_config` is longer than 64 KiB")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadableError(f"`pydantic_config` is no Python: {error}") from None
    reader = _Reader(tree)
    try:
        kind = reader.named(name)
    except UnreadableError as error:
        raise UnreadableError(f"`pydantic_config` cannot be read without running it: {error}") from None
    except RecursionError:
        raise UnreadableError("`pydantic_config` is too deep") from None
    if not isinstance(kind, ModelType):
        raise UnreadableError(f"`pydantic_config` has no model `{name}`")
    return Model(kind)


class _Reader:
    """The statements of a module by the names that they define."""

    def __init__(self, tree: ast.Module) -> None:
        self._defined: dict[str, ast.ClassDef | ast.expr] = {}
        self._imported: dict[str, str] = {}
        self._known: dict[str, Type] = {}
        self._open: list[str] = []
        for statement in tree.body:
            self._define(statement)

    def _define(self, statement: ast.stmt) -> None:
        match statement:
            case ast.ClassDef():
                self._defined[statement.name] = statement
            case ast.ImportFrom(module=str(module), names=names, level=0):
                # An unknown module matters only where one of its names is used.
                known = module in MODULES
                self._imported |= {one.asname or one.name: one.name if known else "" for one in names}
            case ast.Import(names=names):
                self._imported |= {one.asname or one.name: one.name for one in names}
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._defined[name] = value
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="model_rebuild" | "update_forward_refs"))):
                pass
            case _:
                raise UnreadableError(
                    f"line {statement.lineno} of `pydantic_config` is neither an import nor a class"
                )

    def named(self, name: str) -> Type:
        """Return the type of a name."""
        if name in self._known:
            return self._known[name]
        defined = self._defined.get(name)
        if defined is None:
            called = self._imported.get(name, name if name in BUILTIN else "").rpartition(".")[2]
            if called in SCALARS:
                return SCALARS[called]
            raise UnreadableError(f"`{name}` is unknown")
        if name in self._open or len(self._open) > _DEEPEST:
            raise UnreadableError(f"`{name}` refers to itself")
        self._open.append(name)
        kind = self._class(defined) if isinstance(defined, ast.ClassDef) else self.type(defined)
        self._open.pop()
        self._known[name] = kind
        return kind

    def type(self, node: ast.expr) -> Type:  # noqa: PLR0911 - a case each
        """Return the type that an annotation says."""
        match node:
            case ast.Constant(value=None):
                return Null()
            case ast.Constant(value=str(text)):
                return self.type(expression(text))
            case ast.Name(id=name):
                return self.named(name)
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in self._imported:
                if self._imported[module] not in MODULES or name not in SCALARS:
                    raise UnreadableError(f"`{module}.{name}` is unknown")
                return SCALARS[name]
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return either([self.type(left), self.type(right)])
            case ast.Subscript(value=value, slice=inner):
                return self._generic(self._called(value), inner)
            case ast.Call(func=function) if self._called(function) in CONSTRAINED:
                return self._constrained(self._called(function), node)
        raise UnreadableError(f"the annotation `{ast.unparse(node)}`")

    def _called(self, node: ast.expr) -> str:
        """The imported or built-in name of an expression; "" for any other."""
        match node:
            case ast.Name(id=name) if name not in self._defined:
                return self._imported.get(name, name if name in BUILTIN else "").rpartition(".")[2]
            case ast.Attribute(value=ast.Name(id=module), attr=name) if self._imported.get(module) in MODULES:
                return name
        return ""

    def _generic(self, name: str, inner: ast.expr) -> Type:  # noqa: PLR0911 - a case each
        given = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        match name, len(given):
            case "Optional", 1:
                return either([self.type(inner), Null()])
            case "Union", _:
                return either([self.type(one) for one in given])
            case (("List" | "list" | "Sequence"), 1):
                return ListType(self.type(inner))
            case (("Set" | "set" | "FrozenSet" | "frozenset"), 1):
                item = self.type(inner)
                if not isinstance(item, Text | Integer | Constant):
                    raise UnreadableError("a set of anything but texts and whole numbers")
                return ListType(item, distinct=True)
            case (("Tuple" | "tuple"), _):
                if len(given) == 2 and isinstance(given[1], ast.Constant) and given[1].value is ...:
                    return ListType(self.type(given[0]))
                return ListType(places=tuple(self.type(one) for one in given))
            case (("Dict" | "dict" | "Mapping"), 2):
                key = self.type(given[0])
                if type(key) not in (Text, Integer, Constant, Type):
                    raise UnreadableError("keys that are neither texts nor whole numbers")
                return Mapped(key, self.type(given[1]))
            case "Literal", _:
                return constant([value_of(one) for one in given])
            case "Annotated", count if count > 1:
                kind = self.type(given[0])
                for one in given[1:]:
                    kind, _, _ = self._field(kind, one)
                return kind
        raise UnreadableError(f"`{name or ast.unparse(inner)}[…]` of {len(given)}")

    def _constrained(self, name: str, call: ast.Call) -> Type:
        named = {one.arg or "": one.value for one in call.keywords}
        if name == "conlist":
            item = call.args[0] if call.args else named.pop("item_type", None)
            if item is None:
                raise UnreadableError("a list without a type of items")
            return bounded(ListType(self.type(item)), bounds_of(named))
        strip = named.pop("strip_whitespace", None)
        base = Text(strip=bool(value_of(strip))) if name == "constr" and strip else SCALARS[CONSTRAINED[name]]
        if call.args:
            raise UnreadableError(f"`{ast.unparse(call)}`")
        return bounded(base, bounds_of(named))

    def _class(self, defined: ast.ClassDef) -> Type:
        bases = [base for base in defined.bases if self._called(base) != "Generic"]
        called = [self._called(base) for base in bases]
        if defined.keywords or defined.decorator_list:
            raise UnreadableError(f"the class `{defined.name}` has a decorator or keywords")
        if any(name in ("Enum", "StrEnum") for name in called):
            return enumeration(defined, called)
        fields: dict[str, Field] = {}
        config = {"extra": "ignore", "strip": "", "by_name": ""}
        for base, name in zip(bases, called, strict=True):
            parent = self.type(base) if name != "BaseModel" else ModelType(())
            if not isinstance(parent, ModelType):
                raise UnreadableError(f"the class `{defined.name}` is no model")
            fields |= {one.keys[-1]: one for one in parent.fields}
            config["extra"] = parent.extra
        if not bases:
            raise UnreadableError(f"the class `{defined.name}` is no model")
        body = [one for one in defined.body if not is_text(one)]
        for statement in body:
            config |= self._config(statement)
        for statement in body:
            for name, one in self._member(statement, config):
                fields[name] = one
        return ModelType(tuple(fields.values()), config["extra"])

    def _config(self, statement: ast.stmt) -> dict[str, str]:
        match statement:
            case ast.Assign(targets=[ast.Name(id="model_config")], value=ast.Call(args=[], keywords=given)):
                settings = {one.arg or "": one.value for one in given}
            case ast.Assign(targets=[ast.Name(id="model_config")], value=ast.Dict(keys=keys, values=values)):
                settings = {str(value_of(key)): one for key, one in zip(keys, values, strict=True) if key}
            case ast.ClassDef(name="Config", body=body):
                pairs = [one for one in body if isinstance(one, ast.Assign)]
                settings = {ast.unparse(one.targets[0]): one.value for one in pairs}
            case _:
                return {}
        found: dict[str, str] = {}
        for name, node in settings.items():
            if name == "extra":
                extra = node.attr if isinstance(node, ast.Attribute) else value_of(node)
                if extra not in ("ignore", "allow", "forbid"):
                    raise UnreadableError("`extra` of the configuration")
                found["extra"] = extra
            elif name in ("str_strip_whitespace", "anystr_strip_whitespace"):
                found["strip"] = "yes" if value_of(node) else ""
            elif name in ("populate_by_name", "allow_population_by_field_name"):
                found["by_name"] = "yes" if value_of(node) else ""
            elif name not in HARMLESS_CONFIG:
                raise UnreadableError(f"`{name}` of the configuration")
        return found

    def _member(self, statement: ast.stmt, config: Mapping[str, str]) -> Iterator[tuple[str, Field]]:
        match statement:
            case ast.Pass() | ast.ClassDef(name="Config"):
                return
            case ast.Assign(targets=[ast.Name(id="model_config")]):
                return
            case ast.FunctionDef(name=name, decorator_list=decorators):
                if name.startswith("__") or name == "model_post_init":
                    raise UnreadableError(f"the method `{name}`")
                allowed = ("property", "staticmethod", "classmethod", "computed_field")
                for one in decorators:
                    if not isinstance(one, ast.Name) or one.id not in allowed:
                        raise UnreadableError(f"`{name}` is a validator, which is code")
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=default):
                said = ast.unparse(annotation)
                if name.startswith("_") or said.startswith(("ClassVar", "typing.ClassVar")):
                    return
                yield name, self._of(name, annotation, default, config)
            case _:
                raise UnreadableError(f"line {statement.lineno} in a class")

    def _of(
        self, name: str, annotation: ast.expr, default: ast.expr | None, config: Mapping[str, str]
    ) -> Field:
        kind, required, alias = self.type(annotation), default is None, None
        if isinstance(annotation, ast.Subscript) and self._called(annotation.value) == "Annotated":
            parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else []
            for part in parts[1:]:
                _, lacks, found = self._field(Type(), part, keeps=True)
                required, alias = required and lacks, found or alias
        if default is not None and isinstance(default, ast.Call):
            if self._called(default.func) != "Field":
                raise UnreadableError(f"the default of `{name}`")
            kind, required, alias = self._field(kind, default)
        if isinstance(default, ast.Constant) and default.value is ...:
            required = True
        if config["strip"]:
            kind = stripped(kind)
        keys = (alias, name) if alias and config["by_name"] else (alias or name,)
        return Field(tuple(dict.fromkeys(keys)), kind, required)

    def _field(self, kind: Type, node: ast.expr, *, keeps: bool = False) -> tuple[Type, bool, str | None]:
        """Return a type with the bounds of `Field(…)`, the need of a value, and the alias."""
        if not isinstance(node, ast.Call):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                return kind, True, None
            raise UnreadableError(f"`{ast.unparse(node)}` of `Annotated`")
        name = self._called(node.func)
        named = {one.arg or "": one.value for one in node.keywords}
        if name == "StringConstraints":
            strip = named.pop("strip_whitespace", None)
            kind = stripped(kind) if strip is not None and value_of(strip) else kind
        elif name != "Field":
            raise UnreadableError(f"`{ast.unparse(node.func)}`")
        default = node.args[0] if node.args else named.pop("default", None)
        given = default is not None and not (isinstance(default, ast.Constant) and default.value is ...)
        required = not given and named.pop("default_factory", None) is None
        alias = named.pop("validation_alias", None) or named.pop("alias", None)
        named.pop("alias", None)
        called = None if alias is None else value_of(alias)
        if not isinstance(called, str | None):
            raise UnreadableError("an alias that is no text")
        bounds = bounds_of(named)
        return (kind if keeps else bounded(kind, bounds)), required, called
