"""Rollouts: policies answer tasks, the judge's verdicts are logged, and a table says what they came to.

>>> from reasonenv.rollouts import evaluate
>>> summary = evaluate("chain_sum", ["oracle", "empty"], n=50)
>>> [(row.policy, row.pass_rate) for row in summary]
[('oracle', 1.0), ('empty', 0.0)]
"""

from reasonenv.rollouts.engine import Progress, SourceLike, evaluate
from reasonenv.rollouts.policies import Policy, make_policy
from reasonenv.rollouts.run import InvalidRun, Run
from reasonenv.rollouts.sources import RewardFunction
from reasonenv.rollouts.summary import Row, Summary

__all__ = [
    "InvalidRun",
    "Policy",
    "Progress",
    "RewardFunction",
    "Row",
    "Run",
    "SourceLike",
    "Summary",
    "evaluate",
    "make_policy",
]
