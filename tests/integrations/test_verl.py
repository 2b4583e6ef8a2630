"""verl's contract: one call per sample in a thread, the same keys and one schema for every row."""

import asyncio
import importlib
import inspect
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fakes
import numpy as np
import pyarrow.parquet as pq
import pytest
import reasonenv
from reasonenv.data import export
from reasonenv.errors import InvalidArgument, InvalidTask, UnknownName
from reasonenv.integrations import conversation_rows, game_rows, rows, verl

FIVE = ["data_source", "prompt", "ability", "reward_model", "extra_info"]
TASKS = reasonenv.Mixture(["chain_sum", "sudoku", "tsp"])[0:9]


def judged(row: dict[str, Any], text: str, function: Any, **more: Any) -> Any:
    """As verl's naive reward manager calls it: by keyword, in a thread, with changed `extra_info`."""

    async def call() -> Any:
        extra = row["extra_info"] | {"num_turns": np.int32(2), "rollout_reward_scores": {}}
        loop = asyncio.get_running_loop()
        given = {"data_source": row["data_source"], "ground_truth": row["reward_model"]["ground_truth"]}
        return await loop.run_in_executor(
            None, lambda: function(solution_str=text, extra_info=extra, **given, **more)
        )

    assert not inspect.iscoroutinefunction(function)
    return asyncio.run(call())


def test_it_is_found_by_its_path_and_judges_rows_of_a_file(tmp_path: Path) -> None:
    module = importlib.import_module("pkg://reasonenv.integrations.verl".removeprefix("pkg://"))
    function = getattr(module, "compute_score")  # noqa: B009  as verl does
    count = verl.write_parquet(rows(TASKS), tmp_path / "train.parquet")
    read = pq.read_table(tmp_path / "train.parquet").to_pylist()
    assert count == len(read) == len(TASKS)
    for row, task in zip(read, TASKS, strict=True):
        assert list(row)[:5] == FIVE
        assert row["prompt"] == [{"role": "user", "content": task.prompt}]
        right = judged(row, task.wrap(task.solution.answer), function)
        wrong = judged(row, "<answer>0 0 0</answer>", function)
        assert right == {"score": 1.0, "acc": 1.0, "partial": 1.0, "failure": ""}
        assert (wrong["score"], wrong["acc"], wrong.keys()) == (0.0, 0.0, right.keys())
        assert wrong["failure"]
        assert all(isinstance(value, float | str) for value in wrong.values())


def test_files_of_all_kinds_share_a_schema_and_are_the_same_bytes(tmp_path: Path) -> None:
    own = reasonenv.from_rows([{"question": "2 + 2?", "answer": 4}], verifier="number_equal")
    talks = [game_rows("nim", 2), conversation_rows("chain_sum", 2)]
    sets = [rows(TASKS), rows(own), *talks, rows("tsp", 1, level=3)]
    for at, given in enumerate(sets):
        verl.write_parquet(given, tmp_path / f"{at}.parquet", system="Be brief.")
    assert len({str(pq.read_schema(tmp_path / f"{at}.parquet")) for at in range(len(sets))}) == 1
    agents = [pq.read_table(tmp_path / f"{at}.parquet")["agent_name"][0].as_py() for at in range(len(sets))]
    assert agents == ["single_turn_agent"] * 2 + ["reasonenv"] * 2 + ["single_turn_agent"]
    verl.write_parquet(rows(TASKS), tmp_path / "again.parquet", system="Be brief.")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "0.parquet").read_bytes()


def test_exported_files_are_judged_too(tmp_path: Path) -> None:
    export([task.to_dict() for task in TASKS], tmp_path / "rows.parquet", "verl")
    for row, task in zip(pq.read_table(tmp_path / "rows.parquet").to_pylist(), TASKS, strict=True):
        assert list(row) == FIVE
        assert judged(row, task.wrap(task.solution.answer), verl.compute_score)["acc"] == 1.0


def test_many_are_judged_as_one_by_one() -> None:
    given = list(verl.verl_rows(rows(TASKS)))
    texts = [task.wrap(task.solution.answer) if at % 2 else "<answer>" for at, task in enumerate(TASKS)]
    references = [row["reward_model"]["ground_truth"] for row in given]
    found = verl.compute_scores(
        data_sources=np.array([row["data_source"] for row in given], dtype=object),  # type: ignore[arg-type]
        solution_strs=texts,
        ground_truths=references,
        extra_infos=[{}] * len(given),
        reward="partial",
    )
    assert found == [
        verl.compute_score("", text, reference, reward="partial")
        for text, reference in zip(texts, references, strict=True)
    ]


def test_keywords_of_a_configuration_choose_the_reward() -> None:
    row = next(verl.verl_rows(rows("chain_sum", 1)))
    for reward, paid in (("binary", 0.0), ({"correct": 1.0, "format": 0.25}, 0.25)):
        assert judged(row, "<answer>99999</answer>", verl.compute_score, reward=reward)["score"] == paid
    marked = judged(row, "<answer>0</answer><|mine|>", verl.compute_score, stop_tokens=["<|mine|>"])
    assert marked["failure"] == "wrong_answer"
    with pytest.raises(UnknownName, match="binary"):
        judged(row, "", verl.compute_score, reward="binry")
    for wrong in (object(), ["correct"], {"correct": "much"}):
        with pytest.raises(InvalidArgument, match="must be a n"):
            judged(row, "", verl.compute_score, reward=wrong)
    with pytest.raises(InvalidTask, match="`problem` is '42'"):
        verl.compute_score("openai/gsm8k", "42", "42")


class FakeLoop:
    """A fake of `AgentLoopBase` in verl 0.9, with characters as tokens."""

    def __init__(self, says: list[str], room: int = 100_000) -> None:
        self.says, self.rollout_config = iter(says), SimpleNamespace(response_length=room)
        self.loop, self.server_manager = asyncio.get_running_loop(), self
        self.tokenizer = SimpleNamespace(decode=lambda ids, skip_special_tokens: "".join(map(chr, ids)))  # noqa: ARG005

    async def generate(self, request_id: str, prompt_ids: list[int], **_: Any) -> Any:
        assert request_id
        assert prompt_ids
        ids = [ord(one) for one in next(self.says)]
        return SimpleNamespace(token_ids=ids, log_probs=[-1.0] * len(ids), extra_fields={"step": 3})

    async def ct_build_initial_tokens(self, messages: list[dict[str, Any]]) -> list[int]:
        return [ord(one) for message in messages for one in message["content"]]

    async def ct_merge_assistant_token(
        self,
        tokens: list[int],
        ids: list[int],
        mask: list[int],
        logprobs: list[float],
        *,
        assistant_logprobs: Any,
    ) -> Any:
        merged = SimpleNamespace(token_ids=tokens + ids)
        return merged, mask + [1] * len(ids), logprobs + assistant_logprobs

    async def ct_merge_context_msg(
        self, before: list[Any], after: list[Any], tokens: list[int], mask: list[int], logprobs: list[float]
    ) -> Any:
        assert before == after[:-1]
        ids = [ord(one) for one in after[-1]["content"]]
        return SimpleNamespace(token_ids=tokens + ids), mask + [0] * len(ids), logprobs + [0.0] * len(ids)


def register(name: str) -> Any:
    def named(kind: Any) -> Any:
        kind.name = name
        return kind

    return named


FAKE = {
    "verl.experimental.agent_loop.agent_loop": {
        "AgentLoopBase": FakeLoop,
        "AgentLoopOutput": SimpleNamespace,
        "register": register,
    }
}


def test_an_agent_loop_plays_what_the_row_says() -> None:
    row = next(verl.verl_rows(conversation_rows("chain_sum", 1, attempts=3)))
    right = reasonenv.family("chain_sum").sample().solution.answer
    says = ["<answer>99999</answer>", f"<answer>{right}</answer>"]

    async def play(module: Any, room: int = 100_000) -> Any:
        loop = module.ConversationLoop(says, room)
        assert loop.name == row["agent_name"]
        return await loop.run({}, raw_prompt=row["prompt"], **row)

    with fakes.adapter("verl_agent", FAKE) as module:
        output = asyncio.run(play(module))
        cut = asyncio.run(play(module, room=30))
    assert (output.reward_score, output.num_turns) == (1.0, 4)
    assert "".join(map(chr, output.prompt_ids)) == row["prompt"][0]["content"]
    said = "".join(
        chr(one) for one, mine in zip(output.response_ids, output.response_mask, strict=True) if mine
    )
    assert said == "".join(says)
    assert len(output.response_logprobs) == len(output.response_ids)
    assert output.extra_fields["step"] == 3
    assert (cut.reward_score, len(cut.response_ids), set(cut.response_mask)) == (0.0, 22, {1})


def test_a_missing_verl_is_told() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"needs verl .* pip install 'reasonenv\[verl\]'"):
        importlib.import_module("reasonenv.integrations.verl_agent")


def test_the_reference_gives_nothing_of_other_rows_away() -> None:
    row = next(verl.verl_rows(rows("chain_sum", 1)))
    assert json.loads(row["reward_model"]["ground_truth"])["task_id"] == row["extra_info"]["task_id"]
