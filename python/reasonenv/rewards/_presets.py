"""Named rewards."""

from collections.abc import Collection, Mapping
from typing import Final, Literal, TypeAlias

from reasonenv import _checks
from reasonenv._native import InvalidArgument, family, list_families
from reasonenv.rewards._parts import MEASURED, PARTS
from reasonenv.rewards._weighted import Reward

PresetName = Literal[
    "binary",
    "partial",
    "reasonrl-v3",
    "reasonrl-v4",
    "reasonrl-v5",
    "search-two-stage",
    "synthetic2",
    "tictactoe-course",
]
"""Name of a preset."""

RewardLike: TypeAlias = PresetName | Mapping[str, float] | Reward
"""A reward: the name of a preset, a weight for each part, or a `Reward`."""

PRESETS: Final[dict[PresetName, Reward]] = {
    "binary": Reward({"correct": 1.0}),
    "partial": Reward({"partial": 1.0}, guard=False),
    # The ReasonRL experiment names these parts but published no weights; the weights are ours.
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
    # While no answer is right, calls of the search tool in the right form are paid; once all rollouts of a
    # group make them, only the answer tells its rewards apart.
    "search-two-stage": Reward({"correct": 1.0, "search": 0.2}),
    # SYNTHETIC-2's reward for drawings of trees, equal to the last bit of a 32-bit float.
    "synthetic2": Reward({"compat": 1.0}, guard=False),
    # A game played in text: 1, 0.5 or 0, the share of messages in the right format, and once an invalid move.
    "tictactoe-course": Reward({"outcome": 1.0, "format": 0.2, "invalid": 0.1}, guard=False),
}
"""The presets by name."""


def list_presets() -> list[PresetName]:
    """Return the names of all presets."""
    return list(PRESETS)


def resolve(reward: object, judged: Collection[str] = ()) -> Reward:
    """Make a `Reward` from the name of a preset or part, from weights, or from a reward.

    Args:
        reward: The caller's argument.
        judged: Names of parts that a verifier measures.

    Raises:
        InvalidArgument: The argument is none of these.
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
    """Like `resolve`, for callers that have only verdicts and completions.

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
    """Names of the parts that the verifiers of all families measure."""
    return {part for name in list_families() for part in family(name).parts}


def preset(name: PresetName) -> Reward:
    """Return the preset of the given name.

    Raises:
        UnknownName: No preset has this name.
    """
    if name not in PRESETS:
        raise _checks.unknown("reward preset", name, PRESETS)
    return PRESETS[name]
