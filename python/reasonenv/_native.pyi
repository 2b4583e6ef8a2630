"""Types of the compiled core; `make check` holds them against it."""

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import GenericAlias
from typing import Any, Generic, Literal, Self, TypeAlias, Unpack, final, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar, disjoint_base

from reasonenv.types import (
    AnswerStyleName,
    FamilyName,
    GameName,
    GameSettings,
    MovesSettings,
    OpponentName,
    ReadingName,
    SplitName,
    VerifierName,
)

__all__ = [
    "Batch",
    "Certificate",
    "Episodes",
    "Exhausted",
    "Family",
    "FamilyError",
    "Game",
    "GameError",
    "InvalidAction",
    "InvalidArgument",
    "InvalidOpponent",
    "InvalidParams",
    "InvalidProblem",
    "InvalidState",
    "InvalidStyle",
    "InvalidTask",
    "InvalidTruth",
    "Malformed",
    "Mixture",
    "Opponent",
    "Play",
    "ProblemEpisodes",
    "ReadyForm",
    "ReasonEnvError",
    "Rng",
    "SlowAnalysis",
    "Solution",
    "Source",
    "State",
    "StepVerdict",
    "Task",
    "UnknownFamily",
    "UnknownGame",
    "UnknownName",
    "Unsolved",
    "Unsupported",
    "Value",
    "Verdict",
    "Verdicts",
    "Verifier",
    "__version__",
    "_combine",
    "_episodes",
    "_language",
    "_opponent",
    "_problem_episodes",
    "_register_family",
    "_register_game",
    "_run_program",
    "_settings",
    "_unregister_family",
    "_unregister_game",
    "calculate",
    "common_failures",
    "family",
    "game",
    "list_families",
    "list_games",
    "list_opponents",
    "list_readings",
    "list_verifiers",
    "num_threads",
    "read_answers",
    "set_num_threads",
    "settings_schema",
    "tree_compat",
    "verify",
    "verify_all",
]

_Params = TypeVar("_Params", default=Any)
_Message = Mapping[str, Any]
_Completion = str | _Message | Sequence[_Message]
_Reference = str | float | np.generic | Mapping[str, Any] | Sequence[Any]
_Aim = Literal["harder", "easier", "same"]
_Optimality = Literal["wdl", "dtm"]
_Autoreset = Literal["NextStep", "SameStep", "Disabled"]

__version__: str

class ReasonEnvError(ValueError):
    """Base of this package's errors."""

class InvalidArgument(ReasonEnvError):
    """An argument that is not what it must be; the message says what that is."""

class UnknownName(InvalidArgument):
    """A split, reading, template, aim … that does not exist; suggests the nearest."""

class UnknownFamily(UnknownName):
    """No task family has this name; suggests the nearest."""

class UnknownGame(UnknownName):
    """No game has this name; suggests the nearest."""

class InvalidAction(ReasonEnvError):
    """An action that is not legal in this position, or text that names no action."""

class InvalidParams(InvalidArgument):
    """A param names no field or is out of bounds."""

class InvalidStyle(InvalidArgument):
    """A style names no template, or one the split may not show."""

class InvalidProblem(ReasonEnvError):
    """A problem that its family could not have generated."""

class InvalidTask(ReasonEnvError):
    """A record that is not a task."""

class InvalidTruth(ReasonEnvError):
    """A row's truth is of a kind that no answer can be compared with."""

class InvalidState(ReasonEnvError):
    """Bytes that are not a state of the game."""

class InvalidOpponent(InvalidArgument):
    """An opponent, or an episode's rule, that the game cannot have."""

class SlowAnalysis(UserWarning):
    """Exact values of an environment's reward or analysis take more than a millisecond a step."""

class Unsolved(ReasonEnvError):
    """The game has no exact value there, or none was found within the limit of positions."""

class Exhausted(ReasonEnvError):
    """The generator found no item within its budget, or a tiny family has no more items in the split."""

class FamilyError(ReasonEnvError):
    """A method of a family written in Python raised, or gave what it must not.

    The cause is what it raised.
    """

class GameError(ReasonEnvError):
    """A method of a game written in Python raised, or gave what it must not.

    The cause is what it raised.
    """

class Malformed(ReasonEnvError):
    """What the form of an answer raises for text that it does not allow; the message says why."""

class Unsupported(ReasonEnvError):
    """The family does not have this power."""

@final
class Verdict:
    """What a judge says of one completion.

    `passed` is the strict truth; `score` is partial credit in [0, 1], 1.0 exactly when passed; `parts` are
    the judge's other measures, each in [0, 1]; `failures` are labels, most telling first; `detail` is a
    reason a person can act on; `answer` is the text that was read, or None; `respelled` says whether it was
    read in markup or with separators that the lenient reading alone takes.
    """

    def __new__(
        cls,
        passed: bool,
        score: float | None = None,
        *,
        failures: Iterable[str] = (),
        detail: str = "",
        parts: Mapping[str, float] | None = None,
        answer: str | None = None,
        respelled: bool = False,
    ) -> Self: ...
    @property
    def passed(self) -> bool:
        """The strict truth: whether the answer is right and well formed."""
    @property
    def score(self) -> float:
        """Partial credit in [0, 1]; 1.0 exactly when passed."""
    @property
    def parts(self) -> dict[str, float]:
        """Each part the judge measures, in [0, 1], by name."""
    @property
    def failures(self) -> tuple[str, ...]:
        """Labels of what is wrong, the most telling first; empty when passed."""
    @property
    def detail(self) -> str:
        """Why it failed, in words a person can act on; empty when passed."""
    @property
    def answer(self) -> str | None:
        """The answer as it was read; None where none could be."""
    @property
    def respelled(self) -> bool:
        """Whether the answer was read in a spelling that the lenient reading alone takes: in markup, in a box
        where a tag is asked for, or with other separators.
        """
    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain data, fit for JSON: `passed`, `score`, `parts`, `failures`, `detail`,
        `answer`, `respelled`.
        """
    def __eq__(self, other: object, /) -> bool: ...

@final
class Verdicts(Sequence[Verdict]):
    """Verdicts in the order of the texts: arrays over all of them, or one by one by index."""

    def __new__(cls, verdicts: Iterable[Verdict], /) -> Self: ...
    @property
    def passed(self) -> NDArray[np.bool_]:
        """bool array, shape (n,)."""
    @property
    def score(self) -> NDArray[np.float32]:
        """float32 array in [0, 1], shape (n,)."""
    @property
    def parts(self) -> dict[str, NDArray[np.float32]]:
        """float32 array in [0, 1], shape (n,), for each part a judge measures; NaN where a row has no such
        part.
        """
    @property
    def failures(self) -> list[tuple[str, ...]]:
        """A tuple of labels for each text, empty where it passed."""
    @property
    def detail(self) -> list[str]:
        """A reason for each text, empty where it passed."""
    @property
    def respelled(self) -> NDArray[np.bool_]:
        """bool array, shape (n,): which answers were read in a spelling that the lenient reading alone
        takes.
        """
    @property
    def answers(self) -> list[str | None]:
        """The answer that was read in each text, or None."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> Verdict: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Verdict]: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class StepVerdict:
    """What a judge says of one reasoning step: whether it holds, whether it leads on, and why not."""

    @property
    def holds(self) -> bool:
        """Whether the step is true."""
    @property
    def advances(self) -> bool:
        """Whether it leads on from what was established before."""
    @property
    def detail(self) -> str:
        """Why, in words a person can act on."""
    def __eq__(self, other: object, /) -> bool: ...

@final
class Certificate:
    """What `certify` proved."""

    @property
    def unique(self) -> bool:
        """Exactly one answer passes, up to the notation the prompt allows."""
    @property
    def proof(self) -> str:
        """How it was shown, in words."""
    def __new__(cls, unique: bool, proof: str) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Solution:
    """An answer and the true steps that lead to it."""

    @property
    def steps(self) -> list[str]:
        """True steps, in order."""
    @property
    def answer(self) -> str:
        """An answer that passes, once it is wrapped in the tag."""
    def __new__(cls, steps: Sequence[str], answer: str) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...

@disjoint_base
class Play:
    """A state of play: legal actions, a numeric view, and moves by number or by name.

    `observation()` is a float32 array of `shape`; `action_mask()` an int8 array of shape
    (`action_count`,).
    """

    @property
    def action_count(self) -> int:
        """Size of the action space."""
    @property
    def shape(self) -> list[int]:
        """Shape of `observation()`."""
    @property
    def current_player(self) -> int | None:
        """The player to move, or None when the play is over."""
    @property
    def is_over(self) -> bool:
        """Whether nothing more can be played."""
    @property
    def returns(self) -> list[float] | None:
        """One score per player once the play is over, else None."""
    def legal_actions(self) -> list[int]:
        """The legal actions, in order."""
    def action_mask(self) -> NDArray[np.int8]:
        """int8 array of shape (actions,): 1 for each legal action."""
    def apply(self, action: int) -> None:
        """Takes a legal action, a whole number; raises InvalidAction naming the legal ones otherwise."""
    def observation(self, player: int = 0) -> NDArray[np.float32]:
        """What a player sees, as a float32 array in [0, 1] of `shape`."""
    def text(self, player: int = 0) -> str:
        """What a player sees, as text."""
    def drawing(self, player: int = 0) -> tuple[int, int, list[tuple[str, list[int], str, str]]]:
        """The position as a person would draw it, as far as `player` may see it: rows and columns of cells,
        and shapes, the first one lowest. Each has a kind, numbers in eighths of a cell, a colour by name,
        and a text, which only the last two kinds have: ("rectangle", [left, top, width, height], …),
        ("disc", [x, y, radius], …), ("line", [x, y, to x, to y, width], …), ("label", [left, y, height],
        …), ("title", [middle, y, height], …). Text has its middle at y; each character takes three quarters
        of the height.
        """
    def action_name(self, action: int) -> str:
        """An action by its name, such as "b2"."""
    def read_action(self, text: str) -> int:
        """The action a text names; raises InvalidAction saying what a name looks like."""
    def answer(self) -> str | None:
        """The answer this play amounts to, once it is over."""
    def clone(self) -> Play:
        """An independent copy."""
    def __copy__(self) -> Play: ...
    def __deepcopy__(self, _memo: Any) -> Play: ...

@final
class Value:
    """What a move is worth to its player under perfect play."""

    def __new__(cls, outcome: int, distance: int | None, score: int) -> Self: ...
    @property
    def outcome(self) -> int:
        """1 for a win, 0 for a draw, -1 for a loss."""
    @property
    def distance(self) -> int | None:
        """Plies to the end, this move included; None where it is not known."""
    @property
    def score(self) -> int:
        """The game's own margin; `Game.score_means` says what it counts."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class State(Play):
    """A game in progress: whose turn it is, what may be played, what it is worth.

    Everything of `Play`, and the powers of a game with a solver.
    """

    @classmethod
    def from_bytes(cls, data: bytes) -> State:
        """The state whose `to_bytes()` gave `data`; raises InvalidState for anything else."""
    def to_bytes(self) -> bytes:
        """The start and the actions since, as JSON."""
    @property
    def game(self) -> Game:
        """The game that is played."""
    @property
    def seed(self) -> int:
        """The seed it was started with."""
    @property
    def moves(self) -> list[int]:
        """Every action since the start, those of the opening and of chance included."""
    @property
    def is_chance(self) -> bool:
        """Whether it is the turn of chance."""
    def chance_outcomes(self) -> dict[int, float]:
        """At a turn of chance, the probability of each action."""
    def values(self, max_positions: int | None = None) -> dict[int, Value]:
        """The exact value of every legal action; empty once the game is over.

        Args:
            max_positions: The most positions to search; None searches until the values are proved.

        Raises:
            Unsolved: Not within the limit, or the game has no exact values, or there is no limit and the
                game is `unsolvable_reason`.
        """
    def best_actions(self, optimality: _Optimality = "dtm", max_positions: int | None = None) -> list[int]:
        """All best actions, in increasing order.

        Args:
            optimality: "wdl": all that keep the outcome. "dtm": of those, the best score, the fastest win,
                the slowest loss.
            max_positions: As in `values`.

        Raises:
            Unsolved: As in `values`.
        """
    def clone(self) -> State:
        """An independent copy."""
    def __copy__(self) -> State: ...
    def __deepcopy__(self, _memo: Any) -> State: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Game:
    """A game under some params: its facts, its starts, its opponents."""

    @property
    def name(self) -> str:
        """Its name, which never changes."""
    @property
    def version(self) -> int:
        """Grows by one whenever a start or a reply changes."""
    @property
    def summary(self) -> str:
        """What it is, in one sentence."""
    @property
    def rules(self) -> str:
        """The rules under these params, for someone who has never played it."""
    def role_text(self, player: int) -> str:
        """A sentence that tells `player`, 0 or 1, which side it is, as `State.text(player)` draws it."""
    @property
    def players(self) -> tuple[str, str]:
        """What the two players are called, first to move first."""
    @property
    def changes(self) -> list[str]:
        """What changed in each version, oldest first."""
    @property
    def params(self) -> dict[str, Any]:
        """Every param, defaults included."""
    @property
    def params_schema(self) -> dict[str, Any]:
        """JSON schema of the params: type, bounds, default, role and doc of each."""
    @property
    def variants(self) -> list[dict[str, Any]]:
        """Params worth knowing, the default first."""
    @property
    def action_count(self) -> int:
        """Size of the action space."""
    @property
    def shape(self) -> list[int]:
        """Shape of a state's `observation()`, planes first."""
    @property
    def max_plies(self) -> int:
        """The most plies a game can last, those of chance included."""
    @property
    def most_turns(self) -> int:
        """The most turns a player can have: half of `max_plies` where players alternate, else all."""
    @property
    def longest_plies(self) -> int:
        """The most plies a game can last under any params."""
    @property
    def has_stakes(self) -> bool:
        """Whether a game may return more than 1 or less than -1, so that one win can be worth several."""
    @property
    def has_chance(self) -> bool:
        """Whether chance moves, after the start."""
    @property
    def has_hidden_information(self) -> bool:
        """Whether players know things the others do not."""
    @property
    def value(self) -> float | None:
        """What the first player gets under perfect play with the default params, if known."""
    @property
    def score_means(self) -> str:
        """What `Value.score` counts."""
    @property
    def moves_are_called(self) -> str:
        """What actions are called in text, such as "columns"."""
    @property
    def has_tactics(self) -> bool:
        """Whether moves can be called missed wins, missed blocks and allowed forks."""
    @property
    def unsolvable_reason(self) -> str | None:
        """Why exact values cannot be expected from the start; None where they can."""
    @property
    def solves_instantly(self) -> bool:
        """Whether exact values come within 10 microseconds on average, and none takes long."""
    @property
    def default_opponent(self) -> OpponentName:
        """The name of who plays an environment's other side where nobody is named. It replies in 10
        microseconds on average: exactly where `solves_instantly`, by an equilibrium where information is
        hidden, else "heuristic".
        """
    def start(self, seed: int = 0, *, opening_plies: int = 0, resolve_chance: bool = True) -> State:
        """A game in progress.

        Args:
            seed: Decides what the params leave open and what chance does: 0 .. 2**64 - 1.
            opening_plies: Random moves made first, none of which ends the game: 0 .. 32.
            resolve_chance: Whether chance acts by itself. Otherwise its turns are the caller's to take,
                and in a game that has some `opening_plies` must be 0.
        """
    def from_bytes(self, data: bytes) -> State:
        """The state whose `to_bytes()` gave `data`; raises InvalidState for anything else."""
    def action_name(self, action: int) -> str:
        """An action by its name, such as "b2"."""
    def read_action(self, text: str) -> int:
        """The action a text names; raises InvalidAction saying what a name looks like."""
    def opponent(
        self,
        name: OpponentName = "minimax",
        *,
        random_move_prob: float = 0.0,
        blunder_prob: float = 0.0,
        optimality: _Optimality = "dtm",
        exact_plies: int | None = None,
    ) -> Opponent:
        """An opponent to play against.

        Args:
            name: "random", "minimax" (any of the best moves), "heuristic" (win, else leave the fewest ways
                to win), "first_best", "last_best" (always the same of the best moves) or "equilibrium".
            random_move_prob: Probability of a random legal move instead, on each turn.
            blunder_prob: Probability of a random move that is not best instead.
            optimality: What counts as best: "wdl" keeps the outcome, "dtm" also hastens wins, delays
                losses and maximises the score.
            exact_plies: It plays perfectly when this many plies or fewer are left, and as "heuristic"
                before.
        """
    def duel(
        self,
        first: OpponentName | Opponent,
        second: OpponentName | Opponent,
        max_positions: int | None = None,
    ) -> tuple[float, float, float, float]:
        """The exact chances of (win, draw, loss) and the mean return of `first` when it moves first against
        `second`, opponents or their names, from the start of seed 0: computed over the whole game, not
        sampled. Raises Unsolved for a game whose positions take more than 256 MiB.
        """
    def calibrate(
        self, opponent: OpponentName | Opponent, max_positions: int | None = None
    ) -> dict[str, tuple[float, float, float, float]]:
        """How reference policies fare against `opponent`, an opponent or the name of one, moving first in one
        half of the games: a dict of name to the exact chances of (win, draw, loss) and the mean return.
        Raises Unsolved as `duel` does.
        """
    def exploitability(self, opponent: OpponentName | Opponent, max_positions: int | None = None) -> float:
        """What a player who knows how `opponent` (or the one of this name) plays wins from it on average,
        playing each seat half of the time: 0 for an equilibrium. Exact, for games of hidden information;
        raises Unsolved for others.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Opponent:
    """An opponent to play against: `opponent(state)` is the action it plays in that state."""

    @property
    def game(self) -> Game:
        """What it plays."""
    @property
    def name(self) -> str:
        """Its name, one of `list_opponents()`."""
    @property
    def random_move_prob(self) -> float:
        """How often it makes a random move instead: 0 to 1."""
    @property
    def blunder_prob(self) -> float:
        """How often it makes a move that is not best instead: 0 to 1."""
    @property
    def exact_plies(self) -> int | None:
        """It plays perfectly when this many plies or fewer are left; None: from the start."""
    def __call__(self, state: State) -> int: ...
    def distribution(self, state: State) -> dict[int, float]:
        """The probability with which it plays each legal action of `state`, over all seeds."""
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Episodes:
    """Games against an opponent, side by side: what the environments are made of.

    A call that raises changes nothing: neither a game nor what it draws from.
    """

    def __new__(
        cls,
        game: Game,
        count: int = 1,
        *,
        opponent: Opponent | Callable[[State], int] | Literal["self"] | None = None,
        **settings: Unpack[GameSettings],
    ) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def game(self) -> Game:
        """The game that is played."""
    @property
    def opponent(self) -> Opponent | Callable[[State], int] | Literal["self"]:
        """Who plays the other side: an `Opponent`, a callable, or "self" where the learner has every seat."""
    @property
    def settings(self) -> dict[str, Any]:
        """All settings by name; `max_turns` is what follows from the others where it was left out."""
    def seed(self, lane: int, seed: int, group: int = 0, episode: int = 0) -> None:
        """From now on the lane's episodes come from `seed`, counted from `episode`, below 2**63; `group`
        shifts their slice.
        """
    def reset(self, lane: int = 0) -> None:
        """Begins the lane's next episode."""
    def play(self, action: object) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Plays an action in lane 0, any whole number, and the replies to it."""
    def say(self, text: object) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Plays the move a text says in lane 0, whatever it is, and the replies to it."""
    def opening(self, said: bool = False) -> tuple[Any, dict[str, Any]]:
        """What the learner of lane 0 is told as an episode begins, and an info: seat (current_player where it
        has every seat), random_move_prob, example, episode_index, where steps are analyzed start_value and
        start_exact, and action_mask or, where moves are `said` in text, instructions.
        """
    def begin(self, said: bool = False) -> tuple[Any, dict[str, Any]]:
        """`reset` and `opening` of lane 0."""
    def seed_all(
        self, seeds: NDArray[np.uint64], groups: NDArray[np.uint64], chosen: NDArray[np.bool_]
    ) -> None:
        """`seed` of every lane where `chosen` is true, and from episode 0 on."""
    def reset_all(self, chosen: NDArray[np.bool_]) -> None:
        """Begins the next episode of every lane where `chosen` is true."""
    def step_all(
        self, actions: NDArray[np.int64], autoreset: _Autoreset, tells: bool = True
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        NDArray[np.int8],
        NDArray[np.float32] | None,
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Steps every lane. `autoreset` is "NextStep", "SameStep" or "Disabled".

        Returns observations, rewards, terminations, truncations, masks, what was seen last in the lanes
        that ended and began anew (None unless "SameStep" and some did; rows of other lanes mean nothing),
        which lanes were over before, and a dict of columns, each an array with a row for each lane:

        - "current_player", where the learner has every seat: whose turn it is, -1 where it is over
        (int64); - "step", if `tells`: `invalid` (bool) and, where steps are analyzed, `analyzed` (bool),
        `regret` (float64), `blunder`, `forced`, `missed_win`, `missed_block`, `allowed_fork` and `exact`
        (bool); - "end", if `tells` and some lane ended: `result` (float64), `winner` (int64, -1 for
        nobody), `turns` and `invalid_moves` (int64) and, where steps are analyzed, `total_regret` and
        `opponent_regret` (float64) and `total_exact` (bool); all 0 in lanes that did not end, and `result`
        in those that were cut off. Where the learner has every seat there are `returns` and, where steps
        are analyzed, `regrets` instead, of each player: float64 of shape (lanes, 2); - "begin", if `tells`
        and some lane began anew: as from `begin_columns`.
        """
    def begin_columns(self, chosen: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
        """How the episodes began of the lanes where `chosen` is true, as arrays of shape (lanes,): `seat`
        (int64, not where the learner has every seat), `example`, `episode_index` (int64),
        `random_move_prob` (float64) and, where steps are analyzed, `start_value` (int64) and `start_exact`
        (bool); all 0 in other lanes.
        """
    def current_players(self) -> NDArray[np.int64]:
        """Whose turn it is in every lane, -1 where it is over: int64 of shape (lanes,)."""
    def observation(self, lane: int = 0) -> NDArray[np.float32]:
        """What the learner of a lane sees: a fresh float32 array."""
    def observations(self) -> NDArray[np.float32]:
        """What all learners see."""
    def action_mask(self, lane: int = 0) -> NDArray[np.int8]:
        """What the learner of a lane may play: int8, 1 for each legal action."""
    def action_masks(self) -> NDArray[np.int8]:
        """int8 array of shape (count, actions): 1 for each legal action of each lane."""
    def over(self) -> NDArray[np.bool_]:
        """Which lanes are over, or never began: bool of shape (lanes,)."""
    def episode_info(self, lane: int = 0) -> dict[str, Any]:
        """Facts of a lane's episode."""
    def message(self, lane: int = 0) -> str:
        """What a language model is told."""
    @property
    def instructions(self) -> str:
        """The rules and the form of a reply, for a language model."""
    def state(self, lane: int = 0) -> State:
        """A copy of the game in progress."""
    def save(self) -> bytes:
        """All that decides what the lanes do next, as JSON."""
    def restore(self, saved: bytes) -> None:
        """Goes on from what `save` returned; raises InvalidState for anything else and changes nothing."""
    def clone(self) -> Episodes:
        """Independent episodes in the same state, against the same opponent."""
    def __copy__(self) -> Episodes: ...
    def __deepcopy__(self, _memo: Any) -> Episodes: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ProblemEpisodes:
    """Problems that are played move by move, side by side, rewarded by their own judge: sudoku, tsp and
    whatever other family offers `Task.moves()`.

    An episode is one item of the source; which one, the lane's seed and the number of the episode say
    (`example` is its index). A call that raises changes nothing.
    """

    def __new__(
        cls,
        source: Source,
        count: int = 1,
        *,
        reward: Literal["binary", "partial"] = "binary",
        **settings: Unpack[MovesSettings],
    ) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def source(self) -> Source:
        """Where the problems come from."""
    @property
    def settings(self) -> dict[str, Any]:
        """All settings by name."""
    @property
    def action_count(self) -> int:
        """Size of the action space."""
    @property
    def shape(self) -> list[int]:
        """Shape of a lane's `observation()`."""
    def seed(self, lane: int, seed: int, episode: int = 0) -> None:
        """From now on the lane's episodes come from `seed`, counted from `episode`, below 2**63."""
    def seed_all(self, seeds: NDArray[np.uint64], chosen: NDArray[np.bool_]) -> None:
        """`seed` of every lane where `chosen` is true, and from episode 0 on."""
    def reset(self, lane: int = 0) -> None:
        """Begins the lane's next episode."""
    def reset_all(self, chosen: NDArray[np.bool_]) -> None:
        """Begins the next episode of every lane where `chosen` is true."""
    def begin(self) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """`reset` of lane 0, what is seen then, and an info: example, episode_index, action_mask."""
    def play(self, action: object) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Plays an action in lane 0, any whole number. The info has invalid, action_mask and, at the end,
        result, turns, invalid_moves and, unless the episode was cut off, passed and score.
        """
    def step_all(
        self, actions: NDArray[np.int64], autoreset: _Autoreset, tells: bool = True
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        NDArray[np.int8],
        NDArray[np.float32] | None,
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Steps every lane. `autoreset` is "NextStep", "SameStep" or "Disabled".

        Returns observations, rewards, terminations, truncations, masks, what was seen last in the lanes
        that ended and began anew (None unless "SameStep" and some did; rows of other lanes mean nothing),
        which lanes were over before, and, if it `tells`, a dict of columns, each an array with a row for
        each lane:

        - "step": `invalid` (bool); - "end", if some lane ended: `result` (float64, by `reward`), `passed`
        (bool), `score` (float64), `turns` and `invalid_moves` (int64); all 0 in lanes that did not end,
        and the first three where the episode was cut off; - "begin", if some lane began anew: as from
        `begin_columns`.
        """
    def begin_columns(self, chosen: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
        """Which items the lanes play where `chosen` is true, as int64 arrays of shape (lanes,): `example`,
        its index in the source, and `episode_index`; 0 in other lanes.
        """
    def observation(self, lane: int = 0) -> NDArray[np.float32]:
        """What the learner of a lane sees: a fresh float32 array."""
    def observations(self) -> NDArray[np.float32]:
        """What all learners see."""
    def action_mask(self, lane: int = 0) -> NDArray[np.int8]:
        """What the learner of a lane may play: int8, 1 for each legal action."""
    def action_masks(self) -> NDArray[np.int8]:
        """What all learners may play: int8, a row for each lane."""
    def over(self) -> NDArray[np.bool_]:
        """Which lanes are over, or never began: bool of shape (lanes,)."""
    def episode_info(self, lane: int = 0) -> dict[str, Any]:
        """Facts of a lane's episode: example, episode, turns, invalid_moves, status, over, passed, score
        (None until the end, and where it was cut off).
        """
    def task(self, lane: int = 0) -> Task:
        """The task whose problem a lane plays."""
    def state(self, lane: int = 0) -> Play:
        """A copy of the play in progress."""
    def save(self) -> bytes:
        """All that decides what the lanes do next, as JSON."""
    def restore(self, saved: bytes) -> None:
        """Goes on from what `save` returned; raises InvalidState for anything else and changes nothing."""
    def clone(self) -> ProblemEpisodes:
        """Independent episodes in the same state."""
    def __copy__(self) -> ProblemEpisodes: ...
    def __deepcopy__(self, _memo: Any) -> ProblemEpisodes: ...

@final
class Task:
    """One item: a prompt, its solution, and a problem that carries its own judge."""

    @property
    def id(self) -> str:
        """`family/vN/split/seed/index-hash` for a generated item."""
    @property
    def family(self) -> str:
        """The family's name."""
    @property
    def domain(self) -> str:
        """The family's domain."""
    @property
    def version(self) -> int:
        """The family's version; grows when the bytes of any item change."""
    @property
    def split(self) -> str | None:
        """ "train", "eval" or "test"; None for a task from outside."""
    @property
    def seed(self) -> int | None:
        """The seed of its source; None for a task from outside."""
    @property
    def index(self) -> int | None:
        """Its place in its source, from 0; None for a task from outside."""
    @property
    def level(self) -> int | None:
        """The level whose params these are, or None."""
    @property
    def params(self) -> dict[str, Any] | None:
        """Every param of the generator; None for a task from outside."""
    @property
    def style(self) -> dict[str, Any]:
        """Its wording: template, choice of words, wrapper, what the answer stands in."""
    @property
    def difficulty(self) -> float:
        """How hard this very instance is, in [0, 1]."""
    @property
    def guess_rate(self) -> float:
        """The most a blind policy passes of problems like this: `Family.guess_rate`, or for a problem that is
        answered as the one within it, the larger of its own and that one's.
        """
    @property
    def prompt(self) -> str:
        """What a policy is asked."""
    @property
    def answer_tag(self) -> str | None:
        """The tag the answer stands in; None for one in a box."""
    @property
    def solution(self) -> Solution:
        """True steps and an answer that passes."""
    @property
    def problem(self) -> str:
        """The problem as JSON: all that judging needs."""
    @property
    def key(self) -> str:
        """128-bit fingerprint of the instance apart from its wording, as 32 hex digits."""
    def wrap(self, answer: str) -> str:
        """The answer as a well-formed completion."""
    def verify(
        self,
        text: _Completion,
        reading: ReadingName | None = None,
        *,
        stop_tokens: Sequence[str] | None = None,
    ) -> Verdict:
        """Judges a completion: text, or chat messages of which the last one is judged.

        `stop_tokens` are marks of the model's own that end its turn: at the end of the text they count as
        white space, as the common ones do. `reading` is "clean", "strict" or "lenient"; None is the
        family's own.
        """
    def verify_steps(self, steps: Sequence[str]) -> list[StepVerdict]:
        """Judges reasoning steps in order; raises Unsupported where the family does not check steps."""
    def mutate(self, aim: _Aim = "harder", *, seed: int = 0) -> Task:
        """A certified task near this one: `aim` is "harder", "easier" or "same"."""
    def wrong_answers(self, *, seed: int = 0) -> list[str]:
        """Answers near the right one that must fail, each broken in another way."""
    def moves(self) -> Play:
        """The problem as a one-player game; raises Unsupported where the family offers none."""
    def to_json(self) -> str:
        """The task's record as one line of JSON; see docs/records.md."""
    def to_dict(self) -> dict[str, Any]:
        """The task's record as a dict."""
    @staticmethod
    def from_json(text: str) -> Task:
        """Reads what `to_json` wrote; raises InvalidTask or InvalidProblem naming the field at fault."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Task: ...
    def __deepcopy__(self, _memo: Any) -> Task: ...

@final
class Batch(Sequence[Task]):
    """Tasks in order, of one family or of many: a `Sequence[Task]` with columns.

    Slicing gives a batch, `+` joins two, `repeat(n)` gives each task n times in a row.
    """

    def __new__(cls, tasks: Iterable[Task], /) -> Self: ...
    @property
    def prompts(self) -> list[str]:
        """The prompts, in order."""
    @property
    def answers(self) -> list[str]:
        """The answers of the solutions, in order."""
    @property
    def ids(self) -> list[str]:
        """The ids, in order."""
    @property
    def families(self) -> list[str]:
        """The name of each task's family, in order."""
    @property
    def levels(self) -> list[int | None]:
        """The level whose params each task has, or None, in order."""
    @property
    def difficulty(self) -> NDArray[np.float32]:
        """float32 array in [0, 1], shape (n,): how hard each instance is."""
    def to_jsonl(self) -> str:
        """The tasks' records, one line of JSON each, made in parallel without the GIL."""
    @classmethod
    def from_jsonl(cls, text: str) -> Batch:
        """Reads what `to_jsonl` wrote; raises InvalidTask or InvalidProblem for the first bad line."""
    def repeat(self, count: int) -> Batch:
        """Each task `count` times in a row: the prompts of groups of completions."""
    def verify(
        self,
        texts: Sequence[_Completion],
        reading: ReadingName | None = None,
        *,
        stop_tokens: Sequence[str] | None = None,
    ) -> Verdicts:
        """Judges one completion per task, texts or chat messages, in order, in parallel without the GIL.

        Raises InvalidArgument unless there are as many texts as tasks. `stop_tokens` are marks of the
        model's own that end its turn, besides the common ones.
        """
    def __len__(self) -> int: ...
    def __add__(self, other: Batch, /) -> Batch: ...
    def __radd__(self, value: Any, /) -> Any: ...
    @overload
    def __getitem__(self, index: int, /) -> Task: ...
    @overload
    def __getitem__(self, index: slice, /) -> Batch: ...

@final
class Source:
    """An endless source of items: params, split, seed and style fixed, the index free.

    `source[7]` is the task at index 7 and `source[0:100]` a batch; iterating gives task after task,
    without end.
    """

    @property
    def family(self) -> Family:
        """Whose items these are."""
    @property
    def params(self) -> dict[str, Any]:
        """Every param of the generator."""
    @property
    def level(self) -> int | None:
        """The level whose params these are; None for params of your own."""
    @property
    def split(self) -> str:
        """Which split the items are of."""
    @property
    def seed(self) -> int:
        """The seed of the stream of items."""
    @property
    def style(self) -> dict[str, Any]:
        """What was asked of the style; the rest is drawn."""
    def task(self, index: int) -> Task:
        """The item at `index`."""
    def batch(self, start: int, count: int) -> Batch:
        """The items `start .. start + count`."""
    def tasks(self, indices: Iterable[int], /) -> Batch:
        """The items at any indices, in their order."""
    @overload
    def __getitem__(self, index: int, /) -> Task: ...
    @overload
    def __getitem__(self, index: slice, /) -> Batch: ...
    def __iter__(self) -> Iterator[Task]: ...

_Item = TypeVar("_Item")

@final
class Rng:
    """The only source of randomness of items: draws that are the same on every machine and in every release.

    A family is given one; `Rng(seed, index)` is for trying things out. docs/determinism.md specifies it.
    """

    def __new__(cls, seed: int = 0, index: int = 0) -> Self: ...
    def word(self) -> int:
        """64 random bits as a whole number."""
    def below(self, n: int) -> int:
        """A whole number from 0 to `n` - 1."""
    def int(self, low: builtins.int, high: builtins.int) -> builtins.int:
        """A whole number from `low` to `high`, both included."""
    def chance(self, of: builtins.int, outcomes: builtins.int) -> bool:
        """True with probability `of / outcomes`."""
    def pick(self, items: Sequence[_Item], /) -> _Item:
        """One of the items of a sequence."""
    def shuffled(self, items: Iterable[_Item], /) -> list[_Item]:
        """The items in another order, as a new list."""
    def sample(self, items: Iterable[_Item], count: builtins.int, /) -> list[_Item]:
        """`count` of the items, none twice, in the order they are drawn."""
    def weighted(self, weights: Iterable[builtins.int], /) -> builtins.int:
        """An index drawn with probability proportional to its weight; weights are whole numbers."""
    def derive(self, purpose: str) -> Rng:
        """A generator of its own for a side purpose, so that its draws disturb nothing else."""

@final
class ReadyForm:
    """How an answer is asked for, read and written: a ready-made form, of `reasonenv.kit.forms`."""

    @staticmethod
    def integer() -> ReadyForm:
        """One whole number: `int`."""
    @staticmethod
    def integers(count: int, what: str) -> ReadyForm:
        """`count` whole numbers with commas between them, two or more: `list[int]`."""
    @staticmethod
    def numbers(what: str, most: int) -> ReadyForm:
        """One whole number or more, with commas between them: `list[int]`."""
    @staticmethod
    def choices(count: int, what: str) -> ReadyForm:
        """Some of `count` things numbered from 1, or none: `list[int]` in increasing order."""
    @staticmethod
    def line(what: str) -> ReadyForm:
        """One line in which every character counts: `str`."""
    @staticmethod
    def lines(what: str) -> ReadyForm:
        """Lines that must stand exactly so: `str`."""
    @staticmethod
    def words(what: str, words: Sequence[str]) -> ReadyForm:
        """Words of a list with commas between them: `list[str]`."""
    @staticmethod
    def assignment(noun: str, names: Sequence[str], values: Sequence[str]) -> ReadyForm:
        """A value for every name, in any order: `dict[str, str]`."""
    @staticmethod
    def route(
        names: Sequence[str], start: str | None = None, end: str | None = None, *, closed: bool = False
    ) -> ReadyForm:
        """Names in the order they are visited, joined by `->`: `list[str]`."""
    @staticmethod
    def grid(what: str, rows: int, columns: int, low: int, high: int) -> ReadyForm:
        """A grid of whole numbers, one row a line: `list[list[int]]`."""
    def asks(self) -> str:
        """What to write, as the start of a sentence that goes on with "inside … tags"."""
    def sentence(self, tag: str) -> str:
        """The last sentence of every prompt."""
    def read(self, text: str) -> Any:
        """What an answer says. Raises Malformed for all that the sentence does not allow."""
    def write(self, answer: Any) -> str:
        """An answer as text that `read` gives back; raises InvalidArgument for what it has no text for."""
    def mangled(self, right: str) -> list[str]:
        """Spellings of the right answer that the sentence does not allow."""

_MixtureSource: TypeAlias = FamilyName | Family | tuple[FamilyName | Family, int] | Source

@final
class Mixture:
    """A source over several families: each index has an item of one of `sources`, drawn with `weights`.

    A source is a family's name or a `Family` at level 0, a pair of one and a level, or a `Source` with
    params, style and a seed of its own. `split` and `seed` are those of all but the `Source`s. The item at an
    index is the one that the drawn source has there, so that no item comes twice; the draw follows from the
    mixture, `seed` and the index alone. `mixture[7]`, `mixture[0:100]` and iterating are as in a `Source`. A
    mapping gives each source its weight: `Mixture({"chain_sum": 3, "sudoku": 1})`.

    Raises InvalidArgument for no sources, for sources of different splits, and unless there is a finite
    weight for each source, none negative, some positive. Weights need not sum to 1.
    """

    def __new__(
        cls,
        sources: Iterable[_MixtureSource] | Mapping[_MixtureSource, float],
        *,
        weights: Iterable[float] | None = None,
        split: SplitName = "train",
        seed: int = 0,
    ) -> Self: ...
    @property
    def sources(self) -> list[Source]:
        """The sources, in order."""
    @property
    def weights(self) -> list[float]:
        """The chance of each source; they sum to 1."""
    @property
    def split(self) -> str:
        """Which split the items are of."""
    @property
    def seed(self) -> int:
        """The seed of the draws."""
    def task(self, index: int) -> Task:
        """The item at `index`."""
    def batch(self, start: int, count: int) -> Batch:
        """The items `start .. start + count`."""
    def tasks(self, indices: Iterable[int], /) -> Batch:
        """The items at any indices, in their order."""
    @overload
    def __getitem__(self, index: int, /) -> Task: ...
    @overload
    def __getitem__(self, index: slice, /) -> Batch: ...
    def __iter__(self) -> Iterator[Task]: ...

@final
class Family(Generic[_Params]):
    """A kind of task: its facts, its generator and its judge."""

    def __class_getitem__(cls, key: Any) -> GenericAlias: ...
    @property
    def name(self) -> str:
        """Its name, which never changes."""
    @property
    def domain(self) -> str:
        """What it is about: arithmetic, logic, …"""
    @property
    def version(self) -> int:
        """Grows by one whenever any item's bytes change."""
    @property
    def summary(self) -> str:
        """What is asked, in one sentence."""
    @property
    def top_level(self) -> int:
        """The hardest level; level 0 is the easiest."""
    @property
    def judged_by(self) -> str:
        """ "exact", "normalized", "constraints", "optimum", "proof" or "execution"."""
    @property
    def modes(self) -> list[str]:
        """Modes of its environments: "solution", "step" and "token", and "moves" where its problems can be
        played.
        """
    @property
    def answer_tag(self) -> str:
        """The tag an answer stands in, unless a task says otherwise."""
    @property
    def reading(self) -> ReadingName:
        """How answers are read unless another reading is asked for."""
    @property
    def distinct_from(self) -> int:
        """The level from which on 95 % of its items are distinct; below it there are few instances."""
    @property
    def guess_rate(self) -> float:
        """The most the best blind policy passes, over all levels."""
    @property
    def guess_score(self) -> float:
        """The most the best blind policy scores on average, over all levels."""
    @property
    def skills(self) -> list[str]:
        """What it takes to solve it."""
    @property
    def changes(self) -> list[str]:
        """What changed in each version, oldest first."""
    @property
    def templates(self) -> list[str]:
        """Names of the wordings, held-out ones included."""
    @property
    def held_out_templates(self) -> list[str]:
        """Wordings that never appear in the train split."""
    @property
    def failures(self) -> dict[str, str]:
        """The family's own failure labels, each with what it means."""
    @property
    def parts(self) -> dict[str, str]:
        """What else the judge measures, each with what it means."""
    @property
    def params_schema(self) -> dict[str, Any]:
        """JSON schema of the params: type, bounds, default, role and doc of each."""
    def level_params(self, level: int) -> _Params:
        """The params of a level, every field of them."""
    def source(
        self,
        *,
        seed: int = 0,
        level: int = 0,
        params: _Params | None = None,
        split: SplitName = "train",
        style: dict[str, Any] | None = None,
    ) -> Source:
        """A source of items: a level's params, overridden by `params`, in one split under one seed."""
    def sample(
        self,
        seed: int = 0,
        index: int = 0,
        *,
        level: int = 0,
        params: _Params | None = None,
        split: SplitName = "train",
        style: dict[str, Any] | None = None,
    ) -> Task:
        """One item."""
    def batch(
        self,
        seed: int = 0,
        start: int = 0,
        count: int = 1,
        *,
        level: int = 0,
        params: _Params | None = None,
        split: SplitName = "train",
        style: dict[str, Any] | None = None,
    ) -> Batch:
        """The items `start .. start + count`, made in parallel without the GIL."""
    def task(
        self,
        problem: str,
        *,
        id: str | None = None,
        prompt: str | None = None,
        style: dict[str, Any] | None = None,
        certified: bool = False,
    ) -> Task:
        """A task around a problem posed elsewhere; raises InvalidProblem naming the field at fault.

        With `certified` it also raises where the problem's claims are not proved.
        """
    def certify(self, problem: str) -> Certificate:
        """Proves a problem solvable, in bounds and, where it must be, unique; raises InvalidProblem
        otherwise.
        """
    def mutate(self, task: Task, aim: _Aim = "harder", *, seed: int = 0) -> Task:
        """A certified task near `task`: `aim` is "harder", "easier" or "same"."""

@final
class Verifier:
    """Judges completions against truths, in parallel without the GIL.

    `name` is one of `list_verifiers()`. The options `tag`, `extract`, `reading` and `stop_tokens` are
    common to all; the rest are the verifier's own. `normalize` may be a function: it is given each answer as
    it was read and each truth without outer white space, and what it returns is compared; it runs in Python,
    row by row. Raises InvalidParams for a bad option.
    """

    @property
    def name(self) -> VerifierName:
        """Its name, one of `list_verifiers()`."""
    @property
    def summary(self) -> str:
        """What passes, in one line."""
    @property
    def options(self) -> dict[str, Any]:
        """Every option, those left to their defaults included."""
    @property
    def example(self) -> dict[str, str]:
        """A row under the default options: its `truth`, an answer that is `right`, one that is `wrong`."""
    def __new__(cls, name: VerifierName, **options: Any) -> Self: ...
    def check(self, truths: Sequence[_Reference]) -> list[tuple[int, str]]:
        """The truths that no answer could be held against: each one's row, and what a call would raise for
        it.
        """
    def __call__(self, texts: Sequence[_Completion], truths: Sequence[_Reference]) -> Verdicts: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]: ...

def list_families() -> list[FamilyName]:
    """Names of all task families, those that were registered too, alphabetical."""

def list_games() -> list[GameName]:
    """The names of all games, those that were registered too, alphabetical."""

def list_opponents() -> list[OpponentName]:
    """The names `Game.opponent` takes."""

def list_readings() -> list[ReadingName]:
    """Names of the ways to read an answer out of a completion."""

def list_verifiers() -> list[VerifierName]:
    """The names of all verifiers."""

def family(name: str) -> Family:
    """A task family by name; raises UnknownFamily suggesting the nearest."""

def game(name: str, params: dict[str, Any] | None = None) -> Game:
    """A game by its name, under params that override the defaults."""

def _episodes(game: Game, count: int, options: dict[str, Any], saved: bytes) -> Episodes: ...
def _problem_episodes(
    source: Source, count: int, options: dict[str, Any], saved: bytes
) -> ProblemEpisodes: ...
def _settings(of: str, given: dict[str, Any]) -> dict[str, Any]: ...
def _opponent(
    game: Game,
    name: str,
    random_move_prob: float,
    blunder_prob: float,
    optimality: _Optimality,
    exact_plies: int | None,
) -> Opponent: ...
def _language() -> str: ...
def _run_program(
    text: str, names: Sequence[str], values: Sequence[int], steps: int
) -> tuple[int | None, str, int]: ...
def _register_family(asked: object, about: str, replace: bool) -> Family: ...
def _unregister_family(name: str) -> None: ...
def _register_game(asked: object, about: str, replace: bool) -> None: ...
def _unregister_game(name: str) -> None: ...
def common_failures() -> dict[str, str]:
    """The failure labels any family may give, each with what it means."""

def verify(
    family: str,
    problem: str,
    text: _Completion,
    reading: ReadingName | None = None,
    *,
    answer: AnswerStyleName = "tag",
    certified: bool = False,
    stop_tokens: Sequence[str] | None = None,
) -> Verdict:
    """Judges a completion, text or chat messages, of a problem given as JSON: stateless, for a reward worker
    or a file.

    What a problem claims about itself, such as the length of a shortest path, is believed unless
    `certified`: then InvalidProblem is raised where it is not proved, which may take far longer than
    judging. `answer` is what the prompt asked for: "tag" or "boxed".
    """

def verify_all(
    families: Sequence[str],
    problems: Sequence[str],
    texts: Sequence[_Completion],
    reading: ReadingName | None = None,
    *,
    answers: Sequence[AnswerStyleName] | None = None,
    certified: bool = False,
    stop_tokens: Sequence[str] | None = None,
) -> Verdicts:
    """Judges many completions, each of its own problem and family, in parallel without the GIL.

    `families`, `problems` (JSON) and `texts` have the same length. Raises InvalidProblem for the first bad
    problem; `certified` is as in `verify`. `answers` has what each prompt asked for: "tag" or "boxed"; None
    is "tag" throughout.
    """

def _combine(
    combination: str, verdicts: Sequence[Verdicts], names: Sequence[str], weights: Sequence[float]
) -> Verdicts: ...
def tree_compat(
    texts: Sequence[str], truths: Sequence[str], *, tag: str = "ascii_formatted"
) -> NDArray[np.float64]:
    """SYNTHETIC-2's reward of drawings of trees: float64 array, shape (n,), bit-equal with its Python
    original.

    It reads the first tag block of each text. A row whose comparison takes too many steps is worth 0.
    """

def read_answers(
    texts: Sequence[str],
    *,
    tag: str = "answer",
    reading: ReadingName = "strict",
    stop_tokens: Sequence[str] | None = None,
) -> list[str | None]:
    """The answer in each completion under a reading, or None where the reading finds a fault."""

def calculate(expression: str) -> tuple[int, int]:
    """The exact value of an arithmetic expression, as a numerator and a positive denominator in lowest terms.

    Nothing is run as code, and the work is bounded.

    Args:
        expression: Decimals joined by + - * / // (whole part) % (remainder) and ** or ^ (power), with
            parentheses.

    Raises:
        InvalidArgument: The expression has no value, or one beyond 4096 bits; says why.
    """

def settings_schema(of: str) -> dict[str, Any]:
    """The JSON schema of the settings of something: type, bounds, default and doc of each."""

def num_threads() -> int:
    """Threads used for batches."""

def set_num_threads(threads: int) -> None:
    """Uses `threads` threads for batches from now on; 0 means one per core."""
