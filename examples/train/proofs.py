"""Proofs by reward alone: a linear policy over tactics learns which rewrite to try next.

The policy has one weight per feature of a tactic and starts from chance. An episode pays 1 if the goal
is proved within its steps, else 0; groups share a task, and advantages are taken within them. The control
learns from the same rewards dealt out at random within the group.

python examples/train/proofs.py [--quick] [--seeds 3]
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any, cast

import gymnasium
import numpy as np
from common import Experiment, Result, arguments, improves, mean, over_seeds
from numpy.typing import NDArray
from reasonenv.envs import Proof, ProofEnv
from reasonenv.rewards.groups import advantages

ID = "reasonenv/ProveEquational-v1"
LEVEL, STEPS = 5, 16
ARMS = ("reward", "shuffled")
SIZES = {"tiny": {"updates": 8, "judged": 100}, "full": {"updates": 40, "judged": 400}}
PROMPTS, GROUP, RATE = 16, 8, 0.5
RULES = 64
"""Weights of rules and directions, by hash."""

Features = NDArray[np.float64]


def make(split: str, seed: int = 0) -> ProofEnv:
    made = gymnasium.make(ID, mode="proof", level=LEVEL, split=split, max_steps=STEPS, search_budget=0)
    env = made.unwrapped
    assert isinstance(env, ProofEnv)
    env.reset(seed=seed)
    return env


def sides(proof: Proof) -> tuple[Counter[str], Counter[str]]:
    """The symbols on both sides of the first goal."""
    left, _, right = proof.text.partition("|- ")[2].partition("\n")[0].partition(" = ")
    return Counter(re.findall(r"\w+|[^\w\s]", left)), Counter(re.findall(r"\w+|[^\w\s]", right))


def distance(proof: Proof) -> tuple[float, float]:
    """Number of symbols that one side has and the other has not, and of all symbols, scaled."""
    left, right = sides(proof)
    apart = (left - right).total() + (right - left).total()
    return apart / 10, (left.total() + right.total()) / 20


def features(proof: Proof, tactics: Sequence[str]) -> Features:
    """Features of each tactic: its rule and direction, and how it changes the size of the goal."""
    found = np.zeros((len(tactics), RULES + 5))
    before = distance(proof)
    for row, tactic in zip(found, tactics, strict=True):
        rule, _, place = tactic.partition(" at ")
        row[hash_of(rule.partition(" with ")[0])] = 1.0
        after = proof.apply(tactic)
        now = distance(after) if isinstance(after, Proof) and after.goals else (0.0, before[1])
        row[RULES:] = (now[0] - before[0], now[1] - before[1], now[0], place.count(".") / 4, place[:1] == "1")
    return found


def hash_of(text: str) -> int:
    """A number for a rule that is the same in every process."""
    return sum(at * byte for at, byte in enumerate(text.encode(), 1)) % RULES


class Policy:
    """Chooses among the candidates by a softmax of linear scores."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.weights = np.zeros(RULES + 5)
        self.seen: dict[Proof, tuple[list[str], Features]] = {}

    def options(self, proof: Proof) -> tuple[list[str], Features]:
        """The tactics worth trying and what is seen of them."""
        if proof not in self.seen:
            tactics = proof.candidates() or ["refl"]
            if len(self.seen) > 20_000:
                self.seen.clear()
            self.seen[proof] = tactics, features(proof, tactics)
        return self.seen[proof]

    def play(self, env: ProofEnv, index: int) -> tuple[float, Features]:
        """Reward of an episode and the gradient of its log probability."""
        env.reset(options={"index": index})
        gradient, over, reward = np.zeros_like(self.weights), False, 0.0
        while not over:
            tactics, rows = self.options(env.proof)
            scores = rows @ self.weights
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            at = self.rng.choice(len(tactics), p=chances)
            gradient += rows[at] - chances @ rows
            _, reward, ended, cut, _ = cast("Any", env.step(tactics[at]))
            over = ended or cut
        return reward, gradient


def measure(policy: Policy, count: int) -> float:
    """Share of held-out goals that are proved, one sampled attempt each."""
    env = make("test")
    return mean(policy.play(env, index)[0] for index in range(count))


def train(arm: str, seed: int, size: dict[str, int]) -> Result:
    """Train one arm under one seed."""
    policy, env = Policy(seed), make("train", seed)
    before, curve = measure(policy, size["judged"]), []
    for update in range(size["updates"]):
        first = (seed * size["updates"] + update) * PROMPTS
        played = [policy.play(env, first + at) for at, _ in product(range(PROMPTS), range(GROUP))]
        rewards = np.array([reward for reward, _ in played]).reshape(PROMPTS, GROUP)
        curve.append([float(update), float(rewards.mean())])
        paid = policy.rng.permuted(rewards, axis=1) if arm == "shuffled" else rewards
        gains = advantages(paid).ravel()
        gradient = sum(gain * grad for gain, (_, grad) in zip(gains, played, strict=True)) / len(played)
        policy.weights += RATE * gradient
    return {"before": before, "after": measure(policy, size["judged"]), "curve": curve}


def main() -> None:
    asked = arguments(__doc__.splitlines()[0]).parse_args()
    size = SIZES["tiny" if asked.quick else "full"]
    folder = asked.out / ("quick" if asked.quick else "") / "proofs"
    facts = {"level": LEVEL, "steps": STEPS, "prompts": PROMPTS, "group": GROUP, "rate": RATE, **size}
    experiment = Experiment("proofs", folder, asked.quick, facts)
    parts = experiment.every(ARMS, asked.seeds, train, size)
    experiment.curves(
        {arm: [one["curve"] for one in found] for arm, found in parts.items()},
        "updates",
        "proved in training",
    )
    results: dict[str, Result] = {
        arm: {
            "before": over_seeds([one["before"] for one in found]),
            "after": over_seeds([one["after"] for one in found]),
            "minutes": [one["minutes"] for one in found],
        }
        for arm, found in parts.items()
    }
    for arm, one in results.items():
        print(f"{arm}: {one['before']['mean']:.1%} before, {one['after']['mean']:.1%} after")
    if asked.quick:
        improves("goals proved", results["reward"]["before"]["mean"], results["reward"]["after"]["mean"], 0.1)
    experiment.finish({"arms": results})


if __name__ == "__main__":
    main()
