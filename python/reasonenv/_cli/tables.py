"""Tables of the command line: results, failures, tasks, families, games, rates."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer
from rich import box
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from reasonenv._native import Family, Game, Task, Value, Verdict
from reasonenv.arena import Odds
from reasonenv.arena import Table as Arena
from reasonenv.data._answers import Answers
from reasonenv.rollouts import Summary, SummaryRow

if TYPE_CHECKING:
    from reasonenv._cli.judge_counts import JudgeCounts
    from reasonenv.health import Health
    from reasonenv.report._compare import Comparison

WIDE = 100
"""Columns from which tables show everything."""

LEAST_TEXT = 18
"""Minimum width of a column of sentences."""


def table(title: str | None = None, gap: int = 3) -> Table:
    """An empty table in the style that all tables share."""
    return Table(
        title=title,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        padding=(0, gap - 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )


def fitting(console: Console, tables: Iterable[Table]) -> Table:
    """The first table that fits the console, else the last."""
    for shown in tables:
        unbound = console.options.update(max_width=10 * WIDE)
        if Measurement.get(console, unbound, shown).maximum <= console.width:
            break
    return shown


def percent(share: float) -> str:
    """A share as a percentage of one decimal, never rounded up to all or down to none; "–" for NaN."""
    if math.isnan(share):
        return "–"
    shown = round(100 * share, 1)
    if shown == 100 and share < 1:
        shown = 99.9
    if shown == 0 and share > 0:
        shown = 0.1
    return "100" if share == 1 else f"{shown:.1f}"


def mean(value: float) -> str:
    """A mean of three decimals; "–" for NaN."""
    return "–" if math.isnan(value) else f"{value:.3f}"


def rate(value: float | None) -> str:
    """Things per second in at most five characters."""
    if value is None:
        return "-"
    for size, unit in ((1e6, " M"), (1e3, " k")):
        if value >= 0.9995 * size:
            return f"{value / size:.{1 if value < 9.95 * size else 0}f}{unit}"
    return f"{value:.0f}"


def _passed(share: float, interval: tuple[float, float] | None) -> Text:
    shown = Text(percent(share), "green" if share == 1 else "red" if share == 0 else "yellow")
    if interval and not math.isnan(share):
        low, high = map(percent, interval)
        shown.append(f" ({low}–{high})", "dim")
    return shown


def results(summary: Summary, console: Console) -> Table:
    """Pass rate with its interval, mean score and speed of every policy on every source.

    On narrow consoles the least important columns are dropped; as a last resort each policy
    is below its source.
    """
    usual = {"interval", "score", "pass@", "format"}
    choices = [
        (3, usual | {"distinct", "groups", "speed"}),
        (3, usual | {"distinct", "speed"}),
        (2, usual | {"distinct", "groups"}),
        (2, usual | {"groups"}),
        (2, usual | {"distinct"}),
        (2, usual),
        (2, {"interval", "format"}),
        (2, {"interval"}),
        (2, set[str]()),
        (2, {"stacked"}),
    ]
    return fitting(console, (_results(summary, extras, gap) for gap, extras in choices))


def _results(summary: Summary, extras: set[str], gap: int) -> Table:
    rollouts = max(row.group_size for row in summary)
    by_level = len({row.level for row in summary if row.level is not None}) > 1
    shown = table(gap=gap)

    def column(name: str, wanted: bool = True) -> None:
        if wanted:
            shown.add_column(name, justify="left" if name in ("source", "policy") else "right", no_wrap=True)

    groups, speed = rollouts > 1 and "groups" in extras, "speed" in extras
    stacked = "stacked" in extras
    column("source")
    column("level", by_level)
    column("policy", not stacked)
    column("pass % (95 % CI)" if "interval" in extras else "pass %")
    column("format %", "format" in extras)
    column("score", "score" in extras)
    column(f"pass@{rollouts} %", rollouts > 1 and "pass@" in extras)
    column("mixed %", groups)
    column("flat %", groups)
    column("distinct", "distinct" in extras)
    column("items/s", speed)
    column("verdicts/s", speed)
    before: tuple[str, int | None] | None = None
    for row in summary:
        first = (row.source, row.level) != before
        before = row.source, row.level
        name: list[RenderableType] = [Text(row.source if first else "", style="bold")]
        if by_level:
            name.append("" if not first or row.level is None else str(row.level))
        if stacked and first:
            shown.add_row(*name)
        cells = [Text(f"  {row.policy}"), *[""] * by_level] if stacked else [*name, Text(row.policy)]
        cells.append(_passed(row.pass_rate, row.interval if "interval" in extras else None))
        if "format" in extras:
            cells.append(percent(row.format_rate))
        if "score" in extras:
            cells.append(mean(row.mean_score))
        if rollouts > 1 and "pass@" in extras:
            cells.append(percent(row.pass_at.get(row.group_size, math.nan)))
        if groups:
            cells += [percent(row.mixed_passes), percent(row.flat_reward)]
        if "distinct" in extras:
            cells.append(f"{row.distinct:,}" if first else "")
        if speed:
            cells += [rate(row.items_per_second) if first else "", rate(row.verdicts_per_second)]
        shown.add_row(*cells)
    return shown


def say_errors(summary: Summary) -> None:
    """Exit with 1, after a line on stderr, if the endpoint failed to answer some rollouts."""
    failed = sum(row.errors for row in summary)
    if failed:
        again = "" if summary.folder is None else "; the same command asks for them again"
        asked = failed + sum(row.passed + row.failed for row in summary)
        note = f"{failed} of {asked} rollouts have no answer, as the endpoint failed{again}"
        Console(stderr=True, highlight=False).print(note, style="yellow", soft_wrap=True)
        raise typer.Exit(1)


def failures(
    names: Sequence[str], lines: Iterable[tuple[Sequence[str], int, Mapping[str, int]]], most: int = 5
) -> Table | None:
    """A line for each thing that failed: its names, the count, the most common labels; None without any."""
    shown = table("Failures by label; one may have several")
    for name in names:
        shown.add_column(name, no_wrap=True)
    shown.add_column("failed", justify="right")
    shown.add_column("labels", ratio=1, overflow="fold")
    for called, failed, labels in lines:
        if failed:
            first = list(labels.items())[:most]
            counts = [Text.assemble(label, " ", (str(count), "bold")) for label, count in first]
            if len(labels) > most:
                counts.append(Text(f"{len(labels) - most} more", style="dim"))
            shown.add_row(*map(Text, called), str(failed), Text(", ").join(counts))
    return shown if shown.row_count else None


def failure_breakdown(row: SummaryRow, means: Mapping[str, str], width: int) -> Group:
    """Failures of one row by label, and how near the failed answers came."""
    labels = table(f"Failures of {row.source}, {row.policy}: {row.failed} of {row.failed + row.passed}")
    labels.add_column("label", no_wrap=True)
    labels.add_column("failures", justify="right")
    wide = width >= WIDE
    labels.add_column("means" if wide else "", style="dim" if wide else "red", no_wrap=not wide)
    for label, count in row.failures.items():
        bar = "█" * max(1, round(20 * count / row.failed))
        labels.add_row(label, str(count), Text(means.get(label, "") if wide else bar))
    near = {"score": row.failed_score or 0.0, **row.failed_parts}
    said = ", ".join(f"{name} {value:.3f}" for name, value in near.items())
    return Group(labels, Text.assemble("\nMean over the failures: ", (said, "dim")))


def steps(commands: Sequence[tuple[str, str]], console: Console) -> Text:
    """Commands or paths, each with its purpose: next to it, or above it if it is too long."""
    room = console.width - max(len(what) for _, what in commands) - 5
    aligned = max((len(command) for command, _ in commands if len(command) <= room), default=0)
    lines = [
        Text.assemble(f"  {command:{aligned}}   ", (what, "dim"))
        if len(command) <= room
        else Text.assemble((f"  {what}:\n", "dim"), f"  {command}")
        for command, what in commands
    ]
    return Text("\n", overflow="fold").join(lines)


def task_text(task: Task, wrong: Sequence[tuple[str, Verdict]], *, solution: bool) -> Group:
    """A task for readers: the prompt verbatim, the steps, the answer, and answers that fail."""
    level = "" if task.level is None else f"level {task.level}, "
    title = Text.assemble((task.id, "bold"), (f"  {level}difficulty {task.difficulty:.2f}", "dim"))
    parts: list[RenderableType] = [Rule(title, align="left"), Text(task.prompt)]
    if solution:
        made = task.solution
        parts.append(Text("\nSolution", style="bold green"))
        parts += [Text(f"{number:>3}. {step}") for number, step in enumerate(made.steps, 1)]
        parts += [Text("\nAnswer", style="bold green"), Text(made.answer)]
    for text, verdict in wrong:
        labels = ", ".join(verdict.failures)
        head = Text.assemble(("\nWrong answer", "bold red"), (f"  {labels}: {verdict.detail}", "dim"))
        parts += [head, Text(text)]
    parts.append(Text())
    return Group(*parts)


def families(known: Iterable[Family], console: Console, *, whole: bool) -> Table:
    """A line for each family, with as many facts as fit the console.

    Args:
        known: The families.
        console: The console that shows them.
        whole: True to show the full summary, over several lines.
    """
    names = {"domain", "levels", "judged by", "what to do"}
    choices = [
        names,
        names - {"judged by"},
        names - {"judged by", "domain"},
        {"domain", "levels"},
        {"levels"},
    ]
    if not whole:
        choices = [names, *choices[3:]]
    rows = [
        {
            "family": family.name,
            "domain": family.domain,
            "levels": f"0–{family.top_level}",
            "judged by": family.judged_by,
            "what to do": family.summary,
        }
        for family in known
    ]
    texts = {"what to do"} if whole else set[str]()
    return _narrowed(console, rows, choices, texts=texts, numbers=set())


def _narrowed(
    console: Console,
    rows: Sequence[Mapping[str, str]],
    choices: Iterable[set[str]],
    *,
    texts: set[str],
    numbers: set[str],
) -> Table:
    """The first choice of columns, besides the name, that fits the console; names are never cut."""
    for wanted in choices:
        shown = table()
        for at, column in enumerate(rows[0]):
            if at == 0 or column in wanted:
                shown.add_column(
                    column,
                    style="bold" if at == 0 else "",
                    justify="right" if column in numbers else "left",
                    no_wrap=column not in texts,
                    ratio=1 if column in texts else None,
                    min_width=LEAST_TEXT if column in texts else None,
                )
        for row in rows:
            shown.add_row(
                *(Text(row[column]) for at, column in enumerate(row) if at == 0 or column in wanted)
            )
        needed = Measurement.get(console, console.options.update(max_width=10 * WIDE), shown)
        if (needed.minimum if texts else needed.maximum) <= console.width:
            break
    return shown


def comparison(rows: Sequence["Comparison"], console: Console) -> Table:
    """A line for each source and level that two runs have, with as many facts as fit the console."""
    every = {"tasks", "A %", "B %", "B − A", "95 %", "better", "worse"}
    choices = [every, every - {"tasks"}, every - {"tasks", "better", "worse"}, {"B − A", "95 %"}, {"B − A"}]
    return fitting(console, (_comparison(rows, wanted) for wanted in choices))


def _comparison(rows: Sequence["Comparison"], wanted: set[str]) -> Table:
    shown = table(gap=2)
    several = len({row.policies for row in rows}) > 1
    wanted = wanted | {"source", "level"} | ({"policy"} if several else set())
    for name in ("policy", "source", "level", "tasks", "A %", "B %", "B − A", "95 %", "better", "worse"):
        if name in wanted:
            shown.add_column(name, justify="left" if name in ("policy", "source") else "right", no_wrap=True)
    for at, row in enumerate(rows):
        first = at == 0 or rows[at - 1].policies != row.policies
        cells = {
            "policy": row.policies[0] if first else "",
            "source": row.source,
            "level": "" if row.level is None else str(row.level),
            "tasks": f"{row.tasks:,}",
            "A %": percent(row.a),
            "B %": percent(row.b),
            "B − A": f"{100 * row.difference:+.1f}",
            "95 %": " to ".join(f"{100 * end:+.1f}" for end in row.interval or ()),
            "better": f"{row.better:,}",
            "worse": f"{row.worse:,}",
        }
        named = (cell for name, cell in cells.items() if name in wanted)
        shown.add_row(*named, style="bold" if row.shown else "")
    return shown


def verdicts(tallies: Mapping[str, Answers]) -> Table:
    """A line for each family of verified answers."""
    shown = table()
    shown.add_column("family", style="bold", no_wrap=True)
    for name in ("answers", "passed", "pass % (95 % CI)", "score"):
        shown.add_column(name, justify="right", no_wrap=True)
    for name, tally in tallies.items():
        rate = _passed(tally.pass_rate, tally.interval)
        shown.add_row(name, str(tally.answers), str(tally.passed), rate, f"{tally.mean_score:.3f}")
    return shown


def judged(name: str, tally: "JudgeCounts") -> Table:
    """The line of a verifier's rows; of several completions a row, pass@k of all of them."""
    cells: dict[str, str | Text] = {"rows": str(tally.rows)}
    if tally.completions > tally.rows:
        cells["completions"] = str(tally.completions)
    cells |= {"passed": str(tally.passed)}
    if tally.unsupported:
        cells["unsupported"] = str(tally.unsupported)
    cells["pass % (95 % CI)"] = _passed(tally.pass_rate, tally.interval)
    cells |= {f"pass@{k} %": percent(share) for k, share in list(tally.pass_at.items())[-1:]}
    cells["score"] = f"{tally.mean_score:.3f}"
    shown = table(gap=2)
    shown.add_column("verifier", style="bold", no_wrap=True)
    for column in cells:
        shown.add_column(column, justify="right", no_wrap=True)
    shown.add_row(name, *cells.values())
    return shown


def first_failures(tally: "JudgeCounts", most: int = 8) -> Table:
    """The most common labels, each with the first row that has it."""
    shown = table("Failures by label; one row may have several")
    shown.add_column("label", no_wrap=True)
    shown.add_column("failed", justify="right")
    shown.add_column("first", ratio=1, overflow="fold", style="dim")
    for label, count in tally.failures.most_common(most):
        where, detail = tally.first.get(label, ("", ""))
        shown.add_row(label, str(count), Text(f"{where.rpartition('/')[2]}: {detail}" if where else ""))
    return shown


def rates(measured: Iterable[Mapping[str, Any]]) -> Table:
    """Items, prompts and verdicts per second of every family and level."""
    shown = table()
    shown.add_column("family", style="bold", no_wrap=True)
    for name in ("level", "items/s", "prompts/s", "verdicts/s"):
        shown.add_column(name, justify="right", no_wrap=True)
    for facts in measured:
        things = (rate(facts[f"{thing}_per_second"]) for thing in ("items", "prompts", "verdicts"))
        shown.add_row(facts["family"], str(facts["level"]), *things)
    return shown


def health(measured: Iterable["Health"]) -> Table:
    """The worst of a family's levels in each respect, and the number of complaints."""
    shown = table(gap=1)
    shown.add_column("family", style="bold", no_wrap=True)
    for name in ("distinct", "blind", "refused", "made in", "judged in", ""):
        shown.add_column(name, justify="right", no_wrap=True)
    for one in measured:
        levels = one.levels
        wrong = (
            Text(f"{len(one.complaints)} wrong", "bold red")
            if one.complaints
            else Text("no contract broken", "green")
        )
        if not levels:
            shown.add_row(one.family.name, *["-"] * 5, wrong)
            continue
        shown.add_row(
            one.family.name,
            percent(min(level.distinct for level in levels)),
            percent(max(share for level in levels for share in level.blind.values())),
            percent(min(level.refused for level in levels)),
            duration(max(level.generation_ms[0] for level in levels) / 1e3),
            duration(max(level.verification_us[0] for level in levels) / 1e6),
            wrong,
        )
    return shown


def duration(seconds: float | None) -> str:
    """Seconds in a unit that needs few digits."""
    if seconds is None:
        return "-"
    size, unit = (1, "s") if seconds >= 1 else (1e-3, "ms") if seconds >= 1e-3 else (1e-6, "µs")
    return f"{seconds / size:.3g} {unit}"


def verifier_rates(measured: Iterable[Mapping[str, Any]]) -> Table:
    """Rows per second, the time of single rows, and the memory, of each verifier and its peers."""
    shown = table(gap=2)
    for name in ("verifier", "rows", "by"):
        shown.add_column(name, style="bold" if name == "verifier" else "", no_wrap=True)
    for name in ("rows/s", "p50", "p99", "max", "memory"):
        shown.add_column(name, justify="right", no_wrap=True)
    for facts in measured:
        ours = facts["by"] == "reasonenv"
        memory = "-" if facts["memory_kib"] is None else f"{facts['memory_kib'] / 1024:.1f} MiB"
        shown.add_row(
            facts["verifier"] if ours and facts["rows"] == "plain" else "",
            facts["rows"] if ours else "",
            Text(facts["by"], "" if ours else "dim"),
            rate(facts["rows_per_second"]),
            *(duration(facts[name]) for name in ("p50", "p99", "max")),
            memory,
        )
    return shown


def games(known: Iterable[tuple[Game, Sequence[str]]], console: Console) -> Table:
    """A line for each game with its opponents, as far as they fit the console."""
    names = {"actions", "plies", "what it is", "opponents"}
    choices = [names, names - {"opponents"}, {"what it is"}, {"actions", "plies"}, set[str]()]
    rows = [
        {
            "game": game.name,
            "actions": str(game.action_count),
            "plies": f"≤ {game.max_plies}",
            "what it is": game.summary,
            "opponents": ", ".join(able),
        }
        for game, able in known
    ]
    texts = {"what it is", "opponents"}
    return _narrowed(console, rows, choices, texts=texts, numbers={"actions", "plies"})


def values(game: Game, worth: Mapping[int, Value], best: Sequence[int]) -> Table:
    """Value of every move, with the best ones marked."""
    shown = table()
    for name in ("move", "worth", "score", ""):
        shown.add_column(name, no_wrap=True)
    for action, value in worth.items():
        outcome = ("draw", "win", "loss")[value.outcome]
        style = ("yellow", "green", "red")[value.outcome]
        plies = "" if value.distance is None else f" in {value.distance}"
        mark = "best" if action in best else ""
        shown.add_row(game.action_name(action), Text(outcome + plies, style), str(value.score), mark)
    return shown


def calibration(columns: Mapping[float, Mapping[str, Odds]], console: Console) -> Table:
    """A line for each policy, a column for each probability of a random move; as many digits as fit."""
    return fitting(console, (_calibration(columns, digits) for digits in (2, 1, 0)))


def _calibration(columns: Mapping[float, Mapping[str, Odds]], digits: int) -> Table:
    shown = table(gap=2)
    shown.add_column("policy", style="bold", no_wrap=True)
    for p in columns:
        shown.add_column(f"p = {p:g}", justify="right", overflow="fold")
    # Only in games with stakes does the mean return say more than the counts.
    stakes = any(
        abs(mean - (win - loss)) > 1e-9 for rows in columns.values() for win, _, loss, mean in rows.values()
    )
    for policy in next(iter(columns.values())):
        cells = []
        for rows in columns.values():
            *counts, mean = rows[policy]
            shares = "/".join(f"{100 * share:.{digits}f}" for share in counts)
            cells.append(shares + (f" ({mean:+.3f})" if stakes else ""))
        shown.add_row(policy, *cells)
    return shown


def standings(arena: Arena) -> Table:
    """A line for each policy, the best first."""
    shown = table(f"{arena.game}: {arena.games} games of each pair")
    shown.add_column("policy", style="bold", no_wrap=True)
    # The column that orders the table comes first.
    by_return = arena.ranked_by == "mean_return"
    ends = ("mean return", "Elo") if by_return else ("Elo", "mean return")
    for name in (ends[0], "won", "drawn", "lost", ends[1]):
        shown.add_column(name, justify="right", no_wrap=True)
    for each in arena.standings:
        told = {"Elo": f"{each.elo:+.0f}", "mean return": f"{each.mean_return:+.3f}"}
        counts = map(str, (each.wins, each.draws, each.losses))
        shown.add_row(each.policy, told[ends[0]], *counts, told[ends[1]])
    return shown


def pairings(arena: Arena) -> Table:
    """A line for each pair."""
    shown = table("Won, drawn and lost by the first named")
    for name in ("policy", "against"):
        shown.add_column(name, no_wrap=True)
    for name in ("all", "moving first", "moving second"):
        shown.add_column(name, justify="right", no_wrap=True)
    for pair in arena.pairings:
        every = (pair.wins, pair.draws, pair.losses)
        second = [whole - part for whole, part in zip(every, pair.first, strict=True)]
        shown.add_row(pair.a, pair.b, *("/".join(map(str, counts)) for counts in (every, pair.first, second)))
    return shown
