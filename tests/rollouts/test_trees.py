"""Trees of rollouts: their search, their statistics, and how they resume."""

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from reasonenv.envs import wrappers
from reasonenv.errors import InvalidArgument
from reasonenv.rollouts import (
    Completion,
    Context,
    InvalidRun,
    Sampling,
    SearchTree,
    Tree,
    read_trees,
    rollout,
)
from reasonenv.rollouts._forks import forked

GAME = "reasonenv/TicTacToe-v1"


def board() -> gymnasium.Env[Any, Any]:
    return gymnasium.make(GAME, opponent="self")


def sums() -> gymnasium.Env[Any, Any]:
    return gymnasium.make("reasonenv/ChainSum-v1", mode="step", level=4, max_steps=6)


class Reasoner:
    """Writes true and useless steps, and answers right half of the time; counts what it is asked."""

    name = "reasoner"

    def __init__(self, most: float = float("inf")) -> None:
        self.asked: Counter[tuple[str, int, int]] = Counter()
        self.most = most

    def __call__(self, contexts: Sequence[Context], rollout: int) -> list[str]:
        return [self.answer(context, rollout) for context in contexts]

    def answer(self, context: Context, rollout: int) -> str:
        if self.asked.total() >= self.most:
            raise KeyboardInterrupt
        self.asked[context.id, context.turn, rollout] += 1
        draw = random.Random(f"{context.id}/{context.turn}/{rollout}")
        solution = context.task.solution
        if context.turn >= 2:
            return f"final answer: {solution.answer if draw.random() < 0.5 else 'none'}"
        return solution.steps[context.turn] if draw.random() < 0.5 else f"Let me see {draw.randrange(9)}."


def asked_for(tree: Tree, **more: Any) -> dict[str, Any]:
    return {"n": 3, "group_size": 6, "sampling": Sampling(tree=tree)} | more


def shape_of(tree: SearchTree) -> list[tuple[Any, ...]]:
    """Everything that is known of a tree's nodes."""
    return [
        (node.parent and node.parent.number, node.action, node.visits, node.total, node.low, node.high)
        for node in tree.nodes
    ]


def decisive_starts(count: int, seed: int) -> list[tuple[list[int], dict[int, int]]]:
    """Openings of tic-tac-toe after which some moves are better than others, with what each is worth."""
    draw = random.Random(seed)
    found: list[tuple[list[int], dict[int, int]]] = []
    while len(found) < count:
        state, moves = reasonenv.game("tic_tac_toe").start(), []
        for _ in range(draw.randrange(7)):
            if not state.is_over:
                moves.append(draw.choice(state.legal_actions()))
                state.apply(moves[-1])
        worth = {action: value.outcome for action, value in state.values().items()}
        if len(set(worth.values())) > 1:
            found.append((moves, worth))
    return found


def test_in_tic_tac_toe_a_thousand_visits_find_the_best_move_and_its_value() -> None:
    starts = decisive_starts(40, seed=5)
    tree = Tree(width=None, branch_at="moves", budget=1000)
    sampling = Sampling(tree=tree, branch=lambda number: starts[number][0])
    result = rollout(board, "game:random", n=len(starts), group_size=1, sampling=sampling)
    best = within = counted = solved = 0
    for (_, worth), grown in zip(starts, result.trees, strict=True):
        chosen = grown.best_child(grown.root)
        assert chosen is not None
        best += worth[chosen.action] == max(worth.values())
        solved += grown.root.is_solved
        if grown.root.is_solved:
            assert grown.root.value == max(worth.values())
        for node in grown.nodes[1:]:
            assert node.exact is not None
            assert node.low <= node.exact <= node.high, "what is proved holds"
            if node.visits >= 30:
                low, high = grown.interval(node)
                within += low <= node.exact <= high
                counted += 1
    assert best >= 0.95 * len(starts)
    assert within >= 0.95 * counted > 0
    assert solved >= len(starts) // 3


def test_values_are_those_of_the_mover() -> None:
    tree = Tree(width=None, branch_at="moves", budget=300)
    mover_wins = Sampling(tree=tree, branch=lambda _: [0, 3, 1, 4])  # 2 wins at once, all else loses to 5
    [grown] = rollout(board, "game:random", n=1, group_size=4, sampling=mover_wins).trees
    assert grown.players == 2
    best = grown.best_child(grown.root)
    assert best is not None
    assert (best.name, best.value, best.mover) == ("2", 1.0, 0)
    other_wins = Sampling(tree=tree, branch=lambda _: [0, 3, 8, 4])  # X must stop 5
    [grown] = rollout(board, "game:random", n=1, group_size=4, sampling=other_wins).trees
    lost = {child.action: child.value for child in grown.root.children if child.action != 5}
    assert set(lost.values()) == {-1.0}
    assert grown.best_child(grown.root).action == 5  # type: ignore[union-attr]


@pytest.mark.parametrize("select", ["uct", "best_first", "frontier"])
def test_paths_of_a_tree_are_a_group(select: Any) -> None:
    result = rollout(sums, Reasoner(), **asked_for(Tree(width=3, budget=12, select=select)))
    assert len(result.trees) == len(result.groups) == 3
    for tree, group in zip(result.trees, result.groups, strict=True):
        assert tree.finished
        assert tree.root.visits <= 12
        assert {record.group_id for record in group} == {tree.group_id}
        assert [record.rollout for record in group] == list(range(len(group)))
        distinct = {tuple(turn["action"] for turn in record.turns) for record in group}
        assert len(distinct) == len(group) or select == "best_first", "only playing on may repeat a path"
        rewards = [record.reward for record in group]
        assert sum(record.advantage or 0 for record in group) == pytest.approx(0, abs=1e-6)
        assert any(record.passed for record in group) == bool(tree.root.passes)
        assert all(reward in (0.0, 1.0) for reward in rewards)
        for node in tree.nodes:
            assert len(node.children) <= 3
            assert node.visits >= sum(child.visits for child in node.children)
            assert node.live is None or not node.over, "ended states are given up"


def test_one_player_visits_nothing_twice() -> None:
    [tree] = rollout(sums, Reasoner(), **asked_for(Tree(width=2, budget=500), n=1)).trees
    assert tree.root.spent
    assert tree.root.visits < 500
    for node in tree.nodes[1:]:
        assert node.parent is not None
        if node.over:
            assert node.visits <= node.parent.asked - len(node.parent.children) + 1, "as often as answered"


def test_memory_is_bounded_by_what_may_still_branch() -> None:
    tree = Tree(width=None, branch_at="moves", budget=300)
    [grown] = rollout(board, "game:random", n=1, group_size=5, sampling=Sampling(tree=tree)).trees
    assert len(grown.nodes) <= 301
    for node in grown.nodes:
        kept = node.live is not None
        assert not (kept and (node.over or node.is_full)), "states that nothing continues from are given up"


def test_a_turn_has_the_statistics_of_its_node() -> None:
    result = rollout(sums, Reasoner(), **asked_for(Tree(width=3, budget=12), n=1))
    [tree] = result.trees
    first = {}
    for record in result:
        fact = record.turns[0]["node"]
        node = tree.nodes[fact["number"]]
        assert node.action == record.turns[0]["action"]
        assert (fact["visits"], fact["value"]) == (node.visits, node.value)
        first[node.number] = fact["advantage"]
    assert sum(first.values()) == pytest.approx(0, abs=1e-6), "an advantage is over siblings"
    json.dumps(result[0].to_dict())


@pytest.mark.parametrize("select", ["uct", "best_first", "frontier"])
def test_a_killed_search_resumes_and_asks_nothing_twice(select: Any, tmp_path: Path) -> None:
    ask = asked_for(Tree(width=3, budget=10, select=select), n=2)
    whole = rollout(sums, Reasoner(), **ask)
    needed = Reasoner()
    rollout(sums, needed, **ask)
    for killed in (1, needed.asked.total() // 2, needed.asked.total() - 1):
        folder = tmp_path / str(killed)
        first, second = Reasoner(killed), Reasoner()
        with pytest.raises(KeyboardInterrupt):
            rollout(sums, first, **ask, saving=folder)
        with (folder / "tree.jsonl").open("a") as file:
            file.write('{"tree": 0, "nod')  # a line that a killed process leaves
        result = rollout(sums, second, **ask, saving=folder)
        assert [shape_of(tree) for tree in result.trees] == [shape_of(tree) for tree in whole.trees]
        assert [one.text for one in result] == [one.text for one in whole]
        np.testing.assert_allclose(result.advantages, whole.advantages)
        # At most the answers of the interrupted call are lost, and steps beyond the nodes.
        print(select, killed, (first.asked & second.asked).total(), first.asked.total())
        assert (first.asked & second.asked).total() <= (8 if select == "best_first" else 6)
        again = Reasoner(0)
        assert [shape_of(tree) for tree in rollout(sums, again, **ask, saving=folder).trees] == [
            shape_of(tree) for tree in whole.trees
        ]


@pytest.mark.parametrize(
    ("env", "settings"),
    [
        (sums, Tree(width=3, budget=10)),
        (sums, Tree(width=3, budget=10, select="best_first")),
        (sums, Tree(width=2, budget=8, select="frontier")),
        (board, Tree(width=None, branch_at="moves", budget=30)),
    ],
)
def test_a_tree_resumes_after_any_line(env: Any, settings: Tree, tmp_path: Path) -> None:
    policy = "game:random" if env is board else Reasoner()
    ask = asked_for(settings, n=1)
    whole = rollout(env, policy, **ask, saving=tmp_path / "whole")
    lines = (tmp_path / "whole" / "tree.jsonl").read_text().splitlines(keepends=True)
    for kept in random.Random(1).sample(range(1, len(lines)), 12):
        folder = tmp_path / str(kept)
        folder.mkdir()
        (folder / "config.json").write_text((tmp_path / "whole" / "config.json").read_text())
        (folder / "tree.jsonl").write_text("".join(lines[:kept]))
        result = rollout(env, policy, **ask, saving=folder)
        assert [shape_of(tree) for tree in result.trees] == [shape_of(tree) for tree in whole.trees], kept
        assert [one.text for one in result] == [one.text for one in whole]


def test_a_tree_file_gives_the_trees_back(tmp_path: Path) -> None:
    tree = Tree(width=None, branch_at="moves", budget=40)
    sampling = Sampling(tree=tree)
    in_memory = rollout(board, "game:random", n=3, group_size=2, sampling=sampling)
    saved = rollout(board, "game:random", n=3, group_size=2, sampling=sampling, saving=tmp_path)
    assert [shape_of(tree) for tree in saved.trees] == [shape_of(tree) for tree in in_memory.trees]
    assert {tree.group_id for tree in read_trees(tmp_path)} == {tree.group_id for tree in saved.trees}
    with pytest.raises(InvalidRun, match="`tree` is"):
        rollout(board, "game:random", n=3, group_size=2, saving=tmp_path)
    damaged = tmp_path / "tree.jsonl"
    damaged.write_text('{"tree": 4, "visit": 0}\n')
    with pytest.raises(InvalidRun, match="line 1: it belongs to no tree"):
        list(read_trees(tmp_path))
    with pytest.raises(InvalidRun, match="holds no trees"):
        list(read_trees(tmp_path / "missing"))


def test_coroutines_grow_the_same_trees() -> None:
    inner = Reasoner()

    async def reasoner(context: Context, rollout: int) -> str:
        return inner.answer(context, rollout)

    ask = asked_for(Tree(width=2, budget=8, select="frontier"))
    apart, together = rollout(sums, reasoner, **ask), rollout(sums, Reasoner(), **ask)
    assert [shape_of(tree) for tree in apart.trees] == [shape_of(tree) for tree in together.trees]


def test_an_endpoint_that_fails_is_asked_again(tmp_path: Path) -> None:
    inner, failing = Reasoner(), [True]

    def policy(contexts: Sequence[Context], rollout: int) -> list[Any]:
        if failing[0] and inner.asked.total() > 15:
            return [Completion(error="no answer") for _ in contexts]
        return inner(contexts, rollout)

    ask = asked_for(Tree(width=3, budget=10), saving=tmp_path)
    first = rollout(sums, {"model": policy}, **ask)
    assert first.errors
    assert first.summary[0].errors
    assert not (tmp_path / "summary.json").exists()
    failing[0] = False
    second = rollout(sums, {"model": policy}, **ask)
    assert not second.errors
    assert all(tree.finished for tree in second.trees)
    whole = rollout(sums, {"model": Reasoner()}, **asked_for(Tree(width=3, budget=10)))
    assert [shape_of(tree) for tree in second.trees] == [shape_of(tree) for tree in whole.trees]
    assert max(inner.asked.values()) == 1, "nothing was asked twice"


def test_calls_are_branching_points() -> None:
    def policy(contexts: Sequence[Context], rollout: int) -> list[str]:
        call = '<tool_call>{"name": "calculator", "arguments": {"expression": "1 + %d"}}</tool_call>'
        return [
            "<answer>1</answer>" if context.turn == 2 else call % rollout if context.turn == 0 else "think"
            for context in contexts
        ]

    def env() -> Any:
        inner = gymnasium.make("reasonenv/ChainSum-v1", level=4)
        return wrappers.tools(inner, ["calculator"])

    [tree] = rollout(env, policy, **asked_for(Tree(width=3, budget=9, branch_at="calls"), n=1)).trees
    assert len(tree.root.children) == 3, "the root branches"
    assert all(child.width == 3 for child in tree.root.children), "and so does a turn after a call"
    with pytest.raises(InvalidArgument, match="'calls', but the environment has no tools"):
        rollout(sums, Reasoner(), **asked_for(Tree(branch_at="calls")))


def test_problems_are_searched_by_their_moves() -> None:
    def env() -> Any:
        return gymnasium.make("reasonenv/Sudoku-v1", mode="moves", level=1)

    def policy(contexts: Sequence[Context], rollout: int) -> list[int]:
        draw = random.Random(rollout)
        return [draw.choice(np.flatnonzero(context.info["action_mask"]).tolist()) for context in contexts]

    result = rollout(env, policy, **asked_for(Tree(width=None, branch_at="moves", budget=60), n=2))
    for tree in result.trees:
        assert tree.proves
        assert all(node.choices is None or len(node.children) <= node.choices for node in tree.nodes)
        assert tree.root.messages[0]["role"] == "user"


def test_moves_of_a_game_in_text_have_their_names() -> None:
    def env() -> Any:
        return gymnasium.make(GAME, mode="text", opponent="random")

    [tree] = rollout(
        env, "game:random", **asked_for(Tree(width=None, branch_at="moves", budget=12), n=1)
    ).trees
    assert all(child.name.startswith("<move>") for child in tree.root.children)
    assert tree.root.messages[0]["role"] == "system"


def test_a_callable_decides_where_and_how_paths_part() -> None:
    def twice_at_the_start(context: Context) -> Any:
        return ["A guess.", context.task.solution.steps[0]] if context.turn == 0 else context.turn == 1

    [tree] = rollout(
        sums, Reasoner(), **asked_for(Tree(width=3, budget=12, branch_at=twice_at_the_start), n=1)
    ).trees
    assert {child.name for child in tree.root.children} == {"A guess.", "791 + 739 = 1530"}
    below = [child for child in tree.root.children if child.children]
    assert all(len(node.children) == 1 for child in below for node in child.children if node.children)


def test_the_best_leaf_comes_first_and_a_pass_ends_the_tree() -> None:
    valued: list[str] = []

    def right_steps(context: Context) -> int:
        share: float = (context.info.get("process_scores") or [0.0])[-1]
        return round(share * len(context.task.solution.steps))

    def value(context: Context) -> float:
        valued.append(context.id)
        return 0.1 * right_steps(context)

    def policy(contexts: Sequence[Context], rollout: int) -> list[str]:
        answers = []
        for context in contexts:
            steps = context.task.solution.steps
            right = right_steps(context)
            good = f"final answer: {context.task.solution.answer}" if right == len(steps) else steps[right]
            answers.append(good if rollout == 2 else f"Idle {rollout}.")
        return answers

    tree = Tree(width=3, budget=200, depth=6, select="best_first", value=value, until_passed=True)
    [grown] = rollout(sums, policy, **asked_for(tree, n=1)).trees
    assert grown.root.passes == 1
    assert grown.root.visits <= 3 * 6, "the search went straight down"
    assert grown.best_path()[-1].over
    assert len(valued) == grown.root.visits - sum(node.over for node in grown.nodes)


def test_states_with_the_key_of_a_solved_one_are_not_searched_again() -> None:
    """The order of the first two words doesn't matter, so half of the states are known."""

    class Words(gymnasium.Env[str, str]):
        keyed = False

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[str, dict[str, Any]]:
            super().reset(seed=seed, options=options)
            self.said: list[str] = []
            return "Say a, b and end.", {}

        def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
            self.said.append(action)
            over = len(self.said) == 3
            passed = over and sorted(self.said[:2]) == ["a", "b"] and action == "end"
            return " ".join(self.said), float(passed), over, False, {"is_success": passed} if over else {}

        def state_key(self) -> str | None:
            return " ".join(sorted(self.said)) if self.keyed else None

    def grown(keyed: bool) -> SearchTree:
        Words.keyed = keyed
        tree = Tree(width=3, budget=60, branch_at=lambda _: ["a", "b", "end"], select="best_first")
        return rollout(Words, lambda contexts, _: ["end"] * len(contexts), **asked_for(tree, n=1)).trees[0]

    with_keys, without = grown(True), grown(False)
    assert len(with_keys.nodes) < len(without.nodes)
    assert with_keys.root.passes
    assert {node.number for node in with_keys.nodes if node.key == "a b"} != set()


@pytest.mark.parametrize(
    "make",
    [
        board,
        sums,
        lambda: gymnasium.make(GAME, opponent="random"),
        lambda: gymnasium.make("reasonenv/Sudoku-v1", mode="moves", level=1),
        lambda: gymnasium.make("reasonenv/ChainSum-v1", mode="step", level=2, allow_verify=True),
    ],
)
def test_forks_go_on_like_the_original_and_leave_it_alone(make: Callable[[], Any]) -> None:
    env, draw = make(), random.Random(3)
    _, info = env.reset(seed=7)
    for turn in range(20):
        fork, other = forked(env), forked(env)
        legal = (
            np.flatnonzero(info["action_mask"]).tolist() if "action_mask" in info else ["1 + 1 = 2", "So."]
        )
        other.step(legal[0])
        action = draw.choice(legal)
        there, here = fork.step(action), env.step(action)
        assert np.array_equal(there[0], here[0])
        assert there[1:4] == here[1:4]
        assert repr(there[4]) == repr(here[4])
        info = here[4]
        if here[2] or here[3]:
            assert turn
            return


def test_mistakes_are_named() -> None:
    wrong: dict[str, Any] = {
        "width": 0,
        "depth": 0,
        "budget": 0,
        "branch_at": "turns",
        "select": "best",
        "exploration": -1,
        "value": 3,
        "key": "observation",
        "until_passed": 1,
    }
    for given, said in wrong.items():
        with pytest.raises(InvalidArgument, match=f"`{given}`|^unknown {given} "):
            Tree(**{given: said})
    with pytest.raises(InvalidArgument, match="`width` is None, but only moves"):
        Tree(width=None)
    with pytest.raises(InvalidArgument, match=r"`tree` is 3, but must be a `Tree`"):
        Sampling(tree=3)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"`tree` is a `Tree`, but .* needs an environment"):
        rollout("chain_sum", "oracle", **asked_for(Tree()))
    with pytest.raises(InvalidArgument, match="lists no legal moves"):
        rollout(sums, Reasoner(), **asked_for(Tree(width=None, branch_at="moves")))
    with pytest.raises(InvalidArgument, match="'best_first', but two players"):
        rollout(board, "game:random", **asked_for(Tree(select="best_first")))
