"""The runtimes agree, and their pools survive forks, kills and closing."""

import concurrent.futures
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
import reasonenv
from programs import samples
from reasonenv import verifiers
from reasonenv.errors import ReasonEnvError
from reasonenv.verifiers._code import _cpython, _monty

SAMPLES = list(samples())
RUNTIMES = ["monty", "cpython"]
TESTS = '["assert double(3) == 6"]'
RIGHT, WRONG = (f"```python\ndef double(n):\n    return {body}\n```" for body in ("2 * n", "n + 4"))


def judge(runtime: str, **options: object) -> verifiers.PythonVerifier:
    return verifiers.python_tests(runtime=runtime, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("start", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 5))])
def test_both_runtimes_agree_on_hundreds_of_programs(start: int) -> None:
    assert len(SAMPLES) >= 500
    chosen = SAMPLES[start::5]
    texts, references = [one.completion for one in chosen], [one.reference for one in chosen]
    ours, theirs = (judge(runtime, seconds=10)(texts, references) for runtime in RUNTIMES)
    assert [one.name for one, passed in zip(chosen, ours.passed, strict=True) if passed != one.right] == []
    differ = [
        (one.name, a.failures, b.failures)
        for one, a, b in zip(chosen, ours, theirs, strict=True)
        if (a.passed, a.failures, a.parts) != (b.passed, b.failures, b.parts)
    ]
    # Of endless recursion monty cannot tell whether CPython would stand it.
    assert [one for one in differ if not (one[0].startswith("recursion") and "wrong" in one[0])] == []


def _passed(runtime: str) -> list[bool]:
    return [bool(one) for one in judge(runtime)([RIGHT, WRONG] * 3, [TESTS] * 6).passed]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_started_after_a_pool_have_pools_of_their_own(runtime: str, method: str) -> None:
    assert _passed(runtime) == [True, False] * 3
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(_passed, [runtime] * 4)) == [[True, False] * 3] * 4
    assert _passed(runtime) == [True, False] * 3


def _children() -> list[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    return [
        int(line.split()[0])
        for line in found.stdout.splitlines()
        if line.split()[1].endswith("monty") or "_child.py" in line
    ]


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_pool_whose_workers_are_killed_loses_no_row(runtime: str) -> None:
    _passed(runtime)
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.1):
            for pid in _children():
                os.kill(pid, signal.SIGKILL)

    slowly = "```python\ndef double(n):\n    return sum(2 for _ in range(n)) + 0 * sum(range(200000))\n```"
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        time.sleep(0.1)
        verdicts = [judge(runtime)([slowly, WRONG] * 10, [TESTS] * 20) for _ in range(2)]
    finally:
        over.set()
        killer.join()
    for found in verdicts:
        assert len(found) == 20
        # A row whose sandbox is killed repeatedly is `crashed`; rows are never confused.
        assert not found.passed[1::2].any()
        assert all(one.passed or one.failures == ("crashed",) for one in found[::2])
    assert _passed(runtime) == [True, False] * 3


def test_a_pool_that_is_closed_is_rebuilt() -> None:
    _passed("monty")
    _monty.POOL.get().__exit__(None, None, None)
    assert _passed("monty") == [True, False] * 3


def test_a_template_that_is_gone_is_replaced() -> None:
    _passed("cpython")
    for one in _cpython._TEMPLATES._idle:
        one._process.kill()
        one._process.wait()
    assert _passed("cpython") == [True, False] * 3


def test_a_template_that_is_killed_as_it_starts_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Killed(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self)
            if len(started) == 1:
                self.kill()

    _cpython._TEMPLATES.close()
    monkeypatch.setattr(subprocess, "Popen", Killed)
    assert _passed("cpython") == [True, False] * 3
    assert started[0].returncode == -signal.SIGKILL


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_threads_share_a_pool(runtime: str) -> None:
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(_passed, [runtime] * 8)) == [[True, False] * 3] * 8


def test_processes_of_programs_end_with_their_session() -> None:
    _passed("cpython")
    before = len(_children())
    judge("cpython", seconds=0.2)(["```python\nwhile True:\n    pass\n```"] * 4, [TESTS] * 4)
    assert len(_children()) <= max(before, reasonenv.num_threads() * 2)


def test_rows_are_judged_once_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    from reasonenv.verifiers._code import _batch  # noqa: PLC0415

    seen: list[str] = []
    run = vars(_batch)["run_tests"]

    def counted(code: str, *rest: object) -> object:
        seen.append(code)
        return run(code, *rest)

    monkeypatch.setattr(_batch, "run_tests", counted)
    texts = [f"```python\ndef double(n):\n    return 2 * n + {k % 2} * {k}\n```" for k in range(60)]
    assert judge("monty")(texts, [TESTS] * 60).passed.tolist() == [True, False] * 30
    assert len(seen) == len(set(seen)) == 60


def test_without_the_extra_an_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    with pytest.raises(ReasonEnvError, match=r"pip install 'reasonenv\[code\]'"):
        _passed("monty")
    assert _passed("cpython") == [True, False] * 3


def test_importing_the_package_loads_no_sandbox() -> None:
    code = "import sys, reasonenv.verifiers; print([one for one in sys.modules if 'pydantic' in one])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_verifiers_pickle_and_compare() -> None:
    for one in (judge("cpython", seconds=3), verifiers.sql_result(steps=5000)):
        again = pickle.loads(pickle.dumps(one))
        assert again == one
        assert verifiers.from_config(verifiers.config_of(one)) == one
