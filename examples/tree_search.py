"""Search over reasoning steps, and what the search gives a trainer: preferences between steps.

python examples/tree_search.py [family]
"""

import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import gymnasium
from reasonenv.data import export, run_records
from reasonenv.rollouts import Context, Sampling, Tree, rollout

family = sys.argv[1] if len(sys.argv) > 1 else "chain_sum"
name = "".join(word.capitalize() for word in family.split("_"))


def policy(contexts: Sequence[Context], rollout: int) -> list[str]:
    """Placeholder for your model, which sees `context.messages`: each step is right two times in three."""
    answers = []
    for context in contexts:
        draw = random.Random(f"{context.id}/{context.turn}/{rollout}")
        solution, right = context.task.solution, draw.random() < 2 / 3
        if context.turn < len(solution.steps):
            answers.append(solution.steps[context.turn] if right else f"Hm, {draw.randrange(100)}?")
        else:
            answers.append(f"final answer: {solution.answer if right else 'unknown'}")
    return answers


def make() -> gymnasium.Env[str, str]:
    """Make the environment that is searched."""
    return gymnasium.make(f"reasonenv/{name}-v1", mode="step", level=2, max_steps=12)


with TemporaryDirectory() as folder:
    tree = Tree(width=3, depth=10, budget=48)
    result = rollout(make, policy, n=8, group_size=16, sampling=Sampling(tree=tree), saving=f"{folder}/run")
    for grown in result.trees[:3]:
        low, high = grown.interval(grown.root)
        print(f"{len(grown.nodes)} nodes, value {grown.root.value:.2f} ({low:.2f} to {high:.2f}); best path:")
        for node in grown.best_path():
            print(f"    {node.value:.2f}  {node.visits:3} visits  {node.name}")
    pairs = list(run_records(f"{folder}/run", "preferences"))
    steps = Counter("true" if not pair["chosen"].startswith("Hm") else "idle" for pair in pairs)
    print(f"{len(pairs)} preferences; the chosen step is {dict(steps)}")
    export(pairs, Path(folder) / "preferences.jsonl", "preferences")  # prompt, chosen and rejected for TRL
