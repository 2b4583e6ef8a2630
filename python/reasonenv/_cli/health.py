"""`reasonenv health`: checks that families keep their promises."""

from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown

import reasonenv
from reasonenv import _checks
from reasonenv import health as measuring
from reasonenv._cli import options, tables
from reasonenv._cli._app import app
from reasonenv._cli.evaluation import evaluated
from reasonenv._cli.options import AnyFamilies, AsJson, GroupSize, MaxTokens, Temperature
from reasonenv._cli.terminal import print_json
from reasonenv._progress import progress
from reasonenv.errors import InvalidArgument
from reasonenv.rollouts import Sampling, Saving


@app.command()
def health(
    family: AnyFamilies = None,
    *,
    level: Annotated[
        str | None,
        typer.Option(
            "--level", "-l", metavar="LEVELS", help="A level, or several: 2, 0-3, 0,4; by default all."
        ),
    ] = None,
    count: Annotated[
        int, typer.Option("-n", metavar="N", min=20, max=100_000, help="Items of each level.")
    ] = 1000,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME",
            help="Measure instead what this policy passes, such as hf:PATH; may be repeated.",
            autocompletion=options.complete_policy,
            show_default=False,
        ),
    ] = None,
    group_size: GroupSize = 4,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a table as Markdown.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check that families keep their promises, level by level.

    Solutions must pass and wrong answers fail, quickly; prompts must identify problems and show no
    answer; items must be distinct; blind policies must not pass more often than
    declared; and levels must get harder, tenfold from the first to the last. Exits with 1
    if a check fails, and says which.

    With --policy it shows instead where a policy can learn: how often it passes each level, and how many
    groups of rollouts have both right and wrong answers. Several policies also give difficulties that can
    be compared across families.
    """
    names = options.names(family)
    if policy:
        sampling = Sampling(temperature=temperature, max_tokens=max_tokens)
        summary = evaluated(
            [
                reasonenv.family(name).source(level=one, split="eval")
                for name in names
                for one in _levels(name, level)
            ],
            policy,
            n=count,
            group_size=group_size,
            sampling=sampling,
            saving=Saving(progress=True),
        )
        if as_json:
            print_json(summary.to_dict())
        else:
            told = measuring.reach(summary)
            Console(highlight=False).print(told if markdown else Markdown(told), soft_wrap=markdown)
        return
    for name, given in {"temperature": temperature, "max-tokens": max_tokens}.items():
        if given is not None:
            shown = _checks.shown(given)
            msg = f"`--{name}` is {shown}, but without `--policy` no model is asked; leave it out"
            raise InvalidArgument(msg)
    found = []
    with progress() as tell:
        for done, name in enumerate(names):
            tell(done, len(names), name)
            found.append(measuring.check(name, levels=_levels(name, level), count=count))
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


def _levels(name: str, chosen: str | None) -> list[int]:
    """The chosen levels that a family has; by default all."""
    top = reasonenv.family(name).top_level
    return [one for one in (range(top + 1) if chosen is None else options.levels(chosen)) if one <= top]
