"""Two runs held against each other, task by task."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from reasonenv import _checks
from reasonenv._intervals import paired_interval
from reasonenv._native import InvalidArgument
from reasonenv.data._traces import is_judged, is_passed, read_traces

ALL = "all"
"""What the row over all sources is called."""


@dataclass(frozen=True)
class Comparison:
    """How two policies fare on the same tasks."""

    source: str
    """A source's name, or "all"."""
    level: int | None
    tasks: int
    """Tasks that both tried."""
    a: float
    """Mean pass rate of the first over these tasks."""
    b: float
    """That of the second."""
    difference: float
    """b − a."""
    interval: tuple[float, float] | None
    """Its 95 % interval, bootstrapped over tasks; None for a single task."""
    better: int
    """Tasks on which the second passes more often."""
    worse: int
    """Tasks on which it passes less often."""

    @property
    def shown(self) -> bool:
        """Whether the interval excludes zero."""
        return self.interval is not None and (self.interval[0] > 0 or self.interval[1] < 0)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def compare(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    policy_a: str | None = None,
    policy_b: str | None = None,
) -> list[Comparison]:
    """Compares two runs over the tasks that both have: a row for all, and one for each source and level.

    Args:
        a: A run's folder, or its traces.
        b: Another one; or the same, for two of its policies.
        policy_a: The policy of `a` that counts, if it has several.
        policy_b: That of `b`.

    Raises:
        InvalidArgument: A run has several policies and none is named, not the one that is named, or the runs
            share no task.
        ReasonEnvError: A trace is damaged; names the file and the line.
    """
    rates = [_rates(run, name, policy) for run, name, policy in ((a, "a", policy_a), (b, "b", policy_b))]
    shared = sorted(rates[0].keys() & rates[1].keys(), key=str)
    if not shared:
        msg = f"{os.fspath(a)} and {os.fspath(b)} share no task; compare runs of the same sources and seed"
        raise InvalidArgument(msg)
    places: dict[tuple[str, int | None], list[tuple[float, float]]] = defaultdict(list)
    for task in shared:
        source, level, _ = task
        places[source, level].append((rates[0][task], rates[1][task]))
    rows = [_row(ALL, None, [pair for pairs in places.values() for pair in pairs])]
    if len(places) > 1:
        rows += [_row(source, level, pairs) for (source, level), pairs in places.items()]
    return rows


def _rates(
    run: str | os.PathLike[str], name: str, policy: str | None
) -> dict[tuple[str, int | None, str], float]:
    """The pass rate of each task of a run under one policy."""
    counts: dict[str, dict[tuple[str, int | None, str], list[int]]] = {}
    for record in _judged(read_traces(_checks.path(name, run))):
        source = str(record.get("source") or record.get("family") or "")
        task = source, record.get("level"), str(record["task_id"])
        tally = counts.setdefault(str(record.get("policy")), {}).setdefault(task, [0, 0])
        tally[0] += is_passed(record)
        tally[1] += 1
    if policy is None and len(counts) == 1:
        policy = next(iter(counts))
    if policy is None:
        msg = f"{os.fspath(run)} has the policies {', '.join(sorted(counts)) or 'none'}; name `policy_{name}`"
        raise InvalidArgument(msg)
    if policy not in counts:
        raise _checks.unknown(f"policy of {os.fspath(run)}", policy, sorted(counts))
    return {task: passed / tried for task, (passed, tried) in counts[policy].items()}


def _judged(records: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    return (record for record in records if is_judged(record))


def _row(source: str, level: int | None, pairs: list[tuple[float, float]]) -> Comparison:
    first, second = ([pair[at] for pair in pairs] for at in (0, 1))
    interval = paired_interval(second, first)[1] if len(pairs) > 1 else None
    means = [sum(rates) / len(rates) for rates in (first, second)]
    return Comparison(
        source=source,
        level=level,
        tasks=len(pairs),
        a=means[0],
        b=means[1],
        difference=means[1] - means[0],
        interval=interval,
        better=sum(one > other for other, one in pairs),
        worse=sum(one < other for other, one in pairs),
    )
