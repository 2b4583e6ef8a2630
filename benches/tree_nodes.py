"""Nodes per second of trees whose states are forked, beside replaying each node from the root.

`python -m benches.tree_nodes` prints a table. Both sides reach the same nodes of the same trees, in one run.
"""

import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
from reasonenv.rollouts import Context, Sampling, SearchTree, Tree, rollout
from reasonenv.rollouts._completion import Completion
from reasonenv.rollouts._episodes import LiveEpisode
from reasonenv.rollouts._feeds import episode_seed

SEED = 0


def steps() -> Any:
    """A scratchpad of up to 128 steps."""
    return gymnasium.make("reasonenv/ChainSum-v1", mode="step", level=6, max_steps=128)


def moves() -> Any:
    """A sudoku, move by move."""
    return gymnasium.make("reasonenv/Sudoku-v1", mode="moves", level=5)


def game() -> Any:
    """Othello on 8×8, both sides, in numbers."""
    return gymnasium.make("reasonenv/Othello-v1", opponent="self")


def policy(contexts: Sequence[Context], rollout: int) -> list[Any]:
    """Answer as fast as a policy can: an idle step, or a random move."""
    answers: list[Any] = []
    for context in contexts:
        mask = context.info.get("action_mask")
        draw = random.Random(f"{context.id}/{context.turn}/{rollout}")
        answers.append(
            f"Step {draw.randrange(10**6)}." if mask is None else draw.choice(np.flatnonzero(mask))
        )
    return answers


def grown(env: Callable[[], Any]) -> SearchTree:
    """A tree with as many nodes deep down as near the root."""
    tree = Tree(width=2, depth=120, budget=16, select="uct")
    return rollout(env, policy, n=1, group_size=1, seed=SEED, sampling=Sampling(tree=tree)).trees[0]


def said(action: Any) -> Completion:
    return Completion(action) if isinstance(action, str) else Completion(action=action)


def forks(tree: SearchTree, start: LiveEpisode) -> float:
    """Seconds to reach every node by forking its parent."""
    before = time.perf_counter()
    states = {0: start}
    for node in tree.nodes[1:]:
        assert node.parent is not None
        states[node.number] = states[node.parent.number].fork()
        states[node.number].take(said(node.action))
    return time.perf_counter() - before


def replays(tree: SearchTree, env: Any) -> float:
    """Seconds to reach every node from the root."""
    before = time.perf_counter()
    for node in tree.nodes[1:]:
        episode = LiveEpisode(env, 0, episode_seed(SEED, 0), ())
        for step in node.path:
            episode.take(said(step.action))
    return time.perf_counter() - before


def main() -> None:
    print("| environment | nodes | mean depth | nodes/s, forked | nodes/s, replayed | ratio |")
    print("| --- | --: | --: | --: | --: | --: |")
    for env in (steps, moves, game):
        tree, made = grown(env), env()
        nodes = tree.nodes[1:]
        start = LiveEpisode(made, 0, episode_seed(SEED, 0), ())
        forked = min(forks(tree, start) for _ in range(3))
        replayed = min(replays(tree, env()) for _ in range(2))
        depth = sum(node.depth for node in nodes) / len(nodes)
        rates = f"{len(nodes) / forked:,.0f} | {len(nodes) / replayed:,.0f} | {replayed / forked:.0f}"
        print(f"| {(env.__doc__ or '').rstrip('.')} | {len(nodes)} | {depth:.0f} | {rates} |")


if __name__ == "__main__":
    main()
