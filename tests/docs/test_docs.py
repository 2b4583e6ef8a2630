"""The docs are true: their Python runs unchanged, and their links work."""

import doctest
import importlib
import re
import runpy
import statistics
import sys
import tomllib
from functools import cache, partial
from pathlib import Path

import pytest
import reasonenv
import release
from pages import ROOT, has_python, run_page
from reasonenv.testing import check_family

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
EXAMPLES = sorted({*ROOT.glob("examples/*.py")} - {*ROOT.glob("examples/*_sb3.py")})
NEEDS_PYTORCH = ROOT / "docs/sb3.md"  # run by tests/sb3, as examples/*_sb3.py are


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


PAGES_WITH_PYTHON = [page for page in PAGES if page != NEEDS_PYTORCH and has_python(page)]


@pytest.mark.parametrize("page", PAGES_WITH_PYTHON, ids=named)
def test_the_python_of_a_page_runs_from_top_to_bottom(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = partial(check_family, items=4, guesses=30)
    monkeypatch.setattr("reasonenv.testing.check_family", few)
    run_page(page)


def test_every_line_to_try_runs() -> None:
    page = ROOT / "docs/from-the-articles.md"
    names = run_page(page)
    lines = re.findall(r"^\|.*\| `([^`]*)` \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(lines) > 50
    for line in lines:
        eval(line, dict(names))


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_an_example_runs(example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")


def test_the_readmes_first_screen_is_true() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    task = reasonenv.family("countdown").sample(index=6, level=3)
    assert task.prompt in readme
    rows = re.findall(
        r"^\| `(.*<answer>.*)` \| (passed|failed)(?:, `(\w+)`)? \| (.*?) ?\|$", readme, re.MULTILINE
    )
    assert [row[1] for row in rows] == ["passed", "failed"]
    for completion, said, label, reason in rows:
        verdict = task.verify(completion)
        assert verdict.passed == (said == "passed")
        assert verdict.detail == reason
        assert verdict.failures[-1:] == ((label,) if label else ())
    state = reasonenv.game("tic_tac_toe").start()
    for action in (0, 4, 8):
        state.apply(action)
    board = re.search(r"```text\n(X \|.*?)```", readme, re.DOTALL)
    assert board is not None
    assert [line[:9].rstrip() for line in board[1].splitlines()] == state.text().splitlines()
    assert state.best_actions() == [1, 3, 5, 7]
    losing = [action for action, value in state.values().items() if value.outcome == -1]
    assert losing == [2, 6]


def test_speed_beside_reasoning_gym_is_told_as_measured() -> None:
    page = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \d+ \| `\w+` \| [\d,]+ \| [\d,]+ \| ([\d.,]+) \|", page, re.MULTILINE)
    ratios = {name: float(ratio.replace(",", "")) for name, ratio in rows}
    slower = [f"`{name}` ({ratio} times)" for name, ratio in ratios.items() if ratio < 1]
    median = statistics.median(ratios.values())
    told = (
        f"{len(ratios)} shared tasks are generated faster, {median} times in the median, but for {slower[0]}."
    )
    assert len(slower) == 1
    assert told in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{median} times as fast as reasoning-gym in the median of {len(ratios)} shared tasks" in (
        ROOT / "docs/README.md"
    ).read_text(encoding="utf-8")
    assert f"{len(ratios)} pairs" in page
    assert f"The median pair is {median} times as fast" in page
    assert page.count("reasoning-gym |") == 0  # one table, and no second one that disagrees


def test_the_sites_home_says_why_as_the_readme_does() -> None:
    readme, home = ((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/README.md"))
    why = readme[readme.index("## What you can rely on") : readme.index("## Task families")]
    assert home.endswith(why.replace("](docs/", "](").rstrip() + "\n")


def test_pages_install_from_a_clone_until_there_is_a_release() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        installed = re.findall(r"pip install ['\"]([^'\"[]*)\[([\w,]+)\]", text)
        if page != ROOT / "docs/install.md":
            assert release.releases(ROOT) or {source for source, _ in installed} <= {"."}, named(page)
        assert {extra for _, several in installed for extra in several.split(",")} <= {*extras, "EXTRA"}


@cache
def anchors(page: Path) -> set[str]:
    """The headings and the anchors of a page, as links to them are written."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([\w-]+)">', text))


def test_links_lead_to_files_and_headings() -> None:
    broken = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            file, _, anchor = target.partition("#")
            there = page.parent / file if file else page
            if "://" not in target and not (there.exists() and (not anchor or anchor in anchors(there))):
                broken.append(f"{named(page)} links to {target}")
    assert broken == []


WITH_EXAMPLES = [
    ".".join(path.relative_to(ROOT / "python").with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "python").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_in_docstrings_are_true(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0
