"""A game against an opponent: one learner, one environment, in numbers or in text."""

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from numpy.typing import NDArray

from reasonenv import _checks, _native
from reasonenv.envs._episodes import draw
from reasonenv.envs._opponent import Policy, chosen_opponent, random_move_range
from reasonenv.envs._options import checked_option, checked_options
from reasonenv.envs._render import check_render_mode, picture, print_frame
from reasonenv.envs._spaces import Completion, prompts
from reasonenv.envs._state import (
    checked_seed,
    checked_text,
    checked_words,
    game_fields,
    reading_state,
    rng_from,
    rng_state,
    same_game,
    write_state,
)
from reasonenv.rewards.presets import PRESETS

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.types import OpponentName

Mode = Literal["numeric", "text"]
Optimality = Literal["wdl", "dtm"]
Seat = Literal["first", "second", "random"]
Illegal = Literal["lose", "penalty"]
Reward = Literal["outcome", "regret", "luck_free"]
Think = Literal["optional", "required"]
Penalize = Literal["once", "each"]

SPARE_TURNS = 3
"""Turns a learner may waste where nothing else ends a game of illegal moves."""

TEXT_WEIGHTS = {name: PRESETS["tictactoe-course"].weights[name] for name in ("outcome", "format")}
"""What a message's game and form count for, unless `reward_weights` says otherwise."""


class GameEnv(gymnasium.Env[Any, Any]):
    """One player of a game; the opponent's replies and what chance does are part of each step.

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

    `info` holds at `reset` `seat` (0 moves first), `random_move_prob`, `example` (the seed of what is drawn
    for the episode, below 2**63) and `episode_index`; at each step `invalid`; at the end `winner` (0, 1 or -1
    for nobody), `turns`, `invalid_moves`, `result` (what the learner got; not where the game was cut off)
    and, in mode "text", `status` and `reward_parts`. In mode "text" an invalid step also has `fault`, the
    label of what was wrong with the message. With `analysis`, `reset` adds `start_value`, every legal move
    `regret`, `blunder`, `forced`, `missed_win`, `missed_block` and `allowed_fork`, and the end `total_regret`
    and `opponent_regret`.

    Args:
        game: One of `reasonenv.list_games()`.
        params: Params of the game that replace its defaults.
        mode: "numeric" or "text".
        opponent: One of `reasonenv.list_opponents()`, an `Opponent` of this very game, or any callable that
            takes a `State` and returns a legal action. None: the game's `default_opponent`.
        random_move_prob: Probability that the opponent makes a random move instead, on each of its turns.
        min_random_move_prob: With `max_random_move_prob`, a range from which each episode draws its own.
        max_random_move_prob: The upper end of that range.
        num_groups: Slices of the range. Episode `i` draws from slice `(seed + i) % num_groups`, so that a
            batch of neighbouring seeds spans the whole range.
        blunder_prob: Probability that the opponent makes a move that is not best instead.
        optimality: What the opponent takes for best: "wdl" or "dtm" (also fast wins and slow losses).
        exact_plies: The opponent plays perfectly when this many plies or fewer are left, and as "heuristic"
            before that.
        seat: "first", "second", or "random", drawn for each episode.
        illegal: "lose" ends the game as a loss, "penalty" costs `invalid_penalty` and the turn. None: "lose"
            in mode "numeric", "penalty" in mode "text".
        invalid_penalty: Added to the reward for an illegal action that did not end the game.
        max_turns: Turns of the learner after which an episode is truncated. None: no limit, except in mode
            "text" and where illegal actions do not end the game. There it is the most turns a player can
            have in the game, and 3.
        opening_plies: Random moves that are made before the players begin.
        reward: "outcome": what the game returns, at the end. "regret": minus the value each move gave away.
            "luck_free": at the end, the value of the start less all the learner gave away.
        analysis: Whether `info` tells what each move gave away.
        think: "required": in mode "text", a message without `<think>` tags before its move is not well
            formed. "optional" lets it be.
        reward_weights: In mode "text", weights of "outcome" (1 for a win, 0.5 for a draw, 0 for a loss),
            "format" (share of well-formed messages) and "invalid". Default 1, 0.2 and `invalid_penalty`.
        penalize: In mode "text", whether "invalid" counts "once" a game or for "each" invalid move.
        text: In mode "numeric", whether `info["text"]` holds the message of mode "text".
        render_mode: "human" prints each reset and step; with "ansi" `render` returns the message as a str,
            with "rgb_array" a picture of the observation as a uint8 array of shape (height, width, 3).

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
        mode: Mode = "numeric",
        opponent: "OpponentName | _native.Opponent | Policy | None" = None,
        random_move_prob: float = 0.0,
        min_random_move_prob: float | None = None,
        max_random_move_prob: float | None = None,
        num_groups: int = 1,
        blunder_prob: float = 0.0,
        optimality: Optimality = "dtm",
        exact_plies: int | None = None,
        seat: Seat = "random",
        illegal: Illegal | None = None,
        invalid_penalty: float = -0.1,
        max_turns: int | None = None,
        opening_plies: int = 0,
        reward: Reward = "outcome",
        analysis: bool = False,
        think: Think = "optional",
        reward_weights: Mapping[str, float] | None = None,
        penalize: Penalize = "once",
        text: bool = False,
        render_mode: str | None = None,
    ) -> None:
        _checks.one_of("mode", mode, get_args(Mode))
        _checks.one_of("seat", seat, get_args(Seat))
        _checks.one_of("illegal", illegal, [None, *get_args(Illegal)])
        _checks.one_of("reward", reward, get_args(Reward))
        _checks.one_of("think", think, get_args(Think))
        _checks.one_of("penalize", penalize, get_args(Penalize))
        _checks.one_of("render_mode", render_mode, [None, *self.metadata["render_modes"]])
        text, analysis = _checks.flag("text", text), _checks.flag("analysis", analysis)
        self.game = _native.game(game, params)
        self.mode = mode
        self.render_mode = render_mode
        self._in_text = mode == "text"
        if self._in_text and text:
            raise _native.InvalidArgument(
                '`text` is True, but in mode "text" the observation is the text already'
            )
        if not self._in_text and (think != "optional" or reward_weights is not None or penalize != "once"):
            raise _native.InvalidArgument('`think`, `reward_weights` and `penalize` are of mode "text" only')
        dials = {
            "random_move_prob": random_move_prob,
            "blunder_prob": blunder_prob,
            "optimality": optimality,
            "exact_plies": exact_plies,
        }
        self.opponent = chosen_opponent(self.game, opponent, dials)
        """Who replies."""
        probs = random_move_range(self.opponent, dials, min_random_move_prob, max_random_move_prob)
        num_groups = _checks.whole("num_groups", num_groups, 1, 2**32 - 1)
        if probs is None and num_groups != 1:
            raise _native.InvalidOpponent(
                f"`num_groups` is {num_groups}, but slices nothing unless min_random_move_prob and "
                "max_random_move_prob are given"
            )
        if illegal is None:
            illegal = "penalty" if self._in_text else "lose"
        if max_turns is None and (self._in_text or illegal == "penalty"):
            max_turns = most_turns(self.game) + SPARE_TURNS
        invalid_penalty = _checks.number("invalid_penalty", invalid_penalty)
        weights = {**TEXT_WEIGHTS, "invalid": invalid_penalty, **_checked_weights(reward_weights)}
        self._setup: dict[str, Any] = {
            "opponent": self.opponent,
            "random_move_probs": probs,
            "num_groups": num_groups,
            "seat": seat,
            "illegal": illegal,
            "invalid_penalty": invalid_penalty,
            "max_turns": max_turns,
            "opening_plies": opening_plies,
            "reward": reward,
            "analysis": analysis,
            "think": think == "required",
            "outcome_weight": weights["outcome"],
            "format_weight": weights["format"],
            "text_invalid_penalty": weights["invalid"],
            "penalize_each": penalize == "each",
        }
        self._adds_text = text
        # Steps that need nothing from Python are one call into Rust.
        self._thin = not (self._in_text or text or render_mode == "human")
        self._episodes = self.episodes(1)
        self._seeded: tuple[int, int] | None = None
        self._begun = False
        if self._in_text:
            self.observation_space = prompts()
            self.action_space = Completion()
        else:
            self.observation_space = spaces.Box(0, 1, tuple(self.game.shape), np.float32)
            self.action_space = spaces.Discrete(self.game.action_count)

    @property
    def instructions(self) -> str:
        """The rules and the form of a reply, for a language model's system prompt."""
        state = self.game.start()
        example = self.game.action_name(state.legal_actions()[0])
        tags = f"in <move> tags and nothing after it, such as <move>{example}</move>."
        if self._setup["think"]:
            form = f"Begin with your reasoning in <think> tags, then give one move {tags}"
        else:
            form = f"You may reason first; then give one move {tags}"
        illegal = "An illegal move loses the game."
        if self._setup["illegal"] == "penalty":
            illegal = "An illegal move changes nothing and uses up your turn."
        most = self._setup["max_turns"]
        limit = "" if most is None else f" You have {most} turns in all."
        return (
            f"{self.game.rules}\n\nYou play against an opponent. Every message shows the game and the "
            f"{self.game.moves_are_called} that are open to you. {illegal}{limit}\n\n{form}"
        )

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
        """What is known of the episode: seat, turns, invalid moves, the opponent's last moves and more."""
        return self._episodes.episode_info(0)

    @property
    def horizon(self) -> int:
        """The most steps of an episode."""
        return self._setup["max_turns"] or most_turns(self.game)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins another game.

        Args:
            seed: Decides this episode and, as long as no other seed is given, all that follow.
            options: `{"episode": i}` poses episode `i` of the seed; the next is episode `i + 1`.

        Returns:
            What the learner sees when it is first to move, and an info dict as the class describes.
        """
        if seed is None and not options and self._thin and self._begun:
            return self._episodes.begin()
        if seed is None and not options and self._begun and self.render_mode != "human":
            observation, info = self._episodes.begin(self._in_text)
            if self._adds_text:
                info["text"] = self._episodes.message()
            return observation, info
        episode = checked_options(options, "episode").get("episode")
        # Made anew and put in place at the end, so that nothing has changed if anything raises. Hence no call
        # of Env.reset, which does no more than to seed np_random.
        episodes, seeded = self._episodes.clone(), self._seeded
        rng, rng_seed = self._np_random, self._np_random_seed
        if seed is not None or seeded is None:
            if seed is not None or rng is None:
                rng, rng_seed = seeding.np_random(seed)
            else:
                rng = copy.deepcopy(rng)
            seeded = draw(rng, rng_seed or 0)
            episodes.seed(0, *seeded, 0)
        if episode is not None:
            episodes.seed(0, *seeded, checked_option("episode", episode))
        episodes.reset(0)
        observation, info = episodes.opening(self._in_text)
        if self._adds_text:
            info["text"] = episodes.message()
        if self.render_mode == "human":
            print_frame(episodes.message())
        self._np_random, self._np_random_seed = rng, rng_seed
        self._episodes, self._seeded, self._begun = episodes, seeded, True
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays an action and the replies to it.

        Args:
            action: A whole number, of Python or of NumPy, or in mode "text" a message.

        Returns:
            What the learner sees now, the reward, whether the game is over, whether it was cut off, and info.

        Raises:
            ResetNeeded: The game is over or has not begun.
            InvalidArgument: The action is no whole number, or in mode "text" no str.
            InvalidOpponent: A callable opponent returned something other than a legal action.
        """
        if self._thin:
            return self._episodes.play(action)
        # Printing may raise, too: then the env keeps the episodes it had.
        episodes = self._episodes.clone() if self.render_mode == "human" else self._episodes
        stepped = episodes.say(action) if self._in_text else episodes.play(action)
        if self._adds_text:
            stepped[4]["text"] = episodes.message()
        if self.render_mode == "human":
            print_frame(episodes.message())
            self._episodes = episodes
        return stepped

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, as bool of shape (`action_count`,): what MaskablePPO asks for."""
        return self._episodes.action_mask().astype(np.bool_)

    def render(self) -> Any:
        """The message to a language model as ASCII, or a picture.

        Returns:
            A str in render mode "ansi", an array in "rgb_array"; None in "human", which prints the message,
            and without a render mode.
        """
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        self.state  # noqa: B018, raises before the first reset
        if self.render_mode == "rgb_array":
            return picture(self._episodes.observation())
        frame = self._episodes.message()
        if self.render_mode == "ansi":
            return frame
        print_frame(frame)
        return None

    def get_state(self) -> bytes:
        """All that decides what this env does next, as JSON: games, seeds, generator."""
        return write_state(
            game=game_fields(self.game),
            episodes=self._episodes.save().decode() if self._begun else None,
            seeded=self._seeded,
            np_random=rng_state(self.np_random),
            np_random_seed=self.np_random_seed,
        )

    def set_state(self, state: bytes) -> None:
        """Continues from what `get_state` returned, of this env or of one made with the same arguments.

        Raises:
            InvalidState: The state is damaged or of another game; this env is unchanged.
        """
        with reading_state(state) as fields:
            same_game(self.game, fields["game"])
            rng, seed = rng_from(fields["np_random"]), checked_seed(fields["np_random_seed"])
            seeded = None if fields["seeded"] is None else checked_words("seeded", fields["seeded"])
            episodes, saved = self.episodes(1), fields["episodes"]
            if saved is not None:
                episodes.restore(checked_text("episodes", saved).encode())
            elif seeded is not None:
                episodes.seed(0, *seeded, 0)
        self._np_random, self._np_random_seed = rng, seed
        self._episodes, self._seeded, self._begun = episodes, seeded, saved is not None

    def clone(self) -> Self:
        """An independent env in the same state."""
        return copy.deepcopy(self)

    def episodes(self, count: int) -> _native.Episodes:
        """Fresh episodes as this env's arguments say, `count` side by side."""
        return _native.Episodes(self.game, count, **self._setup)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Copies share the game, which is immutable but for the positions it has solved, and the opponent.
        for shared in (self.game, self.opponent):
            memo[id(shared)] = shared
        other = type(self).__new__(type(self))
        memo[id(self)] = other
        vars(other).update(copy.deepcopy(vars(self), memo))
        return other


def most_turns(game: _native.Game) -> int:
    """The most turns a player can have: half of all where players alternate, else all."""
    state, last = game.start(), None
    while not state.is_over:
        if state.current_player == last:
            return game.max_plies
        last = state.current_player
        state.apply(state.legal_actions()[0])
    return -(-game.max_plies // 2)


def _checked_weights(given: Mapping[str, float] | None) -> dict[str, float]:
    if not isinstance(given, Mapping | None):
        msg = f"`reward_weights` is {_checks.shown(given)}, but must be a mapping or None"
        raise _native.InvalidArgument(msg)
    known = [*TEXT_WEIGHTS, "invalid"]
    for name in given or {}:
        if name not in known:
            raise _checks.unknown("reward weight", name, known)
    return {
        name: _checks.number(f"reward_weights[{name!r}]", weight) for name, weight in (given or {}).items()
    }
