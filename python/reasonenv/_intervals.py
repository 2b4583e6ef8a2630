"""Intervals of pass rates."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from reasonenv import _checks
from reasonenv._native import InvalidArgument

_Z95 = 1.959963984540054
"""The normal distribution's 97.5 % quantile: two-sided 95 %."""


def wilson_interval(k: float, n: float, z: float = _Z95) -> tuple[float, float]:
    """Wilson's score interval of a proportion; unlike k/n ± z·se it holds up near 0 and 1 and for small n.

    Args:
        k: Successes, between 0 and n. Fractions are fine: an effective sample has them.
        n: Trials, at least 0; none at all gives (0, 1).
        z: Quantile of the normal distribution; 1.96 gives 95 %.

    Returns:
        The bounds, within [0, 1].

    Raises:
        InvalidArgument: `k` is not between 0 and `n`, or something is no finite number.
    """
    n = _checks.number("n", n, 0)
    k = _checks.number("k", k, 0, n)
    z = _checks.number("z", z, 0)
    if n == 0:
        return 0.0, 1.0
    share, square = k / n, z * z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    # Rounding must not exclude what the ends mean: nothing failed, nothing passed.
    low = 0.0 if k == 0 else max(0.0, middle - half)
    high = 1.0 if k == n else min(1.0, middle + half)
    return low, high


def clustered_interval(counts: Iterable[int], rollouts: int | Sequence[int]) -> tuple[float, float]:
    """Wilson's 95 % interval of the pass rate of items that were each tried several times.

    Rollouts of one item are alike, so K rollouts of n items are worth less than n K independent trials: the
    variance between items says how much less, and the interval is taken over that effective sample, never
    below n nor above n K. With one rollout it is `wilson_interval`.

    Args:
        counts: How many rollouts of each item passed, each between 0 and its rollouts.
        rollouts: Rollouts per item, or of each item, none of which may be 0.

    Returns:
        The bounds, within [0, 1].

    Raises:
        InvalidArgument: A count is not between 0 and its rollouts, or something is no whole number.
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
        # The variance of a ratio of means; with equal rollouts that of the items' pass rates.
        residues = np.array(counts, np.float64) - rate * np.array(tries, np.float64)
        variance = n / (n - 1) * math.fsum(residues**2) / trials**2
        # No variance at all tells nothing of how alike rollouts are: the least that can be claimed is n.
        effective = n if passed in (0, trials) else trials
        if variance > 0:
            effective = min(trials, max(n, rate * (1 - rate) / variance))
    return wilson_interval(effective * passed / trials if trials else 0, effective)


def _tries(rollouts: int | Sequence[int], items: int) -> list[int]:
    """Rollouts of each item."""
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
    """The mean of a - b over pairs, and its bootstrap interval.

    Pairs are drawn again with replacement, `draws` times; the interval holds the middle of the means. With
    fewer than about ten pairs it is too narrow.

    Args:
        a: Shape (n,), n at least 2.
        b: Shape (n,); the i-th of both are of the same task, seed or whatever makes them a pair.
        confidence: The share of the means within the interval.
        draws: At least 100.
        seed: Decides what is drawn; the same numbers give the same interval.

    Raises:
        InvalidArgument: `a` and `b` are not finite numbers of one shape (n,), or something is out of bounds.
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
    # A few draws at a time, so that many pairs need no more memory than few.
    step = max(1, 1_000_000 // len(differences))
    for start in range(0, draws, step):
        count = min(step, draws - start)
        picks = rng.integers(len(differences), size=(count, len(differences)))
        means[start : start + count] = differences[picks].mean(axis=1)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(differences.mean()), (float(low), float(high))
