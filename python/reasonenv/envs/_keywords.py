"""The keywords of Gymnasium environments as types; tests hold them against the constructors."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, Required, TypedDict, TypeVar

from gymnasium.vector import AutoresetMode

from reasonenv._native import Opponent
from reasonenv._opponents import GamePolicy
from reasonenv.data._rows import Rows
from reasonenv.envs import _game, _moves, _solution, _step, _tokens
from reasonenv.envs._opponent import Itself
from reasonenv.envs._single import Illegal
from reasonenv.parts import ProcessJudge
from reasonenv.rewards._presets import RewardLike
from reasonenv.types import FamilyName, OpponentName, ReadingName, SplitName
from reasonenv.verifiers import Judge

ParamsT = TypeVar("ParamsT")


class SingleKeywords(TypedDict, total=False):
    """What `gymnasium.make` takes for any environment."""

    max_episode_steps: int | None
    disable_env_checker: bool | None
    render_mode: str | None


class VectorKeywords(TypedDict, total=False):
    """What vector environments take besides their single environments' keywords."""

    autoreset_mode: Literal["NextStep", "SameStep", "Disabled"] | AutoresetMode
    max_episode_steps: int | None
    render_mode: str | None


class TaskOnlyKeywords(TypedDict, Generic[ParamsT], total=False):
    """The keywords of `SolutionEnv`, and of the environments of the other modes."""

    mode: _solution.SolutionMode | _step.StepMode | _tokens.TokenMode | _moves.MovesMode
    level: int
    params: ParamsT | None
    split: SplitName
    task_seed: int
    num_tasks: int | None
    style: dict[str, Any] | None
    reading: ReadingName | None
    reward: RewardLike
    illegal: Illegal
    invalid_penalty: float
    max_turns: int | None
    max_steps: int
    gamma: float
    show_kind: bool
    show_level: bool
    allow_verify: bool
    process_judge: ProcessJudge | None
    window: int
    max_chars: int


class GameOnlyKeywords(TypedDict, Generic[ParamsT], total=False):
    """The keywords of `GameEnv`."""

    params: ParamsT | None
    mode: _game.GameMode
    opponent: OpponentName | Itself | Opponent | GamePolicy | None
    random_move_prob: float
    min_random_move_prob: float | None
    max_random_move_prob: float | None
    num_groups: int
    blunder_prob: float
    optimality: _game.Optimality
    exact_plies: int | None
    seat: _game.Seat
    illegal: Illegal | None
    invalid_penalty: float
    max_turns: int | None
    opening_plies: int
    reward: _game.GameReward
    analysis: bool
    analysis_plies: int | None
    instructions: _game.Instructions
    think: _game.Think
    reward_weights: Mapping[str, float] | None
    penalize: _game.Penalize
    text: bool


class TaskKeywords(TaskOnlyKeywords[ParamsT], SingleKeywords, Generic[ParamsT], total=False):
    """What `make` takes for a task family."""


class GameKeywords(GameOnlyKeywords[ParamsT], SingleKeywords, Generic[ParamsT], total=False):
    """What `make` takes for a game."""


class ItemsKeywords(SingleKeywords, total=False):
    """What `make` takes for tasks of any kind in a mode of text, besides where they come from."""

    mode: _solution.SolutionMode | _step.StepMode | _tokens.TokenMode
    reward: RewardLike
    max_steps: int
    gamma: float
    show_kind: bool
    show_level: bool
    allow_verify: bool
    process_judge: ProcessJudge | None
    window: int
    max_chars: int


class MixtureKeywords(ItemsKeywords, total=False):
    """What `make` takes for `reasonenv/Mixture-v1`."""

    families: Iterable[FamilyName | tuple[FamilyName, int] | list[Any]] | None
    weights: Sequence[float] | None
    split: SplitName
    task_seed: int
    num_tasks: int | None
    reading: ReadingName | None


class RowsKeywords(ItemsKeywords, total=False):
    """What `make` takes for `reasonenv/Rows-v1`."""

    rows: Required[str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Rows]
    question: str
    answer: str
    verifier: str | Mapping[str, Any] | Judge
    group: str | None
    instruction: str | None


class TaskVectorKeywords(TaskOnlyKeywords[ParamsT], VectorKeywords, Generic[ParamsT], total=False):
    """What `make_vec` takes for a task family."""


class GameVectorKeywords(GameOnlyKeywords[ParamsT], VectorKeywords, Generic[ParamsT], total=False):
    """What `make_vec` takes for a game."""

    episode_infos: bool
