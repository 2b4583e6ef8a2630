"""Many games in parallel: all of the learners' moves and the replies to them are one call into Rust."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from reasonenv import _checks, _native
from reasonenv.envs._episodes import EpisodesVectorEnv
from reasonenv.envs._game import SELF, GameEnv
from reasonenv.envs._render import check_render_mode, game_frame, picture
from reasonenv.envs._vector import Bools, checked_autoreset_mode, checked_num_envs, put

ANALYSIS = ("regret", "blunder", "forced", "missed_win", "missed_block", "allowed_fork", "exact")


class GameVectorEnv(EpisodesVectorEnv[_native.Episodes]):
    """`num_envs` games side by side, each as `GameEnv` plays it in mode "numeric".

    Observations are float32 of shape (num_envs, *shape), actions int64 of shape (num_envs,), rewards float64,
    terminations and truncations bool, all fresh arrays. Infos are those of `SyncVectorEnv`: for each key of a
    single env's info an array with a row for each env and, under "_" + key, the bool mask of the envs that
    have it; `infos["action_mask"]` is int8 of shape (num_envs, `action_count`).

    Environment `i` behaves like a separate `GameEnv`: after `reset(seed=s)` the one reset with `seed=s + i`,
    after `reset(seed=[...])` the one reset with the seed at `i`.

    Args:
        num_envs: Number of envs, at most 2**20.
        autoreset_mode: Time of the reset after an env is over, an `AutoresetMode` or its value. "NextStep":
            in the next step, which ignores its action and rewards it with 0. "SameStep": in the step that
            ended it; the last observation is in `infos["final_obs"]`, its info in `infos["final_info"]`.
            "Disabled": only by `reset(options={"reset_mask": ...})`.
        max_episode_steps: As in `gymnasium.make`; the same as `max_turns`, and the smaller of them counts.
        render_mode: With "ansi" `render` returns a tuple of str, with "rgb_array" one of pictures.
        episode_infos: True to include the beginnings, ends and invalid actions of episodes in infos.
            Otherwise they hold masks and, with "SameStep", the last observations; a step of many small games
            then takes about half as long.
        **kwargs: Those of `GameEnv`, except mode "text" and `text`. A callable opponent is asked about one
            env after another.

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """

    _single: GameEnv

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        episode_infos: bool = True,
        **kwargs: Any,
    ) -> None:
        # The cheap checks come first, so that a refused call builds nothing slow.
        num_envs, autoreset_mode = checked_num_envs(num_envs), checked_autoreset_mode(autoreset_mode)
        if max_episode_steps is not None:
            max_episode_steps = _checks.whole("max_episode_steps", max_episode_steps, 1, 2**32 - 1)
        single = GameEnv(**kwargs)
        remedy = "make single environments (gymnasium.make, or make_vec with vectorization_mode='sync')"
        if single.mode == "text" or kwargs.get("text"):
            raise _native.InvalidArgument(f"these envs play in numbers; for text {remedy}")
        if kwargs.get("analysis") and not episode_infos:
            raise _native.InvalidArgument(
                "`episode_infos` is False, but must be True for analysis to be told"
            )
        if max_episode_steps is not None:
            most = single.max_turns
            kwargs["max_turns"] = max_episode_steps if most is None else min(most, max_episode_steps)
            single = GameEnv(**kwargs)
        super().__init__(
            num_envs, autoreset_mode, render_mode, ["ansi", "rgb_array"], single.metadata["render_fps"]
        )
        self._hold(single, tells=episode_infos)

    @property
    def game(self) -> _native.Game:
        """The game under its params."""
        return self._single.game

    @property
    def states(self) -> tuple[_native.State, ...]:
        """Copies of the games in progress.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        self._must_have_begun()
        return tuple(map(self._episodes.state, range(self.num_envs)))

    def render(self) -> tuple[Any, ...] | None:
        """Output of `GameEnv.render` for each env."""
        self._must_have_begun()
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        if self.render_mode == "rgb_array":
            seats = (self._episodes.episode_info(lane)["seat"] for lane in range(self.num_envs))
            return tuple(picture(state.drawing(seat)) for state, seat in zip(self.states, seats, strict=True))
        return tuple(game_frame(self._episodes, lane) for lane in range(self.num_envs))

    def _put_movers(self, infos: dict[str, Any], mask: Bools) -> None:
        if self._single.opponent == SELF:
            put(infos, mask, "current_player", np.where(mask, self._episodes.current_players(), 0))

    def _put_steps(self, infos: dict[str, Any], mask: Bools, columns: dict[str, NDArray[Any]]) -> None:
        super()._put_steps(infos, mask, columns)
        if "analyzed" not in columns:
            return
        known = columns["analyzed"] & mask
        if known.any():
            for key in ANALYSIS:
                put(infos, known, key, np.where(known, columns[key], np.zeros((), columns[key].dtype)))
