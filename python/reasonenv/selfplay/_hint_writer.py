"""An environment that pays a policy for hints that help a solver without giving the answer away."""

import re
from typing import Any

from reasonenv._native import Family, Task, verify_all
from reasonenv.curriculum import with_text
from reasonenv.selfplay._text_env import TextEnv

LONGEST_HINT = 2_000
"""Longest hint, in characters."""

_INSTRUCTIONS = """\
Someone has to solve this problem:

{prompt}

A right solution:
{solution}

Write a hint that helps to find the solution, in at most {longest} characters. It must not contain the \
answer."""


class HintWriterEnv(TextEnv):
    """Writing hints for a solver; one hint is an episode.

    The observation shows a problem with its solution, the action is the hint. The reward is the solver's pass
    rate with the hint in its prompt minus that without, from -1 to 1. A hint that contains the answer, or an
    answer that passes, is refused, as is one of more than 2,000 characters or none: the reward is then 0. No
    action raises.

    `info` holds, after the step, `failure` ("gives_answer", "too_long", "empty" or ""), `with_hint` and
    `without_hint` (pass rates, None if refused), `task`, and `cost` and `episode_cost`, 1.0 if refused.

    Args:
        family: A task family or its name.
        solver: A policy, as `reasonenv.rollout` takes it.
        attempts: Rollouts of the solver with the hint, and as many without.
        level: Level of the problems.

    Raises:
        ReasonEnvError: An argument is invalid; names it.
    """

    task: Task
    """The latest problem, from the first `reset` on."""

    def __init__(self, family: str | Family[Any], solver: Any, *, attempts: int = 8, level: int = 0) -> None:
        super().__init__(family, solver, attempts, level)

    @property
    def prompt(self) -> str:
        """The request for a hint."""
        steps = "\n".join(f"- {step}" for step in self.task.solution.steps)
        solution = f"{steps}\n{self.task.solution.answer}"
        return _INSTRUCTIONS.format(prompt=self.task.prompt, solution=solution, longest=LONGEST_HINT)

    def _begin(self, draw: int) -> dict[str, Any]:
        self.task = self.family.sample(seed=draw, index=0, level=self.level)
        return {"task": self.task}

    def _paid(self, action: object) -> tuple[float, dict[str, Any]]:
        hint = action.strip() if isinstance(action, str) else ""
        failure = _failure(self.task, hint)
        info = {"failure": failure, "with_hint": None, "without_hint": None, "task": self.task}
        if failure:
            return 0.0, info
        seed = self._draw()
        hinted, plain = (self._rate(task, seed) for task in (with_text(self.task, hint), self.task))
        return hinted - plain, info | {"with_hint": hinted, "without_hint": plain}


def _failure(task: Task, hint: str) -> str:
    """Return why a hint is refused, or ""."""
    if not hint:
        return "empty"
    if len(hint) > LONGEST_HINT:
        return "too_long"
    return "gives_answer" if gives_answer(task, hint) else ""


def gives_answer(task: Task, text: str) -> bool:
    """Return whether a text contains the answer of a task, or any other that passes.

    Words, lines and the whole text are tried as answers, with and without punctuation around them.
    """
    answer = _plain(task.solution.answer)
    if re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", _plain(text)):
        return True
    pieces = [text, *text.splitlines(), *text.split()]
    pieces += [piece.strip(".,:;!?()[]{}\"'`*") for piece in pieces]
    tried = [task.wrap(piece) for piece in dict.fromkeys(pieces) if piece.strip()]
    size = len(tried)
    return bool(verify_all([task.family] * size, [task.problem] * size, tried).passed.any())


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
