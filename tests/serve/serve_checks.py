"""A test server, and requests to it with raw bodies."""

import contextlib
import http.client
import json
from collections.abc import Iterator
from typing import Any, Protocol
from urllib.parse import urlsplit

import reasonenv
from reasonenv.serve import Limits, Server

JSON = {"content-type": "application/json"}
RIGHT = "<answer>36</answer>"
PROBLEM = '{"terms":[82,-46]}'


class Address(Protocol):
    """Address of a server."""

    @property
    def url(self) -> str: ...


def call(
    server: Address,
    method: str,
    path: str,
    body: bytes | str | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, Any, dict[str, str]]:
    """Send one request over its own connection; return status, body (parsed if it is JSON) and headers."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=30)
    try:
        # A server that is too busy answers before it has read the body.
        with contextlib.suppress(BrokenPipeError):
            connection.request(method, path, body, JSON if headers is None else headers)
        answer = connection.getresponse()
        said = answer.read()
        kind = answer.headers.get("content-type", "")
        found = json.loads(said) if said and kind == "application/json" else said.decode()
        return answer.status, found, {name.lower(): value for name, value in answer.headers.items()}
    finally:
        connection.close()


def post(server: Address, path: str, value: object) -> tuple[int, Any]:
    """An object as JSON; status and answer."""
    return call(server, "POST", path, json.dumps(value))[:2]


def item(text: object = RIGHT, problem: object = PROBLEM, family: object = "chain_sum") -> dict[str, Any]:
    return {"family": family, "problem": problem, "text": text}


def counted(server: Address, name: str) -> float:
    """The sum of a metric over its labels."""
    said = call(server, "GET", "/metrics")[1]
    return sum(float(line.split()[-1]) for line in said.splitlines() if line.split("{")[0].split()[0] == name)


def tasks() -> Iterator[reasonenv.Task]:
    """One of every family."""
    return (reasonenv.family(name).sample(seed=3) for name in reasonenv.list_families())


SMALL = Limits(
    max_body=300_000, max_items=500, max_sessions=3, max_connections=24, read_seconds=1.0, step_seconds=20.0
)


def served() -> Iterator[Server]:
    """Fixture: a server with small limits."""
    with Server(limits=SMALL) as server:
        yield server


def sessions_of(server: Server) -> Iterator[Any]:
    """Fixture: a function that starts sessions, which are closed at the end."""
    begun = []

    def begin(**body: Any) -> tuple[int, Any]:
        status, answer = post(server, "/v1/sessions", body)
        if status == 201:
            begun.append(answer["session"])
        return status, answer

    yield begin
    for session in begun:
        call(server, "DELETE", f"/v1/sessions/{session}")
