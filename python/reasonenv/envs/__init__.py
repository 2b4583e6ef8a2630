"""Gymnasium environments: one id per task family and per game, registered when `reasonenv` is imported.

>>> import gymnasium, reasonenv
>>> env = gymnasium.make("reasonenv/ChainSum-v1", level=2)
>>> game = gymnasium.make("reasonenv/TicTacToe-v1", opponent="minimax")
"""

from typing import Any

import gymnasium

from reasonenv import _native
from reasonenv.envs._make import make, make_vec
from reasonenv.envs.description import Description, describe
from reasonenv.envs.game import SPARE_TURNS, GameEnv
from reasonenv.envs.game_vector import GameVectorEnv
from reasonenv.envs.moves import MovesEnv
from reasonenv.envs.moves_vector import MovesVectorEnv
from reasonenv.envs.reason import ReasonEnv
from reasonenv.envs.solution import SolutionEnv
from reasonenv.envs.solution_vector import SolutionVectorEnv
from reasonenv.envs.step import StepEnv
from reasonenv.envs.tokens import TokenEnv

__all__ = [
    "Description",
    "GameEnv",
    "GameVectorEnv",
    "MovesEnv",
    "MovesVectorEnv",
    "ReasonEnv",
    "SolutionEnv",
    "SolutionVectorEnv",
    "StepEnv",
    "TokenEnv",
    "describe",
    "env_id",
    "make",
    "make_vec",
    "register_all",
]


COMPOSED = {"reasonenv/Mixture-v1": "_make:mixture_env", "reasonenv/Rows-v1": "_make:rows_env"}
"""Ids of no one family: of several, and of a caller's own rows."""


def env_id(name: str) -> str:
    """The Gymnasium id of a family or a game, such as `reasonenv/ChainSum-v1` for `chain_sum`.

    The id ends with the version of the family or game: whenever the bytes of any item, a start or a reply
    change, so does the id.

    Raises:
        UnknownFamily: No family and no game has this name.
    """
    try:
        unit: _native.Game | _native.Family[Any] = _native.game(name)
    except _native.UnknownGame:
        unit = _native.family(name)
    camel_case = "".join(word.capitalize() for word in unit.name.split("_"))
    return f"reasonenv/{camel_case}-v{unit.version}"


def register_all() -> None:
    """Registers every family and game with Gymnasium, mixtures and rows of one's own.

    Ids that are there already stay as they are.
    """
    for family in _native.list_families():
        _register(family, "family", "_make:task_env", "_make:task_vector_env")
    for game in _native.list_games():
        # One more than an env ever takes by itself, which therefore comes first and is no truncation.
        most = _native.game(game).longest_plies + SPARE_TURNS + 1
        _register(game, "game", "_make:game_env", "_make:game_vector_env", most)
    for own, single in COMPOSED.items():
        if own not in gymnasium.registry:
            gymnasium.register(own, entry_point=f"{__name__}.{single}")


def _register(name: str, argument: str, single: str, vector: str, max_steps: int | None = None) -> None:
    own = env_id(name)
    if own not in gymnasium.registry:
        gymnasium.register(
            own,
            entry_point=f"{__name__}.{single}",
            vector_entry_point=f"{__name__}.{vector}",
            max_episode_steps=max_steps,
            # These environments refuse a step before the first reset themselves.
            order_enforce=False,
            kwargs={argument: name},
        )
