"""Benchmarks: frozen lists of items, a run of a policy through one, and a leaderboard that anyone can check.

>>> from reasonenv import benchmark
>>> core = benchmark.manifest("core").only("chain_sum", count=5)
>>> benchmark.run(core, "oracle")
<Result of oracle on core-part-v1: 100.0 %>
"""

from reasonenv.benchmark.entries import Games, InvalidManifest, Items, Manifest, list_manifests, manifest
from reasonenv.benchmark.leaderboard import Row, append, board
from reasonenv.benchmark.page import write_page
from reasonenv.benchmark.result import Result, transfer
from reasonenv.benchmark.running import run, verify_run

__all__ = [
    "Games",
    "InvalidManifest",
    "Items",
    "Manifest",
    "Result",
    "Row",
    "append",
    "board",
    "list_manifests",
    "manifest",
    "run",
    "transfer",
    "verify_run",
    "write_page",
]
