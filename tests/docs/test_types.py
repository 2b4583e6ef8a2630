"""The types and docstrings that an editor shows agree with the code."""

import ast
import inspect
from pathlib import Path
from typing import Any, get_args

import gymnasium
import pytest
import reasonenv
import stubs
from gymnasium.envs.registration import load_env_creator
from reasonenv import _native, types
from reasonenv._ids import COMPOSED
from reasonenv.envs import (
    DialogueEnv,
    GameEnv,
    GameVectorEnv,
    MovesEnv,
    MovesVectorEnv,
    ProofEnv,
    SolutionEnv,
    SolutionVectorEnv,
    StepEnv,
    TokenEnv,
    ToolTaskEnv,
    _keywords,
    env_id,
    make,
)
from reasonenv.rollouts._policies import BUILT_IN


def test_names_are_those_of_the_registry() -> None:
    assert list(get_args(types.FamilyName)) == reasonenv.list_families()
    assert list(get_args(types.GameName)) == reasonenv.list_games()
    assert list(get_args(types.OpponentName)) == reasonenv.arena.list_opponents()
    assert list(get_args(types.ReadingName)) == reasonenv.verifiers.list_readings()
    assert list(get_args(types.VerifierName)) == _native.list_verifiers()
    assert list(get_args(types.PolicyName)) == [name for name in BUILT_IN if ":" not in name]
    names = [*reasonenv.list_families(), *reasonenv.list_games()]
    assert list(get_args(types.EnvId)) == list(map(env_id, names))


@pytest.mark.parametrize("split", get_args(types.SplitName))
def test_splits_are_those_a_source_can_have(split: types.SplitName) -> None:
    assert reasonenv.family("chain_sum").source(split=split).split == split


def test_every_unit_has_a_type_of_its_params() -> None:
    units: list[Any] = [reasonenv.family(name) for name in reasonenv.list_families()]
    for unit in [*units, *(reasonenv.game(name) for name in reasonenv.list_games())]:
        params = getattr(types, "".join(word.capitalize() for word in unit.name.split("_")) + "Params")
        assert set(params.__annotations__) == set(unit.params_schema["properties"]), unit


SINGLE = {"max_episode_steps", "disable_env_checker"}
"""Keywords of `gymnasium.make` itself."""
MANY = {"vectorization_mode"}
"""Keywords of `gymnasium.make_vec` itself."""


@pytest.mark.parametrize(
    ("keywords", "constructors", "others"),
    [
        (
            _keywords.TaskKeywords,
            [SolutionEnv, StepEnv, ProofEnv, TokenEnv, ToolTaskEnv, MovesEnv, DialogueEnv],
            SINGLE,
        ),
        (_keywords.GameKeywords, [GameEnv], SINGLE),
        (
            _keywords.TaskVectorKeywords,
            [
                SolutionVectorEnv,
                SolutionEnv,
                MovesVectorEnv,
                MovesEnv,
                DialogueEnv,
                StepEnv,
                ProofEnv,
                TokenEnv,
                ToolTaskEnv,
            ],
            MANY,
        ),
        (_keywords.GameVectorKeywords, [GameVectorEnv, GameEnv], MANY),
    ],
)
def test_keywords_are_those_of_the_constructors(
    keywords: Any, constructors: list[type], others: set[str]
) -> None:
    taken = {
        name
        for made in constructors
        for name, one in inspect.signature(made).parameters.items()
        if one.kind is not one.VAR_KEYWORD
    }
    # The id says which family or game, and the first argument how many.
    assert keywords.__optional_keys__ == (taken | others) - {"family", "game", "num_envs"}


def test_typed_environments_are_gymnasiums_own() -> None:
    for name in get_args(types.EnvId):
        made: Any = make(name)
        assert made.spec == gymnasium.make(name).spec


def test_the_stub_says_what_the_extension_says() -> None:
    source = stubs.STUB.read_text()
    assert stubs.documented(source) == source, "run `make stubs`"


def test_every_public_member_has_a_docstring() -> None:
    members = [node for node, _, _ in stubs.members(ast.parse(stubs.STUB.read_text()))]
    assert len(members) > 100
    assert [node.name for node in members if not ast.get_docstring(node)] == []


@pytest.mark.parametrize(
    ("keywords", "name"),
    [(_keywords.MixtureKeywords, "reasonenv/Mixture-v1"), (_keywords.RowsKeywords, "reasonenv/Rows-v1")],
)
def test_keywords_of_composed_ids_are_those_that_are_taken(keywords: Any, name: str) -> None:
    entry = gymnasium.registry[name].entry_point
    assert isinstance(entry, str)
    makes = load_env_creator(entry)
    own = {
        taken for taken, one in inspect.signature(makes).parameters.items() if one.kind is not one.VAR_KEYWORD
    }
    modes = {
        taken
        for made in (SolutionEnv, StepEnv, TokenEnv, ToolTaskEnv)
        for taken in inspect.signature(made).parameters
    } - {"family", "level", "params", "style", "split", "task_seed", "num_tasks"}
    if "Rows" in name:
        modes -= {"reading"}
    assert set(keywords.__annotations__) == own | modes | SINGLE


def test_composed_ids_have_types() -> None:
    stub = (Path(reasonenv.__file__).parent / "envs/_make.pyi").read_text()
    for name in COMPOSED:
        assert f'id: Literal["{name}"]' in stub
