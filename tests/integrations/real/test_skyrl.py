"""skyrl-gym itself makes our environment and plays it."""

from typing import Any

import pytest
import reasonenv
import skyrl_gym
from drivers import skyrl_play
from pages import ROOT, run_page
from parity import KINDS, check
from reasonenv.integrations import conversation_rows, game_rows, rows, skyrl


def made(row: dict[str, Any]) -> Any:
    extras = {key: value for key, value in row.items() if key not in ("prompt", "env_class")}
    return skyrl_gym.make(row["env_class"], env_config={}, extras=extras)


def test_it_makes_and_plays_every_kind_of_row() -> None:
    skyrl.register()
    skyrl.register()
    for task in reasonenv.Mixture(["chain_sum", "sudoku"])[0:4]:
        env = made(next(skyrl.skyrl_rows(rows([task]))))
        messages, _ = env.init([{"role": "user", "content": task.prompt}])
        assert messages == [{"role": "user", "content": task.prompt}]
        step = env.step(task.wrap(task.solution.answer))
        assert (step["reward"], step["done"]) == (1.0, True)
        env.close()
    right = reasonenv.family("chain_sum").sample().solution.answer
    env = made(next(skyrl.skyrl_rows(conversation_rows("chain_sum", 1))))
    env.init([])
    assert not env.step("<answer>99999</answer>")["done"]
    assert env.step(f"<answer>{right}</answer>")["reward"] == 1.0
    assert skyrl.ReasonEnvironment.aggregate_metrics([env.get_metrics()])["passed"] == 1.0
    env = made(next(skyrl.skyrl_rows(game_rows("nim", 1))))
    while not (step := env.step("no move"))["done"]:
        assert step["observations"][0]["role"] == "user"


@pytest.mark.loop
@pytest.mark.parametrize("kind", KINDS)
def test_same_bytes_same_pay(kind: str) -> None:
    skyrl.register()
    assert check(skyrl_play(skyrl, made), [kind]) == 20


def test_the_page_is_true() -> None:
    run_page(ROOT / "docs/trainers/skyrl.md", packages=True)
