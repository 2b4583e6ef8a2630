"""Rewards as sums of weighted parts."""

from collections.abc import Mapping, Sequence
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Verdict, Verdicts, list_families
from reasonenv._registry import family
from reasonenv.rewards.parts import MEASURED, PARTS, measure, measure_one

__all__ = ["Reward"]


class Reward:
    """A reward of named parts: the sum of each part times its weight.

    The parts are those of `reasonenv.rewards.PARTS` and any that a family's judge measures
    (`reasonenv.family(name).parts`); one that a row's judge does not measure counts 0 there. A part that
    counts against a completion (`length`, `invalid`, `regret`, `cost`) is negative, so that weights are at
    least 0.

    With `guard`, shaping cannot outrank correctness: a completion that passes keeps at least half of the
    weight of `correct` above the most that one which fails can get.

    Args:
        weights: A weight of at least 0 for each part.
        guard: Whether that holds; it needs the part `correct`.

    Raises:
        UnknownName: No judge of a family measures such a part.
        InvalidArgument: A weight is negative or no finite number, or there is a guard and nothing to guard.
    """

    def __init__(self, weights: Mapping[str, float], *, guard: bool = True) -> None:
        if (
            not isinstance(weights, Mapping)
            or not weights
            or not all(isinstance(name, str) for name in weights)
        ):
            msg = (
                f"`weights` is {_checks.shown(weights)}, but must give a weight to each of one or more parts"
            )
            raise InvalidArgument(msg)
        self._weights = {
            name: _checks.number(f"weights[{name!r}]", weight, 0) for name, weight in weights.items()
        }
        for name in self._weights:
            _must_be_a_part(name)
        self._guard = _checks.flag("guard", guard)
        if self._guard and not self._weights.get("correct"):
            msg = (
                f"`weights` is {_checks.shown(weights)}, but must give `correct` a weight above 0; "
                "a reward without it needs guard=False"
            )
            raise InvalidArgument(msg)

        correct = self._weights.get("correct", 0.0)
        self._guards = self._guard and len(self._weights) > 1
        # The most that a completion which fails can get, and the least that one which passes keeps.
        self._ceiling = sum(weight for name, weight in self._weights.items() if name != "correct")
        self._floor = self._ceiling + correct / 2

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each part."""
        return dict(self._weights)

    @property
    def guard(self) -> bool:
        """Whether shaping cannot outrank correctness."""
        return self._guard

    def parts(
        self,
        verdicts: Verdicts,
        texts: str | Sequence[str] | None = None,
        *,
        lengths: ArrayLike | None = None,
        outcome: ArrayLike | None = None,
        process: ArrayLike | None = None,
        invalid: ArrayLike | None = None,
        regret: ArrayLike | None = None,
        cost: ArrayLike | None = None,
    ) -> dict[str, NDArray[np.float64]]:
        """Each part times its weight, which sum to the reward: float64 arrays of shape (n,).

        What the guard adds or takes is the part `guard`, where there is something to guard against.

        Args:
            verdicts: What judges said of n completions.
            texts: The completions, which `length` measures in thousands of characters.
            lengths: Their lengths in units of the caller's own, thousands of tokens for instance.
            outcome: What each game returned.
            process: The share of each completion's steps that hold.
            invalid: How many moves of each were invalid.
            regret: The value that each one's moves gave away.
            cost: What each one spent.

        Raises:
            InvalidArgument: A part that the caller measures is missing, or is not a finite number a verdict.
        """
        given = {"outcome": outcome, "process": process, "invalid": invalid, "regret": regret, "cost": cost}
        parts = {
            name: weight * measure(name, verdicts, texts, lengths, given)
            for name, weight in self._weights.items()
        }
        if self._guards:
            total = sum(parts.values(), np.zeros(len(verdicts)))
            kept = np.where(verdicts.passed, np.maximum(total, self._floor), np.minimum(total, self._ceiling))
            parts["guard"] = kept - total
        return parts

    @overload
    def __call__(self, verdicts: Verdict, texts: str | None = None, **measured: Any) -> float: ...
    @overload
    def __call__(
        self, verdicts: Verdicts, texts: Sequence[str] | None = None, **measured: Any
    ) -> NDArray[np.float64]: ...
    def __call__(
        self, verdicts: Verdict | Verdicts, texts: str | Sequence[str] | None = None, **measured: Any
    ) -> float | NDArray[np.float64]:
        """The reward of each completion: float64, shape (n,); of one verdict a float.

        Args:
            verdicts: What judges said of n completions, or of one.
            texts: The completions, or the one; only the part `length` looks at them.
            **measured: The columns that `parts` takes: lengths, outcome, process, invalid, regret, cost. A
                number each for one verdict.

        Raises:
            InvalidArgument: As `parts`.
        """
        unknown = measured.keys() - {"lengths", *MEASURED}
        if unknown:
            raise _checks.unknown("argument", min(unknown), ["lengths", *MEASURED])
        if isinstance(verdicts, Verdict):
            return sum(self.parts_of_one(verdicts, cast("str | None", texts), **measured).values())
        return sum(self.parts(verdicts, texts, **measured).values(), np.zeros(len(verdicts)))

    def parts_of_one(
        self, verdict: Verdict, text: str | None = None, **measured: float | None
    ) -> dict[str, float]:
        """What `parts` gives for one verdict, as floats."""
        length = measured.pop("lengths", None)
        parts = {
            name: weight * measure_one(name, verdict, text, length, measured)
            for name, weight in self._weights.items()
        }
        if self._guards:
            total = sum(parts.values())
            kept = max(total, self._floor) if verdict.passed else min(total, self._ceiling)
            parts["guard"] = kept - total
        return parts

    def __eq__(self, other: object) -> bool:
        """Whether two rewards weigh the same parts the same way."""
        if not isinstance(other, Reward):
            return NotImplemented
        return (self._weights, self._guard) == (other._weights, other._guard)

    def __hash__(self) -> int:
        """Equal rewards have one hash."""
        return hash((frozenset(self._weights.items()), self._guard))

    def __repr__(self) -> str:
        """The call that makes it."""
        guard = "" if self._guard else ", guard=False"
        return f"Reward({self._weights}{guard})"


def _must_be_a_part(name: str) -> None:
    if name in PARTS:
        return
    judged = {part for known in list_families() for part in family(known).parts}
    if name not in judged:
        raise _checks.unknown("part of a reward", name, [*PARTS, *sorted(judged)])
