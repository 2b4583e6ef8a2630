"""`reasonenv dataset`: build, check, describe and export data sets for training."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

import reasonenv
from reasonenv._checks import LARGEST_COUNT
from reasonenv._cli import options, tables
from reasonenv._cli._app import app
from reasonenv._cli.options import (
    AnswerStyle,
    AsJson,
    Count,
    Families,
    Levels,
    ParamsOption,
    Seed,
    Shard,
    TemplateOption,
    Wrapper,
)
from reasonenv._cli.terminal import Commands, print_json
from reasonenv._files import called, lines
from reasonenv._progress import progress
from reasonenv._records import PROMPTS, Prompts
from reasonenv.data import (
    SHAPES,
    Dataset,
    HoldOut,
    Roles,
    build_dataset,
    export,
    merge_datasets,
    warmup_records,
)
from reasonenv.data._roles import ROLES
from reasonenv.data._shards import read_shard
from reasonenv.data._tree_rows import is_run, run_records
from reasonenv.errors import InvalidArgument

if TYPE_CHECKING:
    from reasonenv.data._export import Purpose

dataset = typer.Typer(cls=Commands, no_args_is_help=True, rich_markup_mode="markdown")
app.add_typer(dataset, name="dataset", help="Build, check, describe and export data sets for training.")

DataFolder = Annotated[str, typer.Argument(metavar="FOLDER", help="A data set's folder.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the data set that is there.")]
Names = list[str] | None

_HOLD_OUTS = {
    "`hold_out.families`": "`--hold-out-family`",
    "`hold_out.domains`": "`--hold-out-domain`",
    "`hold_out.levels`": "`--hold-out-level`",
    "`hold_out.templates`": "`--hold-out-template`",
}
_PURPOSES = {', say purpose="evaluate", or force it': " or give `--evaluate`", ", or give `format`": ""}
"""Phrases of errors about Python arguments, and their counterparts on the command line."""


@dataset.command()
def build(
    family: Families,
    *,
    out: Annotated[str, typer.Option("--out", "-o", metavar="FOLDER", help="Where to build it.")],
    n: Count = 1000,
    level: Levels = "0",
    seed: Seed = 0,
    sft: Annotated[
        float,
        typer.Option(
            "--sft", metavar="SHARE", min=0, max=1, help="Share of training tasks that are for SFT."
        ),
    ] = 0.25,
    validation: Annotated[
        int | None,
        typer.Option(
            "--validation",
            metavar="N",
            min=0,
            max=LARGEST_COUNT,
            help="Tasks for validation of each family and level.",
        ),
    ] = None,
    transfer: Annotated[
        int | None,
        typer.Option(
            "--transfer", metavar="N", min=0, max=LARGEST_COUNT, help="Tasks for transfer, likewise."
        ),
    ] = None,
    hold_out_family: Annotated[
        Names, typer.Option("--hold-out-family", metavar="NAME", help="Keeps a family for transfer.")
    ] = None,
    hold_out_domain: Annotated[
        Names, typer.Option("--hold-out-domain", metavar="NAME", help="Keeps a domain for transfer.")
    ] = None,
    hold_out_level: Annotated[
        list[int] | None,
        typer.Option("--hold-out-level", metavar="L", min=0, max=255, help="Keeps a level for transfer."),
    ] = None,
    hold_out_template: Annotated[
        Names, typer.Option("--hold-out-template", metavar="NAME", help="Keeps a wording for transfer.")
    ] = None,
    param: ParamsOption = None,
    template: TemplateOption = None,
    wrapper: Wrapper = None,
    answer: AnswerStyle = None,
    keep_duplicates: Annotated[
        bool, typer.Option("--keep-duplicates", help="Keep repeated problems.")
    ] = False,
    traces: Annotated[
        str | None,
        typer.Option("--traces", metavar="RUN", help="A run, whose traces on SFT tasks are sorted too."),
    ] = None,
    shape: Annotated[
        str | None,
        typer.Option(
            "--shape",
            metavar="sft",
            help="Write only a warm-up: -n worked solutions of each family and level, to a file.",
        ),
    ] = None,
    shots: Annotated[
        int, typer.Option("--shots", metavar="K", help="With --shape sft: worked examples in each prompt.")
    ] = 0,
    shard: Shard = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Build a data set: tasks for SFT, RL, validation and transfer that share no problem.

    The same command writes the same bytes on any machine. Merged shards equal the whole.
    """
    if shape is not None:
        if shape != "sft":
            msg = f"`--shape` is `{shape}`, but must be sft; `dataset export` has the other shapes"
            raise InvalidArgument(msg)
        words = options.style(template, wrapper, answer)
        records = warmup_records(
            options.names(family),
            n,
            levels=options.levels(level),
            shots=shots,
            params=options.params(param),
            style=words,
            seed=seed,
        )
        _exported(export(records, out, "solutions"), out, as_json=as_json)
        return
    if shots:
        msg = f"`--shots` is {shots}, but only prompts of `--shape sft` have examples; give both or neither"
        raise InvalidArgument(msg)
    roles = Roles(
        sft=sft,
        validation=validation,
        transfer=transfer,
        hold_out=HoldOut(
            families=hold_out_family or (),
            domains=hold_out_domain or (),
            levels=hold_out_level or (),
            templates=hold_out_template or (),
        ),
        duplicates="keep" if keep_duplicates else "drop",
    )
    with progress() as tell, _options_for(_HOLD_OUTS):
        manifest = build_dataset(
            out,
            options.names(family),
            n,
            levels=options.levels(level),
            roles=roles,
            params=options.params(param),
            style=options.style(template, wrapper, answer),
            seed=seed,
            traces=traces,
            shard=None if shard is None else read_shard(shard),
            overwrite=overwrite,
            on_progress=tell,
        )
    _tell(manifest, as_json=as_json)


@dataset.command()
def merge(
    out: Annotated[str, typer.Argument(metavar="OUT", help="Where the whole is written.")],
    shards: Annotated[
        list[str], typer.Argument(metavar="SHARD", help="The shards' folders, in their order.")
    ],
    *,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Merge the shards of a data set."""
    _tell(merge_datasets(out, shards, overwrite=overwrite), as_json=as_json)


@dataset.command()
def info(folder: DataFolder, *, as_json: AsJson = False) -> None:
    """Describe a data set."""
    _tell(Dataset(folder).manifest, as_json=as_json)


@dataset.command()
def check(
    folder: DataFolder,
    *,
    against: Annotated[
        Names,
        typer.Option(
            "--against", metavar="FILE", help="A file to look for the training tasks in; repeatable."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that a data set is complete, sound and not contaminated by the given files.

    Exits with 1 if something is wrong, or a training task's key or prompt is in the files. Tasks that
    only share long runs of words with them are counted.
    """
    faults, found = Dataset(folder).check(against or ())
    if as_json:
        print_json({"faults": faults, "contamination": None if found is None else found.to_dict()})
    else:
        console = Console(highlight=False)
        for fault in faults:
            console.print(fault, style="red", soft_wrap=True)
        if not faults:
            console.print(f"{folder} is whole; every task's own solution passes; no problem has two roles")
        if found is not None:
            console.print(f"of {found.tasks:,} training tasks, looked for in the files:")
            for count, says in (
                (found.same_key, "have the key of a task there"),
                (found.same_prompt, "have another key, but a prompt that is there"),
                (found.overlapping, "share long runs of words with them, and may be similar or quoted"),
            ):
                console.print(f"  {count:,} {says}", soft_wrap=True)
    if faults:
        raise typer.Exit(1)


@dataset.command("export")
def export_rows(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="FOLDER/ROLE of a data set, a run's folder, or a file of JSON lines; '-' is stdin.",
        ),
    ],
    out: Annotated[str, typer.Argument(metavar="OUT", help="A file that ends with .jsonl or .parquet.")],
    *,
    shape: Annotated[str, typer.Option("--shape", metavar="NAME", help=f"{', '.join(SHAPES)}.")] = "tasks",
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="The rows are to evaluate on, whatever their split.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Also write traces that are not fit to imitate, in the shape sft.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write rows in the formats of trainers, with a manifest next to them.

    Tasks reserved for evaluation are refused unless --evaluate is given. The shape sft has the traces that
    passed, were not cut off and had no hint. Of a run with search trees, preferences, divergences, values,
    kto and prm are steps where its paths part.
    """
    folder, _, role = source.rpartition("/")
    purpose: Purpose = "evaluate" if evaluate else "train"
    with _options_for(_PURPOSES):
        records: Iterator[Any]
        if is_run(source):
            records = run_records(source, shape)
        elif role in ROLES and folder:
            records = Dataset(folder).records(role, purpose=purpose)
        else:
            prompts = Prompts(Path(source).with_name(PROMPTS))
            records = (
                prompts.joined(_record(line, f"{called(source)}, line {number}"))
                for number, line in lines(source)
            )
        manifest = export(records, out, shape, purpose=purpose, everything=everything)
    _exported(manifest, out, as_json=as_json)


def _exported(manifest: dict[str, Any], out: str, *, as_json: bool) -> None:
    if as_json:
        print_json(manifest)
        return
    console = Console(highlight=False)
    console.print(f"{manifest['rows']} rows written to {out}", soft_wrap=True)
    for reason, count in manifest["left_out"].items():
        console.print(f"{count:,} traces {reason} were left out", style="yellow", soft_wrap=True)


@contextmanager
def _options_for(arguments: Mapping[str, str]) -> Iterator[None]:
    """Make errors name options rather than Python arguments."""
    try:
        yield
    except InvalidArgument as error:
        for argument, option in arguments.items():
            error.args = (str(error).replace(argument, option),)
        raise


def _record(line: str, where: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        msg = f"{where}: not JSON ({error}); each line must be one record"
        raise reasonenv.ReasonEnvError(msg) from None


def _tell(manifest: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(manifest)
        return
    console = Console(highlight=False)
    drops = manifest["config"]["duplicates"] == "drop"
    tasks = tables.table()
    for column in ("role", "family", "level", "tasks", f"repeats {'left out' if drops else 'kept'}"):
        tasks.add_column(column, justify="left" if column in ("role", "family") else "right", no_wrap=True)
    for role, families in manifest["counts"].items():
        for name, levels in sorted(families.items()):
            for level, count in sorted(levels.items()):
                again = manifest["duplicates"][role].get(name, {}).get(level, 0)
                share = f"{again:,} ({tables.percent(again / (count + again * drops))} %)" if again else ""
                tasks.add_row(role, name, level, f"{count:,}", share)
    if tasks.row_count:
        console.print(tasks)
        console.print()
    files = tables.table()
    for column in ("file", "lines", "bytes", "sha256"):
        files.add_column(column, justify="right" if column in ("lines", "bytes") else "left", no_wrap=True)
    for name, facts in sorted(manifest["files"].items()):
        files.add_row(name, f"{facts['lines']:,}", f"{facts['bytes']:,}", facts["sha256"][:16])
    console.print(files)
    for reason, count in manifest["skipped_traces"].items():
        console.print(f"{count} traces {reason} were left out", style="yellow")
