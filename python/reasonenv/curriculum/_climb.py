"""Schedulers that climb tracks: up when the policy passes, down again when it fails."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field

from reasonenv import _checks
from reasonenv.curriculum._scheduler import Assignment, Choice, Scheduler, option
from reasonenv.curriculum._tracks import RUNGS, Space, Track, as_tracks, hints
from reasonenv.parts import Result

Group = tuple[int, int]
"""Number of rollouts of a group that passed, and of all."""


@dataclass(eq=False, kw_only=True)
class _Climb(Scheduler):
    """Base of schedulers with a position on each track, which results of the setting there move.

    After a move the count starts over: results of other settings, including those still pending, do not
    count.
    """

    _positions: dict[str, int] = field(init=False, repr=False)
    _recent: dict[str, list[Group]] = field(init=False, repr=False)
    """Groups of each track that count towards its next move."""

    def __post_init__(self, space: Space) -> None:
        super().__post_init__(space)
        self._positions = {track.name: 0 for track in self.tracks}
        self._recent = {track.name: [] for track in self.tracks}

    @property
    def positions(self) -> dict[str, int]:
        """Position on each track, counted from 0."""
        return dict(self._positions)

    def metrics(self) -> dict[str, float]:
        """The common metrics, and `position/TRACK` for each track."""
        return super().metrics() | {f"position/{name}": float(at) for name, at in self._positions.items()}

    def _learn(self, assignment: Assignment, result: Result) -> None:
        track, position = self._places[assignment.task.setting]
        if position != self._positions[track.name]:
            return
        recent = self._recent[track.name]
        recent.append((sum(result.passed), len(result.passed)))
        to = min(max(position + self._step(recent), 0), len(track) - 1)
        if to != position:
            self._positions[track.name] = to
            recent.clear()

    @abstractmethod
    def _step(self, recent: list[Group]) -> int:
        """Return 1 to go up, -1 to go down or 0 to stay, and drop the groups that no longer count."""


def pass_rate(groups: list[Group]) -> float:
    """Pass rate over all rollouts of the groups."""
    return sum(passed for passed, _ in groups) / sum(tried for _, tried in groups)


@dataclass(eq=False, kw_only=True)
class Threshold(_Climb):
    """Thresholds on the pass rate: at least `up` moves to a harder setting, at most `down` to an easier one.

    The pass rate is that of the last `window` groups of the current setting.

    Args:
        up: Lowest pass rate that moves to the next setting.
        down: Highest pass rate that moves back to the previous one; 0 goes back only if nothing passes.
        window: Groups that decide a move.
        review: Share of the assignments that review a random easier setting of the track.
    """

    name = "threshold"
    up: float = option(0.7, 0, 1)
    down: float = option(0.1, 0, "up")
    window: int = option(4, 1, 1000)
    review: float = option(0.0, 0, 1)

    def _choose(self) -> Choice:
        track = self._any(self.tracks)
        at = self._positions[track.name]
        if at and self._rng.random() < self.review:
            return Choice(self._new(self._any(track[:at])), "review")
        return Choice(self._new(track[at]), "new")

    def _step(self, recent: list[Group]) -> int:
        del recent[: -self.window]
        if len(recent) < self.window:
            return 0
        rate = pass_rate(recent)
        return 1 if rate >= self.up else -1 if rate <= self.down else 0


@dataclass(eq=False, kw_only=True)
class RlveWindow(_Climb):
    """A window of settings up to the hardest one reached, as in RLVE.

    Tasks come from the top setting and the `width` - 1 below it, all equally likely. After `prompts` results
    of the top setting, the window moves up if their pass rate is at least `up`; the count starts over either
    way. The window never moves down.

    Synthetic students learn no faster from it than from `Uniform`: most rollouts go to settings that nearly
    always pass. If a setting cannot reach `up`, as with a noisy verifier, the window stays there forever.

    Args:
        width: Settings in the window.
        up: Lowest pass rate of the top setting that moves the window up.
        prompts: Groups of the top setting that decide.
    """

    name = "rlve_window"
    rollouts: int = option(16, 1, 10_000)
    width: int = option(4, 1)
    up: float = option(0.9, 0, 1)
    prompts: int = option(8, 1)

    def _choose(self) -> Choice:
        track = self._any(self.tracks)
        top = self._positions[track.name]
        return Choice(self._new(self._any(track[max(0, top - self.width + 1) : top + 1])), "new")

    def _step(self, recent: list[Group]) -> int:
        if len(recent) < self.prompts:
            return 0
        rate = pass_rate(recent)
        recent.clear()
        return int(rate >= self.up)


@dataclass(eq=False, kw_only=True)
class Ladder(Threshold):
    """`Threshold` over hints: show less and less of the solution as the pass rate rises.

    Each setting of the space gets its own rungs; the settings must have no hints.

    Use it for settings that rarely pass without a hint: a synthetic student masters a level 4 above its
    ability in a third of the steps that `Uniform` takes. Settings that would pass anyway must climb all rungs
    too, so it loses to `Uniform` on tracks that begin with easy ones.

    Args:
        rungs: Shares of the solution's steps that the prompt shows, from most to least.
        up: Lowest pass rate that moves to the next rung, which shows less.
        down: Highest pass rate that moves back to the previous one.
        window: Groups that decide a move.
        review: Share of the assignments that review a random rung with more shown.
    """

    name = "ladder"
    rungs: Iterable[float] = RUNGS

    def _as_tracks(self, space: Space) -> tuple[Track, ...]:
        self.rungs = tuple(_checks.listed("rungs", self.rungs))
        settings = (setting for track in as_tracks(space) for setting in track)
        return as_tracks(hints(setting, self.rungs) for setting in settings)
