"""A tool: a typed Python function, whose schema follows from its signature and docstring."""

import inspect
import json
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Union, get_args, get_origin

from reasonenv import _checks
from reasonenv._native import InvalidArgument, ReasonEnvError

_SIMPLE: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


class ToolError(ReasonEnvError):
    """Error of a tool that cannot do what a call asks for; the policy receives the message."""


@dataclass
class ToolContext:
    """Access of a tool to the episode: a parameter of this type is not an argument of a call."""

    task: Any
    memory: dict[str, Any] = field(default_factory=dict)
    """Memory of the tools in this episode: plain data, fit for JSON."""


@dataclass(frozen=True)
class Tool:
    """A function that a policy can call."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""
    function: Callable[..., Any]
    context: str | None = None
    """Name of the parameter that receives the `ToolContext`."""
    longest: int = 4000
    """Maximum number of characters of a result; longer ones are cut."""

    @property
    def schema(self) -> dict[str, Any]:
        """The tool in the form of OpenAI's API."""
        about = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": about}

    def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Result of the function for a call's arguments, as text; a long one is cut and says so.

        Raises:
            ToolError: The arguments don't match the schema, or the function refuses them.
            Exception: Any other exception of the function: a bug in it, not in the call.
        """
        known = self.parameters["properties"]
        for name in arguments:
            if name not in known:
                there = f"there are {', '.join(known)}" if known else "it takes none"
                raise ToolError(f"{self.name} has no argument `{name}`; {there}")
        for name in self.parameters["required"]:
            if name not in arguments:
                raise ToolError(f"{self.name} needs the argument `{name}`")
        for name, value in arguments.items():
            if not _fits(value, known[name]):
                must = known[name].get("enum") or known[name].get("type")
                raise ToolError(f"`{name}` is {_checks.shown(value)}, but must be {_said(must)}")
        extra = {} if self.context is None else {self.context: context}
        given = self.function(**arguments, **extra)
        return self._shown(given)

    def _shown(self, given: object) -> str:
        """A result as text that any encoder takes."""
        if not isinstance(given, str):
            try:
                given = json.dumps(given, ensure_ascii=False)
            except (TypeError, ValueError, RecursionError):
                msg = f"the tool `{self.name}` gave {_checks.shown(given)}, but must give text or plain data"
                raise InvalidArgument(msg) from None
        text = given.encode("utf-8", "replace").decode()
        if len(text) <= self.longest:
            return text
        return f"{text[: self.longest]}\n[cut: {self.longest} of {len(text)} characters are shown]"


def from_function(given: object) -> Tool:
    """A tool from a function with types and a docstring.

    Raises:
        InvalidArgument: It isn't a function, has no docstring, or a parameter's type has no JSON schema.
    """
    name = getattr(given, "__name__", None)
    if not callable(given) or name is None or _NAME.fullmatch(name) is None:
        must = "must be a name, a function with a name, or a `Tool`"
        msg = f"a tool is {_checks.shown(given)}, but {must}"
        raise InvalidArgument(msg)
    doc = inspect.getdoc(given)
    if not doc:
        raise InvalidArgument(f"the tool `{name}` has no docstring, but needs one that says what it does")
    hints = typing.get_type_hints(given)
    told, context = _documented(doc), None
    properties: dict[str, Any] = {}
    required = []
    for parameter in inspect.signature(given).parameters.values():
        hint = hints.get(parameter.name)
        if hint is ToolContext:
            context = parameter.name
            continue
        by_name = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        schema = _schema(hint) if by_name else None
        if schema is None:
            must = (
                "must be str, int, float, bool, a Literal, a list or dict of these, or one of these or None"
            )
            msg = f"`{parameter.name}` of the tool `{name}` is a {_checks.shown(hint)}, but {must}"
            raise InvalidArgument(msg)
        if parameter.name in told:
            schema["description"] = told[parameter.name]
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        properties[parameter.name] = schema
    parameters = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    about = " ".join(re.split(r"\n\w+:\n", doc)[0].split())
    return Tool(name, about, parameters, given, context)


def _schema(hint: Any) -> dict[str, Any] | None:
    """JSON schema of a type; None if it has none."""
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        kinds = {_SIMPLE.get(type(value)) for value in inner}
        kind = kinds.pop()
        return {"type": kind, "enum": list(inner)} if kind is not None and not kinds else None
    if origin is list and (items := _schema(inner[0])) is not None:
        return {"type": "array", "items": items}
    if origin is dict and inner[0] is str and (values := _schema(inner[1])) is not None:
        return {"type": "object", "additionalProperties": values}
    if origin in (Union, types.UnionType) and len(inner) == 2 and type(None) in inner:
        one = _schema(inner[0] if inner[1] is type(None) else inner[1])
        return None if one is None else one | {"nullable": True}
    return None


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """True if a value matches a schema that `_schema` made."""
    if value is None:
        return bool(schema.get("nullable"))
    if "enum" in schema:
        return any(type(value) is type(one) and value == one for one in schema["enum"])
    kind = schema["type"]
    if kind == "array":
        return isinstance(value, list) and all(_fits(item, schema["items"]) for item in value)
    if kind == "object":
        values = schema["additionalProperties"]
        return isinstance(value, dict) and all(_fits(item, values) for item in value.values())
    if kind == "number":
        return type(value) is int or (type(value) is float and math.isfinite(value))
    kinds: dict[str, type] = {"string": str, "integer": int, "boolean": bool}
    return type(value) is kinds[kind]


def _documented(doc: str) -> dict[str, str]:
    """Descriptions of the arguments in a Google-style docstring."""
    section = re.search(r"^Args:\n((?:[ \t]+.*\n?|\n)+)", doc, re.MULTILINE)
    told: dict[str, str] = {}
    last = None
    for line in section[1].splitlines() if section else ():
        entry = re.match(r" {4}(\w+)(?: \([^)]*\))?: (.+)", line)
        if entry is not None:
            last = entry[1]
            told[last] = entry[2].strip()
        elif last is not None and line.strip():
            told[last] += f" {line.strip()}"
    return told


def _said(must: object) -> str:
    if isinstance(must, list):
        return " or ".join(map(json.dumps, must))
    article = "an" if str(must)[0] in "aeio" else "a"
    return f"{article} {must}"
