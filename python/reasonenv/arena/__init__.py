"""Policies that play games against each other: round robins, ratings, and exact tables to hold them against.

>>> import reasonenv
>>> from reasonenv import arena
>>> table = arena.round_robin(reasonenv.game("tic_tac_toe"), ["random", "minimax"], games=20)
>>> table.pairing("minimax", "random").losses
0

Any callable of a state that gives a legal action is a policy; its name in tables is its `name` attribute or
the function's own.
"""

from reasonenv._opponents import available_opponents, fast_opponents
from reasonenv.arena.calibration import Tally, calibration
from reasonenv.arena.matches import play, round_robin
from reasonenv.arena.policies import Policy, first_legal, make_policy
from reasonenv.arena.ratings import elo
from reasonenv.arena.tables import Pairing, Standing, Table

__all__ = [
    "Pairing",
    "Policy",
    "Standing",
    "Table",
    "Tally",
    "available_opponents",
    "calibration",
    "elo",
    "fast_opponents",
    "first_legal",
    "make_policy",
    "play",
    "round_robin",
]
