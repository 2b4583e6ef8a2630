"""Descriptions of environments, and the algorithms that fit them."""

from typing import Any

import gymnasium
import kinds
import pytest
import reasonenv
from reasonenv import verifiers
from reasonenv.envs import describe, env_id, wrappers
from reasonenv.errors import InvalidArgument, Unsupported

PLAYED = ["sudoku", "tsp"]


def about(id: str, **kwargs: Any) -> reasonenv.envs.Description:
    return describe(gymnasium.make(id, **kwargs))


@pytest.mark.usefixtures("adder", "race")
@pytest.mark.parametrize("name", [*kinds.FAMILIES, *kinds.GAMES])
def test_every_id_can_be_described(name: str) -> None:
    found = about(env_id(name))
    assert found.name == env_id(name)
    assert found.fits
    assert found.groups
    assert repr(found).startswith(env_id(name))
    for fit in found.fits:
        assert f"{fit.algorithms}: {fit.why}" in repr(found)


def test_process_scores_are_told_where_a_family_checks_steps(family: str) -> None:
    checks = True
    try:
        reasonenv.family(family).sample().verify_steps([])
    except Unsupported:
        checks = False
    found = about(env_id(family), mode="step")
    assert found.process_scores == checks
    assert any("process scores" in fit.algorithms for fit in found.fits) == checks


def test_what_a_mode_makes_of_a_task() -> None:
    at_once = about(env_id("chain_sum"))
    assert (at_once.actions, at_once.action_count, at_once.horizon) == ("text", None, 1)
    assert at_once.verifier == "the judge of chain_sum (exact)"
    assert "GRPO" in at_once.fits[0].algorithms
    steps = about(env_id("chain_sum"), mode="step", max_steps=5)
    assert (steps.actions, steps.horizon) == ("text", 5)
    typed = about(env_id("chain_sum"), mode="token", max_chars=50)
    assert (typed.actions, typed.action_count, typed.horizon) == ("discrete", 97, 50)
    assert (typed.observations, typed.masks) == ("numbers", False)
    assert "PPO" in typed.fits[0].algorithms


@pytest.mark.parametrize("family", PLAYED)
def test_what_is_played_is_masked(family: str) -> None:
    found = about(env_id(family), mode="moves")
    assert (found.actions, found.masks, found.horizon) == ("discrete", True, None)
    assert "MaskablePPO" in found.fits[0].algorithms
    assert about(env_id(family), mode="moves", max_turns=9).horizon == 9


def test_games_are_told_by_their_rules() -> None:
    found = about(env_id("tic_tac_toe"))
    assert (found.actions, found.action_count, found.masks) == ("discrete", 9, True)
    assert (found.horizon, found.verifier) == (5, "the rules of the game")
    text = about(env_id("tic_tac_toe"), mode="text")
    assert (text.actions, text.masks, text.observations) == ("text", False, "text")


def test_mixtures_rows_and_parts_of_ones_own() -> None:
    mixed = about("reasonenv/Mixture-v1", families=["chain_sum", "tsp"], mode="step")
    assert mixed.verifier == "the judge of 2 families (exact, optimum)"
    assert mixed.process_scores
    rows = about("reasonenv/Rows-v1", rows=[{"question": "?", "answer": 1}], verifier="number_equal")
    assert rows.verifier == repr(verifiers.number_equal())
    assert rows.process_scores is False

    def says_so(_task: Any, _text: str) -> bool:
        return True

    own = describe(
        reasonenv.ReasonEnv("tsp", verifier=says_so, process_judge=lambda _task, steps: [1.0] * len(steps))
    )
    assert (own.name, own.verifier) == ("ReasonEnv", "a verifier of your own, says_so")
    assert own.process_scores
    space = gymnasium.spaces.Box(0, 1)
    assert describe(reasonenv.ReasonEnv("tsp", action_space=space)).actions == "other"
    asked = describe(wrappers.retry("tsp", attempts=4))
    assert (asked.name, asked.horizon, asked.process_scores) == ("RetryEnv", 4, False)


def test_a_time_limit_counts() -> None:
    assert about(env_id("chain_sum"), mode="step", max_episode_steps=3).horizon == 3


@pytest.mark.parametrize(
    "given", [None, 3, gymnasium.make("FrozenLake-v1"), gymnasium.make_vec(env_id("chain_sum"), 2)]
)
def test_what_cannot_be_described(given: Any) -> None:
    with pytest.raises(InvalidArgument, match="must be a single environment of reasonenv"):
        describe(given)
