"""Settings of environments. Rust declares their names, defaults, bounds and docs."""

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from reasonenv import _checks, _native

Class = TypeVar("Class", bound=type)


@cache
def fields(of: str) -> Mapping[str, Any]:
    """Settings of one thing by name, each with its JSON schema."""
    found: dict[str, Any] = _native.settings_schema(of)["properties"]
    return found


def settled(given: Mapping[str, Any], *of: str, taker: Callable[..., Any] | None = None) -> dict[str, Any]:
    """All settings of several things: the given values, and defaults for the rest.

    Args:
        given: The given values, by name.
        *of: Things that have the settings.
        taker: Class whose constructor took them, to suggest any of its arguments.

    Raises:
        UnknownName: A name is not a setting of any of them; suggests the nearest.
        InvalidArgument: A value has the wrong type or is out of bounds.
    """
    known = [name for each in of for name in fields(each)]
    for name in given.keys() - set(known):
        others = list(inspect.signature(taker).parameters) if taker else known
        raise _checks.unknown("argument", name, [one for one in others if one != "settings"])
    settings: dict[str, Any] = {}
    for each in of:
        own = {name: given[name] for name in fields(each).keys() & given.keys()}
        settings |= _native._settings(each, own)
    return settings


def takes(*of: str) -> Callable[[Class], Class]:
    """Add settings to the signature and the docstring of a class that takes them as `**settings`."""

    def with_settings(made: Class) -> Class:
        constructor: Any = made.__init__  # type: ignore[misc]  # of the class itself, not an instance
        signature = inspect.signature(constructor)
        own = [one for one in signature.parameters.values() if one.name != "settings"]
        taken = {one.name for one in own}
        schemas = {name: field for each in of for name, field in fields(each).items()}
        named = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=schema["default"])
            for name, schema in schemas.items()
            if name not in taken
        ]
        rest = [one for one in own if one.kind is one.VAR_KEYWORD]
        own = [one for one in own if one.kind is not one.VAR_KEYWORD]
        constructor.__signature__ = signature.replace(parameters=[*own, *named, *rest])
        lines = "".join(
            f"    {name}: {' '.join(schema['description'].split())}\n" for name, schema in schemas.items()
        )
        doc = inspect.cleandoc(made.__doc__ or "")
        made.__doc__ = doc.replace("\n\nRaises:", f"\n{lines}\nRaises:", 1)
        return made

    return with_settings
