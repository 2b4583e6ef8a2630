"""Play one game in four ways: as a state, as a single environment, in text, and 1,024 at once.

python examples/game_loop.py [game]
"""

import sys

import gymnasium
import numpy as np
import reasonenv
from reasonenv.envs import GameEnv, GameVectorEnv, env_id

name = sys.argv[1] if len(sys.argv) > 1 else "tic_tac_toe"
rng = np.random.default_rng(0)

# A state: rules and, if available, exact values.
state = reasonenv.game(name).start(seed=0)
while not state.is_over:
    state.apply(int(rng.choice(state.legal_actions())))
print(state.text(), f"returns: {state.returns}", sep="\n", end="\n\n")

# A single environment: you play against an opponent that makes a random move every third time.
env = gymnasium.make(env_id(name), random_move_prob=0.3)
observation, info = env.reset(seed=0)
over = False
while not over:
    action = env.action_space.sample(info["action_mask"])  # a policy would look at the observation
    observation, reward, terminated, truncated, info = env.step(action)
    over = terminated or truncated
print(f"reward {reward} after {info['turns']} turns", end="\n\n")

# Text: the messages that a language model reads and writes.
talk = gymnasium.make(env_id(name), mode="text", seat="first").unwrapped
assert isinstance(talk, GameEnv)
print(talk.instructions, end="\n\n")
message, info = talk.reset(seed=0)
over = False
while not over:
    move = talk.game.action_name(talk.state.legal_actions()[0])  # stands for your model
    message, reward, terminated, truncated, info = talk.step(f"The first one.\n<move>{move}</move>")
    over = terminated or truncated
print(message, f"reward {reward:.2f} = {info['reward_parts']}", sep="\n\n", end="\n\n")

# Many games: all replies come from Rust, and each env has an opponent of its own strength.
many = gymnasium.make_vec(
    env_id(name),
    num_envs=1024,
    autoreset_mode="SameStep",
    min_random_move_prob=0.2,
    max_random_move_prob=0.7,
    num_groups=16,
)
assert isinstance(many, GameVectorEnv)
observations, infos = many.reset(seed=0)
results = []
for _ in range(50):
    masks = infos["action_mask"]
    actions = (rng.random(masks.shape) * masks).argmax(axis=1)
    observations, rewards, terminations, truncations, infos = many.step(actions)
    if "final_info" in infos:
        results.append(infos["final_info"]["result"][infos["_final_info"]])
played = np.concatenate(results)
print(f"{len(played)} games: {np.mean(played > 0):.0%} won, {np.mean(played == 0):.0%} drawn")
