"""Text files: written completely or not at all, read line by line."""

import errno
import io
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from reasonenv._native import InvalidArgument, ReasonEnvError

_DRAFT = ".part"
"""Extension of a draft, NAME.RANDOM.part, in the same folder as the final file."""

_PIECE = 1 << 20
"""Bytes read at once while a line has no end yet."""

_MOST_LINKS = 40
"""Links followed before they count as a cycle, as on Linux."""


@contextmanager
def named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Make system errors within name this path instead of that of a draft, or none."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


class NamedFile(io.FileIO):
    """An unbuffered file whose errors name it, such as a full disk in a write, which has no path."""

    def __init__(self, file: str | int, mode: str, path: str | os.PathLike[str]) -> None:
        self._path = path
        with named(path):
            super().__init__(file, mode)

    def write(self, data: Any, /) -> int:
        """Write as much as fits; return the number of bytes."""
        with named(self._path):
            return super().write(data)

    def readinto(self, buffer: Any, /) -> int:
        """Read what is available; return the number of bytes."""
        with named(self._path):
            return super().readinto(buffer)


def search_working_folder() -> None:
    """Let imports find modules of the working folder, after all others."""
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)


def called(path: str) -> str:
    """Name of a file in messages."""
    return "stdin" if path == "-" else path


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """Open a text file to write, or stdout for "-".

    Links are followed. A regular file is replaced only once it is complete, and keeps its mode; anything else
    (a device, a pipe, /dev/stdout, /dev/fd/3) is written to directly.

    Raises:
        IsADirectoryError: The path is a folder.
        OSError: The file cannot be written; names the path.
    """
    if path == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    path = _given(path)
    with named(path):
        target = _target(path)
    if isinstance(target, str):
        with _whole(target, path) as file:
            yield file
    else:
        # Text printed so far comes first, if both are the same stream.
        sys.stdout.flush()
        with _text(target) as file:
            yield file


def _given(path: str | os.PathLike[str]) -> str:
    """Return a path as text; an empty one is refused."""
    given = os.fspath(path)
    if not given:
        msg = "the path of a file is empty; name a file"
        raise InvalidArgument(msg)
    return given


def _target(path: str) -> str | NamedFile:
    """Return the path of the regular file to write, or a file to write to directly."""
    descriptor = _descriptor(path)
    if descriptor is not None:
        # Opening it by its path would truncate a file that others append to.
        return NamedFile(os.dup(descriptor), "w", path)
    target = os.path.realpath(path)
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        folder = os.path.dirname(target)
        if not os.path.isdir(folder):
            raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder}") from None
        mode = stat.S_IFREG
    if stat.S_ISDIR(mode) or path.endswith(os.sep):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return target if stat.S_ISREG(mode) else NamedFile(target, "w", path)


def _descriptor(path: str) -> int | None:
    """Descriptor of the open file that a path like /dev/stdout or /dev/fd/3 refers to."""
    homes = {"/dev/fd", f"/proc/{os.getpid()}/fd"}
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(os.path.abspath(path))
        if name.isdecimal() and os.path.realpath(folder) in homes:
            return int(name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


@contextmanager
def _whole(target: str, path: str) -> Iterator[IO[str]]:
    """Open a draft that replaces the target at the end; an error leaves the target unchanged."""
    folder, name = os.path.split(target)
    # Random, so that two processes never share a draft, and short enough for any file system.
    draft = os.path.join(folder, f"{name[:40]}.{secrets.token_hex(8)}{_DRAFT}")
    try:
        with _text(NamedFile(draft, "x", path)) as file:
            with named(path):
                _keep_mode(target, draft)
            yield file
            file.flush()
            with named(path):
                os.fsync(file.fileno())
        with named(path):
            os.replace(draft, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)


def _keep_mode(target: str, draft: str) -> None:
    """Give a draft the mode and owner of the file that it replaces, unless that one is write-protected."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    new = os.stat(draft)
    if hasattr(os, "chown") and (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(PermissionError):  # only root gives files away
            os.chown(draft, old.st_uid, old.st_gid)
    if new.st_mode != old.st_mode:
        os.chmod(draft, stat.S_IMODE(old.st_mode))


def _text(raw: NamedFile) -> io.TextIOWrapper:
    """Open a text layer with the same bytes on any machine. Lone surrogates become JSON escapes."""
    return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace", newline="\n")


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """Open a file to read, or stdin for "-"; errors name it."""
    if path == "-":
        yield sys.stdin.buffer
    else:
        with io.BufferedReader(NamedFile(_given(path), "r", path)) as file:
            yield file


def lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that are not blank, numbered from 1.

    Raises:
        ReasonEnvError: A line is not UTF-8 text; names it.
        OSError: The file cannot be read; names it.
    """
    with opened(path) as file:
        for number, line in enumerate(_raw_lines(file), 1):
            reason = "it has a byte of value 0" if b"\0" in line else None
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                reason = error.reason
            if reason is not None:
                msg = f"{called(path)}, line {number}: not UTF-8 text ({reason}); save the file as UTF-8"
                raise ReasonEnvError(msg)
            if text.strip():
                yield number, text


def _raw_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield lines with their ends. A null byte cuts a line, since some devices return nothing else."""
    pieces: list[bytes] = []
    while piece := file.readline(_PIECE):
        pieces.append(piece)
        if piece.endswith(b"\n") or b"\0" in piece:
            yield b"".join(pieces)
            pieces.clear()
    if pieces:
        yield b"".join(pieces)


def remove_drafts(path: Path) -> None:
    """Remove the drafts that a killed process left. No process may be writing the file."""
    for draft in path.parent.glob(f"{path.name[:40]}.*{_DRAFT}"):
        draft.unlink(missing_ok=True)


def is_same_file(a: str, b: str) -> bool:
    """True if two paths lead to the same regular file."""
    return "-" not in (a, b) and os.path.isfile(a) and os.path.isfile(b) and os.path.samefile(a, b)
