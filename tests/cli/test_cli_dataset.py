"""`reasonenv dataset` on the command line."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cli_calls import call, mistake, ok

ASK = ("dataset", "build", "chain_sum", "countdown", "-n", 50, "--level", "1-2")


def test_shards_merge_into_the_whole(tmp_path: Path) -> None:
    table = ok(*ASK, "--out", tmp_path / "whole")
    assert "validation" in table
    for at in range(3):
        ok(*ASK, "--out", tmp_path / f"{at}", "--shard", f"{at}/3")
    ok("dataset", "merge", tmp_path / "merged", *(tmp_path / f"{at}" for at in range(3)))
    for name in ("manifest.json", "tasks/rl.jsonl", "tasks/transfer.jsonl"):
        assert (tmp_path / "merged" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_data_set_is_described_checked_and_exported(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    built = json.loads(ok(*ASK, "--hold-out-level", 2, "--out", folder, "--json"))
    assert json.loads(ok("dataset", "info", folder, "--json")) == built
    assert built["counts"]["rl"].keys() == {"chain_sum", "countdown"}
    assert built["counts"]["rl"]["chain_sum"].keys() == {"1"}
    assert "is whole" in ok("dataset", "check", folder)
    ok("dataset", "export", f"{folder}/rl", tmp_path / "rl.parquet", "--shape", "trl")
    assert len(pq.read_table(tmp_path / "rl.parquet")) == built["files"]["tasks/rl.jsonl"]["lines"]
    ok("dataset", "export", folder / "tasks/sft.jsonl", tmp_path / "sft.jsonl", "--shape", "solutions")
    ok("dataset", "export", f"{folder}/transfer", tmp_path / "t.jsonl", "--evaluate")

    clean = ok("dataset", "check", folder, "--against", folder / "tasks/transfer.jsonl")
    for says in ("0 have the key", "0 have another key", "0 share long runs"):
        assert says in clean
    found = call("dataset", "check", folder, "--against", folder / "tasks/rl.jsonl")
    assert found.exit_code == 1
    assert "training tasks are in the files named" in found.stdout
    faults = json.loads(
        call("dataset", "check", folder, "--against", folder / "tasks/rl.jsonl", "--json").stdout
    )
    assert faults["contamination"]["same_key"] >= built["files"]["tasks/rl.jsonl"]["lines"]


def test_errors_name_options(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    ok(*ASK, "--out", folder)
    for source in (f"{folder}/transfer", folder / "tasks/transfer.jsonl"):
        said = mistake("dataset", "export", source, tmp_path / "t.jsonl")
        assert said.endswith(" or give `--evaluate`")
        assert "purpose" not in said


def test_repeats_are_left_out_and_told_by_family_and_level(tmp_path: Path) -> None:
    ask = ("dataset", "build", "sudoku", "chain_sum", "-n", 300, "--level", "0,3", "--sft", 0)
    table = ok(*ask, "--out", tmp_path / "d")
    lines = [json.loads(line) for line in (tmp_path / "d/tasks/rl.jsonl").read_text().splitlines()]
    assert len({line["key"] for line in lines}) == len(lines)
    few = sum((line["family"], line["level"]) == ("sudoku", 0) for line in lines)
    assert few < 270
    assert f"{300 - few} ({(300 - few) / 3:.1f} %)" in table
    ok(*ask, "--out", tmp_path / "all", "--keep-duplicates")
    assert len((tmp_path / "all/tasks/rl.jsonl").read_text().splitlines()) == 1200


def test_a_runs_traces_are_sorted_into_a_data_set(tmp_path: Path) -> None:
    run = tmp_path / "run"
    ask = ("countdown", "--level", 1)
    ok("eval", *ask, "--policy", "noisy:0.5", "-n", 30, "--group-size", 4, "--split", "train", "--run", run)
    ok(
        "dataset",
        "build",
        "countdown",
        "-n",
        40,
        "--level",
        1,
        "--sft",
        1,
        "--traces",
        run,
        "--out",
        tmp_path / "d",
    )
    lines = (run / "traces.jsonl").read_text().splitlines()
    passed = [json.loads(line)["verdict"]["passed"] for line in lines]
    assert len((tmp_path / "d/traces/sft.jsonl").read_text().splitlines()) == sum(passed)
    ok("dataset", "export", tmp_path / "d/traces/sft.jsonl", tmp_path / "sft.parquet", "--shape", "sft")
    assert len(pq.read_table(tmp_path / "sft.parquet")) == sum(passed)
    said = ok("dataset", "export", run / "traces.jsonl", tmp_path / "some.jsonl", "--shape", "sft")
    assert f"{sum(passed)} rows written" in said
    assert f"{len(passed) - sum(passed)} traces that failed were left out" in said
    said = ok("dataset", "export", run / "traces.jsonl", tmp_path / "all.jsonl", "--shape", "sft", "--all")
    assert f"{len(passed)} rows written" in said
    tasks = ("dataset", "export", tmp_path / "d/tasks/sft.jsonl", tmp_path / "none.jsonl", "--shape", "sft")
    assert "is a task, but the shape `sft` takes traces" in mistake(*tasks)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (("build", "chain_sums", "--out", "d"), "did you mean `chain_sum`"),
        (("build", "chain_sum", "--out", "d", "--shard", "3"), "`--shard` is '3', but must be I/N"),
        (("build", "chain_sum", "--out", "d", "--shard", "3/3"), "between 0 and 2"),
        (("build", "chain_sum", "--out", "d", "--hold-out-domain", "puzzle"), "did you mean `puzzles`"),
        (("info", "nothing"), "holds no data set"),
        (("check", "nothing"), "holds no data set"),
        (("export", "nothing.jsonl", "out.jsonl"), "nothing.jsonl"),
        (("export", "nothing.jsonl", "rl.csv"), "'rl.csv', but must end with .jsonl or .parquet"),
        (
            ("build", "chain_sum", "--out", "d", "--hold-out-family", "maze"),
            "`--hold-out-family` has 'maze', but",
        ),
        (
            ("build", "chain_sum", "--out", "d", "--hold-out-level", "3"),
            "`--hold-out-level` has 3, but nothing",
        ),
        (("build", "chain_sum", "--out", "d", "--hold-out-template", "nosuch"), ", such as activities, "),
        (("merge", "out", "nothing"), "holds no data set"),
    ],
)
def test_mistakes_are_one_line(
    ask: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert says in mistake("dataset", *ask)
