"""How `reasonenv serve` holds up: requests a second, how long they take, and memory over many of them.

    python -m benches.serve_load --requests 72000 --clients 16

It starts a server of its own on this machine and calls no other. An hour of a trainer that asks 20 times a
second is 72,000 requests. The rows of docs/performance.md come from here.
"""

import argparse
import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count

import reasonenv


def body(items: int, start: int) -> bytes:
    """A request: completions of several families, one half of them right."""
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
    """A request as it goes over the wire."""
    method = "POST" if data else "GET"
    head = f"{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(data)}\r\n\r\n".encode() + data


async def answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Status and body of an answer."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
    return int(head.split()[1]), await reader.readexactly(int(length[1]) if length else 0)


async def client(host: str, port: int, posts: list[bytes], left: Iterator[int], most: int) -> list[float]:
    """Asks again and again over one connection; the seconds of each answer."""
    reader, writer = await asyncio.open_connection(host, port)
    took = []
    for number in left:
        if number >= most:
            break
        begun = time.perf_counter()
        writer.write(posts[number % len(posts)])
        status, said = await answer(reader)
        took.append(time.perf_counter() - begun)
        if status != 200:
            raise SystemExit(f"status {status}: {said[:200]!r}")
    writer.close()
    return took


async def process(host: str, port: int) -> tuple[float, float]:
    """MiB of memory that the server has, and seconds of a core that it has used."""
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(request("/metrics", b"", f"{host}:{port}"))
    _, said = await answer(reader)
    writer.close()
    found = re.findall(rb"^process_(?:resident_memory_bytes|cpu_seconds_total) (\S+)", said, re.MULTILINE)
    memory, cpu = map(float, found)
    return memory / 2**20, cpu


async def load(host: str, port: int, items: int, requests: int, clients: int) -> None:
    """Ten rounds, after each of which memory is read."""
    posts = [request("/v1/verify", body(items, 64 * i), f"{host}:{port}") for i in range(16)]
    (before, used), took = await process(host, port), list[float]()
    memory, spent, begun = list[float](), used, time.perf_counter()
    for _ in range(10):
        left = count()
        lanes = (client(host, port, posts, left, requests // 10) for _ in range(clients))
        for lane in await asyncio.gather(*lanes):
            took += lane
        now, spent = await process(host, port)
        memory.append(now)
    seconds = time.perf_counter() - begun
    took.sort()
    p50, p99 = (1000 * took[int(share * (len(took) - 1))] for share in (0.5, 0.99))
    print(
        f"{items} completions a request, {clients} clients: {len(took)} requests, "
        f"{len(took) / seconds:.0f} requests/s, {len(took) * items / seconds:.0f} completions/s, "
        f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, most {1000 * took[-1]:.0f} ms, "
        f"{1000 * (spent - used) / len(took):.2f} ms of a core each; "
        f"memory {before:.0f} MiB before, then {', '.join(f'{one:.0f}' for one in memory)} MiB"
    )


def main() -> None:
    """Runs it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--items", type=int, default=8)
    given = parser.parse_args()
    command = [sys.executable, "-m", "reasonenv", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        found = re.search(r"http://([\d.]+):(\d+)", server.stderr.readline())
        assert found is not None
        try:
            asyncio.run(load(found[1], int(found[2]), given.items, given.requests, given.clients))
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
