"""What environments of single tasks share: which task is posed, and what is told of it and of its verdict."""

import copy
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, Self, TypeVar

import gymnasium
from gymnasium.error import ResetNeeded

from reasonenv import _native
from reasonenv.envs._generators import TaskSampler, items_of
from reasonenv.envs._options import checked_option, checked_options
from reasonenv.envs._render import check_render_mode, judged_text, print_frame
from reasonenv.envs._scratchpad import TaskVerifier
from reasonenv.rewards._presets import RewardLike, resolve_judged

ObservationT = TypeVar("ObservationT")
ActionT = TypeVar("ActionT")


class SingleTaskEnv(gymnasium.Env[ObservationT, ActionT], Generic[ObservationT, ActionT]):
    """Poses one task per episode and judges what is said; what an action is, a subclass says."""

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
        self.reward = resolve_judged(reward, self.items.parts)
        self.render_mode = render_mode
        self._task: Any = None
        self._text = ""
        self._verdict: _native.Verdict | None = None

    @property
    def source(self) -> Any:
        """Where the items come from."""
        return self.items.source

    @property
    def num_tasks(self) -> int:
        """How many items there are."""
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
        """Poses another item.

        Args:
            seed: Decides this item and, as long as no other seed is given, all that follow.
            options: `{"index": i}` poses item `i`, with 0 <= i < `num_tasks`.

        Returns:
            What there is to see, and an info dict as the class describes.
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
        """The prompt and what was said and, at the end, the verdict, in ASCII.

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
        """An index a caller asked for.

        Raises:
            InvalidArgument: It is no whole number, or there is no such item.
        """
        return checked_option("index", given, self.items.count - 1)

    @abstractmethod
    def _observation(self) -> ObservationT:
        """What there is to see now."""

    def _shown(self) -> str:
        """What `render` shows before what was said."""
        return str(self.task.prompt)

    def _pose(self, task: Any) -> None:
        self._task, self._text, self._verdict = task, "", None

    def _info(self) -> dict[str, Any]:
        return task_info(self.task)


def task_info(task: Any) -> dict[str, Any]:
    """What `info` says of a task."""
    return {
        "task_id": task.id,
        "level": getattr(task, "level", None),
        "difficulty": getattr(task, "difficulty", None),
        "index": getattr(task, "index", None),
    }


def verdict_info(verdict: _native.Verdict, parts: dict[str, float]) -> dict[str, Any]:
    """What `info` says at the end of an episode; `parts` are those of its reward."""
    return {
        "passed": verdict.passed,
        "score": verdict.score,
        "reward_parts": parts,
        "verdict": verdict.to_dict(),
    }


def as_text(action: object) -> str:
    """What a verifier is given for an action: nothing, if it is no text."""
    return action if isinstance(action, str) else ""
