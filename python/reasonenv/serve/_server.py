"""The server around the application, with limits on connections and an orderly shutdown.

uvicorn waits forever for clients that send no request, or don't read their response. So an event loop wraps
its protocol in one that doesn't.
"""

import asyncio
import contextvars
import ipaddress
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any, Self, cast

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.serve._app import create_app
from reasonenv.serve._limits import Limits

if sys.platform == "win32":
    from asyncio import ProactorEventLoop as EventLoop
else:
    from asyncio import SelectorEventLoop as EventLoop

_BACKLOG = 1024
"""Connections that the system queues until they are accepted or refused."""

_FULL_BODY = (
    b'{"error":{"type":"Busy","message":"too many connections are open; come back later","field":null}}'
)
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n"
    b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(_FULL_BODY), _FULL_BODY)
)

_CONNECTION: contextvars.ContextVar["_Connection"] = contextvars.ContextVar("connection")


class Server:
    """Verification and environments over HTTP, in a thread, for the length of a `with` block.

    Args:
        host: Host name or address to listen on.
        port: Port; 0 takes a free one.
        limits: Limits of the server.
        token: Token that callers must send; required unless `host` is this machine alone.

    Raises:
        InvalidArgument: An argument is wrong, or a token is missing.
        OSError: The address is in use; on entering the block.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        limits: Limits | None = None,
        token: str | None = None,
    ) -> None:
        self._family, self._address = _resolve(host, port, token)
        self._limits = limits or Limits()
        config = uvicorn.Config(
            _counted(create_app(self._limits, token=token)),
            http="h11",
            ws="none",
            lifespan="on",
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=_BACKLOG,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=30,
            h11_max_incomplete_event_size=16384,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="reasonenv serve", daemon=True)

    def __enter__(self) -> Self:
        self._socket = socket.create_server(self._address, family=self._family, backlog=_BACKLOG)
        host, port = self._socket.getsockname()[:2]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.wait()

    def stop(self) -> None:
        """Take no more requests, and end once those in flight are answered."""
        self._server.should_exit = True

    def wait(self) -> None:
        """Wait until the server has ended."""
        while self._thread.is_alive():
            self._thread.join(1)  # Windows delivers Ctrl-C between two calls, and not within one

    def _run(self) -> None:
        with self._socket, asyncio.Runner(loop_factory=lambda: _Loop(self._limits)) as runner:
            runner.run(self._server.serve([self._socket]))


def _resolve(host: str, port: int, token: str | None) -> tuple[socket.AddressFamily, Any]:
    """Return the family and the address of a host. Unless it is this machine alone, it needs a token."""
    _checks.text("host", host)
    _checks.whole("port", port, 0, 65535)
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        msg = f"`host` is {_checks.shown(host)}, but must be a name or an address of this machine"
        raise InvalidArgument(msg) from None
    if token is None and not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback:
        msg = f"`host` is {host}, which other machines can reach, so a token is required"
        raise InvalidArgument(msg)
    return family, address


class _Loop(EventLoop):
    """An event loop whose servers have bounded connections."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self._limits, self._connections = limits, set[_Connection]()

    async def create_server(  # type: ignore[override]
        self, protocol_factory: Callable[[], asyncio.Protocol], *args: Any, **options: Any
    ) -> asyncio.Server:
        def bounded() -> _Connection:
            return _Connection(protocol_factory(), self._connections, self._limits)

        return await super().create_server(bounded, *args, **options)


class _Connection(asyncio.Protocol):
    """A connection that is cut once it has waited `read_seconds` for a request, or for the client to read."""

    _transport: asyncio.Transport
    _deadline: asyncio.TimerHandle | None = None

    def __init__(self, http: asyncio.Protocol, others: set["_Connection"], limits: Limits) -> None:
        self._http, self._others, self._limits = http, others, limits
        self._context = contextvars.copy_context()
        self._context.run(_CONNECTION.set, self)
        self._open, self._requests, self._unread = True, 0, False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        # Head and body of a response are written apart: a delayed ACK would hold the body for 40 ms.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self._others) < self._limits.max_connections:
            self._others.add(self)
        else:
            self._http = asyncio.Protocol()
            self._transport.write(_FULL)
            self._transport.close()
        self._http.connection_made(transport)
        self._watch(unread=False)

    def data_received(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._context.run(self._http.data_received, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._others.discard(self)
        self._http.connection_lost(exc)
        self._open = False
        self._watch(unread=False)

    def pause_writing(self) -> None:
        self._http.pause_writing()
        self._watch(unread=True)

    def resume_writing(self) -> None:
        self._http.resume_writing()
        self._watch(unread=False)

    def count(self, requests: int) -> None:
        """Count requests that begin or end."""
        self._requests += requests
        if not self._unread:
            self._watch(unread=False)

    def _watch(self, unread: bool) -> None:
        self._unread = unread
        if self._deadline is not None:
            self._deadline.cancel()
        if self._open and (unread or not self._requests):
            later = asyncio.get_running_loop().call_later
            self._deadline = later(self._limits.read_seconds, self._transport.abort)


def _counted(app: ASGIApp) -> ASGIApp:
    """Return an application that tells connections which requests are in flight."""

    async def count(scope: Scope, receive: Receive, send: Send) -> None:
        if (connection := _CONNECTION.get(None)) is None:  # the server starts or ends
            return await app(scope, receive, send)
        connection.count(1)
        try:
            await app(scope, receive, send)
        finally:
            connection.count(-1)

    return count
