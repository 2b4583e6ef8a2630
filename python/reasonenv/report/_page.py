"""A run as one page: what was measured, put into the form of all pages."""

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.data._traces import read_traces
from reasonenv.report import _measures
from reasonenv.report._charts import Chart
from reasonenv.report._curves import Point
from reasonenv.report._form import (
    Card,
    Cell,
    Page,
    Section,
    Table,
    count,
    interval,
    percent,
    rounded,
    template,
    write,
)
from reasonenv.report._measures import Measures, ResultKey
from reasonenv.report._played import RESULTS
from reasonenv.report._rates import PassRate, Pool, Rate
from reasonenv.report._setup import command, setup
from reasonenv.rollouts._run import read_json

_MOST_LABELS = 8
"""Failures that are shown at once."""

_MOST_LINES = 4
"""Lines of a card."""

Baselines = Mapping[tuple[str, int | None], Mapping[str, Rate]]


def write_report(run: str | os.PathLike[str], out: str | os.PathLike[str] | None = None) -> Path:
    """Write the report of a run, finished or not, and return the page's path.

    The page holds pass rates by family and level beside those of blind policies, curves over training or a
    curriculum, failures with examples, the settings that matter, all numbers, and a browsable sample of
    rollouts. It grows with the number of sources and policies, not of rollouts.

    Args:
        run: The run's folder.
        out: Where the page is written; None: `report.html` in the run's folder.

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
    measures = Measures(read_json(config) if config.exists() else {}).read(read_traces(traces))
    target = folder / "report.html" if out is None else _checks.path("out", out)
    return write(_page(measures, folder), target)


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


def _page(measures: Measures, folder: Path) -> Page:
    title = folder.resolve().name
    baselines = measures.baselines()
    return Page(
        title=f"{title}: report",
        headline=_headline(measures, title),
        facts=_facts(measures, title, finished=(folder / "summary.json").exists()),
        cards=list(_cards(measures, folder)),
        sections=[
            Section(
                "Pass rates",
                "Share of the rollouts that passed, with the 95% interval of each row. "
                + ("The last columns are blind policies, which do not read the task. " if baselines else ""),
                tables=_matrices(measures, baselines),
            ),
            Section(
                "Games",
                "How the episodes ended, with 95% intervals. “Cut off” means a limit of turns. Rows marked "
                "“exact” are reference policies against the same opponent, computed exactly.",
                tables=_games(measures),
            ),
            Section("Curves", charts=_charts(measures)),
            Section(
                "Failures",
                "Why rollouts failed, the most frequent reason first. A rollout may have several. Open an "
                "example to see the whole rollout.",
                tables=_failures(measures),
            ),
            Section("Settings", tables=list(_settings(measures)), finding=_finding(measures)),
            Section(
                "All numbers",
                "pass@k is unbiased. “Mixed” is the share of groups with both passes and failures: only "
                "these teach, because advantages are zero in all others.",
                tables=_numbers(measures, baselines),
            ),
            Section("Setup", tables=setup(measures.config)),
            Section(
                "Rollouts",
                "A sample of every policy. Equal answers of a policy to the same problem appear once. "
                "All rollouts are in traces.jsonl.",
                samples=list(measures.samples),
            ),
        ],
    )


def _ranked(measures: Measures) -> list[tuple[str, PassRate]]:
    """The policies that answered tasks, the best first."""
    names = sorted({key.policy for key in measures.cells})
    return sorted(
        ((name, measures.pool(policy=name)) for name in names), key=lambda one: (-one[1].rate, one[0])
    )


def _headline(measures: Measures, title: str) -> str:
    ranked = _ranked(measures)
    if len(ranked) > 1:
        (best, first), (other, second) = ranked[:2]
        more = f" and {count(len(ranked) - 2, 'more')}" if len(ranked) > 2 else ""
        return f"{best} passes {percent(first.rate)}, ahead of {other} with {percent(second.rate)}{more}"
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
    ranked = _ranked(measures)
    several = len(ranked) > 1
    if ranked:
        rates = [
            (percent(pool.rate), f"{interval(pool.interval)}{f' {name}' if several else ''}")
            for name, pool in ranked
        ]
        yield Card("Pass rate", _few(rates))
    places = _units(measures)
    if len(places) > 1:
        pools = [(name, Pool(rates)) for name, rates in places.items()]
    else:
        levels = sorted({key.level for key in measures.cells if key.level is not None})
        pools = [(f"level {level}", measures.pool(level=level)) for level in levels]
    if len(pools) > 1:
        order = sorted(pools, key=lambda one: -one[1].rate)
        yield Card("Best and worst source" if len(places) > 1 else "Best and worst level", [
            (name, percent(pool.rate)) for name, pool in (order[0], order[-1])
        ])  # fmt: skip
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


def _unit(measures: Measures, key: ResultKey) -> str:
    """A family by name, with its source where that says more."""
    if key.family == key.source or len({one.source for one in measures.cells}) == 1:
        return key.family
    alone = len({one.family for one in measures.cells if one.source == key.source}) == 1
    return key.source if alone else f"{key.source}: {key.family}"


def _units(measures: Measures) -> dict[str, list[Rate]]:
    found: dict[str, list[Rate]] = {}
    for key in sorted(measures.cells, key=str):
        found.setdefault(_unit(measures, key), []).append(measures.cells[key].rate)
    return found


def _heat(rate: PassRate, *, note: bool = False) -> Cell:
    if note:
        return Cell(percent(rate.rate), heat=rate.rate, note=interval(rate.interval))
    return Cell(rounded(rate.rate), heat=rate.rate)


def _matrices(measures: Measures, baselines: Baselines) -> list[Table]:
    """Units by level, a table for each policy; with a single level, units by policy."""
    policies = sorted({key.policy for key in measures.cells})
    levels = sorted({key.level for key in measures.cells if key.level is not None})
    blind = sorted({name for found in baselines.values() for name in found})
    units = {_unit(measures, key): (key.source, key.family) for key in sorted(measures.cells, key=str)}
    by_level = len(levels) > 1

    def row(unit: str, source: str, family: str, policy: str) -> list[Cell | str]:
        if by_level:
            cells = {
                level: measures.pool(source=source, family=family, policy=policy, level=level)
                for level in levels
            }
            shown = [_heat(measures.pool(source=source, family=family, policy=policy), note=True)]
            shown += [_heat(pool) if len(pool) else Cell() for pool in cells.values()]
        else:
            pools = (measures.pool(source=source, family=family, policy=name) for name in policies)
            shown = [_heat(pool, note=True) if len(pool) else Cell() for pool in pools]
        for name in blind:
            rates = [found[name] for (one, _), found in baselines.items() if one == source and name in found]
            shown.append(_heat(Pool(rates)) if rates else Cell())
        return [unit, *shown]

    columns = ["all levels", *(f"level {level}" for level in levels)] if by_level else policies
    return [
        Table(
            ["family", *columns, *blind],
            [row(unit, source, family, policy) for unit, (source, family) in units.items()],
            name=policy if by_level and len(policies) > 1 else "",
        )
        for policy in (policies if by_level else policies[:1])
    ]


def _games(measures: Measures) -> list[Table]:
    tables = []
    for source in sorted({source for source, _ in measures.played}):
        rows: list[list[Cell | str]] = []
        for name, shares in measures.sources.exact(source).items():
            cells = [Cell(percent(share), heat=share) for share in (*shares, 0.0)]
            rows.append([Cell(name, mark="exact"), *cells, "", ""])
        for (one, policy), played in sorted(measures.played.items()):
            if one == source:
                cells = [
                    Cell(
                        percent(played.share(result)),
                        heat=played.share(result),
                        note=interval(played.interval(result)),
                    )
                    for result in RESULTS
                ]
                rows.append([policy, *cells, f"{played.mean_reward:.3f}", f"{played.count:,}"])
        tables.append(Table(["policy", *RESULTS, "mean reward", "episodes"], rows, name=source))
    return tables


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
    at = {name: pool.pass_at for name, pool in sorted(_ranked(measures))}
    curves = {
        name: [Point(k, rate) for k, rate in rates.items()] for name, rates in at.items() if len(rates) > 2
    }
    if curves:
        ordered.append(Chart("pass@k", curves, "k", "", share=True, doubling=True))
    return ordered


def _failures(measures: Measures) -> list[Table]:
    policies = sorted({key.policy for key, cell in measures.cells.items() if cell.failed})
    found: dict[str, dict[str, dict[str, int]]] = {}
    for key, cell in measures.cells.items():
        for label, times in cell.failures.items():
            by_policy, by_unit = found.setdefault(label, {"policy": {}, "unit": {}}).values()
            by_policy[key.policy] = by_policy.get(key.policy, 0) + times
            unit = _unit(measures, key)
            by_unit[unit] = by_unit.get(unit, 0) + times
    failed = sum(cell.failed for cell in measures.cells.values())
    shown_policies = policies if 1 < len(policies) <= _MOST_LINES else []
    rows: list[list[Cell | str]] = []
    for label, times in sorted(found.items(), key=lambda one: (-sum(one[1]["policy"].values()), one[0])):
        total = sum(times["policy"].values())
        units = sorted(times["unit"].items(), key=lambda one: (-one[1], one[0]))
        places = ", ".join(f"{name} {rounded(n / total)}" for name, n in units[:3])
        more = f" and {len(units) - 3} more" if len(units) > 3 else ""
        rows.append(
            [
                label,
                Cell(f"{total:,}", bands=(total / failed, 1 - total / failed), note=rounded(total / failed)),
                _example(measures, label),
                places + more,
                *(f"{times['policy'].get(policy, 0):,}" for policy in shown_policies),
            ]
        )
    columns = ["failure", "rollouts", "example", "where", *shown_policies]
    words = frozenset({2, 3})
    rest = rows[_MOST_LABELS:]
    tables = [Table(columns, rows[:_MOST_LABELS], words=words)] if rows else []
    return [*tables, Table(columns, rest, words=words, fold=f"Show {len(rest)} more")] if rest else tables


def _example(measures: Measures, label: str) -> Cell:
    one = measures.samples.example(label)
    first = " ".join((one.detail or one.answer or "no answer").split())
    folds = [("Prompt", one.prompt), ("Completion", one.text), ("Why it fails", one.detail)]
    level = "" if one.level is None else f", level {one.level}"
    return Cell(
        first if len(first) <= 120 else f"{first[:119]}…",
        fold=[fold for fold in folds if fold[1]],
        note=f"{one.family}{level}, {one.policy}",
    )


def _varied(measures: Measures) -> dict[tuple[str, str], dict[str, PassRate]]:
    """Pass rates by value of each setting with several values."""
    found: dict[tuple[str, str], dict[str, PassRate]] = {}
    for (family, name, value), rate in sorted(measures.settings.items()):
        found.setdefault((family, name), {})[value] = rate
    return {setting: values for setting, values in found.items() if len(values) > 1}


def _settings(measures: Measures) -> Iterator[Table]:
    """The settings whose best and worst values have disjoint intervals, the widest difference first."""
    rows: list[tuple[float, list[Cell | str]]] = []
    for (family, name), values in _varied(measures).items():
        order = sorted(values.items(), key=lambda one: one[1].rate)
        (worst, low), (best, high) = order[0], order[-1]
        if low.interval[1] >= high.interval[0]:
            continue
        marks = [
            "held out" if name == "wording" and (family, value) in measures.sources.held_out else ""
            for value in (worst, best)
        ]
        rows.append(
            (
                high.rate - low.rate,
                [
                    Cell(name, note=family),
                    Cell(worst, mark=marks[0]),
                    _heat(low, note=True),
                    Cell(best, mark=marks[1]),
                    _heat(high, note=True),
                    f"{100 * (high.rate - low.rate):.1f}",
                    str(len(values)),
                ],
            )
        )
    columns = ["setting", "worst value", "pass rate", "best value", "pass rate", "points apart", "values"]
    if rows:
        ordered = [row for _, row in sorted(rows, key=lambda one: -one[0])]
        yield Table(columns, ordered, words=frozenset({1, 3}))


def _finding(measures: Measures) -> str:
    tried, telling = len(_varied(measures)), sum(len(table.rows) for table in _settings(measures))
    if not tried:
        return ""
    vary, separate = "varies" if tried == 1 else "vary", "separates" if telling == 1 else "separate"
    return (
        f"{count(tried, 'setting')} {vary} alone; {telling or 'none'} of them {separate} pass rates by more "
        "than the 95% intervals. Params that change together, as from level to level, are left out."
    )


def _numbers(measures: Measures, baselines: Baselines) -> list[Table]:
    cells = sorted(
        measures.cells.items(), key=lambda one: (_unit(measures, one[0]), one[0].level or 0, one[0].policy)
    )
    ks = sorted({k for _, cell in cells for k in cell.rate.pass_at} - {1})
    blind = sorted({name for found in baselines.values() for name in found})
    several = len(measures.policies) > 1
    rows: list[list[Cell | str]] = []
    for key, cell in cells:
        rate, level = cell.rate, "" if key.level is None else f"level {key.level}"
        at, known = rate.pass_at, baselines.get((key.source, key.level), {})
        lost = f"{cell.failed_score / cell.failed:.3f}" if cell.failed else ""
        rows.append(
            [
                Cell(f"{_unit(measures, key)}{', ' if level else ''}{level}"),
                *([key.policy] if several else []),
                _heat(rate, note=True),
                *(percent(at[k]) if k in at else "" for k in ks),
                *(percent(known[name].rate) if name in known else "" for name in blind),
                Cell(percent(rate.bands[1]), bands=rate.bands) if ks else "",
                f"{cell.mean_score:.3f}",
                lost,
                f"{cell.mean_reward:.3f}",
                f"{len(rate):,}",
                f"{rate.tried:,}",
            ]
        )
    columns = [
        "family and level",
        *(["policy"] if several else []),
        "pass rate",
        *(f"pass@{k}" for k in ks),
        *blind,
        "mixed",
        "score",
        "score when failed",
        "reward",
        "tasks",
        "rollouts",
    ]
    words = frozenset({1} if several else ())
    return [Table(columns, rows, words=words, fold=f"Show {count(len(rows), 'row')}")] if rows else []
