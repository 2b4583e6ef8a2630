"""The interface of schedulers: ask for assignments, then tell their results.

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
"""Most assignments in one call of `ask`; all of them are held until their results arrive."""

LARGEST_GROUP = 10_000
"""Most rollouts of one assignment."""


_T = TypeVar("_T")


@dataclass(frozen=True)
class Assignment:
    """A number of rollouts of one task, for a policy to do next."""

    id: int
    """Number of the assignment, from 0 for each scheduler; the same task may be assigned again."""
    task: TaskRef
    rollouts: int
    train: bool
    """True to train on the rollouts; False if they only inform the scheduler."""
    source: str
    """Reason for the choice, such as "new" or "replay"; in a pair, the policy or the version of the task."""


class Choice(NamedTuple):
    """A scheduler's choice: an assignment without its id and rollouts."""

    task: TaskRef
    source: str
    train: bool = True


class Place(NamedTuple):
    """The track of a setting and its position there, counted from the easy end."""

    track: Track
    position: int


def option(default: float, least: float | str | None = None, most: float | str | None = None) -> Any:
    """Declare an option of a scheduler; its type and bounds are checked.

    Args:
        default: An int, a float or a bool, which is also the type of the option.
        least: Smallest value, or the name of the option that bounds it.
        most: Largest value, or the name of the option that bounds it.
    """
    return field(default=default, metadata={"bounds": (least, most)})


@dataclass
class _Counts:
    """Counts of assignments, including repeated and failed results, and of rollouts."""

    asked: int = 0
    told: int = 0
    repeated: int = 0
    failed: int = 0
    rollouts: int = 0
    passed: int = 0


@dataclass(eq=False)
class Scheduler(ABC):
    """Base class of schedulers, which choose the next tasks of a policy.

    `ask` and `tell` may be called in any order: results may arrive late, and a repeated result counts once.
    The same calls in the same order with the same seed give the same assignments.

    Your own scheduler is a dataclass that derives from this one. It defines `name` and `_choose` and, if it
    learns from results, `_learn`. Its arguments are fields made by `option`; its state is in fields with
    `init=False` of types that JSON has.

    Args:
        space: One or several tracks, settings or names of families to choose from.
        rollouts: Rollouts per assignment.
        seed: Seed of new tasks and of the scheduler's draws.

    Raises:
        ReasonEnvError: An argument is invalid; names it.
    """

    name: ClassVar[str]
    """Name in `SCHEDULERS`, in states and in run files."""
    state_version: ClassVar[int] = 1
    """Version of the state; raise it whenever an older state would be misread."""

    space: InitVar[Space]
    _: KW_ONLY
    rollouts: int = option(8, 1, LARGEST_GROUP)
    seed: int = option(0, 0, _checks.LARGEST_SEED)

    _counts: _Counts = field(init=False, repr=False, default_factory=_Counts)
    _next_indices: dict[str, int] = field(init=False, repr=False, default_factory=dict)
    """Number of tasks made so far of each setting, by its key."""

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

    def __getattr__(self, name: str) -> Any:
        """Suggest the method that is meant: `update` elsewhere is `tell` here."""
        if name.startswith("_"):
            raise AttributeError(name)
        public = [each for each in dir(type(self)) if not each.startswith("_")]
        raise AttributeError(str(_checks.unknown("attribute of the scheduler", name, public)))

    def ask(self, n: int = 1) -> list[Assignment]:
        """Return the next `n` assignments."""
        n = _checks.whole("n", n, 0, LARGEST_ASK)
        self._begin()
        return [self._assign(self._choose()) for _ in range(n)]

    def tell(self, results: Result | Iterable[Result]) -> None:
        """Take in the results of assignments; repeated ones are ignored.

        Raises:
            InvalidArgument: An item is not a result, or belongs to an assignment of another scheduler. The
                results before it are taken in.
        """
        for result in [results] if isinstance(results, Result) else results:
            if not isinstance(result, Result):
                msg = f"`results` has {_checks.shown(result)}, but must have `Result`s alone"
                raise InvalidArgument(msg)
            self._take(result)

    def metrics(self) -> dict[str, float]:
        """Metrics for a logger, by name: counts, the pass rate so far, and the scheduler's own."""
        counts = {name: float(count) for name, count in asdict(self._counts).items()}
        rate = counts["passed"] / max(1.0, counts["rollouts"])
        return counts | {"pass_rate": rate, "pending": float(len(self._pending))}

    def state_dict(self) -> dict[str, Any]:
        """The complete state as plain data, fit for JSON."""
        content = {
            "seed": self.seed,
            "rng": _rng_state(self._rng),
            "pending": list(self._pending.values()),
            "kept": {name: getattr(self, name) for name in self._state_types()},
        }
        return self._origin() | {name: plain.as_plain(value) for name, value in content.items()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Resume from the output of `state_dict`.

        Raises:
            InvalidState: The state belongs to another scheduler, space or version, or is damaged. This
                scheduler is then unchanged.
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
        """Identity of the scheduler and its space, as stored in states."""
        keys = "\n".join(f"{track.name} {setting.key}" for track in self.tracks for setting in track)
        space = hashlib.sha256(keys.encode()).hexdigest()[:16]
        return {"scheduler": self.name, "state_version": self.state_version, "space": space}

    def _state_types(self) -> dict[str, Any]:
        """Types of the fields that are state."""
        types = get_type_hints(type(self))
        return {one.name: types[one.name] for one in fields(self) if not one.init}

    def _checked(self, one: Field[Any]) -> Any:
        """Checked value of an option."""
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
        """The next unused task of a setting."""
        index = self._next_indices.get(setting.key, 0)
        self._next_indices[setting.key] = index + 1
        return setting.at(index, self.seed)

    def _new_anywhere(self) -> TaskRef:
        """A new task of a random track and, within it, a random setting."""
        return self._new(self._any(self._any(self.tracks)))

    def _any(self, choices: Sequence[_T]) -> _T:
        """One of several choices, all equally likely."""
        return choices[int(self._rng.integers(len(choices)))]

    def _draw(self, weights: NDArray[np.float64]) -> int:
        """An index drawn in proportion to the weights, which must not all be 0."""
        return int(self._rng.choice(len(weights), p=weights / weights.sum()))

    def _as_tracks(self, space: Space) -> tuple[Track, ...]:
        """The tracks to choose from."""
        return as_tracks(space)

    def _begin(self) -> None:  # noqa: B027  most need none
        """Prepare the choices of one `ask`."""

    @abstractmethod
    def _choose(self) -> Choice:
        """Choose the next task."""

    def _learn(self, assignment: Assignment, result: Result) -> None:  # noqa: B027  most need none
        """Take in the first result of an assignment, with at least one rollout."""

    def _lose(self, assignment: Assignment) -> None:  # noqa: B027  most need none
        """Withdraw an assignment that has no result."""


def _rng_state(rng: np.random.Generator) -> dict[str, Any]:
    """State of a generator. Its 128-bit words are text, since many JSON readers would round numbers."""
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
