"""reasoning-gym itself beside what stands for it: items of the same keys, calls of the same names."""

import inspect

import reasoning_gym as package
from reasonenv.integrations import reasoning_gym


def test_names_of_theirs_are_theirs() -> None:
    from reasoning_gym.factory import DATASETS  # noqa: PLC0415

    assert {*reasoning_gym.NAMES, *reasoning_gym.MISSING} == set(DATASETS) - {"composite"}


def test_items_and_scores_have_the_same_shape() -> None:
    theirs = package.create_dataset("chain_sum", size=5, seed=42)
    ours = reasoning_gym.create_dataset("chain_sum", size=5, seed=42)
    assert len(theirs) == len(ours)
    for one, other in zip(theirs, ours, strict=True):
        assert set(one) == set(other)
        assert {"source_dataset", "source_index", "difficulty"} <= set(one["metadata"]) & set(
            other["metadata"]
        )
        assert theirs.score_answer(one["answer"], one) == ours.score_answer(other["answer"], other) == 1.0
        assert ours.score_answer(None, other) == 0.0
        scored = package.get_score_answer_fn("chain_sum")(one["answer"], one)
        assert scored == reasoning_gym.get_score_answer_fn("chain_sum")(other["answer"], other)
    parameters = inspect.signature(package.create_dataset).parameters
    assert next(iter(parameters)) == next(iter(inspect.signature(reasoning_gym.create_dataset).parameters))
