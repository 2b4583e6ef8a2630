"""Games between policies: round robins, ratings, and exact tables to compare them with.

>>> import reasonenv
>>> from reasonenv import arena
>>> table = arena.round_robin(reasonenv.game("tic_tac_toe"), ["random", "minimax"], games=20)
>>> table.pairing("minimax", "random").losses
0

A policy is any callable that takes a state and returns a legal action. Its name in tables is its `name`
attribute or the name of the function.
"""

from reasonenv._native import Opponent, Play, Value, list_opponents
from reasonenv._opponents import GamePolicy, available_opponents, fast_opponents
from reasonenv.arena._calibration import Odds, calibration
from reasonenv.arena._matches import play, round_robin
from reasonenv.arena._policies import first_legal, make_policy
from reasonenv.arena._ratings import elo
from reasonenv.arena._tables import Pairing, Standing, Table

__all__ = [
    "GamePolicy",
    "Odds",
    "Opponent",
    "Pairing",
    "Play",
    "Standing",
    "Table",
    "Value",
    "available_opponents",
    "calibration",
    "elo",
    "fast_opponents",
    "first_legal",
    "list_opponents",
    "make_policy",
    "play",
    "round_robin",
]
