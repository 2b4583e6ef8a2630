"""`reasonenv bench`: speed of generation, wording and verification, also of your own rows."""

import time
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console

import reasonenv
from reasonenv._cli import options, tables
from reasonenv._cli._app import app
from reasonenv._cli.bench_verifiers import bench_verifiers
from reasonenv._cli.options import AnyFamilies, AsJson, Levels
from reasonenv._cli.terminal import print_json
from reasonenv._native import Mixture, Source
from reasonenv._progress import progress
from reasonenv.rollouts import _policies


@app.command()
def bench(
    family: AnyFamilies = None,
    level: Levels = "2",
    seconds: Annotated[
        float,
        typer.Option("--seconds", metavar="S", min=0.01, max=60, help="Time spent on each measurement."),
    ] = 0.3,
    threads: Annotated[
        int,
        typer.Option("--threads", metavar="N", min=0, max=1024, help="Threads used; 0 is one per core."),
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure the speed of generation, wording and verification.

    Each number is from one run on this machine: the best of the batches that fit in the time.
    Only right answers are verified. 'bench verifiers' measures the verifiers of your own rows instead, all
    of them or those whose names follow.
    """
    reasonenv.set_num_threads(threads)
    if family and family[0] == "verifiers":
        bench_verifiers(family[1:], seconds, as_json)
        return
    measured: list[dict[str, Any]] = []
    pairs = options.pairs(family, level)
    with progress() as tell:
        for done, (unit, one) in enumerate(pairs):
            tell(done, len(pairs), f"{unit.name}, level {one}")
            measured.append({"family": unit.name, "level": one} | rates(unit.source(level=one), seconds))
    used = reasonenv.num_threads()
    if as_json:
        print_json({"threads": used, "rates": measured})
        return
    console = Console(highlight=False)
    console.print(tables.rates(measured))
    console.print(
        f"\nper second, on {used} threads; one run on this machine, right answers judged", style="dim"
    )


def rates(source: Source | Mixture, seconds: float) -> dict[str, Any]:
    """Tasks generated, prompts worded and answers verified per second."""
    size = 64
    while True:
        start = time.perf_counter()
        batch = source.batch(0, size)
        # A batch must outlast the clock's resolution and the pool's wake-up.
        if time.perf_counter() - start > seconds / 8 or size >= 1 << 17:
            break
        size *= 2
    texts = _policies.oracle(batch)
    work: dict[str, Callable[[], object]] = {
        "items_per_second": lambda: source.batch(0, size),
        "prompts_per_second": lambda: batch.prompts,
        "verdicts_per_second": lambda: batch.verify(texts),
    }
    return {"batch": size} | {name: size / _best(do, seconds) for name, do in work.items()}


def _best(do: Callable[[], object], seconds: float) -> float:
    """Shortest time of `do`, over as many tries as fit in some seconds and at least two."""
    best, end = float("inf"), time.perf_counter() + seconds
    tries = 0
    while tries < 2 or time.perf_counter() < end:
        start = time.perf_counter()
        do()
        best = min(best, time.perf_counter() - start)
        tries += 1
    return best
