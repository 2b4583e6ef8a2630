"""Minari and d3rlpy: offline data sets from episodes of games, tasks or a run. Needs the `minari` extra.

    from reasonenv.integrations import minari

    episodes = minari.played("reasonenv/TicTacToe-v1", "minimax", 100, seed=0, opponent="random")
    minari.create_dataset("reasonenv/tic_tac_toe/minimax-v0", episodes, env="reasonenv/TicTacToe-v1")

Only `create_dataset` needs Minari, and only `d3rlpy_dataset` d3rlpy.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reasonenv._native import InvalidArgument
from reasonenv.envs._spaces import AnyText
from reasonenv.integrations._episodes import Episode, from_run, played, storable
from reasonenv.integrations._items import needs

_OF_D3RLPY = "torch click colorama dataclasses-json gym h5py scikit-learn structlog tqdm"

__all__ = ["Episode", "arrays", "create_dataset", "d3rlpy_dataset", "from_run", "played"]


def create_dataset(name: str, episodes: Sequence[Episode], **keywords: Any) -> Any:
    """Create a Minari data set, which `minari.load_dataset` loads by its name.

    Args:
        name: Name such as "reasonenv/tic_tac_toe/minimax-v0".
        episodes: Episodes of the data set.
        **keywords: Arguments of `minari.create_dataset_from_buffers`, such as `env` and `algorithm_name`.
            Without an `env`, observations and actions are text.
    """
    with needs("minari", "Minari"):
        import h5py  # noqa: F401, PLC0415  the storage format of data sets
        from minari import create_dataset_from_buffers  # noqa: PLC0415
        from minari.data_collector import EpisodeBuffer  # noqa: PLC0415
    if not episodes:
        raise InvalidArgument("`episodes` is empty, but a data set must have one or more")
    if keywords.get("env") is None:
        keywords = {"observation_space": AnyText(), "action_space": AnyText(), **keywords}
    buffers = [
        EpisodeBuffer(
            id=number,
            seed=one.seed,
            observations=list(map(storable, one.observations)),
            actions=list(map(storable, one.actions)),
            rewards=one.rewards,
            terminations=one.terminations,
            truncations=one.truncations,
            infos=one.infos,
        )
        for number, one in enumerate(episodes)
    ]
    return create_dataset_from_buffers(name, buffers, **keywords)


def arrays(episodes: Iterable[Episode]) -> dict[str, NDArray[Any]]:
    """Concatenate the steps of all episodes, each with the observation before it.

    The arrays are `observations`, `actions`, `rewards` (float32), `terminals` and `timeouts` (float32, 1 at
    an end).
    """
    found = list(episodes)
    return {
        "observations": np.array([seen for one in found for seen in one.observations[:-1]]),
        "actions": np.array([action for one in found for action in one.actions]),
        "rewards": np.array([reward for one in found for reward in one.rewards], np.float32),
        "terminals": np.array([end for one in found for end in one.terminations], np.float32),
        "timeouts": np.array([cut for one in found for cut in one.truncations], np.float32),
    }


def d3rlpy_dataset(episodes: Iterable[Episode]) -> Any:
    """Make a `d3rlpy.dataset.MDPDataset` from episodes of numbers, with observations as vectors.

    d3rlpy would take the planes of a board for an image, and has no network for such a small one.

    Raises:
        InvalidArgument: The list is empty, or the episodes are text.
    """
    columns = arrays(episodes)
    if not len(columns["actions"]):
        raise InvalidArgument("`episodes` is empty, but a data set must have one or more")
    if columns["observations"].dtype.kind == "U":
        raise InvalidArgument("the episodes are of text, of which d3rlpy makes nothing; games have numbers")
    # This cannot be an extra: d3rlpy requires an older Gymnasium than ours, although it works with both.
    with needs("minari", "d3rlpy", f"--no-deps d3rlpy && pip install {_OF_D3RLPY}"):
        from d3rlpy.dataset import MDPDataset  # noqa: PLC0415
    seen = columns.pop("observations")
    return MDPDataset(observations=seen.reshape(len(seen), -1), **columns)
