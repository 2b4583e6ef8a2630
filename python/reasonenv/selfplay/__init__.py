"""Environments in which a policy poses problems or writes hints, and is paid by how a solver fares.

>>> from reasonenv import selfplay
>>> env = selfplay.ProposerEnv("countdown", solver="noisy:0.5", attempts=4)
>>> prompt, info = env.reset(seed=0)
>>> *_, info = env.step("I'd rather not.")
>>> info["failure"]
'no_problem'

`proposer_solver` needs the `pettingzoo` extra.
"""

from typing import TYPE_CHECKING, Any

from reasonenv.selfplay._hint_writer import HintWriterEnv
from reasonenv.selfplay._proposals import PROPOSAL_FAILURES
from reasonenv.selfplay._proposer import ProposerEnv

if TYPE_CHECKING:
    from reasonenv.selfplay._agents import ProposerSolverEnv

__all__ = ["PROPOSAL_FAILURES", "HintWriterEnv", "ProposerEnv", "proposer_solver"]


def proposer_solver(*args: Any, **keywords: Any) -> "ProposerSolverEnv":
    """Make a PettingZoo environment of two agents, "proposer" and "solver"; takes what `ProposerEnv` takes.

    Raises:
        ImportError: PettingZoo is not installed; names the extra.
    """
    from reasonenv.selfplay._agents import ProposerSolverEnv  # noqa: PLC0415

    return ProposerSolverEnv(*args, **keywords)
