"""Case study on tic-tac-toe: opponent strata, grouped rollouts, an evaluation, and the exact table.

Built-in players take the place of a model: give `rollout` an endpoint (`openai:MODEL`) instead. Numbers of
the course's models are in a table labeled as published; all others are computed here.

python examples/tictactoe_course.py [--games 100] [--examples 32]
"""

import argparse
from collections.abc import Callable, Sequence

import gymnasium
import reasonenv
from reasonenv.rollouts import Rollouts, rollout, wilson_interval
from rich.console import Console
from rich.table import Table

STAGES = {
    "RL 1": {"min_random_move_prob": 0.2, "max_random_move_prob": 0.7},
    "RL 2": {"min_random_move_prob": 0.0, "max_random_move_prob": 0.25},
}
"""Ranges of the opponents' random moves in each stage of training."""

PLAYERS = ("random", "first_legal", "heuristic", "minimax")

PUBLISHED = {
    "gpt-5-mini": ("90/9/1", "0/76/24"),
    "LFM2-2.6B, base": ("40/11/49", "0/11/89"),
    "LFM2-2.6B, after SFT": ("74/13/13", "0/52/48"),
    "LFM2-2.6B, after RL 1": ("86/12/2", "0/85/15"),
    "LFM2-2.6B, after RL 2": ("90/10/0", "0/97/3"),
}
"""Win/draw/loss in percent over 100 games, against a random and an optimal opponent."""

PROBS = (1.0, 0.45, 0.125, 0.0)
"""A random opponent, the middle of each stage, and an optimal opponent."""


def exact_table() -> dict[str, list[tuple[float, float, float]]]:
    """Probabilities of win, draw and loss of reference policies against each opponent, over both seats."""
    game = reasonenv.game("tic_tac_toe")
    columns = [game.calibrate(game.opponent("minimax", random_move_prob=prob)) for prob in PROBS]
    return {name: [column[name][:3] for column in columns] for name in columns[0]}


def make(**arguments: object) -> Callable[[], gymnasium.Env[str, str]]:
    """Return a maker of the course's environment: text, an optimal opponent that errs, its reward."""
    course = {"mode": "text", "opponent": "minimax", "max_turns": 8}
    return lambda: gymnasium.make("reasonenv/TicTacToe-v1", **(course | arguments))  # type: ignore[arg-type]


def shown(shares: Sequence[float], digits: int = 2) -> str:
    return "/".join(f"{100 * share:.{digits}f}".removesuffix(".00") for share in shares)


def shares(games: Rollouts, player: str) -> tuple[float, float, float]:
    """Shares of wins, draws and losses; the cap on turns counts as a loss, as it does in the course."""
    results = [one.turns[-1]["info"].get("result", -1) for one in games if one.policy == player]
    won, drawn, lost = (sum(result == value for result in results) / len(results) for value in (1, 0, -1))
    return won, drawn, lost


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    drawn = Table(*columns, title=title, title_justify="left")
    for row in rows:
        drawn.add_row(*row)
    Console(width=110, highlight=False).print(drawn, "")


def show_strata(examples: int) -> None:
    """Show the opponents of a batch's examples: slice i % num_groups of the stage's range."""
    rows = []
    for stage, probs in STAGES.items():
        env = make(num_groups=examples, **probs)()
        drawn = [env.reset(seed=seed)[1]["random_move_prob"] for seed in range(examples)]
        quarters = [drawn[examples * at // 4 : examples * (at + 1) // 4] for at in range(4)]
        assert drawn == sorted(drawn), "each example has the next slice of the range"
        rows.append([stage, *(f"{min(part):.3f} to {max(part):.3f}" for part in quarters)])
    columns = ["stage", *(f"quarter {at}" for at in range(1, 5))]
    show(f"random_move_prob of the {examples} examples of a batch: it spans the whole range.", columns, rows)


def show_groups(examples: int) -> None:
    """Show rollouts in groups of eight; all rollouts of a group share opponent and start."""
    rows = []
    for stage, probs in STAGES.items():
        games = rollout(make(**probs), [f"game:{name}" for name in PLAYERS], n=examples, group_size=8)
        for group in games.groups:
            starts = {(one.prompt, one.turns[0]["observation"]) for one in group}
            assert len(starts) == 1, "a group begins alike"
        for row in games.summary:
            rows.append([stage, row.policy.removeprefix("game:"), f"{row.mean_reward:.3f}"])
            rows[-1] += [shown(shares(games, row.policy), 0), f"{1 - row.flat_reward:.0%}"]
    columns = ["stage", "player", "mean reward", "win/draw/loss", "groups that teach"]
    show(f"{examples} groups of 8 rollouts, with the course's reward.", columns, rows)


def show_evaluation(games: int) -> None:
    """Show each player against a random and an optimal opponent, next to the exact values."""
    exact = exact_table()
    rows = []
    for opponent, column in (("random", 0), ("optimal", len(PROBS) - 1)):
        done = rollout(
            make(random_move_prob=PROBS[column]),
            [f"game:{name}" for name in PLAYERS],
            n=games,
            group_size=1,
            seed=1,
        )
        for name in PLAYERS:
            measured = shares(done, f"game:{name}")
            low, high = wilson_interval(round(measured[0] * games), games)
            rows.append([opponent, name, shown(measured, 0), f"{100 * low:.0f} to {100 * high:.0f}"])
            rows[-1].append(shown(exact[name][column]))
    columns = ["opponent", "player", "win/draw/loss", "wins, 95 %", "exact"]
    show(f"{games} games each, in percent.", columns, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--examples", type=int, default=32)
    asked = parser.parse_args()
    columns = ["X's policy", *(f"p = {prob:g}" for prob in PROBS)]
    rows = [[name, *map(shown, cells)] for name, cells in exact_table().items()]
    show("Exact win/draw/loss in percent, by the opponent's chance p of a random move.", columns, rows)
    show_strata(asked.examples)
    show_groups(asked.examples)
    show_evaluation(asked.games)
    rows = [[name, *cells] for name, cells in PUBLISHED.items()]
    show("Published: the course's models over 100 games.", ["model", "vs random", "vs optimal"], rows)


if __name__ == "__main__":
    main()
