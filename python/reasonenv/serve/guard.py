"""What stands before every endpoint: who may come in, how many at once, and how much they may bring."""

import asyncio
import hmac
import json
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

from reasonenv.serve.bodies import Refused
from reasonenv.serve.limits import Limits
from reasonenv.serve.metrics import Metrics
from reasonenv.serve.sessions import SESSION_BODY

__all__ = ["Guard", "answer"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")

log = logging.getLogger("reasonenv.serve")


class Guard:
    """ASGI middleware. It takes a request in before it reads the body, so that what waits is bounded.

    Args:
        app: What is guarded.
        limits: The bounds.
        metrics: Where requests are counted.
        token: What callers must show, all but those who ask for /health. Without one the caller must have
            addressed this very machine, so that no web page can pass its own name off as ours.
    """

    def __init__(self, app: App, limits: Limits, metrics: Metrics, token: str | None) -> None:
        self._app, self._limits, self._metrics = app, limits, metrics
        self._token = None if token is None else f"Bearer {token}".encode()
        self._in_flight = self._buffered = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answers a request; errors of ours become 500 and a line in the log."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        unread = True

        async def received() -> Message:
            nonlocal unread
            message = await receive()
            unread = unread and message.get("more_body", False)
            return message

        try:
            await self._admitted(scope, received, counted)
        except Refused as refused:
            if unread and refused.status != 408:
                await self._skip(dict(scope["headers"]), receive)
            await answer(counted, refused)
        except ConnectionError:
            status = 499  # the client has left
        except Exception:
            log.exception("a request failed")
            await answer(counted, Refused(500, "InternalError", "this is a bug of the server; see its log"))
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.requests.labels(route, status).inc()
            self._metrics.seconds.labels(route).observe(time.perf_counter() - begun)

    async def _admitted(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        self._check_caller(scope, headers)
        if scope["path"] == "/health":
            await self._app(scope, receive, send)
            return
        if self._in_flight >= self._limits.max_requests:
            raise Refused(503, "Busy", "too many requests are in flight; come back later", retry_after=1)
        self._in_flight += 1
        self._metrics.in_flight.inc()
        held = 0
        try:
            body = b""
            if scope["method"] in ("POST", "PUT", "PATCH"):
                _check_type(headers)
                most = SESSION_BODY if scope["path"].startswith("/v1/sessions") else self._limits.max_body
                body = await self._read(headers, receive, min(most, self._limits.max_body))
                held = len(body)
            await self._app(scope, _replayed(body, receive), send)
        finally:
            self._in_flight -= 1
            self._metrics.in_flight.dec()
            self._hold(-held)

    def _check_caller(self, scope: Message, headers: dict[bytes, bytes]) -> None:
        if self._token is None:
            host = headers.get(b"host", b"").decode("latin-1")
            name = host if host.endswith("]") else host.rpartition(":")[0] or host
            if name not in _LOOPBACK:
                raise Refused(403, "WrongHost", f"without a token the host must be {', '.join(_LOOPBACK)}")
        elif scope["path"] != "/health" and not hmac.compare_digest(
            headers.get(b"authorization", b""), self._token
        ):
            raise Refused(401, "Unauthorized", "send the header `Authorization: Bearer TOKEN`")

    async def _read(self, headers: dict[bytes, bytes], receive: Receive, most: int) -> bytes:
        """The whole body. What all requests have read so far counts against `max_buffered`."""
        too_large = Refused(413, "TooLarge", f"the body has more than {most} bytes; send several requests")
        declared = headers.get(b"content-length", b"")
        if declared.isdigit() and (len(declared) > 15 or int(declared) > most):
            raise too_large
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.read_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ConnectionError
                    piece = message.get("body", b"")
                    if len(body) + len(piece) > most:
                        raise too_large
                    if self._buffered + len(piece) > self._limits.max_buffered:
                        raise Refused(503, "Busy", "too much is being read; come back later", retry_after=1)
                    body += piece
                    self._hold(len(piece))
                    if not message.get("more_body", False):
                        return bytes(body)
        except BaseException as error:
            self._hold(-len(body))
            if isinstance(error, TimeoutError):
                raise Refused(408, "TooSlow", "the body took too long to arrive") from None
            raise

    async def _skip(self, headers: dict[bytes, bytes], receive: Receive) -> None:
        """Reads on without keeping anything: a client that is still sending would lose the answer.

        One that asks before it sends needs none of this, and what is very large or slow is not waited for.
        """
        declared = headers.get(b"content-length", b"")
        if b"expect" in headers or len(declared) > 15:
            return
        left = self._limits.max_buffered
        if declared.isdigit() and int(declared) > left:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.read_seconds):
                while left > 0:
                    message = await receive()
                    left -= len(message.get("body", b""))
                    if not message.get("more_body", False):
                        return

    def _hold(self, size: int) -> None:
        self._buffered += size
        self._metrics.buffered.inc(size)


def _check_type(headers: dict[bytes, bytes]) -> None:
    # A web page can send a form to this machine unasked, but not JSON.
    kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
    if kind != b"application/json":
        raise Refused(415, "WrongType", "the header `Content-Type` must be application/json")
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise Refused(415, "WrongType", "compressed bodies are not read")


def _replayed(body: bytes, receive: Receive) -> Receive:
    """`receive` of a request that was read already."""
    pending = [body]

    async def again() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return again


async def answer(send: Send, refused: Refused) -> None:
    """Sends an error. Where the body was not read to its end, the connection ends with it."""
    body = json.dumps(refused.to_dict()).encode("ascii")
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refused.retry_after is not None:
        headers.append((b"retry-after", str(refused.retry_after).encode()))
    if refused.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if refused.status in (401, 403, 408, 413, 415, 503):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
