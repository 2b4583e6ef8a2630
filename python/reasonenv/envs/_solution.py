"""One task, one answer: the environment behind `mode="solution"`."""

import copy
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded

from reasonenv import _checks, _native
from reasonenv.envs._generators import TaskSampler, items_of
from reasonenv.envs._options import checked_option, checked_options
from reasonenv.envs._render import check_render_mode, judged_text, print_frame
from reasonenv.envs._scratchpad import TaskVerifier
from reasonenv.envs._spaces import AnyText, CompletionSpace, prompts
from reasonenv.envs._state import reading_state, rng_from, rng_state, same_items, write_state
from reasonenv.rewards._presets import RewardLike, resolve_judged

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.types import ReadingName, SplitName

SolutionMode = Literal["solution"]


class SolutionEnv(gymnasium.Env[str, str]):
    """Poses one task per episode and judges one completion of it.

    The observation is the prompt, the action is a completion, and the episode ends with its first step.
    `reset` draws an index with `np_random.integers(num_tasks)` and poses the item at that index, so
    `reset(seed=...)` decides every item that follows; `reset(options={"index": i})` poses item `i` and draws
    nothing.

    No action raises. Text outside the action space, too long or not ASCII, is judged like any other; an
    action that is no `str` is judged as if nothing had been said.

    `info` holds `task_id`, `level` (None where `params` make no level), `difficulty` in [0, 1] and `index`;
    after the step also `passed`, `score` in [0, 1], `reward_parts` (each part times its weight; they sum to
    the reward), and `verdict`, which is `Verdict.to_dict()`.

    Args:
        family: Name of a task family, one of `reasonenv.list_families()`; the ids of mixtures and of rows put
            their items here.
        mode: "solution", the whole answer in one step.
        level: Difficulty, from 0 to the family's `top_level`.
        params: Params of the family that replace the level's.
        split: Which items: "train", or one that shares none with it.
        task_seed: Seed of the stream of items; `index` counts within it.
        num_tasks: Size of a finite set of items, the indices `0 .. num_tasks - 1`. None: 2**63 of them.
        style: Wording: template, names, wrapper. None draws it anew for each item.
        reading: How an answer is read: "clean", "strict" or "lenient". None: the family's own.
        reward: What a completion is paid: the name of a preset ("binary": 1.0 where it passed, else 0.0;
            "partial": the score, partial credit in [0, 1]; see `reasonenv.rewards.list_presets()`), a weight
            for each part, or a `reasonenv.rewards.Reward`.
        render_mode: "human" prints each reset and step, "ansi" makes `render` return them as a str.

    Raises:
        ReasonEnvError: An argument names nothing that exists or is out of bounds; it says which.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi"], "render_fps": 4}  # noqa: RUF012, as Env has it

    def __init__(
        self,
        family: str | TaskSampler,
        *,
        mode: SolutionMode = "solution",
        level: int = 0,
        params: dict[str, Any] | None = None,
        split: "SplitName" = "train",
        task_seed: int = 0,
        num_tasks: int | None = None,
        style: dict[str, Any] | None = None,
        reading: "ReadingName | None" = None,
        reward: RewardLike = "binary",
        render_mode: str | None = None,
    ) -> None:
        _checks.one_of("mode", mode, get_args(SolutionMode))
        _checks.one_of("reading", reading, [None, *_native.list_readings()])
        items = items_of(
            family,
            level=level,
            params=params,
            split=split,
            task_seed=task_seed,
            num_tasks=num_tasks,
            style=style,
        )
        self.source: Any = items.source
        self.num_tasks = items.count
        self.reading = reading
        self._judge = TaskVerifier(reading)
        self.reward = resolve_judged(reward, items.parts)
        self.render_mode = render_mode
        given = isinstance(family, TaskSampler)
        self.observation_space = AnyText() if given else prompts((style or {}).get("wrapper", ""))
        self.action_space = CompletionSpace()
        self._task: Any = None
        self._prompt = ""
        self._completion = ""
        self._verdict: _native.Verdict | None = None

    @property
    def task(self) -> Any:
        """The item in play, with its solution and judge.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        if self._task is None:
            raise ResetNeeded("no task is in play yet; call reset() first")
        return self._task

    @property
    def horizon(self) -> int:
        """The most steps of an episode."""
        return 1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Poses another item.

        Args:
            seed: Decides this item and, as long as no other seed is given, all that follow.
            options: `{"index": i}` poses item `i`, with 0 <= i < `num_tasks`.

        Returns:
            The prompt, and an info dict as the class describes.
        """
        chosen = checked_options(options, "index").get("index")
        if chosen is not None:
            chosen = self.checked_index(chosen)
        super().reset(seed=seed)
        index = self.draw(self.np_random) if chosen is None else chosen
        self._pose(self.source.task(index))
        if self.render_mode == "human":
            self.render()
        return self._prompt, self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Judges a completion of the prompt and ends the episode.

        Returns:
            The same prompt, the reward, `terminated=True`, `truncated=False`, and an info with the verdict.

        Raises:
            ResetNeeded: The episode is over or has not begun: no task is answered twice.
        """
        if self._verdict is not None:
            raise ResetNeeded("the episode ended with its first step; call reset() to be posed another task")
        completion = as_text(action)
        verdict = self._judge(self.task, completion)
        self._completion, self._verdict = completion, verdict
        if self.render_mode == "human":
            self.render()
        parts = self.reward.parts_of_one(verdict, completion)
        info = self._info() | {
            "passed": verdict.passed,
            "score": verdict.score,
            "reward_parts": parts,
            "verdict": verdict.to_dict(),
        }
        return self._prompt, sum(parts.values()), True, False, info

    def render(self) -> str | None:
        """The prompt and, after the step, the completion and what the judge said, in ASCII.

        Returns:
            The text in render mode "ansi"; None in "human", which prints it, and without a render mode.
        """
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        self.task  # noqa: B018, raises before the first reset
        frame = judged_text(self._prompt, self._completion, self._verdict)
        if self.render_mode == "ansi":
            return frame
        print_frame(frame)
        return None

    def get_state(self) -> bytes:
        """All that decides what this env does next, as JSON: item, completion if judged, generator."""
        return write_state(
            task_id=self._task and self._task.id,
            index=self._task and self._task.index,
            completion=None if self._verdict is None else self._completion,
            np_random=rng_state(self.np_random),
            np_random_seed=self.np_random_seed,
        )

    def set_state(self, state: bytes) -> None:
        """Continues from what `get_state` returned, of this env or of one made with the same arguments.

        Raises:
            InvalidState: The state is damaged, or of an env that poses other items; this one is unchanged.
        """
        with reading_state(state) as fields:
            rng, seed = rng_from(fields["np_random"]), fields["np_random_seed"]
            task = None if fields["index"] is None else self.source.task(fields["index"])
            same_items(task and task.id, fields["task_id"])
            completion = fields["completion"]
            verdict = self._judge(task, completion) if task and completion is not None else None
        self._np_random, self._np_random_seed = rng, seed
        self._pose(task)
        if verdict is not None:
            self._completion, self._verdict = completion, verdict

    def clone(self) -> Self:
        """An independent env in the same state."""
        return copy.deepcopy(self)

    def draw(self, rng: np.random.Generator) -> int:
        """The index of the next item."""
        return int(rng.integers(self.num_tasks))

    def checked_index(self, given: Any) -> int:
        """An index a caller asked for.

        Raises:
            InvalidArgument: It is no whole number, or there is no such item.
        """
        return checked_option("index", given, self.num_tasks - 1)

    def _pose(self, task: Any) -> None:
        self._task = task
        self._prompt = "" if task is None else task.prompt
        self._completion, self._verdict = "", None

    def _info(self) -> dict[str, Any]:
        task = self.task
        return {
            "task_id": task.id,
            "level": getattr(task, "level", None),
            "difficulty": getattr(task, "difficulty", None),
            "index": task.index,
        }


def as_text(action: object) -> str:
    """What a judge is given for an action: nothing, if it is no text."""
    return action if isinstance(action, str) else ""
