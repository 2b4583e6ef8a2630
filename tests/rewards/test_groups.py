"""Groups of rollouts, compared with brute force."""

import itertools
import math
import statistics
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given as over
from hypothesis import strategies as st
from reasonenv.errors import InvalidArgument
from reasonenv.rewards import groups
from reasonenv.rewards.groups import (
    advantages,
    best_of_n,
    discounted_return,
    dynamic_sampling,
    flat_reward,
    maj_at_k,
    mixed_passes,
    monte_carlo_value,
    overlong_filter,
    pass_at_k,
)

REWARDS = st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0, -2.0]), min_size=1, max_size=6)
COUNTED = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.booleans()), min_size=1, max_size=7)


@pytest.mark.parametrize(("n", "c"), [(5, 0), (5, 2), (5, 5), (6, 1)])
def test_pass_at_k_counts_the_subsets(n: int, c: int) -> None:
    for k in range(1, n + 1):
        subsets = list(itertools.combinations([True] * c + [False] * (n - c), k))
        assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


def test_pass_at_k_holds_for_many_rollouts_and_refuses_too_many() -> None:
    assert pass_at_k(10_000, 1, 5_000) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="`k` is 9, but must be between 1 and 8"):
        pass_at_k(8, 1, 9)
    with pytest.raises(ValueError, match="`c` is 9"):
        pass_at_k(8, 9, 1)


def test_advantages_are_centred_and_scaled_within_each_group() -> None:
    rewards = [[0, 0, 0, 1], [1, 1, 1, 1], [0, 1, 0, 1]]
    given = advantages(rewards)
    assert given.shape == (3, 4)
    assert given.sum(axis=1) == pytest.approx(np.zeros(3))
    assert given[0, 3] == pytest.approx(0.75 / (0.5 + 1e-4))
    assert given[1].tolist() == [0, 0, 0, 0]
    assert advantages(rewards, sigma=None)[0].tolist() == [-0.25, -0.25, -0.25, 0.75]
    assert advantages(rewards[0]).tolist() == given[0].tolist()


def test_equal_rewards_have_no_advantage_whatever_they_round_to() -> None:
    assert advantages([0.1] * 7, delta=0.0 + 1e-12).tolist() == [0.0] * 7
    assert advantages([[0.3], [0.9]]).tolist() == [[0.0], [0.0]]
    assert not math.isnan(advantages([1.0])[0])
    with pytest.raises(ValueError, match="3 dimensions"):
        advantages(np.zeros((2, 2, 2)))


@over(COUNTED, st.sampled_from([None, "group"]))
def test_masked_rollouts_are_as_good_as_absent(rows: list[tuple[float, bool]], sigma: Any) -> None:
    rewards, mask = map(list, zip(*rows, strict=True))
    kept = [reward for reward, counts in rows if counts]
    given = advantages(rewards, sigma=sigma, mask=mask)
    assert given[~np.array(mask)].tolist() == [0.0] * (len(rows) - len(kept))
    if kept:
        assert given[np.array(mask)] == pytest.approx(advantages(kept, sigma=sigma))
        assert flat_reward(rewards, mask=mask) == (len(set(kept)) == 1)
        assert best_of_n(rewards, mask=mask) == pytest.approx(max(kept))
        assert monte_carlo_value(rewards, mask=mask).mean == pytest.approx(statistics.fmean(kept))
    else:
        assert flat_reward(rewards, mask=mask)
        assert np.isnan(best_of_n(rewards, mask=mask))
        assert np.isnan(monte_carlo_value(rewards, mask=mask).mean)
    assert advantages([rewards, rewards], sigma=sigma, mask=[mask, mask])[1] == pytest.approx(given)


@over(REWARDS)
def test_an_advantage_is_the_distance_from_the_mean_in_deviations(rewards: list[float]) -> None:
    given = advantages(rewards, delta=0.01)
    mean = statistics.fmean(rewards)
    spread = statistics.stdev(rewards) if len(rewards) > 1 else 0.0
    assert given == pytest.approx([(reward - mean) / (spread + 0.01) for reward in rewards], abs=1e-9)
    assert advantages(rewards, sigma=None) == pytest.approx([reward - mean for reward in rewards])
    assert flat_reward(rewards) == (len(set(rewards)) == 1)


def test_the_deviation_can_be_that_of_the_batch() -> None:
    rewards = np.array([[0.0, 1.0], [0.0, 0.2], [1.0, 1.0]])
    given = advantages(rewards, sigma="batch", delta=0.5)
    assert given == pytest.approx(
        (rewards - rewards.mean(axis=1, keepdims=True)) / (rewards.std(ddof=1) + 0.5)
    )
    assert advantages([[1, 1], [1, 1]], sigma="batch", delta=0).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(InvalidArgument, match="unknown sigma 'grupo'; did you mean 'group'"):
        advantages(rewards, sigma="grupo")  # type: ignore[arg-type]


def test_the_two_flags_are_of_two_things() -> None:
    shaped = [[0.0, 0.3], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    passed = [[False, False], [True, True], [False, True], [False, False]]
    assert flat_reward(shaped).tolist() == [False, True, False, True]
    assert mixed_passes(passed).tolist() == [False, False, True, False]
    assert mixed_passes(passed[2]).tolist() is True
    assert mixed_passes(passed[2], mask=[True, False]).tolist() is False
    assert mixed_passes([[0, 1], [1, 1]]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("on_flat", "asked"),
    [
        ("keep", ["keep"] * 4),
        ("drop", ["keep", "drop", "keep", "drop"]),
        ("resample", ["keep", "resample", "keep", "resample"]),
        ("change_level", ["keep", "harder", "keep", "easier"]),
        ("hint", ["keep", "drop", "keep", "hint"]),
    ],
)
def test_flat_groups_are_dealt_with_as_asked(on_flat: groups.OnFlat, asked: list[str]) -> None:
    shaped = [[0.0, 0.3], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    passed = [[False, False], [True, True], [False, True], [False, False]]
    assert dynamic_sampling(shaped, passed, on_flat).tolist() == asked
    assert [dynamic_sampling(*pair, on_flat).tolist() for pair in zip(shaped, passed, strict=True)] == asked


def test_a_text_that_was_cut_off_is_no_failure() -> None:
    mask = overlong_filter([[True, False, False], [True, True, False]], [[True, False, True], [False] * 3])
    assert mask.tolist() == [[True, True, True], [False, False, True]]
    assert overlong_filter([True, False]).tolist() == [False, True]
    assert advantages([0.0, 0.0, 1.0], sigma=None, mask=[False, True, True]).tolist() == [0, -0.5, 0.5]


@over(st.lists(st.integers(0, 6), min_size=1, max_size=8), st.integers(1, 6))
def test_pass_at_k_of_arrays_is_that_of_numbers(right: list[int], k: int) -> None:
    found = pass_at_k(6, right, k)
    assert found.tolist() == [pass_at_k(6, c, k) for c in right]
    assert pass_at_k([[6], [7]], right, k).shape == (2, len(right))


VOTES = st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.booleans()), min_size=1, max_size=6)


def voted(votes: list[tuple[str | None, bool]], everyone: list[tuple[str | None, bool]]) -> float:
    """Expected result of a vote with random tie breaks; an answer counts by its pass rate among everyone."""
    said = Counter(answer for answer, _ in votes if answer is not None)
    if not said:
        return 0.0
    winners = [answer for answer, size in said.items() if size == max(said.values())]
    return statistics.fmean(
        statistics.fmean(well for answer, well in everyone if answer == winner) for winner in winners
    )


@over(VOTES, st.integers(1, 6))
def test_maj_at_k_is_the_mean_over_all_votes(rows: list[tuple[str | None, bool]], k: int) -> None:
    k = min(k, len(rows))
    answers, passed = map(list, zip(*rows, strict=True))
    every = [voted(list(some), rows) for some in itertools.combinations(rows, k)]
    assert maj_at_k(answers, passed, k) == pytest.approx(statistics.fmean(every))
    assert maj_at_k([answers] * 2, [passed] * 2, k)[1] == pytest.approx(statistics.fmean(every))
    assert maj_at_k(answers, passed) == pytest.approx(voted(rows, rows))


def test_a_majority_beats_its_members() -> None:
    assert maj_at_k(["1", "1", "2"], [True, True, False]).tolist() == 1.0
    assert maj_at_k(["1", "2", None], [True, False, False], 3).tolist() == 0.5
    assert maj_at_k(["1"] * 600 + ["2"] * 400, [True] * 600 + [False] * 400, 101).tolist() > 0.97
    assert math.isnan(maj_at_k(["1"], [True], mask=[False]))
    with pytest.raises(InvalidArgument, match="`k` is 3, but must be between 1 and 2"):
        maj_at_k(["1", "2", "3"], [True] * 3, 3, mask=[True, True, False])
    with pytest.raises(InvalidArgument, match="must have 2 answers for each group"):
        maj_at_k([["1"], ["2"]], [[True, True], [True, True]])
    with pytest.raises(InvalidArgument, match="at most 1000 rollouts"):
        maj_at_k(["1"] * 1001, [True] * 1001)


@over(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=6), st.integers(1, 6))
def test_best_of_n_is_the_mean_over_all_choices(rows: list[tuple[int, int]], n: int) -> None:
    n = min(n, len(rows))
    scores, rewards = map(list, zip(*rows, strict=True))
    picked = []
    for some in itertools.combinations(rows, n):
        top = max(score for score, _ in some)
        picked.append(statistics.fmean(reward for score, reward in some if score == top))
    assert best_of_n(scores, rewards, n) == pytest.approx(statistics.fmean(picked))
    assert best_of_n([rewards], n=n)[0] >= statistics.fmean(rewards) - 1e-9


def test_pass_at_k_is_the_best_of_k_by_passing() -> None:
    passed = [[True, False, False, True, False]]
    assert best_of_n(passed, n=3)[0] == pytest.approx(pass_at_k(5, 2, 3))


def test_a_value_is_a_mean_with_its_error() -> None:
    value = monte_carlo_value([[1, 0, 0, 1], [1, 1, 1, 1]])
    assert value.mean.tolist() == [0.5, 1.0]
    assert value.error == pytest.approx([statistics.stdev([1, 0, 0, 1]) / 2, 0])
    assert value.rollouts.tolist() == [4, 4]
    assert math.isnan(monte_carlo_value([1.0]).error)
    assert discounted_return([1, 0, 2], 0.5) == 1.5
    assert discounted_return([]) == 0.0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: advantages([[1, 2], [3]]), "`rewards` is .*, but must be numbers of shape"),
        (
            lambda: advantages([1, 2], mask=[True]),
            r"`mask` has shape \(1,\), but must have that of `rewards`",
        ),
        (lambda: advantages([1, 2], mask=[True, 3]), "`mask` is .*, but must be True or False"),
        (lambda: advantages([1, 2], delta=-1), "`delta` is -1, but must be a number of at least 0"),
        (lambda: mixed_passes([0.5]), r"`passed` is \[0.5\], but must be True or False"),
        (lambda: mixed_passes("yes"), "`passed` is 'yes', but must be True or False"),
        (lambda: dynamic_sampling([1], [True], "dorp"), "unknown on_flat 'dorp'; did you mean 'drop'"),  # type: ignore[arg-type]
        (lambda: dynamic_sampling([1], [True, True], "drop"), r"`passed` has shape \(2,\), but must"),
        (lambda: overlong_filter([True], [True, True]), r"`passed` has shape \(2,\), but must"),
        (lambda: best_of_n([1, 2], n=3), "`n` is 3, but must be between 1 and 2"),
        (lambda: best_of_n([1, 2], [1]), r"`rewards` has shape \(1,\), but must have that of `scores`"),
        (lambda: pass_at_k([2, 4], [1, 1], 3), "`k` is 3, but must be between 1 and 2"),
        (
            lambda: pass_at_k([2, 4], [1, 1, 1], 1),
            r"`c` has shape \(3,\), which does not go with that of `n`",
        ),
        (lambda: pass_at_k([2.5], [1], 1), "`n` is .*, but must be whole numbers"),
        (lambda: maj_at_k("ab", [True, True]), "`answers` is 'ab', but must have an answer for each"),
        (lambda: monte_carlo_value([math.nan]), "`returns` has nan, but must be finite"),
        (lambda: discounted_return([1.0, math.inf]), r"`rewards\[1\]` is inf"),
        (lambda: discounted_return([1.0], 1.5), "`gamma` is 1.5, but must be a number between 0 and 1"),
    ],
)
def test_what_is_wrong_is_named(call: Any, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        call()


def test_no_groups_and_empty_groups_have_shapes_too() -> None:
    assert advantages(np.zeros((0, 4))).shape == (0, 4)
    assert flat_reward(np.zeros((0, 4))).shape == (0,)
    assert dynamic_sampling(np.zeros((0, 4)), np.zeros((0, 4), bool), "drop").shape == (0,)
    assert flat_reward([]).tolist() is True


def test_step_advantages_sum_what_is_still_to_come() -> None:
    found = groups.step_advantages([[1.0, 0.0, 1.0], [0.0], []], sigma=None, gamma=0.5)
    assert [one.tolist() for one in found] == [[0.5 + 0.5 * (-0.5 + 0.25), -0.5 + 0.25, 0.5], [-0.5], []]
    with_one = groups.step_advantages([[1.0], [0.0], [0.0], [1.0]])
    assert np.concatenate(with_one).tolist() == groups.advantages([1.0, 0.0, 0.0, 1.0]).tolist()
    spread = groups.step_advantages([[0.2, 0.9], [0.4]])
    every = np.array([0.2, 0.9, 0.4])
    scaled = (every - every.mean()) / (every.std(ddof=1) + 1e-4)
    assert spread[0].tolist() == pytest.approx([scaled[0] + scaled[1], scaled[1]])
    assert groups.step_advantages([]) == []
    assert [one.tolist() for one in groups.step_advantages([[0.5, 0.5], [0.5]])] == [[0.0, 0.0], [0.0]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("ab", r"`rewards` is 'ab', but must be the rewards of each rollout's steps"),
        ([1.0], r"`rewards\[0\]` is 1.0, but must be the rewards of a rollout's steps"),
        ([[1.0], [float("nan")]], "but must be finite numbers"),
        ([["x"]], "but must be numbers"),
    ],
)
def test_step_rewards_that_are_none(given: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        groups.step_advantages(given)


def test_a_vote_is_weighted_by_the_policys_own_verdicts() -> None:
    answers: list[list[str | None]] = [["7", "8", "7", None], ["1", "2", "2", "3"]]
    assert groups.verifier_vote(answers, [[0.2, 0.9, 0.4, 1.0], [0.9, 0.1, 0.1, 0.3]]) == [1, 0]
    assert groups.verifier_vote(answers, np.ones((2, 4))) == [0, 1]
    assert groups.verifier_vote(answers[0], [0.2, 0.5, 0.4, 1.0]) == [2]
    assert groups.verifier_vote(
        answers, np.ones((2, 4)), mask=[[False] * 4, [True, False, False, False]]
    ) == [None, 0]
    several = np.array([[[0.9, 0.9], [1.0, 0.0], [0.2, 0.1], [0, 0]]])
    assert groups.verifier_vote([["a", "b", "c", "d"]], several.min(axis=-1)) == [0]
    for wrong in ([[0.1] * 3] * 2, [[-1.0] * 4] * 2):
        with pytest.raises(InvalidArgument, match="verdicts"):
            groups.verifier_vote(answers, wrong)


def test_the_pessimistic_choice_is_the_surest_answer() -> None:
    answers = ["7", "7", "8", None]
    verdicts = np.array([[1, 1, 1, 1, 0], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]])
    assert groups.pessimistic_best(answers, verdicts, z=0) == [2]  # by the mean alone
    assert groups.pessimistic_best(answers, verdicts, z=3) == [1]  # ten verdicts tell more than five
    assert groups.pessimistic_best([answers] * 2, [verdicts, 1 - verdicts], z=0) == [2, 0]
    assert groups.pessimistic_best(answers, verdicts, mask=[False, False, True, True]) == [2]
    assert groups.pessimistic_best([None] * 4, verdicts) == [None]
    for name, said, given, options in (
        ("verdicts", answers, [1, 1, 1, 1], {}),
        ("verdicts", answers, verdicts * 2, {}),
        ("verdicts", answers, [["x"]] * 4, {}),
        ("answers", answers[:3], verdicts, {}),
        ("answers", "7788", verdicts, {}),
        ("z", answers, verdicts, {"z": -1}),
        ("mask", answers, verdicts, {"mask": [True]}),
    ):
        with pytest.raises(InvalidArgument, match=f"`{name}`"):
            groups.pessimistic_best(said, given, **options)
