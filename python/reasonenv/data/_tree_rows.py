"""Rows for trainers from search trees: preferences, values and labels of steps."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv._records import TRACES
from reasonenv._trees import TREES, SearchTree, TreeNode, read_trees
from reasonenv.data._traces import preference_pairs, read_traces


def _facts(tree: SearchTree, node: TreeNode) -> dict[str, Any]:
    """Fields of a row about a branching point: the conversation there, and the actions that led to it."""
    return {
        "task_id": tree.task_id,
        "group_id": tree.group_id,
        "policy": tree.policy,
        "prompt": list(node.messages),
        "prefix": [step.name for step in node.path],
    }


def _branchings(tree: SearchTree) -> Iterator[tuple[TreeNode, list[TreeNode]]]:
    """Nodes at which paths part, each with its visited children, the best first."""
    for node in tree.nodes:
        visited = [child for child in node.children if child.visits]
        if node.messages and visited:
            yield node, sorted(visited, key=lambda child: (-child.value, -child.visits, child.number))


def _pair(tree: SearchTree, node: TreeNode, better: TreeNode, worse: TreeNode) -> dict[str, Any]:
    margin = better.value - worse.value
    return _facts(tree, node) | {"chosen": better.name, "rejected": worse.name, "margin": margin}


def _preferences(tree: SearchTree) -> Iterator[dict[str, Any]]:
    """The best and the worst action of each node whose values differ."""
    for node, (best, *others) in _branchings(tree):
        if others and best.value > others[-1].value:
            yield _pair(tree, node, best, others[-1])


def _divergences(tree: SearchTree) -> Iterator[dict[str, Any]]:
    """Each action below which every path failed, where a path through another action passed."""
    for node, children in _branchings(tree):
        right = [child for child in children if child.passes]
        for wrong in children:
            if right and wrong.verdicts and not wrong.passes:
                yield _pair(tree, node, right[0], wrong)


def _values(tree: SearchTree) -> Iterator[dict[str, Any]]:
    """The value of each action at the nodes at which paths part."""
    for node, children in _branchings(tree):
        for child in children:
            found = {"action": child.name, "value": child.value, "visits": child.visits}
            yield _facts(tree, node) | found | {"pass_rate": child.pass_rate, "exact": child.exact}


def _labels(tree: SearchTree) -> Iterator[dict[str, Any]]:
    """Each action that is better or worse than the others on average."""
    for node, children in _branchings(tree):
        mean = sum(child.value * child.visits for child in children) / sum(one.visits for one in children)
        for child in children:
            if child.value != mean:
                yield _facts(tree, node) | {"action": child.name, "label": child.value > mean}


def _stepwise(tree: SearchTree) -> Iterator[dict[str, Any]]:
    """Each path, its steps labeled by whether any path through them passed."""
    for node in tree.nodes[1:]:
        if node.children or not node.verdicts or not tree.root.messages:
            continue
        steps = node.path
        labels = {"steps": [step.name for step in steps], "labels": [step.passes > 0 for step in steps]}
        yield _facts(tree, tree.root) | labels


_ROWS: Mapping[str, Callable[[SearchTree], Iterator[dict[str, Any]]]] = MappingProxyType(
    {
        "preferences": _preferences,
        "divergences": _divergences,
        "values": _values,
        "kto": _labels,
        "prm": _stepwise,
    }
)
"""Rows of a tree by the shape for which they are."""


def run_records(run: str | Path, shape: str) -> Iterator[dict[str, Any]]:
    """Stream what a run has for a shape of `export`.

    Of a run with search trees, "preferences", "divergences", "values", "kto" and "prm" are made from the
    trees; "preferences" of other runs are `preference_pairs`. "sft" and "source" are the run's traces.

    Args:
        run: Folder of the run.
        shape: One of those names.

    Raises:
        InvalidArgument: The shape is for tasks.
        InvalidRun: The run has no trees, or a line is damaged; names it.
        OSError: A file cannot be read; names it.
    """
    folder = _checks.path("run", run)
    if shape in ("sft", "source"):
        return read_traces(folder)
    if shape == "preferences" and not (folder / TREES).is_file():
        return preference_pairs(folder)
    if shape not in _ROWS:
        shapes = ", ".join([*_ROWS, "sft", "source"])
        msg = f"`shape` is {_checks.shown(shape)}, but a run has rollouts and no tasks; take one of {shapes}"
        raise InvalidArgument(msg)
    rows = _ROWS[shape]
    return (row for tree in read_trees(folder) for row in rows(tree))


def is_run(path: str | Path) -> bool:
    """True if a path is the folder of a run."""
    return (Path(path) / TRACES).is_file()
