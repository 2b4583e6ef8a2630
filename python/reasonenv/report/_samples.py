"""Rollouts to read: a bounded sample of each policy, and one example of each failure."""

import hashlib
import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from reasonenv.data._traces import completion_of, is_judged, is_passed

_PER_POLICY = 40
"""Rollouts kept of each policy: half of them passed and half failed, where there are enough."""

_MOST_TURNS = 30
_MOST_CHARACTERS = 4000


class ShownTurn(NamedTuple):
    """One turn of an episode, as a reader sees it."""

    observation: str
    """New part of the observation; empty in the first turn, whose observation is the prompt."""
    action: str
    worth: str
    """The reward, and the progress after the step if steps are scored."""


@dataclass(frozen=True)
class ShownRollout:
    """One rollout, cut to a length that a page can hold."""

    source: str
    family: str
    level: int | None
    policy: str
    version: str
    task_id: str
    rollout: int | None
    prompt: str
    prefix: str
    text: str
    turns: tuple[ShownTurn, ...]
    answer: str
    passed: bool | None
    score: float | None
    reward: float | None
    failures: tuple[str, ...]
    detail: str


class Samples:
    """A sample of answers that depends on the rollouts alone, not on their order.

    Equal answers of one policy to one problem appear once.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, bool], list[tuple[int, ShownRollout]]] = defaultdict(list)
        self._examples: dict[str, tuple[tuple[bool, int], ShownRollout]] = {}

    def add(self, record: Mapping[str, Any], source: str, family: str, policy: str) -> None:
        """Consider a rollout."""
        text, passed = completion_of(record), is_passed(record)
        answer = record.get("final_answer") or text
        rank = _rank(f"{policy}/{record.get('key') or record['task_id']}/{answer}")
        kept = self._kept[policy, passed]
        full = len(kept) >= _PER_POLICY // 2
        wanted = (not full or rank > kept[0][0]) and all(rank != other for other, _ in kept)
        failures = (record["verdict"] or {}).get("failures") or ()
        telling = {
            failure: (at == 0, rank)
            for at, failure in enumerate(failures)
            if failure not in self._examples or (at == 0, rank) > self._examples[failure][0]
        }
        if not wanted and not telling:
            return
        sample = shown_rollout(record, text, source, family, policy)
        self._examples |= {failure: (order, sample) for failure, order in telling.items()}
        if wanted:
            (heapq.heapreplace if full else heapq.heappush)(kept, (rank, sample))

    def __iter__(self) -> Iterator[ShownRollout]:
        """Failures before successes, the policies in turn."""
        for passed in (False, True):
            columns = [
                sorted(kept, key=lambda one: one[0])
                for (_, right), kept in sorted(self._kept.items())
                if right is passed
            ]
            for at in range(max(map(len, columns), default=0)):
                yield from (column[at][1] for column in columns if at < len(column))

    def example(self, failure: str) -> ShownRollout:
        """A rollout with this failure; if possible, one whose most telling failure it is."""
        return self._examples[failure][1]


def _rank(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def placed(record: Mapping[str, Any]) -> tuple[str, str, str]:
    """Policy, source and family of a record."""
    source = str(record.get("source") or record.get("family") or record["task_id"].partition("/")[0])
    return str(record.get("policy")), source, str(record.get("family") or source)


def shown_rollout(
    record: Mapping[str, Any], text: str, source: str, family: str, policy: str
) -> ShownRollout:
    """A record as a reader sees it."""
    verdict = record.get("verdict") or {}
    prefix = record.get("prefix") or ""
    return ShownRollout(
        source=source,
        family=family,
        level=record.get("level"),
        policy=policy,
        version=str(record.get("policy_version") or ""),
        task_id=record["task_id"],
        rollout=record.get("rollout"),
        prompt=clipped(str(record["prompt"])),
        prefix=clipped(prefix if isinstance(prefix, str) else "\n".join(map(str, prefix))),
        text=clipped(text),
        turns=tuple(_turns(record.get("turns") or (), record.get("process_scores"))),
        answer=clipped(str(record.get("final_answer") or text), 300),
        passed=is_passed(record) if is_judged(record) else None,
        score=verdict.get("score"),
        reward=record.get("reward"),
        failures=tuple(verdict.get("failures") or ()),
        detail=clipped(verdict.get("detail") or "", 600),
    )


def _turns(turns: Sequence[Any], scores: object) -> Iterator[ShownTurn]:
    shown = [turn for turn in turns if isinstance(turn, Mapping)][:_MOST_TURNS]
    seen = str(shown[0].get("observation", "")) if shown else ""
    for at, turn in enumerate(shown):
        observation = str(turn.get("observation", ""))
        start = _news(seen, observation)
        seen = observation
        scored = isinstance(scores, Sequence) and at < len(scores) and isinstance(scores[at], int | float)
        worth = [f"reward {turn['reward']:g}"] if turn.get("reward") else []
        worth += [f"progress {scores[at]:.3g}"] if scored and isinstance(scores, Sequence) else []
        action = clipped(str(turn.get("action", "")), 1000)
        yield ShownTurn(clipped(observation[start:].strip(), 1000), action, ", ".join(worth))


def _news(before: str, after: str) -> int:
    """The start of the first line in which a text differs from another."""
    pairs = enumerate(zip(before, after, strict=False))
    known = next((at for at, (a, b) in pairs if a != b), min(len(before), len(after)))
    return after.rfind("\n", 0, known) + 1 if known < len(after) else known


def clipped(text: str, most: int = _MOST_CHARACTERS) -> str:
    """A text of at most this length, and how much is missing."""
    return text if len(text) <= most else f"{text[:most]}\n… {len(text) - most:,} characters more"
