"""The search of one tree: which node is extended next.

A search is a generator of requests, so that one loop can ask a policy for many trees at once.
"""

import heapq
import math

from reasonenv._trees import TreeNode
from reasonenv.rollouts._tree_growth import Steps, TreeGrowth, Unanswered


class TreeSearch(TreeGrowth):
    """The tree of one policy from one start, searched as its settings say."""

    def run(self) -> Steps[None]:
        """Search until the budget is spent, or nothing is left to search. An endpoint's failure ends it."""
        select = {"uct": self._uct, "best_first": self._best_first, "frontier": self._frontier}
        if not self.tree.finished:
            try:
                yield from select[self.settings.select]()
            except Unanswered as error:
                self.error = str(error)
                return
            self._write({"paths": len(self.paths), "visits": self.tree.root.visits})
            self.tree.finished = True

    @property
    def _is_done(self) -> bool:
        root = self.tree.root
        if self.settings.until_passed and root.passes:
            return True
        return root.visits >= self.settings.budget or root.spent or root.is_solved or root.over

    def _uct(self) -> Steps[None]:
        while not self._is_done:
            node, self._reached = self._reached or self.tree.root, None
            while node.outcome is None and not node.is_solved and not self._is_leaf:
                if self._is_open(node):
                    is_listed = node.actions is not None
                    [node] = yield from self._grow([node])
                    if not node.visits and (is_listed or self.settings.value is not None):
                        break
                elif node.children:
                    often = math.log(node.visits + 1)
                    fresh = [child for child in node.children if not child.spent] or node.children
                    node = max(fresh, key=lambda child: self._urgency(child, often))
                else:
                    break  # as deep as nodes go
            self._is_leaf = False
            yield from self._finish([node])

    def _urgency(self, child: TreeNode, often: float) -> float:
        if child.is_solved:
            return child.low
        if not child.visits:
            return math.inf
        weight = self.settings.exploration * self.tree.spread
        return child.value + weight * math.sqrt(often / child.visits)

    def _best_first(self) -> Steps[None]:
        nodes = self.tree.nodes
        room = self.settings.budget - self.tree.root.visits
        for node in nodes:  # what was interrupted
            if node.asked and self._is_open(node) and node.width is not None:
                yield from self._grow([node] * (min(node.width, room) - node.asked))
        yield from self._finish([node for node in nodes[1:] if not node.visits and not node.children])
        heap = [self._rank(node) for node in nodes if self._is_open(node)]
        heapq.heapify(heap)
        while heap and not self._is_done:
            node = heapq.heappop(heap)[-1]
            assert node.width is not None, "open nodes have a width"
            count = min(node.width - node.asked, self.settings.budget - self.tree.root.visits)
            grown = yield from self._grow([node] * count)
            fresh = [child for child in dict.fromkeys(grown) if not child.visits]
            yield from self._finish(fresh)
            for child in (*fresh, node):
                if self._is_open(child):
                    heapq.heappush(heap, self._rank(child))

    def _rank(self, node: TreeNode) -> tuple[float, int, int, TreeNode]:
        """Order of a leaf: the highest return of the whole path first."""
        value, at = node.first if node.visits else 0.0, node.parent
        while at is not None:
            value, at = at.reward + self.tree.gamma * value, at.parent
        return -value, node.depth, node.number, node

    def _frontier(self) -> Steps[None]:
        until_passed = self.settings.until_passed
        while not self._is_done and (wanted := self._next_level()):
            grown = yield from self._grow(wanted)
            if until_passed and any(node.outcome is not None and node.outcome[1] for node in grown):
                break
        if not self._is_done:
            leaves = [node for node in self.tree.nodes if not node.children]
            yield from self._finish([node for node in leaves if not node.visits])

    def _next_level(self) -> list[TreeNode]:
        """Nodes of the shallowest depth that can be extended, each as often as the budget allows.

        All get a first child before any gets a second one. Only state counts, so that a search resumes.
        """
        levels: dict[int, list[TreeNode]] = {}
        room = self.settings.budget - 1
        for node in self.tree.nodes:
            room -= max(0, node.asked - 1)
            if self._is_open(node):
                levels.setdefault(node.depth, []).append(node)
        for _, level in sorted(levels.items()):
            places = [(at, node) for node in level for at in range(node.asked, node.width or 0)]
            places.sort(key=lambda place: (place[0], place[1].number))
            first = [node for at, node in places if at == 0]
            wanted = first + [node for at, node in places if at > 0][: max(0, room)]
            if wanted:
                return wanted
        return []
