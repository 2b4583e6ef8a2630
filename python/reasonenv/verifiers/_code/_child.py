"""Processes that run programs: a template that forks one for each session. Run by path, as a script.

The template loads modules and drops what it can (network, other processes, privileges); it never runs a
program itself. Each request carries a socket; the fork reads commands from it until it is closed. Nothing
here imports the package, because a program could reach everything in its process.
"""

import atexit
import builtins
import ctypes
import errno
import importlib.util
import json
import os
import resource
import signal
import site
import socket
import struct
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reasonenv.verifiers._code._streams import Streams

PRELOADED = (
    *("abc", "bisect", "collections", "copy", "dataclasses", "enum", "fractions", "functools", "hashlib"),
    *("heapq", "itertools", "math", "operator", "random", "re", "statistics", "string", "time", "typing"),
)

CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x08000000, 0x10000000, 0x20000000, 0x40000000
NOBODY = 65534
DEEPEST = 100
SMALL = 1 << 53


class UnencodableError(Exception):
    """A value that is not plain data."""


def encode(value: Any, depth: int = DEEPEST) -> Any:
    """Return plain data as JSON; what JSON cannot express becomes an object of one name and its data."""
    kind = type(value)
    if value is None or kind is bool or kind is str or (kind is int and -SMALL < value < SMALL):
        return value
    if kind in _ATOMS:
        return {kind.__name__: _ATOMS[kind][0](value)}
    if depth == 0:
        raise UnencodableError("a value nested deeper than 100 levels")
    name = kind.__name__
    if kind is dict or name in ("Counter", "defaultdict", "OrderedDict"):
        return {"dict": [[encode(k, depth - 1), encode(v, depth - 1)] for k, v in dict.items(value)]}
    if issubclass(kind, tuple) and (kind is tuple or hasattr(kind, "_fields")):
        return {"tuple": [encode(one, depth - 1) for one in tuple.__iter__(value)]}
    if kind in _GROUPS.values():
        items = [encode(one, depth - 1) for one in value]
        return items if kind is list else {name: items}
    raise UnencodableError(f"an object of type {name}")


def decode(value: Any) -> Any:
    """Read what `encode` wrote."""
    if isinstance(value, list):
        return [decode(one) for one in value]
    if not isinstance(value, dict):
        return value
    ((name, given),) = value.items()
    if name == "dict":
        return {decode(key): decode(one) for key, one in given}
    if name in _GROUPS:
        return _GROUPS[name](decode(one) for one in given)
    return _READERS[name](given)


_GROUPS: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
_ATOMS: dict[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    int: (hex, lambda text: int(text, 16)),
    float: (float.hex, float.fromhex),
    bytes: (bytes.hex, bytes.fromhex),
    complex: (lambda one: [one.real.hex(), one.imag.hex()], lambda two: complex(*map(float.fromhex, two))),
    Decimal: (str, Decimal),
    datetime: (datetime.isoformat, datetime.fromisoformat),
    date: (date.isoformat, date.fromisoformat),
    timedelta: (lambda one: [one.days, one.seconds, one.microseconds], lambda three: timedelta(*three)),
}
"""Writer and reader for each type that JSON lacks."""
_READERS = {kind.__name__: reader for kind, (_, reader) in _ATOMS.items()}


def packed(message: Any) -> bytes:
    """Return a message as bytes: its length, then JSON."""
    data = json.dumps(message).encode("utf-8", "surrogatepass")
    return struct.pack("<I", len(data)) + data


def send(channel: socket.socket, message: Any) -> None:
    """Write a message."""
    channel.sendall(packed(message))


def receive(channel: Any, longest: int = 1 << 28) -> Any:
    """Read a message.

    Raises:
        EOFError: The other side has closed.
        ValueError: The message is too long or not valid JSON.
    """
    (size,) = struct.unpack("<I", _exactly(channel, 4))
    if size > longest:
        raise ValueError("a message too long")
    return json.loads(_exactly(channel, size).decode("utf-8", "surrogatepass"))


def _exactly(channel: Any, size: int) -> bytes:
    parts = []
    while size:
        part = channel.recv(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _readable() -> bool:
    """True if an unprivileged user could still import the standard library."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            with open(os.__file__, "rb"):
                code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def confine() -> list[str]:
    """Drop the network, the view of other processes and privileges, as far as the kernel allows."""
    found = []
    readable = os.geteuid() == 0 and _readable()
    spaces = CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET
    try:
        unshare = ctypes.CDLL(None, use_errno=True).unshare
    except (OSError, AttributeError):
        unshare = None
    if unshare is not None:
        root = os.geteuid() == 0
        if (root and unshare(spaces) == 0) or unshare(spaces | CLONE_NEWUSER) == 0:
            found += ["network", "processes"]
            keep_namespace()
    if readable and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        found.append("user")
    return found


# System calls that no program needs: processes, sockets, signals to other processes, changes to files.
DENIED: dict[str, tuple[tuple[int, int, int | None], tuple[int, ...]]] = {
    "x86_64": (
        (0xC000003E, 257, 2),  # architecture in seccomp's numbering, `openat`, and `open` where it exists
        (
            *(
                41,
                42,
                43,
                49,
                50,
                53,
                56,
                57,
                58,
                59,
                62,
                76,
                77,
                82,
                83,
                84,
                85,
                86,
                87,
                88,
                90,
                91,
                92,
                93,
                94,
            ),
            *(
                101,
                132,
                133,
                161,
                165,
                166,
                188,
                189,
                190,
                197,
                198,
                199,
                200,
                234,
                235,
                258,
                259,
                260,
                261,
                263,
            ),
            *(
                264,
                265,
                266,
                268,
                272,
                280,
                308,
                310,
                311,
                316,
                317,
                321,
                322,
                323,
                424,
                425,
                434,
                435,
                437,
                438,
            ),
            452,
        ),
    ),
    "aarch64": (
        (0xC00000B7, 56, None),
        (
            *(
                5,
                6,
                7,
                14,
                15,
                16,
                33,
                34,
                35,
                36,
                37,
                38,
                39,
                40,
                45,
                46,
                51,
                52,
                53,
                54,
                55,
                88,
                97,
                117,
                129,
            ),
            *(
                130,
                131,
                198,
                199,
                200,
                201,
                202,
                203,
                220,
                221,
                241,
                268,
                270,
                271,
                276,
                277,
                280,
                281,
                282,
                424,
            ),
            *(425, 434, 435, 437, 438, 452),
        ),
    ),
}


def deny() -> bool:
    """Deny the calls in `DENIED` and opening files for writing; return False if the kernel cannot."""
    if os.uname().machine not in DENIED:
        return False
    (arch, openat, plain_open), calls = DENIED[os.uname().machine]
    load, jump_equal, jump_above, jump_bits, give = 0x20, 0x15, 0x35, 0x45, 0x06
    refused, allowed = 0x00050000 | 1, 0x7FFF0000  # EPERM
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
    program = [(load, 0, 0, 4), (jump_equal, 1, 0, arch), (give, 0, 0, 0x80000000), (load, 0, 0, 0)]
    program += [(jump_above, 0, 1, 0x40000000), (give, 0, 0, refused)]  # calls numbered for x32
    for number in calls:
        program += [(jump_equal, 0, 1, number), (give, 0, 0, refused)]
    for opens, argument in ((openat, 2), (plain_open, 1)):
        if opens is not None:
            program += [
                (jump_equal, 0, 4, opens),
                (load, 0, 0, 16 + 8 * argument),
                (jump_bits, 0, 1, writing),
                (give, 0, 0, refused),
                (give, 0, 0, allowed),
            ]
    program.append((give, 0, 0, allowed))
    data = b"".join(struct.pack("<HBBI", *one) for one in program)
    held = ctypes.create_string_buffer(data)
    filter_ = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(held)))
    prctl = ctypes.CDLL(None).prctl
    if prctl(38, 1, 0, 0, 0) != 0:  # PR_SET_NO_NEW_PRIVS
        return False
    return bool(prctl(22, 2, ctypes.c_void_p(ctypes.addressof(filter_)), 0, 0) == 0)  # PR_SET_SECCOMP


def keep_namespace() -> None:
    """Fork the first process of the new process namespace; it must outlive all others."""
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: end with the template
        for fd in range(64):
            with suppress(OSError):
                os.close(fd)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            signal.pause()


def prepare() -> "Callable[[], Streams]":
    """Load what programs need in the template; return a function that opens a program's streams."""
    spec = importlib.util.spec_from_file_location("_streams", f"{os.path.dirname(__file__)}/_streams.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    site.setquit()  # `exit` and `quit`
    socket.socketpair = module.pipe_ends
    for name in PRELOADED:
        __import__(name)
    streams: Callable[[], Streams] = module.Streams
    return streams


def template(control: socket.socket) -> None:
    """Fork a process for each socket received and end it on request, until the control socket closes."""
    open_streams = prepare()
    place = tempfile.mkdtemp(prefix="reasonenv-")
    os.chmod(place, 0o555)
    os.chdir(place)
    os.rmdir(place)  # an empty directory that no other process can reach and no file can be created in
    found = confine()
    control.sendall(json.dumps(found).encode().ljust(256))
    child = None
    while True:
        data, fds, _, _ = socket.recv_fds(control, COMMAND, 1)
        if not data:
            break
        command, *rest = data.decode().split()
        if command == "end":
            control.sendall(b"f" if child is None else b"k")
            if child is not None:
                end(child)
                child = None
            continue
        try:
            pid = os.fork()
        except OSError:
            os.close(fds[0])
            continue
        if pid == 0:
            memory, seconds = map(int, rest)
            serve(fds[0], control, memory, seconds, open_streams)
            os._exit(0)
        os.close(fds[0])
        child = pid
    if child is not None:
        end(child)


COMMAND = 32
"""Length in bytes of a command to the template."""


def end(pid: int) -> None:
    """Kill a process and its process group."""
    for kill in (os.killpg, os.kill):
        with suppress(OSError):
            kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def limit(memory: int, seconds: int) -> None:
    """Set the kernel's limits on memory, CPU time, files and processes."""
    try:
        with open("/proc/self/statm") as file:
            held = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        held = 1 << 28
    for kind, most in (
        (resource.RLIMIT_AS, held + (memory << 20)),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 16),
    ):
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))


def serve(
    fd: int, control: socket.socket, memory: int, seconds: int, open_streams: "Callable[[], Streams]"
) -> None:
    """Run the commands of one session."""
    os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    channel = socket.socket(fileno=os.dup2(fd, 3)) if fd != 3 else socket.socket(fileno=3)
    control.detach()
    os.closerange(4, 256)
    streams = open_streams()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limit(memory, seconds)
    if sys.platform == "linux":
        deny()
    sys.modules["random"].seed(0)
    os.environ.clear()
    session = ProgramSession(channel, streams)
    try:
        while True:
            session.answer(receive(channel))
    except EOFError:
        pass


class ProgramSession:
    """A namespace and the commands that work on it."""

    def __init__(self, channel: socket.socket, streams: "Streams") -> None:
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
        try:
            reply = getattr(self, command.pop("do"))(**command)
        except BaseException as error:  # the program may also raise SystemExit or KeyboardInterrupt
            full = isinstance(error, OSError) and error.errno == errno.EFBIG
            reply = {"error": ["PrintedTooMuchError" if full else type(error).__name__, _told(error)]}
        send(self.channel, reply)

    def run(self, source: str, stdin: str | None) -> dict[str, Any]:
        """Run a program: to its end if it is given input, or else for its functions to be called."""
        sys.setrecursionlimit(1000 + _depth())
        code = compile(source, "program.py", "exec")
        if stdin is None:
            exec(code, self.names)
            return {"output": self.streams.printed()}
        leave = os._exit

        def end(status: int) -> None:
            send(self.channel, self._ended(status))
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
        value = encode(eval(compile(expression, "<test>", "eval"), self.names))
        self.streams.printed()
        return {"value": value}

    def call(self, name: str, arguments: Any, keywords: Any) -> dict[str, Any]:
        """Call a function with plain data."""
        given = decode(arguments)
        function = eval(compile(name, "<test>", "eval"), self.names)
        value = function(*given, **decode(keywords))
        self.streams.printed()
        return {"value": encode((value, given))}

    def tests(self, source: str) -> dict[str, Any]:
        """Run the statements of tests."""
        self.names["_call"] = self._call
        exec(compile(source, "<test>", "exec"), self.names)
        return {"value": None}

    def _call(self, name: str, arguments: Any, keywords: Any) -> Any:
        send(self.channel, {"call": [name, encode(arguments), encode(keywords)]})
        reply = receive(self.channel)
        if "error" in reply:
            kind, message = reply["error"]
            exception = getattr(builtins, kind, RuntimeError)
            try:
                raised = exception(message)
            except TypeError:
                raised = RuntimeError(message)
            raise raised
        return decode(reply["value"])


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
    template(socket.socket(fileno=0))
