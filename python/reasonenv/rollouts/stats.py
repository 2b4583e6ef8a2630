"""Intervals of pass rates."""

import math
from collections.abc import Iterable, Sequence

from reasonenv import _checks
from reasonenv._native import InvalidArgument

__all__ = ["clustered_interval", "wilson_interval"]

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
    if isinstance(counts, str | bytes) or not isinstance(counts, Iterable):
        msg = f"`counts` is {_checks.shown(counts)}, but must be several whole numbers"
        raise InvalidArgument(msg)
    counts = list(counts)
    tries = _tries(rollouts, len(counts))
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
        residues = ((count - rate * tried) ** 2 for count, tried in zip(counts, tries, strict=True))
        variance = n / (n - 1) * sum(residues) / trials**2
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
        return [_checks.whole(f"rollouts[{i}]", tried, 1) for i, tried in enumerate(rollouts)]
    return [_checks.whole("rollouts", rollouts, 0)] * items
