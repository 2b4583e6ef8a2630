"""`reasonenv judge`: verifies your own rows."""

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding

import reasonenv
from reasonenv import verifiers
from reasonenv._cli import options, tables
from reasonenv._cli._app import app
from reasonenv._cli.options import AsJson
from reasonenv._cli.terminal import print_json
from reasonenv._files import called, is_same_file, opened, writing
from reasonenv._intervals import wilson_interval
from reasonenv._progress import progress
from reasonenv.data._judged import Columns, RowVerdict, judged_rows
from reasonenv.errors import InvalidArgument


def complete_verifier(incomplete: str) -> list[str]:
    """Verifiers whose names begin with a text."""
    return [name for name in verifiers.list_verifiers() if name.startswith(incomplete)]


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
    verifier: Annotated[
        str | None,
        typer.Option("--verifier", "-v", metavar="NAME", help="By name.", autocompletion=complete_verifier),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="NAME=VALUE", help="Sets one of the verifier's options; may be repeated."
        ),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            "--config", metavar="FILE", help='JSON: {"verifier": …} with its options; or synthetic2.'
        ),
    ] = None,
    completion: Annotated[
        str, typer.Option("--completion", metavar="COLUMN", help="The column of completions.")
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

    Exits with 0 however many rows fail, unless --fail-under says otherwise, and with 1 for a malformed
    row. Only a few thousand rows are in memory at a time.
    """
    made = _made(verifier, option, config)
    if out is not None and is_same_file(out, rows):
        msg = f"`--out` is {out}, which is `ROWS` too and would be lost; name another file"
        raise InvalidArgument(msg)
    if accepted and no_reference:
        msg = "`--accepted` and `--no-reference` are both given; drop one"
        raise InvalidArgument(msg)
    named = reference or list(getattr(made, "columns", ("answer",)))
    columns = Columns(
        completion,
        None if no_reference else named[0] if len(named) == 1 else tuple(named),
        id_column,
        accepted,
    )
    tally = JudgeCounts()
    with nullcontext() if out is None else writing(out) as file, progress() as tell:
        for judged in judged_rows(made, rows, columns):
            tally.add(judged)
            if file is not None:
                file.write(json.dumps({"id": judged.id, **judged.verdict.to_dict()}) + "\n")
            if tally.rows % 1024 == 0:
                tell(tally.rows, None, called(rows))
        if tally.rows == 0:
            msg = f"{called(rows)} holds no rows; each line must be one JSON object"
            raise reasonenv.ReasonEnvError(msg)
    if as_json:
        print_json({"verifier": _plain(made), **tally.to_dict()})
    else:
        # Verdicts on stdout are for a script, so the summary goes to stderr.
        console = Console(stderr=out == "-", highlight=False)
        console.print(tables.judged(made.name, tally))
        if tally.failures:
            console.print(Padding(tables.first_failures(tally), (1, 0, 0, 0)))
    if fail_under is not None and tally.pass_rate < fail_under:
        told = f"{tally.passed} of {tally.rows} rows passed, less than --fail-under {fail_under:g}"
        Console(stderr=True, highlight=False).print(told, style="red", soft_wrap=True)
        raise typer.Exit(1)


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
        msg = f"no verifier is named; give `--verifier NAME`: {', '.join(verifiers.list_verifiers())}"
        raise InvalidArgument(msg)
    return verifiers.from_config({**({"verifier": name} if name else {}), **read, **given})


def _plain(judge: verifiers.Judge) -> dict[str, Any]:
    return verifiers.config_of(judge)


@dataclass
class JudgeCounts:
    """Counts of verdicts, in constant memory."""

    rows: int = 0
    passed: int = 0
    scores: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For each label the first row where it comes first, and the reason."""

    def add(self, judged: RowVerdict) -> None:
        """Count a verdict."""
        verdict = judged.verdict
        self.rows += 1
        self.passed += verdict.passed
        self.scores += verdict.score
        self.failures.update(verdict.failures)
        for label in verdict.failures[:1]:
            self.first.setdefault(label, (judged.where, verdict.detail))

    @property
    def pass_rate(self) -> float:
        """Share of the rows that passed."""
        return self.passed / self.rows

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the pass rate."""
        return wilson_interval(self.passed, self.rows)

    @property
    def mean_score(self) -> float:
        """Mean score of the rows."""
        return self.scores / self.rows

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "rows": self.rows,
            "passed": self.passed,
            "pass_rate": self.pass_rate,
            "interval": self.interval,
            "mean_score": self.mean_score,
            "failures": dict(self.failures.most_common()),
            "first_failures": {
                label: {"row": where, "detail": detail} for label, (where, detail) in self.first.items()
            },
        }
