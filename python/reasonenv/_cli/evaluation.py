"""`reasonenv eval`: policies evaluated on families."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding

from reasonenv import rollouts
from reasonenv._cli import eval_sources, options, tables
from reasonenv._cli._app import app
from reasonenv._cli.options import (
    AsJson,
    BatchSize,
    Concurrency,
    Count,
    Format,
    GroupSize,
    Levels,
    MaxTokens,
    ParamsOption,
    Reading,
    Seed,
    Split,
    Temperature,
    TemplateOption,
    VerifierName,
    VerifierOptions,
    Wrapper,
)
from reasonenv._cli.terminal import print_json
from reasonenv.errors import InvalidArgument
from reasonenv.rollouts import Sampling, Saving, _policies


@app.command(name="eval")
def evaluate_(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="FAMILY|FILE",
            help="Families by name, or 'all'; or files of rows, or roles of data sets as in set/validation.",
            autocompletion=options.complete_family,
            show_default=False,
        ),
    ],
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
    answer: Annotated[
        list[str] | None,
        typer.Option(
            "--answer",
            metavar="NAME",
            help="Of families, what the prompt asks to put the answer in: tag, the default, or boxed. Of "
            "FILE, the column of the reference; may be repeated.",
        ),
    ] = None,
    format: Format = None,
    verifier: VerifierName = None,
    option: VerifierOptions = None,
    question: Annotated[
        str | None, typer.Option("--question", metavar="COLUMN", help="Of FILE, the column of the question.")
    ] = None,
    instruction: Annotated[
        str | None,
        typer.Option(
            "--instruction",
            metavar="TEXT",
            help="Of FILE, what follows each question; by default it asks for the verifier's form.",
        ),
    ] = None,
    in_order: Annotated[
        bool, typer.Option("--in-order", help="Take the first N rows of FILE, rather than any N.")
    ] = False,
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
    """Evaluate policies on families, or on rows of your own.

    A table shows how often each policy passes, with a 95 % interval, and why it fails. With --run every
    answer is logged, and a killed run resumes where it stopped. Answers missing because an endpoint failed
    count in no rate; the command then exits with 1.
    """
    if run == "":
        msg = "`--run` is empty; name the run"
        raise InvalidArgument(msg)
    folder = None if run is None else runs / run
    was_finished = folder is not None and (folder / "summary.json").exists() and not overwrite
    rows = {"format": format, "verifier": verifier, "option": option, "question": question}
    rows |= {"instruction": instruction}
    tasks: Any
    if any(map(eval_sources.is_file, sources)):
        of_families = {"level": level != "0", "param": param, "template": template, "wrapper": wrapper}
        _refuse(of_families, "families")
        tasks = eval_sources.of_files(sources, n, seed, in_order=in_order, rows={**rows, "answer": answer})
    else:
        _refuse({**rows, "in-order": in_order}, "files of rows")
        if answer is not None and len(answer) > 1:
            msg = "`--answer` is given twice; the prompt asks for one form"
            raise InvalidArgument(msg)
        params, style = options.params(param), options.style(template, wrapper, answer[0] if answer else None)
        tasks = [
            one.source(seed=seed, level=its, params=params, split=split, style=style)
            for one, its in options.pairs(sources, level)
        ]
    if not policy:
        msg = "`--policy` is missing; name one, such as noisy:0.3, hf:PATH or openai:MODEL"
        raise InvalidArgument(msg)
    summary = evaluated(
        tasks,
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


def _refuse(given: dict[str, Any], kind: str) -> None:
    """Refuse options of another kind of sources."""
    for name, value in given.items():
        if value:
            msg = f"`--{name}` is for {kind}; leave it out"
            raise InvalidArgument(msg)


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
            level_ = f" {row.level}" if by_level and row.level is not None else ""
            console.print(f"{row.source}{level_}, {row.policy}: {used}", style="dim", soft_wrap=True)
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
