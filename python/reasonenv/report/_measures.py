"""What a report tells, counted from traces as they stream by: a million need no more than their groups."""

import hashlib
import heapq
import math
from abc import ABC, abstractmethod
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reasonenv._intervals import clustered_interval
from reasonenv._native import Family, ReasonEnvError, Source, family, list_families
from reasonenv.data._traces import completion_of, is_judged, is_passed
from reasonenv.report._played import EpisodeCounts, exact_rows, is_played
from reasonenv.rewards.groups import pass_at_k
from reasonenv.rollouts._policies import BestConstant

Counts: TypeAlias = NDArray[np.int64]

BINS = 20
"""Bars of a histogram of rewards."""

_SAMPLES = 40
"""Traces shown of each policy: half of them passed, half failed, where there are so many."""

_PROBED = 10_000
"""The most items of a source that blind policies are measured on: all of them, but in the longest runs."""


class ResultKey(NamedTuple):
    """What a row of results is about."""

    source: str
    level: int | None
    policy: str


class _Counted(ABC):
    """A pass rate over groups of rollouts."""

    @abstractmethod
    def counts(self) -> tuple[Counts, Counts]:
        """Rollouts that passed, and all, of each group."""

    @abstractmethod
    def keys(self) -> Counts:
        """What tells the problem of each group from others."""

    @property
    def passed(self) -> int:
        """Rollouts that passed."""
        return int(self.counts()[0].sum())

    @property
    def tried(self) -> int:
        """All rollouts."""
        return int(self.counts()[1].sum())

    @property
    def rate(self) -> float:
        """The pass rate."""
        return self.passed / max(1, self.tried)

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval; rollouts of one problem are alike, so problems are what counts."""
        _, problem = np.unique(self.keys(), return_inverse=True)
        passed, tried = (np.bincount(problem, column).astype(np.int64) for column in self.counts())
        return clustered_interval(passed.tolist(), tried.tolist())

    @property
    def pass_at(self) -> dict[int, float]:
        """Unbiased pass@k for k = 1, 2, 4 … up to the smallest group."""
        passed, tried = self.counts()
        size = int(tried.min(initial=tried.max(initial=0)))
        ks = [1 << at for at in range(size.bit_length()) if 1 << at <= size]
        ks += [size] if size and ks[-1] != size else []
        # A million groups are a few kinds of groups.
        kinds, times = np.unique(np.stack([tried, passed]), axis=1, return_counts=True)
        rows = list(zip(*kinds.tolist(), times.tolist(), strict=True))
        return {k: sum(pass_at_k(n, c, k) * count for n, c, count in rows) / len(tried) for k in ks}

    @property
    def bands(self) -> tuple[float, float, float]:
        """Shares of the groups that failed throughout, were mixed, and passed throughout."""
        passed, tried = self.counts()
        count = max(1, len(tried))
        failed, right = int((passed == 0).sum()), int((passed == tried).sum())
        return failed / count, (len(tried) - failed - right) / count, right / count

    def __len__(self) -> int:
        return len(self.counts()[1])


class Rate(_Counted):
    """A pass rate, counted rollout by rollout. A group takes a few dozen bytes."""

    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        self._passed, self._tried = array("I"), array("I")
        self._keys = array("q")

    def add(self, group: str, passed: bool, problem: str | None = None) -> int | None:
        """Counts a rollout; gives the place of its group if this was the first one of it."""
        key, new = hash(group), len(self._tried)
        place = self._places.setdefault(key, new)
        if place == new:
            self._passed.append(0)
            self._tried.append(0)
            self._keys.append(hash(problem or group))
        self._passed[place] += passed
        self._tried[place] += 1
        return new if place == new else None

    @property
    def groups(self) -> Collection[int]:
        """What tells the groups apart."""
        return self._places.keys()

    def counts(self) -> tuple[Counts, Counts]:
        """Rollouts that passed, and all, of each group."""
        return np.array(self._passed, np.int64), np.array(self._tried, np.int64)

    def keys(self) -> Counts:
        """What tells the problem of each group from others."""
        return np.array(self._keys, np.int64)


class Part(_Counted):
    """The pass rate of some groups of other rates: those that have something in common."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[Rate, array[int]]] = {}

    def add(self, rate: Rate, place: int) -> None:
        """Takes a group of a rate in."""
        self._of.setdefault(id(rate), (rate, array("I")))[1].append(place)

    def counts(self) -> tuple[Counts, Counts]:
        """Rollouts that passed, and all, of each group."""
        found = [(rate.counts(), np.array(places, np.int64)) for rate, places in self._of.values()]
        passed, tried = ([columns[at][places] for columns, places in found] for at in (0, 1))
        none = [np.zeros(0, np.int64)]
        return np.concatenate(passed or none), np.concatenate(tried or none)

    def keys(self) -> Counts:
        """What tells the problem of each group from others."""
        found = [rate.keys()[np.array(places, np.int64)] for rate, places in self._of.values()]
        return np.concatenate(found or [np.zeros(0, np.int64)])


@dataclass
class Cell:
    """What one policy came to on one source at one level."""

    rate: Rate = field(default_factory=Rate)
    score: float = 0.0
    reward: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    failed_score: float = 0.0
    failed_parts: Counter[str] = field(default_factory=Counter)

    def add(self, group: str, record: Mapping[str, Any]) -> int | None:
        """Counts a rollout; gives the place of its group if this was the first one of it."""
        verdict, passed = record["verdict"], is_passed(record)
        place = self.rate.add(group, passed, record.get("key"))
        self.score += verdict.get("score") or 0.0
        self.reward += record["reward"] or 0.0
        if not passed:
            self.failed += 1
            self.failed_score += verdict.get("score") or 0.0
            self.failures.update(verdict.get("failures") or ())
            for name, value in (verdict.get("parts") or {}).items():
                self.failed_parts[name] += value
        return place

    @property
    def mean_score(self) -> float:
        """Mean score of all rollouts."""
        return self.score / max(1, self.rate.tried)

    @property
    def mean_reward(self) -> float:
        """Mean reward of all rollouts."""
        return self.reward / max(1, self.rate.tried)


@dataclass
class Measures:
    """What the traces of a run came to.

    Args:
        config: The run's `config.json`, or nothing.
    """

    config: Mapping[str, Any] = field(default_factory=dict)
    cells: dict[ResultKey, Cell] = field(default_factory=lambda: defaultdict(Cell))
    knobs: dict[tuple[str, str, str, str], Part] = field(default_factory=lambda: defaultdict(Part))
    """Pass rates by policy, family, knob and value: a param that varies, the wording, the difficulty."""
    held_out: set[tuple[str, str]] = field(default_factory=set)
    """Wordings that no training task has, by family."""
    rewards: dict[str, "array[float]"] = field(default_factory=lambda: defaultdict(lambda: array("d")))
    parts: dict[str, dict[str, dict[int, list[float]]]] = field(default_factory=dict)
    """Sum and number of each weighted part of the reward, by policy, part and version of the policy."""
    played: dict[tuple[str, str], EpisodeCounts] = field(default_factory=lambda: defaultdict(EpisodeCounts))
    """Episodes of games, by source and policy."""
    starts: set[int] = field(default_factory=set)
    """What tells the starts of games apart."""
    traces: int = 0
    unjudged: int = 0
    """Rollouts without a verdict: an endpoint failed, or an episode was cut off."""
    _samples: dict[tuple[str, bool], list[tuple[int, int, dict[str, Any]]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def __post_init__(self) -> None:
        given = self.config.get("sources")
        known = [one for one in given if isinstance(one, Mapping)] if isinstance(given, Sequence) else []
        self._sources = {(one.get("name"), one.get("level")): one for one in known}
        values: dict[tuple[str, str], set[str]] = defaultdict(set)
        for one in known:
            for name, value in (one.get("params") or {}).items():
                values[str(one.get("family")), name].add(str(value))
        self._varied = {knob for knob, seen in values.items() if len(seen) > 1}
        self._wording = lru_cache(maxsize=50_000)(self._look_up)

    def read(self, traces: Iterable[Mapping[str, Any]]) -> "Measures":
        """Counts traces; gives itself."""
        for record in traces:
            self.traces += 1
            if is_played(record):
                self._play(record)
            elif is_judged(record):
                self._count(record)
            else:
                self.unjudged += 1
        return self

    def _count(self, record: Mapping[str, Any]) -> None:
        policy, task_id = str(record.get("policy")), record["task_id"]
        source = str(record.get("source") or record.get("family") or task_id.partition("/")[0])
        kind = str(record.get("family") or source)
        group = str(record.get("group_id") or task_id)
        level, passed = record.get("level"), is_passed(record)
        cell = self.cells[ResultKey(source, level, policy)]
        place = cell.add(group, record)
        if record["reward"] is not None:
            self.rewards[policy].append(float(record["reward"]))
        if place is not None:
            for name, value in self._knobs_of(record, source, kind):
                self.knobs[policy, kind, name, value].add(cell.rate, place)
        version = _number(record.get("policy_version"))
        if version is not None:
            for name, value in (record.get("reward_parts") or {}).items():
                steps = self.parts.setdefault(policy, {}).setdefault(name, {})
                total = steps.setdefault(version, [0.0, 0])
                total[0] += value
                total[1] += 1
        self._sample(record, policy, passed)

    def _knobs_of(self, record: Mapping[str, Any], source: str, kind: str) -> Iterator[tuple[str, str]]:
        """What may have made a task hard: each knob with its value."""
        level = record.get("level")
        if isinstance(record.get("difficulty"), int | float):
            fifth = min(4, int(record["difficulty"] * 5))
            yield "difficulty", f"{fifth / 5:.1f}–{(fifth + 1) / 5:.1f}"
        for name, value in ((self._sources.get((source, level)) or {}).get("params") or {}).items():
            if (kind, name) in self._varied:
                yield name, str(value)
        word = self._wording(source, level, record["task_id"])
        if word is not None:
            yield "wording", word

    @property
    def tasks(self) -> int:
        """How many tasks were tried."""
        return len(set().union(*(cell.rate.groups for cell in self.cells.values())))

    @property
    def episodes(self) -> int:
        """How many starts of games were played."""
        return len(self.starts)

    def _play(self, record: Mapping[str, Any]) -> None:
        policy, source = str(record.get("policy")), str(record.get("source") or "")
        self.played[source, policy].add(record)
        self.starts.add(hash(str(record.get("group_id") or record["task_id"])))
        self.rewards[policy].append(float(record["reward"]))
        self._sample(record, policy, is_passed(record))

    def exact(self) -> dict[str, dict[str, tuple[float, float, float]]]:
        """What reference policies get against each source's opponent, where that can be computed."""
        return {source: exact_rows(self._sources.get((source, None))) for source, _ in self.played}

    def _look_up(self, source: str, level: int | None, task_id: str) -> str | None:
        """A task's wording, from the task made anew; None where it cannot be."""
        made = self._made(source, level)
        parts = task_id.partition("/hint:")[0].split("/")
        index = parts[4].partition("-")[0] if len(parts) == 5 else ""
        if made is None or not index.isdecimal():
            return None
        task = made.task(int(index))
        if task.id != "/".join(parts):
            return None
        word = str(task.style["template"])
        if word in made.family.held_out_templates:
            self.held_out.add((made.family.name, word))
        return word

    def _made(self, name: str, level: int | None) -> Source | None:
        """A source of this run, made anew."""
        known = self._sources.get((name, level))
        unit = _family(known)
        if known is None or unit is None:
            return None
        ask = {key: known.get(key) for key in ("seed", "params", "split", "style")}
        try:
            return unit.source(**ask)  # type: ignore[arg-type]
        except (ReasonEnvError, TypeError):
            return None

    def baselines(self) -> dict[tuple[str, int | None], dict[str, Rate]]:
        """What blind policies pass, by source and level, measured on the run's own items.

        Where the best constant is one of the run's own policies, it is not measured again.
        """
        found: dict[tuple[str, int | None], dict[str, Rate]] = {}
        for source, level in dict.fromkeys((place.source, place.level) for place in self.cells):
            known, made = self._sources.get((source, level)), self._made(source, level)
            if known is None or made is None:
                continue
            batch = made.batch(0, min(_PROBED, int(known.get("items") or _PROBED)))
            others = [*batch.answers[1:], *batch.answers[:1]]
            said = {
                "another task's answer": [task.wrap(one) for task, one in zip(batch, others, strict=True)]
            }
            if ResultKey(source, level, BestConstant.name) not in self.cells:
                said["best constant"] = BestConstant()(batch, 0)
            rates = found[source, level] = {name: Rate() for name in sorted(said)}
            for name, texts in said.items():
                for task, passed in zip(batch, batch.verify(texts).passed.tolist(), strict=True):
                    rates[name].add(task.id, passed, task.key)
        return found

    def samples(self) -> Iterator[dict[str, Any]]:
        """Traces to look at, by policy, those that failed first: a choice that follows from their ids."""
        for key in sorted(self._samples):
            for _, _, shown in sorted(self._samples[key], key=lambda one: (-one[0], one[1])):
                yield shown

    def _sample(self, record: Mapping[str, Any], policy: str, passed: bool) -> None:
        # Rollouts that say the same have one rank, of which one is shown.
        text = completion_of(record)
        name = f"{record['task_id']}/{policy}/{text}"
        rank = -int.from_bytes(
            hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big"
        )
        kept = self._samples[policy, passed]
        full = len(kept) >= _SAMPLES // 2
        if (full and rank <= kept[0][0]) or any(rank == one[0] for one in kept):
            return
        verdict = record["verdict"] or {}
        shown = {
            "task_id": record["task_id"],
            "policy": policy,
            "source": record.get("source"),
            "level": record.get("level"),
            "rollout": record.get("rollout"),
            "prompt": _clipped(str(record["prompt"])),
            "text": _clipped(text),
            "passed": passed if is_judged(record) else None,
            "score": verdict.get("score"),
            "reward": record["reward"],
            "failures": verdict.get("failures") or [],
            "detail": verdict.get("detail") or "",
        }
        push = heapq.heapreplace if full else heapq.heappush
        push(kept, (rank, self.traces, shown))


def _family(known: Mapping[str, Any] | None) -> Family | None:
    name = None if known is None else known.get("family")
    return family(name) if name in list_families() else None


def _number(version: object) -> int | None:
    """A version as a step of training: a whole number, alone or at the end of a name."""
    digits = str(version or "")
    digits = digits[len(digits.rstrip("0123456789")) :]
    return int(digits) if digits and len(digits) < 16 and math.isfinite(float(digits)) else None


def _clipped(text: str, most: int = 4000) -> str:
    return text if len(text) <= most else f"{text[:most]}\n… {len(text) - most:,} characters more"
