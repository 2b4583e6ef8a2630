"""Arguments that all vector environments refuse: bad counts, seeds and masks, and steps after the end."""

from typing import Any

import game_envs
import numpy as np
import pytest
import task_envs
from gymnasium.error import ResetNeeded
from reasonenv.envs import GameVectorEnv, SolutionVectorEnv
from reasonenv.errors import InvalidArgument, UnknownName

MAKERS: dict[str, Any] = {
    "tasks": lambda **kwargs: SolutionVectorEnv(family=task_envs.ANY, **kwargs),
    "games": lambda **kwargs: GameVectorEnv(game=game_envs.ANY, **kwargs),
}
LOSING = {"tasks": "", "games": -1}
"""An action that ends an episode at once."""

both = pytest.mark.parametrize("kind", MAKERS)


@both
@pytest.mark.parametrize("count", [-1, 0, 2.5, 10**9, "3", None, True])
def test_there_is_a_whole_number_of_envs(kind: str, count: object) -> None:
    with pytest.raises(InvalidArgument, match=r"`num_envs` is .*between 1 and 1048576"):
        MAKERS[kind](num_envs=count)


@both
def test_an_autoreset_mode_is_one_of_gymnasiums(kind: str) -> None:
    with pytest.raises(UnknownName, match="'Never'; choose 'NextStep', 'SameStep' or 'Disabled'"):
        MAKERS[kind](autoreset_mode="Never")


@both
@pytest.mark.parametrize(
    ("mask", "error"),
    [
        ([True, True, True], InvalidArgument),
        (np.ones(3), InvalidArgument),
        (np.ones(2, bool), InvalidArgument),
        (np.zeros(3, bool), InvalidArgument),
        (np.array([True, False, True]), ResetNeeded),
    ],
)
def test_a_reset_mask_is_checked(kind: str, mask: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="reset_mask"):
        MAKERS[kind](num_envs=3).reset(options={"reset_mask": mask})


@both
@pytest.mark.parametrize("seed", [[1, 2], ["1", "2", "3"], [1.5, 2, 3], "abc", 1.5])
def test_seeds_are_whole_numbers_one_for_each_env(kind: str, seed: object) -> None:
    many = MAKERS[kind](num_envs=3)
    many.reset(seed=0)
    before = many.get_state()
    with pytest.raises(InvalidArgument, match="`seed"):
        many.reset(seed=seed)
    assert many.get_state() == before


@both
def test_an_option_that_means_nothing_is_named(kind: str) -> None:
    with pytest.raises(UnknownName, match="no option `reset_masks`; did you mean `reset_mask`"):
        MAKERS[kind]().reset(options={"reset_masks": np.ones(1, bool)})


@both
def test_stepping_a_finished_env_is_an_error_that_names_it(kind: str) -> None:
    many = MAKERS[kind](num_envs=4, autoreset_mode="Disabled")
    with pytest.raises(ResetNeeded, match="reset"):
        many.step([LOSING[kind]] * 4)
    many.reset(seed=0)
    many.step([LOSING[kind]] * 4)
    many.reset(options={"reset_mask": np.array([True, False, True, False])})
    with pytest.raises(ResetNeeded, match="envs 1, 3"):
        many.step([LOSING[kind]] * 4)
