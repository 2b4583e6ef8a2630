"""Sound families whose verifiers and prompts are then spoiled, as one's own first draft may be."""

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import reasonenv
from reasonenv import kit
from reasonenv.kit import forms


@dataclass(frozen=True)
class BoardParams:
    size: int = kit.param(5, "Squares on a side of the board.", low=4, high=9)
    steps: int = kit.param(3, "Moves of the walk that leads to the goal.", low=2, high=30)


@dataclass(frozen=True)
class BoardProblem:
    size: int
    start: list[int]
    goal: list[int]
    way: list[list[int]]


class KnightRoute(kit.TaskFamily[BoardParams, BoardProblem, list[str]]):
    """A shortest way of a knight between two squares."""

    about = kit.About(
        name="own_knight_route",
        domain="puzzles",
        summary="Lead a knight to a square in as few moves as possible.",
        judged_by="optimum",
        guess_rate=0.05,
        failures={"illegal_move": "a move is no knight's move", "too_long": "there is a shorter way"},
    )
    params, problem = BoardParams, BoardProblem
    levels: Sequence[BoardParams] = (BoardParams(6, 4), BoardParams(7, 20))

    def generate(self, params: BoardParams, rng: kit.Rng) -> BoardProblem:
        while True:
            start, goal = ([rng.below(params.size), rng.below(params.size)] for _ in range(2))
            if len(way := shortest(params.size, start, goal)) > 3:
                return BoardProblem(params.size, start, goal, way)

    def check(self, problem: BoardProblem) -> None:
        if not 4 <= problem.size <= 9:
            raise ValueError(f"`size` is {problem.size}, but must be between 4 and 9")
        for square in (problem.start, problem.goal):
            if len(square) != 2 or not all(0 <= at < problem.size for at in square):
                raise ValueError("`start` and `goal` must be squares of the board")
        if problem.start == problem.goal:
            raise ValueError("`goal` is `start`")
        if problem.way != shortest(problem.size, problem.start, problem.goal):
            raise ValueError("`way` is not the first shortest way")

    def prompt(self, problem: BoardProblem) -> str:
        return (
            f"On a board of {problem.size} by {problem.size} squares, a1 to {name([problem.size - 1] * 2)}, "
            f"a knight stands on {name(problem.start)}. Lead it to {name(problem.goal)} in as few moves as "
            "possible."
        )

    def form(self, problem: BoardProblem) -> kit.ReadyForm:
        squares = [[column, row] for row in range(problem.size) for column in range(problem.size)]
        return forms.route([name(square) for square in squares], name(problem.start), name(problem.goal))

    def solution(self, problem: BoardProblem) -> kit.WorkedSolution[list[str]]:
        names = [name(square) for square in problem.way]
        return kit.WorkedSolution(names, [f"{one} to {other}" for one, other in itertools.pairwise(names)])

    def verify(self, problem: BoardProblem, answer: list[str]) -> reasonenv.Verdict | bool | float:
        if (wrong := self.misstep(problem, answer)) is not None:
            return reasonenv.Verdict(False, failures=["illegal_move"], detail=wrong)
        if len(answer) > len(problem.way):
            return reasonenv.Verdict(False, failures=["too_long"], detail="there is a shorter way")
        return True

    def misstep(self, problem: BoardProblem, answer: list[str]) -> str | None:
        squares = [read(square) for square in answer]
        if squares[0] != problem.start or squares[-1] != problem.goal:
            return "the way must lead from the start to the goal"
        for one, other in itertools.pairwise(squares):
            if other not in moves(problem.size, one):
                return f"{name(one)} to {name(other)} is no knight's move"
        return None

    def near_misses(self, problem: BoardProblem, faults: kit.Faults, rng: kit.Rng) -> list[list[str]]:
        names = [name(square) for square in problem.way]
        return [[*names[:1], *names], names[:-1], [names[0], names[-1]], [*names, names[-2], names[-1]]]

    def another(self, problem: BoardProblem, rng: kit.Rng) -> list[str]:
        there = distances(problem.size, problem.goal)
        way = [problem.start]
        while way[-1] != problem.goal:
            nearer = [to for to in moves(problem.size, way[-1]) if there[tuple(to)] < there[tuple(way[-1])]]
            way.append(rng.pick(nearer))
        return [name(square) for square in way]

    def key(self, problem: BoardProblem) -> Any:
        return [problem.size, problem.start, problem.goal]

    def effort(self, problem: BoardProblem) -> kit.Effort:
        return kit.Effort(problem.size**2 * len(problem.way), half=200)


class KnightByReference(KnightRoute):
    """The same with a reference in place of `another`."""

    def another(self, problem: BoardProblem, rng: kit.Rng) -> Any:
        return None

    def reference(self, problem: BoardProblem, answer: list[str]) -> bool:
        there = distances(problem.size, problem.goal)
        left = [there[tuple(read(square))] for square in answer]
        hops = zip(map(read, answer), map(read, answer[1:]), strict=False)
        legal = all(sorted((abs(a - c), abs(b - d))) == [1, 2] for (a, b), (c, d) in hops)
        return read(answer[0]) == problem.start and legal and left == [*range(left[0], -1, -1)]


def name(square: Sequence[int]) -> str:
    return f"{'abcdefghi'[square[0]]}{square[1] + 1}"


def read(name: str) -> list[int]:
    return ["abcdefghi".index(name[0]), int(name[1:]) - 1]


HOPS = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]


def moves(size: int, square: Sequence[int]) -> list[list[int]]:
    reached = [[square[0] + across, square[1] + up] for across, up in HOPS]
    return [to for to in reached if 0 <= to[0] < size and 0 <= to[1] < size]


def distances(size: int, goal: Sequence[int]) -> dict[tuple[int, ...], int]:
    return _distances(size, (goal[0], goal[1]))


@functools.cache
def _distances(size: int, goal: tuple[int, int]) -> dict[tuple[int, ...], int]:
    found: dict[tuple[int, ...], int] = {goal: 0}
    edge = [list(goal)]
    for square in edge:
        for to in moves(size, square):
            if tuple(to) not in found:
                found[tuple(to)] = found[tuple(square)] + 1
                edge.append(to)
    return found


def shortest(size: int, start: Sequence[int], goal: Sequence[int]) -> list[list[int]]:
    there, way = distances(size, goal), [list(start)]
    if tuple(start) not in there:
        return []
    while way[-1] != list(goal):
        way.append(min(moves(size, way[-1]), key=lambda to: (there[tuple(to)], to)))
    return way
