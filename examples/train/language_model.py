"""A pre-trained language model learns from rewards alone.

Each seed warms the model up on a few solutions, which teach the form. The arms continue from there:
`reward` is GRPO with a reward of 1 for a right answer, on two kinds of tasks at once and, under the first
seed, on each alone; `shuffled` deals the same rewards out at random within each group; `supervised`
imitates more solutions for as much processor time. All are measured greedily on the same distinct held-
out tasks, on what they were not trained on, and on how likely they still find what the base model said to
plain prompts.

python examples/train/language_model.py --model PATH [--table | --form] [--quick] [--seeds 3]
"""

import os
import shutil
import time
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path

import reasonenv
import torch
from common import Experiment, Result, arguments, improves, mean, over_seeds
from finetuning import (
    Kind,
    Said,
    Sizes,
    answered,
    answers_to,
    imitate,
    passes,
    reinforce,
    right_answers,
    surprise,
    tiny,
    trl_seconds,
    unpacked,
)
from grpo import Learner

WORDS_REVERSED = Kind(
    "three words reversed", "reverse_text", {"length": 3, "alphabet": "words", "unit": "words"}
)
WORDS_SORTED = Kind("three words sorted", "word_sorting", {"words": 3, "shared": 0, "own_alphabet": False})

CANDIDATES = (
    WORDS_REVERSED,
    WORDS_SORTED,
    Kind("sum of two numbers", "chain_sum", {"terms": 2, "digits": 2, "subtraction": False}),
    Kind("sum of three digits", "chain_sum", {"terms": 3, "digits": 1}),
    Kind(
        "three letters reversed", "reverse_text", {"length": 3, "alphabet": "letters", "unit": "characters"}
    ),
    Kind("two letters counted", "letter_counting", {"words": 2, "letters": 2}),
    Kind("tree of two lines", "ascii_tree", {"lines": 2, "depth": 1}),
    Kind("tree of three lines", "ascii_tree", {"lines": 3, "depth": 1}),
    Kind("one operation modulo", "modular_arithmetic", {"operations": 1, "largest": 9, "modulus": 20}),
    Kind("two operations", "basic_arithmetic", {"operations": 2, "largest": 9}),
    Kind("one conversion", "unit_conversion", {"hops": 1, "distractors": 0, "largest": 9}),
    Kind("a date near by", "calendar_arithmetic", {"moves": 1, "days": 3}),
)
"""The kinds of tasks in the table to choose from."""

TRAINED = (WORDS_REVERSED, WORDS_SORTED)
"""Chosen by the table, and committed, before any run was judged."""

TRANSFER = (
    Kind("four words reversed", "reverse_text", {"length": 4, "alphabet": "words", "unit": "words"}),
    Kind("four words sorted", "word_sorting", {"words": 4, "shared": 0, "own_alphabet": False}),
    *(kind for kind in CANDIDATES if kind.name in {"three letters reversed", "sum of three digits"}),
)
"""Longer problems of the trained families, and kinds that were not trained on."""

PLAIN = (
    "Name three kinds of fruit.",
    "Write one sentence about the sea.",
    "What is the capital of Italy?",
    "Explain in two sentences why leaves are green.",
    "Give a friend a tip for learning to swim.",
    "Write a short greeting for a birthday card.",
    "What do bees make?",
    "List the days of the week.",
)

ARMS = ("reward", "shuffled", "supervised", "reward, longer")
ALONE = {f"reward, {kind.name} alone": kind for kind in TRAINED}
LONGER = 60
"""Updates of the arm that shows where the curve goes; it was added after the others had been judged once."""

QUICK = Sizes(steps=2, prompts=2, length=24, judged=8, examples=8, minutes=0.2)


def table(experiment: Experiment, model: Path, sizes: Sizes) -> None:
    """Print what the model passes in each kind of task after a warm-up on all, to choose from."""

    def measured() -> Result:
        learner = Learner(model)
        imitate(learner, CANDIDATES, examples=sizes.examples // 4, seed=0)
        found: Result = {}
        for kind in CANDIDATES:
            tasks = kind.tasks("eval", 32)
            passed = answered(learner, tasks, 4, sizes.length, sizes.temperature)
            rates = [sum(group) / len(group) for group in passed]
            mixed = sum(0 < rate < 1 for rate in rates) / len(rates)
            found[kind.name] = {"passed": sum(rates) / len(rates), "mixed": mixed}
            print(f"{kind.name}: {found[kind.name]}", flush=True)
        return found

    print("| task | passed | mixed groups |\n| --- | --- | --- |")
    for name, one in experiment.part("table", measured).items():
        if name != "minutes":
            print(f"| {name} | {one['passed']:.1%} | {one['mixed']:.0%} |")


def form(model: Path, folder: Path, sizes: Sizes) -> None:
    """Warm the model up on the form of every family's answers, for `reasonenv health --policy hf:FOLDER`."""
    learner = Learner(model)
    families = [Kind(name, name) for name in reasonenv.list_families()]
    imitate(learner, families, examples=sizes.examples, seed=0, rate=1e-4)
    learner.save(folder)
    print(folder)


def compare(experiment: Experiment, model: Path, sizes: Sizes, seeds: int) -> dict[str, list[Result]]:
    """Results of the base model, the warm one and every arm, one for each seed."""
    base = Learner(model)
    said = answers_to(PLAIN, base)
    found: dict[str, list[Result]] = {name: [] for name in ("base", "warm", *ARMS, *ALONE)}

    def warmed(warm: Path, seed: int) -> Result:
        return judged(started(warm, seed), said, sizes)

    def started(warm: Path, seed: int) -> Learner:
        """The warm model, made again if a finished run has removed it."""
        if not warm.exists():
            learner = Learner(model)
            imitate(learner, TRAINED, examples=sizes.examples, seed=seed)
            learner.save(warm)
        return Learner(warm)

    def trained(arm: str, warm: Path, seed: int) -> Result:
        learner, curve = started(warm, seed), list[list[float]]()
        begun = time.process_time()
        if arm == "supervised":
            budget = 60 * found["reward"][seed]["spent"]
            imitate(learner, TRAINED, examples=8 * sizes.examples, seed=seed + 1_000, seconds=budget)
        else:
            kinds = (ALONE[arm],) if arm in ALONE else TRAINED
            steps = LONGER if arm == "reward, longer" and not experiment.quick else sizes.steps
            longer = replace(sizes, steps=steps)
            curve = reinforce(learner, kinds, longer, seed=seed, shuffled=arm == "shuffled")
        spent = (time.process_time() - begun) / 60
        return {"curve": curve, "spent": spent} | judged(learner, said, sizes)

    untrained = experiment.part("base", lambda: judged(base, said, sizes))
    for seed in range(seeds):
        warm = experiment.folder / f"warm-{seed}"
        found["base"].append(untrained)
        found["warm"].append(experiment.part(warm.name, partial(warmed, warm, seed)))
        for arm in (*ARMS, *(() if seed else ALONE)):
            name = f"{arm}-{seed}".replace(", ", "-").replace(" ", "_")
            found[arm].append(experiment.part(name, partial(trained, arm, warm, seed)))
        shutil.rmtree(warm, ignore_errors=True)
    return found


def judged(learner: Learner, said: Said, sizes: Sizes) -> Result:
    """Pass rates of a model on held-out tasks, and how much it has forgotten."""
    return {
        "trained": passes(learner, TRAINED, sizes.judged, sizes),
        "transfer": passes(learner, TRANSFER, sizes.judged // 4, sizes),
        "surprise": surprise(learner, said),
    }


def summed(found: list[Result]) -> Result:
    """Summary over seeds."""
    rates = {
        what: {
            name: {
                measure: over_seeds([one[what][name][measure] for one in found])
                for measure in ("passed", "new wordings")
            }
            for name in found[0][what]
        }
        for what in ("trained", "transfer")
    }
    both = over_seeds([sum(kind["passed"] for kind in one["trained"].values()) / 2 for one in found])
    surprises = over_seeds([one["surprise"] for one in found])
    minutes = [one.get("spent", 0.0) for one in found]
    return rates | {"mean": both, "surprise": surprises, "minutes": minutes}


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument(
        "--model",
        type=Path,
        default=Path(os.environ.get("MODEL", "HuggingFaceTB/SmolLM2-135M-Instruct")),
        help="folder with a model, or a GGUF file, or a name on the Hub; the quick form makes a tiny one",
    )
    parser.add_argument(
        "--table", action="store_true", help="print the table to choose from, and nothing else"
    )
    parser.add_argument("--form", action="store_true", help="save a model that knows the form of all answers")
    for one in fields(Sizes):
        parser.add_argument(f"--{one.name}", type=type(one.default), default=one.default)
    asked = parser.parse_args()
    if torch.cuda.is_available():
        torch.set_default_device("cuda")
    folder = asked.out / ("quick" if asked.quick else "") / "language_model"
    sizes = QUICK if asked.quick else Sizes(**{one.name: getattr(asked, one.name) for one in fields(Sizes)})
    model = tiny(folder / "tiny", TRAINED) if asked.quick else unpacked(asked.model, folder / "base")
    facts = {"model": asked.model.name, "trained": [kind.name for kind in TRAINED], **asdict(sizes)}
    experiment = Experiment("language_model", folder, asked.quick, facts)
    if asked.table:
        table(experiment, model, sizes)
        return
    if asked.form:
        form(model, folder / "form", sizes)
        return
    found = compare(experiment, model, sizes, 1 if asked.quick else asked.seeds)
    loop = [60 * one["spent"] / len(one["curve"]) for one in found["reward"]]
    trl = experiment.part("trl", lambda: {"seconds": trl_seconds(model, TRAINED, sizes, folder / "trl-out")})
    experiment.curves(
        {arm: [one["curve"] for one in found[arm]] for arm in ("reward, longer", "reward", "shuffled")},
        "updates",
        "passed in training",
    )
    arms = {name: summed(results) for name, results in found.items()}
    for name, arm in arms.items():
        rates = ", ".join(f"{kind} {rate['passed']['mean']:.1%}" for kind, rate in arm["trained"].items())
        print(f"{name}: {rates}; surprise {arm['surprise']['mean']:.2f}")
    if asked.quick:
        learners = Learner(model), Learner(model)
        imitate(learners[1], TRAINED, examples=64, seed=0)
        likely = [-surprise(one, right_answers(one, TRAINED, 8)) for one in learners]
        improves("log-likelihood of a token of right answers", likely[0], likely[1], 0.02)
    experiment.finish({"arms": arms, "trl_seconds": trl["seconds"], "loop_seconds": mean(loop)})


if __name__ == "__main__":
    main()
