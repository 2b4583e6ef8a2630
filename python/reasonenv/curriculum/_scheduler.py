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
from dataclasses import KW_ONLY, Field, InitVar, asdict, dataclass, field, fields
from typing import Any, ClassVar, NamedTuple, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

from reasonenv import _checks
from reasonenv._native import InvalidArgument, InvalidState
from reasonenv.curriculum._refs import Setting, TaskRef
from reasonenv.curriculum._tracks import Space, Track, as_tracks
from reasonenv.kit import _plain as plain
from reasonenv.parts import Result

LARGEST_ASK = 1_000_000
"""The most assignments that are asked for at once, all of which are held until they are told."""

LARGEST_GROUP = 10_000
"""The most rollouts of one assignment."""


_T = TypeVar("_T")


@dataclass(frozen=True)
class Assignment:
    """A number of rollouts of one task that a policy is to do next."""

    id: int
    """Counts a scheduler's assignments from 0: the same task may be assigned again."""
    task: TaskRef
    rollouts: int
    train: bool
    """Whether to learn from them. False: they only inform the scheduler."""
    source: str
    """Why it was chosen, such as "new" or "replay"; of a pair, who is to do it."""


class Choice(NamedTuple):
    """A scheduler's choice: an assignment but for its id and rollouts."""

    task: TaskRef
    source: str
    train: bool = True


class Place(NamedTuple):
    """A setting's track, and its position there, counted from the easy end."""

    track: Track
    position: int


def option(default: float, least: float | str | None = None, most: float | str | None = None) -> Any:
    """An option of a scheduler, checked to be of its default's type and within bounds.

    Args:
        default: A whole number, another number or a truth value.
        least: The least value, or the name of the option that bounds it.
        most: The largest.
    """
    return field(default=default, metadata={"bounds": (least, most)})


@dataclass
class _Counts:
    """Assignments, told twice and failed ones among them, and the rollouts that were told."""

    asked: int = 0
    told: int = 0
    repeated: int = 0
    failed: int = 0
    rollouts: int = 0
    passed: int = 0


@dataclass(eq=False)
class Scheduler(ABC):
    """Chooses the tasks that a policy is to do next.

    `ask` and `tell` may come in any order: results of assignments asked long ago are fine, and a result that
    comes twice counts once. The same calls in the same order give the same assignments for the same seed.

    A scheduler of your own is a dataclass that derives from this one. It has `name` and `_choose` and, if it
    learns from results, `_learn`. Its arguments are fields that `option` makes; what it learns is kept in
    fields with `init=False` of types that JSON has, which are its state.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.

    Raises:
        ReasonEnvError: An argument is not what it must be; names it.
    """

    name: ClassVar[str]
    """The name in `SCHEDULERS`, in states and in files of runs."""
    state_version: ClassVar[int] = 1
    """Grows by one whenever an older state would be misread."""

    space: InitVar[Space]
    _: KW_ONLY
    rollouts: int = option(8, 1, LARGEST_GROUP)
    seed: int = option(0, 0, _checks.LARGEST_SEED)

    _counts: _Counts = field(init=False, repr=False, default_factory=_Counts)
    _next_indices: dict[str, int] = field(init=False, repr=False, default_factory=dict)
    """Tasks made so far of each setting, by its key."""

    def __post_init__(self, space: Space) -> None:
        for one in fields(self):
            if "bounds" in one.metadata:
                setattr(self, one.name, self._checked(one))
        self.tracks: tuple[Track, ...] = self._as_tracks(space)
        self.settings: tuple[Setting, ...] = tuple(one for track in self.tracks for one in track)
        self._places = {
            setting: Place(track, position) for track in self.tracks for position, setting in enumerate(track)
        }
        self._rng = np.random.Generator(np.random.PCG64(self.seed))
        self._pending: dict[int, Assignment] = {}

    def ask(self, n: int = 1) -> list[Assignment]:
        """The next `n` assignments."""
        n = _checks.whole("n", n, 0, LARGEST_ASK)
        self._begin()
        return [self._assign(self._choose()) for _ in range(n)]

    def tell(self, results: Result | Iterable[Result]) -> None:
        """Takes in the results of assignments; those that were told before count nothing.

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
        """Numbers for a logger, by name: counts, the pass rate so far, and what the scheduler adds."""
        counts = {name: float(count) for name, count in asdict(self._counts).items()}
        rate = counts["passed"] / max(1.0, counts["rollouts"])
        return counts | {"pass_rate": rate, "pending": float(len(self._pending))}

    def state_dict(self) -> dict[str, Any]:
        """All that decides what comes next, as plain data fit for JSON."""
        content = {
            "seed": self.seed,
            "rng": _rng_state(self._rng),
            "pending": list(self._pending.values()),
            "kept": {name: getattr(self, name) for name in self._state_types()},
        }
        return self._origin() | {name: plain.as_plain(value) for name, value in content.items()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `state_dict` returned.

        Raises:
            InvalidState: It is of another scheduler, another space or another version, or it is damaged.
                Nothing has changed then.
        """
        if not isinstance(state, Mapping):
            msg = f"`state` is {_checks.shown(state)}, but must be what `state_dict` returned"
            raise InvalidState(msg)
        for name, value in self._origin().items():
            if state.get(name) != value:
                msg = (
                    f"`{name}` of the state is {_checks.shown(state.get(name))}, but this scheduler's is "
                    f"{value!r}; load it into one made as that one was, or begin anew"
                )
                raise InvalidState(msg)
        try:
            seed, rng = _checks.seed("seed", state["seed"]), _rng_from(state["rng"])
            pending = plain.as_typed(state["pending"], list[Assignment], "pending")
            kept = {
                name: plain.as_typed(state["kept"][name], kind, name)
                for name, kind in self._state_types().items()
            }
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            msg = f"the state of `{self.name}` is damaged ({error}); use one that `state_dict` returned"
            raise InvalidState(msg) from None
        vars(self).update(kept, seed=seed, _rng=rng)
        self._pending = {assignment.id: assignment for assignment in pending}

    def _origin(self) -> dict[str, Any]:
        """The scheduler that a state is of."""
        keys = "\n".join(f"{track.name} {setting.key}" for track in self.tracks for setting in track)
        space = hashlib.sha256(keys.encode()).hexdigest()[:16]
        return {"scheduler": self.name, "state_version": self.state_version, "space": space}

    def _state_types(self) -> dict[str, Any]:
        """The fields that are state, with their types."""
        types = get_type_hints(type(self))
        return {one.name: types[one.name] for one in fields(self) if not one.init}

    def _checked(self, one: Field[Any]) -> Any:
        """The value of an option, as `option` bounds it."""
        value = getattr(self, one.name)
        if isinstance(one.default, bool):
            return _checks.flag(one.name, value)
        bounds = [
            getattr(self, bound) if isinstance(bound, str) else bound for bound in one.metadata["bounds"]
        ]
        check = _checks.whole if isinstance(one.default, int) else _checks.number
        return check(one.name, value, *bounds)

    def _assign(self, choice: Choice) -> Assignment:
        number = self._counts.asked
        assignment = Assignment(number, choice.task, self.rollouts, choice.train, choice.source)
        self._counts.asked += 1
        self._pending[number] = assignment
        return assignment

    def _take(self, result: Result) -> None:
        given = result.assignment
        number = _checks.whole("assignment", given.id if isinstance(given, Assignment) else given, 0)
        assignment = self._pending.get(number)
        if assignment is None and number < self._counts.asked:
            self._counts.repeated += 1
            return
        if assignment is None or (isinstance(given, Assignment) and given != assignment):
            msg = f"the assignment {_checks.shown(given)} is not one that this scheduler made; tell its own"
            raise InvalidArgument(msg)
        del self._pending[number]
        if not result.passed:
            self._counts.failed += 1
            self._lose(assignment)
            return
        self._counts.told += 1
        self._counts.rollouts += len(result.passed)
        self._counts.passed += sum(result.passed)
        self._learn(assignment, result)

    def _new(self, setting: Setting) -> TaskRef:
        """A task of a setting that was not assigned before."""
        index = self._next_indices.get(setting.key, 0)
        self._next_indices[setting.key] = index + 1
        return setting.at(index, self.seed)

    def _new_anywhere(self) -> TaskRef:
        """A new task; each track is as likely as the others, and so is each of its settings."""
        return self._new(self._any(self._any(self.tracks)))

    def _any(self, choices: Sequence[_T]) -> _T:
        """One of a few, each as likely as the others."""
        return choices[int(self._rng.integers(len(choices)))]

    def _draw(self, weights: NDArray[np.float64]) -> int:
        """A place drawn in proportion to weights, some of them above 0."""
        return int(self._rng.choice(len(weights), p=weights / weights.sum()))

    def _as_tracks(self, space: Space) -> tuple[Track, ...]:
        """The tracks to choose from."""
        return as_tracks(space)

    def _begin(self) -> None:  # noqa: B027  most need none
        """Called before the choices of one `ask`."""

    @abstractmethod
    def _choose(self) -> Choice:
        """The next task."""

    def _learn(self, assignment: Assignment, result: Result) -> None:  # noqa: B027  most need none
        """Takes in a result, the first of its assignment, with at least one rollout."""

    def _lose(self, assignment: Assignment) -> None:  # noqa: B027  most need none
        """Takes back an assignment that has no result."""


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
