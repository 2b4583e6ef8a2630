"""`reasonenv health`: checks that families keep their promises."""

from typing import Annotated

import typer
from rich.console import Console

import reasonenv
from reasonenv import health as measuring
from reasonenv._cli import options, tables
from reasonenv._cli._app import app
from reasonenv._cli.options import AnyFamilies, AsJson
from reasonenv._cli.terminal import print_json
from reasonenv._progress import progress


@app.command()
def health(
    family: AnyFamilies = None,
    level: Annotated[
        str | None,
        typer.Option(
            "--level", "-l", metavar="LEVELS", help="A level, or several: 2, 0-3, 0,4; by default all."
        ),
    ] = None,
    count: Annotated[
        int, typer.Option("-n", metavar="N", min=20, max=100_000, help="Items of each level.")
    ] = 1000,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a table as Markdown.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check that families keep their promises, level by level.

    Solutions must pass and wrong answers fail, quickly; prompts must identify problems and show no
    answer; items must be distinct; blind policies must not pass more often than
    declared; and levels must get harder, tenfold from the first to the last. Exits with 1
    if a check fails, and says which.
    """
    names = options.names(family)
    found = []
    with progress() as tell:
        for done, name in enumerate(names):
            tell(done, len(names), name)
            top = reasonenv.family(name).top_level
            levels = None if level is None else [one for one in options.levels(level) if one <= top]
            found.append(measuring.check(name, levels=levels, count=count))
    if as_json:
        print_json([one.to_dict() for one in found])
    elif markdown:
        typer.echo(measuring.markdown(found), nl=False)
    else:
        Console(highlight=False).print(tables.health(found))
    broken = [one for one in found if one.complaints]
    for one in broken:
        for complaint in one.complaints:
            typer.echo(f"{one.family.name}, {complaint}", err=True)
    raise typer.Exit(1 if broken else 0)
