"""Policies: opponents by name, callables, and names for them."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from reasonenv import _checks
from reasonenv._native import Game, InvalidArgument, InvalidOpponent, State, list_opponents
from reasonenv._opponents import GamePolicy

if TYPE_CHECKING:
    from reasonenv.types import OpponentName


def first_legal(state: State) -> int:
    """Return the legal action with the lowest number."""
    return state.legal_actions()[0]


def make_policy(game: Game, spec: str) -> GamePolicy:
    """Make a policy by name.

    Args:
        game: The game to play.
        spec: `first_legal`, or an opponent as `NAME`, `NAME:P` with P the `random_move_prob` (between 0 and
            1), `NAME@N` with N the `exact_plies` (of `mcts` the `playouts`), or `NAME@N:P`.

    Raises:
        UnknownName: No policy has this name; suggests the nearest, or lists them all.
        InvalidOpponent: P or N is not a number or out of bounds, or the game does not support this opponent.
    """
    check_game(game)
    head, colon, prob = _checks.text("policy", spec).partition(":")
    name, at, number = head.partition("@")
    if name == "first_legal":
        if colon or at:
            msg = f"`{spec}`: `first_legal` takes no number; write `first_legal`"
            raise InvalidOpponent(msg)
        return first_legal
    known = ["first_legal", *list_opponents()]
    if name not in known:
        raise _checks.unknown("policy", spec, known)
    try:
        random_move_prob = float(prob) if colon else 0.0
    except ValueError:
        msg = f"`{spec}`: P is `{prob}`, but must be a number between 0 and 1, as in `{name}:0.2`"
        raise InvalidOpponent(msg) from None
    searches = name == "mcts"
    if at and not (number.isdecimal() and len(number) <= 9):
        example = f"playouts, as in `{name}@200`" if searches else f"plies, as in `{name}@8`"
        msg = f"`{spec}`: N is `{number}`, but must be a number of {example}"
        raise InvalidOpponent(msg)
    n = int(number) if at else None
    return game.opponent(
        cast("OpponentName", name),
        random_move_prob=random_move_prob,
        exact_plies=None if searches else n,
        playouts=n if searches else None,
    )


def check_game(game: object) -> None:
    """Raise InvalidArgument if the argument is not a game."""
    if not isinstance(game, Game):
        msg = f"`game` is {_checks.shown(game)}, but must be a game, as reasonenv.game gives"
        raise InvalidArgument(msg)


def named_policies(
    game: Game, policies: Mapping[str, str | GamePolicy] | Iterable[str | GamePolicy]
) -> dict[str, GamePolicy]:
    """Policies by name, in the order given."""
    pairs: Iterable[tuple[str | None, str | GamePolicy]]
    if isinstance(policies, Mapping):
        pairs = policies.items()
    elif isinstance(policies, Iterable) and not isinstance(policies, str):
        pairs = [(None, given) for given in policies]
    else:
        msg = f"`policies` is {_checks.shown(policies)}, but must be several policies, or a mapping"
        raise InvalidArgument(msg)
    named: dict[str, GamePolicy] = {}
    for key, given in pairs:
        policy = make_policy(game, given) if isinstance(given, str) else given
        if not callable(policy):
            msg = f"`policies` has {_checks.shown(policy)}, but must have names and callables of a state"
            raise InvalidArgument(msg)
        called = getattr(given, "name", None) or getattr(given, "__name__", None)
        name = given if isinstance(given, str) else str(called or type(given).__name__)
        if isinstance(policies, Mapping):
            name = _checks.text("policies", key)
        if name in named:
            msg = f"two policies are called `{name}`; give a mapping of names to policies"
            raise InvalidArgument(msg)
        named[name] = policy
    return named
