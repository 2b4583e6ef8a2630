"""Access to a data set on disk: its roles, its traces, and a check against its manifest."""

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
"""Tasks verified at once."""


class Dataset:
    """A data set written by `build_dataset`.

    Args:
        folder: Folder of the data set.

    Raises:
        InvalidTask: The folder has no data set.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = _checks.path("folder", folder)
        self.manifest: dict[str, Any] = read_manifest(self.folder)

    def __repr__(self) -> str:
        counts = ", ".join(f"{self.count(role)} {role}" for role in ROLES)
        return f"<Dataset {self.folder}: {counts}>"

    def count(self, role: str) -> int:
        """Return the number of tasks of a role."""
        return int(self.manifest["files"].get(self._name(role), {"lines": 0})["lines"])

    def records(
        self, role: str, *, purpose: Purpose = "train", force: bool = False
    ) -> Iterator[dict[str, Any]]:
        """Yield the records of a role's tasks.

        Args:
            role: One of `ROLES`.
            purpose: Purpose of the records. "train" refuses the roles "validation" and "transfer".
            force: Whether to yield them anyway.

        Raises:
            InvalidArgument: The role must not be trained on.
            ReasonEnvError: A line is not a record; names it.
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
        """Yield the tasks of a role; the arguments are those of `records`."""
        return (Task.from_json(json.dumps(one)) for one in self.records(role, purpose=purpose, force=force))

    def traces(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the lines of a file of traces: "outcome", "sft", "process", "steps" or "preferences".

        Raises:
            UnknownName: The data set has no such file.
        """
        known = [file[7:-6] for file in self.manifest["files"] if file.startswith("traces/")]
        if name not in known:
            raise _checks.unknown("file of traces", name, known or ["none in this data set"])
        return self._lines(f"traces/{name}.jsonl")

    def check(self, against: Iterable[str | os.PathLike[str]] = ()) -> tuple[list[str], Contamination | None]:
        """Check that the data set is complete and consistent.

        The check compares files with their digests and splits with roles, reads every task, verifies its
        solution, and looks for problems with two roles.

        Args:
            against: Files to search for its training tasks, as with `find_contamination`.

        Returns:
            A list of faults, and the result of the search if files were given. Tasks that only overlap with
            the files are not faults, nor are repeated problems within one role.
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
        """First few faults of a role's tasks."""
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
