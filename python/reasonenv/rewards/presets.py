"""Rewards with a name."""

from collections.abc import Collection, Mapping
from typing import Final

from reasonenv import _checks
from reasonenv._native import InvalidArgument
from reasonenv.rewards.parts import PARTS
from reasonenv.rewards.weighted import Reward

__all__ = ["PRESETS", "list_presets", "preset", "resolve"]

PRESETS: Final[dict[str, Reward]] = {
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


def list_presets() -> list[str]:
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
    if reward in PRESETS:
        return PRESETS[reward]
    if reward not in PARTS and reward not in judged:
        raise _checks.unknown("reward", reward, [*PRESETS, *PARTS, *judged])
    return Reward({reward: 1.0}, guard=False)


def preset(name: str) -> Reward:
    """The reward of a name.

    Raises:
        UnknownName: There is no such preset.
    """
    if name not in PRESETS:
        raise _checks.unknown("reward preset", name, PRESETS)
    return PRESETS[name]
