"""Report pages as a reader sees them: in Chromium, at the width of a desktop and of a phone."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import reasonenv
from devtools import Page
from reasonenv.data import read_traces
from reasonenv.report import write_comparison, write_report
from reasonenv.rollouts import SourceLike  # noqa: TC002  a name of types, and of the package

WIDTHS = {"desk": 1280, "phone": 390}

SECONDS = 5
"""Longest time in seconds for a page to open, even on a busy machine."""

BEYOND = """
[...document.querySelectorAll("h1, h2, p, figure, figure svg, details, .card, .wide, .filter")]
  .filter(one => one.checkVisibility() && !one.closest(".wide > *"))
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
  .map(one => one.outerHTML.slice(0, 80))
"""
"""Elements that reach beyond the right edge. Wide tables scroll in their own box."""

CONTRASTS = """
(() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const paint = colors => {
    context.clearRect(0, 0, 1, 1);
    for (const color of colors) { context.fillStyle = color; context.fillRect(0, 0, 1, 1); }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map(one => one / 255);
  };
  const light = color => color
    .map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
  const found = [];
  const texts = "h1, h2, h3, p, a, th, td, small, summary, b, .where, .mark, code";
  for (const one of document.querySelectorAll(texts)) {
    const text = [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!text || !one.checkVisibility()) continue;
    const below = [];
    for (let at = one; at; at = at.parentElement) below.unshift(getComputedStyle(at).backgroundColor);
    const [a, b] = [paint(below), paint([...below, getComputedStyle(one).color])].map(light);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push([contrast, one.outerHTML.slice(0, 100)]);
  }
  return found;
})()
"""
"""Texts whose contrast with their background is below 4.5, the AA level of WCAG."""


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Report with all that a page can show: levels, policies, long names, versions, held-out templates."""
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
    return write_report(folder, rollouts=False)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "games"

    def game() -> gymnasium.Env[Any, Any]:
        return gymnasium.make("reasonenv/TicTacToe-v1", mode="text", random_move_prob=0.45)

    reasonenv.rollout(game, ["game:minimax", "game:heuristic"], n=10, group_size=4, saving=folder)
    return write_report(folder, rollouts=False)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Report of a run with 100,000 records."""
    folder = tmp_path_factory.mktemp("runs") / "long"
    reasonenv.evaluate("chain_sum", ["noisy:0.3", "noisy:0.6"], n=6250, group_size=8, level=2, saving=folder)
    page = write_report(folder)
    assert (folder / "traces.jsonl").read_bytes().count(b"\n") == 100_000
    return page


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest) -> int:
    return WIDTHS[request.param]


@pytest.fixture(scope="module")
def comparison(tasks: Path) -> Path:
    run = tasks.parent
    page = run.parent / "comparison.html"
    return write_comparison(run, run, page, policy_a="noisy:0.7", policy_b="noisy:0.3")


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["tasks", "games", "long", "comparison"])
def page(request: pytest.FixtureRequest, width: int, scheme: str, tmp_path: Path) -> Iterator[Page]:
    file: Path = request.getfixturevalue(request.param)
    with Page(file, width, 900, tmp_path / "profile", scheme) as opened:
        if shots := os.environ.get("REASONENV_SHOTS"):
            Path(shots).mkdir(parents=True, exist_ok=True)
            opened.screenshot(Path(shots) / f"{request.param}-{width}-{scheme}.png")
        yield opened


def test_a_page_opens_at_once_whole_and_without_complaint(page: Page, width: int) -> None:
    assert page.errors == []
    fetched = [request.rpartition("/report_rollouts/")[2] for request in page.requests[1:]]
    assert fetched in ([], ["index.js", "0.js"]), "a long report reads its first rollouts, and nothing else"
    assert page.seconds < SECONDS
    size = page.evaluate("document.documentElement.outerHTML.length")
    assert size < 1_500_000

    assert page.evaluate("innerWidth") == width
    page.evaluate("document.querySelectorAll('.more').forEach(one => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(BEYOND) == []
    assert page.evaluate(CONTRASTS) == []

    tables = page.evaluate("[...document.querySelectorAll('table')].map(one => one.rows.length)")
    assert len(tables) >= 2
    assert min(tables) >= 2
    unnamed = (
        "[...document.querySelectorAll('tbody tr')].filter(one => !one.querySelector('th[scope=row]')).length"
    )
    assert page.evaluate(unnamed) == 0
    charts = page.evaluate(
        "[...document.querySelectorAll('figure')].map(one => [one.clientWidth, one.clientHeight, "
        "one.querySelectorAll('path.line').length, one.getAttribute('aria-label').length])"
    )
    for wide, high, lines, words in charts:
        assert min(width - 40, 250) <= wide <= 550
        assert 100 < high < 600
        assert lines >= 1
        assert words > 20


def test_the_contents_lead_to_sections(page: Page) -> None:
    links = page.evaluate("[...document.querySelectorAll('nav a')].map(one => one.getAttribute('href'))")
    assert len(links) >= 3
    assert page.evaluate(f"{json.dumps(links)}.every(one => document.querySelector(one))")


def test_the_contents_stay_in_view(tasks: Path, width: int, tmp_path: Path) -> None:
    with Page(tasks, width, 900, tmp_path / "profile") as opened:
        opened.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
        opened.evaluate("document.querySelector('nav a[href=\"#failures\"]').click()")
        assert opened.evaluate("scrollY") > 500
        nav, section = (
            opened.evaluate(f"(({{ top, bottom }}) => [top, bottom])({one}.getBoundingClientRect())")
            for one in ("document.querySelector('nav')", "document.getElementById('failures')")
        )
        assert abs(nav[0]) < 2
        assert section[0] >= (nav[1] - 1 if width < 600 else -1)


def test_the_first_column_stays_and_a_cut_table_says_so(tasks: Path, tmp_path: Path) -> None:
    with Page(tasks, WIDTHS["phone"], 900, tmp_path / "profile") as opened:
        opened.evaluate(
            "window.cut = [...document.querySelectorAll('.wide')]"
            ".filter(one => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)"
        )
        assert opened.evaluate("cut.length") >= 2
        assert opened.evaluate("cut.every(one => one.parentElement.matches('.cut'))")
        assert "scroll" in opened.evaluate("getComputedStyle(cut[0].parentElement, '::after').content")
        opened.evaluate("cut[0].scrollLeft = cut[0].scrollWidth")
        opened.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
        assert opened.evaluate("cut[0].scrollLeft") > 50
        left = opened.evaluate("cut[0].getBoundingClientRect().left")
        names = "[...cut[0].querySelectorAll('tr > th:first-child')]"
        lefts = opened.evaluate(f"{names}.map(one => one.getBoundingClientRect().left)")
        assert len(lefts) >= 2
        assert lefts == pytest.approx([left] * len(lefts), abs=1)
        assert not opened.evaluate("cut[0].parentElement.matches('.cut')")


def test_a_page_can_be_printed(tasks: Path, tmp_path: Path) -> None:
    with Page(tasks, WIDTHS["desk"], 900, tmp_path / "profile") as opened:
        opened.send("Emulation.setEmulatedMedia", media="print")
        assert opened.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
        opened.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert opened.evaluate("[...document.querySelectorAll('.more')].every(one => one.open)")
        assert opened.evaluate("document.querySelectorAll('.more').length") >= 1


def test_labels_of_a_chart_can_be_read_on_a_phone(tasks: Path, tmp_path: Path) -> None:
    with Page(tasks, WIDTHS["phone"], 900, tmp_path / "profile") as opened:
        heights = opened.evaluate(
            "[...document.querySelectorAll('figure svg text')].map(one => one.getBoundingClientRect().height)"
        )
    assert len(heights) > 20
    assert min(heights) > 9


def test_all_rollouts_can_be_paged_and_filtered(tmp_path: Path) -> None:
    run = tmp_path / "run"
    reasonenv.evaluate("sorting", ["noisy:0.5", "echo"], n=150, saving=run)
    page = write_report(run)
    shown = "document.querySelectorAll('#list > details').length"
    place = "document.getElementById('place').textContent"
    choose = (
        "(id, value) => { const one = document.getElementById(id); one.value = value; "
        "one.dispatchEvent(new Event('input')); }"
    )
    with Page(page, WIDTHS["desk"], 900, tmp_path / "profile") as opened:

        def becomes(text: str) -> None:
            until = time.monotonic() + SECONDS
            while opened.evaluate(place) != text and time.monotonic() < until:
                time.sleep(0.05)
            assert opened.evaluate(place) == text

        becomes("1–25 of 300")
        assert opened.evaluate(shown) == 25
        opened.evaluate("document.getElementById('after').click()")
        becomes("26–50 of 300")
        opened.evaluate(f"({choose})('policy', 'echo')")
        becomes("1–25 of 150")
        opened.evaluate(f"({choose})('search', 'no trace says this')")
        becomes("none")
        opened.evaluate(f"({choose})('search', '')")
        becomes("1–25 of 150")
        opened.evaluate(f"({choose})('label', 'passed')")
        becomes("none")


def test_rollouts_can_be_opened_and_filtered(tasks: Path, tmp_path: Path) -> None:
    shown = "[...document.querySelectorAll('#list details')].filter(one => one.offsetHeight > 0)"
    with Page(tasks, WIDTHS["phone"], 900, tmp_path / "profile") as opened:
        assert opened.evaluate(f"{shown}.length") == 12
        opened.evaluate("document.getElementById('all').click()")
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
