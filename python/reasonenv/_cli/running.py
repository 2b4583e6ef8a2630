"""`reasonenv run`: a run described by a file."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from reasonenv._cli import tables
from reasonenv._cli._app import app
from reasonenv._cli.options import AsJson
from reasonenv._cli.terminal import print_json
from reasonenv.rollouts import Saving
from reasonenv.rollouts._run_file import read_run_file


@app.command()
def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What to run, in YAML, TOML or JSON.", show_default=False)
    ],
    *,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--run",
            metavar="FOLDER",
            help="Log there; by default where the file says, or in runs/ by its name.",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Start over if the run exists already.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a file that names the generator, policy, verifier, reward, curriculum and logger.

    Every rollout is logged, the file is stored with them, and a killed run resumes where it stopped.
    """
    described = read_run_file(file)
    try:
        result = described.start(Saving(folder=folder, overwrite=overwrite, progress=True))
    except KeyboardInterrupt:
        hint = "the run keeps what was judged; run the same command to resume"
        Console(stderr=True).print(hint, soft_wrap=True, highlight=False)
        raise
    if as_json:
        print_json(result.summary.to_dict())
    else:
        console = Console(highlight=False)
        console.print(tables.results(result.summary, console))
        console.print(f"\nrun folder: {result.folder}", soft_wrap=True)
    tables.say_errors(result.summary)
