"""Rewards with a name."""

from collections.abc import Collection, Mapping
from typing import Final, Literal, TypeAlias

from reasonenv import _checks
from reasonenv._native import InvalidArgument, family, list_families
from reasonenv.rewards._parts import MEASURED, PARTS
from reasonenv.rewards._weighted import Reward

PresetName = Literal[
    "binary", "partial", "reasonrl-v3", "reasonrl-v4", "reasonrl-v5", "synthetic2", "tictactoe-course"
]
"""The name of a preset."""

RewardLike: TypeAlias = PresetName | Mapping[str, float] | Reward
"""What stands for a reward: a preset's name, a weight for each part, or the reward itself."""

PRESETS: Final[dict[PresetName, Reward]] = {
    "binary": Reward({"correct": 1.0}),
    "partial": Reward({"partial": 1.0}, guard=False),
    # The parts are those that the ReasonRL experiment names; it published no weights, so these are ours.
    "reasonrl-v3": Reward({"correct": 0.5, "line_similarity": 0.4, "clean_tags": 0.1}),
    "reasonrl-v4": Reward(
        {
            "correct": 0.4,
            "line_similarity": 0.1,
            "root_correct": 0.05,
            "clean_tags": 0.1,
            "no_outside_text": 0.05,
            "line_count": 0.05,
            "branch_count": 0.05,
            "exact_lines": 0.1,
            "edge_f1": 0.1,
        }
    ),
    "reasonrl-v5": Reward(
        {
            "correct": 0.4,
            "line_similarity": 0.3,
            "root_correct": 0.1,
            "clean_tags": 0.1,
            "no_outside_text": 0.1,
        }
    ),
    # SYNTHETIC-2's own reward of drawings of trees, to the bit of a 32-bit number.
    "synthetic2": Reward({"compat": 1.0}, guard=False),
    # A game played in text: 1, 0.5 or 0, the share of messages in the right format, and once an invalid move.
    "tictactoe-course": Reward({"outcome": 1.0, "format": 0.2, "invalid": 0.1}, guard=False),
}
"""Each preset by its name."""


def list_presets() -> list[PresetName]:
    """The names of all presets."""
    return list(PRESETS)


def resolve(reward: object, judged: Collection[str] = ()) -> Reward:
    """The reward that is meant by the name of a preset or of a part, by weights, or by a reward itself.

    Args:
        reward: What a caller gave.
        judged: The parts that a judge measures.

    Raises:
        InvalidArgument: It is none of these.
    """
    if isinstance(reward, Reward):
        return reward
    if isinstance(reward, Mapping):
        return Reward(reward)
    if not isinstance(reward, str):
        msg = f"`reward` is {_checks.shown(reward)}, but must be a name, weights of parts, or a Reward"
        raise InvalidArgument(msg)
    found = next((known for name, known in PRESETS.items() if name == reward), None)
    if found is None and reward not in PARTS and reward not in judged:
        raise _checks.unknown("reward", reward, [*PRESETS, *PARTS, *judged])
    return found or Reward({reward: 1.0}, guard=False)


def resolve_judged(reward: object, judged: Collection[str]) -> Reward:
    """`resolve` where nothing is measured but what the judge and the completion say.

    Raises:
        InvalidArgument: The reward has a part that the caller measures.
    """
    found = resolve(reward, judged)
    asked = [name for name in found.weights if name in MEASURED]
    if asked:
        msg = f"`reward` has the part `{asked[0]}`, which is not measured here"
        raise InvalidArgument(msg)
    return found


def every_part() -> set[str]:
    """What the judges of all families measure."""
    return {part for name in list_families() for part in family(name).parts}


def preset(name: PresetName) -> Reward:
    """The reward of a name.

    Raises:
        UnknownName: There is no such preset.
    """
    if name not in PRESETS:
        raise _checks.unknown("reward preset", name, PRESETS)
    return PRESETS[name]
