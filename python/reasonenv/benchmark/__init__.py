"""Benchmarks: frozen lists of items, a run of a policy through one, and a leaderboard that anyone can check.

>>> from reasonenv import benchmark
>>> core = benchmark.manifest("core").only("chain_sum", count=5)
>>> benchmark.run(core, "oracle")
<BenchmarkResult of oracle on core-part-v1: 100.0 %>
"""

from reasonenv.benchmark._entries import Games, InvalidManifest, Items, Manifest, list_manifests, manifest
from reasonenv.benchmark._leaderboard import LeaderboardRow, append, board
from reasonenv.benchmark._page import write_page
from reasonenv.benchmark._result import BenchmarkResult, transfer
from reasonenv.benchmark._running import run, verify_run

__all__ = [
    "BenchmarkResult",
    "Games",
    "InvalidManifest",
    "Items",
    "LeaderboardRow",
    "Manifest",
    "append",
    "board",
    "list_manifests",
    "manifest",
    "run",
    "transfer",
    "verify_run",
    "write_page",
]
