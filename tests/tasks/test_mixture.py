"""A source over several families."""

import copy
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
import reasonenv
from reasonenv import Mixture
from reasonenv.data import HoldOut, build_dataset
from reasonenv.errors import InvalidArgument, UnknownFamily
from reasonenv.rollouts import clustered_interval


def mixture(**kwargs: Any) -> Mixture:
    sources: Any = ["chain_sum", ("sudoku", 2), reasonenv.family("reverse_text").source(level=1, seed=9)]
    return Mixture(sources, **{"seed": 3, **kwargs})


def test_each_index_has_an_item_of_one_source() -> None:
    batch = mixture().batch(0, 300)
    assert set(batch.families) == {"chain_sum", "sudoku", "reverse_text"}
    assert {(task.family, task.level, task.seed) for task in batch} == {
        ("chain_sum", 0, 3),
        ("sudoku", 2, 3),
        ("reverse_text", 1, 9),
    }
    for task in batch[:20]:
        source = reasonenv.family(task.family).source(level=task.level or 0, seed=task.seed or 0)
        assert source[task.index or 0] == task
    assert len(set(batch.ids)) == 300
    answers = [task.wrap(task.solution.answer) for task in batch]
    assert batch.verify(answers).passed.all()


def test_weights_are_the_shares_of_the_sources() -> None:
    drawn = mixture(weights=[6, 3, 0])
    assert drawn.weights == pytest.approx([2 / 3, 1 / 3, 0])
    names, counts = np.unique(drawn.batch(0, 3_000).families, return_counts=True)
    assert dict(zip(names, counts, strict=True)) == pytest.approx(
        {"chain_sum": 2_000, "sudoku": 1_000}, rel=0.1
    )


def test_it_reads_like_a_source() -> None:
    drawn = mixture()
    assert [task.id for task in drawn[5:25:4]] == [drawn[i].id for i in range(5, 25, 4)]
    assert drawn.tasks([7, 7]).ids == [drawn.task(7).id] * 2
    assert [task.id for task in itertools.islice(drawn, 5)] == drawn.batch(0, 5).ids
    assert repr(drawn) == (
        "<Mixture of 0.333 chain_sum level 0, 0.333 sudoku level 2, 0.333 reverse_text level 1; train seed 3>"
    )


def test_one_definition_gives_one_stream() -> None:
    first = mixture().batch(0, 50).ids
    for same in (mixture(), copy.deepcopy(mixture()), pickle.loads(pickle.dumps(mixture()))):
        assert same.batch(0, 50).ids == first
    assert mixture(seed=4).batch(0, 50).families != mixture().batch(0, 50).families
    names = Mixture(["chain_sum", "sudoku"]).sources
    assert [source.family.name for source in names] == ["chain_sum", "sudoku"]


def test_items_do_not_depend_on_threads() -> None:
    try:
        reasonenv.set_num_threads(1)
        alone = mixture().batch(0, 200).prompts
        reasonenv.set_num_threads(4)
        assert mixture().batch(0, 200).prompts == alone
    finally:
        reasonenv.set_num_threads(0)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"sources": []}, "`sources` has 0 entries, but must have between 1 and 4096"),
        ({"sources": "sudoku"}, "`sources` is 'sudoku', but must be a sequence"),
        ({"sources": 7}, "`sources` is 7, but must be a sequence"),
        ({"sources": [7]}, r"`sources\[0\]` is 7, but must be a family, its name, a pair"),
        ({"sources": ["sudoku"], "weights": [1, 2]}, "2 `weights` for 1 `sources`"),
        ({"sources": ["sudoku"], "weights": [-1]}, r"`weights\[0\]` is -1, but must be a finite number"),
        ({"sources": ["sudoku"], "weights": [float("nan")]}, r"`weights\[0\]` is NaN"),
        ({"sources": ["sudoku"], "weights": ["1"]}, r"`weights\[0\]` is '1', but must be a number"),
        ({"sources": ["sudoku"], "weights": [0]}, "`weights` are all 0"),
        ({"sources": ["sudoku"], "weights": 1}, "`weights` is 1, but must be a sequence"),
        ({"sources": itertools.repeat("sudoku")}, "`sources` has more than 4096 entries"),
        ({"sources": ["sudoku"], "seed": -1}, "`seed` is -1"),
    ],
)
def test_bad_arguments_are_named(args: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        Mixture(args.pop("sources"), **args)


def test_a_mixture_has_one_split() -> None:
    sources = [reasonenv.family("sudoku").source(split=split) for split in ("train", "test")]
    with pytest.raises(InvalidArgument, match="a mixture has one split"):
        Mixture(sources)
    with pytest.raises(UnknownFamily, match="did you mean `chain_sum`"):
        Mixture(["chan_sum"])  # type: ignore[list-item]


def test_a_mapping_gives_each_source_its_weight() -> None:
    weighted = Mixture({("chain_sum", 2): 3, "sudoku": 1}, seed=5)
    assert weighted.weights == pytest.approx([0.75, 0.25])
    listed = Mixture([("chain_sum", 2), "sudoku"], weights=[3, 1], seed=5)
    assert weighted.batch(0, 50).ids == listed.batch(0, 50).ids
    assert pickle.loads(pickle.dumps(weighted)).weights == weighted.weights
    with pytest.raises(InvalidArgument, match=r"`weights` is \[1\], but `sources` has weights"):
        Mixture({"sudoku": 1}, weights=[1])
    with pytest.raises(InvalidArgument, match=r"`weights` is .*, but must be a sequence"):
        Mixture(["sudoku"], weights={"sudoku": 1})  # type: ignore[dict-item]


def test_a_mapping_whose_values_would_be_ignored_is_refused() -> None:
    batch = reasonenv.family("sudoku").batch(count=1)
    wrong: list[Any] = [
        lambda: batch.verify(dict.fromkeys(batch.answers, 1)),  # type: ignore[arg-type]
        lambda: reasonenv.Batch({batch[0]: 3}),
        lambda: reasonenv.family("sudoku").source().tasks({0: 1}),
        lambda: reasonenv.evaluate("sudoku", "oracle", level={0: 1}),  # type: ignore[arg-type]
        lambda: build_dataset("nowhere", "sudoku", levels={0: 1}),
        lambda: HoldOut(levels={0: 1}),
        lambda: clustered_interval({3: 1}, 4),
    ]
    for call in wrong:
        with pytest.raises(InvalidArgument):
            call()
