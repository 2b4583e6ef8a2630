"""Records of rollouts: a line of the traces each, written and read back."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self, cast

from reasonenv import _checks
from reasonenv._answers import before_answer
from reasonenv._checks import shown
from reasonenv._native import Task, Verdict, __version__
from reasonenv.data._rows import Row
from reasonenv.rollouts._completion import Completion
from reasonenv.rollouts._run import InvalidRun, read_records


@dataclass(frozen=True)
class Record:
    """One rollout of one policy: a line of `traces.jsonl`. docs/records.md says more of each field."""

    task_id: str
    source: str
    """The name of the source in this run."""
    family: str | None
    """The task's family; None of a row and in an environment that names none. So are the next five fields."""
    domain: str | None
    level: int | None
    difficulty: float | None
    split: str | None
    seed: int | None
    prompt: str
    """What the policy was asked; the first observation of an episode."""
    text: str
    """The completion, to the letter; of an episode, the policy's last message."""
    reasoning: str
    final_answer: str | None
    reward: float | None
    """What `advantage` is of; None where the endpoint failed."""
    reward_parts: dict[str, float]
    verdict: dict[str, Any] | None
    """`Verdict.to_dict()`; None where the endpoint failed, and where nobody judges."""
    group_id: str
    rollout: int
    advantage: float | None
    policy: str
    policy_version: str | None
    hint: str | None
    prefix: Any
    """What the rollout goes on from: the beginning of a completion, or the first actions of an episode."""
    turns: list[dict[str, Any]]
    process_scores: list[float] | None
    terminated: bool
    truncated: bool
    usage: dict[str, int] | None
    seconds: float
    versions: dict[str, Any]
    error: str | None = None
    """Why there is no answer, where an endpoint failed."""
    dropped: bool = False
    """Whether dynamic sampling left the group out."""
    key: str | None = None
    """The task's key, which tells its problem from others; None without a task."""

    @property
    def passed(self) -> bool | None:
        """What the judge said; None where nothing was judged."""
        return None if self.verdict is None else bool(self.verdict["passed"])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as a line of the traces has it."""
        return dict(vars(self))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Reads what `to_dict` wrote, through JSON or not; fields that it does not know are left out.

        Raises:
            InvalidRun: It is no such record; names the field.
        """
        if not isinstance(record, Mapping):
            msg = f"a trajectory is {shown(record)}, which `to_dict` does not write"
            raise InvalidRun(msg)
        wrong = _wrong_field(record)
        if wrong is not None:
            msg = f"a trajectory's `{wrong}` is {_value(record, wrong)}, which `to_dict` does not write"
            raise InvalidRun(msg)
        return cls(**{name: record[name] for name in _NAMES if name in record})

    @classmethod
    def load(cls, folder: str | Path) -> list[Self]:
        """The trajectories of a run, finished or not, in the order of its traces.

        Raises:
            InvalidRun: There is no run in the folder, or a line is no trajectory; names it.
            OSError: The traces cannot be read; names the file.
        """
        path = _checks.path("folder", folder) / "traces.jsonl"
        if not path.is_file():
            msg = f"{folder} holds no run, as it has no traces.jsonl; name another folder"
            raise InvalidRun(msg)
        return [cls.from_dict(checked_record(record, number, path)) for number, record in read_records(path)]


_NAMES = tuple(item.name for item in fields(Record))
_OPTIONAL = ("error", "dropped", "key")
_OF_FAMILIES = ("family", "domain", "level", "difficulty", "split", "seed")


def fast_record(record: dict[str, Any]) -> Record:
    """The trajectory of a record that the loop made itself, which is not checked again and not copied."""
    made = object.__new__(Record)
    object.__setattr__(made, "__dict__", record)
    return made


def checked_record(record: dict[str, Any], number: int, path: Path) -> dict[str, Any]:
    """A record that is known to be one of a rollout.

    Raises:
        InvalidRun: It is none; names its line and the field.
    """
    wrong = _wrong_field(record)
    if wrong is not None:
        msg = (
            f"line {number} of {path} is no rollout: `{wrong}` is {_value(record, wrong)}; "
            "mend it, or name another folder"
        )
        raise InvalidRun(msg)
    return record


def _value(record: Mapping[str, Any], name: str) -> str:
    return shown(record[name]) if name in record else "missing"


def _wrong_field(record: Mapping[str, Any]) -> str | None:
    """The first field of a record that does not hold what it must."""
    failed = isinstance(record.get("error"), str)
    verdict = record.get("verdict")
    holds = {
        name: isinstance(record.get(name), str) for name in ("task_id", "source", "policy", "group_id")
    } | {
        "rollout": type(record.get("rollout")) is int,
        "reward": (failed and record.get("reward") is None) or _is_number(record.get("reward")),
        "verdict": ("verdict" in record and verdict is None) or _is_verdict(verdict),
    }
    wrong = (name for name, well in holds.items() if not well)
    missing = (name for name in _NAMES if name not in record and name not in _OPTIONAL)
    return next(wrong, None) or next(missing, None)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_verdict(verdict: object) -> bool:
    if not isinstance(verdict, dict):
        return False
    passed, score, parts, labels = (verdict.get(name) for name in ("passed", "score", "parts", "failures"))
    return (
        isinstance(passed, bool)
        and _is_number(score)
        and (isinstance(parts, dict) and all(map(_is_number, parts.values())))
        and (isinstance(labels, list | tuple) and all(isinstance(label, str) for label in labels))
    )


def task_fields(task: Task | Row, source: str, prompt: str) -> dict[str, Any]:
    """The fields of a record that follow from the task alone; those of a family are null for a row."""
    versions = {"family": task.version} if isinstance(task, Task) else {}
    return {
        "task_id": task.id,
        "source": source,
        **{name: getattr(task, name, None) for name in _OF_FAMILIES},
        "prompt": prompt,
        "key": getattr(task, "key", None),
        "answer_tag": task.answer_tag,
        "versions": {"reasonenv": __version__} | versions,
    }


def judged_fields(of_task: Mapping[str, Any], said: Completion, verdict: Verdict | None) -> dict[str, Any]:
    """The fields that follow from a completion and what the judge said of it."""
    answer = None if verdict is None else verdict.answer
    return {
        "text": said.text,
        "reasoning": _reasoning(said, of_task["answer_tag"], answer),
        "final_answer": answer,
        "verdict": None if verdict is None else verdict.to_dict(),
        "turns": [],
        "process_scores": None,
        "terminated": said.error is None,
        "truncated": said.truncated or (verdict is not None and "truncated" in verdict.failures),
        "usage": None if said.usage is None else dict(said.usage),
        "error": said.error,
    }


def _reasoning(said: Completion, tag: str | None, answer: str | None) -> str:
    """What stands before the answer's mark, or apart from the text; all of it where no answer was read."""
    before = said.text if answer is None else before_answer(tag, said.text)
    return before if not said.reasoning else f"{said.reasoning}\n\n{before}".rstrip()


def version_of(policy: object) -> str | None:
    """A policy's own `version`, if it has one: a model's checkpoint, for instance."""
    version = getattr(policy, "version", None)
    return None if version is None else str(cast("object", version))
