"""OpenRLHF's contract: lists of one, in a thread, prompts before completions; its executor's calls."""

import asyncio
import importlib
import importlib.util
from typing import Any

import fakes
import pytest
import reasonenv
from reasonenv.errors import InvalidArgument
from reasonenv.integrations import conversation_rows, game_rows, openrlhf, rows


def loaded() -> Any:
    """As OpenRLHF loads it: by the path of its file."""
    spec = importlib.util.spec_from_file_location("reward_func", openrlhf.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.reward_func


def test_lists_of_one_give_numbers_and_longer_ones_lists() -> None:
    reward = loaded()
    tasks = reasonenv.Mixture(["chain_sum", "sudoku"])[0:4]
    given = list(openrlhf.openrlhf_rows(rows(tasks)))
    prompts = [f"<|im_start|>user\n{row['input']}<|im_end|>\n<|im_start|>assistant\n" for row in given]
    labels = [row["label"] for row in given]
    queries = [
        prompt + (task.wrap(task.solution.answer) if at % 2 else "no idea") + "<|im_end|>"
        for at, (prompt, task) in enumerate(zip(prompts, tasks, strict=True))
    ]

    async def one(at: int) -> Any:
        return await asyncio.to_thread(reward, [queries[at]], [prompts[at]], [labels[at]])

    for at in range(4):
        told = asyncio.run(one(at))
        assert told["rewards"] == told["scores"] == float(at % 2)
        assert all(isinstance(value, float) for value in (told["rewards"], *told["extra_logs"].values()))
    assert reward(queries, prompts, labels)["rewards"] == [0.0, 1.0, 0.0, 1.0]


def test_a_prompt_that_was_cut_at_its_beginning_is_found() -> None:
    task = reasonenv.family("sudoku").sample(level=2)
    label, answer = task.to_json(), task.wrap(task.solution.answer)
    for cut in (0, 1, 50, len(task.prompt) - 40):
        told = openrlhf.reward_func([task.prompt[cut:] + answer], [task.prompt], [label])
        assert told["rewards"] == 1.0
    # What the model repeats of the prompt does not hide what it said before.
    hedged = task.prompt + "<answer>1</answer>" + task.prompt[60:] + answer
    assert openrlhf.reward_func([hedged], [task.prompt], [label])["rewards"] == 0.0
    for query in (answer, "", task.prompt[:-1]):
        with pytest.raises(InvalidArgument, match="must have its prompt before the completion"):
            openrlhf.reward_func([query], [task.prompt], [label])
    with pytest.raises(InvalidArgument, match="have 1, 0 and 1 items, but must have as many"):
        openrlhf.reward_func([answer], [], [label])


class MultiTurnAgentExecutor:
    """Calls instances in the order in which OpenRLHF 0.11 does."""

    def __init__(self, instance: Any) -> None:
        self.instance = instance

    async def execute(self, prompt: str, label: str, says: list[str]) -> dict[str, Any]:
        agent = self.instance()
        text = (await agent.reset({"observation": prompt, "label": label}))["observation"]
        total = 0.0
        for said in says:
            told = await agent.step({"observation_text": text, "action_text": said, "label": label})
            total += told["rewards"].item()
            text += said + told["environment_feedback"]
            if told["done"]:
                break
        return {"reward": total, "text": text, **told}


FAKE = {
    "openrlhf.utils.agent": {
        "AgentInstanceBase": object,
        "MultiTurnAgentExecutor": MultiTurnAgentExecutor,
    }
}


def test_an_executor_plays_conversations() -> None:
    row = next(openrlhf.openrlhf_rows(conversation_rows("chain_sum", 1, attempts=3)))
    right = reasonenv.family("chain_sum").sample().solution.answer
    says = ["<answer>99999</answer>", f"<answer>{right}</answer>", "more"]
    with fakes.adapter("openrlhf_agent", FAKE) as module:
        found = asyncio.run(module.executor("[{reply}]")().execute(row["input"], row["label"], says))
        assert (found["reward"], found["scores"].item(), found["done"]) == (1.0, 1.0, True)
        assert found["extra_logs"] == {"passed": 1.0, "turns": 2}
        told = "That is not right (wrong_answer). Try again; attempts left: 2."
        assert found["text"] == row["input"] + says[0] + f"[{told}]" + says[1]
        for game in openrlhf.openrlhf_rows(game_rows("tic_tac_toe", 2)):
            lost = asyncio.run(module.executor()().execute(game["input"], game["label"], ["\0"] * 50))
            assert lost["done"]
            assert lost["reward"] <= 0
            assert "<|im_start|>user\n" in lost["text"]
        with pytest.raises(InvalidArgument, match=r"must have \{reply\} in it"):
            module.executor("User: ")
        with pytest.raises(InvalidArgument, match="before `reset`"):
            asyncio.run(module.ConversationInstance().step({"action_text": ""}))


def test_a_missing_package_is_told() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"needs OpenRLHF .* pip install 'reasonenv\[openrlhf\]'"):
        importlib.import_module("reasonenv.integrations.openrlhf_agent")
