"""The beginning of an episode after part of a certified solution."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from reasonenv import _checks
from reasonenv._native import InvalidAction, Play, Task, Unsupported


def first_moves(task: Task, share: object) -> list[int]:
    """The moves of the first `share` of a task's solution, without the one that ends the play.

    Raises:
        InvalidArgument: `share` is not between 0 and 1.
        Unsupported: The moves don't follow from the solution.
    """
    moves = _solution_moves(task)
    return moves[: min(_checks.count_of('options["start"]', share, len(moves)), len(moves) - 1)]


def next_move(task: Task, play: Play, made: Sequence[int]) -> int | None:
    """The next move of a shortest solution; None if unknown.

    Where the rules can't tell it, that of the task's own solution, as long as that is followed.

    Args:
        task: The task in play.
        play: Its play now.
        made: Moves made so far.
    """
    action = play.next_move
    if action is not None:
        return action
    with suppress(Unsupported):
        moves = _solution_moves(task)
        if moves[: len(made)] == list(made) and len(made) < len(moves):
            return moves[len(made)]
    return None


def _solution_moves(task: Task) -> list[int]:
    """Moves that end in an answer that passes, read from the solution."""
    for names in _spellings(task):
        play, moves = task.moves(), []
        for name in names:
            with suppress(InvalidAction):  # a step may give a reason that is no move
                action = play.read_action(name)
                if action in play.legal_actions():
                    play.apply(action)
                    moves.append(action)
        answer = play.answer()
        if answer is not None and task.verify(task.wrap(answer)).passed:
            return moves
    msg = f"{task.family} has solutions that are not made of moves; leave out `start`"
    raise Unsupported(msg)


def _spellings(task: Task) -> Iterator[list[str]]:
    """Names that may be moves: heads of the steps, parts of the answer, numbers in the heads."""
    heads = [step.partition(": ")[0] for step in task.solution.steps]
    yield heads
    parts = re.split(r", | -> |\n", task.solution.answer)
    yield [*(part.rpartition(": ")[2] for part in parts), "stop"]
    found = (re.findall(r"\d+", head) for head in heads)
    free = [": a given" not in step for step in task.solution.steps]
    yield [numbers[-1] for numbers, moved in zip(found, free, strict=True) if numbers and moved]
