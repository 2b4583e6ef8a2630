"""Speed of this build relative to another: `python -m benches.two_builds ../other`, a checkout that is built.

Each build runs in its own process on one thread, and the two take turns, so that other load on the machine
affects both. A ratio above 1 means that this build is faster; it is the median over rounds.
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

FAMILIES = (
    "ascii_tree",
    "caesar_cipher",
    "chain_sum",
    "countdown",
    "knights_and_knaves",
    "shortest_path",
    "sudoku",
    "tower_of_hanoi",
)
ROUNDS = 15
SECONDS = 0.15
"""Approximate time that each build generates in a round."""

WORKER = """
import sys, time
import reasonenv

def took(work):
    began = time.process_time()
    made = work()
    return time.process_time() - began, made

for line in sys.stdin:
    name, count = line.split()
    family = reasonenv.family(name)
    made, batch = took(lambda: family.batch(seed=1, count=int(count), level=4))
    texts = [task.wrap(task.solution.answer) for task in batch]
    print(made, min(took(lambda: batch.verify(texts))[0] for _ in range(3)), flush=True)
"""


class Build:
    """The extension of one checkout, in a process that measures on request."""

    def __init__(self, checkout: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            env={**os.environ, "PYTHONPATH": str(checkout / "python"), "REASONENV_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, family: str, count: int) -> tuple[float, float]:
        """Processor time of generating and of verifying `count` tasks."""
        assert self.process.stdin
        assert self.process.stdout
        print(family, count, file=self.process.stdin, flush=True)
        generating, verifying = map(float, self.process.stdout.readline().split())
        return generating, verifying


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="the folder of a checkout with a built extension")
    parser.add_argument("families", nargs="*", default=FAMILIES)
    given = parser.parse_args()
    this, other = Build(Path(__file__).parent.parent), Build(given.other.resolve())
    print(f"{'family':20} {'generation':>10} {'verification':>12}")
    medians = []
    for family in given.families:
        count = max(10, round(200 * SECONDS / max(this.seconds(family, 200)[0], 1e-6)))
        ratios = []
        for _ in range(ROUNDS):
            ours, theirs = this.seconds(family, count), other.seconds(family, count)
            ratios.append([b / a for a, b in zip(ours, theirs, strict=True)])
        medians.append([statistics.median(column) for column in zip(*ratios, strict=True)])
        print(f"{family:20} {medians[-1][0]:10.2f} {medians[-1][1]:12.2f}", flush=True)
    generation, verification = (statistics.median(column) for column in zip(*medians, strict=True))
    print(f"{'median':20} {generation:10.2f} {verification:12.2f}")


if __name__ == "__main__":
    main()
