"""A game for two written in Python: what it is, and what it must say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from reasonenv._native import Rng

ParamsT = TypeVar("ParamsT")
StateT = TypeVar("StateT")

Mover = Literal[0, 1, "chance"] | None
"""Whose turn it is: a player's, chance's, or nobody's once the game is over."""

Drawing = tuple[int, int, Sequence[tuple[str, Sequence[int], str] | tuple[str, Sequence[int], str, str]]]
"""Rows, columns and shapes, as `reasonenv.State.drawing` gives them; a shape that is no text may lack it."""


@dataclass(frozen=True)
class GameAbout:
    """The facts about a game that do not depend on its params."""

    name: str
    """`snake_case`, stable for ever."""
    summary: str
    """What it is, in one sentence."""
    max_plies: int
    """The most plies that a game can last under any params, those of chance included."""
    changes: Sequence[str] = ("first version",)
    """What changed in each version, oldest first. Append a line whenever a start or a move changes."""
    players: tuple[str, str] = ("first", "second")
    """What the players are called, first to move first."""
    moves: str = "moves"
    """What actions are called in text."""
    variants: Sequence[Mapping[str, Any]] = ({},)
    """Params worth knowing, the default first: what `check_game` goes through."""
    chance: bool = False
    """Whether dice or a deck have a say."""
    hidden: bool = False
    """Whether a player knows what the other does not. Then `key` must say what each can tell apart."""
    stakes: bool = False
    """Whether a game may return more than 1 or less than -1."""
    value: float | None = None
    """What the first player gets under perfect play with the default params, if known."""
    unsolvable_reason: str | None = None
    """Why exact values cannot be expected from the start, if they cannot: "it has too many positions"."""
    exact_plies: int = 3
    """With so many plies left or fewer, rewards and analyses are exact unless a caller says otherwise."""


class GameRules(Generic[ParamsT, StateT]):
    """A game for two written in Python: subclass it, then call `reasonenv.register_game`.

    One is made for each choice of params, which `self.given` holds. A state is plain data, a dict or a
    dataclass of the kind `state`: it is kept as JSON, and each call is given a copy of its own. Actions are
    numbered from 0. A method depends on its arguments and the params alone.
    """

    about: GameAbout
    """The facts."""
    params: type[ParamsT]
    """A frozen dataclass whose fields are `kit.param(default, doc, role="structure", ...)`."""
    state: type[StateT] | None = None
    """The dataclass of states; None: plain dicts."""

    def __init__(self, given: ParamsT) -> None:
        self.given = given
        """The params of this very game."""

    def actions(self) -> Sequence[str]:
        """The name of every action, none twice whatever the capitals; at most 256 of them."""
        raise NotImplementedError

    def rules(self) -> str:
        """The rules under these params, for a person or a model that has never played it."""
        raise NotImplementedError

    def max_plies(self) -> int:
        """The most plies that a game can last under these params, those of chance included."""
        return self.about.max_plies

    def start(self, rng: Rng) -> StateT:
        """A state to start from; `rng` decides what the params leave open."""
        raise NotImplementedError

    def turn(self, state: StateT) -> Mover:
        """Whose turn it is: 0, 1, "chance", or None once the game is over."""
        raise NotImplementedError

    def legal(self, state: StateT) -> Sequence[int]:
        """What may be played, or happen, in this state, which is not over; at least one action."""
        raise NotImplementedError

    def apply(self, state: StateT, action: int) -> StateT:
        """The state after a legal action."""
        raise NotImplementedError

    def returns(self, state: StateT) -> tuple[float, float]:
        """What each player gets in a state that is over; the two sum to 0."""
        raise NotImplementedError

    def show(self, state: StateT, player: int) -> str:
        """What a player may see, as text."""
        raise NotImplementedError

    def shape(self) -> Sequence[int]:
        """The shape of what `observe` gives, planes first."""
        raise NotImplementedError

    def observe(self, state: StateT, player: int) -> ArrayLike:
        """What a player may see, as numbers in [0, 1] of `shape`, the player's own pieces first."""
        raise NotImplementedError

    def role_text(self, player: int) -> str:
        """A sentence that tells a player which side it is, as `show` draws it."""
        return f"You are the {self.about.players[player]} player."

    def read_action(self, text: str) -> int:
        """The action that a text names; any text may come. Raises ValueError saying what a move looks like.

        By default the name itself, in any capitals and spacing.
        """
        wanted = "".join(text.split()).casefold()
        names = self.actions()
        for action, name in enumerate(names):
            if "".join(name.split()).casefold() == wanted:
                return action
        raise ValueError(f"a move is one of {', '.join(names[:8])}{' and so on' if len(names) > 8 else ''}")

    def why_illegal(self, state: StateT, action: int) -> str:
        """Why an action may not be played, as a clause: "4 is taken"."""
        return f"{self.actions()[action]} may not be played now"

    def chance_weights(self, state: StateT) -> Sequence[int]:
        """At a turn of chance, the weight of each legal action in increasing order."""
        return [1] * len(self.legal(state))

    def plies_left(self, state: StateT) -> int:
        """The most plies that may still follow."""
        return self.max_plies()

    def key(self, state: StateT, player: int) -> Any:
        """What tells apart states that a player can tell apart, as plain data. By default the state."""
        return state

    def draw(self, state: StateT, player: int) -> Drawing:
        """The position as a person would draw it: shapes on a field of cells, eight units wide each.

        By default a disc for each thing in the planes of `observe`, in a colour for each plane.
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
