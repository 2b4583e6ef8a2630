"""Warm-up data: worked solutions to imitate before reinforcement learning, and prompts with examples."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reasonenv import _checks
from reasonenv._native import Family, InvalidArgument, Source, Task
from reasonenv.data._sources import as_family
from reasonenv.data._split import place_of, share_at
from reasonenv.types import SplitName

_SHARES = {"example": 0.1, "row": 0.9}
"""Shares of a split's problems that are for examples in prompts, and for rows. A key decides."""

_TRIES = 20
"""Tasks drawn, at most, for each one that is wanted."""

_LARGEST_SHOTS = 32


def worked(task: Task) -> str:
    """A task's own solution with its working, as a teacher would write it; it passes.

    If the family allows only the answer, the working is left out.
    """
    solution = task.solution
    text = "\n".join([*solution.steps, task.wrap(solution.answer)])
    return text if task.verify(text).passed else task.wrap(solution.answer)


def few_shot(
    family: str | Family,
    shots: int = 2,
    *,
    level: int = 0,
    params: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> str:
    """A wrapper with worked examples before the prompt, for `style={"wrapper": …}`.

    The examples are of the split "train", so no task to evaluate on is among them. `warmup_records` leaves
    out their problems too.

    Args:
        family: A family or its name.
        shots: Number of examples: 1 to 32.
        level: Level of the examples.
        params: Overrides the level's params.
        seed: Determines the examples.

    Raises:
        ReasonEnvError: An argument is invalid; names it. Or the family has too few problems.
    """
    shots = _checks.whole("shots", shots, 1, _LARGEST_SHOTS)
    source = as_family(family, "family").source(level=level, params=_plain(params), seed=seed)
    examples = list(_distinct(source, shots, "example"))
    if len(examples) < shots:
        has = f"level {level} of {source.family.name} has {len(examples)}"
        msg = f"`shots` is {shots}, but {has}; ask for fewer"
        raise InvalidArgument(msg)
    shown = "\n\n".join(f"Task: {task.prompt}\n\nAnswer: {worked(task)}" for task in examples)
    return f"{shown}\n\nTask: {{prompt}}\n\nAnswer:"


def warmup_records(
    families: str | Family | Iterable[str | Family],
    n: int = 320,
    *,
    levels: Iterable[int] = (0,),
    shots: int = 0,
    params: Mapping[str, Any] | None = None,
    style: Mapping[str, Any] | None = None,
    split: SplitName = "train",
    seed: int = 0,
) -> Iterator[dict[str, Any]]:
    """Records of tasks for a warm-up; `reasonenv.data.export` writes them in the shape "solutions".

    Args:
        families: Families by name or themselves, one or several.
        n: Distinct problems of each family and level; fewer if there aren't as many.
        levels: Levels that each family has.
        shots: Worked examples in each prompt, as `few_shot` makes them.
        params: Overrides the levels' params.
        style: Wording, as `Family.source` takes it; with `shots` it has no wrapper of its own.
        split: Split of the tasks.
        seed: Determines the tasks.

    Raises:
        ReasonEnvError: An argument is invalid; names it.
    """
    n = _checks.whole("n", n, 1, _checks.LARGEST_COUNT)
    shots = _checks.whole("shots", shots, 0, _LARGEST_SHOTS)
    words = _plain(style) or {}
    if shots and "wrapper" in words:
        msg = "`style` has a wrapper, but `shots` puts the examples into one; give one of them"
        raise InvalidArgument(msg)
    given = [families] if isinstance(families, str | Family) else families
    for unit in [as_family(one, "families") for one in given]:
        for level in levels:
            own = {"wrapper": few_shot(unit, shots, level=level, params=params, seed=seed)} if shots else {}
            source = unit.source(
                level=level, params=_plain(params), split=split, seed=seed, style={**words, **own} or None
            )
            for task in _distinct(source, n, "row"):
                yield json.loads(task.to_json())


def _plain(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if given is None else dict(given)


def _distinct(source: Source, n: int, part: str) -> Iterator[Task]:
    """The first n tasks of a part of a source with a problem of their own each."""
    seen: set[str] = set()
    for start in range(0, _TRIES * n, n):
        for task in source.batch(start, n):
            if task.key not in seen and share_at(_SHARES, place_of("shots", 0, task.key)) == part:
                seen.add(task.key)
                yield task
                if len(seen) == n:
                    return
