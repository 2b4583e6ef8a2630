"""A run as one page: what was measured, put into the form of all pages."""

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.data._traces import read_traces
from reasonenv.report import _measures, _tables
from reasonenv.report._browse import RolloutFiles
from reasonenv.report._charts import Chart
from reasonenv.report._curves import Point
from reasonenv.report._form import Card, HtmlPage, Section, count, interval, percent, template, write
from reasonenv.report._measures import Measures
from reasonenv.report._rates import PooledRate
from reasonenv.report._setup import command, setup
from reasonenv.report._trees import drawings
from reasonenv.rollouts._run import read_json

_MOST_LINES = 4
"""Lines of a card."""


def write_report(
    run: str | os.PathLike[str], out: str | os.PathLike[str] | None = None, *, rollouts: bool = True
) -> Path:
    """Write the report of a run, finished or not, and return the page's path.

    The page holds pass rates by family and level beside those of blind policies, curves over training or a
    curriculum, failures with examples, the settings that matter, all numbers, and a sample of rollouts. It
    grows with the number of sources and policies, not of rollouts. Beside it is a folder, `report_rollouts`
    for `report.html`, from which the page shows all rollouts, without a server.

    Args:
        run: The run's folder.
        out: Where the page is written; None: `report.html` in the run's folder.
        rollouts: False to write the page alone.

    Raises:
        InvalidArgument: The folder holds no run.
        ReasonEnvError: A record or the config is damaged; names the file and the line.
        OSError: Something cannot be read or written; names it.
        ModuleNotFoundError: jinja2 is missing.
    """
    template()
    folder = _checks.path("run", run)
    traces = run_file(folder)
    config = folder / "config.json"
    target = folder / "report.html" if out is None else _checks.path("out", out)
    records: Iterable[Mapping[str, Any]] = read_traces(traces)
    beside = ""
    if _checks.flag("rollouts", rollouts) and (target.is_file() or not target.exists()):
        beside = f"{target.stem}_rollouts"
        records = RolloutFiles(target.parent / beside).passing(records)
    measures = Measures(read_json(config) if config.exists() else {}).read(records)
    return write(_page(measures, folder, beside), target)


def run_file(folder: Path) -> Path:
    """The records of a run.

    Raises:
        InvalidArgument: The folder has none.
    """
    traces = folder / "traces.jsonl"
    if not traces.is_file():
        msg = f"{folder} holds no run, as it has no traces.jsonl; name a folder that a run was logged to"
        raise InvalidArgument(msg)
    return traces


def run_date(folder: Path) -> str:
    """The day of the last record."""
    return datetime.fromtimestamp(run_file(folder).stat().st_mtime, UTC).strftime("%Y-%m-%d")


def _page(measures: Measures, folder: Path, beside: str) -> HtmlPage:
    title = folder.resolve().name
    baselines = measures.baselines()
    finding, settings = _tables.settings(measures)
    return HtmlPage(
        title=f"{title}: report",
        headline=_headline(measures, title),
        facts=_facts(measures, title, finished=(folder / "summary.json").exists()),
        cards=list(_cards(measures, folder)),
        sections=[
            Section(
                "Pass rates",
                "Share of the rollouts that passed, with the 95% interval of each row. "
                + (
                    "The last columns of the first table are blind policies, which do not read the task."
                    if baselines
                    else ""
                ),
                tables=_tables.matrices(measures, baselines),
            ),
            Section(
                "Games",
                "How the episodes ended, with 95% intervals. “Cut off” means a limit of turns. Rows marked "
                "“exact” are reference policies against the same opponent, computed exactly.",
                tables=_tables.games(measures),
            ),
            Section("Curves", charts=_charts(measures)),
            Section(
                "Trees",
                "Where paths part, and what followed. A larger dot was visited more often, its color is the "
                "value to the player who acted, and the bold line is the best path.",
                trees=drawings(folder),
            ),
            Section(
                "Failures",
                "Why rollouts failed, the most frequent reason first. A rollout may have several. Open an "
                "example to see the whole rollout.",
                tables=_tables.failures(measures),
            ),
            Section("Settings", finding=finding, tables=settings),
            Section(
                "All numbers",
                "pass@k is unbiased. “Mixed” is the share of groups with both passes and failures: only "
                "these teach, because advantages are zero in all others.",
                tables=_tables.numbers(measures, baselines),
            ),
            Section("Setup", tables=setup(measures.config)),
            Section(
                "Rollouts",
                "A sample of every policy. Equal answers of a policy to the same problem appear once. "
                + (f"With the folder {beside} beside this page, all rollouts." if beside else "")
                + " All rollouts are in traces.jsonl." * (not beside),
                samples=list(measures.samples),
                beside=beside,
            ),
        ],
    )


def _headline(measures: Measures, title: str) -> str:
    ranked = measures.ranked()
    if len(ranked) > 1:
        (best, pool), (other, second) = ranked[:2]
        beside = "ahead of" if pool.interval[0] > second.interval[1] else "close to"
        more = f", and {count(len(ranked) - 2, 'other')}" if len(ranked) > 2 else ""
        return f"{best} passes {percent(pool.rate)}, {beside} {other} at {percent(second.rate)}{more}"
    if ranked:
        policy, pool = ranked[0]
        curve = measures.curves.get(_measures.BY_VERSION, {}).get(policy)
        if curve is not None:
            first, *_, last = curve.points()
            way = "rises" if last.y > first.y else "falls"
            between = f"between versions {first.x:.0f} and {last.x:.0f}"
            return f"{policy} {way} from {percent(first.y)} to {percent(last.y)} {between}"
        of = count(measures.tasks, "task")
        return f"{policy} passes {percent(pool.rate)} of its rollouts on {of}"
    if measures.played:
        share, policy = max((played.share("win"), policy) for (_, policy), played in measures.played.items())
        return f"{policy} wins {percent(share)} of its episodes"
    return f"{title} has no results yet"


def _facts(measures: Measures, title: str, *, finished: bool) -> str:
    parts = [count(measures.tasks, "task")] if measures.cells else []
    starts = len(measures.starts)
    parts += [f"{count(starts, 'start')} of games"] if starts else []
    said = f"Run {title}: {count(measures.rollouts, 'rollout')} of {' and '.join(parts) or 'no tasks'}"
    if measures.unjudged:
        said += f"; {measures.unjudged:,} more have no verdict and are not counted"
    return said + ("." if finished else "; the run is unfinished.")


def _cards(measures: Measures, folder: Path) -> Iterator[Card]:
    names = [(name, _versions(measures, name)) for name in measures.policies]
    yield Card("Policies" if len(names) > 1 else "Policy", _few(names))
    ranked = measures.ranked()
    several = len(ranked) > 1
    if ranked:
        rates = [
            (percent(pool.rate), f"{interval(pool.interval)}{f' {name}' if several else ''}")
            for name, pool in ranked
        ]
        yield Card("Pass rate", _few(rates))
    wins = sorted(
        (-played.share("win"), policy, interval(played.interval("win")))
        for (_, policy), played in measures.played.items()
    )
    if wins:
        yield Card("Wins", _few([(percent(-share), f"{ends} {policy}") for share, policy, ends in wins]))
    leader = ranked[0][0] if several else ""
    of = {"policy": leader} if leader else {}
    places = _tables.units(measures, leader)
    if len(places) > 1:
        pools = [(name, PooledRate(rates)) for name, rates in places.items()]
    else:
        levels = sorted({key.level for key in measures.cells if key.level is not None})
        pools = [(f"level {level}", measures.pool(level=level, **of)) for level in levels]
    if len(pools) > 1:
        order = sorted(pools, key=lambda one: -one[1].rate)
        ends = [(name, f"{percent(pool.rate)} {leader}".strip()) for name, pool in (order[0], order[-1])]
        yield Card("Best and worst source" if len(places) > 1 else "Best and worst level", ends)
    yield Card("Date", [(run_date(folder), "")])
    yield command(measures.config, folder)


def _versions(measures: Measures, policy: str) -> str:
    """The versions of a policy, if it has any."""
    curve = measures.curves.get(_measures.BY_VERSION, {}).get(policy)
    if curve is not None:
        first, *_, last = curve.points()
        return f"versions {first.x:.0f} to {last.x:.0f}"
    given = {one.get("name"): one.get("version") for one in measures.config.get("policies") or ()}
    return "" if given.get(policy) is None else f"version {given[policy]}"


def _few(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    more = [(f"and {len(lines) - _MOST_LINES} more", "")] if len(lines) > _MOST_LINES else []
    return lines[:_MOST_LINES] + more


def _charts(measures: Measures) -> list[Chart]:
    """Curves over training, a curriculum and the steps of a rollout, and pass@k."""
    shapes = {
        _measures.BY_VERSION: ("version", "", True),
        _measures.OVER_RUN: ("rollout", "", True),
        _measures.LEVELS: ("rollout", "mean", False),
        _measures.STEPS: ("step", "mean", False),
        _measures.REWARD_PARTS: ("version", "weighted mean", False),
    }
    charts = []
    for name, lines in measures.curves.items():
        kind, _, policy = name.partition(": ")
        shown = kind if len(measures.policies) == 1 else name
        x, y, share = shapes[kind]
        points = {line: series.points() for line, series in sorted(lines.items())}
        charts.append((list(shapes).index(kind), policy, Chart(shown, points, x, y, share=share)))
    ordered = [chart for _, _, chart in sorted(charts, key=lambda one: one[:2])]
    at = {name: pool.pass_at for name, pool in sorted(measures.ranked())}
    curves = {
        name: [Point(k, rate) for k, rate in rates.items()] for name, rates in at.items() if len(rates) > 2
    }
    if curves:
        ordered.append(Chart("pass@k", curves, "k", "", share=True, doubling=True))
    return ordered
