"""verl itself loads our reward function by `pkg://`, calls it from its managers, and runs our agent loop."""

import asyncio
from types import SimpleNamespace
from typing import Any

import numpy as np
import reasonenv
import torch
from omegaconf import OmegaConf
from pages import ROOT, run_page
from reasonenv.integrations import conversation_rows, rows, verl
from verl import DataProto
from verl.experimental.agent_loop.agent_loop import _agent_loop_registry
from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
from verl.utils.import_utils import load_module
from verl.workers.reward_manager.batch import BatchRewardManager

from . import tiny


def given(row: dict[str, Any], text: str, tokens: Any) -> Any:
    """One sample as verl hands it to a reward manager."""
    ids = tokens(text, add_special_tokens=False)["input_ids"]
    told = {key: np.array([row[key]], dtype=object) for key in ("data_source", "reward_model", "extra_info")}
    return DataProto.from_dict(
        tensors={
            "prompts": torch.zeros((1, 1), dtype=torch.int64),
            "responses": torch.tensor([ids]),
            "attention_mask": torch.ones((1, 1 + len(ids)), dtype=torch.int64),
        },
        non_tensors=told,
    )


def test_reward_managers_call_what_pkg_loads() -> None:
    tokens = tiny.tokenizer()
    module: Any = load_module("pkg://reasonenv.integrations.verl")
    task = reasonenv.family("sudoku").sample(level=1)
    row = next(verl.verl_rows(rows([task])))

    async def judged(text: str) -> Any:
        manager = NaiveRewardManager(OmegaConf.create({}), tokens, module.compute_score)
        return await manager.run_single(given(row, text, tokens))

    right = asyncio.run(judged(task.wrap(task.solution.answer)))
    wrong = asyncio.run(judged("no idea"))
    assert (right["reward_score"], wrong["reward_score"]) == (1.0, 0.0)
    assert right["reward_extra_info"].keys() == wrong["reward_extra_info"].keys()
    assert wrong["reward_extra_info"]["failure"] == "no_answer"
    batch = BatchRewardManager(tokens, 0, module.compute_scores)
    found = batch(given(row, task.wrap(task.solution.answer), tokens), return_dict=True)
    assert found["reward_tensor"].sum().item() == 1.0
    assert found["reward_extra_info"]["acc"] == [1.0]


class Server:
    """Says the next of some texts, as verl's client of a rollout server does."""

    def __init__(self, tokens: Any, says: list[str]) -> None:
        self.tokens, self.says = tokens, iter(says)

    async def generate(self, **asked: Any) -> Any:
        assert asked["prompt_ids"]
        ids = self.tokens(next(self.says) + "<|im_end|>", add_special_tokens=False)["input_ids"]
        return SimpleNamespace(token_ids=ids, log_probs=[-0.5] * len(ids), extra_fields={})


def test_an_agent_loop_plays_a_conversation() -> None:
    from reasonenv.integrations.verl_agent import ConversationLoop  # noqa: PLC0415

    assert _agent_loop_registry["reasonenv"] == {
        "_target_": f"{ConversationLoop.__module__}.ConversationLoop"
    }
    tokens = tiny.tokenizer()
    row = next(verl.verl_rows(conversation_rows("chain_sum", 1)))
    answer = reasonenv.family("chain_sum").sample().solution.answer
    says = ["<answer>99999</answer>", f"<answer>{answer}</answer>"]
    rollout = {"response_length": 4000, "prompt_length": 4000}
    config = OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}, "data": {}})

    async def play() -> Any:
        loop = ConversationLoop(
            trainer_config=SimpleNamespace(config=config),
            server_manager=Server(tokens, says),
            tokenizer=tokens,
            processor=None,
            dataset_cls=None,
            data_config=SimpleNamespace(config=config.data),
        )
        return await loop.run({}, raw_prompt=row["prompt"], **row)

    output = asyncio.run(play())
    assert (output.reward_score, output.num_turns) == (1.0, 4)
    masked = zip(output.response_ids, output.response_mask, strict=True)
    said = tokens.decode([one for one, mine in masked if mine])
    assert said.replace("<|im_end|>", "") == "".join(says)
    text = tokens.decode(output.prompt_ids + output.response_ids)
    assert text.count("attempts left: 2") == 1
    assert row["prompt"][0]["content"] in text
    assert len(output.response_logprobs) == len(output.response_ids)


def test_the_page_is_true() -> None:
    run_page(ROOT / "docs/trainers/verl.md", packages=True)
