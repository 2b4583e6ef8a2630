"""A puzzle learned with Stable-Baselines3: MaskablePPO finds the way through mazes that it has never seen.

Needs the `sb3` extra: pip install 'reasonenv[sb3]'

python examples/maze_sb3.py [steps] [reward]
"""

import sys
import time

import torch
from gymnasium import spaces
from reasonenv.integrations.sb3 import make_vec_env
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
reward = sys.argv[2] if len(sys.argv) > 2 else "progress"
ROUNDS = 10


class PlanesCnn(BaseFeaturesExtractor):
    """Convolutions over a board of any size, which SB3's own network for pictures is too deep for."""

    def __init__(self, space: spaces.Box, width: int = 32, features: int = 128) -> None:
        super().__init__(space, features)
        planes, rows, columns = space.shape
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(planes, width, 3, padding=1),
            torch.nn.ReLU(),
            torch.nn.Conv2d(width, width, 3, padding=1),
            torch.nn.ReLU(),
            torch.nn.Conv2d(width, width, 3, padding=1),
            torch.nn.ReLU(),
            torch.nn.Flatten(),
            torch.nn.Linear(width * rows * columns, features),
            torch.nn.ReLU(),
        )

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        return self.layers(planes)


torch.manual_seed(0)
rooms = {"rooms": 3, "loops_percent": 30}
envs = make_vec_env("maze", 64, seed=0, reward=reward, params=rooms)
held_out = make_vec_env("maze", 64, split="test", params=rooms)
model = MaskablePPO(
    "MlpPolicy",
    envs,
    n_steps=32,
    batch_size=512,
    n_epochs=4,
    learning_rate=1e-3,
    gamma=0.9,
    ent_coef=0.01,
    policy_kwargs={"features_extractor_class": PlanesCnn, "net_arch": []},
    seed=0,
)


def solved() -> float:
    """The share of 512 held-out mazes whose shortest way the policy finds."""
    held_out.seed(10_000)
    return float(evaluate_policy(model, held_out, n_eval_episodes=512)[0])


start = time.perf_counter()
print(f"{0:>9,} steps: {solved():.1%} solved")
for _ in range(ROUNDS):
    model.learn(steps // ROUNDS, reset_num_timesteps=False)
    seconds = time.perf_counter() - start
    print(f"{model.num_timesteps:>9,} steps: {solved():.1%} solved, {seconds:.0f} s", flush=True)
