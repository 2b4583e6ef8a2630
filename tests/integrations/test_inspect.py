"""Inspect AI's contract, checked with fakes of what the module imports."""

import asyncio
import importlib
import tomllib
from types import SimpleNamespace
from typing import Any

import fakes
import pytest
import reasonenv
from pages import ROOT
from reasonenv.errors import InvalidArgument


class Value(SimpleNamespace):
    """Whatever is made of keywords."""

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(values=values, **named)


def same(function: Any) -> Any:
    return function


FAKE: dict[str, dict[str, Any]] = {
    "inspect_ai": {"Task": Value, "task": same},
    "inspect_ai.dataset": {"MemoryDataset": lambda samples, name: list(samples), "Sample": Value},  # noqa: ARG005
    "inspect_ai.model": {"ChatMessageUser": Value},
    "inspect_ai.scorer": {
        **dict.fromkeys(("Score", "Target", "Scorer"), Value),
        **dict.fromkeys(("mean", "stderr"), dict),
        "scorer": lambda metrics: same,  # noqa: ARG005
    },
    "inspect_ai.solver": {
        **dict.fromkeys(("Generate", "Solver", "TaskState"), Value),
        "generate": dict,
        "solver": same,
    },
}


class Store(dict[str, Any]):
    def set(self, key: str, value: Any) -> None:
        self[key] = value


def state(sample: Any, said: str = "") -> Any:
    target = Value(text=sample.target)
    return Value(store=Store(), output=Value(completion=said), target=target, messages=[], completed=False)


def test_samples_are_judged_by_their_targets() -> None:
    with fakes.adapter("inspect", FAKE) as inspect:
        for task in (inspect.family("sudoku", n=3, level=1), inspect.mixture("chain_sum, tsp", n=3)):
            for sample in task.dataset:
                of = reasonenv.Task.from_json(sample.target)
                assert (sample.input, sample.id, of.split) == (of.prompt, of.id, "eval")
                right, wrong = (of.wrap(answer) for answer in (of.solution.answer, of.wrong_answers()[0]))
                for said, value in ((right, 1.0), (wrong, 0.0), ("\ud800", 0.0)):
                    found = asyncio.run(task.scorer(state(sample, said), Value(text=sample.target)))
                    assert (found.value, found.metadata["score"] == 1.0) == (value, value == 1.0)
                assert found.metadata["failures"][0] == "no_answer"


def test_conversations_are_talked_to_their_end() -> None:
    with fakes.adapter("inspect", FAKE) as inspect:
        task = inspect.conversation(family="chain_sum", n=1)
        sample = task.dataset[0]
        right = reasonenv.family("chain_sum").sample(split="eval").solution.answer
        for says, value in ((["99999", right], 1.0), (["99999"] * 3, 0.0)):
            left = iter(says)

            async def generate(at: Any, left: Any = left) -> Any:
                at.output = Value(completion=f"<answer>{next(left)}</answer>")
                return at

            done = asyncio.run(task.solver(state(sample), generate))
            assert len(done.messages) == len(says) - 1
            assert asyncio.run(task.scorer(done, Value(text=sample.target))).value == value
        assert len(inspect.conversation(game="tic_tac_toe", n=2, opponent="random").dataset) == 2
        for wrong in ({}, {"game": "nim", "family": "tsp"}):
            with pytest.raises(InvalidArgument, match="name one of them"):
                inspect.conversation(**wrong)


def test_the_entry_point_names_the_module() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["inspect_ai"]
    assert told == {"reasonenv": "reasonenv.integrations.inspect"}
    with pytest.raises(ModuleNotFoundError, match=r"needs inspect-ai .* pip install 'reasonenv\[inspect\]'"):
        importlib.import_module(told["reasonenv"])
