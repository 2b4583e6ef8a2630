"""One task, one answer: the environment behind `mode="solution"`."""

import contextlib
import copy
import json
import operator
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Self, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from reasonenv import _native

Mode = Literal["solution"]
Reward = Literal["passed", "score"]

ASCII = "\t\n" + "".join(map(chr, range(0x20, 0x7F)))
"""The characters of prompts, and of the completions an action space samples."""

PROMPT_LENGTH = 2**16
COMPLETION_LENGTH = 2**17
SAMPLE_LENGTH = 2**8

ALL_TASKS = 2**63
"""Indices stay within int64, so that they fit the arrays vector environments put them in."""


class Completion(spaces.Text):
    """Text of up to `COMPLETION_LENGTH` characters, of which samples are short.

    Gymnasium samples the length uniformly. One such sample would take 30 ms, and tell a judge no more than a
    short one.
    """

    def sample(
        self,
        mask: tuple[int | None, NDArray[np.int8] | None] | None = None,
        probability: tuple[int | None, NDArray[np.float64] | None] | None = None,
    ) -> str:
        """A text of at most `SAMPLE_LENGTH` random characters, unless `mask` or `probability` is given."""
        if mask is None and probability is None:
            mask = (int(self.np_random.integers(SAMPLE_LENGTH + 1)), None)
        return super().sample(mask, probability)


class SolutionEnv(gymnasium.Env[str, str]):
    """Poses one task per episode and judges one completion of it.

    The observation is the prompt, the action is a completion, and the episode ends with its first step.
    `reset` draws an index with `np_random.integers(num_tasks)` and poses the item at that index, so
    `reset(seed=...)` decides every item that follows; `reset(options={"index": i})` poses item `i` and draws
    nothing.

    No action raises. Text outside the action space, too long or not ASCII, is judged like any other; an
    action that is no `str` is judged as if nothing had been said.

    `info` holds `task_id`, `level` (None where `params` make no level), `difficulty` in [0, 1] and `index`;
    after the step also `passed`, `score` in [0, 1], and `verdict`, a dict of `passed`, `score`, `parts`,
    `failures` and `detail`.

    Args:
        family: Name of a task family, one of `reasonenv.list_families()`.
        mode: "solution", the whole answer in one step.
        level: Difficulty, from 0 to the family's `top_level`.
        params: Params of the family that replace the level's.
        split: Which items: "train", or one that shares none with it.
        task_seed: Seed of the stream of items; `index` counts within it.
        num_tasks: Size of a finite set of items, the indices `0 .. num_tasks - 1`. None: 2**63 of them.
        style: Wording: template, names, wrapper. None draws it anew for each item.
        reading: How an answer is read: "clean", "strict" or "lenient". None: the family's own.
        reward: "passed" (1.0 or 0.0) or "score" (partial credit in [0, 1], 1.0 exactly when passed).
        render_mode: "human" prints each reset and step, "ansi" makes `render` return them as a str.

    Raises:
        ReasonEnvError: An argument names nothing that exists or is out of bounds; it says which.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi"], "render_fps": 4}  # noqa: RUF012, as Env has it

    def __init__(
        self,
        family: str,
        *,
        mode: Mode = "solution",
        level: int = 0,
        params: dict[str, Any] | None = None,
        split: str = "train",
        task_seed: int = 0,
        num_tasks: int | None = None,
        style: dict[str, Any] | None = None,
        reading: str | None = None,
        reward: Reward = "passed",
        render_mode: str | None = None,
    ) -> None:
        _one_of("mode", mode, get_args(Mode))
        _one_of("reward", reward, get_args(Reward))
        _one_of("reading", reading, [None, *_native.list_readings()])
        if num_tasks is not None and not 1 <= num_tasks <= ALL_TASKS:
            raise _native.ReasonEnvError(f"num_tasks is {num_tasks}, but must be between 1 and 2**63")
        self.source = _native.family(family).source(
            seed=task_seed, level=level, params=params, split=split, style=style
        )
        self.num_tasks = ALL_TASKS if num_tasks is None else num_tasks
        self.reading = reading
        self.reward = reward
        self.render_mode = render_mode
        wrapper = (style or {}).get("wrapper", "")
        charset = "".join(dict.fromkeys(ASCII + wrapper))
        self.observation_space = spaces.Text(PROMPT_LENGTH + len(wrapper), min_length=0, charset=charset)
        self.action_space = Completion(COMPLETION_LENGTH, min_length=0, charset=ASCII)
        self._task: _native.Task | None = None
        self._prompt = ""
        self._completion = ""
        self._verdict: _native.Verdict | None = None

    @property
    def task(self) -> _native.Task:
        """The item in play, with its solution and judge.

        Raises:
            ResetNeeded: Before the first `reset`.
        """
        if self._task is None:
            raise ResetNeeded("no task is in play yet; call reset() first")
        return self._task

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
        super().reset(seed=seed)
        chosen = (options or {}).get("index")
        index = self.draw(self.np_random) if chosen is None else self.checked_index(chosen)
        self._pose(self.source.task(index))
        if self.render_mode == "human":
            self.render()
        return self._prompt, self._facts()

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
        verdict = self.task.verify(completion, self.reading)
        self._completion, self._verdict = completion, verdict
        if self.render_mode == "human":
            self.render()
        info = self._facts()
        info["passed"] = verdict.passed
        info["score"] = verdict.score
        info["verdict"] = {
            "passed": verdict.passed,
            "score": verdict.score,
            "parts": verdict.parts,
            "failures": verdict.failures,
            "detail": verdict.detail,
        }
        return self._prompt, float(getattr(verdict, self.reward)), True, False, info

    def render(self) -> str | None:
        """The prompt and, after the step, the completion and what the judge said, in ASCII.

        Returns:
            The text in render mode "ansi"; None in "human", which prints it, and without a render mode.
        """
        if not check_render_mode(self.render_mode, self.metadata["render_modes"]):
            return None
        self.task  # noqa: B018, raises before the first reset
        frame = show(self._prompt, self._completion, self._verdict)
        if self.render_mode == "ansi":
            return frame
        print(frame, end="\n\n", flush=True)
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
            ReasonEnvError: The state is damaged, or of an env that poses other items; this one is unchanged.
        """
        with reading_state(state) as fields:
            rng, seed = rng_from(fields["np_random"]), fields["np_random_seed"]
            task = None if fields["index"] is None else self.source.task(fields["index"])
            same_items(task and task.id, fields["task_id"])
            completion = fields["completion"]
            verdict = task.verify(completion, self.reading) if task and completion is not None else None
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
            TypeError: It is no whole number.
            ReasonEnvError: There is no such item.
        """
        try:
            index = operator.index(given)
        except TypeError:
            raise TypeError(f'options["index"] is {given!r}, but must be a whole number') from None
        if not 0 <= index < self.num_tasks:
            last = self.num_tasks - 1
            raise _native.ReasonEnvError(f'options["index"] is {index}, but must be between 0 and {last}')
        return index

    def _pose(self, task: _native.Task | None) -> None:
        self._task = task
        self._prompt = "" if task is None else task.prompt
        self._completion, self._verdict = "", None

    def _facts(self) -> dict[str, Any]:
        task = self.task
        return {
            "task_id": task.id,
            "level": task.level,
            "difficulty": task.difficulty,
            "index": task.index,
        }


def as_text(action: object) -> str:
    """What a judge is given for an action: nothing, if it is no text."""
    return action if isinstance(action, str) else ""


def check_render_mode(mode: str | None, modes: Sequence[str]) -> bool:
    """Whether there is something to render; warns without a mode, as Gymnasium's own environments do.

    Raises:
        ReasonEnvError: The mode is not among `modes`. `gymnasium.make` warned of it, and frameworks that ask
            every environment for "rgb_array" only fail if they render.
    """
    if mode is None:
        gymnasium.logger.warn('render() without a render mode shows nothing; make with render_mode="ansi"')
    else:
        _one_of("render_mode", mode, modes)
    return mode is not None


def show(prompt: str, completion: str, verdict: _native.Verdict | None) -> str:
    """What `render` shows: ASCII, whatever the completion holds."""
    if verdict is None:
        return prompt
    judged = "passed" if verdict.passed else f"failed ({', '.join(verdict.failures)}): {verdict.detail}"
    frame = f"{prompt}\n\n{completion}\n\n{judged} [score {verdict.score:.2f}]"
    return frame.encode("ascii", "backslashreplace").decode()


def write_state(**fields: Any) -> bytes:
    """Fields as JSON; lone surrogates in completions survive as escapes."""
    return json.dumps(fields).encode()


@contextlib.contextmanager
def reading_state(state: bytes) -> Iterator[dict[str, Any]]:
    """The fields of a state; whatever is wrong with them is a `ReasonEnvError`."""
    try:
        yield json.loads(state)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise _native.ReasonEnvError(
            f"not a state that get_state of such an env returned: {error}"
        ) from error


def same_items(ours: object, theirs: object) -> None:
    """A task id hashes params, split, seed and style: where ids are equal, so are the streams of items."""
    if ours != theirs:
        raise ValueError("it poses other items than this env; make both with the same arguments")


def rng_state(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a generator as Gymnasium seeds it; raises ReasonEnvError for one of another kind."""
    state = dict(rng.bit_generator.state)
    _one_of("np_random's bit generator", state["bit_generator"], ["PCG64"])
    return state


def rng_from(state: dict[str, Any]) -> np.random.Generator:
    """The generator that `rng_state` was given."""
    rng = np.random.Generator(np.random.PCG64(0))
    rng.bit_generator.state = state
    return rng


def _one_of(argument: str, given: object, valid: Sequence[object]) -> None:
    if given not in valid:
        choices = " or ".join(map(repr, valid))
        raise _native.UnknownName(f"{argument} is {given!r}, but must be {choices}")
