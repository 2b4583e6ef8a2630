"""A fast server for /v1/chat/completions in a process of its own, and a load test against it.

PYTHONPATH=python:tests/support python tests/support/fast_server.py [--requests 10000] [--concurrency 64]
"""

import argparse
import asyncio
import json
import multiprocessing
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from reasonenv.rollouts import Endpoint, Sampling, rollout

DELAY = 0.02
"""Seconds that each answer takes."""


class Counts:
    """Shared counts of the server's process."""

    def __init__(self, url: str, requests: Any, most: Any) -> None:
        self.url = url
        self._requests, self._most = requests, most

    @property
    def requests(self) -> int:
        return int(self._requests.value)

    @property
    def most_at_once(self) -> int:
        return int(self._most.value)


def _serve(port: Any, requests: Any, most: Any) -> None:
    reply = json.dumps(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": "<answer>7</answer>"},
                }
            ],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        }
    ).encode()
    whole = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(reply)
    now = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal now
        while True:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except (asyncio.IncompleteReadError, ConnectionResetError):
                return
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
            await reader.readexactly(int(length.partition(b":")[2]))
            now += 1
            requests.value += 1
            most.value = max(most.value, now)
            await asyncio.sleep(DELAY)
            now -= 1
            writer.write(whole + reply)

    async def run() -> None:
        server = await asyncio.start_server(talk, "127.0.0.1", 0, backlog=1024)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    asyncio.run(run())


@contextmanager
def fast_server() -> Iterator[Counts]:
    """The server, which ends with the block."""
    spawn = multiprocessing.get_context("spawn")
    port, requests, most = (spawn.Value("i", 0) for _ in range(3))
    process = spawn.Process(target=_serve, args=(port, requests, most), daemon=True)
    process.start()
    while not port.value:
        time.sleep(0.01)
    try:
        yield Counts(f"http://127.0.0.1:{port.value}/v1", requests, most)
    finally:
        process.terminate()
        process.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, default=64)
    asked = parser.parse_args()
    with fast_server() as server:
        policy = Endpoint("m", base_url=server.url, api_key="none")
        before, cpu = time.perf_counter(), time.process_time()
        start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        sampling = Sampling(concurrency=asked.concurrency)
        result = rollout("chain_sum", policy, n=asked.requests // 8, group_size=8, sampling=sampling)
        seconds, cpu = time.perf_counter() - before, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(
            f"{server.requests} requests, most {server.most_at_once} at once, {len(result.errors)} failed\n"
            f"{seconds:.1f} s, {server.requests / seconds:.0f} requests/s, "
            f"{1e3 * cpu / server.requests:.2f} ms of processor time each\n"
            f"memory: {start / 1024:.0f} MB before, {peak / 1024:.0f} MB at most"
        )


if __name__ == "__main__":
    main()
