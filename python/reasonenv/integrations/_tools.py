"""Tools by name: the one place where `turns="tools"` finds them."""

from collections.abc import Callable, Mapping
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.envs import wrappers

TOOLS: Mapping[str, Callable[..., Any]] = {
    "calculator": wrappers.calculator,
    "interpreter": wrappers.interpreter,
    "notebook": wrappers.notebook,
}
"""Tools without settings."""

DEFAULT = ("calculator", "notebook")


def named_tools(names: object = None) -> list[Callable[..., Any]]:
    """Return tools by name; "wiki" or "wiki:SEED" is the search of the encyclopedia with that seed.

    Raises:
        ReasonEnvError: They are not names, or there is no such tool.
    """
    given = DEFAULT if names is None else names
    if isinstance(given, str):
        given = [name.strip() for name in given.split(",")]
    if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
        raise InvalidArgument(f"`tools` is {_checks.shown(given)}, but must be names of tools")
    return [_tool(name) for name in given]


def _tool(name: str) -> Callable[..., Any]:
    kind, _, seed = name.partition(":")
    if kind == "wiki" and (not seed or seed.isdecimal()):
        return wrappers.Wiki(seed=int(seed or 0)).search
    if name not in TOOLS:
        raise _checks.unknown("tool", name, [*TOOLS, "wiki", "wiki:SEED"])
    return TOOLS[name]
