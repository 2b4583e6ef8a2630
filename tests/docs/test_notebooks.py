"""The notebook runs from its first cell to its last, with stand-ins for the model and the trainers."""

import json
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from pages import ROOT
from reasonenv.rollouts import _local
from reasonenv.rollouts._local import Generated
from reasonenv.types import SplitName

NOTEBOOK = ROOT / "examples/first_grpo.ipynb"


def cells() -> list[str]:
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]


class Tokenizer:
    chat_template = None

    def __call__(self, text: str, **_: Any) -> dict[str, list[int]]:
        return {"input_ids": [ord(letter) for letter in text]}


class Engine:
    """Answers as well as its folder's file of skill says: "base" never, "warm" one in four, "grpo" always."""

    tokenizer = Tokenizer()
    context = 100_000

    def __init__(self, path: str) -> None:
        file = Path(path) / "skill"
        self.skill = file.read_text() if file.exists() else "base"

    def generate(
        self,
        prompts: Sequence[list[int]],
        settings: Mapping[str, Any],
        seeds: Sequence[int],
        _stopped: Callable[[], bool],
    ) -> list[Generated]:
        assert settings == {"temperature": 0.7, "max_tokens": 48}
        found = []
        for prompt, seed in zip(prompts, seeds, strict=True):
            right = self.skill == "grpo" or (self.skill == "warm" and seed % 4 == 0)
            text = answers("eval")["".join(map(chr, prompt))] if right else "<answer>99</answer>"
            found.append(Generated("I don't know." if self.skill == "base" else text, 9, False))
        return found


@cache
def answers(split: SplitName) -> dict[str, str]:
    """The right answer of each prompt of the notebook's tasks."""
    tasks = reasonenv.family("chain_sum").batch(count=4000, split=split)
    return {task.prompt: task.wrap(task.solution.answer) for task in tasks}


class Trainer:
    """Base of the two trainers: it holds a model, and saves one."""

    def __init__(self, *, model: str, args: Any, train_dataset: Any, **more: Any) -> None:
        self.model, self.args, self.rows, self.more = model, args, train_dataset, more
        self.state = types.SimpleNamespace(log_history=[])

    def save_model(self, folder: str) -> None:
        Path(folder).mkdir(exist_ok=True)
        (Path(folder) / "skill").write_text(folder)


class SFTTrainer(Trainer):
    def train(self) -> None:
        assert len(self.rows) > 40
        for row in self.rows:
            (asked,), (said,) = row["prompt"], row["completion"]
            assert said["content"].endswith(answers("train")[asked["content"]])


class GRPOTrainer(Trainer):
    def train(self) -> None:
        assert self.model == "warm"
        size, group = self.args.per_device_train_batch_size, self.args.num_generations
        assert size % group == 0
        (row, *_), reward = self.rows, self.more["reward_funcs"]
        said = [answers("train")[row["prompt"][0]["content"]]] * 4 + ["no"] * 4
        columns = {name: [value] * 8 for name, value in row.items() if name != "prompt"}
        logged: dict[str, float] = {}
        paid = reward(
            prompts=[row["prompt"]] * 8,
            completions=[[{"role": "assistant", "content": text}] for text in said],
            log_metric=lambda name, value: logged.update({name: value}),
            **columns,
        )
        assert paid == [1.0] * 4 + [0.0] * 4
        self.state.log_history = [logged] * self.args.max_steps


def stub(name: str, **content: Any) -> types.ModuleType:
    module = types.ModuleType(name)
    vars(module).update(content)
    return module


def test_the_first_run_goes_from_start_to_finish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Dataset(list[Any]):
        from_list = classmethod(lambda cls, given: cls(given))

    parts = {
        "SFTConfig": types.SimpleNamespace,
        "GRPOConfig": types.SimpleNamespace,
        "SFTTrainer": SFTTrainer,
        "GRPOTrainer": GRPOTrainer,
    }
    monkeypatch.setitem(sys.modules, "trl", stub("trl", **parts))
    monkeypatch.setitem(sys.modules, "datasets", stub("datasets", Dataset=Dataset))
    monkeypatch.setattr(_local, "_engine", lambda _name, path, _options: Engine(path))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "notebook"}
    for cell in cells():
        exec(compile(cell, NOTEBOOK.name, "exec"), names)
    rates = [names[name].pass_rate for name in ("base", "warm", "after")]
    assert rates[0] == 0 < rates[1] < rates[2] == 1
    assert names["base"].format_rate == 0
    said = capsys.readouterr().out
    assert "grpo: 100% pass, 100% have the right form" in said
    assert "training: 0.50" in said


def test_the_notebook_is_stored_without_results() -> None:
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert content["nbformat"] == 4
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
