"""Whether families are what they say: measured on their own items, level by level.

>>> import reasonenv.health
>>> found = reasonenv.health.check("chain_sum", levels=[0, 3], count=50)
>>> [one.level for one in found.levels], found.complaints
([0, 3], [])
"""

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from reasonenv import _checks, _native
from reasonenv._native import Batch, Family
from reasonenv.rollouts import _policies
from reasonenv.testing import _answers

__all__ = [
    "Health",
    "LevelHealth",
    "check",
]

CONSTANT, ECHO, OTHER = "best constant", "echo", "another's answer"
"""Policies that do not look at the problem; the last gives the right answer of some other item."""
LEAST_DISTINCT = 0.95
"""Share of different problems among a level's items, from the level on that a family declares."""
LEAST_RISE = 10.0
"""How many times the work of level 0 the top level takes."""
_DISTINCT = 1000
"""Items that are looked at for repeats, at least: `distinct_from` is declared of so many."""
_ANSWERED = 20
"""Items of a level to which right and wrong answers of many kinds are tried."""
SURE = 4.0
"""Standard errors beyond which a share is no accident any more."""


@dataclass(frozen=True)
class LevelHealth:
    """What was measured of a family's level."""

    level: int
    items: int
    distinct: float
    """Share of different problems among the items, or among 1,000 where these are fewer."""
    blind: dict[str, float]
    """Pass rate of each policy that does not look at the problem."""
    declared: float
    """The most a blind policy passes, as is declared of these items."""
    refused: float
    """Share of wrong answers, in meaning or spelling, that the judge refuses."""
    solved: float
    """Share of the family's own solutions that the judge passes."""
    difficulty: float
    """Mean realised difficulty, 0 to 1, which grows with a reference solver's counted work."""
    work: float
    """Mean counted work of the reference solver, in what the family takes for an item of difficulty 0.5."""
    work_error: float
    """Standard error of that mean."""
    prompt_chars: float
    """Mean length of a prompt in characters."""
    answer_chars: float
    """Mean length of a right answer in characters."""
    steps: float
    """Mean number of steps of a true solution."""
    generation_ms: tuple[float, float]
    """Milliseconds of processor time to make an item: the median and the 99th percentile."""
    verification_us: tuple[float, float]
    """Microseconds of processor time to judge a right answer: the median and the 99th percentile."""
    breaches: list[str] = field(default_factory=list)
    """Contracts that some items break: what was paid, refused or told that must not be."""


@dataclass(frozen=True)
class Health:
    """What was measured of a family, and what does not hold of what it declares."""

    family: Family
    levels: list[LevelHealth]
    complaints: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        rows = [vars(one) for one in self.levels]
        return {"family": self.family.name, "levels": rows, "complaints": self.complaints}


def check(family: str | Family, *, levels: Sequence[int] | None = None, count: int = 1000) -> Health:
    """Measures a family on its training items.

    What is held against it: own solutions are passed, wrong answers refused, and so is what stands near a
    solution where one answer is right; equal prompts are of equal problems and show no answer; no verdict
    takes long (after two that do, the measurement ends); items are distinct from the level on that it
    declares, blind policies pass no more often than `guess_rate` says, and the counted work of its reference
    solver rises from level to level, tenfold in all from the first to the last. What so few items leave in
    doubt is not held against it.

    Args:
        family: A family, or its name.
        levels: Which levels; by default all.
        count: Items of each level, at least 20. With few of them a blind policy's luck is told from a wrong
            declaration only where it is far off.

    Returns:
        A row for each level, and complaints, each a sentence.

    Raises:
        ReasonEnvError: There is no such family or level, or `count` is out of bounds.
    """
    known = _native.family(family) if isinstance(family, str) else family
    count = _checks.whole("count", count, 20, 100_000)
    chosen = list(range(known.top_level + 1) if levels is None else levels)
    measured: list[LevelHealth] = []
    judge, complaints = _answers.TimedVerifier(), []
    for level in chosen:
        try:
            breaches = list(_breaches(known, known.batch(0, 0, count, level=level), judge))
        except _answers.TooSlow:
            complaints = [f"level {level}: {told}" for told in judge.slow]
            break
        measured.append(replace(_measure(known, level, count), breaches=breaches))
    return Health(known, measured, [*complaints, *_complaints(known, measured)])


def _breaches(family: Family, batch: Batch, judge: _answers.TimedVerifier) -> Iterator[str]:
    """An example of each contract about answers and prompts that items break."""
    some = list(batch[:_ANSWERED])
    paid = (told for task in some for told in _answers.payments(family, task, judge, 0))
    found = (
        paid,
        _answers.near_misses(family, some, judge, 0),
        _answers.same_prompts(family, batch),
        _answers.leaks(family, batch),
    )
    for kind in found:
        try:
            yield from itertools.islice(kind, 1)
        except _native.InvalidProblem as error:
            yield str(error)


def _measure(family: Family, level: int, count: int) -> LevelHealth:
    source = family.source(level=level)
    making = _percentiles(range(count), lambda i: source[i], 1e3)
    batch = source.batch(0, count)
    right = _policies.oracle(batch)
    judging = _percentiles(list(zip(batch, right, strict=True)), lambda pair: pair[0].verify(pair[1]), 1e6)
    difficulty = np.asarray(batch.difficulty, np.float64)
    # Difficulty is work / (work + 1) in this unit.
    work = difficulty / (1 - difficulty)
    wrong = [(task, task.wrap(answer)) for task in batch[:100] for answer in task.wrong_answers(seed=0)]
    return LevelHealth(
        level=level,
        items=count,
        distinct=_distinct(batch if count >= _DISTINCT else source.batch(0, _DISTINCT)),
        blind={
            name: float(batch.verify(texts).passed.mean())
            for name, texts in _blind(batch, source.batch(count, count)).items()
        },
        declared=max(task.guess_rate for task in batch),
        refused=1 - float(np.mean([task.verify(text).passed for task, text in wrong])),
        solved=float(batch.verify(right).passed.mean()),
        difficulty=float(difficulty.mean()),
        work=float(work.mean()),
        work_error=float(work.std(ddof=1) / count**0.5),
        prompt_chars=float(np.mean([len(prompt) for prompt in batch.prompts])),
        answer_chars=float(np.mean([len(answer) for answer in batch.answers])),
        steps=float(np.mean([len(task.solution.steps) for task in batch])),
        generation_ms=making,
        verification_us=judging,
    )


def _distinct(batch: Batch) -> float:
    """Share of different problems among items."""
    return len({task.key for task in batch}) / len(batch)


def _blind(batch: Batch, others: Batch) -> dict[str, Sequence[str]]:
    """What policies say that know a level's items but not the one they are asked."""
    other = [task.wrap(answer) for task, answer in zip(batch, others.answers, strict=True)]
    return {
        CONSTANT: _policies.BestConstant()(batch, 0),
        ECHO: _policies.echo(batch),
        OTHER: other,
    }


def _percentiles(given: Sequence[Any], do: Callable[[Any], object], unit: float) -> tuple[float, float]:
    """The median and the 99th percentile of the processor time that one takes, in `unit` a second."""
    times = []
    for one in given:
        start = time.process_time_ns()
        do(one)
        times.append((time.process_time_ns() - start) * 1e-9 * unit)
    middle, late = np.percentile(times, [50, 99])
    return float(middle), float(late)


def _complaints(family: Family, measured: Sequence[LevelHealth]) -> Iterator[str]:
    for one in measured:
        where = f"level {one.level}"
        yield from (f"{where}: {told}" for told in one.breaches)
        if one.solved < 1:
            yield f"{where}: the judge refuses {1 - one.solved:.1%} of the family's own solutions"
        if one.refused < 1:
            yield f"{where}: the judge passes {1 - one.refused:.2%} of wrong answers"
        if one.level >= family.distinct_from and one.distinct < LEAST_DISTINCT:
            yield f"{where}: only {one.distinct:.1%} of its items differ"
        allowed = one.declared
        error = SURE * (allowed * (1 - allowed) / one.items) ** 0.5 + 1 / one.items
        for name, share in one.blind.items():
            if share > allowed + error:
                yield f"{where}: {name} passes {share:.1%}, where `guess_rate` declares {allowed:.1%}"
    for before, after in itertools.pairwise(measured):
        # How far a mean lies from that of all items is not known to better than this.
        doubt = SURE * math.hypot(before.work_error, after.work_error)
        if after.level > before.level and after.work + doubt <= before.work:
            yield (
                f"level {after.level} is no harder than level {before.level}: the reference solver's work is "
                f"{after.work:.3g} there and {before.work:.3g} here"
            )
    if measured and (measured[0].level, measured[-1].level) == (0, family.top_level):
        first, last = measured[0], measured[-1]
        rise = last.work / first.work if first.work else float("inf")
        doubt = SURE * math.hypot(last.work_error, LEAST_RISE * first.work_error)
        if last.work + doubt < LEAST_RISE * first.work:
            yield f"the top level takes only {rise:.1f} times the work of level 0, not {LEAST_RISE:.0f} times"


def markdown(found: Sequence[Health]) -> str:
    """A table of all levels that were measured, as Markdown."""
    columns = [
        "Family",
        "Level",
        "Distinct",
        "Best constant",
        "Another's answer",
        "Wrong refused",
        "Difficulty",
        "Prompt",
        "Answer",
        "Steps",
        "Made in, ms (p99)",
        "Judged in, µs (p99)",
    ]
    rows = [_cells(health.family.name, one) for health in found for one in health.levels]
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _cells(name: str, one: LevelHealth) -> list[str]:
    (middle_ms, late_ms), (middle_us, late_us) = one.generation_ms, one.verification_us
    return [
        f"`{name}`",
        str(one.level),
        f"{one.distinct:.0%}",
        f"{one.blind[CONSTANT]:.1%}",
        f"{one.blind[OTHER]:.1%}",
        f"{one.refused:.0%}",
        f"{one.difficulty:.2f}",
        f"{one.prompt_chars:.0f}",
        f"{one.answer_chars:.0f}",
        f"{one.steps:.0f}",
        f"{middle_ms:.2f} ({late_ms:.2f})",
        f"{middle_us:.1f} ({late_us:.1f})",
    ]
