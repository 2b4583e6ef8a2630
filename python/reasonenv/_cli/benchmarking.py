"""`reasonenv benchmark`: policies evaluated on manifests, and leaderboards."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from reasonenv import _checks, benchmark
from reasonenv._cli import options, tables
from reasonenv._cli._app import app
from reasonenv._cli.options import AsJson, BatchSize, Concurrency, GroupSize, Reading, Seed
from reasonenv._cli.terminal import Commands, print_json
from reasonenv._native import InvalidArgument
from reasonenv.benchmark._page import percent, ranged
from reasonenv.rollouts import Sampling, Saving, _policies

benchmarks = typer.Typer(cls=Commands, no_args_is_help=True, rich_markup_mode="markdown")
app.add_typer(
    benchmarks, name="benchmark", help="Measure a policy on a frozen list of items; keep leaderboards."
)

RunFolder = Annotated[
    Path, typer.Argument(metavar="RUN", help="The folder of a benchmark, such as runs/core.")
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="A leaderboard, such as leaderboard.jsonl.")]


def _complete(incomplete: str) -> list[str]:
    """Manifests whose names begin with a text."""
    return [name for name in benchmark.list_manifests() if name.startswith(incomplete)]


@benchmarks.command(name="list")
def list_(*, as_json: AsJson = False) -> None:
    """List the manifests."""
    found = [benchmark.manifest(name) for name in benchmark.list_manifests()]
    if as_json:
        facts = ("name", "version", "summary", "preview", "trained_levels")
        print_json(
            [
                {fact: getattr(one, fact) for fact in facts} | {"digest": one.digest, "items": one.count}
                for one in found
            ]
        )
        return
    shown = tables.table()
    for column in ("manifest", "entries", "items", "state", "what it asks"):
        shown.add_column(column, justify="right" if column in ("entries", "items") else "left")
    for one in found:
        state = "preview" if one.preview else "frozen"
        shown.add_row(str(one), f"{len(one.entries):,}", f"{one.count:,}", state, one.summary)
    Console(highlight=False).print(shown)


@benchmarks.command(name="run")
def run_(
    name: Annotated[
        str,
        typer.Argument(
            metavar="MANIFEST",
            help="core, hard, games or long; core-v1 for a version.",
            autocompletion=_complete,
        ),
    ],
    *,
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            metavar="NAME",
            help=f"{', '.join(_policies.BUILT_IN)}, or package.module:attribute for your own.",
            autocompletion=options.complete_policy,
        ),
    ],
    group_size: GroupSize = 1,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", metavar="NAME", help="Some families or games, for a first look; may be repeated."
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "-n", metavar="N", min=1, max=1_000_000, help="The first N items of each entry, likewise."
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            "--run",
            metavar="FOLDER",
            help="Log there, and resume a run that was killed.",
            show_default=False,
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Start over if the run exists already.")
    ] = False,
    seed: Seed = 0,
    reading: Reading = None,
    batch_size: BatchSize = 256,
    concurrency: Concurrency = 32,
    as_json: AsJson = False,
) -> None:
    """Run a policy on a manifest.

    With --run every answer is logged, a killed run resumes where it stopped, and the result can be reported,
    verified and put on a leaderboard.
    """
    asked = benchmark.manifest(name).only(*(only or ()), count=n)
    try:
        result = benchmark.run(
            asked,
            policy,
            group_size=group_size,
            seed=seed,
            reading=reading,
            sampling=Sampling(batch_size=batch_size, concurrency=concurrency),
            saving=Saving(folder=run, overwrite=overwrite, progress=True),
        )
    except KeyboardInterrupt:
        if run is not None:
            hint = f"{run} keeps what was judged; run the same command to resume"
            Console(stderr=True).print(hint, soft_wrap=True, highlight=False)
        raise
    if as_json:
        print_json(result.to_dict())
        return
    console = Console(highlight=False)
    shown = tables.table(f"{result.policy} on {result.manifest}")
    shown.add_column("measure")
    shown.add_column("% (95 % CI)", justify="right")
    for measure, value in _measures(result):
        shown.add_row(measure, value)
    console.print(shown)
    if run is not None:
        console.print(f"\nrun folder: {run}", soft_wrap=True)


def _measures(result: benchmark.BenchmarkResult) -> list[tuple[str, str]]:
    """Rows of a result for the terminal."""
    rows = []
    if result.entries:
        overall = result.overall
        rows += [(f"pass@{k}", ranged(one)) for k, one in overall["pass_at"].items()]
        rows += [(f"maj@{k}", ranged(one)) for k, one in overall["maj_at"].items()]
        rows += [
            ("trained levels", ranged(result.size["within"])),
            ("levels beyond", ranged(result.size["beyond"])),
        ]
        if result.wording["pairs"]:
            rows += [
                ("usual wording", percent(result.wording["usual"])),
                ("held-out wording", percent(result.wording["held_out"])),
            ]
        rows += [
            ("blind policies pass", percent(result.shortcut["blind"])),
            ("of what it passes", percent(result.shortcut["both"])),
        ]
        agreed = sorted(result.shortcut["agreement"].items(), key=lambda one: -one[1]["rate"])
        rows += [(f"agrees with {name}", percent(one["rate"])) for name, one in agreed[:3] if one["rate"]]
        if result.overall["support"] is not None:
            rows.append(("right answers found", percent(result.overall["support"])))
    for name, game in result.games.items():
        shares = game["shares"]
        told = "/".join(f"{100 * shares[kind]:.0f}" for kind in ("win", "draw", "loss"))
        rows.append((f"{name}: win/draw/loss", told))
    if result.games:
        rows.append(("score", percent(result.pass_rate)))
    return rows


@benchmarks.command()
def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of benchmarks, of one manifest.")
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Where to write; by default report.html in the first."
        ),
    ] = None,
) -> None:
    """Write one HTML page with results side by side; needs the extra `report`."""
    page = benchmark.write_page(runs, out or runs[0] / "report.html")
    Console(highlight=False).print(f"{page}", soft_wrap=True)


@benchmarks.command()
def verify(run: RunFolder) -> None:
    """Verify every completion of a benchmark again and compare the result."""
    result = benchmark.verify_run(run)
    Console(highlight=False).print(
        f"{result.cost['rollouts']:,} rollouts of {result.policy} on {result.manifest} are as stated: "
        f"{percent(result.pass_rate)}",
        soft_wrap=True,
    )


@benchmarks.command()
def submit(
    run: RunFolder,
    file: File,
    *,
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who measured it.")],
    note: Annotated[
        str, typer.Option("--note", metavar="TEXT", help="Where the policy and its traces are to be had.")
    ] = "",
) -> None:
    """Append a result to a leaderboard, after its traces are verified."""
    result = benchmark.verify_run(run)
    benchmark.append(file, result, by=by, note=note)
    Console(highlight=False).print(f"{result.policy} on {result.manifest} is in {file}", soft_wrap=True)


@benchmarks.command()
def board(file: File, *, as_json: AsJson = False) -> None:
    """Check a leaderboard and print it."""
    rows = benchmark.board(file)
    if as_json:
        print_json([{"by": one.by, "current": one.current} | one.result.to_dict() for one in rows])
        return
    shown = tables.table()
    for column in ("manifest", "policy", "score %", "95 % CI", "k", "held out", "beyond", "by"):
        shown.add_column(column, justify="left" if column in ("manifest", "policy", "by") else "right")
    for one in rows:
        result = one.result
        ends = result.overall["interval"]
        shown.add_row(
            result.manifest if one.current else f"{result.manifest} (other items)",
            result.policy,
            tables.percent(result.pass_rate),
            "" if ends is None else f"{100 * ends[0]:.1f}–{100 * ends[1]:.1f}",
            str(result.rollouts),
            percent(result.wording["held_out"]) if result.wording["pairs"] else "–",
            percent(result.size["beyond"]["rate"]),
            one.by,
        )
    Console(highlight=False).print(shown)


@benchmarks.command()
def transfer(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="TRAINED=RUN...", help="What a policy was trained on, and its benchmark's folder."
        ),
    ],
    *,
    by: Annotated[str, typer.Option("--by", metavar="WHAT", help="family or domain.")] = "domain",
    as_json: AsJson = False,
) -> None:
    """Print the transfer matrix: training data by test data."""
    found: dict[str, benchmark.BenchmarkResult | str | Path] = {}
    for pair in runs:
        name, equals, folder = pair.partition("=")
        if not (name and equals and folder) or name in found:
            msg = f"`{_checks.shown(pair)}` must be TRAINED=RUN, each name once"
            raise InvalidArgument(msg)
        found[name] = Path(folder)
    matrix = benchmark.transfer(found, by)
    if as_json:
        print_json(matrix)
        return
    shown = tables.table()
    shown.add_column("tested on")
    for name in matrix["trained"]:
        shown.add_column(f"trained on {name}", justify="right")
    for at, name in enumerate(matrix["tested"]):
        cells = [
            ranged({"rate": rates[at], "interval": ends[at]})
            for rates, ends in zip(matrix["rates"], matrix["intervals"], strict=True)
        ]
        shown.add_row(name, *cells)
    Console(highlight=False).print(shown)
