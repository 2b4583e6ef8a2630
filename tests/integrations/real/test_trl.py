"""GRPOTrainer of TRL itself, on a model built in code: steps with our reward, episodes with our tools."""

import copy
import itertools
import json
import random
import re
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import reasonenv
import trl as package
from datasets import Dataset
from drivers import by_trl
from pages import ROOT, run_page
from parity import check
from reasonenv.data import export, run_records
from reasonenv.integrations import Conversation, conversation_rows, game_rows, rows, trl
from reasonenv.rollouts import Sampling, Tree, rollout
from safetensors.torch import load_file
from trl import GRPOConfig, GRPOTrainer

from . import tiny


def config(folder: Path, **more: Any) -> Any:
    usual = {
        "output_dir": str(folder),
        "use_cpu": True,
        "bf16": False,
        "report_to": "none",
        "max_steps": 2,
        "per_device_train_batch_size": 4,
        "num_generations": 4,
        "max_completion_length": 16,
        "logging_steps": 1,
        "save_strategy": "no",
        "learning_rate": 1e-3,
        "gradient_checkpointing": False,
        "disable_tqdm": True,
    }
    return GRPOConfig(**(usual | more))


@pytest.mark.parametrize(("shape", "name"), [("preferences", "DPO"), ("divergences", "DPO"), ("kto", "KTO")])
def test_trainers_of_preferences_take_exported_trees(shape: str, name: str, tmp_path: Path) -> None:
    rollout(
        lambda: gymnasium.make("reasonenv/ChainSum-v1", mode="step", level=4),
        reasoner,
        n=6,
        sampling=Sampling(tree=Tree(width=3, budget=16)),
        saving=tmp_path / "run",
    )
    export(run_records(tmp_path / "run", shape), tmp_path / "rows.jsonl", shape)
    train = Dataset.from_json(str(tmp_path / "rows.jsonl"))
    tokens = tiny.tokenizer()
    model = tiny.model(tokens)
    before = {name: one.detach().clone() for name, one in model.named_parameters()}
    usual = {"use_cpu": True, "bf16": False, "report_to": "none", "max_steps": 1, "save_strategy": "no"}
    usual |= {"per_device_train_batch_size": 4, "learning_rate": 1e-3, "disable_tqdm": True}
    usual |= {"gradient_checkpointing": False}
    args = getattr(package, f"{name}Config")(output_dir=str(tmp_path / "out"), max_length=512, **usual)
    trainer = getattr(package, f"{name}Trainer")(
        model=model,
        ref_model=copy.deepcopy(model),
        args=args,
        train_dataset=train,
        processing_class=tokens,
    )
    trainer.train()
    assert trainer.state.global_step == 1
    after = dict(model.named_parameters())
    assert any((after[name].detach() - old).abs().max() > 0 for name, old in before.items())


def reasoner(contexts: Any, rollout: int) -> list[str]:
    """A policy whose steps are right half of the time."""
    answers = []
    for context in contexts:
        draw, solution = random.Random(f"{context.id}/{context.turn}/{rollout}"), context.task.solution
        if context.turn >= 2:
            answers.append(f"final answer: {solution.answer if draw.random() < 0.5 else 'none'}")
        else:
            answers.append(solution.steps[context.turn] if draw.random() < 0.5 else "Let me see.")
    return answers


def other_reward(completions: list[Any], **_: Any) -> list[float]:
    return [float(len(one[-1]["content"]) % 3) for one in completions]


@pytest.mark.loop("single")
def test_steps_of_grpo_move_the_weights_and_log_what_was_judged(tmp_path: Path) -> None:
    tokens = tiny.tokenizer()
    model = tiny.model(tokens)
    before = model.model.embed_tokens.weight.detach().clone()
    calls: list[dict[str, Any]] = []

    class Told(trl.VerdictReward):
        def __call__(self, completions: Any, **columns: Any) -> list[float | None]:
            calls.append({"completions": completions, **columns})
            return super().__call__(completions, **columns)

    foreign = [{"prompt": [{"role": "user", "content": "2 + 2?"}], "problem": "2 + 2?"}] * 8
    train = trl.dataset(rows(reasonenv.Mixture(["chain_sum", "countdown"]), 16, start=5), system="Be brief.")
    mixed = Dataset.from_list([*train, *foreign])
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokens,
        args=config(tmp_path, max_steps=4, log_completions=True),
        reward_funcs=[Told(), other_reward],
        train_dataset=mixed,
    )
    trainer.train()
    assert trainer.state.global_step == 4
    assert (model.model.embed_tokens.weight.detach() - before).abs().max() > 0
    logged = [entry for entry in trainer.state.log_history if "rewards/reasonenv/mean" in entry]
    assert any(entry.get("reasonenv/pass_rate") == 0.0 for entry in logged)
    for call in calls:
        assert len(call["completions"]) == len(call["problem"]) == 4
        assert len(set(call["problem"])) == 1


def scripted(tokens: Any, script: Any) -> Any:
    """A model that says what a script does of the conversation so far."""

    def generate(prompt_ids: list[list[int]], *_: Any, **__: Any) -> tuple[list[list[int]], None]:
        texts = [tokens.decode(ids) for ids in prompt_ids]
        return [tokens(script(at, text) + "<|im_end|>")["input_ids"] for at, text in enumerate(texts)], None

    return generate


def called(tool: str, **arguments: str) -> str:
    return f"<tool_call>\n{json.dumps({'name': tool, 'arguments': arguments})}\n</tool_call>"


@pytest.mark.loop("retry", "game")
def test_episodes_are_played_by_calls_of_tools(tmp_path: Path) -> None:
    tokens = tiny.tokenizer(tiny.tool_template(Path(package.__file__).parent))
    source = reasonenv.family("chain_sum").source()
    given = [
        *({**row, "environment": "retry"} for row in conversation_rows(source, 4, attempts=3)),
        *({**row, "environment": "game"} for row in game_rows("tic_tac_toe", 4, opponent="random")),
    ]
    answers = {task.prompt: task.solution.answer for task in source[0:4]}
    trainer = GRPOTrainer(
        model=tiny.model(tokens),
        processing_class=tokens,
        args=config(
            tmp_path,
            max_steps=8,
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=4096,
        ),
        train_dataset=trl.dataset(given),
        environment_factory={"retry": trl.RetryEnvironment, "game": trl.GameEnvironment},
    )
    assert {tool.__name__ for tool in trainer.tools} == {"answer", "move"}
    played: set[str] = set()

    def script(at: int, text: str) -> str:
        if "It is over" in text or "nothing more can be done" in text:
            played.add("over")
            return "done"
        right = next((answer for prompt, answer in answers.items() if prompt in text), None)
        if right is not None:
            tried = text.count("Try again")
            return called("answer", answer=right if at % 2 == 0 or tried else "99999")
        free = re.findall(r"Available positions: \[(\d)", text)
        return called("move", move=free[-1])

    trainer._generate_single_turn = scripted(tokens, script)
    trainer.train()
    history = trainer.state.log_history
    paid = [
        entry["rewards/RetryEnvironment/mean"]
        for entry in history
        if "rewards/RetryEnvironment/mean" in entry
    ]
    assert "over" in played
    assert any(entry.get("tools/call_frequency", 0) >= 1 for entry in history)
    assert [value for value in paid if value is not None] == pytest.approx([1.0] * 4)


def test_same_bytes_same_pay() -> None:
    """The transcripts of 100 rollouts, paid by the reward function."""
    assert check(by_trl) == 100


@pytest.mark.loop("tools")
def test_tools_of_rows_are_called_and_the_last_message_is_the_answer(tmp_path: Path) -> None:
    tokens = tiny.tokenizer(tiny.tool_template(Path(package.__file__).parent))
    source = reasonenv.family("chain_sum").source()
    reward = {"correct": 1.0, "cost": 0.25}
    given = list(conversation_rows(source, 4, turns="tools", protocol="openai", reward=reward))
    answers = {task.prompt: task.wrap(task.solution.answer) for task in source[0:4]}
    trainer = GRPOTrainer(
        model=tiny.model(tokens),
        processing_class=tokens,
        args=config(
            tmp_path,
            max_steps=4,
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=4096,
        ),
        train_dataset=trl.dataset(given),
        reward_funcs=trl.VerdictReward(),
        environment_factory=trl.ToolEnvironment,
    )
    assert {tool.__name__ for tool in trainer.tools} == {"calculator", "notebook"}
    seen: list[str] = []

    def script(at: int, text: str) -> str:
        seen.append(text)
        if "<tool_response>" not in text:
            return called("calculator", expression="6 * 7")
        return next(answer for prompt, answer in answers.items() if prompt in text) if at % 2 else "no idea"

    trainer._generate_single_turn = scripted(tokens, script)
    trainer.train()
    assert any("42" in text.rpartition("<tool_response>")[2] for text in seen)
    means = [one["rewards/reasonenv/mean"] for one in trainer.state.log_history if "loss" in one]
    # One rollout of each group is right and the other wrong, and both paid for one call.
    assert means == pytest.approx([0.25] * len(means))


def test_the_page_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MODEL", str(tmp_path / "tiny"))
    tokens = tiny.tokenizer(tiny.tool_template(Path(package.__file__).parent))
    tokens.save_pretrained(tmp_path / "tiny")
    tiny.model(tokens).save_pretrained(tmp_path / "tiny")
    run_page(ROOT / "docs/trainers/trl.md", packages=True)


def test_conversations_begin_as_the_rows_of_a_dataset_say() -> None:
    for row in trl.dataset(game_rows("nim", 3)):
        assert Conversation(row["problem"]).messages == row["prompt"]


def test_the_page_from_nothing_to_grpo_runs_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = run_page(ROOT / "docs/first-grpo.md", packages=True)
    assert names["base"].format_rate == 0.0
    assert names["warm"].format_rate > 0.2
    assert names["grpo"].state.global_step == 4
    saved = [load_file(tmp_path / name / "model.safetensors") for name in ("tiny", "warm", "grpo")]
    for before, after in itertools.pairwise(saved):
        assert any((before[name] - after[name]).abs().max() > 0 for name in before)
