"""reasoning-gym's way of making data sets, over our families. Needs no extra, and not reasoning-gym either.

    from reasonenv.integrations import reasoning_gym

    data = reasoning_gym.create_dataset("countdown", size=10, seed=42)
    for item in data:
        assert data.score_answer(item["answer"], item) == 1.0

A program is ported by changing its import: names of theirs that have a counterpart here are taken too.
"""

import operator
import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypedDict, overload

import reasonenv
from reasonenv import _checks
from reasonenv._native import InvalidArgument, Mixture, Source, Task
from reasonenv.integrations._items import score, task_of

__all__ = [
    "ProceduralDataset",
    "create_dataset",
    "get_score_answer_fn",
    "list_datasets",
]

NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "base_conversion": "base_conversion",
        "basic_arithmetic": "basic_arithmetic",
        "caesar_cipher": "caesar_cipher",
        "calendar_arithmetic": "calendar_arithmetic",
        "chain_sum": "chain_sum",
        "countdown": "countdown",
        "fraction_simplification": "fraction_arithmetic",
        "futoshiki": "futoshiki",
        "game_of_life": "game_of_life",
        "graph_color": "graph_coloring",
        "intermediate_integration": "integration",
        "jugs": "jugs",
        "knights_knaves": "knights_and_knaves",
        "letter_counting": "letter_counting",
        "list_functions": "list_functions",
        "maze": "maze",
        "mini_sudoku": "sudoku",
        "n_queens": "n_queens",
        "number_sequence": "number_sequence",
        "number_sorting": "sorting",
        "palindrome_generation": "palindrome_completion",
        "polynomial_multiplication": "polynomial_multiplication",
        "prime_factorization": "prime_factorization",
        "propositional_logic": "propositional_entailment",
        "sentence_reordering": "unscramble_sentence",
        "shortest_path": "shortest_path",
        "simple_geometry": "coordinate_geometry",
        "simple_integration": "integration",
        "sokoban": "sokoban",
        "spell_backward": "reverse_text",
        "string_manipulation": "string_rewriting",
        "sudoku": "sudoku",
        "tower_of_hanoi": "tower_of_hanoi",
        "word_sorting": "word_sorting",
        "zebra_puzzles": "zebra_puzzle",
    }
)
"""Names of theirs, and the family here that is nearest. Params are ours, as their levels are."""

OTHER_TASKS: Final = frozenset(
    {
        "fraction_simplification",
        "number_sorting",
        "palindrome_generation",
        "propositional_logic",
        "sentence_reordering",
        "shortest_path",
        "simple_geometry",
    }
)
"""Names of theirs whose family here poses another task of the same kind; `create_dataset` warns of them."""

_MOST = 2**63


class Entry(TypedDict):
    """What a data set gives at an index."""

    question: str
    answer: str
    metadata: dict[str, Any]
    """`source_dataset`, `source_index`, `difficulty` (of this very item, 0 to 1), and `problem`, which is all
    that judging needs and gives the answer away."""


class ProceduralDataset(Sequence[Entry]):
    """Items by their index, the same each time; made when they are asked for.

    Attributes:
        name: What was asked for.
        size: How many items there are.
        seed: What they are drawn from.
        source: Where they come from.
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
        """The item at an index, or those of a slice."""
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
        """What an answer to an item is worth, from 0 to 1; see `score_answer`."""
        return score_answer(answer, entry)

    def __repr__(self) -> str:
        return f"create_dataset({self.name!r}, size={self.size}, seed={self.seed})"


def score_answer(answer: str | None, entry: Mapping[str, Any]) -> float:
    """What an answer to an item is worth, from 0 to 1, and 1 exactly where it is right.

    The answer may stand alone, as theirs do, or in the tags that the question asks for. It needs no data set.

    Raises:
        InvalidArgument: The entry is no item of ours.
        InvalidTask: Its problem is none.
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
    """`score_answer`, whatever the name; raises UnknownFamily where there is no such family."""
    if name != "composite":
        reasonenv.family(NAMES.get(name, name))
    return score_answer


def list_datasets() -> list[str]:
    """The names that `create_dataset` takes: ours, and theirs that have a counterpart."""
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
    """A data set of a family, by our name or theirs, or with "composite" of several.

    Args:
        name: One of `list_datasets()`.
        size: How many items.
        seed: What they are drawn from. None draws one, which `Dataset.seed` tells.
        level: Difficulty, from 0 to the family's `top_level`.
        split: "train", "eval" or "test"; no two share an item.
        datasets: For "composite": `{"name": …, "weight": …, "config": {…}}` each, as theirs.
        **config: Params of the family that replace the level's.

    Raises:
        ReasonEnvError: An argument names nothing that exists or is out of bounds; it says which.
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
    family = reasonenv.family(NAMES.get(name, name))
    if name in OTHER_TASKS:
        told = f"`{name}` is `{family.name}` here, which poses another task than reasoning-gym's `{name}`"
        warnings.warn(told, stacklevel=3)
    return family.source(seed=seed, level=level, split=split, params=params or None)
