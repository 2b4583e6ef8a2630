"""A task family written in Python: what it is, and what it must say."""

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
    """The facts about a family that do not depend on its params."""

    name: str
    """`snake_case`, stable for ever."""
    domain: str
    """`arithmetic`, `logic`, `graphs`, `puzzles`, `text`, or one of your own."""
    summary: str
    """What is asked, in one sentence."""
    changes: Sequence[str] = ("first version",)
    """What changed in each version, oldest first. Append a line whenever any item's bytes change: its length
    is the version, from which every item follows."""
    distinct_from: int = 0
    """From this level on, 95 % of a thousand items are distinct."""
    judged_by: str = "constraints"
    """How `verify` decides: "exact" and "normalized" where one answer is right, and where several may be,
    "constraints", "optimum", "proof" or "execution"."""
    answer_in_prompt: bool = False
    """Whether the task is to find the answer in the prompt, where it stands."""
    answer_tag: str = "answer"
    """The tag an answer stands in."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """The labels that `verify` gives beyond the common ones, each with what it means."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """What else `verify` measures, each with what it means."""
    skills: Sequence[str] = ()
    """What it takes to solve it: "carry", "case_analysis" ..."""
    reading: str = "strict"
    """How answers are read unless a caller says otherwise."""
    guess_rate: float = 0.0
    """The most that a policy which works nothing out passes, at any level."""
    guess_score: float | None = None
    """The most that it scores on average; None: no more than it passes."""


@dataclass(frozen=True)
class WorkedSolution(Generic[AnswerT]):
    """A right answer, and the true steps that lead to it."""

    answer: AnswerT
    """As the form reads it."""
    steps: Sequence[str] = ()


@dataclass(frozen=True)
class Effort:
    """Counted work of a reference solver; how difficult an instance is follows from it."""

    steps: int
    half: int = 10
    """So many steps are an instance of difficulty one half."""


@dataclass(frozen=True)
class Faults:
    """How many separate mistakes a near miss holds; None: everything that can be wrong is."""

    count: int | None

    def of(self, places: int) -> int:
        """This many of the `places` where a fault can be, at least one."""
        return max(1, int(min(math.inf if self.count is None else self.count, places)))

    def draw(self, places: int, rng: Rng) -> list[int]:
        """Which of the `places` have a fault, none twice."""
        return [int(place) for place in rng.sample(range(places), min(self.of(places), places))]


@dataclass(frozen=True)
class Template:
    """A wording of a problem: all but the last sentence, which is the form's."""

    name: str
    word: Callable[..., str]
    """Called with the problem and, where it takes two arguments, a generator for smaller choices of words."""
    held_out: bool = False
    """Whether it never appears in the train split."""


class FormLike(Protocol):
    """How an answer is asked for, read and written; `kit.forms` has ready-made ones."""

    def asks(self) -> str:
        """What to write, as the start of a sentence that goes on with "inside ... tags"."""

    def sentence(self, tag: str) -> str:
        """The last sentence of every prompt."""

    def read(self, text: str) -> Any:
        """What an answer says; raises `kit.Malformed` for all that the sentence does not allow."""

    def write(self, answer: Any) -> str:
        """An answer as text that `read` gives back."""

    def mangled(self, right: str) -> Sequence[str]:
        """Spellings of the right answer that the sentence does not allow: all must fail."""


class Form(ABC):
    """A form of your own."""

    @abstractmethod
    def asks(self) -> str:
        """What to write: "Give your answer as one word,", which goes on with "inside ... tags"."""

    def sentence(self, tag: str) -> str:
        """The last sentence of every prompt."""
        return f"{self.asks()} inside <{tag}></{tag}> tags, and write nothing after them."

    @abstractmethod
    def read(self, text: str) -> Any:
        """What an answer says; any text may come. Raises `kit.Malformed` saying what is not allowed."""

    @abstractmethod
    def write(self, answer: Any) -> str:
        """An answer as text that `read` gives back."""

    @abstractmethod
    def mangled(self, right: str) -> Sequence[str]:
        """Spellings of the right answer that the sentence does not allow: all must fail."""


class TaskFamily(Generic[ParamsT, ProblemT, AnswerT]):
    """A task family written in Python: subclass it, then call `reasonenv.register_family`.

    A problem is plain data, a dict or a dataclass of the kind `problem`: it is kept as JSON, judging needs
    nothing else, and each call is given a copy of its own. A method depends on its arguments alone, and draws
    through `rng` alone.
    """

    about: About
    """The facts."""
    params: type[ParamsT]
    """A frozen dataclass whose fields are `kit.param(default, doc, low=..., high=...)`."""
    levels: Sequence[ParamsT]
    """The params of level 0, 1, 2 ..., each really harder than the one before."""
    problem: type[ProblemT] | None = None
    """The dataclass of problems, whose types a problem from outside is held against; None: plain dicts."""
    templates: Sequence[Template] = ()
    """The wordings. Left out, `prompt` is the only one."""

    def check_params(self, params: ParamsT) -> None:
        """Raises ValueError where fields do not go together; the message names one. Bounds hold already."""

    def generate(self, params: ParamsT, rng: Rng) -> ProblemT:
        """Draws a problem. Raises `reasonenv.errors.Exhausted` to give up."""
        raise NotImplementedError

    def check(self, problem: ProblemT) -> None:
        """Raises ValueError naming the field that no problem of this family has so; types hold already.

        A problem may come from anyone: what is let through must make no other method raise or run long.
        """

    def prompt(self, problem: ProblemT) -> str:
        """The wording, without its last sentence, where there are no `templates`."""
        raise NotImplementedError

    def form(self, problem: ProblemT) -> FormLike:
        """How the answer is asked for, read and written."""
        raise NotImplementedError

    def solution(self, problem: ProblemT) -> WorkedSolution[AnswerT]:
        """An answer that passes, and true steps towards it."""
        raise NotImplementedError

    def verify(self, problem: ProblemT, answer: AnswerT) -> Verdict | bool | float:
        """Judges an answer as the form read it. Any answer that can be read may come.

        A verdict, True, False, or a score in [0, 1] of which only 1 passes. What it raises is an error.
        """
        raise NotImplementedError

    def near_misses(self, problem: ProblemT, faults: Faults, rng: Rng) -> Iterable[AnswerT]:
        """Answers of the right form that are wrong, as models err, with so many faults. All must fail.

        They are wrong by construction, without a look at `verify`, which they put to the test.
        """
        raise NotImplementedError

    def another(self, problem: ProblemT, rng: Rng) -> AnswerT | None:
        """Draws a right answer where several are right. None: only the solution is.

        `check_family` asks for it.
        """
        return None

    def reference(self, problem: ProblemT, answer: AnswerT) -> bool | None:
        """Whether an answer is right, worked out from the prompt by other means than those of `verify`.

        It may be slow: only `check_family` asks, and holds `verify` to it. None: there is no reference.
        """
        return None

    def guesses(self, problem: ProblemT, rng: Rng) -> Mapping[str, AnswerT]:
        """What policies would try that work nothing out, by name."""
        return {}

    def key(self, problem: ProblemT) -> Any:
        """What makes two problems the same, as plain data: it decides the split. By default the problem."""
        return problem

    def twin(self, problem: ProblemT, rng: Rng) -> ProblemT:
        """The same problem renamed, reordered or mirrored as its rules allow, with an equal `key`."""
        return problem

    def effort(self, problem: ProblemT) -> Effort:
        """Counted work of a reference solver. By default the number of steps of the solution."""
        return Effort(max(1, len(self.solution(problem).steps)))

    def certify(self, problem: ProblemT) -> Certificate | None:
        """Proves what a problem claims, or raises ValueError. By default its own solution must pass."""
        return None
