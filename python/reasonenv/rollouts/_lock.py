"""A lock on a folder: one process writes there. The lock ends with the process, however that ends."""

import json
import os
import socket
import warnings
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from reasonenv._files import named


class LockTaken(Exception):
    """Another process has the lock; names it, if known, and says what to do."""

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
    """A lock on a file, taken on construction. The operating system releases it when its process ends.

    The file names the holder. It is removed with the lock; a killed process leaves it behind, unlocked.

    Raises:
        LockTaken: Another process has the lock, or this one already has it.
        OSError: The file cannot be made; names it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = FileLock(
            path, blocking=False, thread_local=False, fallback_to_soft=False, on_acquired=partial(_sign, path)
        )
        try:
            self._lock.acquire()
        except Timeout:
            raise LockTaken(_holder(path)) from None
        except OSError as error:
            if error.filename is not None:
                raise
            # Some network file systems don't support locks. Work continues there, with a warning.
            msg = f"{path.parent} cannot be locked ({error.strerror}); let one process at a time write there"
            warnings.warn(msg, RuntimeWarning, stacklevel=3)
        self._process: int | None = os.getpid()

    @property
    def held(self) -> bool:
        """True if this process has the lock. A forked child doesn't."""
        return self._process == os.getpid()

    def release(self) -> None:
        """Release the lock; releasing it twice is fine."""
        if self.held:
            self._process = None
            with suppress(OSError):  # Windows keeps open files; `FileLock` removes it there
                self.path.unlink()
            self._lock.release()


def _sign(path: Path, file: int) -> None:
    """Write the holder's name. On Windows nobody else can read the locked first byte, so it is left blank."""
    holder = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": datetime.now().astimezone().isoformat(" ", "seconds"),
    }
    try:
        with named(path):
            os.ftruncate(file, 0)
            os.write(file, f"\n{json.dumps(holder)}\n".encode())
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise


def _holder(path: Path) -> dict[str, Any]:
    """Holder in the lock's file; empty if the file is just being written."""
    try:
        with path.open("rb", buffering=0) as file:
            file.seek(1)
            holder = json.loads(file.read())
    except (OSError, ValueError):
        return {}
    return holder if isinstance(holder, dict) else {}
