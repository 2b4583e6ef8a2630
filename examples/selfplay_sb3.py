"""Self-play with Stable-Baselines3: MaskablePPO learns tic-tac-toe from both seats of 32 games at once.

Needs the `sb3` extra: pip install 'reasonenv[sb3]'

python examples/selfplay_sb3.py [steps]
"""

import sys

import numpy as np
from reasonenv.integrations.sb3 import make_vec_env
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000


def evaluate(model: MaskablePPO, opponent: str) -> str:
    games = make_vec_env("tic_tac_toe", 16, seed=10_000, opponent=opponent)
    rewards, _ = evaluate_policy(model, games, n_eval_episodes=400, return_episode_rewards=True)
    won, drawn, lost = (np.mean(np.sign(rewards) == sign) for sign in (1, 0, -1))
    return f"{won:.1%} won, {drawn:.1%} drawn, {lost:.1%} lost against {opponent}"


# Each step is of the player to move, so that the next position belongs to the other one, and what is good for
# the other is bad for who moved. A discount of -1 says just that, in games whose players move in turn.
envs = make_vec_env("tic_tac_toe", 32, seed=0, opponent="self")
model = MaskablePPO("MlpPolicy", envs, n_steps=64, batch_size=256, learning_rate=1e-3, gamma=-1.0, seed=0)
for opponent in ("random", "minimax"):
    print("before:", evaluate(model, opponent))
model.learn(steps)
for opponent in ("random", "minimax"):
    print("after: ", evaluate(model, opponent))
