import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reasonenv
from reasonenv._records import InvalidRun
from reasonenv.data import read_traces
from reasonenv.errors import InvalidTask, UnknownName
from reasonenv.rewards.groups import pass_at_k
from reasonenv.rollouts import (
    Completion,
    Progress,
    Sampling,
    Saving,
    Summary,
    SummaryRow,
    evaluate,
    wilson_interval,
)
from reasonenv.rollouts._policies import Noisy, make_policy, oracle
from reasonenv.rollouts._run import Run
from reasonenv.types import FamilyName

FAMILIES = reasonenv.list_families()
FIRST = FAMILIES[0]
WITH_PARTS: list[FamilyName] = ["ascii_tree", "sudoku"]


def lines(folder: Path) -> list[dict[str, Any]]:
    return list(read_traces(folder))


def without_time(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in record.items() if name != "seconds"} for record in records]


class Counting:
    """Noisy, and knows which tasks it was asked for."""

    name = "counting"

    def __init__(self, limit: int = 10**9) -> None:
        self.asked: list[tuple[str, int]] = []
        self.limit = limit

    def __call__(self, tasks: Sequence[reasonenv.Task], rollout: int) -> list[str]:
        if len(self.asked) >= self.limit:
            raise KeyboardInterrupt
        self.asked += [(task.id, rollout) for task in tasks]
        return Noisy(0.5)(tasks, rollout)


def test_every_family_tells_a_policy_that_knows_from_those_that_do_not(family: FamilyName) -> None:
    summary = evaluate(family, ["oracle", "noisy:1", "empty"], n=20, level=1)
    assert [row.pass_rate for row in summary] == [1.0, 0.0, 0.0]
    right, noisy, empty = summary
    assert right.mean_score == 1.0
    assert right.failures == {}
    assert right.failed_score is None
    assert right.failed_parts == {}
    tasks = reasonenv.family(family).batch(count=20, level=1, split="eval")
    problems = len({task.key for task in tasks})
    assert right.interval == wilson_interval(problems, problems)
    assert noisy.mean_score < 1
    assert sum(noisy.failures.values()) >= 20
    assert empty.failures["no_answer"] == 20
    # A task that is answered as another family's has that family's parts.
    assert set(right.parts) == set(reasonenv.family(family).sample(level=1).verify("").parts)
    assert all(row.items_per_second and row.verdicts_per_second for row in summary)


def test_a_row_says_what_the_rollouts_say() -> None:
    (row,) = evaluate(FIRST, "noisy:0.4", n=50, group_size=4, seed=3)
    policy, batch = (
        make_policy("noisy:0.4", seed=3),
        reasonenv.family(FIRST).batch(seed=3, count=50, split="eval"),
    )
    verdicts = [batch.verify(policy(batch, k)) for k in range(4)]
    counts = np.sum([verdict.passed for verdict in verdicts], axis=0).tolist()
    assert row.passed == sum(counts)
    assert row.pass_rate == pytest.approx(sum(counts) / 200)
    assert row.interval[0] <= row.pass_rate <= row.interval[1]
    assert list(row.pass_at) == [1, 2, 4]
    assert row.pass_at[2] == pytest.approx(sum(pass_at_k(4, c, 2) for c in counts) / 50)
    assert row.all_passed == counts.count(4) / 50
    assert row.all_failed == counts.count(0) / 50
    assert row.mixed_passes == pytest.approx(1 - row.all_passed - row.all_failed)
    assert row.flat_reward == pytest.approx(row.all_passed + row.all_failed)
    labels = [label for verdict in verdicts for failures in verdict.failures for label in failures]
    assert row.failures == {label: labels.count(label) for label in set(labels)}
    assert list(row.failures.values()) == sorted(row.failures.values(), reverse=True)


@pytest.mark.parametrize("name", WITH_PARTS)
def test_parts_are_averaged_over_all_and_over_failures(name: FamilyName) -> None:
    (row,) = evaluate(name, "noisy:0.5", n=40)
    batch = reasonenv.family(name).batch(count=40, split="eval")
    verdicts = batch.verify(make_policy("noisy:0.5")(batch, 0))
    for part, values in verdicts.parts.items():
        assert row.parts[part] == pytest.approx(values.mean(), abs=1e-6)
        assert row.failed_parts[part] == pytest.approx(values[~verdicts.passed].mean(), abs=1e-6)


@pytest.mark.parametrize("name", WITH_PARTS)
def test_shaped_rewards_differ_where_passes_do_not(name: FamilyName) -> None:
    part = next(iter(reasonenv.family(name).parts))
    for reward in ("partial", part):
        (row,) = evaluate(name, "noisy:1", n=40, group_size=4, reward=reward)
        assert row.all_failed == 1
        assert row.mixed_passes == 0
        assert row.mean_reward == pytest.approx(row.mean_score if reward == "partial" else row.parts[part])


def test_a_reward_of_ones_own_is_what_advantages_are_of(tmp_path: Path) -> None:
    def length(task: reasonenv.Task, text: str, verdict: reasonenv.Verdict) -> float:
        return len(text) / len(task.prompt) + verdict.passed

    evaluate(FIRST, "noisy:0.5", n=10, group_size=4, reward=length, saving=tmp_path / "run")
    records = lines(tmp_path / "run")
    assert json.loads((tmp_path / "run/config.json").read_text())["reward"] == "length"
    for record in records:
        passed = record["verdict"]["passed"]
        assert record["reward"] == pytest.approx(len(record["text"]) / len(record["prompt"]) + passed)
    for start in range(0, 40, 4):
        group = records[start : start + 4]
        mean = sum(record["reward"] for record in group) / 4
        assert sum(record["advantage"] for record in group) == pytest.approx(0, abs=1e-6)
        for record in group:
            assert (record["advantage"] > 0) == (record["reward"] > mean + 1e-12)


def test_the_order_of_traces_is_by_task_and_rollout(tmp_path: Path) -> None:
    evaluate(
        FAMILIES[:5], ["oracle", "echo"], n=6, group_size=2, sampling=Sampling(batch_size=4), saving=tmp_path
    )
    records = lines(tmp_path)
    assert len(records) == 5 * 2 * 6 * 2
    assert [(r["policy"], r["rollout"]) for r in records[:16]] == [
        (policy, rollout) for policy in ("oracle", "echo") for _ in range(4) for rollout in range(2)
    ]
    for record in records:
        assert record["group_id"] == record["task_id"]
        assert record["task_id"].startswith(f"{record['family']}/v")
        assert record["terminated"] is True
    right = records[0]
    task = reasonenv.family(FIRST).sample(split="eval")
    assert right["prompt"] == task.prompt
    assert right["final_answer"].strip() == task.solution.answer
    assert right["reasoning"] == ""
    assert right["verdict"] == task.verify(task.wrap(task.solution.answer)).to_dict()
    assert right["reward_parts"] == {"correct": 1.0}
    assert records[8]["verdict"] == task.verify(records[8]["text"]).to_dict()


def test_reasoning_is_what_stands_before_the_answer(tmp_path: Path) -> None:
    def thinking(tasks: Sequence[reasonenv.Task], rollout: int) -> list[str]:
        return [f"Let me see. \n{text}" if rollout else "I give up." for text in oracle(tasks)]

    evaluate(FIRST, thinking, n=1, group_size=2, reading="strict", saving=tmp_path)
    gave_up, thought = lines(tmp_path)
    assert (gave_up["reasoning"], gave_up["final_answer"]) == ("I give up.", None)
    assert thought["reasoning"] == "Let me see."
    assert thought["final_answer"] in thought["text"]
    assert thought["policy"] == "thinking"


def test_a_run_can_be_loaded_and_is_not_run_twice(tmp_path: Path) -> None:
    policy = Counting()
    summary = evaluate(FIRST, policy, n=10, group_size=3, saving=tmp_path / "a/b")
    assert summary.folder == tmp_path / "a/b"
    assert len(policy.asked) == 30
    again = evaluate(FIRST, policy, n=10, group_size=3, saving=tmp_path / "a/b")
    assert len(policy.asked) == 30
    assert again == summary == Summary.load(tmp_path / "a/b")
    assert isinstance(again[0], SummaryRow)
    assert Summary.from_dict(json.loads(json.dumps(summary.to_dict())), tmp_path / "a/b") == summary
    evaluate(FIRST, policy, n=10, group_size=3, saving=Saving(folder=tmp_path / "a/b", overwrite=True))
    assert len(policy.asked) == 60
    assert len(lines(tmp_path / "a/b")) == 30


def test_a_killed_run_loses_at_most_the_line_in_flight(tmp_path: Path) -> None:
    ask: dict[str, Any] = {"n": 12, "group_size": 3, "level": [0, 1], "sampling": Sampling(batch_size=5)}
    evaluate(FIRST, Counting(), saving=tmp_path / "whole", **ask)
    killed = tmp_path / "killed"
    first = Counting(limit=40)
    with pytest.raises(KeyboardInterrupt):
        evaluate(FIRST, first, saving=killed, **ask)
    assert not (killed / "summary.json").exists()
    for name in ("traces.jsonl", "prompts.jsonl", "pending.jsonl"):  # the last lines are torn
        (killed / name).write_bytes((killed / name).read_bytes()[:-20])
    policy = Counting()
    summary = evaluate(FIRST, policy, saving=killed, **ask)
    assert len(policy.asked) == 2 * 12 * 3 - len(first.asked) + 1
    assert sorted(path.name for path in killed.iterdir()) == [
        "config.json",
        "prompts.jsonl",
        "summary.json",
        "traces.jsonl",
    ]
    assert without_time(lines(killed)) == without_time(lines(tmp_path / "whole"))
    whole = Summary.load(tmp_path / "whole")
    for ours, theirs in zip(summary, whole, strict=True):
        rates = {"items_per_second": None, "verdicts_per_second": None}
        assert {**ours.to_dict(), **rates} == {**theirs.to_dict(), **rates}


@pytest.mark.parametrize("torn", [0, 1, 500, 100_000])
def test_a_torn_line_of_any_size_is_dropped(tmp_path: Path, torn: int) -> None:
    with Run(tmp_path, {"n": 1}) as run:
        run.append([{"i": i} for i in range(3)])
    with (tmp_path / "traces.jsonl").open("ab") as traces:
        traces.write(b"{" * torn)
    with Run(tmp_path, {"n": 1}) as run:
        run.append([{"i": 3}])
        assert list(run.records()) == [{"i": i} for i in range(4)]


def test_another_config_in_the_folder_is_an_error_that_names_what_differs(tmp_path: Path) -> None:
    evaluate(FIRST, "oracle", n=2, saving=tmp_path)
    with pytest.raises(InvalidRun, match="`group_size` is 1 there and 2 here; name another folder"):
        evaluate(FIRST, "oracle", n=2, group_size=2, saving=tmp_path)
    with pytest.raises(InvalidRun, match=r"`sources\[0\]\.items` is 2 there and 3 here"):
        evaluate(FIRST, "oracle", n=3, saving=tmp_path)
    assert len(lines(tmp_path)) == 2


def test_a_folder_that_is_no_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_text("mine\n")
    with pytest.raises(InvalidRun, match=r"has traces\.jsonl but no config\.json"):
        Run(tmp_path, {})
    (tmp_path / "config.json").write_text("[1]")
    with pytest.raises(InvalidRun, match="holds no JSON object, so it is not a run's"):
        Run(tmp_path, {})
    assert (tmp_path / "traces.jsonl").read_text() == "mine\n"
    with pytest.raises(reasonenv.ReasonEnvError, match="holds no finished run"):
        Summary.load(tmp_path)


def test_a_broken_line_within_the_traces_is_named(tmp_path: Path) -> None:
    evaluate(FIRST, "oracle", n=3, saving=tmp_path)
    (tmp_path / "summary.json").unlink()
    whole = (tmp_path / "traces.jsonl").read_text().splitlines()
    (tmp_path / "traces.jsonl").write_text("\n".join([whole[0], whole[1][:50], whole[2], ""]))
    with pytest.raises(InvalidRun, match=r"traces\.jsonl, line 2: not JSON"):
        evaluate(FIRST, "oracle", n=3, saving=tmp_path)


def test_sources_come_in_every_form() -> None:
    family = reasonenv.family(FIRST)
    posed = [family.task(family.sample(index=i).problem) for i in range(5)]
    summary = evaluate(
        {
            "by name": FIRST,
            "itself": family,
            "source": family.source(level=2, seed=7),
            "batch": family.batch(count=4, level=1),
            "posed": posed,
        },
        "oracle",
        n=4,
    )
    assert [(row.source, row.level, row.split) for row in summary] == [
        ("by name", 0, "eval"),
        ("itself", 0, "eval"),
        ("source", 2, "train"),
        ("batch", 1, "train"),
        ("posed", None, None),
    ]
    assert all(row.items == 4 and row.pass_rate == 1 for row in summary)
    assert [row.items_per_second is None for row in summary] == [False, False, False, True, True]
    assert len(evaluate(posed, "oracle", n=100).rows) == 1
    assert summary.find(source="batch") == (summary[3],)
    assert summary.find(policy="echo") == ()


def test_policies_come_in_every_form() -> None:
    def mine(tasks: Sequence[reasonenv.Task], _rollout: int) -> list[str]:
        return ["" for _ in tasks]

    summary = evaluate(FIRST, {"a": "oracle", "b": mine}, n=2)
    assert [row.policy for row in summary] == ["a", "b"]
    assert [row.policy for row in evaluate(FIRST, [mine, "echo"], n=2)] == ["mine", "echo"]


def test_levels_are_rows_of_their_own() -> None:
    summary = evaluate(FIRST, ["oracle", "empty"], n=2, level=[0, 3])
    assert [(row.level, row.policy) for row in summary] == list(product([0, 3], ["oracle", "empty"]))
    assert summary.find(level=3, policy="empty") == (summary[3],)


def test_progress_counts_to_the_end() -> None:
    seen: list[Progress] = []
    evaluate(
        FIRST,
        ["oracle", "echo"],
        n=10,
        group_size=2,
        sampling=Sampling(batch_size=4),
        saving=Saving(on_progress=seen.append),
    )
    assert [(now.policy, now.done) for now in seen] == [
        ("oracle", 8),
        ("echo", 16),
        ("oracle", 24),
        ("echo", 32),
        ("oracle", 36),
        ("echo", 40),
    ]
    assert {now.total for now in seen} == {40}


def test_batching_changes_no_result() -> None:
    def result(size: int) -> list[Any]:
        rows = evaluate(
            FIRST, ["noisy:0.4", "best-constant"], n=30, group_size=2, sampling=Sampling(batch_size=size)
        )
        return [{**row.to_dict(), "items_per_second": 0, "verdicts_per_second": 0} for row in rows]

    assert result(7) == result(30) == result(1000)


def give_too_few(tasks: Sequence[reasonenv.Task], _rollout: int) -> list[str]:
    return [""] * (len(tasks) - 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tasks": "nothing"}, "no family `nothing`"),
        ({"tasks": []}, "`tasks` is empty"),
        ({"tasks": [FIRST, FIRST]}, f"2 sources are called `{FIRST}`; name them by giving a mapping"),
        ({"tasks": [[]]}, r"`tasks\[0\]` is \[\], but must be a family or its name"),
        ({"policies": []}, "`policies` is empty"),
        ({"policies": ["oracle", "oracle"]}, "two policies are called `oracle`"),
        ({"policies": "orcale"}, "did you mean `oracle`"),
        ({"policies": give_too_few}, "policy `give_too_few` gave 9 completions for 10 tasks"),
        ({"n": 0}, "`n` is 0, but must be between 1 and 1000000000"),
        ({"group_size": 0}, "`group_size` is 0"),
        ({"reading": "strickt"}, "no reading `strickt`; did you mean `strict`"),
        ({"reward": "corect"}, "no reward `corect`; did you mean `correct`"),
        ({"reward": lambda *_: float("nan")}, "is nan, but must be a finite number"),
        ({"level": 99}, "`level` is 99"),
        ({"split": "evil"}, "no split `evil`"),
    ],
)
def test_mistakes_are_named(change: dict[str, Any], message: str) -> None:
    ask: dict[str, Any] = {"tasks": FIRST, "policies": "oracle", "n": 10} | change
    with pytest.raises(reasonenv.ReasonEnvError, match=message):
        evaluate(**ask)


def test_ids_within_a_source_differ() -> None:
    task = reasonenv.family(FIRST).sample()
    with pytest.raises(InvalidTask, match=f"the id `{task.id}` comes 2 times"):
        evaluate([task, task], "oracle")


def test_a_source_may_have_tasks_of_several_families() -> None:
    mixture = reasonenv.Mixture(FAMILIES[:3], split="eval")
    tasks = [reasonenv.family(name).sample() for name in FAMILIES[:2]]
    part = WITH_PARTS[0]
    rows = evaluate({"mixed": mixture, "listed": tasks}, "oracle", n=30, reward="partial")
    assert [(row.source, row.family, row.version, row.items, row.pass_rate) for row in rows] == [
        ("mixed", "several", None, 30, 1.0),
        ("listed", "several", None, 2, 1.0),
    ]
    name = next(iter(reasonenv.family(part).parts))
    (row,) = evaluate(reasonenv.Mixture([part, "sorting"]), "oracle", n=20, reward=name)
    assert 0 < row.mean_reward < 1
    with pytest.raises(UnknownName, match="mixture: no reward `nothing`"):
        evaluate(reasonenv.Mixture(["sorting"]), "oracle", n=1, reward="nothing")


def test_the_form_of_answers_is_counted_apart_from_their_truth() -> None:
    tasks = reasonenv.family("chain_sum").batch(count=8, split="eval")

    def policy(asked: Any, _rollout: int) -> list[Any]:
        wrong = [task.wrap(task.wrong_answers(seed=0)[0]) for task in asked]
        right = [task.wrap(task.solution.answer) for task in asked]
        texts = [*right[:2], *wrong[2:6], "I don't know.", "<answer>7"]
        return [Completion(text, usage={"prompt_tokens": 5, "completion_tokens": 2}) for text in texts]

    (row,) = evaluate(tasks, policy, group_size=2)
    assert (row.pass_rate, row.format_rate) == (0.25, 0.75)
    assert row.usage == {"prompt_tokens": 80, "completion_tokens": 32}
    assert evaluate(tasks, "oracle")[0].usage == {}
    record = json.loads(json.dumps(row.to_dict()))
    assert SummaryRow.from_dict(record).format_rate == 0.75


def test_distinct_problems_are_counted_by_key() -> None:
    task = reasonenv.family("chain_sum").batch(count=1, split="eval")[0]
    again = [
        reasonenv.Task.from_json(json.dumps(json.loads(task.to_json()) | {"task_id": f"t{i}"}))
        for i in range(3)
    ]
    (row,) = evaluate(again, "oracle")
    assert (row.items, row.distinct) == (3, 1)
