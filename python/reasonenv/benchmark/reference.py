"""The reference rows of the leaderboard: every built-in policy on every manifest that has something for it.

`make leaderboard` writes them anew and keeps what others appended, where it is still of these manifests.
"""

import sys
from pathlib import Path

from reasonenv.benchmark.board import append, board
from reasonenv.benchmark.manifest import list_manifests, manifest
from reasonenv.benchmark.running import run

__all__ = ["BY", "write_reference"]

BY = "reasonenv"
"""Who measured the reference rows."""

_TASKS = ("oracle", "noisy:0.3", "probe:64", "probe:8", "best-constant", "echo", "empty")
_PLAYERS = ("game:default", "game:random")
_ROLLOUTS = 4


def write_reference(path: Path) -> None:
    """Writes the rows of the built-in policies, and keeps those of others."""
    kept = [row for row in board(path) if row.by != BY and row.current] if path.exists() else []
    # The day would make each writing another one.
    rows = []
    for name in list_manifests():
        asked = manifest(name)
        for policy in _PLAYERS if asked.games else _TASKS:
            rows.append(run(asked, policy, rollouts=1 if asked.games else _ROLLOUTS))
            print(rows[-1], file=sys.stderr)
    path.unlink(missing_ok=True)
    for result in rows:
        append(path, result, by=BY, note="built in", date="")
    for row in kept:
        append(path, row.result, by=row.by, note=row.note, date=row.date)


if __name__ == "__main__":
    write_reference(Path(sys.argv[1]))
