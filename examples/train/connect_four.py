"""Connect Four: MaskablePPO in self-play, over the Rust vector environment and over PettingZoo's game.

Both loops have the same learner, the same number of parallel games, the same processor time and the same
ladder of opponents for evaluation. Needs the `sb3` extra and `pettingzoo[classic]`.

python examples/train/connect_four.py [--quick] [--seeds 3] [--minutes 1]
"""

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import torch
from common import Clock, Experiment, Result, arguments, improves, over_seeds
from gymnasium import spaces
from numpy.typing import NDArray
from reasonenv.integrations.sb3 import make_vec_env
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor

torch.set_num_threads(1)

LANES, LENGTH = 64, 64
LADDER: dict[str, dict[str, Any]] = {
    "random": {"opponent": "random"},
    "heuristic, half its moves random": {"opponent": "heuristic", "random_move_prob": 0.5},
    "heuristic, a fifth random": {"opponent": "heuristic", "random_move_prob": 0.2},
    "heuristic": {"opponent": "heuristic"},
}
"""Opponents from weak to strong."""


class PettingZooSelfPlay(gymnasium.Env[NDArray[np.float32], np.int64]):
    """PettingZoo's own Connect Four: each step is by the player to move, with observations like ours."""

    def __init__(self) -> None:
        from pettingzoo.classic import connect_four_v3  # noqa: PLC0415

        self.env = connect_four_v3.raw_env()
        self.observation_space = spaces.Box(0, 1, (2, 6, 7), np.float32)
        self.action_space = spaces.Discrete(7)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed, options=options)
        self.env.reset(seed=seed)
        return self._seen(), {}

    def step(self, action: Any) -> Any:
        mover = self.env.agent_selection
        self.env.step(int(action))
        ended = any(self.env.terminations.values())
        return self._seen(), float(self.env.rewards[mover]), ended, False, {}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask for MaskablePPO."""
        mask = self.env.observe(self.env.agent_selection)["action_mask"]
        return np.asarray(mask, dtype=bool)

    def _seen(self) -> NDArray[np.float32]:
        planes = self.env.observe(self.env.agent_selection)["observation"]
        return np.ascontiguousarray(planes.transpose(2, 0, 1), dtype=np.float32)


def lanes(kind: str, seed: int) -> VecEnv:
    """Parallel games in which one learner has both seats."""
    if kind == "reasonenv":
        return make_vec_env("connect_four", LANES, seed=seed, opponent="self")
    games = DummyVecEnv([PettingZooSelfPlay] * LANES)
    games.seed(seed)
    return VecMonitor(games)


def ladder(model: MaskablePPO, games: int, seed: int = 10_000) -> Result:
    """Scores against every opponent with greedy play in both seats; a draw counts as a half."""
    found = {}
    for name, keywords in LADDER.items():
        envs = make_vec_env("connect_four", 50, seed=seed, **keywords)
        seen = envs.reset()
        results: list[float] = []
        while len(results) < games:
            masks = np.stack(envs.env_method("action_masks"))
            actions, _ = model.predict(seen, action_masks=masks, deterministic=True)
            seen, rewards, ended, _ = envs.step(actions)
            results += [
                (1 + np.sign(reward)) / 2 for reward, over in zip(rewards, ended, strict=True) if over
            ]
        found[name] = float(np.mean(results[:games]))
    return found


class Measuring(BaseCallback):
    """Evaluate on the ladder regularly, outside the learner's time, and stop when that time is up."""

    def __init__(self, seconds: float, every: float, games: int) -> None:
        super().__init__()
        self.seconds, self.every, self.games = seconds, every, games
        self.curve: list[list[float]] = []
        self.clock, self.aside, self.due = Clock(), 0.0, 0.0

    @property
    def spent(self) -> float:
        """Processor seconds spent on learning."""
        return self.clock.seconds - self.aside

    def _on_rollout_end(self) -> None:
        if self.spent < self.due:
            return
        self.due += self.every
        before = self.clock.seconds
        score = float(np.mean(list(ladder(self.model, self.games, seed=20_000).values())))
        self.curve.append([self.spent - (self.clock.seconds - before), score])
        self.aside += self.clock.seconds - before
        print(f"  {self.curve[-1][0]:.0f} s, {self.num_timesteps:,} moves: {score:.3f}", flush=True)

    def _on_step(self) -> bool:
        return self.spent < self.seconds


def train(kind: str, seed: int, seconds: float, games: int) -> Result:
    """Train on one kind of environment under one seed, for this many processor seconds."""
    torch.manual_seed(seed)
    # The next position is the other player's, so its value is the opposite for the mover: a discount of -1.
    model = MaskablePPO(
        "MlpPolicy",
        lanes(kind, seed),
        n_steps=LENGTH,
        batch_size=512,
        learning_rate=5e-4,
        ent_coef=0.01,
        gamma=-1.0,
        seed=seed,
        device="cpu",
        policy_kwargs={"net_arch": [128, 128]},
    )
    before = ladder(model, games)
    watched = Measuring(seconds, seconds / 8, min(games, 100))
    model.learn(10**9, callback=watched)
    return {
        "before": before,
        "after": ladder(model, games),
        "curve": watched.curve,
        "moves": model.num_timesteps,
    }


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0, help="processor time of a run")
    asked = parser.parse_args()
    seconds, games = (12.0, 100) if asked.quick else (60 * asked.minutes, 1_000)
    kinds = ["reasonenv"] if asked.quick else ["reasonenv", "PettingZoo"]
    folder = asked.out / ("quick" if asked.quick else "") / "connect_four"
    experiment = Experiment(
        "connect_four", folder, asked.quick, {"seconds": seconds, "games": games, "lanes": LANES}
    )
    parts = {
        kind: [
            experiment.part(f"{kind}-{seed}", partial(train, kind, seed, seconds, games))
            for seed in range(1 if asked.quick else asked.seeds)
        ]
        for kind in kinds
    }
    told: Result = {}
    for kind, seeds in parts.items():
        told[kind] = {
            "moves": [one["moves"] for one in seeds],
            "moves_a_second": [one["moves"] / seconds for one in seeds],
            "minutes": [one["minutes"] for one in seeds],
        }
        for when in ("before", "after"):
            told[kind][when] = {}
            for name in LADDER:
                told[kind][when][name] = over_seeds([one[when][name] for one in seeds])
        print(kind, {name: round(one["mean"], 3) for name, one in told[kind]["after"].items()})
    curves = {
        kind: [[[x / 60, y] for x, y in one["curve"]] for one in seeds] for kind, seeds in parts.items()
    }
    experiment.curves(curves, "minutes of the processor", "mean score on the ladder")
    experiment.finish(
        {"kinds": told, "curves": {kind: [one["curve"] for one in seeds] for kind, seeds in parts.items()}}
    )
    if asked.quick:
        one = parts["reasonenv"][0]
        improves("score against the random player", one["before"]["random"], one["after"]["random"], 0.05)


if __name__ == "__main__":
    main()
