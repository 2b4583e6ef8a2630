"""The runtime `monty`: a subset of Python, interpreted in isolated worker processes."""

import datetime
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from reasonenv import _native
from reasonenv._native import ReasonEnvError
from reasonenv.verifiers._code._monty_source import MissingError, adapted
from reasonenv.verifiers._code._sandbox import (
    TIMEOUT,
    Host,
    Outcome,
    SandboxLimits,
    SandboxLostError,
    raised,
)
from reasonenv.verifiers._code._values import NotPlainError, plain

_POLICY: Any = {
    "datetime": datetime.datetime(2025, 1, 1),
    "sleep": "zero",
    "random_start": {"seed": 0},
}
"""A fixed clock and seed, so that verdicts depend on neither time nor chance."""

_SNAPSHOT = """
def _snapshot(value):
    kind = type(value)
    if kind is list:
        return [_snapshot(one) for one in value]
    if kind is dict:
        return {key: _snapshot(one) for key, one in value.items()}
    if kind is tuple:
        return tuple([_snapshot(one) for one in value])
    return set(value) if kind is set else value
_found = []
"""
"""Copies each value right after its test, because a program may return the same list again."""

_DEEPEST, _DEEPEST_ON_REQUEST = 1000, 5000
"""Limits of recursion: that of CPython, and for programs that set one. A fault there takes quadratic time."""


class _MontyPool:
    """The process's pool of workers, rebuilt after it breaks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: Any = None
        self.used = False
        self.inherited = False
        """True if a parent used monty before it forked this process, in which monty then fails."""

    def after_fork(self) -> None:
        """Leave the pool to the parent: closing it here would end the parent's workers."""
        if self._made is not None:
            _keep_alive(self._made)
            self._made = None
        self.inherited = self.inherited or self.used
        self._lock = threading.Lock()

    def get(self) -> Any:
        """Return the pool, creating it if necessary."""
        with self._lock:
            if self._made is None:
                # A thread may hold two sessions: one for tests, which calls one for the program.
                self.used = True
                made = _module().Monty(
                    max_processes=2 * max(1, _native.num_threads()) + 2, max_checkouts_per_worker=5000
                )
                try:
                    self._made = made.__enter__()
                except OSError as error:
                    raise ReasonEnvError(f"the workers of monty do not start ({error})") from error
            return self._made

    def drop(self, broken: Any) -> None:
        """Forget a broken pool unless another thread has replaced it."""
        with self._lock:
            if self._made is broken:
                self._made = None


POOL = _MontyPool()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=POOL.after_fork)


def _keep_alive(pool: Any) -> None:
    """Add a reference that is never released, not even at interpreter exit."""
    import ctypes  # noqa: PLC0415  only after a fork

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(pool))


def _module() -> Any:
    try:
        import pydantic_monty  # noqa: PLC0415  an extra
    except ImportError as error:
        msg = (
            "runtime \"monty\" needs pydantic-monty; pip install 'reasonenv[code]', or name the runtime "
            '"cpython"'
        )
        raise ReasonEnvError(msg) from error
    return pydantic_monty


class MontyRuntime:
    """Opens sessions in workers of the process's pool."""

    name = "monty"

    @contextmanager
    def session(self, limits: SandboxLimits, end: float) -> Iterator["_MontySession"]:
        """Open a session, which takes a worker on its first run."""
        session = _MontySession(limits, end)
        try:
            yield session
        finally:
            session.close()


class _MontySession:
    def __init__(self, limits: SandboxLimits, end: float) -> None:
        self._monty = _module()
        self._limits, self._end = limits, end
        self._checkout: Any = None
        self._pool: Any = None

    def close(self) -> None:
        checkout, self._checkout = self._checkout, None
        if checkout is not None:
            with suppress(RuntimeError, OSError, self._monty.MontyError):  # the loss was already reported
                checkout.__exit__(None, None, None)

    def _feed(self, source: str, *, patience: float = 1.0, **options: Any) -> Outcome:
        """Run source in the session's worker, within `patience` times the seconds of a test."""
        monty = self._monty
        if time.monotonic() > self._end:
            return TIMEOUT
        output = monty.CollectString(self._limits.output_kb << 10)
        try:
            if self._checkout is None:
                self._pool = POOL.get()
                limits = monty.ResourceLimits(
                    max_feed_duration_secs=self._limits.seconds * patience,
                    max_memory=self._limits.memory_mb << 20,
                    max_recursion_depth=_DEEPEST_ON_REQUEST if "setrecursionlimit" in source else _DEEPEST,
                    max_suspensions=10_000,
                )
                made = self._pool.checkout(limits=limits, os_policy=_POLICY, assert_message_annotations=False)
                self._checkout = made.__enter__()
            value = self._checkout.feed_run(source, print_callback=output, **options)
        except monty.MontyCrashedError as error:
            self._checkout = None
            if error.timed_out or "limit" in str(error):
                return TIMEOUT
            raise SandboxLostError(str(error).splitlines()[0][:200]) from None
        except monty.MontySyntaxError as error:
            return Outcome("syntax_error", _line(error), error=("SyntaxError", str(error)))
        except monty.MontyRuntimeError as error:
            return replace(self._raised(error), output=output.output)
        except monty.MontyError as error:
            return Outcome("unsupported", _line(error))
        except (RuntimeError, OSError) as error:
            self._checkout = None
            POOL.drop(self._pool)
            raise SandboxLostError(str(error)) from None
        return Outcome(value=value, output=output.output)

    def _raised(self, error: Any) -> Outcome:
        kind, message = error.display("type-msg").partition(":")[0], str(error)
        message = "" if message == kind else message.removeprefix(f"{kind}:").strip()
        if message == "EOF when reading a line":  # by the name that `input` gives it
            kind = "EOFError"
        if kind == "TimeoutError" and "time limit exceeded" in message:
            return TIMEOUT
        if kind == "MemoryError" and message.endswith(f"> {self._limits.output_kb << 10} bytes"):
            return Outcome("memory", "it prints more than is allowed", fatal=True)
        return raised(kind, message, subset=True)

    def run(self, source: str, stdin: str | None = None) -> Outcome:
        try:
            source, given = adapted(source, stdin)
        except MissingError as error:
            return Outcome("unsupported", str(error))
        found = self._feed(source + "\nNone", inputs=given)
        if stdin is not None and found.error == ("SystemExit", ""):
            return Outcome(output=found.output)
        return found if found.label else Outcome(output=found.output)

    def evaluate(self, source: str, expressions: Sequence[str]) -> list[Outcome]:
        try:
            adapted_source, _ = adapted(source, None)
        except MissingError:
            return self._one_by_one(source, expressions)
        return self._at_once(adapted_source, expressions) or self._one_by_one(source, expressions)

    def _at_once(self, source: str, expressions: Sequence[str]) -> list[Outcome] | None:
        """Run everything as one piece, at a tenth of the cost; return None if anything goes wrong."""
        tests = "".join(
            f"try:\n    _found.append((True, _snapshot({one})))\n"
            "except Exception as _error:\n    _found.append((False, type(_error).__name__, str(_error)))\n"
            for one in expressions
        )
        try:
            found = self._feed(f"{source}\n{_SNAPSHOT}{tests}_found", patience=0.25)
        except SandboxLostError:
            return None  # running the tests one by one shows which it was
        if found.label or not isinstance(found.value, list) or len(found.value) != len(expressions):
            self.close()
            return None
        outcomes = []
        for one in found.value:
            match one:
                case (True, value):
                    outcomes.append(_plain(value))
                case (False, str(kind), str(message)):
                    outcomes.append(raised(kind, message, subset=True))
                case _:
                    self.close()
                    return None
        return outcomes

    def _one_by_one(self, source: str, expressions: Sequence[str]) -> list[Outcome]:
        started = self.run(source)
        if started.label:
            return [replace(started, discreet=True)] * len(expressions)
        outcomes: list[Outcome] = []
        for one in expressions:
            if outcomes and outcomes[-1].fatal:
                outcomes.append(outcomes[-1])
                continue
            found = self._feed(one)
            outcomes.append(found if found.label else _plain(found.value))
        return outcomes

    def call(self, name: str, arguments: list[Any], keywords: Mapping[str, Any]) -> Outcome:
        given = {"_arguments": arguments, "_keywords": dict(keywords)}
        found = self._feed(f"({name}(*_arguments, **_keywords), _arguments)", inputs=given)
        return found if found.label else _plain(found.value)

    def run_tests(self, source: str, call: Host) -> Outcome:
        def called(name: Any, arguments: Any, keywords: Any) -> Any:
            return call(str(name), list(plain(arguments)), dict(plain(keywords)))

        found = self._feed(source + "\nNone", external_lookup={"_call": called})
        return found if found.label else Outcome()


def _plain(value: Any) -> Outcome:
    try:
        return Outcome(value=plain(value))
    except (NotPlainError, TypeError, RecursionError) as error:
        return Outcome("wrong_answer", f"it returned {error}", error=("TypeError", str(error)))


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
