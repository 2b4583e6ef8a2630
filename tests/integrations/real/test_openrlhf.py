"""The executors of OpenRLHF itself, around our reward and our agent, with an engine that has a script.

`openrlhf.utils` imports DeepSpeed and CUDA kernels, which this has no use for: its module `agent` is loaded
from the same folder without them.
"""

import asyncio
import importlib.util
import sys
import types
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import reasonenv
from pages import ROOT, run_page
from reasonenv.integrations import conversation_rows, openrlhf, rows

FOUND = importlib.util.find_spec("openrlhf")
assert FOUND is not None
assert FOUND.submodule_search_locations is not None
UTILS = types.ModuleType("openrlhf.utils")
UTILS.__path__ = [str(Path(FOUND.submodule_search_locations[0]) / "utils")]
sys.modules["openrlhf.utils"] = UTILS

from openrlhf.utils.agent import AgentExecutorBase, SingleTurnAgentExecutor  # noqa: E402


class Tokenizer:
    """Characters as tokens."""

    def __call__(self, text: str, **_: Any) -> dict[str, Any]:
        return {"input_ids": np.array([[ord(one) for one in text]], dtype=np.int64)}

    def decode(self, ids: list[int], **_: Any) -> str:
        return "".join(map(chr, ids))


class Engine:
    """Says the next of some texts."""

    def __init__(self, says: list[str]) -> None:
        self.says = iter(says)

    async def generate(self, tokens: list[int], params: Any, **_: Any) -> Any:
        assert tokens
        assert params.max_tokens > 0
        said = next(self.says)
        ids = [ord(one) for one in said]
        return SimpleNamespace(
            outputs=[SimpleNamespace(token_ids=ids, text=said, finish_reason="stop", logprobs=None)]
        )


def run(executor: Any, row: dict[str, str], says: list[str], room: int = 20_000) -> Any:
    params = SimpleNamespace(max_tokens=1000, logprobs=None)
    return asyncio.run(executor.execute(row["input"], row["label"], params, room, Tokenizer(), Engine(says)))


def test_the_reward_function_is_loaded_by_its_path_and_called() -> None:
    executor = SingleTurnAgentExecutor([openrlhf.__file__])
    for task in reasonenv.Mixture(["chain_sum", "sudoku"])[0:4]:
        row = next(openrlhf.openrlhf_rows(rows([task])))
        told = run(executor, row, [task.wrap(task.solution.answer)])
        assert (told["reward"], told["scores"], told["extra_logs"]["pass_rate"]) == (1.0, 1.0, 1.0)
        assert run(executor, row, ["no idea"])["reward"] == 0.0
        room = len(task.prompt) + 960  # the prompt is cut at its beginning
        assert run(executor, row, [task.wrap(task.solution.answer)], room)["reward"] == 1.0


def test_the_executor_of_several_turns_plays_our_agent() -> None:
    from reasonenv.integrations.openrlhf_agent import executor  # noqa: PLC0415

    kind = executor()
    assert issubclass(kind, AgentExecutorBase)
    row = next(openrlhf.openrlhf_rows(conversation_rows("chain_sum", 1)))
    right = reasonenv.family("chain_sum").sample().solution.answer
    told = run(kind(), row, ["<answer>99999</answer>", f"<answer>{right}</answer>"])
    assert (told["reward"], told["scores"].item(), told["extra_logs"]) == (
        1.0,
        1.0,
        {"passed": 1.0, "turns": 2},
    )
    assert len(told["action_ranges"]) == 2
    text = Tokenizer().decode(told["observation_tokens"])
    start, end = told["action_ranges"][1]
    assert text[start:end] == f"<answer>{right}</answer>"


def test_the_page_is_true() -> None:
    run_page(ROOT / "docs/trainers/openrlhf.md", packages=True)
