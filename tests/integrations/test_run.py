"""The script behind `make test-integrations`: it knows every test, and lends PyTorch."""

import subprocess
import sys
from pathlib import Path

import pytest
from run import GROUPS, REAL, Torch, main


def test_every_test_has_its_group() -> None:
    assert {f"test_{name}.py" for name in GROUPS} == {path.name for path in REAL.glob("test_*.py")}


def test_an_environment_finds_what_another_one_lends(tmp_path: Path) -> None:
    for name in ("lends", "takes"):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / name], check=True)
    ((packages),) = (tmp_path / "lends").glob("lib/python*/site-packages")
    (packages / "torch.py").write_text("here = True\n")
    torch = Torch(tmp_path / "lends", is_there=True)
    assert torch.install(0.0) is None
    torch.lend(tmp_path / "takes")
    python = tmp_path / "takes" / "bin" / "python"
    subprocess.run([python, "-c", "import torch; assert torch.here"], check=True)


def test_what_was_not_run_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["run.py", str(tmp_path / "none.whl"), "skyrl", "--minutes", "0"])
    assert main() == 0
    told = capsys.readouterr().out
    assert "integration skyrl: NOT run: the time that --minutes allows was spent" in told
    assert all(f"integration {name}: NOT run" in told for name in GROUPS)
