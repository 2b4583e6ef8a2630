"""Two-player games as PettingZoo environments: one module-like object per game, such as `tic_tac_toe_v1`.

>>> from reasonenv.pettingzoo import tic_tac_toe_v1
>>> env = tic_tac_toe_v1.env()
>>> env.reset(seed=0)
>>> env.agent_selection
'player_0'

Needs the `pettingzoo` extra. Importing this module also registers every game with PettingZoo, so that
`pettingzoo.make("aec", "reasonenv/tic_tac_toe-v1")` works from its version 1.27 on.
"""

from typing import TYPE_CHECKING

from reasonenv import _native

try:
    import pettingzoo as package
except ImportError as error:
    raise ImportError(
        f"reasonenv.pettingzoo needs PettingZoo 1.25 or newer ({error}); "
        "install it with: pip install 'reasonenv[pettingzoo]'"
    ) from error

from reasonenv.pettingzoo._aec import AGENTS, GameAECEnv, module_name
from reasonenv.pettingzoo._modules import MODULES, GameModule

__all__ = ["AGENTS", "GameAECEnv", "GameModule", "env_id"]


def env_id(game: str) -> str:
    """Return the PettingZoo id of a game, such as `reasonenv/tic_tac_toe-v1`.

    The id ends with the game's version.

    Raises:
        UnknownGame: No game has this name.
    """
    return f"reasonenv/{game}-v{_native.game(game).version}"


def register_all() -> None:
    """Register every game with PettingZoo, from 1.27 on. Ids already registered stay unchanged."""
    for game in _native.list_games() if hasattr(package, "aec_registry") else ():
        if (name := env_id(game)) not in package.aec_registry:
            package.register(
                "aec", name, f"{GameAECEnv.__module__}:{GameAECEnv.__name__}", kwargs={"game": game}
            )


if TYPE_CHECKING:  # so that type checkers reject names of unknown games
    from reasonenv.pettingzoo._modules import *  # noqa: F403, a name for each game
else:
    globals().update(MODULES)

    def __getattr__(name: str) -> object:
        # A game registered after this module was imported.
        known = {module_name(game): game.name for game in map(_native.game, _native.list_games())}
        if name in known:
            return GameModule(known[name])
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}; its games are {', '.join(known)}"
        )


register_all()
