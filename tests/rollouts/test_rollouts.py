"""Rollouts: groups of any policy over tasks, logged so that nothing is lost."""

import json
import math
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reasonenv
from reasonenv import curriculum
from reasonenv.data import read_traces
from reasonenv.errors import InvalidArgument
from reasonenv.rewards import advantages
from reasonenv.rollouts import (
    Completion,
    Context,
    InvalidRun,
    Progress,
    Record,
    Sampling,
    Saving,
    evaluate,
    rollout,
)
from reasonenv.rollouts._policies import Probe
from rollout_checks import GAME, plain

ROOT = Path(__file__).parents[2]


def test_groups_are_of_the_tasks_in_order_and_their_arrays_agree() -> None:
    batch = reasonenv.family("countdown").batch(count=10, level=1)
    result = rollout(
        batch, ["noisy:0.5", "oracle"], group_size=4, reward="partial", sampling=Sampling(batch_size=3)
    )
    assert [one.policy for one in result] == ["noisy:0.5"] * 40 + ["oracle"] * 40
    assert [one.task_id for one in result[:40]] == [name for name in batch.ids for _ in range(4)]
    assert [one.rollout for one in result] == [0, 1, 2, 3] * 20
    assert result.rewards.shape == result.passed.shape == result.advantages.shape == (20, 4)
    for group, rewards, passed, gains in zip(
        result.groups, result.rewards, result.passed, result.advantages, strict=True
    ):
        assert [one.reward for one in group] == rewards.tolist()
        assert [one.passed for one in group] == passed.tolist()
        assert [one.advantage for one in group] == gains.tolist()
    assert result.advantages == pytest.approx(advantages(result.rewards))
    verdict = batch[0].verify(result[0].text)
    assert result[0].verdict == verdict.to_dict()
    assert result.summary[0].passed == result.passed[:10].sum()
    assert len(result) == 80
    assert repr(result) == "<Rollouts: 20 groups, 80 rollouts, 0 errors>"


def test_a_line_is_as_the_page_on_records_has_it(tmp_path: Path) -> None:
    result = rollout("chain_sum", "noisy:0.5", n=2, group_size=2, saving=tmp_path)
    page = (ROOT / "docs/records.md").read_text(encoding="utf-8")
    table = page.split("## Record")[1].split("Lines stand")[0]
    said = [
        name
        for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        for name in re.findall("`(\\w+)`", row)
    ]
    assert set(said) == {field.name for field in fields(Record)}
    lines = list(read_traces(tmp_path))
    assert all(line.keys() == set(said) for line in lines)
    assert [Record.from_dict(line).to_dict() for line in lines] == lines
    assert [one.to_dict() for one in Record.load(tmp_path)] == lines
    assert json.loads(json.dumps([one.to_dict() for one in result])) == lines
    for wrong, name in (
        ({"reward": "much"}, "reward"),
        ({"verdict": {}}, "verdict"),
        ({"rollout": 1.5}, "rollout"),
    ):
        with pytest.raises(InvalidRun, match=f"`{name}` is"):
            Record.from_dict(lines[0] | wrong)
    with pytest.raises(InvalidRun, match="`turns` is missing"):
        Record.from_dict({name: value for name, value in lines[0].items() if name != "turns"})


def test_any_source_of_tasks_will_do() -> None:
    family = reasonenv.family("sorting")
    result = rollout(
        {
            "named": "sorting",
            "itself": family,
            "source": family.source(level=2),
            "mixture": reasonenv.Mixture(["sorting", "tsp"]),
            "batch": family.batch(count=3),
            "list": [family.sample(), reasonenv.family("tsp").sample()],
        },
        "oracle",
        n=3,
        group_size=2,
    )
    assert result.passed.all()
    assert Counter(one.source for one in result) == {
        "named": 6, "itself": 6, "source": 6, "mixture": 6, "batch": 6, "list": 4
    }  # fmt: skip
    assert {one.split for one in result} == {"train"}


@pytest.mark.parametrize("size", [1, 3, 100])
def test_batching_changes_no_result(size: int) -> None:
    ask: dict[str, Any] = {"n": 7, "group_size": 3, "level": [0, 1]}
    usual = plain(rollout("sorting", "noisy:0.4", **ask))
    assert plain(rollout("sorting", "noisy:0.4", sampling=Sampling(batch_size=size), **ask)) == usual


def test_evaluating_is_one_case_of_rolling_out(tmp_path: Path) -> None:
    summary = evaluate("sorting", "noisy:0.4", n=6, group_size=3, saving=tmp_path / "a")
    result = rollout("sorting", "noisy:0.4", n=6, group_size=3, split="eval", saving=tmp_path / "b")
    times = {"items_per_second": 0, "verdicts_per_second": 0}
    ours, theirs = ([row.to_dict() | times for row in rows] for rows in (summary, result.summary))
    assert ours == theirs
    assert (tmp_path / "a/config.json").read_text() == (tmp_path / "b/config.json").read_text()
    again = rollout("sorting", "noisy:0.4", n=6, group_size=3, split="eval", saving=tmp_path / "a")
    assert plain(again) == plain(result)


def test_completions_say_more_than_text() -> None:
    def policy(tasks: Sequence[reasonenv.Task], rollout: int) -> list[str | Completion]:
        return [
            Completion(
                task.wrap(task.solution.answer), usage={"completion_tokens": rollout}, truncated=rollout == 1
            )
            for task in tasks
        ]

    one, other = rollout("sorting", policy, n=1, group_size=2)
    assert (one.usage, one.truncated, one.passed) == ({"completion_tokens": 0}, False, True)
    assert (other.usage, other.truncated) == ({"completion_tokens": 1}, True)
    for bad, said in (
        (3, "gave 3, but must give a sequence"),
        ([3], "gave 3 for sorting/.*, but must give text"),
    ):
        with pytest.raises(reasonenv.ReasonEnvError, match=said):
            rollout("sorting", {"p": lambda _tasks, _rollout, bad=bad: bad}, n=1, group_size=1)


def test_the_logger_is_told_of_each_trajectory_once(tmp_path: Path) -> None:
    told: list[Record] = []
    result = rollout(
        "sorting",
        "noisy:0.5",
        n=4,
        group_size=3,
        sampling=Sampling(batch_size=2),
        saving=Saving(logger=told.append, folder=tmp_path),
    )
    assert [one.to_dict() for one in told] == [one.to_dict() for one in result]
    rollout(
        "sorting",
        "noisy:0.5",
        n=4,
        group_size=3,
        sampling=Sampling(batch_size=2),
        saving=Saving(logger=told.append, folder=tmp_path),
    )
    assert len(told) == 12


def test_progress_counts_to_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Progress] = []
    rollout(
        "sorting",
        "oracle",
        n=5,
        group_size=3,
        sampling=Sampling(batch_size=2),
        saving=Saving(on_progress=seen.append, progress=True),
    )
    assert [now.done for now in seen] == [6, 12, 15]
    assert {now.total for now in seen} == {15}
    assert capsys.readouterr().err == "", "no bar where there is no terminal"


def flat(group: Sequence[Record]) -> bool:
    return len({one.reward for one in group}) == 1


@pytest.mark.parametrize("on_flat", ["drop", "resample", "change_level", "hint"])
def test_flat_groups_do_not_come_out(on_flat: Any, tmp_path: Path) -> None:
    ask: dict[str, Any] = {"n": 30, "group_size": 3, "level": 2}
    sampling = Sampling(on_flat=on_flat, max_resamples=3, batch_size=7)
    result = rollout("sorting", "probe:8", sampling=sampling, saving=tmp_path, **ask)
    assert result.groups
    assert not any(flat(group) for group in result.groups)
    assert (np.abs(result.advantages).sum(axis=1) > 0).all()
    written = Record.load(tmp_path)
    groups: dict[str, list[Record]] = {}
    for one in written:
        groups.setdefault(one.group_id, []).append(one)
    assert len(groups) == len(result.groups) + result.dropped
    assert {name for name, group in groups.items() if group[0].dropped} == {
        name for name, group in groups.items() if flat(group)
    }
    kept = [group[0] for group in groups.values() if not group[0].dropped]
    if on_flat == "drop":
        assert len(groups) == 30
    else:
        assert len(kept) > sum(not flat(group) for group in list(groups.values())[:30])
    if on_flat == "change_level":
        assert {one.level for one in kept} > {2}
    if on_flat == "hint":
        shown = [one for one in kept if one.hint]
        assert shown
        assert all(step in one.prompt for one in shown for step in (one.hint or "").splitlines())
    assert plain(rollout("sorting", "probe:8", sampling=replace(sampling, batch_size=30), **ask)) != []
    again = rollout("sorting", "probe:8", sampling=sampling, saving=tmp_path, **ask)
    assert sorted(map(str, plain(again))) == sorted(map(str, plain(result)))


def test_what_dynamic_sampling_cannot_do_is_refused() -> None:
    batch = reasonenv.family("sorting").batch(count=2)
    for ask, said in (
        ({"tasks": batch, "sampling": Sampling(on_flat="resample")}, "a list of tasks has no others"),
        (
            {"tasks": batch, "sampling": Sampling(on_flat="drop"), "group_size": 1},
            "`group_size` is 1, but must be at least 2",
        ),
        ({"tasks": GAME, "sampling": Sampling(on_flat="hint")}, "an environment poses what it poses"),
        ({"tasks": None}, "`tasks` is None"),
        ({"tasks": batch, "sampling": 3}, "`sampling` is 3, but must be a `Sampling`"),
        ({"tasks": GAME, "reward": "partial"}, "`reward` is 'partial', but an environment has its own"),
        ({"tasks": GAME, "level": 2}, "`level` is 2, but an environment has its own; give it there"),
    ):
        with pytest.raises(reasonenv.ReasonEnvError, match=said):
            rollout(policies="oracle", **ask)


@pytest.mark.parametrize(
    ("make", "change", "said"),
    [
        (Sampling, {"on_flat": "dropp"}, "unknown on_flat 'dropp'"),
        (Sampling, {"sigma": "item"}, "unknown sigma 'item'"),
        (Sampling, {"gamma": 2}, "`gamma` is 2"),
        (Sampling, {"batch_size": True}, "`batch_size` is True, but must be a whole number"),
        (Sampling, {"concurrency": 0}, "`concurrency` is 0"),
        (Sampling, {"style": {"wrapper": "\ud800"}}, "`style` has 'wrapper': "),
        (Saving, {"overwrite": "no"}, "`overwrite` is 'no', but must be True or False"),
        (Saving, {"folder": "a\0b"}, r"`folder` is 'a\\x00b', but must be the path"),
        (Saving, {"logger": 3}, "`logger` is 3, but must be a logger's name, a callable"),
        (Saving, {"on_progress": 3}, "`on_progress` is 3, but must be a callable"),
    ],
)
def test_settings_are_checked_when_they_are_made(make: Any, change: dict[str, Any], said: str) -> None:
    with pytest.raises(reasonenv.ReasonEnvError, match=said):
        make(**change)


def test_an_evaluation_leaves_no_group_out() -> None:
    with pytest.raises(InvalidArgument, match="`on_flat` is 'drop', but an evaluation counts every group"):
        evaluate("sorting", sampling=Sampling(on_flat="drop"), group_size=2)


def test_a_probe_passes_as_often_as_its_steps_allow() -> None:
    tasks = [
        reasonenv.family(name).sample(index=i, level=level)
        for name in ("sorting", "chain_sum", "linear_system")
        for level in (0, 2)
        for i in range(3)
    ]
    result = rollout(tasks, "probe:6", group_size=400)
    expected = [(1 - 1 / 6) ** len(task.solution.steps) for task in tasks]
    assert result.passed.mean(axis=1).tolist() == pytest.approx(expected, abs=0.09)
    easier = rollout(tasks, "probe:30", group_size=50).passed.mean()
    assert easier > result.passed.mean() > rollout(tasks, "probe:1", group_size=4).passed.mean() == 0
    assert Probe(6)(tasks, 3) == Probe(6)(tasks[::-1], 3)[::-1]
    with pytest.raises(InvalidArgument, match=r"N is `0.5`, but must be a number of at least 1"):
        rollout(tasks, "probe:0.5")


def test_a_completion_goes_on_from_its_prefix() -> None:
    seen: list[Context] = []

    def policy(contexts: Sequence[Context], rollout: int) -> list[str]:
        seen.extend(contexts)
        tasks = [context.task for context in contexts if context.task is not None]
        return [f"{task.solution.answer if rollout else 0}</answer>" for task in tasks]

    result = rollout("chain_sum", policy, n=3, group_size=4, sampling=Sampling(branch="So it is <answer>"))
    assert result.passed.tolist() == [[False, True, True, True]] * 3
    assert result.values.mean.tolist() == [0.75] * 3
    assert result.values.error == pytest.approx([math.sqrt(0.75 * 0.25 / 3)] * 3)
    assert result[1].text.startswith("So it is <answer>")
    assert result[1].prefix == "So it is <answer>"
    assert [message["role"] for message in seen[0].messages] == ["user", "assistant"]
    assert seen[0].messages[1]["content"] == "So it is <answer>"
    own = rollout(
        "sorting", "oracle", n=2, group_size=1, sampling=Sampling(branch=lambda task: f"{task.family}: ")
    )
    assert [one.prefix for one in own] == ["sorting: "] * 2
    with pytest.raises(reasonenv.ReasonEnvError, match="`branch` gave 3 for sorting"):
        rollout("sorting", "oracle", n=1, sampling=Sampling(branch=lambda _task: 3))


def test_one_name_for_the_function_and_one_for_the_package() -> None:
    assert reasonenv.rollout is rollout
    assert reasonenv.evaluate is evaluate


def test_a_version_that_is_no_number_counts_as_none() -> None:
    versions = {"3": 3, "step-3": 0, 4: 4, None: 0, True: 0, "model=x,temperature=0.7": 0}
    for given, expected in versions.items():
        told: list[int] = []

        class Watch(curriculum.Uniform):
            def _learn(self, assignment: Any, result: Any, told: list[int] = told) -> None:  # noqa: ARG002
                told.append(result.version)

        def policy(tasks: Sequence[Any], _: int) -> list[str]:
            return [""] * len(tasks)

        policy.version = given  # type: ignore[attr-defined]
        rollout(Watch("sorting", rollouts=1), policy, n=2)
        assert told == [expected] * 2, given


def test_a_probe_with_steps_enough_passes_whatever_the_family(family: str) -> None:
    batch = reasonenv.family(family).batch(count=2)
    assert batch.verify(Probe(1e12)(batch, 0)).passed.all()


def test_no_more_is_asked_than_may_be_lost() -> None:
    asked: list[str] = []
    ahead: list[int] = []

    async def eager(context: Context, _: int) -> str:
        asked.append(context.id)
        return ""

    def slow(now: Progress) -> None:
        time.sleep(0.005)
        ahead.append(len(asked) - now.done)

    rollout(
        "sorting",
        eager,
        n=30,
        group_size=1,
        sampling=Sampling(concurrency=3, batch_size=30),
        saving=Saving(on_progress=slow),
    )
    assert len(asked) == 30
    assert 0 < max(ahead) <= 3


def test_a_policy_may_be_a_function_of_a_prompt() -> None:
    def solve(prompt: str) -> str:
        return f"<answer>{len(prompt)}</answer>"

    async def later(prompt: str) -> Completion:
        return Completion(solve(prompt))

    tasks = reasonenv.family("chain_sum").batch(count=6)
    records = list(rollout(tasks, [solve, later], group_size=2))
    assert [one.policy for one in records] == ["solve"] * 12 + ["later"] * 12
    assert [one.passed for one in records[:12]] == [one.passed for one in records[12:]]
    assert {row.policy: row.failed + row.passed for row in evaluate(tasks, [solve, later])} == {
        "solve": 6,
        "later": 6,
    }


def test_a_summary_prints_as_a_table() -> None:
    shown = str(evaluate("chain_sum", ["oracle", "empty"], n=4, level=[1, 2])).splitlines()
    assert shown[0].split() == ["source", "level", "policy", "tasks", "passed", "95%", "interval", "score"]
    assert shown[1].split() == ["chain_sum", "1", "oracle", "4", "100.0", "%", "51.0–100.0", "%", "1.000"]
    assert shown[4].split()[:5] == ["chain_sum", "2", "empty", "4", "0.0"]
    assert len({len(line.rstrip()) for line in shown}) == 1


@pytest.mark.parametrize("run", [rollout, evaluate])
def test_arguments_the_wrong_way_round_are_named(run: Any) -> None:
    def solve(prompt: str) -> str:
        return prompt

    family = reasonenv.family("sudoku")
    for policy in ("oracle", "noisy:0.5", "game:random"):
        with pytest.raises(InvalidArgument, match="which is a policy; the tasks come first"):
            run(policy, "sudoku")
    for tasks in ("sudoku", family, family.source(), family.batch(count=2), "reasonenv/Sudoku-v1"):
        with pytest.raises(InvalidArgument, match="which are tasks; the tasks come first"):
            run(solve, tasks)
