"""Inspect AI's contract, checked with fakes of what the module imports."""

import asyncio
import importlib
import json
import tomllib
from functools import partial
from types import SimpleNamespace
from typing import Any

import fakes
import pytest
import reasonenv
from pages import ROOT
from reasonenv.errors import UnknownName


class Value(SimpleNamespace):
    """Whatever is made of keywords."""

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(values=values, **named)


def message(role: str, content: str, **more: Any) -> Any:
    return Value(role=role, content=content, text=content, **more)


def same(function: Any) -> Any:
    return function


FAKE: dict[str, dict[str, Any]] = {
    "inspect_ai": {"Task": Value, "task": same},
    "inspect_ai.dataset": {"MemoryDataset": lambda samples, name: list(samples), "Sample": Value},  # noqa: ARG005
    "inspect_ai.model": {
        f"ChatMessage{kind}": partial(message, kind.lower()) for kind in ("System", "Tool", "User")
    },
    "inspect_ai.tool": {"ToolDef": lambda _, **given: Value(as_tool=lambda: given), "ToolParams": Value},
    "inspect_ai.scorer": {
        **dict.fromkeys(("Score", "Target", "Scorer"), Value),
        **dict.fromkeys(("mean", "stderr"), dict),
        "scorer": lambda metrics: same,  # noqa: ARG005
    },
    "inspect_ai.solver": {
        **dict.fromkeys(("Generate", "Solver", "TaskState"), Value),
        "solver": same,
    },
}


class Store(dict[str, Any]):
    def set(self, key: str, value: Any) -> None:
        self[key] = value


def state(sample: Any) -> Any:
    opening = sample.input if isinstance(sample.input, list) else [message("user", sample.input)]
    target = Value(text=sample.target)
    return Value(store=Store(), output=None, target=target, messages=[*opening], completed=False, tools=[])


def played(task: Any, sample: Any, says: Any, calls: Any = ()) -> Any:
    """Solve and score a sample; `says` is a function of the messages."""

    async def generate(at: Any, tool_calls: str) -> Any:
        assert tool_calls == "none"  # the solver answers them
        made = [Value(id=f"c{i}", function=name, arguments=given) for i, (name, given) in enumerate(calls)]
        used = any(one.role == "tool" for one in at.messages)
        text = says(at.messages)
        if isinstance(text, dict):  # in the form of OpenAI's API
            functions = [(one["id"], one["function"]) for one in text["tool_calls"]]
            made = [
                Value(id=name, function=one["name"], arguments=json.loads(one["arguments"]))
                for name, one in functions
            ]
            text = ""
        said = message("assistant", text, tool_calls=[] if used else made)
        at.messages.append(said)
        at.output = Value(completion=said.text, message=said)
        return at

    done = asyncio.run(task.solver(state(sample), generate))
    return done, asyncio.run(task.scorer(done, Value(text=sample.target)))


def test_samples_are_judged_by_their_targets() -> None:
    with fakes.adapter("inspect", FAKE) as inspect:
        for task in (inspect.tasks("sudoku", n=3, level=1), inspect.tasks("chain_sum, tsp", n=3)):
            for sample in task.dataset:
                of = reasonenv.Task.from_json(sample.target)
                assert (sample.input, sample.id, of.split) == (of.prompt, of.id, "eval")
                right, wrong = (of.wrap(answer) for answer in (of.solution.answer, of.wrong_answers()[0]))
                for said, value in ((right, 1.0), (wrong, 0.0), ("\ud800", 0.0)):
                    _, found = played(task, sample, lambda _, said=said: said)
                    assert (found.value, found.metadata["score"] == 1.0) == (value, value == 1.0)
                assert found.metadata["failures"][0] == "no_answer"


def test_conversations_are_talked_to_their_end() -> None:
    with fakes.adapter("inspect", FAKE) as inspect:
        task = inspect.tasks("chain_sum", n=1, turns="retry", system="Be brief.")
        sample = task.dataset[0]
        right = reasonenv.family("chain_sum").sample(split="eval").solution.answer
        for says, value in ((["99999", right], 1.0), (["99999"] * 3, 0.0)):
            left = iter(says)
            done, found = played(task, sample, lambda _, left=left: f"<answer>{next(left)}</answer>")
            assert (len(done.messages), done.messages[0].role) == (1 + 2 * len(says), "system")
            assert found.value == value
        assert len(inspect.tasks("tic_tac_toe", n=2, opponent="random").dataset) == 2
        with pytest.raises(UnknownName, match="tunrs"):
            inspect.tasks("nim, tsp", tunrs="retry")


def test_calls_of_tools_are_answered_and_observations_have_their_own_role() -> None:
    right = reasonenv.family("chain_sum").sample(split="eval").solution.answer
    with fakes.adapter("inspect", FAKE) as inspect:
        task = inspect.tasks("chain_sum", n=1, turns="tools", protocol="openai")
        calls = [("calculator", {"expression": "1 + 2"})]
        done, found = played(task, task.dataset[0], lambda _: f"<answer>{right}</answer>", calls)
    assert [one["name"] for one in done.tools] == ["calculator", "notebook"]
    assert [one.role for one in done.messages] == ["user", "assistant", "tool", "assistant"]
    assert (done.messages[2].text, done.messages[2].tool_call_id, found.value) == ("3", "c0", 1.0)


def test_the_entry_point_names_the_module() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["inspect_ai"]
    assert told == {"reasonenv": "reasonenv.integrations.inspect"}
    with pytest.raises(ModuleNotFoundError, match=r"needs inspect-ai .* pip install 'reasonenv\[inspect\]'"):
        importlib.import_module(told["reasonenv"])
