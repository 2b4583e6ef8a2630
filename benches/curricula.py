"""Curriculum schedulers on synthetic students: training steps until every track is mastered.

`python -m benches.curricula` prints the tables of docs/curricula.md; it uses no model and no GPU, and takes
minutes.
"""

import argparse
import time
from collections.abc import Iterator

import numpy as np
from reasonenv import curriculum
from reasonenv.curriculum import STUDENTS, Student, steps_to_mastery
from reasonenv.rollouts import paired_interval

FAMILIES = ("countdown", "letter_counting", "sorting", "word_sorting")
"""Families whose levels are the tracks. Accel needs families that mutate; students see only their names."""

SEEDS = 20
MOST = 800
"""Steps after which a student counts as failed."""


def tracks() -> list[curriculum.Track]:
    return [curriculum.levels(name, 0, 7) for name in FAMILIES]


def steps(name: str, kind: type[Student], seed: int, most: int = MOST) -> int:
    """Steps that a student takes under a scheduler, both with the same seed."""
    space = tracks()
    scheduler = curriculum.make(name, space, seed=seed, rollouts=8)
    rival = kind(space, seed=seed + 1000) if name == "paired" else None
    return steps_to_mastery(scheduler, kind(space, seed=seed), most=most, rival=rival)


def rows(kind: type[Student], seeds: int, names: list[str]) -> Iterator[list[str]]:
    uniform = [steps("uniform", kind, seed) for seed in range(seeds)]
    for name in names:
        taken = uniform if name == "uniform" else [steps(name, kind, seed) for seed in range(seeds)]
        saved, (low, high) = paired_interval(uniform, taken)
        verdict = "wins" if low > 0 else "**loses**" if high < 0 else "no difference shown"
        stuck = sum(one == MOST for one in taken)
        yield [
            f"`{name}`",
            f"{np.mean(taken):.0f}" + (f" ({stuck} of {seeds} never)" if stuck else ""),
            "" if name == "uniform" else f"{saved:+.0f} [{low:+.0f}, {high:+.0f}]",
            "" if name == "uniform" else verdict,
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--schedulers", nargs="*", default=list(curriculum.SCHEDULERS))
    parser.add_argument("--students", nargs="*", default=list(STUDENTS))
    asked = parser.parse_args()
    for name in asked.students:
        start = time.perf_counter()
        print(f"\n### {name}\n\n| scheduler | steps | saved against uniform, 95 % | |")
        print("| --- | --- | --- | --- |")
        for row in rows(STUDENTS[name], asked.seeds, asked.schedulers):
            print("| " + " | ".join(row) + " |", flush=True)
        print(f"\n{asked.seeds} seeds, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
