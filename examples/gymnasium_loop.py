"""Run one policy in three loops: a single environment, a vector of them, and a fixed set of held-out tasks.

python examples/gymnasium_loop.py [family] [level]
"""

import sys

import gymnasium
import numpy as np
import reasonenv
from reasonenv.envs import SolutionEnv, SolutionVectorEnv, env_id

family = sys.argv[1] if len(sys.argv) > 1 else "chain_sum"
level = int(sys.argv[2]) if len(sys.argv) > 2 else 1


def policy(task: reasonenv.Task, rng: np.random.Generator) -> str:
    """Placeholder for your model: right four times out of five. A model sees nothing but `task.prompt`."""
    if rng.random() < 0.8:
        return task.wrap(task.solution.answer)
    return "I do not know."


rng = np.random.default_rng(0)

env = gymnasium.make(env_id(family), level=level, render_mode="ansi")
single = env.unwrapped
assert isinstance(single, SolutionEnv)
prompt, info = env.reset(seed=0)
_, reward, _, _, info = env.step(policy(single.task, rng))
print(env.render(), f"{info['task_id']}: reward {reward}", sep="\n\n", end="\n\n")

# "SameStep": every action is verified. With the default, "NextStep", every second one is discarded.
many = gymnasium.make_vec(env_id(family), num_envs=64, level=level, autoreset_mode="SameStep")
assert isinstance(many, SolutionVectorEnv)
prompts, infos = many.reset(seed=0)
passed = []
for _ in range(10):
    prompts, rewards, _, _, infos = many.step([policy(task, rng) for task in many.tasks])
    passed.append(infos["final_info"]["passed"].mean())
print(f"training:   {np.mean(passed):.0%} of 640 passed")

held_out = gymnasium.make_vec(
    env_id(family), num_envs=100, level=level, split="eval", autoreset_mode="Disabled"
)
assert isinstance(held_out, SolutionVectorEnv)
held_out.reset(options={"index": range(100)})
_, rewards, _, _, infos = held_out.step([policy(task, rng) for task in held_out.tasks])
print(f"evaluation: {infos['passed'].mean():.0%} of 100 passed")
