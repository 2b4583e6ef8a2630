"""Secrets of tests, which programs neither see nor replace: helpers, expected values, hidden arguments."""

from typing import Any

import pytest
import reasonenv
from reasonenv import verifiers

RUNTIMES = ["monty", "cpython"]
AREA = "def area(r):\n    return 3.14159 * r * r"


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"


def verdict(code: str, tests: Any, **options: Any) -> reasonenv.Verdict:
    return verifiers.python_tests(**options)([code], [tests])[0]


HELPERS: dict[str, tuple[Any, str, tuple[str, ...]]] = {
    "a module": (
        {
            "test_imports": ["import math"],
            "test_list": ["assert math.isclose(area(2), 12.566, rel_tol=1e-3) == True"],
        },
        AREA,
        (
            "class math:\n    isclose = staticmethod(lambda *a, **k: True)",
            "import math\nmath.isclose = lambda *a, **k: True",
        ),
    ),
    "a module that nothing imports": (
        {"test_list": ["assert math.floor(area(2)) == 12"]},
        AREA,
        ("class math:\n    floor = staticmethod(lambda x: 12)",),
    ),
    "a comparison in the setup": (
        {
            "test_setup_code": "def near(a, b):\n    return abs(a - b) < 1e-6",
            "test_list": ["assert near(area(2), 12.56636) == True", "assert near(area(1), 3.14159) is True"],
        },
        AREA,
        ("def near(a, b):\n    return True",),
    ),
    "a helper of a text of tests": (
        "def twice(x):\n    return 2 * x\n\nassert twice(area(2)) == 25.13272\n",
        AREA,
        ("def twice(x):\n    return 25.13272",),
    ),
    "a helper of `check`": (
        {
            "prompt": "def area(r):\n    '''Return the area of a circle.'''\n",
            "entry_point": "area",
            "test": "def near(a, b):\n    return abs(a - b) < 1e-6\n\n"
            "def check(candidate):\n    assert near(candidate(2), 12.56636) == True\n",
        },
        AREA,
        ("def near(a, b):\n    return True", "def check(candidate):\n    pass"),
    ),
    "a helper of the prompt": (
        {
            "prompt": "def hide(s):\n    return s[::-1] + '!'\n\ndef area(s):\n    '''Undo `hide`.'''\n",
            "entry_point": "area",
            "test": "def check(candidate):\n    assert candidate(hide('ab')) == 'ab'\n"
            "    for one in ['cd', 'x']:\n        assert candidate(hide(one)) == one\n",
        },
        "def area(s):\n    return s[:-1][::-1]",
        ("def hide(s):\n    return s",),
    ),
}


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", HELPERS)
def test_helpers_of_tests_are_out_of_reach_of_programs(name: str, runtime: str) -> None:
    row, right, redefined = HELPERS[name]
    assert verdict(fenced(right), row, runtime=runtime).passed
    for one in redefined:
        for body in ("return s", "return True", "return 0"):
            wrong = fenced(f"{one}\ndef area(s):\n    {body}")
            assert not verdict(wrong, row, runtime=runtime).passed, wrong


LEAKS = [
    "raise ValueError(x)",
    "return {}[x]",
    "raise type('Error' + str(x), (Exception,), {})",
    "raise ImportError(f\"No module named 'm{x}'\")",
    "raise NotImplementedError(f'does not yet support {x}')",
    "assert x == 0, x",
    "__import__('m' + str(x))",
    "return getattr(str, 'm' + str(x))",
    "int('m' + str(x))",
    "import sys\n    sys.exit(x)",
    "return type('m' + str(x), (), {})()",
    "print(x)\n    return x",
]


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("body", LEAKS)
def test_details_hold_no_argument_of_a_hidden_test(runtime: str, body: str) -> None:
    secret = 48271
    rows: list[Any] = [
        {"test_list": [f"assert f({secret}) == 77531"]},
        {"test_list": [f"for one in [{secret}]:\n    assert f(one) == 77531"]},
        f"def test_f():\n    assert f({secret}) == 77531\n",
        {"fn_name": "f", "inputs": [[secret]], "outputs": [77531]},
        [{"input": f"{secret}\n", "output": "77531\n"}],
    ]
    program = f"def f(x):\n    {body}\n"
    texts = [fenced(program)] * 4 + [fenced(f"{program}\nf(int(input()))")]
    found = verifiers.python_tests(runtime=runtime)(texts, rows)  # type: ignore[arg-type]
    assert not found.passed.any()
    for detail in found.detail:
        assert str(secret) not in detail
        assert "77531" not in detail
