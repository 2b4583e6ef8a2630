"""Rollouts: policies answer tasks, the judge's verdicts are logged, and a table says what they came to.

>>> from reasonenv.rollouts import evaluate, rollout
>>> summary = evaluate("chain_sum", ["oracle", "empty"], n=50)
>>> [(row.policy, row.pass_rate) for row in summary]
[('oracle', 1.0), ('empty', 0.0)]
>>> rollout("noisy:0.5", "chain_sum", n=4, group_size=8).rewards.shape
(4, 8)
"""

from reasonenv.rollouts.asking import AsyncPolicy
from reasonenv.rollouts.completion import Completion, Context
from reasonenv.rollouts.engine import AnyPolicy, SourceLike, evaluate, rollout
from reasonenv.rollouts.policies import ContextPolicy, Policy, make_policy
from reasonenv.rollouts.records import Trajectory
from reasonenv.rollouts.result import Rollouts
from reasonenv.rollouts.run import InvalidRun, Run
from reasonenv.rollouts.session import Progress
from reasonenv.rollouts.sources import RewardFunction
from reasonenv.rollouts.summary import Row, Summary

__all__ = [
    "AnyPolicy",
    "AsyncPolicy",
    "Completion",
    "Context",
    "ContextPolicy",
    "InvalidRun",
    "Policy",
    "Progress",
    "RewardFunction",
    "Rollouts",
    "Row",
    "Run",
    "SourceLike",
    "Summary",
    "Trajectory",
    "evaluate",
    "make_policy",
    "rollout",
]
