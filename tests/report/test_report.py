"""Reports of runs, and pages that compare two."""

import html
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from cli_calls import mistake, ok
from reasonenv import ReasonEnvError, curriculum
from reasonenv.data import read_traces
from reasonenv.errors import InvalidArgument, UnknownName
from reasonenv.report import compare, write_comparison, write_report
from reasonenv.report._charts import _ticks
from reasonenv.report._curves import Point, Series
from reasonenv.report._form import rounded
from reasonenv.report._measures import LEVELS, OVER_RUN, REWARD_PARTS, STEPS, Measures, ResultKey
from reasonenv.report._sources import Sources
from reasonenv.rollouts import SourceLike, Summary

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


@pytest.fixture(scope="module")
def measures(run: Path) -> Measures:
    return Measures(json.loads((run / "config.json").read_text())).read(read_traces(run))


def text_of(page: str) -> str:
    page = re.sub(r"<(style|script|svg).*?</\1>", "", page.replace("<wbr>", ""), flags=re.DOTALL)
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", page).split()))


def test_what_is_measured_agrees_with_the_summary(run: Path, measures: Measures) -> None:
    rows = list(Summary.load(run))
    assert len(rows) == len(measures.cells) == 8
    for row in rows:
        cell = measures.cells[ResultKey(row.source, row.source, row.level, row.policy)]
        assert (cell.rate.passed, cell.rate.tried) == (row.passed, row.items * row.group_size)
        assert cell.rate.rate == pytest.approx(row.pass_rate)
        assert cell.rate.interval == pytest.approx(row.interval)
        assert cell.rate.pass_at == pytest.approx(row.pass_at)
        assert cell.mean_score == pytest.approx(row.mean_score)
        assert cell.mean_reward == pytest.approx(row.mean_reward)
        assert cell.failures == row.failures
        assert cell.rate.bands == pytest.approx((row.all_failed, row.mixed_passes, row.all_passed))
        assert cell.failed_score / cell.failed == pytest.approx(row.failed_score)


def test_wordings_vary_alone_and_params_of_a_level_do_not(measures: Measures) -> None:
    settings = {(family, name) for family, name, _ in measures.settings}
    assert settings == {("countdown", "wording"), ("ascii_tree", "wording")}
    for family in ("countdown", "ascii_tree"):
        held_out = reasonenv.family(family).held_out_templates
        words = {value for kind, _, value in measures.settings if kind == family}
        assert {word for kind, word in measures.sources.held_out if kind == family} == words & set(held_out)
        seen = {
            task.style["template"]
            for level in (0, 2)
            for task in reasonenv.family(family).batch(count=30, level=level, split="eval")
        }
        assert words == seen
    tried = sum(rate.tried for (kind, _, _), rate in measures.settings.items() if kind == "countdown")
    assert tried == 2 * 30 * 4 * len(POLICIES)


def sources(*params: dict[str, int]) -> Sources:
    known = [{"name": str(at), "family": "chain_sum", "params": one} for at, one in enumerate(params)]
    return Sources({"sources": known})


@pytest.mark.parametrize(
    ("params", "alone"),
    [
        ([{"terms": 2, "digits": 1}, {"terms": 3, "digits": 1}], {"terms"}),
        ([{"terms": 2, "digits": 1}, {"terms": 3, "digits": 2}], set()),
        ([{"terms": t, "digits": d} for t in (2, 3) for d in (1, 2)], {"terms", "digits"}),
        ([{"terms": 2, "digits": 1}, {"terms": 3, "digits": 1}, {"terms": 3, "digits": 2}], set()),
    ],
)
def test_a_setting_varies_alone_where_the_others_are_balanced(
    params: list[dict[str, int]], alone: set[str]
) -> None:
    found = {name for name, _ in sources(*params).settings("0", None, "chain_sum", "none")}
    assert found == alone


def test_a_setting_that_matters_is_shown_with_its_best_and_worst_value(tmp_path: Path) -> None:
    swept: dict[str, SourceLike] = {
        f"{terms} terms": reasonenv.family("chain_sum").source(
            params={"terms": terms, "digits": 2, "subtraction": False}
        )
        for terms in (2, 9)
    }

    def policy(tasks: Sequence[reasonenv.Task], _: int) -> list[str]:
        short = [(task.params or {})["terms"] == 2 for task in tasks]
        answers = [task.solution.answer if right else "0" for task, right in zip(tasks, short, strict=True)]
        return [task.wrap(answer) for task, answer in zip(tasks, answers, strict=True)]

    list(reasonenv.rollout(swept, policy, n=20, saving=tmp_path))
    said = text_of(write_report(tmp_path).read_text())
    assert "settings vary alone" in said
    assert re.search(r"terms chain_sum 9 0\.0% 0\.0–\S+ 2 100\.0% \S+–100\.0 100\.0 2", said)


def test_baselines_are_what_blind_policies_pass_of_the_same_items(tmp_path: Path) -> None:
    reasonenv.evaluate("modular_arithmetic", "oracle", n=150, saving=tmp_path)
    measures = Measures(json.loads((tmp_path / "config.json").read_text())).read(read_traces(tmp_path))
    baselines = measures.baselines()["modular_arithmetic", 0]
    assert list(baselines) == ["another task's answer", "best constant"]
    assert {blind.tried for blind in baselines.values()} == {150}
    best = reasonenv.evaluate("modular_arithmetic", "best-constant", n=150)[0]
    assert baselines["best constant"].passed == best.passed > 0
    page = text_of(write_report(tmp_path, tmp_path / "page.html").read_text())
    shown = f"{100 * best.pass_rate:.0f}%" if best.pass_rate >= 0.005 else "<1%"
    columns = page.partition("another task's answer best constant")[2]
    assert columns.split()[:1] == ["modular_arithmetic"]
    assert shown in columns.split()[:6]


def test_a_policy_of_the_run_is_no_baseline_too(tmp_path: Path) -> None:
    reasonenv.evaluate("countdown", "best-constant", n=4, saving=tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    measures = Measures(config).read(read_traces(tmp_path))
    assert list(measures.baselines()["countdown", 0]) == ["another task's answer"]


def test_rollouts_that_say_the_same_are_shown_once(tmp_path: Path) -> None:
    reasonenv.evaluate("countdown", "oracle", n=3, group_size=8, saving=tmp_path)
    measures = Measures().read(read_traces(tmp_path))
    shown = [(one.task_id, one.text) for one in measures.samples]
    assert len(shown) == len(set(shown)) == 3


def test_a_sample_does_not_depend_on_the_order(run: Path, measures: Measures) -> None:
    again = Measures(measures.config).read(reversed(list(read_traces(run))))
    names = [(one.policy, one.answer) for one in measures.samples]
    assert [(one.policy, one.answer) for one in again.samples] == names
    passed = [bool(one.passed) for one in measures.samples]
    assert passed == sorted(passed)
    assert {one.policy for one in list(measures.samples)[:2]} == set(POLICIES)
    assert len(names) == 2 * 40


def test_every_failure_has_an_example(measures: Measures) -> None:
    labels = {label for cell in measures.cells.values() for label in cell.failures}
    for label in labels:
        example = measures.samples.example(label)
        assert label in example.failures
        assert not example.passed


def test_turns_show_what_is_new(tmp_path: Path) -> None:
    env = gymnasium.make("reasonenv/ChainSum-v1", mode="step", level=3)

    def policy(contexts: Sequence[Any], _: int) -> list[str]:
        steps = [[*one.task.solution.steps, one.task.wrap(one.task.solution.answer)] for one in contexts]
        return [lines[one.turn] for one, lines in zip(contexts, steps, strict=True)]

    list(reasonenv.rollout(env, policy, n=1, group_size=1, saving=tmp_path))
    measures = Measures().read(read_traces(tmp_path))
    (one,) = measures.samples
    assert len(one.turns) > 1
    assert one.turns[0].observation == ""
    assert one.turns[0].action in one.turns[1].observation
    assert one.prompt.splitlines()[0] not in one.turns[1].observation
    steps = len(one.turns) - 1  # the last is the answer
    assert one.turns[0].worth == f"progress {1 / steps:.3g}"
    assert measures.curves[STEPS]["policy"].points()[0] == Point(1, 1 / steps)


def test_a_series_stays_small_and_keeps_its_mean() -> None:
    series = Series()
    for x in range(100_000):
        series.add(x, x % 2)
    points = series.points()
    assert 32 < len(points) <= 64
    assert {point.y for point in points} <= {0.5} | {points[-1].y}
    assert [point.x for point in points] == sorted(point.x for point in points)


def test_a_curriculum_has_curves_and_families_of_its_own(tmp_path: Path) -> None:
    scheduler = curriculum.make("threshold", ["chain_sum", "countdown"], rollouts=4, seed=0)
    list(
        reasonenv.rollout(
            scheduler, "oracle", n=64, sampling=reasonenv.rollouts.Sampling(batch_size=8), saving=tmp_path
        )
    )
    measures = Measures(json.loads((tmp_path / "config.json").read_text())).read(read_traces(tmp_path))
    levels = measures.curves[LEVELS]
    assert set(levels) == {"chain_sum", "countdown"}
    assert levels["chain_sum"].points()[0].y == 0
    assert levels["chain_sum"].points()[-1].y > 0
    assert {point.y for point in measures.curves[OVER_RUN]["oracle"].points()} == {1.0}
    said = text_of(write_report(tmp_path).read_text())
    assert "chain_sum 100.0%" in said
    assert "curriculum: chain_sum" not in said


def test_ticks_are_round_and_cover_the_range() -> None:
    for low, high in [(0, 1), (0, 6), (0, 0.013), (-3, 12345), (0, 0)]:
        ticks = _ticks(low, high)
        assert 2 <= len(ticks) <= 8
        assert ticks[0] <= low
        assert ticks[-1] >= high
    assert _ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1.0]


def test_a_whole_percentage_is_0_or_100_only_if_the_share_is() -> None:
    shown = [rounded(share) for share in (0, 0.001, 0.4, 0.999, 1)]
    assert shown == ["0%", "<1%", "40%", ">99%", "100%"]


def test_a_missing_extra_is_named_in_one_line(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert "pip install 'reasonenv[report]'" in mistake("report", run)


def test_the_page_is_whole_portable_and_the_same_each_time(run: Path, page: str, tmp_path: Path) -> None:
    assert write_report(run, tmp_path / "report.html").read_text() == page
    assert len(page) < 1_000_000
    outside = [link for link in re.findall(r'(?:src|href)="([^"]*)"', page) if not link.startswith("#")]
    assert outside == []
    assert "@import" not in page
    said = text_of(page)
    assert f"<h1>{POLICIES[0]} passes" in page
    assert "ahead of noisy:0.7" in page
    for row in Summary.load(run):
        low, high = row.interval
        assert f"{100 * row.pass_rate:.1f}% {100 * low:.1f}–{100 * high:.1f}" in said
    failures = Counter[str]()
    for row in Summary.load(run):
        failures.update(row.failures)
    for label, times in failures.items():
        assert re.search(rf"{label} {times:,} ", said)
    assert said.count("Why it fails") == len(failures)
    assert len(re.findall("<details data-labels", page)) == 80
    assert "unfinished" not in said


def test_the_contents_lead_to_every_section(page: str) -> None:
    links = re.findall(r'<li><a href="#([^"]*)">', page)
    assert links[0] == "top"
    assert links[1:] == re.findall(r'<section id="([^"]*)"', page)
    assert {"pass-rates", "failures", "settings", "all-numbers", "setup", "rollouts"} <= set(links)


def test_the_setup_and_the_command_are_in_the_page(run: Path, page: str, tmp_path: Path) -> None:
    said = text_of(page).partition("Setup setting value")[2]
    for level in (0, 2):
        params = reasonenv.family("countdown").level_params(level)
        assert str(params["numbers"]) in said.partition("numbers countdown")[2].split()[:2]
    assert "policy noisy:0.3 policy noisy:0.7" in said
    assert "group_size 4" in said
    assert "reward binary" in said
    assert "items every source 30" in said
    words = "eval countdown ascii_tree --policy noisy:0.3 --policy noisy:0.7 --level 0,2 -n 30 --group-size 4"
    assert f"<code>reasonenv {words}</code>" in page
    ok(*words.split(), "--runs", tmp_path, "--run", "again")
    again = [record | {"seconds": 0} for record in read_traces(tmp_path / "again")]
    assert again == [record | {"seconds": 0} for record in read_traces(run)]


def test_a_run_without_a_command_names_the_one_of_its_page(tmp_path: Path) -> None:
    policy = reasonenv.rollouts.make_policy("noisy:0.3")
    given = {"mine": reasonenv.family("chain_sum").batch(count=4)}
    list(reasonenv.rollout(given, policy, saving=tmp_path / "run"))
    assert f"<code>reasonenv report {tmp_path / 'run'}</code>" in write_report(tmp_path / "run").read_text()


def test_a_page_of_games_counts_their_starts(tmp_path: Path) -> None:
    ask: dict[str, Any] = {"n": 3, "group_size": 2, "saving": tmp_path / "game"}
    reasonenv.rollout("reasonenv/TicTacToe-v1", "game:random", **ask)
    assert "6 rollouts of 3 starts of games" in text_of(write_report(tmp_path / "game").read_text())


def test_groups_that_are_scattered_are_groups_all_the_same(run: Path, measures: Measures) -> None:
    scattered = sorted(read_traces(run), key=lambda trace: (trace["rollout"], trace["task_id"]))
    again = Measures(measures.config).read(scattered)
    assert again.tasks == measures.tasks == 120
    for place, cell in measures.cells.items():
        assert again.cells[place].rate.interval == pytest.approx(cell.rate.interval)
        assert again.cells[place].rate.pass_at == pytest.approx(cell.rate.pass_at)
        assert again.cells[place].rate.bands == cell.rate.bands
    assert {name: (rate.passed, rate.tried, len(rate)) for name, rate in again.settings.items()} == {
        name: (rate.passed, rate.tried, len(rate)) for name, rate in measures.settings.items()
    }


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


def test_an_unfinished_run_and_a_half_written_line_are_reported(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    folder.mkdir()
    for name in ("config.json", "prompts.jsonl"):
        (folder / name).write_bytes((run / name).read_bytes())
    (folder / "traces.jsonl").write_bytes((run / "traces.jsonl").read_bytes()[:-7])
    said = text_of(write_report(folder).read_text())
    assert "959 rollouts" in said
    assert "the run is unfinished" in said


def test_failed_endpoints_are_counted_apart(run: Path, tmp_path: Path) -> None:
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

    list(reasonenv.rollout(env, blind, n=10, group_size=4, saving=tmp_path / "game"))
    said = text_of(write_report(tmp_path / "game").read_text())
    assert "40 rollouts" in said
    assert "have no verdict" not in said
    assert "All numbers" not in said
    # As `calibrate` has it of a random opponent: minimax against p = 0.125.
    assert "minimax exact 19.0% 81.0% 0.0% 0.0%" in said
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
    assert "Reward parts by version of the policy: correct from 1 to 1; format from 0.1 to 0.1." in page
    assert re.search(r"<h1>model (rises|falls) from \S+% to \S+% between versions 0 and 9</h1>", page)
    measured = Measures().read(records).curves[f"{REWARD_PARTS}: model"]
    assert measured["correct"].points() == [Point(version, 1.0) for version in range(10)]
    assert measured["format"].points()[3].y == pytest.approx(0.1)


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
    reasonenv.evaluate("countdown", ["oracle", "empty"], n=3, saving=tmp_path / "third")
    with pytest.raises(InvalidArgument, match=r"has the policies empty, oracle; name `policy_b`"):
        compare(run, tmp_path / "third")
    with pytest.raises(UnknownName, match=r"did you mean `noisy:0\.3`"):
        compare(run, other, policy_a="noisy:0.33")


def test_a_comparison_shows_the_difference_and_the_tasks(run: Path, tmp_path: Path) -> None:
    page = write_comparison(
        run, run, tmp_path / "page.html", policy_a=POLICIES[1], policy_b=POLICIES[0]
    ).read_text()
    said = text_of(page)
    rows = compare(run, run, policy_a=POLICIES[1], policy_b=POLICIES[0])
    everything = rows[0]
    assert f"noisy:0.3 beats noisy:0.7 by {100 * everything.difference:.1f} points" in said
    for row in rows:
        assert f"{100 * row.difference:+.1f}".replace("-", "−") in said
    gains = re.search(r"<caption>Better with B</caption>.*?</table>", page, re.DOTALL)
    assert gains is not None
    assert gains[0].count("Why A fails") == 8
    assert "Why B fails" not in gains[0]
    same = write_comparison(run, run, tmp_path / "same.html", policy_a=POLICIES[0], policy_b=POLICIES[0])
    assert "pass about equally often" in same.read_text()


def test_the_command_line_reports_and_compares(run: Path, tmp_path: Path) -> None:
    assert ok("report", run, "--out", tmp_path / "page.html").strip() == str(tmp_path / "page.html")
    ask: tuple[Any, ...] = ("compare", run, run, "--policy-a", POLICIES[1], "--policy-b", POLICIES[0])
    assert "the interval excludes zero" in ok(*ask, "--out", tmp_path / "both.html")
    assert "noisy:0.3 beats noisy:0.7" in (tmp_path / "both.html").read_text()
    rows = json.loads(ok(*ask, "--json"))
    assert rows[0]["tasks"] == 120
    assert "holds no run" in mistake("report", tmp_path)


def test_runs_of_several_policies_are_compared_policy_by_policy(run: Path, tmp_path: Path) -> None:
    two = ok("compare", run, run)  # the two policies of one run
    assert two == ok("compare", run, run, "--policy-a", POLICIES[0], "--policy-b", POLICIES[1])
    assert two == ok("compare", run, run, "--policy-a", POLICIES[0])
    assert two == ok("compare", run, run, "--policy-b", POLICIES[1])
    assert f"A: {run}, noisy:0.3. B: {run}, noisy:0.7." in " ".join(two.split())
    again = tmp_path / "again"
    tasks: list[Any] = ["countdown", "ascii_tree"]
    reasonenv.evaluate(tasks, POLICIES, n=30, level=[0, 2], saving=again)
    rows = compare(run, again)
    assert [row.policies for row in rows[::5]] == [(name, name) for name in POLICIES]
    assert rows[:5] == compare(run, again, policy_a=POLICIES[0], policy_b=POLICIES[0])
    assert re.search(r"(?s)policy .*noisy:0\.3 .*noisy:0\.7 ", ok("compare", run, again, COLUMNS="80"))
    with pytest.raises(InvalidArgument, match="a page compares one"):
        write_comparison(run, again, tmp_path / "page.html")


def test_all_rollouts_are_beside_the_page(run: Path, tmp_path: Path) -> None:
    page = write_report(run, tmp_path / "page.html").read_text()
    assert 'data-beside="page_rollouts"' in page
    beside = tmp_path / "page_rollouts"
    given = re.fullmatch(r"reasonenv\.index\((.*)\)", (beside / "index.js").read_text())
    assert given is not None
    index = json.loads(given[1])
    records = list(read_traces(run))
    assert len(index["rows"]) == len(records) == 960
    shown = []
    for number in range(-(-len(records) // index["size"])):
        text = (beside / f"{number}.js").read_text()
        assert text.isascii()  # so that the file is read alike whatever the page's encoding
        given = re.fullmatch(rf"reasonenv\.rollouts\({number},(.*)\)", text)
        assert given is not None
        shown += json.loads(given[1])
    assert len(shown) == len(records)
    for record, row, markup in zip(records, index["rows"], shown, strict=True):
        assert record["task_id"] in text_of(markup)
        policy, *named = index["kinds"][row]
        assert index["policies"][policy] == record["policy"]
        labels = [index["labels"][one] for one in named]
        assert labels == (["passed"] if record["verdict"]["passed"] else record["verdict"]["failures"])
    (beside / "77.js").write_text("of a longer run")
    ok("report", run, "--out", tmp_path / "page.html")
    assert not (beside / "77.js").exists()
    ok("report", run, "--out", tmp_path / "alone.html", "--page-only")
    assert not (tmp_path / "alone_rollouts").exists()
    assert "data-beside" not in re.sub(
        "<script>.*?</script>", "", (tmp_path / "alone.html").read_text(), flags=re.DOTALL
    )


def test_the_best_and_the_worst_source_are_of_the_leading_policy(tmp_path: Path) -> None:
    def answer(tasks: Sequence[reasonenv.Task], _: int) -> list[str]:
        return [task.wrap(task.solution.answer) if task.family == "countdown" else "" for task in tasks]

    policies: dict[str, Any] = {"leader": answer, "other": "empty"}
    tasks: list[Any] = ["countdown", "sorting"]
    reasonenv.evaluate(tasks, policies, n=4, saving=tmp_path)
    said = text_of(write_report(tmp_path).read_text())
    assert "Best and worst source countdown 100.0% leader sorting 0.0% leader" in said


def test_backticks_are_code(tmp_path: Path) -> None:
    rows = reasonenv.from_rows([{"question": "2 + 2?", "answer": "4"}], verifier="number_equal")
    reasonenv.evaluate(rows, lambda rows, _: ["<answer>5</answer>"] * len(rows), saving=tmp_path)
    assert "<code>5</code> is not <code>4</code>" in write_report(tmp_path).read_text()
