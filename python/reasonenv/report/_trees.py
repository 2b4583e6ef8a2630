"""Search trees as inline SVG. Colors come from the page's style sheet, so they follow light and dark."""

import html
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from reasonenv._trees import TREES, SearchTree, TreeNode, read_trees
from reasonenv.report._charts import Chart
from reasonenv.report._curves import Point

_PER_POLICY = 2
"""Trees drawn of each policy on each source."""

_MOST = 8
"""Trees drawn of a run."""

_NODES = 48
"""Nodes drawn of a tree: those visited most, and the best path."""

_COLUMN, _ROW, _MARGIN = 148, 26, 16
_LONGEST = 20
"""Characters shown of an action."""


@dataclass(frozen=True)
class TreeDrawing:
    """A tree, as a page shows it."""

    name: str
    facts: str
    svg: str
    summary: str
    """The drawing in words."""
    chart: Chart | None
    """The value along the best path, if it has several steps."""


def drawings(run: Path) -> list[TreeDrawing]:
    """The first trees of a run; none if it grew none.

    Raises:
        InvalidRun: A line of the trees is damaged; names it.
    """
    if not (run / TREES).is_file():
        return []
    drawn: list[TreeDrawing] = []
    counts: Counter[tuple[str, str]] = Counter()
    for tree in read_trees(run):
        counts[tree.policy, tree.source] += 1
        if tree.root.visits and counts[tree.policy, tree.source] <= _PER_POLICY:
            drawn.append(_drawing(tree))
        if len(drawn) == _MOST:
            break
    return drawn


def _drawing(tree: SearchTree) -> TreeDrawing:
    path, root = tree.best_path(), tree.root
    shown = _chosen(tree, path)
    rate = "" if root.pass_rate is None else f", {100 * root.pass_rate:.0f}% passed"
    solved = ", solved" if root.is_solved else ""
    facts = f"{len(tree.nodes):,} nodes, {root.visits:,} visits{rate}{solved}; value {root.value:.3g}"
    more = f" The {len(shown)} nodes visited most are drawn." if len(shown) < len(tree.nodes) else ""
    steps = ", ".join(_clipped(node.name) for node in path[:12])
    summary = f"Tree of {tree.policy}: {facts}. Best path: {steps or 'none'}."
    return TreeDrawing(
        f"{tree.policy}: {tree.task_id}",
        f"{facts}.{more}",
        _svg(tree, shown, set(path)),
        summary,
        _chart(path),
    )


def _chosen(tree: SearchTree, path: list[TreeNode]) -> set[TreeNode]:
    """The nodes to draw, each with its parent."""
    chosen = {tree.root, *path[:_NODES]}
    for node in sorted(tree.nodes[1:], key=lambda one: (-one.visits, one.number)):
        if len(chosen) >= _NODES:
            break
        if node.visits and node.parent in chosen:
            chosen.add(node)
    return chosen


def _chart(path: list[TreeNode]) -> Chart | None:
    """Values along the best path, to the player who took each step."""
    if len(path) < 2:
        return None
    lines = {"value": [Point(node.depth, node.value) for node in path]}
    exact = [Point(node.depth, node.exact) for node in path if node.exact is not None]
    if len(exact) > 1:
        lines["under best play"] = exact
    return Chart("Value along the best path", lines, "step", "")


def _svg(tree: SearchTree, shown: set[TreeNode], best: set[TreeNode]) -> str:
    """The tree from left to right: size for visits, color for value, the best path in bold."""
    rows: dict[TreeNode, float] = {}
    count = 0
    order = [node for node in _depth_first(tree.root) if node in shown]
    for node in order:
        if not any(child in shown for child in node.children):
            rows[node], count = float(count), count + 1
    for node in reversed(order):
        below = [rows[child] for child in node.children if child in shown]
        if below:
            rows[node] = (below[0] + below[-1]) / 2
    least, most = tree.ends
    lines, dots = [], []
    for node in order:
        x, y = _MARGIN + node.depth * _COLUMN, _MARGIN + rows[node] * _ROW
        if node.parent is not None:
            there, bend = x - _COLUMN, x - _COLUMN / 2
            before = _MARGIN + rows[node.parent] * _ROW
            kind = "edge best" if node in best else "edge"
            lines.append(
                f'<path class="{kind}" d="M{there} {before:g}C{bend:g} {before:g} {bend:g} {y:g} {x} {y:g}"/>'
            )
            said = html.escape(_clipped(node.name))
            lines.append(f'<text x="{x - 12}" y="{y - 5:g}" class="end">{said}</text>')
        if node.visits:
            size = 3 + min(8.0, math.log2(1 + node.visits))
            share = min(1.0, max(0.0, (node.value - least) / (most - least)))
            about = f"{node.name}: {node.visits} visits, value {node.value:.3g}"
            dots.append(
                f'<circle class="node" style="--share:{share:.3f}" cx="{x}" cy="{y:g}" r="{size:.1f}">'
                f"<title>{html.escape(about)}</title></circle>"
            )
    width = 2 * _MARGIN + max(node.depth for node in order) * _COLUMN
    height = 2 * _MARGIN + max(0, count - 1) * _ROW
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" aria-hidden="true">'
        f"{''.join(lines)}{''.join(dots)}</svg>"
    )


def _depth_first(root: TreeNode) -> list[TreeNode]:
    """All nodes, each before its children, which keep their order."""
    found, stack = [], [root]
    while stack:
        node = stack.pop()
        found.append(node)
        stack += reversed(node.children)
    return found


def _clipped(name: str) -> str:
    """An action on one line, cut to a length that fits between two nodes."""
    line = " ".join(name.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
