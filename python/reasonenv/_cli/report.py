"""`reasonenv report` and `reasonenv compare`: the results of runs as pages and tables."""

from typing import Annotated

import typer
from rich.console import Console

from reasonenv._cli import tables
from reasonenv._cli._app import app
from reasonenv._cli.options import AsJson
from reasonenv._cli.terminal import print_json
from reasonenv.report import compare as compared
from reasonenv.report import write_comparison, write_report

RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="A run's folder, such as runs/first.")]


@app.command()
def report(
    run: RunFolder,
    *,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Where to write; by default report.html in the folder."
        ),
    ] = None,
    page_only: Annotated[
        bool, typer.Option("--page-only", help="Write the page alone, with a sample of the rollouts.")
    ] = False,
) -> None:
    """Write a run's report: an HTML page with pass rates, curves, failures and all rollouts to browse.

    The rollouts are in a folder beside the page, which needs no server. Needs the extra `report`.
    """
    Console(highlight=False).print(f"{write_report(run, out, rollouts=not page_only)}", soft_wrap=True)


@app.command()
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A run's folder.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one, or the same for two of its policies.")],
    *,
    policy_a: Annotated[
        str | None, typer.Option("--policy-a", metavar="NAME", help="The policy of A, if it has several.")
    ] = None,
    policy_b: Annotated[
        str | None, typer.Option("--policy-b", metavar="NAME", help="The policy of B, if it has several.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write an HTML page in the form of a report."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare two runs over the tasks that both have, with a 95% interval of the difference.

    With --out it also writes a page, which needs the extra `report`.
    """
    if out is not None:
        write_comparison(a, b, out, policy_a=policy_a, policy_b=policy_b)
    rows = compared(a, b, policy_a=policy_a, policy_b=policy_b)
    if as_json:
        print_json([row.to_dict() for row in rows])
        return
    console = Console(highlight=False)
    console.print(tables.comparison(rows, console))
    named = {row.policies for row in rows}
    first, second = next(iter(named)) if len(named) == 1 else ("", "")
    console.print(
        f"\nA: {a}{first and f', {first}'}. B: {b}{second and f', {second}'}. "
        "Bold: the interval excludes zero. Better, worse: tasks on which B passes more, less often.",
        style="dim",
    )
