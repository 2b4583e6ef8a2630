"""Shortcuts: the naive policies of families, and how often another policy agrees with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Task
from reasonenv._records import Record


class Shortcut:
    """A family's naive policy by its name, such as `lightest-first` of knapsack.

    Args:
        name: One of `Task.shortcuts()`.
        seed: Seed of shortcuts that draw.
    """

    def __init__(self, name: str, *, seed: int = 0) -> None:
        self.name = f"shortcut:{name}"
        self._own = name
        self.seed = _checks.seed("seed", seed)

    def __call__(self, tasks: Sequence[Task], rollout: int = 0, /) -> list[str]:
        """Answer each task by the shortcut.

        Raises:
            UnknownName: A task's family has no such shortcut; lists those it has.
        """
        return [task.wrap(self._answer(task, rollout)) for task in tasks]

    def _answer(self, task: Task, rollout: int) -> str:
        found = task.shortcuts(seed=(self.seed + rollout) % 2**64)
        if self._own not in found:
            raise _checks.unknown(f"shortcut of {task.family}", self._own, sorted(found))
        return found[self._own]


@dataclass(frozen=True)
class Agreement:
    """Count of rollouts that give the answer of a shortcut where it is wrong."""

    tasks: int
    """Rollouts of tasks on which the shortcut fails."""
    agreed: int
    """Rollouts among these with the shortcut's answer."""

    @property
    def rate(self) -> float:
        """Share of the rollouts that agree; 0 if there are none."""
        return self.agreed / max(1, self.tasks)


def shortcut_agreement(records: Iterable[Record], tasks: Iterable[Task]) -> Mapping[str, Agreement]:
    """Count how often rollouts give the answer of a shortcut where it is wrong.

    Chance agreement is low for most answers, so a high rate shows that the policy takes the shortcut.

    Args:
        records: Rollouts, as `rollout` returns them.
        tasks: The tasks they answered.

    Returns:
        An `Agreement` for each shortcut, by "FAMILY/NAME".

    Raises:
        InvalidArgument: A rollout answers none of the tasks.
    """
    wrong = {task.id: wrong_shortcuts(task) for task in tasks}
    counts: dict[str, list[int]] = {}
    for record in records:
        if record.verdict is None:
            continue
        if record.task_id not in wrong:
            msg = f"`tasks` lacks {record.task_id}, which a rollout answers; pass the tasks of the run"
            raise InvalidArgument(msg)
        for name, answer in wrong[record.task_id].items():
            count = counts.setdefault(f"{record.family}/{name}", [0, 0])
            count[0] += 1
            count[1] += plain_text(record.final_answer or "") == plain_text(answer)
    return {name: Agreement(*count) for name, count in sorted(counts.items())}


def wrong_shortcuts(task: Task) -> dict[str, str]:
    """Answers of the shortcuts that fail."""
    return {
        name: answer for name, answer in task.shortcuts().items() if not task.verify(task.wrap(answer)).passed
    }


def plain_text(text: str) -> str:
    """Text with single spaces, as answers are compared."""
    return " ".join(text.split())
