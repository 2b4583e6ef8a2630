"""Base class of Python-defined two-player games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from reasonenv._native import Rng

ParamsT = TypeVar("ParamsT")
StateT = TypeVar("StateT")

Mover = Literal[0, 1, "chance"] | None
"""The one to move: a player, chance, or nobody once the game is over."""

Drawing = tuple[int, int, Sequence[tuple[str, Sequence[int], str] | tuple[str, Sequence[int], str, str]]]
"""Rows, columns and shapes, as in `reasonenv.State.drawing`; only shapes that are text need the last item."""


@dataclass(frozen=True)
class GameAbout:
    """Facts about a game that do not depend on its params."""

    name: str
    """Name in `snake_case`; it must never change."""
    summary: str
    """One sentence that says what the game is."""
    max_plies: int
    """Upper bound on the plies of a game under any params, chance included."""
    changes: Sequence[str] = ("first version",)
    """One line per version, oldest first. Append a line whenever a start or a move changes."""
    players: tuple[str, str] = ("first", "second")
    """Names of the two players; the first one moves first."""
    moves: str = "moves"
    """Plural noun for the actions in text."""
    variants: Sequence[Mapping[str, Any]] = ({},)
    """Params worth playing, the default first; `check_game` checks each of them."""
    chance: bool = False
    """True if dice or a deck take part."""
    hidden: bool = False
    """True if a player knows something that the other does not. Then `key` must return what each can tell
    apart."""
    stakes: bool = False
    """True if a game may return more than 1 or less than -1."""
    value: float | None = None
    """Return of the first player under perfect play with the default params, if known."""
    unsolvable_reason: str | None = None
    """Reason why exact values are out of reach from the start, if they are: "it has too many positions"."""
    exact_plies: int = 3
    """Number of plies left at or below which rewards and analysis are exact by default."""


class GameRules(Generic[ParamsT, StateT]):
    """Base class of Python-defined games: subclass it, then call `reasonenv.register_game`.

    There is one instance for each choice of params, which are in `self.given`. A state is plain data: a dict,
    or a dataclass of the type `state`. It is stored as JSON, and each call gets its own copy. Actions are
    numbered from 0. A method depends only on its arguments and the params.
    """

    about: GameAbout
    """Facts about the game."""
    params: type[ParamsT]
    """A frozen dataclass whose fields are `kit.param(default, doc, role="structure", ...)`."""
    state: type[StateT] | None = None
    """Dataclass of the states; None: plain dicts."""

    def __init__(self, given: ParamsT) -> None:
        self.given = given
        """Params of this game."""

    def actions(self) -> Sequence[str]:
        """Names of all actions, distinct regardless of case; at most 256."""
        raise NotImplementedError

    def rules(self) -> str:
        """The rules under these params, for a person or a model new to the game."""
        raise NotImplementedError

    def max_plies(self) -> int:
        """Upper bound on the plies of a game under these params, chance included."""
        return self.about.max_plies

    def start(self, rng: Rng) -> StateT:
        """A start state; `rng` decides what the params leave open."""
        raise NotImplementedError

    def turn(self, state: StateT) -> Mover:
        """The one to move: 0, 1, "chance", or None once the game is over."""
        raise NotImplementedError

    def legal(self, state: StateT) -> Sequence[int]:
        """Legal actions, or outcomes of chance, in a state that is not over; at least one."""
        raise NotImplementedError

    def apply(self, state: StateT, action: int) -> StateT:
        """The state after a legal action."""
        raise NotImplementedError

    def returns(self, state: StateT) -> tuple[float, float]:
        """Return of each player in a state that is over; the two sum to 0."""
        raise NotImplementedError

    def show(self, state: StateT, player: int) -> str:
        """The state as text, limited to what the player may see."""
        raise NotImplementedError

    def shape(self) -> Sequence[int]:
        """Shape of the array that `observe` returns, planes first."""
        raise NotImplementedError

    def observe(self, state: StateT, player: int) -> ArrayLike:
        """The state as an array of `shape` with values in [0, 1], the player's own pieces first.

        It shows only what the player may see.
        """
        raise NotImplementedError

    def role_text(self, player: int) -> str:
        """A sentence that says which side the player is, in the symbols of `show`."""
        return f"You are the {self.about.players[player]} player."

    def read_action(self, text: str) -> int:
        """Read the action that a text names; raise ValueError with what a move looks like.

        Any text may come. By default it must be the name of an action, in any case and spacing.
        """
        wanted = "".join(text.split()).casefold()
        names = self.actions()
        for action, name in enumerate(names):
            if "".join(name.split()).casefold() == wanted:
                return action
        raise ValueError(f"a move is one of {', '.join(names[:8])}{' and so on' if len(names) > 8 else ''}")

    def why_illegal(self, state: StateT, action: int) -> str:
        """Clause that says why an action may not be played: "4 is taken"."""
        return f"{self.actions()[action]} may not be played now"

    def chance_weights(self, state: StateT) -> Sequence[int]:
        """Weight of each outcome of chance, in increasing order of the legal actions."""
        return [1] * len(self.legal(state))

    def plies_left(self, state: StateT) -> int:
        """Upper bound on the plies that may still follow."""
        return self.max_plies()

    def key(self, state: StateT, player: int) -> Any:
        """The player's information as plain data: equal for states it cannot tell apart.

        By default the whole state.
        """
        return state

    def draw(self, state: StateT, player: int) -> Drawing:
        """The position as a drawing: shapes on a grid of cells, each eight units wide.

        By default a disc for each positive number in the planes of `observe`, with one color per plane.
        """
        seen = np.asarray(self.observe(state, player), dtype=np.float32)
        planes = seen.reshape((-1, *seen.shape[-2:])) if seen.ndim > 1 else seen.reshape(1, 1, -1)
        _, rows, columns = planes.shape
        shapes: list[tuple[str, list[int], str]] = [
            ("rectangle", [8 * column, 8 * row, 7, 7], "paper")
            for row in range(rows)
            for column in range(columns)
        ]
        inks = ("black", "red", "blue", "green", "yellow", "brown", "grey")
        for at, plane in enumerate(planes):
            ink = inks[at % len(inks)]
            shapes += [
                ("disc", [8 * int(column) + 4, 8 * int(row) + 4, 3], ink)
                for row, column in np.argwhere(plane > 0)
            ]
        return rows, columns, shapes
