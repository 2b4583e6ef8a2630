"""Hints that a policy asks for during an episode: the next step of a right solution, never the answer."""

import re
from dataclasses import dataclass
from typing import Any

from reasonenv.parts import EpisodeState

_HINT = re.compile(r"\s*hint:", re.IGNORECASE)
_NONE_LEFT = "No more hints."


@dataclass(frozen=True)
class Hints:
    """Hints of an episode, counted in the memory of its state."""

    most: int = 0
    """Requests that are answered; later ones are actions like any other."""
    cost: float = 0.0
    """Taken from the reward for each hint shown."""

    def rule(self) -> str:
        """The rule, as a policy is told it."""
        if not self.most:
            return ""
        price = f" and {self.cost:g} of the reward" if self.cost else ""
        return (
            f"`hint:` asks for the next step of a right solution, at most {self.most} times; a hint costs a "
            f"message{price}."
        )

    def answered(self, state: EpisodeState, action: str) -> EpisodeState | None:
        """The state after a request, or None if the action is not a request that is answered."""
        requests = state.memory.get("hint_requests", 0)
        if requests >= self.most or _HINT.match(action) is None:
            return None
        before = state.memory.get("hints", 0)
        said = [turn.reply if _HINT.match(turn.action) else turn.action for turn in state.history]
        hint = next_hint(state.task, "\n".join(said))
        found = before + (hint is not None)
        return state.add(
            action,
            _NONE_LEFT if hint is None else f"Hint: {hint}",
            text=state.text,
            hint_requests=requests + 1,
            hints=found,
            hint_cost=self.cost,
        )

    def info(self, state: EpisodeState) -> dict[str, Any]:
        """Number of hints shown, if any may be asked for."""
        return {"hints": state.memory.get("hints", 0)} if self.most else {}


NO_HINTS = Hints()


def next_hint(task: Any, known: str) -> str | None:
    """First step of the solution that is not known yet; None if there is none that leaves the answer open.

    The last step is never a hint, since it completes the solution.
    """
    solution = getattr(task, "solution", None)
    steps = getattr(solution, "steps", ())
    said = {_plain(line.removeprefix("Hint: ")) for line in known.splitlines()}
    hint = next((step for step in steps[:-1] if _plain(step) not in said), None)
    return None if hint is None or _gives_answer(task, hint) else hint


def _gives_answer(task: Any, hint: str) -> bool:
    """True if a hint has the answer in it, where the prompt has not, or ends with one that passes."""
    answer = _plain(task.solution.answer)
    if answer in _plain(hint) and answer not in _plain(task.prompt):
        return True
    ends = {hint, *(hint.rpartition(mark)[2] for mark in (":", "=", " ", "->"))}
    return any(task.verify(task.wrap(end.strip(" ."))).passed for end in ends)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
