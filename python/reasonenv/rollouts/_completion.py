"""Requests and completions, which the loop and a policy exchange."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Completion:
    """Answer of a policy with more than its text.

    A policy may return plain text instead. A completion with an `error` counts as missing: it is recorded as
    such and not verified, and the same run asks for it again.
    """

    text: str = ""
    """The answer, verbatim."""
    reasoning: str | None = None
    """Reasoning that an endpoint returned separately from the text."""
    truncated: bool = False
    """True if the text was cut off before its end."""
    usage: Mapping[str, int] | None = None
    """`prompt_tokens` and `completion_tokens`."""
    seconds: float | None = None
    """Time that it took; by default its share of the call's time."""
    error: str | None = None
    """Reason for a missing answer, if an endpoint failed."""
    note: str | None = None
    """Remark about the answer for its record, such as why it is empty."""
    action: Any = None
    """Action for the environment instead of the text, if its actions aren't text."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without fields at their default; a NumPy `action` becomes lists."""
        given = {name: getattr(self, name) for name in self.__slots__}
        if self.action is not None:
            given["action"] = plain(self.action)
        return {name: value for name, value in given.items() if name == "text" or value not in (None, False)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read the output of `to_dict`."""
        return cls(**record)


@dataclass(frozen=True)
class Context:
    """Request to a policy in the middle of an episode, or after the prefix of a completion.

    A policy for language models needs only `messages`.
    """

    id: str
    """Id of the episode or the task."""
    messages: tuple[Mapping[str, str], ...]
    """The conversation: `role` ("system", "user" or "assistant") and `content` of each message."""
    prompt: str
    """The last observation as text."""
    observation: Any = None
    """The last observation, as the environment returned it."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """`info` that the environment returned with the observation."""
    turn: int = 0
    """Turns taken so far."""
    task: Any = None
    """The task or row, if there is one. It holds the solution, so don't show it to a model."""
    env: Any = None
    """The environment. Don't show it to a model either."""


def plain(value: Any) -> Any:
    """A value as JSON holds it: NumPy values become numbers and lists, other types their text."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        return [plain(one) for one in value]
    return repr(value)
