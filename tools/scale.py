"""Measure the difficulty of every level on one scale: `make scale ROWS="network.json model.json"`.

Probes of several budgets are measured here. Each file has the rows of further policies, as
`reasonenv health --policy … --json` or `reasonenv eval --json` prints them. `make scale ONLY="binairo maze"`
measures these families alone and takes the others, and the abilities, as they stand.
"""

import json
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import reasonenv
from reasonenv.curriculum import calibrate, published_scale
from reasonenv.rollouts import Summary, SummaryRow

PROBES = tuple(f"probe:{2**power}" for power in range(1, 9))
TASKS = 60
FILE = Path(__file__).parent.parent / "python/reasonenv/curriculum/scale.json"


class Expected(NamedTuple):
    """A policy's row at a level, as the standing scale expects it."""

    family: str
    level: int
    policy: str
    passed: float
    failed: float


def expected(names: Iterable[str]) -> Iterable[Expected]:
    """Rows of the standing scale for these families."""
    scale, families = published_scale(), set(names)
    for (name, level), difficulty in scale.difficulty.items():
        if name in families:
            guess = reasonenv.family(name).guess_rate
            for policy, ability in scale.ability.items():
                passed = TASKS * (guess + (1 - guess) / (1 + math.exp(difficulty - ability)))
                yield Expected(name, level, policy, passed, TASKS - passed)


def probed(names: Iterable[str]) -> Iterable[SummaryRow]:
    """Rows of the probes on every level of these families."""
    for name in names:
        family = reasonenv.family(name)
        levels = range(family.top_level + 1)
        yield from reasonenv.evaluate(family, list(PROBES), n=TASKS, level=list(levels), split="eval")


def main(files: Iterable[str], only: Sequence[str]) -> None:
    measured = only or reasonenv.list_families()
    rows: list[Any] = list(probed(measured))
    for file in files:
        rows += Summary.from_dict(json.loads(Path(file).read_text()))
    rows += expected(set(reasonenv.list_families()) - set(measured))
    scale = calibrate(rows)
    levels: list[Any] = [
        [name, level, round(value, 2), round(scale.error[name, level], 2)]
        for (name, level), value in scale.difficulty.items()
    ]
    kept = {
        "abilities": {name: round(value, 2) for name, value in scale.ability.items()},
        "residual": round(scale.residual, 3),
    }
    if only:
        standing = json.loads(FILE.read_text())
        kept = {name: standing[name] for name in kept}
        levels = [level for level in standing["levels"] if level[0] not in only] + [
            level for level in levels if level[0] in only
        ]
        levels.sort(key=lambda level: level[2])
    lines = ",\n".join(f"  {json.dumps(level)}" for level in levels)
    FILE.write_text(f'{json.dumps(kept, indent=1)[:-2]},\n "levels": [\n{lines}\n ]\n}}\n')
    off = f"{scale.residual:.3f}"
    print(f"{FILE.name}: {len(scale.difficulty)} levels, {len(scale.ability)} policies, off by {off}")


if __name__ == "__main__":
    given = sys.argv[1:]
    main([one for one in given if one.endswith(".json")], [one for one in given if not one.endswith(".json")])
