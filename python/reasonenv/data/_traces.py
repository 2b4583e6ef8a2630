"""Trajectories in files: streamed, written, filtered, and converted for trainers.

A trace is a record as a dict with the fields of docs/records.md; `reasonenv.rollout(saving=…)` writes them.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from reasonenv import _checks
from reasonenv._files import writing
from reasonenv._native import InvalidArgument
from reasonenv._records import PROMPTS, TRACES, Prompts, checked_record, line_at, read_lines, read_records
from reasonenv.rewards._process import measured_steps

Traces: TypeAlias = str | os.PathLike[str] | Iterable[Mapping[str, Any]]
"""Trajectories: a file, the folder of a run, or the records themselves."""


def read_traces(traces: Traces) -> Iterator[dict[str, Any]]:
    """Stream trajectories, however many there are.

    A trajectory whose endpoint failed has no verdict (see `is_judged`); filters and pass rates ignore it.

    Args:
        traces: A file, the folder of a run (for its `traces.jsonl`), or records. The last line of a file
            counts only if it is complete, since a killed process may leave a partial record.

    Raises:
        InvalidRun: A line is not a record; names the file, the line and the field.
        OSError: A file cannot be read; names it.
    """
    if isinstance(traces, str | os.PathLike):
        for where, record in read_records(_file_of(traces)):
            yield checked_record(record, where)
        return
    if isinstance(traces, Mapping) or not isinstance(traces, Iterable):
        msg = f"`traces` is {_checks.shown(traces)}, but must be a file, a run's folder or several records"
        raise InvalidArgument(msg)
    for number, given in enumerate(traces):
        yield checked_record(given, f"record {number}")


def _file_of(traces: str | os.PathLike[str]) -> Path:
    path = _checks.path("traces", traces)
    return path / TRACES if path.is_dir() else path


def write_records(path: str | os.PathLike[str], records: Iterable[Mapping[str, Any]]) -> int:
    """Write records as lines of JSON, all or none of them; return their number.

    Raises:
        InvalidArgument: A record is not plain data.
        OSError: The file cannot be written; names it.
    """
    count = 0
    with writing(path) as file:
        for record in records:
            try:
                file.write(json.dumps(record, allow_nan=False, separators=(",", ":")) + "\n")
            except (TypeError, ValueError, RecursionError) as error:
                msg = f"record {count} must be plain data, as JSON holds it: {error}"
                raise InvalidArgument(msg) from None
            count += 1
    return count


def completion_of(record: Mapping[str, Any]) -> str:
    """Return the exact text of the policy; with several turns, its concatenated actions."""
    text = record.get("text")
    actions = [str(turn.get("action", "")) for turn in record.get("turns") or () if isinstance(turn, Mapping)]
    if isinstance(text, str) and not actions:
        return text
    parts = actions or [record.get("reasoning") or "", record.get("final_answer") or ""]
    return "\n".join(part for part in parts if part)


def is_judged(record: Mapping[str, Any]) -> bool:
    """Return True if a trajectory has a verdict, which it lacks if the endpoint failed."""
    return record["verdict"] is not None


def is_passed(record: Mapping[str, Any]) -> bool:
    """Return True if a trajectory passed: the outcome filter."""
    return is_judged(record) and bool(record["verdict"]["passed"])


def is_clean(record: Mapping[str, Any]) -> bool:
    """Return True if a trajectory is fit to imitate: passed, not cut off, without a hint or any failure."""
    return why_unfit(record) is None


def why_unfit(record: Mapping[str, Any]) -> str | None:
    """Return why a trajectory is unfit to imitate, as a clause after "traces"; None if it is fit."""
    if record.get("error") is not None:
        return "whose endpoint failed"
    if not is_judged(record):
        return "that nobody judged"
    reasons = {
        "that failed": not is_passed(record),
        "that were cut off": record.get("truncated"),
        "that had a hint": record.get("hint"),
        "that the judge found fault with": record["verdict"].get("failures"),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def goes_straight(record: Mapping[str, Any]) -> bool:
    """Return True if every step advances, all the way to the end, whatever the answer: the process filter."""
    scores: list[float] = record.get("process_scores") or []
    return is_judged(record) and bool(scores) and scores[-1] >= 1 and min(_gains(scores)) > 0


def _gains(scores: Sequence[float]) -> list[float]:
    """Progress that each step made, given the share of the way to the end after each."""
    gains: list[float] = measured_steps(scores, None, "delta").tolist()
    return gains


def step_records(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a sub-trajectory for each step: the context so far, and the step.

    The steps of a trajectory with several turns are its actions, each with all observations and actions
    before it as the context. The steps of a single completion are its lines that are not blank.
    """
    turns = [turn for turn in record.get("turns") or () if isinstance(turn, Mapping)]
    scores: list[float] = record.get("process_scores") or []
    messages: list[dict[str, str]] = []
    if turns:
        steps = []
        for turn in turns:
            messages.append({"role": "user", "content": str(turn.get("observation", ""))})
            steps.append((list(messages), str(turn.get("action", ""))))
            messages.append({"role": "assistant", "content": steps[-1][1]})
    else:
        lines = [line for line in completion_of(record).splitlines() if line.strip()]
        asked = {"role": "user", "content": record["prompt"]}
        steps = []
        for at, line in enumerate(lines):
            before = [{"role": "assistant", "content": "\n".join(lines[:at])}] if at else []
            steps.append(([asked, *before], line))
    scored = 0 < len(scores) == len(steps)
    gains = _gains(scores) if scored else None
    for at, (context, action) in enumerate(steps):
        yield {
            "task_id": record["task_id"],
            "rollout": record.get("rollout", 0),
            "step": at,
            "steps": len(steps),
            "context": context,
            "action": action,
            "process_score": scores[at] if scored else None,
            "process_reward": None if gains is None else gains[at],
            "passed": is_passed(record),
            "reward": record["reward"],
        }


def source_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the trajectory with the keys of the original reasoning-trace record.

    There, `difficulty` is the level, a whole number or null; `verifier` has `passed` and `error`;
    `failure_type` is the most specific failure label, or null. Without a verdict, `passed` is null.
    """
    verdict = record["verdict"] or {"passed": None, "detail": "not judged"}
    failures = verdict.get("failures") or []
    return {
        "task_id": record["task_id"],
        "domain": record.get("domain"),
        "difficulty": record.get("level"),
        "prompt": record["prompt"],
        "reasoning": record.get("reasoning") or "",
        "final_answer": record.get("final_answer"),
        "verifier": {"passed": verdict["passed"], "error": verdict.get("detail") or None},
        "reward": record["reward"],
        "failure_type": failures[0] if failures else None,
    }


def preference_pairs(
    traces: Traces, *, per_group: int = 1, only: Callable[[Mapping[str, Any]], bool] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield pairs of a completion that passed and one that failed on the same prompt, from mixed groups.

    For a file, only positions are kept in memory, so the rollouts of a group need not be adjacent.

    Args:
        traces: A file, the folder of a run, or records; records are read once and their texts are kept.
        per_group: Most pairs of one group. The i-th that passed is paired with the i-th that failed.
        only: Filter of trajectories; None: all. Those with a hint never count, since their prompts differ.

    Yields:
        `task_id`, `group_id`, `policy`, `prompt`, `chosen` and `rejected`, in the order of the groups.
    """
    per_group = _checks.whole("per_group", per_group, 1)
    if isinstance(traces, str | os.PathLike):
        path = _file_of(traces)
        prompts = Prompts(path.with_name(PROMPTS))
        groups: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
        for where, at, _, line in read_lines(path):
            record = checked_record(prompts.joined(line), where)
            if only is None or only(record):
                _grouped(groups, record, at, per_group)
        for passed, failed in groups.values():
            for good, bad in zip(passed, failed, strict=False):
                yield _pair(*(prompts.joined(line_at(path, at)) for at in (good, bad)))
        return
    held: dict[tuple[str, str], tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {}
    for record in read_traces(traces):
        if only is None or only(record):
            _grouped(held, record, record, per_group)
    for better, worse in held.values():
        for chosen, rejected in zip(better, worse, strict=False):
            yield _pair(chosen, rejected)


def _grouped(
    groups: dict[tuple[str, str], tuple[list[Any], list[Any]]], record: Any, kept: Any, most: int
) -> None:
    group = str(record.get("policy")), str(record.get("group_id") or record["task_id"])
    halves = groups.setdefault(group, ([], []))
    half = halves[0] if is_passed(record) else halves[1]
    if len(half) < most and is_judged(record) and not record.get("hint"):
        half.append(kept)


def _pair(chosen: Mapping[str, Any], rejected: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "task_id": chosen["task_id"],
        "group_id": chosen.get("group_id"),
        "policy": chosen.get("policy"),
        "prompt": chosen["prompt"],
        "chosen": completion_of(chosen),
        "rejected": completion_of(rejected),
    }


@dataclass
class Probed:
    """Pass counts of probe policies on a task."""

    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Number of rollouts that passed, and of all, by policy."""

    @property
    def pass_rates(self) -> dict[str, float]:
        """Pass rate of each policy."""
        return {policy: passed / tried for policy, (passed, tried) in self.counts.items()}

    @property
    def difficulty(self) -> float:
        """One minus the mean pass rate over the policies, with equal weights."""
        return 1 - sum(self.pass_rates.values()) / len(self.counts)


def probe(
    traces: Traces | Sequence[str | os.PathLike[str]], policies: Iterable[str] | None = None
) -> dict[str, Probed]:
    """Count how often each task was passed, by task id.

    Args:
        traces: Trajectories of the probe policies, without hints; several files or folders are allowed.
        policies: Policies to count; None: all.
    """
    wanted = None if policies is None else set(_checks.texts("policies", list(policies)))
    files = isinstance(traces, Sequence) and all(isinstance(one, str | os.PathLike) for one in traces)
    several: Any = traces if files and not isinstance(traces, str) else [traces]
    found: dict[str, Probed] = {}
    for one in several:
        for record in read_traces(one):
            policy = str(record.get("policy"))
            counts = is_judged(record) and not record.get("hint")
            if counts and (wanted is None or policy in wanted):
                policies_of = found.setdefault(record["task_id"], Probed()).counts
                passed, tried = policies_of.get(policy, (0, 0))
                policies_of[policy] = passed + is_passed(record), tried + 1
    return found


def annotate_difficulty(
    records: Iterable[Mapping[str, Any]],
    traces: Traces | Sequence[str | os.PathLike[str]],
    policies: Iterable[str] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield records of tasks or trajectories with the difficulty that probe policies measured.

    Two fields are added: `probed_difficulty`, one minus the mean pass rate over the policies, and
    `pass_rates` by policy; both are null for a task without rollouts. `difficulty`, which depends only on the
    problem, stays the same.

    Args:
        records: Records to annotate, each with a `task_id`.
        traces: Trajectories of the probe policies.
        policies: Policies to count; None: all.
    """
    probed = probe(traces, policies)
    for record in records:
        known = probed.get(record["task_id"])
        yield {
            **record,
            "probed_difficulty": None if known is None else known.difficulty,
            "pass_rates": None if known is None else known.pass_rates,
        }
