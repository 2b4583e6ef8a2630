"""A game against an opponent: one learner, one environment, in numbers or in text."""

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from reasonenv import _checks, _native
from reasonenv._opponents import warn_of_slow
from reasonenv._settings import takes
from reasonenv.envs._render import check_render_mode, game_frame, picture, print_frame
from reasonenv.envs._single import EpisodesEnv
from reasonenv.envs._spaces import CompletionSpace, prompts

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv._opponents import GamePolicy
    from reasonenv.types import GameSettings, OpponentName

GameMode = Literal["numeric", "text"]

Itself = Literal["self"]
SELF: Itself = "self"
"""Name of the opponent if the learner plays every seat."""


@takes("game")
class GameEnv(EpisodesEnv[_native.Episodes]):
    """One player of a game; each step includes the opponent's replies and the moves of chance.

    In mode "numeric" the observation is a float32 array in [0, 1] of the game's `shape`, the action a number
    below its `action_count`, and `info["action_mask"]` an int8 array of shape (`action_count`,) with 1 for
    each legal action. In mode "text" the observation is the message to a language model and the action its
    reply, with the move in `<move>` tags; `instructions` are the rules, for a system prompt.

    `reset(seed=...)` decides every episode that follows. `reset(options={"episode": i})` poses episode `i` of
    that seed, as often as asked: the same start, seat and opponent, and the same reply in the same position.

    A number that is not a legal action, or a text that does not name a legal move, is treated as `illegal`
    says. Anything but a whole number, or in mode "text" but a str, is an error: `step` raises, and nothing
    changes. Nothing changes either when an opponent raises or Ctrl-C stops a search, so that the same call
    can be made again.

    `info` holds at `reset` `seat` (0 moves first), `random_move_prob`, `example` (the seed of the random
    draws of the episode, below 2**63) and `episode_index`; at each step `invalid`, `cost` and `episode_cost`;
    at the end `winner` (0, 1 or -1 for nobody), `turns`, `invalid_moves`, `result` (what the learner got;
    absent if the game was cut off) and, in mode "text", `status` and `reward_parts`. `reset` adds
    `instructions` in mode "text". In mode "text" an invalid step also has `fault`, the label of what was
    wrong with the message. With `analysis`, `reset` adds `start_value`, every legal move `regret`, `blunder`,
    `forced`, `missed_win`, `missed_block` and `allowed_fork`, and the end `total_regret` and
    `opponent_regret`. `start_exact` and `exact` say whether `start_value` and `regret` are proved rather than
    guessed, `total_exact` at the end whether all of them were.

    With `opponent="self"` the learner plays every seat. `info["current_player"]` is the player to move (0 or
    1, -1 once the game is over), observation and mask are that player's, and a step's reward is that of the
    player who moved. At the end `returns`, float64 of shape (2,), is what each player got, and `result` what
    the one got who moved last; `seat` is left out. `start_value` is that to player 0, and the end has
    `regrets`, of each player, for `total_regret` and `opponent_regret`.

    If `analysis` or a reward of regret makes steps slow, a `SlowAnalysis` warning says so.

    Args:
        game: One of `reasonenv.list_games()`.
        params: Params of the game that replace its defaults.
        opponent: One of `reasonenv.arena.list_opponents()`, an `Opponent` of the same game, or any callable
            that takes a `State` and returns a legal action. None: the game's `default_opponent`. "self":
            no opponent: the learner plays every seat; see above.
        render_mode: "human" prints each reset and step; with "ansi" `render` returns the message as a str
            (the position in self-play), with "rgb_array" a picture of the board as a uint8 array of shape
            (height, width, 3).
        **settings: `reasonenv.types.GameSettings`.

    Raises:
        ReasonEnvError: An argument names nothing that exists or is out of bounds; it says which.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012, as Env has it
        "render_modes": ["human", "ansi", "rgb_array"],
        "render_fps": 4,
    }

    def __init__(
        self,
        game: str,
        params: dict[str, Any] | None = None,
        *,
        opponent: "OpponentName | Itself | _native.Opponent | GamePolicy | None" = None,
        render_mode: str | None = None,
        **settings: "Unpack[GameSettings]",
    ) -> None:
        _checks.one_of("render_mode", render_mode, [None, *self.metadata["render_modes"]])
        self.game = _native.game(game, params)
        self.render_mode = render_mode
        self._arguments: dict[str, Any] = {"opponent": opponent, **settings}
        self._episodes = self.episodes(1)
        self.opponent = self._episodes.opponent
        """Opponent; "self" if the learner plays every seat."""
        known = self._episodes.settings
        warn_of_slow(self.game, opponent, known["exact_plies"])
        self.mode: GameMode = known["mode"]
        self.max_turns: int | None = known["max_turns"]
        """Turns of the learner after which an episode is truncated; None: no limit."""
        self._in_text = self.mode == "text"
        self._adds_text: bool = known["text"]
        # Steps that need nothing from Python are one call into Rust.
        self._thin = not (self._in_text or self._adds_text or render_mode == "human")
        if self._in_text:
            self.observation_space = prompts(numbers='leave out mode="text" to observe numbers')
            self.action_space = CompletionSpace()
        else:
            self.observation_space = spaces.Box(0, 1, tuple(self.game.shape), np.float32)
            self.action_space = spaces.Discrete(self.game.action_count)

    @property
    def instructions(self) -> str:
        """Rules and reply format, for a language model's system prompt."""
        return self._episodes.instructions

    @property
    def state(self) -> _native.State:
        """A copy of the game in progress.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        if not self._begun:
            raise ResetNeeded("no game is in progress yet; call reset() first")
        return self._episodes.state(0)

    @property
    def episode_info(self) -> dict[str, Any]:
        """Facts about the episode: seat, turns, invalid moves, the opponent's last moves and more."""
        return self._episodes.episode_info(0)

    @property
    def horizon(self) -> int:
        """Maximum number of steps of an episode."""
        return self.max_turns or (self.game.max_plies if self.opponent == SELF else self.game.most_turns)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin another game.

        Args:
            seed: Decides this episode and, as long as no other seed is given, all that follow.
            options: `{"episode": i}` poses episode `i` of the seed; the next is episode `i + 1`.

        Returns:
            Observation of the learner before its first move, and an info dict as the class describes.
        """
        if seed is None and not options and self._begun and self.render_mode != "human":
            return self._begin(self._episodes, {})
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action and the replies to it.

        Args:
            action: A whole number, of Python or of NumPy, or in mode "text" a message.

        Returns:
            Observation, reward, whether the game is over, whether it was cut off, and info.

        Raises:
            ResetNeeded: The game is over or has not begun.
            InvalidArgument: The action isn't a whole number, or in mode "text" not a str.
            InvalidOpponent: A callable opponent returned something other than a legal action.
        """
        if self._thin:
            return self._episodes.play(action)
        # Printing may raise too; the env then keeps its episodes.
        episodes = self._episodes.clone() if self.render_mode == "human" else self._episodes
        stepped = episodes.say(action) if self._in_text else episodes.play(action)
        if self._adds_text:
            stepped[4]["text"] = episodes.message()
        if self.render_mode == "human":
            print_frame(game_frame(episodes))
            self._episodes = episodes
        return stepped

    def render(self) -> Any:
        """The message to a language model as ASCII, or a picture.

        In self-play it is the position alone, in the view of the first player, so that its marks never swap;
        where information is hidden, in that of the player to move.

        Returns:
            A str in render mode "ansi", an array in "rgb_array"; None in "human", which prints the message,
            and without a render mode.
        """
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        state = self.state
        if self.render_mode == "rgb_array":
            return picture(state.drawing(self._episodes.episode_info()["seat"]))
        frame = game_frame(self._episodes)
        if self.render_mode == "ansi":
            return frame
        print_frame(frame)
        return None

    def episodes(self, count: int) -> _native.Episodes:
        """Fresh episodes with this env's settings, `count` side by side."""
        return _native.Episodes(self.game, count, **self._arguments)

    def identity(self) -> dict[str, Any]:
        """Identity of a saved state: the game and its params."""
        return {"game": {"name": self.game.name, "version": self.game.version, "params": self.game.params}}

    def check_identity(self, fields: dict[str, Any]) -> None:
        """Raise ValueError unless the state belongs to the same game."""
        if fields["game"] != self.identity()["game"]:
            raise ValueError("it is of another game than this env; make both with the same arguments")

    def seed_lane(
        self, episodes: _native.Episodes, lane: int, words: tuple[int, int], episode: int = 0
    ) -> None:
        """Seed a lane whose next episode is `episode`."""
        episodes.seed(lane, *words, episode)

    def seed_lanes(
        self, episodes: _native.Episodes, words: NDArray[np.uint64], chosen: NDArray[np.bool_]
    ) -> None:
        """Seed the lanes where `chosen` is True, from their first episode on."""
        episodes.seed_all(words[0], words[1], chosen)

    def _begin(self, episodes: _native.Episodes, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        del options
        if self._thin:
            return episodes.begin()
        observation, info = episodes.begin(self._in_text)
        if self._adds_text:
            info["text"] = episodes.message()
        if self.render_mode == "human":
            print_frame(game_frame(episodes))
        return observation, info

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Copies share the opponent and the game, which is immutable except for its table of solved positions.
        for shared in (self.game, self.opponent):
            memo[id(shared)] = shared
        other = type(self).__new__(type(self))
        memo[id(self)] = other
        vars(other).update(copy.deepcopy(vars(self), memo))
        return other
