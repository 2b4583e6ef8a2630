"""Who plays against the learner of a game environment, and how often it errs."""

from typing import TYPE_CHECKING, Any, Literal

from reasonenv import _checks, _native
from reasonenv._opponents import GamePolicy, made_by_default

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.types import OpponentName

Itself = Literal["self"]
SELF: Itself = "self"
"""The opponent's name where the learner has every seat."""

USUAL_DIALS = {"random_move_prob": 0.0, "blunder_prob": 0.0, "optimality": "dtm", "exact_plies": None}
"""The dials of an opponent given by name, as they are unless they are set."""


def chosen_opponent(
    game: _native.Game,
    given: "OpponentName | Itself | _native.Opponent | GamePolicy | None",
    dials: dict[str, Any],
) -> _native.Opponent | GamePolicy | Itself:
    """The opponent that is named, handed over or the default."""
    if isinstance(given, str):
        if given not in (known := [*_native.list_opponents(), SELF]):
            raise _checks.unknown("opponent", given, known)
        if given != SELF:
            return game.opponent(given, **dials)
        if set_ := _set_dials(dials):
            msg = f"{set_} cannot be set where the learner has every seat; leave it out"
            raise _native.InvalidOpponent(msg)
        return SELF
    if given is None:
        return made_by_default(game, **dials)
    if not callable(given):
        names = ", ".join(map(repr, [*_native.list_opponents(), SELF]))
        kinds = f"one of {names}, an Opponent, a callable or None"
        raise _native.InvalidArgument(f"`opponent` is {_checks.shown(given)}, but must be {kinds}")
    if set_ := _set_dials(dials):
        raise _native.InvalidOpponent(
            f"{set_} cannot be set for an opponent that is made already; give such dials to Game.opponent"
        )
    return given


def _set_dials(dials: dict[str, Any]) -> str:
    """The dials that are not as they are unless they are set."""
    plain = int | float | str | None
    # Anything may be given, such as arrays, whose comparison is no truth.
    set_ = (
        name for name, value in dials.items() if not (isinstance(value, plain) and value == USUAL_DIALS[name])
    )
    return " and ".join(set_)


def random_move_range(
    opponent: object, dials: dict[str, Any], low: float | None, high: float | None
) -> tuple[float, float] | None:
    """The range from which each episode draws the opponent's `random_move_prob`."""
    if low is None and high is None:
        return None
    both = "min_random_move_prob and max_random_move_prob"
    if low is None or high is None:
        raise _native.InvalidOpponent(f"give both {both}, or neither")
    if not isinstance(opponent, _native.Opponent):
        raise _native.InvalidOpponent(f"{both} are for opponents given by name")
    if dials["random_move_prob"] or dials["blunder_prob"]:
        raise _native.InvalidOpponent(f"{both} replace random_move_prob and blunder_prob, which must be 0")
    return low, high
