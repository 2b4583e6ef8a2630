"""Benchmarks: manifests, runs of policies, metrics and leaderboards."""

import asyncio
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from cli_calls import mistake, ok
from reasonenv import ReasonEnvError, benchmark
from reasonenv.benchmark import BenchmarkResult, InvalidManifest, Manifest, freeze, reference
from reasonenv.benchmark._entries import FOLDER
from reasonenv.benchmark._leaderboard import drop_stale
from reasonenv.benchmark._measures import ItemRollouts, Read, rate
from reasonenv.errors import InvalidArgument
from reasonenv.report._played import RESULTS
from reasonenv.rewards.groups import maj_at_k, pass_at_k
from reasonenv.rollouts import Completion, Context, InvalidRun, Sampling, clustered_interval

NAMES = benchmark.list_manifests()
ROOT = Path(__file__).parents[2]
every_manifest = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def small() -> Manifest:
    """A part of core: two families whose tasks are cheap."""
    return benchmark.manifest("core").only("chain_sum", "sorting", count=6)


@pytest.fixture(scope="module")
def folder(small: Manifest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("runs") / "noisy"
    benchmark.run(small, "noisy:0.5", group_size=8, saving=place)
    return place


@pytest.fixture(scope="module")
def noisy(folder: Path) -> BenchmarkResult:
    return BenchmarkResult.load(folder)


def test_there_are_four_manifests_and_core_asks_every_family() -> None:
    assert {benchmark.manifest(name).name for name in NAMES} == set(freeze.RULES)
    core = benchmark.manifest("core")
    assert {one.family for one in core.items} <= set(reasonenv.list_families())
    assert {one.game for one in benchmark.manifest("games").games} <= set(reasonenv.list_games())
    for one in core.items:
        kind = reasonenv.family(one.family)
        assert (one.template in kind.held_out_templates) == one.held_out
        assert one.split == "test"


@every_manifest
def test_items_are_those_that_the_manifest_names(name: str) -> None:
    # One entry in sixteen; `make manifests` makes all of them.
    whole = benchmark.manifest(name)
    some = replace(whole, items=whole.items[::16], games=whole.games[::16])
    assert len(list(some.check())) == len(some.items) + len(some.games) > 0
    for one in some.items:
        assert len({task.key for task in one.batch()}) == one.count, f"{one.name} asks a problem twice"


@every_manifest
def test_a_manifest_that_was_edited_is_refused(name: str, tmp_path: Path) -> None:
    record = json.loads((FOLDER / f"{name}.json").read_text())
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(record))
    assert benchmark.manifest(str(path)) == benchmark.manifest(name)
    path.write_text(json.dumps(record | {"summary": "Easier."}))
    with pytest.raises(InvalidManifest, match="was edited"):
        benchmark.manifest(str(path))


def test_a_frozen_manifest_never_changes(small: Manifest, tmp_path: Path) -> None:
    preview = replace(small, name="core")
    path = freeze.write(preview, tmp_path)
    assert freeze.freeze("core", tmp_path) == path
    frozen = Manifest.load(path)
    assert not frozen.preview
    assert frozen.items == preview.items
    with pytest.raises(InvalidArgument, match="frozen already"):
        freeze.freeze("core", tmp_path)
    before = path.read_bytes()
    with pytest.raises(InvalidArgument, match="give the new manifest a new version"):
        freeze.write(replace(frozen, items=frozen.items[1:]), tmp_path)
    assert path.read_bytes() == before


def test_before_a_release_a_frozen_manifest_is_made_anew(
    small: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    freeze.write(replace(small, name="core", preview=False), tmp_path)
    monkeypatch.setattr(freeze, "RULES", {"core": lambda: ("Fewer.", list(small.items[1:]), [])})
    (path,) = freeze.write_unreleased(tmp_path)
    made = Manifest.load(path)
    assert (made.summary, made.preview, len(made.items)) == ("Fewer.", False, len(small.items) - 1)


def test_items_of_another_version_are_not_asked(small: Manifest, tmp_path: Path) -> None:
    first = small.items[0]
    for changed in (replace(first, digest="0" * 64), replace(first, version=first.version + 1, digest="")):
        other = replace(small, items=(changed, *small.items[1:]))
        with pytest.raises(InvalidManifest, match="the items of chain_sum@3 are not those"):
            benchmark.run(other, "oracle", saving=tmp_path / changed.digest)
    assert not list(tmp_path.glob("*/tasks"))


def test_a_part_is_a_manifest_of_its_own(small: Manifest) -> None:
    core = benchmark.manifest("core")
    assert core.only() is core
    assert small.digest != core.digest
    assert {one.count for one in small.items} == {6}
    assert len(list(small.check())) == len(small.items) == 8
    with pytest.raises(ReasonEnvError, match="did you mean `sorting`"):
        core.only("sortin")


def test_pass_at_k_and_intervals_are_those_of_groups(noisy: BenchmarkResult) -> None:
    assert list(noisy.overall["pass_at"]) == ["1", "2", "4", "8"]
    entry = noisy.entries["chain_sum@3"]
    assert (entry["items"], entry["rollouts"]) == (6, 48)
    assert entry["rate"] == pytest.approx(entry["passed"] / 48)
    usual = [one["rate"] for name, one in noisy.entries.items() if "/" not in name]
    assert noisy.pass_rate == pytest.approx(math.fsum(usual) / len(usual))
    assert noisy.adds_up
    for one in (*noisy.overall["pass_at"].values(), *noisy.overall["maj_at"].values()):
        assert one["interval"][0] <= one["rate"] <= one["interval"][1]


def test_rates_of_one_entry_are_those_of_the_rollout_engine() -> None:
    counts = [0, 3, 8, 5, 1, 8]
    tallies = [
        ItemRollouts(
            "a", [at < passed for at in range(8)], ["x" if at < passed else str(at) for at in range(8)]
        )
        for passed in counts
    ]
    found = rate(tallies)
    assert found["interval"] == pytest.approx(list(clustered_interval(counts, 8)))
    assert found["pass_at"]["4"]["rate"] == pytest.approx(
        sum(pass_at_k(8, passed, 4) for passed in counts) / len(counts)
    )
    votes = [float(maj_at_k(one.answers, one.passed, 4)) for one in tallies]
    assert found["maj_at"]["4"]["rate"] == pytest.approx(sum(votes) / len(votes))


def test_pass_at_1024_takes_1024_rollouts() -> None:
    found = rate([ItemRollouts("a", [at == 7 for at in range(1024)], ["1"] * 1024)])
    assert list(found["pass_at"])[-1] == "1024"
    assert found["pass_at"]["1024"]["rate"] == 1
    assert found["pass_at"]["512"]["rate"] == pytest.approx(0.5)
    assert list(found["maj_at"])[-1] == "512"  # more cannot vote


def test_intervals_are_over_items_and_not_over_their_rollouts() -> None:
    alike = rate([ItemRollouts("a", [at % 2 == 0] * 64, ["1"] * 64) for at in range(10)])
    once = rate([ItemRollouts("a", [at % 2 == 0], ["1"]) for at in range(10)])
    assert alike["interval"] == pytest.approx(once["interval"])


def test_wordings_are_compared_problem_by_problem(small: Manifest) -> None:
    held_out = {
        name for kind in ("chain_sum", "sorting") for name in reasonenv.family(kind).held_out_templates
    }

    def reads_one_wording(tasks: Sequence[reasonenv.Task], _rollout: int) -> list[str]:
        return [
            "" if task.style["template"] in held_out else task.wrap(task.solution.answer) for task in tasks
        ]

    found = benchmark.run(small, reads_one_wording)
    assert found.pass_rate == 1  # held-out wordings are told apart and not counted twice
    assert found.wording == {"pairs": 12, "difference": -1, "interval": [-1, -1], "usual": 1, "held_out": 0}


def test_levels_beyond_training_are_told_apart(small: Manifest) -> None:
    def small_ones(tasks: Sequence[reasonenv.Task], _rollout: int) -> list[str]:
        return [task.wrap(task.solution.answer) if (task.level or 0) <= 4 else "" for task in tasks]

    size = benchmark.run(small, small_ones).size
    assert (size["within"]["rate"], size["beyond"]["rate"]) == (1, 0)
    rates = {level: one["rate"] for level, one in size["by_level"].items()}
    assert rates == {"1": 1, "3": 1, "4": 1, "6": 0, "7": 0, "9": 0}


def test_a_policy_that_takes_the_shortcut_agrees_with_it() -> None:
    guessable = benchmark.manifest("core").only("sat", "output_constraints", "countdown", count=20)
    blind = benchmark.run(guessable, "best-constant").shortcut
    if blind["passed"]:
        assert blind["both"] == blind["same_answer"] == 1
    honest = benchmark.run(guessable, "oracle").shortcut
    assert honest["both"] == pytest.approx(honest["blind"], abs=0.02)


def test_answers_are_compared_with_shortcuts_with_each_other_and_with_all_right_ones() -> None:
    part = benchmark.manifest("core").only("knapsack", "longest_increasing_subsequence", count=8)

    def varied(tasks: Sequence[reasonenv.Task], rollout: int) -> list[str]:
        right = [task.solutions(4) for task in tasks]
        return [task.wrap(some[rollout % len(some)]) for task, some in zip(tasks, right, strict=True)]

    def naive(tasks: Sequence[reasonenv.Task], _rollout: int) -> list[str]:
        return [task.wrap(next(iter(task.shortcuts().values()))) for task in tasks]

    many, one, wrong = (benchmark.run(part, policy, group_size=4) for policy in (varied, "oracle", naive))
    assert many.overall["entropy"] > 0.5
    assert one.overall["entropy"] == wrong.overall["entropy"] == wrong.overall["support"] == 0
    assert 0 < one.overall["support"] < many.overall["support"] <= 1
    assert max(found["rate"] for found in wrong.shortcut["agreement"].values()) == 1
    assert {found["rate"] for found in one.shortcut["agreement"].values()} == {0}
    assert all(found["rollouts"] > 0 for found in one.shortcut["agreement"].values())
    single = benchmark.run(part, "oracle").overall
    assert (single["entropy"], single["support"]) == (None, None)


def test_a_killed_run_goes_on_and_comes_to_the_same(
    small: Manifest, folder: Path, noisy: BenchmarkResult, tmp_path: Path
) -> None:
    seen = 0

    def dies(tasks: Sequence[reasonenv.Task], rollout: int) -> Sequence[str]:
        nonlocal seen
        seen += len(tasks)
        if seen > 30:
            raise KeyboardInterrupt
        return reasonenv.rollouts.make_policy("oracle")(tasks, rollout)

    with pytest.raises(KeyboardInterrupt):
        benchmark.run(small, dies, group_size=2, sampling=Sampling(batch_size=4), saving=tmp_path / "a")
    kept = (tmp_path / "a/tasks/traces.jsonl").read_text().count("\n")
    assert kept > 0
    seen = -(10**6)
    whole = benchmark.run(small, dies, group_size=2, sampling=Sampling(batch_size=4), saving=tmp_path / "a")
    assert seen + 10**6 <= 2 * small.count - kept
    assert whole.pass_rate == 1
    again = benchmark.run(small, "noisy:0.5", group_size=8, saving=folder)
    assert again.to_dict() == noisy.to_dict()
    with pytest.raises(InvalidRun, match="was run on another"):
        benchmark.run(small.only(count=2), "noisy:0.5", group_size=8, saving=folder)


def test_what_an_endpoint_fails_to_say_is_asked_again(small: Manifest, tmp_path: Path) -> None:
    fails = True

    async def model(context: Context, _rollout: int) -> Completion:
        await asyncio.sleep(0)
        assert context.task is not None
        if fails and context.task.family == "sorting":
            return Completion(error="no answer")
        answer = context.task.wrap(context.task.solution.answer)
        return Completion(answer, usage={"prompt_tokens": 10, "completion_tokens": 2})

    with pytest.raises(InvalidRun, match="24 rollouts have no answer"):
        benchmark.run(small, model, saving=tmp_path)
    assert not (tmp_path / "result.json").exists()
    fails = False
    result = benchmark.run(small, model, saving=tmp_path)
    assert result.pass_rate == 1
    assert result.cost["tokens"] == {"prompt_tokens": 480, "completion_tokens": 96}
    assert result.cost["tokens_each"] == {"prompt_tokens": 10, "completion_tokens": 2}


def test_games_are_played_as_episodes(tmp_path: Path) -> None:
    part = benchmark.manifest("games").only("tic_tac_toe", count=8)
    result = benchmark.run(part, "game:minimax", saving=tmp_path)
    assert result.games["tic_tac_toe vs minimax"]["shares"]["draw"] == 1
    assert result.games["tic_tac_toe vs random"]["shares"]["loss"] == 0
    for one in result.games.values():
        assert one["episodes"] == 8
        assert sum(one["shares"][kind] for kind in RESULTS) == pytest.approx(1)
    assert result.adds_up
    assert benchmark.verify_run(tmp_path) == result


def test_every_game_has_a_player_of_its_own() -> None:
    names = ("kuhn_poker", "nim")
    result = benchmark.run(benchmark.manifest("games").only(*names, count=4), "game:default")
    assert {name.partition(" ")[0] for name in result.games} == set(names)
    assert all(one["shares"]["cut off"] == 0 for one in result.games.values())


def test_a_result_is_checked_by_judging_its_traces_again(
    folder: Path, noisy: BenchmarkResult, tmp_path: Path
) -> None:
    assert benchmark.verify_run(folder) == noisy
    forged = tmp_path / "forged"
    (forged / "tasks").mkdir(parents=True)
    for name in ("manifest.json", "result.json", "tasks/traces.jsonl"):
        (forged / name).write_text((folder / name).read_text())
    lines = (folder / "tasks/traces.jsonl").read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if not json.loads(line)["verdict"]["passed"])
    record = json.loads(lines[at])
    record["verdict"]["passed"] = True
    (forged / "tasks/traces.jsonl").write_text(
        "\n".join([*lines[:at], json.dumps(record), *lines[at + 1 :]]) + "\n"
    )
    with pytest.raises(InvalidRun, match="is logged as passed, but failed when judged anew"):
        benchmark.verify_run(forged)
    (forged / "tasks/traces.jsonl").write_text("\n".join(lines) + "\n")
    told = noisy.to_dict()
    told["overall"]["rate"] = 0.99
    (forged / "result.json").write_text(json.dumps(told))
    with pytest.raises(InvalidRun, match="is not the result of the traces"):
        benchmark.verify_run(forged)


def test_a_transfer_matrix_is_trained_by_tested(
    small: Manifest, noisy: BenchmarkResult, folder: Path
) -> None:
    def sorts(tasks: Sequence[reasonenv.Task], _rollout: int) -> list[str]:
        return [task.wrap(task.solution.answer) if task.family == "sorting" else "" for task in tasks]

    matrix = benchmark.transfer({"sorting": benchmark.run(small, sorts), "noise": folder})
    assert (matrix["trained"], matrix["tested"]) == (["sorting", "noise"], ["chain_sum", "sorting"])
    assert matrix["rates"][0] == [0, 1]
    assert all(0 < share < 1 for share in matrix["rates"][1])
    by_domain = benchmark.transfer({"noise": noisy}, by="domain")
    assert by_domain["tested"] == sorted({"arithmetic", "algorithms"})
    with pytest.raises(InvalidArgument, match="different manifests"):
        benchmark.transfer({"a": noisy, "b": replace(noisy, manifest_digest="other")})


def as_whole(result: BenchmarkResult, name: str = "long") -> BenchmarkResult:
    """A result under a manifest that comes with reasonenv, which takes long to run."""
    whole = benchmark.manifest(name)
    return replace(result, manifest=str(whole), manifest_digest=whole.digest)


def test_a_leaderboard_takes_whole_results_once_and_shows_edits(
    noisy: BenchmarkResult, tmp_path: Path
) -> None:
    path = tmp_path / "board.jsonl"
    with pytest.raises(InvalidArgument, match="only a whole manifest"):
        benchmark.append(path, noisy, by="us")
    whole = as_whole(noisy)
    benchmark.append(path, whole, by="us", note="a test", date="2026-11-22")
    benchmark.append(path, replace(whole, policy="other"), by="them")
    with pytest.raises(InvalidArgument, match="already"):
        benchmark.append(path, whole, by="us again")
    rows = benchmark.board(path)
    assert [row.result.policy for row in rows] == ["noisy:0.5", "other"]
    assert all(row.current for row in rows)
    assert rows[0].result == whole.brief()
    lines = path.read_text().splitlines()
    for old, new in (('"by":"us"', '"by":"me"'), ('"items":6', '"items":7')):
        path.write_text("\n".join([lines[0].replace(old, new, 1), lines[1]]) + "\n")
        with pytest.raises(InvalidRun, match=r"line 1 of .* was edited"):
            benchmark.board(path)
    path.write_text(lines[1] + "\n" + lines[1] + "\n")
    with pytest.raises(InvalidRun, match="appears twice"):
        benchmark.board(path)
    wrong: dict[str, Any] = dict(whole.overall) | {"rate": 0.999}
    path.unlink()
    benchmark.append(path, replace(whole, overall=wrong), by="us")
    with pytest.raises(InvalidRun, match="does not add up"):
        benchmark.board(path)


def test_reference_rows_are_added_once_and_those_of_others_stay(
    small: Manifest, noisy: BenchmarkResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, asked = tmp_path / "board.jsonl", []

    def runs(_asked: Manifest, policy: str, group_size: int) -> BenchmarkResult:
        asked.append(policy)
        return as_whole(benchmark.run(small, policy, group_size=group_size), "core")

    monkeypatch.setattr(reference, "list_manifests", lambda: ["core-v1"])
    monkeypatch.setattr(reference, "run", runs)
    benchmark.append(path, as_whole(noisy, "core"), by="them", date="2026-11-22")
    reference.write_reference(path)
    assert len(asked) == len(set(asked)) > 4
    rows = benchmark.board(path)
    assert sorted(row.result.policy for row in rows if row.by == reference.BY) == sorted(asked)
    assert [row.date for row in rows if row.by == "them"] == ["2026-11-22"]
    assert rows[0].result.policy == "oracle"
    before = path.read_text()
    reference.write_reference(path)  # killed and begun again, it does nothing twice
    assert len(asked) == len(set(asked))
    assert path.read_text() == before
    stale = replace(as_whole(noisy), manifest="core-v1", policy="of other items")
    monkeypatch.setattr("reasonenv.benchmark._leaderboard._is_current", lambda _result: True)
    benchmark.append(path, stale, by="them")
    monkeypatch.undo()
    drop_stale(path)
    assert path.read_text() == before


def test_every_leaderboard_here_is_whole() -> None:
    for path in ROOT.glob("docs/*.jsonl"):
        rows = [row.result for row in benchmark.board(path)]
        assert rows
        assert all(one.pass_rate == 1 for one in rows if one.policy == "oracle")


def test_the_page_has_every_policy_and_measure(noisy: BenchmarkResult, folder: Path, tmp_path: Path) -> None:
    page = benchmark.write_page([folder, replace(noisy, policy="other")], tmp_path / "page.html").read_text()
    for told in (
        "noisy:0.5",
        "other",
        "pass@8",
        "maj@8",
        "Wording",
        "Shortcuts",
        "Size",
        "<svg",
        noisy.manifest_digest,
    ):
        assert told in page
    with pytest.raises(InvalidArgument, match="different manifests"):
        benchmark.write_page([noisy, replace(noisy, manifest_digest="other")], tmp_path / "no.html")


def test_errors_of_an_endpoint_count_nowhere() -> None:
    read = Read().read([{"source": "a@1", "group_id": "x", "verdict": None}])
    assert (read.errors, read.rollouts, read.items) == (1, 0, {})


def test_the_command_line_runs_reports_verifies_and_lists(tmp_path: Path) -> None:
    assert [one["name"] for one in json.loads(ok("benchmark", "list", "--json"))] == [
        benchmark.manifest(name).name for name in NAMES
    ]
    ask = ("benchmark", "run", "core", "--only", "sorting", "-n", 4, "--group-size", 2)
    run = tmp_path / "run"
    told = json.loads(ok(*ask, "--policy", "noisy:0.3", "--run", run, "--json"))
    assert told == BenchmarkResult.load(run).to_dict()
    assert "pass@2" in ok(*ask, "--policy", "noisy:0.3", "--run", run)
    assert "as stated" in ok("benchmark", "verify", run)
    assert ok("benchmark", "report", run).strip() == str(run / "report.html")
    matrix = json.loads(ok("benchmark", "transfer", f"a={run}", f"b={run}", "--by", "family", "--json"))
    assert matrix["tested"] == ["sorting"]
    assert "only a whole manifest" in mistake("benchmark", "submit", run, tmp_path / "b.jsonl", "--by", "us")
    own = json.loads(ok(*ask, "--policy", "reasonenv.rollouts._policies:oracle", "--json"))
    assert own["overall"]["rate"] == 1
    assert "cannot be imported" in mistake(*ask, "--policy", "no.such:thing")
    assert "did you mean `core-v1`" in mistake("benchmark", "run", "cor", "--policy", "oracle")
    board = tmp_path / "board.jsonl"
    benchmark.append(board, as_whole(BenchmarkResult.load(run)), by="us")
    assert "noisy:0.3" in ok("benchmark", "board", board)


def test_the_page_counts_the_families_of_the_frozen_manifests() -> None:
    page = (Path(__file__).parents[2] / "docs" / "benchmark.md").read_text()
    for name in ("core", "hard"):
        families = {entry.family for entry in benchmark.manifest(name).entries if hasattr(entry, "family")}
        assert f"it has {len(families)} families and every game" in page
    assert {entry.game for entry in benchmark.manifest("games").games} == set(reasonenv.list_games())
