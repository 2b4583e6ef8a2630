"""Search trees: nodes with statistics, and the lines of `tree.jsonl`. docs/records.md has the fields."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._records import InvalidRun, Line, read_lines

TREES = "tree.jsonl"
"""Name of the file in a run's folder."""

_LOG_ODDS = math.log(2 / 0.05) / 2
"""Hoeffding's constant for intervals of 95 %."""


class TreeNode:
    """The state after an action, and what the visits to it returned.

    Values are those of taking the action, to the player who took it: its reward and the discounted return
    that followed. At the root they are those of the state, to the player who moves first.
    """

    __slots__ = (
        "action",
        "actions",
        "asked",
        "children",
        "choices",
        "depth",
        "exact",
        "first",
        "high",
        "key",
        "known",
        "live",
        "low",
        "messages",
        "mover",
        "name",
        "number",
        "outcome",
        "over",
        "parent",
        "passes",
        "player",
        "reward",
        "spent",
        "squares",
        "total",
        "verdicts",
        "visits",
        "width",
    )

    def __init__(self, number: int, parent: "TreeNode | None", action: Any, player: int) -> None:
        self.number = number
        """Number in its tree, in the order of creation; the root has 0."""
        self.parent = parent
        self.action = action
        self.name = action if isinstance(action, str) else str(action)
        """The action as text."""
        self.player = player
        """Player to move, or who moved last at the end; 0 where only one acts."""
        self.mover = player if parent is None else parent.player
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.reward = 0.0
        """Reward of the action."""
        self.over = False
        """True if the episode is over here."""
        self.choices: int | None = None
        """Number of actions, if all can be listed."""
        self.asked = 0
        """Actions taken from here, including repeated ones."""
        self.children: list[TreeNode] = []
        self.visits = 0
        self.verdicts = 0
        """Visits that ended with a verdict."""
        self.passes = 0
        self.total = self.squares = 0.0
        self.low, self.high = -math.inf, math.inf
        """Proved bounds of the value under best play."""
        self.exact: float | None = None
        """Value under best play, if a solver knows it."""
        self.messages: Sequence[Mapping[str, Any]] = ()
        """Conversation that the policy was shown here."""
        self.first = math.nan
        """Value at the first visit."""
        # During the search:
        self.live: Any = None
        """Episode to continue from."""
        self.outcome: tuple[Sequence[float], bool | None] | None = None
        """Return to each player and verdict, where nothing follows."""
        self.width: int | None = None
        """Actions to take from here; None until it is known."""
        self.actions: Sequence[Any] | None = None
        """Those actions; None: the policy's."""
        self.spent = False
        """True if no visit can lead to anything new."""
        self.known: Mapping[Any, float] | None = None
        """Exact values of the actions."""
        self.key: Any = None

    @property
    def is_solved(self) -> bool:
        """True if the search proved the value under best play."""
        return self.low == self.high

    @property
    def value(self) -> float:
        """Mean return of the visits, within the proved bounds; NaN before the first."""
        mean = self.total / self.visits if self.visits else math.nan
        if self.is_solved or math.isnan(mean):
            return self.low if self.is_solved else mean
        return min(max(mean, self.low), self.high)

    @property
    def pass_rate(self) -> float | None:
        """Share of verdicts that passed; None without verdicts."""
        return self.passes / self.verdicts if self.verdicts else None

    @property
    def is_full(self) -> bool:
        """True if every possible action was taken."""
        return self.choices is not None and len(self.children) >= self.choices

    @property
    def path(self) -> list["TreeNode"]:
        """Nodes from the root's child to this one."""
        nodes: list[TreeNode] = []
        node: TreeNode | None = self
        while node is not None and node.parent is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def __repr__(self) -> str:
        return f"<TreeNode {self.number}: {self.name!r}, {self.visits} visits, value {self.value:.3g}>"


@dataclass
class SearchTree:
    """The tree of one policy on one task or episode."""

    group_id: str
    """Group of the rollouts that the tree's paths became."""
    source: str
    policy: str
    task_id: str
    players: int = 1
    """2 if one policy plays both sides of a game; values are then those to the mover."""
    gamma: float = 1.0
    proves: bool = False
    """True if the environment is deterministic and known in full, so that bounds can be proved."""
    bounded: bool = False
    """True if returns lie between -1 and 1."""
    nodes: list[TreeNode] = field(default_factory=list)
    finished: bool = False
    least: float = math.inf
    most: float = -math.inf
    """Extremes of all values so far."""

    @property
    def root(self) -> TreeNode:
        """The start."""
        return self.nodes[0]

    def add(self, parent: TreeNode | None, action: Any, player: int) -> TreeNode:
        """Add a node below another one."""
        node = TreeNode(len(self.nodes), parent, action, player)
        if self.bounded:
            node.low, node.high = -1.0, 1.0
        self.nodes.append(node)
        if parent is not None:
            parent.children.append(node)
        return node

    def visit(self, node: TreeNode, values: Sequence[float], passed: bool | None) -> None:
        """Count a visit on every node up to the root.

        Args:
            node: Last node of the path.
            values: Return from there on, to each player.
            passed: Verdict on the path's end, if there is one.
        """
        alone, at = self.players == 1, node
        following = list(values)
        while True:
            if alone:
                following[0] = at.reward + self.gamma * following[0]
            else:
                following = [self.gamma * one for one in following]
            given = following[at.mover]
            if not at.visits:
                at.first = given
            at.visits += 1
            at.total += given
            at.squares += given * given
            if passed is not None:
                at.verdicts += 1
                at.passes += passed
            self.least, self.most = min(self.least, given), max(self.most, given)
            if at.parent is None:
                return
            at = at.parent

    def prove(self, node: TreeNode, value: float) -> None:
        """Set a node's value under best play, and narrow the bounds above it."""
        node.low = node.high = value
        at = node.parent
        while at is not None and self._narrow(at):
            at = at.parent

    def _narrow(self, node: TreeNode) -> bool:
        """Bounds of a node from those of its children; True if they changed."""
        low = max(child.low for child in node.children)
        high = max(child.high for child in node.children) if node.is_full else math.inf
        if self.players == 1:
            low, high = node.reward + self.gamma * low, node.reward + self.gamma * high
        elif node.parent is not None and node.mover != node.player:
            low, high = -self.gamma * high, -self.gamma * low
        low, high = max(low, node.low), min(high, node.high)
        changed = (low, high) != (node.low, node.high)
        node.low, node.high = low, high
        return changed

    @property
    def spread(self) -> float:
        """Range of returns."""
        low, high = self.ends
        return high - low

    @property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest return of the game; otherwise 0 and 1, or those of the visits beyond."""
        return (-1.0, 1.0) if self.bounded else (min(0.0, self.least), max(1.0, self.most))

    def interval(self, node: TreeNode) -> tuple[float, float]:
        """95 % interval of a node's value, within its proved bounds.

        For one player it is that of the mean return under the policy. For two it is that of the value under
        best play: the intervals of the leaves, carried up by minimax, since means lag behind best play.
        """
        if node.is_solved or not node.visits:
            return node.low, node.high
        if self.players == 1 or not node.children:
            # Hoeffding's inequality holds for any distribution and few visits.
            error = self.spread * math.sqrt(_LOG_ODDS / node.visits)
            low, high = max(node.value - error, self.ends[0]), min(node.value + error, self.ends[1])
        else:
            ends = [self.interval(child) for child in node.children]
            low = max(one for one, _ in ends)
            high = max(one for _, one in ends) if node.is_full else math.inf
            if node.parent is not None and node.mover != node.player:
                low, high = -high, -low
        return max(low, node.low), min(high, node.high)

    def best_child(self, node: TreeNode) -> TreeNode | None:
        """The child to choose: the best value among those proved or visited often enough to trust."""
        visited = [child for child in node.children if child.visits]
        return max(visited, key=self._trusted, default=None)

    def _trusted(self, node: TreeNode) -> tuple[float, bool, int, int]:
        doubt = 0.0 if node.is_solved else self.spread / math.sqrt(node.visits)
        return max(node.low, node.value - doubt), node.is_solved, node.visits, -node.number

    def best_path(self) -> list[TreeNode]:
        """The best child of the root, its best child, and so on."""
        path: list[TreeNode] = []
        node = self.best_child(self.root)
        while node is not None:
            path.append(node)
            node = self.best_child(node)
        return path

    def __repr__(self) -> str:
        end = "" if self.finished else ", unfinished"
        return f"<SearchTree {self.group_id}: {self.policy}, {len(self.nodes)} nodes{end}>"

    # Lines.

    def header(self) -> dict[str, Any]:
        """The line that begins a tree."""
        names = ("group_id", "source", "policy", "task_id", "players", "gamma", "proves", "bounded")
        return {name: getattr(self, name) for name in names} | node_line(self.root)

    @classmethod
    def of_header(cls, line: Mapping[str, Any]) -> "SearchTree":
        """The tree that a line begins."""
        names = ("group_id", "source", "policy", "task_id", "players", "gamma", "proves", "bounded")
        tree = cls(**{name: line[name] for name in names})
        _describe(tree.add(None, None, line["player"]), line)
        return tree

    def read(self, line: Mapping[str, Any]) -> TreeNode | None:
        """Take in a line, and return the node that it adds."""
        node, parent = None, None
        if "node" in line:
            parent = self.nodes[line["parent"]]
            parent.asked += 1
            node = self.add(parent, line["action"], line["player"])
            _describe(node, line)
        elif "again" in line:
            parent = self.nodes[line["again"]].parent
            assert parent is not None, "the root isn't asked for"
            parent.asked += 1
        elif "of" in line:
            shown = self.nodes[line["of"]]
            shown.messages, shown.choices = line.get("messages", ()), line.get("choices")
        elif "visit" in line:
            self.visit(self.nodes[line["visit"]], line["values"], line["passed"])
        elif "proved" in line:
            self.prove(self.nodes[line["proved"]], line["value"])
        elif "paths" in line:
            self.finished = True
        return node


def node_line(node: TreeNode) -> dict[str, Any]:
    """The line of a node, without what is empty."""
    line: dict[str, Any] = {"player": node.player}
    if node.parent is not None:
        line |= {"node": node.number, "parent": node.parent.number, "action": node.action}
        line |= {"reward": node.reward} if node.reward else {}
        line |= {"name": node.name} if node.name != str(node.action) else {}
    optional = {"over": node.over or None, "exact": node.exact}
    return line | {name: value for name, value in optional.items() if value is not None}


def _describe(node: TreeNode, line: Mapping[str, Any]) -> None:
    node.reward, node.over = line.get("reward", 0.0), line.get("over", False)
    node.exact, node.name = line.get("exact"), line.get("name", node.name)


def read_trees(run: str | Path) -> Iterator[SearchTree]:
    """Stream the trees of a run in the order in which they ended, and then the unfinished ones.

    Args:
        run: Folder of the run, or its `tree.jsonl`.

    Raises:
        InvalidRun: A line doesn't belong to a tree; names it.
        OSError: The file cannot be read; names it.
    """
    path = _checks.path("run", run)
    path = path / TREES if path.is_dir() else path
    if not path.is_file():
        msg = f"{run} holds no trees, as there is no {TREES}; name a run of `rollout` with a `Tree`"
        raise InvalidRun(msg)
    opened: dict[int, SearchTree] = {}
    for number, line in tree_lines(path):
        try:
            if "group_id" in line.record:
                opened[number] = SearchTree.of_header(line.record)
            else:
                opened[number].read(line.record)
        except (LookupError, TypeError, AttributeError) as error:
            msg = f"{line.where}: it is not of a tree ({error!r}); mend the line, or name another run"
            raise InvalidRun(msg) from None
        if opened[number].finished:
            yield opened.pop(number)
    yield from opened.values()


def tree_lines(path: Path) -> Iterator[tuple[int, Line]]:
    """Number of each line's tree, and the line.

    Raises:
        InvalidRun: A line belongs to no tree; names it.
    """
    begun = 0
    for line in read_lines(path):
        number = line.record.get("tree")
        begins = "group_id" in line.record
        if type(number) is not int or not (number == begun if begins else 0 <= number < begun):
            msg = f"{line.where}: it belongs to no tree; remove the file, or name another folder"
            raise InvalidRun(msg)
        begun += begins
        yield number, line
