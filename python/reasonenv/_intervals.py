"""Confidence intervals of pass rates."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from reasonenv import _checks
from reasonenv._native import InvalidArgument

_Z95 = 1.959963984540054
"""97.5 % quantile of the normal distribution, for a two-sided 95 %."""


def wilson_interval(k: float, n: float, z: float = _Z95) -> tuple[float, float]:
    """Wilson score interval of a proportion; unlike k/n ± z·se it is reliable near 0 and 1 and for small n.

    Args:
        k: Successes, between 0 and n; may be fractional for an effective sample.
        n: Trials, at least 0; 0 gives (0, 1).
        z: Quantile of the normal distribution; 1.96 gives 95 %.

    Returns:
        The bounds, within [0, 1].

    Raises:
        InvalidArgument: `k` is not between 0 and `n`, or an argument is not a finite number.
    """
    n = _checks.number("n", n, 0)
    k = _checks.number("k", k, 0, n)
    z = _checks.number("z", z, 0)
    if n == 0:
        return 0.0, 1.0
    share, square = k / n, z * z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    # Rounding must not exclude the exact ends: nothing passed, nothing failed.
    low = 0.0 if k == 0 else max(0.0, middle - half)
    high = 1.0 if k == n else min(1.0, middle + half)
    return low, high


def clustered_interval(counts: Iterable[int], rollouts: int | Sequence[int]) -> tuple[float, float]:
    """Wilson 95 % interval of the pass rate over tasks with several rollouts each.

    Rollouts of one task are correlated, so K rollouts of n tasks are worth less than n K independent trials.
    The variance between tasks determines the effective sample size, which is kept between n and n K. With one
    rollout per task it equals `wilson_interval`.

    Args:
        counts: Number of rollouts of each task that passed.
        rollouts: Rollouts per task, or of each task; none may be 0.

    Returns:
        The bounds, within [0, 1].

    Raises:
        InvalidArgument: A count is not between 0 and its rollouts, or a number is not whole.
    """
    if isinstance(counts, str | bytes | Mapping) or not isinstance(counts, Iterable):
        msg = f"`counts` is {_checks.shown(counts)}, but must be several whole numbers"
        raise InvalidArgument(msg)
    counts = list(counts)
    tries = _tries(rollouts, len(counts))
    if not all(type(count) is int and 0 <= count <= most for count, most in zip(counts, tries, strict=True)):
        counts = [
            _checks.whole(f"counts[{i}]", count, 0, most)
            for i, (count, most) in enumerate(zip(counts, tries, strict=True))
        ]
    n = len(counts)
    trials, passed = sum(tries), sum(counts)
    if trials == 0 or max(tries) == 1 or n == 1:
        effective: float = min(trials, n)
    else:
        rate = passed / trials
        # Variance of a ratio of means; with equal rollouts it is that of the tasks' pass rates.
        residues = np.array(counts, np.float64) - rate * np.array(tries, np.float64)
        variance = n / (n - 1) * math.fsum(residues**2) / trials**2
        # Without variance the correlation is unknown, so the effective size is the lower bound n.
        effective = n if passed in (0, trials) else trials
        if variance > 0:
            effective = min(trials, max(n, rate * (1 - rate) / variance))
    return wilson_interval(effective * passed / trials if trials else 0, effective)


def _tries(rollouts: int | Sequence[int], items: int) -> list[int]:
    """Rollouts of each task."""
    if isinstance(rollouts, Sequence) and not isinstance(rollouts, str | bytes):
        if len(rollouts) != items:
            msg = f"`rollouts` has {len(rollouts)} numbers, but must have one for each of {items} counts"
            raise InvalidArgument(msg)
        if all(type(tried) is int and tried >= 1 for tried in rollouts):
            return list(rollouts)
        return [_checks.whole(f"rollouts[{i}]", tried, 1) for i, tried in enumerate(rollouts)]
    return [_checks.whole("rollouts", rollouts, 0)] * items


def paired_interval(
    a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, draws: int = 10_000, seed: int = 0
) -> tuple[float, tuple[float, float]]:
    """Mean of a - b over pairs, and its bootstrap interval.

    Pairs are resampled with replacement `draws` times; the interval covers the middle of the means. With
    fewer than about ten pairs it is too narrow.

    Args:
        a: Numbers of shape (n,), n at least 2.
        b: Numbers of shape (n,), each paired with that of `a`, for instance by its task or seed.
        confidence: Share of the means within the interval.
        draws: Number of resamples, at least 100.
        seed: Seed of the resamples.

    Raises:
        InvalidArgument: `a` and `b` are not finite numbers of one shape (n,), or an argument is out of
            bounds.
    """
    confidence = _checks.number("confidence", confidence, 0, 1)
    draws = _checks.whole("draws", draws, 100, 10_000_000)
    seed = _checks.seed("seed", seed)
    try:
        first, second = (np.asarray(given, dtype=np.float64) for given in (a, b))
    except (TypeError, ValueError):
        first, second = np.zeros(0), np.zeros(0)
    well = first.ndim == 1 and first.shape == second.shape and len(first) > 1
    if not (well and np.isfinite(first).all() and np.isfinite(second).all()):
        msg = f"`a` and `b` are {_checks.shown(a)} and {_checks.shown(b)}, but must be as many finite numbers"
        raise InvalidArgument(msg + ", two or more")
    differences = first - second
    rng = np.random.Generator(np.random.PCG64(seed))
    means = np.empty(draws)
    # In chunks, so that memory does not grow with the number of pairs.
    step = max(1, 1_000_000 // len(differences))
    for start in range(0, draws, step):
        count = min(step, draws - start)
        picks = rng.integers(len(differences), size=(count, len(differences)))
        means[start : start + count] = differences[picks].mean(axis=1)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(differences.mean()), (float(low), float(high))
