"""Dates, times and identifiers, as Pydantic's lax mode reads them."""

import re
from datetime import date
from typing import Any

NAMES = ("date", "datetime", "time", "UUID")

_TIME = (
    r"(?P<h>\d\d):(?P<m>\d\d)(?::(?P<s>\d\d)(?:[.,]\d{1,9})?)?(?:(?:[Zz]|[+-](?P<oh>\d\d):?(?P<om>\d\d)))?"
)
_CLOCK = re.compile(_TIME, re.ASCII)
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[Tt _]" + _TIME + ")?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+|(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)
_UUID = re.compile(
    r"(?:urn:uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}"
    r"|\{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}",
    re.IGNORECASE | re.ASCII,
)
_FIRST, _LAST = -62_135_596_800, 253_402_300_799
"""Seconds from 1970 to the first and the last moment of the calendar."""
_MILLISECONDS = 20_000_000_000
"""Numbers above this one count milliseconds."""
_DAY_SECONDS = 86_400


def matches(name: str, value: Any) -> bool:
    """True if a value of JSON is a date, time or identifier of this name."""
    if isinstance(value, bool):
        return False
    if isinstance(value, str):
        if name == "UUID":
            return _UUID.fullmatch(value) is not None
        if name == "time" or _NUMBER.fullmatch(value) is None:
            return _is_written(name, value)
        value = float(value) if len(value) < 20 else float("inf")
    return isinstance(value, int | float) and name != "UUID" and _is_counted(name, value)


def _is_written(name: str, value: str) -> bool:
    if name == "time":
        found = _CLOCK.fullmatch(value)
        return found is not None and _is_clock(found)
    found = _DAY.fullmatch(value)
    if found is None:
        return False
    try:
        date(*map(int, found.group(1, 2, 3)))
    except ValueError:
        return False
    if found["h"] is None:
        return True
    midnight = not any(int(found[part] or 0) for part in "hms") and "." not in value
    return _is_clock(found) and (name == "datetime" or midnight)


def _is_clock(found: re.Match[str]) -> bool:
    limits = {"h": 24, "m": 60, "s": 60, "oh": 24, "om": 60}
    return all(int(found[part] or 0) < limit for part, limit in limits.items())


def _is_counted(name: str, value: float) -> bool:
    if name == "time":
        return 0 <= value < _DAY_SECONDS
    seconds = value / 1000 if abs(value) > _MILLISECONDS else value
    return _FIRST <= seconds <= _LAST and (name == "datetime" or seconds % _DAY_SECONDS == 0)
