"""Schedulers that climb tracks: up where the policy passes, down again where it does not."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field

from reasonenv.curriculum._scheduler import Assignment, Choice, Scheduler, option
from reasonenv.curriculum._tracks import RUNGS, Space, Track, as_tracks, hints
from reasonenv.parts import Result

_Group = tuple[int, int]
"""The rollouts of a group that passed, and all of them."""


@dataclass(eq=False, kw_only=True)
class _Climb(Scheduler):
    """Each track has a position, which results of the setting there move.

    After a move the count begins anew: results of other settings, such as those still under way then, do not
    count.
    """

    _positions: dict[str, int] = field(init=False, repr=False)
    _recent: dict[str, list[_Group]] = field(init=False, repr=False)
    """The groups of each track that count towards its next move."""

    def __post_init__(self, space: Space) -> None:
        super().__post_init__(space)
        self._positions = {track.name: 0 for track in self.tracks}
        self._recent = {track.name: [] for track in self.tracks}

    @property
    def positions(self) -> dict[str, int]:
        """How far each track has been climbed, from 0."""
        return dict(self._positions)

    def metrics(self) -> dict[str, float]:
        """The metrics of every scheduler, and `position/TRACK` for each track."""
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
    def _step(self, recent: list[_Group]) -> int:
        """1 to go up, -1 to go down, 0 to stay. Drops the groups that no longer count."""


def _pass_rate(groups: list[_Group]) -> float:
    return sum(passed for passed, _ in groups) / sum(tried for _, tried in groups)


@dataclass(eq=False, kw_only=True)
class Threshold(_Climb):
    """Raises a track's setting above one pass rate, and lowers it below another.

    The rate is that of the last `window` groups of the present setting. Between the two thresholds nothing
    moves.

    Args:
        up: The pass rate from which on the next setting is taken.
        down: The pass rate down to which the one before is taken; 0 never goes back unless nothing passes.
        window: Groups that decide a move.
        review: Share of the assignments that are of easier settings of the track, each as likely.
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

    def _step(self, recent: list[_Group]) -> int:
        del recent[: -self.window]
        if len(recent) < self.window:
            return 0
        rate = _pass_rate(recent)
        return 1 if rate >= self.up else -1 if rate <= self.down else 0


@dataclass(eq=False, kw_only=True)
class RlveWindow(_Climb):
    """A window of settings below the hardest that was reached, as in RLVE.

    Tasks are of the top setting and the `width` - 1 below it, each as likely. Once `prompts` groups of the
    top one have been told, it is raised if their pass rate is at least `up`; the count begins anew either
    way. The window never goes down.

    Synthetic students learn no sooner from it than from `Uniform`: most rollouts are of settings that nearly
    always pass. Where a setting cannot pass at `up`, as under a noisy verifier, the window stays for ever.

    Args:
        width: Settings in the window.
        up: The pass rate of the top setting from which on it is raised.
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

    def _step(self, recent: list[_Group]) -> int:
        if len(recent) < self.prompts:
            return 0
        rate = _pass_rate(recent)
        recent.clear()
        return int(rate >= self.up)


@dataclass(eq=False, kw_only=True)
class Ladder(Threshold):
    """Less and less of the solution is shown as the pass rate rises: `Threshold` over hints.

    Each setting of the space, which must have no hints, has rungs of its own.

    It is for settings that seldom pass without a hint: of one level that lies 4 above the ability of a
    synthetic student, all is learnt in a third of the steps that `Uniform` takes. Settings that would pass
    anyway climb all rungs too, so it loses to `Uniform` on tracks that begin with easy ones.

    Args:
        rungs: Shares of the solution's steps that the prompt shows, from the most to the least.
        up: The pass rate from which on the next rung, with less shown, is taken.
        down: The pass rate down to which the one before is taken.
        window: Groups that decide a move.
        review: Share of the assignments that are of rungs with more shown.
    """

    name = "ladder"
    rungs: Iterable[float] = RUNGS

    def _as_tracks(self, space: Space) -> tuple[Track, ...]:
        self.rungs = tuple(self.rungs)
        settings = (setting for track in as_tracks(space) for setting in track)
        return as_tracks(hints(setting, self.rungs) for setting in settings)
