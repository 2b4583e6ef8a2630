"""Write warm-up data for SFT before RL: games that a player with the right form did not lose, as messages.

It plays a few hundred games in text, drops those that were lost, cut off or malformed, and writes the rest in
the format that SFT trainers read. Your own teacher, such as `openai:MODEL`, can replace the player.

python examples/sft_warmup_data.py [--games 200] [--out warmup.jsonl]
"""

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import gymnasium
from reasonenv.data import export, read_traces
from reasonenv.rollouts import Context, Player, rollout

PLAYER = Player("heuristic")


def teacher(contexts: Sequence[Context], number: int) -> list[str]:
    """Play by rules of thumb and explain; sometimes forget the form, or name no cell."""
    texts = []
    for context, move in zip(contexts, PLAYER(contexts, number), strict=True):
        rng = random.Random(f"{context.id}/{context.turn}/{number}")
        slip = rng.random()
        said = "I look for a line I can complete, then for one I have to block."
        if slip < 0.03:
            texts.append(f"{said} I take {move[6:-7]}.")
        elif slip < 0.06:
            texts.append(f"{said}\n<move>9</move>")
        else:
            texts.append(f"{said}\n{move}")
    return texts


def outcome(trace: dict[str, object]) -> str:
    """Result of a game: won, drawn or lost, or malformed if one of its messages had no valid move."""
    turns = trace["turns"]
    assert isinstance(turns, list)
    if any(turn["info"]["invalid"] for turn in turns):
        return "malformed"
    if trace["truncated"]:
        return "cut off"
    result = turns[-1]["info"]["result"]
    return "won" if result > 0 else "drawn" if result == 0 else "lost"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    out = asked.out or folder / "warmup.jsonl"

    def game() -> gymnasium.Env[str, str]:
        probs = {"min_random_move_prob": 0.2, "max_random_move_prob": 0.7}
        arguments = {"mode": "text", "opponent": "minimax", "instructions": "first_message"} | probs
        return gymnasium.make("reasonenv/TicTacToe-v1", **arguments)  # type: ignore[arg-type]

    rollout(game, {"teacher": teacher}, n=asked.games, group_size=1, saving=folder / "games")
    counts = Counter(outcome(trace) for trace in read_traces(folder / "games"))
    print(", ".join(f"{count} {what}" for what, count in counts.most_common()))

    kept = (trace for trace in read_traces(folder / "games") if outcome(trace) in ("won", "drawn"))
    manifest = export(kept, out, "sft", everything=True)
    first = json.loads(out.read_text(encoding="utf-8").partition("\n")[0])
    print(f"{manifest['rows']} of {asked.games} games in {out}; the first of them:\n")
    for message in first["messages"][:4]:
        print(f"[{message['role']}]\n{message['content']}\n")


if __name__ == "__main__":
    main()
