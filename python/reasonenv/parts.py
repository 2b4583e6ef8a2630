"""Protocols of the parts of a composed environment, as `ReasonEnv` calls them.

Every part is a plain callable, or an object with the method named here; no base class is needed. Transitions
pass on an `EpisodeState`; a `FinishedEpisode` records an episode that is over.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import numpy as np

from reasonenv import _checks
from reasonenv._native import InvalidArgument, StepVerdict, Verdict
from reasonenv._records import reasoning_of, task_facts
from reasonenv.rewards.groups import discounted_return

__all__ = [
    "Curriculum",
    "EpisodeState",
    "FinishedEpisode",
    "Generator",
    "Logger",
    "ProcessJudge",
    "Result",
    "RewardFunction",
    "StateBuilder",
    "Stop",
    "TaskLike",
    "Transition",
    "Turn",
    "VerdictLike",
    "VerifierFunction",
]


class TaskLike(Protocol):
    """A task: `reasonenv.Task`, a row of `reasonenv.from_rows`, or an object from your own generator.

    `verify` is needed unless the environment has its own verifier. If present, `level`, `difficulty`,
    `index`, `family`, `domain` and `group` appear in `info` and in trajectories.
    """

    @property
    def id(self) -> str:
        """Identifier of the task."""

    @property
    def prompt(self) -> str:
        """Text that the model sees."""

    def verify(self, text: str, /) -> Verdict:
        """Check a completion."""


@dataclass(frozen=True)
class Turn:
    """An action and the environment's reply."""

    action: Any
    reply: str = ""


@dataclass(frozen=True)
class EpisodeState:
    """An episode in progress: an immutable value, which transitions replace."""

    task: Any
    max_steps: int
    history: tuple[Turn, ...] = ()
    text: str = ""
    """Text for the verifier."""
    process_scores: tuple[float, ...] | None = None
    """Share of the way to the end after each reasoning step so far; None if steps are not scored."""
    memory: Mapping[str, Any] = field(default_factory=dict)
    """Plain data, fit for JSON, that transitions keep for later."""

    @property
    def steps_left(self) -> int:
        """Number of actions that may still be taken."""
        return self.max_steps - len(self.history)

    @property
    def last(self) -> Any:
        """The last action; empty text before the first."""
        return self.history[-1].action if self.history else ""

    def add(self, action: Any, reply: str = "", *, text: str | None = None, **memory: Any) -> Self:
        """Return the state after an action.

        Args:
            action: The action.
            reply: Reply of the environment.
            text: Text for the verifier. None: all actions that are text, one per line.
            **memory: Entries to add to `memory`.
        """
        history = (*self.history, Turn(action, reply))
        if text is None:
            text = "\n".join(turn.action for turn in history if isinstance(turn.action, str))
        return replaced(self, history=history, text=text, memory={**self.memory, **memory})


StateT = TypeVar("StateT", bound=EpisodeState)


def replaced(state: StateT, **fields: Any) -> StateT:
    """The state with other values of some fields: `dataclasses.replace`, in a quarter of its time."""
    made = object.__new__(type(state))
    vars(made).update(vars(state), **fields)
    return made


@dataclass(frozen=True)
class FinishedEpisode:
    """A finished episode, as loggers and curricula receive it."""

    state: EpisodeState
    verdict: Verdict
    reward: float
    reward_parts: Mapping[str, float]
    turns: tuple[Mapping[str, Any], ...]
    """`observation`, `action`, `reward` and `info` of each turn; the action follows the observation."""
    terminated: bool
    truncated: bool
    gamma: float
    info: Mapping[str, Any] = field(default_factory=dict)
    """Info of the last step."""

    @property
    def returns(self) -> tuple[float, ...]:
        """Return from each turn on: the sum of the rewards, discounted by gamma per step."""
        rewards = [turn["reward"] for turn in self.turns]
        return tuple(discounted_return(rewards[at:], self.gamma) for at in range(len(rewards)))

    @property
    def task(self) -> Any:
        """Task of the episode."""
        return self.state.task

    @property
    def passed(self) -> bool:
        """True if the verdict passed, whatever the reward."""
        return self.verdict.passed

    def to_dict(self) -> dict[str, Any]:
        """The episode as plain data: a record without the fields of a run, with its `group` and `return`."""
        task, answer, scores = self.task, self.verdict.answer, self.state.process_scores
        return task_facts(task, task.prompt) | {
            "group": getattr(task, "group", None),
            "text": self.state.text,
            "reasoning": reasoning_of(self.state.text, getattr(task, "answer_tag", None), answer),
            "final_answer": answer,
            "reward": self.reward,
            "reward_parts": dict(self.reward_parts),
            "verdict": self.verdict.to_dict(),
            "turns": [dict(turn) for turn in self.turns],
            "process_scores": None if scores is None else list(scores),
            "terminated": self.terminated,
            "truncated": self.truncated,
            "return": self.info["return"],
        }


@dataclass(frozen=True)
class Result:
    """Result of an assignment of a curriculum.

    Raises:
        InvalidArgument: A field is invalid.
    """

    assignment: Any
    """The assignment, or its id."""
    passed: Sequence[bool]
    """True for each rollout whose verdict passed, whatever reward is trained on. There may be fewer than
    asked for; none at all, as after an endpoint failure, withdraws the assignment."""
    version: int = 0
    """Version of the policy that made the rollouts: the number of its updates."""
    trajectories: tuple[FinishedEpisode, ...] = ()
    """The finished episodes, if the environment reports them."""

    def __post_init__(self) -> None:
        given = self.passed
        if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
            msg = f"`passed` is {_checks.shown(given)}, but must be True or False for each rollout"
            raise InvalidArgument(msg)
        passed = tuple(_checks.flag(f"passed[{i}]", one) for i, one in enumerate(given))
        object.__setattr__(self, "passed", passed)
        object.__setattr__(self, "version", _checks.whole("version", self.version, 0))

    @property
    def pass_rate(self) -> float:
        """Share of the rollouts that passed; 0 if there are none."""
        return sum(self.passed) / max(1, len(self.passed))


VerdictLike: TypeAlias = Verdict | bool | float | Mapping[str, Any]
"""Return value of a verifier: a verdict, True or False, a score, or the fields of a verdict."""


class Generator(Protocol):
    """Source of tasks: an object with `sample`, or a callable with the same arguments."""

    def sample(self, rng: np.random.Generator, assignment: Any, /) -> TaskLike:
        """Draw a task, using only `rng`. `assignment` comes from the curriculum, or is None."""


class StateBuilder(Protocol):
    """Builder of observations."""

    def __call__(self, task: Any, history: Sequence[Turn], /) -> Any:
        """Return the observation: text, unless the environment has an `observation_space`."""


class Transition(Protocol):
    """Transition function of an episode."""

    def __call__(self, state: EpisodeState, action: Any, /) -> EpisodeState:
        """Return the next state, usually `state.add(action, ...)`."""


class VerifierFunction(Protocol):
    """Function that checks whether a text solves a task. An exception is an error, never a verdict."""

    def __call__(self, task: Any, text: str, /) -> VerdictLike:
        """Return the verdict on the text, or True, False or a score in [0, 1] instead."""


class RewardFunction(Protocol):
    """Reward of a finished episode."""

    def __call__(self, verdict: Verdict, trace: EpisodeState, /) -> float | Mapping[str, float]:
        """Return a number, or named parts that sum to the reward."""


class Stop(Protocol):
    """Condition that ends an episode."""

    def __call__(self, state: EpisodeState, /) -> bool:
        """Return True if the episode ends after the last action."""


class ProcessJudge(Protocol):
    """Scorer of reasoning steps."""

    def __call__(self, task: Any, steps: Sequence[str], /) -> Sequence[float] | Sequence[StepVerdict] | None:
        """Return verdicts on the steps, or for each the share of the way to the end after it, from 0 to 1.

        None: steps of this task cannot be scored.
        """


class Curriculum(Protocol):
    """Source of assignments that learns from their results.

    An environment asks for one assignment at a time and poses its task in `assignment.rollouts` consecutive
    episodes (one if the assignment has no such attribute); then it reports the result.
    """

    def ask(self, n: int, /) -> Sequence[Any]:
        """Return the next `n` assignments."""

    def tell(self, results: Sequence[Result], /) -> object:
        """Take in the results of assignments."""


class Logger(Protocol):
    """Destination of finished episodes."""

    def __call__(self, trajectory: FinishedEpisode, /) -> object:
        """Log an episode."""


def as_verdict(given: object, task: Any) -> Verdict:
    """Convert the return value of a verifier to a verdict.

    Raises:
        InvalidArgument: The value is not a `VerdictLike`; names the task.
    """
    if isinstance(given, Verdict):
        return given
    try:
        if isinstance(given, Mapping):
            fields = {str(name): value for name, value in given.items()}
            return Verdict(fields.pop("passed", None), fields.pop("score", None), **fields)
        if isinstance(given, bool | np.bool_):
            return Verdict(bool(given))
        score = _checks.number("score", given, 0, 1)
        return Verdict(score == 1, score)
    except (InvalidArgument, TypeError) as error:
        msg = (
            f"`verifier` gave {_checks.shown(given)} for {_id(task)}, but must give a Verdict, True or "
            f"False, or a score between 0 and 1 ({error})"
        )
        raise InvalidArgument(msg) from None


_RAISED = "raised by the environment's"


def blame(error: Exception, part: str, task: Any = None) -> None:
    """Adds to an error which part of the environment raised it, unless that is said already."""
    about = "" if task is None else f", on task {_id(task)}"
    if not any(note.startswith(_RAISED) for note in getattr(error, "__notes__", ())):
        error.add_note(f"{_RAISED} `{part}`{about}")


@contextlib.contextmanager
def named(part: str, task: Any = None) -> Iterator[None]:
    """Errors within say which part of the environment they come from; they stay what they are.

    It takes a microsecond. What every step calls has `try` and `blame` instead.
    """
    try:
        yield
    except Exception as error:
        blame(error, part, task)
        raise


def _id(task: Any) -> str:
    return _checks.shown(getattr(task, "id", task))
