"""Report pages as a reader has them: opened in Chromium, on a desk and on a phone."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import reasonenv
from devtools import Page
from reasonenv.data import read_traces
from reasonenv.report import write_report
from reasonenv.rollouts import SourceLike  # noqa: TC002  a name of types, and of the package

WIDTHS = {"desk": 1280, "phone": 390}

SECONDS = 5
"""What a page may take to open, on a machine that does other things besides."""

NARROW = """
[...document.querySelectorAll("h1, h2, p, figure, figure svg, details, .wide, .filter")]
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
  .map(one => one.outerHTML.slice(0, 80))
"""
"""What of a page stands out at the right. Wide tables scroll in a box of their own."""


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with everything a page may hold: levels, policies, long names, versions, held-out wordings."""
    folder = tmp_path_factory.mktemp("runs") / "a_run_with_a_name_that_is_long_and_has_no_space_in_it_at_all"
    sources: list[SourceLike] = ["countdown", "ascii_tree"]
    policies = ["noisy:0.3", "noisy:0.7", "probe:8"]
    ask: dict[str, Any] = {
        "n": 30,
        "group_size": 4,
        "level": [0, 2, 4],
        "reward": {"correct": 1, "format": 0.1},
    }
    reasonenv.evaluate(sources, policies, saving=folder, **ask)
    trained = [
        trace | {"policy": "Organisation/A-model-with-a-long-name-2507", "policy_version": f"step-{at % 7}"}
        for at, trace in enumerate(read_traces(folder))
        if trace["policy"] == "noisy:0.3"
    ]
    with (folder / "traces.jsonl").open("a") as file:
        file.writelines(json.dumps(trace) + "\n" for trace in trained)
    return write_report(folder)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "games"

    def game() -> gymnasium.Env[Any, Any]:
        return gymnasium.make("reasonenv/TicTacToe-v1", mode="text", random_move_prob=0.45)

    reasonenv.rollout(["game:minimax", "game:heuristic"], game, n=10, group_size=4, saving=folder)
    return write_report(folder)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 100,000 traces."""
    folder = tmp_path_factory.mktemp("runs") / "long"
    reasonenv.evaluate("chain_sum", ["noisy:0.3", "noisy:0.6"], n=6250, group_size=8, level=2, saving=folder)
    page = write_report(folder)
    assert (folder / "traces.jsonl").read_bytes().count(b"\n") == 100_000
    return page


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest) -> int:
    return WIDTHS[request.param]


@pytest.fixture(params=["tasks", "games", "long"])
def page(request: pytest.FixtureRequest, width: int, tmp_path: Path) -> Iterator[Page]:
    file: Path = request.getfixturevalue(request.param)
    with Page(file, width, 900, tmp_path / "profile") as opened:
        if shots := os.environ.get("REASONENV_SHOTS"):
            Path(shots).mkdir(parents=True, exist_ok=True)
            opened.screenshot(Path(shots) / f"{request.param}-{width}.png")
        yield opened


def test_a_page_opens_at_once_whole_and_without_complaint(page: Page, width: int) -> None:
    assert page.errors == []
    assert len(page.requests) == 1, "nothing is fetched besides the page"
    assert page.seconds < SECONDS
    size = page.evaluate("document.documentElement.outerHTML.length")
    assert size < 1_500_000

    assert page.evaluate("innerWidth") == width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(NARROW) == []

    # Tables have rows, and plots have a size and lines in them.
    tables = page.evaluate("[...document.querySelectorAll('table')].map(one => one.rows.length)")
    assert len(tables) >= 2
    assert min(tables) > 2
    plots = page.evaluate(
        "[...document.querySelectorAll('figure svg')].map(one => [one.clientWidth, one.clientHeight, "
        "one.querySelectorAll('path').length])"
    )
    assert plots
    for wide, high, paths in plots:
        assert min(width - 40, 250) <= wide <= 520
        assert 100 < high < 2000
        assert paths > 5


def test_what_a_plot_says_can_be_read_on_a_phone(tasks: Path, tmp_path: Path) -> None:
    with Page(tasks, WIDTHS["phone"], 900, tmp_path / "profile") as opened:
        heights = opened.evaluate(
            "[...document.querySelectorAll('figure svg text')].map(one => one.getBoundingClientRect().height)"
        )
    assert len(heights) > 50
    assert min(heights) > 6


def test_traces_can_be_opened_and_filtered(tasks: Path, tmp_path: Path) -> None:
    shown = "[...document.querySelectorAll('#list details')].filter(one => one.offsetHeight > 0)"
    with Page(tasks, WIDTHS["phone"], 900, tmp_path / "profile") as opened:
        everything = opened.evaluate(f"{shown}.length")
        assert everything > 100
        choose = (
            "(id, value) => { const one = document.getElementById(id); one.value = value; "
            "one.dispatchEvent(new Event('input')); }"
        )
        opened.evaluate(f"({choose})('label', 'passed')")
        passed = opened.evaluate(f"{shown}.length")
        assert 0 < passed < everything
        assert opened.evaluate(f"{shown}.every(one => one.textContent.includes('passed'))")
        opened.evaluate(f"({choose})('policy', 'noisy:0.7')")
        assert 0 < opened.evaluate(f"{shown}.length") < passed
        opened.evaluate(f"({choose})('search', 'no trace says this')")
        assert opened.evaluate(f"{shown}.length") == 0
        opened.evaluate(
            "[['label', ''], ['policy', ''], ['search', '']].forEach(one => (" + choose + ")(...one))"
        )
        assert opened.evaluate(f"{shown}.length") == everything
        high = opened.evaluate(f"{{ const one = {shown}[0]; one.open = true; one.offsetHeight }}")
        assert high > 200
        assert opened.evaluate("document.documentElement.scrollWidth") <= WIDTHS["phone"]
        assert opened.errors == []
