"""Tic-tac-toe in text: a network that reads the messages and writes `<move>4</move>`.

It is warmed up on the moves of games that a middling player did not lose, and then plays by itself: groups of
games with the same start and opponent, rewards compared within the group, through stages of an opponent that
errs less and less.

python examples/train/tic_tac_toe_text.py [--quick] [--seeds 3]
"""

import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import common
import gymnasium
import numpy as np
import reasonenv
import torch
from common import Experiment, Result, arguments, improves, over_seeds
from numpy.typing import NDArray
from reasonenv.rollouts import Context
from transformer import PAD, Model, Samples, Tokenizer, Update, policy_step, supervised_step, warmed

GAME = reasonenv.game("tic_tac_toe")
STAGES = ((0.2, 0.7), (0.0, 0.25), (0.0, 0.3))
"""Ranges of the opponent's chance of a random move; every group of games has its own from it."""

SIZES: dict[str, dict[str, Any]] = {
    "tiny": {"games": 600, "warm_up": 400, "updates": (20, 40, 0), "groups": 8, "judged": 100},
    "full": {"games": 2_000, "warm_up": 400, "updates": (20, 40, 260), "groups": 48, "judged": 2_000},
}
WIDTH, RATE = 64, 2.5e-4
LEARNT = 0.995
"""Draws or wins against the optimum, twice in a row, at which it is done before its updates are."""
PART = 128
"""Different moves that one step of policy gradients reads."""
FLOOR = 0.15
"""The share of moves that chance makes in training; what is learnt is corrected for it."""
GROUP, BATCH, LAYERS = 8, 64, 2
OPENING = 3
"""Random moves that a game begins with at most."""
MOST = 6
ROW = r"[0-8XO] \| [0-8XO] \| [0-8XO]"
"""A row of the board is one token: in pieces the network has to count where each of them stands."""


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


class Opened(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Games begin with up to three random moves of the learner's own, from which it does not learn.

    Left to its own openings it soon plays a few of them, and loses every game in which it is led elsewhere.
    """

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        rng = random.Random(seed)
        observation, info = self.env.reset(seed=seed, options=options)
        for _ in range(rng.randint(0, OPENING)):
            legal = list(self.env.get_wrapper_attr("state").legal_actions())
            observation, _, ended, cut, info = self.env.step(f"<move>{rng.choice(legal)}</move>")
            if ended or cut:
                return self.env.reset(seed=seed, options=options)
        return observation, info


class Player:
    """The network as a policy of contexts; each message shows the board, so it keeps nothing."""

    def __init__(self, model: Model, temperature: float) -> None:
        self.model, self.temperature = model, temperature
        self.name = "network"

    def __call__(self, contexts: Sequence[Context], _rollout: int) -> list[str]:
        prompts = [context.prompt for context in contexts]
        texts: list[str] = self.model.generate(prompts, temperature=self.temperature, most=MOST)[1]
        return texts


class Exploring(Player):
    """The network in training: now and then chance says a legal move in its place."""

    def __init__(self, model: Model, rng: random.Random) -> None:
        super().__init__(model, 1.0)
        self.rng = rng
        self.moves: dict[str, list[str]] = {}
        """What chance may say to each message."""

    def __call__(self, contexts: Sequence[Context], _rollout: int) -> list[str]:
        texts = super().__call__(contexts, _rollout)
        for i, context in enumerate(contexts):
            legal = context.env.get_wrapper_attr("state").legal_actions()
            moves = self.moves[context.prompt] = [f"<move>{action}</move>" for action in legal]
            if self.rng.random() < FLOOR:
                texts[i] = self.rng.choice(moves)
        return texts

    def ratios(self, samples: Samples, asked: Sequence[str], said: Sequence[str]) -> NDArray[np.float64]:
        """How much likelier the network says each text than network and chance together do."""
        with torch.no_grad():
            logs = self.model.logits(samples).log_softmax(-1)
            logs = logs.gather(-1, samples.completions[..., None])[..., 0]
            own = (logs * (samples.completions != PAD)).sum(1).exp().numpy()
        moves = [self.moves[message] for message in asked]
        chance = [(text in known) / len(known) for text, known in zip(said, moves, strict=True)]
        return np.asarray(own / ((1 - FLOOR) * own + FLOOR * np.asarray(chance) + 1e-12))


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


def fresh_network(seed: int, games: int) -> tuple[Model, list[tuple[str, str]]]:
    """A network that has learnt nothing, and the demonstrations of this seed."""
    torch.manual_seed(seed)
    shown = demonstrations(seed, games)
    tokenizer = Tokenizer(
        [asked for asked, _ in shown],
        (said for _, said in shown),
        variable=rf"{ROW}|[0-8XO]",
        piece=rf"{ROW}|</?move>|\d|\w+| +|\n|.",
    )
    return Model(tokenizer, width=WIDTH, layers=LAYERS), shown


def train(seed: int, size: dict[str, Any], path: Path) -> Result:
    """One seed: warm-up, then every stage; the network is kept in a file."""
    rng = random.Random(seed)
    model, shown = fresh_network(seed, size["games"])
    judged = size["judged"]
    found: Result = {"start": measure(model, 0.0, 0.0, min(judged, 200)), "demonstrations": len(shown)}
    optimizer = torch.optim.AdamW(model.parameters(), 2e-3)
    for step in range(size["warm_up"]):
        optimizer.param_groups[0]["lr"] = warmed(step, 2e-3)
        picks = rng.sample(shown, BATCH)
        loss = supervised_step(model, optimizer, model.pack(*zip(*picks, strict=True)))
    print(f"  warmed up, loss {loss:.2f}", flush=True)
    found["warmed_up"] = {name: measure(model, *ends, judged) for name, ends in OPPONENTS.items()}
    optimizer = torch.optim.AdamW(model.parameters(), RATE)
    curve = [[0.0, 1 - found["warmed_up"]["optimum"]["loss"]]]
    stages = [ends for ends, updates in zip(STAGES, size["updates"], strict=True) for _ in range(updates)]
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), path)
    for done, (low, high) in enumerate(stages, 1):
        player = Exploring(model, rng)
        played = reasonenv.rollout(
            player,
            lambda low=low, high=high: Opened(make(low, high)),
            n=size["groups"],
            group_size=GROUP,
            seed=100_000 * (seed + 1) + done,
            on_flat="drop",
            batch_size=size["groups"],
        )
        left = 1 - done / len(stages)
        optimizer.param_groups[0]["lr"] = RATE * (0.15 + 0.85 * left)
        learn(player, optimizer, turns(played), entropy=0.02 * (0.2 + 0.8 * left))
        if done % 10 == 0 or done == len(stages):
            held = 1 - measure(model, 0.0, 0.0, 200, seed=20_000)["loss"]
            print(f"  update {done}: {held:.1%} draws or wins", flush=True)
            # The best on these games, none of which it is judged by, is kept.
            if held >= max(share for _, share in curve):
                torch.save(model.state_dict(), path)
            curve.append([float(done), held])
            if min(curve[-1][1], curve[-2][1]) >= LEARNT:
                break
    model.load_state_dict(torch.load(path))
    found["after"] = {name: measure(model, *ends, judged) for name, ends in OPPONENTS.items()}
    return found | {"curve": curve, "updates": curve[-1][0], "weights": model.size}


OPPONENTS = {"optimum": (0.0, 0.0), "errs a fifth of the time": (0.2, 0.2), "random": (1.0, 1.0)}


def learn(
    player: Exploring,
    optimizer: torch.optim.Optimizer,
    moves: Sequence[tuple[str, str, float]],
    entropy: float,
) -> None:
    """Some steps of policy gradients on the moves of a batch of games."""
    # What was said to one message in several games is read once.
    gains: dict[tuple[str, str], float] = {}
    for asked, said, gain in moves:
        gains[asked, said] = gains.get((asked, said), 0.0) + gain
    pairs, scale = list(gains), len(gains) / max(1, len(moves))
    player.rng.shuffle(pairs)
    for at in range(0, len(pairs), PART):
        part = pairs[at : at + PART]
        messages, texts = zip(*part, strict=True)
        samples = player.model.pack(messages, texts)
        weights = np.array([scale * gains[pair] for pair in part]) * player.ratios(samples, messages, texts)
        policy_step(player.model, optimizer, samples, weights, Update(temperature=1.0, entropy=entropy))


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    asked = parser.parse_args()
    size = SIZES["tiny" if asked.quick else "full"]
    folder = asked.out / ("quick" if asked.quick else "") / "tic_tac_toe_text"
    facts = size | {
        "stages": STAGES,
        "rate": RATE,
        "width": WIDTH,
        "opening": OPENING,
        "floor": FLOOR,
        "learnt": LEARNT,
    }
    experiment = Experiment("tic_tac_toe_text", folder, asked.quick, facts)
    seeds = [
        experiment.part(f"seed-{seed}", partial(train, seed, size, folder / f"network-{seed}.pt"))
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
            told[name][when] = over_seeds([1 - one[when][name]["loss"] for one in seeds])
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
