"""Checks for wrong answers that pass, right ones that fail, and prompts that reveal the answer."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import islice
from time import perf_counter, process_time
from typing import Any

from reasonenv import _checks
from reasonenv._native import Family, InvalidProblem, Rng, Task, Verdict
from reasonenv.kit._asked import AskedFamily
from reasonenv.kit._family import TaskFamily
from reasonenv.kit._register import REGISTERED

SLOWEST = 0.5
"""Most seconds that a verdict may take."""
_MOST_NEARBY = 40
_MOST_CORRUPTIONS = 1000
"""Most changed copies of a problem."""
_FEWEST = 16
"""Fewest changes of a field."""
_LONGEST = 200_000
"""Most characters of a list that was made long."""
_DRAWS = 40
"""Number of right answers drawn from `another`."""
_WORD = re.compile(r"\w+")


class TooSlow(Exception):
    """Time is up, or verdicts are so slow that checking the other contracts would take hours."""


class TimedVerifier:
    """A verifier that notes the texts on which a verdict takes too long, and stops when time is up.

    Args:
        most: Most seconds of processor time for all work.
    """

    def __init__(self, most: float) -> None:
        self.slow: list[str] = []
        self._most, self._stop = most, process_time() + most

    def on_time(self) -> None:
        """Raise TooSlow if time is up."""
        if process_time() > self._stop:
            self.slow.append(
                f"the check stopped after {self._most:g} s of processor time, before all contracts were "
                "checked; make the family faster, ask for fewer `items`, or raise `max_seconds`"
            )
            raise TooSlow

    def __call__(self, task: Task, text: str, reading: Any = None) -> Verdict:
        """Return the verdict on a completion."""
        self.on_time()
        verdict, seconds = self._timed(task, text, reading)
        if seconds > SLOWEST:
            # Measured again, since a busy machine may be at fault.
            verdict, again = self._timed(task, text, reading)
            if (seconds := min(seconds, again)) > SLOWEST:
                self.slow.append(
                    f"the verdict on {_checks.shown(text)} for {task.id} takes {seconds:.1f} s, but may take "
                    f"{SLOWEST} s; bound the work of `verify` and of the form's `read`"
                )
                if len(self.slow) == 2:
                    raise TooSlow
        return verdict

    @staticmethod
    def _timed(task: Task, text: str, reading: Any) -> tuple[Verdict, float]:
        start = perf_counter()
        verdict = task.verify(text, reading)
        return verdict, perf_counter() - start


def own_family(unit: Family) -> AskedFamily | None:
    """Python class behind a family; None for a built-in one."""
    return REGISTERED.get(unit.name)


def has_check(unit: Family) -> bool:
    """True unless a Python class leaves out `check`, so that any problem of the right types gets through."""
    own = own_family(unit)
    return own is None or type(own.family).check is not TaskFamily.check


def same_prompts(unit: Family, tasks: Sequence[Task], judge: TimedVerifier) -> Iterator[str]:
    """Report problems with equal prompts but different keys or different right answers."""
    template = unit.templates[0]
    first: dict[str, Task] = {}
    for task in tasks:
        prompt = _worded(unit, task.problem, template).prompt
        other = first.setdefault(prompt, task)
        if other.key != task.key:
            yield _two_keys(template, other.id, task.id)
        elif not judge(task, task.wrap(answer := other.solution.answer)).passed:
            yield (
                f"{other.id} and {task.id} have the same prompt under `{template}`, but `verify` refuses "
                f"{_checks.shown(answer)}, the solution of the first, for the second; put into the prompt "
                "what tells them apart, or judge by what it says"
            )
    for task in tasks[:2] if has_check(unit) else []:
        for changed in _changes(task, tasks[-1]):
            judge.on_time()
            try:
                unit.certify(changed)
                key = unit.task(changed).key
            except InvalidProblem:
                continue
            if key == task.key:
                continue
            for template in unit.templates:
                if _worded(unit, changed, template).prompt == _worded(unit, task.problem, template).prompt:
                    yield _two_keys(template, task.id, _checks.shown(changed))


def _two_keys(template: str, one: str, other: str) -> str:
    return (
        f"{one} and {other} have the same prompt under `{template}`, but different keys; put into the prompt "
        "what tells them apart, or leave it out of `key`"
    )


def _worded(unit: Family, problem: str, template: str) -> Task:
    return unit.task(problem, style={"template": template, "words": 0})


def _changes(task: Task, other: Task) -> Iterator[str]:
    """The problem changed in one place, or with one field of another's."""
    fields, others = json.loads(task.problem), json.loads(other.problem)
    yield from map(json.dumps, corruptions(fields))
    for name in fields.keys() & others.keys():
        yield json.dumps({**fields, name: others[name]})


def corruptions(value: Any, most: int = _MOST_CORRUPTIONS) -> Iterator[Any]:
    """Yield the value changed in one place, in a few ways; at most `most` of them, from every field."""
    return islice(_corruptions(value, most), most)


def _corruptions(value: Any, most: int) -> Iterator[Any]:
    yield from (None, -1, "x", [], {}, 1.5, True, 2**70)
    if isinstance(value, list):
        long = value[:1] * min(3000, _LONGEST // len(json.dumps(value[:1])))
        yield from (value[:-1], value + value[-1:], long)
        for at, item in enumerate(value[:4]):
            inner = corruptions(item, max(_FEWEST, most // 4))
            yield from ([*value[:at], bad, *value[at + 1 :]] for bad in inner)
    elif isinstance(value, dict):
        yield {**value, "surprise": 1}
        for name in value:
            yield {key: one for key, one in value.items() if key != name}
        for name, item in value.items():
            inner = corruptions(item, max(_FEWEST, most // len(value)))
            yield from ({**value, name: bad} for bad in inner)
    elif isinstance(value, int):
        yield from (value + 1, value - 1, 0, 255, 2**63 - 1, -(2**63))
    elif isinstance(value, str):
        yield from (value + "x", "z" * 70_000, "")


def leaks(unit: Family, tasks: Sequence[Task]) -> Iterator[str]:
    """Report wordings that contain the right answer more often than the answers of other tasks."""
    own, count = own_family(unit), len(tasks)
    if own is not None and own.family.about.answer_in_prompt:
        return
    answers = [" ".join(task.solution.answer.split()) for task in tasks]
    for template in unit.templates:
        worded = [_worded(unit, task.problem, template) for task in tasks]
        prompts = [" ".join(task.prompt.splitlines()[:-1]) for task in worded]
        prompts = [" ".join(prompt.split()) for prompt in prompts]
        right = sum(map(_stands_in, answers, prompts)) / count
        others = (
            sum(_stands_in(answers[at - by], prompts[at]) for at in range(count) for by in (1, 2)) / count / 2
        )
        if right > others + 0.25 + count**-0.5:
            yield (
                f"the answer stands in {right:.0%} of the prompts of `{template}`, and another task's answer "
                f"in {others:.0%}; leave it out, or set `about.answer_in_prompt` where the task is to "
                "find it there"
            )


def _stands_in(answer: str, prompt: str) -> bool:
    """True if an answer appears in a prompt as separate words or numbers."""
    return re.search(rf"(?<![\w.\-]){re.escape(answer)}(?!\w|\.\d)", prompt) is not None


def near_misses(unit: Family, tasks: Sequence[Task], judge: TimedVerifier, seed: int) -> Iterator[str]:
    """Report near misses that pass, that are too few, or that were chosen by asking `verify`."""
    own = own_family(unit)
    asked: list[bool] = []
    with own.verdicts_noted(asked) if own else nullcontext():
        wrong = {task: task.wrong_answers(seed=seed) for task in tasks}
    if asked:
        yield (
            f"`near_misses` asks `verify` {len(asked)} times which answers are wrong, and leaves out the "
            f"{sum(asked)} that it passes; make each wrong by construction, so that it puts `verify` to "
            "the test"
        )
    for task, given in wrong.items():
        if len({*given}) < 3:
            yield (f"{task.id} has {len({*given})} wrong answers; give three at least, each as a model errs")
        for answer in given:
            if judge(task, task.wrap(answer)).passed:
                yield (
                    f"`verify` or the form passes {_checks.shown(answer)} for {task.id}, which `near_misses` "
                    "or the form's `mangled` says is wrong; mend whichever is mistaken"
                )


def payments(unit: Family, task: Task, judge: TimedVerifier, seed: int) -> Iterator[str]:
    """Report right answers that fail, and answers that pass although nothing shows that they are right."""
    own, rng = own_family(unit), Rng(seed, 5)
    solution = task.solution.answer
    unique = unit.certify(task.problem).unique
    drawn = own.drawn(task.problem, _DRAWS, rng) if own else []
    for answer in drawn:
        verdict = judge(task, task.wrap(answer))
        if not verdict.passed:
            yield (
                f"`verify` refuses {_checks.shown(answer)}, which `another` draws as a right answer to "
                f"{task.id}: {verdict.detail}; judge by the rules of the prompt, not by the stored solution"
            )
    refers = own is not None and own.reference(task.problem, solution) is not None
    if own and not unique and not refers and {*drawn} <= {solution}:
        yield (
            f"several answers to {task.id} may be right, and only `solution` says of one that it is; give "
            "`another`, which draws a right answer, or `reference`, an independent verifier; where only one "
            'is right, set `about.judged_by` to "exact"'
        )
    asked = [solution, *drawn, *nearby(solution, task.prompt, rng)]
    if own:
        asked += [answer for _, answer in own.guesses(task.problem, rng)]
        asked += task.wrong_answers(seed=seed) if refers else []
    for answer in asked:
        passed = judge(task, task.wrap(answer)).passed
        if own and refers:
            right = own.reference(task.problem, answer)
            if right is not None and right != passed:
                says = ("passes", "wrong") if passed else ("refuses", "right")
                yield (
                    f"`verify` {says[0]} {_checks.shown(answer)} for {task.id}, which is {says[1]} by "
                    "`reference`; mend whichever is mistaken"
                )
        elif passed and not _same(own, task, answer, [solution, *drawn]):
            if unique:
                yield (
                    f"`verify` passes {_checks.shown(answer)} for {task.id}, although "
                    f"{_checks.shown(solution)} is the only right answer by `certify` or `about.judged_by`"
                )
            elif own:
                yield (
                    f"`verify` passes {_checks.shown(answer)} for {task.id}, which is neither the solution "
                    f"{_checks.shown(solution)} nor drawn by `another`; give `reference`, an independent "
                    "verifier, if it is right, and mend `verify` if it is wrong"
                )


def _same(own: AskedFamily | None, task: Task, answer: str, right: list[str]) -> bool:
    """True if an answer equals one of the right ones up to notation or order."""
    if own is not None:
        return own.rewritten(task.problem, answer) in right
    return any(sorted(_WORD.findall(answer)) == sorted(_WORD.findall(one)) for one in right)


def nearby(answer: str, prompt: str, rng: Rng) -> list[str]:
    """Texts that differ from an answer by one word: changed, omitted, inserted, swapped or repeated."""
    found = list(dict.fromkeys(_nearby(answer, prompt, rng)))
    return [str(text) for text in rng.sample(found, min(_MOST_NEARBY, len(found))) if text != answer]


def _nearby(answer: str, prompt: str, rng: Rng) -> Iterator[str]:
    spans = [match.span() for match in _WORD.finditer(answer)]
    words = [answer[start:end] for start, end in spans]
    known = list(dict.fromkeys([*words, *_WORD.findall(prompt)]))
    for at in sorted(rng.sample(range(len(spans)), min(20, len(spans)))):
        (start, end), word = spans[at], words[at]
        before, after = answer[:start], answer[end:]
        alike = [other for other in known if _kind(other) == _kind(word) and other != word]
        others = [str(other) for other in rng.sample(alike, min(6, len(alike)))]
        for changed in [*_slips(word), *others]:
            yield before + changed + after
        if at + 1 == len(spans):
            continue
        then = spans[at + 1][0]
        gap, following = answer[end:then], words[at + 1]
        yield before + answer[then:]
        yield before + word + gap + following + gap + word + after
        yield before + following + gap + word + answer[spans[at + 1][1] :]
        for other in others:
            yield before + word + gap + other + after


def _kind(word: str) -> str:
    """Shape of a word: runs of digits, of capitals and of other letters."""
    return re.sub(
        r"(.)\1+", r"\1", "".join("0" if c.isdigit() else "A" if c.isupper() else "a" for c in word)
    )


def _slips(word: str) -> list[str]:
    """Variants of a word with one slip each."""
    if word.isdecimal() and word.isascii() and len(word) < 30:
        return [str(int(word) + by) for by in (1, -1, 10) if int(word) + by >= 0]
    places = [at for at, letter in enumerate(word[:8]) if letter.isascii() and letter.isalnum()]
    stepped = [word[:at] + _next(word[at]) + word[at + 1 :] for at in places]
    return stepped + ([word[:-1]] if len(word) > 1 else [])


def _next(letter: str) -> str:
    """The next letter or digit; for the last one, the one before."""
    return chr(ord(letter) + (-1 if letter in "zZ9" else 1))
