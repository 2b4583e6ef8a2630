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
    "InvalidReference",
    "InvalidState",
    "InvalidStyle",
    "InvalidTask",
    "Malformed",
    "Mixture",
    "Opponent",
    "Play",
    "ProblemEpisodes",
    "Proof",
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
    "_completion",
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
    "_without_reasoning",
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

class InvalidReference(ReasonEnvError):
    """A row's reference is of a kind that no answer can be compared with."""

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
    """Verdict on one completion.

    `passed` is True only for a right and well-formed answer; `score` is partial credit in [0, 1], 1.0
    exactly when passed; `parts` are the verifier's other measures, each in [0, 1]; `failures` are labels,
    most informative first; `detail` is a reason that a person can act on; `answer` is the text that was
    read, or None; `respelled` is True if it was read in markup or with separators that only the lenient
    reading accepts.
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
        """True if the answer is right and well formed."""
    @property
    def score(self) -> float:
        """Partial credit in [0, 1]; 1.0 exactly when passed."""
    @property
    def parts(self) -> dict[str, float]:
        """Other measures of the verifier, in [0, 1], by name."""
    @property
    def failures(self) -> tuple[str, ...]:
        """Labels of what is wrong, most informative first; empty when passed."""
    @property
    def detail(self) -> str:
        """Reason of the failure that a person can act on; empty when passed."""
    @property
    def answer(self) -> str | None:
        """Answer that was read; None if none was."""
    @property
    def respelled(self) -> bool:
        """True if the answer was read in a spelling that only the lenient reading accepts: in markup, in a
        box where a tag is asked for, or with other separators.
        """
    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data, ready for JSON: `passed`, `score`, `parts`, `failures`, `detail`,
        `answer`, `respelled`.
        """
    def __eq__(self, other: object, /) -> bool: ...

@final
class Verdicts(Sequence[Verdict]):
    """Verdicts in the order of the texts: arrays over all of them, or single ones by index."""

    def __new__(cls, verdicts: Iterable[Verdict], /) -> Self: ...
    @property
    def passed(self) -> NDArray[np.bool_]:
        """Passed, by row: bool array, shape (n,)."""
    @property
    def score(self) -> NDArray[np.float32]:
        """Score, by row: float32 array in [0, 1], shape (n,)."""
    @property
    def parts(self) -> dict[str, NDArray[np.float32]]:
        """Parts by name, each a float32 array in [0, 1], shape (n,); NaN for rows without the part."""
    @property
    def failures(self) -> list[tuple[str, ...]]:
        """Tuple of labels for each text, empty if it passed."""
    @property
    def detail(self) -> list[str]:
        """Reason for each text, empty if it passed."""
    @property
    def respelled(self) -> NDArray[np.bool_]:
        """True for answers in a spelling that only the lenient reading accepts: bool array, shape (n,)."""
    @property
    def answers(self) -> list[str | None]:
        """Answer that was read in each text, or None."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> Verdict: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Verdict]: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class StepVerdict:
    """Verdict on one reasoning step: whether it holds, whether it advances the solution, and why not."""

    @property
    def holds(self) -> bool:
        """Whether the step is true."""
    @property
    def advances(self) -> bool:
        """Whether it leads on from what was established before."""
    @property
    def progress(self) -> float:
        """Share of the way to the end after this step, from 0 to 1."""
    @property
    def detail(self) -> str:
        """Why, in words a person can act on."""
    def __eq__(self, other: object, /) -> bool: ...

@final
class Certificate:
    """Certificate of a problem: what `certify` proved."""

    @property
    def unique(self) -> bool:
        """Exactly one answer passes, up to the notation that the prompt allows."""
    @property
    def proof(self) -> str:
        """Proof, in words."""
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
        """Answer that passes, once it is wrapped in the tag."""
    def __new__(cls, steps: Sequence[str], answer: str) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Proof:
    """A proof in progress: the goals that are open, and the tactics that led to them. It never changes;
    tactics make new ones. Proofs with the same goals from the same rules are equal.

    Args:
        problem: `Task.problem` of a family whose answers are proofs.
        lines: Tactics to apply.

    Raises:
        InvalidProblem: The problem asks for no proof, or its rules can't be read.
        InvalidArgument: A line doesn't apply.
    """

    @property
    def lines(self) -> list[str]:
        """Tactics applied so far, as they were written."""
    @property
    def goals(self) -> int:
        """Number of open goals."""
    @property
    def text(self) -> str:
        """Open goals with their hypotheses, for a reader."""
    @property
    def is_over(self) -> bool:
        """True if no goal is open."""
    @property
    def is_proved(self) -> bool:
        """True if every goal was closed, none of them by `sorry`."""
    @property
    def is_propositional(self) -> bool:
        """True if the goals are formulas of propositional logic, which a countermodel can refute."""
    def apply(self, line: str) -> Self | str:
        """Return the proof after a tactic, or the reason why it doesn't apply to the first open goal.

        Args:
            line: A tactic, such as `rewrite <- assoc at 1.2`. No text raises.
        """
    def to_json(self) -> str:
        """Return the open goals as JSON: the same text for equal proofs."""
    def hint(self, line: str) -> str:
        """Return an abstract hint for a tactic: what to do with the first open goal, but not the line.

        Args:
            line: A tactic, such as one of `search`.

        Raises:
            InvalidArgument: The line is not a tactic.
        """
    def candidates(self) -> list[str]:
        """Return tactics that apply to the first open goal, in a fixed order. Those that need a drawn term or
        formula are left out; a tactic that loses nothing comes alone.
        """
    def search(self, budget: int = 200_000) -> list[str] | None:
        """Return the tactics of a proof of all open goals, or None if a search finds none.

        Args:
            budget: Steps of the search, at most 10,000,000.
        """
    def distance(self, budget: int = 200_000) -> int | None:
        """Return the number of tactics of the proof that `search` finds, or None.

        Args:
            budget: Steps of the search, at most 10,000,000.
        """
    def __new__(cls, problem: str, lines: Sequence[str] | None = None) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> Self: ...

@disjoint_base
class Play:
    """State of play: legal actions, a numeric observation, and moves by number or by name.

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
    def next_move(self) -> int | None:
        """Next move of a shortest solution from here; None if the play is over, if it is a game, or if the
        rules can't tell.
        """
    @property
    def current_player(self) -> int | None:
        """Player to move, or None when the play is over."""
    @property
    def is_over(self) -> bool:
        """True if the play is over."""
    @property
    def returns(self) -> list[float] | None:
        """One score per player once the play is over, else None."""
    def legal_actions(self) -> list[int]:
        """Return the legal actions, in order."""
    def action_mask(self) -> NDArray[np.int8]:
        """Return an int8 array of shape (actions,): 1 for each legal action."""
    def apply(self, action: int) -> None:
        """Take a legal action, a whole number; raises InvalidAction naming the legal ones otherwise."""
    def observation(self, player: int = 0) -> NDArray[np.float32]:
        """Return a player's observation as a float32 array in [0, 1] of `shape`."""
    def text(self, player: int = 0) -> str:
        """Return a player's observation as text."""
    def drawing(self, player: int = 0) -> tuple[int, int, list[tuple[str, list[int], str, str]]]:
        """Return the position as a person would draw it, as far as `player` may see it: rows and columns of
        cells, and shapes from bottom to top. Each shape has a kind, numbers in eighths of a cell, a color
        by name, and a text, which only the last two kinds use: ("rectangle", [left, top, width, height],
        …), ("disc", [x, y, radius], …), ("line", [x, y, to x, to y, width], …), ("label", [left, y,
        height], …), ("title", [middle, y, height], …). Text is centered vertically at y; each character
        takes three quarters of the height.
        """
    def action_name(self, action: int) -> str:
        """Return the name of an action, such as "b2"."""
    def read_action(self, text: str) -> int:
        """Return the action that a text names; raises InvalidAction with the form of a name."""
    def answer(self) -> str | None:
        """Return the answer that this play amounts to, once it is over."""
    def clone(self) -> Play:
        """Return an independent copy."""
    def __copy__(self) -> Play: ...
    def __deepcopy__(self, _memo: Any) -> Play: ...

@final
class Value:
    """Value of a move to its player under perfect play."""

    def __new__(cls, outcome: int, distance: int | None, score: int, mean: float | None = None) -> Self: ...
    @property
    def outcome(self) -> int:
        """1 for a win, 0 for a draw, -1 for a loss; in a game of chance, the sign of `mean`."""
    @property
    def distance(self) -> int | None:
        """Plies to the end, including this move; None if that is not known."""
    @property
    def score(self) -> int:
        """The game's own margin, in the unit of `Game.score_means`."""
    @property
    def mean(self) -> float:
        """Mean return: `outcome` in a game without chance."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class State(Play):
    """Game in progress: whose turn it is, which actions are legal, what they are worth.

    All of `Play`, and the exact values of a game with a solver.
    """

    @classmethod
    def from_bytes(cls, data: bytes) -> State:
        """Return the state whose `to_bytes()` returned `data`; raises InvalidState for anything else."""
    def to_bytes(self) -> bytes:
        """Serialize the start and the actions since as JSON."""
    @property
    def game(self) -> Game:
        """The game that is played."""
    @property
    def seed(self) -> int:
        """Seed that it was started with."""
    @property
    def moves(self) -> list[int]:
        """Every action since the start, including those of the opening and of chance."""
    @property
    def is_chance(self) -> bool:
        """True if it is chance's turn."""
    def chance_outcomes(self) -> dict[int, float]:
        """Return the probability of each action at a turn of chance."""
    def values(self, max_positions: int | None = None) -> dict[int, Value]:
        """Return the exact value of every legal action; empty once the game is over.

        Args:
            max_positions: Most positions to search; None searches until the values are proved.

        Raises:
            Unsolved: The search reached the limit, the game has no exact values, or it is
                `unsolvable_reason` and no limit is given.
        """
    def best_actions(self, optimality: _Optimality = "dtm", max_positions: int | None = None) -> list[int]:
        """Return all best actions, in increasing order.

        Args:
            optimality: "wdl": all that keep the outcome. "dtm": of those, the best score, the fastest win,
                the slowest loss.
            max_positions: As in `values`.

        Raises:
            Unsolved: As in `values`.
        """
    def clone(self) -> State:
        """Return an independent copy."""
    def __copy__(self) -> State: ...
    def __deepcopy__(self, _memo: Any) -> State: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Game:
    """A game with its params: its facts, its starts, its opponents."""

    @property
    def name(self) -> str:
        """Name, which never changes."""
    @property
    def version(self) -> int:
        """Version; incremented whenever a start or a reply changes."""
    @property
    def summary(self) -> str:
        """One-sentence summary."""
    @property
    def rules(self) -> str:
        """Rules under these params, for someone who has never played the game."""
    def role_text(self, player: int) -> str:
        """Return a sentence that tells `player`, 0 or 1, which side it plays, as `State.text(player)` draws
        it.
        """
    @property
    def players(self) -> tuple[str, str]:
        """Names of the two players; the first moves first."""
    @property
    def changes(self) -> list[str]:
        """Change made by each version, oldest first."""
    @property
    def params(self) -> dict[str, Any]:
        """All params, including defaults."""
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
        """Most plies that a game can last, including those of chance."""
    @property
    def most_turns(self) -> int:
        """Most turns of one player: half of `max_plies` if players alternate, else all."""
    @property
    def longest_plies(self) -> int:
        """Most plies that a game can last under any params."""
    @property
    def has_stakes(self) -> bool:
        """True if returns may exceed 1 or fall below -1, so that one win can be worth several."""
    @property
    def has_chance(self) -> bool:
        """True if there are turns of chance after the start."""
    @property
    def has_hidden_information(self) -> bool:
        """True if a player knows something that the other does not."""
    @property
    def value(self) -> float | None:
        """Return of the first player under perfect play with the default params, if known."""
    @property
    def score_means(self) -> str:
        """Unit of `Value.score`."""
    @property
    def moves_are_called(self) -> str:
        """Word for actions in text, such as "columns"."""
    @property
    def has_tactics(self) -> bool:
        """True if a move can be called a missed win, a missed block or an allowed fork."""
    @property
    def unsolvable_reason(self) -> str | None:
        """Reason why exact values cannot be expected from the start; None if they can."""
    @property
    def solves_instantly(self) -> bool:
        """True if exact values take 10 microseconds on average, and none takes long."""
    @property
    def default_opponent(self) -> OpponentName:
        """Name of the opponent of an environment that names none. It replies within 10 microseconds on
        average: exactly if `solves_instantly`; with hidden information by an equilibrium, or at random
        where none is known; else as "heuristic".
        """
    def start(self, seed: int = 0, *, opening_plies: int = 0, resolve_chance: bool = True) -> State:
        """Start a game.

        Args:
            seed: Determines whatever the params leave open and all chance: 0 .. 2**64 - 1.
            opening_plies: Number of random moves at the start, none of which ends the game: 0 .. 32.
            resolve_chance: True if chance acts automatically. Otherwise the caller plays its turns, and in
                a game that has some, `opening_plies` must be 0.
        """
    def from_bytes(self, data: bytes) -> State:
        """Return the state whose `to_bytes()` returned `data`; raises InvalidState for anything else."""
    def action_name(self, action: int) -> str:
        """Return the name of an action, such as "b2"."""
    def read_action(self, text: str) -> int:
        """Return the action that a text names; raises InvalidAction with the form of a name."""
    def opponent(
        self,
        name: OpponentName = "minimax",
        *,
        random_move_prob: float = 0.0,
        blunder_prob: float = 0.0,
        optimality: _Optimality = "dtm",
        exact_plies: int | None = None,
        playouts: int | None = None,
    ) -> Opponent:
        """Return an opponent.

        Args:
            name: "random", "minimax" (any of the best moves), "heuristic" (win, else leave the fewest ways
                to win), "first_best", "last_best" (always the same of the best moves), "equilibrium" or
                "mcts" (tree search).
            random_move_prob: Probability of a random legal move instead, on each turn.
            blunder_prob: Probability of a random move that is not best instead.
            optimality: Criterion for the best moves: "wdl" keeps the outcome, "dtm" also hastens wins,
                delays losses and maximizes the score.
            exact_plies: Plies left at which it begins to play perfectly; before that, it plays as
                "heuristic", or as "mcts" if it is that.
            playouts: Strength of "mcts": the random continuations that it tries for a reply. None: 200.
        """
    def duel(
        self,
        first: OpponentName | Opponent,
        second: OpponentName | Opponent,
        max_positions: int | None = None,
    ) -> tuple[float, float, float, float]:
        """Return the exact probabilities of (win, draw, loss) and the mean return of `first` when it moves
        first against `second`, opponents or their names, from the start of seed 0: computed over the whole
        game, not sampled. Raises Unsolved for a game whose positions take more than 256 MiB.
        """
    def calibrate(
        self, opponent: OpponentName | Opponent, max_positions: int | None = None
    ) -> dict[str, tuple[float, float, float, float]]:
        """Evaluate reference policies against `opponent`, an opponent or the name of one, moving first in
        half of the games. Returns a dict from name to the exact probabilities of (win, draw, loss) and the
        mean return. Raises Unsolved as `duel` does.
        """
    def exploitability(self, opponent: OpponentName | Opponent, max_positions: int | None = None) -> float:
        """Return the most that a player who knows the policy of `opponent`, an opponent or the name of one,
        can win from it on average, sitting in each seat half of the time: 0 for an equilibrium. Exact, for
        games of hidden information; raises Unsolved for others.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Opponent:
    """An opponent: `opponent(state)` is the action that it plays in that state."""

    @property
    def game(self) -> Game:
        """Game that it plays."""
    @property
    def name(self) -> str:
        """Name, one of `list_opponents()`."""
    @property
    def random_move_prob(self) -> float:
        """Probability of a random move instead: 0 to 1."""
    @property
    def blunder_prob(self) -> float:
        """Probability of a move that is not best instead: 0 to 1."""
    @property
    def exact_plies(self) -> int | None:
        """Plies left at which it begins to play perfectly; None: from the start."""
    @property
    def playouts(self) -> int | None:
        """Random continuations that "mcts" tries for a reply; None for others."""
    def __call__(self, state: State) -> int: ...
    def distribution(self, state: State) -> dict[int, float]:
        """Return the probability of each legal action of `state`, over all seeds; raises Unsolved for
        "mcts".
        """
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Episodes:
    """Games against an opponent in many lanes: the engine of the environments.

    A call that raises changes nothing: neither a game nor the source of its random numbers.
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
        """Game in play."""
    @property
    def opponent(self) -> Opponent | Callable[[State], int] | Literal["self"]:
        """Player of the other side: an `Opponent`, a callable, or "self" for self-play."""
    @property
    def settings(self) -> dict[str, Any]:
        """All settings by name, with the value that `max_turns` takes if it is left out."""
    def seed(self, lane: int, seed: int, group: int = 0, episode: int = 0) -> None:
        """Set the seed of the lane's next episodes, counted from `episode`, below 2**63; `group` shifts their
        slice.
        """
    def reset(self, lane: int = 0) -> None:
        """Begin the lane's next episode."""
    def play(self, action: object) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play an action, any whole number, in lane 0, and the replies to it."""
    def say(self, text: object) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play the move in a message, any text, in lane 0, and the replies to it."""
    def opening(self, said: bool = False) -> tuple[Any, dict[str, Any]]:
        """Return the first observation of lane 0 and an info: seat (current_player in self-play),
        random_move_prob, example, episode_index, start_value and start_exact if steps are analyzed, and
        action_mask or, if moves are sent as text (`said`), instructions.
        """
    def begin(self, said: bool = False) -> tuple[Any, dict[str, Any]]:
        """Call `reset` and `opening` for lane 0."""
    def seed_all(
        self, seeds: NDArray[np.uint64], groups: NDArray[np.uint64], chosen: NDArray[np.bool_]
    ) -> None:
        """Call `seed` for every lane where `chosen` is true, from episode 0."""
    def reset_all(self, chosen: NDArray[np.bool_]) -> None:
        """Begin the next episode of every lane where `chosen` is true."""
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
        """Step every lane. `autoreset` is "NextStep", "SameStep" or "Disabled".

        Returns observations, rewards, terminations, truncations, masks, the last observations of lanes
        that ended and were reset (None unless "SameStep" and some were; rows of other lanes are
        undefined), which lanes were over before, and a dict of columns, each an array with one row per
        lane:

        - "current_player", in self-play: player to move, -1 once the lane is over (int64); - "step", if
        `tells`: `invalid` (bool), `cost`, `episode_cost` (float64) and, if steps are analyzed, `analyzed`
        (bool), `regret` (float64), `blunder`, `forced`, `missed_win`, `missed_block`, `allowed_fork` and
        `exact` (bool); - "end", if `tells` and some lane ended: `result` (float64), `winner` (int64, -1
        for nobody), `turns` and `invalid_moves` (int64) and, if steps are analyzed, `total_regret` and
        `opponent_regret` (float64) and `total_exact` (bool); all 0 in lanes that did not end, and `result`
        also in truncated ones. In self-play there are `returns` and, if steps are analyzed, `regrets`
        instead, one for each player: float64 of shape (lanes, 2); - "begin", if `tells` and some lane was
        reset: the result of `begin_columns`.
        """
    def begin_columns(self, chosen: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
        """Return how the episodes of lanes where `chosen` is true began, as arrays of shape (lanes,): `seat`
        (int64, not in self-play), `example`, `episode_index` (int64), `random_move_prob` (float64) and, if
        steps are analyzed, `start_value` (float64) and `start_exact` (bool); all 0 in other lanes.
        """
    def current_players(self) -> NDArray[np.int64]:
        """Return the player to move in every lane, -1 once it is over: int64 of shape (lanes,)."""
    def observation(self, lane: int = 0) -> NDArray[np.float32]:
        """Return the learner's observation in a lane: a new float32 array."""
    def observations(self) -> NDArray[np.float32]:
        """Return the learner's observations in all lanes."""
    def action_mask(self, lane: int = 0) -> NDArray[np.int8]:
        """Return the learner's legal actions in a lane: int8, 1 for each legal action."""
    def action_masks(self) -> NDArray[np.int8]:
        """Return an int8 array of shape (count, actions): 1 for each legal action of each lane."""
    def over(self) -> NDArray[np.bool_]:
        """Return a bool array of shape (lanes,): True for lanes that are over or never began."""
    def episode_info(self, lane: int = 0) -> dict[str, Any]:
        """Return facts about a lane's episode."""
    def message(self, lane: int = 0) -> str:
        """Return the message to the language model."""
    @property
    def instructions(self) -> str:
        """Rules of the game and form of a reply, for a language model."""
    def state(self, lane: int = 0) -> State:
        """Return a copy of the game in progress."""
    def save(self) -> bytes:
        """Serialize as JSON all that decides what the lanes do next."""
    def restore(self, saved: bytes) -> None:
        """Continue from the output of `save`; raises InvalidState for anything else and changes nothing."""
    def clone(self) -> Episodes:
        """Return independent episodes in the same state, against the same opponent."""
    def __copy__(self) -> Episodes: ...
    def __deepcopy__(self, _memo: Any) -> Episodes: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ProblemEpisodes:
    """Problems played move by move in many lanes, rewarded by their own verifier, for families with
    `Task.moves()` such as sudoku and tsp.

    An episode is one task of the source, chosen by the lane's seed and the number of the episode;
    `example` is the task's index. A call that raises changes nothing.
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
        """Set the seed of the lane's next episodes, counted from `episode`, below 2**63."""
    def seed_all(self, seeds: NDArray[np.uint64], chosen: NDArray[np.bool_]) -> None:
        """Call `seed` for every lane where `chosen` is true, from episode 0."""
    def reset(self, lane: int = 0) -> None:
        """Begin the lane's next episode."""
    def reset_all(self, chosen: NDArray[np.bool_]) -> None:
        """Begin the next episode of every lane where `chosen` is true."""
    def begin(self, example: int | None = None) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Call `reset` for lane 0, and return its observation and an info: example, episode_index,
        action_mask. `example` is the index of the task, which the seed draws if it is None.
        """
    def play(self, action: object) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play an action, any whole number, in lane 0. The info has invalid, cost, episode_cost, action_mask
        and, at the end, result, turns, invalid_moves and, unless the episode was truncated, passed and
        score.
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
        """Step every lane. `autoreset` is "NextStep", "SameStep" or "Disabled".

        Returns observations, rewards, terminations, truncations, masks, the last observations of lanes
        that ended and were reset (None unless "SameStep" and some were; rows of other lanes are
        undefined), which lanes were over before, and, if `tells`, a dict of columns, each an array with
        one row per lane:

        - "step": `invalid` (bool), `cost` and `episode_cost` (float64); - "end", if some lane ended:
        `result` (float64, by `reward`), `passed` (bool), `score` (float64), `turns` and `invalid_moves`
        (int64); all 0 in lanes that did not end, and the first three also in truncated ones; - "begin", if
        some lane was reset: the result of `begin_columns`.
        """
    def begin_columns(self, chosen: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
        """Return which tasks the lanes where `chosen` is true play, as int64 arrays of shape (lanes,):
        `example`, the index in the source, and `episode_index`; 0 in other lanes.
        """
    def observation(self, lane: int = 0) -> NDArray[np.float32]:
        """Return the learner's observation in a lane: a new float32 array."""
    def observations(self) -> NDArray[np.float32]:
        """Return the learner's observations in all lanes."""
    def action_mask(self, lane: int = 0) -> NDArray[np.int8]:
        """Return the learner's legal actions in a lane: int8, 1 for each legal action."""
    def action_masks(self) -> NDArray[np.int8]:
        """What all learners may play: int8, a row for each lane."""
    def over(self) -> NDArray[np.bool_]:
        """Return a bool array of shape (lanes,): True for lanes that are over or never began."""
    def episode_info(self, lane: int = 0) -> dict[str, Any]:
        """Return facts about a lane's episode: example, episode, turns, invalid_moves, status, over, passed,
        score (the last two None before the end, and if the episode was truncated).
        """
    def task(self, lane: int = 0) -> Task:
        """Return the task whose problem a lane plays."""
    def state(self, lane: int = 0) -> Play:
        """Return a copy of the play in progress."""
    def save(self) -> bytes:
        """Serialize as JSON all that decides what the lanes do next."""
    def restore(self, saved: bytes) -> None:
        """Continue from the output of `save`; raises InvalidState for anything else and changes nothing."""
    def clone(self) -> ProblemEpisodes:
        """Return independent episodes in the same state."""
    def __copy__(self) -> ProblemEpisodes: ...
    def __deepcopy__(self, _memo: Any) -> ProblemEpisodes: ...

@final
class Task:
    """A task: a prompt, its solution, and a problem that contains all that its verifier needs."""

    @property
    def id(self) -> str:
        """Id: `family/vN/split/seed/index-hash` for a generated task."""
    @property
    def family(self) -> str:
        """Name of the family."""
    @property
    def domain(self) -> str:
        """Domain of the family."""
    @property
    def version(self) -> int:
        """Version of the family; incremented when the bytes of any task change."""
    @property
    def split(self) -> str | None:
        """Split: "train", "eval" or "test"; None for a task that was not generated."""
    @property
    def seed(self) -> int | None:
        """Seed of its source; None for a task that was not generated."""
    @property
    def index(self) -> int | None:
        """Index in its source, from 0; None for a task that was not generated."""
    @property
    def level(self) -> int | None:
        """Level of these params, or None."""
    @property
    def params(self) -> dict[str, Any] | None:
        """All params of the generator; None for a task that was not generated."""
    @property
    def style(self) -> dict[str, Any]:
        """Wording: template, choice of words, wrapper, form that encloses the answer."""
    @property
    def difficulty(self) -> float:
        """Difficulty of this problem, in [0, 1]."""
    @property
    def guess_rate(self) -> float:
        """Upper bound on the pass rate of a blind policy on problems like this: `Family.guess_rate` or, for a
        problem that is answered like the one within it, the larger of its own and that one's.
        """
    @property
    def prompt(self) -> str:
        """Prompt for a policy."""
    @property
    def answer_tag(self) -> str | None:
        """Tag that encloses the answer; None for a box."""
    @property
    def solution(self) -> Solution:
        """True steps and an answer that passes."""
    @property
    def hints(self) -> list[str]:
        """Abstract hints, one for each step of the solution: which technique applies where, never the answer.
        Empty if the family's solver has no reasons.
        """
    @property
    def problem(self) -> str:
        """Problem as JSON: all that verification needs."""
    @property
    def key(self) -> str:
        """128-bit fingerprint of the problem without its wording, as 32 hex digits."""
    def wrap(self, answer: str) -> str:
        """Return the answer as a well-formed completion."""
    def verify(
        self,
        text: _Completion,
        reading: ReadingName | None = None,
        *,
        stop_tokens: Sequence[str] | None = None,
    ) -> Verdict:
        """Verify a completion: text, or chat messages of which the last one counts.

        `stop_tokens` are your model's end-of-turn marks: at the end of the text they count as white space,
        as the common ones do. `reading` is "clean", "strict" or "lenient"; None means the family's own.
        """
    def verify_steps(self, steps: Sequence[str]) -> list[StepVerdict]:
        """Verify reasoning steps in order; raises Unsupported if the family does not check steps. `progress`
        is the share of the way to the end after each: the advancing steps so far over those of the
        shortest known solution.
        """
    def mutate(self, aim: _Aim = "harder", *, seed: int = 0) -> Task:
        """Return a certified task near this one: `aim` is "harder", "easier" or "same"."""
    def wrong_answers(self, *, seed: int = 0) -> list[str]:
        """Return answers near the right one that must fail, each with a different fault."""
    def shortcuts(self, *, seed: int = 0) -> dict[str, str]:
        """Return the answers of the family's shortcuts, naive policies that solve nothing, by their names,
        such as "lightest-first". `seed` is for those that draw.
        """
    def solutions(self, k: int, *, seed: int = 0) -> list[str]:
        """Return up to `k` distinct right answers, at most 1,000, the solution's own first. There are fewer
        if the problem has fewer, or if its family draws no others.
        """
    def moves(self) -> Play:
        """Return the problem as a one-player game; raises Unsupported if the family does not offer one."""
    def to_json(self) -> str:
        """Return the task's record as one line of JSON; see docs/records.md."""
    def to_dict(self) -> dict[str, Any]:
        """Return the task's record as a dict."""
    @staticmethod
    def from_json(text: str) -> Task:
        """Read the output of `to_json`; raises InvalidTask or InvalidProblem naming the field at fault."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Task: ...
    def __deepcopy__(self, _memo: Any) -> Task: ...

@final
class Batch(Sequence[Task]):
    """Tasks in order, of one family or several: a `Sequence[Task]` with columns.

    Slicing returns a batch, `+` joins two, and `repeat(n)` repeats each task n times in a row.
    """

    def __new__(cls, tasks: Iterable[Task], /) -> Self: ...
    @property
    def prompts(self) -> list[str]:
        """Prompts, in order."""
    @property
    def answers(self) -> list[str]:
        """Answers of the solutions, in order."""
    @property
    def ids(self) -> list[str]:
        """Ids, in order."""
    @property
    def families(self) -> list[str]:
        """Name of each task's family, in order."""
    @property
    def levels(self) -> list[int | None]:
        """Level of each task's params, or None, in order."""
    @property
    def difficulty(self) -> NDArray[np.float32]:
        """Difficulty of each problem: float32 array in [0, 1], shape (n,)."""
    def to_jsonl(self) -> str:
        """Return the tasks' records, one line of JSON each, made in parallel without the GIL."""
    @classmethod
    def from_jsonl(cls, text: str) -> Batch:
        """Read the output of `to_jsonl`; raises InvalidTask or InvalidProblem for the first bad line."""
    def repeat(self, count: int) -> Batch:
        """Repeat each task `count` times in a row, for groups of completions."""
    def verify(
        self,
        texts: Sequence[_Completion],
        reading: ReadingName | None = None,
        *,
        stop_tokens: Sequence[str] | None = None,
    ) -> Verdicts:
        """Verify one completion per task, text or chat messages, in order, in parallel without the GIL.

        Raises InvalidArgument unless there are as many texts as tasks. `stop_tokens` are your model's end-
        of-turn marks, in addition to the common ones.
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
    """Endless source of tasks: params, split, seed and style are fixed, the index is free.

    `source[7]` is the task at index 7 and `source[0:100]` a batch; iteration yields task after task,
    without end.
    """

    @property
    def family(self) -> Family:
        """Family of the tasks."""
    @property
    def params(self) -> dict[str, Any]:
        """All params of the generator."""
    @property
    def level(self) -> int | None:
        """Level of these params; None for your own params."""
    @property
    def split(self) -> str:
        """Split of the tasks."""
    @property
    def seed(self) -> int:
        """Seed of the stream of tasks."""
    @property
    def style(self) -> dict[str, Any]:
        """Chosen parts of the style; the others are drawn."""
    def task(self, index: int) -> Task:
        """Return the task at `index`."""
    def batch(self, start: int, count: int) -> Batch:
        """Return the tasks `start .. start + count`."""
    def tasks(self, indices: Iterable[int], /) -> Batch:
        """Return the tasks at any indices, in their order."""
    @overload
    def __getitem__(self, index: int, /) -> Task: ...
    @overload
    def __getitem__(self, index: slice, /) -> Batch: ...
    def __iter__(self) -> Iterator[Task]: ...

_Item = TypeVar("_Item")

@final
class Rng:
    """The only source of randomness of tasks: draws that are the same on every machine and in every release.

    Each method of a family that needs randomness receives one; `Rng(seed, index)` is for experiments.
    docs/determinism.md specifies it.
    """

    def __new__(cls, seed: int = 0, index: int = 0) -> Self: ...
    def word(self) -> int:
        """Return 64 random bits as a whole number."""
    def below(self, n: int) -> int:
        """Return a whole number from 0 to `n` - 1."""
    def int(self, low: builtins.int, high: builtins.int) -> builtins.int:
        """Return a whole number from `low` to `high`, both included."""
    def chance(self, of: builtins.int, outcomes: builtins.int) -> bool:
        """Return True with probability `of / outcomes`."""
    def pick(self, items: Sequence[_Item], /) -> _Item:
        """Return one of the items of a sequence."""
    def shuffled(self, items: Iterable[_Item], /) -> list[_Item]:
        """Return the items in random order, as a new list."""
    def sample(self, items: Iterable[_Item], count: builtins.int, /) -> list[_Item]:
        """Return `count` of the items, drawn without replacement, in the order they are drawn."""
    def weighted(self, weights: Iterable[builtins.int], /) -> builtins.int:
        """Return an index drawn with probability proportional to its weight; weights are whole numbers."""
    def derive(self, purpose: str) -> Rng:
        """Return a separate generator for a purpose, so that its draws do not affect any others."""

@final
class ReadyForm:
    """Ready-made form of `reasonenv.kit.forms`: how an answer is asked for, read and written."""

    @staticmethod
    def integer() -> ReadyForm:
        """Form of a whole number: `int`."""
    @staticmethod
    def integers(count: int, what: str) -> ReadyForm:
        """Form of `count` whole numbers, two or more, separated by commas: `list[int]`."""
    @staticmethod
    def numbers(what: str, most: int) -> ReadyForm:
        """Form of one or more whole numbers, separated by commas: `list[int]`."""
    @staticmethod
    def choices(count: int, what: str) -> ReadyForm:
        """Form of a selection, possibly empty, among `count` things numbered from 1: `list[int]` in
        increasing order.
        """
    @staticmethod
    def line(what: str) -> ReadyForm:
        """Form of one line in which every character counts: `str`."""
    @staticmethod
    def lines(what: str) -> ReadyForm:
        """Form of several lines that must match exactly: `str`."""
    @staticmethod
    def words(what: str, words: Sequence[str]) -> ReadyForm:
        """Form of words from a list, separated by commas: `list[str]`."""
    @staticmethod
    def assignment(noun: str, names: Sequence[str], values: Sequence[str]) -> ReadyForm:
        """Form of a value for every name, in any order: `dict[str, str]`."""
    @staticmethod
    def route(
        names: Sequence[str], start: str | None = None, end: str | None = None, *, closed: bool = False
    ) -> ReadyForm:
        """Form of names in the order they are visited, joined by `->`: `list[str]`."""
    @staticmethod
    def grid(what: str, rows: int, columns: int, low: int, high: int) -> ReadyForm:
        """Form of a grid of whole numbers, one row per line: `list[list[int]]`."""
    def asks(self) -> str:
        """Return what to write, as the start of a sentence that continues with "inside … tags"."""
    def sentence(self, tag: str) -> str:
        """Return the last sentence of every prompt."""
    def read(self, text: str) -> Any:
        """Read an answer. Raises Malformed for everything that the sentence does not allow."""
    def write(self, answer: Any) -> str:
        """Write an answer as text that `read` accepts; raises InvalidArgument if there is no such text."""
    def mangled(self, right: str) -> list[str]:
        """Return spellings of the right answer that the sentence does not allow."""

_MixtureSource: TypeAlias = FamilyName | Family | tuple[FamilyName | Family, int] | Source

@final
class Mixture:
    """A source over several families: each index has a task of one of `sources`, drawn with `weights`.

    A source is the name of a family or a `Family`, at level 0, a pair of one and a level, or a `Source`
    with its own params, style and seed. `split` and `seed` apply to all but `Source`s. The task at an
    index is the one that the drawn source has there, so no task appears twice; the draw depends only on
    the mixture, `seed` and the index. `mixture[7]`, `mixture[0:100]` and iteration work as in a `Source`.
    A mapping gives each source its weight: `Mixture({"chain_sum": 3, "sudoku": 1})`.

    Raises InvalidArgument if `sources` is empty, if their splits differ, and unless there is a finite
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
        """Sources, in order."""
    @property
    def weights(self) -> list[float]:
        """Probability of each source; they sum to 1."""
    @property
    def split(self) -> str:
        """Split of the tasks."""
    @property
    def seed(self) -> int:
        """Seed of the draws."""
    def task(self, index: int) -> Task:
        """Return the task at `index`."""
    def batch(self, start: int, count: int) -> Batch:
        """Return the tasks `start .. start + count`."""
    def tasks(self, indices: Iterable[int], /) -> Batch:
        """Return the tasks at any indices, in their order."""
    @overload
    def __getitem__(self, index: int, /) -> Task: ...
    @overload
    def __getitem__(self, index: slice, /) -> Batch: ...
    def __iter__(self) -> Iterator[Task]: ...

@final
class Family(Generic[_Params]):
    """A task family: its facts, its generator and its verifier."""

    def __class_getitem__(cls, key: Any) -> GenericAlias: ...
    @property
    def name(self) -> str:
        """Name, which never changes."""
    @property
    def domain(self) -> str:
        """Domain: arithmetic, logic, …"""
    @property
    def version(self) -> int:
        """Version; incremented whenever the bytes of any task change."""
    @property
    def summary(self) -> str:
        """One-sentence summary of the problems."""
    @property
    def top_level(self) -> int:
        """Hardest level; level 0 is the easiest."""
    @property
    def judged_by(self) -> str:
        """Kind of verification: "exact", "normalized", "constraints", "optimum", "proof" or "execution"."""
    @property
    def modes(self) -> list[str]:
        """Modes of its environments: "solution", "step", "token", "tools", "moves" and "dialogue" if its
        problems can be played, and "proof" if its answers are proofs.
        """
    @property
    def hint_kinds(self) -> list[str]:
        """Kinds of hints that its environments can give: "checklist", "steps" if its solutions have steps,
        "abstract" if its tasks have `hints`, and "another" if it draws other right answers. Steps that
        spell out the answer bit by bit, as verdicts on the steps or answers of another problem do, are none.
        """
    @property
    def answer_tag(self) -> str:
        """Tag that encloses an answer, unless a task says otherwise."""
    @property
    def reading(self) -> ReadingName:
        """Default reading of answers."""
    @property
    def distinct_from(self) -> int:
        """Lowest level from which 95 % of the tasks are distinct; below it there are few problems."""
    @property
    def guess_rate(self) -> float:
        """Upper bound on the pass rate of the best blind policy, over all levels."""
    @property
    def guess_score(self) -> float:
        """Upper bound on the mean score of the best blind policy, over all levels."""
    @property
    def skills(self) -> list[str]:
        """Skills that its problems need."""
    @property
    def changes(self) -> list[str]:
        """Change made by each version, oldest first."""
    @property
    def templates(self) -> list[str]:
        """Names of the templates, including held-out ones."""
    @property
    def held_out_templates(self) -> list[str]:
        """Names of the templates that never appear in the train split."""
    @property
    def failures(self) -> dict[str, str]:
        """The family's own failure labels and their meanings."""
    @property
    def parts(self) -> dict[str, str]:
        """Other measures of the verifier and their meanings."""
    @property
    def params_schema(self) -> dict[str, Any]:
        """JSON schema of the params: type, bounds, default, role and doc of each."""
    def level_params(self, level: int) -> _Params:
        """Return all params of a level."""
    def source(
        self,
        *,
        seed: int = 0,
        level: int = 0,
        params: _Params | None = None,
        split: SplitName = "train",
        style: dict[str, Any] | None = None,
    ) -> Source:
        """Return a source of tasks: a level's params, overridden by `params`, in one split under one seed.

        With `params`, restrictions that only some levels have, such as `plain` of `chain_sum`, are lifted
        unless given too.
        """
    def sample(
        self,
        *,
        seed: int = 0,
        index: int = 0,
        level: int = 0,
        params: _Params | None = None,
        split: SplitName = "train",
        style: dict[str, Any] | None = None,
    ) -> Task:
        """Generate one task: number `index` under a seed. `batch` generates several."""
    def batch(
        self,
        *,
        seed: int = 0,
        start: int = 0,
        count: int = 1,
        level: int = 0,
        params: _Params | None = None,
        split: SplitName = "train",
        style: dict[str, Any] | None = None,
    ) -> Batch:
        """Generate the tasks `start .. start + count` in parallel without the GIL."""
    def task(
        self,
        problem: str,
        *,
        id: str | None = None,
        prompt: str | None = None,
        style: dict[str, Any] | None = None,
        certified: bool = False,
    ) -> Task:
        """Return a task of a problem that comes from elsewhere; raises InvalidProblem naming the field at
        fault.

        With `certified`, also raises if the problem's claims cannot be proved.
        """
    def certify(self, problem: str) -> Certificate:
        """Prove that a problem is solvable, in bounds and, where it must be, unique; raises InvalidProblem
        otherwise.
        """
    def mutate(self, task: Task, aim: _Aim = "harder", *, seed: int = 0) -> Task:
        """Return a certified task near `task`: `aim` is "harder", "easier" or "same"."""

@disjoint_base
class Verifier:
    """Verifier of completions against reference answers, in parallel without the GIL.

    `name` is one of `list_verifiers()`. The options `tag`, `extract`, `reading` and `stop_tokens` are
    common to all; the others are the verifier's own. `normalize` may be a function: it receives each
    answer that was read and each reference answer without outer white space, and its results are compared;
    it runs in Python, row by row. Raises InvalidParams for a bad option.
    """

    @property
    def name(self) -> VerifierName:
        """Name, one of `list_verifiers()`."""
    @property
    def summary(self) -> str:
        """One-line summary of what passes."""
    @property
    def options(self) -> dict[str, Any]:
        """All options, including defaults."""
    @property
    def example(self) -> dict[str, str]:
        """Example row under the default options: its `reference`, a `right` answer and a `wrong` one."""
    def __new__(cls, name: VerifierName, **options: Any) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def check(self, references: Sequence[_Reference]) -> list[tuple[int, str]]:
        """Return the rows with an invalid reference answer, each with the message that a call would raise."""
    def __call__(self, texts: Sequence[_Completion], references: Sequence[_Reference]) -> Verdicts: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]: ...

def list_families() -> list[FamilyName]:
    """Return the names of all task families, including registered ones, in alphabetical order."""

def list_games() -> list[GameName]:
    """Return the names of all games, including registered ones, in alphabetical order."""

def list_opponents() -> list[OpponentName]:
    """Return the names that `Game.opponent` takes."""

def list_readings() -> list[ReadingName]:
    """Return the names of the readings."""

def list_verifiers() -> list[VerifierName]:
    """Return the names of all verifiers."""

def family(name: str) -> Family:
    """Return a task family by name; raises UnknownFamily with the nearest name."""

def game(name: str, params: dict[str, Any] | None = None) -> Game:
    """Return a game by its name, with params that override the defaults."""

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
    playouts: int | None,
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
    """Return the failure labels that any family may use, and their meanings."""

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
    """Verify a completion, text or chat messages, of a problem given as JSON: stateless, for a reward worker
    or a file.

    The problem's claims about itself, such as the length of a shortest path, are trusted unless
    `certified` is true: then InvalidProblem is raised for claims that cannot be proved, which may take far
    longer than verification. `answer` is the form that the prompt asks for: "tag" or "boxed".
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
    """Verify many completions, each of its own problem and family, in parallel without the GIL.

    `families`, `problems` (JSON) and `texts` have the same length. Raises InvalidProblem for the first bad
    problem; `certified` is as in `verify`. `answers` has the form that each prompt asks for, "tag" or
    "boxed"; None means "tag" for all.
    """

def _completion(place: str, given: Any) -> str: ...
def _without_reasoning(text: str) -> str: ...
def _combine(
    combination: str, verdicts: Sequence[Verdicts], names: Sequence[str], weights: Sequence[float]
) -> Verdicts: ...
def tree_compat(
    texts: Sequence[str], references: Sequence[str], *, tag: str = "ascii_formatted"
) -> NDArray[np.float64]:
    """Return SYNTHETIC-2's reward for drawings of trees: float64 array, shape (n,), bit-equal to its Python
    original.

    Reads the first tag block of each text. A row whose comparison takes too many steps gets 0.
    """

def read_answers(
    texts: Sequence[str],
    *,
    tag: str = "answer",
    reading: ReadingName = "strict",
    stop_tokens: Sequence[str] | None = None,
) -> list[str | None]:
    """Return the answer in each completion under a reading, or None if the reading finds a fault."""

def calculate(expression: str) -> tuple[int, int]:
    """Return the exact value of an arithmetic expression as a numerator and a positive denominator in lowest
    terms.

    No code is executed, and the work is bounded.

    Args:
        expression: Decimals joined by + - * / // (whole part) % (remainder) and ** or ^ (power), with
            parentheses.

    Raises:
        InvalidArgument: The expression has no value, or one beyond 4096 bits; the message says why.
    """

def settings_schema(of: str) -> dict[str, Any]:
    """Return the JSON schema of the settings of something: type, bounds, default and doc of each."""

def num_threads() -> int:
    """Return the number of threads for batches."""

def set_num_threads(threads: int) -> None:
    """Set the number of threads for batches; 0 means one per core."""
