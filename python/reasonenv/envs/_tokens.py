"""A task answered character by character: the environment behind `mode="token"`."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack, get_args

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from reasonenv import _checks, _native
from reasonenv._settings import settled, takes
from reasonenv.envs._costs import over_cost
from reasonenv.envs._generators import TaskSampler, load_task, save_task
from reasonenv.envs._state import checked_text, reading_state, rng_from, rng_state, write_state
from reasonenv.envs._task_env import SingleTaskEnv, verdict_info
from reasonenv.rewards._presets import RewardLike

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.envs._keywords import TokenKeywords

TokenMode = Literal["token"]

_CHARACTERS = "".join(map(chr, range(0x20, 0x7F))) + "\n"

_OTHER = len(_CHARACTERS) + 1

_CODES = np.full(128, _OTHER, np.int64)
"""Code of each character below 128; the last one stands for all above."""
_CODES[[ord(character) for character in _CHARACTERS]] = np.arange(1, _OTHER)


@takes("source", "task", "token", "cost")
class TokenEnv(SingleTaskEnv[NDArray[np.int64], np.int64]):
    """Poses one task per episode; its completion is typed one character per action.

    An action is a place in `CHARACTERS` (printable ASCII and the newline), or `END`. The observation is the
    last `window` characters of the prompt and the typed text, as int64 codes of shape (window,): 0 before the
    first character, 1 to 96 for `CHARACTERS`, 97 for others. The episode terminates with the answer's closing
    tag or with `END` and is then verified; it is truncated with reward 0 after `max_chars` characters.

    `info` holds `task_id`, `level`, `difficulty` and `index`; after a step `cost` and `episode_cost`; at the
    end also `passed`, `score`, `reward_parts`, `verdict` (as `Verdict.to_dict()`) and `text`, the typed text.

    Args:
        family: Name of a task family; the ids of mixtures and of rows put their items here.
        mode: "token", one character per action.
        params: Params of the family that replace the level's.
        reward: Reward of the completion: the name of a preset, weights of parts, or a `Reward`.
        render_mode: "human" prints the reset and the end, "ansi" makes `render` return the text so far.
        **settings: `reasonenv.types.SourceSettings`, `TaskSettings`, `TokenSettings` and
            `CostSettings`.

    Raises:
        ReasonEnvError: An argument is unknown or out of bounds; names it.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi"], "render_fps": 30}  # noqa: RUF012, as Env has it

    CHARACTERS: ClassVar[str] = _CHARACTERS
    """Characters that can be typed: the action is the position in this text."""

    END: ClassVar[int] = len(_CHARACTERS)
    """The action that ends the episode."""

    def __init__(
        self,
        family: str | TaskSampler,
        *,
        mode: TokenMode = "token",
        params: dict[str, Any] | None = None,
        reward: RewardLike = "binary",
        render_mode: str | None = None,
        **settings: "Unpack[TokenKeywords]",
    ) -> None:
        _checks.one_of("mode", mode, get_args(TokenMode))
        known = settled(settings, "source", "task", "token", "cost")
        super().__init__(family, params, reward, render_mode, known)
        self.window: int = known["window"]
        self.max_chars: int = known["max_chars"]
        self.observation_space = spaces.MultiDiscrete(np.full(self.window, _OTHER + 1))
        self.action_space = spaces.Discrete(self.END + 1)
        self._turns, self._cost = 0, 0.0

    @property
    def text(self) -> str:
        """The text typed so far."""
        return self._text

    @property
    def horizon(self) -> int:
        """Maximum number of steps of an episode."""
        return self.max_chars

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.int64], float, bool, bool, dict[str, Any]]:
        """Type a character; a number out of range types nothing.

        Returns:
            Observation, reward (0 before the end), whether the text is finished (or its costs ended the
            episode), whether it was cut off, and an info dict as the class describes.

        Raises:
            ResetNeeded: The episode is over or has not begun.
            InvalidArgument: The action isn't a whole number.
        """
        task = self.task
        if self._verdict is not None:
            raise ResetNeeded("the episode is over; call reset() to be posed another task")
        number = _checks.whole("action", action)
        typed = self._text + (self.CHARACTERS[number] if 0 <= number < self.END else "")
        tag = getattr(task, "answer_tag", None)
        finished = number == self.END or (tag is not None and typed.endswith(f"</{tag}>"))
        cost = 0.0 if 0 <= number <= self.END else self.costs.weights["invalid"]
        verdict, parts = None, {}
        if finished:
            verdict = self._verify(task, typed)
            parts = self.reward.parts_of_one(verdict, typed)
            cost += self.costs.of_answer(verdict.failures)
        total = self._cost + cost
        if not finished and self.costs.can_end:
            step = (task.id, self._turns)
            if self.costs.end(cost, total, self.np_random, step):
                finished, verdict = True, over_cost(total)
        cut = not finished and self._turns + 1 >= self.max_chars
        if cut:
            detail = f"the {self.max_chars} characters were spent before the answer was finished"
            verdict = _native.Verdict(False, 0.0, failures=["truncated"], detail=detail)
        self._text, self._turns, self._verdict, self._cost = typed, self._turns + 1, verdict, total
        info = self._info() | {"cost": cost, "episode_cost": total}
        if verdict is not None:
            info |= verdict_info(verdict, parts) | {"text": typed}
            if self.render_mode == "human":
                self.render()
        return self._observation(), float(sum(parts.values())), finished, cut, info

    def get_state(self) -> bytes:
        """Full state of this env, as JSON: item, text so far, generator."""
        return write_state(
            task=self._task and save_task(self.items, self._task),
            text=self._text,
            turns=self._turns,
            cost=self._cost,
            over=self._verdict is not None,
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
            task = None if fields["task"] is None else load_task(self.items, fields["task"])
            typed = checked_text("text", fields["text"])
            turns = _checks.whole("turns", fields["turns"], 0, self.max_chars)
            cost = _checks.number("cost", fields["cost"], 0)
            over = _checks.flag("over", fields["over"])
            verdict = self._verify(task, typed) if over else None
        self._np_random, self._np_random_seed = rng, seed
        self._task, self._text, self._turns, self._verdict = task, typed, turns, verdict
        self._cost = cost

    def _observation(self) -> NDArray[np.int64]:
        seen = np.zeros(self.window, np.int64)
        text = f"{self.task.prompt}\n{self._text}"[-self.window :]
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        seen[self.window - len(text) :] = _CODES[np.minimum(points, 127)]
        return seen

    def _shown(self) -> str:
        shown = self.task.prompt if self._verdict else f"{self.task.prompt}\n\n{self._text}"
        return shown.encode("ascii", "backslashreplace").decode()

    def _pose(self, task: Any) -> None:
        super()._pose(task)
        self._turns, self._cost = 0, 0.0
