"""Rewards as sums of weighted parts."""

from collections.abc import Mapping, Sequence
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Verdict, Verdicts
from reasonenv.rewards.parts import PARTS, measure

__all__ = ["Reward"]


class Reward:
    """A reward of named parts: the sum of each part times its weight.

    The parts are those of `reasonenv.rewards.PARTS` and any that a family's judge measures
    (`reasonenv.family(name).parts`); one that a row's judge does not measure counts 0 there. A part that counts
    against a completion (`length`, `invalid`, `regret`, `cost`) is negative, so that weights are at least 0.

    With `guard`, shaping cannot outrank correctness: a completion that passes keeps at least half of the weight
    of `correct` above the most that one which fails can get.

    Args:
        weights: A weight of at least 0 for each part.
        guard: Whether that holds; it needs the part `correct`.

    Raises:
        InvalidArgument: A weight is negative or no finite number, or there is a guard and nothing to guard.
    """

    def __init__(self, weights: Mapping[str, float], *, guard: bool = True) -> None:
        if not isinstance(weights, Mapping) or not weights or not all(isinstance(name, str) for name in weights):
            msg = f"`weights` is {_checks.shown(weights)}, but must give a weight to each of one or more parts"
            raise InvalidArgument(msg)
        self._weights = {
            name: _checks.number(f"weights[{name!r}]", weight, 0) for name, weight in weights.items()
        }
        self._guard = _checks.flag("guard", guard)
        if self._guard and not self._weights.get("correct"):
            msg = (
                f"`weights` is {_checks.shown(weights)}, but must give `correct` a weight above 0; "
                "a reward without it needs guard=False"
            )
            raise InvalidArgument(msg)

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
        texts: Sequence[str] | None = None,
        *,
        lengths: ArrayLike | None = None,
        outcome: ArrayLike | None = None,
        process: ArrayLike | None = None,
        invalid: ArrayLike | None = None,
        regret: ArrayLike | None = None,
        cost: ArrayLike | None = None,
    ) -> dict[str, NDArray[np.float64]]:
        """Each part times its weight, before the guard: float64 arrays of shape (n,).

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
            InvalidArgument: A part that the caller measures is missing, or is not one finite number a verdict.
        """
        given = {"outcome": outcome, "process": process, "invalid": invalid, "regret": regret, "cost": cost}
        return {
            name: weight * measure(name, verdicts, texts, lengths, given)
            for name, weight in self._weights.items()
        }

    @overload
    def __call__(
        self, verdicts: Verdict, texts: str | None = None, **measured: ArrayLike | None
    ) -> float: ...
    @overload
    def __call__(
        self, verdicts: Verdicts, texts: Sequence[str] | None = None, **measured: ArrayLike | None
    ) -> NDArray[np.float64]: ...
    def __call__(
        self,
        verdicts: Verdict | Verdicts,
        texts: str | Sequence[str] | None = None,
        **measured: ArrayLike | None,
    ) -> float | NDArray[np.float64]:
        """The reward of each completion: float64, shape (n,); of one verdict a float.

        Args:
            verdicts: What judges said of n completions, or of one.
            texts: The completions, or the one; only the part `length` looks at them.
            **measured: The columns that `parts` takes: lengths, outcome, process, invalid, regret, cost.

        Raises:
            InvalidArgument: As `parts`.
        """
        if isinstance(verdicts, Verdict):
            column = Verdicts([verdicts])
            return float(self(column, None if texts is None else [str(texts)], **measured)[0])
        unknown = measured.keys() - {"lengths", "outcome", "process", "invalid", "regret", "cost"}
        if unknown:
            raise _checks.unknown("argument", min(unknown), ["lengths", *PARTS])
        if isinstance(texts, str):
            texts = [texts]
        total: NDArray[np.float64] = np.zeros(len(verdicts))
        for part in self.parts(verdicts, texts, **measured).values():
            total += part
        if not self._guard:
            return total
        correct = self._weights["correct"]
        others = sum(self._weights.values()) - correct
        return np.where(verdicts.passed, np.maximum(total, others + correct / 2), np.minimum(total, others))

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
