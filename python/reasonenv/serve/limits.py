"""What a server takes on at once. Beyond it callers are told to come back: memory does not grow instead."""

import dataclasses
import os

from reasonenv import _checks

__all__ = ["Limits"]

_MEBIBYTE = 2**20


@dataclasses.dataclass(frozen=True)
class Limits:
    """Bounds of a server.

    Args:
        max_body: Bytes of one request's body; more is refused with 413.
        max_buffered: Bytes of all bodies held at once; more is refused with 503.
        max_items: Completions in one request; more are refused with 413.
        max_requests: Requests in flight at once, those that wait included; more are refused with 503.
        max_connections: Connections that are open at once; more are refused with 503.
        max_sessions: Sessions that are open at once; more are refused with 429.
        workers: Requests that are judged at once, and, apart from these, sessions that are stepped at once.
            None: one for each core.
        idle_seconds: A session that nobody has used for so long is closed.
        step_seconds: How long a request waits for an environment, which is then answered with 504.
        read_seconds: How long a client may take to send a request, and to read the answer.
    """

    max_body: int = 8 * _MEBIBYTE
    max_buffered: int = 64 * _MEBIBYTE
    max_items: int = 8192
    max_requests: int = 128
    max_connections: int = 512
    max_sessions: int = 256
    workers: int | None = None
    idle_seconds: float = 600.0
    step_seconds: float = 30.0
    read_seconds: float = 20.0

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.type in (float, "float"):
                _checks.number(field.name, value, 0.01, 10**6)
            elif value is not None or field.name != "workers":
                _checks.whole(field.name, value, 1, 2**40)

    @property
    def threads(self) -> int:
        """`workers`, or the number of cores."""
        return self.workers or os.cpu_count() or 1
