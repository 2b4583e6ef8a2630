"""Hints that are asked for in an episode of moves, and what they cost."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from reasonenv import _checks
from reasonenv._native import Play, Task
from reasonenv.envs._hints import Hints, next_hint
from reasonenv.envs._start import next_move
from reasonenv.envs._state import checked_text


@dataclass(frozen=True)
class Asked:
    """Hints asked for in an episode; an immutable value."""

    requests: int = 0
    texts: tuple[str, ...] = ()
    """Hints shown."""
    cost: float = 0.0
    """Cost of them in `info["cost"]`."""
    moves: tuple[int, ...] = ()
    """Moves made so far."""
    played: float = 0.0
    """Cost of the moves."""
    ended: bool = False
    """True if the costs of hints ended the episode."""

    def shown(self, hint: str | None, cost: float) -> Self:
        """The value after a request."""
        texts = self.texts if hint is None else (*self.texts, hint)
        return replace(self, requests=self.requests + 1, texts=texts, cost=self.cost + cost)

    def to_dict(self) -> dict[str, Any]:
        """The value as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any], hints: Hints) -> Self:
        """Read the output of `to_dict`; raises ValueError or TypeError unless it is one of such hints."""
        read = cls(**fields | {"texts": tuple(fields["texts"]), "moves": tuple(fields["moves"])})
        _checks.whole("requests", read.requests, 0, hints.most)
        for text in read.texts:
            checked_text("texts", text)
        for move in read.moves:
            _checks.whole("moves", move, 0)
        for name in ("cost", "played"):
            _checks.number(name, getattr(read, name), 0)
        return read


def find_hint(hints: Hints, task: Task, play: Play, asked: Asked) -> tuple[str | None, int | None]:
    """The next hint and, if it is a move, its action."""
    if hints.kind != "steps":
        said = [*map(play.action_name, asked.moves), *asked.texts]
        return next_hint(task, "\n".join(said), hints.kind), None
    action = next_move(task, play, asked.moves)
    if action is None:
        return None, None
    play.apply(action)
    # The last move would complete the answer.
    return (None, None) if play.is_over else (play.action_name(action), action)
