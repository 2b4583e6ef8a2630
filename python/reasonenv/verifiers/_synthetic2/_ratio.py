"""Python's `difflib` in counted steps."""

from difflib import SequenceMatcher
from itertools import accumulate

MOST_STEPS = 4_000_000


class OverBudgetError(Exception):
    """The comparison takes too many steps."""


class _Counted(SequenceMatcher[str]):
    """A matcher that counts the work of each search before it starts."""

    def __init__(self, a: str, b: str, *, autojunk: bool) -> None:
        super().__init__(None, a, b, autojunk)
        places = self.b2j  # type: ignore[attr-defined]  # documented, but not in the stubs
        self._before = [0, *accumulate(1 + len(places.get(char, ())) for char in a)]
        self._steps = 0

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None):  # type: ignore[no-untyped-def]
        last = len(self._before) - 1 if ahi is None else ahi
        self._steps += self._before[last] - self._before[alo]
        if self._steps > MOST_STEPS:
            raise OverBudgetError
        return super().find_longest_match(alo, ahi, blo, bhi)


def ratio(a: str, b: str, *, autojunk: bool = True) -> float:
    """Return `SequenceMatcher(None, a, b, autojunk).ratio()`, bit by bit.

    Raises:
        OverBudgetError: It takes more than four million steps.
    """
    if a == b:
        return 1.0
    if max(len(a), len(b)) > MOST_STEPS:
        raise OverBudgetError
    return _Counted(a, b, autojunk=autojunk).ratio()
