"""Warning, once per family and level, when problems repeat."""

import logging
from functools import cache

from reasonenv._native import Mixture, Source

_LOG = logging.getLogger(__name__)

_FEW = 100
"""With fewer tasks, repeats rarely matter."""


def warn_of_repeats(source: Source | Mixture, n: int | None = None) -> None:
    """Log a warning, which Python writes to stderr, if a level has too few problems for so many tasks.

    Args:
        source: Source of the tasks.
        n: Number of tasks; None: unlimited.
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
