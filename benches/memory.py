"""Peak memory of long runs and large data sets: `python -m benches.memory` prints a table.

Each phase runs in its own process, so that its peak is its own.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import reasonenv
from reasonenv.data import Dataset, Roles, build_dataset, export
from reasonenv.report import write_report

GROUP = 8


def log(folder: Path, count: int) -> None:
    """Log and summarize `count` rollouts."""
    reasonenv.evaluate(
        "chain_sum", "noisy:0.5", n=count // GROUP, group_size=GROUP, level=4, saving=folder / "run"
    )


def resume(folder: Path, count: int) -> None:
    """Resume the same run after it was killed in the middle of its last line."""
    traces = folder / "run" / "traces.jsonl"
    (folder / "run" / "summary.json").unlink()
    with traces.open("r+b") as file:
        file.truncate(traces.stat().st_size - 100)
    log(folder, count)


def report(folder: Path, count: int) -> None:
    """Write the run's page."""
    assert write_report(folder / "run").stat().st_size < 1_500_000, count


def build(folder: Path, count: int) -> None:
    """Build a data set of `count` tasks."""
    ask = {"n": count, "levels": [4], "roles": Roles(validation=100, transfer=100)}
    build_dataset(folder / "set", "chain_sum", **ask)  # type: ignore[arg-type]


def check(folder: Path, count: int) -> None:
    """Read the data set and verify it again."""
    faults, _ = Dataset(folder / "set").check()
    assert not faults, count


def write(folder: Path, count: int) -> None:
    """Export its RL tasks as Parquet."""
    assert export(Dataset(folder / "set").records("rl"), folder / "rl.parquet", "verl")["rows"] > count / 2


PHASES: dict[str, Callable[[Path, int], None]] = {
    one.__name__: one for one in (log, resume, report, build, check, write)
}

CHILD = """
import json, resource, sys, time
from pathlib import Path
from benches.memory import PHASES
begun = time.perf_counter()
PHASES[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([time.perf_counter() - begun, time.process_time(), peak]))
"""


def measured(phase: str, folder: Path, count: int) -> tuple[float, float, float]:
    """Elapsed seconds, processor seconds and peak MiB of one phase."""
    command = [sys.executable, "-c", CHILD, phase, str(folder), str(count)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, busy, peak = json.loads(done.stdout.splitlines()[-1])
    return seconds, busy, peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--phases", nargs="*", default=list(PHASES))
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    print("| phase | of | seconds | of the processor | MiB at the peak |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as made:
        folder = asked.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        for phase in asked.phases:
            seconds, busy, peak = measured(phase, folder, asked.count)
            row = [phase, f"{asked.count:,}", f"{seconds:.0f}", f"{busy:.0f}", f"{peak:.0f}"]
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
