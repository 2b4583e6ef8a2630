"""Warm-up data: worked solutions, and examples in prompts that share no problem with the rows."""

import json
from pathlib import Path

import pytest
import reasonenv
from cli_calls import mistake, ok
from reasonenv.data import export, few_shot, warmup_records
from reasonenv.data._warmup import _distinct
from reasonenv.errors import InvalidArgument


@pytest.mark.parametrize("name", ["chain_sum", "countdown", "sorting", "ascii_tree", "sudoku"])
def test_each_row_shows_a_solution_that_passes(name: str, tmp_path: Path) -> None:
    records = list(warmup_records(name, 20, shots=1))
    assert len({record["key"] for record in records}) == len(records) == 20
    export(records, tmp_path / "warmup.jsonl", "solutions")
    rows = [json.loads(line) for line in (tmp_path / "warmup.jsonl").read_text().splitlines()]
    for record, row in zip(records, rows, strict=True):
        asked, said = row["messages"]
        assert (asked["role"], said["role"]) == ("user", "assistant")
        task = reasonenv.Task.from_json(json.dumps(record))
        assert task.split == "train"
        assert task.verify(said["content"]).passed
        assert asked["content"].endswith("Answer:")
        working = [] if reasonenv.family(name).reading == "clean" else task.solution.steps
        assert all(step in said["content"] for step in working)


def test_examples_share_no_problem_with_rows_nor_with_tasks_to_evaluate_on() -> None:
    source = reasonenv.family("sorting").source(level=0)
    examples = {task.key for task in _distinct(source, 50, "example")}
    assert len(examples) == 50
    assert examples.isdisjoint(record["key"] for record in warmup_records("sorting", 500))
    held_out = reasonenv.family("sorting").batch(count=500, split="eval")
    assert examples.isdisjoint(task.key for task in held_out)


def test_a_wrapper_of_examples_goes_wherever_a_style_goes() -> None:
    wrapper = few_shot("chain_sum", 3, level=1, seed=4)
    assert wrapper == few_shot("chain_sum", 3, level=1, seed=4) != few_shot("chain_sum", 3, level=1)
    tasks = reasonenv.family("chain_sum").batch(count=20, level=1, split="test", style={"wrapper": wrapper})
    plain = reasonenv.family("chain_sum").batch(count=20, level=1, split="test")
    for task, bare in zip(tasks, plain, strict=True):
        assert task.prompt.count("Answer:") == 4
        assert bare.prompt in task.prompt
        assert task.verify(task.wrap(task.solution.answer)).passed


def test_the_command_writes_a_file(tmp_path: Path) -> None:
    out = tmp_path / "warmup.jsonl"
    ask = ("dataset", "build", "chain_sum", "sorting", "-n", 30, "--shape", "sft", "--out", out)
    assert "60 rows written" in ok(*ask, "--shots", 2)
    first = out.read_bytes()
    ok(*ask, "--shots", 2)
    assert out.read_bytes() == first
    assert "`--shape` is `rl`, but must be sft" in mistake(*ask[:-3], "rl", "--out", out)
    assert "`--shots` is 2" in mistake("dataset", "build", "sorting", "--shots", 2, "--out", tmp_path / "d")


def test_bad_arguments_are_named() -> None:
    with pytest.raises(InvalidArgument, match="`shots` is 33"):
        few_shot("chain_sum", 33)
    with pytest.raises(InvalidArgument, match="`style` has a wrapper"):
        list(warmup_records("chain_sum", 3, shots=1, style={"wrapper": "think"}))
