"""One task, one answer: the environment behind `mode="solution"`."""

from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from gymnasium.error import ResetNeeded

from reasonenv import _checks, _native
from reasonenv._settings import settled, takes
from reasonenv.envs._generators import TaskSampler
from reasonenv.envs._spaces import AnyText, CompletionSpace, prompts
from reasonenv.envs._state import reading_state, rng_from, rng_state, same_items, write_state
from reasonenv.envs._task_env import SingleTaskEnv, as_text, verdict_info
from reasonenv.rewards._presets import RewardLike

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.envs._keywords import SolutionKeywords

SolutionMode = Literal["solution"]


@takes("source", "task", "cost")
class SolutionEnv(SingleTaskEnv[str, str]):
    """Poses one task per episode and verifies one completion of it.

    The observation is the prompt, the action is a completion, and the episode ends with its first step.
    `reset` draws an index with `np_random.integers(num_tasks)` and poses the item at that index, so
    `reset(seed=...)` determines every item that follows; `reset(options={"index": i})` poses item `i` and
    draws nothing.

    No action raises. Text outside the action space, too long or not ASCII, is verified like any other; an
    action that isn't a `str` is verified as an empty completion.

    `info` holds `task_id`, `level` (None if `params` make no level), `difficulty` in [0, 1] and `index`;
    after the step also `cost` and `episode_cost`, `passed`, `score` in [0, 1], `reward_parts` (each part
    times its weight; they sum to the reward), and `verdict`, which is `Verdict.to_dict()`.

    Args:
        family: Name of a task family, one of `reasonenv.list_families()`; the ids of mixtures and of rows put
            their items here.
        mode: "solution", the whole answer in one step.
        params: Params of the family that replace the level's.
        reward: Reward of a completion: the name of a preset ("binary": 1.0 if it passed, else 0.0;
            "partial": the score, partial credit in [0, 1]; see `reasonenv.rewards.list_presets()`), a weight
            for each part, or a `reasonenv.rewards.Reward`.
        render_mode: "human" prints each reset and step, "ansi" makes `render` return them as a str.
        **settings: `reasonenv.types.SourceSettings`, `TaskSettings` and `CostSettings`.

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi"], "render_fps": 4}  # noqa: RUF012, as Env has it

    def __init__(
        self,
        family: str | TaskSampler,
        *,
        mode: SolutionMode = "solution",
        params: dict[str, Any] | None = None,
        reward: RewardLike = "binary",
        render_mode: str | None = None,
        **settings: "Unpack[SolutionKeywords]",
    ) -> None:
        _checks.one_of("mode", mode, get_args(SolutionMode))
        known = settled(settings, "source", "task", "cost")
        super().__init__(family, params, reward, render_mode, known)
        wrapper = (known["style"] or {}).get("wrapper", "")
        if isinstance(family, TaskSampler):
            self.observation_space = AnyText()
        else:
            numbers = "moves" if "moves" in _native.family(family).modes else "token"
            self.observation_space = prompts(wrapper, f'give mode="{numbers}", which observes numbers')
        self.action_space = CompletionSpace()

    @property
    def horizon(self) -> int:
        """Maximum number of steps of an episode."""
        return 1

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Verify a completion of the prompt and end the episode.

        Returns:
            The same prompt, the reward, `terminated=True`, `truncated=False`, and an info with the verdict.

        Raises:
            ResetNeeded: The episode is over or has not begun: no task is answered twice.
        """
        if self._verdict is not None:
            raise ResetNeeded("the episode ended with its first step; call reset() to be posed another task")
        completion = as_text(action)
        verdict = self._verify(self.task, completion)
        self._text, self._verdict = completion, verdict
        if self.render_mode == "human":
            self.render()
        parts = self.reward.parts_of_one(verdict, completion)
        cost = self.costs.of_answer(verdict.failures)
        info = self._info() | verdict_info(verdict, parts)
        info["cost"] = info["episode_cost"] = cost
        return self._observation(), sum(parts.values()), True, False, info

    def get_state(self) -> bytes:
        """Full state of this env, as JSON: item, completion if verified, generator."""
        return write_state(
            task_id=self._task and self._task.id,
            index=self._task and self._task.index,
            completion=None if self._verdict is None else self._text,
            np_random=rng_state(self.np_random),
            np_random_seed=self.np_random_seed,
        )

    def set_state(self, state: bytes) -> None:
        """Continue from the output of `get_state`, of this env or of one made with the same arguments.

        Raises:
            InvalidState: The state is damaged, or of an env that poses other items; this one is unchanged.
        """
        with reading_state(state) as fields:
            rng, seed = rng_from(fields["np_random"]), fields["np_random_seed"]
            task = None if fields["index"] is None else self.source.task(fields["index"])
            same_items(task and task.id, fields["task_id"])
            completion = fields["completion"]
            verdict = self._verify(task, completion) if task and completion is not None else None
        self._np_random, self._np_random_seed = rng, seed
        self._pose(task)
        if verdict is not None:
            self._text, self._verdict = completion, verdict

    def _observation(self) -> str:
        prompt: str = self._task.prompt
        return prompt
