"""Hints that a policy asks for during an episode, of the kind that the environment's settings choose."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

from reasonenv import _checks
from reasonenv._checklist import checklist_of
from reasonenv._native import Family, Unsupported, family, list_families
from reasonenv.parts import EpisodeState

HintKind = Literal["steps", "abstract", "checklist", "another"]

_HINT = re.compile(r"\s*hint:", re.IGNORECASE)
_NONE_LEFT = "No more hints."
_NUMBER = re.compile(r"\d+")
_MARKS = " .,;:`'\"()"
_LONGEST_GROUP = 12
"""Words of the longest group that is tried as an answer, besides those about as long as a right one."""
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
            bought=state.memory.get("bought", False) or (found and self.kind == "another"),
        )

    def next(self, task: Any, said: str) -> str | None:
        """The next hint after these lines; None if there is none."""
        return next_hint(task, said, self.kind)

    def info(self, state: EpisodeState) -> dict[str, Any]:
        """Number of hints shown, if any may be asked for."""
        return {"hints": state.memory.get("hints", 0)} if self.most else {}


def price_of_bought(state: EpisodeState, parts: Mapping[str, float]) -> dict[str, float]:
    """Part of a reward that takes back, at the end, all that a policy earned that was shown an answer."""
    earned = sum(parts.values())
    return {"bought": -earned} if state.memory.get("bought") and earned > 0 else {}


NO_HINTS = Hints()


def known(state: EpisodeState) -> str:
    """The lines that a policy said, and the replies to its requests."""
    said = [turn.reply if _HINT.match(turn.action) else turn.action for turn in state.history]
    return "\n".join(said)


def next_hint(task: Any, known: str, kind: HintKind = "steps") -> str | None:
    """First hint of a kind that is not known yet; None if there is none that leaves the answer open.

    The last step is never a hint, since it completes the solution. An abstract hint is one for a step that
    is not known either. "another" is the answer itself, for which `price_of_bought` takes what it earns.
    """
    said = {_plain(line.removeprefix("Hint: ")) for line in known.splitlines()}
    name = getattr(task, "family", None)
    if kind == "checklist":
        text = checklist_of(family(name) if name in list_families() else None)
        return None if _plain(text.splitlines()[0]) in said else text
    if kind == "another":
        others = task.solutions(2)[1:] if hasattr(task, "solutions") else []
        return next((other for other in others if _plain(other.splitlines()[0]) not in said), None)
    steps = getattr(getattr(task, "solution", None), "steps", ())
    if kind == "abstract":
        left = (hint for step, hint in zip(steps, _abstract(task), strict=False) if not _said(step, said))
        hint = next((hint for hint in left if _plain(hint) not in said), None)
    elif _sells_steps(name):
        hint = next((step for step in steps[:-1] if _plain(step) not in said), None)
    else:
        hint = None
    return None if hint is None or _decides(task, hint, _shown(known)) else hint


@cache
def _sells_steps(name: str | None) -> bool:
    """True unless the steps of a family's solutions spell out its answers, as verdicts on other steps do."""
    return name not in list_families() or "steps" in family(name).hint_kinds


def _abstract(task: Any) -> list[str]:
    hints: list[str] = getattr(task, "hints", [])
    return hints


def _said(step: str, said: set[str]) -> bool:
    """True if a step was said, with its reason or without."""
    return _plain(step) in said or _plain(step.partition(": ")[0]) in said


def _shown(known: str) -> list[str]:
    """The hints among the lines known so far."""
    return [line.removeprefix("Hint: ") for line in known.splitlines() if line.startswith("Hint: ")]


def _decides(task: Any, hint: str, before: list[str]) -> bool:
    """True if some number or group of words of the hints so far, with this one, passes as the answer."""
    return any(task.verify(task.wrap(group)).passed for group in _groups(task.solution.answer, hint, before))


def _groups(answer: str, hint: str, before: list[str]) -> set[str]:
    """Texts that a reader of hints would try: numbers, groups of words, numbers in the answer's places.

    Groups that end before the last hint were tried when their own was asked for.
    """
    words = " ".join([*before, hint]).split()
    first, size = len(words) - len(hint.split()), len(answer.split())
    ends = range(first + 1, len(words) + 1)
    sizes = {*range(1, min(size + 1, _LONGEST_GROUP) + 1), *range(max(1, size - 1), size + 3)}
    groups = {hint, *(" ".join(words[max(0, end - n) : end]) for end in ends for n in sizes)}
    groups |= {group.strip(_MARKS) for group in groups}
    groups |= {part.strip(_MARKS) for mark in (":", "=", "->") for part in hint.split(mark)}
    numbers, places = _NUMBER.findall(" ".join(words)), len(_NUMBER.findall(answer))
    if places:
        new = len(_NUMBER.findall(hint))
        for end in range(max(places, len(numbers) - new + 1), len(numbers) + 1):
            groups.add(_renumbered(answer, numbers[end - places : end]))
    return (groups | {*_NUMBER.findall(hint)}) - {""}


def _renumbered(answer: str, numbers: list[str]) -> str:
    """The answer with other numbers, as many as it has."""
    texts = _NUMBER.split(answer)
    return "".join(text + number for text, number in zip(texts, [*numbers, ""], strict=True))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
