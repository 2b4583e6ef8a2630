"""What a completion is paid: named parts, each with a weight, in the one place where rewards are defined.

The core measures (what passed, partial credit, what the judge's parts are); a `Reward` weighs. `preset` gives
the ones with a name, and `groups` has what groups of rollouts say: advantages, flags, pass@k.

>>> import reasonenv
>>> batch = reasonenv.family("chain_sum").batch(count=2)
>>> verdicts = batch.verify([batch[0].wrap(batch[0].solution.answer), "no idea"])
>>> reasonenv.rewards.Reward({"correct": 1, "format": 0.2})(verdicts).tolist()
[1.2, 0.0]
"""

from reasonenv.rewards import groups
from reasonenv.rewards._presets import PresetName, RewardLike, list_presets, preset, resolve
from reasonenv.rewards._weighted import Reward
from reasonenv.rewards.groups import advantages

__all__ = [
    "PresetName",
    "Reward",
    "RewardLike",
    "advantages",
    "groups",
    "list_presets",
    "preset",
    "resolve",
]
