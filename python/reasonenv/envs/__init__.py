"""Gymnasium environments: one id per task family and per game, registered when `reasonenv` is imported.

>>> import gymnasium, reasonenv
>>> env = gymnasium.make("reasonenv/ChainSum-v1", level=2)
>>> game = gymnasium.make("reasonenv/TicTacToe-v1", opponent="minimax")
"""

from importlib import import_module
from typing import TYPE_CHECKING

from reasonenv._ids import env_id
from reasonenv._native import Proof
from reasonenv.envs._description import Description, describe
from reasonenv.envs._dialogue import DialogueEnv
from reasonenv.envs._game import GameEnv
from reasonenv.envs._game_vector import GameVectorEnv
from reasonenv.envs._make import make, make_vec
from reasonenv.envs._moves import MovesEnv
from reasonenv.envs._moves_vector import MovesVectorEnv
from reasonenv.envs._proof import ProofEnv
from reasonenv.envs._reason import ReasonEnv
from reasonenv.envs._solution import SolutionEnv
from reasonenv.envs._solution_vector import SolutionVectorEnv
from reasonenv.envs._step import StepEnv
from reasonenv.envs._tokens import TokenEnv
from reasonenv.envs._tools import ToolTaskEnv

if TYPE_CHECKING:
    from reasonenv.envs import wrappers as wrappers
else:

    def __getattr__(name: str) -> object:
        # Imported on first use: `gymnasium.make` needs none of them.
        if name == "wrappers":
            return import_module(f"{__name__}.{name}")
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)


__all__ = [
    "Description",
    "DialogueEnv",
    "GameEnv",
    "GameVectorEnv",
    "MovesEnv",
    "MovesVectorEnv",
    "Proof",
    "ProofEnv",
    "ReasonEnv",
    "SolutionEnv",
    "SolutionVectorEnv",
    "StepEnv",
    "TokenEnv",
    "ToolTaskEnv",
    "describe",
    "env_id",
    "make",
    "make_vec",
]
