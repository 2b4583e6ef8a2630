"""Tic-tac-toe in text: a network that reads the messages and writes `<move>4</move>`.

It is warmed up on moves of games that a middling player did not lose, and then plays on its own, through
stages of an opponent that errs less and less. It learns by PPO: the advantage of a move is how much better
the game looks to a critic after it than before it.

python examples/train/tic_tac_toe_text.py [--quick] [--seeds 3]
"""

import copy
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import common
import gymnasium
import numpy as np
import reasonenv
import torch
from common import Experiment, Result, arguments, improves, over_seeds
from reasonenv.rollouts import Context
from torch import Tensor, nn
from transformer import PAD, Model, Samples, Tokenizer, supervised_step, warmed

GAME = reasonenv.game("tic_tac_toe")
STAGES = ((0.2, 0.7), (0.0, 0.25))
"""Ranges of the opponent's random move probability; each game draws its own."""

SIZES: dict[str, dict[str, Any]] = {
    "tiny": {"demonstrations": 600, "warm_up": 400, "updates": (20, 0), "games": 128, "judged": 100},
    "full": {
        "demonstrations": 2_000,
        "warm_up": 400,
        "updates": (20, 140),
        "games": 384,
        "judged": 2_000,
    },
}
WIDTH, LAYERS, BATCH = 64, 2, 64
RATE, HELD = 5e-4, 0.02
"""Learning rate, and cost of each nat of divergence from the warmed-up network; both decay."""
EPOCHS, PART, CLIP = 2, 128, 0.2
"""Passes over an update's moves, moves per step, and clipping range."""
FARTHEST = 3.0
"""Limit on the ratio of bad moves (Ye et al., 2020): without it, one rare text would outweigh all others."""
LEARNT, LOST = 0.995, 0.03
"""Rate of draws or wins against the optimum, twice in a row, at which training ends; and its allowed drop."""
TRACE = 0.9
"""Lambda of generalized advantages (Schulman et al., 2016); rewards are not discounted."""
OPENING = 3
"""Maximum number of random moves at the start of a game."""
MOST = 6
ROW = r"[0-8XO] \| [0-8XO] \| [0-8XO]"
"""One token per row of the board: with smaller pieces, the network would have to count positions."""


def make(low: float, high: float) -> gymnasium.Env[Any, Any]:
    """A game in text against the optimum, which errs with a probability drawn for each example."""
    return gymnasium.make(
        "reasonenv/TicTacToe-v1",
        mode="text",
        opponent="minimax",
        min_random_move_prob=low,
        max_random_move_prob=high,
        num_groups=4,
    )


class Opened(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Begins half of the games with one to three random moves of the learner, which it does not learn from.

    With only its own openings, it soon plays just a few of them, and loses every game that leads elsewhere.
    """

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        rng = random.Random(seed)
        observation, info = self.env.reset(seed=seed, options=options)
        for _ in range(rng.choice((0, rng.randint(1, OPENING)))):
            legal = list(self.env.get_wrapper_attr("state").legal_actions())
            observation, _, ended, cut, info = self.env.step(f"<move>{rng.choice(legal)}</move>")
            if ended or cut:
                return self.env.reset(seed=seed, options=options)
        return observation, info


class Player:
    """The network as a policy of contexts; each message shows the board, so it stores nothing."""

    def __init__(self, model: Model, temperature: float) -> None:
        self.model, self.temperature = model, temperature
        self.name = "network"

    def __call__(self, contexts: Sequence[Context], _rollout: int) -> list[str]:
        prompts = [context.prompt for context in contexts]
        texts: list[str] = self.model.generate(prompts, temperature=self.temperature, most=MOST)[1]
        return texts


@dataclass(frozen=True)
class Moves:
    """Distinct moves of some games: each pair of message and text is read once, however often it occurs."""

    pairs: list[tuple[str, str]]
    better: Tensor
    """For each move, the sum of the positive advantages."""
    worse: Tensor
    """The sum of the negative ones."""
    ends: Tensor
    """Target of the critic for each move's message: the mean of its estimates with hindsight."""


def advantages(games: Sequence[reasonenv.rollouts.Record], looks: Mapping[str, float]) -> Moves:
    """Generalized advantages of all moves, normalized to 1 around 0, given the critic's value of messages."""
    gains: dict[tuple[str, str], list[float]] = {}
    ends: dict[str, list[float]] = {}
    for game in games:
        after, gain = game.reward or 0.0, 0.0
        for turn in reversed(game.turns):
            message = turn["observation"]
            gain = after - looks[message] + TRACE * gain
            after = looks[message]
            gains.setdefault((message, turn["action"]), []).append(gain)
            ends.setdefault(message, []).append(gain + after)
    every = np.concatenate([np.array(found) for found in gains.values()])
    scale = len(gains) / len(every) / (every.std() + 1e-6)
    spread = [(np.array(found) - every.mean()) * scale for found in gains.values()]
    return Moves(
        list(gains),
        torch.tensor([one.clip(min=0).sum() for one in spread], dtype=torch.float32),
        torch.tensor([one.clip(max=0).sum() for one in spread], dtype=torch.float32),
        torch.tensor([common.mean(ends[message]) for message, _ in gains]),
    )


class Learner:
    """PPO (Schulman et al., 2017) on whole texts, with a critic on the network's view of a message.

    In place of an entropy bonus, which rewards any text, a penalty keeps it close to the warmed-up network.
    """

    def __init__(self, model: Model) -> None:
        self.model, self.start = model, copy.deepcopy(model)
        self.critic = nn.Linear(model.last.normalized_shape[0], 1)
        nn.init.zeros_(self.critic.weight)
        nn.init.zeros_(self.critic.bias)
        self.optimizer = self.fresh()
        self.kept = self.state()

    def fresh(self) -> torch.optim.Optimizer:
        """A new optimizer."""
        return torch.optim.Adam([*self.model.parameters(), *self.critic.parameters()], RATE, eps=1e-5)

    def state(self) -> list[dict[str, Tensor]]:
        """A copy of all weights."""
        return [copy.deepcopy(one.state_dict()) for one in (self.model, self.critic)]

    def go_back(self) -> None:
        """Restore the kept weights."""
        for one, weights in zip((self.model, self.critic), self.kept, strict=True):
            one.load_state_dict(weights)
        self.optimizer = self.fresh()

    def learn(self, games: Sequence[reasonenv.rollouts.Record], left: float) -> str:
        """Update once on some games, with this share of the learning rate; return a progress report."""
        messages = list(dict.fromkeys(turn["observation"] for game in games for turn in game.turns))
        with torch.no_grad():
            looks = self.critic(self.model.states(self.model.pack(messages))[:, 0])[:, 0].tolist()
        moves = advantages(games, dict(zip(messages, looks, strict=True)))
        samples = self.model.pack(*zip(*moves.pairs, strict=True))
        with torch.no_grad():
            places = torch.arange(len(samples.rows)).split(PART)
            before = torch.cat([self.read(self.model, samples.only(part))[0] for part in places])
            start = torch.cat([self.read(self.start, samples.only(part))[1] for part in places])
        self.optimizer.param_groups[0]["lr"] = RATE * left
        far = []
        for _ in range(EPOCHS):
            for part in torch.randperm(len(samples.rows)).split(PART):
                chosen, logs, looked = self.read(self.model, samples.only(part))
                ratio = (chosen - before[part]).exp()
                gained = ratio.clamp(max=1 + CLIP) * moves.better[part]
                gained += ratio.clamp(1 - CLIP, FARTHEST) * moves.worse[part]
                held = (logs.exp() * (logs - start[part])).sum((1, 2))
                off = (looked - moves.ends[part]).square()
                self.optimizer.zero_grad()
                (0.5 * off - gained + HELD * left * held).mean().backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
                self.optimizer.step()
                far.append(float(held.detach().mean()))
        reward = common.mean(game.reward or 0.0 for game in games)
        return f"reward {reward:.2f}, {common.mean(far):.2f} nats from the start, {len(moves.pairs)} pairs"

    def read(self, model: Model, samples: Samples) -> tuple[Tensor, Tensor, Tensor]:
        """Log-likelihood of each completion, that of every token at each place, and the critic's value."""
        states = model.states(samples)
        logs = model.scores(states).log_softmax(-1)
        real = (samples.completions != PAD)[..., None]
        # After the end of a text, nothing is likely or unlikely.
        logs = torch.where(real, logs, torch.zeros(()))
        chosen = logs.gather(-1, samples.completions[..., None])[..., 0]
        return chosen.sum(1), logs, self.critic(states[:, 0])[:, 0]


class Middling:
    """Player to imitate: wins, blocks, otherwise moves at random; sometimes it forgets the tags."""

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
        """A win, otherwise a block, otherwise any cell; a tenth of the moves are random from the start."""
        if self.rng.random() > 0.1:
            chances = GAME.opponent("heuristic").distribution(state)
            return self.rng.choices(list(chances), list(chances.values()))[0]
        return self.rng.choice(list(legal))


def demonstrations(seed: int, games: int) -> list[tuple[str, str]]:
    """Moves of games that were not lost and had no invalid message."""
    played = reasonenv.rollout(
        lambda: make(0.2, 1.0),
        Middling(seed),
        n=games,
        group_size=1,
        seed=50 + seed,
        sampling=reasonenv.rollouts.Sampling(batch_size=64),
    )
    kept = [
        one
        for one in played
        if one.turns[-1]["info"].get("result", -1) >= 0 and not one.turns[-1]["info"].get("invalid_moves")
    ]
    return [(turn["observation"], turn["action"]) for one in kept for turn in one.turns]


def measure(model: Model, low: float, high: float, games: int, seed: int = 10_000) -> Result:
    """Shares of results in greedy play in both seats, and of games with an invalid message."""
    played = reasonenv.rollout(
        lambda: make(low, high),
        Player(model, 0.0),
        n=games,
        group_size=1,
        seed=seed,
        sampling=reasonenv.rollouts.Sampling(batch_size=256),
    )
    last = [one.turns[-1]["info"] for one in played]
    results = [info.get("result", -1) for info in last]
    shares = {
        name: sum(result == value for result in results) / games
        for name, value in (("win", 1), ("draw", 0), ("loss", -1))
    }
    return shares | {"games": games, "invalid": common.mean(bool(info.get("invalid_moves")) for info in last)}


def fresh_network(seed: int, games: int) -> tuple[Model, list[tuple[str, str]]]:
    """An untrained network, and the demonstrations of this seed."""
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
    """Train one seed: warm-up, then every stage; save the network to a file."""
    rng = random.Random(seed)
    model, shown = fresh_network(seed, size["demonstrations"])
    judged = size["judged"]
    found: Result = {"start": measure(model, 0.0, 0.0, min(judged, 200)), "demonstrations": len(shown)}
    optimizer = torch.optim.AdamW(model.parameters(), 2e-3)
    for step in range(size["warm_up"]):
        optimizer.param_groups[0]["lr"] = warmed(step, 2e-3)
        picks = rng.sample(shown, BATCH)
        loss = supervised_step(model, optimizer, model.pack(*zip(*picks, strict=True)))
    print(f"  warmed up, loss {loss:.2f}", flush=True)
    found["warmed_up"] = {name: measure(model, *ends, judged) for name, ends in OPPONENTS.items()}
    learner = Learner(model)
    curve = [[0.0, 1 - found["warmed_up"]["optimum"]["loss"]]]
    stages = [ends for ends, updates in zip(STAGES, size["updates"], strict=True) for _ in range(updates)]
    for done, (low, high) in enumerate(stages, 1):
        played = reasonenv.rollout(
            lambda low=low, high=high: Opened(make(low, high)),
            Player(model, 1.0),
            n=size["games"],
            group_size=1,
            seed=100_000 * (seed + 1) + done,
            sampling=reasonenv.rollouts.Sampling(batch_size=size["games"]),
        )
        told = learner.learn(played, 0.2 + 0.8 * (1 - done / len(stages)))
        if done % 5 == 0 or done == len(stages):
            held = 1 - measure(model, 0.0, 0.0, 400, seed=20_000)["loss"]
            print(f"  update {done}: {held:.1%} draws or wins, {told}", flush=True)
            # Keep the best network on these games, none of which are used for evaluation, and return to it
            # after a large drop.
            best = max(share for _, share in curve)
            curve.append([float(done), held])
            if held >= best:
                learner.kept = learner.state()
            elif held < best - LOST:
                learner.go_back()
            if min(curve[-1][1], curve[-2][1]) >= LEARNT:
                break
    learner.go_back()
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), path)
    found["after"] = {name: measure(model, *ends, judged) for name, ends in OPPONENTS.items()}
    return found | {"curve": curve, "updates": curve[-1][0], "weights": model.size}


OPPONENTS = {"optimum": (0.0, 0.0), "errs a fifth of the time": (0.2, 0.2), "random": (1.0, 1.0)}


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
        "held": HELD,
        "ppo": [EPOCHS, PART, CLIP, FARTHEST, TRACE],
        "learnt": [LEARNT, LOST],
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
