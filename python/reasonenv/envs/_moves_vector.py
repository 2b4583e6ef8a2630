"""Many problems played in parallel: every move is one call into Rust."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from reasonenv import _checks, _native
from reasonenv.envs._episodes import EpisodesVectorEnv, numbers
from reasonenv.envs._moves import MovesEnv
from reasonenv.envs._progress import PlayProgress
from reasonenv.envs._render import check_render_mode, picture
from reasonenv.envs._vector import Bools, Floats, Seeds, checked_autoreset_mode, checked_num_envs


class MovesVectorEnv(EpisodesVectorEnv[_native.ProblemEpisodes]):
    """`num_envs` problems side by side, each as `MovesEnv` plays it.

    Observations are float32 of shape (num_envs, *shape), actions int64 of shape (num_envs,), rewards float64,
    terminations and truncations bool, all fresh arrays. Infos are those of `SyncVectorEnv`, as in
    `GameVectorEnv`. Environment `i` behaves like a separate `MovesEnv`: after `reset(seed=s)` the one reset
    with `seed=s + i`, after `reset(seed=[...])` the one reset with the seed at `i`.

    Args:
        num_envs: Number of envs, at most 2**20.
        autoreset_mode: Time of the reset after an env is over, an `AutoresetMode` or its value, as in
            `GameVectorEnv`.
        max_episode_steps: As in `gymnasium.make`; the same as `max_turns`, and the smaller of them counts.
        render_mode: With "ansi" `render` returns a tuple of str, with "rgb_array" one of pictures.
        **kwargs: Those of `MovesEnv`.

    Raises:
        Unsupported: The family's problems cannot be played, or `hints` is not 0.
        ReasonEnvError: An argument is unknown or out of bounds; names it.
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
        if hints := kwargs.get("hints", 0):
            msg = (
                f"`hints` is {_checks.shown(hints)}, but vector environments of moves have none; it must be 0"
            )
            raise _native.Unsupported(msg)
        single = MovesEnv(**kwargs)
        self._pays_progress = single.pays_progress
        self._progress: list[PlayProgress | None] = [None] * num_envs
        super().__init__(
            num_envs, autoreset_mode, render_mode, ["ansi", "rgb_array"], single.metadata["render_fps"]
        )
        self._hold(single, tells=True)

    def reset(
        self, *, seed: Seeds = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """As in `GameVectorEnv`."""
        begun = super().reset(seed=seed, options=options)
        self._progress = [None] * self.num_envs
        return begun

    def step(
        self, actions: NDArray[np.int64] | Sequence[int]
    ) -> tuple[NDArray[np.float32], Floats, Bools, Bools, dict[str, Any]]:
        """As in `GameVectorEnv`."""
        if not self._pays_progress:
            return super().step(actions)
        self._must_have_begun()
        playing = np.flatnonzero(~self._episodes.over()).tolist()
        chosen = numbers(actions)
        before = {
            i: self._progress[i] or PlayProgress.of(self._episodes.task(i), self._episodes.state(i))
            for i in playing
        }
        # A lane that ends may begin anew in this step, so the position ahead is made here.
        ahead = {
            i: one.after(self._episodes.state(i), int(chosen[i]))
            for i, one in before.items()
            if i < len(chosen)
        }
        seen, rewards, terminations, truncations, infos = super().step(chosen)
        self._progress = [None] * self.num_envs
        for i, one in before.items():
            rewards[i] += (0.0 if terminations[i] else ahead[i].share) - one.share
            if not (terminations[i] or truncations[i]):
                self._progress[i] = ahead[i]
        return seen, rewards, terminations, truncations, infos

    def set_state(self, state: bytes) -> None:
        """As in `GameVectorEnv`."""
        super().set_state(state)
        self._progress = [None] * self.num_envs

    @property
    def tasks(self) -> tuple[_native.Task, ...]:
        """The items in play, with their solutions and verifiers.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        self._must_have_begun()
        return tuple(map(self._episodes.task, range(self.num_envs)))

    def render(self) -> tuple[str, ...] | tuple[NDArray[np.uint8], ...] | None:
        """Output of `MovesEnv.render` for each env."""
        self._must_have_begun()
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        states = [self._episodes.state(lane) for lane in range(self.num_envs)]
        if self.render_mode == "rgb_array":
            return tuple(picture(state.drawing()) for state in states)
        return tuple(state.text(0) for state in states)
