"""verifiers before 0.4 itself: its environment takes our rows, and its rubric uses our verdicts."""

import asyncio
import importlib
from typing import Any

import pytest
import reasonenv
import verifiers
from pages import ROOT
from reasonenv.integrations import Conversation
from reasonenv.integrations.verifiers_v0 import load_environment


def test_the_environment_has_our_rows_and_its_rubric_pays_them() -> None:
    env = load_environment("countdown", n=8, eval_n=4, level=1, seed=2)
    assert isinstance(env, verifiers.MultiTurnEnv)
    tasks = reasonenv.family("countdown").batch(2, 0, 8, level=1)
    rows: Any = env.get_dataset()
    assert len(rows) == 8
    assert len(env.get_eval_dataset()) == 4
    for row, task in zip(rows, tasks, strict=True):
        assert row["prompt"][-1]["content"] == task.prompt
        for text, reward in ((task.wrap(task.solution.answer), 1.0), ("no idea", 0.0)):
            state: Any = verifiers.State(
                input={**row, "example_id": 0},
                completion=[{"role": "assistant", "content": text}],
                prompt=row["prompt"],
                answer=row["answer"],
                task=row["task"],
                info=row["info"],
                trajectory=[{"completion": [{"role": "assistant", "content": text}]}],
                reasonenv=Conversation(row["answer"]),
                timing={"total_ms": 0.0, "scoring_ms": 0.0},
            )
            asyncio.run(env.rubric.score_rollout(state))
            assert state["reward"] == reward
            assert state["metrics"]["passed"] == reward


def test_the_package_of_the_examples_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "verifiers_suite"))
    suite: Any = importlib.import_module("reasonenv_suite")
    env = suite.load_environment(source="sudoku", n=4, eval_n=2)
    assert len(env.get_dataset()) == 4
