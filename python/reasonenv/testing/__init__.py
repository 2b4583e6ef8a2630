"""What holds a family of your own to the contracts that every built-in one keeps.

>>> from reasonenv.testing import check_family
>>> check_family("chain_sum", items=4)
"""

from reasonenv.testing._families import check_family
from reasonenv.testing._findings import BrokenContract
from reasonenv.testing._games import check_game

__all__ = ["BrokenContract", "check_family", "check_game"]
