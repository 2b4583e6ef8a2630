"""Inspect itself evaluates our tasks, found by their names, with its mock model."""

from pathlib import Path
from typing import Any

import pytest
import reasonenv
from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.model._providers.mockllm import MockLLM
from pages import ROOT, run_page
from parity import KINDS, Played, cases, reference, script
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
    log = scored(inspect.tasks("countdown", n=8, level=1), says, tmp_path)
    (score,) = log.results.scores
    assert score.metrics["mean"].value == 0.5
    assert [sample.id for sample in log.samples] == tasks.ids
    assert log.samples[0].scores["verdict"].metadata["failures"][0] == "no_answer"


def test_conversations_are_scored(tmp_path: Path) -> None:
    right = reasonenv.family("chain_sum").sample(split="eval").solution.answer
    says = ["<answer>99999</answer>", f"<answer>{right}</answer>"]
    log = scored(inspect.tasks("chain_sum", n=1, turns="retry"), says, tmp_path)
    assert log.results.scores[0].metrics["mean"].value == 1.0
    assert [message.role for message in log.samples[0].messages] == ["user", "assistant"] * 2
    lost = scored(inspect.tasks("tic_tac_toe", n=1), ["no move"] * 50, tmp_path)
    assert lost.results.scores[0].metrics["mean"].value == pytest.approx(-0.1)


def test_tasks_are_found_by_their_names(tmp_path: Path) -> None:
    outputs = [ModelOutput.from_content("mockllm/model", "no idea")] * 3
    (log,) = evaluate(
        "reasonenv/tasks",
        task_args={"source": "tsp", "n": 3},
        model=get_model("mockllm/model", custom_outputs=outputs),
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    assert (log.eval.task, log.results.total_samples) == ("reasonenv/tasks", 3)


@pytest.mark.loop
@pytest.mark.parametrize("kind", KINDS)
def test_same_bytes_same_pay(kind: str, tmp_path: Path) -> None:
    found = list(cases(kind))
    waiting, current = [script(row, plain=True) for row in found], list[Any]()

    def answer(messages: Any, *_: Any) -> Any:
        told = [{"role": one.role, "content": one.text} for one in messages]
        if all(one["role"] != "assistant" for one in told):  # samples come one by one, in order
            current[:] = [waiting.pop(0)]
        return ModelOutput.from_content("mockllm/model", current[0](told))

    settings = KINDS[kind] if kind == "game" else {"split": "train"} | KINDS[kind]
    (log,) = evaluate(
        inspect.tasks(n=20, **settings),
        model=get_model("mockllm/model", custom_outputs=answer),
        log_dir=str(tmp_path),
        display="none",
        max_connections=1,
        max_samples=1,
    )
    assert log.status == "success", log.error
    samples = {sample.id: sample for sample in log.samples}
    for row, wanted in zip(found, reference(kind, plain=True), strict=True):
        sample = samples[row["task_id"]]
        told = [{"role": one.role, "content": one.text} for one in sample.messages]
        score = sample.scores["verdict"]
        assert Played.of(told, score.value, score.metadata["is_over"]) == wanted


def test_tools_are_called_in_the_form_of_the_api(tmp_path: Path) -> None:
    right = reasonenv.family("chain_sum").sample(split="eval")
    call = ModelOutput.for_tool_call("mockllm/model", "calculator", {"expression": "6 * 7"})
    answer = ModelOutput.from_content("mockllm/model", right.wrap(right.solution.answer))
    model = get_model("mockllm/model", custom_outputs=[call, answer])
    task = inspect.tasks("chain_sum", n=1, turns="tools", protocol="openai")
    (log,) = evaluate(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    messages = log.samples[0].messages
    assert [one.role for one in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[2].text == "42"
    assert messages[2].tool_call_id == messages[1].tool_calls[0].id
    assert log.results.scores[0].metrics["mean"].value == 1.0


def test_the_page_is_true() -> None:
    run_page(ROOT / "docs/trainers/inspect.md", packages=True)
