"""A task reasoned out step by step: the environment behind `mode="step"`."""

from typing import TYPE_CHECKING, Any, Literal, get_args

from reasonenv import _checks, _native
from reasonenv.envs._generators import TaskSampler, items_of
from reasonenv.envs._reason import NamedVerifier, ReasonEnv
from reasonenv.envs._scratchpad import AppendStep, ShowScratchpad, TaskVerifier, family_steps
from reasonenv.parts import ProcessJudge
from reasonenv.rewards._presets import RewardLike

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.types import ReadingName, SplitName

StepMode = Literal["step"]


class StepEnv(ReasonEnv):
    """Poses one task per episode, which is reasoned out on a scratchpad, one step per action.

    The observation is the question, the scratchpad and how many steps are left. The episode terminates with a
    step that says "final answer:", in any case: all that follows is the answer, the answer's tag is accepted
    too, and two answers that differ fail as hedged. It is truncated with reward 0 once `max_steps` are spent.
    The judge is given the scratchpad and the last step.

    No action raises; what is no `str` is an empty step. `info` is that of `ReasonEnv`.

    Args:
        family: Name of a task family; the ids of mixtures and of rows put their items here.
        mode: "step", one step of reasoning per action.
        level: Difficulty, from 0 to the family's `top_level`.
        params: Params of the family that replace the level's.
        split: Which items: "train", or one that shares none with it.
        task_seed: Seed of the stream of items; `index` counts within it.
        num_tasks: Size of a finite set of items. None: 2**63 of them.
        style: Wording: template, names, wrapper. None draws it anew for each item.
        reading: How the answer is read. None: "strict", as steps stand before it.
        reward: What the episode is paid: the name of a preset, weights of parts (`process` is the mean of
            the process scores, 0 where nobody judges steps), or a `Reward`.
        max_steps: Steps after which an episode is cut off.
        gamma: Discount per step in `info["return"]`, from 0 to 1.
        show_kind: Whether the observation names the task's family.
        show_level: Whether it names the level.
        allow_verify: Whether a step that begins with "verify:" asks the judge about the answer after it. It
            costs a step, and is told whether the answer is right and the labels of what is wrong.
        process_judge: `(task, steps) -> scores` of the reasoning steps. None: the families that check steps;
            1.0 for a step that holds, else 0.0.
        render_mode: "human" prints each reset and step, "ansi" makes `render` return them as a str.

    Raises:
        ReasonEnvError: An argument names nothing that exists or is out of bounds; it says which.
    """

    def __init__(
        self,
        family: str | TaskSampler,
        *,
        mode: StepMode = "step",
        level: int = 0,
        params: dict[str, Any] | None = None,
        split: "SplitName" = "train",
        task_seed: int = 0,
        num_tasks: int | None = None,
        style: dict[str, Any] | None = None,
        reading: "ReadingName | None" = None,
        reward: RewardLike = "binary",
        max_steps: int = 8,
        gamma: float = 1.0,
        show_kind: bool = False,
        show_level: bool = False,
        allow_verify: bool = False,
        process_judge: ProcessJudge | None = None,
        render_mode: str | None = None,
    ) -> None:
        _checks.one_of("mode", mode, get_args(StepMode))
        _checks.one_of("reading", reading, [None, *_native.list_readings()])
        if process_judge is not None:
            _checks.function("process_judge", process_judge, "a callable of (task, steps)")
        items = items_of(
            family,
            level=level,
            params=params,
            split=split,
            task_seed=task_seed,
            num_tasks=num_tasks,
            style=style,
        )
        shows, can_verify = _checks.flag("show_kind", show_kind), _checks.flag("allow_verify", allow_verify)
        judge = NamedVerifier(TaskVerifier(reading or "strict"))
        super().__init__(
            items,
            state_builder=ShowScratchpad(
                _checks.whole("max_steps", max_steps, 1, _checks.LARGEST_COUNT),
                shows,
                _checks.flag("show_level", show_level),
                can_verify,
            ),
            verifier=judge.verifier,
            transition=AppendStep(process_judge or family_steps, judge if can_verify else None),
            reward=reward,
            gamma=gamma,
            max_steps=max_steps,
            render_mode=render_mode,
        )
