"""One module-like object per game, such as `tic_tac_toe_v1`; the stub next to this file lists them."""

from typing import Any, Self

from reasonenv import _native
from reasonenv.pettingzoo._aec import GameAECEnv, module_name


class GameModule:
    """Type of `tic_tac_toe_v1` and similar objects, with the two functions of PettingZoo's modules.

    Args:
        game: Name of a game.
    """

    def __init__(self, game: str) -> None:
        self.game = game
        self.__name__ = f"{__package__}.{module_name(_native.game(game))}"
        self.__doc__ = _native.game(game).summary

    def env(self, **kwargs: Any) -> GameAECEnv:
        """Create the environment, without wrappers as by `raw_env`; `GameAECEnv` lists the arguments."""
        return GameAECEnv(self.game, **kwargs)

    def raw_env(self, **kwargs: Any) -> GameAECEnv:
        """Create the environment; `GameAECEnv` lists the arguments."""
        return GameAECEnv(self.game, **kwargs)

    def __repr__(self) -> str:
        return f"<GameModule {self.__name__}>"

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.game,)


MODULES = {module_name(game): GameModule(game.name) for game in map(_native.game, _native.list_games())}
