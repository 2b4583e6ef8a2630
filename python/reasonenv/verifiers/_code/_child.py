"""Processes that run programs: a template that forks one for each session. Run by path, as a script.

The template loads the standard library and leaves the host as far as it can; it never runs a program itself.
Each request carries a socket; the fork reads commands from it until it is closed. Nothing here imports the
package, because a program could reach everything in its process.
"""

import atexit
import builtins
import errno
import gc
import importlib.util
import itertools
import os
import resource
import signal
import site
import socket
import sys
import tempfile
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reasonenv.verifiers._code import _isolation, _library, _streams, _wire
else:

    def _beside(name: str) -> Any:
        path = os.path.join(os.path.dirname(__file__), f"{name}.py")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    _isolation, _library, _streams, _wire = map(_beside, ("_isolation", "_library", "_streams", "_wire"))

PRELOADED = (
    *("abc", "bisect", "collections", "copy", "dataclasses", "enum", "fractions", "functools", "hashlib"),
    *("heapq", "itertools", "math", "operator", "random", "re", "statistics", "string", "time", "typing"),
)
_NULL = 60
"""A descriptor of the null device, above those that a template opens."""
_MOST_ITEMS = 10_000
_NOTHING = object()
COMMAND = 32
"""Length in bytes of a command to the template."""


class ProgramTemplate:
    """Forks a process for each socket received and ends it on request."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.outside = os.getppid()
        place = tempfile.mkdtemp(prefix="reasonenv-")
        os.chmod(place, 0o555)
        os.chdir(place)
        os.rmdir(place)  # an empty directory that no other process can reach and no file can be created in
        os.environ["TZ"] = "UTC"
        time.tzset()
        os.dup2(os.open(os.devnull, os.O_RDWR), _NULL)
        library = _library.Library()
        _library.preload(PRELOADED)
        site.setquit()  # `exit` and `quit`
        self.held = _held()
        library.install()
        self.seccomp = _isolation.Seccomp()
        self.walls = _isolation.confine()
        if self.seccomp.deny(program=False):
            self.walls.append("system calls")
        gc.collect()
        gc.freeze()
        self.child: int | None = None

    def run(self) -> None:
        """Serve until the control socket closes."""
        _wire.send(self.control, {"walls": self.walls, "escapes": self.escapes()})
        while True:
            data, fds, _, _ = socket.recv_fds(self.control, COMMAND, 1)
            if not data:
                break
            command, *rest = data.decode().split()
            if command == "end":
                self.control.sendall(b"f" if self.child is None else b"k")
                self.end()
            else:
                with suppress(OSError):
                    self.fork(fds[0], *map(int, rest))
                os.close(fds[0])
        self.end()

    def fork(self, fd: int, memory: int, seconds: int) -> None:
        """Start a session."""
        parent = os.getpid()
        self.child = os.fork()
        if self.child == 0:
            try:
                serve(*self.enclose(fd, parent, memory, seconds))
            finally:
                os._exit(0)

    def escapes(self) -> list[str]:
        """Return the ways out of a session, tried in one."""
        ours, theirs = socket.socketpair()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                channel, _ = self.enclose(theirs.fileno(), parent, 64, 5)
                _wire.send(channel, _isolation.escapes(self.outside))
            finally:
                os._exit(0)
        theirs.close()
        ours.settimeout(5)
        try:
            found: list[str] = _wire.receive(ours)
        except (EOFError, OSError, ValueError):
            found = ["nothing could be tried"]
        finally:
            ours.close()
            _end(pid)
        return found

    def enclose(
        self, fd: int, parent: int, memory: int, seconds: int
    ) -> tuple[socket.socket, _streams.Streams]:
        """Enclose this process, a fork, in all that keeps a program in; return its channel and streams."""
        os.setsid()
        _isolation.end_with_parent()
        if os.getppid() not in (0, parent):  # 0 across a process namespace, which ends with its template
            os._exit(0)
        channel = socket.socket(fileno=os.dup2(fd, 3))
        os.dup2(_NULL, 4)
        self.control.detach()
        os.closerange(5, 256)
        streams = _streams.Streams(4)
        socket.socketpair = _streams.pipe_ends  # type: ignore[assignment]
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limit(self.held + (memory << 20), seconds)
        self.seccomp.deny(program=True)
        return channel, streams

    def end(self) -> None:
        """End the session."""
        if self.child is not None:
            _end(self.child)
            self.child = None


def _end(pid: int) -> None:
    for kill in (os.killpg, os.kill):
        with suppress(OSError):
            kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _held() -> int:
    """Return the bytes of address space that this process has taken."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 1 << 28


def limit(memory: int, seconds: int) -> None:
    """Set the kernel's limits on memory, CPU time, files and processes."""
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 16),
    ):
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))


def serve(channel: socket.socket, streams: _streams.Streams) -> None:
    """Run the commands of one session."""
    sys.modules["random"].seed(0)
    os.environ.clear()
    session = ProgramSession(channel, streams)
    with suppress(EOFError):
        while True:
            session.answer(_wire.receive(channel))


class ProgramSession:
    """A namespace and the commands that work on it."""

    def __init__(self, channel: socket.socket, streams: _streams.Streams) -> None:
        self.channel = channel
        self.streams = streams
        # Dataclasses and pickle look the module up by name in `sys.modules`.
        self.module = type(sys)("__main__")
        self.names = self.module.__dict__
        self.names |= {"__builtins__": builtins, "__file__": "program.py"}
        sys.modules["__main__"] = self.module
        sys.argv = ["program.py"]
        sys.set_int_max_str_digits(0)

    def answer(self, command: dict[str, Any]) -> None:
        """Run a command and send its reply."""
        self.streams.begin(command.get("stdin") or "", command.pop("most"))
        budget = command.pop("budget")
        try:
            reply = _wire.packed(getattr(self, command.pop("do"))(**command), budget)
        except BaseException as error:  # the program may also raise SystemExit or KeyboardInterrupt
            full = isinstance(error, OSError) and error.errno == errno.EFBIG
            reply = _wire.packed(
                {"error": ["PrintedTooMuchError" if full else type(error).__name__, _told(error)]}
            )
        self.channel.sendall(reply)

    def run(self, source: str, stdin: str | None) -> dict[str, Any]:
        """Run a program: to its end if it is given input, or else for its functions to be called."""
        sys.setrecursionlimit(1000 + _depth())
        code = compile(source, "program.py", "exec")
        if stdin is None:
            exec(code, self.names)
            return {"output": self.streams.printed()}
        leave = os._exit

        def end(status: int) -> None:
            output = self.streams.printed(flush=False)
            _wire.send(self.channel, {"error": ["SystemExit", str(status)]} if status else {"output": output})
            leave(status)

        os._exit = end  # type: ignore[assignment]
        try:
            exec(code, self.names)
        except SystemExit as error:
            return self._ended(error.code)
        atexit._run_exitfuncs()
        return self._ended(None)

    def _ended(self, status: object) -> dict[str, Any]:
        """Return the output, or the error if the status is one."""
        self.streams.printed()
        self.names.clear()  # which writes to files that the program has left open
        output = self.streams.printed()
        return {"error": ["SystemExit", str(status)[:500]]} if status else {"output": output}

    def evaluate(self, expression: str) -> dict[str, Any]:
        """Evaluate the call in a test."""
        value = eval(compile(expression, "<test>", "eval"), self.names)
        self.streams.printed()
        return {"value": value}

    def call(self, name: str, arguments: Any, keywords: Any) -> dict[str, Any]:
        """Call a function with plain data."""
        function = eval(compile(name, "<test>", "eval"), self.names)
        value = function(*arguments, **keywords)
        more: bool | None = None
        if hasattr(type(value), "__next__"):  # a generator, `map(…)`: tests get its items
            items = list(itertools.islice(value, _MOST_ITEMS))
            more = next(value, _NOTHING) is not _NOTHING
            value = items
        self.streams.printed()
        return {"value": (value, arguments, more)}

    def tests(self, source: str) -> dict[str, Any]:
        """Run the statements of tests."""
        self.names["_call"] = self._call
        exec(compile(source, "<test>", "exec"), self.names)
        return {"value": None}

    def _call(self, name: str, arguments: Any, keywords: Any) -> Any:
        _wire.send(self.channel, {"call": [name, arguments, keywords]})
        reply = _wire.receive(self.channel)
        if "error" in reply:
            kind, message = reply["error"]
            exception = getattr(builtins, kind, RuntimeError)
            try:
                raised = exception(message)
            except TypeError:
                raised = RuntimeError(message)
            raise raised
        return reply["value"]


def _depth() -> int:
    """Return the number of frames beneath those of a program that is run here."""
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth + 1


def _told(error: BaseException) -> str:
    try:
        return str(error)[:500]
    except BaseException:
        return ""


if __name__ == "__main__":
    ProgramTemplate(socket.socket(fileno=os.dup(0))).run()
