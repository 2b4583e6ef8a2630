"""Warns once per family and level when problems repeat."""

import logging
from functools import cache

from reasonenv._native import Mixture, Source

_LOG = logging.getLogger(__name__)

_FEW = 100
"""Fewer items than this seldom repeat enough to matter."""


def warn_of_repeats(source: Source | Mixture, n: int | None = None) -> None:
    """Logs a warning, which Python writes to stderr, where a level has too few problems for many items.

    Args:
        source: Where the items come from.
        n: How many are asked for; None: without end.
    """
    if n is not None and n < _FEW:
        return
    for one in source.sources if isinstance(source, Mixture) else [source]:
        if one.level is not None and one.level < one.family.distinct_from:
            _warn(one.family.name, one.level, one.family.distinct_from)


@cache
def _warn(family: str, level: int, distinct_from: int) -> None:
    _LOG.warning(
        "`%s` has few problems at level %d, so they repeat; from level %d on, 95 %% of 1,000 items differ",
        family,
        level,
        distinct_from,
    )
