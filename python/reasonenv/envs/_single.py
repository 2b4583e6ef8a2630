"""Base of the environments of games and played problems: one lane in Rust, its seeds, its saved states."""

import copy
from collections.abc import Mapping
from typing import Any, Generic, Self, TypeVar

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from reasonenv import _native
from reasonenv.envs._options import checked_option, checked_options
from reasonenv.envs._state import (
    checked_seed,
    checked_text,
    checked_words,
    reading_state,
    rng_from,
    rng_state,
    write_state,
)

Lanes = TypeVar("Lanes", _native.Episodes, _native.ProblemEpisodes)
Bools = NDArray[np.bool_]


class EpisodesEnv(gymnasium.Env[Any, Any], Generic[Lanes]):
    """Episodes in Rust, one after another; subclasses say what they are episodes of."""

    _episodes: Lanes
    _seeded: tuple[int, int] | None = None
    """Words drawn from the last seed."""
    _begun = False
    _options: tuple[str, ...] = ("episode",)
    """Options of `reset`."""

    def episodes(self, count: int) -> Lanes:
        """Fresh episodes with this env's settings, `count` side by side."""
        raise NotImplementedError

    def identity(self) -> dict[str, Any]:
        """Identity of a saved state, as fields of it."""
        raise NotImplementedError

    def check_identity(self, fields: dict[str, Any]) -> None:
        """Raise ValueError unless the fields of a saved state belong to this env's problems."""
        raise NotImplementedError

    def seed_lane(self, episodes: Lanes, lane: int, words: tuple[int, int], episode: int = 0) -> None:
        """Seed a lane whose next episode is `episode`."""
        raise NotImplementedError

    def seed_lanes(self, episodes: Lanes, words: NDArray[np.uint64], chosen: Bools) -> None:
        """Seed the lanes where `chosen` is True, from their first episode on."""
        raise NotImplementedError

    def _memory(self) -> dict[str, Any]:
        """Plain data of the episode besides that of its lane, which saved states keep."""
        return {}

    def _recall(self, memory: Any) -> None:
        """Take up the output of `_memory`, which may be of any form; raise ValueError unless it is one."""
        if memory:
            raise ValueError(f"it remembers {memory!r}, which this env does not")

    def _begin(self, episodes: Lanes, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Begin the next episode; return its first observation and an info."""
        raise NotImplementedError

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin another episode.

        Args:
            seed: Determines this episode and, as long as no other seed is given, all that follow.
            options: `{"episode": i}` poses episode `i` of the seed; the next is episode `i + 1`.

        Returns:
            Observation of the learner before its first move, and an info dict as the class describes.
        """
        chosen = checked_options(options, *self._options)
        episode = chosen.get("episode")
        # Made anew and swapped in at the end, so that an exception changes nothing. Hence no call
        # of Env.reset, which only seeds np_random.
        episodes, seeded = self._episodes.clone(), self._seeded
        rng, rng_seed = self._np_random, self._np_random_seed
        if seed is not None or seeded is None:
            if seed is not None or rng is None:
                rng, rng_seed = seeding.np_random(seed)
            else:
                rng = copy.deepcopy(rng)
            seeded = draw(rng, rng_seed or 0)
            self.seed_lane(episodes, 0, seeded)
        if episode is not None:
            self.seed_lane(episodes, 0, seeded, checked_option("episode", episode))
        begun = self._begin(episodes, chosen)
        self._np_random, self._np_random_seed = rng, rng_seed
        self._episodes, self._seeded, self._begun = episodes, seeded, True
        return begun

    def action_masks(self) -> Bools:
        """Mask of the legal actions, as bool of shape (`action_count`,), as MaskablePPO expects."""
        return self._episodes.action_mask().astype(np.bool_)

    def get_state(self) -> bytes:
        """Full state of this env, as JSON: episodes, seeds, generator."""
        return write_state(
            **self.identity(),
            episodes=self._episodes.save().decode() if self._begun else None,
            seeded=self._seeded,
            memory=self._memory(),
            np_random=rng_state(self.np_random),
            np_random_seed=self.np_random_seed,
        )

    def set_state(self, state: bytes) -> None:
        """Continue from the output of `get_state`, of this env or of one made with the same arguments.

        Raises:
            InvalidState: The state is damaged or of another env; this env is unchanged.
        """
        with reading_state(state) as fields:
            self.check_identity(fields)
            rng, seed = rng_from(fields["np_random"]), checked_seed(fields["np_random_seed"])
            seeded = None if fields["seeded"] is None else checked_words("seeded", fields["seeded"])
            episodes, saved = self.episodes(1), fields["episodes"]
            if saved is not None:
                episodes.restore(checked_text("episodes", saved).encode())
            elif seeded is not None:
                self.seed_lane(episodes, 0, seeded)
            self._recall(fields.get("memory"))
        self._np_random, self._np_random_seed = rng, seed
        self._episodes, self._seeded, self._begun = episodes, seeded, saved is not None

    def clone(self) -> Self:
        """An independent env in the same state."""
        return copy.deepcopy(self)

    def fork(self) -> Self:
        """An env in the same state for search: it shares the spaces and the seeds, so don't reset it."""
        made = type(self).__new__(type(self))
        vars(made).update(vars(self), _episodes=self._episodes.clone())
        return made


def draw(rng: np.random.Generator, seed: int) -> tuple[int, int]:
    """Seed of an env's episodes, and the group that determines the slice of its first."""
    return int(rng.integers(2**64, dtype=np.uint64)), seed % 2**32
