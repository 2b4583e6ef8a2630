"""Contracts of task families."""

import json
from collections import Counter
from itertools import pairwise
from time import monotonic
from typing import TYPE_CHECKING, Any

from reasonenv import _checks
from reasonenv._native import (
    Exhausted,
    Family,
    FamilyError,
    InvalidProblem,
    Task,
    family,
    list_readings,
)
from reasonenv._progress import progress
from reasonenv.kit import Rng
from reasonenv.kit._family import TaskFamily
from reasonenv.kit._register import register_family
from reasonenv.testing import _answers
from reasonenv.testing._findings import Findings
from reasonenv.testing._texts import HOSTILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reasonenv.types import SplitName

_SILENT_SECONDS = 2.0
"""Seconds after which a check reports its progress."""
SPLITS: "tuple[SplitName, ...]" = ("train", "eval", "test")


def check_family(
    unit: str | Family | TaskFamily[Any, Any, Any] | type[TaskFamily[Any, Any, Any]],
    *,
    items: int = 20,
    guesses: int = 200,
    seed: int = 0,
    max_seconds: float = 120,
) -> None:
    """Check a family against all contracts; return silently if it keeps them.

    A class or an instance is registered first and replaces a family of the same name.

    Args:
        unit: A family, its name, or a subclass or instance of `kit.TaskFamily`.
        items: Tasks per level for most contracts.
        guesses: Tasks per level on which blind policies are measured.
        seed: Seed of the tasks.
        max_seconds: Most seconds of processor time.

    Raises:
        BrokenContract: Some contracts are broken; lists all of them, with examples and fixes. When time is
            up, or after two verdicts that take too long, the check stops and reports what it has found.
        InvalidArgument: The class declares an invalid fact; see `register_family`.
    """
    _checks.whole("items", items, 1)
    _checks.whole("guesses", guesses, 1)
    _checks.seed("seed", seed)
    _checks.number("max_seconds", max_seconds, 0)
    if isinstance(unit, Family):
        checked = unit
    elif isinstance(unit, str):
        checked = family(unit)
    else:
        checked = register_family(unit, replace=True)
    findings = Findings(checked.name)
    check = _FamilyCheck(checked, findings, seed, items, max_seconds)
    contracts: dict[str, Callable[[], None]] = {
        "check": check.check,
        "solutions": check.solutions,
        "docs": check.docs,
        "levels": check.levels,
        "same items twice": check.same_twice,
        "prompts": check.prompts,
        "same prompts": check.same_prompts,
        "near misses": check.near_misses,
        "payments": check.payments,
        "faults": check.faults,
        "any text": check.any_text,
        "round trip": check.round_trip,
        "problems from outside": check.hostile_problems,
        "twins": check.twins,
        "splits": check.splits,
        "distinct items": check.distinct,
        "guess rate": lambda: check.guessing(guesses),
    }
    silent_until = monotonic() + _SILENT_SECONDS
    with progress(log=True) as tell:
        for done, (contract, run) in enumerate(contracts.items()):
            if monotonic() > silent_until:
                tell(done, len(contracts), f"{checked.name}: {contract}")
            try:
                findings.run(contract, run)
            except _answers.TooSlow:
                break
    for told in check.judge.slow:
        findings.expect(False, "time", told)
    findings.close()


class _FamilyCheck:
    def __init__(self, unit: Family, findings: Findings, seed: int, items: int, most: float) -> None:
        self.unit, self.findings, self.seed, self.items = unit, findings, seed, items
        self.judge = _answers.TimedVerifier(most)
        self._drawn: dict[int, list[Task]] = {}

    def drawn(self, level: int) -> list[Task]:
        """The first tasks of a level."""
        if level not in self._drawn:
            self._drawn[level] = list(self.unit.batch(seed=self.seed, count=self.items, level=level))
        return self._drawn[level]

    def some(self, per_level: int) -> list[Task]:
        """A few tasks of every level."""
        return [task for level in self.all_levels() for task in self.drawn(level)[:per_level]]

    def all_levels(self) -> "Iterator[int]":
        """Every level, as long as there is time."""
        for level in range(self.unit.top_level + 1):
            self.judge.on_time()
            yield level

    def check(self) -> None:
        """The class has a `check`; without one, corrupted problems are not tried."""
        self.findings.expect(
            _answers.has_check(self.unit),
            "check",
            "the class has no `check`, so any problem of the right types is posed; raise ValueError there, "
            "naming the field, where a value is impossible",
        )

    def docs(self) -> None:
        """Params have docs; registration has already checked the meanings of parts and failures."""
        for name, about in self.unit.params_schema["properties"].items():
            told = about.get("description", "").strip()
            self.findings.expect(
                bool(told), "docs", f"the param `{name}` has no doc; give `kit.param` one, with its unit"
            )
        self.findings.expect(bool(self.unit.summary), "docs", "`about.summary` is empty; say what is asked")

    def levels(self) -> None:
        """The params of each level are valid, no two levels are the same, and the effort grows."""
        seen: dict[str, int] = {}
        hardness: list[float] = []
        for level in self.all_levels():
            params = self.unit.level_params(level)
            own = self.unit.source(level=level, seed=self.seed)
            text = json.dumps(params, sort_keys=True)
            if text in seen:
                told = (
                    f"levels {seen[text]} and {level} have the same params; make each "
                    "harder than the one before"
                )
                self.findings.expect(False, "levels", told)
            seen.setdefault(text, level)
            self.findings.expect(
                own.level in (level, seen[text]),
                "levels",
                f"the params of level {level} are read as {own.level}",
            )
            hardness.append(sum(task.difficulty for task in self.drawn(level)) / self.items)
        first, last = hardness[0], hardness[-1]
        self.findings.expect(
            len(hardness) == 1 or last > first,
            "levels",
            f"the mean difficulty is {first:.2f} at level 0 and {last:.2f} at the top; make "
            "levels harder, or let "
            "`effort` count the work",
        )

    def same_twice(self) -> None:
        """A task depends only on its source and index."""
        for level in self.all_levels():
            tasks = self.drawn(level)
            again = [
                self.unit.sample(seed=self.seed, index=at, level=level) for at in reversed(range(self.items))
            ]
            for task, other in zip(tasks, reversed(again), strict=True):
                self.findings.expect(
                    task.to_json() == other.to_json(),
                    "same items twice",
                    f"{task.id} is another item when it is drawn again; draw through `rng` "
                    "alone, and keep nothing "
                    "from call to call",
                )

    def prompts(self) -> None:
        """Every wording has the answer tag once, reveals nothing, and has no outer white space."""
        for task in self.some(4):
            own = f"<{task.answer_tag}>"
            right = task.wrap(task.solution.answer)
            for template in self.unit.templates:
                prompt = self.unit.task(task.problem, style={"template": template}).prompt
                self.findings.expect(
                    prompt.count(own) == 1,
                    "prompts",
                    f"`{template}` has {prompt.count(own)} tags {own}; leave the tag to the form's sentence",
                )
                self.findings.expect(
                    right not in prompt, "prompts", f"`{template}` gives the answer of {task.id} away"
                )
                self.findings.expect(
                    prompt == prompt.strip(), "prompts", f"`{template}` has white space at an end"
                )

    def same_prompts(self) -> None:
        """Equal prompts belong to equal problems."""
        for level in self.all_levels():
            tasks = list(self.unit.batch(seed=self.seed, count=10 * self.items, level=level))
            for told in _answers.same_prompts(self.unit, tasks, self.judge):
                self.findings.expect(False, "same prompts", told)

    def payments(self) -> None:
        """All right answers pass, even if they differ from the solution, and no others."""
        for task in self.some(self.items):
            for told in _answers.payments(self.unit, task, self.judge, self.seed):
                self.findings.expect(False, "payments", told)

    def solutions(self) -> None:
        """The solution of a task passes under every reading."""
        for task in self.some(self.items):
            answer = task.solution.answer
            for reading in list_readings():
                verdict = self.judge(task, task.wrap(answer), reading)
                self.findings.expect(
                    verdict.passed,
                    "solutions",
                    f"`verify` refuses {_checks.shown(answer)}, the solution of {task.id}: "
                    f"{verdict.detail}; mend "
                    "`solution`, `verify`, or the form",
                )
            try:
                self.unit.certify(task.problem)
            except InvalidProblem as error:
                self.findings.expect(
                    False,
                    "solutions",
                    f"`check` or `certify` refuses {task.id}, which `generate` made: {error}",
                )

    def near_misses(self) -> None:
        """Wrong answers fail: those of `near_misses`, and spellings that the form does not allow."""
        for told in _answers.near_misses(self.unit, self.some(self.items), self.judge, self.seed):
            self.findings.expect(False, "near misses", told)

    def faults(self) -> None:
        """More faults do not raise the mean score."""
        own = _answers.own_family(self.unit)
        if own is None:
            return
        for level in self.all_levels():
            means: list[float] = []
            for faults in (1, 2, 4, None):
                scores = [
                    self.judge(task, task.wrap(wrong)).score
                    for at, task in enumerate(self.drawn(level))
                    for wrong in own.near_misses(task.problem, faults, Rng(self.seed, at))
                ]
                means.append(sum(scores) / max(1, len(scores)))
            rises = any(later > before + 0.05 for before, later in pairwise(means))
            told = ", ".join(f"{mean:.2f}" for mean in means)
            self.findings.expect(
                not rises,
                "faults",
                f"near misses of level {level} with 1, 2, 4 and all faults score {told}; let `near_misses` "
                "plant more faults, or `verify` score them lower",
            )

    def any_text(self) -> None:
        """Any text in the tag gets the same verdict each time, with a short reason."""
        for task in self.some(3):
            solution, problem = task.solution.answer, task.problem
            for text in HOSTILE:
                said = task.wrap(text)
                try:
                    verdict = self.judge(task, said)
                except FamilyError as error:
                    self.findings.expect(
                        False,
                        "any text",
                        f"{error}, on {_checks.shown(text)}; let the form refuse it (raise kit.Malformed) or "
                        "`verify` fail it",
                    )
                    continue
                self.findings.expect(
                    verdict == self.judge(task, said),
                    "any text",
                    f"{_checks.shown(text)} is judged otherwise the second time; let `verify` depend on its "
                    "arguments alone",
                )
                self.findings.expect(
                    len(verdict.detail) < 2_000,
                    "any text",
                    f"the verdict on {_checks.shown(text)} has a `detail` of 2,000 letters or more",
                )
            self.findings.expect(
                (task.solution.answer, task.problem) == (solution, problem),
                "any text",
                f"{task.id} is another problem after it was judged",
            )

    def round_trip(self) -> None:
        """A task stays the same after it is written and read."""
        for task in self.some(4):
            again = Task.from_json(task.to_json())
            self.findings.expect(
                again.to_json() == task.to_json(),
                "round trip",
                f"{task.id} is another task once it was written as JSON and read; problems "
                "must be plain data",
            )

    def hostile_problems(self) -> None:
        """Untrusted problems are either refused, or can be posed and checked."""
        for task in self.some(2) if _answers.has_check(self.unit) else []:
            for corrupted in _answers.corruptions(json.loads(task.problem)):
                self._survives(json.dumps(corrupted))

    def _survives(self, problem: str) -> None:
        self.judge.on_time()
        shown = _checks.shown(problem)
        try:
            try:
                self.unit.certify(problem)
                posed = self.unit.task(problem)
            except InvalidProblem:
                return
            solution = posed.solution.answer
            _ = posed.prompt, posed.difficulty
            for text in ("", "1", "x", "1, 2", solution):
                self.judge(posed, posed.wrap(text))
            self.findings.expect(
                self.judge(posed, posed.wrap(solution)).passed,
                "problems from outside",
                f"{shown} is let through, but its own solution fails; let `check` or `certify` refuse it",
            )
        except FamilyError as error:
            self.findings.expect(
                False,
                "problems from outside",
                f"{error}, for the problem {shown}; let `check` raise ValueError where a "
                "field is out of bounds",
            )

    def twins(self) -> None:
        """A twin of a problem has the same key."""
        own = _answers.own_family(self.unit)
        if own is None:
            return
        for task in self.some(6):
            rng = Rng(self.seed, 1)
            text, key = own.twin(task.problem, rng)
            self.findings.expect(
                key == own.read(task.problem)[1],
                "twins",
                f"`key` of a twin of {task.id} differs; leave out of `key` what `twin` changes",
            )
            posed = self.unit.task(text)
            self.findings.expect(
                self.judge(posed, posed.wrap(posed.solution.answer)).passed,
                "twins",
                f"a twin of {task.id} fails its own solution",
            )

    def splits(self) -> None:
        """No two splits share a problem."""
        for level in self.all_levels():
            seen: dict[str, str] = {}
            for split in SPLITS:
                try:
                    tasks = self.unit.batch(seed=self.seed, count=self.items, level=level, split=split)
                except Exhausted as error:
                    self.findings.expect(
                        False, "splits", f"level {level} has too few problems for the split {split}: {error}"
                    )
                    continue
                for task in tasks:
                    other = seen.setdefault(task.key, split)
                    self.findings.expect(
                        other == split, "splits", f"a problem of level {level} is in {other} and {split}"
                    )

    def distinct(self) -> None:
        """From the declared level on, tasks are distinct."""
        count = 10 * self.items
        for level in self.all_levels():
            if level < _distinct_from(self.unit):
                continue
            keys = {task.key for task in self.unit.batch(seed=self.seed, count=count, level=level)}
            self.findings.expect(
                len(keys) >= 0.9 * count,
                "distinct items",
                f"of {count} items of level {level} {len(keys)} are distinct; draw from more, or raise "
                "`about.distinct_from`",
            )

    def guessing(self, count: int) -> None:
        """Blind policies pass and score no more than declared."""
        for level in self.all_levels():
            tasks = list(self.unit.batch(seed=self.seed, count=count, level=level))
            for told in _answers.leaks(self.unit, tasks):
                self.findings.expect(False, "prompts", f"at level {level}, {told}")
            for policy, guesses in self._policies(tasks).items():
                verdicts = [
                    self.judge(task, task.wrap(answer)) for task, answer in zip(tasks, guesses, strict=True)
                ]
                for name, declared, earned in (
                    ("guess_rate", self.unit.guess_rate, sum(one.passed for one in verdicts) / count),
                    ("guess_score", self.unit.guess_score, sum(one.score for one in verdicts) / count),
                ):
                    # Four standard deviations of a mean over `count` tasks.
                    slack = 4 * (max(declared, 1 / count) / count) ** 0.5
                    self.findings.expect(
                        earned <= declared + slack,
                        "guess rate",
                        f"{policy} earns {earned:.3f} at level {level}, but `about.{name}` is "
                        f"{declared:g}; make "
                        "answers harder to guess, or declare what they earn",
                    )

    def _policies(self, tasks: list[Task]) -> dict[str, list[str]]:
        """Answers of blind policies, by the name of the policy."""
        commonest = Counter(task.solution.answer for task in tasks).most_common(2)
        policies = {
            f"always answering {_checks.shown(answer)}": [answer] * len(tasks) for answer, _ in commonest
        }
        policies["the answer of the item before"] = [
            tasks[at - 1].solution.answer for at in range(len(tasks))
        ]
        own = _answers.own_family(self.unit)
        if own is not None:
            for at, task in enumerate(tasks):
                for name, answer in own.guesses(task.problem, Rng(self.seed, at)):
                    policies.setdefault(f"the guess {name!r}", [""] * len(tasks))[at] = answer
        return policies


def _distinct_from(unit: Family) -> int:
    """Level from which tasks are distinct; the top one for a built-in family, whose own tests check more."""
    own = _answers.own_family(unit)
    return unit.top_level if own is None else own.family.about.distinct_from
