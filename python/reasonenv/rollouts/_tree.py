"""Settings of trees of rollouts."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.rollouts._completion import Context

BranchAt: TypeAlias = Literal["steps", "calls", "moves"]
Select: TypeAlias = Literal["uct", "best_first", "frontier"]
Branching: TypeAlias = Callable[[Context], bool | Sequence[Any]]

_LARGEST_BUDGET = 1_000_000
"""Maximum number of visits of a tree, whose nodes are in memory."""


@dataclass(frozen=True, kw_only=True)
class Tree:
    """Settings of a tree of rollouts, for `Sampling(tree=...)`.

    A visit is a path from the root to the end of an episode, or to a state of known value. What comes after
    a new leaf is played by the policy. At the end of each path its return is added to all of its nodes.

    Raises:
        ReasonEnvError: A setting is invalid; names it.
    """

    width: int | None = 4
    """Maximum number of children of a node, at branching points; None: every legal move, with
    `branch_at="moves"`."""
    depth: int = 32
    """Maximum number of steps below the root that are nodes; paths beyond it run on without branching."""
    budget: int = 64
    """Maximum number of visits of each tree."""
    branch_at: BranchAt | Branching = "steps"
    """Points at which paths part: all "steps" of the policy; the root and after "calls" of tools; or "moves",
    where the children are the legal moves and the policy only plays on. Or a callable of a `Context` that
    returns True to branch there with actions of the policy, or the actions themselves."""
    select: Select = "uct"
    """Next node to extend: "uct" balances value and visits, "best_first" takes the leaf of highest value, and
    "frontier" extends all leaves of a depth together, before any is played to its end."""
    exploration: float = 0.7
    """Weight of rarely visited nodes in "uct", in units of the range of returns."""
    value: Callable[[Context], float] | None = None
    """Estimate of the return from a state on, instead of playing to the end: a reward model, for instance, or
    the negative distance to the goal. In games of two players it is the return of the player to move."""
    key: Callable[[Context], Hashable] | None = None
    """Key of a state. A state with the key of one that is solved is not searched again. None: the
    environment's `state_key()`, if it has one, and the position in games that hide nothing."""
    until_passed: bool = False
    """True to end a tree with its first path that passes."""

    def __post_init__(self) -> None:
        if self.width is not None:
            _checks.whole("width", self.width, 1, 1000)
        elif self.branch_at != "moves":
            msg = "`width` is None, but only moves can all be listed; give a number, or branch_at='moves'"
            raise InvalidArgument(msg)
        _checks.whole("depth", self.depth, 1, 10_000)
        _checks.whole("budget", self.budget, 1, _LARGEST_BUDGET)
        _checks.number("exploration", self.exploration, 0)
        _checks.flag("until_passed", self.until_passed)
        if not callable(self.branch_at):
            _checks.one_of("branch_at", self.branch_at, get_args(BranchAt))
        _checks.one_of("select", self.select, get_args(Select))
        for name, does in (("value", "a number for a `Context`"), ("key", "a key for a `Context`")):
            if getattr(self, name) is not None:
                _checks.function(name, getattr(self, name), f"a callable that returns {does}")

    def to_dict(self) -> dict[str, Any]:
        """Settings for a run's config; callables by name."""
        return {name: _named(value) for name, value in vars(self).items()}


def _named(value: Any) -> Any:
    return getattr(value, "__qualname__", type(value).__qualname__) if callable(value) else value
