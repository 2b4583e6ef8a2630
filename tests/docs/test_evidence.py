"""docs/evidence.md agrees with the results, and every experiment in it can be run."""

import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TRAIN = ROOT / "examples/train"
sys.path.insert(0, str(TRAIN))

import common  # noqa: E402
import evidence  # noqa: E402


def test_the_page_is_what_the_results_say() -> None:
    page = evidence.page(ROOT / "docs/evidence")
    assert (ROOT / "docs/evidence.md").read_text() == page, "run python examples/train/evidence.py"


def test_every_experiment_has_a_script_and_is_run_by_both_commands() -> None:
    makefile = (ROOT / "Makefile").read_text()
    recipes = {
        name: re.search(rf"^{name}: .*\n(?:\t.*\n)+", makefile, re.MULTILINE).group()  # type: ignore[union-attr]
        for name in ("evidence", "test-train")
    }
    for section in evidence.SECTIONS:
        script = TRAIN / section.command.split()[1].rpartition("/")[2]
        assert script.exists()
        assert all(script.stem in recipe for recipe in recipes.values())
        source = script.read_text()
        assert "--quick" in source or "asked.quick" in source
        assert "improves(" in source, f"{script.name} must improve over its own start in its quick form"


@pytest.mark.parametrize("script", sorted(TRAIN.glob("*.py")), ids=lambda path: path.stem)
def test_learners_are_no_part_of_the_package(script: Path) -> None:
    package = "\n".join(path.read_text() for path in (ROOT / "python/reasonenv").rglob("*.py"))
    assert f"examples.train.{script.stem}" not in package
    assert len(script.read_text().splitlines()) <= 500


def test_a_finished_part_is_not_run_again(tmp_path: Path) -> None:
    ran = []

    def run() -> dict[str, Any]:
        ran.append(1)
        return {"value": len(ran)}

    first = common.Experiment("a", tmp_path, quick=False, facts={"steps": 3})
    assert first.part("seed-0", run)["value"] == 1
    again = common.Experiment("a", tmp_path, quick=False, facts={"steps": 3})
    assert again.part("seed-0", run)["value"] == 1
    assert len(ran) == 1
    other = common.Experiment("a", tmp_path, quick=False, facts={"steps": 4})
    assert other.part("seed-0", run)["value"] == 2  # what was run otherwise is run again


def test_a_part_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def run() -> dict[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        common.Experiment("a", tmp_path / "runs", quick=False).part("seed-0", run)
    assert not (tmp_path / "runs").exists()


def test_intervals_are_students() -> None:
    mean, half = common.mean_interval([0.9, 0.8, 0.7])
    assert mean == pytest.approx(0.8)
    assert half == pytest.approx(4.30 * 0.1 / 3**0.5)
    assert common.mean_interval([0.5]) == (0.5, None)


def test_no_gain_fails_a_quick_form() -> None:
    common.improves("x", 0.2, 0.5, 0.1)
    with pytest.raises(SystemExit, match="no gain"):
        common.improves("x", 0.2, 0.25, 0.1)


def test_results_become_a_section(tmp_path: Path) -> None:
    shares = {"win": 0.0, "draw": 0.98, "loss": 0.02, "games": 2000}
    spread = {"mean": 0.98, "half": 0.01, "seeds": [0.98, 0.985, 0.975]}
    one = {"before": spread, "after": spread, "after_shares": [shares], "exact": {"best_response": [0, 1, 0]}}
    folder = tmp_path / "runs/tic_tac_toe"
    folder.mkdir(parents=True)
    told = {"quick": True, "steps": 1000, "minutes": [0.5, 0.7], "opponents": {"0": one}}
    (folder / "results.json").write_text(json.dumps(told))
    evidence.collect(tmp_path / "runs", tmp_path / "docs/evidence")
    assert "2,000 games" not in evidence.page(tmp_path / "docs/evidence")  # a quick form is no result
    (folder / "results.json").write_text(json.dumps(told | {"quick": False}))
    evidence.collect(tmp_path / "runs", tmp_path / "docs/evidence")
    page = evidence.page(tmp_path / "docs/evidence")
    assert "98.0 % ± 1.0 (98.0, 98.5, 97.5)" in page
    assert "0.0/98.0/2.0" in page
    assert page.count("**Not run yet.**") == len(evidence.SECTIONS) - 1


def test_the_page_is_written_by_its_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(
        sys, "argv", ["evidence.py", "--runs", str(tmp_path), "--docs", str(tmp_path / "docs")]
    )
    runpy.run_path(str(TRAIN / "evidence.py"), run_name="__main__")
    assert (tmp_path / "docs/evidence.md").read_text().startswith("# Evidence")
