"""Levels with few problems: a warning, once, and intervals that count problems instead of items."""

import logging
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import reasonenv
from cli_calls import ok
from reasonenv import _repeats
from reasonenv.data import build_dataset
from reasonenv.rollouts import clustered_interval, evaluate


@pytest.fixture(autouse=True)
def nothing_told_yet() -> Iterator[None]:
    _repeats._warn.cache_clear()
    yield
    _repeats._warn.cache_clear()


def test_a_level_with_few_problems_is_told_once(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    def told() -> list[str]:
        found = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
        caplog.clear()
        return found

    evaluate("sudoku", "oracle", n=20)
    evaluate("sudoku", "oracle", n=200, level=3)
    assert told() == []
    evaluate("sudoku", "oracle", n=200)
    (said,) = told()
    assert said == (
        "`sudoku` has few problems at level 0, so they repeat; from level 3 on, 95 % of 1,000 items differ"
    )
    evaluate("sudoku", "oracle", n=200)
    assert told() == []
    for asks in (
        lambda: evaluate(reasonenv.Mixture(["sudoku"]), "oracle", n=200),
        lambda: build_dataset(tmp_path / "d", "sudoku", 200),
        lambda: gymnasium.make("reasonenv/Sudoku-v1"),
        lambda: ok("generate", "sudoku", "-n", 200, "--out", tmp_path / "tasks.jsonl"),
        lambda: ok("eval", "sudoku", "--policy", "oracle", "-n", 200),
    ):
        _repeats._warn.cache_clear()
        asks()
        assert len(told()) == 1


def test_an_interval_counts_problems_rather_than_items() -> None:
    tasks = reasonenv.family("sudoku").batch(count=400, level=1, split="eval")
    keys = {task.key for task in tasks}
    assert len(keys) < 100
    (row,) = evaluate(tasks, "oracle", n=400)
    assert row.interval == clustered_interval([1] * len(keys), 1)

    lucky = set(sorted(keys)[::2])
    (row,) = evaluate(
        tasks, lambda some, _: [one.wrap(one.solution.answer) * (one.key in lucky) for one in some], n=400
    )
    low, high = row.interval
    alone = 1.96 * np.sqrt(row.pass_rate * (1 - row.pass_rate) / len(keys))
    assert high - low > 1.5 * alone
