"""The proposer and the solver of the self-play experiment do what they claim; `make test-train` runs it."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "examples/train"))

import selfplay
from reasonenv.selfplay import proposer_solver


def perfect(seed: int = 0) -> selfplay.Solver:
    solver = selfplay.Solver(seed)
    carry, one, other = np.indices((2, 10, 10))
    solver.logits[np.arange(200), (carry + one + other).ravel()] = 50
    return solver


def test_a_perfect_table_adds() -> None:
    rng = np.random.default_rng(0)
    for count, width in selfplay.SIZES:
        terms = rng.integers(0, 10**width, (20, count))
        assert perfect().add(terms)[0] == terms.sum(1).tolist()
    assert selfplay.measure(perfect(), selfplay.held_out(2)) == [1.0] * len(selfplay.SIZES)


def test_the_solver_follows_its_rewards() -> None:
    solver = selfplay.Solver(0)
    sums, places, entries = solver.add(np.tile([3, 4], (selfplay.ATTEMPTS, 1)))
    assert (places == 34).all()
    before = solver.logits.copy()
    solver.learn(places, entries, [1.0] * selfplay.ATTEMPTS)
    assert (solver.logits == before).all()
    rewarded = [float(total == sums[0]) for total in sums]
    assert 0 < sum(rewarded) < selfplay.ATTEMPTS
    solver.learn(places, entries, rewarded)
    assert selfplay.softmax(solver.logits[34])[sums[0]] > selfplay.softmax(before[34])[sums[0]]
    assert (np.delete(solver.logits, 34, 0) == np.delete(before, 34, 0)).all()


@pytest.mark.parametrize("learns", [True, False])
def test_the_proposer_moves_to_what_pays(learns: bool) -> None:
    proposer = selfplay.Proposer(0, learns=learns)
    for _ in range(2_000):
        size, digits, terms = proposer.pose()
        count, width = selfplay.SIZES[size]
        assert digits.shape == (count, width)
        assert {len(str(term)) for term in terms} == {width}
        proposer.learn(size, digits, float(count == 3))
    paid = sum(proposer.chances[at] for at, (count, _) in enumerate(selfplay.SIZES) if count == 3)
    assert paid > 0.8 if learns else paid == pytest.approx(0.2)


def test_a_game_pays_both() -> None:
    env, proposer = (
        proposer_solver("chain_sum", attempts=selfplay.ATTEMPTS),
        selfplay.Proposer(0, learns=False),
    )
    env.reset(seed=0)
    games = [selfplay.play(env, proposer, perfect()) for _ in range(50)]
    told = selfplay.summary(games)
    assert told["pass_rate"] == 1.0
    assert told["reward"] == 0.0
    assert told["valid"] == sum(not one["failure"] for one in games) / 50
    assert sum(told["refused"].values()) == 50 - sum(not one["failure"] for one in games)
