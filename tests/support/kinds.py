"""One unit of each kind that Python treats in a way of its own; the contracts in Rust loop over all units."""

from collections.abc import Iterable
from typing import Any

import pytest
from own_units import Adder, Race

FAMILIES = [
    "chain_sum",  # one value, and steps that are checked
    "ascii_tree",  # judges whole completions, in a tag of its own
    "sudoku",  # is played move by move, and gives partial scores
    "count_errors",  # is about problems of other families
    Adder.about.name,  # defined in Python
]
GAMES = [
    "tic_tac_toe",  # solved
    "dots_and_boxes",  # who closes a box moves again
    "kuhn_poker",  # chance, hidden cards, stakes
    "othello",  # too large to be solved
    Race.about.name,  # defined in Python
]


def slow_others(names: Iterable[str]) -> list[Any]:
    """All names as parameters; only `make test-all` runs those that do not represent their kind."""
    kinds = {*FAMILIES, *GAMES}
    return [name if name in kinds else pytest.param(name, marks=pytest.mark.slow) for name in names]
