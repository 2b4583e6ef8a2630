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
from reasonenv.verifiers._code import _wire
from reasonenv.verifiers._code._guard import WorkerGuard
from reasonenv.verifiers._code._monty_source import MissingError, adapted
from reasonenv.verifiers._code._sandbox import (
    TIMEOUT,
    TOO_LARGE,
    Host,
    Outcome,
    SandboxLimits,
    SandboxLostError,
    SandboxStartError,
    raised,
    unreadable,
)
from reasonenv.verifiers._code._values import plain

_POLICY: Any = {
    "datetime": datetime.datetime(2025, 1, 1),
    "sleep": "zero",
    "random_start": {"seed": 0},
}
"""A fixed clock and seed, so that verdicts depend on neither time nor chance."""

_QUICK = """
_wire_found = []
def _wire_text(v):
    n = type(v).__name__
    if n == "int":
        return f"int {v:#x}"
    if n in ("list", "tuple", "set"):
        return "\\n".join([f"{n} {len(v)}"] + [_wire_text(x) for x in v])
    if n == "dict":
        return "\\n".join([f"dict {len(v)}"] + [_wire_text(x) for p in v.items() for x in p])
    return f"{n} {v!r}"
def _wire_failed(e):
    return f"! {type(e).__name__} {e}"[:600]
"""
"""Writes values of the commonest types as `_wire` reads them; compiling `_EXACT` costs more than a test."""

_EXACT = """
def _wire_text(v, depth=100):
    k = type(v)
    n = k.__name__
    if k is int:
        return f"int {v:#x}"
    if k in (str, bytes):
        return f"{n} {v!r}"
    if n in ("bool", "float", "NoneType", "complex", "Decimal", "datetime", "date", "timedelta"):
        return f"{n} {v}"
    if not isinstance(v, (list, tuple, set, frozenset, dict)) or depth == 0:
        return f"? {n[:100] if depth else ''}"
    items = v
    if isinstance(v, dict):
        n, items = "dict", [x for p in v.items() for x in p]
    elif isinstance(v, tuple):
        n = "tuple"
    text = "\\n".join([f"{n} {len(v)}"] + [_wire_text(x, depth - 1) for x in items])
    if len(text) > _wire_budget:
        raise MemoryError
    return text
def _wire_failed(e):
    return f"! {type(e).__name__} {e}"[:600]
"""
"""Writes a value as `_wire` does. A program can replace it, but not `_LAST`."""

_TRY = """try:
    _wire_found.append(_wire_text({}))
except Exception as _wire_error:
    _wire_found.append(_wire_failed(_wire_error))
"""
_LAST = "_wire_found = '\\n\\n'.join(_wire_found)\nf'{{_wire_found}}'[:{}]"
"""Gives a text of limited length by syntax alone, whatever a program has done to names."""

_DEEPEST, _DEEPEST_ON_REQUEST = 1000, 5000
"""Limits of recursion: that of CPython, and for programs that set one. A fault there takes quadratic time."""


class _MontyPool:
    """The process's pool of workers, rebuilt after it breaks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: Any = None
        self._guard = WorkerGuard()
        self.used = False
        self.inherited = False
        """True if a parent used monty before it forked this process, in which monty then fails."""

    def after_fork(self) -> None:
        """Leave the pool to the parent: closing it here would end the parent's workers."""
        if self._made is not None:
            _keep_alive(self._made)
            self._made = None
        self.inherited = self.inherited or self.used
        self._guard.after_fork()
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
                self._made = made.__enter__()
            return self._made

    def watch(self, pid: int | None) -> None:
        """See to it that a worker does not outlive this process."""
        with self._lock:
            self._guard.watch(pid)

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
        self._budget = limits.value_bytes
        self._exact = False

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
        if self._checkout is None:
            self._start(patience, _DEEPEST_ON_REQUEST if "setrecursionlimit" in source else _DEEPEST)
        try:
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

    def _start(self, patience: float, deepest: int) -> None:
        """Take a worker.

        Raises:
            SandboxStartError: There is none; no program has run, so none is to blame.
        """
        limits = self._monty.ResourceLimits(
            max_feed_duration_secs=self._limits.seconds * patience,
            max_memory=self._limits.memory_mb << 20,
            max_recursion_depth=deepest,
            max_suspensions=10_000,
        )
        try:
            self._pool = POOL.get()
            made = self._pool.checkout(limits=limits, os_policy=_POLICY, assert_message_annotations=False)
            self._checkout = made.__enter__()
            POOL.watch(self._checkout.worker_pid)
        except (KeyboardInterrupt, ReasonEnvError):
            raise
        except BaseException as error:  # its panics are no `Exception`
            POOL.drop(self._pool)
            raise SandboxStartError(f"the workers of monty do not start: {_line(error)}") from None

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
        tests = "".join(map(_TRY.format, expressions))
        try:
            found = self._feed_text(f"{source}\n{_QUICK}{tests}", patience=0.25)
        except SandboxLostError:
            return None  # running the tests one by one shows which it was
        texts = [] if found.label else found.value.split("\n\n")
        outcomes = [self._read(one) for one in texts]
        if len(outcomes) != len(expressions) or any(
            one.fatal or one.label == "wrong_answer" for one in outcomes
        ):
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
            outcomes.append(self._value(one))
        return outcomes

    def _value(self, expression: str, **options: Any) -> Outcome:
        """Evaluate an expression after a run."""
        source = "_wire_found = []\n" + _TRY.format(expression)
        if not self._exact:
            source = f"_wire_budget = {self._budget}\n{_EXACT}{source}"
            self._exact = True
        found = self._feed_text(source, **options)
        return found if found.label else self._read(found.value)

    def _feed_text(self, source: str, **options: Any) -> Outcome:
        """Run source that leaves texts in `_wire_found`; the value is one text."""
        found = self._feed(source + _LAST.format(self._budget + 1), **options)
        if found.label:
            return found
        if not isinstance(found.value, str):
            return unreadable(ValueError())
        return found if len(found.value) <= self._budget else TOO_LARGE

    def _read(self, text: str) -> Outcome:
        """Return the outcome of one test."""
        if text[:2] == "! ":
            kind, _, message = text[2:].partition(" ")
            return raised(kind, message, subset=True)
        try:
            return Outcome(value=_wire.decode(text, self._budget))
        except (_wire.TooLargeError, ValueError) as error:
            return unreadable(error)

    def call(self, name: str, arguments: list[Any], keywords: Mapping[str, Any]) -> Outcome:
        given = {"_arguments": arguments, "_keywords": dict(keywords)}
        return self._value(f"({name}(*_arguments, **_keywords), _arguments, None)", inputs=given)

    def run_tests(self, source: str, call: Host) -> Outcome:
        def called(name: Any, arguments: Any, keywords: Any) -> Any:
            return call(str(name), list(plain(arguments)), dict(plain(keywords)))

        found = self._feed(source + "\nNone", external_lookup={"_call": called})
        return found if found.label else Outcome()


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
