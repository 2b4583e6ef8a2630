"""A task with tools: the environment behind `mode="tools"`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from reasonenv import _checks
from reasonenv._settings import settled, takes
from reasonenv.envs._costs import Costs
from reasonenv.envs._generators import TaskSampler, items_of
from reasonenv.envs._scratchpad import TaskVerifier
from reasonenv.envs.wrappers._tool_use import Protocol, ToolEnv
from reasonenv.rewards._presets import RewardLike
from reasonenv.tools._registry import ToolLike

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.envs._keywords import ToolTaskKeywords

ToolsMode = Literal["tools"]


@takes("source", "task", "episode", "cost")
class ToolTaskEnv(ToolEnv):
    """Poses one task per episode to a policy that can call tools; see `wrappers.tools`.

    Args:
        family: Name of a task family; the ids of mixtures and of rows put their items here.
        mode: "tools", a turn per action: the first one without a call is the answer.
        tools: Names of `reasonenv.tools.list_tools()`, mappings of such a `name` and its options, or
            functions with types and docstrings.
        max_calls: Maximum number of calls that are answered, malformed ones included.
        protocol: "text": the question is followed by the tools and how to call them. "openai": it is not.
        params: Params of the family that replace the level's.
        reward: Reward of the episode: the name of a preset such as "search-two-stage", weights of parts
            (`cost` counts calls, `invalid` the failed ones, `search` is 1 if the tool `search` was called
            and no call failed), or a `Reward`.
        render_mode: "human" prints each reset and step, "ansi" makes `render` return them as a str.
        **settings: `reasonenv.types.SourceSettings`, `TaskSettings`, `EpisodeSettings` and
            `CostSettings`.

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """

    def __init__(
        self,
        family: str | TaskSampler,
        *,
        mode: ToolsMode = "tools",
        tools: Iterable[ToolLike] = ("calculator",),
        max_calls: int = 16,
        max_steps: int = 16,
        protocol: Protocol = "text",
        params: dict[str, Any] | None = None,
        reward: RewardLike = "binary",
        render_mode: str | None = None,
        **settings: "Unpack[ToolTaskKeywords]",
    ) -> None:
        _checks.one_of("mode", mode, get_args(ToolsMode))
        given: dict[str, Any] = {"max_steps": max_steps, **settings}
        known = settled(given, "source", "task", "episode", "cost")
        super().__init__(
            items_of(family, params, known),
            tools,
            max_calls=max_calls,
            max_steps=known["max_steps"],
            protocol=protocol,
            verifier=TaskVerifier(known["reading"]),
            reward=reward,
            gamma=known["gamma"],
            render_mode=render_mode,
            **Costs(known).settings,
        )
