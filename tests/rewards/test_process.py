"""Rewards of reasoning steps: what they sum to, and what cannot be farmed."""

from typing import Any, get_args

import numpy as np
import pytest
import reasonenv
from reasonenv.errors import InvalidArgument, UnknownName
from reasonenv.rewards import Process, groups, process_rewards

MEASURES = get_args(Process)


def paid(task: reasonenv.Task, steps: list[str], process: Process) -> list[float]:
    return [round(float(one), 9) for one in process_rewards(task.verify_steps(steps), process)]


def test_measures_pay_their_steps() -> None:
    task = reasonenv.family("chain_sum").sample(level=5)
    own = task.solution.steps
    due, false = len(own), "1 + 1 = 3"
    share = round(1 / due, 9)
    assert paid(task, [own[0], own[0], false], "delta") == [share, 0, 0]
    assert paid(task, [own[0], own[0], false], "progress") == [0, 0, share]
    assert paid(task, [own[0], own[0], false], "mean") == [round(1 / 3, 9), round(1 / 3, 9), 0]
    assert paid(task, [false, own[0], own[1]], "clip") == [0, 0, share]
    assert paid(task, [own[0], false, false, own[1]], "clip") == [share, 0, 0, 0]
    for process in MEASURES:
        assert sum(paid(task, own, process)) == pytest.approx(1)
        assert process_rewards([], process).shape == (0,)


def test_what_pays_to_be_farmed_is_the_mean_alone() -> None:
    for name in reasonenv.list_families():
        task = reasonenv.family(name).sample(level=1)
        try:
            first = task.verify_steps(task.solution.steps[:1])[0]
        except reasonenv.errors.Unsupported:
            continue
        said = task.solution.steps[:1] * 7
        for process in ("progress", "delta", "clip"):
            assert sum(paid(task, said, process)) <= first.progress + 1e-8, name


def test_trying_both_values_of_every_cell_gains_nothing() -> None:
    task = reasonenv.family("nonogram").sample(level=3)
    cells = [step.split(" is ")[0] for step in task.solution.steps]
    tried = [f"{cell} is {state}" for cell in cells for state in ("filled", "empty")]
    assert sum(paid(task, tried, "progress")) == 0
    assert sum(paid(task, tried, "delta")) == pytest.approx(0)
    truths = np.array([one.holds for one in task.verify_steps(tried)])
    wrong_first = ~truths[::2]
    # What is left is the luck of having tried the right value first.
    assert sum(paid(task, tried, "clip")) <= 1 - wrong_first.mean() + 1e-6


def test_scores_of_a_judge_of_ones_own() -> None:
    assert process_rewards([0.25, 0.5, 0.5, 1.0]).tolist() == [0.25, 0.25, 0, 0.5]
    assert process_rewards([0.5, 0.25, 0.75], "clip").tolist() == [0.5, 0, 0]
    assert process_rewards([0.5, 0.0, 0.5] * 9).sum() == 0.5
    assert process_rewards([0.5, 1.0], "mean").tolist() == [0.25, 0.5]


@pytest.mark.parametrize(
    ("steps", "process", "told"),
    [
        ("abc", "delta", "`steps` is 'abc', but must be verdicts on steps"),
        (3, "delta", "`steps` is 3, but must be verdicts on steps"),
        ([2.0], "delta", r"`steps\[0\]` is 2.0, but must be a number"),
        ([0.5, "x"], "delta", r"`steps\[1\]` is 'x'"),
        ([0.5], "sum", "sum"),
    ],
)
def test_bad_input_is_named(steps: Any, process: Any, told: str) -> None:
    with pytest.raises((InvalidArgument, UnknownName), match=told):
        process_rewards(steps, process)


@pytest.mark.parametrize("process", ["delta", "clip"])
def test_padding_lowers_step_advantages(process: Process) -> None:
    task = reasonenv.family("chain_sum").sample(level=5)
    own = task.solution.steps
    others = [own[:2], own]

    def first(said: list[str], process: Process) -> float:
        rewards = [process_rewards(task.verify_steps(steps), process).tolist() for steps in [said, *others]]
        return float(groups.step_advantages(rewards, sigma=None)[0][0])

    plain, padded = own[:1], own[:1] * 7
    assert first(padded, process) < first(plain, process)
    truth = [float(one.holds) for one in task.verify_steps(padded)]
    assert sum(truth) == 7  # truth alone paid each of them
