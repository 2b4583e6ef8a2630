"""Two-player games as PettingZoo environments: one module-like object per game, such as `tic_tac_toe_v0`.

>>> from reasonenv.pettingzoo import tic_tac_toe_v0
>>> env = tic_tac_toe_v0.env()
>>> env.reset(seed=0)
>>> env.agent_selection
'player_0'

Needs the `pettingzoo` extra. Importing this module also registers every game with PettingZoo, so that
`pettingzoo.make("aec", "reasonenv/tic_tac_toe-v0")` works.
"""

from typing import Any, Self

from reasonenv import _native

try:
    from pettingzoo import aec_registry, register
except ImportError as error:
    raise ImportError(
        f"reasonenv.pettingzoo needs PettingZoo 1.27 or newer ({error}); "
        "install it with: pip install 'reasonenv[pettingzoo]'"
    ) from error

from reasonenv.pettingzoo.aec import AGENTS, GameAECEnv, module_name

__all__ = ["AGENTS", "GameAECEnv", "GameModule", "env_id", "register_all"]


class GameModule:
    """What `tic_tac_toe_v0` and its like are: the two functions PettingZoo's modules have.

    Args:
        game: Name of a game.
    """

    def __init__(self, game: str) -> None:
        self.game = game
        self.__name__ = f"{__name__}.{module_name(_native.game(game))}"
        self.__doc__ = _native.game(game).summary

    def env(self, **kwargs: Any) -> GameAECEnv:
        """The environment; `GameAECEnv` lists the arguments. The same as `raw_env`: it wraps nothing."""
        return GameAECEnv(self.game, **kwargs)

    def raw_env(self, **kwargs: Any) -> GameAECEnv:
        """The environment; `GameAECEnv` lists the arguments."""
        return GameAECEnv(self.game, **kwargs)

    def __repr__(self) -> str:
        return f"<GameModule {self.__name__}>"

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.game,)


def env_id(game: str) -> str:
    """The PettingZoo id of a game, such as `reasonenv/tic_tac_toe-v0`.

    The id's version is the game's less one.

    Raises:
        UnknownGame: No game has this name.
    """
    return f"reasonenv/{game}-v{_native.game(game).version - 1}"


def register_all() -> None:
    """Registers every game with PettingZoo. Ids that are there already stay as they are."""
    for game in _native.list_games():
        if (name := env_id(game)) not in aec_registry:
            register("aec", name, f"{GameAECEnv.__module__}:{GameAECEnv.__name__}", kwargs={"game": game})


MODULES = {module_name(module): GameModule(module.name) for module in map(_native.game, _native.list_games())}


def __getattr__(name: str) -> GameModule:
    try:
        return MODULES[name]
    except KeyError:
        there = ", ".join(MODULES)
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}; its games are {there}"
        ) from None


def __dir__() -> list[str]:
    return sorted([*globals(), *MODULES])


register_all()
