"""Tic-tac-toe with tables, as it was first done: Q-learning and TD(λ) in self-play.

Q-learning stores the value of each move in each position (Watkins, 1989). TD(λ) stores the value of each
position to the player to move, and traces that decay carry a surprise back over earlier moves (Sutton, 1988;
TD-Gammon learned this way). Neither has any information on how the opponent plays.

python examples/train/tabular.py [--quick] [--seeds 3]
"""

from collections.abc import Iterator

import gymnasium
import numpy as np
import reasonenv
from common import Experiment, Result, arguments, improves, over_seeds
from numpy.typing import NDArray
from reasonenv.envs import GameVectorEnv, env_id

GAMES = 256
STEPS = 2_000
"""Steps of self-play in each game of a full run."""
EXPLORE = 0.2
WEIGHTS = 3 ** np.arange(9)
GAME = reasonenv.game("tic_tac_toe")


def positions(planes: NDArray[np.float32]) -> NDArray[np.int64]:
    """A number for each position, as the player to move sees it: 1 for an own mark, 2 for the opponent's."""
    own, other = planes.reshape(len(planes), 2, 9).swapaxes(0, 1)
    numbers: NDArray[np.int64] = ((own + 2 * other) @ WEIGHTS).astype(np.int64)
    return numbers


def after(where: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions after each move, as the other player sees them: shape (n, 9)."""
    marks = where[:, None] // WEIGHTS % 3
    swapped = np.array([0, 2, 1])[marks] @ WEIGHTS
    # There is nothing after moving to an occupied cell; such an entry is never chosen.
    found: NDArray[np.int64] = np.minimum(swapped[:, None] + 2 * WEIGHTS, 3**9 - 1)
    return found


class QLearning:
    """Value of each move to the player who makes it, by position."""

    def __init__(self, seed: int, rate: float = 0.3) -> None:
        self.rng = np.random.default_rng(seed)
        self.rate = rate
        self.q = np.zeros((3**9, 9))

    def worth(self, where: NDArray[np.int64]) -> NDArray[np.float64]:
        """Values of all moves."""
        found: NDArray[np.float64] = self.q[where]
        return found

    def learn(  # noqa: PLR0917
        self,
        where: NDArray[np.int64],
        actions: NDArray[np.int64],
        rewards: NDArray[np.float64],
        ended: NDArray[np.bool_],
        following: NDArray[np.int64],
        masks: NDArray[np.bool_],
        explored: NDArray[np.bool_],  # noqa: ARG002  both are told alike
    ) -> None:
        """Update toward the reward or, before the end, toward minus the other player's best value."""
        best = np.where(masks, self.q[following], -np.inf).max(1)
        targets = np.where(ended, rewards, -best)
        self.q[where, actions] += self.rate * (targets - self.q[where, actions])


class TemporalDifference:
    """Value of each position to the player to move, with traces of strength λ."""

    def __init__(self, seed: int, rate: float = 0.2, trace: float = 0.7) -> None:
        self.rng = np.random.default_rng(seed)
        self.rate, self.trace = rate, trace
        self.values = np.zeros(3**9)
        self.before: list[tuple[NDArray[np.int64], NDArray[np.bool_]]] = []
        """Positions of earlier moves, latest first, and the lanes that are still in that game."""

    def worth(self, where: NDArray[np.int64]) -> NDArray[np.float64]:
        """Values of all moves: the opposite of the resulting position's value to the other player."""
        found: NDArray[np.float64] = -self.values[after(where)]
        return found

    def learn(  # noqa: PLR0917
        self,
        where: NDArray[np.int64],
        actions: NDArray[np.int64],
        rewards: NDArray[np.float64],
        ended: NDArray[np.bool_],
        following: NDArray[np.int64],
        masks: NDArray[np.bool_],  # noqa: ARG002  both are told alike
        explored: NDArray[np.bool_],
    ) -> None:
        """Share one surprise among the positions that led here; its sign alternates with every move.

        An exploratory move says nothing about how good the position before it was, so traces end there.
        """
        reached = after(where)[np.arange(len(where)), actions]
        # The other player, who would be next, has lost as much as the mover won.
        self.values[reached[ended]] = -rewards[ended]
        target = np.where(ended, rewards, -self.values[following])
        surprise = target - self.values[where]
        self.before.insert(0, (where, np.ones(len(where), dtype=bool)))
        strength = self.rate
        for places, playing in self.before:
            learns = playing & ~explored
            # Many games may be in the same position, which moves by their mean, not by their sum.
            reached, which, count = np.unique(places[learns], return_inverse=True, return_counts=True)
            self.values[reached] += strength * np.bincount(which, surprise[learns], len(reached)) / count
            strength *= -self.trace
        self.before = [(places, playing & ~ended & ~explored) for places, playing in self.before[:9]]


LEARNERS = {"Q-learning": QLearning, "TD(0.7)": TemporalDifference}


def make(opponent: str) -> GameVectorEnv:
    envs = gymnasium.make_vec(env_id("tic_tac_toe"), GAMES, opponent=opponent, autoreset_mode="SameStep")
    assert isinstance(envs, GameVectorEnv)
    return envs


def chosen(
    learner: QLearning | TemporalDifference, where: NDArray[np.int64], masks: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The best legal move, ties broken at random."""
    worth = learner.worth(where) + 1e-6 * learner.rng.random(masks.shape)
    best: NDArray[np.int64] = np.where(masks, worth, -np.inf).argmax(1)
    return best


def measure(learner: QLearning | TemporalDifference, opponent: str, games: int) -> Result:
    """Results of greedy play in both seats."""
    envs = make(opponent)
    planes, info = envs.reset(seed=10_000)
    results: list[float] = []
    while len(results) < games:
        planes, _, _, _, info = envs.step(chosen(learner, positions(planes), info["action_mask"] == 1))
        if "final_info" in info:
            results += info["final_info"]["result"][info["_final_info"]].tolist()
    results = results[:games]
    return {
        name: results.count(value) / games for name, value in (("win", 1.0), ("draw", 0.0), ("loss", -1.0))
    }


def teach(learner: QLearning | TemporalDifference, seed: int, steps: int) -> Iterator[int]:
    """Train by self-play, with one table in both seats, step by step."""
    envs = make("self")
    planes, info = envs.reset(seed=seed)
    for step in range(1, steps + 1):
        where, masks = positions(planes), info["action_mask"] == 1
        actions = chosen(learner, where, masks)
        explores = learner.rng.random(GAMES) < EXPLORE
        actions[explores] = (learner.rng.random(masks.shape) * masks).argmax(1)[explores]
        planes, rewards, ended, _, info = envs.step(actions)
        learner.learn(where, actions, rewards, ended, positions(planes), info["action_mask"] == 1, explores)
        yield step


def train(name: str, seed: int, steps: int, games: int) -> Result:
    """Train one learner under one seed."""
    learner = LEARNERS[name](seed)
    before = {one: measure(learner, one, games) for one in ("minimax", "random")}
    curve = [[0.0, 1 - before["minimax"]["loss"]]]
    curve += [
        [float(step * GAMES), 1 - measure(learner, "minimax", 500)["loss"]]
        for step in teach(learner, seed, steps)
        if step % max(1, steps // 15) == 0
    ]
    return {
        "before": before,
        "after": {one: measure(learner, one, games) for one in ("minimax", "random")},
        "curve": curve,
        "steps": steps * GAMES,
    }


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    asked = parser.parse_args()
    steps, games = (400, 500) if asked.quick else (STEPS, 2_000)
    folder = asked.out / ("quick" if asked.quick else "") / "tabular"
    experiment = Experiment(
        "tabular", folder, asked.quick, {"steps": steps, "games": games, "explore": EXPLORE, "lanes": GAMES}
    )
    parts = experiment.every(LEARNERS, asked.seeds, train, steps, games)
    experiment.curves(
        {name: [one["curve"] for one in seeds] for name, seeds in parts.items()},
        "moves",
        "draws or wins against the optimum",
    )
    told: dict[str, Result] = {}
    for name, seeds in parts.items():
        told[name] = {"seeds": len(seeds), "minutes": [one["minutes"] for one in seeds]}
        for when in ("before", "after"):
            held = [1 - one[when]["minimax"]["loss"] for one in seeds]
            won = [one[when]["random"]["win"] for one in seeds]
            for kind, values in (("optimum", held), ("random", won)):
                told[name][f"{when}_{kind}"] = over_seeds(values)
        first, last = (told[name][f"{when}_optimum"]["mean"] for when in ("before", "after"))
        print(f"{name}: draws or wins against the optimum {first:.1%} before, {last:.1%} after")
        if asked.quick:
            improves(f"{name}, draws or wins against the optimum", first, last, 0.1)
    best = GAME.calibrate(GAME.opponent("random"))["best_response"]
    experiment.finish({"learners": told, "best_response_to_random": [float(share) for share in best[:3]]})


if __name__ == "__main__":
    main()
