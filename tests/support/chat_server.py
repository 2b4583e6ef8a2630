"""A real HTTP server for /v1/chat/completions, whose good and bad replies come from a script."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = dict[str, Any] | bytes | int | str | tuple[int, dict[str, Any], dict[str, str]] | list[Any] | None
"""A body; a broken body; a status; "hang", "cut" or "close"; a status with its error and headers; the chunks
of a stream, which breaks off after a last chunk of None; None for silence as the answer."""


def answer(text: str | None, *, finish: str = "stop", **more: Any) -> dict[str, Any]:
    """A well-formed reply."""
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text} | more,
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def chunk(choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A piece of a stream."""
    return {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": choices,
    } | more


def pieces(text: str, finish: str | None = "stop", **first: Any) -> list[Any]:
    """A streamed answer, a few letters at a time, with its tokens at the end."""
    says = [first] * bool(first) + [{"content": text[at : at + 5]} for at in range(0, len(text), 5)]
    found = [chunk([{"index": 0, "delta": one, "finish_reason": None}]) for one in says]
    found.append(chunk([{"index": 0, "delta": {}, "finish_reason": finish}]))
    return [*found, chunk([], usage={"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18})]


class Server:
    """Ask `script` for each reply, with the body of the request and the number of equal ones before it."""

    def __init__(self, script: Callable[[dict[str, Any], int], Reply], delay: float = 0.0) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.most_at_once = 0
        self._now = 0
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                key = json.dumps(body, sort_keys=True)
                with outer._lock:
                    before = outer._seen[key]
                    outer._seen[key] += 1
                    outer.requests.append(body)
                    outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                    outer._now += 1
                    outer.most_at_once = max(outer.most_at_once, outer._now)
                try:
                    time.sleep(delay)
                    self._reply(script(body, before) if self.path == "/v1/chat/completions" else 404)
                except (BrokenPipeError, ConnectionResetError):
                    pass
                finally:
                    with outer._lock:
                        outer._now -= 1

            def _reply(self, reply: Reply) -> None:
                if reply == "close":
                    self.close_connection = True
                    self.connection.close()
                    return
                if reply == "hang":
                    time.sleep(2)
                    reply = answer("too late")
                if isinstance(reply, list):
                    self._stream(reply)
                    return
                headers = {"Retry-After": "0.05"} if reply == 429 else {}
                status, content = 200, reply
                if isinstance(reply, tuple):
                    status, content, headers = reply[0], {"error": reply[1]}, reply[2]
                if isinstance(reply, int):
                    status, content = reply, {"error": {"message": f"this is status {reply}"}}
                raw = content if isinstance(content, bytes) else json.dumps(content).encode()
                length = len(raw)
                if reply == "cut":
                    raw, length = b'{"choices": [', 1000
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(length))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)
                self.wfile.flush()
                if reply == "cut":
                    self.close_connection = True

            def _stream(self, chunks: list[Any]) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                broken = chunks[-1] is None
                lines = [f"data: {json.dumps(one)}\n\n" for one in chunks if one is not None]
                for line in lines if broken else [*lines, "data: [DONE]\n\n"]:
                    self.wfile.write(f"{len(line.encode()):x}\r\n{line}\r\n".encode())
                if not broken:
                    self.wfile.write(b"0\r\n\r\n")
                self.wfile.flush()
                self.close_connection = broken

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> "Server":
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


@contextmanager
def serving(script: Callable[[dict[str, Any], int], Reply], delay: float = 0.0) -> Iterator[Server]:
    with Server(script, delay) as server:
        yield server
