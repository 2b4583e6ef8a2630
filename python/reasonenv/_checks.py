"""Arguments held against what they must be: a mistake names the field, the value and what would be right."""

import difflib
import json
import math
import numbers
import operator
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reasonenv._native import InvalidArgument, UnknownName

LARGEST_SEED = 2**64 - 1
"""The largest seed."""

_MOST_LISTED = 24
"""The most names that an error lists; of more it gives a few."""

_FEW = 5

LARGEST_COUNT = 10**9
"""The most items, games and the like that are asked for at once; more is a slip of the keyboard."""


def shown(value: object) -> str:
    """A value as errors quote it: on one line, and not too long."""
    try:
        text = repr(value)
    except Exception:  # what has no repr, an integer of ten thousand digits among them
        text = f"a value of type {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def whole(name: str, value: object, least: int | None = None, most: int | None = None) -> int:
    """A whole number within bounds. NumPy's count as such; fractions and truth values do not."""
    given = _index(value)
    if given is not None and (least is None or least <= given) and (most is None or given <= most):
        return given
    bounds = "" if least is None else f"at least {least}"
    if least is not None and most is not None:
        bounds = f"between {least} and {_power(most)}"
    if given is None:
        bounds = f"a whole number {'of ' if bounds and most is None else ''}{bounds}".rstrip()
    msg = f"`{name}` is {shown(value)}, but must be {bounds}"
    raise InvalidArgument(msg)


def _power(most: int) -> str:
    """A bound as people know it: 2**64 - 1 rather than its twenty digits."""
    bits = most.bit_length()
    return f"2**{bits} - 1" if bits > 30 and most == 2**bits - 1 else str(most)


def _index(value: object) -> int | None:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return None
    try:
        return operator.index(value)
    except TypeError:  # an array of several numbers, for instance
        return None


def seed(name: str, value: object) -> int:
    """A seed: a whole number of 64 bits."""
    return whole(name, value, 0, LARGEST_SEED)


def number(name: str, value: object, least: float | None = None, most: float | None = None) -> float:
    """A finite number within bounds; truth values are none."""
    given = value if type(value) is float else math.nan
    if type(value) is not float and isinstance(value, numbers.Real) and not isinstance(value, bool):
        try:
            given = float(value)
        except OverflowError:
            given = math.inf
    if math.isfinite(given) and (least is None or least <= given) and (most is None or given <= most):
        return given
    bounds = "" if least is None else f" of at least {least:g}"
    if least is not None and most is not None:
        bounds = f" between {least:g} and {most:g}"
    msg = f"`{name}` is {shown(value)}, but must be a {'' if bounds else 'finite '}number{bounds}"
    raise InvalidArgument(msg)


def text(name: str, value: object) -> str:
    """Text that can be written as UTF-8."""
    if not isinstance(value, str):
        msg = f"`{name}` is {shown(value)}, but must be text"
        raise InvalidArgument(msg)
    try:
        value.encode()
    except UnicodeEncodeError:
        msg = f"`{name}` is {shown(value)}, which holds a lone surrogate, but must be text that UTF-8 can say"
        raise InvalidArgument(msg) from None
    return value


def texts(name: str, value: object) -> Collection[str]:
    """Several texts; one alone is a mistake, as its letters would be taken for them."""
    if isinstance(value, str | Mapping) or not isinstance(value, Collection):
        msg = f"`{name}` is {shown(value)}, but must be several texts, as in ['a', 'b']"
        raise InvalidArgument(msg)
    for item in value:
        if not isinstance(item, str):
            msg = f"`{name}` has {shown(item)}, but must have text alone"
            raise InvalidArgument(msg)
    return value


def flag(name: str, value: object) -> bool:
    """True or false. What is merely truthy is refused: `overwrite="no"` would overwrite."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    msg = f"`{name}` is {shown(value)}, but must be True or False"
    raise InvalidArgument(msg)


def mapping(name: str, value: object) -> dict[str, Any] | None:
    """A mapping from names to plain data as a dict, or None."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        msg = f"`{name}` is {shown(value)}, but must be a mapping of names to values, or None"
        raise InvalidArgument(msg)
    for key, item in value.items():
        try:
            json.dumps([key, item], allow_nan=False, ensure_ascii=False, default=_numpys).encode()
        except (TypeError, ValueError, RecursionError):
            msg = f"`{name}` has {key!r}: {shown(item)}, but must have finite numbers, text, lists and such"
            raise InvalidArgument(msg) from None
    return dict(value)


def _numpys(value: object) -> Any:
    """NumPy's scalars as the numbers they are."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


def function(name: str, value: object, does: str) -> None:
    """Anything that can be called."""
    if not callable(value):
        msg = f"`{name}` is {shown(value)}, but must be {does}"
        raise InvalidArgument(msg)


def path(name: str, value: object) -> Path:
    """A path of a file or folder."""
    given = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    fit = isinstance(given, str) and given != "" and "\0" not in given
    if isinstance(given, str):
        try:
            os.fsencode(given)
        except UnicodeEncodeError:  # a file system holds what Python read from one, and no other surrogates
            fit = False
    if not fit or not isinstance(given, str):
        msg = f"`{name}` is {shown(value)}, but must be the path of a file or folder"
        raise InvalidArgument(msg)
    return Path(given)


def one_of(name: str, value: object, choices: Sequence[object]) -> None:
    """One of a few values, of the same type: 1 is not True.

    Raises:
        UnknownName: It is none of them.
    """
    # Anything may be given, such as arrays, whose comparison is no truth.
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        msg = f"`{name}` is {shown(value)}, but must be {' or '.join(map(repr, choices))}"
        raise UnknownName(msg)


def is_param(unit: str, name: str, value: object) -> UnknownName:
    """The error that an argument is a param of a family or game, which is given with others in a dict."""
    return UnknownName(f"`{name}` is a param of {unit}; give params={{{name!r}: {shown(value)}}}")


def unknown(
    kind: str, name: object, known: Iterable[str], suggest: Sequence[str] | None = None
) -> UnknownName:
    """The error that nothing has this name: suggests the nearest, or lists those there are."""
    listed = list(known)
    near = difflib.get_close_matches(str(name), suggest or listed, n=1)
    hint = f"there are {', '.join(listed)}"
    if len(listed) > _MOST_LISTED:
        hint = f"there are {len(listed)}, such as {', '.join(listed[:_FEW])}"
    if near:
        hint = f"did you mean `{near[0]}`?"
    return UnknownName(f"no {kind} `{name}`; {hint}")
