"""Statistics of groups of rollouts: advantages, flat rewards, dynamic sampling, pass@k, maj@k, best of n.

A group is the K rollouts of one task, and arrays have shape (n, K), or (K,) for one group. `mask` excludes
rollouts, such as those whose text was cut off or whose endpoint failed.

>>> from reasonenv.rewards import groups
>>> groups.advantages([[1, 0, 0, 0], [1, 1, 1, 1]], sigma=None).tolist()
[[0.75, -0.25, -0.25, -0.25], [0.0, 0.0, 0.0, 0.0]]
>>> groups.flat_reward([[1, 0, 0, 0], [1, 1, 1, 1]]).tolist()
[False, True]
"""

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.rewards._arrays import Bools, Floats, as_groups, as_passed
from reasonenv.rewards._votes import maj_at_k, pessimistic_best, verifier_vote

__all__ = [
    "advantages",
    "best_of_n",
    "discounted_return",
    "dynamic_sampling",
    "flat_reward",
    "maj_at_k",
    "mixed_passes",
    "monte_carlo_value",
    "overlong_filter",
    "pass_at_k",
    "pessimistic_best",
    "step_advantages",
    "verifier_vote",
]

Sigma: TypeAlias = Literal["group", "batch"]
"""Rewards over which the standard deviation is taken."""

OnFlat: TypeAlias = Literal["keep", "drop", "resample", "change_level", "hint"]
"""Treatment of a group whose rewards are all equal, which teaches nothing."""


def advantages(
    rewards: ArrayLike,
    *,
    sigma: Sigma | None = "group",
    delta: float = 1e-4,
    mask: ArrayLike | None = None,
) -> Floats:
    """Advantages of rollouts within their groups: `(r - mean) / (std + delta)`, or `r - mean`.

    Args:
        rewards: Shape (K,) for one group or (n, K) for n groups of K rollouts.
        sigma: "group" divides by the sample deviation of each group (K - 1 degrees of freedom), as GRPO
            trainers do; "batch" by that of the rewards of all groups; None does not divide.
        delta: Small number that prevents a division by almost zero.
        mask: True for each rollout that counts, of the same shape; all by default. The others get 0 and enter
            no mean.

    Returns:
        float64 of the same shape. A group of one and a group of equal rewards get zeros.

    Raises:
        InvalidArgument: `rewards` have another shape or are not finite, or another argument is invalid.
    """
    given, counts = as_groups("rewards", rewards, mask)
    if sigma is not None:
        _checks.one_of("sigma", sigma, [*get_args(Sigma), None])
    delta = _checks.number("delta", delta, 0)
    number = counts.sum(axis=-1, keepdims=True)
    kept = np.where(counts, given, 0.0)
    centred = np.where(counts, given - kept.sum(axis=-1, keepdims=True) / np.maximum(number, 1), 0.0)
    # A mean of equal numbers may have a rounding error, which the division would magnify.
    centred[_flat(given, counts)] = 0.0
    if sigma is None:
        return centred
    if sigma == "batch":
        every = given[counts]
        spread = np.asarray(every.std(ddof=1) if every.size > 1 else 0.0)
    else:
        spread = np.sqrt((centred**2).sum(axis=-1, keepdims=True) / np.maximum(number - 1, 1))
    # Without a deviation there is nothing to divide, even if `delta` is 0.
    return np.divide(centred, spread + delta, out=np.zeros_like(centred), where=spread + delta > 0)


def step_advantages(
    rewards: Sequence[Sequence[float]],
    *,
    gamma: float = 1.0,
    sigma: Literal["group"] | None = "group",
    delta: float = 1e-4,
) -> list[Floats]:
    """Advantages of the steps of one group of rollouts, as in group-based process supervision.

    The rewards of the steps are centered on the mean of all steps of the group and divided by their
    deviation. The advantage of a step is the sum of its own and all later ones, discounted by `gamma` per
    step. With one step per rollout it equals `advantages`.

    Args:
        rewards: For each rollout the rewards of its steps: `process_rewards`, or the rewards of turns.
            Rollouts may have different numbers of steps, including none. Rewards by "delta" or "clip" pay no
            repetition: an idle step gets less than the mean, and so lowers what comes before it.
        gamma: Discount per step, from 0 to 1.
        sigma: "group" divides by the deviation of all steps of the group; None does not divide.
        delta: Small number that prevents a division by almost zero.

    Returns:
        A float64 array for each rollout, one number per step.

    Raises:
        InvalidArgument: `rewards` are not finite numbers for each rollout, or another argument is invalid.
    """
    gamma = _checks.number("gamma", gamma, 0, 1)
    _checks.one_of("sigma", sigma, ["group", None])
    if isinstance(rewards, str | bytes) or not isinstance(rewards, Sequence):
        msg = f"`rewards` is {_checks.shown(rewards)}, but must be the rewards of each rollout's steps"
        raise InvalidArgument(msg)
    for i, steps in enumerate(rewards):
        if isinstance(steps, str | bytes) or np.ndim(steps) != 1:
            msg = f"`rewards[{i}]` is {_checks.shown(steps)}, but must be the rewards of a rollout's steps"
            raise InvalidArgument(msg)
    every = [reward for steps in rewards for reward in steps]
    centred = advantages(every, sigma=sigma, delta=delta) if every else np.zeros(0)
    ends = np.cumsum([len(steps) for steps in rewards], dtype=np.int64)
    found = []
    for part in np.split(centred, ends[:-1]) if len(rewards) else []:
        following = 0.0
        sums = np.zeros(len(part))
        for at in range(len(part) - 1, -1, -1):
            following = sums[at] = part[at] + gamma * following
        found.append(sums)
    return found


def flat_reward(rewards: ArrayLike, *, mask: ArrayLike | None = None) -> Bools:
    """Return True for each group of equal rewards, which has no gradient: shape (n,), or () for one group.

    A group without a rollout that counts is flat.

    Raises:
        InvalidArgument: `rewards` have another shape or are not finite, or `mask` has another shape.
    """
    return _flat(*as_groups("rewards", rewards, mask))


def mixed_passes(passed: ArrayLike, *, mask: ArrayLike | None = None) -> Bools:
    """Return True for each group in which some rollouts passed and some failed: shape (n,), or () for one.

    Curricula and difficulty depend on it, whatever reward is trained on.

    Raises:
        InvalidArgument: `passed` has another shape or is not boolean, or `mask` has another shape.
    """
    given, counts = as_passed(passed, mask)
    return np.asarray((given & counts).any(axis=-1) & (~given & counts).any(axis=-1))


def dynamic_sampling(
    rewards: ArrayLike, passed: ArrayLike, on_flat: OnFlat, *, mask: ArrayLike | None = None
) -> NDArray[np.str_]:
    """Decide what to do with each group: "keep", "drop", "resample", "harder", "easier" or "hint".

    A group whose rewards differ is kept. For a group of equal rewards, `on_flat` decides: "keep" or "drop"
    it, or "resample" another task; "change_level" takes a harder task if all rollouts passed, otherwise an
    easier one; "hint" asks again with a hint, or drops the group if all passed.

    Args:
        rewards: Shape (n, K), or (K,) for one group.
        passed: True for each rollout that passed, of the same shape.
        on_flat: "keep", "drop", "resample", "change_level" or "hint".
        mask: True for each rollout that counts, of the same shape; all by default.

    Returns:
        Strings of shape (n,), or () for one group.

    Raises:
        InvalidArgument: `passed` and `rewards` differ in shape, or another argument is invalid.
    """
    _checks.one_of("on_flat", on_flat, get_args(OnFlat))
    given, counts = as_groups("rewards", rewards, mask)
    right, _ = as_passed(passed, None)
    if right.shape != given.shape:
        msg = f"`passed` has shape {right.shape}, but must have that of `rewards`, {given.shape}"
        raise InvalidArgument(msg)
    solved = (right | ~counts).all(axis=-1) & counts.any(axis=-1)
    doing = {
        "keep": np.full(solved.shape, "keep"),
        "drop": np.full(solved.shape, "drop"),
        "resample": np.full(solved.shape, "resample"),
        "change_level": np.where(solved, "harder", "easier"),
        "hint": np.where(solved, "drop", "hint"),
    }[on_flat]
    return np.where(_flat(given, counts), doing, "keep")


def overlong_filter(truncated: ArrayLike, passed: ArrayLike | None = None) -> Bools:
    """Return a mask that excludes rollouts whose text was cut off, so that length is not punished as failure.

    Args:
        truncated: True for each text that was cut off: shape (K,) or (n, K).
        passed: True for each rollout that passed; one that was cut off and still passed counts.

    Returns:
        True for each rollout that counts, of the same shape.

    Raises:
        InvalidArgument: An argument has another shape or is not boolean.
    """
    cut, _ = as_passed(truncated, None, "truncated")
    if passed is None:
        return ~cut
    right, _ = as_passed(passed, None)
    if right.shape != cut.shape:
        msg = f"`passed` has shape {right.shape}, but must have that of `truncated`, {cut.shape}"
        raise InvalidArgument(msg)
    return ~cut | right


def pass_at_k(n: ArrayLike, c: ArrayLike, k: int) -> Any:
    """Unbiased estimate of pass@k, the chance that at least one of k rollouts passes.

    With c of n rollouts passed it is `1 - C(n - c, k) / C(n, k)`, after Chen et al. 2021.

    Args:
        n: Rollouts of each task: a whole number or an array.
        c: Number of them that passed, broadcast with `n`.
        k: Rollouts per attempt, at most the smallest `n`.

    Returns:
        A float for two numbers, otherwise float64 of the broadcast shape of `n` and `c`.

    Raises:
        InvalidArgument: Not 0 ≤ c ≤ n, not 1 ≤ k ≤ n, or not whole numbers.
    """
    if np.ndim(n) == 0 and np.ndim(c) == 0:
        tried = _checks.whole("n", n, 1)
        right = _checks.whole("c", c, 0, tried)
        k = _checks.whole("k", k, 1, tried)
        return 1.0 - math.comb(tried - right, k) / math.comb(tried, k)
    tried_each, right_each = _whole_numbers("n", n), _whole_numbers("c", c)
    try:
        pairs = np.stack(np.broadcast_arrays(tried_each, right_each), axis=-1)
    except ValueError:
        msg = f"`c` has shape {right_each.shape}, which does not go with that of `n`, {tried_each.shape}"
        raise InvalidArgument(msg) from None
    # The few distinct pairs are computed once each, with Python's exact integers.
    known, which = np.unique(pairs.reshape(-1, 2), axis=0, return_inverse=True)
    rates = np.array([pass_at_k(int(tried), int(right), k) for tried, right in known], np.float64)
    return rates[which.reshape(-1)].reshape(pairs.shape[:-1])


def best_of_n(
    scores: ArrayLike,
    rewards: ArrayLike | None = None,
    n: int | None = None,
    *,
    mask: ArrayLike | None = None,
) -> Floats:
    """Unbiased estimate of the mean reward of the highest-scoring of n rollouts.

    All sets of n rollouts are equally likely, and ties are broken at random.

    Args:
        scores: Scores by which a rollout is chosen: shape (K,) or (n, K).
        rewards: Rewards of the same shape, such as `passed`; by default the scores themselves.
        n: Number of rollouts to choose from; by default all that count.
        mask: True for each rollout that counts, of the same shape; all by default.

    Returns:
        float64 of shape (n,), or () for one group; NaN for a group without a rollout that counts.

    Raises:
        InvalidArgument: `rewards` have another shape, or `n` exceeds the number of rollouts that count.
    """
    given, counts = as_groups("scores", scores, mask)
    earned, _ = (given, None) if rewards is None else as_groups("rewards", rewards, mask)
    if earned.shape != given.shape:
        msg = f"`rewards` has shape {earned.shape}, but must have that of `scores`, {given.shape}"
        raise InvalidArgument(msg)
    found = []
    for score, reward, counted in zip(*map(np.atleast_2d, (given, earned, counts)), strict=True):
        size = int(counted.sum())
        if size == 0:
            found.append(math.nan)
            continue
        of = size if n is None else _checks.whole("n", n, 1, size)
        values, where, ties = np.unique(score[counted], return_inverse=True, return_counts=True)
        means = np.bincount(where.reshape(-1), reward[counted], len(values)) / ties
        # C(rank, of) sets of `of` rollouts score no higher; the difference counts those whose best is here.
        below = np.array([math.comb(int(rank), of) for rank in np.cumsum(ties)], dtype=object)
        chances = np.diff(below, prepend=0) / math.comb(size, of)
        found.append(float(means @ chances.astype(np.float64)))
    return np.array(found).reshape(given.shape[:-1])


class ValueEstimate(NamedTuple):
    """A value estimated from rollouts."""

    mean: Floats
    """Mean return."""
    error: Floats
    """Standard error of the mean; NaN if fewer than two rollouts count."""
    rollouts: NDArray[np.int64]
    """Number of rollouts that count."""


def monte_carlo_value(returns: ArrayLike, *, mask: ArrayLike | None = None) -> ValueEstimate:
    """Estimate the value of prefixes by the mean return of the rollouts that continue from them.

    Args:
        returns: Shape (K,) for one prefix or (n, K) for n; `discounted_return` computes them from rewards.
        mask: True for each rollout that counts, of the same shape; all by default.

    Returns:
        Mean, standard error and number of rollouts, each of shape (n,), or () for one prefix.

    Raises:
        InvalidArgument: `returns` have another shape or are not finite, or `mask` has another shape.
    """
    given, counts = as_groups("returns", returns, mask)
    number = np.asarray(counts.sum(axis=-1))
    kept = np.where(counts, given, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.asarray(kept.sum(axis=-1) / number)
        squares = np.where(counts, (given - mean[..., None]) ** 2, 0.0).sum(axis=-1)
        error = np.asarray(np.sqrt(squares / (number - 1) / number))
    return ValueEstimate(mean, np.where(number > 1, error, np.nan), number.astype(np.int64))


def discounted_return(rewards: Sequence[float], gamma: float = 1.0) -> float:
    """Return of one episode: the sum of the rewards, discounted by `gamma` per step.

    Raises:
        InvalidArgument: `gamma` is not between 0 and 1, or a reward is not a finite number.
    """
    gamma = _checks.number("gamma", gamma, 0, 1)
    total = 0.0
    for i in range(len(rewards) - 1, -1, -1):
        total = _checks.number(f"rewards[{i}]", rewards[i]) + gamma * total
    return total


def _flat(given: Floats, counts: Bools) -> Bools:
    low = np.where(counts, given, np.inf).min(axis=-1, initial=np.inf)
    high = np.where(counts, given, -np.inf).max(axis=-1, initial=-np.inf)
    return np.asarray(high <= low)


def _whole_numbers(name: str, values: ArrayLike) -> NDArray[np.int64]:
    given = np.asarray(values)
    if given.dtype.kind not in "iu":
        msg = f"`{name}` is {_checks.shown(values)}, but must be whole numbers"
        raise InvalidArgument(msg)
    return given.astype(np.int64)
