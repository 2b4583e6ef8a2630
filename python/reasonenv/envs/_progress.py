"""Progress in a problem played move by move: the potential behind `reward="progress"`."""

from typing import NamedTuple, Self

from reasonenv._native import Play, Source, Task, Unsupported


class PlayProgress(NamedTuple):
    """Progress of one play: a function of its position, so that a way there and back earns nothing."""

    total: int
    """Moves of a shortest solution from the first position."""
    left: int | None
    """Moves of a shortest solution from here; None where it can no longer be solved."""

    @classmethod
    def of(cls, task: Task, play: Play) -> Self:
        """Progress of a play of a task."""
        return cls(_moves_left(task.moves()) or 1, _moves_left(play))

    @property
    def share(self) -> float:
        """Share of the moves that are no longer needed; 0 where the problem can no longer be solved."""
        return 0.0 if self.left is None else max(0.0, 1 - self.left / self.total)

    def at(self, play: Play) -> Self:
        """Progress at another position of the same play."""
        return self._replace(left=_moves_left(play))

    def after(self, play: Play, action: int) -> Self:
        """Progress once an action is played; an illegal one changes nothing."""
        if action not in play.legal_actions():
            return self
        ahead = play.clone()
        ahead.apply(action)
        return self.at(ahead)


def check_progress(source: Source) -> None:
    """Raise Unsupported unless the rules of a source's problems tell how far the solution is."""
    if source.task(0).moves().next_move is None:
        msg = f"the rules of {source.family.name} can't measure progress; use reward='partial'"
        raise Unsupported(msg)


def _moves_left(play: Play) -> int | None:
    ahead, left = play.clone(), 0
    while not ahead.is_over:
        action = ahead.next_move
        if action is None:
            return None
        ahead.apply(action)
        left += 1
    # A play whose moves run out ends without a solution.
    return left if ahead.returns == [1.0] else None
