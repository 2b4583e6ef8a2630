"""Gymnasium ids: one per family and per game, and two for mixtures and rows."""

from typing import Any

import gymnasium

from reasonenv import _native

COMPOSED = {"reasonenv/Mixture-v1": "mixture_env", "reasonenv/Rows-v1": "rows_env"}
"""Ids of mixtures of families and of the caller's rows."""

SPARE_TURNS = 3
"""Turns that a learner may waste if nothing else ends a game of illegal moves."""

_HOME = "reasonenv.envs._make"


def env_id(name: str) -> str:
    """Return the Gymnasium id of a family or a game, such as `reasonenv/ChainSum-v1` for `chain_sum`.

    The id ends with the version of the family or game: whenever the bytes of any task, start or reply change,
    so does the id.

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
    """Register every family and game, mixtures and rows with Gymnasium.

    Existing ids are not changed.
    """
    for family in _native.list_families():
        _register(family, "family", "task_env", "task_vector_env")
    for game in _native.list_games():
        # One more than an env ever takes, so that it ends by itself and is not truncated.
        most = _native.game(game).longest_plies + SPARE_TURNS + 1
        _register(game, "game", "game_env", "game_vector_env", most)
    for own, single in COMPOSED.items():
        if own not in gymnasium.registry:
            gymnasium.register(own, entry_point=f"{_HOME}:{single}")


def unregister(id: str) -> None:
    """Remove an id, if it exists."""
    gymnasium.registry.pop(id, None)


def _register(name: str, argument: str, single: str, vector: str, max_steps: int | None = None) -> None:
    own = env_id(name)
    if own not in gymnasium.registry:
        gymnasium.register(
            own,
            entry_point=f"{_HOME}:{single}",
            vector_entry_point=f"{_HOME}:{vector}",
            max_episode_steps=max_steps,
            # These environments refuse a step before the first reset themselves.
            order_enforce=False,
            kwargs={argument: name},
        )
