"""A run as one page: portable HTML without any network, tables and samples in it, the traces beside it."""

import os
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._files import writing
from reasonenv._native import InvalidArgument, __version__
from reasonenv.data.traces import read_traces
from reasonenv.report.measures import Cell, Measures, Place, Rate
from reasonenv.report.played import RESULTS
from reasonenv.report.plots import plots
from reasonenv.rollouts.run import read_json

__all__ = ["rendered", "write_report"]

_MOST_KNOBS = 200
_MOST_LABELS = 6


def write_report(run: str | os.PathLike[str], out: str | os.PathLike[str] | None = None) -> Path:
    """Writes the report of a run, finished or not; gives the page's path.

    The page holds results with intervals and baselines, pass@k, what varies with levels, params, wordings and
    difficulty, failures, rewards, and a browsable sample of traces. Plots stand in it, and in `plots/` beside
    the traces. It grows with the number of sources and policies, not of traces.

    Args:
        run: The run's folder.
        out: Where the page is written; None: `report.html` in the run's folder, and its plots with it.

    Raises:
        InvalidArgument: The folder holds no traces.
        ReasonEnvError: A trace or the config is damaged; names the file and the line.
        OSError: Something cannot be read or written; names it.
        ModuleNotFoundError: jinja2 or matplotlib is missing.
    """
    folder = _checks.path("run", run)
    traces, config = folder / "traces.jsonl", folder / "config.json"
    if not traces.is_file():
        msg = f"{folder} holds no run, as it has no traces.jsonl; name a folder that a run was logged to"
        raise InvalidArgument(msg)
    measures = Measures(read_json(config) if config.exists() else {}).read(read_traces(traces))
    drawn = plots(measures)
    page = _rendered(measures, drawn, folder)
    target = folder / "report.html" if out is None else _checks.path("out", out)
    if out is None:
        (folder / "plots").mkdir(exist_ok=True)
        for name, plot in drawn.items():
            called = "".join(letter if letter.isalnum() else "_" for letter in name.lower())
            with writing(folder / "plots" / f"{called}.svg") as file:
                file.write(plot)
    with writing(target) as file:
        file.write(page)
    return target


def rendered(template: str, **values: Any) -> str:
    """A page made of a template of this package.

    Raises:
        ModuleNotFoundError: There is no jinja2.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  an extra, as matplotlib is

    loader = PackageLoader("reasonenv.report")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.get_template(template).render(**values)


def _rendered(measures: Measures, drawn: dict[str, str], folder: Path) -> str:
    samples = list(measures.samples())
    tasks = {group for cell in measures.cells.values() for group in cell.rate.groups}
    return rendered(
        "report.html.jinja",
        title=folder.resolve().name,
        traces=measures.traces - measures.unjudged,
        unjudged=measures.unjudged,
        finished=(folder / "summary.json").exists(),
        tasks=f"{len(tasks):,}",
        version=__version__,
        ks=sorted({k for cell in measures.cells.values() for k in cell.rate.pass_at} - {1}),
        results=_results(measures),
        played=_played(measures),
        plots=drawn,
        knobs=_knobs(measures),
        policies=sorted(
            {place.policy for place in measures.cells} | {policy for _, policy in measures.played}
        ),
        failures=_failures(measures),
        labels=sorted({label for one in samples for label in one["failures"]}),
        samples=samples,
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _range(rate: Rate) -> str:
    low, high = rate.interval
    return f"{100 * low:.1f}–{100 * high:.1f}"


def _ordered(measures: Measures) -> list[tuple[Place, Cell]]:
    return sorted(measures.cells.items(), key=lambda one: (one[0].source, one[0].level or 0, one[0].policy))


def _results(measures: Measures) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    baselines = measures.baselines()
    told: set[tuple[str, int | None]] = set()
    for place, cell in _ordered(measures):
        where = place.source, place.level
        level = "" if place.level is None else place.level
        if where not in told:
            told.add(where)
            blank = dict.fromkeys(("tasks", "rollouts", "interval", "score", "reward", "mixed"), "")
            rows += [
                {"source": place.source, "level": level, "policy": name, "rate": _percent(share)}
                | blank
                | {"pass_at": {}, "baseline": True}
                for name, share in baselines.get(where, {}).items()
            ]
        rate = cell.rate
        rows.append(
            {
                "source": place.source,
                "level": level,
                "policy": place.policy,
                "tasks": f"{len(rate.groups):,}",
                "rollouts": f"{rate.tried:,}",
                "rate": _percent(rate.rate),
                "interval": _range(rate),
                "pass_at": {k: _percent(share) for k, share in rate.pass_at.items()},
                "score": f"{cell.mean_score:.3f}",
                "reward": f"{cell.mean_reward:.3f}",
                "mixed": _percent(rate.bands[1]),
                "baseline": False,
            }
        )
    return rows


def _played(measures: Measures) -> list[dict[str, Any]]:
    """Episodes of games, after the exact rows of their source."""
    rows: list[dict[str, Any]] = []
    exact = measures.exact()
    for source in sorted({source for source, _ in measures.played}):
        for name, shares in exact.get(source, {}).items():
            cells = [_percent(share) for share in (*shares, 0.0)]
            rows.append({"source": source, "policy": name, "episodes": "", "cells": cells, "reward": ""})
            rows[-1]["exact"] = True
        for (one, policy), played in sorted(measures.played.items()):
            if one == source:
                cells = [
                    f"{_percent(played.share(result))} ({100 * low:.1f}–{100 * high:.1f})"
                    for result in RESULTS
                    for low, high in [played.interval(result)]
                ]
                row = {"source": source, "policy": policy, "episodes": f"{played.count:,}", "cells": cells}
                rows.append(row | {"reward": f"{played.mean_reward:.3f}", "exact": False})
    return rows


def _knobs(measures: Measures) -> list[dict[str, Any]]:
    """Rows of the knobs that have several values, by family, knob and value."""
    values: dict[tuple[str, str], set[str]] = {}
    for _, kind, knob, value in measures.knobs:
        values.setdefault((kind, knob), set()).add(value)
    rows = []
    for (kind, knob), seen in sorted(values.items()):
        if len(seen) < 2:
            continue
        for value in sorted(seen, key=_in_order):
            rates = {
                policy: f"{_percent(rate.rate)} ({_range(rate)})"
                for (policy, family, name, one), rate in measures.knobs.items()
                if (family, name, one) == (kind, knob, value)
            }
            held_out = knob == "wording" and (kind, value) in measures.held_out
            rows.append({"family": kind, "knob": knob, "value": value, "rates": rates, "held_out": held_out})
    return rows[:_MOST_KNOBS]


def _in_order(value: str) -> tuple[float, str]:
    """Numbers by size, and words by letters after them."""
    try:
        return float(value), value
    except ValueError:
        return float("inf"), value


def _failures(measures: Measures) -> list[dict[str, Any]]:
    rows = []
    for place, cell in _ordered(measures):
        if cell.failed:
            where = place.source if place.level is None else f"{place.source}, {place.level}"
            labels = [f"{label} {count}" for label, count in cell.failures.most_common(_MOST_LABELS)]
            parts = [f"{name} {total / cell.failed:.2f}" for name, total in sorted(cell.failed_parts.items())]
            rows.append(
                {
                    "source": where,
                    "policy": place.policy,
                    "failed": f"{cell.failed:,}",
                    "score": f"{cell.failed_score / cell.failed:.3f}",
                    "labels": ", ".join(labels),
                    "parts": ", ".join(parts),
                }
            )
    return rows
