"""Long runs and large data sets fit in little memory; `python -m benches.memory` measures a million."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FEW, MANY, MILLION = 20_000, 120_000, 1_000_000
MOST = 1024
"""Most MiB for a million."""


def peaks(count: int) -> dict[str, float]:
    """MiB at the peak of each phase."""
    command = [sys.executable, "-m", "benches.memory", "--count", str(count)]
    said = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in said.splitlines()[2:]]
    return {row[0]: float(row[-1]) for row in rows}


@pytest.mark.slow
def test_a_million_rollouts_or_tasks_need_less_than_a_gibibyte() -> None:
    few, many = peaks(FEW), peaks(MANY)
    assert set(few) == {"log", "resume", "report", "build", "check", "write"}
    for phase, least in few.items():
        each = max(0.0, many[phase] - least) / (MANY - FEW)
        assert least + each * (MILLION - FEW) < MOST, phase
