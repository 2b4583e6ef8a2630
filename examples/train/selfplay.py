"""Proposer and solver by reward alone: one learns which sums to pose, the other to add.

The proposer chooses how many terms a sum has, how many digits they have, and the digits. It is paid by how
near the solver's pass rate is to a half, and nothing for a proposal that is refused. The solver adds in
columns, by a table that draws the digit to write and the carry; it starts half-learnt, is paid for a right
sum, and its advantages are taken within the attempts at a sum. The control is such a solver that gets as many
rollouts, on sums that are proposed uniformly.

python examples/train/selfplay.py [--quick] [--seeds 3]
"""

import json
from collections import Counter
from typing import Any

import numpy as np
import reasonenv
from common import Experiment, Result, arguments, improves, mean, over_seeds
from numpy.typing import NDArray
from reasonenv import selfplay
from reasonenv.rewards.groups import advantages

FAMILY = "chain_sum"
MEANS = ("before", "halfway", "after", "reward", "valid", "pass_rate", "columns")
"""Numbers of a run whose means over seeds are reported."""
MOST = 0.9
"""Share of held-out sums that counts as having learnt to add."""
TERMS, DIGITS = range(2, 7), range(1, 13)
SIZES = [(terms, digits) for terms in TERMS for digits in DIGITS]
ARMS = ("learnt", "uniform")
FULL = {"rollouts": 800_000, "judged": 25}
QUICK = {"rollouts": 128_000, "judged": 10}
ATTEMPTS, BATCH = 8, 32
POINTS, STRETCHES = 32, 8
"""Measurements of the held-out sums, and parts of a run whose proposals are described."""
KNOWN = 0.3
"""Mean chance of the right entry of the solver's table at its start."""
SOLVER_RATE, SIZE_RATE, DIGIT_RATE = 0.15, 2.3, 0.3
EXPLORE = 0.2
"""Share of sizes that are proposed uniformly."""

Numbers = NDArray[np.int64]


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chances along the last axis."""
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    chances: NDArray[np.float64] = raised / raised.sum(-1, keepdims=True)
    return chances


class Solver:
    """Adds in columns: (carry, digit, digit) draws one of 20 pairs of a carry and a digit to write."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng([seed, 1])
        carry, one, other = np.indices((2, 10, 10))
        self.logits = np.zeros((200, 20))
        raised = np.log(KNOWN * 19 / (1 - KNOWN)) + self.rng.normal(size=200)
        self.logits[np.arange(200), (carry + one + other).ravel()] = raised

    def add(self, terms: Numbers) -> tuple[list[int], Numbers, Numbers]:
        """Sums of several rows of numbers, and the places in the table and entries that led there."""
        width = len(str(terms.max()))
        digits = terms[..., None] // 10 ** np.arange(width + 3) % 10
        total, places, entries = digits[:, 0].copy(), [], []
        for at in range(1, terms.shape[1]):
            columns = width + (at > 1)
            carry = np.zeros(len(terms), np.int64)
            for column in range(columns):
                place = 100 * carry + 10 * total[:, column] + digits[:, at, column]
                entry = (self.logits[place] + self.rng.gumbel(size=(len(terms), 20))).argmax(1)
                carry, total[:, column] = np.divmod(entry, 10)
                places.append(place)
                entries.append(entry)
            total[:, columns] = carry
        sums = total @ 10 ** np.arange(width + 3)
        return sums.tolist(), np.array(places), np.array(entries)

    def learn(self, places: Numbers, entries: Numbers, rewards: list[float]) -> None:
        """Follow the policy gradient of a group of attempts."""
        gains = advantages(np.array([rewards]))[0]
        if not gains.any():
            return
        where, step = places.ravel(), -softmax(self.logits[places.ravel()])
        step[np.arange(len(where)), entries.ravel()] += 1
        step *= np.tile(gains, len(places))[:, None] / ATTEMPTS
        np.add.at(self.logits, where, SOLVER_RATE * step)


class Proposer:
    """Draws the size of a sum and its digits: uniformly, unless it learns."""

    def __init__(self, seed: int, *, learns: bool) -> None:
        self.rng = np.random.default_rng([seed, 2])
        self.learns, self.baseline = learns, 0.0
        self.sizes, self.digits = np.zeros(len(SIZES)), np.zeros(10)
        self.tried: list[tuple[int, Numbers, float]] = []

    @property
    def chances(self) -> NDArray[np.float64]:
        """Chances of the sizes, of which a part stays uniform."""
        mixed: NDArray[np.float64] = (1 - EXPLORE) * softmax(self.sizes) + EXPLORE / len(SIZES)
        return mixed

    def pose(self) -> tuple[int, Numbers, Numbers]:
        """Size, digits and terms of another sum."""
        size = int(self.rng.choice(len(SIZES), p=self.chances))
        terms, width = SIZES[size]
        digits = self.rng.choice(10, (terms, width), p=softmax(self.digits))
        # A leading 0 makes a shorter number, so that a 1 takes its place.
        if width > 1:
            digits[:, -1] = np.maximum(digits[:, -1], 1)
        return size, digits, digits @ 10 ** np.arange(width)

    def learn(self, size: int, digits: Numbers, reward: float) -> None:
        """Keep a proposal, and follow the policy gradient after every `BATCH`."""
        if not self.learns:
            return
        self.tried.append((size, digits, reward))
        if len(self.tried) < BATCH:
            return
        rewards = np.array([reward for *_, reward in self.tried])
        sizes, digit_chances = softmax(self.sizes), softmax(self.digits)
        size_step, digit_step = np.zeros(len(SIZES)), np.zeros(10)
        for (at, drawn, _), gain in zip(self.tried, rewards - self.baseline, strict=True):
            size_step += gain * ((np.arange(len(SIZES)) == at) - sizes)
            share = np.bincount(drawn.ravel(), minlength=10) / drawn.size
            digit_step += gain * (share - digit_chances)
        self.sizes += SIZE_RATE * size_step / BATCH
        self.digits += DIGIT_RATE * digit_step / BATCH
        self.baseline += 0.1 * (rewards.mean() - self.baseline)
        self.tried = []


def held_out(judged: int) -> list[tuple[reasonenv.Batch, Numbers]]:
    """Sums of the test split with their terms, as many of each size."""
    found = []
    for terms, digits in SIZES:
        params = {"terms": terms, "digits": digits, "subtraction": False}
        batch = reasonenv.family(FAMILY).batch(count=judged, params=params, split="test")
        found.append((batch, np.array([json.loads(task.problem)["terms"] for task in batch])))
    return found


def measure(solver: Solver, tests: list[tuple[reasonenv.Batch, Numbers]]) -> list[float]:
    """Pass rate of each size of sum, one sampled attempt each."""
    rates = []
    for batch, terms in tests:
        sums, *_ = solver.add(terms)
        texts = [task.wrap(str(total)) for task, total in zip(batch, sums, strict=True)]
        rates.append(float(batch.verify(texts).passed.mean()))
    return rates


def play(env: Any, proposer: Proposer, solver: Solver) -> Result:
    """One game: a proposal and, unless it is refused, the attempts at it."""
    env.reset()
    size, digits, terms = proposer.pose()
    env.step(json.dumps({"terms": terms.tolist()}))
    rewards = []
    if env.task is not None:
        sums, places, entries = solver.add(np.tile(terms, (ATTEMPTS, 1)))
        for total in sums:
            env.step(env.task.wrap(str(total)))
            rewards.append(env.rewards["solver"])
        solver.learn(places, entries, rewards)
    reward = env.rewards["proposer"]
    proposer.learn(size, digits, reward)
    count, width = SIZES[size]
    return {
        "reward": reward,
        "pass_rate": env.infos["proposer"].get("pass_rate"),
        "failure": env.infos["proposer"]["failure"],
        "columns": (count - 1) * width,
    }


def summary(games: list[Result]) -> Result:
    """Means over a stretch of games, and counts of its refused proposals."""
    valid = [one for one in games if not one["failure"]]
    return {
        "proposals": len(games),
        "valid": len(valid) / len(games),
        "reward": mean(one["reward"] for one in games),
        "pass_rate": mean(one["pass_rate"] for one in valid),
        "columns": mean(one["columns"] for one in valid),
        "refused": dict(Counter(one["failure"] for one in games if one["failure"])),
    }


def train(arm: str, seed: int, size: dict[str, int]) -> Result:
    """Let one proposer and one solver play under one seed."""
    solver, proposer = Solver(seed), Proposer(seed, learns=arm == "learnt")
    env, tests = selfplay.proposer_solver(FAMILY, attempts=ATTEMPTS), held_out(size["judged"])
    parts: list[list[Result]] = []
    every = size["rollouts"] // POINTS
    curve = [[0.0, mean(measure(solver, tests))]]
    env.reset(seed=seed)
    while len(parts) < POINTS:
        rollouts, part = 0, []
        while rollouts < every:
            part.append(play(env, proposer, solver))
            rollouts += 0 if part[-1]["failure"] else ATTEMPTS
        parts.append(part)
        curve.append([float(len(parts) * every), mean(measure(solver, tests))])
    stretches = np.array_split(np.arange(POINTS), STRETCHES)
    return {
        "before": curve[0][1],
        "halfway": curve[POINTS // 2][1],
        "after": curve[-1][1],
        "curve": curve,
        "stretches": [summary([game for at in stretch for game in parts[at]]) for stretch in stretches],
    } | summary([game for part in parts for game in part])


def learnt_at(curve: list[list[float]]) -> float | None:
    """Rollouts after which `MOST` of the held-out sums are right for the first time, or None."""
    return next((rollouts for rollouts, rate in curve if rate >= MOST), None)


def main() -> None:
    asked = arguments(__doc__.splitlines()[0]).parse_args()
    size = QUICK if asked.quick else FULL
    folder = asked.out / ("quick" if asked.quick else "") / "selfplay"
    facts = {
        "family": FAMILY,
        "sizes": [TERMS[0], TERMS[-1], DIGITS[0], DIGITS[-1]],
        "attempts": ATTEMPTS,
        "known": KNOWN,
        "rates": [SOLVER_RATE, SIZE_RATE, DIGIT_RATE],
        "explore": EXPLORE,
        **size,
    }
    experiment = Experiment("selfplay", folder, asked.quick, facts)
    parts = experiment.every(ARMS, asked.seeds, train, size)
    experiment.curves(
        {arm: [one["curve"] for one in found] for arm, found in parts.items()},
        "rollouts",
        "held-out sums right",
    )
    results: dict[str, Result] = {}
    for arm, found in parts.items():
        results[arm] = {key: over_seeds([one[key] for one in found]) for key in MEANS}
        results[arm]["learnt_at"] = [learnt_at(one["curve"]) for one in found]
        results[arm]["stretches"] = [
            {key: mean(one[key] for one in same) for key in ("columns", "pass_rate", "reward", "valid")}
            for same in zip(*(one["stretches"] for one in found), strict=True)
        ]
        results[arm] |= {key: [one[key] for one in found] for key in ("proposals", "refused", "minutes")}
        print(
            f"{arm}: {results[arm]['before']['mean']:.1%} before, {results[arm]['after']['mean']:.1%} after"
        )
    experiment.finish({"arms": results, "most": MOST})
    if asked.quick:
        one = results["learnt"]
        improves("held-out sums right", one["before"]["mean"], one["after"]["mean"], 0.03)
        improves("reward of the proposer", results["uniform"]["reward"]["mean"], one["reward"]["mean"], 0.02)


if __name__ == "__main__":
    main()
