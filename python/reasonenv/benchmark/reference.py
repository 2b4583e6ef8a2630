"""Reference rows of the leaderboard: every built-in policy on every manifest that it can answer.

`make leaderboard` adds missing rows and keeps appended ones that belong to the current
manifests.
"""

import sys
from pathlib import Path

from reasonenv.benchmark._entries import list_manifests, manifest
from reasonenv.benchmark._leaderboard import append, board, drop_stale
from reasonenv.benchmark._running import run

BY = "reasonenv"
"""Author of the reference rows."""

_TASKS = ("oracle", "noisy:0.3", "probe:64", "probe:8", "best-constant", "echo", "empty")
_PLAYERS = ("game:default", "game:random")
_ROLLOUTS = 4


def write_reference(path: Path) -> None:
    """Add missing rows of the built-in policies; drop rows with outdated items."""
    known: set[tuple[str, str]] = set()
    if path.exists():
        drop_stale(path)
        known = {(row.result.manifest, row.result.policy) for row in board(path) if row.by == BY}
    for name in list_manifests():
        asked = manifest(name)
        for policy in _PLAYERS if asked.games else _TASKS:
            if (name, policy) not in known:
                result = run(asked, policy, group_size=1 if asked.games else _ROLLOUTS)
                append(path, result, by=BY, note="built in")
                print(result, file=sys.stderr)


if __name__ == "__main__":
    write_reference(Path(sys.argv[1]))
