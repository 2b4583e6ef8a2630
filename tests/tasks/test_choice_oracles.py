"""Choices of nodes and of sets, stated once more for CP-SAT: its best choice passes, and a worse one fails.

Needs the `oracle` extra; `make test-all` installs it. Where it is missing these tests fail.
"""

import json
import random
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import pytest
import reasonenv

pytestmark = pytest.mark.slow

TASKS = 1_000
"""Tasks of each family, over all its levels but the top two, at which CP-SAT takes long."""

Choice = frozenset[int]
Question = tuple[list[str], bool, Callable[[Any, Sequence[Any]], Any], Callable[[Choice], int | None]]
"""Names of what can be chosen, whether the most is wanted, rules that return the objective, and the worth of
a choice, none if it breaks a rule."""


def vertex_subset(problem: dict[str, Any]) -> Question:
    names, kind = problem["graph"]["names"], problem["kind"]
    nodes = range(len(names))
    edges = {(one, other) for one, other, _ in problem["graph"]["edges"]}
    apart = set(combinations(nodes, 2)) - edges
    near = [{node, *(a + b - node for a, b in edges if node in (a, b))} for node in nodes]
    most = kind not in ("vertex_cover", "dominating_set")

    def rules(model: Any, chosen: Sequence[Any]) -> Any:
        if kind == "max_cut":
            crossing = []
            for one, other in edges:
                crossing.append(model.new_bool_var(""))
                model.add(crossing[-1] <= chosen[one] + chosen[other])
                model.add(crossing[-1] <= 2 - chosen[one] - chosen[other])
            return sum(crossing)
        for one, other in {"independent_set": edges, "clique": apart}.get(kind, ()):
            model.add(chosen[one] + chosen[other] <= 1)
        for one, other in edges if kind == "vertex_cover" else ():
            model.add(chosen[one] + chosen[other] >= 1)
        for node in nodes if kind == "dominating_set" else ():
            model.add(sum(chosen[other] for other in near[node]) >= 1)
        return sum(chosen)

    def worth(choice: Choice) -> int | None:
        if kind == "max_cut":
            return sum((one in choice) != (other in choice) for one, other in edges)
        allowed = {
            "independent_set": not any(choice >= {*edge} for edge in edges),
            "clique": not any(choice >= {*pair} for pair in apart),
            "vertex_cover": all(choice & {*edge} for edge in edges),
            "dominating_set": all(choice & near[node] for node in nodes),
        }[kind]
        return len(choice) if allowed else None

    return names, most, rules, worth


def set_cover(problem: dict[str, Any]) -> Question:
    kind, count = problem["kind"], problem["count"]
    sets = [set(members) for members in problem["sets"]["each"]]
    elements = range(problem["sets"]["elements"])
    hitting = kind == "hitting_set"
    names = [str(element + 1) for element in elements] if hitting else problem["sets"]["names"]
    holding = [[at for at, members in enumerate(sets) if element in members] for element in elements]

    def rules(model: Any, chosen: Sequence[Any]) -> Any:
        if kind == "max_coverage":
            model.add(sum(chosen) == count)
            covered = []
            for holders in holding:
                covered.append(model.new_bool_var(""))
                model.add(covered[-1] <= sum(chosen[at] for at in holders))
            return sum(covered)
        for need in sets if hitting else holding:
            times = sum(chosen[thing] for thing in need)
            model.add(times == 1 if kind == "exact_cover" else times >= 1)
        return sum(chosen)

    def worth(choice: Choice) -> int | None:
        times = [sum(at in choice for at in holders) for holders in holding]
        allowed = {
            "cover": min(times) > 0,
            "exact_cover": set(times) == {1},
            "hitting_set": all(choice & members for members in sets),
            "max_coverage": len(choice) == count,
        }[kind]
        if not allowed:
            return None
        return sum(time > 0 for time in times) if kind == "max_coverage" else len(choice)

    return names, kind == "max_coverage", rules, worth


QUESTIONS: dict[str, Callable[[dict[str, Any]], Question]] = {
    "set_cover": set_cover,
    "vertex_subset": vertex_subset,
}


def solved(question: Question, worth: int | None = None) -> tuple[Choice, int] | None:
    """A best choice and its worth, or one of another worth."""
    from ortools.sat.python import cp_model  # noqa: PLC0415  an optional extra

    names, most, rules, _ = question
    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in names]
    objective = rules(model, chosen)
    model.add(sum(chosen) >= 1)
    if worth is not None:
        model.add(objective == worth)
    elif most:
        model.maximize(objective)
    else:
        model.minimize(objective)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return frozenset(at for at, var in enumerate(chosen) if solver.value(var)), int(solver.value(objective))


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_best_choices_are_those_of_cp_sat(name: str) -> None:
    family, rng, right, wrong = reasonenv.family(name), random.Random(11), 0, 0
    for at in range(TASKS):
        task = family.sample(seed=11, index=at, level=at % (family.top_level - 1))
        question = QUESTIONS[name](json.loads(task.problem))
        names, most, _, worth = question
        found = solved(question)
        assert found is not None
        choice, best = found
        assert worth(choice) == best

        def verdict(places: Sequence[int], task: Any = task, names: list[str] = names) -> bool:
            answer = ", ".join(names[place] for place in rng.sample(places, len(places)))
            return bool(task.verify(task.wrap(answer)).passed)

        assert verdict([*choice]), task.prompt
        right += 1
        worse = solved(question, best - 1 if most else best + 1)
        # A crossed edge or a covered element need not be counted.
        if worse is not None and worth(worse[0]) != best:
            assert not verdict([*worse[0]]), task.prompt
            wrong += 1
        near = [text.split(", ") for text in task.wrong_answers(seed=at)]
        # Others are not lists of names.
        for words in (words for words in near if {*words} <= {*names}):
            places = [names.index(word) for word in words]
            repeated = len({*places}) < len(places)
            assert repeated or worth(frozenset(places)) != best, (task.prompt, words)
            assert not verdict(places), (task.prompt, words)
            wrong += 1
        anything = rng.sample(range(len(names)), rng.randint(1, len(choice) + 1))
        assert verdict(anything) == (worth(frozenset(anything)) == best), (task.prompt, anything)
    assert min(right, wrong) >= TASKS
