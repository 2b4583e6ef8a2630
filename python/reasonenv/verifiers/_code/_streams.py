"""The standard streams of a program in the runtime `cpython`. Loaded by path, like `_child`."""

import builtins
import io
import os
import sys
import tempfile
from contextlib import suppress
from typing import Any

PROMPT_START, PROMPT_END = "\2", "\3"
"""Marks around a prompt of `input`, which counts as output only if the expected output has it."""


class Streams:
    """The standard streams of a program, as for `python3 program.py <input >output 2>/dev/null`."""

    def __init__(self, null: int) -> None:
        self._stdin, self._stdout = _memory_file(), _memory_file()
        for fd, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
            os.dup2((self._stdin, self._stdout, null)[fd], fd)
            stream = open(  # noqa: SIM115  stays open
                fd, mode, encoding="utf-8", errors="surrogateescape", newline="\n", closefd=False
            )
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        self._paths = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2, os.devnull: null}
        self._open_file = open
        builtins.open = io.open = self._open  # the kernel opens nothing for a program
        self._most = -1
        self._wrapper = sys.stdout
        self._input = builtins.input
        builtins.input = self._ask

    def _ask(self, prompt: object = "", /) -> str:
        if prompt == "" or sys.stdout is not self._wrapper:
            return self._input(prompt)
        sys.stdout.write(f"{PROMPT_START}{prompt}{PROMPT_END}")
        return self._input()

    def _open(self, file: Any, *args: Any, **kwargs: Any) -> Any:
        """Open a standard stream by its path, or whatever `open` opens."""
        path = os.fspath(file) if isinstance(file, os.PathLike) else file
        if isinstance(path, str) and path in self._paths:
            file = os.dup(self._paths[path])
        return self._open_file(file, *args, **kwargs)

    def begin(self, stdin: str, most: int) -> None:
        """Provide input to read and room for at most this many bytes of output."""
        if self._most < 0:
            import resource  # noqa: PLC0415  needs Unix

            os.write(self._stdin, stdin.encode("utf-8", "surrogatepass"))
            os.lseek(self._stdin, 0, os.SEEK_SET)
            os.close(self._stdin)
            # One byte more than is allowed shows that the program has printed too much.
            resource.setrlimit(resource.RLIMIT_FSIZE, (most + 1, most + 1))
        self._most = most
        os.lseek(self._stdout, 0, os.SEEK_SET)

    def printed(self, *, flush: bool = True) -> str:
        """Return what the program has printed, after it has flushed its streams.

        Raises:
            PrintedTooMuchError: It is more than allowed.
        """
        for stream in (sys.stdout, self._wrapper) if flush else ():
            with suppress(Exception):
                stream.flush()
        size = os.fstat(self._stdout).st_size
        if size > self._most:
            raise PrintedTooMuchError
        return os.pread(self._stdout, size, 0).decode("utf-8", "replace")


class _PipeEnd:
    """Stand-in for a socket to itself, which a loop of asyncio wakes up by."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def fileno(self) -> int:
        return self._fd

    def setblocking(self, flag: bool) -> None:
        os.set_blocking(self._fd, flag)

    def recv(self, size: int) -> bytes:
        return os.read(self._fd, size)

    def send(self, data: bytes) -> int:
        return os.write(self._fd, data)

    def close(self) -> None:
        os.close(self._fd)


def pipe_ends(*_: object) -> tuple[_PipeEnd, _PipeEnd]:
    read, write = os.pipe()
    return _PipeEnd(read), _PipeEnd(write)


def _memory_file() -> int:
    """Return the descriptor of a file without a name."""
    if sys.platform == "linux":
        return os.memfd_create("stream")
    with tempfile.TemporaryFile(buffering=0) as file:
        return os.dup(file.fileno())


class PrintedTooMuchError(Exception):
    """The program has printed more than the limit."""
