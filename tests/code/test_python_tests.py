"""`python_tests`: extraction of code, formats of tests, and verdicts."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from reasonenv import verifiers
from reasonenv.errors import InvalidParams, InvalidReference, InvalidTask
from reasonenv.integrations import item, score
from reasonenv.rollouts import evaluate
from reasonenv.verifiers._code._extract import extract_code
from typer.testing import CliRunner

RUNTIMES = ["monty", "cpython"]
ADD = "def add(a, b):\n    return a + b"
HARMONY = "<|start|>assistant<|channel|>{}<|message|>{}<|end|>"
TESTS = ["assert add(1, 2) == 3", "assert add(-1, 1) == 0"]


def fenced(code: str, language: str = "python") -> str:
    return f"Here it is.\n\n```{language}\n{code}\n```\n"


def verdict(code: str, tests: Any, **options: Any) -> reasonenv.Verdict:
    return verifiers.python_tests(**options)([code], [tests])[0]


@pytest.mark.parametrize(
    ("text", "options", "found"),
    [
        (fenced(ADD), {}, True),
        (fenced(ADD, "py"), {}, True),
        (fenced(ADD, ""), {}, True),
        (fenced(ADD, "Python"), {}, True),
        (fenced(ADD).replace("```", "~~~~"), {}, True),
        (ADD, {}, True),
        (ADD, {"extract": "fence"}, "no_code"),
        (ADD, {"extract": "whole"}, True),
        (fenced(ADD, "js"), {}, "no_code"),
        (fenced("def add(a, b): return 0") + fenced(ADD), {}, True),
        (fenced(ADD) + fenced("def add(a, b): return 0"), {}, "wrong_answer"),
        (fenced(ADD) + fenced("a\nb", "text"), {}, True),
        (fenced(ADD) + "```python\ndef add", {}, "truncated"),
        (f"<think>{fenced('1 / 0')}</think>{fenced(ADD)}", {}, True),
        (f"{fenced('1 / 0')}</think>{fenced(ADD)}", {}, True),
        (f"<think>{fenced(ADD)}</think>", {}, "no_code"),
        (f"<answer>{ADD}</answer>", {"tag": "answer"}, True),
        (f"<answer>\n{fenced(ADD)}</answer>", {"tag": "answer"}, True),
        (fenced(ADD), {"tag": "answer"}, "no_code"),
        ("It adds two numbers.", {}, "no_code"),
        ("", {}, "no_code"),
        (fenced("x = 1\n" * 20000), {}, "answer_too_long"),
        # Markdown: list items, quoted fences, a fence that the prompt has opened or that a stop string cut
        ("1. Here:\n   ```python\n   def add(a, b):\n       return a + b\n   ```\n2. Done.", {}, True),
        ("- Here:\n\n    ~~~py\n    def add(a, b):\n        return a + b\n    ~~~\n", {}, True),
        ("- ```python\n  def add(a, b):\n    return a + b\n  ```", {}, True),
        ("1. Here:\n\t```python\n\tdef add(a, b):\n\t\treturn a + b\n\t```", {}, True),
        (fenced('def add(a, b):\n    """\n    ```\n    x\n    ```\n    """\n    return a + b'), {}, True),
        ('def add(a, b):\n    """\n    ```\n    x\n    ```\n    """\n    return a + b', {}, True),
        ("> ```python\n> def add(a, b):\n>     return a + b\n> ```\n", {}, True),
        (f"{ADD}\n```", {}, True),
        (f"{ADD}\n```\nThis adds two numbers.", {}, True),
        (f"{ADD}\n```\nUse it so:\n```python\nprint(add(1, 2))\n```", {}, True),
        (f"Here\n```\n{ADD}\n```\nDone\n```", {}, "truncated"),
        (f"```python\n{ADD}\n", {}, True),
        (f"```python\n{ADD}\n```<|im_end|>", {}, True),
        (f"{ADD}\n<|im_end|></s>", {}, True),
        (f"```{{.python}}\n{ADD}\n```", {}, True),
        (f"```python3.11 title='x'\n{ADD}\n```", {}, True),
        (f'````python\n{ADD}\ns = """\n```\n"""\n````', {}, True),
        (fenced("\ufeff" + ADD), {}, True),
        # the last block that defines what the tests call
        (fenced(ADD) + fenced("print(add(1, 2))"), {}, True),
        (fenced(ADD) + fenced("from solution import add\nassert add(1, 2) == 3"), {}, True),
        (fenced(ADD) + fenced("add = lambda a, b: 0"), {}, "wrong_answer"),
        (fenced(ADD) + fenced("def add(a, b): return 0") + fenced("add(1, 2)"), {}, "wrong_answer"),
        (fenced(ADD) + fenced("add(1, 2", "text"), {}, True),
        # reasoning
        (f"[THINK]{fenced('1 / 0')}[/THINK]{fenced(ADD)}", {}, True),
        (f"[THINK]{fenced(ADD)}[/THINK]", {}, "no_code"),
        (f"{fenced('1 / 0')}[/THINK]{fenced(ADD)}", {}, True),
        (f"<|begin_of_thought|>{fenced('1 / 0')}<|end_of_thought|>\n{fenced(ADD)}", {}, True),
        (f"<|begin_of_thought|>x<|end_of_thought|><|begin_of_solution|>\n{ADD}<|end_of_solution|>", {}, True),
        (f"<|begin_of_thought|>{fenced(ADD)}", {}, "no_code"),
        (f"{HARMONY.format('analysis', fenced('1 / 0'))}{HARMONY.format('final', fenced(ADD))}", {}, True),
        (f"<|channel|>analysis<|message|>{fenced(ADD)}<|end|>", {}, "no_code"),
        (f"{HARMONY.format('final', fenced(ADD))}{HARMONY.format('analysis', fenced('1 / 0'))}", {}, True),
        (f"analysisWe add.{fenced('1 / 0')}assistantfinal{fenced(ADD)}", {}, True),
        (f"<think>a</think>{fenced(ADD)}<think>{fenced('1 / 0')}</think>", {}, True),
        (f"<think>{fenced(ADD)}</thinking>", {}, "no_code"),
    ],
)
def test_code_is_found_in_completions(text: str, options: dict[str, Any], found: bool | str) -> None:
    given = verdict(text, TESTS, **options)
    assert (given.passed or given.failures[0]) == found


@pytest.mark.parametrize("language", ["python", "sql"])
@pytest.mark.parametrize(
    "piece",
    ["`", "~", "``` ", "```a", "   ", "- ", "<think>", "</think>", "[THINK]", "<|channel|>", "1.", "\n```"],
)
@pytest.mark.parametrize("ends", ["```{}`", "{}", "```\n{}\n", "{}<|im_end|>"])
def test_code_is_found_in_time_that_grows_with_the_text(piece: str, ends: str, language: str) -> None:
    text = ends.format(piece * (200_000 // len(piece)))
    start = time.process_time()
    extract_code(text, language, "auto", None)
    assert time.process_time() - start < 1


HUMAN_EVAL = {
    "prompt": "from math import pi\n\ndef twice(x):\n    return 2 * x\n\n"
    'def area(r):\n    """Return the area of a circle."""\n',
    "entry_point": "area",
    "test": "METADATA = {}\n\ndef check(candidate):\n    assert candidate(0) == 0\n"
    "    assert abs(candidate(1) - 3.14159) < 1e-3\n    assert candidate(2.0) == candidate(2)\n",
}
LOOP = HUMAN_EVAL | {
    "test": "def check(f):\n    for n in range(3):\n        assert abs(f(n) - 3.1416 * n * n) < 0.01\n"
}
STDIN = "n = int(input())\nprint(*range(n))"
PYTEST = """import pytest
from solution import ordered

def test_order():
    assert ordered([2, 1]) == [1, 2]

def test_error():
    with pytest.raises(ValueError, match="empty"):
        ordered([])

@pytest.mark.parametrize("given, wanted", [([1.0], [1.0]), ([3, 0.1], [0.1, 3])])
def test_floats(given, wanted):
    found = ordered(given)
    assert found == pytest.approx(wanted)

class TestMore:
    def test_length(self):
        assert len(ordered([1, 2, 3])) == 3
"""
ORDERED = "def ordered(x):\n    if not x:\n        raise ValueError('x is empty')\n    return sorted(x)"

ROWS: dict[str, tuple[Any, str, str, tuple[int, int]]] = {
    "MBPP": ({"test_list": TESTS}, ADD, ADD.replace("+", "-"), (0, 2)),
    "MBPP, challenges": (
        {"test_list": TESTS, "challenge_test_list": ["assert add(2, 2) == 4"], "test_setup_code": ""},
        ADD,
        "def add(a, b):\n    return {1: 3, -1: 0}.get(a)",
        (2, 1),
    ),
    "MBPP, set-up": (
        {
            "test_list": ["assert root(Point(4)) == 2"],
            "test_setup_code": "class Point:\n    def __init__(self, x):\n        self.x = x",
        },
        "def root(p):\n    return int(p.x ** 0.5)",
        "def root(p):\n    return 0",
        (0, 1),
    ),
    "MBPP, imports": (
        {"test_list": ["assert math.isclose(half(3), 1.5, rel_tol=0.001)"], "test_imports": ["import math"]},
        "def half(x):\n    return x / 2",
        "def half(x):\n    return x // 2",
        (0, 1),
    ),
    "lines of assert": (TESTS, ADD, "def add(a, b):\n    return 3", (0, 2)),
    "HumanEval": (HUMAN_EVAL, "def area(r):\n    return pi * r * r", "def area(r):\n    return r", (0, 3)),
    "HumanEval, helpers": (
        HUMAN_EVAL,
        "def area(r):\n    return pi * twice(r) * r / 2",
        "def area(r):\n    return twice(r)",
        (0, 3),
    ),
    "HumanEval, body": (HUMAN_EVAL, "    return pi * r * r\n", "    return pi\n", (0, 3)),
    "HumanEval, loop": (LOOP, "def area(r):\n    return pi * r * r", "def area(r):\n    return 0", (0, 1)),
    "APPS": (
        {"fn_name": "add", "inputs": [[1, 2], [0, 0]], "outputs": [3, [0]]},
        ADD,
        ADD.replace("+", "-"),
        (0, 2),
    ),
    "APPS, method": (
        {"fn_name": "both", "inputs": [[[1, 2]]], "outputs": [[2, 1]]},
        "class Solution:\n    def both(self, x: list) -> tuple:\n        return tuple(x[::-1])",
        "class Solution:\n    def both(self, x):\n        return x",
        (0, 1),
    ),
    "APPS, nested": (
        {"input_output": json.dumps({"inputs": ["3\n"], "outputs": ["0 1 2\n"]})},
        STDIN,
        "print(input())",
        (0, 1),
    ),
    "TACO": ({"inputs": ["2"], "outputs": ["0 1"]}, STDIN, "print('0 1 2')", (0, 1)),
    "LiveCodeBench": (
        {
            "public_test_cases": [{"input": "[1, 2]\n3", "output": "6", "testtype": "functional"}],
            "private_test_cases": json.dumps([{"input": "[]\n0", "output": "0", "testtype": "functional"}]),
            "metadata": '{"func_name": "total"}',
        },
        "class Solution:\n    def total(self, values, more):\n        return sum(values) + more",
        "class Solution:\n    def total(self, values, more):\n        return 6",
        (1, 1),
    ),
    "LiveCodeBench, stdin": (
        {
            "public_test_cases": [{"input": "3\n", "output": "0 1 2", "testtype": "stdin"}],
            "private_test_cases": [{"input": "1\n", "output": "0\n", "testtype": "stdin"}],
        },
        STDIN,
        "print('0 1 2')",
        (1, 1),
    ),
    "prime-rl": (
        {"test_cases": [{"type": "stdin_stdout", "fn_name": None, "input": "2\n", "output": "0 1\n"}]},
        STDIN,
        "print(2)",
        (0, 1),
    ),
    "prime-rl, function": (
        {
            "verification_info": {
                "test_cases": [{"type": "function_call", "fn_name": "add", "input": [1, 2], "output": 3}]
            }
        },
        ADD,
        ADD.replace("+", "*"),
        (0, 1),
    ),
    "KodCode": (PYTEST, ORDERED, "def ordered(x):\n    return sorted(x)", (0, 4)),
    "KodCode, column": ({"test": PYTEST}, ORDERED, "def ordered(x):\n    return x", (0, 4)),
    "in place": (
        "def test_sort():\n    given = [3, 1, 2]\n    sort(given)\n    assert given == [1, 2, 3]\n",
        "def sort(x):\n    x.sort()",
        "def sort(x):\n    return sorted(x)",
        (0, 1),
    ),
    "pairs": ([{"input": "3", "output": "0 1 2"}, {"input": "1", "output": "0"}], STDIN, "print(0)", (0, 2)),
    "lines": (
        {"inputs": [["1", "2"]], "outputs": [["1", "2"]]},
        "import sys\nfor line in sys.stdin:\n    print(line.strip())",
        "print(input())",
        (0, 1),
    ),
}


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", ROWS)
def test_tests_of_every_format_are_read(name: str, runtime: str) -> None:
    row, right, wrong, counts = ROWS[name]
    tests = verifiers.read_tests(row)
    assert (len(tests.visible), len(tests.hidden)) == counts
    assert repr(tests) == f"CodeTests({counts[0]} visible, {counts[1]} hidden)"
    extract = "whole" if name == "HumanEval, body" else "auto"
    judge = verifiers.python_tests(runtime=runtime, extract=extract, seconds=5)  # type: ignore[arg-type]
    texts = [right, wrong] if extract == "whole" else [fenced(right), fenced(wrong)]
    as_json = row if isinstance(row, str) else json.dumps(row)
    verdicts = judge(texts, [as_json, row])
    assert verdicts.passed.tolist() == [True, False], verdicts.detail
    assert verdicts.failures[1] == ("wrong_answer",), verdicts.detail


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("[]", "no tests"),
        ("{}", "the columns are none"),
        ({"question": "?"}, "the columns are question"),
        ({"test_list": "assert 1"}, "`test_list` is 'assert 1', but must be a list"),
        ({"test_list": ["add(1, 2)"]}, "must be a line of `assert`"),
        ({"test_list": ["assert ("]}, "is no Python"),
        ({"entry_point": "f", "test": "def test(): pass"}, "must define `check"),
        ({"entry_point": "f(", "test": ""}, "must be the name of a function"),
        ({"inputs": [1], "outputs": []}, "`inputs` has 1 items"),
        ({"fn_name": "f()", "inputs": [[]], "outputs": [1]}, "must be the name of a function"),
        ([{"input": "1"}], "must be"),
        ([{"input": [1], "output": 1}], "must be text"),
        ("x = 1", "neither functions"),
        (7, "neither functions"),
        ({"test_cases": [{"type": "function_call", "input": [1], "output": 1}]}, "`fn_name`"),
    ],
)
def test_rows_without_tests_are_refused(row: Any, reason: str) -> None:
    judge = verifiers.python_tests()
    ((at, told),) = judge.check([TESTS, row])
    assert at == 1
    assert reason in told
    with pytest.raises(InvalidReference, match=r"`references\[1\]`"):
        judge(["", ""], [TESTS, row])


@pytest.mark.parametrize(
    ("code", "label", "detail"),
    [
        ("def add(a, b):\n    return 7", "wrong_answer", "add(1, 2) returned 7, but must return 3"),
        ("def add(a, b):\n    return [][0]", "crashed", "IndexError"),
        ("def add(a, b):\n    while True: pass", "timeout", "longer than is allowed"),
        ("def add(a, b):\n    return [0] * 10 ** 10", "memory", "more memory"),
        ("def add(a, b)\n    return 3", "syntax_error", "line 1"),
        ("import numpy\n" + ADD, "unsupported", "module numpy"),
        ("add = 3", "crashed", "TypeError"),
        ("def sub(a, b):\n    return 3", "crashed", "NameError"),
        ("raise ValueError('no')", "crashed", "ValueError: no"),
        ("class Sum: pass\ndef add(a, b):\n    return Sum()", "wrong_answer", "an object of type Sum"),
    ],
)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_failures_have_labels_and_reasons(runtime: str, code: str, label: str, detail: str) -> None:
    found = verdict(fenced(code), TESTS, visible=1, runtime=runtime, seconds=1, memory_mb=128)
    assert found.failures[0] == label
    assert detail in found.detail
    assert (found.passed, found.score) == (False, 0)


@pytest.mark.parametrize(
    ("code", "construct"),
    [
        ("def add(a, b):\n    yield 3", "yield"),
        ("class A: pass\nclass B(A): pass", "inheritance"),
        ("class A:\n    @property\n    def x(self): return 1", "decorators"),
        ("def add(a, b):\n    del a", "del"),
        ("import heapq", "module heapq"),
        ("from collections import OrderedDict", "collections.OrderedDict"),
        ("def add(a, b):\n    return str.maketrans('a', 'b')", "str.maketrans"),
        ("def add(a, b):\n    return issubclass(int, int)", "issubclass"),
        ("from cmath import *", "import *"),
        ("def add(a, b):\n    return locals()", "locals"),
    ],
)
def test_what_a_subset_lacks_is_unsupported_and_named(code: str, construct: str) -> None:
    found = verdict(fenced(code), TESTS[:1])
    assert found.failures == ("unsupported",)
    assert construct in found.detail
    assert verdict(fenced(code), TESTS[:1], runtime="cpython").failures != ("unsupported",)


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize(
    ("tests", "code", "construct"),
    [
        (
            "def test_push():\n    s = Stack()\n    s.push(1)\n    assert s.pop() == 1\n",
            "class Stack:\n    def push(self, x): self.x = x\n    def pop(self): return self.x",
            "objects of the class Stack",
        ),
        (
            "class Point:\n    pass\n\ndef test_point():\n    assert shift(Point()) is None\n",
            "def shift(p): pass",
            "an object of type Point",
        ),
        ("def test_key():\n    assert use(lambda: 1) == 1\n", "def use(f): return f()", "function"),
    ],
)
def test_objects_do_not_pass_between_tests_and_programs(
    runtime: str, tests: str, code: str, construct: str
) -> None:
    found = verdict(fenced(code), tests, runtime=runtime)
    assert found.failures == ("unsupported",)
    assert construct in found.detail


def test_parts_tell_visible_from_hidden_tests_and_details_give_no_hidden_test_away() -> None:
    memorized = fenced("def add(a, b):\n    return 3")
    judge = verifiers.python_tests(visible=1)
    found = judge([memorized, fenced(ADD)], [TESTS] * 2)
    assert found.parts["visible"].tolist() == [1, 1]
    assert found.parts["hidden"].tolist() == [0, 1]
    assert found.passed.tolist() == [False, True]
    assert "hidden: wrong_answer" in found.detail[0]
    assert "add(-1" not in found.detail[0]
    assert found.detail[1] == ""


def test_a_share_is_paid_where_it_is_asked_for() -> None:
    tests = ["assert add(1, 2) == 3", "assert add(2, 1) == 3", "assert add(0, 0) == 0"]
    three = fenced("def add(a, b):\n    return 3")
    assert verdict(three, tests).score == 0
    assert verdict(three, tests, score="share").score == pytest.approx(2 / 3)
    assert verdict(three, tests, score="share", visible=1).score == pytest.approx(1 / 2)
    assert verdict(fenced(ADD), tests, score="share").score == 1


def test_a_tolerance_counts_for_floats() -> None:
    tests = {"fn_name": "third", "inputs": [[1]], "outputs": [0.3333]}
    third = fenced("def third(n):\n    return n / 3")
    assert not verdict(third, tests).passed
    assert verdict(third, tests, tolerance=1e-3).passed
    printed = fenced("print('sum', int(input()) / 3)")
    assert verdict(printed, [{"input": "1", "output": "sum 0.3333"}], tolerance=1e-3).passed
    assert not verdict(printed, [{"input": "1", "output": "mean 0.3333"}], tolerance=1e-3).passed


def test_a_program_keeps_its_state_between_tests() -> None:
    code = fenced("seen = []\ndef keep(x):\n    seen.append(x)\n    return seen")
    assert verdict(code, ["assert keep(1) == [1]", "assert keep(2) == [1, 2]"]).passed


def test_a_main_guard_does_not_run_where_functions_are_tested() -> None:
    guarded = f"{ADD}\n\nif __name__ == '__main__':\n    print(add(int(input()), 1))"
    for runtime in RUNTIMES:
        assert verdict(fenced(guarded), TESTS, runtime=runtime).passed
        assert verdict(fenced(guarded), [{"input": "4", "output": "5"}], runtime=runtime).passed


def test_verdicts_depend_on_no_clock_no_chance_and_no_hashes() -> None:
    code = fenced(
        "import random\ndef draw():\n    return [random.random(), hash('a'), list({'b', 'c', 'd', 'e'})]"
    )
    for runtime in RUNTIMES:
        judge = verifiers.python_tests(runtime=runtime, visible=1)  # type: ignore[arg-type]
        details = set(judge([code] * 12, [["assert draw() == 0"]] * 12).detail)
        assert len(details) == 1


@pytest.mark.parametrize(
    ("option", "odd"),
    [
        ("runtime", "docker"), ("extract", "boxed"), ("tag", 3), ("visible", -1), ("score", "half"),
        ("tolerance", 2), ("seconds", 0), ("memory_mb", 1), ("output_kb", 0),
    ],
)  # fmt: skip
def test_bad_options_are_named(option: str, odd: Any) -> None:
    with pytest.raises(InvalidParams, match=option):
        verifiers.from_config({"verifier": "python_tests", option: odd})
    with pytest.raises(InvalidParams, match="no param `timeout`; it takes `runtime`"):
        verifiers.from_config({"verifier": "python_tests", "timeout": 3})


def rows() -> reasonenv.data.Rows:
    given = [
        {"text": "Add two numbers.", "test_list": TESTS},
        {"text": "Halve.", "test_list": ["assert half(4) == 2"]},
    ]
    return reasonenv.from_rows(
        given, question="text", answer=["test_list", "test_imports"], verifier="python_tests"
    )


def test_rows_are_tasks_everywhere() -> None:
    tasks = rows()
    assert "```python" in tasks[0].prompt
    assert tasks[0].verify(tasks[0].wrap(ADD)).passed
    assert tasks[0].has_answer(tasks[0].wrap(ADD))
    prompt, problem, _ = item(tasks[0])
    assert prompt == tasks[0].prompt
    assert score(fenced(ADD), problem).passed
    assert not score(fenced("def add(a, b): return 3"), problem).passed
    (found,) = evaluate(tasks, {"adds": lambda given, _: [fenced(ADD) for _ in given]})
    assert (found.items, found.pass_rate) == (2, 0.5)


def test_a_column_of_no_tests_is_named() -> None:
    with pytest.raises(InvalidTask, match=r"row 0: `test_list`"):
        reasonenv.from_rows([{"question": "?", "test_list": []}], answer="test_list", verifier="python_tests")
    with pytest.raises(InvalidTask, match=r"row 0: there is no column `a`"):
        reasonenv.from_rows([{"question": "?"}], answer=["a", "b"], verifier="python_tests")


def test_it_combines_with_other_verifiers() -> None:
    judge = verifiers.all_of(verifiers.think(), verifiers.python_tests())
    found = judge([f"<think>a + b</think>\n{fenced(ADD)}", fenced(ADD)], [json.dumps(TESTS)] * 2)
    assert found.passed.tolist() == [True, False]
    assert "```python" in reasonenv.from_rows([{"question": "?", "answer": TESTS}], verifier=judge)[0].prompt


def test_files_of_rows_are_judged(tmp_path: Path) -> None:
    from reasonenv._cli import app  # noqa: PLC0415

    path = tmp_path / "rows.jsonl"
    lines = [
        {"completion": fenced(code), "test_list": TESTS, "challenge_test_list": ["assert add(9, 9) == 18"]}
        for code in (ADD, "def add(a, b):\n    return 3", "def add(a, b):\n    yield")
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    columns = [
        "--reference",
        "test_list",
        "--reference",
        "challenge_test_list",
        "--reference",
        "test_imports",
    ]
    ran = CliRunner().invoke(app, ["judge", str(path), "--verifier", "python_tests", *columns, "--json"])
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.stdout)
    assert (found["rows"], found["passed"]) == (3, 1)
    assert found["failures"] == {"wrong_answer": 1, "unsupported": 1}
