"""Schedulers that try each task twice and look for where the two differ."""

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
    """Two assignments of one task after the other; more of the settings where the two differ most.

    What is remembered of a setting is its mean regret, older ones counting less.
    """

    explore: float = option(0.2, 0, 1)
    memory: float = option(8.0, 1)
    _regrets: dict[str, float] = field(init=False, repr=False, default_factory=dict)
    """The regret of each setting that was tried, by its key."""
    _partner: TaskRef | None = field(init=False, repr=False, default=None)
    """The task whose second assignment comes next."""
    _waiting: dict[str, float] = field(init=False, repr=False, default_factory=dict)
    """The pass rate of the half of each pair that was told first."""

    @property
    def regrets(self) -> dict[Setting, float]:
        """The mean regret of each setting that was tried."""
        return {one: self._regrets[one.key] for one in self.settings if one.key in self._regrets}

    def metrics(self) -> dict[str, float]:
        """The metrics of every scheduler, and `regret`: the mean over the settings that were tried."""
        return super().metrics() | {"regret": sum(self._regrets.values()) / max(1, len(self._regrets))}

    @abstractmethod
    def _pair(self, task: TaskRef) -> tuple[Choice, Choice]:
        """The two assignments of a task; the first is the one that should pass more."""

    def _choose(self) -> Choice:
        if self._partner is not None:
            task, self._partner = self._partner, None
            return self._pair(task)[1]
        # What was never tried may differ as much as anything that was.
        most = max(self._regrets.values(), default=1.0)
        hopes = np.array([max(0.0, self._regrets.get(one.key, most)) for one in self.settings])
        even = np.full(len(hopes), 1 / len(hopes))
        shares = (1 - self.explore) * hopes / hopes.sum() + self.explore * even if hopes.any() else even
        self._partner = self._new(self.settings[self._draw(shares)])
        return self._pair(self._partner)[0]

    def _learn(self, assignment: Assignment, result: Result) -> None:
        # Pairs follow one another, so two ids from an even one on are a pair.
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
        """The regret that the pass rates of a pair's halves show, both less what guessing passes."""

    def _plain(self, setting: Setting) -> Setting:
        """The setting that a half's was made from."""
        return setting


@dataclass(eq=False, kw_only=True)
class Paired(_Pairs):
    """Regret between two policies: more of the settings that one solves and the other does not yet.

    Assignments come in pairs of one task, of source "antagonist" and "protagonist": the caller gives each to
    its policy. A pair's regret is 1 if any rollout of either passed, less the protagonist's pass rate: what
    is known to be possible, less what there is. As in flexible PAIRED, a pass of the protagonist's own counts
    too; otherwise an antagonist who falls behind would keep tasks from it. What guessing passes counts not.

    Half of the rollouts train the antagonist. A synthetic student learns from its own half sooner than under
    `Uniform`, but not twice as soon: with all rollouts counted, `Paired` loses to it.

    Args:
        explore: Share of the pairs whose setting is any, each as likely.
        memory: Pairs of a setting after which a regret counts for 1/e.
    """

    name = "paired"

    def _pair(self, task: TaskRef) -> tuple[Choice, Choice]:
        return Choice(task, "antagonist"), Choice(task, "protagonist")

    def _regret(self, first: float, second: float) -> float:
        return float(max(first, second) > 0) - second


@dataclass(eq=False, kw_only=True)
class HintRegret(_Pairs):
    """Where a hint helps: more of the settings that pass with the first steps shown, and not without.

    Assignments come in pairs of one task, of source "hinted" and "plain". A setting's regret is the pass rate
    with the hint less that without. What is too hard even so, and what needs no hint, has none. The space
    must be of families and without hints.

    Args:
        hint: Share of the solution's steps that the hint shows, above 0.
        explore: Share of the pairs whose setting is any, each as likely.
        memory: Pairs of a setting after which a regret counts for 1/e.
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
