"""Measurement of families on their own tasks, level by level, against what they declare.

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
from reasonenv.curriculum import calibrate
from reasonenv.rollouts import SummaryRow, _policies
from reasonenv.testing import _answers

__all__ = [
    "Health",
    "LevelHealth",
    "check",
    "reach",
]

CONSTANT, ECHO, OTHER = "best constant", "echo", "another's answer"
"""Policies that ignore the problem; the last gives the right answer to another task."""
LEAST_DISTINCT = 0.95
"""Smallest share of distinct problems among the tasks of a level, from the family's `distinct_from` on."""
LEAST_PASSED = 0.05
"""Pass rate from which a policy is said to be able to learn at a level."""
LEAST_RISE = 10.0
"""Smallest ratio of the work at the top level to the work at level 0."""
_DISTINCT = 1000
"""Fewest tasks checked for repeats: the number for which `distinct_from` is declared."""
_MOST_SECONDS = 600.0
"""Most seconds of processor time for the verdicts of a family."""
_ANSWERED = 20
"""Tasks per level that are tried with many kinds of right and wrong answers."""
SURE = 4.0
"""Standard errors beyond which a difference is not a coincidence."""


@dataclass(frozen=True)
class LevelHealth:
    """Measurements of one level of a family."""

    level: int
    items: int
    distinct: float
    """Share of distinct problems among the tasks, or among 1,000 if there are fewer."""
    blind: dict[str, float]
    """Pass rate of each policy that ignores the problem."""
    declared: float
    """Highest pass rate of a blind policy that the tasks declare."""
    refused: float
    """Share of wrong answers, in meaning or spelling, that fail."""
    solved: float
    """Share of the family's own solutions that pass."""
    difficulty: float
    """Mean measured difficulty from 0 to 1, which grows with the counted work of a reference solver."""
    work: float
    """Mean counted work of the reference solver; the unit is the work at difficulty 0.5."""
    work_error: float
    """Standard error of the mean work."""
    prompt_chars: float
    """Mean length of a prompt in characters."""
    answer_chars: float
    """Mean length of a right answer in characters."""
    steps: float
    """Mean number of steps of a true solution."""
    generation_ms: tuple[float, float]
    """Milliseconds of processor time to generate a task: the median and the 99th percentile."""
    verification_us: tuple[float, float]
    """Microseconds of processor time to verify a right answer: the median and the 99th percentile."""
    breaches: list[str] = field(default_factory=list)
    """Examples of wrong answers that pass, right ones that fail, and prompts that reveal too much."""


@dataclass(frozen=True)
class Health:
    """Measurements of a family, and complaints about declarations that do not hold."""

    family: Family
    levels: list[LevelHealth]
    complaints: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The measurements as plain data, fit for JSON."""
        rows = [vars(one) for one in self.levels]
        return {"family": self.family.name, "levels": rows, "complaints": self.complaints}


def check(family: str | Family, *, levels: Sequence[int] | None = None, count: int = 1000) -> Health:
    """Measure a family on its training tasks.

    A healthy family meets these conditions: its solutions pass and wrong answers fail, including answers
    close to a unique solution; equal prompts belong to equal problems and do not contain the answer; verdicts
    are fast (after two slow ones, the measurement ends); tasks are distinct from the declared level on; blind
    policies pass no more often than `guess_rate`; and the counted work of its reference solver rises from
    level to level, at least tenfold overall. Deviations within the statistical error are not reported.

    Args:
        family: A family, or its name.
        levels: Levels to measure; by default all.
        count: Tasks per level, at least 20. With few tasks, only large errors in `guess_rate` are detected.

    Returns:
        Measurements of each level, and complaints, one sentence each.

    Raises:
        ReasonEnvError: The family or level does not exist, or `count` is out of bounds.
    """
    known = _native.family(family) if isinstance(family, str) else family
    count = _checks.whole("count", count, 20, 100_000)
    chosen = list(range(known.top_level + 1) if levels is None else levels)
    measured: list[LevelHealth] = []
    judge, complaints = _answers.TimedVerifier(_MOST_SECONDS), []
    for level in chosen:
        try:
            breaches = list(_breaches(known, known.batch(count=count, level=level), judge))
        except _answers.TooSlow:
            complaints = [f"level {level}: {told}" for told in judge.slow]
            break
        measured.append(replace(_measure(known, level, count), breaches=breaches))
    return Health(known, measured, [*complaints, *_complaints(known, measured)])


def _breaches(family: Family, batch: Batch, judge: _answers.TimedVerifier) -> Iterator[str]:
    """One example of each broken contract about answers and prompts."""
    some = list(batch[:_ANSWERED])
    paid = (told for task in some for told in _answers.payments(family, task, judge, 0))
    found = (
        paid,
        _answers.near_misses(family, some, judge, 0),
        _answers.same_prompts(family, batch, judge),
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
    # Difficulty is work / (work + 1) in units of the work at difficulty 0.5.
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
    """Share of distinct problems among tasks."""
    return len({task.key for task in batch}) / len(batch)


def _blind(batch: Batch, others: Batch) -> dict[str, Sequence[str]]:
    """Completions of policies that know the tasks of a level but not the one at hand."""
    other = [task.wrap(answer) for task, answer in zip(batch, others.answers, strict=True)]
    return {
        CONSTANT: _policies.BestConstant()(batch, 0),
        ECHO: _policies.echo(batch),
        OTHER: other,
    }


def _percentiles(given: Sequence[Any], do: Callable[[Any], object], unit: float) -> tuple[float, float]:
    """Median and 99th percentile of the processor time of one call, with `unit` units per second."""
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
        # Uncertainty of the difference between the two means.
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
    """Write a Markdown table of all measured levels."""
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


def reach(rows: Sequence[SummaryRow]) -> str:
    """Write a Markdown table of where policies can learn, from rows of `evaluate`.

    A policy can learn from rewards at a level where groups are mixed: some rollouts of a task pass and some
    fail. With several policies there is a column of difficulties that can be compared across families, which
    `reasonenv.curriculum.calibrate` fits.
    """
    policies = list(dict.fromkeys(row.policy for row in rows))
    scale = calibrate(rows) if len(policies) > 1 else None
    lines = [["Family", "Level", "Policy", "Problems", "Passed", "Mixed groups", "Right form"]]
    for row in rows:
        shares = (f"{share:.0%}" for share in (row.pass_rate, row.mixed_passes, row.format_rate))
        lines.append([f"`{row.source}`", str(row.level), f"`{row.policy}`", str(row.distinct), *shares])
    if scale:
        places = [(row.family, row.level or 0) for row in rows]
        difficulties = (f"{scale.difficulty[place]:+.1f} ± {scale.error[place]:.1f}" for place in places)
        lines = [[*cells, one] for cells, one in zip(lines, ["Difficulty", *difficulties], strict=True)]
    lines.insert(1, ["---"] * len(lines[0]))
    told = [f"| {' | '.join(cells)} |\n" for cells in lines]
    for policy in policies:
        own = [row for row in rows if row.policy == policy]
        able = sum(row.pass_rate >= LEAST_PASSED for row in own)
        mixed = sum(row.mixed_passes > 0 for row in own)
        told.append(f"\n`{policy}` passes {LEAST_PASSED:.0%} or more in {able} of {len(own)} rows")
        told.append(f"; {mixed} have mixed groups.\n")
    return "".join(told)


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
