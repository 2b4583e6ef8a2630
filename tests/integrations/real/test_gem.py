"""GEM's wrappers around our environments, and TextArena's games and agents beside our tables."""

from functools import partial
from typing import Any

import gymnasium
import pytest
import textarena as package
from drivers import by_gem
from gem.wrappers.episode_tracking_wrapper import EpisodeTrackingWrapper
from gem.wrappers.observation_wrapper import ObservationWrapper
from pages import ROOT, run_page
from parity import KINDS, check
from reasonenv.integrations import gem, textarena


def test_their_wrappers_take_our_environments() -> None:
    for wrapper in (EpisodeTrackingWrapper, partial(ObservationWrapper, include_chat_template=False)):
        env: Any = wrapper(gem.make("tic_tac_toe", opponent="random"))
        seen, info = env.reset(seed=1)
        over = False
        while not over:
            seen, reward, terminated, truncated, info = env.step("<move>0</move>")
            assert isinstance(seen, str)
            assert isinstance(info, dict)
            over = terminated or truncated
        assert isinstance(float(reward), float)


class Takes(package.Agent):
    """An agent of TextArena's own class, which takes whatever cell is free first."""

    def __call__(self, observation: str) -> str:
        free = observation.rpartition("[")[2].partition("]")[0].split(",")[0].strip()
        return f"I take [{free}]"


@pytest.mark.loop
@pytest.mark.parametrize("kind", KINDS)
def test_same_bytes_same_pay(kind: str) -> None:
    assert check(by_gem, [kind]) == 20


def test_their_agents_play_at_our_tables_and_against_us() -> None:
    table = textarena.TextArenaEnv("tic_tac_toe")
    table.reset(num_players=2, seed=0)
    agents, done = {0: Takes(), 1: Takes()}, False
    while not done:
        player, seen = table.get_observation()
        done, _ = table.step(agents[player](seen).replace("[", "<move>").replace("]", "</move>"))
    rewards, info = table.close()
    assert sorted(rewards) == [0, 1]
    assert all(one["invalid_moves"] == 0 for one in info.values())
    env = gymnasium.make("reasonenv/TicTacToe-v1", opponent=textarena.opponent(Takes()))
    _, told = env.reset(seed=2)
    over = False
    while not over:
        _, _, terminated, truncated, told = env.step(int(told["action_mask"].argmax()))
        over = terminated or truncated
    assert told["winner"] in (-1, 0, 1)


def test_their_tables_have_the_methods_of_ours() -> None:
    for name in ("reset", "step", "get_observation", "close"):
        assert callable(getattr(package.Env, name))


def test_the_page_is_true() -> None:
    run_page(ROOT / "docs" / "trainers" / "gem.md", packages=True)
