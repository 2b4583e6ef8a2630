"""Plots as SVG text: words stay words, and the same numbers give the same bytes."""

import io
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from reasonenv.report._measures import BINS, Measures, ResultKey

COLOURS = ("#2f5d8a", "#c46a2b", "#4b8a55", "#8a4b7d", "#7a6f3a", "#3b8686", "#a03d3d", "#555f6b")
_BANDS = ("#c8553d", "#d9a441", "#4b8a55")
_MOST_SOURCES = 12
"""Sources that have a plot of their own."""
_MOST_POLICIES = 8
_MOST_ROWS = 40
_LONGEST_NAME = 34
"""Characters of a name in a plot."""


def plots(measures: Measures) -> dict[str, str]:
    """The plots that a run has something for, by what they show; none without matplotlib."""
    return drawn(lambda figure: _sheets(measures, figure))


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def drawn(sheets: Callable[[Any], Mapping[str, Any]]) -> dict[str, str]:
    """Figures as SVG text in the one look that all of them share, by what they show; none without matplotlib.

    Args:
        sheets: Given matplotlib's class of figures, draws some.
    """
    if not can_draw():
        return {}
    import matplotlib as mpl  # noqa: PLC0415  an extra
    from matplotlib.figure import Figure  # noqa: PLC0415

    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "reasonenv",
        "font.family": "sans-serif",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#e6e6e6",
        "axes.axisbelow": True,
    }
    found: dict[str, str] = {}
    with mpl.rc_context(settings):
        for name, sheet in sheets(Figure).items():
            file = io.StringIO()
            sheet.savefig(file, format="svg", metadata={"Date": None}, bbox_inches="tight", transparent=True)
            found[name] = file.getvalue()[file.getvalue().index("<svg") :]
    return found


def _sheets(measures: Measures, figure: Any) -> dict[str, Any]:
    sheets: dict[str, Any] = {}
    names = {place.policy for place in measures.cells} | {policy for _, policy in measures.played}
    policies = sorted(names)[:_MOST_POLICIES]
    for source in sorted({place.source for place in measures.cells})[:_MOST_SOURCES]:
        levels = sorted({p.level for p in measures.cells if p.source == source and p.level is not None})
        if len(levels) > 1:
            sheets[f"Pass rate by level: {source}"] = _by_level(measures, figure, source, levels, policies)
    if measures.cells:
        sheets["Learning band"] = _bands(measures, figure)
    if any(measures.rewards.values()):
        sheets["Rewards"] = _rewards(measures.rewards, figure, policies)
    for policy, parts in sorted(measures.parts.items())[:_MOST_POLICIES]:
        if max(len(steps) for steps in parts.values()) > 1:
            sheets[f"Reward parts over training: {policy}"] = _parts(parts, figure)
    return sheets


def _axes(figure: Any, height: float = 3.0) -> tuple[Any, Any]:
    # No wider than a phone shows at its own size: two stand side by side on a desk.
    sheet = figure(figsize=(5.0, height))
    return sheet, sheet.add_subplot()


def _short(name: str) -> str:
    """A name that leaves room for the plot."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 12]}…{name[-11:]}"


def _legend(axes: Any, **more: Any) -> None:
    """A legend above the axes, where no data is, no wider than they are."""
    longest = max(len(name) for name in axes.get_legend_handles_labels()[1])
    columns = min(3, max(1, 48 // (longest + 6)))
    corner: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
    axes.legend(frameon=False, fontsize=9, ncols=columns, **corner, **more)


def _by_level(
    measures: Measures, figure: Any, source: str, levels: Sequence[int], policies: Sequence[str]
) -> Any:
    sheet, axes = _axes(figure)
    for at, policy in enumerate(policies):
        known = [(level, measures.cells.get(ResultKey(source, level, policy))) for level in levels]
        rates = [(level, cell.rate) for level, cell in known if cell is not None]
        if not rates:
            continue
        middle = [rate.rate for _, rate in rates]
        ends = np.array([rate.interval for _, rate in rates])
        spread = np.abs(np.array([middle, middle]) - ends.T)
        places = np.array([level for level, _ in rates]) + (at - (len(policies) - 1) / 2) * 0.06
        axes.errorbar(
            places,
            middle,
            spread,
            marker="o",
            ms=4,
            capsize=2,
            lw=1.4,
            color=COLOURS[at],
            label=_short(policy),
        )
    axes.set(xlabel="level", ylabel="pass rate", ylim=(-0.03, 1.03), xticks=levels)
    _legend(axes)
    return sheet


def _bands(measures: Measures, figure: Any) -> Any:
    """Shares of groups that failed, were mixed and passed: what is mixed teaches."""
    places = sorted(measures.cells, key=lambda place: (place.source, place.level or 0, place.policy))[
        :_MOST_ROWS
    ]
    sheet, axes = _axes(figure, 0.9 + 0.2 * len(places))
    left = np.zeros(len(places))
    names = ("all failed", "mixed", "all passed")
    for at, (name, colour) in enumerate(zip(names, _BANDS, strict=True)):
        widths = np.array([measures.cells[place].rate.bands[at] for place in places])
        axes.barh(range(len(places)), widths, left=left, color=colour, height=0.7, label=name)
        left += widths
    labels = [
        _short(f"{place.source}{'' if place.level is None else f', {place.level}'}: {place.policy}")
        for place in places
    ]
    axes.set(xlim=(0, 1), xlabel="share of the groups", yticks=range(len(places)))
    axes.set_yticklabels(labels, fontsize=8)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.margins(y=0.01)
    _legend(axes, handlelength=1.2)
    return sheet


def _rewards(rewards: Mapping[str, Sequence[float]], figure: Any, policies: Sequence[str]) -> Any:
    sheet, axes = _axes(figure)
    given = [rewards[policy] for policy in policies if len(rewards.get(policy, ()))]
    low, high = min(map(min, given)), max(map(max, given))
    edges = np.linspace(low, high if high > low else low + 1, BINS + 1)
    for at, policy in enumerate(policies):
        counts, _ = np.histogram(rewards.get(policy, ()), edges)
        shares = counts / max(1, counts.sum())
        axes.stairs(shares, edges, color=COLOURS[at], lw=1.6, label=_short(policy))
    axes.set(xlabel="reward", ylabel="share of the rollouts")
    _legend(axes)
    return sheet


def _parts(parts: Mapping[str, Mapping[int, Sequence[float]]], figure: Any) -> Any:
    sheet, axes = _axes(figure)
    for at, (name, steps) in enumerate(sorted(parts.items())):
        versions = sorted(steps)
        means = [steps[version][0] / steps[version][1] for version in versions]
        axes.plot(versions, means, marker="o", ms=3, lw=1.4, color=COLOURS[at % len(COLOURS)], label=name)
    axes.set(xlabel="version of the policy", ylabel="mean weighted part")
    _legend(axes)
    return sheet
