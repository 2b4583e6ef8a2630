"""Base of the vector environments of games and played problems: lanes in Rust, stepped in one call."""

import copy
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from reasonenv import _checks, _native
from reasonenv.envs._options import checked_option, checked_options
from reasonenv.envs._single import EpisodesEnv, Lanes, draw
from reasonenv.envs._state import (
    checked_seed,
    checked_text,
    checked_words,
    reading_state,
    rng_from,
    rng_state,
    write_state,
)
from reasonenv.envs._vector import Bools, Floats, LanesEnv, Seeds, put

Observations = NDArray[np.float32]


class EpisodesVectorEnv(LanesEnv[Observations, NDArray[np.int64]], Generic[Lanes]):
    """Episodes in Rust, side by side; subclasses say what they are episodes of."""

    _episodes: Lanes
    _single: EpisodesEnv[Lanes]

    def _hold(self, single: EpisodesEnv[Lanes], *, tells: bool) -> None:
        """Take the spaces of a single env, and fresh lanes of its kind."""
        self._single = single
        self.single_observation_space = single.observation_space
        self.single_action_space = single.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._action_count = int(single.action_space.n)  # type: ignore[attr-defined]
        self._words = np.zeros((2, self.num_envs), np.uint64)
        self._episodes, self._tells, self._begun = single.episodes(self.num_envs), tells, False

    def reset(
        self, *, seed: Seeds = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin other episodes.

        Args:
            seed: An int seeds env `i` with `seed + i`; a sequence gives each env its own seed, or None to
                continue its stream.
            options: `{"episode": i}` poses episode `i` of each env's seed. `{"reset_mask": mask}`, a bool
                array of shape (num_envs,), resets only where it is True.

        Returns:
            All observations, and the infos of the envs that were reset.
        """
        checked = checked_options(options, "episode", "reset_mask")
        mask, seeds = self._checked_mask(checked), self._checked_seeds(seed)
        episode = checked.get("episode")
        if episode is not None:
            episode = checked_option("episode", episode)
        # Made anew and swapped in at the end, so that an exception changes nothing.
        drawn = self._drawn(seeds, mask) if seed is not None or not self._begun else None
        episodes, words = self._episodes, self._words
        if drawn is not None or episode is not None:
            episodes = episodes.clone()
        if drawn is not None:
            words = drawn.words
            self._single.seed_lanes(episodes, words, drawn.chosen)
        if episode is not None:
            for i in np.flatnonzero(mask).tolist():
                first, second = words[:, i].tolist()
                self._single.seed_lane(episodes, i, (first, second), episode)
        episodes.reset_all(mask)
        if drawn is not None:
            self._rngs, self._seeds, self._words = drawn.rngs, drawn.seeds, drawn.words
        self._episodes, self._begun = episodes, True
        infos: dict[str, Any] = {}
        masks = self._episodes.action_masks()
        masks[~mask] = 0
        put(infos, mask, "action_mask", masks)
        self._put_movers(infos, mask)
        if self._tells:
            _put_columns(infos, mask, self._episodes.begin_columns(mask))
        return self._episodes.observations(), infos

    def step(
        self, actions: NDArray[np.int64] | Sequence[int]
    ) -> tuple[Observations, Floats, Bools, Bools, dict[str, Any]]:
        """Play an action in each env, and the replies to it.

        Args:
            actions: One whole number for each env, legal or not; see the single env.

        Returns:
            Observations, rewards, terminations, truncations and infos.

        Raises:
            ResetNeeded: Before the first `reset`, or with "Disabled" while some env is over; names those
                envs.
            InvalidArgument: There are not `num_envs` actions, or some are not whole numbers.
        """
        self._must_have_begun()
        mode = self.autoreset_mode
        if mode is AutoresetMode.DISABLED and (over := self._episodes.over()).any():
            self._refuse_over(over)
        seen, rewards, terminations, truncations, masks, last, resets, told = self._episodes.step_all(
            numbers(actions), mode.value, self._tells
        )
        ended = terminations | truncations
        infos: dict[str, Any] = {}
        acted = ~resets
        if last is not None:
            infos.update(self._final(told, terminations, ended, last))
            acted, resets = ~ended, ended
        put(infos, self._all(), "action_mask", masks)
        if "current_player" in told:
            put(infos, self._all(), "current_player", told["current_player"])
        if "step" in told and acted.any():
            self._put_steps(infos, acted, told["step"])
        if "end" in told and last is None:
            _put_ends(infos, terminations, ended, told["end"])
        if "begin" in told:
            _put_columns(infos, resets, told["begin"])
        return seen, rewards, terminations, truncations, infos

    def action_masks(self) -> Bools:
        """Mask of the legal actions, as bool of shape (num_envs, `action_count`)."""
        return self._episodes.action_masks().astype(np.bool_)

    def get_state(self) -> bytes:
        """Full state of these envs, as JSON."""
        return write_state(
            **self._single.identity(),
            episodes=self._episodes.save().decode() if self._begun else None,
            words=self._words.tolist(),
            np_randoms=[rng and rng_state(rng) for rng in self._rngs],
            np_random_seeds=self._seeds,
        )

    def set_state(self, state: bytes) -> None:
        """Continue from the output of `get_state`, of these envs or of ones made with the same arguments.

        Raises:
            InvalidState: The state is damaged, or of other envs; these are unchanged.
        """
        with reading_state(state) as fields:
            self._single.check_identity(fields)
            rngs = [rng and rng_from(rng) for rng in fields["np_randoms"]]
            pairs = [checked_words("words", pair) for pair in zip(*fields["words"], strict=True)]
            words = np.array(pairs, np.uint64).T.copy()
            seeds = list(map(checked_seed, fields["np_random_seeds"]))
            self._check_count(rngs, pairs, seeds)
            episodes, saved = self._single.episodes(self.num_envs), fields["episodes"]
            if saved is None:
                self._single.seed_lanes(episodes, words, self._all())
            else:
                episodes.restore(checked_text("episodes", saved).encode())
        self._rngs, self._seeds, self._words = rngs, seeds, words
        self._episodes, self._begun = episodes, saved is not None

    @property
    def _has_begun(self) -> bool:
        return self._begun

    def _drawn(self, seeds: list[int | None], mask: Bools) -> "_SeedDraws":
        """Random streams from now on of the envs that are given a seed, and of those without one so far."""
        drawn = _SeedDraws(
            list(self._rngs), list(self._seeds), self._words.copy(), np.zeros(self.num_envs, np.bool_)
        )
        for i, own in enumerate(seeds):
            rng = self._rngs[i]
            if own is not None and mask[i]:
                rng, drawn.seeds[i] = seeding.np_random(own)
            elif self._begun:
                continue
            elif rng is None:
                rng, drawn.seeds[i] = seeding.np_random()
            else:
                rng = copy.deepcopy(rng)
            drawn.words[:, i] = draw(rng, drawn.seeds[i])
            drawn.rngs[i], drawn.chosen[i] = rng, True
        return drawn

    def _final(
        self, told: dict[str, Any], terminations: Bools, ended: Bools, last: Observations
    ) -> dict[str, Any]:
        """Last observations and infos of the envs that ended and began anew."""
        seen = np.full(self.num_envs, None, np.object_)
        for i in np.flatnonzero(ended).tolist():
            seen[i] = last[i]
        final: dict[str, Any] = {}
        # After the end no action is legal, and nobody is to move.
        put(final, ended, "action_mask", np.zeros((self.num_envs, self._action_count), np.int8))
        if "current_player" in told:
            put(final, ended, "current_player", np.where(ended, -1, 0))
        if "step" in told:
            self._put_steps(final, ended, told["step"])
        if "end" in told:
            _put_ends(final, terminations, ended, told["end"])
        infos: dict[str, Any] = {}
        put(infos, ended, "final_obs", seen)
        put(infos, ended, "final_info", final)
        return infos

    def _put_movers(self, infos: dict[str, Any], mask: Bools) -> None:
        """Player to move as episodes begin."""

    def _put_steps(self, infos: dict[str, Any], mask: Bools, columns: dict[str, NDArray[Any]]) -> None:
        """Infos of a step, for the envs in `mask`."""
        for key in ("invalid", "cost", "episode_cost"):
            put(infos, mask, key, columns[key] * mask)


@dataclass
class _SeedDraws:
    """Generators of envs, their seeds, the words drawn from them, and a mask of the envs with new ones."""

    rngs: list[np.random.Generator | None]
    seeds: list[int]
    words: NDArray[np.uint64]
    chosen: Bools


def _put_ends(
    infos: dict[str, Any], terminations: Bools, ended: Bools, columns: dict[str, NDArray[Any]]
) -> None:
    """Results of the episodes in `ended`."""
    # A truncated episode has no result.
    of_terminated: dict[str, NDArray[Any]] = {
        key: columns.pop(key) for key in ("result", "returns", "passed", "score") if key in columns
    }
    if terminations.any():
        _put_columns(infos, terminations, of_terminated)
    _put_columns(infos, ended, columns)


def _put_columns(infos: dict[str, Any], mask: Bools, columns: dict[str, NDArray[Any]]) -> None:
    """Columns that are already zero outside the mask."""
    for key, values in columns.items():
        put(infos, mask, key, values)


def numbers(actions: Any) -> NDArray[np.int64]:
    """Actions as int64; larger numbers are clipped to values that are never legal either."""
    if isinstance(actions, np.ndarray):
        if actions.ndim != 1 or (actions.dtype.kind not in "iu" and actions.dtype != object):
            given = f"an array of {actions.dtype} of shape {actions.shape}"
            msg = f"`actions` are {given}, but must be whole numbers, one for each env"
            raise _native.InvalidArgument(msg)
        if actions.dtype.kind in "iu":
            return np.ascontiguousarray(actions, np.int64)
    try:
        return np.fromiter((_number(i, action) for i, action in enumerate(actions)), np.int64)
    except TypeError:
        raise _native.InvalidArgument(
            f"`actions` is {_checks.shown(actions)}, but must be whole numbers, one for each env"
        ) from None


def _number(i: int, action: Any) -> int:
    try:
        number = operator.index(action)
    except TypeError:
        raise _native.InvalidArgument(
            f"`actions[{i}]` is {_checks.shown(action)}, but must be a whole number"
        ) from None
    return number if -(2**63) <= number < 2**63 else -1
