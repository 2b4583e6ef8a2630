"""Batches of programs, run against their tests from any process, forked ones included."""

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeVar

from reasonenv._native import ReasonEnvError
from reasonenv.verifiers._code._judge import run_tests
from reasonenv.verifiers._code._monty import POOL, MontyRuntime
from reasonenv.verifiers._code._pool import judge_rows
from reasonenv.verifiers._code._sandbox import (
    Outcome,
    Runtime,
    SandboxLimits,
    SandboxLostError,
    SandboxStartError,
)
from reasonenv.verifiers._code._tests import CodeTests
from reasonenv.verifiers._code._values import OutputComparison

RuntimeName = Literal["monty", "cpython", "auto"]
RUNTIMES: tuple[RuntimeName, ...] = ("monty", "cpython", "auto")
Row = tuple[str, CodeTests]
_Result = TypeVar("_Result")

_ATTEMPTS = 3
"""Sandboxes that a row may lose before its program is blamed for ending them."""


def run_rows(
    name: RuntimeName, rows: Sequence[Row], limits: SandboxLimits, comparison: OutputComparison
) -> list[list[Outcome]]:
    """Run programs against their tests in parallel; return each row's outcomes in the order of its tests.

    Raises:
        ReasonEnvError: The runtime is not installed or does not start.
    """
    if name == "auto":
        return _run_on_both(rows, limits, comparison)
    if name == "monty" and POOL.inherited:
        outcomes: list[list[Outcome]] = _HELPER.ask(run_rows, list(rows), limits, comparison)
        return outcomes
    runtime = _runtime(name)
    return judge_rows(lambda row: _attempt(*row, runtime, limits, comparison), rows)


def _run_on_both(
    rows: Sequence[Row], limits: SandboxLimits, comparison: OutputComparison
) -> list[list[Outcome]]:
    """Run programs under monty, and those that it does not support under CPython."""
    outcomes = run_rows("monty", rows, limits, comparison)
    again = [at for at, row in enumerate(outcomes) if any(one.label == "unsupported" for one in row)]
    found = run_rows("cpython", [rows[at] for at in again], limits, comparison) if again else []
    for at, row in zip(again, found, strict=True):
        outcomes[at] = row
    return outcomes


def _runtime(name: RuntimeName) -> Runtime:
    if name == "monty":
        return MontyRuntime()
    from reasonenv.verifiers._code._cpython import CPythonRuntime  # noqa: PLC0415  needs Unix

    return CPythonRuntime()


def run_program(name: RuntimeName, source: str, limits: SandboxLimits) -> Outcome:
    """Run a program by itself; the outcome holds what it prints.

    Raises:
        ReasonEnvError: The runtime is not installed or does not start.
    """
    outcome: Outcome
    if name == "auto":
        outcome = run_program("monty", source, limits)
        return run_program("cpython", source, limits) if outcome.label == "unsupported" else outcome
    if name == "monty" and POOL.inherited:
        outcome = _HELPER.ask(run_program, source, limits)
        return outcome
    runtime = _runtime(name)

    def run() -> Outcome:
        with runtime.session(limits, time.monotonic() + limits.seconds) as session:
            return session.run(source)

    return _repeated(run, lambda lost: lost)


def _attempt(
    code: str, tests: CodeTests, runtime: Runtime, limits: SandboxLimits, comparison: OutputComparison
) -> list[Outcome]:
    """Run a program against its tests."""
    return _repeated(
        lambda: run_tests(code, tests, runtime, limits, comparison), lambda lost: [lost] * len(tests)
    )


def _repeated(run: Callable[[], _Result], given_up: Callable[[Outcome], _Result]) -> _Result:
    """Run again in a fresh sandbox if one is lost, which may not be the program's fault.

    Raises:
        ReasonEnvError: No sandbox starts.
    """
    lost = SandboxLostError()
    for _ in range(_ATTEMPTS):
        try:
            return run()
        except SandboxLostError as error:
            lost = error
    if isinstance(lost, SandboxStartError):
        raise ReasonEnvError(str(lost))
    return given_up(Outcome("crashed", f"its process ended ({lost})"))


class _Helper:
    """A process that runs programs for a forked process.

    Threads of monty's client do not survive a fork, so a process whose parent has used monty cannot use it.
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def after_fork(self) -> None:
        """Leave the parent's helper to the parent."""
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        os.close(pipe.fileno())
            self._process.returncode = 0
            _KEPT.append(self._process)
        self._forget()

    def ask(self, work: Callable[..., Any], *given: Any) -> Any:
        """Do work with monty in the helper; replace a helper that has ended."""
        with self._lock:
            for _ in range(_ATTEMPTS):
                try:
                    found = self._exchange((work, given))
                except (OSError, EOFError, pickle.UnpicklingError):
                    self._end()
                    continue
                except BaseException:  # the next call would read this call's unread reply
                    self._end()
                    raise
                if isinstance(found, str):
                    raise ReasonEnvError(found)
                return found
        raise ReasonEnvError("the process that runs programs for this fork ends again and again")

    def _exchange(self, request: tuple[Callable[..., Any], tuple[Any, ...]]) -> Any:
        if self._process is None:
            code = (
                f"import sys; sys.path[:] = {sys.path!r}; from reasonenv.verifiers._code import _batch; "
                "_batch.serve()"
            )
            self._process = subprocess.Popen(
                [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump(request, self._process.stdin)
        self._process.stdin.flush()
        return pickle.load(self._process.stdout)

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


_KEPT: list[Any] = []
_HELPER = _Helper()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_HELPER.after_fork)


def serve() -> None:
    """Do the work that arrives on stdin until it is closed."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            work, given = pickle.load(sys.stdin.buffer)
        except (EOFError, KeyboardInterrupt):
            return
        try:
            found: Any = work("monty", *given)
        except ReasonEnvError as error:
            found = str(error)
        pickle.dump(found, replies)
        replies.flush()
