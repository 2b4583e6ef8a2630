"""reasoning-gym's interface for data sets, with our families. Needs neither an extra nor reasoning-gym.

    from reasonenv.integrations import reasoning_gym

    data = reasoning_gym.create_dataset("countdown", size=10, seed=42)
    for item in data:
        assert data.score_answer(item["answer"], item) == 1.0

To port a program, change its import: names of reasoning-gym that have a counterpart here work too.
"""

import operator
import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypedDict, overload

import reasonenv
from reasonenv import _checks
from reasonenv._native import InvalidArgument, Mixture, Source, Task, UnknownName
from reasonenv.integrations._items import score, task_of
from reasonenv.integrations._reasoning_gym_names import MISSING, NAMES, Counterpart

__all__ = [
    "MISSING",
    "NAMES",
    "Counterpart",
    "ProceduralDataset",
    "create_dataset",
    "get_score_answer_fn",
    "list_datasets",
]

_MOST = 2**63


class Entry(TypedDict):
    """An item of a data set."""

    question: str
    answer: str
    metadata: dict[str, Any]
    """`source_dataset`, `source_index`, `difficulty` (of this item, 0 to 1), and `problem`, which has all
    that verification needs and contains the answer."""


class ProceduralDataset(Sequence[Entry]):
    """A data set whose items are generated on access, always the same at each index.

    Attributes:
        name: Name given to `create_dataset`.
        size: Number of items.
        seed: Seed of the items.
        source: Source of the items.
    """

    def __init__(self, name: str, source: Source | Mixture, size: int, seed: int) -> None:
        self.name, self.source, self.size, self.seed = name, source, size, seed

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        """Return the item at an index, or those of a slice."""
        if isinstance(index, slice):
            return [self._item(at) for at in range(self.size)[index]]
        try:
            return self._item(range(self.size)[operator.index(index)])
        except IndexError:
            raise IndexError(f"index {index} is out of range; the data set has {self.size} items") from None

    def __iter__(self) -> Iterator[Entry]:
        return map(self._item, range(self.size))

    def _item(self, index: int) -> Entry:
        task = self.source.task(index)
        told = {
            "source_dataset": task.family,
            "source_index": index,
            "difficulty": task.difficulty,
            "level": task.level,
            "task_id": task.id,
            "problem": task.to_json(),
        }
        return {"question": task.prompt, "answer": task.solution.answer, "metadata": told}

    def score_answer(self, answer: str | None, entry: Mapping[str, Any]) -> float:
        """Return the score of an answer to an item, from 0 to 1; see `score_answer`."""
        return score_answer(answer, entry)

    def __repr__(self) -> str:
        return f"create_dataset({self.name!r}, size={self.size}, seed={self.seed})"


def score_answer(answer: str | None, entry: Mapping[str, Any]) -> float:
    """Return the score of an answer to an item, from 0 to 1; only a right answer scores 1.

    The answer may be bare, as in reasoning-gym, or in the tags that the question asks for. No data set is
    needed.

    Raises:
        InvalidArgument: The entry is not an item of this package.
        InvalidTask: Its problem is invalid.
    """
    metadata = entry.get("metadata") if isinstance(entry, Mapping) else None
    if not isinstance(metadata, Mapping) or "problem" not in metadata:
        msg = f"`entry` is {_checks.shown(entry)}, but must be an item that a data set of ours gave"
        raise InvalidArgument(msg)
    if not isinstance(answer, str):
        return 0.0
    task = task_of(metadata["problem"])
    tag = task.answer_tag if isinstance(task, Task) else "answer"
    marks = ("\\boxed{",) if tag is None else (f"<{tag}>", f"</{tag}>")
    marked = any(mark in answer for mark in marks)
    return score(answer if marked else task.wrap(answer), metadata["problem"]).score


def get_score_answer_fn(name: str) -> Callable[[str | None, Mapping[str, Any]], float]:
    """Return `score_answer` for any name; raise UnknownFamily if the family does not exist."""
    if name != "composite":
        _counterpart(name)
    return score_answer


def list_datasets() -> list[str]:
    """Return the names for `create_dataset`: our families, and reasoning-gym's names with a counterpart."""
    return sorted({*reasonenv.list_families(), *NAMES, "composite"})


def create_dataset(
    name: str,
    *,
    size: int = 500,
    seed: int | None = None,
    level: int = 0,
    split: Any = "train",
    datasets: Iterable[Mapping[str, Any]] | None = None,
    **config: Any,
) -> ProceduralDataset:
    """Create a data set of a family, by our name or reasoning-gym's, or with "composite" of several.

    Args:
        name: One of `list_datasets()`.
        size: Number of items.
        seed: Seed of the items. None draws one; see the attribute `seed`.
        level: Level, from 0 to the family's `top_level`.
        split: "train", "eval" or "test"; they share no item.
        datasets: For "composite": a list of `{"name": …, "weight": …, "config": {…}}`, as in reasoning-gym.
        **config: Params of the family that override those of the level.

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """
    size = _checks.whole("size", size, 1, _MOST)
    seed = random.SystemRandom().getrandbits(32) if seed is None else _checks.seed("seed", seed)
    if name != "composite":
        if datasets is not None:
            raise InvalidArgument('`datasets` is given, but only "composite" is made of some')
        return ProceduralDataset(name, _source(name, seed, level=level, split=split, **config), size, seed)
    if config or level:
        msg = f"`{next(iter(config), 'level')}` is given, but belongs in the `config` of one of `datasets`"
        raise InvalidArgument(msg)
    sources, weights = list[Source](), list[float]()
    for spec in datasets or ():
        if not isinstance(spec, Mapping) or "name" not in spec:
            msg = f"`datasets` has {_checks.shown(spec)}, but must have objects with `name`"
            raise InvalidArgument(msg)
        given = _checks.mapping("config", spec.get("config")) or {}
        sources.append(_source(spec["name"], seed, **{"split": split, **given}))
        weights.append(_checks.number("weight", spec.get("weight", 1.0), 0))
    return ProceduralDataset(name, Mixture(sources, weights=weights, split=split, seed=seed), size, seed)


def _source(name: str, seed: int, *, level: int = 0, split: Any = "train", **params: Any) -> Source:
    found = _counterpart(name)
    if found.differs:
        told = f"`{name}` is `{found.family}` here, which differs from reasoning-gym's: {found.differs}"
        warnings.warn(told, stacklevel=3)
    given = {**found.params, **params}
    return reasonenv.family(found.family).source(seed=seed, level=level, split=split, params=given or None)


def _counterpart(name: str) -> Counterpart:
    """The family of a name of ours or of reasoning-gym's.

    Raises:
        UnknownName: There is none; says why, or names the nearest.
    """
    if name in MISSING and name not in reasonenv.list_families():
        raise UnknownName(f"reasoning-gym's `{name}` has no counterpart here: {MISSING[name]}")
    return NAMES.get(name) or Counterpart(reasonenv.family(name).name)
