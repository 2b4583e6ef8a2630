"""How fast items are made, worded and judged."""

import time
from collections.abc import Callable
from typing import Any

from reasonenv._native import Source
from reasonenv.rollout import policies

__all__ = ["rates"]


def rates(source: Source, seconds: float) -> dict[str, Any]:
    """Items made, prompts worded and answers judged per second."""
    size = 64
    while True:
        start = time.perf_counter()
        batch = source.batch(0, size)
        # A batch has to outlast the clock's grain and the pool's wake-up.
        if time.perf_counter() - start > seconds / 8 or size >= 1 << 17:
            break
        size *= 2
    texts = policies.oracle(batch)
    work: dict[str, Callable[[], object]] = {
        "items_per_second": lambda: source.batch(0, size),
        "prompts_per_second": lambda: batch.prompts,
        "verdicts_per_second": lambda: batch.verify(texts),
    }
    facts = {"family": source.family.name, "level": source.level, "batch": size}
    return facts | {name: size / _best(do, seconds) for name, do in work.items()}


def _best(do: Callable[[], object], seconds: float) -> float:
    """The least time `do` took, over as many tries as fit in some seconds and at least two."""
    best, end = float("inf"), time.perf_counter() + seconds
    tries = 0
    while tries < 2 or time.perf_counter() < end:
        start = time.perf_counter()
        do()
        best = min(best, time.perf_counter() - start)
        tries += 1
    return best
