"""One scale of difficulty for all families, from the pass rates of several policies."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Protocol

import numpy as np

from reasonenv import _checks
from reasonenv._native import InvalidArgument, UnknownName
from reasonenv._native import family as known_family
from reasonenv.curriculum._refs import Setting
from reasonenv.curriculum._response import Outcomes, logistic, most_probable
from reasonenv.curriculum._tracks import Track

_SPREAD = 3.0
"""Prior deviation of abilities and difficulties, in log-odds."""


class Counted(Protocol):
    """A row of `reasonenv.evaluate`: how often a policy passed a level."""

    @property
    def family(self) -> str: ...
    @property
    def level(self) -> int | None: ...
    @property
    def policy(self) -> str: ...
    @property
    def passed(self) -> int: ...
    @property
    def failed(self) -> int: ...


Level = tuple[str, int]
"""A family and one of its levels."""


@dataclass(frozen=True)
class Scale:
    """Difficulties of levels and abilities of policies on one scale, in log-odds.

    A policy passes a level of difficulty d at the rate `logistic(ability - d)`, above the guess rate.
    Abilities average 0, so scales of different policies have different zeros.
    """

    difficulty: Mapping[Level, float]
    """Difficulty of each level of each family, easiest first: `scale.difficulty["sorting", 3]`."""
    error: Mapping[Level, float]
    """Standard error of each difficulty, from sampling alone."""
    ability: Mapping[str, float]
    """Ability of each policy."""
    residual: float
    """Root mean square difference between measured and fitted pass rates. Where it is far above what sampling
    explains, difficulty isn't one number for these policies."""

    def chance(self, policy: str, family: str, level: int) -> float:
        """Fitted pass rate of a policy at a level.

        Raises:
            UnknownName: The policy or the level was not measured.
        """
        if policy not in self.ability:
            raise _checks.unknown("policy", policy, self.ability)
        if (family, level) not in self.difficulty:
            msg = f"{family} at level {level} was not measured; evaluate it, and calibrate again"
            raise UnknownName(msg)
        odds = np.array([self.ability[policy] - self.difficulty[family, level]])
        guess = known_family(family).guess_rate
        return float(guess + (1 - guess) * logistic(odds)[0])

    def track(self, name: str = "scale") -> Track:
        """All levels of all families as one track, from the easiest to the hardest."""
        return Track(name, tuple(Setting.of(family, level=level) for family, level in self.difficulty))


def calibrate(rows: Iterable[Counted]) -> Scale:
    """Fit difficulties that can be compared across families, by item response theory (a Rasch model).

    Measure every level with the same policies, some strong and some weak: `probe:4`, `probe:16` and
    `probe:64`, or checkpoints of a model. A level that all of them pass, or none, gets a large error.

    Args:
        rows: Rows of `reasonenv.evaluate`, of one evaluation or of several.

    Raises:
        InvalidArgument: `rows` is empty, or has a row without a level.
    """
    seen = [row for row in rows if row.passed + row.failed]
    if not seen:
        raise InvalidArgument("`rows` has no verified rollouts; give it rows of `evaluate`")
    levels: dict[Level, int] = {}
    policies: dict[str, int] = {}
    for row in seen:
        if row.level is None:
            raise InvalidArgument(f"`rows` has {row.family} without a level; evaluate it at levels")
        levels.setdefault((row.family, row.level), len(levels))
        policies.setdefault(row.policy, len(policies))
    at = np.array([levels[row.family, row.level or 0] for row in seen])
    by = np.array([policies[row.policy] for row in seen])
    design = np.zeros((len(seen), len(policies) + len(levels)))
    design[np.arange(len(seen)), by] = 1.0
    design[np.arange(len(seen)), len(policies) + at] = -1.0
    passed = np.array([float(row.passed) for row in seen])
    rollouts = np.array([float(row.passed + row.failed) for row in seen])
    guess = np.array([known_family(family).guess_rate for family, _ in levels])[at]
    size = design.shape[1]
    prior = np.eye(size) / _SPREAD**2
    values, covariance = most_probable(Outcomes(design, passed, rollouts, guess), prior, np.zeros(size))
    fitted = guess + (1 - guess) * logistic(design @ values)
    # Abilities and difficulties are counted from the mean ability.
    shift = np.eye(size)
    shift[:, : len(policies)] -= 1 / len(policies)
    ability, difficulty = np.split(shift @ values, [len(policies)])
    error = np.sqrt(np.diag(shift @ covariance @ shift.T))[len(policies) :]
    order = sorted(levels, key=lambda level: difficulty[levels[level]])
    return Scale(
        MappingProxyType({level: float(difficulty[levels[level]]) for level in order}),
        MappingProxyType({level: float(error[levels[level]]) for level in order}),
        MappingProxyType({name: float(ability[place]) for name, place in policies.items()}),
        float(np.sqrt(np.mean((passed / rollouts - fitted) ** 2))),
    )


def published_scale() -> Scale:
    """Return the difficulty of every level of every family as it was measured for this version.

    `make scale` measures it with probes of several budgets, and with models and small networks where their
    results are given to it; docs/curricula.md says which.
    """
    kept = json.loads((resources.files("reasonenv.curriculum") / "scale.json").read_text("utf-8"))
    levels = {(name, level): (value, error) for name, level, value, error in kept["levels"]}
    return Scale(
        MappingProxyType({level: value for level, (value, _) in levels.items()}),
        MappingProxyType({level: error for level, (_, error) in levels.items()}),
        MappingProxyType(kept["abilities"]),
        kept["residual"],
    )
