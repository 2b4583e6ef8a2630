"""`reasonenv demo`: a first look, in forty lines of a terminal."""

import shlex
import shutil
import sys
import sysconfig
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import gymnasium
import typer
from rich.console import Console, Group
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

import reasonenv
from reasonenv import rollouts
from reasonenv._checks import LARGEST_COUNT
from reasonenv._cli import tables
from reasonenv._cli._app import app
from reasonenv._cli.bench import rates
from reasonenv._cli.options import Level, Seed
from reasonenv._native import Family, Mixture, Source, Task, Value
from reasonenv._progress import progress
from reasonenv.data import directory_trees
from reasonenv.envs import env_id
from reasonenv.report import write_report
from reasonenv.rollouts import Saving

EXAMPLES = {
    "chain_sum": "wrong_sign",
    "longest_increasing_subsequence": "suboptimal",
    "number_sequence": "wrong_answer",
}
"""Families of three domains with short prompts, each with the failure to show."""

PAID = "sudoku"
"""The family whose reward and environment are shown."""

POLICIES = ("oracle", "noisy:0.3", "best-constant", "echo")
REAL_TREES = "ascii_tree (real)"

_CANDIDATES = 64
"""Number of tasks of a family from which the shortest is shown."""

_BOARD = {"columns": 5, "rows": 4}
_MOVES = (2, 3, 3, 1)
"""A position of Connect Four in which one move of X wins, one draws and three lose."""

_DOMAINS = 3
"""Number of domains that are shown."""

_SECONDS = 0.03
"""Time spent on each measurement of a rate."""

Tell = Callable[[int, int | None, str], None]
"""Shows the number of things done, the total, and the current work."""


@app.command()
def demo(
    n: Annotated[
        int, typer.Option("-n", metavar="N", min=1, max=LARGEST_COUNT, help="Tasks of each family.")
    ] = 50,
    level: Level = 2,
    seed: Seed = 0,
    run: Annotated[
        Path, typer.Option("--run", metavar="FOLDER", help="The run folder; it is overwritten.")
    ] = Path("runs/demo"),
    full: Annotated[
        bool, typer.Option("--full", help="Print the results of every family instead of the overview.")
    ] = False,
) -> None:
    """Show the main features: tasks and verdicts, a game with exact values, speed, a report.

    Four built-in policies answer tasks of every family, and directory trees of this machine, read from the
    folder of Python's standard library. No model, key or network is needed.
    """
    console = Console(highlight=False)
    families = [reasonenv.family(name) for name in reasonenv.list_families()]
    level = min(level, max(one.top_level for one in families))
    sources = {
        one.name: one.source(seed=seed, level=min(level, one.top_level), split="eval") for one in families
    }
    rollouts.Run(run, {}, overwrite=True).close()  # a folder that cannot be used is refused before any work
    title = f"{len(families)} task families"
    console.print(_rule(f"reasonenv {reasonenv.__version__}: {title if full else 'three of ' + title}"))
    if not full:
        for name, label in EXAMPLES.items():
            console.print(_example(reasonenv.family(name), label, seed, console))
        console.print(_paid(reasonenv.family(PAID), seed))
    with progress(log=True) as tell:
        summary = _evaluated(sources, n, seed, run, tell)
        shown = _everything(summary, console) if full else _overview(sources, summary, tell)
    if not full:
        count = len({one.domain for one in families})
        title = f"level {level}, {_DOMAINS} of {count} domains: speed, and % of blind policies"
        console.print(_rule(title.capitalize()))
    console.print(shown)
    _finish(run, console)


def _finish(run: Path, console: Console) -> None:
    """Write the report, and print its path and suggestions for what to try next."""
    typed = typed_program()
    with progress(log=True) as tell:
        tell(0, None, "writing the report")
        try:
            page = str(write_report(run, rollouts=False)), "results of every family"
        except ModuleNotFoundError:
            report = shlex.join(["report", str(run)])
            page = f"pip install jinja2 && {typed} {report}", "write the report"
    console.print(_rule("Report, and what to try next"))
    commands = [
        (f"{typed} show sudoku --wrong 2", "a task and why answers fail"),
        (f"{typed} play connect_four --hints", "a game with exact values"),
        (f"{typed} eval sudoku --policy noisy:0.3", "how often a policy passes"),
    ]
    console.print(tables.steps([page, *commands], console))


def _rule(title: str) -> Rule:
    return Rule(Text(title, "bold"), align="left")


def _example(family: Family, label: str, seed: int, console: Console) -> Text:
    """The shortest of some easy tasks, with its answer and a wrong one that fails with a label."""
    tasks = family.source(seed=seed, level=0, split="eval").batch(0, _CANDIDATES)
    shown = [_lines(task, label, seed, console) for task in tasks]
    head = Text.assemble((family.name, "bold cyan"), (f" ({family.domain})", "dim"))
    return Text("\n  ").join([head, *min(shown, key=lambda lines: (len(lines), sum(map(len, lines))))])


def _lines(task: Task, label: str, seed: int, console: Console) -> list[Text]:
    """The prompt, the answer, and the nearest wrong one that fails with a label, if the console has room."""
    answer = task.solution.answer
    wrong = task.wrong_answers(seed=seed)
    labels = [task.verify(task.wrap(text)).failures[-1] for text in wrong]
    nearest = min(range(len(wrong)), key=lambda at: (labels[at] != label, abs(len(wrong[at]) - len(answer))))
    checked = [_checked(task, answer), _checked(task, wrong[nearest])]
    width = console.width - 2
    both = Text("   ").join(checked)
    prompt = Text(task.prompt.replace("\n\n", "\n"))
    lines = [
        line
        for text in (prompt, *([both] if both.cell_len <= width else checked))
        for line in text.wrap(console, width)
    ]
    for line in lines:
        line.rstrip()
    return lines


def _paid(family: Family, seed: int) -> Text:
    """The rewards of an answer and of a near miss, and the same in an environment."""
    name = env_id(family.name)
    env = gymnasium.make(name, level=3, reward="partial")
    env.reset(seed=seed)
    task = env.unwrapped.task  # type: ignore[attr-defined]
    score = max(task.verify(task.wrap(wrong)).score for wrong in task.wrong_answers(seed=seed))
    _, reward, *_ = env.step(task.wrap(task.solution.answer))
    return Text.assemble(
        ("reward", "bold cyan"),
        f'       "binary" pays 1 and 0, "partial" 1 and {score:.2f} for a near miss\n',
        ("environment", "bold cyan"),
        f'  gymnasium.make("{name}", level=3), one step, reward {reward:g}',
    )


def _checked(task: Task, answer: str) -> Text:
    """An answer, and the reason if it fails."""
    verdict = task.verify(task.wrap(answer))
    if verdict.passed:
        return Text.assemble(("✓ ", "bold green"), answer)
    return Text.assemble(("✗ ", "bold red"), answer, (f": {verdict.detail}", "red"))


def _evaluated(sources: Mapping[str, Source], n: int, seed: int, run: Path, tell: Tell) -> rollouts.Summary:
    """Evaluate every policy on every family, and on directory trees of this machine."""
    tell(0, None, "reading directories")
    trees = directory_trees(sysconfig.get_path("stdlib"), n, seed, min_lines=2)
    asked: dict[str, Any] = {}
    for name, source in sources.items():
        asked[name] = source
        if name == trees[0].family:
            asked[REAL_TREES] = trees
    return rollouts.evaluate(
        asked,
        POLICIES,
        n=n,
        seed=seed,
        saving=Saving(
            folder=run,
            overwrite=True,
            on_progress=lambda now: tell(now.done, now.total, f"{now.source}, {now.policy}"),
        ),
    )


def _everything(summary: rollouts.Summary, console: Console) -> Group:
    """Results of every family, and the reasons why a policy fails on real directory trees."""
    (row,) = summary.find(REAL_TREES, "noisy:0.3")
    means = reasonenv.verifiers.common_failures() | reasonenv.family(row.family).failures
    return Group(tables.results(summary, console), "", tables.failure_breakdown(row, means, console.width))


def _overview(sources: Mapping[str, Source], summary: rollouts.Summary, tell: Tell) -> Table:
    """The domains, and below them a position of a game."""
    shown = Table.grid()
    shown.add_row(_domains(sources, summary, tell))
    shown.add_row(_position())
    return shown


def _domains(sources: Mapping[str, Source], summary: rollouts.Summary, tell: Tell) -> Table:
    """A line for each of the largest domains.

    It has their families, the speed of an equal mixture of them and the pass rate of blind policies.
    """
    domains: dict[str, list[Source]] = {}
    for source in sources.values():
        domains.setdefault(source.family.domain, []).append(source)
    shown = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    shown.add_column("domain", no_wrap=True)
    for name in ("families", "tasks/s", "checks/s", "constant", "echo"):
        shown.add_column(name, justify="right", no_wrap=True)
    for domain, members in sorted(domains.items(), key=lambda one: (-len(one[1]), one[0]))[:_DOMAINS]:
        tell(shown.row_count, _DOMAINS, f"speed of {domain}")
        speed = rates(Mixture([(one.family, one.level or 0) for one in members]), _SECONDS)
        names = {one.family.name for one in members}
        passed = [
            tables.percent(sum(row.passed for row in rows) / sum(row.passed + row.failed for row in rows))
            for policy in ("best-constant", "echo")
            for rows in [[row for row in summary.find(policy=policy) if row.source in names]]
        ]
        per_second = [tables.rate(speed[f"{thing}_per_second"]) for thing in ("items", "verdicts")]
        shown.add_row(domain, str(len(members)), *per_second, *passed)
    return shown


def _position() -> Table:
    """A board of Connect Four with the exact value of a disc in each column below it, and what it means."""
    state = reasonenv.game("connect_four", _BOARD).start()
    for move in _MOVES:
        state.apply(move)
    *rows, names = (line.split() for line in state.text().splitlines())
    values = state.values().values()
    board = Table.grid(padding=(0, 1, 0, 0))
    for _ in names:
        board.add_column(justify="right")
    for row in (*rows, names):
        board.add_row(*row)
    board.add_row(*(_value(value) for value in values))
    legend = {value.outcome: _value(value, in_words=True) for value in values}
    told = (Text("Connect Four, X moves", "bold cyan"), "below each column what it is worth:")
    shown = Table.grid(padding=(0, 3, 0, 0))
    shown.add_row(board, Group(*told, *(legend[outcome] for outcome in (1, 0, -1))))
    return shown


def _value(value: Value, *, in_words: bool = False) -> Text:
    sign, word, style = (("=", "draws", "yellow"), ("+", "wins", "green"), ("-", "loses", "red"))[
        value.outcome
    ]
    shown = Text(f"{sign}{value.distance or ''}".rjust(3), style)
    plies = f" in {value.distance} plies" if value.distance else ""
    return shown.append(f" {word}{plies}", "default") if in_words else shown


def typed_program() -> str:
    """The program as it was typed, so that a command can be copied."""
    program = Path(sys.argv[0])
    if program.parts[-2:] == ("reasonenv", "__main__.py"):
        return shlex.join([sys.orig_argv[0], "-m", "reasonenv"])
    is_found = program.stem != "reasonenv" or shutil.which(program.name) == str(program)
    return "reasonenv" if is_found else shlex.quote(str(program))
