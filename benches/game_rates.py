"""Env-steps per second of every game and opponent: `python -m benches.game_rates` writes `game_rates.json`.

`make docs` puts its numbers on the pages of the games. Run it on an idle machine; it takes about five
minutes. One thread and random legal actions; resets, observations and masks are included.
"""

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import reasonenv
from reasonenv.arena import available_opponents
from reasonenv.envs import env_id
from reasonenv.errors import SlowAnalysis
from reasonenv.pettingzoo import env_id as aec_id

FILE = Path(__file__).with_suffix(".json")
SECONDS = 0.5
"""Time spent on each measurement."""
MANY, FEW = 1_024, 16
"""Number of games in parallel, and the smaller number for slow steps."""
FAST = 20_000
"""Single steps per second above which many games are stepped at once."""


def setups(game: reasonenv.Game) -> dict[str, dict[str, Any]]:
    """Setups to measure by name: every opponent, self-play, exact values against the default opponent."""
    known: dict[str, dict[str, Any]] = {name: {"opponent": name} for name in available_opponents(game)}
    known["self"] = {"opponent": "self"}
    if not (game.has_hidden_information or game.unsolvable_reason):
        known["reward='regret'"] = {"reward": "regret"}
        known["analysis=True"] = {"analysis": True}
    return known


def single(name: str, **kwargs: Any) -> tuple[float, float]:
    """Steps per second through `gymnasium.make`, resets included, and the seconds that 99 % of them take."""
    env = gymnasium.make(env_id(name), **kwargs)
    draw = np.random.default_rng(0).random
    _, info = env.reset(seed=0)
    steps: list[float] = []
    spent = 0.0
    while spent < SECONDS:
        legal = info["action_mask"].nonzero()[0]
        action = int(legal[int(draw() * len(legal))])
        start = time.process_time()
        _, _, terminated, truncated, info = env.step(action)
        steps.append(time.process_time() - start)
        if terminated or truncated:
            _, info = env.reset()
        spent += time.process_time() - start
    return len(steps) / spent, float(np.quantile(steps, 0.99))


def vector(name: str, num_envs: int, **kwargs: Any) -> float:
    """Env-steps per second of parallel games, without the time to choose actions."""
    many = gymnasium.make_vec(env_id(name), num_envs, autoreset_mode="SameStep", **kwargs)
    rng = np.random.default_rng(0)
    _, infos = many.reset(seed=0)
    steps, spent = 0, 0.0
    while spent < SECONDS:
        masks = infos["action_mask"]
        actions = (rng.random(masks.shape) * masks).argmax(1)
        start = time.process_time()
        infos = many.step(actions)[4]
        spent += time.process_time() - start
        steps += num_envs
    return steps / spent


def one_by_one(name: str) -> float:
    """Moves per second of the loop of PettingZoo's documentation, resets included."""
    env = pettingzoo.make("aec", aec_id(name))
    env.reset(seed=0)
    draw = np.random.default_rng(0).random
    moves, start = 0, time.process_time()
    while time.process_time() - start < SECONDS:
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            assert isinstance(observation, dict)
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(draw() * len(legal))]))
            moves += 1
        env.reset()
    return moves / (time.process_time() - start)


def rates(name: str) -> list[dict[str, Any]]:
    """Return a row for each setup of a game."""
    rows = []
    for setup, kwargs in setups(reasonenv.game(name)).items():
        one, slowest = single(name, **kwargs)
        count = MANY if one >= FAST else FEW
        rows.append(
            {
                "setup": setup,
                "single": round(one),
                "slowest_us": round(slowest * 1e6),
                "vector": round(vector(name, count, **kwargs)),
                "envs": count,
            }
        )
        if setup == "self":
            rows[-1]["pettingzoo"] = round(one_by_one(name))
    return rows


def main(names: list[str]) -> None:
    """Measure the named games, or all; games that are not named keep their numbers."""
    warnings.simplefilter("ignore", SlowAnalysis)
    reasonenv.set_num_threads(1)
    known: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    for name in names or reasonenv.list_games():
        known[name] = rates(name)
        for row in known[name]:
            print(
                f"{name}: {row['setup']}: {row['single']:,} single, 99 % within {row['slowest_us']:,} µs, "
                f"{row['vector']:,} by {row['envs']:,}"
            )
    FILE.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
