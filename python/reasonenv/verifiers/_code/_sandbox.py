"""Limits, outcomes and the mapping of errors to labels, shared by the runtimes."""

import builtins
import io
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from reasonenv.verifiers._code._wire import NotPlainError, TooLargeError

Isolation = Literal["sandbox", "process"]
"""`sandbox`, verified walls; `process`, a process of its own and whatever walls this machine has."""


@dataclass(frozen=True)
class SandboxLimits:
    """Limits on the time, memory and output of a program."""

    seconds: float = 2.0
    """Seconds per test."""
    memory_mb: int = 128
    """Memory in megabytes."""
    output_kb: int = 1024
    """Output per test in kilobytes."""
    isolation: Isolation = "sandbox"
    """Walls around a program of the runtime `cpython`."""

    @property
    def row_seconds(self) -> float:
        """Seconds for all tests of a row; a test that is running then may still finish."""
        return 4 * self.seconds

    @property
    def value_bytes(self) -> int:
        """Bytes of a value that a test returns, written as text."""
        return 16 * self.output_kb << 10


@dataclass(frozen=True)
class Outcome:
    """The outcome of running a piece of code."""

    label: str = ""
    """Failure label; empty if the code ran to its end."""
    detail: str = ""
    value: Any = None
    output: str = ""
    error: tuple[str, str] | None = None
    """Type name and message of the exception that the code raised."""
    fatal: bool = False
    """True if the session can no longer be used."""
    discreet: bool = False
    """True if `detail` holds nothing of a test, for instance because the program had not seen one."""

    def public(self, source: str) -> str:
        """Return the part of `detail` that cannot hold data of a test, which a program may put in a message.

        Args:
            source: The program, whose own words may be shown.
        """
        if self.discreet or self.label in ("timeout", "memory", "syntax_error"):
            return self.detail
        if self.label == "unsupported":
            words = re.findall(r"\w+", self.detail.removeprefix("module ").partition(",")[0])
            return self.detail if set(words) <= set(re.findall(r"\w+", source)) else ""
        if self.error is None:
            return self.detail if self.label == "crashed" else ""
        kind = getattr(builtins, self.error[0], None)
        known = isinstance(kind, type) and issubclass(kind, BaseException)
        return f"it raised {self.error[0] if known else 'an exception'}"


class SandboxLostError(Exception):
    """Raised when a sandbox is lost, perhaps through no fault of the program."""


class SandboxStartError(SandboxLostError):
    """Raised when no sandbox starts, which is a fault of the machine."""


Host = Callable[[str, list[Any], dict[str, Any]], tuple[Any, list[Any], bool | None]]
"""Calls a function of the program from a session of tests: takes its name and arguments, returns its value
and the arguments as the call left them, and, for a list of an iterator's items, whether it has more."""


class SandboxSession(Protocol):
    """A namespace in a sandbox."""

    def run(self, source: str, stdin: str | None = None) -> Outcome:
        """Run statements, which may read input if `stdin` is given; the outcome holds their output."""

    def evaluate(self, source: str, expressions: Sequence[str]) -> list[Outcome]:
        """Run statements, then evaluate expressions. A fatal outcome is repeated for all later ones."""

    def call(self, name: str, arguments: list[Any], keywords: Mapping[str, Any]) -> Outcome:
        """Call a function with plain data; the outcome's value holds its result and the changed arguments."""

    def run_tests(self, source: str, call: Host) -> Outcome:
        """Run the statements of tests, in which `_call` calls the host's function."""


class Runtime(Protocol):
    """A runtime, which opens sandboxes for programs."""

    name: str

    def session(self, limits: SandboxLimits, end: float) -> AbstractContextManager[SandboxSession]:
        """Open a session that starts nothing after `end`, a time of `time.monotonic`.

        Raises:
            SandboxLostError: No session could be opened, or the session was lost.
        """


PRELUDE = """
_NOT_PLAIN = "function method builtin_function_or_method range dict_keys dict_values dict_items type".split()

def _proxy(_name):
    def call(*args, **kwargs):
        for one in list(args) + list(kwargs.values()):
            kind = type(one).__name__
            if kind in _NOT_PLAIN:
                raise TypeError("an object of type " + kind)
        value, after, more = _call(_name, list(args), kwargs)
        for one, new in zip(args, after):
            if one == new:
                continue
            if isinstance(one, list):
                one[:] = new
            elif isinstance(one, (dict, set)):
                one.clear()
                one.update(new)
        return value if more is None else _Items(value, more)
    return call

class _Items:
    def __init__(self, items, more):
        self.items = items
        self.more = more
        self.at = 0
    def __iter__(self):
        return self
    def __next__(self):
        if self.at < len(self.items):
            self.at += 1
            return self.items[self.at - 1]
        if self.more:
            raise MemoryError("an iterator of more than 10,000 items")
        raise StopIteration

class _Raises:
    def __init__(self, kinds, match):
        self.kinds = kinds
        self.match = match
        self.value = None
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        if value is None:
            raise AssertionError("did not raise")
        self.value = value
        self.type = type(value)
        if not isinstance(value, self.kinds):
            return False
        if self.match is not None:
            import re
            assert re.search(self.match, str(value))
        return True

class _Approx:
    def __init__(self, wanted, rel, abs):
        self.wanted = wanted
        self.rel = rel
        self.abs = abs
    def close(self, a, b):
        if isinstance(a, (list, tuple)):
            if not isinstance(b, (list, tuple)) or len(a) != len(b):
                return False
            return all([self.close(x, y) for x, y in zip(a, b)])
        if isinstance(a, dict):
            return isinstance(b, dict) and set(a) == set(b) and all([self.close(a[k], b[k]) for k in a])
        if a == b:
            return True
        if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
            return False
        if isinstance(a, bool) or a in (float("inf"), float("-inf")) or b in (float("inf"), float("-inf")):
            return False
        size = a if a > 0 else -a
        off = a - b if a > b else b - a
        return off <= max(self.abs, self.rel * size)
    def __eq__(self, other):
        return self.close(self.wanted, other)

class _Pytest:
    def raises(self, kinds, match=None):
        return _Raises(kinds, match)
    def approx(self, wanted, rel=1e-6, abs=1e-12):
        return _Approx(wanted, 1e-6 if rel is None else rel, 1e-12 if abs is None else abs)
    def fail(self, reason=""):
        raise AssertionError(reason)

pytest = _Pytest()

class _Array:
    pass

class _Numpy:
    ndarray = _Array
    def allclose(self, a, b, rtol=1e-5, atol=1e-8):
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            return len(a) == len(b) and all([self.allclose(x, y, rtol, atol) for x, y in zip(a, b)])
        return a == b or abs(a - b) <= atol + rtol * abs(b) < float("inf")
    isclose = allclose

_numpy = _Numpy()
"""
"""Code that begins a session of tests: proxies for the program's functions, parts of pytest and of NumPy.

It uses only the subset of Python that every runtime supports.
"""

_MISSING_BUILTIN = re.compile(r"name '(\w+)' is not defined")
_MISSING_MODULE = re.compile(r"No module named '([\w.]+)'")
_MISSING_IN_MODULE = re.compile(
    r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'"
    r"|module '(?P<module2>[\w.]+)' has no attribute '(?P<name2>\w+)'"
)
_MISSING_METHOD = re.compile(r"'?([\w.]+)'? (?:object )?has no attribute '(\w+)'")
_NOT_YET = re.compile(
    r"does not yet support (?:the )?(?P<construct>.+)|(?P<other>.+) (?:are|is) not (?:yet )?supported"
)


def missing(kind: str, message: str, *, subset: bool) -> str:  # noqa: PLR0911  a case for each error
    """Return the Python construct that the runtime lacks, or "" if the error is the program's own.

    Args:
        kind: Type name of the exception.
        message: Message of the exception.
        subset: True if the runtime supports a subset of Python and may lack more than modules.
    """
    if kind in ("ModuleNotFoundError", "ImportError") and (found := _MISSING_MODULE.search(message)):
        return f"module {found[1]}"
    if not subset:
        return _DENIED.get((kind, message[:22]), "")
    if kind == "PermissionError":
        return "files"
    if "Internal error in monty" in message:
        return "internal error of the runtime"
    if told := next((construct for part, construct in _MESSAGES.items() if part in message), ""):
        return told
    if kind in ("NotImplementedError", "RuntimeError", "TypeError") and (found := _NOT_YET.search(message)):
        return (found["construct"] or found["other"]).strip()
    if kind == "NameError" and (found := _MISSING_BUILTIN.search(message)):
        return found[1] if hasattr(builtins, found[1]) else ""
    if kind in ("ImportError", "AttributeError") and (found := _MISSING_IN_MODULE.search(message)):
        module, name = found["module"] or found["module2"], found["name"] or found["name2"]
        return f"{module}.{name}" if module in sys.stdlib_module_names and _has(module, name) else ""
    if kind == "AttributeError" and (found := _MISSING_METHOD.search(message)):
        name, owner = _OWNERS.get(found[1], (found[1], getattr(builtins, found[1], None)))
        return f"{name}.{found[2]}" if owner is not None and hasattr(owner, found[2]) else ""
    return ""


_OWNERS: dict[str, tuple[str, object]] = {
    "function": ("function", type(lambda: 0)),
    "module": ("module", type(sys)),
    "_io.TextIOWrapper": ("sys.stdout", io.TextIOWrapper),
    "_Stdin": ("sys.stdin", io.TextIOWrapper),
    "_Stdout": ("sys.stdout", io.TextIOWrapper),
    "_Stderr": ("sys.stderr", io.TextIOWrapper),
    "_Buffer": ("sys.stdout.buffer", io.BufferedWriter),
    "_Sys": ("sys", sys),
}
"""Name and object for what messages of the runtime call otherwise."""
_DENIED = {
    ("RuntimeError", "can't start new thread"): "threads",
    ("PermissionError", "[Errno 1] Operation no"): "files, other processes and sockets",
    ("BlockingIOError", "[Errno 11] Resource te"): "other processes",
}
"""Starts of messages about what the operating system denies to programs."""
_MESSAGES = {
    "cannot suspend in this synchronous context": "functions of the program handed to others, such as map",
    "Exceeds the limit (4300 digits)": "integers of more than 4300 digits",
    "pow() 2nd argument cannot be negative": "pow with a negative exponent and a modulus",
    "maximum recursion depth exceeded": "deeper recursion",
    "expected str, bytes or os.PathLike object, not int": "files by their number",
}
"""Parts of messages about what CPython has and the runtime lacks."""
_FIXED = {"files", *_DENIED.values(), *_MESSAGES.values(), "internal error of the runtime"}


def _has(module: str, name: str) -> bool:
    """True if a module of the standard library has a name, or is not loaded."""
    loaded = sys.modules.get(module)
    return loaded is None or hasattr(loaded, name)


def raised(kind: str, message: str, *, subset: bool) -> Outcome:
    """Return the outcome of code that raised an exception."""
    error = (kind, message[:500])
    shown = " ".join(f"{kind}: {message}"[:200].split()).rstrip(": ")
    if kind == "MemoryError":
        return Outcome("memory", "it needs more memory than is allowed", error=error, fatal=True)
    if construct := missing(kind, message, subset=subset):
        return Outcome("unsupported", construct, error=error, discreet=construct in _FIXED)
    if kind == "SyntaxError":
        return Outcome("syntax_error", shown, error=error)
    return Outcome("crashed", f"it raised {shown}", error=error)


TIMEOUT = Outcome("timeout", "it takes longer than is allowed", fatal=True)
TOO_LARGE = Outcome("memory", "it returns more than is allowed", fatal=True)


def unreadable(error: Exception) -> Outcome:
    """Return the outcome of code whose value `_wire` could not read."""
    if isinstance(error, NotPlainError):
        return Outcome("wrong_answer", f"it returned {error}", error=("TypeError", str(error)))
    if isinstance(error, TooLargeError):
        return TOO_LARGE
    return Outcome("crashed", "its process wrote an invalid message", fatal=True)
