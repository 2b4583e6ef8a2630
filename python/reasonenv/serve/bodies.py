"""Bodies of requests: read strictly, as plain JSON in UTF-8, and held against what they must be."""

import json
from dataclasses import dataclass
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument

__all__ = ["Refused", "fields", "listed", "read", "text"]


@dataclass
class Refused(Exception):
    """A request that is answered with an error: its status, its name and what would be right."""

    status: int
    name: str
    message: str
    retry_after: int | None = None
    index: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The body of the answer."""
        told = {"type": self.name, "message": self.message}
        return {"error": told if self.index is None else {**told, "index": self.index}}


def read(body: bytes) -> dict[str, Any]:
    """The object that a body holds.

    Model text may hold lone surrogates, written as escapes; numbers are finite, as JSON has no others.

    Raises:
        Refused: It is not UTF-8, not JSON, or no object.
    """
    try:
        found = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise Refused(400, "InvalidBody", f"the body is not UTF-8 ({error.reason})") from None
    except RecursionError:
        raise Refused(400, "InvalidBody", "the body is not JSON (it is nested too deep)") from None
    except ValueError as error:
        raise Refused(400, "InvalidBody", f"the body is not JSON ({error})") from None
    if not isinstance(found, dict):
        raise Refused(400, "InvalidBody", "the body must be one JSON object")
    return found


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number that JSON has")


def fields(given: object, where: str, required: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, Any]:
    """An object with all of the required fields, and no others than these and the optional ones.

    Raises:
        InvalidArgument: It is no such object; names the field.
    """
    if not isinstance(given, dict):
        msg = f"`{where}` is {_checks.shown(given)}, but must be an object"
        raise InvalidArgument(msg)
    known = (*required, *optional)
    for name in given:
        if name not in known:
            raise _checks.unknown("field", name, known)
    for name in required:
        if name not in given:
            msg = f"`{name}` is missing; {where} has {', '.join(required)}"
            raise InvalidArgument(msg)
    return given


def listed(name: str, given: object, most: int) -> list[Any]:
    """A list of bounded length.

    Raises:
        InvalidArgument: It is no list.
        Refused: It is too long.
    """
    if not isinstance(given, list):
        msg = f"`{name}` is {_checks.shown(given)}, but must be a list"
        raise InvalidArgument(msg)
    if len(given) > most:
        message = f"`{name}` has {len(given)} entries, but may have {most}; send several requests"
        raise Refused(413, "TooLarge", message)
    return given


def text(name: str, given: object) -> str:
    """Text of any characters: what a model says may hold half of a surrogate pair.

    Raises:
        InvalidArgument: It is no text.
    """
    if not isinstance(given, str):
        msg = f"`{name}` is {_checks.shown(given)}, but must be text"
        raise InvalidArgument(msg)
    return given
