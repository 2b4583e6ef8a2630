"""The script behind `make test-integrations`: it knows every test, and lends PyTorch."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from run import GROUPS, LOOPS, REAL, ROOT, Torch, main, table


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


def test_the_page_says_which_loops_were_played_with_which_releases() -> None:
    assert table() in (ROOT / "docs" / "trainers.md").read_text()
    known = json.loads(LOOPS.read_text())
    assert {name for name, group in GROUPS.items() if group.package} == known.keys()
    for name, releases in known.items():
        assert set(GROUPS[name].releases) == releases.keys()
        assert all(all(played.values()) for played in releases.values())


def test_the_oldest_release_is_the_bound_of_the_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for name, group in GROUPS.items():
        if group.package and name in extras:
            oldest = min(one.releases[0] for one in GROUPS.values() if one.package == group.package)
            (bound,) = (one for one in extras[name] if one.split(">=")[0].split("[")[0] == group.package)
            assert oldest.startswith(bound.split(">=")[1]), bound


def test_what_was_not_run_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["run.py", str(tmp_path / "none.whl"), "skyrl", "--minutes", "0"])
    assert main() == 0
    told = capsys.readouterr().out
    for release in GROUPS["skyrl"].releases:
        assert f"integration skyrl {release}: NOT run: the time that --minutes allows was spent" in told
    assert all(f"integration {name}: NOT run" in told for name in GROUPS if name != "skyrl")
