"""Results of a benchmark as one page: every policy beside the others, with intervals, in portable HTML."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._files import writing
from reasonenv._native import InvalidArgument, __version__
from reasonenv.benchmark._entries import list_manifests, manifest
from reasonenv.benchmark._result import BenchmarkResult
from reasonenv.report._page import page_template
from reasonenv.report._played import RESULTS
from reasonenv.report._plots import COLOURS, can_draw, drawn


def write_page(
    results: Sequence[BenchmarkResult | str | os.PathLike[str]], out: str | os.PathLike[str]
) -> Path:
    """Writes a page of results of one manifest; gives its path.

    Args:
        results: Results, or the folders that benchmarks were logged to.
        out: The page's path.

    Raises:
        InvalidArgument: There is no result, or they are of different manifests.
        InvalidRun: A folder holds no finished benchmark.
        OSError: Something cannot be read or written; names it.
        ModuleNotFoundError: jinja2 is missing. Without matplotlib the page has no plots.
    """
    loaded = [
        one if isinstance(one, BenchmarkResult) else BenchmarkResult.load(_checks.path("results", one))
        for one in results
    ]
    if len({one.manifest_digest for one in loaded}) != 1:
        told = ", ".join(sorted({one.manifest for one in loaded})) or "none"
        msg = f"`results` are of different manifests ({told}), but a page is of one"
        raise InvalidArgument(msg)
    target = _checks.path("out", out)
    first = loaded[0]
    named = (
        manifest(first.manifest).summary if first.manifest in list_manifests() else "A part of a manifest."
    )
    page = page_template("benchmark.html.jinja").render(
        plotted=can_draw(),
        title=f"{first.manifest}: {', '.join(dict.fromkeys(one.policy for one in loaded))}",
        summary=named,
        manifest=first.manifest,
        preview=first.preview,
        digest=first.manifest_digest,
        version=__version__,
        tables=[table for table in _tables(loaded) if table["rows"]],
        plots=drawn(lambda figure: _sheets(loaded, figure)),
    )
    with writing(target) as file:
        file.write(page)
    return target


def percent(share: float | None) -> str:
    """A share as a percentage, or a dash for none."""
    return "–" if share is None else f"{100 * share:.1f} %"


def ranged(one: Mapping[str, Any]) -> str:
    """A rate with its interval."""
    if one.get("rate") is None:
        return "–"
    ends = one.get("interval")
    return percent(one["rate"]) + ("" if ends is None else f" ({100 * ends[0]:.1f}–{100 * ends[1]:.1f})")


def _difference(one: Mapping[str, Any]) -> str:
    if one.get("difference") is None:
        return "–"
    low, high = one["interval"]
    return f"{100 * one['difference']:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"


def _tables(results: Sequence[BenchmarkResult]) -> list[dict[str, Any]]:
    tasks = [one for one in results if one.entries]
    ks = sorted({int(k) for one in tasks for k in one.overall["pass_at"]})
    votes = sorted({int(k) for one in tasks for k in one.overall["maj_at"]})

    def at(one: BenchmarkResult, name: str, k: int) -> str:
        return ranged(one.overall[name].get(str(k), {}))

    domains = sorted({name for one in tasks for name in one.domains})
    levels = sorted({level for one in tasks for level in one.size["by_level"]}, key=int)
    return [
        {
            "name": "Results",
            "told": "Each entry of the manifest counts alike; intervals are of 95 %, clustered by item. "
            "Items in wordings that are held out of training are not among them.",
            "columns": ["policy", *(f"pass@{k}" for k in ks), *(f"maj@{k}" for k in votes)],
            "rows": [
                [one.policy, *(at(one, "pass_at", k) for k in ks), *(at(one, "maj_at", k) for k in votes)]
                for one in tasks
            ],
        },
        {
            "name": "Games",
            "told": "Share of the episodes with intervals of 95 %; a score counts a draw as a half.",
            "columns": ["entry", "policy", "episodes", "score", *RESULTS],
            "rows": [
                [
                    name,
                    one.policy,
                    f"{game['episodes']:,}",
                    f"{game['score']:.3f}",
                    *(ranged({"rate": game["shares"][r], "interval": game["intervals"][r]}) for r in RESULTS),
                ]
                for name in sorted({name for one in results for name in one.games})
                for one in results
                for game in [one.games[name]]
            ],
        },
        {
            "name": "By domain",
            "told": "Pass rates by what a family is about.",
            "columns": ["policy", *domains],
            "rows": [[one.policy, *(ranged(one.domains.get(name, {})) for name in domains)] for one in tasks],
        },
        {
            "name": "Size",
            "told": "Levels that may be trained on, and levels above them.",
            "columns": ["policy", "trained levels", "beyond", *(f"level {level}" for level in levels)],
            "rows": [
                [
                    one.policy,
                    ranged(one.size["within"]),
                    ranged(one.size["beyond"]),
                    *(ranged(one.size["by_level"].get(level, {})) for level in levels),
                ]
                for one in tasks
            ],
        },
        {
            "name": "Wording",
            "told": "The same problems in a wording that training has and in one that it never has, and the "
            "difference in points, pair by pair.",
            "columns": ["policy", "pairs", "usual", "held out", "difference"],
            "rows": [
                [
                    one.policy,
                    f"{one.wording['pairs']:,}",
                    percent(one.wording["usual"]),
                    percent(one.wording["held_out"]),
                    _difference(one.wording),
                ]
                for one in tasks
                if one.wording["pairs"]
            ],
        },
        {
            "name": "Shortcuts",
            "told": "The share of all items that some blind policy passes; the same share among the rollouts "
            "that passed; and how many of those give the blind policy's very answer.",
            "columns": ["policy", "blind", "of what passed", "same answer"],
            "rows": [
                [one.policy, *(percent(one.shortcut[key]) for key in ("blind", "both", "same_answer"))]
                for one in tasks
            ],
        },
        {
            "name": "Cost",
            "told": "Each rollout; tokens where the endpoint tells them.",
            "columns": ["policy", "rollouts", "seconds", "characters", "tokens"],
            "rows": [
                [
                    one.policy,
                    f"{one.cost['rollouts']:,}",
                    f"{one.cost['seconds_each']:.3g}",
                    f"{one.cost['characters_each']:,.0f}",
                    ", ".join(f"{name} {n:,.0f}" for name, n in one.cost["tokens_each"].items()) or "–",
                ]
                for one in results
            ],
        },
        {
            "name": "Entries",
            "told": "A family, a level and where it is held out the wording.",
            "columns": ["entry", *(one.policy for one in tasks)],
            "rows": [
                [name, *(ranged(one.entries.get(name, {})) for one in tasks)]
                for name in sorted({name for one in tasks for name in one.entries})
            ],
        },
    ]


def _sheets(results: Sequence[BenchmarkResult], figure: Any) -> dict[str, Any]:
    """pass@k against k, and pass rates by level."""
    found: dict[str, Any] = {}
    tried = [one for one in results if len(one.overall.get("pass_at", {})) > 1][: len(COLOURS)]
    if tried:
        found["pass@k"] = _lines(
            figure,
            {one.policy: {int(k): rate for k, rate in one.overall["pass_at"].items()} for one in tried},
            "rollouts",
        )
    sized = [one for one in results if len(one.size["by_level"]) > 1][: len(COLOURS)]
    if sized:
        found["Pass rate by level"] = _lines(
            figure,
            {one.policy: {int(at): rate for at, rate in one.size["by_level"].items()} for one in sized},
            "level",
        )
    return found


def _lines(figure: Any, rates: Mapping[str, Mapping[int, Mapping[str, Any]]], along: str) -> Any:
    sheet = figure(figsize=(7.2, 3.0))
    axes = sheet.add_subplot()
    for (name, line), colour in zip(rates.items(), COLOURS, strict=False):
        places = sorted(line)
        ends = [line[place]["interval"] for place in places]
        axes.plot(
            places, [line[place]["rate"] for place in places], marker="o", ms=4, color=colour, label=name
        )
        axes.fill_between(
            places, [low for low, _ in ends], [high for _, high in ends], color=colour, alpha=0.15
        )
    if along == "rollouts":
        axes.set_xscale("log", base=2)
    axes.set(xlabel=along, ylabel="pass rate", ylim=(-0.03, 1.03))
    axes.legend(frameon=False, fontsize=9)
    return sheet
