"""Signals that come in the middle of a call."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Patience(BaseException):
    """Raised by a signal, as KeyboardInterrupt is."""


@contextmanager
def interrupted_after(seconds: float) -> Iterator[list[float]]:
    """A signal soon; the list then holds how long it took to be answered."""
    struck: list[float] = []
    late: list[float] = []

    def strike(*_: object) -> None:
        struck.append(time.monotonic())
        raise Patience

    before = signal.signal(signal.SIGALRM, strike)
    started = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield late
    except Patience:
        late.append(time.monotonic() - started - seconds)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
