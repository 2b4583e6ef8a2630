"""`reasonenv judge`: verifies your own rows."""

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding

import reasonenv
from reasonenv import verifiers
from reasonenv._cli import options, tables
from reasonenv._cli._app import app
from reasonenv._cli.judge_counts import JudgeCounts
from reasonenv._cli.options import AsJson, Format, VerifierName, VerifierOptions
from reasonenv._cli.terminal import print_json
from reasonenv._files import called, is_same_file, opened, writing
from reasonenv._progress import progress
from reasonenv.data._formats import FORMATS, row_format
from reasonenv.data._hints import FormHint
from reasonenv.data._judged import Columns, judged_rows
from reasonenv.errors import InvalidArgument


@app.command(name="judge")
def judge_(
    rows: Annotated[
        str,
        typer.Argument(
            metavar="ROWS",
            help="JSON lines, a JSON list, or Parquet with the extra of that name; '-' is stdin.",
        ),
    ],
    *,
    format: Format = None,
    verifier: VerifierName = None,
    option: VerifierOptions = None,
    config: Annotated[
        str | None,
        typer.Option(
            "--config", metavar="FILE", help='JSON: {"verifier": …} with its options; or synthetic2.'
        ),
    ] = None,
    completion: Annotated[
        str,
        typer.Option(
            "--completion",
            metavar="COLUMN",
            help="The column of completions; a list of them is several attempts at the row.",
        ),
    ] = "completion",
    reference: Annotated[
        list[str] | None,
        typer.Option(
            "--reference",
            metavar="COLUMN",
            help="The column of references, by default 'answer' or those of the verifier; a.b leads into "
            "objects. If repeated, a reference is an object of these columns, as python_tests takes them.",
        ),
    ] = None,
    no_reference: Annotated[
        bool, typer.Option("--no-reference", help="For judges to which references do not count.")
    ] = False,
    accepted: Annotated[
        bool,
        typer.Option(
            "--accepted", help="A reference is a list of accepted answers, of which the best counts."
        ),
    ] = False,
    id_column: Annotated[
        str | None,
        typer.Option("--id", metavar="COLUMN", help="The column of names; 'id' where there is one."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write a verdict for each row there.")
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option(
            "--fail-under", metavar="SHARE", min=0, max=1, help="Exit with 1 if a smaller share passes."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Verify completions in a file of your own.

    --format knows the columns of a benchmark and judges by the rules of its own grader. Exits with 0 however
    many rows fail, unless --fail-under says otherwise, and with 1 for a malformed row. Only a few thousand
    rows are in memory at a time.
    """
    if out is not None and is_same_file(out, rows):
        msg = f"`--out` is {out}, which is `ROWS` too and would be lost; name another file"
        raise InvalidArgument(msg)
    given: dict[str, Any] = {"verifier": verifier, "config": config, "reference": reference}
    given |= {"no-reference": no_reference, "accepted": accepted}
    made, columns = _formatted(format, option, given) if format else _named(option, given)
    columns = replace(columns, completion=completion, id=id_column)
    tally = JudgeCounts(FormHint(made))
    with nullcontext() if out is None else writing(out) as file, progress() as tell:
        for judged in judged_rows(made, rows, columns, tally.form):
            tally.add(judged)
            if file is not None:
                which = {"id": judged.id} | ({} if judged.sample is None else {"sample": judged.sample})
                file.write(json.dumps({**which, **judged.verdict.to_dict()}) + "\n")
            if tally.completions % 1024 == 0:
                tell(tally.completions, None, called(rows))
        if tally.completions == 0:
            msg = f"{called(rows)} holds no rows; each line must be one JSON object"
            raise reasonenv.ReasonEnvError(msg)
    if as_json:
        print_json({"verifier": _plain(made), **tally.to_dict()})
    else:
        # Verdicts on stdout are for a script, so the summary goes to stderr.
        console = Console(stderr=out == "-", highlight=False)
        console.print(tables.judged(format or made.name, tally))
        if tally.failures:
            console.print(Padding(tables.first_failures(tally), (1, 0, 0, 0)))
        for at, note in enumerate(tally.notes):
            console.print(Padding(note, (int(at == 0), 0, 0, 0)))
    if fail_under is not None and tally.pass_rate < fail_under:
        what = "rows" if tally.completions == tally.rows else "completions"
        told = f"{tally.passed} of {tally.ran} {what} passed, less than --fail-under {fail_under:g}"
        Console(stderr=True, highlight=False).print(told, style="red", soft_wrap=True)
        raise typer.Exit(1)


def _formatted(
    name: str, option: Sequence[str] | None, given: Mapping[str, Any]
) -> tuple[verifiers.Judge, Columns]:
    """Verifier and columns of a format."""
    for other, value in given.items():
        if value:
            msg = f"`--{other}` and `--format {name}` are both given; drop one"
            raise InvalidArgument(msg)
    chosen = row_format(name)
    config = chosen.configured(options.params(option, "--option") or {})
    return verifiers.from_config(config), Columns(format=chosen)


def _named(option: Sequence[str] | None, given: Mapping[str, Any]) -> tuple[verifiers.Judge, Columns]:
    """Verifier and columns by their names."""
    if given["accepted"] and given["no-reference"]:
        msg = "`--accepted` and `--no-reference` are both given; drop one"
        raise InvalidArgument(msg)
    made = _made(given["verifier"], option, given["config"])
    names = given["reference"] or list(getattr(made, "columns", ("answer",)))
    reference = names[0] if len(names) == 1 else tuple(names)
    return made, Columns(reference=None if given["no-reference"] else reference, accepted=given["accepted"])


def _made(name: str | None, option: Sequence[str] | None, config: str | None) -> verifiers.Judge:
    """Verifier from the options and the file."""
    given = options.params(option, "--option") or {}
    read: dict[str, Any] = {}
    if config == "synthetic2":
        read = {"verifier": config}
    elif config is not None:
        with opened(config) as file:
            try:
                read = json.loads(file.read())
            except (ValueError, RecursionError) as error:
                msg = f"{called(config)}: not JSON ({error})"
                raise InvalidArgument(msg) from error
        if not isinstance(read, dict):
            msg = f'{called(config)}: must be one object, like {{"verifier": "choice", "extract": "boxed"}}'
            raise InvalidArgument(msg)
    if name is not None and read.get("verifier", name) != name:
        msg = f"`--verifier` is {name}, but {config} names another; drop one"
        raise InvalidArgument(msg)
    if name is None and "verifier" not in read:
        msg = (
            f"no verifier is named; give `--format NAME` ({', '.join(FORMATS)}) or "
            f"`--verifier NAME` ({', '.join(verifiers.list_verifiers())})"
        )
        raise InvalidArgument(msg)
    return verifiers.from_config({**({"verifier": name} if name else {}), **read, **given})


def _plain(judge: verifiers.Judge) -> dict[str, Any]:
    return verifiers.config_of(judge)
