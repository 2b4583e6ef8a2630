"""A problem played move by move: the environment behind `mode="moves"`."""

import copy
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from numpy.typing import NDArray

from reasonenv import _checks, _native
from reasonenv.envs._episodes import draw
from reasonenv.envs._options import checked_option, checked_options
from reasonenv.envs._render import check_render_mode, print_frame
from reasonenv.envs._state import (
    checked_seed,
    checked_text,
    checked_words,
    reading_state,
    rng_from,
    rng_state,
    write_state,
)

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.types import SplitName

Mode = Literal["moves"]
Reward = Literal["binary", "partial"]
Illegal = Literal["lose", "penalty"]


class MovesEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """Plays a problem move by move, numeric and masked; what was played is judged as an answer at the end.

    An episode is one item of the family, drawn from 2**63 of them; in sudoku a move fills a cell, in tsp it
    visits a city. The observation is float32 in [0, 1], planes first, and the action an index into a space of
    fixed size, of which `info["action_mask"]` (int8) says what is legal now.

    `info` holds `action_mask`; after `reset` also `example`, the item's index, and `episode_index`; after a
    step `invalid`, and at the end `turns`, `invalid_moves` and, unless the episode was cut off, `result` (the
    reward of the answer), `passed` and `score`.

    Args:
        family: Name of a family whose tasks offer `Task.moves()`.
        mode: "moves".
        level: Difficulty, from 0 to the family's `top_level`.
        params: Params of the family that replace the level's.
        split: Which items: "train", or one that shares none with it.
        task_seed: Seed of the stream of items.
        reward: "binary": at the end 1.0 where the answer that was played passes, else 0.0. "partial": its
            score.
        illegal: What an illegal action does: "lose" ends the episode with 0, "penalty" uses up a turn.
        invalid_penalty: Added to the reward for an illegal action that did not end the episode.
        max_turns: Turns after which an episode is cut off. None: three more than there are actions where
            illegal ones do not end it, else no limit.
        render_mode: "human" prints each reset and step, "ansi" makes `render` return the position as a str.

    Raises:
        Unsupported: The family's problems cannot be played.
        ReasonEnvError: An argument names nothing that exists or is out of bounds; it says which.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi"], "render_fps": 4}  # noqa: RUF012, as Env has it

    def __init__(
        self,
        family: str,
        *,
        mode: Mode = "moves",
        level: int = 0,
        params: dict[str, Any] | None = None,
        split: "SplitName" = "train",
        task_seed: int = 0,
        reward: Reward = "binary",
        illegal: Illegal = "lose",
        invalid_penalty: float = -0.1,
        max_turns: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        _checks.one_of("mode", mode, get_args(Mode))
        _checks.one_of("reward", reward, get_args(Reward))
        _checks.one_of("illegal", illegal, get_args(Illegal))
        _checks.one_of("render_mode", render_mode, [None, *self.metadata["render_modes"]])
        self.source = _native.family(family).source(seed=task_seed, level=level, params=params, split=split)
        self._setup: dict[str, Any] = {
            "reward": reward,
            "illegal": illegal,
            "invalid_penalty": _checks.number("invalid_penalty", invalid_penalty),
            "max_turns": max_turns,
        }
        self.render_mode = render_mode
        self._episodes = self.episodes(1)
        if max_turns is None and illegal == "penalty":
            self._setup["max_turns"] = self._episodes.action_count + SPARE_TURNS
            self._episodes = self.episodes(1)
        self._seeded: tuple[int, int] | None = None
        self._begun = False
        self.observation_space = spaces.Box(0, 1, tuple(self._episodes.shape), np.float32)
        self.action_space = spaces.Discrete(self._episodes.action_count)

    @property
    def task(self) -> _native.Task:
        """The item in play, with its solution and judge.

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
        """The most steps of an episode; None where only the play itself ends it."""
        limit: int | None = self._setup["max_turns"]
        return limit

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins another item.

        Args:
            seed: Decides this episode and, as long as no other seed is given, all that follow.
            options: `{"episode": i}` poses episode `i` of the seed; the next is episode `i + 1`.

        Returns:
            What there is to see, and an info dict as the class describes.
        """
        episode = checked_options(options, "episode").get("episode")
        if episode is not None:
            episode = checked_option("episode", episode)
        # Made anew and put in place at the end, so that nothing has changed if anything raises.
        episodes, seeded = self._episodes.clone(), self._seeded
        rng, rng_seed = self._np_random, self._np_random_seed
        if seed is not None or seeded is None:
            if seed is not None or rng is None:
                rng, rng_seed = seeding.np_random(seed)
            else:
                rng = copy.deepcopy(rng)
            seeded = draw(rng, rng_seed or 0)
            episodes.seed(0, seeded[0])
        if episode is not None:
            episodes.seed(0, seeded[0], episode)
        observation, info = episodes.begin()
        if self.render_mode == "human":
            print_frame(_drawn(episodes))
        self._np_random, self._np_random_seed = rng, rng_seed
        self._episodes, self._seeded, self._begun = episodes, seeded, True
        return observation, info

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Plays an action, any whole number.

        Returns:
            What there is to see now, the reward, whether all is played, whether it was cut off, and info.

        Raises:
            ResetNeeded: The episode is over or has not begun.
            InvalidArgument: The action is no whole number.
        """
        stepped = self._episodes.play(action)
        if self.render_mode == "human":
            print_frame(_drawn(self._episodes))
        return stepped

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, as bool of shape (`action_count`,): what MaskablePPO asks for."""
        return self._episodes.action_mask().astype(np.bool_)

    def render(self) -> str | None:
        """The position in ASCII.

        Returns:
            The text in render mode "ansi"; None in "human", which prints it, and without a render mode.
        """
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        self._must_have_begun()
        frame = _drawn(self._episodes)
        if self.render_mode == "ansi":
            return frame
        print_frame(frame)
        return None

    def get_state(self) -> bytes:
        """All that decides what this env does next, as JSON: the play, seeds, generator."""
        return write_state(
            source=repr(self.source),
            episodes=self._episodes.save().decode() if self._begun else None,
            seeded=self._seeded,
            np_random=rng_state(self.np_random),
            np_random_seed=self.np_random_seed,
        )

    def set_state(self, state: bytes) -> None:
        """Continues from what `get_state` returned, of this env or of one made with the same arguments.

        Raises:
            InvalidState: The state is damaged or of other items; this env is unchanged.
        """
        with reading_state(state) as fields:
            same_source(self.source, fields["source"])
            rng, seed = rng_from(fields["np_random"]), checked_seed(fields["np_random_seed"])
            seeded = None if fields["seeded"] is None else checked_words("seeded", fields["seeded"])
            episodes, saved = self.episodes(1), fields["episodes"]
            if saved is not None:
                episodes.restore(checked_text("episodes", saved).encode())
            elif seeded is not None:
                episodes.seed(0, seeded[0])
        self._np_random, self._np_random_seed = rng, seed
        self._episodes, self._seeded, self._begun = episodes, seeded, saved is not None

    def clone(self) -> Self:
        """An independent env in the same state."""
        return copy.deepcopy(self)

    def episodes(self, count: int) -> _native.ProblemEpisodes:
        """Fresh episodes as this env's arguments say, `count` side by side."""
        return _native.ProblemEpisodes(self.source, count, **self._setup)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_episodes": self._episodes.save() if self._begun else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        saved, self._episodes = state["_episodes"], self.episodes(1)
        if saved is not None:
            self._episodes.restore(saved)
        elif self._seeded is not None:
            self._episodes.seed(0, self._seeded[0])

    def _must_have_begun(self) -> None:
        if not self._begun:
            raise ResetNeeded("no problem is in play yet; call reset() first")


SPARE_TURNS = 3
"""Turns that may be wasted where nothing else ends an episode of illegal moves."""


def same_source(source: _native.Source, saved: object) -> None:
    """Raises ValueError unless a state was saved of the same items."""
    if saved != repr(source):
        raise ValueError(f"it is of {_checks.shown(saved)}, where this env is of {source!r}")


def _drawn(episodes: _native.ProblemEpisodes) -> str:
    return episodes.state(0).text(0)
