"""A task answered character by character: the environment behind `mode="token"`."""

import copy
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from reasonenv import _checks, _native
from reasonenv.envs._generators import TaskSampler, items_of, load_task, save_task
from reasonenv.envs._options import checked_option, checked_options
from reasonenv.envs._render import check_render_mode, judged_text, print_frame
from reasonenv.envs._scratchpad import TaskVerifier
from reasonenv.envs._state import checked_text, reading_state, rng_from, rng_state, write_state
from reasonenv.rewards._presets import RewardLike, resolve_judged

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.types import ReadingName, SplitName

TokenMode = Literal["token"]

_CHARACTERS = "".join(map(chr, range(0x20, 0x7F))) + "\n"

_OTHER = len(_CHARACTERS) + 1

_CODES = np.full(128, _OTHER, np.int64)
"""The code of each character below 128; the last one stands for all that are above."""
_CODES[[ord(character) for character in _CHARACTERS]] = np.arange(1, _OTHER)


class TokenEnv(gymnasium.Env[NDArray[np.int64], np.int64]):
    """Poses one task per episode, whose completion is typed one character per action.

    An action is a place in `CHARACTERS` (printable ASCII and the newline), or `END`. The observation is the
    last `window` characters of the prompt and what was typed, as int64 codes of shape (window,): 0 before the
    first character, 1 to 96 for `CHARACTERS`, 97 for others. The episode terminates with the answer's closing
    tag or with `END` and is then judged; it is truncated with reward 0 after `max_chars` characters.

    `info` holds `task_id`, `level`, `difficulty` and `index`; at the end also `passed`, `score`,
    `reward_parts`, `verdict` (as `Verdict.to_dict()`) and `text`, what was typed.

    Args:
        family: Name of a task family; the ids of mixtures and of rows put their items here.
        mode: "token", one character per action.
        level: Difficulty, from 0 to the family's `top_level`.
        params: Params of the family that replace the level's.
        split: Which items: "train", or one that shares none with it.
        task_seed: Seed of the stream of items; `index` counts within it.
        num_tasks: Size of a finite set of items. None: 2**63 of them.
        style: Wording: template, names, wrapper. None draws it anew for each item.
        reading: How the answer is read: "clean", "strict" or "lenient". None: the family's own.
        reward: What the completion is paid: the name of a preset, weights of parts, or a `Reward`.
        window: Characters that are seen.
        max_chars: Characters after which an episode is cut off.
        render_mode: "human" prints the reset and the end, "ansi" makes `render` return the text so far.

    Raises:
        ReasonEnvError: An argument names nothing that exists or is out of bounds; it says which.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi"], "render_fps": 30}  # noqa: RUF012, as Env has it

    CHARACTERS: ClassVar[str] = _CHARACTERS
    """What can be typed: the action is the place in this text."""

    END: ClassVar[int] = len(_CHARACTERS)
    """The action that ends the episode."""

    def __init__(
        self,
        family: str | TaskSampler,
        *,
        mode: TokenMode = "token",
        level: int = 0,
        params: dict[str, Any] | None = None,
        split: "SplitName" = "train",
        task_seed: int = 0,
        num_tasks: int | None = None,
        style: dict[str, Any] | None = None,
        reading: "ReadingName | None" = None,
        reward: RewardLike = "binary",
        window: int = 256,
        max_chars: int = 256,
        render_mode: str | None = None,
    ) -> None:
        _checks.one_of("mode", mode, get_args(TokenMode))
        _checks.one_of("reading", reading, [None, *_native.list_readings()])
        self.items = items_of(
            family,
            level=level,
            params=params,
            split=split,
            task_seed=task_seed,
            num_tasks=num_tasks,
            style=style,
        )
        self.reward = resolve_judged(reward, self.items.parts)
        self.window = _checks.whole("window", window, 1, 2**16)
        self.max_chars = _checks.whole("max_chars", max_chars, 1, 2**17)
        self.render_mode = render_mode
        self._judge = TaskVerifier(reading)
        self.observation_space = spaces.MultiDiscrete(np.full(self.window, _OTHER + 1))
        self.action_space = spaces.Discrete(self.END + 1)
        self._task: Any = None
        self._typed = ""
        self._turns = 0
        self._verdict: _native.Verdict | None = None

    @property
    def task(self) -> Any:
        """The item in play, with its judge.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        if self._task is None:
            raise ResetNeeded("no task is in play yet; call reset() first")
        return self._task

    @property
    def text(self) -> str:
        """What was typed so far."""
        return self._typed

    @property
    def horizon(self) -> int:
        """The most steps of an episode."""
        return self.max_chars

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Poses another item.

        Args:
            seed: Decides this item and, as long as no other seed is given, all that follow.
            options: `{"index": i}` poses item `i`, with 0 <= i < `num_tasks`.

        Returns:
            The codes of what there is to see, and an info dict as the class describes.
        """
        chosen = checked_options(options, "index").get("index")
        if chosen is not None:
            chosen = checked_option("index", chosen, self.items.count - 1)
        super().reset(seed=seed)
        self._task = self.items.sample(self.np_random, chosen)
        self._typed, self._turns, self._verdict = "", 0, None
        if self.render_mode == "human":
            self.render()
        return self._seen(), self._info()

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.int64], float, bool, bool, dict[str, Any]]:
        """Types a character; a number that stands for none types nothing.

        Returns:
            What there is to see now, the reward (0 before the end), whether the text is finished, whether it
            was cut off, and an info dict as the class describes.

        Raises:
            ResetNeeded: The episode is over or has not begun.
            InvalidArgument: The action is no whole number.
        """
        task = self.task
        if self._verdict is not None:
            raise ResetNeeded("the episode is over; call reset() to be posed another task")
        number = _checks.whole("action", action)
        typed = self._typed + (self.CHARACTERS[number] if 0 <= number < self.END else "")
        tag = getattr(task, "answer_tag", None)
        finished = number == self.END or (tag is not None and typed.endswith(f"</{tag}>"))
        cut = not finished and self._turns + 1 >= self.max_chars
        verdict, parts = None, {}
        if finished:
            verdict = self._judge(task, typed)
            parts = self.reward.parts_of_one(verdict, typed)
        elif cut:
            detail = f"the {self.max_chars} characters were spent before the answer was finished"
            verdict = _native.Verdict(False, 0.0, failures=["truncated"], detail=detail)
        self._typed, self._turns, self._verdict = typed, self._turns + 1, verdict
        info = self._info()
        if verdict is not None:
            info |= {
                "passed": verdict.passed,
                "score": verdict.score,
                "reward_parts": parts,
                "verdict": verdict.to_dict(),
                "text": typed,
            }
            if self.render_mode == "human":
                self.render()
        return self._seen(), float(sum(parts.values())), finished, cut, info

    def render(self) -> str | None:
        """The prompt and what was typed so far and, at the end, what the judge said, in ASCII.

        Returns:
            The text in render mode "ansi"; None in "human", which prints it, and without a render mode.
        """
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        shown = self.task.prompt if self._verdict else f"{self.task.prompt}\n\n{self._typed}"
        frame = judged_text(shown, self._typed, self._verdict).encode("ascii", "backslashreplace").decode()
        if self.render_mode == "ansi":
            return frame
        print_frame(frame)
        return None

    def get_state(self) -> bytes:
        """All that decides what this env does next, as JSON: item, text so far, generator."""
        return write_state(
            task=self._task and save_task(self.items, self._task),
            text=self._typed,
            turns=self._turns,
            over=self._verdict is not None,
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
            task = None if fields["task"] is None else load_task(self.items, fields["task"])
            typed = checked_text("text", fields["text"])
            turns = _checks.whole("turns", fields["turns"], 0, self.max_chars)
            over = _checks.flag("over", fields["over"])
            verdict = self._judge(task, typed) if over else None
        self._np_random, self._np_random_seed = rng, seed
        self._task, self._typed, self._turns, self._verdict = task, typed, turns, verdict

    def clone(self) -> Self:
        """An independent env in the same state."""
        return copy.deepcopy(self)

    def _seen(self) -> NDArray[np.int64]:
        seen = np.zeros(self.window, np.int64)
        text = f"{self.task.prompt}\n{self._typed}"[-self.window :]
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        seen[self.window - len(text) :] = _CODES[np.minimum(points, 127)]
        return seen

    def _info(self) -> dict[str, Any]:
        task = self.task
        names = ("level", "difficulty", "index")
        return {"task_id": task.id} | {name: getattr(task, name, None) for name in names}
