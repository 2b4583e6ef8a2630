"""Base class of Python-defined task families."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from reasonenv._native import Certificate, Rng, Verdict

ParamsT = TypeVar("ParamsT")
ProblemT = TypeVar("ProblemT")
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True)
class About:
    """Facts about a family that do not depend on its params."""

    name: str
    """Name in `snake_case`; it must never change."""
    domain: str
    """`arithmetic`, `logic`, `graphs`, `puzzles`, `text`, or a domain of your own."""
    summary: str
    """One sentence that says what the family asks."""
    changes: Sequence[str] = ("first version",)
    """One line per version, oldest first. Append a line whenever the bytes of any task change: the number of
    lines is the version, and every task depends on it."""
    distinct_from: int = 0
    """Lowest level from which at least 95 % of a thousand tasks are distinct."""
    judged_by: str = "constraints"
    """Method of `verify`: "exact" or "normalized" if only one answer is right; "constraints", "optimum",
    "proof" or "execution" if several may be."""
    answer_in_prompt: bool = False
    """True if the answer appears in the prompt and the task is to find it."""
    answer_tag: str = "answer"
    """Tag around the answer."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Failure labels that `verify` uses beyond the common ones, each with its meaning."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """Parts that `verify` measures besides the score, each with its meaning."""
    skills: Sequence[str] = ()
    """Skills that a solver needs: "carry", "case_analysis" ..."""
    reading: str = "strict"
    """Default reading of answers."""
    guess_rate: float = 0.0
    """Highest pass rate, at any level, of a policy that guesses without working anything out."""
    guess_score: float | None = None
    """Highest mean score of such a policy; None: equal to `guess_rate`."""


@dataclass(frozen=True)
class WorkedSolution(Generic[AnswerT]):
    """A right answer and the true steps that lead to it."""

    answer: AnswerT
    """The answer as the form reads it."""
    steps: Sequence[str] = ()


@dataclass(frozen=True)
class Effort:
    """Counted work of a reference solver, which determines the difficulty of a problem."""

    steps: int
    half: int = 10
    """Number of steps at which the difficulty is one half."""


@dataclass(frozen=True)
class Faults:
    """Number of separate mistakes in a near miss; None: everything that can be wrong is wrong."""

    count: int | None

    def of(self, places: int) -> int:
        """Number of faults among `places` possible ones, at least one."""
        return max(1, int(min(math.inf if self.count is None else self.count, places)))

    def draw(self, places: int, rng: Rng) -> list[int]:
        """Draw the distinct `places` that have a fault."""
        return [int(place) for place in rng.sample(range(places), min(self.of(places), places))]


@dataclass(frozen=True)
class Template:
    """A wording of a problem without its last sentence, which the form adds."""

    name: str
    word: Callable[..., str]
    """Called with the problem and, if it takes two arguments, an `Rng` for smaller choices of words."""
    held_out: bool = False
    """True if the template never appears in the train split."""


class FormLike(Protocol):
    """Form of an answer: asks for it, reads it and writes it. `kit.forms` has ready-made ones."""

    def asks(self) -> str:
        """Start of the sentence that says what to write; it continues with "inside ... tags"."""

    def sentence(self, tag: str) -> str:
        """The last sentence of every prompt."""

    def read(self, text: str) -> Any:
        """Parse an answer; raise `kit.Malformed` for anything that the sentence does not allow."""

    def write(self, answer: Any) -> str:
        """Write an answer as text that `read` parses back."""

    def mangled(self, right: str) -> Sequence[str]:
        """Spellings of the right answer that the sentence does not allow; all must fail."""


class Form(ABC):
    """Base class of your own forms."""

    @abstractmethod
    def asks(self) -> str:
        """Start of a sentence, like "Give your answer as one word,"; it continues with "inside ... tags"."""

    def sentence(self, tag: str) -> str:
        """The last sentence of every prompt."""
        return f"{self.asks()} inside <{tag}></{tag}> tags, and write nothing after them."

    @abstractmethod
    def read(self, text: str) -> Any:
        """Parse an answer, which may be any text; raise `kit.Malformed` with what is not allowed."""

    @abstractmethod
    def write(self, answer: Any) -> str:
        """Write an answer as text that `read` parses back."""

    @abstractmethod
    def mangled(self, right: str) -> Sequence[str]:
        """Spellings of the right answer that the sentence does not allow; all must fail."""


class TaskFamily(Generic[ParamsT, ProblemT, AnswerT]):
    """Base class of Python-defined families: subclass it, then call `reasonenv.register_family`.

    A problem is plain data: a dict, or a dataclass of the type `problem`. It is stored as JSON, verification
    needs nothing else, and each call gets its own copy. A method depends only on its arguments and draws only
    through `rng`.
    """

    about: About
    """Facts about the family."""
    params: type[ParamsT]
    """A frozen dataclass whose fields are `kit.param(default, doc, low=..., high=...)`."""
    levels: Sequence[ParamsT]
    """Params of levels 0, 1, 2 ..., each harder than the one before."""
    problem: type[ProblemT] | None = None
    """Dataclass of the problems; problems from outside are checked against its types. None: plain dicts."""
    templates: Sequence[Template] = ()
    """Wordings of the problems. If empty, `prompt` is the only one."""

    def check_params(self, params: ParamsT) -> None:
        """Raise ValueError naming a field if the fields do not fit together. Bounds are already checked."""

    def generate(self, params: ParamsT, rng: Rng) -> ProblemT:
        """Draw a problem. Raise `reasonenv.errors.Exhausted` to give up."""
        raise NotImplementedError

    def check(self, problem: ProblemT) -> None:
        """Raise ValueError naming the field with an impossible value. Types are already checked.

        Problems may come from untrusted sources: no other method may raise or run long on one that passes.
        """

    def prompt(self, problem: ProblemT) -> str:
        """The wording without its last sentence, for families without `templates`."""
        raise NotImplementedError

    def form(self, problem: ProblemT) -> FormLike:
        """The form that asks for the answer, reads it and writes it."""
        raise NotImplementedError

    def solution(self, problem: ProblemT) -> WorkedSolution[AnswerT]:
        """An answer that passes, and true steps towards it."""
        raise NotImplementedError

    def verify(self, problem: ProblemT, answer: AnswerT) -> Verdict | bool | float:
        """Check an answer, which may be anything that the form reads.

        Return a verdict, True, False, or a score in [0, 1]; only a score of 1 passes. An exception is an
        error, never a failed answer.
        """
        raise NotImplementedError

    def near_misses(self, problem: ProblemT, faults: Faults, rng: Rng) -> Iterable[AnswerT]:
        """Wrong answers of the right form, of the kind models give, with the given number of faults.

        All must fail. They are wrong by construction and test `verify`, so they must not call it.
        """
        raise NotImplementedError

    def another(self, problem: ProblemT, rng: Rng) -> AnswerT | None:
        """Draw a right answer if several are right; None if only the solution is.

        `check_family` calls it.
        """
        return None

    def reference(self, problem: ProblemT, answer: AnswerT) -> bool | None:
        """True if an answer is right, worked out from the prompt by other means than those of `verify`.

        It may be slow: only `check_family` calls it, to compare `verify` with it. None: there is no
        reference.
        """
        return None

    def guesses(self, problem: ProblemT, rng: Rng) -> Mapping[str, AnswerT]:
        """Answers, by name, of policies that guess without working anything out."""
        return {}

    def key(self, problem: ProblemT) -> Any:
        """Identity of a problem as plain data, which decides the split. By default the whole problem."""
        return problem

    def twin(self, problem: ProblemT, rng: Rng) -> ProblemT:
        """The same problem renamed, reordered or mirrored as its rules allow, with an equal `key`."""
        return problem

    def effort(self, problem: ProblemT) -> Effort:
        """Counted work of a reference solver. By default the number of steps in the solution."""
        return Effort(max(1, len(self.solution(problem).steps)))

    def certify(self, problem: ProblemT) -> Certificate | None:
        """Prove what a problem claims, or raise ValueError. By default its solution must pass."""
        return None
