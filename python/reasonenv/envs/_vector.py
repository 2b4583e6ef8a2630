"""Base of the vector environments of tasks and games: arguments, seeds, masks, columns of infos."""

import copy
from collections.abc import Iterable, Sequence, Sized
from typing import Any, NoReturn, Self, TypeVar

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from reasonenv import _checks, _native

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Seeds = int | Sequence[int | None] | None

ObservationsT = TypeVar("ObservationsT")
Actions = TypeVar("Actions")

MOST_ENVS = 2**20


class LanesEnv(VectorEnv[ObservationsT, Actions, NDArray[Any]]):
    """Environments side by side, each with its own generator, which is seeded on first use."""

    def __init__(
        self,
        num_envs: int,
        autoreset_mode: str | AutoresetMode,
        render_mode: str | None,
        render_modes: list[str],
        render_fps: int,
    ) -> None:
        self.num_envs = checked_num_envs(num_envs)
        self.autoreset_mode = checked_autoreset_mode(autoreset_mode)
        self.render_mode = render_mode
        self.metadata = {
            "render_modes": render_modes,
            "render_fps": render_fps,
            "autoreset_mode": self.autoreset_mode,
        }
        self._rngs: list[np.random.Generator | None] = [None] * self.num_envs
        self._seeds = [-1] * self.num_envs

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generator of each env, as in `SyncVectorEnv`."""
        return tuple(rng or self._seeded(i) for i, rng in enumerate(self._rngs))

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each env's generator, as in `SyncVectorEnv`."""
        self.np_random  # noqa: B018, seeds what is not
        return tuple(self._seeds)

    def clone(self) -> Self:
        """Independent envs in the same state."""
        return copy.deepcopy(self)

    @property
    def _has_begun(self) -> bool:
        """True if every env has been reset."""
        raise NotImplementedError

    def _seeded(self, i: int) -> np.random.Generator:
        rng, self._seeds[i] = seeding.np_random()
        self._rngs[i] = rng
        return rng

    def _must_have_begun(self) -> None:
        if not self._has_begun:
            raise ResetNeeded("no episodes are in progress yet; call reset() first")

    def _all(self) -> Bools:
        return np.ones(self.num_envs, np.bool_)

    def _check_count(self, *columns: Sized) -> None:
        """Raise ValueError unless each column of a saved state has one item per env."""
        if any(len(column) != self.num_envs for column in columns):
            raise ValueError(f"it is of {len(columns[0])} envs, where these are {self.num_envs}")

    def _refuse_over(self, over: Bools) -> NoReturn:
        """Raise the error of a step with "Disabled" while some env is over."""
        which = ", ".join(map(str, np.flatnonzero(over)))
        remedy = 'call reset(options={"reset_mask": terminations | truncations}) before the next step()'
        raise ResetNeeded(f"episodes are over in envs {which}; {remedy}")

    def _checked_mask(self, options: Any) -> Bools:
        """Mask of the envs to reset."""
        if "reset_mask" not in options:
            return self._all()
        name, mask, n = 'options["reset_mask"]', options["reset_mask"], self.num_envs
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (n,):
            msg = f"`{name}` is {_checks.shown(mask)}, but must be a bool array of shape ({n},)"
            raise _native.InvalidArgument(msg)
        if not mask.any():
            msg = f"`{name}` is False everywhere, but must be True for one env at least"
            raise _native.InvalidArgument(msg)
        if not self._has_begun and not mask.all():
            raise ResetNeeded(f"{name} leaves out envs that were never reset; call reset() without it first")
        return np.ascontiguousarray(mask)

    def _checked_seeds(self, seed: Seeds) -> list[int | None]:
        """Seed of each env; None to continue its stream."""
        if seed is None:
            return [None] * self.num_envs
        if not isinstance(seed, Sequence | np.ndarray) or isinstance(seed, str):
            first = _checks.whole("seed", seed)
            return [first + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            msg = f"`seed` holds {len(seed)} seeds for {self.num_envs} envs; give one for each, or one int"
            raise _native.InvalidArgument(msg)
        return [None if own is None else _checks.whole(f"seed[{i}]", own) for i, own in enumerate(seed)]


def checked_num_envs(given: Any) -> int:
    """Number of environments."""
    return _checks.whole("num_envs", given, 1, MOST_ENVS)


def checked_autoreset_mode(given: Any) -> AutoresetMode:
    """Time of the reset after an env is over."""
    if isinstance(given, AutoresetMode):
        return given
    _checks.one_of("autoreset_mode", given, [mode.value for mode in AutoresetMode])
    return AutoresetMode(given)


def put(infos: dict[str, Any], mask: Bools, key: str, values: Any) -> None:
    """Add a column as Gymnasium's vector envs do: nothing outside the mask, and the mask itself."""
    infos[key], infos[f"_{key}"] = values, mask.copy()


def put_where(infos: dict[str, Any], mask: Bools, key: str, values: Any, missing: Any) -> None:
    """As `put`, with `missing` outside the mask."""
    put(infos, mask, key, np.where(mask, values, missing))


def objects(values: Iterable[Any]) -> NDArray[np.object_]:
    """Array of Python objects; NumPy would unpack tuples."""
    return np.fromiter(values, np.object_)
