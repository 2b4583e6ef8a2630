"""Q-learning of tic-tac-toe with a table in self-play: the learner has both seats of 256 games at once.

python examples/selfplay_tabular.py [steps]
"""

import sys

import gymnasium
import numpy as np
from numpy.typing import NDArray
from reasonenv.envs import GameVectorEnv, env_id

GAMES = 256
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000
rng = np.random.default_rng(0)
q_values = np.zeros((3**9, 9))
"""Value of each cell to the player to move, by position."""


def positions(observations: NDArray[np.float32]) -> NDArray[np.int64]:
    """A number for each position, as the player to move sees it: 1 for an own mark, 2 for the opponent's."""
    own, other = observations.reshape(len(observations), 2, 9).swapaxes(0, 1)
    numbers: NDArray[np.int64] = ((own + 2 * other) @ 3 ** np.arange(9)).astype(np.int64)
    return numbers


def greedy(where: NDArray[np.int64], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """The best legal cell of each position, ties broken at random."""
    worth = q_values[where] + 1e-6 * rng.random(masks.shape)
    best: NDArray[np.int64] = np.where(masks == 1, worth, -np.inf).argmax(1)
    return best


def make(opponent: str) -> GameVectorEnv:
    envs = gymnasium.make_vec(env_id("tic_tac_toe"), GAMES, opponent=opponent, autoreset_mode="SameStep")
    assert isinstance(envs, GameVectorEnv)
    return envs


def evaluate(opponent: str) -> str:
    """Results of greedy play against an opponent, with each seat in half of the games."""
    envs, results = make(opponent), []
    observations, infos = envs.reset(seed=1)
    for _ in range(20):
        actions = greedy(positions(observations), infos["action_mask"])
        observations, _, _, _, infos = envs.step(actions)
        if "final_info" in infos:
            results.append(infos["final_info"]["result"][infos["_final_info"]])
    result = np.concatenate(results)
    won, drawn, lost = (np.mean(result == value) for value in (1, 0, -1))
    return f"{won:.1%} won, {drawn:.1%} drawn, {lost:.1%} lost against {opponent}"


for opponent in ("random", "minimax"):
    print("before:", evaluate(opponent))

envs = make("self")
observations, infos = envs.reset(seed=0)
for _step in range(steps):
    where, masks, movers = positions(observations), infos["action_mask"], infos["current_player"]
    actions = greedy(where, masks)
    explores = rng.random(GAMES) < 0.2
    actions[explores] = (rng.random(masks.shape) * masks).argmax(1)[explores]
    observations, rewards, ended, _, infos = envs.step(actions)
    # The value of the next position to its mover is the opposite of its value to the other player.
    best = np.where(infos["action_mask"] == 1, q_values[positions(observations)], -np.inf).max(1)
    same = infos["current_player"] == movers
    targets = np.where(ended, rewards, np.where(same, best, -best))
    q_values[where, actions] += 0.3 * (targets - q_values[where, actions])

for opponent in ("random", "minimax"):
    print("after: ", evaluate(opponent))
