"""Hints that a policy asks for during an episode, of the kind that the environment's settings choose."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from reasonenv import _checks
from reasonenv._checklist import checklist_of
from reasonenv._native import Family, Unsupported, family, list_families
from reasonenv.parts import EpisodeState

HintKind = Literal["steps", "abstract", "checklist", "another"]

_HINT = re.compile(r"\s*hint:", re.IGNORECASE)
_NONE_LEFT = "No more hints."
_ASKS: Mapping[HintKind, str] = {
    "steps": "for the next step of a right solution",
    "abstract": "where to look next, and for which technique",
    "checklist": "for the mistakes that answers are checked for",
    "another": "for a right answer",
}


@dataclass(frozen=True)
class Hints:
    """Hints of an episode, counted in the memory of its state."""

    most: int = 0
    """Requests that are answered; later ones are actions like any other."""
    cost: float = 0.0
    """Taken from the reward for each hint shown."""
    kind: HintKind = "steps"

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Hints":
        """Hints by an environment's settings."""
        return cls(settings["hints"], settings["hint_cost"], settings["hint_kind"])

    def check(self, generator: object) -> None:
        """Raise unless the families of a generator, as far as it says which, have hints of this kind.

        Raises:
            Unsupported: A family has none; names it and the kinds that it has.
        """
        _checks.one_of("hint_kind", self.kind, get_args(HintKind))
        families: list[Family[Any]] = getattr(generator, "families", []) if self.most else []
        for one in families:
            kinds = one.hint_kinds
            if self.kind not in kinds:
                has = " or ".join(f'"{kind}"' for kind in kinds)
                msg = f'`hint_kind` is "{self.kind}", but {one.name} has no such hints; it must be {has}'
                raise Unsupported(msg)

    def rule(self, price: str = "message") -> str:
        """The rule, as a policy is told it; a hint takes up one `price`."""
        if not self.most:
            return ""
        paid = f" and {self.cost:g} of the reward" if self.cost else ""
        return f"`hint:` asks {_ASKS[self.kind]}, at most {self.most} times; a hint costs a {price}{paid}."

    def are_asked(self, state: EpisodeState, action: str) -> bool:
        """True if the action is a request that is answered."""
        return state.memory.get("hint_requests", 0) < self.most and _HINT.match(action) is not None

    def answered(
        self, state: EpisodeState, action: str, find: "Callable[[EpisodeState], str | None] | None" = None
    ) -> EpisodeState | None:
        """The state after a request, or None if the action is not a request that is answered.

        `find` finds the next hint; None: by the steps that were said or shown.
        """
        if not self.are_asked(state, action):
            return None
        hint = self.next(state.task, known(state)) if find is None else find(state)
        found = hint is not None
        return state.add(
            action,
            f"Hint: {hint}" if found else _NONE_LEFT,
            text=state.text,
            hint_requests=state.memory.get("hint_requests", 0) + 1,
            hints=state.memory.get("hints", 0) + found,
            hint_cost=self.cost,
        )

    def next(self, task: Any, said: str) -> str | None:
        """The next hint after these lines; None if there is none."""
        return next_hint(task, said, self.kind)

    def info(self, state: EpisodeState) -> dict[str, Any]:
        """Number of hints shown, if any may be asked for."""
        return {"hints": state.memory.get("hints", 0)} if self.most else {}


NO_HINTS = Hints()


def known(state: EpisodeState) -> str:
    """The lines that a policy said, and the replies to its requests."""
    said = [turn.reply if _HINT.match(turn.action) else turn.action for turn in state.history]
    return "\n".join(said)


def next_hint(task: Any, known: str, kind: HintKind = "steps") -> str | None:
    """First hint of a kind that is not known yet; None if there is none that leaves the answer open.

    The last step is never a hint, since it completes the solution. An abstract hint is one for a step that
    is not known either.
    """
    said = {_plain(line.removeprefix("Hint: ")) for line in known.splitlines()}
    if kind == "checklist":
        name = getattr(task, "family", None)
        text = checklist_of(family(name) if name in list_families() else None)
        return None if _plain(text.splitlines()[0]) in said else text
    if kind == "another":
        others = task.solutions(2)[1:] if hasattr(task, "solutions") else []
        return next((other for other in others if _plain(other.splitlines()[0]) not in said), None)
    steps = getattr(getattr(task, "solution", None), "steps", ())
    if kind == "abstract":
        left = (hint for step, hint in zip(steps, _abstract(task), strict=False) if not _said(step, said))
        return next((hint for hint in left if _plain(hint) not in said), None)
    step = next((step for step in steps[:-1] if _plain(step) not in said), None)
    return None if step is None or _gives_answer(task, step) else step


def _abstract(task: Any) -> list[str]:
    hints: list[str] = getattr(task, "hints", [])
    return hints


def _said(step: str, said: set[str]) -> bool:
    """True if a step was said, with its reason or without."""
    return _plain(step) in said or _plain(step.partition(": ")[0]) in said


def _gives_answer(task: Any, hint: str) -> bool:
    """True if a hint has the answer in it, where the prompt has not, or ends with one that passes."""
    answer = _plain(task.solution.answer)
    if answer in _plain(hint) and answer not in _plain(task.prompt):
        return True
    ends = {hint, *(hint.rpartition(mark)[2] for mark in (":", "=", " ", "->"))}
    return any(task.verify(task.wrap(end.strip(" ."))).passed for end in ends)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
