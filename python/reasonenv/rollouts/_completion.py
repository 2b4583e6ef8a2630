"""What passes between the loop and a policy: what is asked, and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Completion:
    """What a policy answered, where there is more to say of it than its text.

    A policy may give plain text instead. One with an `error` was never answered: it is recorded as such and
    not judged, and the same run asks for it again.
    """

    text: str = ""
    """The answer, to the letter."""
    reasoning: str | None = None
    """Reasoning that an endpoint gave apart from the text."""
    truncated: bool = False
    """Whether the text was cut off before its end."""
    usage: Mapping[str, int] | None = None
    """`prompt_tokens` and `completion_tokens`."""
    seconds: float | None = None
    """How long it took; by default its share of the call's time."""
    error: str | None = None
    """Why there is no answer, where an endpoint failed."""
    action: Any = None
    """What the environment is given instead of the text, where its actions are no texts."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without what is left to its default; an `action` of NumPy's is given as lists."""
        given = {name: getattr(self, name) for name in self.__slots__}
        if self.action is not None:
            given["action"] = plain(self.action)
        return {name: value for name, value in given.items() if name == "text" or value not in (None, False)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Reads what `to_dict` wrote."""
        return cls(**record)


@dataclass(frozen=True)
class Context:
    """What a policy is asked in the middle of an episode, or behind the prefix of a completion.

    A policy for language models needs `messages` and nothing else.
    """

    id: str
    """Names the episode or the task."""
    messages: tuple[Mapping[str, str], ...]
    """The conversation: `role` ("system", "user" or "assistant") and `content` of each message."""
    prompt: str
    """The last observation as text."""
    observation: Any = None
    """The last observation as it is."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """What the environment told beside it."""
    turn: int = 0
    """Turns taken so far."""
    task: Any = None
    """The task that is played, or the row, where there is one. It holds the solution: not for a model."""
    env: Any = None
    """The environment. It too is not for a model."""


def plain(value: Any) -> Any:
    """A value as JSON holds it: NumPy's as numbers and lists, what is no data as its text."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        return [plain(one) for one in value]
    return repr(value)
