"""SkyRL's contract, checked with a fake of skyrl-gym."""

import importlib
from typing import Any

import fakes
import pytest
import reasonenv
from reasonenv.integrations import conversation_rows, game_rows, rows


class BaseTextEnv:
    def __init__(self) -> None:
        self.turns = 0
        self.max_turns = 1


REGISTRY: dict[str, str] = {}


def register(id: str, entry_point: str) -> None:
    assert id not in REGISTRY
    REGISTRY[id] = entry_point


FAKE: dict[str, dict[str, Any]] = {
    "skyrl_gym": {"registry": REGISTRY, "register": register},
    "skyrl_gym.envs.base_text_env": {"BaseTextEnv": BaseTextEnv, "BaseTextEnvStepOutput": dict},
}


def made(module: Any, row: dict[str, Any], config: Any = None) -> Any:
    """As `skyrl_gym.make` does it: by the entry point, the row without its prompt."""
    target, _, name = REGISTRY[row["env_class"]].partition(":")
    assert target == module.__name__
    return getattr(module, name)(env_config=config, extras={key: row[key] for key in row if key != "prompt"})


def test_rows_of_one_turn_and_of_several() -> None:
    with fakes.adapter("skyrl", FAKE) as skyrl:
        skyrl.register()
        skyrl.register()
        for task in reasonenv.Mixture(["chain_sum", "sudoku"])[0:4]:
            row = next(skyrl.skyrl_rows(rows([task])))
            assert row["prompt"] == [{"role": "user", "content": task.prompt}]
            step = made(skyrl, row).step(task.wrap(task.solution.answer))
            assert (step["reward"], step["done"], step["observations"]) == (1.0, True, [])
            step = made(skyrl, row, {"reward": "partial"}).step("\ud800")
            assert (step["reward"], step["done"], step["metadata"]["failure"]) == (0.0, True, "no_answer")
        row = next(skyrl.skyrl_rows(conversation_rows("chain_sum", 1, attempts=3)))
        right = reasonenv.family("chain_sum").sample().solution.answer
        env = made(skyrl, row)
        first = env.step("<answer>99999</answer>")
        assert (first["reward"], first["done"]) == (0.0, False)
        assert "attempts left: 2" in first["observations"][0]["content"]
        assert env.step(f"<answer>{right}</answer>")["reward"] == 1.0
        told = env.get_metrics()
        assert (told["passed"], told["first_passed"], told["turns"]) == (1.0, 0.0, 2)
        cut = made(skyrl, row | {"max_turns": 1}).step("<answer>99999</answer>")
        assert (cut["done"], cut["observations"]) == (True, [])
        for row in skyrl.skyrl_rows(game_rows("nim", 2, opponent="random")):
            env = made(skyrl, row)
            paid, done = 0.0, False
            while not done:
                step = env.step("no move")
                paid, done = paid + step["reward"], step["done"]
            assert paid <= 0


def test_a_missing_package_is_told() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"needs skyrl-gym .* pip install 'reasonenv\[skyrl\]'"):
        importlib.import_module("reasonenv.integrations.skyrl")
