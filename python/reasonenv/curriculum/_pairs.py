"""Schedulers that assign each task twice and prefer settings where the results differ."""

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from reasonenv.curriculum._arms import known_rate
from reasonenv.curriculum._refs import Setting, TaskRef
from reasonenv.curriculum._scheduler import Assignment, Choice, Scheduler, option
from reasonenv.parts import Result


@dataclass(eq=False, kw_only=True)
class _Pairs(Scheduler):
    """Base of schedulers that assign each task twice in a row and prefer settings with a high regret.

    The regret of a setting is a mean in which older pairs count less.
    """

    explore: float = option(0.2, 0, 1)
    memory: float = option(8.0, 1)
    _regrets: dict[str, float] = field(init=False, repr=False, default_factory=dict)
    """Regret of each tried setting, by its key."""
    _partner: TaskRef | None = field(init=False, repr=False, default=None)
    """Task whose second assignment comes next."""
    _waiting: dict[str, float] = field(init=False, repr=False, default_factory=dict)
    """Pass rate of the first result of each incomplete pair."""

    @property
    def regrets(self) -> dict[Setting, float]:
        """Mean regret of each tried setting."""
        return {one: self._regrets[one.key] for one in self.settings if one.key in self._regrets}

    def metrics(self) -> dict[str, float]:
        """The common metrics, and `regret`: the mean over the tried settings."""
        return super().metrics() | {"regret": sum(self._regrets.values()) / max(1, len(self._regrets))}

    @abstractmethod
    def _pair(self, task: TaskRef) -> tuple[Choice, Choice]:
        """Return the two assignments of a task, first the one that should pass more often."""

    def _choose(self) -> Choice:
        if self._partner is not None:
            task, self._partner = self._partner, None
            return self._pair(task)[1]
        # An untried setting is assumed to have the highest regret seen so far.
        most = max(self._regrets.values(), default=1.0)
        hopes = np.array([max(0.0, self._regrets.get(one.key, most)) for one in self.settings])
        even = np.full(len(hopes), 1 / len(hopes))
        shares = (1 - self.explore) * hopes / hopes.sum() + self.explore * even if hopes.any() else even
        self._partner = self._new(self.settings[self._draw(shares)])
        return self._pair(self._partner)[0]

    def _learn(self, assignment: Assignment, result: Result) -> None:
        # Assignments come in pairs, so an even id and the next one belong together.
        pair, is_second = divmod(assignment.id, 2)
        setting = self._plain(assignment.task.setting)
        rate = known_rate(result.pass_rate, setting.guess_rate)
        other = self._waiting.pop(f"{pair}", None)
        if other is None:
            self._waiting[f"{pair}"] = rate
            return
        regret = self._regret(*((other, rate) if is_second else (rate, other)))
        known = self._regrets.get(setting.key, regret)
        self._regrets[setting.key] = known + (regret - known) / self.memory

    def _lose(self, assignment: Assignment) -> None:
        self._waiting.pop(f"{assignment.id // 2}", None)

    @abstractmethod
    def _regret(self, first: float, second: float) -> float:
        """Regret of a pair, from its two pass rates corrected for guessing."""

    def _plain(self, setting: Setting) -> Setting:
        """The setting of the space behind that of an assignment."""
        return setting


@dataclass(eq=False, kw_only=True)
class Paired(_Pairs):
    """Regret between two policies: prefer settings that one of them solves and the other does not yet.

    Each task is assigned twice, with the sources "antagonist" and "protagonist"; the caller gives each
    assignment to its policy. The regret of a pair is 1 if any rollout of either passed, minus the pass rate
    of the protagonist. As in flexible PAIRED, a pass of the protagonist counts too; otherwise an antagonist
    that falls behind would withhold tasks from it. Pass rates are corrected for guessing.

    Half of the rollouts train the antagonist. A synthetic student learns faster from its half than under
    `Uniform`, but not twice as fast: with all rollouts counted, `Paired` loses to `Uniform`.

    Args:
        explore: Share of the pairs with a random setting.
        memory: Pairs of a setting after which the weight of a regret has fallen to 1/e.
    """

    name = "paired"

    def _pair(self, task: TaskRef) -> tuple[Choice, Choice]:
        return Choice(task, "antagonist"), Choice(task, "protagonist")

    def _regret(self, first: float, second: float) -> float:
        return float(max(first, second) > 0) - second


@dataclass(eq=False, kw_only=True)
class HintRegret(_Pairs):
    """Regret of a missing hint: prefer settings that pass only with the first steps shown.

    Each task is assigned twice, with the sources "hinted" and "plain". The regret of a setting is the pass
    rate with the hint minus that without. Settings that are too hard even with a hint, or that need none,
    have no regret. The space must consist of families, without hints.

    Args:
        hint: Share of the solution's steps that the hint shows, above 0.
        explore: Share of the pairs with a random setting.
        memory: Pairs of a setting after which the weight of a regret has fallen to 1/e.
    """

    name = "hint_regret"
    hint: float = option(0.5, 1e-3, 1)

    @cached_property
    def _hinted(self) -> dict[Setting, Setting]:
        return {setting: setting.with_hint(self.hint) for setting in self.settings}

    @cached_property
    def _unhinted(self) -> dict[Setting, Setting]:
        return {hinted: setting for setting, hinted in self._hinted.items()}

    def _pair(self, task: TaskRef) -> tuple[Choice, Choice]:
        hinted = TaskRef(self._hinted[task.setting], task.seed, task.index, task.edits)
        return Choice(hinted, "hinted"), Choice(task, "plain")

    def _plain(self, setting: Setting) -> Setting:
        return self._unhinted.get(setting, setting)

    def _regret(self, first: float, second: float) -> float:
        return first - second
