"""Run the trained policies of the experiments on the game benchmark, and add them to a leaderboard.

Each of them knows only tic-tac-toe, which shows in its row. The tables are trained on the spot; the network
of tic_tac_toe_text.py is read from its run folder.

python examples/train/leaderboard.py docs/leaderboard.jsonl [--runs runs/evidence]
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tabular
import tic_tac_toe_text
import torch
from reasonenv import benchmark
from reasonenv.benchmark.reference import BY
from reasonenv.rollouts import Context

SEED = 0


class Table:
    """A table of tabular.py as a policy of conversations: it looks up positions and is silent otherwise."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.learner = tabular.LEARNERS[name](SEED)
        for _ in tabular.teach(self.learner, SEED, tabular.STEPS):
            pass

    def __call__(self, contexts: Sequence[Context], _rollout: int) -> list[str]:
        return [self.said(context) for context in contexts]

    def said(self, context: Context) -> str:
        """A move of tic-tac-toe."""
        state = context.env.get_wrapper_attr("state")
        if state.game.name != tabular.GAME.name:
            return ""
        where = tabular.positions(np.asarray(state.observation(state.current_player))[None])
        mask = np.zeros((1, 9), dtype=bool)
        mask[0, list(state.legal_actions())] = True
        return f"<move>{tabular.chosen(self.learner, where, mask)[0]}</move>"


def network(runs: Path) -> tic_tac_toe_text.Player:
    """The network of tic_tac_toe_text.py, greedy; it answers even in games it has not learned."""
    size = tic_tac_toe_text.SIZES["full"]
    model, _ = tic_tac_toe_text.fresh_network(SEED, size["demonstrations"])
    model.load_state_dict(torch.load(runs / "tic_tac_toe_text" / f"network-{SEED}.pt"))
    player = tic_tac_toe_text.Player(model, 0.0)
    player.name = "text network"
    return player


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("board", type=Path, help="the leaderboard's file")
    parser.add_argument("--runs", type=Path, default=Path("runs/evidence"), help="where run folders are")
    asked = parser.parse_args()
    games = benchmark.manifest("games")
    known = {(row.by, row.result.manifest_digest, row.result.policy) for row in benchmark.board(asked.board)}
    policies: list[Table | tic_tac_toe_text.Player] = [*map(Table, tabular.LEARNERS), network(asked.runs)]
    for policy in policies:
        if (BY, games.digest, policy.name) in known:
            print(f"{policy.name} stands there already")
            continue
        result = benchmark.run(games, policy)
        benchmark.append(asked.board, result, by=BY, note="learnt tic-tac-toe alone")
        print(result)


if __name__ == "__main__":
    main()
