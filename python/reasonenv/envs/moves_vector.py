"""Many problems played at once: every move is one call into Rust."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from reasonenv import _checks, _native
from reasonenv.envs._episodes import EpisodesVectorEnv
from reasonenv.envs._render import check_render_mode
from reasonenv.envs._state import (
    checked_seed,
    checked_text,
    checked_words,
    reading_state,
    rng_from,
    rng_state,
    write_state,
)
from reasonenv.envs._vector import Bools, checked_autoreset_mode, checked_num_envs
from reasonenv.envs.moves import MovesEnv, same_source


class MovesVectorEnv(EpisodesVectorEnv[_native.ProblemEpisodes]):
    """`num_envs` problems side by side, each as `MovesEnv` plays it.

    Observations are float32 of shape (num_envs, *shape), actions int64 of shape (num_envs,), rewards float64,
    terminations and truncations bool, all fresh arrays. Infos are those of `SyncVectorEnv`, as in
    `GameVectorEnv`. Environment `i` equals a `MovesEnv` of its own: after `reset(seed=s)` the one reset with
    `seed=s + i`, after `reset(seed=[...])` the one reset with the seed at `i`.

    Args:
        num_envs: How many, at most 2**20.
        autoreset_mode: When an env that is over is reset, an `AutoresetMode` or its value, as in
            `GameVectorEnv`.
        max_episode_steps: As in `gymnasium.make`; the same as `max_turns`, and the smaller of them counts.
        render_mode: With "ansi" `render` returns a tuple of str.
        **kwargs: Those of `MovesEnv`.

    Raises:
        Unsupported: The family's problems cannot be played.
        ReasonEnvError: An argument names nothing that exists or is out of bounds; it says which.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **kwargs: Any,
    ) -> None:
        num_envs, autoreset_mode = checked_num_envs(num_envs), checked_autoreset_mode(autoreset_mode)
        if max_episode_steps is not None:
            most = _checks.whole("max_episode_steps", max_episode_steps, 1, 2**32 - 1)
            given = kwargs.get("max_turns")
            kwargs["max_turns"] = most if given is None else min(given, most)
        single = MovesEnv(**kwargs)
        super().__init__(num_envs, autoreset_mode, render_mode, ["ansi"], single.metadata["render_fps"])
        self._single = single
        self._hold(single, single.episodes(num_envs), tells=True)

    @property
    def tasks(self) -> tuple[_native.Task, ...]:
        """The items in play, with their solutions and judges.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        self._must_have_begun()
        return tuple(map(self._episodes.task, range(self.num_envs)))

    def render(self) -> tuple[str, ...] | None:
        """What `MovesEnv.render` returns in render mode "ansi", for each env."""
        self._must_have_begun()
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        return tuple(self._episodes.state(lane).text(0) for lane in range(self.num_envs))

    def get_state(self) -> bytes:
        """All that decides what these envs do next, as JSON."""
        return write_state(
            source=repr(self._single.source),
            episodes=self._episodes.save().decode() if self._begun else None,
            words=self._words.tolist(),
            np_randoms=[rng and rng_state(rng) for rng in self._rngs],
            np_random_seeds=self._seeds,
        )

    def set_state(self, state: bytes) -> None:
        """Continues from what `get_state` returned, of these envs or of ones made with the same arguments.

        Raises:
            InvalidState: The state is damaged, or of envs of other items; these are unchanged.
        """
        with reading_state(state) as fields:
            same_source(self._single.source, fields["source"])
            rngs = [rng and rng_from(rng) for rng in fields["np_randoms"]]
            pairs = [checked_words("words", pair) for pair in zip(*fields["words"], strict=True)]
            words = np.array(pairs, np.uint64).T.copy()
            seeds = list(map(checked_seed, fields["np_random_seeds"]))
            self._check_count(rngs, pairs, seeds)
            episodes, saved = self._single.episodes(self.num_envs), fields["episodes"]
            if saved is None:
                self._seed_all(episodes, words, self._all())
            else:
                episodes.restore(checked_text("episodes", saved).encode())
        self._rngs, self._seeds, self._words = rngs, seeds, words
        self._episodes, self._begun = episodes, saved is not None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_episodes": self._episodes.save() if self._begun else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        saved, self._episodes = state["_episodes"], self._single.episodes(self.num_envs)
        if saved is None:
            self._seed_all(self._episodes, self._words, self._all())
        else:
            self._episodes.restore(saved)

    def _seed_all(self, episodes: _native.ProblemEpisodes, words: NDArray[np.uint64], chosen: Bools) -> None:
        episodes.seed_all(np.ascontiguousarray(words[0]), chosen)

    def _seed_one(self, episodes: _native.ProblemEpisodes, lane: int, words: list[int], episode: int) -> None:
        episodes.seed(lane, words[0], episode)
