"""Cost of the rollout loop in addition to policy and verifier; compare the ratios within each group.

In batches, the loop may add at most 20 microseconds of processor time per rollout.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import reasonenv
from pytest_benchmark.fixture import BenchmarkFixture
from reasonenv.rollouts import Saving, evaluate, rollout

TASKS, K = 512, 8
MOST_MICROSECONDS = 20


def policy(tasks: Sequence[reasonenv.Task], _rollout: int) -> list[str]:
    """Answer as fast as a policy can."""
    return ["<answer>1</answer>"] * len(tasks)


def bare(batch: reasonenv.Batch) -> Any:
    """Do only the necessary work: call the policy and verify."""
    texts = [text for k in range(K) for text in policy(batch, k)]
    return batch.repeat(K).verify(texts).passed.reshape(-1, K)


@pytest.fixture
def batch() -> reasonenv.Batch:
    return reasonenv.family("chain_sum").batch(count=TASKS, level=4)


def measured(benchmark: BenchmarkFixture, group: str) -> None:
    benchmark.group = group
    benchmark.extra_info["items"] = TASKS * K


def test_ask_and_judge(benchmark: BenchmarkFixture, batch: reasonenv.Batch) -> None:
    measured(benchmark, "rollouts")
    benchmark(bare, batch)


def test_rollout(benchmark: BenchmarkFixture, batch: reasonenv.Batch) -> None:
    measured(benchmark, "rollouts")
    benchmark(rollout, policy, batch, n=TASKS, group_size=K)


def test_rollout_with_trajectories(benchmark: BenchmarkFixture, batch: reasonenv.Batch) -> None:
    measured(benchmark, "rollouts")
    benchmark(lambda: rollout(batch, policy, n=TASKS, group_size=K).groups)


def test_evaluate(benchmark: BenchmarkFixture, batch: reasonenv.Batch) -> None:
    measured(benchmark, "rollouts")
    benchmark(evaluate, batch, policy, n=TASKS, rollouts=K)


def test_rollout_logged(benchmark: BenchmarkFixture, batch: reasonenv.Batch, tmp_path: Path) -> None:
    measured(benchmark, "rollouts")
    benchmark(
        lambda: rollout(batch, policy, n=TASKS, group_size=K, saving=Saving(folder=tmp_path, overwrite=True))
    )


def test_the_loop_costs_little(batch: reasonenv.Batch) -> None:
    def seconds(work: Any) -> float:
        """Processor time of the fastest of a few rounds, which other programs affect least."""
        best = float("inf")
        for _ in range(7):
            start = time.process_time()
            work()
            best = min(best, time.process_time() - start)
        return best

    beyond = seconds(lambda: rollout(batch, policy, n=TASKS, group_size=K)) - seconds(lambda: bare(batch))
    assert beyond / (TASKS * K) * 1e6 <= MOST_MICROSECONDS
