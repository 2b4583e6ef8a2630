"""Records of rollouts: a line of the traces each, written and read back."""

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

from reasonenv._checks import shown
from reasonenv._native import Task, Verdict, __version__
from reasonenv.rollouts.policies import Policy
from reasonenv.rollouts.run import InvalidRun, Run

__all__ = ["Known", "earlier", "record_of", "task_fields", "version_of"]

Known: TypeAlias = dict[tuple[str, int], dict[str, Any]]
"""Records of an earlier session, by task id and rollout."""


def earlier(log: Run | None) -> dict[tuple[str, str], Known]:
    """What a run holds already, by source and policy, without the texts.

    Raises:
        InvalidRun: A record is not one of an evaluation; names the line and the field.
    """
    found: dict[tuple[str, str], Known] = {}
    kept = ("reward", "verdict")
    for number, record in enumerate(log.records() if log is not None else (), 1):
        wrong = _wrong_field(record)
        if log is not None and wrong is not None:
            value = shown(record[wrong]) if wrong in record else "missing"
            msg = (
                f"line {number} of {log.traces_path} is no rollout: `{wrong}` is {value}; "
                "mend it, or name another folder"
            )
            raise InvalidRun(msg)
        known = found.setdefault((record["source"], record["policy"]), {})
        known[record["task_id"], record["rollout"]] = {name: record[name] for name in kept}
    return found


def _wrong_field(record: Mapping[str, Any]) -> str | None:
    """The first field of a record that does not hold what a tally needs."""

    def is_number(value: object) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

    verdict = record.get("verdict")
    passed, score, parts, labels = (
        verdict.get(name) if isinstance(verdict, dict) else None
        for name in ("passed", "score", "parts", "failures")
    )
    holds = {name: isinstance(record.get(name), str) for name in ("task_id", "source", "policy")} | {
        "rollout": type(record.get("rollout")) is int,
        "reward": is_number(record.get("reward")),
        "verdict": isinstance(passed, bool)
        and is_number(score)
        and (isinstance(parts, dict) and all(map(is_number, parts.values())))
        and (isinstance(labels, list) and all(isinstance(label, str) for label in labels)),
    }
    return next((name for name, well in holds.items() if not well), None)


def task_fields(task: Task, source: str, prompt: str) -> dict[str, Any]:
    """The fields of a record that follow from the task alone."""
    return {
        "task_id": task.id,
        "source": source,
        "family": task.family,
        "domain": task.domain,
        "level": task.level,
        "difficulty": task.difficulty,
        "split": task.split,
        "seed": task.seed,
        "prompt": prompt,
    }


def record_of(
    task: Task, text: str, verdict: Verdict, policy: tuple[str, Policy], parts: dict[str, float]
) -> dict[str, Any]:
    """The fields of a record that follow from a completion; its group and time are added later."""
    return {
        "text": text,
        "reasoning": _reasoning(text, task.answer_tag, verdict.answer),
        "final_answer": verdict.answer,
        "reward": sum(parts.values()),
        "reward_parts": parts,
        "verdict": verdict.to_dict(),
        "group_id": task.id,
        "rollout": 0,
        "advantage": 0.0,
        "policy": policy[0],
        "policy_version": version_of(policy[1]),
        "hint": None,
        "turns": [],
        "process_scores": None,
        "terminated": True,
        "truncated": "truncated" in verdict.failures,
        "usage": None,
        "seconds": 0.0,
        "versions": {"reasonenv": __version__, "family": task.version},
    }


def _reasoning(text: str, tag: str, answer: str | None) -> str:
    """What stands before the answer's tag; all of the text where no answer was read."""
    return text if answer is None else text.rpartition(f"<{tag}>")[0].rstrip()


def version_of(policy: Policy) -> str | None:
    """A policy's own `version`, if it has one: a model's checkpoint, for instance."""
    version = getattr(policy, "version", None)
    return None if version is None else str(version)
