"""An environment that pays a policy for posing problems of the right difficulty."""

from collections import deque
from typing import Any

from reasonenv import _checks
from reasonenv._native import Family, Task
from reasonenv.selfplay._proposals import Examiner, Proposal, as_band, nearness
from reasonenv.selfplay._text_env import TextEnv

_MOST_KEPT = 10_000

_INSTRUCTIONS = """\
Write a new problem of the kind "{title}": {summary}.

A problem is a JSON object. Here are {count}:
{examples}

The problem must be new, correct and solvable, and neither too easy nor too hard: a solver should get it \
right about half of the time. Write one JSON object between <problem> and </problem>."""


class ProposerEnv(TextEnv):
    """Proposing problems for a solver, which `attempts` each of them; one proposal is an episode.

    The observation asks for a problem and shows examples; the action is text with one JSON object in
    `<problem>` tags, or nothing else. The problem is checked and certified in counted steps. The reward is 0
    if it is refused, for one of `PROPOSAL_FAILURES`; otherwise it is 1 if the solver's pass rate is in the
    middle of `band` and falls evenly to 0 at the band's ends. No action raises.

    `info` holds, after the step, `failure` (a label, "" if accepted), `detail`, `pass_rate` and `task`
    (None if refused), and `cost` and `episode_cost`, 1.0 if refused. `tasks` are the accepted ones, for
    training the solver.

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
        super().__init__(family, solver, attempts, level)
        self.band = as_band("band", band)
        self._count = _checks.whole("examples", examples, 1, 20)
        self._examiner = Examiner(self.family)
        self._shown: list[Task] = []
        self.tasks: deque[Task] = deque(maxlen=_MOST_KEPT)
        """The latest accepted tasks, at most 10,000."""

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

    def _begin(self, draw: int) -> dict[str, Any]:
        self._shown = [self.family.sample(seed=draw, index=at, level=self.level) for at in range(self._count)]
        return {}

    def _paid(self, action: object) -> tuple[float, dict[str, Any]]:
        proposal = self.propose(action)
        info = {"failure": proposal.failure, "detail": proposal.detail, "task": proposal.task}
        if proposal.task is None:
            return 0.0, info | {"pass_rate": None}
        rate = self._rate(proposal.task, self._draw())
        return nearness(rate, self.band), info | {"pass_rate": rate}
