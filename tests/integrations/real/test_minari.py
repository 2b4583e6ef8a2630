"""Minari itself: data sets are stored, loaded again, and hold what was played. The page runs with d3rlpy."""

from pathlib import Path

import minari as package
import numpy as np
import pytest
import reasonenv
from reasonenv.integrations import minari


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))


def test_games_are_loaded_as_they_were_played() -> None:
    for name in reasonenv.list_games():
        env = reasonenv.envs.env_id(name)
        episodes = minari.played(env, "random", 6, seed=1)
        minari.create_dataset(f"test/{name}/random-v0", episodes, env=env, algorithm_name="random")
        data = package.load_dataset(f"test/{name}/random-v0")
        assert data.total_episodes == 6
        for one, stored in zip(episodes, data.iterate_episodes(), strict=True):
            assert np.array_equal(stored.observations, np.array(one.observations))
            assert stored.actions.tolist() == one.actions
            assert stored.rewards.tolist() == one.rewards
            assert set(stored.infos) == set(one.infos)
            assert stored.infos["example"].tolist() == one.infos["example"]
        assert data.recover_environment().unwrapped.game.name == name


def test_text_of_any_kind_is_stored() -> None:
    says = iter(["\0\ud800", "", "🙂", "<answer>1</answer>"])
    episodes = minari.played("reasonenv/ChainSum-v1", lambda *_: next(says), 4, seed=0)
    minari.create_dataset("test/text-v0", episodes)
    data = package.load_dataset("test/text-v0")
    stored = [one.actions for one in data.iterate_episodes()]
    assert stored == [["\\x00\\ud800"], [""], ["🙂"], ["<answer>1</answer>"]]


def test_a_run_is_stored(tmp_path: Path) -> None:
    reasonenv.evaluate("countdown", ["oracle", "empty"], n=3, saving=tmp_path / "run")
    minari.create_dataset("test/run-v0", minari.from_run(tmp_path / "run"))
    assert package.load_dataset("test/run-v0").total_episodes == 6
