"""Games compared with those of PettingZoo, Gymnasium, EnvPool and OpenSpiel.

Compare within a group, and only within one run: `pytest benches/test_games.py`.
"""

import gc
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
import reasonenv
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture
from reasonenv.envs import GameVectorEnv, env_id
from reasonenv.pettingzoo import env_id as aec_id

NEEDS = "needs the `bench` extra"
GAMES = 20
STEPS = 1_000
LANES = 1_024

# Our game, and the same one in PettingZoo and in EnvPool.
PEERS = {
    "tic_tac_toe": ("classic/tictactoe-v3", "TicTacToe-v1"),
    "connect_four": ("classic/connect_four-v3", "ConnectFour-v1"),
}
every_peer = pytest.mark.parametrize("game", PEERS)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Use one thread, as rates are per core."""
    reasonenv.set_num_threads(1)
    yield
    reasonenv.set_num_threads(0)


def play(env: Any, games: int = GAMES) -> int:
    """Play random legal games with the loop of PettingZoo's documentation; return the number of moves."""
    draw, moves = random.Random(0).random, 0
    for _ in range(games):
        env.reset()
        for _agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(draw() * len(legal))])
            moves += 1
    return moves


def pettingzoo_peer(game: str) -> Any:
    """Return PettingZoo's own environment in its usual wrappers."""
    with warnings.catch_warnings():  # its own modules warn of each other
        warnings.simplefilter("ignore")
        return pettingzoo.make("aec", PEERS[game][0])


@every_peer
def test_pettingzoo(benchmark: BenchmarkFixture, game: str) -> None:
    benchmark.group = f"{GAMES} random games of {game}, PettingZoo"
    env = pettingzoo.make("aec", aec_id(game))
    env.reset(seed=0)
    benchmark(play, env)


@every_peer
def test_pettingzoo_peer(benchmark: BenchmarkFixture, game: str) -> None:
    pytest.importorskip("pygame", reason=NEEDS)
    benchmark.group = f"{GAMES} random games of {game}, PettingZoo"
    benchmark(play, pettingzoo_peer(game))


SINGLE: dict[str, tuple[str, dict[str, Any]]] = {
    "FrozenLake-v1": ("FrozenLake-v1", {}),
    "tic_tac_toe": (env_id("tic_tac_toe"), {"opponent": "minimax", "illegal": "penalty"}),
    "tic_tac_toe, text": (env_id("tic_tac_toe"), {"opponent": "minimax", "mode": "text"}),
}


def steps(name: str) -> Callable[[], None]:
    """`STEPS` steps of an env, resets included; ours plays the first cells from the top."""
    made, kwargs = SINGLE[name]
    env: Any = gymnasium.make(made, **kwargs)
    actions: list[Any] = [1, 2] if name.startswith("Frozen") else list(range(9))
    if kwargs.get("mode") == "text":
        actions = [f"<move>{action}</move>" for action in actions]
    env.reset(seed=0)

    def run() -> None:
        turn, most = 0, len(actions)
        for _ in range(STEPS):
            _, _, terminated, truncated, _ = env.step(actions[turn % most])
            turn += 1
            if terminated or truncated:
                env.reset()
                turn = 0

    return run


@pytest.mark.benchmark(group=f"{STEPS} steps of a made env, resets included")
@pytest.mark.parametrize("name", SINGLE)
def test_single(benchmark: BenchmarkFixture, name: str) -> None:
    benchmark(steps(name))


class Lanes:
    """`LANES` games that are stepped at once with random legal actions; only `step` is timed."""

    def __init__(self, mask: NDArray[Any], step: Callable[[NDArray[Any]], NDArray[Any]]) -> None:
        self._mask, self._step = mask, step
        self._rng = np.random.default_rng(0)

    def choose(self) -> NDArray[np.int64]:
        """Choose a random legal action for each game."""
        chosen: NDArray[np.int64] = (self._mask * self._rng.random(self._mask.shape)).argmax(1)
        return chosen

    def step(self, actions: NDArray[Any]) -> None:
        """Step all games."""
        self._mask = self._step(actions)


def our_lanes(game: str, opponent: str = "random") -> Lanes:
    """Step with observations, masks and a reply of the opponent: two plies per step."""
    env = GameVectorEnv(LANES, game=game, opponent=opponent, episode_infos=False)
    _, infos = env.reset(seed=0)
    return Lanes(infos["action_mask"], lambda actions: env.step(actions)[4]["action_mask"])


def self_play_lanes(game: str) -> Lanes:
    """Step with one learner in both seats: one ply per step, as in a loop over PettingZoo's agents."""
    return our_lanes(game, "self")


def their_lanes(game: str) -> Lanes:
    """Step with EnvPool playing both sides: one ply per step, on one thread."""
    import envpool  # noqa: PLC0415  the peer is an optional extra

    env = envpool.make(PEERS[game][1], env_type="gymnasium", num_envs=LANES, num_threads=1, seed=0)
    _, infos = env.reset()
    return Lanes(infos["legal_action_mask"], lambda actions: env.step(actions)[4]["legal_action_mask"])


def time_lanes(benchmark: BenchmarkFixture, lanes: Lanes) -> None:
    benchmark.extra_info["items"] = LANES
    benchmark.pedantic(lanes.step, setup=lambda: ((lanes.choose(),), {}), rounds=500, warmup_rounds=20)


@every_peer
def test_vector(benchmark: BenchmarkFixture, game: str) -> None:
    benchmark.group = f"a step of {LANES} games of {game}"
    time_lanes(benchmark, our_lanes(game))


@every_peer
def test_vector_self_play(benchmark: BenchmarkFixture, game: str) -> None:
    benchmark.group = f"a step of {LANES} games of {game}"
    time_lanes(benchmark, self_play_lanes(game))


@every_peer
def test_vector_envpool(benchmark: BenchmarkFixture, game: str) -> None:
    pytest.importorskip("envpool", reason=NEEDS)
    benchmark.group = f"a step of {LANES} games of {game}"
    time_lanes(benchmark, their_lanes(game))


def solve() -> int:
    """Compute the value of every move of every position; a new game object solves it from scratch."""
    return len(reasonenv.game("tic_tac_toe").start().values())


@pytest.mark.benchmark(group="solve tic-tac-toe")
def test_solve(benchmark: BenchmarkFixture) -> None:
    gc.collect()
    assert benchmark(solve) == 9


@pytest.mark.benchmark(group="solve tic-tac-toe")
def test_solve_open_spiel(benchmark: BenchmarkFixture) -> None:
    pytest.importorskip("pyspiel", reason=NEEDS)
    benchmark.pedantic(their_solve, rounds=3)


def their_solve() -> float:
    """Compute the value of the start with OpenSpiel's alpha-beta search."""
    import pyspiel  # noqa: PLC0415  the peer is an optional extra
    from open_spiel.python.algorithms import minimax  # noqa: PLC0415

    value, _ = minimax.alpha_beta_search(pyspiel.load_game("tic_tac_toe"))
    return float(value)
