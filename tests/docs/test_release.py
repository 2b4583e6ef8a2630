"""One command cuts a release; one file has the version, one the URL, and the rest agrees."""

import datetime
import re
import shutil
import subprocess
from pathlib import Path

import gymnasium
import pytest
import reasonenv
import release
import yaml
from pages import ROOT

FILES = ("CHANGELOG.md", "CITATION.cff", "Cargo.lock", "Cargo.toml", "README.md", "pyproject.toml")
TODAY = datetime.date(2030, 1, 2)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Files that a release changes, with something to release."""
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path)
    replace(tmp_path / "CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n- Something new.\n")
    return tmp_path


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_every_file_names_the_version_of_cargo_toml() -> None:
    assert release.disagreements(ROOT) == []
    assert release.version(ROOT) == reasonenv.__version__


def test_every_family_and_game_has_version_1_until_the_first_release() -> None:
    versions = {reasonenv.family(name).version for name in reasonenv.list_families()}
    versions |= {reasonenv.game(name).version for name in reasonenv.list_games()}
    assert release.releases(ROOT) or versions == {1}
    ids = [name for name in gymnasium.registry if name.startswith("reasonenv/")]
    assert {name.rpartition("-")[2] for name in ids} == {f"v{version}" for version in versions}


def test_a_release_names_its_version_in_every_file(copy: Path) -> None:
    before, notes = release.version(copy), release.sections(copy)["Unreleased"]
    release.cut(copy, "7.8.9", TODAY)
    assert release.version(copy) == "7.8.9"
    assert release.disagreements(copy) == []
    assert release.releases(copy)["7.8.9"] == notes
    assert list(release.sections(copy).items())[:2] == [("Unreleased", ""), ("7.8.9 - 2030-01-02", notes)]
    for name in ("CITATION.cff", "Cargo.lock", "Cargo.toml"):
        undone = (copy / name).read_text(encoding="utf-8").replace("7.8.9", before)
        assert undone == (ROOT / name).read_text(encoding="utf-8"), f"{name} changes beyond its version"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("CITATION.cff", "version: ", "version: 9."),
        ("Cargo.lock", 'name = "reasonenv"\nversion = "', 'name = "reasonenv"\nversion = "9.'),
        ("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n## [9.0.0] - 2029-01-01\n"),
    ],
)
def test_a_version_that_disagrees_is_named(copy: Path, name: str, old: str, new: str) -> None:
    replace(copy / name, f"\n{old}", f"\n{new}")
    [said] = release.disagreements(copy)
    assert said.startswith(f"{name} has 9.")


@pytest.mark.parametrize(
    ("version", "reason"),
    [("8.0", "not a version like 0.1.0"), ("8.0.0rc1", "not a version"), ("0.0.1", "older than")],
)
def test_a_release_that_cannot_be_is_refused(copy: Path, version: str, reason: str) -> None:
    with pytest.raises(SystemExit, match=reason):
        release.cut(copy, version, TODAY)


def test_no_release_is_cut_twice_or_of_nothing(copy: Path) -> None:
    release.cut(copy, "7.8.9", TODAY)
    with pytest.raises(SystemExit, match="released already"):
        release.cut(copy, "7.8.9", TODAY)
    with pytest.raises(SystemExit, match="nothing under Unreleased"):
        release.cut(copy, "7.9.0", TODAY)


def test_a_tag_is_released_if_all_agree(copy: Path) -> None:
    release.cut(copy, "7.8.9", TODAY)
    here = "https://example.org/us/reasonenv"
    assert [said.split()[0] for said in release.check(copy, "v7.8.8", here)] == ["the", "[project.urls]"]
    replace(copy / "pyproject.toml", release.repository(copy), here)
    assert release.check(copy, "v7.8.9", here) == []


def test_the_readmes_links_lead_somewhere_on_pypi(copy: Path) -> None:
    links = re.compile(r"\]\(([^)]+)\)")
    before = links.findall((copy / "README.md").read_text(encoding="utf-8"))
    release.link(copy)
    there = f"{release.repository(copy)}/blob/v{release.version(copy)}/"
    after = links.findall((copy / "README.md").read_text(encoding="utf-8"))
    assert after == [link if link.startswith(("https://", "#")) else there + link for link in before]


def test_the_repositorys_url_is_in_one_file() -> None:
    files = [file for pattern in ("*.*", "docs/**/*.md", ".github/**/*.yml") for file in ROOT.glob(pattern)]
    url = release.repository(ROOT).encode()
    assert [file.name for file in files if file.is_file() and url in file.read_bytes()] == ["pyproject.toml"]


def test_the_workflow_names_jobs_targets_and_scripts_that_exist() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert {needed for job in jobs.values() for needed in job.get("needs", [])} <= jobs.keys()
    targets = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"\bmake ([a-z-]+)", text)) <= set(targets)
    assert all((ROOT / script).is_file() for script in re.findall(r"\btools/\w+\.py", text))


def test_make_lists_its_commands_in_groups_of_eighty_columns() -> None:
    # A make inside another one prints which folder it enters.
    command = ["make", "--no-print-directory", "help"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    groups = re.findall(r"^##@ (.+)$", makefile, re.MULTILINE)
    assert len(groups) > 5
    assert [line for line in shown.splitlines() if line and not line.startswith(" ")] == groups
    assert set(re.findall(r"^([a-z0-9-]+):.*## ", makefile, re.MULTILINE)) == set(
        re.findall(r"^  (\S+)", shown, re.MULTILINE)
    )
    assert max(map(len, shown.splitlines())) <= 80
