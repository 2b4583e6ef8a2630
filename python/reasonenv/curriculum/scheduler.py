"""The one interface of schedulers: ask for assignments, tell what came of them.

>>> from reasonenv.curriculum import Result, Uniform
>>> scheduler = Uniform(["chain_sum", "sudoku"], seed=0)
>>> asked = scheduler.ask(4)
>>> scheduler.tell([Result(assignment, [True, False] * 4) for assignment in asked])
>>> scheduler.metrics()["pass_rate"]
0.5
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from reasonenv import _checks
from reasonenv._native import InvalidArgument, InvalidState
from reasonenv.curriculum.refs import Setting, TaskRef
from reasonenv.curriculum.tracks import Space, Track, as_tracks
from reasonenv.parts import Result

__all__ = ["Assignment", "Choice", "Place", "Result", "Scheduler"]

LARGEST_ASK = 1_000_000
"""The most assignments that are asked for at once, all of which are held until they are told."""

LARGEST_GROUP = 10_000
"""The most rollouts of one assignment."""


@dataclass(frozen=True)
class Assignment:
    """What a policy is to do next: so many rollouts of one task."""

    id: int
    """Counts a scheduler's assignments from 0: the same task may be assigned again."""
    task: TaskRef
    rollouts: int
    train: bool
    """Whether to learn from them. False: they only tell the scheduler something."""
    source: str
    """Why it was chosen, such as "new" or "replay"; of a pair, who is to do it."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit for JSON."""
        return {
            "id": self.id,
            "task": self.task.to_dict(),
            "rollouts": self.rollouts,
            "train": self.train,
            "source": self.source,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Assignment":
        """Reads what `to_dict` wrote.

        Raises:
            InvalidArgument: It is no such record.
        """
        try:
            number, rollouts = int(record["id"]), int(record["rollouts"])
            task = TaskRef.from_dict(record["task"])
            return cls(number, task, rollouts, bool(record["train"]), str(record["source"]))
        except (KeyError, TypeError, AttributeError):
            msg = f"an assignment is {_checks.shown(record)}, which `to_dict` does not write"
            raise InvalidArgument(msg) from None


class Choice(NamedTuple):
    """What a scheduler chose: an assignment but for its id and rollouts."""

    task: TaskRef
    source: str
    train: bool = True


class Place(NamedTuple):
    """Where a setting stands: on which track, and how far from its easy end."""

    track: int
    position: int


class Scheduler(ABC):
    """Chooses the tasks that a policy is to do next.

    `ask` and `tell` may come in any order: results of assignments asked long ago are fine, and a result that
    comes twice counts once. The same calls in the same order give the same assignments for the same seed.

    A scheduler of one's own has `name`, `_choose` and, if it learns from results, `_learn`, `_state` and
    `_restore`.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.

    Raises:
        ReasonEnvError: An argument is not what it must be; names it.
    """

    name: ClassVar[str]
    """What it is called where schedulers are named."""
    state_version: ClassVar[int] = 1
    """Grows by one whenever an older state would be misread."""

    def __init__(self, space: Space, *, rollouts: int = 8, seed: int = 0) -> None:
        self.tracks: tuple[Track, ...] = as_tracks(space)
        self.rollouts = _checks.whole("rollouts", rollouts, 1, LARGEST_GROUP)
        self.seed = _checks.seed("seed", seed)
        self.settings: tuple[Setting, ...] = tuple(one for track in self.tracks for one in track)
        self._places = {
            setting: Place(at, position)
            for at, track in enumerate(self.tracks)
            for position, setting in enumerate(track)
        }
        self._numbers = {setting: number for number, setting in enumerate(self.settings)}
        self._rng = np.random.Generator(np.random.PCG64(self.seed))
        self._pending: dict[int, Assignment] = {}
        self._next_index = [0] * len(self.settings)
        self._counts = dict.fromkeys(("asked", "told", "repeated", "failed", "rollouts", "passed"), 0)

    def ask(self, n: int = 1) -> list[Assignment]:
        """The next `n` assignments."""
        n = _checks.whole("n", n, 0, LARGEST_ASK)
        self._begin()
        return [self._assign(self._choose()) for _ in range(n)]

    def tell(self, results: "Result | Iterable[Result]") -> None:
        """Takes in what came of assignments; those that were told before count nothing.

        Raises:
            InvalidArgument: Something is no result, or of an assignment that this scheduler did not make.
                Those before it are taken in.
        """
        for result in [results] if isinstance(results, Result) else results:
            if not isinstance(result, Result):
                msg = f"`results` has {_checks.shown(result)}, but must have `Result`s alone"
                raise InvalidArgument(msg)
            self._take(result)

    def metrics(self) -> dict[str, float]:
        """How it goes, as numbers by name: counts, the pass rate so far, and what the scheduler adds."""
        counts = self._counts
        rate = counts["passed"] / counts["rollouts"] if counts["rollouts"] else 0.0
        pending = float(len(self._pending))
        return {name: float(count) for name, count in counts.items()} | {
            "pass_rate": rate,
            "pending": pending,
        }

    def state_dict(self) -> dict[str, Any]:
        """All that decides what comes next, as plain data fit for JSON."""
        return {
            "scheduler": self.name,
            "state_version": self.state_version,
            "space": self._space_digest(),
            "seed": self.seed,
            "rng": _rng_state(self._rng),
            "counts": dict(self._counts),
            "next_index": list(self._next_index),
            "pending": [assignment.to_dict() for assignment in self._pending.values()],
            "own": self._state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on from what `state_dict` returned.

        Raises:
            InvalidState: It is of another scheduler, another space or another version, or it is damaged.
                Nothing has changed then, except where the damage is in what the scheduler itself keeps.
        """
        self._must_fit(state)
        try:
            counts = {name: int(state["counts"][name]) for name in self._counts}
            indices = [int(index) for index in state["next_index"]]
            pending = [Assignment.from_dict(record) for record in state["pending"]]
            seed, rng = _checks.seed("seed", state["seed"]), _rng_from(state["rng"])
            if len(indices) != len(self.settings):
                raise ValueError
            self._restore(state["own"])
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            msg = f"the state of `{self.name}` is damaged ({error}); use one that `state_dict` returned"
            raise InvalidState(msg) from None
        self._counts, self._next_index = counts, indices
        self.seed, self._rng = seed, rng
        self._pending = {assignment.id: assignment for assignment in pending}

    def _must_fit(self, state: object) -> None:
        if not isinstance(state, Mapping):
            msg = f"`state` is {_checks.shown(state)}, but must be what `state_dict` returned"
            raise InvalidState(msg)
        expected = {
            "scheduler": self.name,
            "state_version": self.state_version,
            "space": self._space_digest(),
        }
        for name, value in expected.items():
            if state.get(name) != value:
                msg = (
                    f"`{name}` of the state is {_checks.shown(state.get(name))}, but this scheduler's is "
                    f"{value!r}; load it into one made as that one was, or begin anew"
                )
                raise InvalidState(msg)

    def _space_digest(self) -> str:
        keys = "\n".join(f"{track.name} {setting.key}" for track in self.tracks for setting in track)
        return hashlib.sha256(keys.encode()).hexdigest()[:16]

    def _assign(self, choice: Choice) -> Assignment:
        assignment = Assignment(
            self._counts["asked"], choice.task, self.rollouts, choice.train, choice.source
        )
        self._counts["asked"] += 1
        self._pending[assignment.id] = assignment
        return assignment

    def _take(self, result: Result) -> None:
        given = result.assignment
        number = _checks.whole("assignment", given.id if isinstance(given, Assignment) else given, 0)
        assignment = self._pending.get(number)
        if assignment is None and number < self._counts["asked"]:
            self._counts["repeated"] += 1
            return
        if assignment is None or (isinstance(given, Assignment) and given != assignment):
            msg = f"the assignment {_checks.shown(given)} is not one that this scheduler made; tell its own"
            raise InvalidArgument(msg)
        del self._pending[number]
        if not result.passed:
            self._counts["failed"] += 1
            self._lose(assignment)
            return
        self._counts["told"] += 1
        self._counts["rollouts"] += len(result.passed)
        self._counts["passed"] += sum(result.passed)
        self._learn(assignment, result)

    def _new(self, setting: Setting) -> TaskRef:
        """A task of a setting that was not assigned before."""
        number = self._numbers[setting]
        index = self._next_index[number]
        self._next_index[number] += 1
        return setting.at(index, self.seed)

    def _any(self, settings: Sequence[Setting]) -> Setting:
        """One of a few, each as likely as the others."""
        return settings[int(self._rng.integers(len(settings)))]

    def _begin(self) -> None:  # noqa: B027  most need none
        """Called before the choices of one `ask`."""

    @abstractmethod
    def _choose(self) -> Choice:
        """The next task."""

    def _learn(self, assignment: Assignment, result: Result) -> None:  # noqa: B027  most need none
        """Takes in a result, the first of its assignment, with at least one rollout."""

    def _lose(self, assignment: Assignment) -> None:  # noqa: B027  most need none
        """Takes back an assignment of which nothing came."""

    def _state(self) -> Any:
        """What the scheduler keeps beside what all keep, as plain data."""
        return {}

    def _restore(self, own: Any) -> None:  # noqa: B027  most need none
        """Goes on from what `_state` returned; raises any error where it cannot."""


def _rng_state(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a generator. Its words are of 128 bits, which JSON's other readers would round."""
    state = rng.bit_generator.state
    return {
        "state": hex(state["state"]["state"]),
        "inc": hex(state["state"]["inc"]),
        "has_uint32": state["has_uint32"],
        "uinteger": state["uinteger"],
    }


def _rng_from(record: Mapping[str, Any]) -> np.random.Generator:
    bits = np.random.PCG64()
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": int(record["state"], 16), "inc": int(record["inc"], 16)},
        "has_uint32": int(record["has_uint32"]),
        "uinteger": int(record["uinteger"]),
    }
    return np.random.Generator(bits)
