"""Results of a policy on a manifest, counted from its traces: rates with intervals clustered by item."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import Any

from reasonenv._intervals import paired_interval, wilson_interval
from reasonenv.benchmark._entries import Items
from reasonenv.rewards.groups import maj_at_k, pass_at_k
from reasonenv.rollouts._policies import BestConstant, echo, empty

MOST_VOTES = 1000
"""Maximum number of voting rollouts per item: beyond it, the number of sets exceeds the range of a float."""

ItemAnswers = Mapping[str, Sequence[tuple[str | None, bool]]]
"""For each item, by id, the answers of blind policies, each with True if it passes."""


@dataclass
class ItemRollouts:
    """Rollouts of one item."""

    entry: str
    passed: list[bool] = field(default_factory=list)
    answers: list[str | None] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Share of the rollouts that passed."""
        return sum(self.passed) / len(self.passed)


@dataclass
class Read:
    """Content of a run's traces, item by item."""

    items: dict[tuple[str, str], ItemRollouts] = field(default_factory=dict)
    """Rollouts by entry and item."""
    errors: int = 0
    rollouts: int = 0
    usage: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    counted: int = 0
    """Rollouts with a known number of tokens."""
    seconds: float = 0.0
    characters: int = 0
    digests: list[str] = field(default_factory=list)

    def read(self, records: Iterable[Mapping[str, Any]]) -> "Read":
        """Count records and return this object."""
        for record in records:
            verdict = record["verdict"]
            if verdict is None:
                self.errors += 1
                continue
            self.rollouts += 1
            name, group = str(record["source"]), str(record["group_id"])
            tally = self.items.setdefault((name, group), ItemRollouts(name))
            tally.passed.append(bool(verdict["passed"]))
            tally.answers.append(record.get("final_answer"))
            for kind, count in (record.get("usage") or {}).items():
                self.usage[kind] += count
            self.counted += bool(record.get("usage"))
            self.seconds += record.get("seconds") or 0.0
            text = str(record.get("text") or "")
            self.characters += len(text)
            said = [name, group, record.get("rollout"), text, bool(verdict["passed"])]
            self.digests.append(hashlib.sha256(repr(said).encode("utf-8", "backslashreplace")).hexdigest())
        return self

    @property
    def digest(self) -> str:
        """SHA-256 over the completions, in any order."""
        return hashlib.sha256("".join(sorted(self.digests)).encode()).hexdigest()


def _stratified(
    tallies: Sequence[ItemRollouts], worth: Callable[[ItemRollouts], float]
) -> tuple[float, tuple[float, float]]:
    """Mean over entries of their items' mean, with an interval clustered by item.

    Every entry has the same weight, whatever the number of its items. The interval is Wilson's over the
    number of independent trials with the same variance: at least the number of items, at most that of
    rollouts.
    """
    entries: dict[str, list[float]] = defaultdict(list)
    for tally in tallies:
        entries[tally.entry].append(worth(tally))
    means = [math.fsum(values) / len(values) for values in entries.values()]
    mean = min(1.0, max(0.0, math.fsum(means) / len(means)))
    variance = 0.0
    for values, middle in zip(entries.values(), means, strict=True):
        # A single item says nothing about the spread of its entry; a coin's is the largest possible.
        n = len(values)
        spread = math.fsum((one - middle) ** 2 for one in values) / (n - 1) if n > 1 else mean * (1 - mean)
        variance += spread / n
    variance /= len(means) ** 2
    items, rollouts = len(tallies), sum(len(tally.passed) for tally in tallies)
    effective = float(items)
    if variance > 0:
        effective = min(float(rollouts), max(float(items), mean * (1 - mean) / variance))
    return mean, wilson_interval(mean * effective, effective)


def rate(tallies: Sequence[ItemRollouts]) -> dict[str, Any]:
    """Pass rate, pass@k and maj@k of items; every entry has the same weight.

    k is 1, 2, 4 … up to the smallest number of rollouts of an item, and at most 1024.
    """
    if not tallies:
        return {"items": 0, "rollouts": 0, "passed": 0, "rate": None, "interval": None}
    mean, interval = _stratified(tallies, lambda tally: tally.share)
    most = min(1024, *(len(tally.passed) for tally in tallies))
    ks = [1 << power for power in range(most.bit_length()) if 1 << power <= most]
    pass_at, maj_at = {}, {}
    for k in ks:
        share, ends = _stratified(tallies, partial(_pass_at, k=k))
        pass_at[k] = {"rate": share, "interval": list(ends)}
        if 1 < k <= MOST_VOTES and any(answer is not None for tally in tallies for answer in tally.answers):
            share, ends = _stratified(tallies, partial(_majority, k=k))
            maj_at[k] = {"rate": share, "interval": list(ends)}
    return {
        "items": len(tallies),
        "rollouts": sum(len(tally.passed) for tally in tallies),
        "passed": sum(sum(tally.passed) for tally in tallies),
        "rate": mean,
        "interval": list(interval),
        "pass_at": {str(k): one for k, one in pass_at.items()},
        "maj_at": {str(k): one for k, one in maj_at.items()},
    }


def _pass_at(tally: ItemRollouts, k: int) -> float:
    """pass@k of one item."""
    return float(pass_at_k(len(tally.passed), sum(tally.passed), k))


def _majority(tally: ItemRollouts, k: int) -> float:
    """maj@k of one item, over as many of its rollouts as can vote."""
    return float(maj_at_k(tally.answers[:MOST_VOTES], tally.passed[:MOST_VOTES], k))


def compared(pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Mean difference of pairs, second minus first, with its interval over pairs."""
    if len(pairs) < 2:
        return {"pairs": len(pairs), "difference": None, "interval": None}
    first, second = ([pair[at] for pair in pairs] for at in (0, 1))
    difference, interval = paired_interval(second, first)
    return {"pairs": len(pairs), "difference": difference, "interval": list(interval)}


def wordings(read: Read, items: Sequence[Items]) -> dict[str, Any]:
    """Robustness to wording: the same problems in a training wording and in a held-out one, pair by pair."""
    pairs, both = [], []
    for entry in items:
        if not entry.held_out:
            continue
        usual, other = _by_problem(read, entry.standard), _by_problem(read, entry.name)
        for problem in sorted(usual.keys() & other.keys()):
            pairs.append((usual[problem].share, other[problem].share))
            both += [usual[problem], other[problem]]
    found = compared(pairs)
    if pairs:
        found["usual"] = math.fsum(pair[0] for pair in pairs) / len(pairs)
        found["held_out"] = math.fsum(pair[1] for pair in pairs) / len(pairs)
    return found


def _by_problem(read: Read, name: str) -> dict[str, ItemRollouts]:
    """Items of an entry by the end of their ids, which all wordings of a problem share."""
    return {_index(group): tally for (entry, group), tally in read.items.items() if entry == name}


def _index(task_id: str) -> str:
    """Index of a task in its source, whatever its wording."""
    return task_id.rpartition("/")[2].partition("-")[0]


def sizes(read: Read, items: Sequence[Items], trained: tuple[int, int]) -> dict[str, Any]:
    """Robustness to size: pass rates of the levels allowed for training, and of those above."""
    by_level: dict[int, list[ItemRollouts]] = defaultdict(list)
    levels = {entry.name: entry.level for entry in items if not entry.held_out}
    for (name, _), tally in read.items.items():
        if name in levels:
            by_level[levels[name]].append(tally)
    within = [tally for level, some in by_level.items() if level <= trained[1] for tally in some]
    beyond = [tally for level, some in by_level.items() if level > trained[1] for tally in some]
    return {
        "trained_levels": list(trained),
        "within": rate(within),
        "beyond": rate(beyond),
        "by_level": {str(level): rate(by_level[level]) for level in sorted(by_level)},
    }


@cache
def _constant() -> BestConstant:
    """One policy for all entries, because it is fitted once for each family and level."""
    return BestConstant()


@lru_cache(maxsize=1024)
def blind_answers(entry: Items) -> ItemAnswers:
    """Answers of blind policies, which do no reasoning, to the items of an entry."""
    constant = _constant()
    batch = entry.batch()
    found: dict[str, list[tuple[str | None, bool]]] = {one: [] for one in batch.ids}
    for policy in (constant, echo, empty):
        verdicts = batch.verify(policy(batch, 0))
        for i, one in enumerate(batch.ids):
            found[one].append((verdicts[i].answer, bool(verdicts.passed[i])))
    return found


def shortcut(read: Read, blind: Mapping[str, ItemAnswers]) -> dict[str, Any]:
    """Shortcut agreement: overlap between the policy's passes and those of blind policies.

    `blind` is the share of all items that a blind policy passes, `both` the same share among the rollouts
    that passed, and `same_answer` the share of those rollouts that give exactly the blind policy's answer. If
    `both` is well above `blind`, the policy passes mostly where a shortcut works.
    """
    items = easy = right = both = same = 0
    for (name, group), tally in read.items.items():
        answers = blind.get(name, {}).get(group, ())
        lucky = {answer for answer, passed in answers if passed}
        items += 1
        easy += bool(lucky)
        for passed, answer in zip(tally.passed, tally.answers, strict=True):
            right += passed
            both += passed and bool(lucky)
            same += passed and answer in lucky
    return {
        "blind": easy / items if items else None,
        "both": both / right if right else None,
        "same_answer": same / right if right else None,
        "passed": right,
    }


def cost(read: Read) -> dict[str, Any]:
    """Tokens, if the endpoint reports them, characters and seconds, per rollout and in total."""
    rollouts = max(1, read.rollouts)
    return {
        "rollouts": read.rollouts,
        "errors": read.errors,
        "seconds": read.seconds,
        "seconds_each": read.seconds / rollouts,
        "characters_each": read.characters / rollouts,
        "tokens": dict(sorted(read.usage.items())),
        "tokens_each": {name: n / max(1, read.counted) for name, n in sorted(read.usage.items())},
        "tokens_known": read.counted,
    }
