"""Schedulers that climb tracks: up where the policy passes, down again where it does not."""

from collections import deque
from collections.abc import Iterable
from typing import Any

from reasonenv import _checks
from reasonenv.curriculum.scheduler import Assignment, Choice, Result, Scheduler
from reasonenv.curriculum.tracks import Space, as_tracks, hints

__all__ = ["Ladder", "RlveWindow", "Threshold"]


class Threshold(Scheduler):
    """Raises a track's setting above one pass rate, and lowers it below another.

    The rate is that of the last `window` groups of the present setting. Between the two thresholds nothing
    moves, and after a move the count begins anew: results of other settings, such as those still under way
    then, do not count.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several.
        up: The pass rate from which on the next setting is taken.
        down: The pass rate down to which the one before is taken; 0 never goes back unless nothing passes.
        window: Groups that decide a move.
        review: Share of the assignments that are of easier settings of the track, each as likely.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.
    """

    name = "threshold"

    def __init__(
        self,
        space: Space,
        *,
        up: float = 0.7,
        down: float = 0.1,
        window: int = 4,
        review: float = 0.0,
        rollouts: int = 8,
        seed: int = 0,
    ) -> None:
        super().__init__(space, rollouts=rollouts, seed=seed)
        self.up = _checks.number("up", up, 0, 1)
        self.down = _checks.number("down", down, 0, self.up)
        self.window = _checks.whole("window", window, 1, 1000)
        self.review = _checks.number("review", review, 0, 1)
        self._positions = [0] * len(self.tracks)
        self._recent = [deque[tuple[int, int]](maxlen=self.window) for _ in self.tracks]

    @property
    def positions(self) -> dict[str, int]:
        """How far each track has been climbed, from 0."""
        return {track.name: at for track, at in zip(self.tracks, self._positions, strict=True)}

    def metrics(self) -> dict[str, float]:
        """Those of every scheduler, and `position/TRACK` for each track."""
        return super().metrics() | {f"position/{name}": float(at) for name, at in self.positions.items()}

    def _choose(self) -> Choice:
        number = int(self._rng.integers(len(self.tracks)))
        track, at = self.tracks[number], self._positions[number]
        if at and self._rng.random() < self.review:
            return Choice(self._new(self._any(track[:at])), "review")
        return Choice(self._new(track[at]), "new")

    def _learn(self, assignment: Assignment, result: Result) -> None:
        track, position = self._places[assignment.task.setting]
        if position != self._positions[track]:
            return
        recent = self._recent[track]
        recent.append((sum(result.passed), len(result.passed)))
        if len(recent) < self.window:
            return
        passed, tried = map(sum, zip(*recent, strict=True))
        rate = passed / tried
        move = 1 if rate >= self.up else -1 if rate <= self.down else 0
        to = min(max(position + move, 0), len(self.tracks[track]) - 1)
        if to != position:
            self._positions[track] = to
            recent.clear()

    def _state(self) -> Any:
        return {"positions": self._positions, "recent": [list(map(list, recent)) for recent in self._recent]}

    def _restore(self, own: Any) -> None:
        positions = [int(at) for at in own["positions"]]
        recent = [[(int(passed), int(tried)) for passed, tried in one] for one in own["recent"]]
        if not len(positions) == len(recent) == len(self.tracks):
            raise ValueError("it has another number of tracks")
        self._positions = positions
        self._recent = [deque(one, maxlen=self.window) for one in recent]


class RlveWindow(Scheduler):
    """A window of settings below the hardest that was reached, as in RLVE.

    Tasks are of the top setting and the `width` - 1 below it, each as likely. Once `prompts` groups of the
    top one have been told, it is raised if their pass rate is at least `up`; the count begins anew either
    way. The window never goes down.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several.
        width: Settings in the window.
        up: The pass rate of the top setting from which on it is raised.
        prompts: Groups of the top setting that decide.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.
    """

    name = "rlve_window"

    def __init__(
        self,
        space: Space,
        *,
        width: int = 4,
        up: float = 0.9,
        prompts: int = 8,
        rollouts: int = 16,
        seed: int = 0,
    ) -> None:
        super().__init__(space, rollouts=rollouts, seed=seed)
        self.width = _checks.whole("width", width, 1)
        self.up = _checks.number("up", up, 0, 1)
        self.prompts = _checks.whole("prompts", prompts, 1)
        self._tops = [0] * len(self.tracks)
        self._counted = [[0, 0, 0] for _ in self.tracks]  # groups, rollouts that passed, rollouts

    @property
    def positions(self) -> dict[str, int]:
        """The top of each track's window, from 0."""
        return {track.name: at for track, at in zip(self.tracks, self._tops, strict=True)}

    def metrics(self) -> dict[str, float]:
        """Those of every scheduler, and `position/TRACK` for each track."""
        return super().metrics() | {f"position/{name}": float(at) for name, at in self.positions.items()}

    def _choose(self) -> Choice:
        number = int(self._rng.integers(len(self.tracks)))
        top = self._tops[number]
        window = self.tracks[number][max(0, top - self.width + 1) : top + 1]
        return Choice(self._new(self._any(window)), "new")

    def _learn(self, assignment: Assignment, result: Result) -> None:
        track, position = self._places[assignment.task.setting]
        if position != self._tops[track]:
            return
        counted = self._counted[track]
        for at, more in enumerate((1, sum(result.passed), len(result.passed))):
            counted[at] += more
        groups, passed, tried = counted
        if groups >= self.prompts:
            if passed / tried >= self.up:
                self._tops[track] = min(position + 1, len(self.tracks[track]) - 1)
            self._counted[track] = [0, 0, 0]

    def _state(self) -> Any:
        return {"tops": self._tops, "counted": self._counted}

    def _restore(self, own: Any) -> None:
        tops = [int(top) for top in own["tops"]]
        counted = [[int(groups), int(passed), int(tried)] for groups, passed, tried in own["counted"]]
        if not len(tops) == len(counted) == len(self.tracks):
            raise ValueError("it has another number of tracks")
        self._tops, self._counted = tops, counted


class Ladder(Threshold):
    """Less and less of the solution is shown as the pass rate rises: `Threshold` over hints.

    Each setting has rungs of its own.

    Args:
        space: What to choose from: tracks, settings, families by name, one or several; without hints.
        rungs: Shares of the solution's steps that the prompt shows, from the most to the least.
        up: The pass rate from which on the next rung, with less shown, is taken.
        down: The pass rate down to which the one before is taken.
        window: Groups that decide a move.
        review: Share of the assignments that are of rungs with more shown.
        rollouts: Rollouts per assignment.
        seed: Decides which tasks are new, and what the scheduler draws.
    """

    name = "ladder"

    def __init__(
        self,
        space: Space,
        *,
        rungs: Iterable[float] = (1.0, 0.75, 0.5, 0.25, 0.0),
        up: float = 0.7,
        down: float = 0.1,
        window: int = 4,
        review: float = 0.0,
        rollouts: int = 8,
        seed: int = 0,
    ) -> None:
        rungs = tuple(rungs)
        super().__init__(
            [hints(setting, rungs) for track in as_tracks(space) for setting in track],
            up=up,
            down=down,
            window=window,
            review=review,
            rollouts=rollouts,
            seed=seed,
        )
