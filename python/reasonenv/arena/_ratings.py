"""Ratings on the scale of Elo, from who played whom."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.arena._tables import Pairing


def elo(names: Sequence[str], pairings: Sequence[Pairing], *, prior: float = 1.0) -> dict[str, float]:
    """Ratings that make the results likeliest: Bradley and Terry's model on the scale of Elo.

    A draw counts as half a win. Each pair that played is also given `prior` games that end even, without
    which somebody who never lost would be rated infinitely high.

    Args:
        names: The policies.
        pairings: Who played whom, and how it went.
        prior: Even games added to each pair, above 0.

    Returns:
        The rating of each policy; their mean is 0.

    Raises:
        InvalidArgument: `prior` is not above 0, two policies have one name, one played nobody, or games are
            counted below 0.
        UnknownName: A pairing is of a policy that is not among the names.
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
    # Minorisation and maximisation: each step makes the results likelier (Hunter 2004).
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
    """Whether everybody has one name and played somebody."""
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
