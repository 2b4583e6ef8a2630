"""Episodes as offline data: constant keys and types of infos, and buffers as Minari takes them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fakes
import gymnasium
import kinds
import numpy as np
import pytest
import reasonenv
from pages import ROOT
from reasonenv.errors import InvalidArgument, UnknownName
from reasonenv.integrations import minari


@pytest.mark.usefixtures("race")
@pytest.mark.parametrize("name", kinds.GAMES)
def test_games_of_every_kind_become_episodes_of_constant_keys(name: str) -> None:
    episodes = minari.played(reasonenv.envs.env_id(name), "random", 4, seed=1)
    keys = [list(one.infos) for one in episodes]
    assert keys == [keys[0]] * 4
    for one in episodes:
        steps = len(one.actions)
        assert steps == len(one.rewards) == len(one.terminations) == len(one.truncations)
        assert len(one.observations) == steps + 1
        ends = np.logical_or(one.terminations, one.truncations)
        assert ends.tolist() == [False] * (steps - 1) + [True]
        for column in one.infos.values():
            assert len(column) == steps + 1
            assert len({type(value) for value in column}) == 1
        assert one.infos["seat"] == [one.infos["seat"][0]] * (steps + 1)
    types = [{key: type(column[0]) for key, column in one.infos.items()} for one in episodes]
    assert types == [types[0]] * 4
    assert minari.played(reasonenv.envs.env_id(name), "random", 4, seed=1)[3].actions == episodes[3].actions


def test_what_a_reset_tells_is_kept_to_the_digit() -> None:
    env = gymnasium.make("reasonenv/TicTacToe-v1", opponent="random")
    example = env.reset(seed=9)[1]["example"]
    (episode,) = minari.played("reasonenv/TicTacToe-v1", "minimax", 1, seed=9, opponent="random")
    assert example > 2**53
    assert set(episode.infos["example"]) == {example}


def test_a_strong_player_is_told_by_name_and_any_by_function() -> None:
    strong = minari.played("reasonenv/TicTacToe-v1", "minimax", 20, seed=0, opponent="random")
    assert min(one.rewards[-1] for one in strong) >= 0
    for keywords in ({"mode": "text"}, {}):
        played = minari.played("reasonenv/Nim-v1", "minimax", 2, seed=0, opponent="random", **keywords)
        assert all(one.rewards[-1] > 0 for one in played)
    tasks = minari.played("reasonenv/ChainSum-v1", lambda *_: "\0\ud800", 3, seed=0)
    assert [one.actions for one in tasks] == [["\0\ud800"]] * 3
    assert tasks[0].infos["verdict.passed"] == [False, False]
    for policy in ("minimax", 7, None):
        with pytest.raises(InvalidArgument, match="policy"):
            minari.played("reasonenv/ChainSum-v1", policy, 1)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="minimx"):
        minari.played("reasonenv/Nim-v1", "minimx", 1)


def test_the_rollouts_of_a_run_become_episodes(tmp_path: Path) -> None:
    reasonenv.evaluate("chain_sum", ["oracle", "empty"], n=4, saving=tmp_path / "run")
    episodes = minari.from_run(tmp_path / "run")
    assert len(episodes) == 8
    assert sorted({one.infos["policy"][0] for one in episodes}) == ["empty", "oracle"]
    for one in episodes:
        assert one.rewards == [float(one.infos["policy"][0] == "oracle")]
        assert one.infos["passed"][0] == (one.rewards == [1.0])
        assert one.terminations == [True]
        assert len(one.observations) == 2


def test_steps_are_arrays_for_offline_learners() -> None:
    episodes = minari.played("reasonenv/TicTacToe-v1", "random", 5, seed=0)
    columns = minari.arrays(episodes)
    steps = sum(len(one.actions) for one in episodes)
    assert columns["observations"].shape == (steps, 2, 3, 3)
    assert {len(column) for column in columns.values()} == {steps}
    assert columns["terminals"].sum() + columns["timeouts"].sum() == 5


@dataclass(frozen=True)
class EpisodeBuffer:
    """Minari's own has these fields and no others."""

    id: int | None = None
    seed: int | None = None
    options: dict[str, Any] | None = None
    observations: Any = None
    actions: Any = None
    rewards: Any = None
    terminations: Any = None
    truncations: Any = None
    infos: Any = None


def test_a_data_set_is_made_of_buffers_that_can_be_stored() -> None:
    made: list[Any] = []

    def create(name: str, buffer: list[EpisodeBuffer], **keywords: Any) -> str:
        made.append((buffer, keywords))
        return name

    modules: dict[str, dict[str, Any]] = {
        "h5py": {},
        "minari": {"create_dataset_from_buffers": create},
        "minari.data_collector": {"EpisodeBuffer": EpisodeBuffer},
    }
    episodes = minari.played("reasonenv/ChainSum-v1", lambda *_: "\0\ud800", 2, seed=0)
    with fakes.adapter("minari", modules) as adapter:
        assert adapter.create_dataset("a/b-v0", episodes, author="me") == "a/b-v0"
        adapter.create_dataset("a/b-v1", episodes, env="reasonenv/ChainSum-v1")
        with pytest.raises(InvalidArgument, match="episodes"):
            adapter.create_dataset("a/b-v2", [])
    buffers, keywords = made[0]
    assert [one.id for one in buffers] == [0, 1]
    assert keywords["author"] == "me"
    assert keywords["observation_space"].contains(buffers[0].observations[0])
    assert keywords["action_space"].contains(buffers[0].actions[0])
    texts = [*buffers[0].actions, *buffers[0].infos["verdict.detail"]]
    assert not any("\0" in text or text != text.encode("utf-8", "replace").decode() for text in texts)
    assert "observation_space" not in made[1][1]


def test_d3rlpy_is_given_its_five_columns() -> None:
    modules = {"d3rlpy.dataset": {"MDPDataset": lambda **columns: columns}}
    with fakes.adapter("minari", modules) as adapter:
        made = adapter.d3rlpy_dataset(minari.played("reasonenv/TicTacToe-v1", "random", 2, seed=0))
    assert list(made) == ["observations", "actions", "rewards", "terminals", "timeouts"]
    assert made["observations"].shape == (len(made["actions"]), 18)
    with pytest.raises(InvalidArgument, match="`episodes` is empty"):
        minari.d3rlpy_dataset([])
    with pytest.raises(InvalidArgument, match="text"):
        minari.d3rlpy_dataset(minari.played("reasonenv/ChainSum-v1", lambda *_: "", 2, seed=0))


def test_a_missing_package_is_named_with_its_extra() -> None:
    episodes = minari.played("reasonenv/TicTacToe-v1", "random", 1, seed=0)
    makers: list[tuple[Any, str]] = [
        (lambda: minari.create_dataset("a/b-v0", episodes), r"pip install 'reasonenv\[minari\]'"),
        (
            lambda: minari.d3rlpy_dataset(episodes),
            r"needs d3rlpy .*pip install --no-deps d3rlpy && pip",
        ),
    ]
    page = (ROOT / "docs/trainers/minari.md").read_text()
    for make, told in makers:
        with fakes.missing("minari", "h5py", "d3rlpy"), pytest.raises(ImportError, match=told) as error:
            make()
        for line in str(error.value).partition("with: ")[2].split(" && "):
            # In a clone, as docs/install.md says.
            assert line.replace("reasonenv[", ".[") in page
