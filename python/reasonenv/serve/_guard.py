"""Admission of requests: who may call, how many at once, and how many bytes they may send."""

import asyncio
import hmac
import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reasonenv.serve._errors import Refusal, respond
from reasonenv.serve._limits import SESSION_BODY, Limits

_LOOPBACK = (b"localhost", b"127.0.0.1", b"[::1]")


class Guard:
    """ASGI middleware that admits a request before its body is read, so that memory stays bounded.

    Without a token, requests must name this machine as their host, so that no web page can call the server.
    """

    def __init__(self, app: ASGIApp, limits: Limits, registry: CollectorRegistry, token: str | None) -> None:
        self._app, self._limits = app, limits
        self._authorization = None if token is None else f"Bearer {token}".encode()
        self._in_flight = self._buffered = 0
        ProcessCollector(registry=registry)
        self._requests = Counter(
            "reasonenv_requests", "Answered requests.", ["route", "status"], registry=registry
        )
        self._seconds = Histogram(
            "reasonenv_request_seconds", "Time to a response.", ["route"], registry=registry
        )
        gauge = Gauge("reasonenv_requests_in_flight", "Requests in flight.", registry=registry)
        gauge.set_function(lambda: self._in_flight)
        gauge = Gauge("reasonenv_buffered_bytes", "Bytes of request bodies held.", registry=registry)
        gauge.set_function(lambda: self._buffered)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500

        async def observe(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._admit(scope, receive, observe)
        except Refusal as refusal:
            # If the body wasn't read to its end, the connection can't be used again.
            refusal.headers = {**(refusal.headers or {}), "connection": "close"}
            await (await respond(Request(scope), refusal))(scope, receive, observe)
        except ClientDisconnect:
            status = 499
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self._requests.labels(route, status).inc()
            self._seconds.labels(route).observe(time.perf_counter() - begun)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        public, body = scope["path"] == "/health", bytearray()
        refusal = self._refusal(scope, dict(scope["headers"]), public)
        counted = refusal is None and not public
        self._in_flight += counted

        async def replay() -> Message:
            return {"type": "http.request", "body": bytes(body)}

        try:
            await self._read(scope, receive, body, refusal)
            await self._app(scope, replay, send)
        finally:
            self._in_flight -= counted
            self._buffered -= len(body)

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes], public: bool) -> Refusal | None:
        """Return why a request isn't admitted, judging by its headers alone."""
        if self._authorization is None:
            host = headers.get(b"host", b"")
            if (host if host.endswith(b"]") else host.rpartition(b":")[0] or host) not in _LOOPBACK:
                message = "without a token the host must be localhost, 127.0.0.1 or [::1]"
                return Refusal(403, "WrongHost", message)
        elif not (public or hmac.compare_digest(headers.get(b"authorization", b""), self._authorization)):
            message = "send the header `Authorization: Bearer TOKEN`"
            return Refusal(401, "Unauthorized", message, www_authenticate="Bearer")
        # A web page can make a browser send a form to this machine, but not JSON.
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if scope["method"] == "POST" and kind != b"application/json":
            return Refusal(415, "WrongType", "the header `Content-Type` must be application/json")
        if headers.get(b"content-encoding", b"identity").lower() != b"identity":
            return Refusal(415, "WrongType", "compressed bodies are not read")
        if self._in_flight >= self._limits.max_requests and not public:
            return Refusal(503, "Busy", "too many requests are in flight; come back later", retry_after=1)
        return None

    async def _read(self, scope: Scope, receive: Receive, body: bytearray, refusal: Refusal | None) -> None:
        """Read a body. If it is refused, read on and drop it, unless it is very large or slow.

        A client that is still sending would otherwise see a reset connection instead of the response; one
        that waits for `100 Continue` doesn't need this.
        """
        headers, most, total = dict(scope["headers"]), self._limits.max_body, self._limits.max_buffered
        if scope["path"].startswith("/v1/sessions"):
            most = min(most, SESSION_BODY)
        too_large = "TooLarge", f"the body has more than {most} bytes; send several requests"
        too_many = "Busy", "too many bytes are being read; come back later"
        size, more, declared = 0, True, int(headers.get(b"content-length", 0))
        if declared > most:
            refusal = refusal or Refusal(413, *too_large)
        if refusal is not None and (b"expect" in headers or declared > total):
            raise refusal
        try:
            async with asyncio.timeout(self._limits.read_seconds):
                while more and size <= total:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    piece, more = message.get("body", b""), message.get("more_body", False)
                    size += len(piece)
                    if size > most:
                        refusal = refusal or Refusal(413, *too_large)
                    elif self._buffered + len(piece) > total:
                        refusal = refusal or Refusal(503, *too_many, retry_after=1)
                    self._buffered -= len(body)
                    body += piece
                    if refusal is not None:
                        body.clear()
                    self._buffered += len(body)
        except TimeoutError:
            refusal = refusal or Refusal(408, "TooSlow", "the body took too long to arrive")
        if refusal is not None:
            raise refusal
