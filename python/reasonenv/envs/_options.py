"""What `reset(options=...)` takes."""

from collections.abc import Mapping
from typing import Any

from reasonenv import _checks, _native

LARGEST_INDEX = 2**63 - 1
"""Indices stay within int64, so that they fit the arrays vector environments put them in."""


def checked_options(options: Mapping[str, Any] | None, *known: str) -> Mapping[str, Any]:
    """The options of a reset.

    Raises:
        InvalidArgument: They are no dict.
        UnknownName: There is a key among them that means nothing.
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
    """The number of an item or of an episode a caller asked for.

    Raises:
        InvalidArgument: It is no whole number, or out of bounds.
    """
    return _checks.whole(f'options["{name}"]', given, 0, most)
