"""Rewards as sums of weighted parts."""

from collections.abc import Mapping, Sequence
from typing import Any, Self, cast, get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Verdict, Verdicts, list_families
from reasonenv._registry import family
from reasonenv.rewards._parts import MEASURED, PARTS, LengthUnit, measure, measure_one


class Reward:
    """A weighted sum of named parts.

    The parts are those of `reasonenv.rewards.PARTS` and all that the verifier of a family measures
    (`reasonenv.family(name).parts`); a part counts 0 for verdicts without it. Penalties (`length`, `invalid`,
    `regret`, `cost`) are negative parts, so that every weight is at least 0.

    With `guard`, shaping cannot outrank correctness: a completion that passes always gets at least half of
    the weight of `correct` more than any completion that fails.

    Args:
        weights: A weight of at least 0 for each part.
        guard: Whether shaping cannot outrank correctness; needs the part `correct`.
        length_unit: Unit of the part `length`: "characters" of the completion, or "tokens", which the caller
            counts and passes as `lengths`.
        length_per: Number of characters or tokens that cost the weight of `length` once.

    Raises:
        UnknownName: No family measures such a part.
        InvalidArgument: A weight is negative or not finite, or `guard` is set without the part `correct`.
    """

    def __init__(
        self,
        weights: Mapping[str, float],
        *,
        guard: bool = True,
        length_unit: LengthUnit = "characters",
        length_per: float = 1000,
    ) -> None:
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

        _checks.one_of("length_unit", length_unit, get_args(LengthUnit))
        self._unit: LengthUnit = length_unit
        self._per = _checks.number("length_per", length_per)
        if self._per <= 0:
            msg = f"`length_per` is {_checks.shown(length_per)}, but must be a number above 0"
            raise InvalidArgument(msg)

        correct = self._weights.get("correct", 0.0)
        self._guards = self._guard and len(self._weights) > 1
        # Highest reward of a completion that fails, and lowest of one that passes.
        self._ceiling = sum(weight for name, weight in self._weights.items() if name != "correct")
        self._floor = self._ceiling + correct / 2

    @classmethod
    def shaped(
        cls,
        *,
        correct: float = 1.0,
        format: float = 0.0,
        length: float = 0.0,
        length_unit: LengthUnit = "characters",
        length_per: float = 1000,
        guard: bool = True,
    ) -> Self:
        """Make R = R_correct + λ_f · R_format - λ_l · length, the usual reward of reasoning models.

        Args:
            correct: Reward for a completion that passes.
            format: λ_f, the reward for an answer in the requested form.
            length: λ_l, the cost of `length_per` characters or tokens.
            length_unit: "characters" or "tokens".
            length_per: Number of characters or tokens that cost λ_l.
            guard: Whether shaping cannot outrank correctness.

        Raises:
            InvalidArgument: A weight is negative, or another argument is invalid.
        """
        given = {"correct": correct, "format": format, "length": length}
        weights = {name: weight for name, weight in given.items() if weight or name == "correct"}
        return cls(weights, guard=guard, length_unit=length_unit, length_per=length_per)

    @property
    def weights(self) -> dict[str, float]:
        """Weight of each part."""
        return dict(self._weights)

    @property
    def guard(self) -> bool:
        """True if shaping cannot outrank correctness."""
        return self._guard

    @property
    def length_unit(self) -> LengthUnit:
        """Unit of the part `length`."""
        return self._unit

    @property
    def length_per(self) -> float:
        """Number of characters or tokens that cost the weight of `length` once."""
        return self._per

    def parts(
        self,
        verdicts: Verdicts,
        texts: str | Sequence[str] | None = None,
        *,
        lengths: ArrayLike | None = None,
        outcome: ArrayLike | None = None,
        process: ArrayLike | None = None,
        true_steps: ArrayLike | None = None,
        invalid: ArrayLike | None = None,
        regret: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        search: ArrayLike | None = None,
    ) -> dict[str, NDArray[np.float64]]:
        """Return each part times its weight, as float64 arrays of shape (n,) that sum to the reward.

        The correction by the guard is the part `guard`, present if `correct` is not the only part.

        Args:
            verdicts: Verdicts on n completions.
            texts: The completions, whose characters `length` counts.
            lengths: Their lengths as counted by the caller, in tokens for instance.
            outcome: Return of each game.
            process: Sum of `process_rewards` of each completion's steps.
            true_steps: Share of true steps in each completion.
            invalid: Number of invalid moves of each.
            regret: Value that the moves of each gave away.
            cost: Cost of each.
            search: 1 for each in which a search tool was called and every call was well-formed, else 0.

        Raises:
            InvalidArgument: A part measured by the caller is missing, or is not one finite number per
                verdict.
        """
        given = {
            "outcome": outcome,
            "process": process,
            "true_steps": true_steps,
            "invalid": invalid,
            "regret": regret,
            "cost": cost,
            "search": search,
        }
        parts = {
            name: self._factor(name) * measure(name, verdicts, texts, lengths, given, unit=self._unit)
            for name in self._weights
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
        """Return the reward of each completion: float64 of shape (n,), or a float for one verdict.

        Args:
            verdicts: Verdicts on n completions, or on one.
            texts: The completions, or the one; only the part `length` needs them.
            **measured: Columns as for `parts`: lengths, outcome, process, true_steps, invalid, regret,
                cost, search. For one verdict, a number each.

        Raises:
            InvalidArgument: As for `parts`.
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
        """Like `parts` for a single verdict, with floats."""
        length = measured.pop("lengths", None)
        parts = {
            name: self._factor(name) * measure_one(name, verdict, text, length, measured, unit=self._unit)
            for name in self._weights
        }
        if self._guards:
            total = sum(parts.values())
            kept = max(total, self._floor) if verdict.passed else min(total, self._ceiling)
            parts["guard"] = kept - total
        return parts

    def _factor(self, name: str) -> float:
        """Reward for one unit of a part."""
        return self._weights[name] / (self._per if name == "length" else 1.0)

    def _key(self) -> tuple[frozenset[tuple[str, float]], bool, str, float]:
        return frozenset(self._weights.items()), self._guard, self._unit, self._per

    def __eq__(self, other: object) -> bool:
        """True if both have the same parts, weights, guard and length unit."""
        return self._key() == other._key() if isinstance(other, Reward) else NotImplemented

    def __hash__(self) -> int:
        """Hash that is the same for equal rewards."""
        return hash(self._key())

    def __repr__(self) -> str:
        """The call that makes this reward."""
        guard = "" if self._guard else ", guard=False"
        unit = "" if self._unit == "characters" else f", length_unit={self._unit!r}"
        per = "" if self._per == 1000 else f", length_per={self._per:g}"
        return f"Reward({self._weights}{guard}{unit}{per})"


def _must_be_a_part(name: str) -> None:
    if name in PARTS:
        return
    judged = {part for known in list_families() for part in family(known).parts}
    if name not in judged:
        raise _checks.unknown("part of a reward", name, [*PARTS, *sorted(judged)])
