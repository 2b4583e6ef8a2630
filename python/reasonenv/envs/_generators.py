"""Generators of an environment's tasks, from any source that a caller names."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from reasonenv import _checks, _files, _native
from reasonenv._native import InvalidArgument, InvalidState, InvalidTask, Task
from reasonenv._repeats import warn_of_repeats
from reasonenv._settings import fields
from reasonenv.data._mixed import RowMixture
from reasonenv.data._sources import KINDS, as_source
from reasonenv.envs._options import LARGEST_INDEX
from reasonenv.parts import Generator

_KINDS = f"{KINDS}, a file of tasks, an object with `sample(rng, assignment)`, or a callable of that"


class IndexedTasks(Protocol):
    """Tasks by their number: a source, a mixture, rows."""

    def task(self, index: int, /) -> Any:
        """The task at an index."""


@dataclass(frozen=True)
class TaskSampler:
    """Draws uniformly from numbered tasks, or returns the task that a curriculum assigned.

    An assignment is a number, a task, an object whose `task` is or makes one, or a description of the draw:
    `family`, `level`, `params`, `split`, `style`, `seed` and `index`, each optional, as keys or
    attributes.
    """

    source: IndexedTasks
    count: int
    split: str = "train"

    @property
    def families(self) -> list[_native.Family[Any]]:
        """Families of its tasks; none of rows."""
        sources = getattr(self.source, "sources", [self.source])
        families = (getattr(source, "family", None) for source in sources)
        return [family for family in families if family is not None]

    @property
    def parts(self) -> list[str]:
        """Parts that the verifiers of its families measure."""
        return sorted({part for family in self.families for part in family.parts})

    def task(self, index: int) -> Any:
        """The task at an index."""
        return self.source.task(index)

    def draw(self, rng: np.random.Generator) -> int:
        """The index of the next task."""
        return int(rng.integers(self.count))

    def sample(self, rng: np.random.Generator, assignment: Any = None) -> Any:
        """The next task."""
        if assignment is None:
            return self.source.task(self.draw(rng))
        return self._assigned(rng, assignment)

    def _assigned(self, rng: np.random.Generator, given: Any) -> Any:
        if is_task(given):
            return given
        if isinstance(given, int | np.integer):
            return self.task(_checks.whole("assignment", given, 0, self.count - 1))
        inner = _field(given, "task")
        if inner is not None:
            return inner() if callable(inner) else self._assigned(rng, inner)
        fields = {
            name: _field(given, name) for name in ("family", "level", "params", "split", "style", "seed")
        }
        named = {name: value for name, value in fields.items() if value is not None}
        index = _field(given, "index")
        if not named and index is None:
            msg = (
                f"the curriculum asked for {_checks.shown(given)}, but must ask for a task, or name a family"
            )
            raise InvalidArgument(msg)
        source, count = self.source, self.count
        if named:
            family = named.pop("family", None) or getattr(getattr(source, "family", None), "name", None)
            if family is None:
                msg = f"the curriculum asked for {_checks.shown(given)}, but must name the `family` as well"
                raise InvalidArgument(msg)
            source = _native.family(family).source(**{"split": self.split} | named)
            count = LARGEST_INDEX + 1
        if index is None:
            index = int(rng.integers(count))
        return source.task(_checks.whole("index", index, 0, count - 1))


@dataclass(frozen=True)
class _CallableSampler:
    """A callable of the user."""

    draw: Callable[[np.random.Generator, Any], Any]

    def sample(self, rng: np.random.Generator, assignment: Any = None) -> Any:
        """The next task."""
        return self.draw(rng, assignment)


class _Listed(list[Any]):
    """Tasks in a list."""

    def task(self, index: int) -> Any:
        """The task at an index."""
        return self[index]


def items_of(
    family: "str | TaskSampler", params: dict[str, Any] | None, settings: Mapping[str, Any]
) -> TaskSampler:
    """Items of a family, as the settings of its environments say; given items are returned as they are.

    Raises:
        ReasonEnvError: A setting is unknown or out of bounds, or describes a family although
            items are given.
    """
    if isinstance(family, TaskSampler):
        defaults = {name: field["default"] for name, field in fields("source").items()}
        given = {"params": params, **settings}
        for name, default in {**defaults, "params": None, "style": None}.items():
            if given[name] != default:
                msg = (
                    f"`{name}` is {_checks.shown(given[name])}, but these tasks have their own; leave it out"
                )
                raise InvalidArgument(msg)
        return family
    most = LARGEST_INDEX + 1
    num_tasks, split = settings["num_tasks"], settings["split"]
    count = most if num_tasks is None else _checks.whole("num_tasks", num_tasks, 1, most)
    source = _native.family(family).source(
        seed=settings["task_seed"],
        level=settings["level"],
        params=params,
        split=split,
        style=settings["style"],
    )
    warn_of_repeats(source, num_tasks)
    return TaskSampler(source, count, split)


def generator_of(given: object, split: str = "train") -> Generator:
    """Generator for any source that a caller names.

    Raises:
        ReasonEnvError: The name is unknown, or the object is not a source of tasks.
    """
    source = _source(given, split)
    if source is not None:
        return TaskSampler(source, LARGEST_INDEX + 1, source.split)
    if isinstance(given, str | os.PathLike):
        return _finite(_Listed(_tasks_in(_checks.path("generator", given))))
    if hasattr(given, "sample"):
        return given  # what it gives is checked each time
    if hasattr(given, "task") and hasattr(given, "__len__"):
        return _finite(given)
    if isinstance(given, Sequence) and not isinstance(given, bytes):
        for at, task in enumerate(given):
            if not is_task(task):
                msg = f"item {at} of `generator` is {_checks.shown(task)}, but must be a task"
                raise InvalidArgument(msg)
        return _finite(_Listed(given))
    if not callable(given):
        msg = f"`generator` is {_checks.shown(given)}, but must be {_KINDS}"
        raise InvalidArgument(msg)
    return _CallableSampler(given)


def _source(given: object, split: Any) -> Any:
    """Unlimited source; None if it isn't one."""
    if given is None:
        return _native.Mixture(_native.list_families(), split=split)
    if isinstance(given, str) and given.endswith((".jsonl", ".json")):
        return None
    known = isinstance(given, str | _native.Family | _native.Source | _native.Mixture | RowMixture)
    return as_source(given, "generator", split=split) if known else None


def is_task(given: object) -> bool:
    """True if something can be posed: it has a prompt and an id."""
    return hasattr(given, "prompt") and hasattr(given, "id")


def save_task(generator: Generator, task: Any) -> Any:
    """A task as data that JSON can hold.

    Raises:
        InvalidState: The generator numbers none of its tasks, and has no `save_task`.
    """
    own = getattr(generator, "save_task", None)
    if own is not None:
        return {"own": own(task)}
    if isinstance(task, Task):
        return {"json": task.to_json()}
    index = getattr(task, "index", None)
    if isinstance(generator, TaskSampler) and index is not None:
        return {"index": index, "id": task.id}
    msg = (
        f"the task {_checks.shown(task.id)} cannot be saved: it is not a reasonenv.Task; "
        "give its generator `save_task(task)`, plain data, and `load_task(data)`"
    )
    raise InvalidState(msg)


def load_task(generator: Generator, saved: Any) -> Any:
    """The task that `save_task` saved; bad data raises a ValueError or a similar error."""
    if "own" in saved:
        load: Any = getattr(generator, "load_task")  # noqa: B009  the protocol leaves it out
        return load(saved["own"])
    if "json" in saved:
        return Task.from_json(saved["json"])
    if not isinstance(generator, TaskSampler):
        raise ValueError("its task is a numbered one, and this generator numbers none")
    task = generator.task(_checks.whole("index", saved["index"], 0, generator.count - 1))
    if task.id != saved["id"]:
        raise ValueError("it poses other items than this env; make both with the same arguments")
    return task


def _finite(tasks: Any) -> TaskSampler:
    if not len(tasks):
        raise InvalidArgument("`generator` has no tasks, but must have one or more")
    return TaskSampler(tasks, len(tasks))


def _field(given: Any, name: str) -> Any:
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


def _tasks_in(path: Path) -> list[Task]:
    tasks = []
    for number, line in _files.lines(str(path)):
        try:
            tasks.append(Task.from_json(line))
        except _native.ReasonEnvError as error:
            msg = f"{path}, line {number}: {error}"
            raise InvalidTask(msg) from None
    return tasks
