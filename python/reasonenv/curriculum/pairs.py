"""Schedulers that try each task twice and look for where the two differ."""

from abc import abstractmethod
from typing import Any

import numpy as np

from reasonenv import _checks
from reasonenv.curriculum.arms import draw
from reasonenv.curriculum.refs import Setting, TaskRef
from reasonenv.curriculum.scheduler import Assignment, Choice, Result, Scheduler
from reasonenv.curriculum.tracks import Space

__all__ = ["HintRegret", "Paired"]


class _Pairs(Scheduler):
    """Two assignments of one task after the other; where the first passes more than the second, more of it.

    What is remembered of a setting is the mean difference of its pass rates, older ones counting less.
    """

    _halves: tuple[str, str]
    """The sources of the two: that which should pass more, and that which should pass less."""

    def __init__(
        self, space: Space, *, explore: float = 0.2, memory: float = 8, rollouts: int = 8, seed: int = 0
    ) -> None:
        super().__init__(space, rollouts=rollouts, seed=seed)
        self.explore = _checks.number("explore", explore, 0, 1)
        self.memory = _checks.number("memory", memory, 1)
        self._regrets: list[float | None] = [None] * len(self.settings)
        self._partner: Choice | None = None
        self._waiting: dict[int, float] = {}

    @property
    def regrets(self) -> dict[Setting, float]:
        """The mean difference of the pass rates, of each setting that was tried."""
        pairs = zip(self.settings, self._regrets, strict=True)
        return {setting: regret for setting, regret in pairs if regret is not None}

    def metrics(self) -> dict[str, float]:
        """Those of every scheduler, and `regret`: the mean over the settings that were tried."""
        known = self.regrets.values()
        return super().metrics() | {"regret": sum(known) / len(known) if known else 0.0}

    @abstractmethod
    def _pair(self, task: TaskRef) -> tuple[Choice, Choice]:
        """The two assignments of a task."""

    def _choose(self) -> Choice:
        if self._partner is not None:
            choice, self._partner = self._partner, None
            return choice
        # What was never tried may differ as much as anything that was.
        most = max(self.regrets.values(), default=1.0)
        hopes = np.array([most if regret is None else max(0.0, regret) for regret in self._regrets])
        even = np.full(len(hopes), 1 / len(hopes))
        shares = (1 - self.explore) * hopes / hopes.sum() + self.explore * even if hopes.sum() > 0 else even
        choice, self._partner = self._pair(self._new(self.settings[draw(self._rng, shares)]))
        return choice

    def _learn(self, assignment: Assignment, result: Result) -> None:
        # Pairs follow one another, so two ids from an even one on are a pair.
        pair = assignment.id // 2
        is_first = assignment.source == self._halves[0]
        rate = self._best(result) if is_first else -result.pass_rate
        if pair not in self._waiting:
            self._waiting[pair] = rate
            return
        regret = self._waiting.pop(pair) + rate
        number = self._numbers[self._plain(assignment.task.setting)]
        known = self._regrets[number]
        self._regrets[number] = regret if known is None else known + (regret - known) / self.memory

    def _lose(self, assignment: Assignment) -> None:
        self._waiting.pop(assignment.id // 2, None)

    def _best(self, result: Result) -> float:
        """What the half that should pass more came to."""
        return result.pass_rate

    def _plain(self, setting: Setting) -> Setting:
        """The setting that a half's was made from."""
        return setting

    def _state(self) -> Any:
        partner = self._partner and [self._partner.task.to_dict(), *self._partner[1:]]
        waiting = [[pair, rate] for pair, rate in self._waiting.items()]
        return {"regrets": list(self._regrets), "partner": partner, "waiting": waiting}

    def _restore(self, own: Any) -> None:
        regrets = [None if regret is None else float(regret) for regret in own["regrets"]]
        waiting = {int(pair): float(rate) for pair, rate in own["waiting"]}
        partner = own["partner"]
        if partner is not None:
            task, source, train = partner
            partner = Choice(TaskRef.from_dict(task), str(source), bool(train))
        if len(regrets) != len(self.settings):
            raise ValueError("it has another number of settings")
        self._regrets, self._waiting, self._partner = regrets, waiting, partner


class Paired(_Pairs):
    """Regret between two policies: more of the settings that one solves and the other does not yet.

    Assignments come in pairs of one task, of source "antagonist" and "protagonist": the caller gives each to
    its policy. As in the original, a pair's regret is the best that the antagonist came to in any rollout, 1
    or 0, less the protagonist's mean: what is known to be possible, less what there is.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several.
        explore: Share of the pairs whose setting is any, each as likely.
        memory: Pairs of a setting after which a regret counts for 1/e.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.
    """

    name = "paired"
    _halves = ("antagonist", "protagonist")

    def _pair(self, task: TaskRef) -> tuple[Choice, Choice]:
        return Choice(task, "antagonist"), Choice(task, "protagonist")

    def _best(self, result: Result) -> float:
        return float(any(result.passed))


class HintRegret(_Pairs):
    """Where a hint helps: more of the settings that pass with the first steps shown, and not without.

    Assignments come in pairs of one task, of source "hinted" and "plain". A setting's regret is the pass rate
    with the hint less that without. What is too hard even so, and what needs no hint, has none.

    Args:
        space: What to choose from: tracks, settings of families, families by name; without hints.
        hint: Share of the solution's steps that the hint shows, above 0.
        explore: Share of the pairs whose setting is any, each as likely.
        memory: Pairs of a setting after which a regret counts for 1/e.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.
    """

    name = "hint_regret"
    _halves = ("hinted", "plain")

    def __init__(
        self,
        space: Space,
        *,
        hint: float = 0.5,
        explore: float = 0.2,
        memory: float = 8,
        rollouts: int = 8,
        seed: int = 0,
    ) -> None:
        super().__init__(space, explore=explore, memory=memory, rollouts=rollouts, seed=seed)
        self.hint = _checks.number("hint", hint, 1e-3, 1)
        self._hinted = {setting: setting.with_hint(self.hint) for setting in self.settings}
        self._unhinted = {hinted: setting for setting, hinted in self._hinted.items()}

    def _pair(self, task: TaskRef) -> tuple[Choice, Choice]:
        hinted = TaskRef(self._hinted[task.setting], task.seed, task.index, task.edits)
        return Choice(hinted, "hinted"), Choice(task, "plain")

    def _plain(self, setting: Setting) -> Setting:
        return self._unhinted.get(setting, setting)
