"""Saved states of environments: their full state as JSON, and how it is read back."""

import contextlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from reasonenv import _checks, _native

_LARGEST_WORD = 2**64 - 1


def write_state(**fields: Any) -> bytes:
    """Fields as JSON; lone surrogates in completions survive as escapes."""
    return json.dumps(fields).encode()


@contextlib.contextmanager
def reading_state(state: bytes) -> Iterator[dict[str, Any]]:
    """Fields of a state; any error in them is an `InvalidState`."""
    try:
        yield json.loads(state)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        msg = f"not a state that get_state of such an env returned: {error}"
        raise _native.InvalidState(msg) from error


def same_items(ours: object, theirs: object) -> None:
    """Raise unless two task ids agree. They hash params, split, seed and style: equal ids, equal streams."""
    if ours != theirs:
        raise ValueError("it poses other items than this env; make both with the same arguments")


def rng_state(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a generator as Gymnasium seeds it.

    Raises:
        UnknownName: The generator is of another kind.
    """
    state = dict(rng.bit_generator.state)
    _checks.one_of("np_random's bit generator", state["bit_generator"], ["PCG64"])
    return state


def rng_from(state: dict[str, Any]) -> np.random.Generator:
    """Generator whose state `rng_state` saved."""
    rng = np.random.Generator(np.random.PCG64(0))
    rng.bit_generator.state = state
    return rng


def checked_words(name: str, given: Sequence[int]) -> tuple[int, int]:
    """Seed of an env's episodes and the group of its first; errors name the field."""
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise ValueError(f"`{name}` is {_checks.shown(given)}, but must be a pair of whole numbers")
    first, second = (_checks.whole(f"{name}[{i}]", word, 0, _LARGEST_WORD) for i, word in enumerate(given))
    return first, second


def checked_seed(given: Any) -> int:
    """Seed of a generator, which may be of any size; -1 if it isn't known."""
    if type(given) is not int or given < -1:
        raise ValueError(f"a seed of np_random is {_checks.shown(given)}, but must be a whole number")
    return given


def checked_text(name: str, given: Any) -> str:
    """Text field of a state; errors name it."""
    if not isinstance(given, str):
        raise TypeError(f"`{name}` is {_checks.shown(given)}, but must be text or null")
    return given
