"""Base of the environments of single tasks: choice of the task, and `info` about it and its verdict."""

import copy
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, Self, TypeVar

import gymnasium
from gymnasium.error import ResetNeeded

from reasonenv import _native
from reasonenv.envs._costs import Costs
from reasonenv.envs._generators import TaskSampler, items_of
from reasonenv.envs._options import checked_option, checked_options
from reasonenv.envs._render import check_render_mode, judged_text, print_frame
from reasonenv.envs._scratchpad import TaskVerifier
from reasonenv.rewards._presets import RewardLike, resolve_judged

ObservationT = TypeVar("ObservationT")
ActionT = TypeVar("ActionT")


class SingleTaskEnv(gymnasium.Env[ObservationT, ActionT], Generic[ObservationT, ActionT]):
    """Poses one task per episode and verifies the answer; subclasses define the actions."""

    def __init__(
        self,
        family: str | TaskSampler,
        params: dict[str, Any] | None,
        reward: RewardLike,
        render_mode: str | None,
        settings: Mapping[str, Any],
    ) -> None:
        self.items = items_of(family, params, settings)
        self.reading = settings["reading"]
        self._verify = TaskVerifier(self.reading)
        self.costs = Costs(settings)
        self.reward = resolve_judged(reward, self.items.parts)
        self.render_mode = render_mode
        self._task: Any = None
        self._text = ""
        self._verdict: _native.Verdict | None = None

    @property
    def source(self) -> Any:
        """Source of the items."""
        return self.items.source

    @property
    def num_tasks(self) -> int:
        """Number of items."""
        return self.items.count

    @property
    def task(self) -> Any:
        """The item in play, with its solution and verifier.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        if self._task is None:
            raise ResetNeeded("no task is in play yet; call reset() first")
        return self._task

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ObservationT, dict[str, Any]]:
        """Pose another item.

        Args:
            seed: Determines this item and, as long as no other seed is given, all that follow.
            options: `{"index": i}` poses item `i`, with 0 <= i < `num_tasks`.

        Returns:
            Observation, and an info dict as the class describes.
        """
        chosen = checked_options(options, "index").get("index")
        if chosen is not None:
            chosen = self.checked_index(chosen)
        super().reset(seed=seed)
        self._pose(self.items.sample(self.np_random, chosen))
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def render(self) -> str | None:
        """The prompt, the text so far and, at the end, the verdict, in ASCII.

        Returns:
            The text in render mode "ansi"; None in "human", which prints it, and without a render mode.
        """
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        frame = judged_text(self._shown(), self._text, self._verdict)
        if self.render_mode == "ansi":
            return frame
        print_frame(frame)
        return None

    def clone(self) -> Self:
        """An independent env in the same state."""
        return copy.deepcopy(self)

    def checked_index(self, given: Any) -> int:
        """Index that a caller asked for.

        Raises:
            InvalidArgument: It isn't a whole number, or there is no such item.
        """
        return checked_option("index", given, self.items.count - 1)

    @abstractmethod
    def _observation(self) -> ObservationT:
        """The current observation."""

    def _shown(self) -> str:
        """Text that `render` shows before the completion."""
        return str(self.task.prompt)

    def _pose(self, task: Any) -> None:
        self._task, self._text, self._verdict = task, "", None

    def _info(self) -> dict[str, Any]:
        return task_info(self.task)


def task_info(task: Any) -> dict[str, Any]:
    """Entries of `info` about a task."""
    return {
        "task_id": task.id,
        "level": getattr(task, "level", None),
        "difficulty": getattr(task, "difficulty", None),
        "index": getattr(task, "index", None),
    }


def verdict_info(verdict: _native.Verdict, parts: dict[str, float]) -> dict[str, Any]:
    """Entries of `info` at the end of an episode; `parts` are those of its reward."""
    return {
        "passed": verdict.passed,
        "score": verdict.score,
        "reward_parts": parts,
        "verdict": verdict.to_dict(),
    }


def as_text(action: object) -> str:
    """Text of an action for the verifier: empty, if it isn't text."""
    return action if isinstance(action, str) else ""
