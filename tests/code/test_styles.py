"""Programs of every style get the verdict that plain Python's output deserves."""

import subprocess
import sys
from functools import cache

import pytest
from reasonenv import verifiers
from reasonenv._native import Verdict
from styles import DENIED, PROGRAMS

RUNTIMES = ["monty", "cpython", "auto"]
PROMPTED = ["prompt", "prompts"]
_PLAIN = (
    "import runpy, site, sys; site.setquit(); sys.argv = sys.argv[1:]; "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)
"""Runs a program as `python3 program.py` does, without what is installed beside the standard library."""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, bool]]:
    """Output of each program under plain Python, and whether it ended well."""
    folder = tmp_path_factory.mktemp("programs")
    found = {}
    for name, (source, given) in PROGRAMS.items():
        path = folder / "program.py"
        path.write_bytes(source.encode())
        (folder / "input").write_bytes(given.replace("\r\n", "\n").encode())
        with (folder / "input").open("rb") as stdin:
            ran = subprocess.run(
                [sys.executable, "-I", "-S", "-X", "int_max_str_digits=0", "-c", _PLAIN, str(path)],
                stdin=stdin,
                capture_output=True,
                env={"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"},
                check=False,
            )
        found[name] = (ran.stdout.decode(), ran.returncode == 0)
    return found


@cache
def _verdicts(runtime: str, expected: tuple[str, ...]) -> list[Verdict]:
    judge = verifiers.python_tests(runtime=runtime, seconds=10)  # type: ignore[arg-type]
    texts = [f"````python\n{source}\n````" for source, _ in PROGRAMS.values()]
    rows = [
        [{"input": given, "output": output}]
        for (_, given), output in zip(PROGRAMS.values(), expected, strict=True)
    ]
    return list(judge(texts, rows))


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_program_passes_if_plain_python_prints_what_is_expected(
    runtime: str, printed: dict[str, tuple[str, bool]]
) -> None:
    assert len(PROGRAMS) >= 110
    wrong = []
    for verdict, (name, (output, ended)) in zip(
        _verdicts(runtime, tuple(output for output, _ in printed.values())), printed.items(), strict=True
    ):
        right = verdict.passed == ended
        if runtime == "monty" and verdict.failures == ("unsupported",):
            right = True
        if not right:
            wrong.append((name, output, ended, verdict))
    assert wrong == []


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_no_program_passes_if_plain_python_prints_anything_else(
    runtime: str, printed: dict[str, tuple[str, bool]]
) -> None:
    expected = tuple(f"{output.rstrip()}\n0.25" for output, _ in printed.values())
    paid = [
        name for name, verdict in zip(PROGRAMS, _verdicts(runtime, expected), strict=True) if verdict.passed
    ]
    assert paid == []


def test_most_styles_run_under_monty(printed: dict[str, tuple[str, bool]]) -> None:
    verdicts = _verdicts("monty", tuple(output for output, _ in printed.values()))
    missing = [name for name, one in zip(PROGRAMS, verdicts, strict=True) if "unsupported" in one.failures]
    assert len(missing) < 0.45 * len(PROGRAMS), missing


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", PROMPTED)
def test_prompts_of_input_count_only_where_they_are_expected(
    runtime: str, name: str, printed: dict[str, tuple[str, bool]]
) -> None:
    source, given = PROGRAMS[name]
    without = printed[name][0].replace("n = ", "").replace("0: ", "").replace("1: ", "")
    judge = verifiers.python_tests(runtime=runtime, seconds=10)  # type: ignore[arg-type]
    rows = [[{"input": given, "output": output}] for output in (printed[name][0], without, "n = ")]
    assert judge([f"```python\n{source}\n```"] * 3, rows).passed.tolist() == [True, True, False]


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", DENIED)
def test_what_no_sandbox_allows_is_unsupported(runtime: str, name: str) -> None:
    judge = verifiers.python_tests(runtime=runtime, seconds=10)  # type: ignore[arg-type]
    verdict = judge([f"```python\n{DENIED[name]}\n```"], [[{"input": "", "output": "5"}]])[0]
    assert verdict.failures == ("unsupported",), verdict


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_programs_whose_functions_are_tested_have_streams_too(runtime: str) -> None:
    source = (
        "import sys\nsys.setrecursionlimit(10 ** 4)\ndata = sys.stdin.read().split()\n"
        "def double(n):\n    print('debug', file=sys.stderr)\n    sys.stdout.write('debug')\n    return 2 * n"
    )
    judge = verifiers.python_tests(runtime=runtime, seconds=10)  # type: ignore[arg-type]
    tests = ["assert double(3) == 6", "assert abs(double(2.5) - 5) < 1e-6"]
    assert judge([f"```python\n{source}\n```"], [tests])[0].passed
