"""Problems that a policy proposes: read, proved, and refused if they teach nothing."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from reasonenv import _checks
from reasonenv._native import (
    Family,
    InvalidArgument,
    InvalidProblem,
    InvalidTask,
    ReasonEnvError,
    Task,
    family,
    verify_all,
)
from reasonenv.rollouts import rollout

LONGEST = 2**20
"""Longest text that is read, in characters."""

PROPOSAL_FAILURES: Mapping[str, str] = MappingProxyType(
    {
        "no_problem": "the text holds no JSON object, or several different ones",
        "invalid_problem": "the object is not a problem of the family, or a claim of it cannot be proved",
        "held_out": "the problem belongs to the eval or test split",
        "duplicate": "the same problem, up to symmetry, was proposed before or is an example",
        "guessable": "an answer of another problem, or one of the family's commonest, passes",
    }
)
"""Why a proposal earns nothing, by label."""

_TAGGED = re.compile(r"<problem>(.*?)</problem>", re.DOTALL)

_OTHERS = 24
"""Other problems whose answers are tried blindly."""


@dataclass(frozen=True)
class Proposal:
    """A proposed problem: a task to solve, or the reason why there is none."""

    task: Task | None
    failure: str = ""
    """Label of `PROPOSAL_FAILURES`, or "" if there is a task."""
    detail: str = ""


class Examiner:
    """Reads proposals of a family and refuses those that nothing can be learned from.

    Args:
        of: The family.
    """

    def __init__(self, of: Family[Any]) -> None:
        self.family = of
        self.seen: set[str] = set()
        """Keys of the problems accepted so far."""
        others = [of.sample(seed=7, index=at, level=at % (of.top_level + 1)) for at in range(_OTHERS)]
        self._blind = list(dict.fromkeys(task.solution.answer for task in others))

    def read(self, text: object, examples: Sequence[Task] = ()) -> Proposal:
        """Judge a proposal, and remember its problem if it is accepted."""
        found = _object(text)
        if found is None:
            return _refused("no_problem", 'write one JSON object between "<problem>" and "</problem>"')
        try:
            posed = self.family.task(found, certified=True)
        except InvalidProblem as error:
            return _refused("invalid_problem", str(error))
        if posed.key in self.seen or any(posed.key == one.key for one in examples):
            return _refused("duplicate", "propose a problem that differs in more than names or order")
        try:
            task = Task.from_json(json.dumps(posed.to_dict() | {"split": "train"}))
        except InvalidTask:
            return _refused("held_out", "propose another problem")
        texts = [task.wrap(answer) for answer in self._blind]
        size = len(texts)
        if size and verify_all([task.family] * size, [task.problem] * size, texts).passed.any():
            return _refused("guessable", "an answer of another problem passes")
        self.seen.add(task.key)
        return Proposal(task)


def _refused(label: str, detail: str) -> Proposal:
    return Proposal(None, label, detail)


def _object(text: object) -> str | None:
    """Return the one JSON object of a text: in tags, or the whole text."""
    if not isinstance(text, str) or len(text) > LONGEST:
        return None
    found = {one.strip() for one in _TAGGED.findall(text)} or {text.strip()}
    only = next(iter(found))
    return only if len(found) == 1 and only.startswith("{") else None


def as_band(name: str, given: object) -> tuple[float, float]:
    """Check a band of pass rates: two numbers from 0 to 1, the lower one first."""
    if not isinstance(given, Sequence) or len(given) != 2:
        msg = f"`{name}` is {_checks.shown(given)}, but must be two pass rates, such as (0.1, 0.9)"
        raise InvalidArgument(msg)
    low = _checks.number(name, given[0], 0, 1)
    high = _checks.number(name, given[1], 0, 1)
    if low >= high:
        msg = f"`{name}` is ({low}, {high}), but the first pass rate must be the lower one"
        raise InvalidArgument(msg)
    return low, high


def nearness(rate: float, band: tuple[float, float]) -> float:
    """Reward of a pass rate: 1 in the middle of the band, falling evenly to 0 at its ends and beyond."""
    low, high = band
    return max(0.0, 1 - abs(rate - (low + high) / 2) / ((high - low) / 2))


def pass_rate(solver: Any, task: Task, attempts: int, seed: int) -> float:
    """Share of a solver's attempts at a task that pass; unanswered requests do not count.

    Raises:
        ReasonEnvError: The solver answered no request.
    """
    records = rollout([task], solver, n=1, group_size=attempts, seed=seed)
    passed: list[bool] = [one.verdict["passed"] for one in records if one.verdict is not None]
    if not passed:
        raise ReasonEnvError(f"the solver answered none of {attempts} requests for {task.id}")
    return sum(passed) / len(passed)


def known_family(given: object) -> Family[Any]:
    """The family of that name, or the family itself."""
    return given if isinstance(given, Family) else family(_checks.text("family", given))
