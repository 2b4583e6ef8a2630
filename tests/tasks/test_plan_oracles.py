"""Puzzles of moves, solved once more: presses by CP-SAT, blocks that move twice and the states of a lock by
networkx, the rest by a search from both ends. Answers are played here by other code.

Needs the `oracle` extra; `make test-all` installs it. Where it is missing these tests fail.
"""

import json
from collections.abc import Callable, Hashable, Iterable
from itertools import combinations
from typing import Any

import pytest
import reasonenv

pytestmark = pytest.mark.slow

COUNT = 1_000
"""Tasks of each family, over all its levels."""

Problem = dict[str, Any]
Moves = Callable[[Any], Iterable[tuple[str, Any]]]


def between(start: Hashable, goal: Hashable, moves: Moves) -> int:
    """Fewest moves between two states whose moves can be undone, by breadth-first search from both ends."""
    seen = [{start}, {goal}]
    rims = [{start}, {goal}]
    made = 0
    while not rims[0] & rims[1]:
        side = len(rims[0]) > len(rims[1])
        rims[side] = {state for rim in rims[side] for _, state in moves(rim)} - seen[side]
        seen[side] |= rims[side]
        made += 1
        assert rims[side]
    return made


def lamps(problem: Problem) -> tuple[frozenset[tuple[int, int]], Hashable, Moves]:
    side = problem["side"]
    squares = [divmod(at, side) for at in range(side * side) if problem["lamps"] >> at & 1]
    on = frozenset((row, column) for row, column in squares if problem["on"] >> (row * side + column) & 1)

    def moves(on: frozenset[tuple[int, int]]) -> Iterable[tuple[str, Any]]:
        for row, column in squares:
            near = [(row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
            yield f"r{row + 1}c{column + 1}", on ^ frozenset(square for square in near if square in squares)

    return on, frozenset(), moves


def fewest_presses(problem: Problem) -> int:
    from ortools.sat.python import cp_model  # noqa: PLC0415  an optional extra

    on, _, moves = lamps(problem)
    model = cp_model.CpModel()
    presses = {name: (model.new_bool_var(name), changed) for name, changed in moves(frozenset())}
    for lamp in {lamp for _, changed in presses.values() for lamp in changed}:
        pairs = model.new_int_var(0, 5, "")
        changes = sum(press for press, changed in presses.values() if lamp in changed)
        model.add(changes == 2 * pairs + (lamp in on))
    model.minimize(sum(press for press, _ in presses.values()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    fewest: int = round(solver.objective_value)
    return fewest


def tiles(problem: Problem) -> tuple[Hashable, Hashable, Moves]:
    side, walls = problem["side"], problem["walls"]
    start, goal = (
        tuple(-1 if at in walls else tile for at, tile in enumerate(problem[end]))
        for end in ("start", "goal")
    )
    near = {
        at: [
            row * side + column
            for row, column in [
                (at // side - 1, at % side),
                (at // side + 1, at % side),
                (at // side, at % side - 1),
                (at // side, at % side + 1),
            ]
            if 0 <= row < side and 0 <= column < side
        ]
        for at in range(side * side)
    }

    def moves(state: tuple[int, ...]) -> Iterable[tuple[str, Any]]:
        space = state.index(0)
        for other in near[space]:
            if state[other] > 0:
                after = list(state)
                after[space], after[other] = after[other], 0
                yield str(state[other]), tuple(after)

    return start, goal, moves


def blocks(problem: Problem) -> tuple[Hashable, Hashable, Moves]:
    names = "ABCDEFGHIJKL"

    def stacks(under: list[int]) -> frozenset[str]:
        above = {below: block for block, below in enumerate(under) if below != block}
        found = []
        for block in (block for block, below in enumerate(under) if below == block):
            stack = [block]
            while stack[-1] in above:
                stack.append(above[stack[-1]])
            found.append("".join(names[block] for block in stack))
        return frozenset(found)

    def moves(state: frozenset[str]) -> Iterable[tuple[str, Any]]:
        for stack in state:
            rest = state - {stack} | ({stack[:-1]} - {""})
            if len(stack) > 1:
                yield f"{stack[-1]} to table", rest | {stack[-1]}
            for other in state - {stack}:
                yield f"{stack[-1]} to {other[-1]}", rest - {other} | {other + stack[-1]}

    return stacks(problem["start"]), stacks(problem["goal"]), moves


def fewest_lifts(problem: Problem) -> int:
    """Blocks not in their place, and the fewest among them that have to wait on the table for another."""
    import networkx as nx  # noqa: PLC0415  an optional extra

    start, goal = problem["start"], problem["goal"]
    above = {below: block for block, below in enumerate(start) if below != block}

    def placed(block: int) -> bool:
        return start[block] == goal[block] and (start[block] == block or placed(start[block]))

    wrong = [block for block in range(len(start)) if not placed(block)]
    for count in range(len(wrong) + 1):
        for waiting in combinations(wrong, count):
            order = nx.DiGraph()
            for block in wrong:
                last = (block, block in waiting)
                if block in waiting:
                    order.add_edge((block, False), last)
                if block in above:
                    order.add_edge((above[block], False), (block, False))
                if goal[block] != block:
                    if goal[block] in wrong:
                        order.add_edge((goal[block], goal[block] in waiting), last)
                    if above.get(goal[block], block) != block:
                        order.add_edge((above[goal[block]], False), last)
            if nx.is_directed_acyclic_graph(order):
                return len(wrong) + count
    raise AssertionError("every block may wait")


FACES = {"U": (1, 1), "L": (0, -1), "F": (2, 1), "R": (0, 1), "B": (2, -1), "D": (1, -1)}
"""For each face, the axis that it is on (x to the right, y up, z to the front) and the side."""

NET = ["  UU", "  UU", "LLFFRRBB", "LLFFRRBB", "  DD", "  DD"]


def cube(problem: Problem) -> tuple[Hashable, Hashable, Moves]:
    """Stickers as points in space: 2 along the axis of their face, 1 along the others."""
    away = {"U": "LRBF", "L": "BFUD", "F": "LRUD", "R": "FBUD", "B": "RLUD", "D": "LRFB"}
    points = []
    seen = dict.fromkeys(FACES, 0)
    for face in (face for row in NET for face in row.strip()):
        column, row = seen[face] % 2, seen[face] // 2
        seen[face] += 1
        left, right, top, bottom = list(away[face])
        point = [0, 0, 0]
        for side, size in ((face, 2), ([left, right][column], 1), ([top, bottom][row], 1)):
            axis, sign = FACES[side]
            point[axis] = sign * size
        points.append(tuple(point))

    def clockwise(face: str) -> list[int]:
        """For each sticker, the index of the one that comes there."""
        axis = FACES[face][0]
        one, other = (axis + 1) % 3, (axis + 2) % 3
        source = list(range(24))
        for at, point in enumerate(points):
            if point[axis] > 0:
                image = list(point)
                image[one], image[other] = point[other], -point[one]
                source[points.index(tuple(image))] = at
        return source

    turns: dict[str, list[int]] = {}
    for face in "URF":
        once = clockwise(face)
        twice = [once[at] for at in once]
        turns |= {face: once, face + "2": twice, face + "'": [once[at] for at in twice]}

    def moves(state: tuple[int, ...]) -> Iterable[tuple[str, Any]]:
        for name, source in turns.items():
            yield name, tuple([state[at] for at in source])

    return tuple(problem["start"]), tuple(problem["goal"]), moves


def lock(problem: Problem) -> tuple[Hashable, Hashable, Moves]:
    """The goal is a number, whatever the lamp."""

    def moves(state: tuple[int, int]) -> Iterable[tuple[str, Any]]:
        for letter, effects in zip("ABCDEF", problem["buttons"], strict=False):
            effect = effects[state[1]]
            number = state[0] * effect["times"] + effect["plus"]
            if 0 <= number <= problem["largest"]:
                yield letter, (number, effect["color"])

    return (problem["number"], problem["color"]), problem["target"], moves


def fewest_buttons(start: Any, goal: Any, moves: Moves) -> int:
    import networkx as nx  # noqa: PLC0415  an optional extra

    graph, rim = nx.DiGraph(), [start]
    while rim:
        state = rim.pop()
        graph.add_node(state, tried=True)
        for _, after in moves(state):
            if not graph.nodes.get(after, {}).get("tried"):
                rim.append(after)
            graph.add_edge(state, after)
    away = nx.single_source_shortest_path_length(graph, start)
    return min(int(moves) for (number, _), moves in away.items() if number == goal)


PUZZLES = {
    "lights_out": lamps,
    "sliding_tiles": tiles,
    "blocksworld": blocks,
    "pocket_cube": cube,
    "button_lock": lock,
}


def fewest(name: str, problem: Problem) -> int:
    start, goal, moves = PUZZLES[name](problem)
    if name == "lights_out":
        return fewest_presses(problem)
    if name == "button_lock":
        return fewest_buttons(start, goal, moves)
    if name == "blocksworld":
        lifts = fewest_lifts(problem)
        assert lifts > 5 or lifts == between(start, goal, moves)
        return lifts
    return between(start, goal, moves)


@pytest.mark.parametrize("name", PUZZLES)
def test_fewest_moves_are_ours(name: str) -> None:
    family = reasonenv.family(name)
    right = wrong = 0
    for at in range(COUNT):
        task = family.sample(seed=12, index=at, level=at % (family.top_level + 1))
        problem = json.loads(task.problem)
        start, goal, moves = PUZZLES[name](problem)
        best = fewest(name, problem)
        for answer in [task.solution.answer, *task.wrong_answers(seed=at), *task.shortcuts(seed=at).values()]:
            names, state = answer.split(", "), start
            for move in names:
                state = dict(moves(state)).get(move) if state is not None else None
            if name == "button_lock" and isinstance(state, tuple):
                state = state[0]
            passes = state == goal and len(names) == best
            verdict = task.verify(task.wrap(answer))
            assert verdict.passed == passes, (task.id, answer, verdict.detail)
            right, wrong = right + passes, wrong + (not passes)
    assert min(right, wrong) >= COUNT
