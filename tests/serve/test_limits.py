"""`reasonenv.serve` with many, slow and greedy clients, without a token, and during shutdown."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import gymnasium
import pytest
import reasonenv
from reasonenv.errors import InvalidArgument
from reasonenv.serve import Limits, Server
from serve_checks import JSON, RIGHT, Address, call, counted, item, post, served, sessions_of

server = pytest.fixture(scope="module")(served)
sessions = pytest.fixture(sessions_of)


def test_sessions_are_bounded_in_number_and_in_what_they_are_told(server: Server, sessions: Any) -> None:
    asked = {"env": "reasonenv/ChainSum-v1", "kwargs": {"mode": "step", "max_steps": 10**6}}
    session = sessions(**asked)[1]["session"]
    assert sessions(**asked)[0] == sessions(**asked)[0] == 201
    status, answer, headers = call(server, "POST", "/v1/sessions", json.dumps(asked))
    assert (status, answer["error"]["type"], headers["retry-after"]) == (429, "TooManySessions", "5")
    said = json.dumps({"action": "x" * 250_000})
    statuses = [call(server, "POST", f"/v1/sessions/{session}/step", said)[0] for _ in range(40)]
    assert statuses.index(413) == 8 * 2**20 // len(said)
    assert set(statuses) == {200, 413}
    assert post(server, f"/v1/sessions/{session}/reset", {})[0] == 200
    assert call(server, "POST", f"/v1/sessions/{session}/step", said)[0] == 200


def test_an_idle_session_is_closed() -> None:
    with Server(limits=Limits(idle_seconds=0.2)) as server:
        session = post(server, "/v1/sessions", {"env": "reasonenv/Nim-v1"})[1]["session"]
        deadline = time.monotonic() + 20
        while counted(server, "reasonenv_sessions") and time.monotonic() < deadline:
            time.sleep(0.05)
        assert post(server, f"/v1/sessions/{session}/reset", {})[0] == 404
        assert counted(server, "reasonenv_sessions_expired_total") == 1


def test_a_step_that_takes_too_long_holds_up_no_one_else() -> None:
    thinks = threading.Event()

    class Slow(gymnasium.Env[str, str]):
        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[str, dict[str, Any]]:  # noqa: ARG002
            thinks.wait(60)
            return "", {}

    gymnasium.register("reasonenv/Slow-v1", entry_point=lambda **_: Slow())
    try:
        with Server(limits=Limits(step_seconds=0.3, workers=1)) as server:
            status, answer = post(server, "/v1/sessions", {"env": "reasonenv/Slow-v1"})
            assert (status, answer["error"]["type"]) == (504, "TooSlow")
            assert post(server, "/v1/verify", {"items": [item()]})[1]["rewards"] == [1.0]
            assert counted(server, "reasonenv_sessions") == 1  # its place is held until it is done
            thinks.set()
            deadline = time.monotonic() + 20
            while counted(server, "reasonenv_sessions") and time.monotonic() < deadline:
                time.sleep(0.05)
            assert counted(server, "reasonenv_sessions") == 0
    finally:
        thinks.set()
        del gymnasium.registry["reasonenv/Slow-v1"]


def test_one_session_serves_one_request_at_a_time(server: Server, sessions: Any) -> None:
    session = sessions(env="reasonenv/ChainSum-v1", kwargs={"mode": "step"})[1]["session"]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: post(server, f"/v1/sessions/{session}/reset", {})[0], range(64)))
    assert set(found) <= {200, 409}
    assert 200 in found


def test_more_requests_than_are_taken_in_are_told_to_come_back() -> None:
    task = reasonenv.family("sudoku").sample(level=4)
    body = json.dumps({"items": [item(task.wrap(task.solution.answer), task.problem, "sudoku")] * 500})
    with Server(limits=Limits(max_requests=2, workers=1)) as server, ThreadPoolExecutor(12) as pool:
        found = list(pool.map(lambda _: call(server, "POST", "/v1/verify", body), range(36)))
        assert {status for status, _, _ in found} == {200, 503}
        refused = [
            (answer["error"]["type"], headers["retry-after"])
            for status, answer, headers in found
            if status == 503
        ]
        assert set(refused) == {("Busy", "1")}
        assert counted(server, "reasonenv_buffered_bytes") == 0
        assert post(server, "/v1/verify", {"items": [item()]})[0] == 200


def test_bodies_that_are_read_at_once_are_bounded_together() -> None:
    with Server(limits=Limits(max_buffered=100_000, read_seconds=5)) as server:
        half = open_request(server, b"x" * 80_000, declared=90_000)
        deadline = time.monotonic() + 10
        while counted(server, "reasonenv_buffered_bytes") < 80_000 and time.monotonic() < deadline:
            time.sleep(0.02)
        status, answer, _ = call(server, "POST", "/v1/verify", b" " * 50_000)
        assert (status, answer["error"]["type"]) == (503, "Busy")
        half.close()


@pytest.mark.parametrize("size", [9 * 2**20, 40 * 2**20])
def test_a_body_that_is_too_large_is_answered(server: Server, size: int) -> None:
    """The client sends all of it before it reads: closing on it would reset the connection."""
    connection = open_request(server, b"", declared=size)
    for _ in range(size // 2**16):
        connection.sendall(b" " * 2**16)
    said = until_closed(connection, lost=())
    assert said.startswith(b"HTTP/1.1 413 ")
    assert b"TooLarge" in said


WIDE = {str(number): 0 for number in range(400_000)}


@pytest.mark.parametrize(
    "body",
    [
        WIDE,
        {"items": [WIDE]},
        {"items": [item() | dict.fromkeys("abcdefghijkl", 0)] * 8192},
        {"items": [item()], "reward": WIDE},
        {"verifier": "choice", "texts": [""], "references": [[0] * 2_000_000]},
    ],
    ids=["body", "item", "items", "reward", "references"],
)
def test_a_body_with_very_many_faults_costs_little(body: dict[str, Any]) -> None:
    path = "/v1/verify/rows" if "verifier" in body else "/v1/verify"
    with Server() as server:
        said = json.dumps(body)
        begun = time.process_time()
        json.loads(said)
        read = time.process_time()
        status, answer, _ = call(server, "POST", path, said)
        # 0.9 to 2.4 times the cost of reading the body.
        assert time.process_time() - read < 0.5 + 5 * (read - begun)
        assert status in {400, 422}
        assert len(answer["error"]["message"]) < 500


def test_a_refused_caller_is_answered_whatever_it_sends(server: Server) -> None:
    host, port = urlsplit(server.url).netloc.split(":")
    connection = socket.create_connection((host, int(port)), timeout=20)
    connection.sendall(head("elsewhere.example", 9 * 2**20))
    for _ in range(9 * 2**4):
        connection.sendall(b" " * 2**16)
    assert until_closed(connection, lost=()).startswith(b"HTTP/1.1 403 ")


def head(host: str, length: int) -> bytes:
    lines = [
        "POST /v1/verify HTTP/1.1",
        f"host: {host}",
        *(f"{name}: {value}" for name, value in JSON.items()),
    ]
    return "\r\n".join([*lines, f"content-length: {length}", "", ""]).encode()


def open_request(server: Server, body: bytes, declared: int) -> socket.socket:
    """A connection that has sent a head and a part of its body."""
    host, port = urlsplit(server.url).netloc.split(":")
    connection = socket.create_connection((host, int(port)), timeout=20)
    connection.sendall(head(host, declared) + body)
    return connection


def until_closed(
    connection: socket.socket, lost: tuple[type[Exception], ...] = (ConnectionResetError,)
) -> bytes:
    said = b""
    with connection, suppress(*lost):
        while piece := connection.recv(65536):
            said += piece
    return said


def test_clients_that_stall_are_cut_off(server: Server) -> None:
    begun = time.monotonic()
    host, port = urlsplit(server.url).netloc.split(":")
    silent = socket.create_connection((host, int(port)), timeout=20)
    headless = socket.create_connection((host, int(port)), timeout=20)
    headless.sendall(b"POST /v1/verify HTTP/1.1\r\nhost: 127.0")
    assert until_closed(silent) == until_closed(headless) == b""
    assert until_closed(open_request(server, b'{"items"', 100)).startswith(b"HTTP/1.1 408 ")
    assert time.monotonic() - begun < 15


def test_a_client_that_does_not_read_is_cut_off(server: Server) -> None:
    body = json.dumps({"items": [item("?")] * 500}).encode()
    host, port = urlsplit(server.url).netloc.split(":")
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(20)
        connection.connect((host, int(port)))
        with suppress(OSError):  # it may be cut off before all is sent
            connection.sendall(
                (head(host, len(body)) + body) * 100
            )  # more answers than the buffers in between hold
        time.sleep(4)
        # On a busy machine the server may still be at work by then.
        deadline = time.monotonic() + 60
        while counted(server, "reasonenv_requests_in_flight") > 1 and time.monotonic() < deadline:
            time.sleep(1)
        assert until_closed(connection).count(b"HTTP/1.1 200") < 90
    assert counted(server, "reasonenv_requests_in_flight") == 1


def test_no_response_waits_for_an_acknowledgement(server: Server) -> None:
    """On a connection that is kept, half a response would wait 40 ms for the delayed ACK of the other."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
    times = []
    for _ in range(40):
        begun = time.perf_counter()
        connection.request("GET", "/health")
        connection.getresponse().read()
        times.append(time.perf_counter() - begun)
    connection.close()
    assert sorted(times)[10] < 0.035


def test_crowds_of_connections_are_refused(server: Server) -> None:
    host, port = urlsplit(server.url).netloc.split(":")
    crowd = [socket.create_connection((host, int(port)), timeout=20) for _ in range(40)]
    assert sum(b"503" in until_closed(one) for one in crowd) >= 16
    assert post(server, "/v1/verify", {"items": [item()]})[0] == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content-type": "text/plain"}, 415),
        ({}, 415),
        ({**JSON, "content-encoding": "gzip"}, 415),
        ({**JSON, "host": "example.com"}, 403),
        ({**JSON, "host": "127.0.0.1.example.com:80"}, 403),
        ({**JSON, "host": "localhost:8000"}, 200),
        ({**JSON, "host": "[::1]"}, 200),
        ({"content-type": "application/json; charset=utf-8"}, 200),
    ],
    ids=str,
)
def test_what_a_web_page_could_send_is_refused(server: Server, headers: dict[str, str], status: int) -> None:
    assert call(server, "POST", "/v1/verify", json.dumps({"items": []}), headers)[0] == status


def test_other_paths_and_methods_are_named(server: Server) -> None:
    assert call(server, "GET", "/v1/nope")[0] == 404
    assert call(server, "GET", "/v1/verify")[0] == 405
    assert call(server, "GET", "/../../etc/passwd")[0] == 404
    assert call(server, "GET", "/health")[1]["status"] == "ok"


def test_a_token_opens_all_but_health() -> None:
    with Server(token="secret") as server:
        body = json.dumps({"items": [item()]})
        for shown in ("", "Bearer", "Bearer secre", "secret", "Bearer secret2", "Bearer \xe9"):
            status, answer, headers = call(
                server, "POST", "/v1/verify", body, {**JSON, "authorization": shown}
            )
            assert (status, headers["www-authenticate"]) == (401, "Bearer"), answer
            assert call(server, "GET", "/metrics", headers={"authorization": shown})[0] == 401
        status, answer, _ = call(
            server,
            "POST",
            "/v1/verify",
            body,
            {**JSON, "authorization": "Bearer secret", "host": "example.com"},
        )
        assert (status, answer["rewards"]) == (200, [1.0])
        assert call(server, "GET", "/health")[0] == 200


def test_others_can_call_only_with_a_token() -> None:
    for host in ("0.0.0.0", "::"):
        with pytest.raises(InvalidArgument, match="token"), Server(host):
            pass
    for token in ("", "a\nb", "é", 7):
        with pytest.raises(InvalidArgument, match="token"), Server(token=token):  # type: ignore[arg-type]
            pass
    with Server("0.0.0.0", token="secret") as server:
        assert server.url.startswith("http://0.0.0.0:")


def test_limits_are_checked() -> None:
    for wrong in ({"max_body": 0}, {"workers": 0}, {"idle_seconds": "a"}, {"max_items": 1.5}):
        with pytest.raises(InvalidArgument, match=next(iter(wrong))):
            Limits(**wrong)


def test_metrics_count_what_happened() -> None:
    with Server() as server:
        post(server, "/v1/verify", {"items": [item(), item("?"), item("??")]})
        post(server, "/v1/verify", {"items": 7})
        said = call(server, "GET", "/metrics")[1]
        for line in (
            'reasonenv_requests_total{route="/v1/verify",status="200"} 1.0',
            'reasonenv_requests_total{route="/v1/verify",status="422"} 1.0',
            'reasonenv_verdicts_total{passed="true",verifier="chain_sum"} 1.0',
            'reasonenv_verdicts_total{passed="false",verifier="chain_sum"} 2.0',
            "reasonenv_requests_in_flight 1.0",
        ):
            assert line in said.splitlines()


def started(*options: str, **variables: str) -> "tuple[subprocess.Popen[str], Address]":
    """The command as a separate process, and its address."""
    env = {**os.environ, **variables, "PYTHONPATH": str(Path(reasonenv.__file__).parent.parent)}
    command = [sys.executable, "-m", "reasonenv", "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"http://\S+?(?=[;,])", line)
    assert found is not None, line + process.stderr.read()
    return process, SimpleNamespace(url=found[0])


def test_sigterm_ends_it_once_requests_in_flight_are_answered() -> None:
    process, server = started("--workers", "1")
    with process:
        items = [item(RIGHT)] * 8000
        found: list[Any] = []
        asking = threading.Thread(target=lambda: found.append(post(server, "/v1/verify", {"items": items})))
        asking.start()
        deadline = time.monotonic() + 20
        while (
            counted(server, "reasonenv_requests_in_flight") < 2 and not found and time.monotonic() < deadline
        ):
            pass
        assert not found, "the request was answered before the server could be stopped"
        process.send_signal(signal.SIGTERM)
        asking.join(30)
        status, answer = found[0]
        assert (status, len(answer["rewards"])) == (200, 8000)
        assert process.wait(30) == 0
        with pytest.raises(OSError, match="refused"):
            call(server, "GET", "/health")


def test_ctrl_c_ends_it_as_it_ends_every_command() -> None:
    process, server = started(REASONENV_TOKEN="secret")
    with process:
        assert call(server, "GET", "/v1/names")[0] == 401
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_the_command_says_what_is_wrong_with_an_address() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for options, said in (
            (["--host", "0.0.0.0"], "token"),
            (["--host", "no such host"], "host"),
            (["--port", str(taken.getsockname()[1])], "in use"),
        ):
            command = [sys.executable, "-m", "reasonenv", "serve", *options]
            env = {**os.environ, "PYTHONPATH": str(Path(reasonenv.__file__).parent.parent)}
            done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60, check=False)
            assert done.returncode == 1
            assert said in done.stderr
            assert "Traceback" not in done.stderr
