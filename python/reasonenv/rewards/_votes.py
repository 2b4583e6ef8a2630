"""Choices among the rollouts of a group by their answers: majority, weighted votes, pessimistic best of n."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reasonenv import _checks
from reasonenv._intervals import wilson_interval
from reasonenv._native import InvalidArgument
from reasonenv.rewards._arrays import Floats, as_groups, as_mask, as_passed

_MOST_VOTES = 1000
"""With more rollouts, the number of their subsets overflows a float."""


def maj_at_k(
    answers: Sequence[Any], passed: ArrayLike, k: int | None = None, *, mask: ArrayLike | None = None
) -> Floats:
    """Unbiased estimate of maj@k, the chance that the most common answer of k rollouts is right.

    All sets of k rollouts are equally likely, and ties are broken at random. The result is exact, not
    sampled. A rollout without an answer has no vote.

    Args:
        answers: The answer of each rollout, or None: K of them, or n lists of K. Only equal answers are
            counted together, so normalize different spellings first.
        passed: True for each rollout that passed, of shape (K,) or (n, K). An answer that passed in only some
            of its rollouts, perhaps because of its form, is right to that extent.
        k: Number of rollouts that vote; by default all that count.
        mask: True for each rollout that counts, of the shape of `passed`; all by default.

    Returns:
        float64 of shape (n,), or () for one group; NaN for a group without a rollout that counts.

    Raises:
        InvalidArgument: `answers` and `passed` differ in shape, or `k` is more than the rollouts that count.
    """
    right, counts = as_passed(passed, mask)
    rows = [answers] if right.ndim == 1 else answers
    if isinstance(answers, str) or len(rows) != (1 if right.ndim == 1 else len(right)):
        msg = f"`answers` is {_checks.shown(answers)}, but must have an answer for each of `passed`"
        raise InvalidArgument(msg)
    found = []
    for row, said, counted in zip(rows, np.atleast_2d(right), np.atleast_2d(counts), strict=True):
        if isinstance(row, str) or len(row) != len(said):
            msg = f"`answers` has {_checks.shown(row)}, but must have {len(said)} answers for each group"
            raise InvalidArgument(msg)
        votes = [(answer, bool(well)) for answer, well, in_ in zip(row, said, counted, strict=True) if in_]
        if not votes:
            found.append(math.nan)
            continue
        if len(votes) > _MOST_VOTES:
            msg = (
                f"`answers` has {len(votes)} answers in a group, but at most {_MOST_VOTES} rollouts can vote"
            )
            raise InvalidArgument(msg)
        among = len(votes) if k is None else _checks.whole("k", k, 1, len(votes))
        found.append(_majority(votes, among))
    return np.array(found).reshape(right.shape[:-1])


def _majority(votes: Sequence[tuple[Any, bool]], k: int) -> float:
    """`maj_at_k` of one group."""
    voters = Counter(answer for answer, _ in votes if answer is not None)
    passes = Counter(answer for answer, well in votes if answer is not None and well)
    silent = np.array([float(math.comb(len(votes) - voters.total(), i)) for i in range(k + 1)])
    chance = 0.0
    for winner, count in voters.items():
        if not passes[winner]:
            continue
        others = Counter(size for answer, size in voters.items() if answer != winner)
        for best in range(1, min(count, k) + 1):
            # ways[t, v]: sets of v votes for other answers, of which t tie with `best` and none has more.
            ways = np.zeros((k // best + 1, k + 1))
            ways[0] = silent
            for size, how_many in others.items():
                for _ in range(how_many):
                    ways = _with_another(ways, size, best)
            shares = ways[:, k - best] / (1 + np.arange(len(ways)))
            chance += passes[winner] / count * math.comb(count, best) * float(shares.sum())
    return chance / math.comb(len(votes), k)


def _with_another(ways: Floats, size: int, best: int) -> Floats:
    """The ways after adding an answer with `size` voters, of whom at most `best` vote."""
    total = np.zeros_like(ways)
    for votes in range(min(size, best) + 1):
        times = math.comb(size, votes)
        moved = ways[:, : ways.shape[1] - votes] if votes else ways
        if votes == best:
            total[1:, votes:] += times * moved[:-1]
        else:
            total[:, votes:] += times * moved
    return total


def verifier_vote(
    answers: Sequence[Any], verdicts: ArrayLike, *, mask: ArrayLike | None = None
) -> list[int | None]:
    """Choose a rollout of each group by vote, each vote weighted by the policy's own verdict.

    An answer's weight is the sum of its rollouts' verdicts. Of the rollouts with the heaviest answer, the one
    with the highest verdict is chosen, the first of equal ones.

    Args:
        answers: The answer of each rollout, or None: K of them, or n lists of K.
        verdicts: The policy's verdict on each rollout, such as its probability of being right: finite numbers
            of shape (K,) or (n, K), at least 0. Of several verdicts per rollout, take the mean, or the
            lowest, which is the pessimistic choice.
        mask: True for each rollout that counts, of the same shape; all by default.

    Returns:
        The position of the chosen rollout in each group, or None if no rollout that counts has an answer.

    Raises:
        InvalidArgument: `answers` and `verdicts` differ in shape, or a verdict is below 0.
    """
    given, counts = as_groups("verdicts", verdicts, mask)
    if (given < 0).any():
        msg = f"`verdicts` has {given.min():g}, but must be at least 0"
        raise InvalidArgument(msg)
    rows = _rows(answers, given.shape)
    found: list[int | None] = []
    for row, weights, counted in zip(rows, np.atleast_2d(given), np.atleast_2d(counts), strict=True):
        voters = [at for at, answer in enumerate(row) if counted[at] and answer is not None]
        total: dict[Any, float] = {}
        for at in voters:
            total[row[at]] = total.get(row[at], 0.0) + float(weights[at])
        best = max(voters, key=lambda at: (total[row[at]], weights[at], -at), default=None)
        found.append(best)
    return found


def pessimistic_best(
    answers: Sequence[Any], verdicts: ArrayLike, *, z: float = 1.0, mask: ArrayLike | None = None
) -> list[int | None]:
    """Choose the rollout of each group whose answer is the surest: pessimistic best of n.

    An answer is worth the lower bound of a Wilson interval around the mean of all verdicts on its rollouts,
    so that one lucky verdict counts less than many good ones. Of the rollouts with the best answer, the one
    with the highest mean is chosen, the first of equal ones.

    Args:
        answers: The answer of each rollout, or None: K of them, or n lists of K.
        verdicts: The policy's verdicts on each rollout, from 0 to 1: shape (K, V) or (n, K, V).
        z: Width of the interval in standard errors: 0 takes the mean, more is more cautious.
        mask: True for each rollout that counts, of shape (K,) or (n, K); all by default.

    Returns:
        The position of the chosen rollout in each group, or None if no rollout that counts has an answer.

    Raises:
        InvalidArgument: `answers` and `verdicts` differ in shape, or a verdict is not between 0 and 1.
    """
    z = _checks.number("z", z, 0)
    try:
        given = np.asarray(verdicts, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim not in (2, 3) or not given.shape[-1]:
        shown = _checks.shown(verdicts)
        msg = f"`verdicts` is {shown}, but must be numbers of shape (K, V) or (n, K, V), V above 0"
        raise InvalidArgument(msg)
    if not ((given >= 0) & (given <= 1)).all():
        raise InvalidArgument("`verdicts` has a number that is not between 0 and 1")
    rows, shape = _rows(answers, given.shape[:-1]), given.shape[:-1]
    counts = np.atleast_2d(as_mask(mask, None, shape, "verdicts"))
    means, several = np.atleast_2d(given.mean(axis=-1)), given.shape[-1]
    found: list[int | None] = []
    for row, rates, counted in zip(rows, means, counts, strict=True):
        voters = [at for at, answer in enumerate(row) if counted[at] and answer is not None]
        of: dict[Any, list[float]] = {}
        for at in voters:
            of.setdefault(row[at], []).append(float(rates[at]))
        bounds = {
            answer: wilson_interval(math.fsum(some) * several, len(some) * several, z)[0]
            for answer, some in of.items()
        }
        found.append(max(voters, key=lambda at: (bounds[row[at]], rates[at], -at), default=None))
    return found


def _rows(answers: Sequence[Any], shape: tuple[int, ...]) -> Sequence[Sequence[Any]]:
    """The answers of each group, as many as an array of shape (K,) or (n, K) has numbers."""
    rows = [answers] if len(shape) == 1 else answers
    if isinstance(answers, str) or [len(row) for row in rows] != [shape[-1]] * (shape[0] if shape[1:] else 1):
        msg = f"`answers` is {_checks.shown(answers)}, but must have an answer for each of `verdicts`"
        raise InvalidArgument(msg)
    return rows
