"""Tic-tac-toe in text: a network that reads the messages and writes `<move>4</move>`.

It is warmed up on the moves of games that a middling player did not lose, and then plays by itself: groups of
games with the same start and opponent, rewards compared within the group, through stages of an opponent that
errs less and less.

python examples/train/tic_tac_toe_text.py [--quick] [--seeds 3]
"""

import random
from collections.abc import Sequence
from functools import partial
from typing import Any

import common
import gymnasium
import numpy as np
import reasonenv
import torch
from common import Experiment, Result, arguments, improves, mean_interval
from reasonenv.rollouts import Context
from transformer import Model, Tokenizer, Update, policy_step, supervised_step, warmed

GAME = reasonenv.game("tic_tac_toe")
STAGES = ((0.2, 0.7), (0.0, 0.25), (0.0, 0.0))
"""Ranges of the opponent's chance of a random move; every group of games has its own from it."""

SIZES: dict[str, dict[str, Any]] = {
    "tiny": {"games": 600, "warm_up": 400, "updates": (2, 1, 0), "groups": 8, "judged": 100},
    "full": {"games": 2_000, "warm_up": 400, "updates": (20, 25, 35), "groups": 32, "judged": 2_000},
}
WIDTH, RATE = 64, 5e-4
GROUP, BATCH, LAYERS = 8, 64, 2
MOST = 6


def make(low: float, high: float) -> gymnasium.Env[Any, Any]:
    """A game in text against the optimum, which errs with a chance drawn for each example."""
    return gymnasium.make(
        "reasonenv/TicTacToe-v0",
        mode="text",
        opponent="minimax",
        min_random_move_prob=low,
        max_random_move_prob=high,
        num_groups=4,
    )


class Player:
    """The network as a policy of contexts; each message shows the board, so it keeps nothing."""

    def __init__(self, model: Model, temperature: float) -> None:
        self.model, self.temperature = model, temperature
        self.name = "network"

    def __call__(self, contexts: Sequence[Context], _rollout: int) -> list[str]:
        prompts = [context.prompt for context in contexts]
        texts: list[str] = self.model.generate(prompts, temperature=self.temperature, most=MOST)[1]
        return texts


class Middling:
    """What is imitated: it wins, blocks, and else moves at random; now and then it forgets the tags."""

    name = "middling"

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def __call__(self, contexts: Sequence[Context], _rollout: int) -> list[str]:
        texts = []
        for context in contexts:
            state = context.env.unwrapped.state
            legal = state.legal_actions()
            best = self.taken(state, legal)
            texts.append(f"<move>{best}</move>" if self.rng.random() < 0.95 else f"I play {best}.")
        return texts

    def taken(self, state: reasonenv.State, legal: Sequence[int]) -> int:
        """A win, else a block, else any cell; a tenth of the moves are any cell at once."""
        if self.rng.random() > 0.1:
            chances = GAME.opponent("heuristic").distribution(state)
            return self.rng.choices(list(chances), list(chances.values()))[0]
        return self.rng.choice(list(legal))


def turns(trajectories: Sequence[reasonenv.rollouts.Trajectory]) -> list[tuple[str, str, float]]:
    """Every message and reply, with the advantage of its game."""
    return [
        (turn["observation"], turn["action"], one.advantage or 0.0)
        for one in trajectories
        for turn in one.turns
    ]


def demonstrations(seed: int, games: int) -> list[tuple[str, str]]:
    """Moves of games that were not lost and had no invalid message: the filter."""
    played = reasonenv.rollout(
        Middling(seed), lambda: make(0.2, 1.0), n=games, group_size=1, seed=50 + seed, batch_size=64
    )
    kept = [
        one
        for one in played
        if one.turns[-1]["info"].get("result", -1) >= 0 and not one.turns[-1]["info"].get("invalid_moves")
    ]
    return [(asked, said) for asked, said, _ in turns(kept)]


def measure(model: Model, low: float, high: float, games: int, seed: int = 10_000) -> Result:
    """Greedy play in both seats: shares over so many games, with how many had an invalid message."""
    played = reasonenv.rollout(
        Player(model, 0.0), lambda: make(low, high), n=games, group_size=1, seed=seed, batch_size=256
    )
    last = [one.turns[-1]["info"] for one in played]
    results = [info.get("result", -1) for info in last]
    shares = {
        name: sum(result == value for result in results) / games
        for name, value in (("win", 1), ("draw", 0), ("loss", -1))
    }
    return shares | {"games": games, "invalid": common.mean(bool(info.get("invalid_moves")) for info in last)}


def train(seed: int, size: dict[str, Any]) -> Result:
    """One seed: warm-up, then every stage."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    shown = demonstrations(seed, size["games"])
    tokenizer = Tokenizer(
        [asked for asked, _ in shown],
        (said for _, said in shown),
        variable=r"[0-8XO]",
        piece=r"</?move>|\d|\w+| +|\n|.",
    )
    model = Model(tokenizer, width=WIDTH, layers=LAYERS)
    judged = size["judged"]
    found: Result = {"start": measure(model, 0.0, 0.0, min(judged, 200)), "demonstrations": len(shown)}
    optimizer = torch.optim.AdamW(model.parameters(), 2e-3)
    for step in range(size["warm_up"]):
        optimizer.param_groups[0]["lr"] = warmed(step, 2e-3)
        picks = rng.sample(shown, BATCH)
        loss = supervised_step(model, optimizer, model.pack(*zip(*picks, strict=True)))
    print(f"  warmed up, loss {loss:.2f}", flush=True)
    found["warmed_up"] = {name: measure(model, *ends, judged) for name, ends in OPPONENTS.items()}
    optimizer, done = torch.optim.AdamW(model.parameters(), RATE), 0
    curve = [[0.0, 1 - found["warmed_up"]["optimum"]["loss"]]]
    for (low, high), updates in zip(STAGES, size["updates"], strict=True):
        for _ in range(updates):
            played = reasonenv.rollout(
                Player(model, 1.0),
                lambda low=low, high=high: make(low, high),
                n=size["groups"],
                group_size=GROUP,
                seed=100_000 * (seed + 1) + done,
                on_flat="drop",
                batch_size=size["groups"],
            )
            learn(model, optimizer, turns(played))
            done += 1
            if done % 10 == 0:
                curve.append([float(done), 1 - measure(model, 0.0, 0.0, 200, seed=20_000)["loss"]])
                print(f"  update {done}: {curve[-1][1]:.1%} draws or wins", flush=True)
    found["after"] = {name: measure(model, *ends, judged) for name, ends in OPPONENTS.items()}
    return found | {"curve": curve, "updates": done, "weights": model.size}


OPPONENTS = {"optimum": (0.0, 0.0), "errs a fifth of the time": (0.2, 0.2), "random": (1.0, 1.0)}


def learn(model: Model, optimizer: torch.optim.Optimizer, moves: Sequence[tuple[str, str, float]]) -> None:
    """A step of policy gradients on the moves of a batch of games."""
    if not moves:
        return
    asked, said, gains = zip(*moves, strict=True)
    gain = np.asarray(gains)
    for part in np.array_split(np.arange(len(moves)), max(1, len(moves) // 512)):
        samples = model.pack([asked[i] for i in part], [said[i] for i in part])
        policy_step(model, optimizer, samples, gain[part], Update(temperature=1.0, entropy=0.01))


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    asked = parser.parse_args()
    size = SIZES["tiny" if asked.quick else "full"]
    folder = asked.out / ("quick" if asked.quick else "") / "tic_tac_toe_text"
    facts = size | {"stages": STAGES, "rate": RATE, "width": WIDTH}
    experiment = Experiment("tic_tac_toe_text", folder, asked.quick, facts)
    seeds = [
        experiment.part(f"seed-{seed}", partial(train, seed, size))
        for seed in range(1 if asked.quick else asked.seeds)
    ]
    experiment.curves(
        {"network": [one["curve"] for one in seeds]}, "updates", "draws or wins against the optimum"
    )
    told: Result = {}
    for name, (low, _) in OPPONENTS.items():
        table = GAME.calibrate(GAME.opponent("minimax", random_move_prob=low))
        told[name] = {"best_response": [float(share) for share in table["best_response"][:3]]}
        for when in ("warmed_up", "after"):
            held = [1 - one[when][name]["loss"] for one in seeds]
            middle, half = mean_interval(held)
            told[name][when] = {"mean": middle, "half": half, "seeds": held}
            told[name][f"{when}_shares"] = [one[when][name] for one in seeds]
        means = (told[name][when]["mean"] for when in ("warmed_up", "after"))
        print(f"{name}: draws or wins", *(f"{share:.1%}" for share in means))
    experiment.finish({"opponents": told, "minutes": [one["minutes"] for one in seeds]})
    if asked.quick:
        start, after = seeds[0]["start"], seeds[0]["after"]["optimum"]
        improves(
            "games against the optimum without an invalid message",
            1 - start["invalid"],
            1 - after["invalid"],
            0.2,
        )
        improves("draws or wins against the optimum", 1 - start["loss"], 1 - after["loss"], 0.1)


if __name__ == "__main__":
    main()
