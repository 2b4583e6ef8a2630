"""Checks of Python-defined families and games against the contracts of the built-in ones.

>>> from reasonenv.testing import check_family
>>> check_family("chain_sum", items=4)
"""

from reasonenv.testing._families import check_family
from reasonenv.testing._findings import BrokenContract
from reasonenv.testing._games import check_game

__all__ = ["BrokenContract", "check_family", "check_game"]
