"""Tic-tac-toe by PPO over the vector environment, through stages of an opponent that errs less and less.

Four groups of games run at once, against an opponent that moves at random half of the time, a fifth of the
time, and never. Half of the games begin with up to three random moves of the learner, and later moves come
from a mixture of the policy and chance: otherwise, a policy that has given up a line because it used to lose
there would never learn that it can be held.

python examples/train/tic_tac_toe.py [--quick] [--seeds 3]
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import common
import gymnasium
import numpy as np
import reasonenv
import torch
from common import Experiment, Result, arguments, improves, over_seeds
from numpy.typing import NDArray
from reasonenv.envs import GameVectorEnv, env_id
from torch import Tensor, nn

torch.set_num_threads(1)

GAME = reasonenv.game("tic_tac_toe")
STAGES = (0.5, 0.2, 0.0, 0.0)
"""Probability that the opponent moves at random in each group of games."""

LANES, LENGTH = 64, 16
FLOOR = 0.15
"""Share of random actions in training, after a game's opening."""
OPENING = 3
"""Maximum number of random moves at the start of a game; half of the games have none."""

GAMES = 2_000
BOARDS = (1.0, 0.5, 0.2, 0.0)
"""Opponents for evaluation; the last is the unbiased optimum."""


_CELLS = np.arange(9).reshape(3, 3)
SYMMETRIES = torch.as_tensor(
    np.stack([np.rot90(side, turn).ravel() for side in (_CELLS, _CELLS.T) for turn in range(4)])
)
"""Symmetries of the board: the cell at each place after a rotation or reflection."""


class Net(nn.Module):
    """A policy and a value on the two planes of the board."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(18, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.policy, self.value = nn.Linear(128, 9), nn.Linear(128, 1)

    def forward(self, planes: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Probabilities of the legal moves, and the value of the position."""
        inside = self.body(planes.flatten(1))
        scores = self.policy(inside).masked_fill(~mask, -1e9)
        return scores.softmax(-1), self.value(inside)[:, 0]


def mixed(chances: Tensor, mask: Tensor, floors: Tensor) -> Tensor:
    """Training distribution: the policy, with a floor of chance in each game."""
    uniform = mask.float() / mask.sum(-1, keepdim=True)
    return (1 - floors[:, None]) * chances + floors[:, None] * uniform


def make(random_move_prob: float, count: int) -> GameVectorEnv:
    """Games against the optimum, which errs with this probability."""
    envs = gymnasium.make_vec(
        env_id("tic_tac_toe"),
        count,
        opponent="minimax",
        random_move_prob=random_move_prob,
        autoreset_mode="SameStep",
    )
    assert isinstance(envs, GameVectorEnv)
    return envs


class Lanes:
    """Parallel games, with one vector environment per stage."""

    def __init__(self, seed: int) -> None:
        self.envs = [make(prob, LANES) for prob in STAGES]
        begun = [envs.reset(seed=100 * seed + at) for at, envs in enumerate(self.envs)]
        self.planes = np.concatenate([planes for planes, _ in begun])
        self.masks = np.concatenate([info["action_mask"] for _, info in begun]).astype(bool)
        self.rng = np.random.default_rng(seed)
        self.random = self._openings(len(self.masks))

    def _openings(self, count: int) -> NDArray[np.int64]:
        """Numbers of random moves at the start of games: 0 in half of them."""
        return self.rng.integers(1, OPENING + 1, count) * self.rng.integers(0, 2, count)

    @property
    def floors(self) -> NDArray[np.float32]:
        """Share of chance in the next move of each game."""
        return np.where(self.random > 0, 1, FLOOR).astype(np.float32)

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Make a move in every game; return rewards and a mask of the games that ended."""
        taken = [envs.step(actions[at * LANES : (at + 1) * LANES]) for at, envs in enumerate(self.envs)]
        self.planes = np.concatenate([one[0] for one in taken])
        self.masks = np.concatenate([one[4]["action_mask"] for one in taken]).astype(bool)
        rewards = np.concatenate([one[1] for one in taken]).astype(np.float32)
        ended = np.concatenate([np.asarray(one[2]) | np.asarray(one[3]) for one in taken])
        self.random = np.where(ended, self._openings(len(ended)), self.random - 1)
        return rewards, ended


@dataclass
class Memory:
    """Data of a stretch of play: shape (length, games)."""

    planes: Tensor
    masks: Tensor
    actions: Tensor
    chances: Tensor
    floors: Tensor
    gains: Tensor
    returns: Tensor

    def flat(self) -> "Memory":
        """Return the same data without the time axis."""
        return Memory(*(value.flatten(0, 1) for value in vars(self).values()))


@torch.no_grad()
def play(net: Net, lanes: Lanes, smoothing: float = 0.95) -> Memory:
    """Play a stretch, and compute generalized advantages."""
    names = ("planes", "masks", "actions", "chances", "floors", "values")
    kept: dict[str, list[Tensor]] = {name: [] for name in names}
    rewards, ends = [], []
    for _ in range(LENGTH):
        # Each board is seen from one of its eight sides, so that lessons from one hold for all.
        side = SYMMETRIES[torch.randint(8, (len(lanes.planes),))]
        planes = torch.as_tensor(lanes.planes).flatten(2).gather(2, side[:, None].expand(-1, 2, -1))
        masks = torch.as_tensor(lanes.masks).gather(1, side)
        chances, values = net(planes, masks)
        floors = torch.as_tensor(lanes.floors)
        drawn_from = mixed(chances, masks, floors)
        actions = torch.multinomial(drawn_from, 1)
        reward, ended = lanes.step(side.gather(1, actions)[:, 0].numpy())
        for name, value in zip(
            kept, (planes, masks, actions, drawn_from.gather(1, actions), floors, values), strict=True
        ):
            kept[name].append(value)
        rewards.append(torch.as_tensor(reward))
        ends.append(torch.as_tensor(ended))
    _, following = net(torch.as_tensor(lanes.planes), torch.as_tensor(lanes.masks))
    gain, gains = torch.zeros(len(following)), []
    for at in reversed(range(LENGTH)):
        goes_on = (~ends[at]).float()
        surprise = rewards[at] + goes_on * following - kept["values"][at]
        gain = surprise + smoothing * goes_on * gain
        gains.append(gain)
        following = kept["values"][at]
    stacked = {name: torch.stack(values) for name, values in kept.items()}
    advantage = torch.stack(gains[::-1])
    return Memory(
        stacked["planes"],
        stacked["masks"],
        stacked["actions"],
        stacked["chances"],
        stacked["floors"],
        advantage,
        advantage + stacked["values"],
    )


def improve(net: Net, optimizer: torch.optim.Optimizer, memory: Memory) -> None:
    """Apply clipped policy gradients, with ratios relative to the sampled mixture."""
    flat, clip = memory.flat(), 0.2
    for _ in range(3):
        for picks in torch.randperm(len(flat.gains)).split(256):
            chances, values = net(flat.planes[picks], flat.masks[picks])
            # Purely random moves teach nothing, neither the move nor its result.
            own = (flat.floors[picks] < 1).float()
            gains = flat.gains[picks]
            gains = (gains - gains.mean()) / (gains.std() + 1e-6)
            now = mixed(chances, flat.masks[picks], flat.floors[picks]).gather(1, flat.actions[picks])
            ratio = (now / flat.chances[picks])[:, 0]
            won = (own * torch.minimum(ratio * gains, ratio.clamp(1 - clip, 1 + clip) * gains)).mean()
            entropy = -(own[:, None] * chances * (chances + 1e-9).log()).sum(-1).mean()
            off = (own * (values - flat.returns[picks]).square()).mean()
            loss = -won - 0.03 * entropy + 0.5 * off
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimizer.step()


@torch.no_grad()
def measure(net: Net, random_move_prob: float, games: int, seed: int = 10_000) -> Result:
    """Shares of wins, draws and losses of greedy play in both seats."""
    envs = make(random_move_prob, 250)
    planes, info = envs.reset(seed=seed)
    seats = info["seat"].copy()
    results: list[tuple[int, float]] = []
    while len(results) < games:
        chances, _ = net(torch.as_tensor(planes), torch.as_tensor(info["action_mask"]).bool())
        planes, _, ended, cut, info = envs.step(chances.argmax(-1).numpy())
        over = np.flatnonzero(np.asarray(ended) | np.asarray(cut))
        if len(over):
            final = info["final_info"]["result"]
            results += [(int(seats[at]), float(final[at])) for at in over]
            seats[over] = info["seat"][over]
    results = results[:games]
    shares: dict[str, Any] = {
        name: sum(result == value for _, result in results) / games
        for name, value in (("win", 1), ("draw", 0), ("loss", -1))
    }
    second = [result for seat, result in results if seat == 1]
    return shares | {"games": games, "second_seat_lost": common.mean(result < 0 for result in second)}


def exact(random_move_prob: float) -> dict[str, list[float]]:
    """Exact probabilities of win, draw and loss for reference policies, including the best response."""
    table = GAME.calibrate(GAME.opponent("minimax", random_move_prob=random_move_prob))
    return {name: [float(share) for share in tally[:3]] for name, tally in table.items()}


def train(seed: int, updates: int, games: int) -> Result:
    """Train one seed from scratch."""
    torch.manual_seed(seed)
    net, lanes = Net(), Lanes(seed)
    optimizer = torch.optim.Adam(net.parameters(), 7e-4)
    before = {f"{prob:g}": measure(net, prob, games) for prob in BOARDS}
    curve = [[0.0, 1 - before["0"]["loss"]]]
    for update in range(updates):
        improve(net, optimizer, play(net, lanes))
        if (update + 1) % max(1, updates // 20) == 0:
            held = 1 - measure(net, 0.0, 500, seed=20_000)["loss"]
            curve.append([float((update + 1) * LENGTH * LANES * len(STAGES)), held])
    after = {f"{prob:g}": measure(net, prob, games) for prob in BOARDS}
    return {"before": before, "after": after, "curve": curve, "steps": updates * LENGTH * LANES * len(STAGES)}


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    asked = parser.parse_args()
    updates, games = (16, 500) if asked.quick else (100, GAMES)
    facts = {"stages": STAGES, "floor": FLOOR, "opening": OPENING, "updates": updates, "games": games}
    folder = asked.out / ("quick" if asked.quick else "") / "tic_tac_toe"
    experiment = Experiment("tic_tac_toe", folder, asked.quick, facts)
    seeds = [
        experiment.part(f"seed-{seed}", partial(train, seed, updates, games))
        for seed in range(1 if asked.quick else asked.seeds)
    ]
    experiment.curves({"PPO": [one["curve"] for one in seeds]}, "steps", "draws or wins against the optimum")
    told: Result = {}
    for prob in (f"{one:g}" for one in BOARDS):
        for when in ("before", "after"):
            held = over_seeds([1 - one[when][prob]["loss"] for one in seeds])
            told.setdefault(prob, {})[when] = held
            told[prob][f"{when}_shares"] = [one[when][prob] for one in seeds]
        told[prob]["exact"] = exact(float(prob))
        best = told[prob]["exact"]["best_response"]
        print(
            f"random_move_prob {prob}: draws or wins {told[prob]['before']['mean']:.1%} before, "
            f"{told[prob]['after']['mean']:.1%} after; the best response has {best[0] + best[1]:.1%}"
        )
    minutes = [one["minutes"] for one in seeds]
    experiment.finish({"opponents": told, "steps": seeds[0]["steps"], "minutes": minutes})
    if asked.quick:
        improves(
            "draws or wins against the optimum", told["0"]["before"]["mean"], told["0"]["after"]["mean"], 0.1
        )


if __name__ == "__main__":
    main()
