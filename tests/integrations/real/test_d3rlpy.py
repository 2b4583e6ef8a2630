"""d3rlpy itself: it learns from our episodes, and what it learned plays in our environments."""

from pathlib import Path
from typing import Any

import d3rlpy
import gymnasium
import numpy as np
import pytest
import reasonenv
from numpy.typing import NDArray
from pages import ROOT, run_page
from reasonenv.integrations import minari


def learned(episodes: list[minari.Episode], steps: int) -> Any:
    data = minari.d3rlpy_dataset(episodes)
    assert data.size() == len(episodes)
    assert data.transition_count == sum(len(one.actions) for one in episodes)
    returns = [float(np.sum(one.rewards)) for one in data.episodes]
    assert returns == pytest.approx([sum(one.rewards) for one in episodes])
    encoder = d3rlpy.models.VectorEncoderFactory([32])
    made = d3rlpy.algos.DiscreteCQLConfig(batch_size=16, encoder_factory=encoder).create(device="cpu")
    logger = d3rlpy.logging.NoopAdapterFactory()
    made.fit(data, n_steps=steps, n_steps_per_epoch=steps, logger_adapter=logger, show_progress=False)
    return made


def weights(algo: Any) -> NDArray[Any]:
    modules = algo.impl.modules.q_funcs
    return np.concatenate([one.detach().numpy().ravel() for one in modules.parameters()])


@pytest.mark.parametrize("name", ["tic_tac_toe", "nim"])
def test_it_learns_from_games_and_plays_them(name: str) -> None:
    env = gymnasium.make(reasonenv.envs.env_id(name), opponent="random")
    episodes = minari.played(env, "minimax", 100, seed=0)
    few, many = learned(episodes, 1), learned(episodes, 60)
    assert weights(few).shape == weights(many).shape
    assert not np.array_equal(weights(few), weights(many))
    assert np.isfinite(weights(many)).all()
    seen, _ = env.reset(seed=1)
    over = False
    while not over:
        (action,) = many.predict(seen.reshape(1, -1))
        seen, _, terminated, truncated, _ = env.step(int(action))
        over = terminated or truncated


def test_it_learns_from_a_problem_that_is_played_move_by_move() -> None:
    env = gymnasium.make(reasonenv.envs.env_id("sudoku"), mode="moves", reward="partial")
    rng = np.random.default_rng(0)

    def policy(_seen: object, info: dict[str, object]) -> int:
        return int(rng.choice(np.flatnonzero(np.asarray(info["action_mask"]))))

    episodes = minari.played(env, policy, 20, seed=0)
    assert np.isfinite(weights(learned(episodes, 5))).all()


def test_the_page_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where d3rlpy keeps its logs
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    run_page(ROOT / "docs" / "trainers" / "minari.md", packages=True)
