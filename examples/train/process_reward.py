"""Process reward compared with outcome only: does rewarding steps teach more than right answers alone?

The network works out a chain of sums step by step. It is warmed up on solutions with some wrong steps, and
then learns from groups: from the answer alone, from the answer and the progress of its steps, from progress
alone, and the same with the mean truth of its steps, which says nothing of progress.

python examples/train/process_reward.py [--quick] [--seeds 3]
"""

import random
import re
from functools import partial
from pathlib import Path
from typing import Any

import reasonenv
import torch
from common import Experiment, Result, arguments, improves, mean, over_seeds
from learner import Policy, answered, learn, network, warm_up
from reasonenv.rewards import Process, process_rewards
from transformer import Model, Update

FAMILY = reasonenv.family("chain_sum")
PARAMS: Any = {"terms": 4, "digits": 1, "subtraction": True}
STYLE = {"template": FAMILY.templates[0]}
ARMS: dict[str, tuple[float, Process]] = {
    "outcome": (0.0, "progress"),
    "progress": (0.5, "progress"),
    "progress alone": (1.0, "progress"),
    "truth": (0.5, "mean"),
    "truth alone": (1.0, "mean"),
}
"""Weight and measure of the steps; the rest of the weight is for the answer."""

GROUP, ASKED, MOST = 8, 16, 60
SIZES: dict[str, dict[str, Any]] = {
    "tiny": {
        "warm_up": 500,
        "updates": 16,
        "judged": 100,
        "examples": 3_000,
        "arms": ["progress alone", "truth alone"],
    },
    "full": {"warm_up": 500, "updates": 240, "judged": 300, "examples": 3_000, "arms": list(ARMS)},
}
WIDTH = 64
RATE = 2e-4
WRONG = 0.15
"""Probability that a step of a demonstration is wrong."""


def source(split: Any, seed: int) -> reasonenv.Source:
    """Chains of one length."""
    return FAMILY.source(seed=seed, params=PARAMS, split=split, style=STYLE)


def with_mistakes(task: reasonenv.Task, rng: random.Random) -> str:
    """A worked solution with wrong steps, each of which later steps build on."""
    terms = [int(term) for term in re.findall(r"-?\d+", re.sub(r"\s", "", _expression(task)))]
    total, steps = terms[0], []
    for term in terms[1:]:
        result = total + term + (rng.choice((-10, -1, 1, 10)) if rng.random() < WRONG else 0)
        steps.append(f"{total} {'-' if term < 0 else '+'} {abs(term)} = {result}")
        total = result
    return "\n".join([*steps, task.wrap(str(total))])


def _expression(task: reasonenv.Task) -> str:
    """The chain in a prompt."""
    found = re.search(r"\d+(?: [+-] \d+)+", task.prompt)
    assert found is not None, "a prompt of this wording holds its chain"
    return found.group()


def steps_of(text: str) -> list[str]:
    """The lines before the answer."""
    return [line for line in text.partition("<answer>")[0].splitlines() if line.strip()][:16]


def earned(task: reasonenv.Task, text: str, process: Process) -> float:
    """Reward of the steps of a completion, from 0 to 1."""
    return float(process_rewards(task.verify_steps(steps_of(text)), process).sum())


def reward(weight: float, process: Process) -> Any:
    """Return a reward for the answer and, by this weight and measure, for the steps."""

    def pays(task: reasonenv.Task, text: str, verdict: reasonenv.Verdict) -> float:
        return (1 - weight) * verdict.passed + (weight * earned(task, text, process) if weight else 0.0)

    return pays


def measure(model: Model, split: Any, seed: int, count: int) -> Result:
    """Greedy pass rate, and progress and truth of the steps."""
    batch = source(split, seed).batch(0, count)
    texts = model.answers(batch.prompts, most=MOST)
    return {
        "passed": float(batch.verify(texts).passed.mean()),
        "progress": mean(earned(*one, "progress") for one in zip(batch, texts, strict=True)),
        "truth": mean(earned(*one, "mean") for one in zip(batch, texts, strict=True)),
    }


def fresh_network(seed: int, size: dict[str, Any]) -> tuple[Model, list[tuple[str, str]]]:
    """An untrained network, and its demonstrations."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    items = source("train", 7_000 + seed).batch(0, size["examples"])
    shown = [(task.prompt, with_mistakes(task, rng)) for task in items]
    return network(shown, variable=r"\d", piece=r"</?answer>|\d|\w+| |\n|.", width=WIDTH), shown


def begin(size: dict[str, Any], seed: int, path: Path) -> Result:
    """Create the start that every arm of a seed shares, in a file."""
    model, shown = fresh_network(seed, size)
    warm_up(model, shown, size["warm_up"], seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), path)
    return {"before": measure(model, "test", 0, size["judged"])}


def train(size: dict[str, Any], arm: str, seed: int, path: Path) -> Result:
    """Train one arm under one seed."""
    model, _ = fresh_network(seed, size)
    model.load_state_dict(torch.load(path))
    optimizer, how = torch.optim.AdamW(model.parameters(), RATE), Update(temperature=1.0, entropy=0.003)
    torch.manual_seed(1_000 + seed)
    curve = [[0.0, measure(model, "eval", seed, 50)["passed"]]]
    items = source("train", seed)
    for update in range(size["updates"]):
        made = reasonenv.rollout(
            items.batch(update * ASKED, ASKED),
            Policy(model, how.temperature, MOST),
            n=ASKED,
            group_size=GROUP,
            reward=reward(*ARMS[arm]),
        )
        learn(model, optimizer, answered(list(made)), how)
        if (update + 1) % max(1, size["updates"] // 10) == 0:
            curve.append([float(update + 1), measure(model, "eval", seed, 50)["passed"]])
            print(f"  {arm} {update + 1}: {curve[-1][1]:.2f}", flush=True)
    return {"after": measure(model, "test", 0, size["judged"]), "curve": curve}


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    asked = parser.parse_args()
    size = SIZES["tiny" if asked.quick else "full"]
    folder = asked.out / ("quick" if asked.quick else "") / "process_reward"
    facts = size | {"params": PARAMS, "wrong": WRONG, "rate": RATE, "width": WIDTH, "asked": ASKED}
    experiment = Experiment("process_reward", folder, asked.quick, facts)
    parts = experiment.arms(
        size["arms"], 1 if asked.quick else asked.seeds, partial(begin, size), partial(train, size)
    )
    experiment.curves(
        {arm: [one["curve"] for one in seeds] for arm, seeds in parts.items()},
        "updates",
        "pass rate, development items",
    )
    told: Result = {}
    for arm, seeds in parts.items():
        told[arm] = {"minutes": [one["minutes"] for one in seeds]}
        for when in ("before", "after"):
            for measured in ("passed", "progress", "truth"):
                told[arm][f"{when}_{measured}"] = over_seeds([one[when][measured] for one in seeds])
        print(f"{arm}: {told[arm]['before_passed']['mean']:.3f} to {told[arm]['after_passed']['mean']:.3f}")
    experiment.finish({"arms": told})
    if asked.quick:
        one = parts["progress alone"][0]
        improves("progress", one["before"]["progress"], one["after"]["progress"], 0.01)


if __name__ == "__main__":
    main()
