"""Rewards: named parts with weights."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import reasonenv
from reasonenv import Verdicts, rewards
from reasonenv.errors import InvalidArgument, UnknownName
from reasonenv.rewards import Reward, _parts


def judged() -> tuple[reasonenv.Batch, list[str], Verdicts]:
    """A right answer, a wrong one, and none."""
    batch = reasonenv.family("ascii_tree").batch(count=3, level=2)
    right = [task.wrap(task.solution.answer) for task in batch]
    near = batch[1].wrap(batch[1].wrong_answers()[0])
    texts = [right[0], near, "I do not know."]
    return batch, texts, batch.verify(texts)


def test_parts_are_what_the_judge_and_the_caller_measured() -> None:
    _, texts, verdicts = judged()
    names = {"correct", "partial", "format", "length", "invalid", "process", "line_similarity"}
    parts = Reward(dict.fromkeys(names, 2.0), guard=False).parts(
        verdicts, texts, invalid=[0, 1, 3], process=[1, 0.5, 0]
    )
    assert parts.keys() == names
    assert parts["correct"].tolist() == [2, 0, 0]
    assert parts["partial"].tolist() == (2 * verdicts.score.astype(float)).tolist()
    assert parts["format"].tolist()[::2] == [2, 0]
    assert parts["length"] == pytest.approx([-2 * len(text) / 1000 for text in texts])
    assert parts["invalid"].tolist() == [0, -2, -6]
    assert parts["process"].tolist() == [2, 1, 0]
    assert parts["line_similarity"] == pytest.approx(2 * verdicts.parts["line_similarity"])


def test_a_reward_is_the_weighted_sum() -> None:
    _, texts, verdicts = judged()
    reward = Reward({"correct": 1, "format": 0.2, "length": 0.1}, guard=False)
    assert reward(verdicts, texts) == pytest.approx(sum(reward.parts(verdicts, texts).values()))
    assert reward(verdicts, lengths=[1000, 2000, 3000])[2] == pytest.approx(-0.3)
    # One verdict is a batch of one.
    assert reward(verdicts[1], texts[1]) == reward(verdicts, texts)[1]
    assert isinstance(reward(verdicts[1], texts[1]), float)
    for weights in (
        {"correct": 1, "length": 50},
        {"correct": 0.1, "partial": 0.9, "process": 3, "cost": 0.5},
    ):
        both = Reward(weights)
        columns: dict[str, list[float]] = {"process": [1.0, 2.0, 0.5], "cost": [0, 1, 2]}
        one_by_one = [
            both(verdicts[i], texts[i], **{name: column[i] for name, column in columns.items()})
            for i in range(3)
        ]
        assert both(verdicts, texts, **columns) == pytest.approx(one_by_one, abs=1e-6)
    assert reward(Verdicts(verdicts), texts).tolist() == reward(verdicts, texts).tolist()


@pytest.mark.parametrize("length", [0.0, 1.0, 1_000.0])
@pytest.mark.parametrize("partial", [0.0, 0.5, 50.0])
def test_shaping_cannot_outrank_correctness(length: float, partial: float) -> None:
    _, texts, verdicts = judged()
    weights = {"correct": 0.4, "partial": partial, "length": length}
    long = [texts[0] + " " * 10_000, *texts[1:]]
    guarded = Reward(weights)(verdicts, long)
    assert guarded[0] >= guarded[1:].max() + 0.2 - 1e-12
    free = Reward(weights, guard=False)(verdicts, long)
    if length == 1_000.0:
        assert free[0] < free[1]


def test_a_part_that_a_row_lacks_counts_nothing() -> None:
    tree, other = reasonenv.family("ascii_tree").sample(), reasonenv.family("chain_sum").sample()
    batch = reasonenv.Batch([tree, other])
    verdicts = batch.verify([task.wrap(task.solution.answer) for task in batch])
    assert Reward({"line_similarity": 1.0}, guard=False)(verdicts).tolist() == [1.0, 0.0]
    with pytest.raises(UnknownName, match="no part of a reward `line_similarty`; did you mean"):
        Reward({"line_similarty": 1.0}, guard=False)


def test_presets_pay_a_right_answer_in_full_and_a_wrong_one_less() -> None:
    _, texts, verdicts = judged()
    assert set(rewards.list_presets()) >= {
        "binary",
        "reasonrl-v3",
        "reasonrl-v4",
        "reasonrl-v5",
        "synthetic2",
    }
    known = {*_parts.PARTS, *reasonenv.family("ascii_tree").parts}
    for name in rewards.list_presets():
        reward = rewards.preset(name)
        assert reward.weights.keys() <= known
        if not reward.weights.keys().isdisjoint(_parts.MEASURED):
            continue
        paid = reward(verdicts, texts)
        assert paid[0] == pytest.approx(1.0)
        assert paid[0] > paid[1] >= paid[2] >= 0
    assert rewards.preset("synthetic2")(verdicts) == pytest.approx(
        reasonenv.verifiers.ascii_tree(scorer="compat")(texts, [t.solution.answer for t in judged()[0]]).score
    )


def test_the_format_labels_are_labels() -> None:
    assert reasonenv.verifiers.common_failures().keys() >= _parts.FORMAT_FAILURES


def test_rewards_are_values() -> None:
    reward = Reward({"correct": 1, "format": 0.5})
    for other in (copy.deepcopy(reward), pickle.loads(pickle.dumps(reward)), Reward(reward.weights)):
        assert other == reward
        assert hash(other) == hash(reward)
    assert reward != Reward({"correct": 1})
    assert repr(Reward({"partial": 1.0}, guard=False)) == "Reward({'partial': 1.0}, guard=False)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Reward({}), "`weights` is {}, but must give a weight to each"),
        (
            lambda: Reward({"correct": -1}),
            r"`weights\['correct'\]` is -1, but must be a number of at least 0",
        ),
        (lambda: Reward({"partial": 1}), "must give `correct` a weight above 0"),
        (
            lambda: Reward({"correct": 1, "length": 1})(judged()[2]),
            "give the completions as `texts`, or `lengths`",
        ),
        (lambda: Reward({"correct": 1, "cost": 1})(judged()[2]), "the part `cost`, which is the caller's"),
        (
            lambda: Reward({"correct": 1, "cost": 1})(judged()[2], cost=[1]),
            "a finite number for each of the 3",
        ),
        (
            lambda: Reward({"correct": 1, "length": 1})(judged()[2], ["a"]),
            "the 3 completions of the verdicts",
        ),
    ],
)
def test_bad_arguments_are_named(make: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        make()


def test_unknown_names_are_told() -> None:
    with pytest.raises(UnknownName, match="did you mean `reasonrl-v5`"):
        rewards.preset("reasonrl-v6")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="did you mean `cost`"):
        Reward({"correct": 1})(judged()[2], costs=[1, 2, 3])


def test_verdicts_are_made_of_verdicts() -> None:
    _, _, verdicts = judged()
    assert Verdicts(list(verdicts)) == verdicts
    assert Verdicts([]).passed.shape == (0,)
    with pytest.raises(InvalidArgument, match=r"`verdicts\[1\]` is 7, but must be a Verdict"):
        Verdicts([verdicts[0], 7])  # type: ignore[list-item]
    assert np.array_equal(Verdicts(verdicts).score, verdicts.score)


def test_the_guard_does_nothing_where_nothing_is_to_be_guarded() -> None:
    """0.2 is the most that shaping pays, though (1.0 + 0.2) - 1.0 is less."""
    _, _, verdicts = judged()
    assert Reward({"correct": 1.0, "format": 0.2}).parts(verdicts)["guard"].tolist() == [0, 0, 0]


def test_lambdas_and_the_unit_of_length_are_arguments() -> None:
    _, texts, verdicts = judged()
    reward = Reward.shaped(format=0.2, length=0.05, length_per=10, guard=False)
    form = Reward({"format": 1.0}, guard=False)(verdicts)
    told = verdicts.passed + 0.2 * form - [0.005 * len(text) for text in texts]
    assert reward(verdicts, texts) == pytest.approx(told)
    assert [reward(one, text) for one, text in zip(verdicts, texts, strict=True)] == pytest.approx(told)
    tokens = Reward.shaped(length=0.1, length_unit="tokens", length_per=100)
    assert tokens(verdicts, texts, lengths=[200, 0, 0])[0] == pytest.approx(0.8)
    assert tokens(verdicts[0], texts[0], lengths=200) == pytest.approx(0.8)
    for call in (lambda: tokens(verdicts, texts), lambda: tokens(verdicts[0], texts[0])):
        with pytest.raises(InvalidArgument, match="length` in tokens: give each completion's number"):
            call()
    assert tokens == eval(repr(tokens))
    assert tokens != Reward.shaped(length=0.1, length_unit="tokens")
    assert Reward.shaped() == Reward({"correct": 1.0})
    with pytest.raises(InvalidArgument, match="`length_per` is 0, but must be a number above 0"):
        Reward.shaped(length=1, length_per=0)
    with pytest.raises(UnknownName, match="unknown length_unit 'words'; choose 'characters' or 'tokens'"):
        Reward.shaped(length=1, length_unit="words")  # type: ignore[arg-type]
