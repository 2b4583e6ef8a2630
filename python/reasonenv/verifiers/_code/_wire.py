"""Plain data as text that is written within a budget and read without recursion.

Each line names a type and gives its data. For a group, it gives the number of items on the lines that follow:

    dict 1
    str 'a'
    int 0x1f

Processes that run programs load this file by itself, so it imports nothing from the package.
"""

import re
import struct
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

DEEPEST = 100
BYTES_PER_LINE = 16
"""A text has at most one line for each so many bytes of its budget, since each line becomes an object."""
NOT_PLAIN = "an object of type"
"""Start of a `NotPlainError` message, recognized after it has crossed between processes."""


class NotPlainError(ValueError):
    """A value that is not plain data."""


class TooLargeError(MemoryError):
    """A value that does not fit its budget."""


def _unquoted(text: str) -> str:
    """Read the `repr` of a text or of bytes."""
    if len(text) < 2 or text[0] != text[-1] or text[0] not in "'\"":
        raise ValueError
    inner = text[1:-1]
    if "\\" not in inner:
        return inner
    return inner.encode("latin-1", "backslashreplace").decode("unicode_escape")


_SPAN = re.compile(r"(?:(-?\d+) days?, )?(\d+):(\d+):(\d+)(?:\.(\d+))?")


def _span(text: str) -> timedelta:
    """Read the text of a `timedelta`."""
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError
    days, hours, minutes, seconds, micros = (int(part or 0) for part in found.groups())
    return timedelta(days, seconds, micros, 0, minutes, hours)


_ATOMS: dict[type, tuple[Callable[[Any], str], Callable[[str], Any]]] = {
    int: (hex, lambda text: int(text, 0)),
    str: (repr, _unquoted),
    float: (repr, float),
    bytes: (repr, lambda text: _unquoted(text.removeprefix("b")).encode("latin-1")),
    complex: (repr, complex),
    Decimal: (str, Decimal),
    datetime: (str, datetime.fromisoformat),
    date: (str, date.fromisoformat),
    timedelta: (str, _span),
    type(None): (repr, lambda _: None),
    bool: (repr, lambda text: text == "True"),
}
_GROUPS = {kind.__name__: kind for kind in (list, tuple, dict, set, frozenset)}
_READERS = {kind.__name__: reader for kind, (_, reader) in _ATOMS.items()}
_ALSO_DICTS = ("Counter", "defaultdict", "OrderedDict")


def encode(value: Any, budget: int = 1 << 28) -> str:
    """Return plain data as text.

    Raises:
        TooLargeError: The text would take more bytes than the budget.
    """
    lines = _Lines(budget)
    lines.add(value, DEEPEST)
    return "\n".join(lines.found)


class _Lines:
    def __init__(self, budget: int) -> None:
        self.found: list[str] = []
        self.budget, self.most = budget, budget // BYTES_PER_LINE

    def put(self, line: str) -> None:
        self.budget -= len(line) + 1
        if self.budget < 0 or len(self.found) >= self.most:
            raise TooLargeError
        self.found.append(line)

    def add(self, value: Any, depth: int) -> None:
        kind = type(value)
        name = kind.__name__
        if kind in _ATOMS:
            if kind in (str, bytes) and len(value) > self.budget:
                raise TooLargeError
            self.put(f"{name} {_ATOMS[kind][0](value)}")
            return
        if kind is not tuple and issubclass(kind, tuple) and hasattr(kind, "_fields"):
            name = "tuple"
        elif issubclass(kind, dict) and name in _ALSO_DICTS:
            name = "dict"
        elif kind is not _GROUPS.get(name):
            name = ""
        if not name or depth == 0:
            self.put(f"? {kind.__name__[:100] if depth else ''}")
        elif name == "dict":
            self.put(f"dict {dict.__len__(value)}")
            for key, one in dict.items(value):
                self.add(key, depth - 1)
                self.add(one, depth - 1)
        else:
            items = list(_GROUPS[name].__iter__(value))
            self.put(f"{name} {len(items)}")
            for one in items:
                self.add(one, depth - 1)


def decode(text: str, budget: int = 1 << 28) -> Any:
    """Read what `encode` wrote, or what a hostile process claims to have written.

    Raises:
        NotPlainError: The value held an object that is not plain data, or is nested too deeply.
        TooLargeError: The text exceeds the budget.
        ValueError: The text is not valid.
    """
    if len(text) > budget or text.count("\n") >= budget // BYTES_PER_LINE:
        raise TooLargeError
    try:
        return _read(iter(text.split("\n")))
    except NotPlainError:
        raise
    except (ValueError, TypeError, ArithmeticError, LookupError) as error:
        raise ValueError(f"no plain data ({type(error).__name__})") from None


def _read(lines: Iterator[str]) -> Any:
    unfinished: list[tuple[str, int, list[Any]]] = []
    for line in lines:
        name, _, data = line.partition(" ")
        if name in _READERS:
            value = _READERS[name](data)
        elif name in _GROUPS:
            count = int(data) * (2 if name == "dict" else 1)
            if count < 0:
                raise ValueError
            if len(unfinished) == DEEPEST:
                raise NotPlainError(_TOO_DEEP)
            if count:
                unfinished.append((name, count, []))
                continue
            value = _GROUPS[name]()
        else:
            raise NotPlainError(f"{NOT_PLAIN} {data or name}"[:200] if line != "? " else _TOO_DEEP)
        while unfinished:
            name, count, items = unfinished[-1]
            items.append(value)
            if len(items) < count:
                break
            unfinished.pop()
            value = _built(name, items)
        else:
            if next(lines, None) is not None:
                raise ValueError
            return value
    raise ValueError


_TOO_DEEP = f"a value nested deeper than {DEEPEST} levels"


def _built(name: str, items: list[Any]) -> Any:
    """Build a group from its items.

    Raises:
        ValueError: So many keys share a hash that building a set or a dict would take quadratic time.
    """
    if name == "list":
        return items
    if name == "tuple":
        return tuple(items)
    keys = items[::2] if name == "dict" else items
    if len(keys) - len({hash(key) for key in keys}) > 100:
        raise ValueError
    return dict(zip(keys, items[1::2], strict=True)) if name == "dict" else _GROUPS[name](keys)


def packed(message: Any, budget: int = 1 << 28) -> bytes:
    """Return a message as bytes: its length, then its text.

    Raises:
        TooLargeError: The text would take more bytes than the budget.
    """
    data = encode(message, budget).encode()
    return struct.pack("<I", len(data)) + data


def send(channel: Any, message: Any) -> None:
    """Write a message to a socket."""
    channel.sendall(packed(message))


def receive(channel: Any, budget: int = 1 << 28) -> Any:
    """Read a message from a socket.

    Raises:
        EOFError: The other side has closed.
        NotPlainError, TooLargeError, ValueError: As `decode` raises them.
    """
    (size,) = struct.unpack("<I", _exactly(channel, 4))
    if size > budget:
        raise TooLargeError
    return decode(_exactly(channel, size).decode("utf-8", "strict"), budget)


def _exactly(channel: Any, size: int) -> bytes:
    parts = []
    while size:
        part = channel.recv(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
