"""Steps per second of the Gymnasium environments compared with Gymnasium's own.

Compare within a group, and only within one run: `pytest benches/test_gymnasium.py`.
"""

from typing import Any

import gymnasium
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from reasonenv import ReasonEnv
from reasonenv.envs import env_id

ID = env_id("chain_sum")
WRONG = "<answer>5</answer>"
STEPS = 1_000
ENVS = 256


@pytest.mark.benchmark(group=f"{STEPS} steps of a made env, resets included")
@pytest.mark.parametrize("name", ["FrozenLake-v1", ID])
def test_single(benchmark: BenchmarkFixture, name: str) -> None:
    env: Any = gymnasium.make(name)
    action = WRONG if name == ID else 1
    env.reset(seed=0)

    def steps() -> None:
        for _ in range(STEPS):
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    benchmark(steps)


@pytest.mark.benchmark(group=f"{STEPS} steps of an env without wrappers, resets included")
@pytest.mark.parametrize("kind", ["plain", "composed, one step", "composed, four steps"])
def test_composed(benchmark: BenchmarkFixture, kind: str) -> None:
    """Measure the overhead of an environment whose parts can all be replaced."""
    env: Any = gymnasium.make(ID).unwrapped if kind == "plain" else ReasonEnv("chain_sum")
    said = [WRONG] if kind != "composed, four steps" else ["I add.", "I add on.", "Nearly there.", WRONG]
    env.reset(seed=0)

    def steps() -> None:
        for _ in range(STEPS // len(said)):
            for action in said:
                _, _, terminated, _, _ = env.step(action)
            assert terminated
            env.reset()

    benchmark(steps)


@pytest.mark.parametrize("autoreset", ["SameStep", "NextStep"])
@pytest.mark.parametrize("kind", ["vector_entry_point", "sync"])
def test_vector(benchmark: BenchmarkFixture, kind: str, autoreset: str) -> None:
    benchmark.group = f"a step of {ENVS} envs, {autoreset}"
    mode: dict[str, Any] = {"autoreset_mode": autoreset}
    kwargs = {"vector_kwargs": mode} if kind == "sync" else mode
    many: Any = gymnasium.make_vec(ID, ENVS, vectorization_mode=kind, **kwargs)
    many.reset(seed=0)
    actions = (WRONG,) * ENVS

    def two_steps() -> None:  # with NextStep one judges, the other resets
        many.step(actions)
        many.step(actions)

    benchmark(two_steps)
