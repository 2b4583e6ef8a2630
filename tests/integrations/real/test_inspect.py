"""Inspect itself evaluates our tasks, found by their names, with its mock model."""

from pathlib import Path
from typing import Any

import pytest
import reasonenv
from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.model._providers.mockllm import MockLLM
from pages import ROOT, run_page
from reasonenv.integrations import inspect


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mock model would fetch a tokenizer to count with."""

    async def count(self: Any, text: str) -> int:  # noqa: ARG001
        return len(text) // 4

    monkeypatch.setattr(MockLLM, "count_text_tokens", count)


def scored(task: Any, says: list[str], folder: Path) -> Any:
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in says]
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = evaluate(
        task, model=model, log_dir=str(folder), display="none", max_connections=1, max_samples=1
    )
    assert log.status == "success", log.error
    return log


def test_items_are_scored(tmp_path: Path) -> None:
    tasks = reasonenv.family("countdown").batch(count=8, level=1, split="eval")
    says = [task.wrap(task.solution.answer) if at % 2 else "no idea" for at, task in enumerate(tasks)]
    log = scored(inspect.family("countdown", n=8, level=1), says, tmp_path)
    (score,) = log.results.scores
    assert score.metrics["mean"].value == 0.5
    assert [sample.id for sample in log.samples] == tasks.ids
    assert log.samples[0].scores["verdict"].metadata["failures"][0] == "no_answer"


def test_conversations_are_scored(tmp_path: Path) -> None:
    right = reasonenv.family("chain_sum").sample(split="eval").solution.answer
    says = ["<answer>99999</answer>", f"<answer>{right}</answer>"]
    log = scored(inspect.conversation(family="chain_sum", n=1), says, tmp_path)
    assert log.results.scores[0].metrics["mean"].value == 1.0
    assert [message.role for message in log.samples[0].messages] == ["user", "assistant"] * 2
    lost = scored(inspect.conversation(game="tic_tac_toe", n=1), ["no move"] * 50, tmp_path)
    assert lost.results.scores[0].metrics["mean"].value == 0.0


def test_tasks_are_found_by_their_names(tmp_path: Path) -> None:
    outputs = [ModelOutput.from_content("mockllm/model", "no idea")] * 3
    (log,) = evaluate(
        "reasonenv/family",
        task_args={"family": "tsp", "n": 3},
        model=get_model("mockllm/model", custom_outputs=outputs),
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    assert (log.eval.task, log.results.total_samples) == ("reasonenv/family", 3)


def test_the_page_is_true() -> None:
    run_page(ROOT / "docs/trainers/inspect.md", packages=True)
