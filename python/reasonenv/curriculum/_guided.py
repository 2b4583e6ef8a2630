"""Schedulers that choose how much of a solution to show."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from reasonenv.curriculum._refs import Setting, TaskRef
from reasonenv.curriculum._response import Layout, Observation, Response, fit
from reasonenv.curriculum._scheduler import Assignment, Choice, Scheduler, option
from reasonenv.parts import Result


@dataclass
class _Group:
    """The outcome of a group of a kept task."""

    task: TaskRef
    hint: float
    passed: int
    rollouts: int
    round: int


@dataclass(eq=False, kw_only=True)
class HintIRT(Scheduler):
    """Item response theory: show as much of a solution as its task needs to pass at `target`.

    Rounds go through a pool of tasks. Each `ask` first fits the groups of the last rounds: abilities per
    track that change over time, the relief of a hint, and a difficulty per task. The share shown is a
    multiple of 1/`parts`. A task that should pass at the rate `drop` without a hint makes way for a new one.
    The space must consist of families, without hints.

    Args:
        tasks: Tasks in the pool.
        target: Pass rate to aim at.
        parts: Equal parts into which a solution is divided.
        drop: Pass rate without a hint at which a task is replaced.
        memory: Rounds whose groups are fitted.
    """

    name = "hint_irt"
    tasks: int = option(64, 1, 512)
    target: float = option(0.5, 0.01, 0.99)
    parts: int = option(16, 1, 1000)
    drop: float = option(0.9, "target", 1)
    memory: int = option(6, 1, 64)
    _pool: list[TaskRef] = field(init=False, repr=False, default_factory=list)
    _fresh: list[int] = field(init=False, repr=False, default_factory=list)
    """Places in the pool of tasks that were not assigned yet."""
    _seen: list[_Group] = field(init=False, repr=False, default_factory=list)
    """Groups of the last rounds, of replaced tasks too."""

    @property
    def chances(self) -> dict[TaskRef, float]:
        """Fitted probability of passing each task of the pool without a hint."""
        response = self._fitted()
        return {task: float(response.chance(at, 0.0)) for at, task in enumerate(self._pool)}

    def metrics(self) -> dict[str, float]:
        """The common metrics, `hint`, the mean share of the last round, and `ability/TRACK` in log-odds."""
        last = max((one.round for one in self._seen), default=0)
        hints = [one.hint for one in self._seen if one.round == last]
        abilities = {
            f"ability/{track.name}": float(ability)
            for track, ability in zip(self.tracks, self._fitted().ability, strict=True)
        }
        return super().metrics() | abilities | {"hint": sum(hints) / max(1, len(hints))}

    def _begin(self) -> None:
        if not self._pool:
            self._pool = [self._new_anywhere() for _ in range(self.tasks)]
            self._fresh = list(range(self.tasks))
        self._response = self._fitted()

    def _choose(self) -> Choice:
        # Each assignment is the next of its round, so its id says which task of which round it is.
        place = self._counts.asked % self.tasks
        if self._response.chance(place, 0.0) >= self.drop:
            self._pool[place] = self._new_anywhere()
            self._fresh.append(place)
            self._response = self._fitted()
        shares = np.arange(self.parts + 1) / self.parts
        share = shares[np.abs(self._response.chance(place, shares) - self.target).argmin()]
        task = self._pool[place].with_hint(float(share))
        if place not in self._fresh:
            return Choice(task, "replay")
        self._fresh = [other for other in self._fresh if other != place]
        return Choice(task, "new")

    def _learn(self, assignment: Assignment, result: Result) -> None:
        number = assignment.id // self.tasks
        task = assignment.task
        group = _Group(task.with_hint(0), task.hint, sum(result.passed), len(result.passed), number)
        newest = max([number, *(one.round for one in self._seen)])
        self._seen = [one for one in [*self._seen, group] if one.round > newest - self.memory]

    def _fitted(self) -> Response:
        """Fit the groups of the last rounds; the pool's tasks come first."""
        numbers = {task: at for at, task in enumerate(self._pool)}
        for group in self._seen:
            numbers.setdefault(group.task, len(numbers))
        places = [self._setting_numbers[task.setting] for task in numbers]
        layout = Layout(np.array(places, dtype=np.intp), *self._setting_layout)
        groups = [
            Observation(numbers[one.task], one.hint, one.passed, one.rollouts, one.round)
            for one in self._seen
        ]
        return fit(layout, groups)

    @cached_property
    def _setting_numbers(self) -> dict[Setting, int]:
        return {setting: at for at, setting in enumerate(self.settings)}

    @cached_property
    def _setting_layout(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Track, position and guess rate of each setting."""
        tracks = {track.name: at for at, track in enumerate(self.tracks)}
        places = [self._places[setting] for setting in self.settings]
        return (
            np.array([tracks[place.track.name] for place in places], dtype=np.intp),
            np.array([place.position for place in places], dtype=np.intp),
            np.array([setting.guess_rate for setting in self.settings]),
        )


@dataclass
class _Failed:
    """A task whose groups have all failed so far."""

    task: TaskRef
    group: int
    """Id of its first assignment."""
    tries: int = 0
    """Guided groups so far."""


@dataclass(eq=False, kw_only=True)
class Guide(Scheduler):
    """Guidance on demand: a group that fails entirely is tried again with the first steps shown.

    The share of the solution that is shown doubles with every further failure, up to the whole. A guided
    assignment has the source "guided:ID", where ID is that of the plain one. Train on its completions with
    the plain prompt, which is that of `assignment.task.with_hint(0)`: the policy has to do without the hint.
    The space must consist of families, without hints.

    Args:
        hint: Share shown at first, above 0.
        tries: Most guided groups of a task.
        train_guided: Whether guided groups are trained on. False only shows which tasks a hint would solve.
    """

    name = "guide"
    hint: float = option(0.25, 1e-3, 1)
    tries: int = option(2, 1, 10)
    train_guided: bool = option(True)
    _waiting: list[_Failed] = field(init=False, repr=False, default_factory=list)
    _under_way: dict[str, _Failed] = field(init=False, repr=False, default_factory=dict)
    """Guided groups under way, by the id of their assignment."""
    _solved: int = field(init=False, repr=False, default=0)

    def metrics(self) -> dict[str, float]:
        """The common metrics, and `guided_solved`: tasks that passed with guidance alone."""
        return super().metrics() | {"guided_solved": float(self._solved)}

    def _choose(self) -> Choice:
        if not self._waiting:
            return Choice(self._new_anywhere(), "plain")
        failed = self._waiting.pop(0)
        self._under_way[f"{self._counts.asked}"] = failed
        share = min(1.0, self.hint * 2**failed.tries)
        return Choice(failed.task.with_hint(share), f"guided:{failed.group}", self.train_guided)

    def _learn(self, assignment: Assignment, result: Result) -> None:
        failed = self._under_way.pop(f"{assignment.id}", None)
        if any(result.passed):
            self._solved += failed is not None
        elif failed is None:
            self._waiting.append(_Failed(assignment.task, assignment.id))
        elif failed.tries + 1 < self.tries and assignment.task.hint < 1:
            self._waiting.append(_Failed(failed.task, failed.group, failed.tries + 1))

    def _lose(self, assignment: Assignment) -> None:
        failed = self._under_way.pop(f"{assignment.id}", None)
        if failed is not None:
            self._waiting.append(failed)
