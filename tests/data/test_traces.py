"""Traces: read, filtered, cut into steps and pairs, and exported as trainers read them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pyarrow.parquet as pq
import pytest
import reasonenv
from reasonenv import ReasonEnvError
from reasonenv.data import (
    SHAPES,
    Dataset,
    Roles,
    annotate_difficulty,
    build_dataset,
    critiques,
    export,
    preference_pairs,
    read_traces,
    source_record,
    step_records,
    write_records,
)
from reasonenv.data._export import RESERVED
from reasonenv.errors import InvalidArgument, UnknownName
from reasonenv.integrations import score
from reasonenv.types import SplitName

FAMILY = reasonenv.family("countdown")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    policies = ["noisy:0.5", "noisy:0.9", "empty"]
    reasonenv.evaluate("countdown", policies, n=40, group_size=4, level=1, split="train", saving=folder)
    return folder


@pytest.fixture(scope="module")
def traces(run: Path) -> list[dict[str, Any]]:
    return list(read_traces(run))


def test_traces_are_read_from_runs_files_and_records(run: Path, traces: list[dict[str, Any]]) -> None:
    assert len(traces) == 480
    assert list(read_traces(run / "traces.jsonl")) == list(read_traces(iter(traces))) == traces


def test_a_half_written_last_line_does_not_count_and_a_bad_one_is_named(
    run: Path, traces: list[dict[str, Any]], tmp_path: Path
) -> None:
    data = (run / "traces.jsonl").read_bytes()
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(data[:-20])
    (tmp_path / "prompts.jsonl").write_bytes((run / "prompts.jsonl").read_bytes())
    assert list(read_traces(torn)) == traces[:-1]
    for line, says in (
        (b"{}\n", "line 2: `task_id` is missing"),
        (b"[1]\n", r"line 2: it is \[1\]"),
        (b"{\n", "line 2: not JSON"),
        (json.dumps(traces[0] | {"reward": True}).encode() + b"\n", "line 2: `reward` is True"),
        (json.dumps(traces[0] | {"verdict": {}}).encode() + b"\n", "line 2: `verdict` is {}"),
    ):
        torn.write_bytes(data.splitlines(keepends=True)[0] + line + data)
        with pytest.raises(ReasonEnvError, match=says):
            list(read_traces(torn))
    with pytest.raises(OSError, match=r"none\.jsonl"):
        list(read_traces(tmp_path / "none.jsonl"))


def test_what_nobody_judged_counts_nowhere(traces: list[dict[str, Any]], tmp_path: Path) -> None:
    nothing = dict.fromkeys(("verdict", "reward", "advantage", "final_answer"))
    lost = [trace | nothing for trace in traces]
    good = [trace for trace in traces if trace["policy"] == "noisy:0.5"]
    write_records(tmp_path / "traces.jsonl", [*good, *lost])
    assert list(preference_pairs(tmp_path / "traces.jsonl")) == list(preference_pairs(good))
    assert [*annotate_difficulty([good[0]], tmp_path / "traces.jsonl")] == [
        *annotate_difficulty([good[0]], good)
    ]
    manifest = build_dataset(tmp_path / "d", traces=tmp_path / "traces.jsonl")
    assert manifest["skipped_traces"] == {"that nobody judged": len(lost)}
    assert source_record(lost[0])["verifier"] == {"passed": None, "error": "not judged"}


def test_the_sources_record_has_its_exact_keys(traces: list[dict[str, Any]]) -> None:
    keys = ["task_id", "domain", "difficulty", "prompt", "reasoning", "final_answer"]
    keys += ["verifier", "reward", "failure_type"]
    for trace in traces:
        record = source_record(trace)
        assert list(record) == keys
        assert record["difficulty"] == 1
        assert list(record["verifier"]) == ["passed", "error"]
        assert (record["verifier"]["error"] is None) == record["verifier"]["passed"]
        assert (record["failure_type"] is None) == record["verifier"]["passed"]


def test_difficulty_is_one_less_the_mean_over_policies(traces: list[dict[str, Any]]) -> None:
    tasks = [task.to_dict() for task in FAMILY.batch(count=41, level=1)]
    annotated = list(annotate_difficulty(tasks, traces, ["noisy:0.5", "empty"]))
    for task, record in zip(tasks, annotated, strict=True):
        assert {name: record[name] for name in task} == task
    for record in annotated[:40]:
        passed = sum(
            trace["verdict"]["passed"]
            for trace in traces
            if trace["task_id"] == record["task_id"] and trace["policy"] == "noisy:0.5"
        )
        assert record["pass_rates"] == {"noisy:0.5": passed / 4, "empty": 0.0}
        assert record["probed_difficulty"] == 1 - passed / 8
    assert annotated[40]["probed_difficulty"] is None
    assert annotated[40]["pass_rates"] is None


@pytest.mark.parametrize("per_group", [1, 3])
def test_pairs_come_from_mixed_groups(run: Path, traces: list[dict[str, Any]], per_group: int) -> None:
    pairs = list(preference_pairs(run, per_group=per_group))
    assert pairs == list(preference_pairs(traces, per_group=per_group))
    groups: dict[tuple[str, str], list[bool]] = {}
    for trace in traces:
        groups.setdefault((trace["policy"], trace["group_id"]), []).append(trace["verdict"]["passed"])
    expected = sum(min(sum(group), len(group) - sum(group), per_group) for group in groups.values())
    assert len(pairs) == expected > 0
    by_id = {task.id: task for task in FAMILY.batch(count=40, level=1)}
    for pair in pairs:
        task = by_id[pair["task_id"]]
        assert pair["prompt"] == task.prompt
        assert task.verify(pair["chosen"]).passed
        assert not task.verify(pair["rejected"]).passed


def test_steps_are_contexts_and_what_came_next() -> None:
    trace = {
        "task_id": "t", "prompt": "Q", "text": "a\n\nb\n<answer>c</answer>", "reward": 1.0,
        "verdict": {"passed": True}, "process_scores": [0.5, 0.5, 1],
    }  # fmt: skip
    steps = list(step_records(trace))
    assert [step["action"] for step in steps] == ["a", "b", "<answer>c</answer>"]
    assert [step["context"] for step in steps][::2] == [
        [{"role": "user", "content": "Q"}],
        [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "a\nb"}],
    ]
    assert [step["process_score"] for step in steps] == [0.5, 0.5, 1]
    assert [step["process_reward"] for step in steps] == [0.5, 0, 0.5]
    turns = [{"observation": f"o{i}", "action": f"a{i}", "reward": 0, "info": {}} for i in range(3)]
    steps = list(step_records(trace | {"turns": turns, "process_scores": None}))
    assert [len(step["context"]) for step in steps] == [1, 3, 5]
    assert [step["context"][-1] for step in steps] == [{"role": "user", "content": f"o{i}"} for i in range(3)]
    assert [step["action"] for step in steps] == ["a0", "a1", "a2"]


def test_traces_of_a_data_set_are_those_of_its_training_tasks(tmp_path: Path) -> None:
    build_dataset(tmp_path / "tasks", "countdown", 60, levels=[1], roles=Roles(sft=0.5))
    roles = {
        task.id: role
        for role in ("sft", "rl", "validation")
        for task in Dataset(tmp_path / "tasks").tasks(role, purpose="evaluate")
    }
    for split in get_args(SplitName)[:2]:
        reasonenv.evaluate(
            "countdown", "noisy:0.5", n=70, group_size=4, level=1, split=split, saving=tmp_path / split
        )
    merged = [*read_traces(tmp_path / "train"), *read_traces(tmp_path / "eval")]
    # All the way, with an idle step, and half the way.
    ways = [[0.5, 1], [0.5, 0.5, 1], [0.5]]
    scored = [trace | {"process_scores": ways[i % 3]} for i, trace in enumerate(merged)]
    write_records(tmp_path / "traces.jsonl", scored)
    manifest = build_dataset(
        tmp_path / "d", "countdown", 60, levels=[1], roles=Roles(sft=0.5), traces=tmp_path / "traces.jsonl"
    )
    dataset = Dataset(tmp_path / "d")
    sft = [trace for trace in scored if roles.get(trace["task_id"]) == "sft"]
    passed = [trace for trace in sft if trace["verdict"]["passed"]]
    assert list(dataset.traces("outcome")) == list(dataset.traces("sft")) == passed
    assert list(dataset.traces("process")) == [trace for trace in sft if trace["process_scores"] == ways[0]]
    assert [step["action"] for step in dataset.traces("steps") if step["step"] + 1 == step["steps"]] == [
        [line for line in trace["text"].splitlines() if line.strip()][-1] for trace in passed
    ]
    assert {roles[pair["task_id"]] for pair in dataset.traces("preferences")} == {"sft", "rl"}
    evaluated = sum(roles.get(trace["task_id"]) == "validation" for trace in scored)
    learned = sum(roles.get(trace["task_id"]) == "rl" for trace in scored)
    assert manifest["skipped_traces"]["of role validation"] == evaluated > 0
    assert manifest["skipped_traces"]["of role rl"] == learned
    assert manifest["skipped_traces"]["of unknown tasks"] == len(scored) - len(sft) - learned - evaluated > 0
    assert dataset.check() == ([], None)


def test_traces_alone_are_for_sft_if_they_are_of_the_train_split(run: Path, tmp_path: Path) -> None:
    build_dataset(tmp_path / "d", traces=run)
    assert len(list(Dataset(tmp_path / "d").traces("sft"))) > 20
    other = [trace | {"split": "eval"} for trace in read_traces(run)]
    manifest = build_dataset(tmp_path / "e", traces=other)
    assert not list(Dataset(tmp_path / "e").traces("outcome"))
    assert not list(Dataset(tmp_path / "e").traces("preferences"))
    assert manifest["skipped_traces"] == {"of role validation": 480}


def test_hinted_truncated_and_faulty_traces_are_not_to_be_imitated(
    traces: list[dict[str, Any]], tmp_path: Path
) -> None:
    good = next(trace for trace in traces if trace["verdict"]["passed"])
    given = [good, good | {"hint": "x"}, good | {"truncated": True}]
    build_dataset(tmp_path / "d", traces=given)
    dataset = Dataset(tmp_path / "d")
    assert list(dataset.traces("outcome")) == given
    assert list(dataset.traces("sft")) == [good]


# Exports

TASKS = [task.to_dict() for name in ("countdown", "sudoku", "ascii_tree") for task in
         reasonenv.family(name).batch(seed=2**64 - 1, count=3)]  # fmt: skip


def rows_of(shape: str, traces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if shape in ("sft", "source"):
        return traces
    return list(preference_pairs(traces)) if shape == "preferences" else TASKS


@pytest.mark.parametrize("shape", sorted(SHAPES.keys() - {"divergences", "values", "kto", "prm"}))
def test_parquet_and_json_lines_hold_the_same_rows(
    shape: str, traces: list[dict[str, Any]], tmp_path: Path
) -> None:
    given = rows_of(shape, traces)
    manifest = export(given, tmp_path / "rows.jsonl", shape, everything=True)
    export(given, tmp_path / "rows.parquet", shape, everything=True)
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert rows == pq.read_table(tmp_path / "rows.parquet").to_pylist()
    assert len(rows) == manifest["rows"] == len(given) > 0
    assert json.loads((tmp_path / "rows.jsonl.manifest.json").read_text()) == manifest
    assert manifest["splits"].keys() <= {"train", "None"}
    for row in rows:
        assert not RESERVED & row.keys()


@pytest.mark.parametrize("shape", ["sft", "source"])
def test_tasks_and_answers_that_never_came_are_no_traces_to_export(
    shape: str, traces: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "rows.jsonl"
    with pytest.raises(InvalidArgument, match=r"record 0, countdown/.*, is a task, but the shape"):
        export(TASKS, path, shape)
    assert not path.exists()
    with pytest.raises(InvalidArgument, match=r"record 0, countdown/.*, is a trace, but the shape `trl`"):
        export(traces, path, "trl")
    good = next(trace for trace in traces if trace["verdict"]["passed"])
    failed = next(trace for trace in traces if not trace["verdict"]["passed"])
    error = good | {"verdict": None, "reward": None, "error": "refused", "text": ""}
    given = [good, failed, good | {"truncated": True}, good | {"hint": "x"}, error, error]
    left_out = {"that failed": 1, "that had a hint": 1, "that were cut off": 1} if shape == "sft" else {}
    manifest = export(given, path, shape)
    assert manifest["left_out"] == left_out | {"whose endpoint failed": 2}
    assert manifest["rows"] == len(path.read_text().splitlines()) == (1 if shape == "sft" else 4)
    assert export(given, path, shape, everything=True)["rows"] == 4


def test_seeds_and_judges_survive_arrow(tmp_path: Path) -> None:
    export(TASKS, tmp_path / "rows.parquet", "verl")
    for row, task in zip(pq.read_table(tmp_path / "rows.parquet").to_pylist(), TASKS, strict=True):
        assert int(row["extra_info"]["seed"]) == 2**64 - 1
        reference = json.loads(row["reward_model"]["ground_truth"])
        answer = f"<{task['answer_tag']}>\n{task['solution']['answer']}\n</{task['answer_tag']}>"
        assert reasonenv.verify(reference["family"], reference["problem"], answer).passed
        assert row["prompt"] == [{"role": "user", "content": task["prompt"]}]


def test_rows_for_trl_judge_from_one_column(tmp_path: Path) -> None:
    export(TASKS, tmp_path / "rows.jsonl", "trl")
    for line, task in zip((tmp_path / "rows.jsonl").read_text().splitlines(), TASKS, strict=True):
        answer = f"<{task['answer_tag']}>\n{task['solution']['answer']}\n</{task['answer_tag']}>"
        assert score(answer, json.loads(line)["problem"]).passed


def test_solutions_as_messages_pass(tmp_path: Path) -> None:
    export(TASKS, tmp_path / "rows.jsonl", "solutions")
    for line, task in zip((tmp_path / "rows.jsonl").read_text().splitlines(), TASKS, strict=True):
        _, said = json.loads(line)["messages"]
        assert reasonenv.verify(task["family"], task["problem"], said["content"], "strict").passed


def test_a_column_that_begins_with_nulls_may_hold_numbers_later(tmp_path: Path) -> None:
    posed = [task | {"level": None, "seed": None} for task in TASKS] * 400
    export([*posed, *TASKS], tmp_path / "rows.parquet")
    table = pq.read_table(tmp_path / "rows.parquet")
    assert table["level"].to_pylist()[-3:] == [0, 0, 0]
    assert table["seed"].to_pylist()[-1] == str(2**64 - 1)


def test_training_on_evaluation_splits_is_refused_unless_forced(
    traces: list[dict[str, Any]], tmp_path: Path
) -> None:
    held = FAMILY.sample(split="test").to_dict()
    path = tmp_path / "rows.jsonl"
    for record, shape in (
        (held, "tasks"),
        (traces[0] | {"split": "eval"}, "sft"),
        (held | {"split": None}, "trl"),
    ):
        with pytest.raises(InvalidArgument, match=r"record 1, countdown/v1/.* is of a split to evaluate on"):
            export([TASKS[0] | traces[0], record], path, shape)
        assert not path.exists()
        assert export([record], path, shape, purpose="evaluate", everything=True)["rows"] == 1
        assert export([record], path, shape, force=True)["forced"]
        path.unlink()


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda path: export(TASKS, path, "trls"), UnknownName, "did you mean `trl`"),
        (lambda path: export(TASKS, path, format="csv"), UnknownName, "'jsonl' or 'parquet'"),  # type: ignore[arg-type]
        (lambda path: export(TASKS, path, purpose="test"), UnknownName, "unknown purpose 'test'"),  # type: ignore[arg-type]
        (
            lambda path: export([{"prompt": "x"}], path),
            InvalidArgument,
            "record 0 does not fit the shape `tasks`",
        ),
        (lambda path: export([3], path), InvalidArgument, "record 0 is 3"),  # type: ignore[list-item]
        (lambda path: export([], path, format="parquet"), InvalidArgument, "no records to write"),
        (lambda path: write_records(path, [{"a": {1}}]), InvalidArgument, "record 0 must be plain data"),
        (lambda _: list(read_traces(5)), InvalidArgument, "`traces` is 5"),  # type: ignore[arg-type]
    ],
)
def test_mistakes_are_named(
    call: Callable[[Path], Any], error: type[Exception], says: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=says):
        call(tmp_path / "rows.jsonl")
    assert not (tmp_path / "rows.jsonl").exists()


def test_critiques_say_what_the_verifier_found() -> None:
    rollouts = reasonenv.rollout("sudoku", ["oracle", "noisy:1"], n=5, group_size=2)
    found = list(critiques(one.to_dict() for one in rollouts))
    assert len(found) == 20
    for one, record in zip(found, rollouts, strict=True):
        assert record.verdict is not None
        question, critique = (message["content"] for message in one["messages"])
        assert record.prompt in question
        assert record.text in question
        assert critique.endswith("Verdict: right" if record.passed else "Verdict: wrong")
        assert record.passed or record.verdict["detail"] in critique
        assert one["passed"] == record.passed
    assert {one["passed"] for one in found} == {True, False}
    hinted = [one.to_dict() | {"hint": 0.5} for one in rollouts]
    assert not list(critiques(hinted))
