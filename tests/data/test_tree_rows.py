"""Rows for trainers from search trees."""

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from cli_calls import mistake, ok
from reasonenv.data import export, run_records
from reasonenv.errors import InvalidArgument
from reasonenv.report import write_report
from reasonenv.rollouts import Context, InvalidRun, Sampling, SearchTree, Tree, read_trees, rollout

SHAPES = ["preferences", "divergences", "values", "kto", "prm"]


def reasoner(contexts: Sequence[Context], rollout: int) -> list[str]:
    answers = []
    for context in contexts:
        draw, solution = random.Random(f"{context.id}/{context.turn}/{rollout}"), context.task.solution
        if context.turn >= 2:
            answers.append(f"final answer: {solution.answer if draw.random() < 0.5 else 'none'}")
        else:
            answers.append(
                solution.steps[context.turn] if draw.random() < 0.5 else f"<b> {draw.randrange(9)}"
            )
    return answers


def sums(split: str = "train") -> Any:
    return gymnasium.make("reasonenv/ChainSum-v1", mode="step", level=4, split=split)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "trees"
    rollout(sums, reasoner, n=5, sampling=Sampling(tree=Tree(width=3, budget=20)), saving=folder)
    return folder


@pytest.fixture(scope="module")
def trees(run: Path) -> dict[str, SearchTree]:
    return {tree.group_id: tree for tree in read_trees(run)}


def children(tree: SearchTree, prefix: list[str]) -> dict[str, Any]:
    """Children by action of the node that a prefix leads to."""
    node = tree.root
    for name in prefix:
        node = next(child for child in node.children if child.name == name)
    return {child.name: child for child in node.children}


def test_a_pair_parts_at_one_node_and_the_better_action_is_chosen(
    run: Path, trees: dict[str, SearchTree]
) -> None:
    rows = list(run_records(run, "preferences"))
    assert rows
    for row in rows:
        found = children(trees[row["group_id"]], row["prefix"])
        better, worse = found[row["chosen"]], found[row["rejected"]]
        assert row["margin"] == better.value - worse.value > 0
        assert better.value == max(child.value for child in found.values() if child.visits)
        shown = row["prompt"][-1]["content"]
        assert all(step in shown for step in row["prefix"]), "the prompt is what the policy was asked there"
        assert row["chosen"] not in shown.partition("Scratchpad:")[2].splitlines() or row["prefix"]


def test_after_a_divergence_one_side_passed_and_the_other_never_did(
    run: Path, trees: dict[str, SearchTree]
) -> None:
    rows = list(run_records(run, "divergences"))
    assert rows
    for row in rows:
        found = children(trees[row["group_id"]], row["prefix"])
        assert found[row["chosen"]].passes > 0
        assert found[row["rejected"]].passes == 0 < found[row["rejected"]].verdicts


def test_values_and_labels_are_those_of_the_nodes(run: Path, trees: dict[str, SearchTree]) -> None:
    for row in run_records(run, "values"):
        node = children(trees[row["group_id"]], row["prefix"])[row["action"]]
        assert (row["value"], row["visits"], row["pass_rate"]) == (node.value, node.visits, node.pass_rate)
    for row in run_records(run, "kto"):
        found = children(trees[row["group_id"]], row["prefix"])
        visits = [child.visits for child in found.values()]
        mean = sum(child.value * child.visits for child in found.values() if child.visits) / sum(visits)
        assert row["label"] == (found[row["action"]].value > mean)
    for row in run_records(run, "prm"):
        assert len(row["steps"]) == len(row["labels"])
        assert row["labels"] == sorted(row["labels"], reverse=True), "no path passes once it can't any more"


@pytest.mark.parametrize("shape", SHAPES)
def test_trees_are_exported_by_name(shape: str, run: Path, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    for name in ("rows.jsonl", "rows.parquet"):
        assert "rows written" in ok("dataset", "export", run, tmp_path / name, "--shape", shape)
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert rows == pq.read_table(tmp_path / "rows.parquet").to_pylist()
    for row in rows:
        for name in ("chosen", "rejected", "completion"):
            assert name not in row or [one["role"] for one in row[name]] == ["assistant"]
        assert shape != "prm" or (
            isinstance(row["prompt"], str) and all(type(one) is bool for one in row["labels"])
        )


def test_what_a_run_does_not_have_is_said(run: Path, tmp_path: Path) -> None:
    assert "takes" not in ok("dataset", "export", run, tmp_path / "sft.jsonl", "--shape", "sft")
    assert json.loads((tmp_path / "sft.jsonl").read_text().splitlines()[0])["messages"]
    assert "a run has rollouts and no tasks" in mistake("dataset", "export", run, tmp_path / "x.jsonl")
    with pytest.raises(InvalidArgument, match="`shape` is 'verl', but a run has rollouts"):
        run_records(run, "verl")
    plain = tmp_path / "plain"
    rollout("sorting", "noisy:0.5", n=6, group_size=4, saving=plain)
    assert list(run_records(plain, "preferences"))
    with pytest.raises(InvalidRun, match="holds no trees"):
        list(run_records(plain, "values"))


def test_trees_of_a_split_to_evaluate_on_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "eval"
    tree = Sampling(tree=Tree(width=3, budget=12))
    rollout(lambda: sums("eval"), reasoner, n=3, sampling=tree, saving=folder)
    with pytest.raises(InvalidArgument, match="is of a split to evaluate on"):
        export(run_records(folder, "values"), tmp_path / "rows.jsonl", "values")
    export(run_records(folder, "values"), tmp_path / "rows.jsonl", "values", purpose="evaluate")


def test_games_in_numbers_have_prompts_and_moves_by_name(tmp_path: Path) -> None:
    def board() -> Any:
        return gymnasium.make("reasonenv/ConnectFour-v1", opponent="self")

    tree = Tree(width=None, branch_at="moves", budget=60)
    rollout(board, "game:random", n=1, sampling=Sampling(tree=tree), saving=tmp_path)
    rows = list(run_records(tmp_path, "values"))
    assert rows
    assert all(isinstance(row["action"], str) and not math.isnan(row["value"]) for row in rows)
    assert rows[0]["prompt"][0]["content"].strip()


def test_a_report_draws_its_trees(run: Path, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    page = write_report(run, tmp_path / "report.html").read_text()
    assert page.count('<details class="more tree"') == 2, "a few of each policy"
    assert page.count('class="edge best"') >= 2
    assert "Value along the best path" in page
    assert "&lt;b&gt;" in page
    assert "<b> " not in page
    again = write_report(run, tmp_path / "again.html").read_text()
    assert page == again.replace("again_rollouts", "report_rollouts")
    plain = tmp_path / "plain"
    rollout("sorting", "noisy:0.5", n=2, group_size=2, saving=plain)
    assert 'class="more tree"' not in write_report(plain).read_text()
