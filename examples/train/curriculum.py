"""One learner under five schedulers, with the same number of rollouts.

A learner that passes some of the easiest tasks of ten families continues from there by rewards, under each
scheduler, and is judged on held-out tasks of all levels.

python examples/train/curriculum.py [--learner language_model --model PATH] [--quick] [--seeds 3]
"""

import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import finetuning
import grpo
import numpy as np
import reasonenv
import torch
from common import Experiment, Result, arguments, improves, mean, over_seeds
from finetuning import Kind, Sizes
from learner import learn, network, warm_up, worked
from reasonenv import curriculum
from reasonenv.curriculum import Track, levels
from reasonenv.rewards import advantages
from transformer import Update

FAMILIES = (
    "chain_sum",
    "basic_arithmetic",
    "modular_arithmetic",
    "gcd_lcm",
    "number_sequence",
    "reverse_text",
    "word_sorting",
    "letter_counting",
    "caesar_cipher",
    "string_rewriting",
)
SCHEDULERS: Sequence[str] = ("uniform", "threshold", "learnability", "plr", "thompson")
"""All with their defaults."""


@dataclass(frozen=True)
class Plan(Sizes):
    """Settings of a run."""

    families: Sequence[str] = FAMILIES
    levels: Sequence[int] = (0, 1, 2, 3)
    warm_up: int = 2000
    """Steps of the warm-up of a network."""


CHUNK = 64
"""Tasks that are answered at once when judged."""

Group = tuple[reasonenv.Task, Sequence[Any], Sequence[float]]
"""A task, answers to it, and the weight of each."""


def tracks(plan: Plan, split: str = "train") -> list[Track]:
    """The levels of each family, in its first wording."""
    styles = {name: {"template": reasonenv.family(name).templates[0]} for name in plan.families}
    return [
        levels(name, plan.levels[0], plan.levels[-1], style=style, split=split)
        for name, style in styles.items()
    ]


class Network:
    """A small transformer, warmed up on many solutions of easy levels and few of hard ones."""

    SHOWN, WIDTH = (4000, 800, 200, 50), 64
    """Solutions of each level in the warm-up, and the width."""
    WORKED = ("chain_sum", "basic_arithmetic")
    """Families whose solutions have their steps; the others are answered at once."""
    VARIABLE = r"\d|\b[A-Z]+\b|\b[a-z]\b(?=,| and| appear)"
    PIECE = r"</?answer>|->|\w|.|\n"

    def __init__(self, path: Path, plan: Plan, seed: int) -> None:
        self.plan = plan
        torch.manual_seed(seed)
        if path.is_file():
            self.model = torch.load(path, weights_only=False)
        else:
            known = self.solutions(seed, [200] * len(plan.levels))
            self.model = network(known, variable=self.VARIABLE, piece=self.PIECE, width=self.WIDTH)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), plan.rate)

    def solutions(self, seed: int, numbers: Sequence[int]) -> list[tuple[str, str]]:
        """Prompts and solutions, `numbers[i]` of the i-th level of each family."""
        tasks = [
            setting.at(index, 7_000 + seed).task()
            for track in tracks(self.plan)
            for setting, number in zip(track, numbers, strict=False)
            for index in range(number)
        ]
        return [
            (one.prompt, worked(one) if one.family in self.WORKED else one.wrap(one.solution.answer))
            for one in tasks
        ]

    def imitate(self, seed: int) -> None:
        """Warm up on solutions."""
        warm_up(self.model, self.solutions(seed, self.SHOWN), self.plan.warm_up, seed)

    def answers(self, tasks: Sequence[reasonenv.Task], times: int = 1) -> list[list[Any]]:
        """Answers to each task; a single one is greedy."""
        prompts = [task.prompt for task in tasks for _ in range(times)]
        temperature = self.plan.temperature if times > 1 else 0.0
        texts = self.model.generate(prompts, temperature=temperature, most=self.plan.length)[1]
        return [texts[at : at + times] for at in range(0, len(texts), times)]

    def text(self, answer: str) -> str:
        return answer

    def learn(self, groups: Iterable[Group]) -> None:
        """Take one step of policy gradients."""
        moves = [(task.prompt, *move) for task, *group in groups for move in zip(*group, strict=True)]
        learn(self.model, self.optimizer, moves, Update(self.plan.temperature, entropy=0.003))

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(self.model, path)


class LanguageModel:
    """A pre-trained model, warmed up on a few solutions of the easiest levels, in all wordings."""

    def __init__(self, path: Path, plan: Plan, seed: int) -> None:
        self.plan, self.rng, self.model = plan, np.random.default_rng(seed), grpo.Learner(path)
        self.text, self.save = self.model.text, self.model.save

    def imitate(self, seed: int) -> None:
        easiest = [Kind(name, name, level=self.plan.levels[0]) for name in self.plan.families]
        finetuning.imitate(self.model, easiest, examples=self.plan.examples, seed=seed, rate=1e-4)

    def answers(self, tasks: Sequence[reasonenv.Task], times: int = 1) -> list[list[Any]]:
        prompts = [self.model.prompt(task.prompt) for task in tasks]
        temperature = self.plan.temperature if times > 1 else 0.0
        said = self.model.sample(prompts, times, self.plan.length, temperature, self.rng)
        return [said[at : at + times] for at in range(0, len(said), times)]

    def learn(self, groups: Iterable[Group]) -> None:
        tokens = ((self.model.prompt(task.prompt), list(said), weights) for task, said, weights in groups)
        self.model.learn(tokens, rate=self.plan.rate)


Learner = Network | LanguageModel
LEARNERS: dict[str, type[Learner]] = {"network": Network, "language_model": LanguageModel}
PLANS = {
    "network": Plan(steps=400, prompts=16, length=72, judged=50, rate=1e-4, temperature=1.0),
    "language_model": Plan(steps=30, judged=10, examples=32),
}
QUICK: dict[str, Any] = {
    "families": ("chain_sum", "reverse_text"),
    "levels": (0, 1),
    "warm_up": 400,
    "steps": 10,
    "judged": 20,
}


def passed(
    learner: Learner, tasks: Sequence[reasonenv.Task], groups: Sequence[Sequence[Any]]
) -> list[list[bool]]:
    """Outcome of each answer: true if it passes."""
    pairs = zip(tasks, groups, strict=True)
    return [[task.verify(learner.text(one)).passed for one in group] for task, group in pairs]


def judged(learner: Learner, split: str = "test") -> Result:
    """Greedy pass rates on the first distinct tasks of every family and level."""
    drawn = {
        task.key: (setting, task)
        for track in tracks(learner.plan, split)
        for setting in track
        for task in (setting.at(index).task() for index in range(learner.plan.judged))
    }
    # Prompts that are answered together are about as long, so that there is little padding.
    pairs = sorted(drawn.values(), key=lambda pair: len(pair[1].prompt))
    found: dict[str, list[bool]] = {}
    for at in range(0, len(pairs), CHUNK):
        settings, tasks = zip(*pairs[at : at + CHUNK], strict=True)
        for setting, (verdict,) in zip(settings, passed(learner, tasks, learner.answers(tasks)), strict=True):
            found.setdefault(setting.key, []).append(verdict)
    rates = {
        track.name: [mean(found[setting.key]) for setting in track] for track in tracks(learner.plan, split)
    }
    by_level = np.mean(list(rates.values()), axis=0).tolist()
    return {"mean": mean(by_level), "levels": by_level, "families": rates}


def begin(kind: type[Learner], plan: Plan, model: Path, seed: int, path: Path) -> Result:
    """Create the start that every scheduler of a seed shares."""
    learner = kind(model, plan, seed)
    learner.imitate(seed)
    learner.save(path)
    return {"before": judged(learner)}


def train(kind: type[Learner], plan: Plan, name: str, seed: int, path: Path) -> Result:
    """Train under one scheduler and one seed."""
    learner = kind(path, plan, seed)
    scheduler = curriculum.make(name, tracks(plan), rollouts=plan.group, seed=seed)
    mixed: list[bool] = []
    for update in range(plan.steps):
        assigned = scheduler.ask(plan.prompts)
        tasks = [one.task.task() for one in assigned]
        groups = learner.answers(tasks, plan.group)
        verdicts = passed(learner, tasks, groups)
        results = zip(assigned, verdicts, strict=True)
        scheduler.tell(curriculum.Result(one, group, update) for one, group in results)
        weights = advantages(verdicts) * [[one.train] for one in assigned]
        learner.learn(zip(tasks, groups, weights.tolist(), strict=True))
        mixed += [bool(np.any(one)) for one in weights]
        if update % 10 == 0:
            print(f"  {name} {update}: {np.mean(verdicts):.1%} passed", flush=True)
    return {"after": judged(learner), "mixed": mean(mixed), "rollouts": plan.group * len(mixed)}


def summed(found: list[Result], uniform: list[Result]) -> Result:
    """Summary over seeds; the gain is over `uniform` from the same start."""
    rates = {when: [one[when]["mean"] for one in found] for when in ("before", "after")}
    rates["gain"] = [one - even["after"]["mean"] for one, even in zip(rates["after"], uniform, strict=True)]
    return {
        **{what: over_seeds(values) for what, values in rates.items()},
        **{what: [one[what] for one in found] for what in ("mixed", "rollouts", "minutes")},
        "levels": np.mean([one["after"]["levels"] for one in found], axis=0).tolist(),
        "families": [one["after"]["families"] for one in found],
    }


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--learner", choices=LEARNERS, default="network")
    parser.add_argument(
        "--model",
        type=Path,
        default=Path(os.environ.get("MODEL", "HuggingFaceTB/SmolLM2-135M-Instruct")),
        help="folder with a language model, or its name on the Hub",
    )
    asked = parser.parse_args()
    kind, plan, schedulers, seeds = LEARNERS[asked.learner], PLANS[asked.learner], SCHEDULERS, asked.seeds
    if asked.quick:
        plan, schedulers, seeds = replace(plan, **QUICK), SCHEDULERS[:1], 1
    name = "curriculum" if kind is Network else f"curriculum_{asked.learner}"
    folder = asked.out / ("quick" if asked.quick else "") / name
    model = asked.model if kind is Network else finetuning.unpacked(asked.model, folder / "base")
    experiment = Experiment(name, folder, asked.quick, asdict(plan))
    parts = experiment.arms(schedulers, seeds, partial(begin, kind, plan, model), partial(train, kind, plan))
    if kind is LanguageModel:
        for path in folder.glob("base-*.pt"):
            shutil.rmtree(path)
    experiment.finish({"schedulers": {one: summed(found, parts["uniform"]) for one, found in parts.items()}})
    if asked.quick:
        untrained = judged(kind(model, plan, 0))
        improves("mean pass rate", untrained["mean"], parts["uniform"][0]["after"]["mean"], 0.05)


if __name__ == "__main__":
    main()
