"""The parts of a composed environment: how `ReasonEnv` calls each one, and what each one gives.

Every part is a plain callable, or an object with the one method named here; a class that inherits from
nothing will do. `State` is what transitions pass on, `Trajectory` what a finished episode was.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self, TypeAlias, cast

import numpy as np

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Verdict
from reasonenv.rewards.groups import discounted_return

__all__ = [
    "Curriculum",
    "Generator",
    "Logger",
    "Outcome",
    "Posed",
    "ProcessJudge",
    "RewardFunction",
    "State",
    "StateBuilder",
    "Stop",
    "Trajectory",
    "Transition",
    "Turn",
    "VerdictLike",
    "Verifier",
    "make_verdict",
]


class Posed(Protocol):
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
class State:
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
        return replace(self, history=history, text=text, memory={**self.memory, **memory})


@dataclass(frozen=True)
class Trajectory:
    """A finished episode, as loggers and curricula are given it."""

    state: State
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
        """The episode as plain data, under the names that records of rollouts have."""
        task, answer, reasoning = self.task, self.verdict.answer, self.state.text
        tag = getattr(task, "answer_tag", None)
        if answer is not None and tag is not None:
            reasoning = reasoning.rpartition(f"<{tag}>")[0].rstrip()
        names = ("family", "domain", "level", "difficulty", "split", "group")
        scores = self.state.process_scores
        return {
            "task_id": task.id,
            **{name: getattr(task, name, None) for name in names},
            "prompt": task.prompt,
            "text": self.state.text,
            "reasoning": reasoning,
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
class Outcome:
    """What came of an assignment of a curriculum."""

    assignment: Any
    passed: tuple[bool, ...]
    """The strict truth of each episode: as many as the assignment has `rollouts`, or one."""
    version: int = 0
    """The policy's version, which an environment does not know."""
    trajectories: tuple[Trajectory, ...] = ()


VerdictLike: TypeAlias = Verdict | bool | float | Mapping[str, Any]
"""What a verifier may give: a verdict, whether it passed, a score, or the fields of a verdict."""


class Generator(Protocol):
    """Which task comes next: an object with `sample`, or a callable of the same arguments."""

    def sample(self, rng: np.random.Generator, assignment: Any, /) -> Posed:
        """A task, drawn with `rng` alone. `assignment` is what the curriculum asks for, or None."""


class StateBuilder(Protocol):
    """What the policy sees."""

    def __call__(self, task: Any, history: Sequence[Turn], /) -> Any:
        """The observation: text, unless the environment is given an `observation_space`."""


class Transition(Protocol):
    """What an action does."""

    def __call__(self, state: State, action: Any, /) -> State:
        """The next state: usually `state.add(action, ...)`."""


class Verifier(Protocol):
    """What decides whether a text solves a task. An exception in it is an error, never a verdict."""

    def __call__(self, task: Any, text: str, /) -> VerdictLike:
        """The verdict on the text; True, False or a score in [0, 1] stand for one."""


class RewardFunction(Protocol):
    """What an episode that came to its end is paid."""

    def __call__(self, verdict: Verdict, trace: State, /) -> float | Mapping[str, float]:
        """A number, or named parts that sum to the reward."""


class Stop(Protocol):
    """When an episode is over."""

    def __call__(self, state: State, /) -> bool:
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

    def tell(self, results: Sequence[Outcome], /) -> object:
        """What came of assignments."""


class Logger(Protocol):
    """Where finished episodes go."""

    def __call__(self, trajectory: Trajectory, /) -> object:
        """Keeps an episode."""


def make_verdict(
    passed: bool,
    score: float | None = None,
    *,
    failures: Sequence[str] = (),
    detail: str = "",
    parts: Mapping[str, float] | None = None,
    answer: str | None = None,
) -> Verdict:
    """A verdict of a judge of your own.

    Args:
        passed: The strict truth.
        score: Partial credit in [0, 1], below 1 where it failed. None: 1.0 or 0.0.
        failures: Labels of what is wrong; none where it passed. Without any, a failure is `wrong_answer`.
        detail: A reason a person can act on.
        parts: What else was measured, each in [0, 1].
        answer: The answer as it was read.

    Raises:
        InvalidArgument: The score does not go with `passed`, or an argument is not what it must be.
    """
    passed = _checks.flag("passed", passed)
    score = float(passed) if score is None else _checks.number("score", score, 0, 1)
    if passed != (score == 1):
        msg = f"`score` is {score:g} and `passed` {passed}, but the score must be 1 exactly where it passed"
        raise InvalidArgument(msg)
    labels = list(_checks.texts("failures", failures))
    if passed and labels:
        msg = f"`failures` is {_checks.shown(labels)}, but must be empty where it passed"
        raise InvalidArgument(msg)
    measured = [
        (_checks.text("parts", name), _checks.number(f"parts[{name!r}]", value, 0, 1))
        for name, value in (_checks.mapping("parts", parts) or {}).items()
    ]
    record = {
        "passed": passed,
        "score": score,
        "parts": measured,
        "failures": labels or ([] if passed else ["wrong_answer"]),
        "detail": _readable("detail", detail),
        "answer": None if answer is None else _readable("answer", answer),
    }
    made: Any = Verdict
    return cast("Verdict", made._from_json(json.dumps(record)))


def _readable(name: str, given: object) -> str:
    """Text without lone surrogates, which models may write and UTF-8 cannot say."""
    return _checks.text(name, given.encode("utf-8", "replace").decode() if isinstance(given, str) else given)


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
            return make_verdict(fields.pop("passed", None), fields.pop("score", None), **fields)
        if isinstance(given, bool | np.bool_):
            return make_verdict(bool(given))
        score = _checks.number("score", given, 0, 1)
        return make_verdict(score == 1, score)
    except (InvalidArgument, TypeError) as error:
        msg = (
            f"`verifier` gave {_checks.shown(given)} for {_id(task)}, but must give a Verdict, True or "
            f"False, or a score between 0 and 1 ({error})"
        )
        raise InvalidArgument(msg) from None


_RAISED = "raised by the environment's"


@contextlib.contextmanager
def named(part: str, task: Any = None) -> Iterator[None]:
    """Errors within say which part of the environment they come from; they stay what they are."""
    try:
        yield
    except Exception as error:
        about = "" if task is None else f", on task {_id(task)}"
        if not any(note.startswith(_RAISED) for note in getattr(error, "__notes__", ())):
            error.add_note(f"{_RAISED} `{part}`{about}")
        raise


def _id(task: Any) -> str:
    return _checks.shown(getattr(task, "id", task))
