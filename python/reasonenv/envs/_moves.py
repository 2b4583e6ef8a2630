"""A problem played move by move: the environment behind `mode="moves"`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from reasonenv import _checks, _native
from reasonenv._settings import fields, settled, takes
from reasonenv.envs._options import checked_option
from reasonenv.envs._render import check_render_mode, picture, print_frame
from reasonenv.envs._single import EpisodesEnv
from reasonenv.envs._start import first_moves

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.envs._keywords import MovesKeywords

MovesMode = Literal["moves"]
MovesReward = Literal["binary", "partial"]


@takes("source", "moves")
class MovesEnv(EpisodesEnv[_native.ProblemEpisodes]):
    """Plays a problem move by move, numeric and masked; at the end the moves are verified as an answer.

    An episode is one item of the family, drawn from 2**63 of them; in sudoku a move fills a cell, in tsp it
    visits a city. The observation is float32 in [0, 1], planes first, and the action an index into a space of
    fixed size, of which `info["action_mask"]` (int8) says what is legal now.

    `info` holds `action_mask`; after `reset` also `example`, the item's index, and `episode_index`; after a
    step `invalid`, `cost` and `episode_cost`, and at the end `turns`, `invalid_moves` and, unless the episode
    was cut off, `result` (the reward of the answer), `passed` and `score`.

    `reset(options={"index": i})` poses item `i` as the next episode. With `{"start": share}` the first share
    of the moves of its solution has been made before the learner's first one; they count as turns.

    Args:
        family: Name of a family whose tasks offer `Task.moves()`.
        mode: "moves".
        params: Params of the family that replace the level's.
        render_mode: "human" prints each reset and step; with "ansi" `render` returns the position as a str,
            with "rgb_array" a picture of it as a uint8 array of shape (height, width, 3).
        **settings: `reasonenv.types.SourceSettings` and `MovesSettings`.

    Raises:
        Unsupported: The family's problems cannot be played.
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012, as Env has it
        "render_modes": ["human", "ansi", "rgb_array"],
        "render_fps": 4,
    }
    _options = ("episode", "index", "start")

    def __init__(
        self,
        family: str,
        *,
        mode: MovesMode = "moves",
        params: dict[str, Any] | None = None,
        reward: MovesReward = "binary",
        render_mode: str | None = None,
        **settings: "Unpack[MovesKeywords]",
    ) -> None:
        _checks.one_of("mode", mode, get_args(MovesMode))
        _checks.one_of("render_mode", render_mode, [None, *self.metadata["render_modes"]])
        known = settled({"reward": reward, **settings}, "source", "moves")
        self.source = _native.family(family).source(
            seed=known["task_seed"], level=known["level"], params=params, split=known["split"]
        )
        self._settings = {name: known[name] for name in fields("moves")}
        self.render_mode = render_mode
        self._episodes = self.episodes(1)
        self.observation_space = spaces.Box(0, 1, tuple(self._episodes.shape), np.float32)
        self.action_space = spaces.Discrete(self._episodes.action_count)

    @property
    def task(self) -> _native.Task:
        """The item in play, with its solution and verifier.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        self._must_have_begun()
        return self._episodes.task(0)

    @property
    def state(self) -> _native.Play:
        """A copy of the play in progress.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        self._must_have_begun()
        return self._episodes.state(0)

    @property
    def horizon(self) -> int | None:
        """Maximum number of steps of an episode; None if the item sets it."""
        limit: int | None = self._settings["max_turns"]
        return limit

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play an action, any whole number.

        Returns:
            Observation, reward, whether the play is complete, whether it was cut off, and info.

        Raises:
            ResetNeeded: The episode is over or has not begun.
            InvalidArgument: The action isn't a whole number.
        """
        stepped = self._episodes.play(action)
        if self.render_mode == "human":
            print_frame(_drawn(self._episodes))
        return stepped

    def render(self) -> str | NDArray[np.uint8] | None:
        """The position in ASCII, or a picture of it.

        Returns:
            A str in render mode "ansi", an array in "rgb_array"; None in "human", which prints the position,
            and without a render mode.
        """
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        self._must_have_begun()
        if self.render_mode == "rgb_array":
            return picture(self._episodes.state(0).drawing())
        frame = _drawn(self._episodes)
        if self.render_mode == "ansi":
            return frame
        print_frame(frame)
        return None

    def episodes(self, count: int) -> _native.ProblemEpisodes:
        """Fresh episodes with this env's settings, `count` side by side."""
        return _native.ProblemEpisodes(self.source, count, **self._settings)

    def identity(self) -> dict[str, Any]:
        """Identity of a saved state: the source of the items."""
        return {"source": repr(self.source)}

    def check_identity(self, fields: dict[str, Any]) -> None:
        """Raise ValueError unless the state belongs to the same items."""
        if fields["source"] != repr(self.source):
            raise ValueError(
                f"it is of {_checks.shown(fields['source'])}, where this env is of {self.source!r}"
            )

    def seed_lane(
        self, episodes: _native.ProblemEpisodes, lane: int, words: tuple[int, int], episode: int = 0
    ) -> None:
        """Seed a lane whose next episode is `episode`."""
        episodes.seed(lane, words[0], episode)

    def seed_lanes(
        self, episodes: _native.ProblemEpisodes, words: NDArray[np.uint64], chosen: NDArray[np.bool_]
    ) -> None:
        """Seed the lanes where `chosen` is True, from their first episode on."""
        episodes.seed_all(np.ascontiguousarray(words[0]), chosen)

    def _begin(
        self, episodes: _native.ProblemEpisodes, options: Mapping[str, Any]
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        index = options.get("index")
        if index is not None and "episode" in options:
            raise _native.InvalidArgument("`options` has both `index` and `episode`, but must have one")
        observation, info = episodes.begin(None if index is None else checked_option("index", index))
        for action in first_moves(episodes.task(0), options["start"]) if "start" in options else ():
            observation, _, _, truncated, played = episodes.play(action)
            if truncated:
                msg = f"`max_turns` is {self.horizon}, but the moves before the start take as many"
                raise _native.InvalidArgument(msg)
            info["action_mask"] = played["action_mask"]
        if self.render_mode == "human":
            print_frame(_drawn(episodes))
        return observation, info

    def _must_have_begun(self) -> None:
        if not self._begun:
            raise ResetNeeded("no problem is in play yet; call reset() first")


def _drawn(episodes: _native.ProblemEpisodes) -> str:
    return episodes.state(0).text(0)
