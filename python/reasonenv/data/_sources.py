"""Sources of tasks: whatever a caller names, in one shape."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any, Protocol, TypeAlias, runtime_checkable

from reasonenv import _checks
from reasonenv._native import Batch, Family, InvalidArgument, Mixture, Source, Task, family
from reasonenv.data._mixed import MixedTasks
from reasonenv.data._rows import Rows
from reasonenv.types import FamilyName

KINDS = "a family or its name, a `Source`, a `Mixture`, rows of `from_rows`, or at least one task"


@runtime_checkable
class TaskSource(Protocol):
    """Numbered tasks: a `Source`, a `Mixture`, rows, or an object of yours; one with an end has a length."""

    def task(self, index: int, /) -> Any:
        """The task at an index."""

    def batch(self, start: int, count: int, /) -> Batch | Rows | MixedTasks:
        """The tasks `start .. start + count`."""


SourceLike: TypeAlias = FamilyName | Family[Any] | Sequence[Task] | Rows | TaskSource
"""Names of a source: a family or its name, tasks (a `Batch`, a list), rows, or a source itself."""


class TaskList:
    """Tasks of a list, as a source.

    Args:
        tasks: One or more tasks.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks if isinstance(tasks, Batch) else Batch(tasks)

    def task(self, index: int, /) -> Task:
        """The task at an index."""
        return self._tasks[index]

    def batch(self, start: int, count: int, /) -> Batch:
        """The tasks `start .. start + count`, as far as there are any."""
        whole = start == 0 and count >= len(self._tasks)
        return self._tasks if whole else self._tasks[start : start + count]

    def __len__(self) -> int:
        return len(self._tasks)


def is_source(given: object) -> bool:
    """Return whether something names a single source, rather than several or none."""
    if isinstance(given, Sequence) and not isinstance(given, str | Rows):
        return len(given) > 0 and isinstance(given[0], Task)
    return isinstance(given, str | Family | TaskSource)


def as_family(given: object, field: str) -> Family[Any]:
    """The family that is meant, by its name or itself.

    Raises:
        ReasonEnvError: It is neither a family nor the name of one; names the argument.
    """
    if isinstance(given, Family):
        return given
    if not isinstance(given, str):
        msg = f"`{field}` has {_checks.shown(given)}, but must have families or their names"
        raise InvalidArgument(msg)
    return family(_checks.text(field, given))


def as_source(given: object, field: str = "tasks", **drawing: Any) -> TaskSource:
    """The source that is meant.

    Args:
        given: A `SourceLike`.
        field: The argument's name, for errors.
        **drawing: Arguments of `Family.source`, which other sources have themselves.

    Raises:
        ReasonEnvError: It names no source; names the argument.
    """
    if isinstance(given, str | Family):
        return as_family(given, field).source(**drawing)
    if isinstance(given, TaskSource):
        return given
    if not isinstance(given, Sequence) or isinstance(given, bytes) or not len(given):
        msg = f"`{field}` is {_checks.shown(given)}, but must be {KINDS}"
        raise InvalidArgument(msg)
    if not isinstance(given, Batch):
        for at, task in enumerate(given):
            if not isinstance(task, Task):
                msg = f"item {at} of `{field}` is {_checks.shown(task)}, but must be a task"
                raise InvalidArgument(msg)
    return TaskList(given)


def named_sources(given: object, field: str = "tasks") -> list[tuple[str | None, Any]]:
    """One source or several as pairs of a name, which a mapping gives, and a `SourceLike`.

    Raises:
        InvalidArgument: It is neither a source nor several; names the argument.
    """
    return named_parts(given, field, KINDS, is_single=is_source(given))


def named_parts(given: object, field: str, kinds: str, *, is_single: bool) -> list[tuple[str | None, Any]]:
    """One part of a run or several as pairs of a name, which a mapping gives, and the part itself.

    Raises:
        InvalidArgument: There is none, or it has no name; names the argument.
    """
    pairs: list[tuple[str | None, Any]]
    if isinstance(given, Mapping):
        for name in given:
            if not isinstance(name, str) or not name:
                msg = f"`{field}` has the name {_checks.shown(name)}, but names must be text, and not empty"
                raise InvalidArgument(msg)
        pairs = list(given.items())
    elif is_single:
        pairs = [(None, given)]
    elif isinstance(given, Iterable) and not isinstance(given, bytes):
        pairs = [(None, each) for each in given]
    else:
        msg = f"`{field}` is {_checks.shown(given)}, but must be {kinds}, several of them, or a mapping"
        raise InvalidArgument(msg)
    if not pairs:
        msg = f"`{field}` is empty, but must name at least one"
        raise InvalidArgument(msg)
    return pairs


def families_of(tasks: Source | Mixture | Batch | Rows | MixedTasks) -> list[Family[Any]]:
    """The families of tasks, each once, in the order of their names; none for rows."""
    if isinstance(tasks, Rows | MixedTasks):
        return []
    if isinstance(tasks, Batch):
        return [family(name) for name in sorted(set(tasks.families))]
    sources = tasks.sources if isinstance(tasks, Mixture) else [tasks]
    found = {one.family.name: one.family for one in sources}
    return [found[name] for name in sorted(found)]


def count_of(source: TaskSource) -> int | None:
    """The number of tasks; None without end."""
    return len(source) if isinstance(source, Sized) else None
