"""A task reasoned out step by step: the environment behind `mode="step"`."""

from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from reasonenv import _checks
from reasonenv._settings import settled, takes
from reasonenv.envs._costs import Costs
from reasonenv.envs._generators import TaskSampler, items_of
from reasonenv.envs._hints import Hints
from reasonenv.envs._reason import ReasonEnv
from reasonenv.envs._reason_parts import NamedVerifier
from reasonenv.envs._scratchpad import AppendStep, ShowScratchpad, TaskVerifier, family_steps
from reasonenv.parts import EpisodeState, ProcessJudge
from reasonenv.rewards._presets import RewardLike

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.envs._keywords import StepKeywords

StepMode = Literal["step"]


@takes("source", "task", "episode", "step", "hint", "cost")
class StepEnv(ReasonEnv):
    """Poses one task per episode, to be reasoned out on a scratchpad, one step per action.

    The observation is the question, the scratchpad and the number of steps left. The episode terminates with
    a step that says "final answer:", in any case: everything after it is the answer. The answer's tag is
    accepted too, and two answers that differ fail as hedged. It is truncated with reward 0 once `max_steps`
    are spent. The verifier receives the scratchpad and the last step.

    No action raises; anything but a `str` is an empty step. `info` is that of `ReasonEnv` and, where hints
    may be asked for, `hints`, the number shown.

    Args:
        family: Name of a task family; the ids of mixtures and of rows put their items here.
        mode: "step", one step of reasoning per action.
        params: Params of the family that replace the level's.
        reward: Reward of the episode: the name of a preset, weights of parts (`process` and `true_steps` are
            0 if steps aren't scored), or a `Reward`.
        process_judge: `(task, steps) -> scores` of the reasoning steps, or their verdicts. None: the families
            that check steps.
        render_mode: "human" prints each reset and step, "ansi" makes `render` return them as a str.
        **settings: `reasonenv.types.SourceSettings`, `TaskSettings`, `EpisodeSettings`,
            `StepSettings`, `HintSettings` and `CostSettings`.

    Raises:
        Unsupported: The family has no hints of the kind that is asked for.
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """

    def __init__(
        self,
        family: str | TaskSampler,
        *,
        mode: StepMode = "step",
        params: dict[str, Any] | None = None,
        reward: RewardLike = "binary",
        process_judge: ProcessJudge | None = None,
        render_mode: str | None = None,
        **settings: "Unpack[StepKeywords]",
    ) -> None:
        _checks.one_of("mode", mode, get_args(StepMode))
        if process_judge is not None:
            _checks.function("process_judge", process_judge, "a callable of (task, steps)")
        known = settled(settings, "source", "task", "episode", "step", "hint", "cost")
        judge = NamedVerifier(TaskVerifier(known["reading"] or "strict"))
        shown = (known["max_steps"], known["show_kind"], known["show_level"], known["allow_verify"])
        self._hints, items = Hints.of(known), items_of(family, params, known)
        self._hints.check(items)
        super().__init__(
            items,
            state_builder=ShowScratchpad(*shown, self._hints.rule()),
            verifier=judge.verifier,
            transition=AppendStep(
                process_judge or family_steps, judge if known["allow_verify"] else None, self._hints
            ),
            reward=reward,
            gamma=known["gamma"],
            process=known["process"],
            max_steps=known["max_steps"],
            render_mode=render_mode,
            **Costs(known).settings,
        )

    def turn_info(self, state: EpisodeState) -> dict[str, Any]:
        """Number of hints shown."""
        return self._hints.info(state)
