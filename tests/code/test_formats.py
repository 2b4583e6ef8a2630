"""Rows of more data sets, in the columns that they are published with."""

import base64
import json
import pickle
import zlib
from typing import Any

import numpy as np
import pytest
from reasonenv import verifiers

ADD, SUBTRACT = (f"def add(a, b):\n    return a {sign} b" for sign in "+-")
METHOD, WRONG_METHOD = (
    f"class Solution:\n    def add(self, a: int, b: int) -> int:\n        return a {sign} b" for sign in "+-"
)
TWICE, CONSTANT = "print(2 * int(input()))", "print(6)"
PLUS = """import numpy as np
from math import inf

def is_floats(x) -> bool:
    if isinstance(x, float):
        return True
    if isinstance(x, (list, tuple)):
        return all(isinstance(i, float) for i in x)
    if isinstance(x, np.ndarray):
        return x.dtype == np.float64 or x.dtype == np.float32
    return False

def assertion(out, exp, atol):
    if atol == 0 and is_floats(exp):
        atol = 1e-6
    if out != exp and atol != 0:
        assert np.allclose(out, exp, rtol=1e-07, atol=atol)
    else:
        assert out == exp, f"out: {out}, exp: {exp}"

"""
LOOP = """inputs = [[1.0, 2], [0.1, 0.2], [inf, 1]]
results = [3.0, 0.3000001, inf]
for i, (inp, exp) in enumerate(zip(inputs, results)):
    assertion(%s(*inp), exp, 0)
"""
BY_REFERENCE = """def ref_func(a, b):
    return a + b

inputs = [[1, 2], [0.1, 0.2]]
for i, inp in enumerate(inputs):
    assertion(add(*inp), ref_func(*inp), 0)
"""
AS_SETS = PLUS.replace("atol):\n    if", "atol):\n    exp, out = set(exp), set(out)\n    if", 1)
LEETCODE = """def check(candidate):
    assert candidate(a = 1, b = 2) == 3
    assert candidate(b = 1, a = 0) == 1
"""
PRIVATE = json.dumps([{"input": "4\n", "output": "8\n", "testtype": "stdin"}])
FUNCTIONAL = {"input": "[1]\n[2]", "output": "[1, 2]", "testtype": "functional"}


def indented(source: str) -> str:
    return source.replace("\n", "\n    ")


ROWS: dict[str, tuple[Any, str, str, tuple[int, int]]] = {
    "AceCode": ({"test_cases": ["assert add(1, 2) == 3", "assert add(2, 2) == 4"]}, ADD, SUBTRACT, (0, 2)),
    "DeepCoder, LiveCodeBench": (
        {"tests": json.dumps([FUNCTIONAL | {"metadata": {"func_name": "add"}}])},
        METHOD,
        WRONG_METHOD.replace("a - b", "[]"),
        (0, 1),
    ),
    "DeepCoder, TACO": (
        {"tests": json.dumps({"inputs": [[1, 2]], "outputs": [[3]], "fn_name": "add"})},
        ADD,
        SUBTRACT,
        (0, 1),
    ),
    "DeepCoder, prime": (
        {"tests": json.dumps([{"type": "stdin_stdout", "fn_name": None, "input": "3\n", "output": "6\n"}])},
        TWICE,
        "print(5)",
        (0, 1),
    ),
    "prime-rl, wrapped": (
        {
            "test_cases": [
                {"type": "function_call", "fn_name": "add", "input": [[1], [2]], "output": [[1, 2]]}
            ]
        },
        ADD,
        "def add(a, b):\n    return [a, b]",
        (0, 1),
    ),
    "Eurus": (
        {"reward_model": {"ground_truth": json.dumps({"inputs": ["3\n", "4"], "outputs": ["6", "8"]})}},
        TWICE,
        CONSTANT,
        (0, 2),
    ),
    "LeetCodeDataset": (
        {"prompt": "from typing import *\n\n", "entry_point": "Solution().add", "test": LEETCODE},
        METHOD,
        WRONG_METHOD,
        (0, 2),
    ),
    "LeetCodeDataset, loop": (
        {
            "prompt": "from typing import *\n",
            "entry_point": "Solution().add",
            "test": "def check(candidate):\n    for n in [1, 2]:\n        assert candidate(n, b=n) == 2 * n",
        },
        METHOD,
        WRONG_METHOD,
        (0, 1),
    ),
    "code-r1": ({"functional": f"{LEETCODE}\n\ncheck(Solution().add)"}, METHOD, WRONG_METHOD, (0, 2)),
    "CodeContests": (
        {
            "public_tests": {"input": ["3\n"], "output": ["6\n"]},
            "private_tests": {"input": ["4\n"], "output": ["8\n"]},
            "generated_tests": {"input": [], "output": []},
        },
        TWICE,
        CONSTANT,
        (1, 1),
    ),
    "Codeforces": (
        {
            "examples": [{"input": "3", "output": "6"}],
            "official_tests": [{"input": "4\r\n", "output": "8\r\n"}],
            "input_mode": "stdio",
            "generated_checker": None,
        },
        TWICE,
        CONSTANT,
        (1, 1),
    ),
    "LiveCodeBench, packed": (
        {
            "public_test_cases": json.dumps([{"input": "3\n", "output": "6", "testtype": "stdin"}]),
            "private_test_cases": base64.b64encode(zlib.compress(pickle.dumps(PRIVATE))).decode(),
            "metadata": "{}",
        },
        TWICE,
        CONSTANT,
        (1, 1),
    ),
    "MBPP+": ({"test_list": ["assert add(1, 2) == 3"], "test": PLUS + LOOP % "add"}, ADD, SUBTRACT, (1, 3)),
    "MBPP+, reference": (
        {"test_list": ["assert add(1, 2) == 3"], "test": PLUS + BY_REFERENCE},
        ADD,
        SUBTRACT,
        (1, 1),
    ),
    "MBPP+, sets": (
        {
            "test_list": ["assert set(add([1], [2])) == {1, 2}"],
            "test": AS_SETS + "inputs = [[[1], [2]]]\nresults = [[2, 1]]\n"
            "for i, (inp, exp) in enumerate(zip(inputs, results)):\n    assertion(add(*inp), exp, 0)\n",
        },
        ADD,
        "def add(a, b):\n    return a",
        (1, 1),
    ),
    "HumanEval+": (
        {
            "prompt": 'def add(a, b):\n    """Add."""\n',
            "entry_point": "add",
            "test": f"{PLUS}def check(candidate):\n    {indented(LOOP % 'candidate')}",
        },
        ADD,
        SUBTRACT,
        (0, 3),
    ),
    "long integers": (
        f'{{"fn_name": "add", "inputs": [[1{"0" * 6000}, 1]], "outputs": [1{"0" * 5999}1]}}',
        ADD,
        SUBTRACT,
        (0, 1),
    ),
    "arrays": (
        {"inputs": np.array(["3\n", "4\n"]), "outputs": np.array(["6\n", "8\n"], dtype=object)},
        TWICE,
        CONSTANT,
        (0, 2),
    ),
}


@pytest.mark.parametrize("runtime", ["monty", "cpython"])
@pytest.mark.parametrize("name", ROWS)
def test_rows_are_read_as_published(name: str, runtime: str) -> None:
    row, right, wrong, counts = ROWS[name]
    judge = verifiers.python_tests(runtime=runtime, seconds=5)  # type: ignore[arg-type]
    tests = judge.read_reference(row)
    assert (len(tests.visible), len(tests.hidden)) == counts
    verdicts = judge([f"```python\n{code}\n```" for code in (right, wrong)], [row, row])
    assert verdicts.passed.tolist() == [True, False], verdicts.detail
    assert "wrong_answer" in verdicts.failures[1], verdicts.detail


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (
            {"official_tests": [], "examples": [], "generated_checker": "import sys"},
            "`generated_checker` is given",
        ),
        ({"official_tests": [{"input": "1", "output": "1"}], "input_mode": "file"}, "`input_mode` is 'file'"),
        ({"public_tests": {"input": ["1"], "output": []}}, "`inputs` has 1 items"),
        ({"private_test_cases": base64.b64encode(zlib.compress(pickle.dumps(print))).decode()}, "must be"),
        ({"entry_point": "Solution().add(1)", "test": LEETCODE}, "must be the name of a function"),
    ],
)
def test_rows_that_equal_outputs_cannot_decide_are_refused(row: Any, reason: str) -> None:
    ((_, told),) = verifiers.python_tests().check([row])
    assert reason in told


@pytest.mark.parametrize("runtime", ["monty", "cpython"])
def test_programs_of_rows_with_a_function_name_need_no_imports(runtime: str) -> None:
    code = (
        "class Solution:\n    def add(self, a: List[int], b: Optional[int] = None) -> int:\n"
        "        seen = defaultdict(int)\n        for one in a:\n            seen[one] += 1\n"
        "        return min(inf, math.gcd(*a)) + Counter(a)[a[0]] + seen[a[0]] + len(list(permutations(a)))"
    )
    row = {"fn_name": "add", "inputs": [[[4, 6]]], "outputs": [6]}
    judge = verifiers.python_tests(runtime=runtime)  # type: ignore[arg-type]
    assert judge([f"```python\n{code}\n```"], [row])[0].passed
    future = f"'''Add.'''\nfrom __future__ import annotations\n{code}"
    assert runtime == "monty" or judge([f"```python\n{future}\n```"], [row])[0].passed
    plain = f"{code}\nadd = Solution().add"
    assert not judge([f"```python\n{plain}\n```"], [["assert add([4, 6]) == 6"]])[0].passed
