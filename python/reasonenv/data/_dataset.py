"""A data set on disk, opened: its roles, and whether it is what its manifest says."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, get_args

from reasonenv import _checks
from reasonenv._native import Batch, InvalidArgument, ReasonEnvError, Task
from reasonenv.data._build import read_manifest
from reasonenv.data._contamination import Contamination, find_contamination
from reasonenv.data._export import Purpose
from reasonenv.data._roles import ROLES, TRAINING_ROLES

_CHUNK = 1024
"""Tasks judged at once."""


class Dataset:
    """What `build_dataset` wrote.

    Args:
        folder: Its folder.

    Raises:
        InvalidTask: The folder holds no data set.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = _checks.path("folder", folder)
        self.manifest: dict[str, Any] = read_manifest(self.folder)

    def __repr__(self) -> str:
        counts = ", ".join(f"{self.count(role)} {role}" for role in ROLES)
        return f"<Dataset {self.folder}: {counts}>"

    def count(self, role: str) -> int:
        """The number of tasks of a role."""
        return int(self.manifest["files"].get(self._name(role), {"lines": 0})["lines"])

    def records(
        self, role: str, *, purpose: Purpose = "train", force: bool = False
    ) -> Iterator[dict[str, Any]]:
        """The records of a role's tasks, one by one.

        Args:
            role: One of `ROLES`.
            purpose: What they are for. "train" refuses the roles "validation" and "transfer".
            force: Gives them all the same.

        Raises:
            InvalidArgument: The role is not to be trained on.
            ReasonEnvError: A line is no record; names it.
        """
        name = self._name(role)
        _checks.one_of("purpose", purpose, get_args(Purpose))
        if purpose == "train" and role not in TRAINING_ROLES and not _checks.flag("force", force):
            msg = (
                f"`{role}` is not to be trained on; take one of {', '.join(TRAINING_ROLES)}, say "
                'purpose="evaluate", or force it'
            )
            raise InvalidArgument(msg)
        return self._lines(name)

    def tasks(self, role: str, *, purpose: Purpose = "train", force: bool = False) -> Iterator[Task]:
        """The tasks of a role, one by one; the arguments are those of `records`."""
        return (Task.from_json(json.dumps(one)) for one in self.records(role, purpose=purpose, force=force))

    def traces(self, name: str) -> Iterator[dict[str, Any]]:
        """The lines of a file of traces: "outcome", "sft", "process", "steps" or "preferences".

        Raises:
            UnknownName: The data set has no such file.
        """
        known = [file[7:-6] for file in self.manifest["files"] if file.startswith("traces/")]
        if name not in known:
            raise _checks.unknown("file of traces", name, known or ["none in this data set"])
        return self._lines(f"traces/{name}.jsonl")

    def check(self, against: Iterable[str | os.PathLike[str]] = ()) -> tuple[list[str], Contamination | None]:
        """Whether the data set is whole and keeps its promises.

        Files are held against their digests, every task is read and its own solution judged, splits against
        roles, and keys for a problem with two roles.

        Args:
            against: Files to look for its training tasks in, as `find_contamination` does.

        Returns:
            What is wrong, in words; and what was found in the files, if any were named. Tasks that merely
            overlap with them are no fault, nor are problems that come twice in one role.
        """
        faults = [
            fault
            for name, facts in self.manifest["files"].items()
            for fault in self._file_faults(name, facts)
        ]
        owners: dict[bytes, str] = {}
        if not faults:
            for role in ROLES:
                if self._name(role) in self.manifest["files"]:
                    faults += self._role_faults(role, owners)
        files = list(against)
        if not files or faults:
            return faults, None
        training = (record for role in TRAINING_ROLES for record in self.records(role))
        found = find_contamination(training, files)
        if found.found:
            faults.append(f"{found.found} of {found.tasks} training tasks are in the files named")
        return faults, found

    def _file_faults(self, name: str, facts: dict[str, Any]) -> Iterator[str]:
        path = self.folder / name
        if not path.exists():
            yield f"{name} is missing"
            return
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != facts["sha256"]:
            yield f"{name} is not what was written: its digest is {digest}, the manifest's {facts['sha256']}"

    def _role_faults(self, role: str, owners: dict[bytes, str]) -> list[str]:
        """What is wrong with a role's tasks; the first few of it."""
        faults: list[str] = []
        chunk: list[Task] = []

        def judge() -> None:
            batch = Batch(chunk)
            verdicts = batch.verify([task.wrap(task.solution.answer) for task in chunk])
            for task, passed in zip(chunk, verdicts.passed, strict=True):
                if not passed:
                    faults.append(f"{role}: {task.id}: its own solution does not pass")
                if task.split != ROLES[role]:
                    faults.append(
                        f"{role}: {task.id} is of the split {task.split}, but must be of {ROLES[role]}"
                    )
                owner = owners.setdefault(bytes.fromhex(task.key), role)
                if owner != role:
                    faults.append(f"{role}: {task.id} is a problem of {owner} too")
            chunk.clear()

        try:
            for task in self.tasks(role, purpose="evaluate"):
                chunk.append(task)
                if len(chunk) == _CHUNK:
                    judge()
                if len(faults) > 20:
                    break
            judge()
        except ReasonEnvError as error:
            faults.append(f"{role}: {error}")
        return faults[:20]

    def _lines(self, name: str) -> Iterator[dict[str, Any]]:
        path = self.folder / name
        with path.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError) as error:
                    msg = f"{path}, line {number}: not JSON ({error}); build the data set anew"
                    raise ReasonEnvError(msg) from None
                yield record

    def _name(self, role: str) -> str:
        if role not in ROLES:
            raise _checks.unknown("role", role, ROLES)
        return f"tasks/{role}.jsonl"
