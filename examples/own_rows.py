"""Turn a file of your questions and answers into tasks, an environment, a reward and a report.

python examples/own_rows.py [rows.jsonl] [--question question] [--answer answer] [--verifier number_equal]

Without a file, the script first writes one with a few questions.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import gymnasium
import reasonenv
from reasonenv.data import Row, split_by_group
from reasonenv.report import write_report
from reasonenv.rewards import Reward

TEXT = "A box holds {a} red and {b} blue balls. {c} are taken out. How many are left?"

QUESTIONS = [
    {"question": TEXT.format(a=a, b=b, c=c), "answer": a + b - c, "topic": f"boxes of {a}"}
    for a in range(3, 15)
    for b in (2, 5, 9)
    for c in (1, 4)
]


def policy(rows: Sequence[Row], rollout: int) -> list[str]:
    """Placeholder for your model: right three times out of four, well formed nine times out of ten."""
    texts = []
    for row in rows:
        rng = random.Random(f"{row.id}/{rollout}")
        answer = row.answer if rng.random() < 0.75 else str(rng.randrange(30))
        texts.append(f"Let me count. {row.wrap(answer) if rng.random() < 0.9 else answer}")
    return texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=Path)
    parser.add_argument("--question", default="question")
    parser.add_argument("--answer", default="answer")
    parser.add_argument("--verifier", default="number_equal")
    parser.add_argument("--items", type=int, default=50)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    folder = asked.out or Path(tempfile.mkdtemp())
    path = asked.rows
    if path is None:
        path = folder / "questions.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))

    # Tasks: a question, a reference answer, and a verifier that compares answers with it.
    columns = {"question": asked.question, "answer": asked.answer}
    rows = reasonenv.from_rows(path, **columns, verifier=asked.verifier)
    print(f"{len(rows)} tasks. The first one is\n\n{rows[0].prompt}\n\nand its answer is {rows[0].answer}.\n")
    print(rows[0].verify("I do not know."), rows[0].verify(rows[0].wrap(rows[0].answer)), "", sep="\n")

    # Related rows belong in one split; without groups, every row is on its own.
    if asked.rows is None:
        parts = split_by_group(QUESTIONS, {"train": 0.8, "eval": 0.2}, group="topic")
        train, held_out = (reasonenv.from_rows(part, verifier=asked.verifier) for part in parts.values())
        print(f"{len(train)} to train on, {len(held_out)} to evaluate on\n")

    # An environment: each reset draws a row.
    env = gymnasium.make("reasonenv/Rows-v1", rows=rows)
    _, info = env.reset(seed=0)
    _, reward, terminated, _, info = env.step(rows[0].wrap("0"))
    print(f"{info['task_id']} of the environment: reward {reward}, over: {terminated}\n")

    # A reward: mostly for right answers, and a little for the form.
    paid = Reward({"correct": 1.0, "format": 0.1})
    done = reasonenv.rollout(
        rows,
        {"stand-in": policy},
        n=asked.items,
        group_size=4,
        reward=paid,
        saving=reasonenv.rollouts.Saving(folder=folder / "run", overwrite=True),
    )
    for row in done.summary:
        low, high = row.interval
        rate = f"{row.pass_rate:.2f} ({low:.2f} to {high:.2f})"
        print(f"{row.policy}: pass rate {rate}, mean reward {row.mean_reward:.2f}")

    # A report: one page, including failures to look at. It needs the extra `report`.
    print(f"report: {write_report(folder / 'run')}")


if __name__ == "__main__":
    main()
