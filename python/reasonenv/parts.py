"""The parts of a composed environment: how `ReasonEnv` calls each one, and what each one gives.

Every part is a plain callable, or an object with the one method named here; a class that inherits from
nothing will do. `EpisodeState` is what transitions pass on, `FinishedEpisode` what a finished episode was.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import numpy as np

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Verdict
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
    """A task: `reasonenv.Task`, a row of `reasonenv.from_rows`, or whatever a generator of yours gives.

    `verify` is needed unless the environment has a verifier of its own. Where they are there, `level`,
    `difficulty`, `index`, `family`, `domain` and `group` are told in `info` and in trajectories.
    """

    @property
    def id(self) -> str:
        """Names the task."""

    @property
    def prompt(self) -> str:
        """What is asked."""

    def verify(self, text: str, /) -> Verdict:
        """Judges a completion."""


@dataclass(frozen=True)
class Turn:
    """An action, and what the environment said to it."""

    action: Any
    reply: str = ""


@dataclass(frozen=True)
class EpisodeState:
    """An episode in progress: a value, which transitions replace rather than change."""

    task: Any
    max_steps: int
    history: tuple[Turn, ...] = ()
    text: str = ""
    """What the verifier will be given."""
    process_scores: tuple[float, ...] | None = None
    """A score in [0, 1] for each reasoning step so far; None where nobody judges steps."""
    memory: Mapping[str, Any] = field(default_factory=dict)
    """What transitions keep for later: plain data, fit for JSON."""

    @property
    def steps_left(self) -> int:
        """Actions that may still be taken."""
        return self.max_steps - len(self.history)

    @property
    def last(self) -> Any:
        """The last action; empty text before the first."""
        return self.history[-1].action if self.history else ""

    def add(self, action: Any, reply: str = "", *, text: str | None = None, **memory: Any) -> Self:
        """The state after an action.

        Args:
            action: What was done.
            reply: What the environment says to it.
            text: What the verifier is to be given. None: all actions that are text, one a line.
            **memory: What is to be kept, besides what is kept already.
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
    """A finished episode, as loggers and curricula are given it."""

    state: EpisodeState
    verdict: Verdict
    reward: float
    reward_parts: Mapping[str, float]
    turns: tuple[Mapping[str, Any], ...]
    """`observation`, `action`, `reward` and `info` of each turn; the action answers the observation."""
    terminated: bool
    truncated: bool
    gamma: float
    info: Mapping[str, Any] = field(default_factory=dict)
    """The info of the last step."""

    @property
    def returns(self) -> tuple[float, ...]:
        """From each turn on, the sum of the rewards, discounted by gamma per step."""
        rewards = [turn["reward"] for turn in self.turns]
        return tuple(discounted_return(rewards[at:], self.gamma) for at in range(len(rewards)))

    @property
    def task(self) -> Any:
        """The task that was posed."""
        return self.state.task

    @property
    def passed(self) -> bool:
        """The strict truth."""
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
    """What came of an assignment of a curriculum.

    Raises:
        InvalidArgument: A field is not what it must be.
    """

    assignment: Any
    """The assignment as it was given, or its id."""
    passed: Sequence[bool]
    """Whether each rollout passed: the judge's strict truth, whatever reward is trained on. Fewer than were
    asked for are fine; none at all, where an endpoint failed, takes the assignment back."""
    version: int = 0
    """The version of the policy that made them: a count of its updates."""
    trajectories: tuple[FinishedEpisode, ...] = ()
    """What was done, where an environment tells it."""

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
        """Share of the rollouts that passed; 0 where there are none."""
        return sum(self.passed) / max(1, len(self.passed))


VerdictLike: TypeAlias = Verdict | bool | float | Mapping[str, Any]
"""What a verifier may give: a verdict, whether it passed, a score, or the fields of a verdict."""


class Generator(Protocol):
    """Which task comes next: an object with `sample`, or a callable of the same arguments."""

    def sample(self, rng: np.random.Generator, assignment: Any, /) -> TaskLike:
        """A task, drawn with `rng` alone. `assignment` is what the curriculum asks for, or None."""


class StateBuilder(Protocol):
    """What the policy sees."""

    def __call__(self, task: Any, history: Sequence[Turn], /) -> Any:
        """The observation: text, unless the environment is given an `observation_space`."""


class Transition(Protocol):
    """What an action does."""

    def __call__(self, state: EpisodeState, action: Any, /) -> EpisodeState:
        """The next state: usually `state.add(action, ...)`."""


class VerifierFunction(Protocol):
    """What decides whether a text solves a task. An exception in it is an error, never a verdict."""

    def __call__(self, task: Any, text: str, /) -> VerdictLike:
        """The verdict on the text; True, False or a score in [0, 1] stand for one."""


class RewardFunction(Protocol):
    """What an episode that came to its end is paid."""

    def __call__(self, verdict: Verdict, trace: EpisodeState, /) -> float | Mapping[str, float]:
        """A number, or named parts that sum to the reward."""


class Stop(Protocol):
    """When an episode is over."""

    def __call__(self, state: EpisodeState, /) -> bool:
        """Whether the last action was the last one."""


class ProcessJudge(Protocol):
    """What reasoning steps are worth."""

    def __call__(self, task: Any, steps: Sequence[str], /) -> Sequence[float] | None:
        """A score in [0, 1] for each step; None where it can judge no steps of this task."""


class Curriculum(Protocol):
    """What is asked for next, and what came of it.

    An environment asks for one assignment at a time and poses its task in `assignment.rollouts` episodes in a
    row (one, where it has no such number); then it tells what came of them.
    """

    def ask(self, n: int, /) -> Sequence[Any]:
        """The next `n` assignments."""

    def tell(self, results: Sequence[Result], /) -> object:
        """What came of assignments."""


class Logger(Protocol):
    """Where finished episodes go."""

    def __call__(self, trajectory: FinishedEpisode, /) -> object:
        """Keeps an episode."""


def as_verdict(given: object, task: Any) -> Verdict:
    """What a verifier gave, as a verdict.

    Raises:
        InvalidArgument: It is nothing of the kind; names the task.
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
