"""`reasonenv.serve`: what is judged and stepped over HTTP is what is judged and stepped here."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import gymnasium
import numpy as np
import pytest
import reasonenv
from reasonenv import integrations
from reasonenv.serve import Limits, Running, running
from reasonenv.serve.bodies import plain
from serve_checks import JSON, PROBLEM, RIGHT, call, counted, item, post, tasks

SMALL = Limits(
    max_body=300_000, max_items=500, max_sessions=3, max_connections=24, read_seconds=1.0, step_seconds=20.0
)


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(limits=SMALL) as server:
        yield server


@pytest.fixture
def sessions(server: Running) -> Iterator[Any]:
    """Begins sessions, and closes them at the end."""
    begun = []

    def begin(**body: Any) -> tuple[int, Any]:
        status, answer = post(server, "/v1/sessions", body)
        if status == 201:
            begun.append(answer["session"])
        return status, answer

    yield begin
    for session in begun:
        call(server, "DELETE", f"/v1/sessions/{session}")


def test_every_family_is_judged_as_it_is_here(server: Running) -> None:
    rows, verdicts = [], []
    for task in tasks():
        for text in (task.wrap(task.solution.answer), "no idea"):
            rows.append(item(text, task.problem, task.family))
            verdicts.append(plain(task.verify(text).to_dict()))
    status, answer = post(server, "/v1/verify", {"items": rows})
    assert status == 200
    assert answer["verdicts"] == verdicts
    assert answer["rewards"] == [float(verdict["passed"]) for verdict in verdicts]


def test_a_problem_may_be_an_object_and_a_reward_may_be_named(server: Running) -> None:
    asked = {"items": [item("<answer>35</answer>", json.loads(PROBLEM))], "reward": "partial"}
    status, answer = post(server, "/v1/verify", asked)
    assert status == 200
    assert answer["rewards"] == [answer["verdicts"][0]["score"]]
    status, answer = post(server, "/v1/verify", {**asked, "reward": {"correct": 1, "format": 0.25}})
    assert (status, answer["rewards"]) == (200, [0.25])
    said = "<answer>36</answer> or so"
    for reading in ("strict", "lenient"):
        verdict = reasonenv.verify("chain_sum", PROBLEM, said, reading)
        answer = post(server, "/v1/verify", {"items": [item(said)], "reading": reading})[1]
        assert answer == {"rewards": [float(verdict.passed)], "verdicts": [plain(verdict.to_dict())]}


def test_parts_that_a_family_lacks_pay_nothing(server: Running) -> None:
    tree = reasonenv.family("ascii_tree").sample()
    rows = [item(), item("x", tree.problem, "ascii_tree")]
    status, answer = post(server, "/v1/verify", {"items": rows, "reward": "edge_f1"})
    assert status == 200
    assert answer["rewards"] == [0.0, 0.0]


def test_the_problems_of_data_sets_are_judged_as_they_are(server: Running) -> None:
    task = reasonenv.family("countdown").sample(index=2)
    prompt, problem, _ = integrations.item(task)
    rows = [{"problem": problem, "text": text} for text in (task.wrap(task.solution.answer), prompt)]
    assert post(server, "/v1/verify", {"items": rows})[1]["rewards"] == [1.0, 0.0]
    for bad in ("{}", "[", '{"family": 7, "problem": "{}"}', "7", {"terms": [1]}):
        status, answer = post(server, "/v1/verify", {"items": [{"problem": bad, "text": ""}]})
        assert (status, answer["error"]["type"]) == (422, "InvalidTask"), answer


def test_rows_of_ones_own_are_judged_by_any_verifier(server: Running) -> None:
    for name in reasonenv.verifiers.list_verifiers():
        judge = reasonenv.verifiers.Verifier(name)
        row = judge.example
        texts = [f"<answer>{row['right']}</answer>", f"<answer>{row['wrong']}</answer>"]
        asked: dict[str, Any] = {"verifier": name, "texts": texts, "truths": [row["truth"]] * 2}
        status, answer = post(server, "/v1/judge", asked)
        assert status == 200, (name, answer)
        assert answer["verdicts"] == [plain(one.to_dict()) for one in judge(texts, [row["truth"]] * 2)]
    config = {"verifier": "choice", "extract": "boxed"}
    asked = {"verifier": config, "texts": [r"so \boxed{B}"], "truths": ["B"]}
    assert post(server, "/v1/judge", asked)[1]["rewards"] == [1.0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "\ud800",
        "\udfff<answer>36</answer>",
        "<answer>" * 5000,
        "\u202e36",
        "NaN",
        "{" * 9000,
        "🙂" * 999,
    ],
    ids=ascii,
)
def test_any_model_text_gets_its_verdict(server: Running, text: str, sessions: Any) -> None:
    status, answer = post(server, "/v1/verify", {"items": [item(text)]})
    assert status == 200
    assert answer["verdicts"] == [plain(reasonenv.verify("chain_sum", PROBLEM, text).to_dict())]
    status, answer = post(server, "/v1/judge", {"verifier": "exact_match", "texts": [text], "truths": ["36"]})
    assert status == 200
    for keywords in (
        {"env": "reasonenv/ChainSum-v0"},
        {"env": "reasonenv/Nim-v0", "kwargs": {"mode": "text"}},
    ):
        begun = sessions(**keywords)[1]["session"]
        status, answer = post(server, f"/v1/sessions/{begun}/step", {"action": text})
        assert status == 200, answer


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("body", "status", "name"),
    [
        (b"", 400, "InvalidBody"),
        (b"{", 400, "InvalidBody"),
        (b"[]", 400, "InvalidBody"),
        (b"null", 400, "InvalidBody"),
        (DEEP.encode(), 400, "InvalidBody"),
        (b'{"items":' + DEEP.encode(), 400, "InvalidBody"),
        (b'{"items": NaN}', 400, "InvalidBody"),
        (b'{"items": -Infinity}', 400, "InvalidBody"),
        (b'{"items": ' + b"9" * 10_000 + b"}", 400, "InvalidBody"),
        ('{"items": []}'.encode("utf-16"), 400, "InvalidBody"),
        (b'{"items": ["\xff\xfe"]}', 400, "InvalidBody"),
        (b"\xef\xbb\xbf{}", 400, "InvalidBody"),
        (b"{}", 422, "InvalidArgument"),
        (b'{"items": {}}', 422, "InvalidArgument"),
        (b'{"items": [], "itmes": 1}', 422, "UnknownName"),
        (b'{"items": [1]}', 422, "InvalidArgument"),
        (b'{"items": [{}]}', 422, "InvalidArgument"),
        (b'{"items": [], "reading": "loose"}', 422, "UnknownName"),
        (b'{"items": [], "reading": []}', 422, None),
        (b'{"items": [], "reward": 7}', 422, "InvalidArgument"),
        (b'{"items": [], "reward": {"correct": 1e999}}', 422, "InvalidArgument"),
        (b'{"items": [' + b"0," * 600 + b"0]}", 413, "TooLarge"),
        (b" " * 300_001, 413, "TooLarge"),
    ],
    ids=lambda value: ascii(value[:24]) if isinstance(value, bytes) else None,
)
def test_a_bad_body_is_answered_with_what_would_be_right(
    server: Running, body: bytes, status: int, name: str | None
) -> None:
    found, answer, _ = call(server, "POST", "/v1/verify", body)
    assert found == status, answer
    assert name is None or answer["error"]["type"] == name
    message = answer["error"]["message"]
    assert message
    assert not message.endswith(".")


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        (item(problem=""), "InvalidProblem"),
        (item(problem="[]"), "InvalidProblem"),
        (item(problem="[" * 50_000), "InvalidProblem"),
        (item(problem='{"terms":[1e999]}'), "InvalidProblem"),
        (item(problem='{"terms":[NaN]}'), "InvalidProblem"),
        (item(problem={"terms": "many"}), "InvalidProblem"),
        (item(problem={"terms": [10**400]}), "InvalidProblem"),
        (item(problem="\ud800"), "InvalidProblem"),
        (item(problem={"\ud800": 1}), "InvalidProblem"),
        (item(problem=7), "InvalidArgument"),
        (item(family="nope"), "UnknownName"),
        (item(family=None), "InvalidArgument"),
        (item(text=7), "InvalidArgument"),
        (item(text=None), "InvalidArgument"),
    ],
    ids=ascii,
)
def test_a_bad_item_is_named_by_its_place(server: Running, bad: dict[str, Any], name: str) -> None:
    status, answer = post(server, "/v1/verify", {"items": [item(), item("?"), bad]})
    assert status == 422
    assert answer["error"]["index"] == 2
    assert answer["error"]["message"].startswith("items[2]: ")
    assert answer["error"]["type"] in (name, name.replace("Name", "Family"))


def test_hostile_problems_of_every_family_are_refused_by_name(server: Running) -> None:
    for name in reasonenv.list_families():
        problems: list[object] = [{}, {"x": [[[]]]}, '{"a":' * 2000, "0"]
        for problem in problems:
            status, answer = post(server, "/v1/verify", {"items": [item(problem=problem, family=name)]})
            assert (status, answer["error"]["type"]) == (422, "InvalidProblem"), (name, answer)


def test_hostile_verifiers_and_truths_are_refused_by_name(server: Running) -> None:
    rows = {"texts": ["a"], "truths": ["a"]}
    for asked in (
        {**rows, "verifier": "nope"},
        {**rows, "verifier": 7},
        {**rows, "verifier": {"verifier": "regex_match", "pattern": "("}},
        {**rows, "verifier": {"verifier": "all_of", "judges": 3}},
        {**rows, "verifier": {"verifier": "exact_match", "normalize": "os.system"}},
        {**rows, "verifier": "number_equal"},
        {**rows, "verifier": "exact_match", "truths": [7]},
        {**rows, "verifier": "exact_match", "truths": []},
        {**rows, "verifier": "exact_match", "truths": [[["a"]]]},
    ):
        status, answer = post(server, "/v1/judge", asked)
        assert status == 422, (asked, answer)


def test_sessions_step_as_environments_do(server: Running, sessions: Any) -> None:
    for name, keywords in (
        ("reasonenv/TicTacToe-v0", {"opponent": "random"}),
        ("reasonenv/ChainSum-v0", {"level": 2}),
        ("reasonenv/Nim-v0", {"mode": "text"}),
    ):
        env = gymnasium.make(name, disable_env_checker=True, **keywords)
        observation, info = env.reset(seed=7)
        status, answer = sessions(env=name, kwargs=keywords, seed=7)
        assert status == 201
        assert (answer["observation"], answer["info"]) == (plain(observation), plain(info))
        path = f"/v1/sessions/{answer['session']}"
        over = False
        while not over:
            action: Any = "<answer>3</answer>"
            if isinstance(env.action_space, gymnasium.spaces.Discrete):
                action = int(np.flatnonzero(info["action_mask"])[0])
            observation, reward, terminated, truncated, info = env.step(action)
            status, answer = post(server, f"{path}/step", {"action": action})
            assert status == 200
            assert answer == {
                "observation": plain(observation),
                "reward": reward,
                "terminated": terminated,
                "truncated": truncated,
                "info": plain(info),
            }
            over = terminated or truncated
        status, answer = post(server, f"{path}/step", {"action": action})
        assert (status, answer["error"]["type"]) == (409, "ResetNeeded")
        assert post(server, f"{path}/reset", {"seed": 7})[0] == 200


def test_every_environment_can_be_a_session(server: Running) -> None:
    rows = [{"question": "2 + 2?", "answer": "4"}]
    for name in call(server, "GET", "/v1/names")[1]["environments"]:
        keywords = {"rows": rows} if name == "reasonenv/Rows-v0" else {}
        status, answer = post(server, "/v1/sessions", {"env": name, "kwargs": keywords, "seed": 1})
        assert status == 201, (name, answer)
        assert call(server, "DELETE", f"/v1/sessions/{answer['session']}")[0] == 204


@pytest.mark.parametrize(
    ("env", "keywords", "name"),
    [
        ("CartPole-v1", {}, "UnknownName"),
        ("os:reasonenv/ChainSum-v0", {}, "UnknownName"),
        (7, {}, "UnknownName"),
        ("reasonenv/ChainSum-v0", {"level": 99}, "InvalidParams"),
        ("reasonenv/ChainSum-v0", {"nope": 1}, "InvalidArgument"),
        ("reasonenv/ChainSum-v0", [], "InvalidArgument"),
        ("reasonenv/ChainSum-v0", {"render_mode": "human"}, "UnknownName"),
        ("reasonenv/ChainSum-v0", {"max_episode_steps": "a"}, "InvalidArgument"),
        ("reasonenv/Nim-v0", {"opponent": "nobody"}, None),
        ("reasonenv/Rows-v0", {"rows": "/etc/hostname"}, "InvalidArgument"),
        ("reasonenv/Rows-v0", {"rows": [1]}, None),
    ],
)
def test_a_session_that_cannot_be_is_refused(
    server: Running, env: object, keywords: object, name: str | None
) -> None:
    status, answer = post(server, "/v1/sessions", {"env": env, "kwargs": keywords})
    assert status == 422, answer
    assert name is None or answer["error"]["type"] == name
    assert counted(server, "reasonenv_sessions") == 0


def test_bad_steps_change_nothing(server: Running, sessions: Any) -> None:
    session = sessions(env="reasonenv/TicTacToe-v0", seed=1)[1]["session"]
    for action in ("a", None, 1.5, [1], {"a": 1}, "\ud800"):
        status, answer = post(server, f"/v1/sessions/{session}/step", {"action": action})
        assert (status, answer["error"]["type"]) == (422, "InvalidArgument"), answer
    for seed in (-1, "a", 2**64, 1.5):
        assert post(server, f"/v1/sessions/{session}/reset", {"seed": seed})[0] == 422
    assert post(server, f"/v1/sessions/{session}/step", {"action": 4})[0] == 200
    assert post(server, "/v1/sessions/unknown/step", {"action": 4})[0] == 404


def test_sessions_are_bounded_in_number_and_in_what_they_are_told(server: Running, sessions: Any) -> None:
    asked = {"env": "reasonenv/ChainSum-v0", "kwargs": {"mode": "step", "max_steps": 10**6}}
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
    with running(limits=Limits(idle_seconds=0.2)) as server:
        session = post(server, "/v1/sessions", {"env": "reasonenv/Nim-v0"})[1]["session"]
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

    gymnasium.register("reasonenv/Slow-v0", entry_point=lambda **_: Slow())
    try:
        with running(limits=Limits(step_seconds=0.3, workers=1)) as server:
            status, answer = post(server, "/v1/sessions", {"env": "reasonenv/Slow-v0"})
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
        del gymnasium.registry["reasonenv/Slow-v0"]


def test_one_session_serves_one_request_at_a_time(server: Running, sessions: Any) -> None:
    session = sessions(env="reasonenv/ChainSum-v0", kwargs={"mode": "step"})[1]["session"]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: post(server, f"/v1/sessions/{session}/reset", {})[0], range(64)))
    assert set(found) <= {200, 409}
    assert 200 in found


def test_more_requests_than_are_taken_in_are_told_to_come_back() -> None:
    task = reasonenv.family("sudoku").sample(level=3)
    body = json.dumps({"items": [item(task.wrap(task.solution.answer), task.problem, "sudoku")] * 2000})
    with running(limits=Limits(max_requests=2, workers=1)) as server, ThreadPoolExecutor(12) as pool:
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
    with running(limits=Limits(max_buffered=100_000, read_seconds=5)) as server:
        half = open_request(server, b"x" * 80_000, declared=90_000)
        deadline = time.monotonic() + 10
        while counted(server, "reasonenv_buffered_bytes") < 80_000 and time.monotonic() < deadline:
            time.sleep(0.02)
        status, answer, _ = call(server, "POST", "/v1/verify", b" " * 50_000)
        assert (status, answer["error"]["type"]) == (503, "Busy")
        half.close()


def head(host: str, length: int) -> bytes:
    lines = [
        "POST /v1/verify HTTP/1.1",
        f"host: {host}",
        *(f"{name}: {value}" for name, value in JSON.items()),
    ]
    return "\r\n".join([*lines, f"content-length: {length}", "", ""]).encode()


def open_request(server: Running, body: bytes, declared: int) -> socket.socket:
    """A connection that has sent a head and a part of its body."""
    host, port = urlsplit(server.url).netloc.split(":")
    connection = socket.create_connection((host, int(port)), timeout=20)
    connection.sendall(head(host, declared) + body)
    return connection


def until_closed(connection: socket.socket) -> bytes:
    said = b""
    with connection, suppress(ConnectionResetError):
        while piece := connection.recv(65536):
            said += piece
    return said


def test_clients_that_stall_are_cut_off(server: Running) -> None:
    begun = time.monotonic()
    host, port = urlsplit(server.url).netloc.split(":")
    silent = socket.create_connection((host, int(port)), timeout=20)
    headless = socket.create_connection((host, int(port)), timeout=20)
    headless.sendall(b"POST /v1/verify HTTP/1.1\r\nhost: 127.0")
    assert until_closed(silent) == until_closed(headless) == b""
    assert until_closed(open_request(server, b'{"items"', 100)).startswith(b"HTTP/1.1 408 ")
    assert time.monotonic() - begun < 15


def test_a_client_that_does_not_read_is_cut_off(server: Running) -> None:
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
        assert until_closed(connection).count(b"HTTP/1.1 200") < 90
    assert counted(server, "reasonenv_requests_in_flight") == 1


def test_crowds_of_connections_are_refused(server: Running) -> None:
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
def test_what_a_web_page_could_send_is_refused(server: Running, headers: dict[str, str], status: int) -> None:
    assert call(server, "POST", "/v1/verify", json.dumps({"items": []}), headers)[0] == status


def test_other_paths_and_methods_are_named(server: Running) -> None:
    assert call(server, "GET", "/v1/nope")[0] == 404
    assert call(server, "GET", "/v1/verify")[0] == 405
    assert call(server, "GET", "/../../etc/passwd")[0] == 404
    assert call(server, "GET", "/health")[1]["status"] == "ok"


def test_a_token_opens_all_but_health() -> None:
    with running(token="secret") as server:
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
        with pytest.raises(reasonenv.InvalidArgument, match="token"), running(host):
            pass
    for token in ("", "a\nb", "é", 7):
        with pytest.raises(reasonenv.InvalidArgument, match="token"), running(token=token):  # type: ignore[arg-type]
            pass
    with running("0.0.0.0", token="secret") as server:
        assert server.url.startswith("http://0.0.0.0:")


def test_limits_are_checked() -> None:
    for wrong in ({"max_body": 0}, {"workers": 0}, {"idle_seconds": "a"}, {"max_items": 1.5}):
        with pytest.raises(reasonenv.InvalidArgument, match=next(iter(wrong))):
            Limits(**wrong)  # type: ignore[arg-type]


def test_metrics_count_what_happened() -> None:
    with running() as server:
        post(server, "/v1/verify", {"items": [item(), item("?"), item("??")]})
        post(server, "/v1/verify", {"items": 7})
        said = call(server, "GET", "/metrics")[1]
        for line in (
            'reasonenv_requests_total{route="/v1/verify",status="200"} 1.0',
            'reasonenv_requests_total{route="/v1/verify",status="422"} 1.0',
            'reasonenv_verdicts_total{judge="chain_sum",passed="true"} 1.0',
            'reasonenv_verdicts_total{judge="chain_sum",passed="false"} 2.0',
            "reasonenv_requests_in_flight 1.0",
        ):
            assert line in said.splitlines()


def started(*options: str, **variables: str) -> "tuple[subprocess.Popen[str], Running]":
    """The command as a process of its own, and where it serves."""
    env = {**os.environ, **variables, "PYTHONPATH": str(Path(reasonenv.__file__).parent.parent)}
    command = [sys.executable, "-m", "reasonenv", "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"http://\S+?(?=[;,])", line)
    assert found is not None, line + process.stderr.read()
    return process, Running(found[0])


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
