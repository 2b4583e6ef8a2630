"""Ctrl-C stops every long call of games at once and leaves consistent state."""

import time
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
import reasonenv
from interrupts import interrupted_after
from reasonenv import pettingzoo as zoo
from reasonenv.envs import GameEnv, GameVectorEnv
from reasonenv.errors import Unsolved

LARGE = {"rows": 5, "columns": 5}
"""Dots and boxes that nobody solves."""

Long: TypeAlias = tuple[Callable[[], object], Any]
"""A call that would take almost forever, and the env that it changes, if any."""

CALLS: dict[str, Callable[[], Long]] = {}
"""Function that prepares each long call, by name."""


def long(make: Callable[[], Long]) -> Callable[[], Long]:
    CALLS[make.__name__] = make
    return make


@long
def values() -> Long:
    state = reasonenv.game("dots_and_boxes", LARGE).start()
    return lambda: state.values(10**15), None


@long
def best_actions() -> Long:
    state = reasonenv.game("othello").start()
    return lambda: state.best_actions("wdl", 10**15), None


@long
def connect_four() -> Long:
    game = reasonenv.game("connect_four", {"rows": 6, "columns": 6})

    def again() -> None:
        for seed in range(10**6):
            game.start(seed, opening_plies=3).values()

    return again, None


@long
def table() -> Long:
    def again() -> None:
        while True:
            # The game and its solved positions are dropped.
            reasonenv.game("dots_and_boxes", {"rows": 3, "columns": 3}).start().values()

    return again, None


@long
def duel() -> Long:
    game = reasonenv.game("breakthrough")
    heuristic = game.opponent("heuristic")
    return lambda: game.duel(heuristic, heuristic), None


@long
def calibrate() -> Long:
    game = reasonenv.game("othello")
    return lambda: game.calibrate(game.opponent("heuristic")), None


@long
def reply() -> Long:
    game = reasonenv.game("dots_and_boxes", LARGE)
    opponent = game.opponent("minimax", exact_plies=60)
    return lambda: opponent(game.start()), None


@long
def distribution() -> Long:
    game = reasonenv.game("dots_and_boxes", LARGE)
    opponent = game.opponent("minimax", exact_plies=60)
    return lambda: opponent.distribution(game.start()), None


@long
def step() -> Long:
    env = GameEnv(game="dots_and_boxes", params=LARGE, seat="first", exact_plies=60, opponent="minimax")
    env.reset(seed=0)
    return lambda: env.step(0), env


@long
def say() -> Long:
    env = GameEnv(
        game="dots_and_boxes", params=LARGE, seat="first", exact_plies=60, opponent="minimax", mode="text"
    )
    env.reset(seed=0)
    return lambda: env.step("<move>0</move>"), env


@long
def reset() -> Long:
    env = GameEnv(game="dots_and_boxes", params=LARGE, seat="second", exact_plies=60, opponent="minimax")
    return lambda: env.reset(seed=0), env


@long
def analysis() -> Long:
    env = GameEnv(
        game="connect_four",
        params={"rows": 6, "columns": 6},
        analysis=True,
        opening_plies=3,
        opponent=lambda state: state.legal_actions()[0],
    )

    def again() -> None:
        while True:
            env.reset()

    return again, None


@long
def vector_step() -> Long:
    kwargs: dict[str, Any] = {"params": LARGE, "seat": "first", "exact_plies": 60, "opponent": "minimax"}
    many = GameVectorEnv(600, game="dots_and_boxes", **kwargs)
    many.reset(seed=0)
    return lambda: many.step([0] * 600), many


@long
def vector_reset() -> Long:
    kwargs: dict[str, Any] = {"params": LARGE, "seat": "second", "exact_plies": 60, "opponent": "minimax"}
    many = GameVectorEnv(3, game="dots_and_boxes", **kwargs)
    return lambda: many.reset(seed=0), many


@long
def heuristics() -> Long:
    many = GameVectorEnv(20_000, game="breakthrough", opponent="heuristic", seat="first")
    many.reset(seed=list(range(20_000)))

    def again() -> None:
        while True:
            many.step(many.action_masks().argmax(1))

    return again, None


@long
def two_agents() -> Long:
    env = zoo.connect_four_v1.env()

    def again() -> None:
        while True:
            env.reset()
            for agent in env.agent_iter():
                over = env.last()[2]
                env.step(None if over else env.action_space(agent).sample(env.observe(agent)["action_mask"]))

    return again, None


@pytest.mark.parametrize("name", CALLS)
def test_a_signal_is_answered_at_once(name: str) -> None:
    call, env = CALLS[name]()
    before = env and env.get_state()
    with interrupted_after(0.15) as late:
        call()
    assert late, "it ended by itself"
    # Five times 0.2 s: machines that run tests are busy.
    assert late[0] < 1.0, f"{name} took {late[0]:.2f} s to stop"
    if env:
        assert env.get_state() == before, "it left half a step"


def test_deep_games_refuse_to_be_solved_at_once() -> None:
    games = map(reasonenv.game, reasonenv.list_games())
    for game in (reasonenv.game(one.name, params) for one in games for params in one.variants):
        if game.unsolvable_reason is None or game.has_hidden_information:
            continue
        started = time.monotonic()
        with pytest.raises(Unsolved, match="give `max_positions`"):
            game.start().values()
        with pytest.raises(Unsolved, match="give `max_positions`"):
            game.start().best_actions()
        assert time.monotonic() - started < 1
        with pytest.raises(Unsolved, match="within the limit"):
            game.start().values(100)
