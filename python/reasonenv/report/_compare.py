"""Two runs compared task by task."""

import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from reasonenv import _checks
from reasonenv._intervals import paired_interval
from reasonenv._native import InvalidArgument
from reasonenv.data._traces import is_judged, is_passed, read_traces

ALL = "all"
"""Name of the row over all sources."""


class TaskKey(NamedTuple):
    """A task of a run."""

    source: str
    level: int | None
    task_id: str


Pairs: TypeAlias = Mapping[TaskKey, tuple[float, float]]
"""The pass rates of both policies on each task that both tried."""


@dataclass(frozen=True)
class Comparison:
    """Results of two policies on the same tasks."""

    source: str
    """A source's name, or "all"."""
    level: int | None
    tasks: int
    """Number of tasks that both tried."""
    a: float
    """Mean pass rate of the first policy over these tasks."""
    b: float
    """Mean pass rate of the second policy."""
    difference: float
    """b − a."""
    interval: tuple[float, float] | None
    """Its 95% interval, bootstrapped over tasks; None for a single task."""
    better: int
    """Number of tasks on which the second policy passes more often."""
    worse: int
    """Number of tasks on which it passes less often."""
    policies: tuple[str, str] = ("", "")
    """The two policies."""

    @property
    def shown(self) -> bool:
        """True if the interval excludes zero."""
        return self.interval is not None and (self.interval[0] > 0 or self.interval[1] < 0)

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data."""
        return asdict(self)


def compare(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    policy_a: str | None = None,
    policy_b: str | None = None,
) -> list[Comparison]:
    """Compare two runs over the tasks that both have: a row for all, and one for each source and level.

    If both runs have several policies, each is compared with the one of the same name. If a run is compared
    with itself and has two policies, they are compared with each other.

    Args:
        a: A run's folder, or its records.
        b: Another one; or the same, for two of its policies.
        policy_a: The policy of `a` that counts, if it has several.
        policy_b: The policy of `b`.

    Raises:
        InvalidArgument: The runs have several policies without a common name and none is named, a run does
            not have the named one, or the runs share no task.
        ReasonEnvError: A record is damaged; names the file and the line.
    """
    return [
        row
        for pairs, *policies in _compared_pairs(a, b, policy_a, policy_b)
        for row in compared(pairs, *policies)
    ]


def paired(
    a: str | os.PathLike[str], b: str | os.PathLike[str], policy_a: str | None, policy_b: str | None
) -> tuple[Pairs, str, str]:
    """The tasks that both runs have, and the two policies.

    Raises:
        InvalidArgument: As `compare`, and if several policies can be compared.
    """
    first, *more = _compared_pairs(a, b, policy_a, policy_b)
    if more:
        named = ", ".join(policy for _, policy, _ in (first, *more))
        msg = f"{os.fspath(a)} has the policies {named}; a page compares one: name `policy_a`"
        raise InvalidArgument(msg)
    return first


def _compared_pairs(
    a: str | os.PathLike[str], b: str | os.PathLike[str], policy_a: str | None, policy_b: str | None
) -> list[tuple[Pairs, str, str]]:
    """For each two policies that are compared, the tasks that both tried."""
    same = os.path.realpath(a) == os.path.realpath(b)
    ours = _rates(a, "a", policy_a)
    theirs = ours if same and policy_a is policy_b is None else _rates(b, "b", policy_b)
    named = _matched(list(ours), list(theirs), same=same, given=(policy_a, policy_b))
    if not named:
        one, name, there = (b, "b", theirs) if len(theirs) > 1 else (a, "a", ours)
        of = ", ".join(sorted(there)) or "none"
        msg = f"{os.fspath(one)} has the policies {of}; name `policy_{name}`"
        raise InvalidArgument(msg)
    found: list[tuple[Pairs, str, str]] = []
    for first, second in named:
        shared = sorted(ours[first].keys() & theirs[second].keys(), key=str)
        if not shared:
            msg = (
                f"{os.fspath(a)} and {os.fspath(b)} share no task; compare runs of the same sources and seed"
            )
            raise InvalidArgument(msg)
        found.append(({task: (ours[first][task], theirs[second][task]) for task in shared}, first, second))
    return found


def _matched(
    ours: list[str], theirs: list[str], *, same: bool, given: tuple[str | None, str | None]
) -> list[tuple[str, str]]:
    """Policies that are compared; none if they must be named."""
    if len(ours) == len(theirs) == 1:
        return [(ours[0], theirs[0])]
    if same and given == (None, None):
        return [(ours[0], ours[1])] if len(ours) == 2 else []
    if same:
        # One of them is named: the other is the other one, if there are two.
        left = [
            [one for one in mine if one not in other] or mine
            for mine, other in ((ours, theirs), (theirs, ours))
        ]
        return [(left[0][0], left[1][0])] if len(left[0]) == len(left[1]) == 1 else []
    return [(one, one) for one in ours if one in theirs]


def compared(pairs: Pairs, policy_a: str = "", policy_b: str = "") -> list[Comparison]:
    """A row for all tasks, and one for each source and level."""
    places: dict[tuple[str, int | None], list[tuple[float, float]]] = defaultdict(list)
    for task, pair in pairs.items():
        places[task.source, task.level].append(pair)
    rows = [row(ALL, None, [pair for given in places.values() for pair in given])]
    if len(places) > 1:
        rows += [row(source, level, given) for (source, level), given in places.items()]
    return [replace(one, policies=(policy_a, policy_b)) for one in rows]


def key_of(record: Mapping[str, Any]) -> TaskKey:
    """The task of a record."""
    source = str(record.get("source") or record.get("family") or "")
    return TaskKey(source, record.get("level"), str(record["task_id"]))


def _rates(run: str | os.PathLike[str], name: str, policy: str | None) -> dict[str, dict[TaskKey, float]]:
    """The pass rate of each task of a run under one policy, or under each."""
    counts: dict[str, dict[TaskKey, list[int]]] = {}
    for record in filter(is_judged, read_traces(_checks.path(name, run))):
        tally = counts.setdefault(str(record.get("policy")), {}).setdefault(key_of(record), [0, 0])
        tally[0] += is_passed(record)
        tally[1] += 1
    if policy is not None and policy not in counts:
        raise _checks.unknown(f"policy of {os.fspath(run)}", policy, sorted(counts))
    return {
        one: {task: passed / tried for task, (passed, tried) in tasks.items()}
        for one, tasks in counts.items()
        if policy in (None, one)
    }


def row(source: str, level: int | None, pairs: list[tuple[float, float]]) -> Comparison:
    """The results on some tasks."""
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
