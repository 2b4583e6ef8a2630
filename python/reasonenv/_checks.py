"""Checks of arguments; errors name the field, the value and what would be right."""

import difflib
import itertools
import json
import math
import numbers
import operator
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from reasonenv._native import InvalidArgument, UnknownName

T = TypeVar("T")

LARGEST_SEED = 2**64 - 1
"""Largest seed."""

_MOST_LISTED = 24
"""Most names that an error lists; of longer lists it gives a few."""

_FEW = 5

_ELSEWHERE = {
    "task_generator": "generator",
    "dataset": "generator",
    "reward_fn": "reward",
    "reward_func": "reward",
    "judge": "verifier",
    "verify": "verifier",
    "difficulty": "level",
    "num_generations": "group_size",
    "num_rollouts": "group_size",
    "update": "tell",
}
"""Names that other libraries use for what is ours, by theirs."""

LARGEST_COUNT = 10**9
"""Most tasks, games and the like in one call; a larger number is a typo."""


def shown(value: object) -> str:
    """Quote a value for an error: on one line and not too long."""
    try:
        text = repr(value)
    except Exception:  # no repr, as for an integer of ten thousand digits
        text = f"a value of type {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def described(error: BaseException) -> str:
    """Return the kind of an error and what it says, which may be nothing."""
    text = " ".join(str(error).split())
    text = text if len(text) <= 300 else text[:297] + "..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def whole(name: str, value: object, least: int | None = None, most: int | None = None) -> int:
    """Check a whole number within bounds. NumPy's integers are allowed, fractions and booleans are not."""
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
    """Write a bound in readable form: 2**64 - 1 rather than its twenty digits."""
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
    """Check a seed: a whole number of 64 bits."""
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


def count_of(name: str, share: object, total: int) -> int:
    """Return the number of things that a share of `total` covers, rounded up."""
    return math.ceil(number(name, share, 0, 1) * total - 1e-9)


def text(name: str, value: object) -> str:
    """Check text that can be written as UTF-8."""
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
    """Check a collection of texts; a single str is refused, as its letters would be taken for them."""
    if isinstance(value, str | Mapping) or not isinstance(value, Collection):
        msg = f"`{name}` is {shown(value)}, but must be several texts, as in ['a', 'b']"
        raise InvalidArgument(msg)
    for item in value:
        if not isinstance(item, str):
            msg = f"`{name}` has {shown(item)}, but must have text alone"
            raise InvalidArgument(msg)
    return value


def listed(name: str, value: Iterable[T], most: int = 100_000) -> list[T]:
    """List the items of an iterable, which may be endless; more than `most` of them are refused."""
    items = list(itertools.islice(value, most + 1))
    if len(items) > most:
        msg = f"`{name}` has more than {most:,} items, or no end; give a list of those that you mean"
        raise InvalidArgument(msg)
    return items


def flag(name: str, value: object) -> bool:
    """Check a boolean. Truthy values are refused, since `overwrite="no"` would overwrite."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    msg = f"`{name}` is {shown(value)}, but must be True or False"
    raise InvalidArgument(msg)


def mapping(name: str, value: object) -> dict[str, Any] | None:
    """Check a mapping from names to plain data, or None; return it as a dict."""
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
    """Convert a NumPy scalar to a Python number."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


def function(name: str, value: object, does: str) -> None:
    """Check a callable."""
    if not callable(value):
        msg = f"`{name}` is {shown(value)}, but must be {does}"
        raise InvalidArgument(msg)


def path(name: str, value: object) -> Path:
    """Check the path of a file or folder."""
    given = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    fit = isinstance(given, str) and given != "" and "\0" not in given
    if isinstance(given, str):
        try:
            os.fsencode(given)
        except UnicodeEncodeError:  # only surrogates that Python read from a file system are valid
            fit = False
    if not fit or not isinstance(given, str):
        msg = f"`{name}` is {shown(value)}, but must be the path of a file or folder"
        raise InvalidArgument(msg)
    return Path(given)


def one_of(name: str, value: object, choices: Sequence[object]) -> None:
    """Check one of several values of the same type: 1 is not True.

    Raises:
        UnknownName: The value is not among them.
    """
    # Types come first: a comparison with an array, for instance, has no truth value.
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise not_one_of(name, value, choices)


def not_one_of(name: str, value: object, choices: Sequence[object]) -> UnknownName:
    """Make the error for a value that is none of several."""
    names = [choice for choice in choices if isinstance(choice, str)]
    if not isinstance(value, str) or len(names) < 2:
        return UnknownName(f"`{name}` is {shown(value)}, but must be {' or '.join(map(repr, choices))}")
    near = difflib.get_close_matches(value, names, n=1)
    listed = f"{', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}"
    hint = f"did you mean {near[0]!r}?" if near else f"choose {listed}"
    return UnknownName(f"unknown {name} {shown(value)}; {hint}")


def is_param(unit: str, name: str, value: object) -> UnknownName:
    """Make the error for an argument that belongs into `params`."""
    return UnknownName(f"`{name}` is a param of {unit}; give params={{{name!r}: {shown(value)}}}")


def no_argument(owner: str, name: str, known: Iterable[str]) -> UnknownName:
    """Make the error for an argument that its owner does not take."""
    takes = [f"`{one}`" for one in known]
    near = difflib.get_close_matches(f"`{name}`", takes, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(takes) or 'none'}"
    return UnknownName(f"{owner} has no argument `{name}`; {hint}")


def unknown(
    kind: str, name: object, known: Iterable[str], suggest: Sequence[str] | None = None
) -> UnknownName:
    """Make the error for an unknown name, which suggests the nearest ones or lists all."""
    listed = list(known)
    synonym = _ELSEWHERE.get(str(name))
    fits = synonym in (suggest or listed)
    near = [synonym] if fits else difflib.get_close_matches(str(name), suggest or listed, n=1)
    hint = f"there are {', '.join(listed)}"
    if len(listed) > _MOST_LISTED:
        hint = f"there are {len(listed)}, such as {', '.join(listed[:_FEW])}"
    if near:
        hint = f"did you mean `{near[0]}`?"
    return UnknownName(f"no {kind} `{name}`; {hint}")
