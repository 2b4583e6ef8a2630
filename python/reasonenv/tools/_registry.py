"""The tools of the package by name, and tools from whatever a caller names."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, Final, Literal, TypeAlias, get_args

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.tools._tool import Tool, from_function

ToolName = Literal["calculator", "interpreter", "notebook", "python", "search", "sql", "wiki"]
"""Name of a tool of the package."""

ToolLike: TypeAlias = ToolName | Mapping[str, Any] | Callable[..., Any] | Tool
"""A tool: its name, a mapping of `name` and its options, a typed function with a docstring, or a `Tool`."""

TOOLS: Final[tuple[ToolName, ...]] = get_args(ToolName)


def list_tools() -> list[ToolName]:
    """Return the names of the package's tools."""
    return list(TOOLS)


def as_tool(given: ToolLike, **options: Any) -> Tool:
    """Make a tool from its name, from a mapping of its name and options, or from a function.

    Args:
        given: The name of a tool of the package, a mapping with `name` and the options, a function with types
            and a docstring, or a `Tool`, which is returned unchanged.
        **options: Options of a tool of the package.

    Raises:
        UnknownName: The package has no such tool, or the tool has no such option.
        InvalidArgument: The function has no docstring, a parameter's type has no JSON schema, or an option is
            invalid.
        ReasonEnvError: The tool needs an extra that is not installed; names it.
    """
    if isinstance(given, Mapping):
        if not isinstance(given.get("name"), str) or not all(isinstance(name, str) for name in given):
            msg = f"a tool is {_checks.shown(given)}, but must have a `name` beside its options"
            raise InvalidArgument(msg)
        options = {name: value for name, value in given.items() if name != "name"} | options
        given = given["name"]
    if isinstance(given, str):
        return _by_name(given, options)
    if options:
        msg = f"the tool {_checks.shown(given)} takes no options, but `{next(iter(options))}` is given"
        raise InvalidArgument(msg)
    return given if isinstance(given, Tool) else from_function(given)


def _by_name(name: str, options: Mapping[str, Any]) -> Tool:
    if name not in TOOLS:
        raise _checks.unknown("tool", name, TOOLS)
    module = import_module(f"reasonenv.tools._{name}")
    make = getattr(module, "make", None)
    known = {} if make is None else inspect.signature(make).parameters
    for option in options:
        if option not in known:
            raise _checks.no_argument(f"tool `{name}`", option, known)
    for option, parameter in known.items():
        if parameter.default is parameter.empty and option not in options:
            msg = f"the tool `{name}` needs the option `{option}`; give {{'name': {name!r}, {option!r}: ...}}"
            raise InvalidArgument(msg)
    made: Tool = from_function(getattr(module, name)) if make is None else make(**options)
    return made


def tools_of(given: object) -> dict[str, Tool]:
    """The tools of an argument by name.

    Raises:
        ReasonEnvError: The argument isn't one or more tools, or two have the same name.
    """
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        msg = f"`tools` is {_checks.shown(given)}, but must be several tools: names or functions"
        raise InvalidArgument(msg)
    found: dict[str, Tool] = {}
    for one in given:
        tool = as_tool(one)
        if tool.name in found:
            raise InvalidArgument(f"two tools are called `{tool.name}`; rename one")
        found[tool.name] = tool
    if not found:
        raise InvalidArgument("`tools` is empty, but must have one or more")
    return found
