"""ReasonRL's protocol with a pre-trained language model: small trees, the strict metric, shaped rewards.

A model that was warmed up on a few trees learns from each reward for as many updates: the three of the
article (`v3`, `v4`, `v5`), and the plain one, `strict`. Prompts have the article's own text around them.

python examples/train/language_model_trees.py --model PATH [--quick] [--seeds 1]
"""

import os
import shutil
from dataclasses import asdict, replace
from pathlib import Path

from common import Experiment, Result, arguments, improves, over_seeds
from finetuning import Kind, Sizes, imitate, passes, reinforce, right_answers, surprise, tiny, unpacked
from grpo import Learner

SMALL = Kind("tree of three lines", "ascii_tree", {"lines": 3, "depth": 1}, wrapper="reasonrl")
LARGER = Kind("tree of five lines", "ascii_tree", {"lines": 5, "depth": 2}, wrapper="reasonrl")
ARMS = {"v3": "reasonrl-v3", "v4": "reasonrl-v4", "v5": "reasonrl-v5", "strict": "binary"}
SIZES = Sizes(steps=12, prompts=8, length=64, judged=100, examples=40)
QUICK = replace(SIZES, steps=2, prompts=2, judged=8, examples=8)


def judged(learner: Learner, sizes: Sizes) -> Result:
    """Share of held-out trees that are right in every character."""
    found = passes(learner, (SMALL, LARGER), sizes.judged, sizes)
    return {kind.name: found[kind.name]["passed"] for kind in (SMALL, LARGER)}


def main() -> None:
    parser = arguments(__doc__.splitlines()[0], seeds=1)
    parser.add_argument(
        "--model", type=Path, default=Path(os.environ.get("MODEL", "HuggingFaceTB/SmolLM2-135M-Instruct"))
    )
    asked = parser.parse_args()
    folder = asked.out / ("quick" if asked.quick else "") / "language_model_trees"
    sizes = QUICK if asked.quick else SIZES
    model = tiny(folder / "tiny", (SMALL,)) if asked.quick else unpacked(asked.model, folder / "base")
    experiment = Experiment("language_model_trees", folder, asked.quick, asdict(sizes))

    def begin(seed: int, path: Path) -> Result:
        learner = Learner(model)
        imitate(learner, (SMALL,), examples=sizes.examples, seed=seed, rate=1e-4)
        learner.save(path)
        return {"before": judged(learner, sizes)}

    def train(arm: str, seed: int, path: Path) -> Result:
        learner = Learner(path)
        curve = reinforce(learner, (SMALL,), sizes, seed=seed, reward=ARMS[arm])
        return {"curve": curve, "after": judged(learner, sizes)}

    parts = experiment.arms(ARMS, 1 if asked.quick else asked.seeds, begin, train)
    for path in folder.glob("base-*.pt"):
        shutil.rmtree(path)
    experiment.curves(
        {arm: [one["curve"] for one in seeds] for arm, seeds in parts.items()},
        "updates",
        "passed in training",
    )
    arms = {
        arm: {
            when: {kind: over_seeds([one[when][kind] for one in seeds]) for kind in (SMALL.name, LARGER.name)}
            for when in ("before", "after")
        }
        | {"minutes": [one["minutes"] for one in seeds]}
        for arm, seeds in parts.items()
    }
    if asked.quick:
        learners = Learner(model), Learner(model)
        imitate(learners[1], (SMALL,), examples=64, seed=0)
        likely = [-surprise(one, right_answers(one, (SMALL,), 8)) for one in learners]
        improves("log-likelihood of a token of right answers", likely[0], likely[1], 0.02)
    experiment.finish({"arms": arms})


if __name__ == "__main__":
    main()
