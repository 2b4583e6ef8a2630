"""ASCII trees from a few percent: untidy, half-learned supervision, then rewards alone.

A small transformer is warmed up on demonstrations that break the contract as language models do (preambles,
fences, other glyphs, missing tags, text after the answer). The warm-up stops while the model half knows
trees. After that it sees no demonstrations: groups of samples are verified, rewarded and compared with each
other.

python examples/train/ascii_tree.py [--quick] [--size small|large] [--arms v5,strict,…] [--seeds 3]
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import reasonenv
import torch
from common import Clock, Experiment, Result, arguments, improves, over_seeds, wilson
from reasonenv.rewards import Reward, advantages, resolve
from transformer import Model, Tokenizer, Update, policy_step, supervised_step, warmed

FAMILY = reasonenv.family("ascii_tree")
STYLE = {"template": "synthetic2", "wrapper": "contract"}
"""One template, close to SYNTHETIC-2's, in the same wrapper for base, training and evaluation."""

SIZES: dict[str, dict[str, Any]] = {
    "tiny": {
        "lines": 4,
        "depth": 1,
        "width": 128,
        "warm_up": 300,
        "examples": 2_000,
        "updates": 24,
        "most": 56,
        "more": 60,
    },
    "small": {
        "lines": 5,
        "depth": 2,
        "width": 128,
        "warm_up": 500,
        "examples": 6_000,
        "updates": 200,
        "most": 60,
        "more": 400,
    },
    "large": {
        "lines": 8,
        "depth": 3,
        "width": 128,
        "warm_up": 800,
        "examples": 12_000,
        "updates": 300,
        "most": 100,
        "more": 400,
    },
}
ARMS = ("v5", "v4", "v3", "strict", "shuffled", "supervised")
"""Training signals: three shaped rewards, the plain one, and two controls."""

BATCH, GROUP, PROMPTS = 64, 8, 16
RATE = 1e-3
"""Learning rate of supervision; reinforcement learning uses a fifth of it."""
BASE_AT_MOST = 0.05
"""Maximum strict pass rate on development tasks at which reinforcement learning starts."""
HALF_LEARNT = 0.4
"""Share of right trees, ignoring untidiness, at which warm-up ends, on development tasks."""
LEARNT = 0.98
"""Strict pass rate on development tasks at which an arm stops early."""

LABELS = (
    "extra_text_outside_tags",
    "wrong_branch_count",
    "extra_lines",
    "wrong_root",
    "indentation_or_spacing_only",
    "missing_lines",
    "missing_or_broken_tags",
)
"""The seven labels of the original experiment."""


def source(size: dict[str, Any], split: Any, seed: int) -> reasonenv.Source:
    """Trees of one size; no two splits share a tree, in any wording."""
    params: Any = {"lines": size["lines"], "depth": size["depth"], "children": 4, "names": "words"}
    return FAMILY.source(seed=seed, params=params, split=split, style=STYLE)


GLYPHS = (("+--", "├── "), ("`--", "└── "), ("|", "│"))
PREAMBLE, AFTERWORD = "Here is the tree:\n", "\nThis is the whole tree."


def untidy(drawing: str, rng: random.Random) -> str:
    """A demonstration as written by a model that knows trees but not the contract."""
    if rng.random() < 0.6:
        for ours, theirs in GLYPHS:
            drawing = drawing.replace(ours, theirs)
    if rng.random() < 0.6:
        drawing = f"```\n{drawing}\n```"
    if rng.random() >= 0.4:
        drawing = f"<ascii_formatted>\n{drawing}\n</ascii_formatted>"
    if rng.random() < 0.6:
        drawing = PREAMBLE + drawing
    if rng.random() < 0.6:
        drawing += AFTERWORD
    return drawing


def tidied(text: str) -> str:
    """A completion without such untidiness; it passes if its tree is right."""
    for part in (PREAMBLE, AFTERWORD, "```", "<ascii_formatted>", "</ascii_formatted>"):
        text = text.replace(part, "")
    for ours, theirs in GLYPHS:
        text = text.replace(theirs, ours)
    return f"<ascii_formatted>\n{text.strip()}\n</ascii_formatted>"


def shape(problem: str) -> str:
    """The shape of a tree without its names: the depth of each line."""
    return "".join(part.partition(",")[0] for part in problem.split("[")[2:])


def judged(model: Model, batch: reasonenv.Batch, most: int) -> Result:
    """Results of greedy answers to a batch under the strict contract."""
    texts = model.answers(batch.prompts, most=most)
    verdicts = batch.verify(texts)
    labels = Counter(label for failures in verdicts.failures for label in failures)
    shapes: dict[str, list[int]] = {}
    for task, passed in zip(batch, verdicts.passed, strict=True):
        tally = shapes.setdefault(shape(task.problem), [0, 0])
        tally[0] += int(passed)
        tally[1] += 1
    failed = ~verdicts.passed
    similar = verdicts.parts["line_similarity"]
    return {
        "passed": int(verdicts.passed.sum()),
        "items": len(batch),
        "strict": float(verdicts.passed.mean()),
        "right_trees": float(batch.verify([tidied(text) for text in texts]).passed.mean()),
        "labels": {label: labels[label] for label in LABELS},
        "similarity": float(similar.mean()),
        "similarity_of_failures": float(similar[failed].mean()) if failed.any() else None,
        "by_shape": dict(sorted(shapes.items(), key=lambda one: -one[1][1])[:12]),
    }


class Demonstrations:
    """Untidy demonstrations, in endless batches."""

    def __init__(self, size: dict[str, Any], seed: int) -> None:
        rng = random.Random(seed)
        batch = source(size, "train", seed).batch(0, size["examples"])
        self.prompts = batch.prompts
        self.texts = [untidy(answer, rng) for answer in batch.answers]
        self.rng = rng

    def draw(self, count: int) -> tuple[list[str], list[str]]:
        """Draw some of them."""
        picks = self.rng.sample(range(len(self.prompts)), count)
        return [self.prompts[i] for i in picks], [self.texts[i] for i in picks]


def made(size: dict[str, Any], seed: int) -> tuple[Model, Demonstrations]:
    """A fresh model, and its warm-up demonstrations."""
    torch.manual_seed(seed)
    shown = Demonstrations(size, seed)
    names = sorted(
        {word for answer in source(size, "train", seed).batch(0, 2_000).answers for word in words(answer)}
    )
    tokenizer = Tokenizer(
        shown.prompts,
        shown.texts,
        variable=r"\b(?:" + "|".join(names) + r")\b|\d+",
        piece=r"</?ascii_formatted>|```|├── |└── |\+--|`--|│|\||\w+| +|\n|.",
    )
    return Model(tokenizer, width=size["width"]), shown


def words(answer: str) -> list[str]:
    """Names in a drawing."""
    return [line.lstrip(" +-|`") for line in answer.splitlines()]


def warm_up(size: dict[str, Any], seed: int, path: Path) -> Result:
    """Half-learned supervision: trees are half right under their untidiness, and the contract is broken."""
    model, shown = made(size, seed)
    optimizer = torch.optim.AdamW(model.parameters(), RATE)
    development = source(size, "eval", seed).batch(0, 100)
    curve, steps = [], 0
    while steps < size["warm_up"]:
        for step in range(steps, steps + 20):
            optimizer.param_groups[0]["lr"] = warmed(step, RATE)
            loss = supervised_step(model, optimizer, model.pack(*shown.draw(BATCH)))
        found = judged(model, development, size["most"])
        curve.append([steps + 20, found["strict"], found["right_trees"], loss])
        told = f"strict {found['strict']:.2f}, right trees {found['right_trees']:.2f}, loss {loss:.2f}"
        print(f"  warm-up {steps + 20}: {told}", flush=True)
        if found["strict"] > BASE_AT_MOST:
            break
        steps += 20
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(model.state_dict(), path)
        if found["right_trees"] >= HALF_LEARNT:
            break
    if not steps:
        msg = f"the first checkpoint passes more than {BASE_AT_MOST:.0%} of development items; warm up less"
        raise SystemExit(msg)
    model.load_state_dict(torch.load(path))
    return {"curve": curve, "weights": model.size, "steps": steps, "before": held_out(model, size)}


def train(size: dict[str, Any], arm: str, seed: int, path: Path, seconds: float | None) -> Result:
    """Train one arm from the base of a seed; `seconds` of processor time limit continued supervision."""
    model, shown = made(size, seed)
    model.load_state_dict(torch.load(path))
    torch.manual_seed(1_000 + seed)
    development = source(size, "eval", seed).batch(0, 100)
    optimizer = torch.optim.AdamW(model.parameters(), RATE if arm == "supervised" else RATE / 5)
    clock, curve, step = Clock(), [[0.0, judged(model, development, size["most"])["strict"]]], 0
    learn = (
        supervised(model, optimizer, shown)
        if arm == "supervised"
        else rewarded(model, optimizer, size, arm, seed)
    )
    every = 8 if seconds is None else 40
    while curve[-1][1] < LEARNT and (step < size["updates"] if seconds is None else clock.seconds < seconds):
        told = learn(step)
        step += 1
        if step % every == 0:
            found = judged(model, development, size["most"])
            curve.append([clock.seconds, found["strict"]])
            print(f"  {arm} {step}: strict {found['strict']:.2f}, {told}", flush=True)
    spent = clock.seconds
    if step % every:
        curve.append([spent, judged(model, development, size["most"])["strict"]])
    return {
        "after": held_out(model, size),
        "curve": curve,
        "updates": step,
        "learning_seconds": spent,
    }


def held_out(model: Model, size: dict[str, Any]) -> Result:
    """Evaluate once on 100 tasks of the test split and 400 more: nothing is selected by these results."""
    tests = source(size, "test", 0)
    first, more = tests.batch(0, 100), tests.batch(100, size["more"])
    return {"first": judged(model, first, size["most"]), "more": judged(model, more, size["most"])}


def supervised(model: Model, optimizer: torch.optim.Optimizer, shown: Demonstrations) -> Callable[[int], str]:
    """Continue with the same untidy demonstrations."""

    def learn(step: int) -> str:  # noqa: ARG001
        return f"loss {supervised_step(model, optimizer, model.pack(*shown.draw(BATCH))):.2f}"

    return learn


def rewarded(
    model: Model, optimizer: torch.optim.Optimizer, size: dict[str, Any], arm: str, seed: int
) -> Callable[[int], str]:
    """Group-relative policy gradients on fresh training tasks."""
    reward: Reward = resolve({"strict": "binary", "shuffled": "reasonrl-v5"}.get(arm, f"reasonrl-{arm}"))
    # A separate stream, so that no demonstration is repeated.
    rng = np.random.default_rng(seed)
    items, how = source(size, "train", 10_000 + seed), Update()

    def learn(step: int) -> str:
        batch = items.batch(step * PROMPTS, PROMPTS).repeat(GROUP)
        samples, texts = model.generate(batch.prompts, temperature=how.temperature, most=size["most"])
        verdicts = batch.verify(texts)
        rewards = np.asarray(reward(verdicts), dtype=np.float64)
        if arm == "shuffled":
            rewards = rng.permutation(rewards)
        gain = advantages(rewards.reshape(-1, GROUP))
        told = f"reward {rewards.mean():.2f}, samples passed {verdicts.passed.mean():.2f}"
        # A group whose rewards are all equal teaches nothing, so it is skipped.
        kept = gain.any(1)
        if not kept.any():
            return told
        entropy = policy_step(
            model, optimizer, samples.only(torch.as_tensor(kept.repeat(GROUP))), gain[kept].ravel(), how
        )
        return f"{told}, entropy {entropy:.2f}"

    return learn


def summary(parts: dict[str, list[Result]], bases: Sequence[Result]) -> Result:
    """Figures for docs/evidence.md."""
    arms = {}
    for arm, seeds in parts.items():
        told: Result = {"seeds": len(seeds)}
        for when in ("before", "after"):
            for items in ("first", "more"):
                told[f"{when}_{items}"] = over_seeds([one[when][items]["strict"] for one in seeds])
            pooled = sum(one[when]["more"]["passed"] for one in seeds)
            told[f"{when}_pooled"] = wilson(pooled, sum(one[when]["more"]["items"] for one in seeds))
            told[f"{when}_labels"] = {
                label: sum(one[when]["first"]["labels"][label] for one in seeds) / len(seeds)
                for label in LABELS
            }
            told[f"{when}_by_shape"] = [one[when]["more"]["by_shape"] for one in seeds]
            similar = [one[when]["more"]["similarity_of_failures"] for one in seeds]
            told[f"{when}_similarity_of_failures"] = [one for one in similar if one is not None]
        told["updates"] = [one["updates"] for one in seeds]
        told["minutes"] = [one["minutes"] for one in seeds]
        arms[arm] = told
    return {
        "arms": arms,
        "warm_up": {
            "steps": [one["steps"] for one in bases],
            "right_trees": [one["before"]["first"]["right_trees"] for one in bases],
            "weights": bases[0]["weights"],
            "minutes": [one["minutes"] for one in bases],
        },
    }


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--size", choices=list(SIZES), default="small", help="lines and depth of the trees")
    parser.add_argument("--arms", default=",".join(ARMS), help="what to train on")
    asked = parser.parse_args()
    name = "tiny" if asked.quick else asked.size
    size, arms = SIZES[name], ["v5"] if asked.quick else asked.arms.split(",")
    folder = asked.out / ("quick" if asked.quick else "") / f"ascii_tree_{name}"
    facts = {"size": size, "style": STYLE, "half_learnt": HALF_LEARNT, "learnt": LEARNT, "batch": BATCH}
    facts |= {"prompts": PROMPTS, "group": GROUP, "rate": RATE}
    experiment = Experiment(f"ascii_tree_{name}", folder, asked.quick, facts)
    seeds = 1 if asked.quick else asked.seeds

    def learn(arm: str, seed: int, path: Path) -> Result:
        # Continued supervision gets the same processor time as the first arm of this seed.
        first = experiment.known(f"{arms[0]}-{seed}") if arm == "supervised" else None
        return train(size, arm, seed, path, None if first is None else first["learning_seconds"])

    parts = experiment.arms(arms, seeds, partial(warm_up, size), learn)
    bases = [found for seed in range(seeds) if (found := experiment.known(f"base-{seed}"))]
    experiment.curves(
        {arm: [one["curve"] for one in found] for arm, found in parts.items()},
        "seconds of the processor",
        "strict, 100 development items",
    )
    experiment.finish(summary(parts, bases))
    for arm, results in parts.items():
        for seed, one in enumerate(results):
            strict = [
                one[when][items]["strict"] for when in ("before", "after") for items in ("first", "more")
            ]
            first, more = f"{strict[0]:.0%} to {strict[2]:.0%}", f"{strict[1]:.1%} to {strict[3]:.1%}"
            print(f"{arm}, seed {seed}: {first} of the first 100, {more} of the others")
    if asked.quick:
        one = parts["v5"][0]
        improves(
            "line similarity to the reference",
            one["before"]["more"]["similarity"],
            one["after"]["more"]["similarity"],
            0.05,
        )


if __name__ == "__main__":
    main()
