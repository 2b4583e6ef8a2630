"""Tests given as JSON: calls with their values, and inputs with their outputs."""

import base64
import binascii
import io
import json
import math
import pickle
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from reasonenv import _checks
from reasonenv.verifiers._code._tests import CallTest, InputTest, Test


def decoded(value: Any) -> Any:
    """Decode text that is JSON, or JSON that LiveCodeBench has packed; return any other value unchanged."""
    if not isinstance(value, str):
        return value
    if value.lstrip()[:1] in ("{", "[", '"'):
        try:
            return from_json(value)
        except (ValueError, RecursionError):
            return value
    unpacked = _unpacked(value)
    return value if unpacked is None else decoded(unpacked)


def from_json(text: str) -> Any:
    """Read JSON, whose integers may have any number of digits.

    Raises:
        ValueError: The text is not JSON.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # an integer longer than `sys.get_int_max_str_digits`
        return json.loads(text, parse_int=lambda digits: int(Decimal(digits)))


def _unpacked(text: str) -> str | None:
    """Unpack the private tests of LiveCodeBench: a pickled string, compressed, in base 64."""
    try:
        data = zlib.decompress(base64.b64decode(text, validate=True))
        found = _Unpickler(io.BytesIO(data)).load()
    except (binascii.Error, ValueError, zlib.error, pickle.UnpicklingError, EOFError, IndexError):
        return None
    return found if isinstance(found, str) else None


class _Unpickler(pickle.Unpickler):
    """Reads strings, numbers and lists alone, so that no data set can run code."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name}")


def listed(name: str, value: Any) -> Sequence[Any]:
    """Return a column that holds a list, perhaps as JSON.

    Raises:
        ValueError: The column holds anything else.
    """
    value = decoded(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return value
    raise ValueError(f"`{name}` is {_checks.shown(value)}, but must be a list of tests")


def metadata(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the column `metadata` of a row or a test, which names the function to call."""
    found = decoded(row.get("metadata"))
    return found if isinstance(found, Mapping) else {}


def pairs(inputs: Sequence[Any], outputs: Sequence[Any], name: Any) -> Iterator[Test]:
    """Yield a test for each input and the output at its place."""
    if len(inputs) != len(outputs):
        raise ValueError(f"`inputs` has {len(inputs)} items, but `outputs` has {len(outputs)}")
    for given, expected in zip(inputs, outputs, strict=True):
        yield _call(name, listed("inputs", given), expected) if name else _input(given, expected)


def cases(found: Any, name: Any) -> Iterator[Test]:
    """Yield a test for each case: a mapping with an input and an output, or a mapping of lists of them."""
    if isinstance(found, Mapping):  # CodeContests
        yield from pairs(
            listed("input", found.get("input") or []), listed("output", found.get("output") or []), name
        )
        return
    for case in found:
        if not isinstance(case, Mapping) or "output" not in case:
            raise ValueError(f'a test is {_checks.shown(case)}, but must be {{"input": …, "output": …}}')
        function = case.get("fn_name") or name or metadata(case).get("func_name")
        kind = case.get("testtype") or case.get("type") or ""
        given = case.get("input", case.get("args"))
        if kind in ("stdin", "stdin_stdout") or (not function and not kind):
            yield _input(given, case["output"])
        elif not function:
            raise ValueError("a test calls a function, but neither it nor the row has a `fn_name`")
        elif isinstance(given, str):  # LiveCodeBench: arguments as JSON, one per line
            arguments = [_value(line) for line in given.splitlines() if line.strip()]
            yield _call(function, arguments, _value(case["output"]), wrapped=False)
        else:
            yield _call(function, listed("input", given), case["output"])


def _value(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return from_json(text)
    except ValueError:
        raise ValueError(f"a test holds {_checks.shown(text)}, but must hold JSON") from None


def _call(name: Any, arguments: Sequence[Any], expected: Any, *, wrapped: bool = True) -> CallTest:
    if not isinstance(name, str) or not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", name):
        raise ValueError(f"`fn_name` is {_checks.shown(name)}, but must be the name of a function")
    alone = wrapped and isinstance(expected, list) and len(expected) == 1
    return CallTest(name, ", ".join(map(_written, arguments)), expected, as_json=True, wrapped=alone)


_LONG = 1 << 64


def _written(value: Any) -> str:
    """Return a JSON value as a Python expression."""
    match value:
        case float() if not math.isfinite(value):
            return f'float("{value}")'
        case dict():
            return "{" + ", ".join(f"{_written(key)}: {_written(one)}" for key, one in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_written, value)) + "]"
        case int() if abs(value) > _LONG:  # its decimal digits may be too many to be read
            return hex(value)
        case None | bool() | int() | float() | str():
            return repr(value)
    raise ValueError(f"a test holds {_checks.shown(value)}, but must hold JSON")


def _input(given: Any, expected: Any) -> InputTest:
    # A file with the line ends of Windows is read there as it was written.
    return InputTest(_lines("input", given).replace("\r\n", "\n"), _lines("output", expected))


def _lines(name: str, value: Any) -> str:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ValueError(
        f"`{name}` of a test is {_checks.shown(value)}, but must be text, or `fn_name` must be given"
    )
