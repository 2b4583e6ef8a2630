"""A problem played move by move: the environment behind `mode="moves"`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from reasonenv import _checks, _native
from reasonenv._settings import fields, settled, takes
from reasonenv.envs._costs import Costs
from reasonenv.envs._generators import TaskSampler
from reasonenv.envs._hints import Hints
from reasonenv.envs._move_hints import Asked, find_hint
from reasonenv.envs._options import checked_option
from reasonenv.envs._progress import PlayProgress, check_progress
from reasonenv.envs._render import check_render_mode, picture, print_frame
from reasonenv.envs._single import Bools, EpisodesEnv
from reasonenv.envs._start import first_moves, next_move

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.envs._keywords import MovesKeywords

MovesMode = Literal["moves"]
Stepped = tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]

_FAILED = {"passed": False, "score": 0.0}
"""Entries of `info` at the end of an episode that costs of hints ended."""

MovesReward = Literal["binary", "partial", "progress"]


@takes("source", "moves", "hint")
class MovesEnv(EpisodesEnv[_native.ProblemEpisodes]):
    """Plays a problem move by move, numeric and masked; at the end the moves are verified as an answer.

    An episode is one item of the family, drawn from 2**63 of them; in sudoku a move fills a cell, in tsp it
    visits a city. The observation is float32 in [0, 1], planes first, and the action an index into a space of
    fixed size, of which `info["action_mask"]` (int8) says what is legal now.

    `info` holds `action_mask`; after `reset` also `example`, the item's index, and `episode_index`; after a
    step `invalid`, `cost` and `episode_cost`, and at the end `turns`, `invalid_moves` and, unless the episode
    was cut off, `result` (the reward of the answer), `passed` and `score`.

    With `hints` above 0 there is one more action, the last: it asks for a hint, which takes no turn. The hint
    is in `info["hint"]`, as text or None, and for the kind "steps" in `info["hint_action"]`, as an action;
    `info["hints"]` counts those shown. A hint is the next move of a shortest solution from here where the
    rules can tell, else of the known solution as long as that is followed, but never the last move.

    With `reward="progress"` each move earns the progress it makes towards the solution, and a move away gives
    it back. Progress is the share of a shortest solution's moves that are no longer needed, 0 once the
    problem can no longer be solved, and the answer's score at the end. So the rewards of an episode add up to
    its last progress, and going to and fro earns nothing.

    `reset(options={"index": i})` poses item `i` as the next episode. With `{"start": share}` the first share
    of the moves of its solution has been made before the learner's first one; they count as turns.

    Args:
        family: Name of a family whose tasks offer `Task.moves()`.
        mode: "moves".
        params: Params of the family that replace the level's.
        render_mode: "human" prints each reset and step; with "ansi" `render` returns the position as a str,
            with "rgb_array" a picture of it as a uint8 array of shape (height, width, 3).
        **settings: `reasonenv.types.SourceSettings`, `MovesSettings` and `HintSettings`.

    Raises:
        Unsupported: The family's problems cannot be played, it has no hints of the kind that is asked for, or
            its rules can't measure progress.
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
        _checks.one_of("reward", reward, get_args(MovesReward))
        self.pays_progress = reward == "progress"
        of_answer = "partial" if self.pays_progress else reward
        known = settled({"reward": of_answer, **settings}, "source", "moves", "hint")
        self.source = _native.family(family).source(
            seed=known["task_seed"], level=known["level"], params=params, split=known["split"]
        )
        if self.pays_progress:
            check_progress(self.source)
        self._progress: PlayProgress | None = None
        self._settings = {name: known[name] for name in fields("moves")}
        self.render_mode = render_mode
        self._episodes = self.episodes(1)
        self._hints, self._costs = Hints.of(known), Costs(known)
        self._asked = Asked()
        if self._hints.most:
            self._check_hints()
        self.observation_space = spaces.Box(0, 1, tuple(self._episodes.shape), np.float32)
        self.action_space = spaces.Discrete(self._episodes.action_count + bool(self._hints.most))

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

    def step(self, action: np.int64 | int) -> Stepped:
        """Play an action, any whole number.

        Returns:
            Observation, reward, whether the play is complete, whether it was cut off, and info.

        Raises:
            ResetNeeded: The episode is over or has not begun.
            InvalidArgument: The action isn't a whole number.
        """
        before = None
        if self.pays_progress and self._begun and not self._episodes.over()[0]:
            before = self._progress or PlayProgress.of(self.task, self.state)
        if not self._hints.most:
            stepped = self._episodes.play(action)
        elif self._asked.ended:
            raise ResetNeeded("the episode is over; call reset() to be posed another problem")
        elif self._asks(action):
            stepped = self._hinted()
        else:
            stepped = self._after_hints(self._episodes.play(action), action)
        if before is not None:
            observation, reward, terminated, truncated, info = stepped
            self._progress = before.at(self.state)
            reward += (0.0 if terminated else self._progress.share) - before.share
            stepped = observation, reward, terminated, truncated, info
        if self.render_mode == "human":
            print_frame(_drawn(self._episodes))
        return stepped

    def action_masks(self) -> Bools:
        """Mask of the legal actions, as bool of shape (`action_space.n`,), as MaskablePPO expects."""
        return self._mask(self._episodes.action_mask()).astype(np.bool_)

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

    def _memory(self) -> dict[str, Any]:
        """Hints asked for in the episode, and its moves."""
        return self._asked.to_dict() if self._hints.most else {}

    def _recall(self, memory: Any) -> None:
        """Take up the output of `_memory`."""
        self._progress = None
        if self._hints.most:
            self._asked = Asked.from_dict(memory, self._hints)
        else:
            super()._recall(memory)

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
        begun = first_moves(episodes.task(0), options["start"]) if "start" in options else []
        for action in begun:
            observation, _, _, truncated, played = episodes.play(action)
            if truncated:
                msg = f"`max_turns` is {self.horizon}, but the moves before the start take as many"
                raise _native.InvalidArgument(msg)
            info["action_mask"] = played["action_mask"]
        self._asked, self._progress = Asked(moves=tuple(begun)), None
        if self._hints.most:
            info |= {"action_mask": self._mask(info["action_mask"]), "hints": 0}
        if self.render_mode == "human":
            print_frame(_drawn(episodes))
        return observation, info

    def _check_hints(self) -> None:
        """Raise Unsupported unless there are hints of this kind."""
        self._hints.check(TaskSampler(self.source, 1))
        task = self.source.task(0)
        if self._hints.kind == "steps" and next_move(task, task.moves(), ()) is None:
            kinds = " or ".join(f'"{kind}"' for kind in self.source.family.hint_kinds if kind != "steps")
            msg = f'`hint_kind` is "steps", but {task.family} can\'t tell the next move; it must be {kinds}'
            raise _native.Unsupported(msg)

    def _asks(self, action: object) -> bool:
        """True if an action is a request that is answered."""
        is_last = isinstance(action, int | np.integer) and action == self._episodes.action_count
        return is_last and self._asked.requests < self._hints.most and not self._episodes.over()[0]

    def _hinted(self) -> Stepped:
        """The step that a request is."""
        hint, action = find_hint(self._hints, self.task, self.state, self._asked)
        cost = self._costs.of({"hint": hint is not None})
        asked = self._asked.shown(hint, cost)
        total = asked.played + asked.cost
        ended = self._costs.can_end and self._costs.end(cost, total, self.np_random, ("hint", asked.requests))
        self._asked = replace(asked, ended=ended)
        info: dict[str, Any] = {"invalid": False, "cost": cost, "episode_cost": total}
        info |= {"hint": hint, "hint_action": action}
        info |= {"hints": len(asked.texts), "action_mask": self._mask(self._episodes.action_mask())}
        if ended:
            info |= _FAILED
        reward = -self._hints.cost if hint is not None else 0.0
        return self._episodes.observation(), reward, ended, False, info

    def _after_hints(self, stepped: Stepped, action: np.int64 | int) -> Stepped:
        """A played step, with the costs of the hints before it."""
        observation, reward, terminated, truncated, info = stepped
        if self._hints.kind == "another" and self._asked.texts:
            reward = min(reward, 0.0)  # an answer that was bought earns nothing
        moves = self._asked.moves if info["invalid"] else (*self._asked.moves, int(action))
        limit, total = self._costs.settings["cost_limit"], info["episode_cost"] + self._asked.cost
        ended = not (terminated or truncated) and limit is not None and total > limit
        self._asked = replace(self._asked, moves=moves, played=info["episode_cost"], ended=ended)
        if ended:
            info |= _FAILED
        info |= {"episode_cost": total, "hints": len(self._asked.texts)}
        info["action_mask"] = self._mask(info["action_mask"])
        return observation, reward, terminated or ended, truncated, info

    def _mask(self, mask: NDArray[np.int8]) -> NDArray[np.int8]:
        """A mask of moves, with an entry for the request."""
        if not self._hints.most:
            return mask
        asks = mask.any() and not self._asked.ended and self._asked.requests < self._hints.most
        return np.append(mask, np.int8(asks))

    def _must_have_begun(self) -> None:
        if not self._begun:
            raise ResetNeeded("no problem is in play yet; call reset() first")


def _drawn(episodes: _native.ProblemEpisodes) -> str:
    return episodes.state(0).text(0)
