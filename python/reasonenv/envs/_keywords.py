"""Keywords of Gymnasium environments as types; tests compare them with the constructors."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, Required, TypedDict, TypeVar

from gymnasium import VectorizeMode
from gymnasium.vector import AutoresetMode

from reasonenv import types
from reasonenv._native import Opponent
from reasonenv._opponents import GamePolicy
from reasonenv.data._rows import Rows
from reasonenv.envs import _dialogue, _game, _moves, _proof, _solution, _step, _tokens, _tools
from reasonenv.envs.wrappers._tool_use import Protocol
from reasonenv.parts import ProcessJudge
from reasonenv.rewards._presets import RewardLike
from reasonenv.rewards._process import Process
from reasonenv.tools._registry import ToolLike
from reasonenv.types import (
    CostSettings,
    EpisodeSettings,
    FamilyName,
    GameSettings,
    OpponentName,
    ReadingName,
    SourceSettings,
    SplitName,
    TaskSettings,
)
from reasonenv.verifiers import Judge

ParamsT = TypeVar("ParamsT")


class SingleKeywords(TypedDict, total=False):
    """Keywords of `gymnasium.make` for any environment."""

    max_episode_steps: int | None
    disable_env_checker: bool | None
    render_mode: str | None


class VectorKeywords(TypedDict, total=False):
    """Keywords of vector environments, besides those of their single environments."""

    autoreset_mode: Literal["NextStep", "SameStep", "Disabled"] | AutoresetMode
    max_episode_steps: int | None
    render_mode: str | None
    vectorization_mode: Literal["async", "sync", "vector_entry_point"] | VectorizeMode | None


class ReasonKeywords(EpisodeSettings, CostSettings, total=False):
    """The settings of `ReasonEnv` as types."""


class SolutionKeywords(SourceSettings, TaskSettings, CostSettings, total=False):
    """The settings of `SolutionEnv` as types."""


class StepKeywords(
    SourceSettings,
    TaskSettings,
    EpisodeSettings,
    types.StepSettings,
    types.HintSettings,
    CostSettings,
    total=False,
):
    """The settings of `StepEnv` as types."""


class ProofKeywords(
    SourceSettings, TaskSettings, types.ProofSettings, types.HintSettings, CostSettings, total=False
):
    """The settings of `ProofEnv` as types, besides `max_steps`."""

    gamma: float
    process: Process


class TokenKeywords(SourceSettings, TaskSettings, types.TokenSettings, CostSettings, total=False):
    """The settings of `TokenEnv` as types."""


class ToolTaskKeywords(SourceSettings, TaskSettings, CostSettings, total=False):
    """The settings of `ToolTaskEnv` as types, besides `max_steps`."""

    gamma: float


class ToolKeywords(TypedDict, total=False):
    """Keywords of the mode "tools"."""

    tools: Iterable[ToolLike]
    max_calls: int
    protocol: Protocol


class DialogueKeywords(SourceSettings, TaskSettings, types.HintSettings, CostSettings, total=False):
    """The settings of `DialogueEnv` as types, besides `max_steps`."""

    gamma: float


class MovesKeywords(SourceSettings, types.MovesSettings, types.HintSettings, total=False):
    """The settings of `MovesEnv` as types."""


class TaskOnlyKeywords(
    SourceSettings,
    TaskSettings,
    EpisodeSettings,
    types.StepSettings,
    types.HintSettings,
    types.ProofSettings,
    types.TokenSettings,
    types.MovesSettings,
    ToolKeywords,
    Generic[ParamsT],
    total=False,
):
    """The keywords of `SolutionEnv`, and of the environments of the other modes."""

    mode: (
        _solution.SolutionMode
        | _step.StepMode
        | _tokens.TokenMode
        | _tools.ToolsMode
        | _moves.MovesMode
        | _dialogue.DialogueMode
        | _proof.ProofMode
    )
    params: ParamsT | None
    mistakes: int
    reward: RewardLike | _moves.MovesReward
    process_judge: ProcessJudge | None


class GameOnlyKeywords(GameSettings, Generic[ParamsT], total=False):
    """The keywords of `GameEnv`."""

    params: ParamsT | None
    opponent: OpponentName | _game.Itself | Opponent | GamePolicy | None


class TaskKeywords(TaskOnlyKeywords[ParamsT], SingleKeywords, Generic[ParamsT], total=False):
    """Keywords of `make` for a task family."""


class GameKeywords(GameOnlyKeywords[ParamsT], SingleKeywords, Generic[ParamsT], total=False):
    """Keywords of `make` for a game."""


class ItemsKeywords(
    SingleKeywords,
    EpisodeSettings,
    types.StepSettings,
    types.HintSettings,
    types.TokenSettings,
    CostSettings,
    ToolKeywords,
    total=False,
):
    """Keywords of `make` for any tasks in a mode of text, besides their source."""

    mode: _solution.SolutionMode | _step.StepMode | _tokens.TokenMode | _tools.ToolsMode
    reward: RewardLike
    process_judge: ProcessJudge | None


class MixtureKeywords(ItemsKeywords, total=False):
    """Keywords of `make` for `reasonenv/Mixture-v1`."""

    families: Iterable[FamilyName | tuple[FamilyName, int] | list[Any]] | None
    weights: Sequence[float] | None
    split: SplitName
    task_seed: int
    num_tasks: int | None
    reading: ReadingName | None


class RowsKeywords(ItemsKeywords, total=False):
    """Keywords of `make` for `reasonenv/Rows-v1`."""

    rows: Required[str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Rows]
    question: str
    answer: str
    verifier: str | Mapping[str, Any] | Judge
    group: str | None
    instruction: str | None


class TaskVectorKeywords(TaskOnlyKeywords[ParamsT], VectorKeywords, Generic[ParamsT], total=False):
    """Keywords of `make_vec` for a task family."""


class GameVectorKeywords(GameOnlyKeywords[ParamsT], VectorKeywords, Generic[ParamsT], total=False):
    """Keywords of `make_vec` for a game."""

    episode_infos: bool
