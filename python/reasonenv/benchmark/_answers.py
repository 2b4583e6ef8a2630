"""Answers of a policy compared with wrong shortcuts, with each other and with all right ones."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from reasonenv.benchmark._entries import Items
from reasonenv.benchmark._measures import ItemRollouts, Read
from reasonenv.rollouts._shortcuts import Agreement, plain_text, wrong_shortcuts

MOST_SOLUTIONS = 16
"""Right answers of an item that are counted."""

COUNTED_ITEMS = 8
"""Items of an entry whose right answers are counted; a search for them may take a third of a second."""


@lru_cache(maxsize=1024)
def naive_answers(entry: Items) -> Mapping[str, Mapping[str, str]]:
    """Answers of the family's shortcuts to each item, by id, where they are wrong."""
    return {task.id: wrong_shortcuts(task) for task in entry.batch()}


@lru_cache(maxsize=1024)
def right_answers(entry: Items) -> Mapping[str, int]:
    """Number of right answers of the first items, by id, where there are several."""
    tasks = entry.source.batch(0, min(entry.count, COUNTED_ITEMS))
    counts = {task.id: len(task.solutions(MOST_SOLUTIONS)) for task in tasks}
    return {name: count for name, count in counts.items() if count > 1}


def agreement(read: Read, items: Sequence[Items]) -> dict[str, Any]:
    """Share of answers that are those of a shortcut, where it is wrong, by "FAMILY/NAME"."""
    counts: dict[str, Counter[bool]] = defaultdict(Counter)
    for entry in items:
        for name, naive in naive_answers(entry).items():
            tally = read.items.get((entry.name, name))
            said = [] if tally is None else [plain_text(answer or "") for answer in tally.answers]
            for shortcut, wrong in naive.items():
                counts[f"{entry.family}/{shortcut}"].update(one == plain_text(wrong) for one in said)
    found = {name: Agreement(count.total(), count[True]) for name, count in sorted(counts.items())}
    return {name: {"rollouts": one.tasks, "rate": one.rate} for name, one in found.items()}


def diversity(read: Read, items: Sequence[Items]) -> dict[str, Any]:
    """Entropy of an item's answers in bits, and the share of its right answers that were found.

    Both are means over items with several rollouts, the second over those of the first items of each entry
    that have several right answers; None without such items.
    """
    several = {place: tally for place, tally in read.items.items() if len(tally.passed) > 1}
    names = {name for name, _ in several}
    shares = []
    for entry in items:
        for item, count in right_answers(entry).items() if entry.name in names else ():
            tally = several.get((entry.name, item))
            if tally is not None:
                pairs = zip(tally.answers, tally.passed, strict=True)
                found = len({plain_text(answer or "") for answer, passed in pairs if passed})
                shares.append(found / max(found, count))
    return {"entropy": _mean([_entropy(tally) for tally in several.values()]), "support": _mean(shares)}


def _entropy(tally: ItemRollouts) -> float:
    counts = Counter(None if answer is None else plain_text(answer) for answer in tally.answers)
    shares = [count / counts.total() for count in counts.values()]
    return abs(math.fsum(share * math.log2(share) for share in shares))


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
