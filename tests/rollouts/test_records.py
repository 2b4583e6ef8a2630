"""Records on disk: one format with a version, whose prompts are stored once."""

import json
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from reasonenv import ReasonEnvError, _records
from reasonenv._cli import app
from reasonenv._records import VERSION, Prompts, Record, new_record
from reasonenv.data import export, preference_pairs, read_traces
from reasonenv.report import write_report
from reasonenv.rollouts import InvalidRun, Run, rollout
from typer.testing import CliRunner


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    rollout(["sorting", "sudoku"], ["noisy:0.5", "echo"], n=6, group_size=4, saving=folder)
    return folder


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_prompt_is_stored_once_and_every_reader_gives_it_back(run: Path, tmp_path: Path) -> None:
    prompts = {line["task_id"]: line["prompt"] for line in lines(run / "prompts.jsonl")}
    traces = lines(run / "traces.jsonl")
    assert len(lines(run / "prompts.jsonl")) == len(prompts) == 12
    assert len(traces) == 96
    assert not any("prompt" in line for line in traces)
    for name in ("sorting", "sudoku"):
        for task in reasonenv.family(name).source(split="train").batch(0, 6):
            assert prompts[task.id] == task.prompt
    whole = [record["prompt"] for record in read_traces(run)]
    assert whole == [prompts[line["task_id"]] for line in traces]
    assert [one.prompt for one in Record.load(run)] == whole
    assert [
        record["prompt"] for record in Run(run, json.loads((run / "config.json").read_text())).records()
    ] == whole
    assert all(prompts[pair["task_id"]] == pair["prompt"] for pair in preference_pairs(run))
    assert prompts[traces[0]["task_id"]][:30] in write_report(run, tmp_path / "page.html").read_text()
    told = CliRunner().invoke(
        app, ["dataset", "export", f"{run}/traces.jsonl", f"{tmp_path}/out.jsonl", "--shape", "sft"]
    )
    assert told.exit_code == 0, told.output
    export(read_traces(run), tmp_path / "again.jsonl", "sft")
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "again.jsonl").read_bytes()


def test_records_have_all_fields_in_order_wherever_they_are_made(run: Path, tmp_path: Path) -> None:
    names = list(new_record())
    assert names[0] == "v"
    game = rollout("reasonenv/TicTacToe-v1", "game:random", n=2, group_size=1, saving=tmp_path / "game")
    for one in [*rollout("sorting", "oracle", n=2), *game]:
        assert list(one.to_dict()) == names
    for line in lines(run / "traces.jsonl") + lines(tmp_path / "game/traces.jsonl"):
        assert list(line) == [name for name in names if name != "prompt"]
        assert line["v"] == VERSION


def test_a_prompt_unlike_the_one_stored_stays_in_its_record(tmp_path: Path) -> None:
    given = [{"task_id": "a", "prompt": text, "n": n} for n, text in enumerate(["one", "", "one"])]
    with Run(tmp_path, {}) as run:
        run.append(given[:2])
        run.append(given[2:])
        assert list(run.records()) == given
    assert [line.get("prompt") for line in lines(tmp_path / "traces.jsonl")] == [None, "", None]
    assert lines(tmp_path / "prompts.jsonl") == [{"v": VERSION, "task_id": "a", "prompt": "one"}]


def test_prompts_are_found_in_any_order_and_as_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_records, "_RECENT", 3)
    path = tmp_path / "prompts.jsonl"
    prompts = Prompts(path)
    assert prompts.find("0") is None
    with path.open("w") as file:
        for n in range(40):
            file.write(json.dumps({"task_id": str(n), "prompt": f"prompt {n}"}) + "\n")
            file.flush()
            if n % 7 == 0:
                assert prompts.find(str(n)) == f"prompt {n}"
    assert [prompts.find(str(n)) for n in reversed(range(40))] == [f"prompt {n}" for n in reversed(range(40))]
    assert prompts.find("40") is None


def test_records_of_a_later_version_are_refused(run: Path) -> None:
    record = next(read_traces(run)) | {"v": VERSION + 1}
    with pytest.raises(InvalidRun, match=f"`v` is {VERSION + 1}, but this reasonenv reads records up to"):
        Record.from_dict(record)
    with pytest.raises(ReasonEnvError, match="record 0: `v` is"):
        list(read_traces([record]))


def test_traces_without_their_prompts_say_which_file_is_missing(run: Path, tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_bytes((run / "traces.jsonl").read_bytes())
    with pytest.raises(
        InvalidRun, match=r"traces\.jsonl, line 1: `prompt` is missing, and prompts\.jsonl beside"
    ):
        list(read_traces(tmp_path))
    (tmp_path / "prompts.jsonl").write_text('{"task_id": 3}\n')
    with pytest.raises(InvalidRun, match=r"prompts\.jsonl, line 1: it must have a `task_id` and a `prompt`"):
        list(read_traces(tmp_path))
