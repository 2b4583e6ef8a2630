"""A scheduler that starts near the end of a solution and moves the start back."""

from dataclasses import dataclass, field

from reasonenv.curriculum._climb import Group, pass_rate
from reasonenv.curriculum._scheduler import Assignment, Choice, Scheduler, option
from reasonenv.parts import Result


@dataclass(eq=False, kw_only=True)
class Reverse(Scheduler):
    """Reverse curriculum: start `k` steps before the end of a certified solution, and move the start back.

    The hint of a task is all of its solution but the last `k` steps: `task()` shows them in the prompt,
    `environment("moves")` and `environment("step")` begin after them. Each setting has its own `k`, which
    grows with a pass rate of at least `up` and shrinks with one of at most `down`. It never exceeds the
    longest solution seen, with which tasks are posed whole. Results of an earlier `k` don't count. The space
    must consist of families, without hints.

    Args:
        first: Steps left at first.
        growth: Factor by which the steps left grow or shrink; they change by one step at least.
        up: Lowest pass rate that moves the start back.
        down: Highest pass rate that moves it forward again; 0 does so only if nothing passes.
        window: Groups that decide a move.
    """

    name = "reverse"
    first: int = option(1, 1, 1000)
    growth: float = option(1.5, 1, 100)
    up: float = option(0.7, 0, 1)
    down: float = option(0.1, 0, "up")
    window: int = option(4, 1, 1000)
    _left: dict[str, int] = field(init=False, repr=False, default_factory=dict)
    """Steps left in each setting, by its key."""
    _longest: dict[str, int] = field(init=False, repr=False, default_factory=dict)
    """Steps of the longest solution seen in each setting."""
    _recent: dict[str, list[Group]] = field(init=False, repr=False, default_factory=dict)
    """Groups of each setting that count towards its next move."""

    @property
    def left(self) -> dict[str, int]:
        """Steps left to the policy in each setting, by its key."""
        return {setting.key: self._left.get(setting.key, self.first) for setting in self.settings}

    def metrics(self) -> dict[str, float]:
        """The common metrics, and `left/TRACK`, the mean number of steps left in the track's settings."""
        left = self.left
        return super().metrics() | {
            f"left/{track.name}": sum(left[one.key] for one in track) / len(track) for track in self.tracks
        }

    def _choose(self) -> Choice:
        task = self._new_anywhere()
        left = self._left.get(task.setting.key, self.first)
        steps = len(task.task().solution.steps)
        shown = max(0, steps - left)
        return Choice(task.with_hint(shown / steps) if shown else task, f"left:{left}/{steps}")

    def _learn(self, assignment: Assignment, result: Result) -> None:
        key = assignment.task.with_hint(0).setting.key
        left = self._left.get(key, self.first)
        posed, steps = map(int, assignment.source.removeprefix("left:").split("/"))
        self._longest[key] = max(steps, self._longest.get(key, 1))
        if posed != left:
            return
        recent = self._recent.setdefault(key, [])
        recent.append((sum(result.passed), len(result.passed)))
        del recent[: -self.window]
        if len(recent) < self.window:
            return
        rate = pass_rate(recent)
        moved = left
        if rate >= self.up:
            moved = max(left + 1, round(left * self.growth))
        elif rate <= self.down:
            moved = min(left - 1, round(left / self.growth))
        moved = max(1, min(moved, self._longest[key]))
        if moved != left:
            self._left[key] = moved
            recent.clear()
