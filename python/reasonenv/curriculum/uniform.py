"""Every setting as often as the others: what the other schedulers are measured against."""

from reasonenv.curriculum.scheduler import Choice, Scheduler

__all__ = ["Uniform"]


class Uniform(Scheduler):
    """New tasks; each track is as likely as the others, and so is each of its settings."""

    name = "uniform"

    def _choose(self) -> Choice:
        track = self.tracks[int(self._rng.integers(len(self.tracks)))]
        return Choice(self._new(self._any(track.settings)), "new")
