"""Inspect AI: named tasks and their scorer. Needs the `inspect` extra.

    inspect eval reasonenv/tasks -T source=countdown -T level=2 -T n=100 --model openai/gpt-5-mini
    inspect eval reasonenv/tasks -T source=countdown,sudoku -T turns=retry -T reward=partial
    inspect eval reasonenv/tasks -T source=tic_tac_toe -T n=20

The package's entry point `inspect_ai` names this module, so that Inspect finds the tasks in any folder.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from reasonenv.integrations._conversations import Conversation
from reasonenv.integrations._items import needs
from reasonenv.integrations._setup import Setup, chat
from reasonenv.rewards._presets import RewardLike
from reasonenv.types import ReadingName, SplitName

with needs("inspect", "inspect-ai"):
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageTool, ChatMessageUser
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
    from inspect_ai.tool import ToolDef, ToolParams

__all__ = ["dataset", "talk", "tasks", "verdict"]


def dataset(given: Iterable[Mapping[str, Any]], name: str = "reasonenv") -> MemoryDataset:
    """Make a data set from rows: the target is the problem, the metadata names its origin.

    Args:
        given: Rows from `rows`, `game_rows` or `conversation_rows` of `reasonenv.integrations`.
        name: Name of the data set in logs.
    """
    return MemoryDataset(
        [
            Sample(
                input=_opening(chat(row)),
                target=row["problem"],
                id=row["task_id"],
                metadata={key: row[key] for key in ("family", "level", "split", "seed", "index")},
            )
            for row in given
        ],
        name=name,
    )


def _opening(messages: list[dict[str, str]]) -> Any:
    """The prompt, or messages if there is a system prompt."""
    if len(messages) == 1:
        return messages[0]["content"]
    system, user = (message["content"] for message in messages)
    return [ChatMessageSystem(content=system), ChatMessageUser(content=user)]


@scorer(metrics=[mean(), stderr()])
def verdict(reward: RewardLike | None = None, reading: ReadingName | None = None) -> Scorer:
    """Score the reward of the episode: that of the sample's settings, or another one.

    Args:
        reward: Reward in place of the sample's.
        reading: Reading in place of the sample's.
    """

    async def judge(state: TaskState, target: Target) -> Score:
        def played() -> Conversation:
            talk = Conversation(target.text, reward=reward, reading=reading)
            return talk.replay(said(one) for one in state.messages if one.role == "assistant")

        talk = await asyncio.to_thread(played)
        found = talk.info.get("verdict") or {}
        told = {"passed": talk.is_over and talk.passed, "is_over": talk.is_over, "turns": talk.turns}
        told |= {name: found[name] for name in ("score", "failures", "parts") if name in found}
        answer = found.get("answer", state.output.completion[:1000])
        return Score(value=talk.reward, answer=answer, explanation=found.get("detail") or None, metadata=told)

    return judge


@solver
def talk() -> Solver:
    """Let the model talk, and call tools, until the episode of its sample is over."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        talked = await asyncio.to_thread(Conversation, state.target.text)
        for schema in talked.tool_schemas:
            function = schema["function"]
            state.tools.append(_tool(function["name"], function["description"], function["parameters"]))
        while not talked.is_over:
            state = await generate(state, tool_calls="none")
            if state.completed and not state.output.completion:
                break
            await asyncio.to_thread(talked.say, said(state.output.message))
            for one in talked.replies:
                if one["role"] == "tool":
                    told = {"content": one["content"], "tool_call_id": one["tool_call_id"]}
                    state.messages.append(ChatMessageTool(**told))
                else:
                    state.messages.append(ChatMessageUser(content=one["content"]))
        return state

    return solve


def said(message: Any) -> dict[str, Any]:
    """Return a message of Inspect in the form of OpenAI's API."""
    calls = [
        {"id": one.id, "function": {"name": one.function, "arguments": one.arguments}}
        for one in getattr(message, "tool_calls", None) or ()
    ]
    return {"role": "assistant", "content": message.text, "tool_calls": calls}


def _tool(name: str, description: str, parameters: dict[str, Any]) -> Any:
    """A tool for the model to see; the conversation answers its calls."""

    async def execute(**_: Any) -> str:
        raise NotImplementedError("the solver `talk` answers calls")

    shown = ToolParams(properties=parameters["properties"], required=parameters["required"])
    return ToolDef(execute, name=name, description=description, parameters=shown).as_tool()


@task
def tasks(source: str | list[str], *, n: int = 100, split: SplitName = "eval", **settings: Any) -> Task:
    """Tasks of families or games.

    Args:
        source: A family or several, or a game.
        n: Number of samples.
        split: Split of the families.
        **settings: Other fields of `reasonenv.integrations.Setup`, and options of the environment behind
            `turns`, such as `-T turns=retry -T attempts=2`.
    """
    setup = Setup.of(source, **settings)
    if setup.turns != "game":
        setup = replace(setup, split=split)
    return Task(dataset=dataset(setup.rows(n), setup.name), solver=talk(), scorer=verdict())
