"""`reasonenv code`: the sandboxes that programs run in."""

import typer
from rich.console import Console

from reasonenv._cli import tables
from reasonenv._cli._app import app
from reasonenv._cli.options import AsJson
from reasonenv._cli.terminal import Commands, print_json
from reasonenv.verifiers._code import _doctor

code = typer.Typer(cls=Commands, no_args_is_help=True, rich_markup_mode="markdown")
app.add_typer(code, name="code", help="Examine the sandboxes that programs run in.")


@code.callback()
def _group() -> None:
    """Examine the sandboxes that programs run in."""


@code.command()
def doctor(*, as_json: AsJson = False) -> None:
    """Start both runtimes, try to break out of `cpython`, and show which walls this machine gives.

    The exit status is 1 if `cpython` cannot confine programs here.
    """
    found = _doctor.examine()
    cpython, monty = found["cpython"], found["monty"]
    if as_json:
        print_json(found)
    else:
        console = Console(highlight=False)
        console.print(f"monty: {'starts' if monty['starts'] else monty['error']}")
        told = "confined" if cpython["confined"] else "not confined"
        console.print(f"cpython: {told if cpython['starts'] else cpython['error']}")
        shown = tables.table()
        for column in ("wall", "here", "what a program then has"):
            shown.add_column(column)
        for wall, meaning in _doctor.WALLS.items():
            shown.add_row(wall, "yes" if wall in cpython["walls"] else "no", meaning)
        console.print(shown)
        for escape in cpython["escapes"]:
            console.print(f"a program could: {escape}")
    if not cpython["confined"]:
        raise typer.Exit(1)
