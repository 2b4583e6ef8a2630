"""Inspect AI: named tasks and their scorer. Needs the `inspect` extra.

    inspect eval reasonenv/family -T family=countdown -T level=2 -T n=100 --model openai/gpt-5-mini
    inspect eval reasonenv/mixture -T families=countdown,sudoku -T n=100
    inspect eval reasonenv/conversation -T game=tic_tac_toe -T n=20

The package's entry point `inspect_ai` names this module, so that Inspect finds the tasks in any folder.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from reasonenv._native import InvalidArgument, Mixture
from reasonenv.integrations._conversations import Conversation, conversation_rows, game_rows
from reasonenv.integrations._items import needs, rows, score
from reasonenv.types import ReadingName, SplitName

with needs("inspect", "inspect-ai"):
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageUser
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

__all__ = ["conversation", "dataset", "family", "mixture", "talk", "verdict"]


def dataset(given: Iterable[Mapping[str, Any]], name: str = "reasonenv") -> MemoryDataset:
    """Make a data set from rows: the target is the problem, the metadata names its origin.

    Args:
        given: Rows from `rows`, `game_rows` or `conversation_rows` of `reasonenv.integrations`.
        name: Name of the data set in logs.
    """
    return MemoryDataset(
        [
            Sample(
                input=row["prompt"],
                target=row["problem"],
                id=row["task_id"],
                metadata={key: row[key] for key in ("family", "level", "split", "seed", "index")},
            )
            for row in given
        ],
        name=name,
    )


@scorer(metrics=[mean(), stderr()])
def verdict(reading: ReadingName | None = None, stop_tokens: list[str] | None = None) -> Scorer:
    """Score 1 if a completion passes, else 0, with the reason as the explanation.

    Args:
        reading: Reading of the answers; None uses the default of each family.
        stop_tokens: End-of-turn marks of the model.
    """

    async def judge(state: TaskState, target: Target) -> Score:
        talked: dict[str, Any] | None = state.store.get("reasonenv")
        if talked is not None:
            return Score(
                value=float(talked["passed"]), answer=state.output.completion[:1000], metadata=talked
            )
        found = await asyncio.to_thread(
            score, state.output.completion, target.text, reading, stop_tokens=stop_tokens
        )
        told = {"score": found.score, "failures": list(found.failures), "parts": dict(found.parts)}
        return Score(
            value=float(found.passed), answer=found.answer, explanation=found.detail or None, metadata=told
        )

    return judge


@solver
def talk() -> Solver:
    """Let the model talk until the episode of its sample is over."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        talked = Conversation(state.target.text)
        while not talked.is_over:
            state = await generate(state)
            if state.completed and not state.output.completion:
                break
            reply = await asyncio.to_thread(talked.say, state.output.completion)
            if reply:
                state.messages.append(ChatMessageUser(content=reply))
        passed = talked.is_over and talked.passed
        told = {"reward": talked.reward, "passed": passed, "is_over": talked.is_over}
        state.store.set("reasonenv", told)
        return state

    return solve


@task
def family(
    family: str,
    *,
    n: int = 100,
    level: int = 0,
    split: SplitName = "eval",
    seed: int = 0,
    reading: ReadingName | None = None,
) -> Task:
    """Tasks of one family."""
    made = rows(family, n, level=level, split=split, seed=seed)
    return Task(dataset=dataset(made, family), solver=generate(), scorer=verdict(reading))


@task
def mixture(
    families: str | list[str],
    *,
    n: int = 100,
    level: int = 0,
    split: SplitName = "eval",
    seed: int = 0,
    reading: ReadingName | None = None,
) -> Task:
    """Tasks of several families, equally likely; `families` is a list of names, or one text with commas."""
    names = families.split(",") if isinstance(families, str) else families
    source = Mixture([(name.strip(), level) for name in names], split=split, seed=seed)  # type: ignore[misc]
    return Task(dataset=dataset(rows(source, n), "mixture"), solver=generate(), scorer=verdict(reading))


@task
def conversation(
    *,
    game: str | None = None,
    family: str | None = None,
    n: int = 20,
    level: int = 0,
    split: SplitName = "eval",
    seed: int = 0,
    turns: str = "retry",
    opponent: str | None = None,
) -> Task:
    """Games in text, or tasks of a family in several turns; name one of the two."""
    if (game is None) == (family is None):
        raise InvalidArgument("`game` and `family` are both given or both missing; name one of them")
    if game is not None:
        options: dict[str, Any] = {} if opponent is None else {"opponent": opponent}
        made = game_rows(game, n, seed=seed, **options)
    else:
        made = conversation_rows(str(family), n, turns=turns, level=level, split=split, seed=seed)
    return Task(dataset=dataset(made, str(game or family)), solver=talk(), scorer=verdict())
