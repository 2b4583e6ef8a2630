"""Sources of tasks: whatever names one means the same wherever tasks come from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from reasonenv.data import TaskSource, build_dataset
from reasonenv.data._sources import as_source, count_of, families_of, is_source
from reasonenv.errors import InvalidArgument
from reasonenv.integrations import items
from reasonenv.rollouts import evaluate, rollout

FAMILY = reasonenv.family("sorting")
ROWS = reasonenv.from_rows([{"question": "2 + 2?", "answer": 4}], verifier="number_equal")


class Odd:
    """Every other task of a family."""

    def task(self, index: int, /) -> reasonenv.Task:
        return FAMILY.source().task(2 * index + 1)

    def batch(self, start: int, count: int, /) -> reasonenv.Batch:
        return FAMILY.source().tasks(range(2 * start + 1, 2 * (start + count), 2))


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ("sorting", None),
        (FAMILY, None),
        (FAMILY.source(level=1), None),
        (reasonenv.Mixture(["sorting", "tsp"]), None),
        (FAMILY.batch(count=3), 3),
        (list(FAMILY.batch(count=3)), 3),
        (ROWS, 1),
        (Odd(), None),
    ],
)
def test_everything_that_names_a_source_is_one(given: Any, count: int | None) -> None:
    source = as_source(given)
    assert isinstance(source, TaskSource)
    assert is_source(given)
    assert count_of(source) == count
    assert source.batch(0, 1)[0].id == source.task(0).id
    summary = evaluate({"mine": given}, n=2)
    assert (summary[0].source, summary[0].pass_rate) == ("mine", 1)
    assert next(items(given, 1)).id == source.task(0).id


def test_families_are_those_of_the_tasks() -> None:
    mixed = reasonenv.Mixture(["tsp", "sorting"])
    assert [one.name for one in families_of(mixed)] == ["sorting", "tsp"]
    assert [one.name for one in families_of(FAMILY.batch(count=2))] == ["sorting"]
    assert families_of(ROWS) == []


def test_a_source_of_the_callers_own_is_numbered_as_it_says(tmp_path: Path) -> None:
    result = rollout(Odd(), "noisy:0.5", n=3, group_size=2, saving=tmp_path)
    assert [group[0].task_id for group in result.groups] == [Odd().task(at).id for at in range(3)]
    assert result[0].family == "sorting"
    assert [one.task_id for one in rollout(Odd(), "noisy:0.5", n=3, group_size=2, saving=tmp_path)] == [
        one.task_id for one in result
    ]


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda given: evaluate([given, "tsp"]), r"tasks\[0\]"),
        (lambda given: rollout({"mine": given}, "oracle"), r"tasks\['mine'\]"),
        (lambda given: list(items(given, 1)), "source"),
    ],
)
def test_what_is_no_source_is_told_in_the_same_words(call: Callable[[Any], Any], field: str) -> None:
    with pytest.raises(InvalidArgument, match=rf"`{field}` is 3, but must be a family or its name"):
        call(3)
    with pytest.raises(InvalidArgument, match=f"item 1 of `{field}` is 3, but must be a task"):
        call([FAMILY.sample(), 3])


def test_a_data_set_takes_families_by_name_or_themselves(tmp_path: Path) -> None:
    first, again = (
        build_dataset(tmp_path / str(at), given, 20)  # type: ignore[arg-type]
        for at, given in enumerate(["sorting", FAMILY])
    )
    assert first == again
    with pytest.raises(InvalidArgument, match="`families` has 3, but must have families"):
        build_dataset(tmp_path / "c", ["sorting", 3])  # type: ignore[list-item]
