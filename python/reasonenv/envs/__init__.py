"""Gymnasium environments: one id per task family and per game, registered when `reasonenv` is imported.

>>> import gymnasium, reasonenv
>>> env = gymnasium.make("reasonenv/ChainSum-v0", level=2)
>>> game = gymnasium.make("reasonenv/TicTacToe-v0", opponent="minimax")
"""

import gymnasium

from reasonenv import _native
from reasonenv.envs._make import make, make_vec
from reasonenv.envs.game import SPARE_TURNS, GameEnv
from reasonenv.envs.game_vector import GameVectorEnv
from reasonenv.envs.moves import MovesEnv
from reasonenv.envs.moves_vector import MovesVectorEnv
from reasonenv.envs.solution import SolutionEnv
from reasonenv.envs.solution_vector import SolutionVectorEnv

__all__ = [
    "GameEnv",
    "GameVectorEnv",
    "MovesEnv",
    "MovesVectorEnv",
    "SolutionEnv",
    "SolutionVectorEnv",
    "env_id",
    "make",
    "make_vec",
    "register_all",
]


def env_id(name: str) -> str:
    """The Gymnasium id of a family or a game, such as `reasonenv/ChainSum-v0` for `chain_sum`.

    The id's version is that of the family or game less one: whenever the bytes of any item, a start or a
    reply change, so does the id.

    Raises:
        UnknownFamily: No family and no game has this name.
    """
    unit = _native.game(name) if name in _native.list_games() else _native.family(name)
    camel_case = "".join(word.capitalize() for word in name.split("_"))
    return f"reasonenv/{camel_case}-v{unit.version - 1}"


def register_all() -> None:
    """Registers every family and game with Gymnasium. Ids that are there already stay as they are."""
    for family in _native.list_families():
        _register(family, "family", "_make:task_env", "_make:task_vector_env")
    for game in _native.list_games():
        # One more than an env ever takes by itself, which therefore comes first and is no truncation.
        most = _native.game(game).longest_plies + SPARE_TURNS + 1
        _register(game, "game", "game:GameEnv", "game_vector:GameVectorEnv", most)


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
