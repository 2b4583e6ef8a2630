"""The growth of one tree: its nodes, the actions that lead to them, and what visits to them return."""

import math
import random
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

from reasonenv import _checks
from reasonenv._native import Game, InvalidArgument
from reasonenv._trees import SearchTree, TreeNode, node_line
from reasonenv.rewards.groups import Sigma, advantages, discounted_return
from reasonenv.rollouts._completion import Completion, Context, plain
from reasonenv.rollouts._episodes import LiveEpisode, verdict_of
from reasonenv.rollouts._forks import exact_values, is_fully_known, legal_actions, play_of, state_key
from reasonenv.rollouts._tree import Tree

T = TypeVar("T")

Write: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Writes a line of `tree.jsonl`."""


class Request(NamedTuple):
    """A policy's next answer: where, and which of those asked for there."""

    context: Context
    rollout: int


Steps: TypeAlias = Generator[list[Request], Sequence[Completion], T]
"""Yields requests, is sent their answers, and returns a T."""


class Unanswered(Exception):
    """An endpoint failed to answer."""


class TreeGrowth:
    """The tree of one policy from one start.

    Args:
        settings: Settings of the tree.
        episode: Episode at its start.
        tree: Tree without nodes, which says whose it is.
        keep: Number of paths to keep as rollouts.
        seed: Determines the order of moves.
        write: Writes the lines of the tree.
        lines: Lines of an earlier session.
    """

    def __init__(
        self,
        settings: Tree,
        episode: LiveEpisode,
        tree: SearchTree,
        *,
        keep: int,
        seed: int,
        write: Write,
        lines: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self.settings = settings
        self.tree = tree
        self.start = episode
        self.paths: list[LiveEpisode] = []
        """Paths to an end, as episodes: the first ones, with one that passed among them if there is any."""
        self.error: str | None = None
        self._keep = keep
        self._seed = seed
        self._write = write
        self._solved: dict[Hashable, Sequence[float]] = {}
        self._has_passed = False
        self._reached: TreeNode | None = None
        """Node of the path that was interrupted."""
        self._is_leaf = False
        """True if that path has its last node."""
        self._noted: dict[tuple[str, int, int], Completion] = {}
        self._begin(episode, lines)

    def _begin(self, episode: LiveEpisode, lines: Iterable[Mapping[str, Any]]) -> None:
        tree, env = self.tree, episode.env
        tree.players = 2 if "current_player" in episode.info else 1
        game = getattr(env.unwrapped, "game", None)
        tree.proves = is_fully_known(env)
        tree.bounded = tree.players == 2 and isinstance(game, Game) and not game.has_stakes
        if tree.players == 2 and self.settings.select == "best_first":
            msg = "`select` is 'best_first', but two players want different ends; take 'uct' or 'frontier'"
            raise InvalidArgument(msg)
        root = tree.add(None, None, episode.info.get("current_player", 0))
        self._arrive(root, episode)
        history = iter(lines)
        if next(history, None) is None:
            self._write(tree.header())
        else:
            self._replay(history)

    def _replay(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Take in the lines of an earlier session: states are reached again, no policy is asked."""
        for line in lines:
            node = self.tree.read(line)
            if node is not None:
                assert node.parent is not None, "a line adds no root"
                self._arrive(node, _taken(node.parent.live, [node.action], node.number))
            if "again" in line:
                node = self.tree.nodes[line["again"]]
            self._reached = None if "visit" in line else node or self._reached
            if "said" in line:
                self._noted[line["id"], line["turn"], line["rollout"]] = Completion.from_dict(line["said"])
            if "path" in line:
                at = self.tree.nodes[line["visit"]]
                self._keep_path(_taken(at.live, line["path"]), line["passed"])
            if line.get("passed"):
                self._remember_pass(self.tree.nodes[line["visit"]], line["values"])
        at = self._reached
        if at is not None and at.parent is not None and not at.visits:
            self._is_open(at.parent)
            self._is_leaf = at.parent.actions is not None or self.settings.value is not None
        for node in reversed(self.tree.nodes):
            if node.children:
                self._is_open(node)  # finds out how it branches
            if node.is_solved:
                self._remember(node)
            self._settle(node)
            self._release(node)

    def noted(self, request: Request) -> Completion | None:
        """Answer that an earlier session wrote before a node came of it."""
        return self._noted.pop(_place(request), None) if self._noted else None

    def note(self, request: Request, said: Completion) -> None:
        """Write an answer of which a node comes later, so that it isn't asked for again."""
        if said.error is None:
            id_, turn, rollout = _place(request)
            self._write({"said": said.to_dict(), "id": id_, "turn": turn, "rollout": rollout})

    # Growth.

    def _is_open(self, node: TreeNode) -> bool:
        """True if a node may get another child."""
        if node.outcome is not None or node.depth >= self.settings.depth or node.live is None:
            return False
        if node.width is None:
            self._prepare(node)
        return node.width is not None and node.asked < node.width

    def _prepare(self, node: TreeNode) -> None:
        """Find out how a node branches."""
        at, width = self.settings.branch_at, self.settings.width
        if at == "steps":
            node.width = width
        elif at == "calls":
            node.width = width if _has_called(node) else 1
        elif at == "moves":
            env = node.live.env
            moves = legal_actions(env, node.live.info, text=isinstance(node.live.observation, str))
            if moves is None:
                msg = (
                    f"`branch_at` is 'moves', but {self.tree.source} lists no legal moves; take 'steps', or "
                    "a callable that lists actions"
                )
                raise InvalidArgument(msg)
            self._list(node, moves)
        else:
            assert callable(at), "the settings are checked"
            answer: object = at(self._context(node, node.live))
            if isinstance(answer, Sequence) and not isinstance(answer, str):
                self._list(node, answer)
            else:
                node.width = width if _checks.flag("branch_at(context)", answer) else 1
        if node.width != 1 and not (node.messages or node.choices):
            node.messages = _shown(node)
            if at == "moves":
                node.choices = len(node.actions or ())
            line = {"messages": node.messages or None, "choices": node.choices}
            self._write({"of": node.number} | {name: one for name, one in line.items() if one is not None})

    def _list(self, node: TreeNode, actions: Sequence[Any]) -> None:
        """Take the actions of a node from a list, in random order."""
        found = list(actions)
        random.Random(f"{self._seed}/{self.tree.group_id}/{node.number}").shuffle(found)
        node.actions = found
        node.width = min(len(found), self.settings.width or len(found))

    def _grow(self, wanted: Sequence[TreeNode]) -> Steps[list[TreeNode]]:
        """One child of each node, which may be one that it has already; a node may come several times."""
        requests, places = [], []
        for node in wanted:
            places.append(node.asked)
            if node.actions is None:
                requests.append(Request(self._context(node, node.live), node.asked))
            node.asked += 1
        answers = iter((yield requests) if requests else ())
        grown = []
        for node, at in zip(wanted, places, strict=True):
            said = _said(node.actions[at]) if node.actions is not None else next(answers)
            if said.error is not None:
                raise Unanswered(said.error)
            grown.append(self._child(node, said))
        for node in dict.fromkeys(wanted):
            self._release(node)
        return grown

    def _child(self, node: TreeNode, said: Completion) -> TreeNode:
        """The child that an action leads to."""
        action = plain(said.text if said.action is None else said.action)
        for child in node.children:
            if child.action == action:
                self._write({"again": child.number})
                return child
        if node.known is None:
            node.known = exact_values(node.live.env)
        play = play_of(node.live.env)
        episode = node.live.fork()
        episode.take(said)
        child = self.tree.add(node, action, episode.info.get("current_player", 0))
        if play is not None and isinstance(action, int):
            child.name = play.action_name(action)
        child.reward, child.exact = episode.rewards[-1], node.known.get(action)
        episode.turns[-1]["node"] = child.number
        self._arrive(child, episode)
        self._write(node_line(child))
        if child.key is not None and child.key in self._solved and not child.over:
            child.outcome = self._solved[child.key], True if self.tree.players == 1 else None
        if child.outcome is not None and self.tree.proves:
            self._prove(child, self._worth(child, child.outcome[0]))
        return child

    def _arrive(self, node: TreeNode, episode: LiveEpisode) -> None:
        """Note what a node's state is."""
        node.live = episode
        if self.settings.key is not None:
            node.key = self.settings.key(self._context(node, episode))
        else:
            node.key = state_key(episode.env)
        if episode.is_over:
            node.over = True
            if self.tree.players == 2:  # nobody is to move any more
                node.player = node.mover
            node.outcome = self._end_of(episode)

    def _end_of(self, episode: LiveEpisode) -> tuple[Sequence[float], bool | None]:
        """Return to each player after the end, and the verdict."""
        verdict = verdict_of(episode.info)
        values = [0.0]
        if self.tree.players == 2:
            values = plain(episode.info.get("returns")) or [0.0, 0.0]
        return values, None if verdict is None else bool(verdict["passed"])

    def _settle(self, node: TreeNode | None) -> None:
        """Mark nodes below which everything was visited; for one player, another visit would be the same."""
        while node is not None and node.visits and self.tree.players == 1:
            has_branched = node.width is not None and node.asked >= node.width and node.children
            if node.outcome is None and not (has_branched and all(child.spent for child in node.children)):
                return
            node.spent = True
            node = node.parent

    def _release(self, node: TreeNode) -> None:
        """Give up a state that nothing continues from."""
        has_branched = node.width is not None and node.asked >= node.width and node.children
        if has_branched or (node.outcome is not None and node.visits):
            node.live = node.actions = node.known = None

    # Visits.

    def _finish(self, leaves: Sequence[TreeNode]) -> Steps[None]:
        """Count a visit to each node, after playing on from it or estimating its value where need be."""
        playing: list[tuple[TreeNode, LiveEpisode, int]] = []
        for node in leaves:
            if node.outcome is not None:
                self._visit(node, *node.outcome, path=None if node.visits else node.live)
                self._release(node)
            elif node.is_solved:
                self._visit(node, self._values_of(node), None)
            elif self.settings.value is not None:
                given = self.settings.value(self._context(node, node.live))
                self._visit(node, self._sides(_checks.number("value(context)", given), node.player), None)
            else:
                playing.append((node, node.live.fork(), len(node.live.turns)))
        while live := [(node, episode) for node, episode, _ in playing if not episode.is_over]:
            answers = yield [Request(self._context(node, episode), node.visits) for node, episode in live]
            for (_, episode), said in zip(live, answers, strict=True):
                if said.error is not None:
                    raise Unanswered(said.error)
                episode.take(said)
        for node, episode, begun in playing:
            values, passed = self._end_of(episode)
            if self.tree.players == 1:
                values = [discounted_return(episode.rewards[begun:], self.tree.gamma)]
            else:
                values = [self.tree.gamma ** (len(episode.turns) - begun) * value for value in values]
            self._visit(node, values, passed, path=episode, begun=begun)

    def _visit(
        self,
        node: TreeNode,
        values: Sequence[float],
        passed: bool | None,
        *,
        path: LiveEpisode | None = None,
        begun: int | None = None,
    ) -> None:
        self.tree.visit(node, values, passed)
        self._settle(node)
        line: dict[str, Any] = {"visit": node.number, "values": values, "passed": passed}
        if path is not None and path.is_over and self._keep_path(path, passed):
            line["path"] = [] if begun is None else [turn["action"] for turn in path.turns[begun:]]
        self._write(line)
        if passed:
            self._remember_pass(node, values)

    def _keep_path(self, path: LiveEpisode, passed: bool | None) -> bool:
        """Keep a path as a rollout: the first ones, and at least one that passed."""
        if len(self.paths) < self._keep:
            self.paths.append(path)
        elif passed and not self._has_passed:
            self.paths[-1] = path
        else:
            return False
        self._has_passed = self._has_passed or bool(passed)
        return True

    def _prove(self, node: TreeNode, value: float) -> None:
        self.tree.prove(node, value)
        self._write({"proved": node.number, "value": value})
        at = node.parent
        while at is not None and at.is_solved:
            self._remember(at)
            at = at.parent

    def _remember(self, node: TreeNode) -> None:
        """Keep the values of a state that was proved."""
        if node.key is not None and not node.over:
            self._solved[node.key] = self._values_of(node)

    def _remember_pass(self, node: TreeNode, values: Sequence[float]) -> None:
        """Keep the states before a pass, from which one player needn't search again."""
        if self.tree.players == 1 and not self.tree.proves:
            at, value = node, values[0]
            while at.parent is not None:
                if at.key is not None and not at.over:
                    self._solved.setdefault(at.key, [value])
                value, at = at.reward + self.tree.gamma * value, at.parent

    def _worth(self, node: TreeNode, values: Sequence[float]) -> float:
        """Value of taking a node's action, from the returns after it."""
        own = self.tree.gamma * values[node.mover]
        return node.reward + own if self.tree.players == 1 else own

    def _values_of(self, node: TreeNode) -> Sequence[float]:
        """Return from a solved state on, to each player."""
        own = node.low - node.reward if self.tree.players == 1 else node.low
        return self._sides(own / (self.tree.gamma or 1.0), node.mover)

    def _sides(self, value: float, player: int) -> Sequence[float]:
        """Return to each player, from that to one of them."""
        if self.tree.players == 1:
            return [value]
        return [value if player == side else -value for side in range(2)]

    def _context(self, node: TreeNode, episode: LiveEpisode) -> Context:
        return episode.context(f"{self.tree.group_id}#{node.number}")

    def annotate(self, sigma: Sigma | None) -> None:
        """Write the statistics of the nodes into the turns of the kept paths."""
        for path in self.paths:
            for turn in path.turns:
                if isinstance(turn.get("node"), int):
                    turn["node"] = _statistics(self.tree.nodes[turn["node"]], sigma)


def _statistics(node: TreeNode, sigma: Sigma | None) -> dict[str, Any]:
    """Statistics of a node: its advantage is over its siblings."""
    assert node.parent is not None, "no action leads to the root"
    visited = [child for child in node.parent.children if child.visits]
    advantage = 0.0
    if node.visits:
        values = [child.value for child in visited]
        advantage = float(advantages(values, sigma=sigma and "group")[visited.index(node)])
    known = {"exact": node.exact if node.exact is not None else node.low if node.is_solved else None}
    value = None if math.isnan(node.value) else node.value
    counts = {"number": node.number, "visits": node.visits, "value": value, "advantage": advantage}
    return counts | {name: one for name, one in known.items() if one is not None}


def _place(request: Request) -> tuple[str, int, int]:
    """The request's name in a tree."""
    return request.context.id, request.context.turn, request.rollout


def _said(action: Any) -> Completion:
    return Completion(action) if isinstance(action, str) else Completion(action=action)


def _taken(episode: LiveEpisode, actions: Sequence[Any], number: int | None = None) -> LiveEpisode:
    """A fork of an episode after these actions."""
    made = episode.fork()
    for action in actions:
        made.take(_said(action))
    if number is not None:
        made.turns[-1]["node"] = number
    return made


def _has_called(node: TreeNode) -> bool:
    """True at the root and after a turn that called a tool."""
    episode: LiveEpisode = node.live
    if "tool_calls" not in episode.info:
        msg = "`branch_at` is 'calls', but the environment has no tools; take 'steps'"
        raise InvalidArgument(msg)
    before = episode.turns[-2]["info"] if len(episode.turns) > 1 else {}
    return node.parent is None or episode.info["tool_calls"] > before.get("tool_calls", 0)


def _shown(node: TreeNode) -> list[Mapping[str, Any]]:
    """Conversation up to a node; in numbers, the position as text."""
    episode: LiveEpisode = node.live
    if isinstance(episode.observation, str):
        return list(episode.context("").messages)
    play = play_of(episode.env)
    return [] if play is None else [{"role": "user", "content": play.text(node.player)}]
