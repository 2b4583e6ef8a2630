"""The server around the application: connections that are bounded in number and time, and an orderly end."""

import asyncio
import contextlib
import ipaddress
import signal
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.serve.app import create_app
from reasonenv.serve.limits import Limits

__all__ = ["Running", "running", "serve"]

_GRACE = 30
"""Seconds that requests in flight have to end once the server is told to stop."""

_KEEP_ALIVE = 15
"""Seconds that a connection may stay open between two requests."""

_BACKLOG = 1024
"""Connections that the system holds until they are taken in, or told that there are too many."""

_FULL_BODY = b'{"error":{"type":"Busy","message":"too many connections are open; come back later"}}'
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n"
    b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(_FULL_BODY), _FULL_BODY)
)


def protocol(limits: Limits) -> type[H11Protocol]:
    """HTTP as uvicorn has it, for clients that send or read slowly, or come in crowds."""

    class Connection(H11Protocol):
        """A connection that is cut when its client stalls."""

        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            """Takes a connection in, or says that there are too many."""
            super().connection_made(transport)
            if len(self.connections) > limits.max_connections:
                transport.write(_FULL)
                transport.close()
            self._expect()

        def data_received(self, data: bytes) -> None:
            """Takes in what came; the head of a request must be whole in time."""
            if self.transport.is_closing():
                return
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._relax()
            elif self._deadline is None:
                self._expect()

        def connection_lost(self, exc: Exception | None) -> None:
            """Forgets the connection."""
            self._relax()
            super().connection_lost(exc)

        def pause_writing(self) -> None:
            """The client does not read what it asked for."""
            super().pause_writing()
            self._expect()

        def resume_writing(self) -> None:
            """It has read it."""
            super().resume_writing()
            self._relax()

        def timeout_keep_alive_handler(self) -> None:
            """Nothing came for a while: the connection ends, whether the client has read all or not."""
            super().timeout_keep_alive_handler()
            self._expect()

        def _expect(self) -> None:
            self._relax()
            self._deadline = self.loop.call_later(limits.read_seconds, self.transport.abort)

        def _relax(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

    return Connection


class _Server(uvicorn.Server):
    """The one of uvicorn, which SIGTERM ends with 0: that is how it is meant to be stopped."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals end the serving, not the process."""
        with super().capture_signals():
            yield
            interrupted = signal.SIGINT in self._captured_signals
            self._captured_signals.clear()
        if interrupted:
            raise KeyboardInterrupt


def _server(host: str, port: int, limits: Limits, token: str | None) -> tuple[_Server, socket.socket]:
    """A server and the socket that it is to listen on.

    Raises:
        InvalidArgument: The address is none, or one that needs a token and has none.
        OSError: It cannot be listened on.
    """
    _checks.text("host", host)
    port = _checks.whole("port", port, 0, 65535)
    app = create_app(limits, token=token)
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        msg = f"`host` is {_checks.shown(host)}, but must be a name or an address of this machine"
        raise InvalidArgument(msg) from None
    if token is None and not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback:
        msg = f"`host` is {host}, which others can reach, so a token is required"
        raise InvalidArgument(msg)
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
    except OSError as error:
        listening.close()
        raise OSError(error.errno, error.strerror, f"{host}:{port}") from None
    config = uvicorn.Config(
        app,
        http=protocol(limits),
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_GRACE,
        h11_max_incomplete_event_size=16384,
        server_header=False,
    )
    return _Server(config), listening


def serve(
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    limits: Limits | None = None,
    token: str | None = None,
    on_listening: Any = None,
) -> None:
    """Serves until it is told to stop, by SIGTERM or Ctrl-C: requests in flight are answered first.

    Args:
        host: Where to listen.
        port: The port; 0 takes any that is free.
        limits: What the server takes on at once.
        token: What callers must show; required wherever others than this machine can call.
        on_listening: Called with the address once connections are taken.

    Raises:
        InvalidArgument: An argument is not what it must be.
        OSError: The address is in use, or not this machine's.
    """
    server, listening = _server(host, port, limits or Limits(), token)
    with listening:
        listening.listen(_BACKLOG)
        if on_listening is not None:
            on_listening(_url(listening))
        server.run([listening])


@dataclass(frozen=True)
class Running:
    """A server that runs beside the program."""

    url: str


@contextlib.contextmanager
def running(
    host: str = "127.0.0.1", port: int = 0, *, limits: Limits | None = None, token: str | None = None
) -> Iterator[Running]:
    """The same server beside a program of one's own, in a thread; it ends with the block.

    Args:
        host: Where to listen.
        port: The port; 0 takes any that is free.
        limits: What the server takes on at once.
        token: What callers must show.

    Raises:
        InvalidArgument: An argument is not what it must be.
        OSError: The address is in use, or not this machine's.
    """
    server, listening = _server(host, port, limits or Limits(), token)
    with listening:
        listening.listen(_BACKLOG)
        thread = threading.Thread(target=server.run, args=([listening],), name="reasonenv serve", daemon=True)
        thread.start()
        try:
            yield Running(_url(listening))
        finally:
            server.should_exit = True
            thread.join()


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
