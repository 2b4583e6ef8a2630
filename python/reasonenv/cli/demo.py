"""`reasonenv demo`: everything once."""

import sysconfig
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

import reasonenv
from reasonenv._checks import LARGEST_COUNT
from reasonenv.cli import tables
from reasonenv.cli._app import app
from reasonenv.cli.evaluation import evaluated
from reasonenv.cli.options import Level, Seed
from reasonenv.data import directory_trees


@app.command()
def demo(
    n: Annotated[
        int, typer.Option("-n", metavar="N", min=1, max=LARGEST_COUNT, help="Items of each family.")
    ] = 200,
    level: Level = 2,
    seed: Seed = 0,
    run: Annotated[
        Path, typer.Option("--run", metavar="FOLDER", help="The run folder; it is overwritten.")
    ] = Path("runs/demo"),
) -> None:
    """Run everything once: every family, a few policies, a table, a run folder.

    Directory trees are also read from this machine, from the folder of Python's standard library. It takes no
    model, no key and no network.
    """
    console = Console(highlight=False)
    kinds = [reasonenv.find_family(name) for name in reasonenv.list_families()]
    sources: dict[str, Any] = {
        kind.name: kind.source(seed=seed, level=min(level, kind.top_level), split="eval") for kind in kinds
    }
    real = directory_trees(sysconfig.get_path("stdlib"), n, seed, min_lines=2)
    trees = f"{real[0].family} (real)"
    sources = {
        name: source
        for kind in kinds
        for name, source in [(kind.name, sources[kind.name]), (trees, real)]
        if name != trees or kind.name == real[0].family
    }
    asked = ["oracle", "noisy:0.3", "best-constant", "echo"]
    asking = f"{len(kinds)} families and {len(real)} real directory trees, answered by {len(asked)} policies"
    console.print(f"[bold]reasonenv {reasonenv.__version__}[/bold]: {asking}\n")
    start = time.perf_counter()
    summary = evaluated(sources, asked, n=n, seed=seed, run=run, overwrite=True)
    seconds = time.perf_counter() - start
    console.print(tables.results(summary, console))
    console.print()
    means = reasonenv.common_failures() | reasonenv.find_family(real[0].family).failures
    for row in summary.find(source=real[0].family, policy="noisy:0.3"):
        console.print(tables.failure_breakdown(row, means, console.width))
    answers = sum(row.passed + row.failed for row in summary)
    done = f"[bold]{answers} answers judged in {seconds:.1f} s[/bold]; all of it is in {run}"
    console.print(f"\n{done}", soft_wrap=True)
    console.print(
        tables.steps(
            [
                ("config.json", "what was asked"),
                ("traces.jsonl", "every answer with its verdict, a line each"),
                ("summary.json", "the table above, and more"),
            ]
        )
    )
    console.print("\n[bold]Next[/bold]")
    console.print(
        tables.steps(
            [
                (f"reasonenv show {kinds[-1].name} --level {level} --wrong 2", "read an item"),
                ("reasonenv eval all --policy noisy:0.3 --rollouts 8", "measure groups"),
                (f"reasonenv generate {kinds[0].name} -n 1000 --out tasks.jsonl", "make a data set"),
                ("examples/evaluate.py", "bring your own policy"),
            ]
        )
    )
