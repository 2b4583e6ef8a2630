"""A Python-defined family and game, as in another package. Importing this module registers nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import reasonenv
from numpy.typing import ArrayLike
from reasonenv import kit
from reasonenv.kit import forms


@dataclass(frozen=True)
class AdderParams:
    terms: int = kit.param(3, "Numbers that are added.", low=2, high=9)
    largest: int = kit.param(99, "The largest number.", low=9, high=9999)
    signed: bool = kit.param(False, "Whether numbers may be negative.", role="structure")


@dataclass(frozen=True)
class AdderProblem:
    terms: list[int]


def ask(problem: AdderProblem) -> str:
    return f"What is the sum of {', '.join(map(str, problem.terms))}?"


def tell(problem: AdderProblem, rng: kit.Rng) -> str:
    return f"{rng.pick(['Ada', 'Ben'])} adds up {' and '.join(map(str, problem.terms))}. What comes out?"


class Adder(kit.TaskFamily[AdderParams, AdderProblem, int]):
    about = kit.About(
        name="own_adder",
        domain="arithmetic",
        summary="Add up a few numbers.",
        judged_by="normalized",
        guess_rate=0.02,
        guess_score=0.9,
        failures={"wrong_sign": "the answer has the wrong sign"},
        parts={"near": "how near the answer is"},
    )
    params, problem = AdderParams, AdderProblem
    levels: Sequence[AdderParams] = (AdderParams(), AdderParams(5, 999), AdderParams(8, 9999, True))
    templates: Sequence[kit.Template] = (kit.Template("ask", ask), kit.Template("tell", tell, held_out=True))

    def check_params(self, params: AdderParams) -> None:
        if params.terms == 9 and not params.signed:
            raise ValueError("`terms` is 9, but must be at most 8 unless `signed`")

    def generate(self, params: AdderParams, rng: kit.Rng) -> AdderProblem:
        low = -params.largest if params.signed else 1
        return AdderProblem([rng.int(low, params.largest) for _ in range(params.terms)])

    def check(self, problem: AdderProblem) -> None:
        if not 2 <= len(problem.terms) <= 9:
            raise ValueError(f"`terms` holds {len(problem.terms)} numbers, but must hold 2 to 9")
        if not all(abs(term) <= 9999 for term in problem.terms):
            raise ValueError("`terms` must be between -9999 and 9999")

    def form(self, problem: AdderProblem) -> kit.ReadyForm:
        return forms.integer()

    def solution(self, problem: AdderProblem) -> kit.WorkedSolution[int]:
        total, steps = problem.terms[0], []
        for term in problem.terms[1:]:
            steps.append(f"{total} + {term} = {total + term}")
            total += term
        return kit.WorkedSolution(total, steps)

    def verify(self, problem: AdderProblem, answer: int) -> reasonenv.Verdict | bool | float:
        right = sum(problem.terms)
        if answer == right:
            return True
        near = 1 - min(1, abs(answer - right) / (1 + abs(right)))
        labels = ["wrong_answer", *(["wrong_sign"] if answer == -right else [])]
        detail = f"the sum is not {str(answer)[:20]}"
        return reasonenv.Verdict(False, 0.9 * near, failures=labels, parts={"near": near}, detail=detail)

    def near_misses(self, problem: AdderProblem, faults: kit.Faults, rng: kit.Rng) -> list[int]:
        right = sum(problem.terms)
        missed = [right + 1, right - 1, right + 10, -right, right - problem.terms[-1]]
        return [wrong for wrong in missed if wrong != right]

    def guesses(self, problem: AdderProblem, rng: kit.Rng) -> dict[str, int]:
        return {"the first number": problem.terms[0], "any number": rng.int(1, 9999)}

    def key(self, problem: AdderProblem) -> Any:
        return sorted(problem.terms)

    def twin(self, problem: AdderProblem, rng: kit.Rng) -> AdderProblem:
        return AdderProblem(rng.shuffled(problem.terms))


@dataclass(frozen=True)
class RaceParams:
    goal: int = kit.param(7, "The number that wins.", low=3, high=30, role="structure")


@dataclass(frozen=True)
class RaceState:
    total: int = 0
    mover: int = 0
    said: list[int] = field(default_factory=list)


class Race(kit.GameRules[RaceParams, RaceState]):
    """Who says the goal wins: each adds 1 or 2 to what the other said."""

    about = kit.GameAbout(
        name="own_race",
        summary="Add 1 or 2; who reaches the goal wins.",
        max_plies=30,
        variants=({}, {"goal": 10}),
        value=1.0,
        exact_plies=30,
    )
    params, state = RaceParams, RaceState

    def actions(self) -> Sequence[str]:
        return ["add 1", "add 2"]

    def rules(self) -> str:
        return f"Two players add 1 or 2 to a number in turn, from 0 on. Who reaches {self.given.goal} wins."

    def max_plies(self) -> int:
        return self.given.goal

    def start(self, rng: kit.Rng) -> RaceState:
        return RaceState()

    def turn(self, state: RaceState) -> Any:
        return None if state.total == self.given.goal else state.mover

    def legal(self, state: RaceState) -> list[int]:
        return [action for action in (0, 1) if state.total + action + 1 <= self.given.goal]

    def apply(self, state: RaceState, action: int) -> RaceState:
        return RaceState(state.total + action + 1, 1 - state.mover, [*state.said, action + 1])

    def returns(self, state: RaceState) -> tuple[float, float]:
        return (1.0, -1.0) if state.mover == 1 else (-1.0, 1.0)

    def show(self, state: RaceState, player: int) -> str:
        return f"The number is {state.total} of {self.given.goal}."

    def shape(self) -> Sequence[int]:
        return [1, 1, self.given.goal + 1]

    def observe(self, state: RaceState, player: int) -> ArrayLike:
        return [[[float(at == state.total) for at in range(self.given.goal + 1)]]]

    def plies_left(self, state: RaceState) -> int:
        return self.given.goal - state.total

    def key(self, state: RaceState, player: int) -> Any:
        return [state.total, state.mover]
