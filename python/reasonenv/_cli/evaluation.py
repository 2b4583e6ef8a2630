"""`reasonenv eval`: policies evaluated on families."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding

from reasonenv import rollouts
from reasonenv._cli import options, tables
from reasonenv._cli._app import app
from reasonenv._cli.options import (
    AnswerStyle,
    AsJson,
    BatchSize,
    Concurrency,
    Count,
    Families,
    GroupSize,
    Levels,
    MaxTokens,
    ParamsOption,
    Reading,
    Seed,
    Split,
    Temperature,
    TemplateOption,
    Wrapper,
)
from reasonenv._cli.terminal import print_json
from reasonenv.errors import InvalidArgument
from reasonenv.rollouts import Sampling, Saving, _policies


@app.command(name="eval")
def evaluate_(
    family: Families,
    *,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME",
            help=f"{', '.join(_policies.BUILT_IN)}, or package.module:attribute; may be repeated.",
            autocompletion=options.complete_policy,
            show_default=False,
        ),
    ] = None,
    n: Count = 100,
    group_size: GroupSize = 1,
    level: Levels = "0",
    split: Split = "eval",
    seed: Seed = 0,
    param: ParamsOption = None,
    template: TemplateOption = None,
    wrapper: Wrapper = None,
    answer: AnswerStyle = None,
    reading: Reading = None,
    reward: Annotated[
        str,
        typer.Option(
            "--reward",
            metavar="NAME",
            help="The reward that advantages are of: binary, partial or another preset, or a part.",
        ),
    ] = "binary",
    run: Annotated[
        str | None,
        typer.Option(
            "--run", metavar="NAME", help="Log to the folder RUNS/NAME, and resume a run that was killed."
        ),
    ] = None,
    runs: Annotated[Path, typer.Option("--runs", metavar="RUNS", help="Where runs are kept.")] = Path("runs"),
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Start over if the run exists already.")
    ] = False,
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            metavar="NAME",
            help="Also log to print, jsonl:PATH, tensorboard:FOLDER or wandb:PROJECT.",
        ),
    ] = None,
    batch_size: BatchSize = 256,
    concurrency: Concurrency = 32,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate policies on families.

    A table shows how often each policy passes, with a 95 % interval, and why it fails. With --run every
    answer is logged, and a killed run resumes where it stopped. Answers missing because an endpoint failed
    count in no rate; the command then exits with 1.
    """
    if not policy:
        msg = "`--policy` is missing; name one, such as noisy:0.3, hf:PATH or openai:MODEL"
        raise InvalidArgument(msg)
    if run == "":
        msg = "`--run` is empty; name the run"
        raise InvalidArgument(msg)
    folder = None if run is None else runs / run
    was_finished = folder is not None and (folder / "summary.json").exists() and not overwrite
    params, style = options.params(param), options.style(template, wrapper, answer)
    summary = evaluated(
        [
            one.source(seed=seed, level=its, params=params, split=split, style=style)
            for one, its in options.pairs(family, level)
        ],
        policy,
        n=n,
        group_size=group_size,
        seed=seed,
        reading=reading,
        reward=reward,
        sampling=Sampling(
            batch_size=batch_size, concurrency=concurrency, temperature=temperature, max_tokens=max_tokens
        ),
        saving=Saving(folder=folder, overwrite=overwrite, progress=True, logger=log),
    )
    if as_json:
        print_json(summary.to_dict())
    else:
        _show(summary, was_finished=was_finished)
    tables.say_errors(summary)


def _show(summary: rollouts.Summary, *, was_finished: bool) -> None:
    """Print the results of the policies, and why they failed."""
    console = Console(highlight=False)
    console.print(tables.results(summary, console))
    by_level = len({row.level for row in summary}) > 1
    lines = [
        ([row.source, *([str(row.level)] if by_level else []), row.policy], row.failed, row.failures)
        for row in summary
    ]
    if failed := tables.failures(["source", *(["level"] if by_level else []), "policy"], lines):
        console.print(Padding(failed, (1, 0, 0, 0)))
    for row in summary:
        if row.usage and row.items:
            used = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in row.usage.items())
            console.print(f"{row.source}, {row.policy}: {used}", style="dim", soft_wrap=True)
    if summary.folder is not None:
        note = " (finished before; --overwrite starts it over)" if was_finished else ""
        console.print(f"\nrun folder: {summary.folder}{note}", soft_wrap=True)


def evaluated(sources: Any, policies: Sequence[str], *, saving: Saving, **ask: Any) -> rollouts.Summary:
    """Evaluate; if interrupted, say how to resume."""
    try:
        return rollouts.evaluate(sources, policies, saving=saving, **ask)
    except KeyboardInterrupt:
        if saving.folder is not None:
            hint = f"{saving.folder} keeps what was judged; run the same command to resume"
            Console(stderr=True).print(hint, soft_wrap=True, highlight=False)
        raise
