"""Conversion of values to plain data."""

from collections.abc import Mapping
from typing import Any

from reasonenv._native import ReasonEnvError


def plain(value: Any) -> Any:
    """Convert a value for JSON: arrays to lists, numbers that are not finite to None."""
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if value - value == 0 else None
    if value is None or isinstance(value, str | int):
        return value
    msg = f"a value of type {type(value).__name__} cannot be sent"
    raise ReasonEnvError(msg)
