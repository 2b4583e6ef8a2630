"""Ends workers whose trainer was killed, which they would notice only when they next reply."""

import atexit
import os
import subprocess
import sys
from contextlib import suppress

_CODE = """
import os, select, signal, sys
held = []
for line in sys.stdin:
    held = [fd for fd in held if not select.select([fd], [], [], 0)[0]]
    try:
        held.append(os.pidfd_open(int(line)))
    except OSError:
        pass
for fd in held:
    try:
        signal.pidfd_send_signal(fd, signal.SIGKILL)
    except OSError:
        pass
"""


class WorkerGuard:
    """A process that kills workers when this process has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._known: set[int] = set()

    def watch(self, pid: int | None) -> None:
        """Include a worker."""
        if pid is None or pid in self._known or not hasattr(os, "pidfd_open"):
            return
        self._known.add(pid)
        if self._process is None:
            command = [sys.executable, "-I", "-S", "-c", _CODE]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
            atexit.register(self.close)
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(f"{pid}\n".encode())
            self._process.stdin.flush()

    def close(self) -> None:
        """Let it end the workers that are left."""
        if self._process is not None:
            with suppress(OSError):
                self._process.communicate()
            self._process = None

    def after_fork(self) -> None:
        """Leave it to the parent, whose end it must see."""
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                os.close(self._process.stdin.fileno())
            self._process.returncode = 0
            _KEPT.append(self._process)
            self._process = None
        self._known = set()


_KEPT: list[subprocess.Popen[bytes]] = []
