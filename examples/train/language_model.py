"""A pre-trained language model learns from rewards alone, with TRL's GRPO.

Each seed warms the model up on worked solutions, which teach the form. The arms continue from there: `reward`
is GRPO with a reward of 1 for a right answer; `shuffled` deals the same rewards out at random within each
group; `supervised` imitates more worked solutions for as much processor time. All are measured greedily on
the same distinct held-out tasks, on what they were not trained on, and on how likely they still find what the
base model said to plain prompts.

python examples/train/language_model.py [--model PATH] [--table] [--quick] [--seeds 3]
"""

import shutil
import time
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path

import reasonenv
from common import Experiment, Result, arguments, over_seeds
from finetuning import Kind, Sizes, answers_to, passes, rewarded, supervised, surprise, tiny
from reasonenv.rollouts import LocalModel

CANDIDATES = (
    Kind("sum of two digits", "chain_sum", {"terms": 2, "digits": 1, "subtraction": False}),
    Kind("sum of two numbers", "chain_sum", {"terms": 2, "digits": 2, "subtraction": False}),
    Kind(
        "three letters reversed", "reverse_text", {"length": 3, "alphabet": "letters", "unit": "characters"}
    ),
    Kind("three words reversed", "reverse_text", {"length": 3, "alphabet": "words", "unit": "words"}),
    Kind("letters of three words", "letter_counting", {"words": 3, "letters": 2}),
    Kind("tree of two lines", "ascii_tree", {"lines": 2, "depth": 1}),
    Kind("tree of three lines", "ascii_tree", {"lines": 3, "depth": 1}),
    Kind("two words deciphered", "caesar_cipher", {"words": 2}),
    Kind("one conversion", "unit_conversion", {"hops": 1, "distractors": 0, "largest": 9}),
    Kind("one operation modulo", "modular_arithmetic", {"operations": 1, "largest": 9, "modulus": 20}),
    Kind("five words sorted", "word_sorting", {"words": 5, "shared": 0, "own_alphabet": False}),
    Kind("next number", "number_sequence", {"order": 1, "degree": 0, "strands": 1, "ahead": 1}),
)
"""The kinds of tasks in the base table. Most lie below level 0, which is too hard for the smallest models."""

TRAINED = tuple(kind for kind in CANDIDATES if kind.name in {"three words reversed", "tree of three lines"})
"""Chosen by the base table before any run was judged."""

TRANSFER = (
    Kind("four words reversed", "reverse_text", {"length": 4, "alphabet": "words", "unit": "words"}),
    Kind("tree of five lines", "ascii_tree", {"lines": 5, "depth": 2}),
    *(kind for kind in CANDIDATES if kind.name in {"five words sorted", "sum of two digits"}),
)
"""Longer problems of the trained families, and families that were not trained on."""

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

ARMS = ("reward", "shuffled", "supervised")

QUICK = Sizes(steps=2, prompts=2, length=24, judged=8, examples=32, minutes=0.2)


def table(experiment: Experiment, model: str, sizes: Sizes) -> None:
    """Print what the model passes in each kind of task after a warm-up on all, to choose from."""
    warm = experiment.folder / "table"

    def warmed() -> Result:
        supervised(model, warm, CANDIDATES, examples=sizes.examples, seed=0)
        return {}

    experiment.part("table", warmed)
    policy = LocalModel(warm, temperature=sizes.temperature, max_tokens=sizes.length)
    print("| task | passed | mixed groups | right form |\n| --- | --- | --- | --- |")
    for kind in CANDIDATES:

        def measured(kind: Kind = kind) -> Result:
            (row,) = reasonenv.evaluate(kind.tasks("eval", 32), policy, n=32, group_size=4)
            return {"passed": row.pass_rate, "mixed": row.mixed_passes, "form": row.format_rate}

        found = experiment.part(f"table-{kind.name.replace(' ', '_')}", measured)
        print(
            f"| {kind.name} | {found['passed']:.1%} | {found['mixed']:.0%} | {found['form']:.0%} |",
            flush=True,
        )


def compare(experiment: Experiment, model: str, sizes: Sizes, seeds: int) -> dict[str, list[Result]]:
    """Results of the base model, the warm one and every arm, one for each seed."""
    said = answers_to(PLAIN, model)
    found: dict[str, list[Result]] = {name: [] for name in ("base", "warm", *ARMS)}

    def judged(path: str | Path) -> Result:
        return {
            "trained": passes(path, TRAINED, sizes),
            "transfer": passes(path, TRANSFER, sizes),
            "surprise": surprise(path, said),
        }

    def warmed(warm: Path, seed: int) -> Result:
        supervised(model, warm, TRAINED, examples=sizes.examples, seed=seed)
        return judged(warm)

    def trained(arm: str, warm: Path, seed: int) -> Result:
        begun, curve, out = time.process_time(), [], experiment.folder / f"{arm}-{seed}"
        if arm == "supervised":
            budget = 60 * found["reward"][seed]["spent"]
            more = 4 * sizes.examples
            supervised(warm, out, TRAINED, examples=more, seed=seed + 1_000, seconds=budget)
        else:
            curve = rewarded(warm, out, TRAINED, sizes, seed=seed, shuffled=arm == "shuffled")
        result = {"curve": curve, "spent": (time.process_time() - begun) / 60} | judged(out)
        shutil.rmtree(out)
        return result

    base = experiment.part("base", partial(judged, model))
    for seed in range(seeds):
        warm = experiment.folder / f"warm-{seed}"
        found["base"].append(base)
        found["warm"].append(experiment.part(warm.name, partial(warmed, warm, seed)))
        for arm in ARMS:
            found[arm].append(experiment.part(f"{arm}-{seed}", partial(trained, arm, warm, seed)))
    return found


def summed(found: list[Result]) -> Result:
    """Summary over seeds."""
    rates = {
        what: {name: over_seeds([one[what][name] for one in found]) for name in found[0][what]}
        for what in ("trained", "transfer")
    }
    surprises = over_seeds([one["surprise"] for one in found])
    return rates | {"surprise": surprises, "minutes": [one.get("spent", 0.0) for one in found]}


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument(
        "--model",
        default="HuggingFaceTB/SmolLM2-135M-Instruct",
        help="folder or name on the Hub; the quick form makes a tiny one",
    )
    parser.add_argument("--table", action="store_true", help="print the base table, and nothing else")
    for one in fields(Sizes):
        parser.add_argument(f"--{one.name}", type=type(one.default), default=one.default)
    asked = parser.parse_args()
    folder = asked.out / ("quick" if asked.quick else "") / "language_model"
    sizes = QUICK if asked.quick else Sizes(**{one.name: getattr(asked, one.name) for one in fields(Sizes)})
    model = tiny(folder / "tiny", TRAINED) if asked.quick else asked.model
    facts = {"model": Path(model).name, "trained": [kind.name for kind in TRAINED], **asdict(sizes)}
    experiment = Experiment("language_model", folder, asked.quick, facts)
    if asked.table:
        table(experiment, model, sizes)
        return
    found = compare(experiment, model, sizes, 1 if asked.quick else asked.seeds)
    curves = {arm: [one["curve"] for one in found[arm]] for arm in ARMS[:2]}
    experiment.curves(curves, "updates", "passed in training")
    arms = {name: summed(results) for name, results in found.items()}
    for name, arm in arms.items():
        rates = ", ".join(f"{kind} {rate['mean']:.1%}" for kind, rate in arm["trained"].items())
        print(f"{name}: {rates}; surprise {arm['surprise']['mean']:.2f}")
    experiment.finish({"arms": arms})


if __name__ == "__main__":
    main()
