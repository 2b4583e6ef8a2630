"""Load test of `reasonenv serve`: requests per second, response times, and memory over many requests.

    python -m benches.serve_load --requests 72000 --clients 8
    python -m benches.serve_load --requests 72000 --clients 8 --steps

It starts its own server on this machine and calls no other. A trainer that sends 20 requests per second sends
72,000 in an hour. Each call prints a row of the table of docs/serve.md.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count

import reasonenv


def body(items: int, start: int) -> bytes:
    """Body of a request: completions of several families, half of them right."""
    tasks = reasonenv.Mixture(["chain_sum", "countdown", "ascii_tree", "sudoku"])[start : start + items]
    rows = [
        {
            "family": task.family,
            "problem": task.problem,
            "text": task.wrap(task.solution.answer if i % 2 else "17"),
        }
        for i, task in enumerate(tasks)
    ]
    return json.dumps({"items": rows}).encode()


def request(path: str, data: bytes, host: str) -> bytes:
    """A request as bytes on the wire."""
    method = "POST" if data else "GET"
    head = f"{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(data)}\r\n\r\n".encode() + data


async def answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Status and body of a response."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
    return int(head.split()[1]), await reader.readexactly(int(length[1]) if length else 0)


Asks = Callable[[int, bytes], bytes]
"""The request with a given number, which may depend on the last response."""


def verifies(items: int, host: str) -> Asks:
    """Return requests that verify completions."""
    posts = [request("/v1/verify", body(items, 64 * i), host) for i in range(16)]
    return lambda number, _: posts[number % len(posts)]


def steps(host: str) -> Asks:
    """Return requests that play tic-tac-toe in a session."""
    session = ""

    def ask(number: int, said: bytes) -> bytes:
        nonlocal session
        told = json.loads(said or b"{}")
        session = told.get("session", session)
        if not session:
            made = {"env": "reasonenv/TicTacToe-v1", "kwargs": {"opponent": "random"}, "seed": number}
            return request("/v1/sessions", json.dumps(made).encode(), host)
        if told.get("terminated") or not said:  # a round begins without its last answer
            return request(f"/v1/sessions/{session}/reset", b"{}", host)
        return request(f"/v1/sessions/{session}/step", b'{"action": %d}' % (number % 9), host)

    return ask


async def client(host: str, port: int, ask: Asks, left: Iterator[int], most: int) -> list[float]:
    """Send requests over one connection, and return the seconds of each response."""
    reader, writer = await asyncio.open_connection(host, port)
    took, said = list[float](), b""
    for number in left:
        if number >= most:
            break
        begun = time.perf_counter()
        writer.write(ask(number, said))
        status, said = await answer(reader)
        took.append(time.perf_counter() - begun)
        if status not in (200, 201):
            raise SystemExit(f"status {status}: {said[:200]!r}")
    writer.close()
    return took


async def process(host: str, port: int) -> tuple[float, float]:
    """MiB of memory and core seconds that the server uses."""
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(request("/metrics", b"", f"{host}:{port}"))
    _, said = await answer(reader)
    writer.close()
    found = re.findall(rb"^process_(?:resident_memory_bytes|cpu_seconds_total) (\S+)", said, re.MULTILINE)
    memory, cpu = map(float, found)
    return memory / 2**20, cpu


async def load(host: str, port: int, makes: Callable[[], Asks], requests: int, clients: int) -> str:
    """Run ten rounds, reading memory after each; return the figures as cells of a table."""
    asks = [makes() for _ in range(clients)]
    (before, used), took = await process(host, port), list[float]()
    memory, spent, begun = list[float](), used, time.perf_counter()
    for _ in range(10):
        left = count()
        lanes = (client(host, port, ask, left, requests // 10) for ask in asks)
        for lane in await asyncio.gather(*lanes):
            took += lane
        now, spent = await process(host, port)
        memory.append(now)
    seconds = time.perf_counter() - begun
    took.sort()
    p50, p99, longest = (1000 * took[int(share * (len(took) - 1))] for share in (0.5, 0.99, 1))
    return (
        f"{len(took):,} | {len(took) / seconds:,.0f} | {p50:.1f} ms | {p99:.1f} ms | {longest:.0f} ms "
        f"| {1000 * (spent - used) / len(took):.2f} ms | {before:.0f}, {memory[0]:.0f}, {memory[-1]:.0f} MiB"
    )


def main() -> None:
    """Run the load test."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--items", type=int, default=8, help="completions of a request")
    parser.add_argument("--steps", action="store_true", help="steps of sessions instead of completions")
    given = parser.parse_args()
    command = [sys.executable, "-m", "reasonenv", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        found = re.search(r"http://([\d.]+):(\d+)", server.stderr.readline())
        assert found is not None
        host, port = found[1], int(found[2])
        name = f"{host}:{port}"
        what = "a step of a session" if given.steps else f"{given.items} completions"

        def makes() -> Asks:
            return steps(name) if given.steps else verifies(given.items, name)

        print(
            "| a request | connections | requests | a second | half within | 99 % within | longest "
            "| a core for each | memory before, after a tenth, at the end | load before and after |\n"
            + "| --- " * 10
            + "|"
        )
        load_before = os.getloadavg()[0]
        try:
            cells = asyncio.run(load(host, port, makes, given.requests, given.clients))
        finally:
            server.terminate()
        loads = f"{load_before:.1f}, {os.getloadavg()[0]:.1f}"
        print(f"| {what} | {given.clients} | {cells} | {loads} |")


if __name__ == "__main__":
    main()
