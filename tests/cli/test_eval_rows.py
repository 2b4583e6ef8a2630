"""`reasonenv eval` on rows of the caller and on data sets."""

import json
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from cli_calls import call, mistake, ok, write
from reasonenv import data
from reasonenv._records import read_records

GSM8K = Path(__file__).parents[1] / "data" / "rows" / "gsm8k.jsonl"


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    return write(tmp_path / "sums.jsonl", *({"q": f"{n} + 1?", "a": n + 1} for n in range(40)))


def evaluated(folder: Path, *args: object) -> tuple[dict[str, Any], list[str]]:
    """The row of the summary, and the prompts in order."""
    found = json.loads(ok("eval", *args, "--runs", folder, "--run", "r", "--overwrite", "--json"))
    records = read_records(folder / "r" / "traces.jsonl")
    return found["rows"][0], [record["prompt"] for _, record in records]


def test_rows_are_evaluated_once_each_and_shuffled(sums: Path, tmp_path: Path) -> None:
    asked = (sums, "--verifier", "number_equal", "--question", "q", "--answer", "a", "--policy", "oracle")
    row, prompts = evaluated(tmp_path, *asked)
    assert (row["source"], row["items"], row["distinct"], row["pass_rate"]) == ("sums", 40, 40, 1.0)
    own = reasonenv.from_rows(sums, question="q", answer="a", verifier="number_equal").prompts
    assert sorted(prompts) == sorted(own)
    assert prompts != own
    assert evaluated(tmp_path, *asked, "--in-order", "-n", 5)[1] == own[:5]
    some = evaluated(tmp_path, *asked, "-n", 5)[1]
    assert some == prompts[:5]
    assert some != evaluated(tmp_path, *asked, "-n", 5, "--seed", 1)[1]
    note = call("eval", *asked, "-n", 5).stderr
    assert "5 of 40 rows, drawn by --seed; -n takes more" in note


def test_a_format_is_enough(tmp_path: Path) -> None:
    row, _ = evaluated(tmp_path, GSM8K, "--format", "gsm8k", "--policy", "oracle", "--rollouts", 2)
    assert (row["source"], row["group_size"], row["pass_rate"]) == ("gsm8k", 2, 1.0)


def test_a_role_of_a_data_set_is_evaluated(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    data.build_dataset(folder, ["chain_sum"], n=20)
    row, prompts = evaluated(tmp_path, folder / "validation", "--policy", "oracle")
    tasks = list(data.Dataset(folder).tasks("validation", purpose="evaluate"))
    assert (row["source"], row["pass_rate"]) == ("validation", 1.0)
    assert sorted(prompts) == sorted(task.prompt for task in tasks)


def test_mistakes(sums: Path) -> None:
    policy = ("--policy", "oracle")
    assert "say what checks them" in mistake("eval", sums, *policy)
    assert "`--level` is for families" in mistake("eval", sums, *policy, "--format", "gsm8k", "--level", 2)
    assert "evaluate them apart" in mistake("eval", sums, "sudoku", *policy, "--format", "gsm8k")
    assert "`--format` is for files of rows" in mistake("eval", "sudoku", *policy, "--format", "gsm8k")
    assert "neither a file of rows nor a role" in mistake("eval", "none/validation", *policy)
    told = mistake("eval", "tic_tac_toe", *policy)
    assert "is a game" in told
    assert "reasonenv arena tic_tac_toe" in told
    assert "reasonenv/TicTacToe-v1" in told


def test_token_lines_name_their_level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "counting_policy.py").write_text(
        "from reasonenv.rollouts import Completion\n\n\n"
        "def answer(tasks, rollout):\n"
        "    return [Completion('', usage={'completion_tokens': task.level + 1}) for task in tasks]\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    told = ok("eval", "sorting", "--level", "0-1", "-n", 3, "--policy", "counting_policy:answer")
    assert "sorting 0, answer: 3 completion tokens" in told
    assert "sorting 1, answer: 6 completion tokens" in told
    told = ok("eval", "sorting", "-n", 3, "--policy", "counting_policy:answer")
    assert "sorting, answer: 3 completion tokens" in told
