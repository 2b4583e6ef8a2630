"""The runtime `cpython`: processes of this Python, forked from a template for one session each."""

import atexit
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

from reasonenv._native import ReasonEnvError
from reasonenv.verifiers._code import _child, _wire
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

_FITS = 1 << 14
_STARTS = 30
"""Seconds that a template may take to start."""


class _Template:
    """A process that forks others and never runs a program itself."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            # Like `python -I`, but keeping PYTHONHASHSEED, which makes the order of sets repeatable.
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-S", str(Path(_child.__file__))],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"},
                start_new_session=True,
            )
        self._control = ours
        ours.settimeout(_STARTS)
        try:
            found = _wire.receive(ours)
        except (EOFError, OSError) as error:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
            self.close()
            told = str(error) or f"its template ends with code {self._process.returncode}"
            raise SandboxStartError(f'runtime "cpython" does not start here: {told}') from None
        self.walls: list[str] = found["walls"]
        """Walls of the template, by name."""
        self.escapes: list[str] = found["escapes"]
        """Attempts to break out that were not denied."""
        self.confined = not self.escapes

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                part = self._control.recv(size - len(data))
            except OSError as error:
                raise SandboxLostError(f"its template does not answer ({error})") from None
            if not part:
                raise SandboxLostError("its template is gone")
            data += part
        return data

    def fork(self, limits: SandboxLimits, seconds: float) -> socket.socket:
        """Start a process and return a socket to it; commands may be sent before the process has started."""
        ours, theirs = socket.socketpair()
        with theirs:
            command = f"fork {limits.memory_mb} {ceil(seconds) + 1}".encode().ljust(_child.COMMAND)
            try:
                socket.send_fds(self._control, [command], [theirs.fileno()])
            except OSError as error:
                ours.close()
                raise SandboxLostError(f"its template is gone ({error})") from None
        return ours

    def end(self) -> None:
        """Kill the process and everything that it started."""
        try:
            self._control.sendall(b"end".ljust(_child.COMMAND))
        except OSError as error:
            raise SandboxLostError(str(error)) from None
        if self._exactly(1) != b"k":
            raise SandboxStartError("no process can be started")

    def lives(self) -> bool:
        """True if the template's process is running."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the template's process and the processes that it has forked."""
        self._control.close()
        self._process.kill()
        self._process.wait()

    def abandon(self) -> None:
        """Close the copy of the socket that a fork inherited; the template belongs to the parent."""
        self._control.close()
        self._process.returncode = 0


class _Templates:
    """Templates that wait for their next session."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Template] = []
        self._busy: set[_Template] = set()

    def after_fork(self) -> None:
        for one in [*self._idle, *self._busy]:
            one.abandon()
        self._forget()

    def close(self) -> None:
        for one in self._idle:
            one.close()
        self._idle.clear()

    def _waiting(self) -> _Template | None:
        """Return an idle template that is still running; drop those that have ended."""
        with self._lock:
            while self._idle:
                one = self._idle.pop()
                if one.lives():
                    return one
                one.close()
        return None

    @contextmanager
    def taken(self) -> Iterator[_Template]:
        """Yield a template for one session; drop it if the session fails."""
        one = self._waiting() or _Template()
        self._busy.add(one)
        try:
            yield one
        except BaseException:
            self._busy.discard(one)
            one.close()
            raise
        self._busy.discard(one)
        with self._lock:
            self._idle.append(one)


_TEMPLATES = _Templates()
atexit.register(_TEMPLATES.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_TEMPLATES.after_fork)


_NOT_CONFINED = (
    'runtime "cpython" cannot confine programs on this machine; a program could: {}. Name runtime "monty", '
    'which needs nothing of the machine, or isolation="process" if nothing here is worth protecting; '
    "`reasonenv code doctor` shows what is missing"
)


class CPythonRuntime:
    """Opens each session in a separate process."""

    name = "cpython"

    def __init__(self) -> None:
        if not hasattr(socket, "send_fds"):
            raise ReasonEnvError('runtime "cpython" needs Unix; name the runtime "monty"')

    @contextmanager
    def session(self, limits: SandboxLimits, end: float) -> Iterator["_CPythonSession"]:
        """Open a session."""
        with _TEMPLATES.taken() as template:
            if not template.confined and limits.isolation != "process":
                raise ReasonEnvError(_NOT_CONFINED.format(", ".join(template.escapes[:4])))
            channel = template.fork(limits, limits.row_seconds + limits.seconds)
            try:
                yield _CPythonSession(channel, limits, end)
            finally:
                with suppress(OSError):
                    channel.close()
                template.end()


class _CPythonSession:
    def __init__(self, channel: socket.socket, limits: SandboxLimits, end: float) -> None:
        self._channel, self._limits, self._end = channel, limits, end
        self._common = {"most": limits.output_kb << 10, "budget": limits.value_bytes}

    def _ask(self, command: dict[str, Any], call: Host | None = None) -> Outcome:
        """Send a command and wait for its reply, answering calls that arrive before it."""
        try:
            self._channel.settimeout(self._limits.seconds)
            _wire.send(self._channel, command | self._common)
        except TimeoutError:
            return TIMEOUT
        except OSError:
            return _GONE
        return self._reply(call)

    def _reply(self, call: Host | None = None) -> Outcome:
        now = time.monotonic()
        if now > self._end:
            return TIMEOUT
        deadline = now + self._limits.seconds
        try:
            while True:
                reply = _wire.receive(_Deadline(self._channel, deadline), self._limits.value_bytes)
                if not (isinstance(reply, dict) and "call" in reply and call is not None):
                    return _outcome(reply)
                before = time.monotonic()
                answer = _called(reply["call"], call)
                deadline += time.monotonic() - before
                self._channel.settimeout(self._limits.seconds)
                _wire.send(self._channel, answer)
        except TimeoutError:
            return TIMEOUT
        except (EOFError, OSError):
            return _GONE
        except (_wire.TooLargeError, ValueError, TypeError, LookupError) as error:
            return unreadable(error)

    def run(self, source: str, stdin: str | None = None) -> Outcome:
        return self._ask({"do": "run", "source": source, "stdin": stdin})

    def evaluate(self, source: str, expressions: Sequence[str]) -> list[Outcome]:
        commands = [{"do": "run", "source": source, "stdin": None}]
        commands += [{"do": "evaluate", "expression": one} for one in expressions]
        packed = [_wire.packed(command | self._common) for command in commands]
        # Commands that fit the socket's buffer are sent together, so each process wakes up only once.
        at_once = sum(map(len, packed)) <= _FITS
        if at_once:
            packed = [b"".join(packed)]
        outcomes: list[Outcome] = []
        for at in range(len(commands)):
            if at < len(packed):
                try:
                    self._channel.settimeout(self._limits.seconds)
                    self._channel.sendall(packed[at])
                except OSError as error:
                    outcomes.append(TIMEOUT if isinstance(error, TimeoutError) else _GONE)
                    break
            outcomes.append(self._reply())
            if outcomes[-1].fatal or (at == 0 and outcomes[0].label):
                break
        if outcomes[0].label:
            return [replace(outcomes[0], discreet=True)] * len(expressions)
        return outcomes[1:] + outcomes[-1:] * (len(commands) - len(outcomes))

    def call(self, name: str, arguments: list[Any], keywords: Mapping[str, Any]) -> Outcome:
        return self._ask({"do": "call", "name": name, "arguments": arguments, "keywords": dict(keywords)})

    def run_tests(self, source: str, call: Host) -> Outcome:
        return self._ask({"do": "tests", "source": source}, call)


_GONE = Outcome("crashed", "its process ended", fatal=True)


class _Deadline:
    """A socket with one deadline for all reads, however slowly the other side writes."""

    def __init__(self, channel: socket.socket, deadline: float) -> None:
        self._channel, self._deadline = channel, deadline

    def recv(self, size: int) -> bytes:
        self._channel.settimeout(max(0.001, self._deadline - time.monotonic()))
        return self._channel.recv(size)


def _outcome(reply: Any) -> Outcome:
    if "error" in reply:
        kind, message = map(str, reply["error"])
        if kind == "PrintedTooMuchError":
            return Outcome("memory", "it prints more than is allowed", fatal=True)
        return TOO_LARGE if kind == "TooLargeError" else raised(kind, message, subset=False)
    if "output" in reply:
        return Outcome(output=str(reply["output"]))
    return Outcome(value=reply["value"])


def _called(given: Any, call: Host) -> dict[str, Any]:
    name, arguments, keywords = given
    try:
        return {"value": call(str(name), arguments, keywords)}
    except Exception as error:  # raised again in the session that called
        return {"error": [type(error).__name__, str(error)]}
