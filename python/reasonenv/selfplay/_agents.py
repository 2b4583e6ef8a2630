"""Proposer and solver as the two agents of a PettingZoo environment."""

from typing import Any

from gymnasium import spaces
from gymnasium.error import ResetNeeded

from reasonenv._native import InvalidAction, Task
from reasonenv.envs._costs import answer_counts
from reasonenv.envs._spaces import AnyText, CompletionSpace
from reasonenv.selfplay._proposals import nearness
from reasonenv.selfplay._proposer import ProposerEnv

try:
    from pettingzoo import AECEnv
except ImportError as error:
    raise ImportError(
        f"reasonenv.selfplay.proposer_solver needs PettingZoo 1.27 or newer ({error}); "
        "install it with: pip install 'reasonenv[pettingzoo]'"
    ) from error

AGENTS = ("proposer", "solver")


class ProposerSolverEnv(AECEnv[str, str, str]):
    """A game of "proposer", who poses a problem, and "solver", who answers it `attempts` times.

    Each attempt pays the solver 1.0 if it passes, else 0.0; after the last one the proposer earns what
    `ProposerEnv` pays for that pass rate. A proposal that is refused ends the game with nothing for either;
    `infos["proposer"]` then holds `failure` and `detail`. After an agent's step its info has `cost` and
    `episode_cost`: a refused proposal costs 1.0, an answer that breaks a constraint or cannot be read too.

    Args:
        family: A task family or its name.
        **settings: `band`, `attempts`, `level` and `examples`, as in `ProposerEnv`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012, as AECEnv has it
        "name": "reasonenv_proposer_solver",
        "render_modes": [],
        "is_parallelizable": False,
    }

    def __init__(self, family: Any, **settings: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.render_mode = None
        self._proposer = ProposerEnv(family, None, **settings)
        self.possible_agents = list(AGENTS)
        self._observations: dict[str, spaces.Space[str]] = {agent: AnyText() for agent in AGENTS}
        self._actions: dict[str, spaces.Space[str]] = {agent: CompletionSpace() for agent in AGENTS}
        self.agents: list[str] = []
        self.task: Task | None = None
        """The problem that the solver is answering."""

    def observation_space(self, agent: str) -> spaces.Space[str]:
        """Text: the request for a problem, or the problem."""
        return self._observations[agent]

    def action_space(self, agent: str) -> spaces.Space[str]:
        """Text: a completion."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Ask the proposer for a problem; `options` are ignored."""
        self._request, _ = self._proposer.reset(seed=seed)
        self.task, self._passed, self._tried = None, 0, 0
        self.agents = list(AGENTS)
        self.agent_selection = "proposer"
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {} for agent in AGENTS}

    def observe(self, agent: str) -> str:
        """The proposer sees the request, the solver the problem once there is one."""
        if agent == "proposer":
            return self._request
        return "" if self.task is None else self.task.prompt

    def step(self, action: str | None) -> None:
        """Take the text of the agent to move; None removes an agent whose game is over.

        Raises:
            ResetNeeded: Before the first `reset`, or when both agents have been removed.
            InvalidAction: The agent's game is over and the action is not None.
        """
        if not self.agents:
            raise ResetNeeded("no game is in progress; call reset() first")
        agent = self.agent_selection
        if self.terminations[agent]:
            if action is not None:
                raise InvalidAction(f"the game of {agent} is over; its last action must be None")
            self._was_dead_step(action)  # type: ignore[arg-type]  # None removes the agent
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if agent == "proposer":
            self._pose(action)
        else:
            self._answer(action)
        self._accumulate_rewards()

    def _pose(self, action: object) -> None:
        proposal = self._proposer.propose(action)
        self.task = proposal.task
        told = {"failure": proposal.failure, "detail": proposal.detail}
        self._tell("proposer", told, float(bool(proposal.failure)))
        if self.task is None:
            self._end()
        else:
            self.agent_selection = "solver"

    def _answer(self, action: object) -> None:
        if self.task is None:
            raise ResetNeeded("there is no problem to answer; call reset() first")
        verdict = self.task.verify(action if isinstance(action, str) else "")
        told = {"passed": verdict.passed, "verdict": verdict.to_dict()}
        self._tell("solver", told, float(sum(answer_counts(tuple(verdict.failures)).values())))
        self.rewards["solver"] = float(verdict.passed)
        self._passed += verdict.passed
        self._tried += 1
        if self._tried == self._proposer.attempts:
            rate = self._passed / self._tried
            self.rewards["proposer"] = nearness(rate, self._proposer.band)
            self.infos["proposer"]["pass_rate"] = rate
            self._end()

    def _tell(self, agent: str, told: dict[str, Any], cost: float) -> None:
        total = self.infos[agent].get("episode_cost", 0.0) + cost
        self.infos[agent] = told | {"cost": cost, "episode_cost": total}

    def _end(self) -> None:
        self.terminations = dict.fromkeys(AGENTS, True)
        self.agent_selection = "proposer"
