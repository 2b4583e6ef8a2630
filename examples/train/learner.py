"""A transformer as a policy of task families: warmed up on worked solutions, then learning from groups."""

import random
from collections.abc import Callable, Sequence

import numpy as np
import reasonenv
import torch
from reasonenv.rollouts import Completion, Context, Record
from transformer import Model, Tokenizer, Update, policy_step, supervised_step, warmed

BATCH, RATE = 64, 2e-3
PART = 256
"""Completions per forward pass of an update."""


def worked(task: reasonenv.Task) -> str:
    """A demonstration: the steps of the solution, then the answer."""
    solution = task.solution
    return "\n".join([*solution.steps, task.wrap(solution.answer)])


def network(
    shown: Sequence[tuple[str, str]], *, variable: str, piece: str, width: int = 128, layers: int = 3
) -> Model:
    """A fresh network that knows the tokens of these demonstrations."""
    return Model(
        Tokenizer([asked for asked, _ in shown], (said for _, said in shown), variable=variable, piece=piece),
        width=width,
        layers=layers,
    )


def warm_up(
    model: Model,
    shown: Sequence[tuple[str, str]],
    steps: int,
    seed: int,
    stop: Callable[[], bool] | None = None,
) -> int:
    """Train by maximum likelihood for `steps` or until `stop`, asked every ten, is true; return the steps."""
    rng, optimizer = random.Random(seed), torch.optim.AdamW(model.parameters(), RATE)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = warmed(step, RATE)
        asked, said = zip(*rng.sample(shown, min(BATCH, len(shown))), strict=True)
        supervised_step(model, optimizer, model.pack(asked, said))
        if stop is not None and (step + 1) % 10 == 0 and stop():
            return step + 1
    return steps


class Policy:
    """The network as a policy of tasks."""

    name = "network"

    def __init__(self, model: Model, temperature: float, most: int) -> None:
        self.model, self.temperature, self.most = model, temperature, most

    def __call__(self, tasks: Sequence[reasonenv.Task], _rollout: int) -> list[Completion]:
        """Return a completion of each task; one that does not end in time is marked as truncated."""
        return self.said([task.prompt for task in tasks])

    def said(self, prompts: Sequence[str]) -> list[Completion]:
        """Return a completion of each prompt."""
        samples, texts = self.model.generate(prompts, temperature=self.temperature, most=self.most)
        ends = (samples.completions == 1).any(1).tolist()
        return [Completion(text, truncated=not end) for text, end in zip(texts, ends, strict=True)]


class Speaker(Policy):
    """The network as a policy of conversations: it reads the whole conversation so far."""

    def __call__(self, contexts: Sequence[Context], _rollout: int) -> list[Completion]:  # type: ignore[override]
        return self.said([context.prompt for context in contexts])


def learn(
    model: Model, optimizer: torch.optim.Optimizer, moves: Sequence[tuple[str, str, float]], how: Update
) -> None:
    """Apply policy gradients to (prompt, completion, advantage), a part at a time."""
    moves = [move for move in moves if move[2]]
    if not moves:
        return
    # Sorted by length, so that there is little padding.
    moves = sorted(moves, key=lambda move: len(move[1]))
    for part in np.array_split(np.arange(len(moves)), max(1, len(moves) // PART)):
        asked, said, gains = zip(*(moves[i] for i in part), strict=True)
        policy_step(model, optimizer, model.pack(asked, said), np.asarray(gains), how)


def answered(trajectories: Sequence[Record]) -> list[tuple[str, str, float]]:
    """Update data from single answers: prompt, completion and advantage."""
    return [(one.prompt, one.text, one.advantage or 0.0) for one in trajectories]
