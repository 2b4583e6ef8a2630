"""A lock on a folder: one process writes there, and ends with its lock, however it ends."""

import json
import os
import socket
import sys
import warnings
import weakref
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from reasonenv._files import named

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["Held", "Lock"]

_AT = 1 << 30
"""The byte that Windows locks: beyond the file's text, which a locked byte would keep others from reading."""


class Held(Exception):
    """Somebody else has the lock: says who, as far as that is known, and what to do."""

    def __init__(self, holder: Mapping[str, Any]) -> None:
        pid, host = holder.get("pid"), holder.get("host")
        if (pid, host) == (os.getpid(), socket.gethostname()):
            who, remedy = f"this process ({pid})", "close it there first"
        elif pid is None:
            who, remedy = "another process", "wait for its end"
        else:
            who, remedy = f"process {pid} on {host}", "wait for its end"
        since = f", since {holder['since']}" if "since" in holder else ""
        super().__init__(f"open in {who}{since}; {remedy}, or name another folder")


class Lock:
    """A lock that a file stands for, taken when made. The system drops it with the process that holds it.

    The file tells others who holds it. It is removed with the lock; a killed process leaves it, unlocked.

    Raises:
        Held: Another process has the lock, or this one has it already.
        OSError: The file cannot be made; names it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None
        while self._file is None:
            with named(path):
                file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
            try:
                if not _locked(file, path):
                    raise Held(_holder(file))
                # A lock on a file that its last holder has removed since it was opened keeps nobody out.
                if _is_at(file, path):
                    self._file = file
            finally:
                if self._file is None:
                    os.close(file)
        _OPEN.add(self)
        try:
            self._say_who()
        except BaseException:
            self.release()
            raise

    @property
    def held(self) -> bool:
        """Whether the lock is this process's. It is not a forked child's."""
        return self._file is not None

    def release(self) -> None:
        """Gives the lock back; doing so twice is fine."""
        if self._file is None:
            return
        file, self._file = self._file, None
        if sys.platform == "win32":  # where an open file cannot be removed
            os.close(file)
        with suppress(OSError):
            self.path.unlink()
        if sys.platform != "win32":
            os.close(file)

    def forget(self) -> None:
        """Closes a forked child's copy, with which the lock would outlive its holder."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __del__(self) -> None:
        self.release()

    def _say_who(self) -> None:
        assert self._file is not None, "who holds the lock is said by the holder"
        holder = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "since": datetime.now().astimezone().isoformat(" ", "seconds"),
        }
        with named(self.path):
            os.ftruncate(self._file, 0)
            os.write(self._file, json.dumps(holder).encode() + b"\n")


_OPEN: "weakref.WeakSet[Lock]" = weakref.WeakSet()


def _forget_all() -> None:
    for lock in list(_OPEN):
        lock.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def _locked(file: int, path: Path) -> bool:
    """Takes the lock if nobody has it."""
    try:
        if sys.platform == "win32":
            os.lseek(file, _AT, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            os.lseek(file, 0, os.SEEK_SET)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        # Some network file systems lock nothing. Work there goes on, but not without a word.
        msg = f"{path.parent} cannot be locked ({error.strerror}); let one process at a time write there"
        warnings.warn(msg, RuntimeWarning, stacklevel=4)
    return True


def _holder(file: int) -> dict[str, Any]:
    """What the lock's file says of its holder; nothing, if it is just being written."""
    os.lseek(file, 0, os.SEEK_SET)
    try:
        holder = json.loads(os.read(file, 4096))
    except ValueError:
        holder = None
    return holder if isinstance(holder, dict) else {}


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
