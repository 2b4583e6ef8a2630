"""Values leave a sandbox within a budget, and whatever a program claims to return has a verdict."""

import resource
import struct
import sys
import time
from collections import Counter, OrderedDict, defaultdict, namedtuple
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from reasonenv import verifiers
from reasonenv.verifiers._code import _wire

Point = namedtuple("Point", "x y")
RIGHT = "```python\ndef sq(x):\n    return x * x\n```"
CALL: Any = {"test_list": ["assert sq(3) == 9"]}
LOOP: Any = {"test_list": ["for n in [3]:\n    assert sq(n) == 9"]}


@pytest.mark.parametrize(
    "value",
    [
        None, True, False, 0, -5, 10**40, 1.5, float("inf"), "", "a\n\ud800é'\"\\", b"a\x00'", 1 + 2j,
        Decimal("1.50"), datetime(2020, 1, 1, 2), datetime(2020, 1, 1, tzinfo=UTC), date(2020, 1, 1),
        timedelta(-1, 2, 3), timedelta.max, [], (), {}, set(), frozenset(), [1, [2, (3,)]],
        {1: {2: [3]}, "a": (1,)}, {frozenset([1])},
    ],
)  # fmt: skip
def test_plain_data_returns_as_it_was(value: Any) -> None:
    found = _wire.decode(_wire.encode([value]))[0]
    assert (found, type(found)) == (value, type(value))


def test_relatives_of_plain_data_become_plain() -> None:
    for given in (Point(1, 2), Counter("aab"), OrderedDict(a=1), defaultdict(int, a=1)):
        found = _wire.decode(_wire.encode(given))
        assert found == given
        assert type(found) in (tuple, dict)


@pytest.mark.parametrize(
    "text",
    [
        "", "q", "list 2\nint 1", "int 1\nint 2", "int q", "str 3", "str 'a", "list -1", "list x",
        "list 99999999999", "float abc", "float 0x1p99999", "Decimal abc", "datetime", "date 9999999",
        "set 1\nlist 0", "bytes 'é☃'", "timedelta 1", "timedelta 999999999999 days, 0:00:00", "complex q",
        "int " + "9" * 5000, "dict 1\nint 1", "? x", "Sum", "list 1\n" * 101 + "int 1", "set 1\nDecimal sNaN",
        "str '\\x'", "\n", " ", "list 1\n\n",
    ],
)  # fmt: skip
def test_what_is_no_value_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"plain|object|nested"):
        _wire.decode(text)


def test_reading_takes_no_quadratic_time_and_no_more_than_its_budget() -> None:
    keys = [k * sys.hash_info.modulus for k in range(100_000)]
    start = time.process_time()
    for text in (f"set {len(keys)}\n", f"dict {len(keys) // 2}\n"):
        with pytest.raises(ValueError, match=r"plain|object|nested"):
            _wire.decode(text + "\n".join(f"int {key}" for key in keys))
    shared: Any = [1]
    for _ in range(60):
        shared = [shared, shared]
    for value in (shared, ["x" * 100_000] * 1000, "x" * (1 << 21), 1 << (1 << 24)):
        with pytest.raises(_wire.TooLargeError):
            _wire.encode(value, 1 << 20)
    with pytest.raises(_wire.TooLargeError):
        _wire.decode("list 0\n" * 100_000, 1 << 20)
    assert time.process_time() - start < 5


SHARED = {
    "a list": "a = [1]\n    for _ in range(40):\n        a = [a, a]\n    return a",
    "a tuple": "a = (1,)\n    for _ in range(40):\n        a = (a, a)\n    return a",
    "a dict": "a = {}\n    for _ in range(40):\n        a = {1: a, 2: a}\n    return a",
    "a text": "return ['x' * 1000000] * 5000",
    "a key": "return {k: 'x' * 1000000 for k in range(5000)}",
    "empty lists": "return [[]] * 5000000",
    "an error": "raise ValueError('x' * 30000000)",
    "shared parts": "a = [1]\n    for _ in range(40):\n        a = [a, a]\n    raise ValueError(a)",
    "a replaced writer": "global _wire_text\n    _wire_text = lambda *a: 'x' * 100000000\n    return 0",
    "replaced results": "global _wire_found\n    _wire_found = ['x' * 100000000]\n    return 0",
    "a replaced result": "global _wire_found\n    _wire_found = [[0] * 1000] * 1000\n    return 0",
    "an argument": "global f\n    f = 0\n    return [x] * 10000000",
}


@pytest.mark.parametrize("runtime", ["monty", "cpython"])
def test_no_value_fills_the_trainer(runtime: str) -> None:
    judge = verifiers.python_tests(runtime=runtime, seconds=0.5)  # type: ignore[arg-type]
    texts = [f"```python\ndef sq(x):\n    {body}\n```" for body in SHARED.values()]
    judge([RIGHT], [CALL])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    verdicts = [judge([*texts, RIGHT], [reference] * (len(texts) + 1)) for reference in (CALL, LOOP)]
    for found in verdicts:
        assert found.passed.tolist() == [False] * len(texts) + [True]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400 << 10


def test_a_return_outside_a_function_is_no_syntax() -> None:
    for body in ("return [[0] * 1000] * 1000", "if True:\n    return 9", "class A:\n    return 9"):
        found = verifiers.python_tests()([f"```python\n{body}\n```"], [CALL])[0]
        assert found.failures == ("syntax_error",)


_VALUES = [
    *("Decimal abc", "float 0x1p99999", "int q", "timedelta 999999999999 days, 0:00:00", "? x", "Sum"),
    *("list 1\n" * 100_000, "Decimal sNaN", "Decimal 1e999999999999999999", "list 2\nint 1", "list 1\nint 9"),
    *("set 1\nDecimal sNaN", "float nan", "int -0x1", "bool 9", "dict 1\nlist 0\nint 1", "str 'a"),
]
_ERRORS = ["NoneType None", "list 3\nint 1\nint 2\nint 3", "list 2\nstr '__import__'\nstr 'x'", "int 1"]
_MESSAGES = [
    *("", "dict 0", "list 0", "int 1", "str 'value'", '{"value": 9}', "dict 1\nstr 'output'\nlist 0"),
    *("dict 1\nstr 'value'", "dict 1\nstr 'call'\nint 1"),
    "dict 1\nstr 'call'\nlist 3\nint 1\nlist 0\ndict 0",
]
FORGED = [
    *(f"dict 1\nstr 'value'\n{one}".encode() for one in _VALUES),
    *(f"dict 1\nstr 'error'\n{one}".encode() for one in _ERRORS),
    *(one.encode() for one in _MESSAGES),
    b"\xff\xfe",
]


@pytest.mark.parametrize("reference", [CALL, LOOP], ids=["call", "loop"])
def test_forged_replies_have_a_verdict(reference: Any) -> None:
    start = struct.pack("<I", 26) + b"dict 1\nstr 'output'\nstr ''"
    texts = []
    for data in FORGED:
        reply = struct.pack("<I", len(data)) + data
        code = f"import os\nos.write(3, {start!r})\nos.write(3, {reply!r})\ndef sq(x):\n    return 0"
        texts += [f"```python\n{code}\n```", RIGHT]
    huge = "import os\nos.write(3, b'\\xff\\xff\\xff\\x0f' + b'list 0\\n' * 9000)\ndef sq(x):\n    return 0"
    texts += [f"```python\n{huge}\n```", RIGHT]
    judge = verifiers.python_tests(runtime="cpython", seconds=2)
    assert judge(texts, [reference] * len(texts)).passed.tolist() == [False, True] * (len(texts) // 2)
