"""The program to which each file adds its commands."""

from typing import Annotated

import typer

import reasonenv
from reasonenv._cli.terminal import Commands

app = typer.Typer(
    cls=Commands,
    name="reasonenv",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_show_locals=False,
    rich_markup_mode="markdown",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"reasonenv {reasonenv.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Verifiable reasoning tasks and games: generate and read tasks, verify answers, play, evaluate policies.

    Start with 'reasonenv demo', or with 'reasonenv show chain_sum'.
    """
