"""An environment that pays a policy for posing problems of the right difficulty."""

from collections import deque
from typing import Any

import gymnasium
from gymnasium.error import ResetNeeded

from reasonenv import _checks
from reasonenv._native import Family, Task
from reasonenv.envs._options import checked_options
from reasonenv.envs._spaces import AnyText, CompletionSpace
from reasonenv.selfplay._proposals import Examiner, Proposal, as_band, known_family, nearness, pass_rate

_MOST_KEPT = 10_000

_INSTRUCTIONS = """\
Write a new problem of the kind "{title}": {summary}.

A problem is a JSON object. Here are {count}:
{examples}

The problem must be new, correct and solvable, and neither too easy nor too hard: a solver should get it \
right about half of the time. Write one JSON object between <problem> and </problem>."""


class ProposerEnv(gymnasium.Env[str, str]):
    """Proposing problems for a solver, which `attempts` each of them; one proposal is an episode.

    The observation asks for a problem and shows examples; the action is text with one JSON object in
    `<problem>` tags, or nothing else. The problem is checked and certified in counted steps. The reward is 0
    if it is refused, for one of `PROPOSAL_FAILURES`; otherwise it is 1 if the solver's pass rate is in the
    middle of `band` and falls evenly to 0 at the band's ends. No action raises.

    `info` holds, after the step, `failure` (a label, "" if accepted), `detail`, `pass_rate` (None if refused)
    and `task` (None if refused). `tasks` are the accepted ones, for training the solver.

    Args:
        family: A task family or its name.
        solver: A policy, as `reasonenv.rollout` takes it.
        band: Lowest and highest pass rate that pay.
        attempts: Rollouts of the solver for each problem.
        level: Level of the examples.
        examples: Number of problems that the prompt shows.

    Raises:
        ReasonEnvError: An argument is invalid; names it.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012, as Env has it

    def __init__(
        self,
        family: str | Family[Any],
        solver: Any,
        *,
        band: tuple[float, float] = (0.1, 0.9),
        attempts: int = 8,
        level: int = 0,
        examples: int = 3,
    ) -> None:
        self.family = known_family(family)
        self.solver = solver
        self.band = as_band("band", band)
        self.attempts = _checks.whole("attempts", attempts, 1, 10_000)
        self.level = _checks.whole("level", level, 0, self.family.top_level)
        self._count = _checks.whole("examples", examples, 1, 20)
        self._examiner = Examiner(self.family)
        self._shown: list[Task] = []
        self.tasks: deque[Task] = deque(maxlen=_MOST_KEPT)
        """The latest accepted tasks, at most 10,000."""
        self.observation_space = AnyText()
        self.action_space = CompletionSpace()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Ask for a problem; the seed determines the examples and the randomness of a built-in solver."""
        checked_options(options)
        super().reset(seed=seed)
        draw = int(self.np_random.integers(2**31))
        self._shown = [self.family.sample(draw, at, level=self.level) for at in range(self._count)]
        return self.prompt, {}

    @property
    def prompt(self) -> str:
        """The request for a problem."""
        return _INSTRUCTIONS.format(
            title=self.family.name,
            summary=self.family.summary[:1].lower() + self.family.summary[1:].rstrip("."),
            count="one" if self._count == 1 else f"{self._count}",
            examples="\n".join(f"<problem>{one.problem}</problem>" for one in self._shown),
        )

    def propose(self, text: object) -> Proposal:
        """Judge a proposal without letting the solver try it; an accepted task joins `tasks`."""
        proposal = self._examiner.read(text, self._shown)
        if proposal.task is not None:
            self.tasks.append(proposal.task)
        return proposal

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Let the solver try the proposed problem, and end the episode.

        Raises:
            ResetNeeded: The episode is over or has not begun.
            ReasonEnvError: The solver answered no request.
        """
        if not self._shown:
            raise ResetNeeded("an episode is one proposal; call reset() first")
        proposal = self.propose(action)
        rate, reward = None, 0.0
        if proposal.task is not None:
            seed = int(self.np_random.integers(2**31))
            rate = pass_rate(self.solver, proposal.task, self.attempts, seed)
            reward = nearness(rate, self.band)
        info = {
            "failure": proposal.failure,
            "detail": proposal.detail,
            "pass_rate": rate,
            "task": proposal.task,
        }
        prompt, self._shown = self.prompt, []
        return prompt, reward, True, False, info
