"""Limits of a server: beyond them callers are asked to come back, so that memory stays bounded."""

import dataclasses
import os

from reasonenv import _checks

SESSION_BODY = 2**20
"""Bytes of a request to a session; steps between two resets have eight times as many, as scratchpads grow."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits of a server.

    Args:
        max_body: Bytes of one request's body; more are refused with 413.
        max_buffered: Bytes of all bodies held at once; more are refused with 503.
        max_items: Completions in one request; more are refused with 413.
        max_requests: Requests in flight, including those that wait; more are refused with 503.
        max_connections: Open connections; more are refused with 503.
        max_sessions: Open sessions; more are refused with 429.
        workers: Threads that verify, and as many more that step environments. None: one per core.
        idle_seconds: Time after which an unused session is closed.
        step_seconds: Time that a request waits for an environment before it is answered with 504.
        read_seconds: Time that a client has to send a request, and to read its response.
    """

    max_body: int = 8 * 2**20
    max_buffered: int = 64 * 2**20
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
            if field.type is float:
                _checks.number(field.name, value, 0.01, 10**6)
            elif value is not None or field.name != "workers":
                _checks.whole(field.name, value, 1, 2**40)

    @property
    def threads(self) -> int:
        """`workers`, or the number of cores."""
        return self.workers or os.cpu_count() or 1
