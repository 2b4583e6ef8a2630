"""The Slurm array script in the docs, run by a loop instead of Slurm."""

import os
import re
import subprocess
import sys
from pathlib import Path

from pages import ROOT


def script() -> str:
    """The one of the page, of few tasks."""
    found = re.search(
        r"```sh\n(#!/bin/bash\n#SBATCH.*?)```", (ROOT / "docs/trainers.md").read_text(), re.DOTALL
    )
    assert found is not None
    return found[1].replace("-n 10000000", "-n 50")


def test_its_parts_add_up_to_the_whole_and_what_failed_is_made_again(tmp_path: Path) -> None:
    command = tmp_path / "bin" / "reasonenv"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m reasonenv "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"

    def submit() -> list[Path]:
        for at in range(2):
            array = {
                "SLURM_ARRAY_TASK_ID": f"{at}",
                "SLURM_ARRAY_TASK_COUNT": "2",
                "SLURM_CPUS_PER_TASK": "1",
            }
            given = {**os.environ, **array, "PATH": path}
            subprocess.run(["bash", "-c", script()], env=given, cwd=tmp_path, check=True, capture_output=True)
        return sorted((tmp_path / "tasks").iterdir())

    parts = submit()
    assert [part.name for part in parts] == [f"part-{at:05d}.jsonl" for at in range(2)]
    whole = ["generate", "countdown", "sudoku", "-n", "50", "--level", "0-3", "--out", "whole.jsonl"]
    subprocess.run([command, *whole], cwd=tmp_path, check=True, capture_output=True)
    wanted = (tmp_path / "whole.jsonl").read_bytes()
    assert b"".join(part.read_bytes() for part in parts) == wanted
    written = [part.stat().st_mtime_ns for part in parts]
    parts[1].unlink()
    assert submit() == parts
    assert b"".join(part.read_bytes() for part in parts) == wanted
    assert [part.stat().st_mtime_ns for part in parts][:1] == written[:1]
