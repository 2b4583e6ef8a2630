"""Rewards of completions: sums of named parts, each with a weight.

Verdicts measure (pass or fail, partial credit, the verifier's parts); a `Reward` weighs. `preset` returns the
named rewards, and `groups` has statistics of groups of rollouts: advantages, flat rewards, pass@k.

>>> import reasonenv
>>> batch = reasonenv.family("chain_sum").batch(count=2)
>>> verdicts = batch.verify([batch[0].wrap(batch[0].solution.answer), "no idea"])
>>> reasonenv.rewards.Reward({"correct": 1, "format": 0.2})(verdicts).tolist()
[1.2, 0.0]
"""

from reasonenv.rewards import groups
from reasonenv.rewards._presets import PresetName, RewardLike, list_presets, preset, resolve
from reasonenv.rewards._process import Process, process_rewards
from reasonenv.rewards._weighted import Reward
from reasonenv.rewards.groups import advantages

__all__ = [
    "PresetName",
    "Process",
    "Reward",
    "RewardLike",
    "advantages",
    "groups",
    "list_presets",
    "preset",
    "process_rewards",
    "resolve",
]
