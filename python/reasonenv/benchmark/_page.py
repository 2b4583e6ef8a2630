"""Results of a benchmark on one page: policies side by side, with intervals, in portable HTML."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.benchmark._entries import list_manifests, manifest
from reasonenv.benchmark._result import BenchmarkResult
from reasonenv.report._charts import Chart
from reasonenv.report._curves import Point
from reasonenv.report._form import Card, HtmlPage, PageTable, Section, TableCell, interval, write
from reasonenv.report._played import RESULTS


def write_page(
    results: Sequence[BenchmarkResult | str | os.PathLike[str]], out: str | os.PathLike[str]
) -> Path:
    """Write a page of results on one manifest, and return its path.

    Args:
        results: Results, or the folders of finished benchmarks.
        out: The page's path.

    Raises:
        InvalidArgument: `results` is empty, or of different manifests.
        InvalidRun: A folder holds no finished benchmark.
        OSError: Something cannot be read or written; names it.
        ModuleNotFoundError: jinja2 is missing.
    """
    loaded = [
        one if isinstance(one, BenchmarkResult) else BenchmarkResult.load(_checks.path("results", one))
        for one in results
    ]
    if len({one.manifest_digest for one in loaded}) != 1:
        told = ", ".join(sorted({one.manifest for one in loaded})) or "none"
        msg = f"`results` are of different manifests ({told}), but a page is of one"
        raise InvalidArgument(msg)
    first = loaded[0]
    named = (
        manifest(first.manifest).summary if first.manifest in list_manifests() else "A part of a manifest."
    )
    best = max(loaded, key=lambda one: one.pass_rate)
    lead = f"{best.policy} reaches {percent(best.pass_rate)}"
    page = HtmlPage(
        title=f"{first.manifest}: {', '.join(dict.fromkeys(one.policy for one in loaded))}",
        headline=f"{first.manifest}: {lead}"
        + (f", the best of {len(loaded)} results" if len(loaded) > 1 else ""),
        facts=named + (" It is a preview and may still change." if first.preview else ""),
        cards=[
            Card(
                "Policies" if len(loaded) > 1 else "Policy",
                [(one.policy, percent(one.pass_rate)) for one in loaded],
            ),
            Card("Manifest", [(first.manifest, first.manifest_digest)]),
        ],
        sections=[Section("Curves", charts=_charts(loaded)), *_sections(loaded)],
    )
    return write(page, _checks.path("out", out))


def percent(share: float | None) -> str:
    """A share as a percentage, or a dash for none."""
    return "–" if share is None else f"{100 * share:.1f}%"


def ranged(one: Mapping[str, Any]) -> str:
    """A rate with its interval."""
    if one.get("rate") is None:
        return "–"
    ends = one.get("interval")
    return percent(one["rate"]) + ("" if ends is None else f" ({100 * ends[0]:.1f}–{100 * ends[1]:.1f})")


def _worst_shortcut(agreement: Mapping[str, Mapping[str, Any]]) -> str:
    """The shortcut that the policy agrees with most where it is wrong."""
    name = max(agreement, key=lambda one: agreement[one]["rate"], default=None)
    return "–" if name is None else f"{name} {percent(agreement[name]['rate'])}"


def _difference(one: Mapping[str, Any]) -> str:
    if one.get("difference") is None:
        return "–"
    low, high = one["interval"]
    return f"{100 * one['difference']:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"


def _rate(one: Mapping[str, Any]) -> TableCell:
    """A rate with its interval as a colored cell."""
    rate, ends = one.get("rate"), one.get("interval")
    return TableCell(percent(rate), heat=rate, note="" if rate is None or ends is None else interval(ends))


def _sections(results: Sequence[BenchmarkResult]) -> list[Section]:
    tasks = [one for one in results if one.entries]
    ks = sorted({int(k) for one in tasks for k in one.overall["pass_at"]})
    votes = sorted({int(k) for one in tasks for k in one.overall["maj_at"]})

    def at(one: BenchmarkResult, name: str, k: int) -> TableCell:
        return _rate(one.overall[name].get(str(k), {}))

    domains = sorted({name for one in tasks for name in one.domains})
    levels = sorted({level for one in tasks for level in one.size["by_level"]}, key=int)
    return [
        Section(
            "Results",
            "Each entry of the manifest counts alike; intervals are of 95%, clustered by item. "
            "Items in wordings that are held out of training are not among them.",
            tables=[
                PageTable(
                    ["policy", *(f"pass@{k}" for k in ks), *(f"maj@{k}" for k in votes)],
                    [
                        [
                            one.policy,
                            *(at(one, "pass_at", k) for k in ks),
                            *(at(one, "maj_at", k) for k in votes),
                        ]
                        for one in tasks
                    ],
                )
            ],
        ),
        Section(
            "Games",
            "Share of the episodes with intervals of 95%; a score counts a draw as a half.",
            tables=[
                PageTable(
                    ["entry", "policy", "episodes", "score", *RESULTS],
                    [
                        [
                            name,
                            one.policy,
                            f"{game['episodes']:,}",
                            f"{game['score']:.3f}",
                            *(
                                _rate({"rate": game["shares"][r], "interval": game["intervals"][r]})
                                for r in RESULTS
                            ),
                        ]
                        for name in sorted({name for one in results for name in one.games})
                        for one in results
                        for game in [one.games[name]]
                    ],
                    words=frozenset({1}),
                )
            ],
        ),
        Section(
            "By domain",
            "Pass rates by what a family is about.",
            tables=[
                PageTable(
                    ["policy", *domains],
                    [[one.policy, *(_rate(one.domains.get(name, {})) for name in domains)] for one in tasks],
                )
            ],
        ),
        Section(
            "Size",
            "Levels that may be trained on, and levels above them.",
            tables=[
                PageTable(
                    ["policy", "trained levels", "beyond", *(f"level {level}" for level in levels)],
                    [
                        [
                            one.policy,
                            _rate(one.size["within"]),
                            _rate(one.size["beyond"]),
                            *(_rate(one.size["by_level"].get(level, {})) for level in levels),
                        ]
                        for one in tasks
                    ],
                )
            ],
        ),
        Section(
            "Wording",
            "The same problems in a wording that training has and in one that it never has, and the "
            "difference in points, pair by pair.",
            tables=[
                PageTable(
                    ["policy", "pairs", "usual", "held out", "difference"],
                    [
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
                )
            ],
        ),
        Section(
            "Shortcuts",
            "The share of all items that some blind policy passes; the same share among the rollouts "
            "that passed; and how many of those give the blind policy's very answer. Then the shortcut of a "
            "family with which the policy agrees most where it is wrong; the entropy of the answers to an "
            "item; and the share of an item's right answers that were found, where there are several.",
            tables=[
                PageTable(
                    [
                        *("policy", "blind", "of what passed", "same answer", "wrong shortcut"),
                        *("entropy in bits", "right answers"),
                    ],
                    [
                        [
                            one.policy,
                            *(percent(one.shortcut[key]) for key in ("blind", "both", "same_answer")),
                            _worst_shortcut(one.shortcut.get("agreement", {})),
                            "–" if (bits := one.overall.get("entropy")) is None else f"{bits:.2f}",
                            percent(one.overall.get("support")),
                        ]
                        for one in tasks
                    ],
                )
            ],
        ),
        Section(
            "Cost",
            "Each rollout; tokens where the endpoint tells them.",
            tables=[
                PageTable(
                    ["policy", "rollouts", "seconds", "characters", "tokens"],
                    [
                        [
                            one.policy,
                            f"{one.cost['rollouts']:,}",
                            f"{one.cost['seconds_each']:.3g}",
                            f"{one.cost['characters_each']:,.0f}",
                            ", ".join(f"{name} {n:,.0f}" for name, n in one.cost["tokens_each"].items())
                            or "–",
                        ]
                        for one in results
                    ],
                )
            ],
        ),
        Section(
            "Entries",
            "A family, a level and where it is held out the wording.",
            tables=[
                PageTable(
                    ["entry", *(one.policy for one in tasks)],
                    [
                        [name, *(_rate(one.entries.get(name, {})) for one in tasks)]
                        for name in sorted({name for one in tasks for name in one.entries})
                    ],
                )
            ],
        ),
    ]


def _charts(results: Sequence[BenchmarkResult]) -> list[Chart]:
    """pass@k against k, and pass rates by level."""
    tried = {one.policy: one.overall["pass_at"] for one in results if len(one.overall.get("pass_at", {})) > 1}
    sized = {one.policy: one.size["by_level"] for one in results if len(one.size["by_level"]) > 1}
    charts = [
        Chart("pass@k", _points(tried), "k", "", share=True, doubling=True),
        Chart("Pass rate by level", _points(sized), "level", "", share=True),
    ]
    return [chart for chart in charts if chart.lines]


def _points(rates: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, list[Point]]:
    return {
        policy: [
            Point(int(at), one["rate"], tuple(one["interval"]))
            for at, one in sorted(line.items(), key=lambda pair: int(pair[0]))
            if one["rate"] is not None
        ]
        for policy, line in rates.items()
    }
