"""Ratings on the Elo scale, computed from pairings."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.arena._tables import Pairing


def elo(names: Sequence[str], pairings: Sequence[Pairing], *, prior: float = 1.0) -> dict[str, float]:
    """Compute maximum-likelihood ratings: the Bradley-Terry model on the Elo scale.

    A draw counts as half a win. Each pair also gets `prior` additional games with an even result, without
    which the rating of a policy that never lost would be infinite.

    Args:
        names: Names of the policies.
        pairings: Results of the pairs that played.
        prior: Even games added to each pair, above 0.

    Returns:
        The rating of each policy; their mean is 0.

    Raises:
        InvalidArgument: `prior` is not above 0, two policies have one name, one has no games, or a count is
            negative.
        UnknownName: A pairing has a policy that is not among the names.
    """
    prior = _checks.number("prior", prior, 1e-12, 1e12)
    _check_pairings(_checks.texts("names", names), pairings)
    if not names:
        return {}
    place = {name: at for at, name in enumerate(names)}
    won = np.zeros((len(names), len(names)))
    for pairing in pairings:
        a, b = place[pairing.a], place[pairing.b]
        won[a, b] += pairing.wins + pairing.draws / 2 + prior / 2
        won[b, a] += pairing.losses + pairing.draws / 2 + prior / 2
    played, points = won + won.T, won.sum(axis=1)
    strength = np.ones(len(names))
    # Minorization-maximization: each step increases the likelihood (Hunter 2004).
    for _ in range(100_000):
        better = points / (played / (strength[:, None] + strength)).sum(axis=1)
        better /= np.exp(np.log(better).mean())
        moved = np.abs(np.log(better / strength)).max()
        strength = better
        if moved < 1e-9:
            break
    ratings = 400 * np.log10(strength)
    return {name: round(float(rating), 6) + 0.0 for name, rating in zip(names, ratings, strict=True)}


def _check_pairings(names: Collection[str], pairings: object) -> None:
    """Raise if names repeat, a pairing is invalid, or a policy has no games."""
    for name, times in Counter(names).items():
        if times > 1:
            msg = f"`names` has `{name}` {times} times; give each policy a name of its own"
            raise InvalidArgument(msg)
    idle = set(names)
    for pairing in pairings if isinstance(pairings, Iterable) else [pairings]:
        if not isinstance(pairing, Pairing):
            msg = f"`pairings` has {_checks.shown(pairing)}, but must be several of `Pairing`"
            raise InvalidArgument(msg)
        for who in (pairing.a, pairing.b):
            if who not in names:
                raise _checks.unknown("policy", who, names)
        for field in ("wins", "draws", "losses"):
            _checks.number(f"{field} of {pairing.a} against {pairing.b}", getattr(pairing, field), 0)
        idle -= {pairing.a, pairing.b}
    if idle:
        msg = f"`pairings` has none of `{min(idle)}`; leave out who played nobody"
        raise InvalidArgument(msg)
