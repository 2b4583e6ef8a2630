"""A run as one page: portable HTML without any network, tables and samples in it, the traces beside it."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._files import writing
from reasonenv._native import InvalidArgument, __version__
from reasonenv.data._traces import read_traces
from reasonenv.report._measures import Cell, Measures, Part, Rate, ResultKey
from reasonenv.report._played import RESULTS
from reasonenv.report._plots import can_draw, plots
from reasonenv.rollouts._run import read_json

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
        ModuleNotFoundError: jinja2 is missing. Without matplotlib the page has no plots.
    """
    template = page_template("report.html.jinja")
    folder = _checks.path("run", run)
    traces, config = folder / "traces.jsonl", folder / "config.json"
    if not traces.is_file():
        msg = f"{folder} holds no run, as it has no traces.jsonl; name a folder that a run was logged to"
        raise InvalidArgument(msg)
    measures = Measures(read_json(config) if config.exists() else {}).read(read_traces(traces))
    drawn = plots(measures)
    page = template.render(_values(measures, drawn, folder))
    target = folder / "report.html" if out is None else _checks.path("out", out)
    if out is None and drawn:
        (folder / "plots").mkdir(exist_ok=True)
        for name, plot in drawn.items():
            called = "".join(letter if letter.isalnum() else "_" for letter in name.lower())
            with writing(folder / "plots" / f"{called}.svg") as file:
                file.write(plot)
    with writing(target) as file:
        file.write(page)
    return target


def page_template(name: str) -> Any:
    """A template of this package.

    Raises:
        ModuleNotFoundError: There is no jinja2.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  an extra
    except ModuleNotFoundError as error:
        msg = "a report needs jinja2; install it with `pip install 'reasonenv[report]'`"
        raise ModuleNotFoundError(msg) from error
    loader = PackageLoader("reasonenv.report")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.get_template(name)


def _values(measures: Measures, drawn: dict[str, str], folder: Path) -> dict[str, Any]:
    samples = list(measures.samples())
    return {
        "title": folder.resolve().name,
        "plotted": can_draw(),
        "traces": measures.traces - measures.unjudged,
        "unjudged": measures.unjudged,
        "finished": (folder / "summary.json").exists(),
        "size": _size(measures),
        "version": __version__,
        "ks": sorted({k for cell in measures.cells.values() for k in cell.rate.pass_at} - {1}),
        "results": _results(measures),
        "played": _played(measures),
        "sections": _sections(drawn),
        "asked": _asked(measures.config),
        "knobs": _knobs(measures),
        "policies": sorted(
            {place.policy for place in measures.cells} | {policy for _, policy in measures.played}
        ),
        "failures": _failures(measures),
        "labels": sorted({label for one in samples for label in one["failures"]}),
        "samples": samples,
    }


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _range(rate: Rate | Part) -> str:
    low, high = rate.interval
    return f"{100 * low:.1f}–{100 * high:.1f}"


def _ordered(measures: Measures) -> list[tuple[ResultKey, Cell]]:
    return sorted(measures.cells.items(), key=lambda one: (one[0].source, one[0].level or 0, one[0].policy))


def _size(measures: Measures) -> str:
    """How much was tried, in words."""
    played = measures.episodes
    parts = [f"{measures.tasks:,} task{'s' * (measures.tasks != 1)}"] if measures.cells else []
    parts += [f"{played:,} start{'s' * (played != 1)} of games"] if played else []
    return " and ".join(parts) or "no tasks"


def _sections(drawn: Mapping[str, str]) -> list[dict[str, Any]]:
    """Plots of one kind under one heading, each with what is its own as its caption."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, plot in drawn.items():
        kind, _, of = name.partition(": ")
        found.setdefault(kind, []).append((of, plot))
    return [{"name": kind, "plots": plots} for kind, plots in found.items()]


def _asked(config: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was asked, as far as the run's config says: enough to ask it again."""
    rows = []
    given = config.get("sources")
    for one in given if isinstance(given, list) else []:
        if isinstance(one, Mapping):
            facts = {name: value for name, value in one.items() if name != "name" and value not in (None, {})}
            rows.append((f"source {one.get('name')}", _said(facts)))
    given = config.get("policies")
    for one in given if isinstance(given, list) else []:
        if isinstance(one, Mapping):
            version = one.get("version")
            rows.append((f"policy {one.get('name')}", "no version" if version is None else str(version)))
    told = {"sources", "policies", "reasonenv"}
    if rows and all("environment" in one for one in config["sources"]):
        told |= {"reward"}  # an environment has its own
    others = {name: config[name] for name in config if name not in told}
    return rows + [(name, _said(value)) for name, value in others.items() if value is not None]


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_said(one)}" for name, one in value.items())
    return value if isinstance(value, str) else json.dumps(value)


def _results(measures: Measures) -> list[dict[str, Any]]:
    """Rows by source and level, blind policies before the others."""
    places: dict[tuple[str, int | None], list[dict[str, Any]]] = {}
    baselines = measures.baselines()
    for place, cell in _ordered(measures):
        where = place.source, place.level
        if where not in places:
            places[where] = [
                {
                    "policy": name,
                    "rate": _percent(blind.rate),
                    "interval": _range(blind),
                    "tasks": f"{len(blind):,}",
                    "baseline": True,
                }
                for name, blind in baselines.get(where, {}).items()
            ]
        rate = cell.rate
        places[where].append(
            {
                "policy": place.policy,
                "tasks": f"{len(rate):,}",
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
    return [{"place": _where(*where), "rows": rows} for where, rows in places.items()]


def _where(source: str, level: int | None) -> str:
    return source if level is None else f"{source}, level {level}"


def _played(measures: Measures) -> list[dict[str, Any]]:
    """Episodes of games by source, after what is exact."""
    found: dict[str, list[dict[str, Any]]] = {}
    for source, rows in measures.exact().items():
        for name, shares in rows.items():
            cells = [_percent(share) for share in (*shares, 0.0)]
            row = {"policy": name, "episodes": "", "cells": cells, "reward": "", "exact": True}
            found.setdefault(source, []).append(row)
    for (source, policy), played in sorted(measures.played.items()):
        cells = [
            f"{_percent(played.share(result))} ({100 * low:.1f}–{100 * high:.1f})"
            for result in RESULTS
            for low, high in [played.interval(result)]
        ]
        row = {"policy": policy, "episodes": f"{played.count:,}", "cells": cells, "exact": False}
        found.setdefault(source, []).append(row | {"reward": f"{played.mean_reward:.3f}"})
    return [{"place": source, "rows": rows} for source, rows in found.items()]


def _knobs(measures: Measures) -> list[dict[str, Any]]:
    """Rows of the knobs that have several values, by family and knob."""
    values: dict[tuple[str, str], set[str]] = {}
    for _, kind, knob, value in measures.knobs:
        values.setdefault((kind, knob), set()).add(value)
    groups = []
    left = _MOST_KNOBS
    for (kind, knob), seen in sorted(values.items()):
        rows = []
        for value in sorted(seen, key=_in_order)[:left] if len(seen) > 1 else []:
            rates = {
                policy: f"{_percent(rate.rate)} ({_range(rate)})"
                for (policy, family, name, one), rate in measures.knobs.items()
                if (family, name, one) == (kind, knob, value)
            }
            held_out = knob == "wording" and (kind, value) in measures.held_out
            rows.append({"value": value, "rates": rates, "held_out": held_out})
        if rows:
            left -= len(rows)
            groups.append({"family": kind, "knob": knob, "rows": rows})
    return groups


def _in_order(value: str) -> tuple[float, str]:
    """Numbers by size, and words by letters after them."""
    try:
        return float(value), value
    except ValueError:
        return float("inf"), value


def _failures(measures: Measures) -> list[dict[str, Any]]:
    """What failed, by source and level."""
    found: dict[str, list[dict[str, str]]] = {}
    for place, cell in _ordered(measures):
        if cell.failed:
            labels = [f"{label} {count}" for label, count in cell.failures.most_common(_MOST_LABELS)]
            parts = [f"{name} {total / cell.failed:.2f}" for name, total in sorted(cell.failed_parts.items())]
            found.setdefault(_where(place.source, place.level), []).append(
                {
                    "policy": place.policy,
                    "failed": f"{cell.failed:,}",
                    "score": f"{cell.failed_score / cell.failed:.3f}",
                    "labels": ", ".join(labels),
                    "parts": ", ".join(parts),
                }
            )
    return [{"place": place, "rows": rows} for place, rows in found.items()]
