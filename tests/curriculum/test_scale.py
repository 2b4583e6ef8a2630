"""Difficulties on one scale: what was put in comes out."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
import reasonenv
from reasonenv.curriculum import Setting, calibrate, published_scale
from reasonenv.errors import InvalidArgument, UnknownName


@dataclass
class Row:
    family: str
    level: int | None
    policy: str
    passed: int
    failed: int


ABILITY = {"weak": -2.0, "middle": 0.5, "strong": 1.5}
DIFFICULTY = {("chain_sum", 0): -1.5, ("sorting", 1): -0.5, ("chain_sum", 5): 0.5, ("maze", 2): 2.0}


def rows(rollouts: int, seed: int = 0) -> list[Row]:
    """Counts of a world where the model holds."""
    rng = np.random.default_rng(seed)
    made = []
    for policy, ability in ABILITY.items():
        for (family, level), difficulty in DIFFICULTY.items():
            guess = reasonenv.family(family).guess_rate
            chance = guess + (1 - guess) / (1 + math.exp(difficulty - ability))
            passed = int(rng.binomial(rollouts, chance))
            made.append(Row(family, level, policy, passed, rollouts - passed))
    return made


def test_what_was_put_in_comes_out_within_its_errors() -> None:
    misses = []
    for seed in range(20):
        scale = calibrate(rows(400, seed))
        assert list(scale.difficulty) == list(DIFFICULTY)
        assert sum(scale.ability.values()) == pytest.approx(0)
        misses += [
            (scale.difficulty[level] - wanted) / scale.error[level] for level, wanted in DIFFICULTY.items()
        ]
    assert 0.7 < float(np.std(misses)) < 1.3
    assert float(np.mean(np.abs(misses) < 2)) > 0.9


def test_the_track_crosses_families_and_chances_follow() -> None:
    scale = calibrate(rows(2_000))
    assert list(scale.track("mine")) == [Setting.of(family, level=level) for family, level in DIFFICULTY]
    assert scale.chance("middle", "chain_sum", 5) == pytest.approx(0.5, abs=0.05)
    assert scale.residual < 0.02


def test_a_residual_shows_that_one_scale_does_not_suit_all() -> None:
    crossed = [Row("chain_sum", 0, "a", 90, 10), Row("sorting", 0, "a", 10, 90)]
    crossed += [Row("chain_sum", 0, "b", 10, 90), Row("sorting", 0, "b", 90, 10)]
    assert calibrate(crossed).residual > 0.3


def test_levels_that_all_pass_have_large_errors() -> None:
    sure = [Row("chain_sum", 0, policy, 100, 0) for policy in ABILITY]
    scale = calibrate([*rows(400), *(Row("sorting", 0, one.policy, 400, 0) for one in sure)])
    assert scale.difficulty["sorting", 0] < min(DIFFICULTY.values())
    assert scale.error["sorting", 0] > 2 * scale.error["chain_sum", 5]


def test_errors_name_what_is_wrong() -> None:
    with pytest.raises(InvalidArgument, match="no verified rollouts"):
        calibrate([Row("chain_sum", 0, "a", 0, 0)])
    with pytest.raises(InvalidArgument, match="chain_sum without a level"):
        calibrate([Row("chain_sum", None, "a", 1, 0)])
    scale = calibrate(rows(10))
    with pytest.raises(UnknownName, match="maze at level 5 was not measured"):
        scale.chance("weak", "maze", 5)
    with pytest.raises(UnknownName, match="week"):
        scale.chance("week", "maze", 2)


def test_it_takes_rows_of_an_evaluation() -> None:
    summary = reasonenv.evaluate("sorting", ["probe:3", "probe:30"], n=100, level=[0, 4])
    scale = calibrate(summary)
    assert scale.difficulty["sorting", 4] > scale.difficulty["sorting", 0]
    assert scale.ability["probe:30"] > scale.ability["probe:3"]


def test_the_published_scale_has_every_level_and_rises_within_families() -> None:
    scale = published_scale()
    tops = {name: reasonenv.family(name).top_level for name in reasonenv.list_families()}
    assert sorted(scale.difficulty) == [
        (name, level) for name, top in tops.items() for level in range(top + 1)
    ]
    values = list(scale.difficulty.values())
    assert values == sorted(values)
    # Probes count the steps of a solution, which some families have equally many of at all levels.
    rising = [name for name, top in tops.items() if scale.difficulty[name, 0] < scale.difficulty[name, top]]
    assert len(rising) >= 0.95 * len(tops)
    assert scale.residual < 0.1
