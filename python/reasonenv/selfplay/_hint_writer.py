"""An environment that pays a policy for hints that help a solver without giving the answer away."""

import re
from typing import Any

import gymnasium
from gymnasium.error import ResetNeeded

from reasonenv import _checks
from reasonenv._native import Family, Task, verify_all
from reasonenv.curriculum import with_text
from reasonenv.envs._options import checked_options
from reasonenv.envs._spaces import AnyText, CompletionSpace
from reasonenv.selfplay._proposals import known_family, pass_rate

LONGEST_HINT = 2_000
"""Longest hint, in characters."""

_INSTRUCTIONS = """\
Someone has to solve this problem:

{prompt}

A right solution:
{solution}

Write a hint that helps to find the solution, in at most {longest} characters. It must not contain the \
answer."""


class HintWriterEnv(gymnasium.Env[str, str]):
    """Writing hints for a solver; one hint is an episode.

    The observation shows a problem with its solution, the action is the hint. The reward is the solver's pass
    rate with the hint in its prompt minus that without, from -1 to 1. A hint that contains the answer, or an
    answer that passes, is refused, as is one of more than 2,000 characters or none: the reward is then 0. No
    action raises.

    `info` holds, after the step, `failure` ("gives_answer", "too_long", "empty" or ""), `with_hint` and
    `without_hint` (pass rates, None if refused) and `task`.

    Args:
        family: A task family or its name.
        solver: A policy, as `reasonenv.rollout` takes it.
        attempts: Rollouts of the solver with the hint, and as many without.
        level: Level of the problems.

    Raises:
        ReasonEnvError: An argument is invalid; names it.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012, as Env has it

    def __init__(self, family: str | Family[Any], solver: Any, *, attempts: int = 8, level: int = 0) -> None:
        self.family = known_family(family)
        self.solver = solver
        self.attempts = _checks.whole("attempts", attempts, 1, 10_000)
        self.level = _checks.whole("level", level, 0, self.family.top_level)
        self.task: Task | None = None
        """The problem in play."""
        self.observation_space = AnyText()
        self.action_space = CompletionSpace()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Show another problem."""
        checked_options(options)
        super().reset(seed=seed)
        self.task = self.family.sample(int(self.np_random.integers(2**31)), 0, level=self.level)
        return self._prompt(self.task), {"task": self.task}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Let the solver try the problem with and without the hint, and end the episode.

        Raises:
            ResetNeeded: The episode is over or has not begun.
            ReasonEnvError: The solver answered no request.
        """
        if self.task is None:
            raise ResetNeeded("an episode is one hint; call reset() first")
        task, self.task = self.task, None
        hint = action.strip() if isinstance(action, str) else ""
        failure = _failure(task, hint)
        info: dict[str, Any] = {"failure": failure, "with_hint": None, "without_hint": None, "task": task}
        reward = 0.0
        if not failure:
            seed = int(self.np_random.integers(2**31))
            hinted = pass_rate(self.solver, with_text(task, hint), self.attempts, seed)
            plain = pass_rate(self.solver, task, self.attempts, seed)
            reward = hinted - plain
            info |= {"with_hint": hinted, "without_hint": plain}
        return self._prompt(task), reward, True, False, info

    def _prompt(self, task: Task) -> str:
        steps = "\n".join(f"- {step}" for step in task.solution.steps)
        solution = f"{steps}\n{task.solution.answer}"
        return _INSTRUCTIONS.format(prompt=task.prompt, solution=solution, longest=LONGEST_HINT)


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
