"""Options of `reset(options=...)`."""

from collections.abc import Mapping
from typing import Any

from reasonenv import _checks, _native

LARGEST_INDEX = 2**63 - 1
"""Indices stay within int64, so that they fit the arrays of vector environments."""


def checked_options(options: Mapping[str, Any] | None, *known: str) -> Mapping[str, Any]:
    """Options of a reset.

    Raises:
        InvalidArgument: They aren't a dict.
        UnknownName: A key is unknown.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        msg = f"`options` is {_checks.shown(options)}, but must be a dict or None"
        raise _native.InvalidArgument(msg)
    for key in options:
        if key not in known:
            raise _checks.unknown("option", key, known)
    return options


def checked_option(name: str, given: Any, most: int = LARGEST_INDEX) -> int:
    """Number of an item or episode that a caller asked for.

    Raises:
        InvalidArgument: It isn't a whole number, or is out of bounds.
    """
    return _checks.whole(f'options["{name}"]', given, 0, most)
