"""Measure the difficulty of every level on one scale: `make scale ROWS="network.json model.json"`.

Probes of several budgets are measured here. Each file has the rows of further policies, as
`reasonenv health --policy … --json` or `reasonenv eval --json` prints them.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import reasonenv
from reasonenv.curriculum import calibrate
from reasonenv.rollouts import Summary, SummaryRow

PROBES = tuple(f"probe:{2**power}" for power in range(1, 9))
TASKS = 60
FILE = Path(__file__).parent.parent / "python/reasonenv/curriculum/scale.json"


def probed() -> Iterable[SummaryRow]:
    """Rows of the probes on every level."""
    for name in reasonenv.list_families():
        levels = range(reasonenv.family(name).top_level + 1)
        yield from reasonenv.evaluate(name, list(PROBES), n=TASKS, level=list(levels), split="eval")


def main(files: Iterable[str]) -> None:
    rows = list(probed())
    for file in files:
        rows += Summary.from_dict(json.loads(Path(file).read_text()))
    scale = calibrate(rows)
    levels = [
        [name, level, round(value, 2), round(scale.error[name, level], 2)]
        for (name, level), value in scale.difficulty.items()
    ]
    kept = {
        "abilities": {name: round(value, 2) for name, value in scale.ability.items()},
        "residual": round(scale.residual, 3),
    }
    lines = ",\n".join(f"  {json.dumps(level)}" for level in levels)
    FILE.write_text(f'{json.dumps(kept, indent=1)[:-2]},\n "levels": [\n{lines}\n ]\n}}\n')
    off = f"{scale.residual:.3f}"
    print(f"{FILE.name}: {len(scale.difficulty)} levels, {len(scale.ability)} policies, off by {off}")


if __name__ == "__main__":
    main(sys.argv[1:])
