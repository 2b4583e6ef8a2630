"""Many commands at the cost of one: each runs in a fork of a process that imported the command line."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FORKS = """#!{python}
import gc, json, os, sys
from reasonenv import _cli
from reasonenv.__main__ import main
gc.freeze()
codes = []
for command, out, err in json.loads(sys.argv[1]):
    if os.fork() == 0:
        gone = os.pipe()
        os.close(gone[0])
        for fd, path in enumerate(("/dev/null", out, err)):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND) if path else gone[1], fd)
        sys.argv[1:] = command.split()
        main()
    codes.append(os.waitstatus_to_exitcode(os.wait()[1]))
print(json.dumps(codes))
"""
"""The console script, but for commands that it is given; a stream without a path is gone."""


def forked(jobs: Sequence[tuple[str, str, str]], place: Path) -> list[int]:
    """The exit codes of commands, each with where its stdout and its stderr go."""
    (place / "reasonenv").write_text(FORKS.format(python=sys.executable))
    said = subprocess.check_output([sys.executable, "reasonenv", json.dumps(jobs)], text=True, cwd=place)
    codes: list[int] = json.loads(said)
    return codes
