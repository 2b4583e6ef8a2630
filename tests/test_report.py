"""Reports of runs, and runs held against each other."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from reasonenv import ReasonEnvError
from reasonenv.data import read_traces
from reasonenv.errors import InvalidArgument, UnknownName
from reasonenv.report import compare, write_report
from reasonenv.report._measures import Measures, ResultKey
from reasonenv.rollouts import SourceLike, Summary
from test_cli import mistake, ok

POLICIES = ["noisy:0.3", "noisy:0.7"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "first"
    sources: list[SourceLike] = ["countdown", "ascii_tree"]
    reasonenv.evaluate(sources, POLICIES, n=30, group_size=4, level=[0, 2], saving=folder)
    return folder


@pytest.fixture(scope="module")
def page(run: Path) -> str:
    return write_report(run).read_text()


@pytest.fixture
def no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plots take most of the time of a report."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.fixture(scope="module")
def measures(run: Path) -> Measures:
    return Measures(json.loads((run / "config.json").read_text())).read(read_traces(run))


def text_of(page: str) -> str:
    page = re.sub(r"<(style|script|svg).*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_what_is_measured_agrees_with_the_summary(run: Path, measures: Measures) -> None:
    rows = list(Summary.load(run))
    assert len(rows) == len(measures.cells) == 8
    for row in rows:
        cell = measures.cells[ResultKey(row.source, row.level, row.policy)]
        assert (cell.rate.passed, cell.rate.tried) == (row.passed, row.items * row.group_size)
        assert cell.rate.rate == pytest.approx(row.pass_rate)
        assert cell.rate.interval == pytest.approx(row.interval)
        assert cell.rate.pass_at == pytest.approx(row.pass_at)
        assert cell.mean_score == pytest.approx(row.mean_score)
        assert cell.mean_reward == pytest.approx(row.mean_reward)
        assert cell.failures == row.failures
        assert cell.rate.bands == pytest.approx((row.all_failed, row.mixed_passes, row.all_passed))
        assert cell.failed_score / cell.failed == pytest.approx(row.failed_score)


def test_knobs_are_params_wordings_and_difficulty(measures: Measures) -> None:
    knobs = {(family, knob) for _, family, knob, _ in measures.knobs}
    assert {("countdown", "numbers"), ("countdown", "wording"), ("countdown", "difficulty")} <= knobs
    assert ("countdown", "division") not in knobs  # it is the same at both levels
    for family in ("countdown", "ascii_tree"):
        held_out = reasonenv.family(family).held_out_templates
        words = {value for _, kind, knob, value in measures.knobs if (kind, knob) == (family, "wording")}
        assert {word for kind, word in measures.held_out if kind == family} == words & set(held_out)
        seen = {
            task.style["template"]
            for level in (0, 2)
            for task in reasonenv.family(family).batch(count=30, level=level, split="eval")
        }
        assert words == seen
    tried = sum(rate.tried for (policy, family, knob, _), rate in measures.knobs.items()
                if (policy, family, knob) == (POLICIES[0], "countdown", "wording"))  # fmt: skip
    assert tried == 2 * 30 * 4


def test_baselines_are_what_blind_policies_pass_of_the_same_items(tmp_path: Path) -> None:
    reasonenv.evaluate("modular_arithmetic", "oracle", n=150, saving=tmp_path)
    measures = Measures(json.loads((tmp_path / "config.json").read_text())).read(read_traces(tmp_path))
    baselines = measures.baselines()["modular_arithmetic", 0]
    assert list(baselines) == ["another task's answer", "best constant"]
    assert {blind.tried for blind in baselines.values()} == {150}
    best = reasonenv.evaluate("modular_arithmetic", "best-constant", n=150)[0]
    assert baselines["best constant"].passed == best.passed > 0
    page = text_of(write_report(tmp_path, tmp_path / "page.html").read_text())
    assert "guessing" not in page
    low, high = baselines["best constant"].interval
    shown = f"best constant {100 * best.pass_rate:.1f} % {100 * low:.1f}–{100 * high:.1f} 150"
    assert shown in page


def test_a_policy_of_the_run_is_no_baseline_too(tmp_path: Path) -> None:
    reasonenv.evaluate("countdown", "best-constant", n=4, saving=tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    measures = Measures(config).read(read_traces(tmp_path))
    assert list(measures.baselines()["countdown", 0]) == ["another task's answer"]


def test_rollouts_that_say_the_same_are_shown_once(tmp_path: Path) -> None:
    reasonenv.evaluate("countdown", "oracle", n=3, group_size=8, saving=tmp_path)
    measures = Measures().read(read_traces(tmp_path))
    shown = [(one["task_id"], one["text"]) for one in measures.samples()]
    assert len(shown) == len(set(shown)) == 3


@pytest.mark.usefixtures("no_plots")
def test_a_page_needs_no_matplotlib(run: Path, tmp_path: Path) -> None:
    page = write_report(run, tmp_path / "page.html").read_text()
    assert "Plots need matplotlib" in page
    assert "<svg" not in page
    assert "Which knob makes it hard" in page


def test_a_missing_extra_is_named_in_one_line(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert "pip install 'reasonenv[report]'" in mistake("report", run)


def test_the_page_is_whole_portable_and_the_same_each_time(run: Path, page: str, tmp_path: Path) -> None:
    assert write_report(run, tmp_path / "again.html").read_text() == page
    assert len(page) < 1_000_000
    outside = [link for link in re.findall(r'(?:src|href)="([^"]*)"', page) if not link.startswith("#")]
    assert outside == []
    assert "@import" not in page
    assert page.count("<svg") == len(list((run / "plots").glob("*.svg"))) == 4
    said = text_of(page)
    for row in Summary.load(run):
        assert f"{100 * row.pass_rate:.1f} %" in said
        for label, count in list(row.failures.items())[:3]:
            assert f"{label} {count}" in said
    assert "held out" in said
    assert said.count("Completion") == len(re.findall("<details", page)) == 80
    assert "unfinished" not in said


def test_what_was_asked_stands_in_the_page(page: str) -> None:
    said = text_of(page).partition("What was asked")[2]
    for level in (0, 2):
        params = reasonenv.family("countdown").level_params(level)
        shown = ", ".join(f"{name} {json.dumps(value)}" for name, value in sorted(params.items()))
        assert f"source countdown family countdown, version 1, level {level}, params {shown}" in said
    assert "policy noisy:0.3" in said
    assert "group_size 4" in said
    assert "reward binary" in said


@pytest.mark.usefixtures("no_plots")
def test_a_page_of_games_counts_their_starts(tmp_path: Path) -> None:
    ask: dict[str, Any] = {"n": 3, "group_size": 2, "saving": tmp_path / "game"}
    reasonenv.rollout("game:random", "reasonenv/TicTacToe-v1", **ask)
    assert "6 rollouts of 3 starts of games" in text_of(write_report(tmp_path / "game").read_text())


def test_groups_that_are_scattered_are_groups_all_the_same(run: Path, measures: Measures) -> None:
    scattered = sorted(read_traces(run), key=lambda trace: (trace["rollout"], trace["task_id"]))
    again = Measures(measures.config).read(scattered)
    assert again.tasks == measures.tasks == 120
    for place, cell in measures.cells.items():
        assert again.cells[place].rate.interval == pytest.approx(cell.rate.interval)
        assert again.cells[place].rate.pass_at == pytest.approx(cell.rate.pass_at)
        assert again.cells[place].rate.bands == cell.rate.bands
    assert {knob: (rate.passed, rate.tried, len(rate)) for knob, rate in again.knobs.items()} == {
        knob: (rate.passed, rate.tried, len(rate)) for knob, rate in measures.knobs.items()
    }


@pytest.mark.usefixtures("no_plots")
def test_model_text_stays_text(run: Path, tmp_path: Path) -> None:
    evil = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"
    records = [trace | {"text": evil, "policy": evil, "prompt": evil} for trace in read_traces(run)][:20]
    folder = tmp_path / "evil"
    folder.mkdir()
    (folder / "traces.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    page = write_report(folder).read_text()
    assert page.count("<script>") == 1
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


@pytest.mark.usefixtures("no_plots")
def test_an_unfinished_run_and_a_half_written_line_are_reported(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    folder.mkdir()
    for name in ("config.json", "prompts.jsonl"):
        (folder / name).write_bytes((run / name).read_bytes())
    (folder / "traces.jsonl").write_bytes((run / "traces.jsonl").read_bytes()[:-7])
    said = text_of(write_report(folder).read_text())
    assert "959 rollouts" in said
    assert "the run is unfinished" in said


@pytest.mark.usefixtures("no_plots")
def test_failed_endpoints_count_nowhere_but_are_told(run: Path, tmp_path: Path) -> None:
    lost = [trace | {"verdict": None, "reward": None, "error": "503"} for trace in read_traces(run)][:5]
    folder = tmp_path / "lost"
    folder.mkdir()
    lines = [*lost, *read_traces(run)]
    (folder / "traces.jsonl").write_text("".join(json.dumps(record) + "\n" for record in lines))
    said = text_of(write_report(folder).read_text())
    assert "960 rollouts" in said
    assert "5 more have no verdict" in said


def test_games_stand_beside_their_exact_table(tmp_path: Path) -> None:
    env = gymnasium.make("reasonenv/TicTacToe-v1", mode="text", random_move_prob=0.125)
    rng = np.random.default_rng(0)

    def blind(asked: Sequence[Any], _: int) -> list[str]:
        return [f"<move>{rng.integers(9)}</move>" for _ in asked]

    list(reasonenv.rollout(blind, env, n=10, group_size=4, saving=tmp_path / "game"))
    said = text_of(write_report(tmp_path / "game").read_text())
    assert "40 rollouts" in said
    assert "have no verdict" not in said
    assert "Learning band" not in said
    # The table of a random opponent, as docs/games has it: minimax against p = 0.125.
    assert "minimax 19.0 % 81.0 % 0.0 % 0.0 %" in said
    measured = Measures().read(read_traces(tmp_path / "game"))
    ((_, played),) = measured.played.items()
    assert played.count == 40
    assert sum(played.share(result) for result in ("win", "draw", "loss", "cut off")) == pytest.approx(1)
    results = [trace["turns"][-1]["info"].get("result") for trace in read_traces(tmp_path / "game")]
    assert played.results["win"] == sum(result == 1 for result in results if result is not None)
    assert played.results["cut off"] == results.count(None) > 0
    assert played.results["loss"] == sum(result == -1 for result in results if result is not None) > 0


def test_reward_parts_are_drawn_over_versions_of_the_policy(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "trained"
    folder.mkdir()
    records = [
        trace
        | {
            "policy": "model",
            "policy_version": f"step-{i // 100}",
            "reward_parts": {"correct": 1.0, "format": 0.1},
        }
        for i, trace in enumerate(read_traces(run))
    ]
    (folder / "traces.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    page = write_report(folder).read_text()
    assert '<figure role="img" aria-label="Reward parts over training model">' in page
    measured = Measures().read(records)
    assert sorted(measured.parts["model"]["correct"]) == list(range(10))
    assert measured.parts["model"]["format"][3] == pytest.approx([10.0, 100])


def test_a_long_run_makes_no_longer_page(run: Path, page: str, tmp_path: Path) -> None:
    first = list(read_traces(run))
    folder = tmp_path / "long"
    folder.mkdir()
    with (folder / "traces.jsonl").open("w") as file:
        for turn in range(4):
            for record in first:
                group = f"{record['group_id']}/{turn}"
                file.write(json.dumps(record | {"group_id": group, "task_id": group}) + "\n")
    long = write_report(folder).read_text()
    assert len(long) < 1.2 * len(page)
    assert "3,840 rollouts" in text_of(long)


def test_damaged_runs_are_named(tmp_path: Path, run: Path) -> None:
    with pytest.raises(InvalidArgument, match="holds no run"):
        write_report(tmp_path)
    (tmp_path / "traces.jsonl").write_text("{}\n")
    with pytest.raises(ReasonEnvError, match="line 1: `task_id` is missing"):
        write_report(tmp_path)
    (tmp_path / "traces.jsonl").write_bytes((run / "traces.jsonl").read_bytes())
    (tmp_path / "config.json").write_text("[")
    with pytest.raises(ReasonEnvError, match=r"config\.json holds no JSON object"):
        write_report(tmp_path)


def test_runs_are_compared_task_by_task(run: Path, tmp_path: Path) -> None:
    rows = compare(run, run, policy_a=POLICIES[1], policy_b=POLICIES[0])
    assert [(row.source, row.level) for row in rows] == [
        ("all", None), ("ascii_tree", 0), ("ascii_tree", 2), ("countdown", 0), ("countdown", 2),
    ]  # fmt: skip
    everything = rows[0]
    assert everything.tasks == 120
    assert everything.difference == pytest.approx(everything.b - everything.a)
    assert everything.interval is not None
    assert everything.interval[0] < everything.difference < everything.interval[1]
    assert everything.shown
    assert everything.better + everything.worse <= 120
    same = compare(run, run, policy_a=POLICIES[0], policy_b=POLICIES[0])[0]
    assert (same.difference, same.interval, same.shown) == (0.0, (0.0, 0.0), False)

    other = tmp_path / "other"
    reasonenv.evaluate("countdown", POLICIES[0], n=30, seed=7, saving=other)
    with pytest.raises(InvalidArgument, match="share no task"):
        compare(run, other, policy_a=POLICIES[0])
    with pytest.raises(InvalidArgument, match=r"has the policies noisy:0.3, noisy:0.7; name `policy_a`"):
        compare(run, other)
    with pytest.raises(UnknownName, match=r"did you mean `noisy:0\.3`"):
        compare(run, other, policy_a="noisy:0.33")


def test_the_command_line_reports_and_compares(run: Path, tmp_path: Path) -> None:
    assert ok("report", run, "--out", tmp_path / "page.html").strip() == str(tmp_path / "page.html")
    ask: tuple[Any, ...] = ("compare", run, run, "--policy-a", POLICIES[1], "--policy-b", POLICIES[0])
    assert "the interval excludes zero" in ok(*ask)
    rows = json.loads(ok(*ask, "--json"))
    assert rows[0]["tasks"] == 120
    assert "holds no run" in mistake("report", tmp_path)
    assert "name `policy_a`" in mistake("compare", run, run)
