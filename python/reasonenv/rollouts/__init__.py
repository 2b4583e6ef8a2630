"""Rollouts: policies answer tasks, verdicts are logged, and a table summarizes the results.

>>> from reasonenv.rollouts import SourceLike, evaluate, rollout
>>> summary = evaluate("chain_sum", ["oracle", "empty"], n=50)
>>> [(row.policy, row.pass_rate) for row in summary]
[('oracle', 1.0), ('empty', 0.0)]
>>> rollout("chain_sum", "noisy:0.5", n=4, group_size=8).rewards.shape
(4, 8)
"""

from reasonenv._intervals import clustered_interval, paired_interval, wilson_interval
from reasonenv._records import InvalidRun, Record
from reasonenv._trees import SearchTree, TreeNode, read_trees
from reasonenv.data._sources import SourceLike
from reasonenv.rollouts._asking import AsyncPolicy
from reasonenv.rollouts._completion import Completion, Context
from reasonenv.rollouts._endpoint import Endpoint
from reasonenv.rollouts._engine import evaluate, rollout
from reasonenv.rollouts._local import LocalModel
from reasonenv.rollouts._policies import Player, Policy, make_policy
from reasonenv.rollouts._result import Rollouts
from reasonenv.rollouts._retries import EndpointError, Retries
from reasonenv.rollouts._run import Run
from reasonenv.rollouts._run_file import RunFile, read_run_file
from reasonenv.rollouts._settings import Progress, Sampling, Saving
from reasonenv.rollouts._shortcuts import Agreement, shortcut_agreement
from reasonenv.rollouts._summary import Summary, SummaryRow
from reasonenv.rollouts._tree import Tree

__all__ = [
    "Agreement",
    "AsyncPolicy",
    "Completion",
    "Context",
    "Endpoint",
    "EndpointError",
    "InvalidRun",
    "LocalModel",
    "Player",
    "Policy",
    "Progress",
    "Record",
    "Retries",
    "Rollouts",
    "Run",
    "RunFile",
    "Sampling",
    "Saving",
    "SearchTree",
    "SourceLike",
    "Summary",
    "SummaryRow",
    "Tree",
    "TreeNode",
    "clustered_interval",
    "evaluate",
    "make_policy",
    "paired_interval",
    "read_run_file",
    "read_trees",
    "rollout",
    "shortcut_agreement",
    "wilson_interval",
]
