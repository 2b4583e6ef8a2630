"""Values and outputs are compared as the data sets' graders compare them."""

from typing import Any

import pytest
from reasonenv import verifiers
from reasonenv.errors import InvalidParams

RUNTIMES = ["monty", "cpython"]


def passes(code: str, tests: Any, **options: Any) -> bool:
    return verifiers.python_tests(**options)([f"```python\n{code}\n```"], [tests])[0].passed


def printed(output: str, expected: str, **options: Any) -> bool:
    return passes(f"print({output!r})", [{"input": "", "output": expected}], **options)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("1.0", "1"),
        ("1", "1.0"),
        ("1e18", "1000000000000000000"),
        ("-0.0", "0"),
        ("+5", "5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1  2", "1 2"),
        ("a\tb", "a b"),
        (" 1 \n2\n\n", "1\n2"),
        ("1\r\n2", "1\n2"),
        ("nan", "nan"),
        ("0.30000000000000004", "0.3"),
        ("2.9999999999999996", "3"),
        ("1e-17", "0"),
        ("0.333333", "0.333333333333"),
        ("0.3333333333333333", "0.33333333"),
        ("-0.333333", "-0.333333333333"),
        ("0.666667", "0.6666666666667"),
        ("0.666666", "0.6666666666667"),
        ("1.4142135623730951", "1.414213562373095048801"),
    ],
)
def test_numbers_are_compared_by_value_and_white_space_is_folded(output: str, expected: str) -> None:
    assert printed(output, expected)
    assert not printed(output, expected, compare="text") or output.split() == expected.split()


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("1\n\n2", "1\n2"),
        ("1 2", "12"),
        ("1 2", "1\n2"),
        ("yes", "YES"),
        ("0.5000001", "0.5"),
        ("0.34", "0.333333333333"),
        ("0.66666", "0.6666666666667"),
        ("3.14", "3.14159"),
        ("33.3334", "33.333333"),
        ("0.333333", "-0.333333333333"),
        ("1000000000000000001", "1000000000000000000"),
        ("1000000000000000001.0", "1000000000000000000"),
        ("1.2345678901234568e16", "12345678901234567"),
        ("123456", "123456.4"),
        ("1e9999", "1e9998"),
        ("1" * 5000, "1" * 4999 + "2"),
        ("101", "0101"),
        ("1_0", "10"),
        ("\uff11\uff10", "10"),
        ("inf", "1e400"),
        ("nan", "0.5"),
        ("a\u2028b", "a\nb"),
    ],
)
def test_other_outputs_are_wrong(output: str, expected: str) -> None:
    assert not printed(output, expected)
    assert not printed(output, expected, compare="text")


def test_a_tolerance_counts_for_decimals_alone() -> None:
    assert printed("10.1", "10", tolerance=0.05)
    assert printed("0.5000001", "0.5", tolerance=1e-6, compare="text")
    for output, expected in [("101", "100"), ("inf", "1e400"), ("1_0", "10"), ("1000001", "1000000")]:
        assert not printed(output, expected, tolerance=0.05)


def test_floats_of_json_may_be_rounded_and_those_of_python_may_not() -> None:
    code = "def third(n):\n    return [n / 3]"
    row = {"fn_name": "third", "inputs": [[1]], "outputs": [[0.333333]]}
    assert passes(code, row)
    assert not passes(code, row | {"outputs": [[0.33333]]})
    assert not passes(code, ["assert third(1) == [0.333333]"])


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize(
    ("body", "test", "right"),
    [
        ("return 1", "assert f(3) is True", False),
        ("return 0", "assert f(3) is False", False),
        ("return 1.0", "assert f(3) is 1", False),
        ("return True", "assert f(3) is True", True),
        ("return None", "assert f(3) is None", True),
        ("return 1", "assert f(3) == True", True),
        ("return 5", "assert f(1) == pytest.approx(float('inf'))", False),
        ("return float('inf')", "assert f(1) == pytest.approx(5)", False),
        ("return float('inf')", "assert f(1) == pytest.approx(float('inf'))", True),
        ("return 1.0000001", "assert f(1) == pytest.approx(True)", False),
        ("return float('nan')", "assert f(1) == pytest.approx(0.3)", False),
        ("raise StopIteration", "assert all(f(one) for one in [2, 3])", False),
        ("raise StopIteration", "assert [one for one in [1] if f(one)] == []", False),
        ("raise StopIteration", "with pytest.raises(StopIteration):\n        f(1)", True),
    ],
)
def test_what_looks_equal_is_told_apart(runtime: str, body: str, test: str, right: bool) -> None:
    code = f"def f(x):\n    {body}"
    row = f"import pytest\n\ndef test_f():\n    {test}\n" if "pytest" in test else [test]
    assert passes(code, row, runtime=runtime) == right


def test_loops_of_a_test_do_not_end_at_the_programs_stop_iteration() -> None:
    code = "def f(x):\n    raise StopIteration"
    for test in ("assert all(map(f, [2, 3]))", "assert list(map(f, [2])) == list(map(f, [7, 8]))"):
        assert not passes(code, [test], runtime="cpython")


def test_an_unknown_comparison_is_refused() -> None:
    with pytest.raises(InvalidParams, match="compare"):
        verifiers.python_tests(compare="loose")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "test", "right"),
    [
        ("yield from range(n)", "assert list(f(3)) == [0, 1, 2]", True),
        ("yield from range(n)", "g = f(2)\nassert [next(g), next(g, 5), next(g, 5)] == [0, 1, 5]", True),
        ("return map(str, range(n))", "assert sorted(f(2)) == ['0', '1']", True),
        ("yield from range(n)", "assert sum(f(4)) == 5", False),
        ("yield from range(n)", "assert f(3) == [0, 1, 2]", False),
        (
            "import itertools\n    yield from itertools.count(n)",
            "g = f(2)\nassert next(g) == 2 and next(g) == 3",
            True,
        ),
        ("import itertools\n    yield from itertools.count(n)", "assert list(f(2)) == []", False),
        ("yield n\n    raise ValueError('late')", "assert list(f(1)) == [1]", False),
    ],
)
def test_tests_get_the_items_of_iterators(body: str, test: str, right: bool) -> None:
    assert passes(f"def f(n):\n    {body}", [test], runtime="cpython") == right
