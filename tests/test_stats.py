import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reasonenv.rollouts import clustered_interval, wilson_interval


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        # Newcombe 1998, table I, method 3 (Wilson without continuity correction).
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_newcombes_published_intervals(k: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(k, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 300), st.integers(1, 300))
def test_wilson_contains_the_rate_and_mirrors(k: int, n: int) -> None:
    k = min(k, n)
    low, high = wilson_interval(k, n)
    assert 0 <= low <= k / n <= high <= 1
    mirrored = wilson_interval(n - k, n)
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx((low, high))


def test_no_trials_say_nothing() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="`k` is 5, but must be a number between 0 and 3"):
        wilson_interval(5, 3)


def test_identical_rollouts_are_worth_one_each() -> None:
    assert clustered_interval([4] * 30 + [0] * 70, 4) == pytest.approx(wilson_interval(30, 100), abs=2e-3)
    assert clustered_interval([4] * 100, 4) == wilson_interval(100, 100)
    assert clustered_interval([0] * 100, 4) == wilson_interval(0, 100)
    assert clustered_interval([], 4) == (0.0, 1.0)
    assert clustered_interval([1, 0, 1], 1) == wilson_interval(2, 3)


def test_independent_rollouts_are_worth_all_of_them() -> None:
    draws = np.random.default_rng(0).binomial(4, 0.3, size=2000)
    low, high = clustered_interval(draws.tolist(), 4)
    narrow = wilson_interval(int(draws.sum()), 8000)
    assert high - low == pytest.approx(narrow[1] - narrow[0], rel=0.1)


def test_the_clustered_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        skill = rng.beta(0.6, 1.4, size=60)  # mean 0.3, rollouts of one item much alike
        low, high = clustered_interval(rng.binomial(8, skill).tolist(), 8)
        covered += low <= 0.3 <= high
    assert covered / 400 > 0.92
