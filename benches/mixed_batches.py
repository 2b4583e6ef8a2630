"""Cost of verifying mixed batches relative to uniform ones: `python -m benches.mixed_batches`.

Processor time of one thread. Every round verifies uniform batches and the mixture, so that other load on the
machine affects all of them; a ratio is the median over rounds.
"""

import statistics
import time
from collections import Counter

import reasonenv
from reasonenv.types import FamilyName

FAMILIES: list[FamilyName] = [
    "ascii_tree",
    "chain_sum",
    "horn_deduction",
    "knights_and_knaves",
    "linear_system",
    "maze",
    "sorting",
    "sudoku",
]
ROWS = (1_000, 4_000, 16_000, 64_000)
ROUNDS = 15

Answered = tuple[reasonenv.Batch, list[str]]


def answered(source: reasonenv.Source | reasonenv.Mixture, rows: int) -> Answered:
    """A batch with right answers, written as a model writes them."""
    batch = source.batch(0, rows)
    return batch, [task.wrap(task.solution.answer) for task in batch]


def seconds(batch: reasonenv.Batch, texts: list[str]) -> float:
    """Processor time of verifying it once."""
    began = time.process_time()
    batch.verify(texts)
    return time.process_time() - began


def ratios(rows: int) -> tuple[float, float, float]:
    """Microseconds per row of the mixture, and ratios to uniform batches of its shares and of `rows` each."""
    mixed = answered(reasonenv.Mixture(FAMILIES, seed=1), rows)
    counts = Counter(mixed[0].families)
    short = [answered(reasonenv.family(name).source(seed=1), count) for name, count in counts.items()]
    long = [(count, answered(reasonenv.family(name).source(seed=1), rows)) for name, count in counts.items()]
    took, to_short, to_long = [], [], []
    for _ in range(ROUNDS):
        by_rows = sum(count / rows * seconds(*uniform) for count, uniform in long)
        by_share = sum(seconds(*uniform) for uniform in short)
        took.append(seconds(*mixed))
        to_short.append(took[-1] / by_share)
        to_long.append(took[-1] / by_rows)
    return statistics.median(took) / rows * 1e6, statistics.median(to_short), statistics.median(to_long)


def main() -> None:
    """Print a table in Markdown."""
    reasonenv.set_num_threads(1)
    print("| rows | µs a row | beside uniform batches of its shares | of as many rows each |")
    print("| --: | --: | --: | --: |")
    for rows in ROWS:
        each, to_short, to_long = ratios(rows)
        print(f"| {rows:,} | {each:.2f} | {to_short:.2f} | {to_long:.2f} |")


if __name__ == "__main__":
    main()
