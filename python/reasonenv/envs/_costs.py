"""Costs of steps, apart from the reward, for constrained learning; lanes in Rust count theirs alike."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reasonenv._native import Verdict
from reasonenv._settings import fields
from reasonenv.parts import EpisodeState
from reasonenv.rewards._parts import FORMAT_FAILURES

Counts = Mapping[str, float]
"""Number of costly things by kind: "invalid", "broken", "tool_call", "hint"."""

_COUNTED = {
    "invalid": "invalid",
    "broken": "broken",
    "true_steps": "broken",
    "tool_calls": "tool_call",
    "hints": "hint",
    "asked": "hint",
}
"""Entries of `EpisodeState.memory`, and the kind of cost that they count."""


class Costs:
    """Cost of each kind of thing, and when costs end an episode.

    Args:
        known: Settings of an environment, those of costs among them.
    """

    def __init__(self, known: Mapping[str, Any]) -> None:
        self.settings = {name: known[name] for name in fields("cost")}
        """The settings of costs by name."""
        self.weights: dict[str, float] = dict.fromkeys(_COUNTED.values(), 1.0)
        self.weights |= known["cost_weights"] or {}
        self._limit: float | None = known["cost_limit"]
        self._end_prob: float = known["terminate_on_cost"]
        self.can_end = self._limit is not None or self._end_prob > 0.0
        """True if costs may end an episode."""

    def of(self, counts: Counts) -> float:
        """Cost of counted things."""
        return float(sum([self.weights[kind] * count for kind, count in counts.items()]))

    def of_answer(self, failures: tuple[str, ...]) -> float:
        """Cost of an answer with these failures."""
        return self.of(answer_counts(failures)) if failures else 0.0

    def of_answers(self, failures: Sequence[tuple[str, ...]]) -> NDArray[np.float64]:
        """Costs of many answers."""
        known = {each: self.of_answer(each) for each in set(failures)}
        return np.fromiter(map(known.__getitem__, failures), np.float64, len(failures))

    def end(self, cost: float, total: float, rng: np.random.Generator, step: object) -> bool:
        """True if an episode ends with a step that costs `cost` and makes a total of `total`.

        The state of the generator and the name of the step decide. Nothing is drawn from the generator, so
        that costs don't change which tasks follow.
        """
        if self._limit is not None and total > self._limit:
            return True
        if cost <= 0.0 or self._end_prob <= 0.0:
            return False
        key = f"{rng.bit_generator.state} {step}".encode()
        word = int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big")
        return word < self._end_prob * 2.0**64


@lru_cache(1024)
def answer_counts(failures: tuple[str, ...]) -> Counts:
    """Costly things in an answer with these failures."""
    found = {"invalid": not FORMAT_FAILURES.isdisjoint(failures), "broken": "constraint_violated" in failures}
    return MappingProxyType({kind: 1.0 for kind, costs in found.items() if costs})


def turn_counts(before: EpisodeState, state: EpisodeState) -> Counts:
    """Costly things that a transition counted in `EpisodeState.memory`; false steps break a constraint."""
    counts: dict[str, float] = {}
    for entry, now in state.memory.items():
        kind = _COUNTED.get(entry)
        if kind is not None and (more := _count(now) - _count(before.memory.get(entry))) > 0:
            counts[kind] = counts.get(kind, 0) + more
    return counts


def _count(entry: Any) -> float:
    """A number, or how many of several truths are False; 0 for anything else."""
    if isinstance(entry, tuple | list):
        return entry.count(False)
    return entry if isinstance(entry, int | float) else 0


def larger(one: Counts, other: Counts) -> Counts:
    """The larger count of each kind."""
    return {kind: max(one.get(kind, 0), other.get(kind, 0)) for kind in one.keys() | other.keys()}


def over_cost(total: float) -> Verdict:
    """Verdict on an episode that its costs ended."""
    return Verdict(False, 0.0, failures=["over_cost"], detail=f"the episode ended at a cost of {total:g}")
