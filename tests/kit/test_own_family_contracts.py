"""Python-defined families that break one contract each, which `check_family` must name."""

import itertools
import json
from dataclasses import dataclass
from typing import Any

import pytest
import reasonenv
from own_checks import NAME, changed
from own_units import Adder, AdderParams, AdderProblem
from reasonenv import kit
from reasonenv.testing import BrokenContract, check_family
from reasonenv.testing._answers import corruptions

COUNTER = itertools.count(1)


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "a judge that refuses its own solution": ({"verify": lambda *_: False}, "solutions"),
    "a judge that pays everything": ({"verify": lambda *_: True}, "near misses"),
    "a judge that pays what is near": (
        {"verify": lambda _, problem, answer: abs(sum(problem.terms) - answer) <= 1},
        "near misses",
    ),
    "a judge that raises on some answers": (
        {
            "verify": lambda _, problem, answer: (
                sum(problem.terms) == answer or 1 // (answer - 999999999999) == 1
            )
        },
        "any text",
    ),
    "a judge that forgets": (
        {
            "verify": lambda self, problem, answer: (
                Adder.verify(self, problem, answer) if next(COUNTER) % 2 else 0.25
            )
        },
        "any text",
    ),
    "a generator that draws elsewhere": (
        {"generate": lambda *_: AdderProblem([next(COUNTER) % 9000, next(COUNTER) % 9000])},
        "same items twice",
    ),
    "a generator that draws from little": (
        {"generate": lambda _, params, rng: AdderProblem([rng.int(1, 4), rng.int(1, 4)])},
        "distinct items",
    ),
    "a check that refuses what is generated": (
        {"check": lambda _, problem: (_ for _ in ()).throw(ValueError("`terms` is odd"))},
        "solutions",
    ),
    "a check that lets all through": ({"check": lambda *_: None}, "problems from outside"),
    "a key that tells twins apart": ({"key": lambda _, problem: problem}, "twins"),
    "near misses that are too few": ({"near_misses": lambda *_: [], "form": lambda *_: PLAIN}, "near misses"),
    "a guess that earns more than is declared": (
        {"guesses": lambda _, problem, rng: {"the sum": sum(problem.terms)}},
        "guess rate",
    ),
    "a wording that gives the answer away": (
        {"templates": (kit.Template("ask", lambda problem: f"Say <answer>{sum(problem.terms)}</answer>."),)},
        "prompts",
    ),
    "levels that are all the same": ({"levels": [AdderParams(), AdderParams()]}, "levels"),
    "a param without a doc": ({"params": None}, "docs"),
    "a score that rises with the faults": (
        {
            "near_misses": lambda _, problem, faults, rng: [
                sum(problem.terms) + (100 if faults.count == 1 else 1) * sign for sign in (1, -1)
            ]
        },
        "faults",
    ),
    "a form whose spellings pass": ({"form": lambda *_: LAX}, "near misses"),
}


class Plain(kit.Form):
    """A form for any whole number without spellings that must fail."""

    def asks(self) -> str:
        return "Give a whole number"

    def read(self, text: str) -> int:
        try:
            return int(text[:4000])
        except ValueError:
            raise kit.Malformed("that is no whole number") from None

    def write(self, answer: int) -> str:
        return str(answer)

    def mangled(self, right: str) -> list[str]:
        return []


class Lax(Plain):
    """A form that forbids a leading plus but reads it."""

    def mangled(self, right: str) -> list[str]:
        return [f"+{right}", "x", "y"]


PLAIN: kit.Form = Plain()


LAX: kit.Form = Lax()


@pytest.mark.parametrize("broken", BROKEN)
def test_a_family_that_breaks_a_contract_is_told_which(adder: reasonenv.Family, broken: str) -> None:
    methods, contract = BROKEN[broken]
    if broken == "a param without a doc":

        @dataclass(frozen=True)
        class Undocumented(AdderParams):
            terms: int = kit.param(3, " ", low=2, high=9)

        methods = {"params": Undocumented, "levels": [Undocumented()]}
    if broken == "a check that lets all through":
        methods = methods | {
            "solution": lambda _, problem: kit.WorkedSolution(sum(problem.terms) // len(problem.terms[1:]))
        }
    with pytest.raises(BrokenContract) as caught:
        check_family(changed(**methods), items=3, guesses=20)
    assert contract in caught.value.broken, str(caught.value)
    assert NAME in str(caught.value)
    assert "; " in str(caught.value) or ":" in str(caught.value)


def test_a_family_without_a_check_is_told_so_first(adder: reasonenv.Family) -> None:
    def total(self: Adder, problem: AdderProblem) -> kit.WorkedSolution[int]:
        assert len(problem.terms) < 100, "a corrupted problem was tried"
        return Adder.solution(self, problem)

    with pytest.raises(BrokenContract) as caught:
        check_family(changed(check=kit.TaskFamily.check, solution=total), items=3, guesses=20)
    assert list(caught.value.broken) == ["check"]


def test_a_check_stops_when_time_is_up(adder: reasonenv.Family) -> None:
    with pytest.raises(BrokenContract, match="stopped after 0 s") as caught:
        check_family(changed(check=kit.TaskFamily.check), max_seconds=0)
    assert list(caught.value.broken) == ["check", "time"]


def test_corruptions_of_a_large_problem_are_bounded_and_reach_every_field() -> None:
    problem: dict[str, Any] = {name: [[[9] * 9] * 9, "text"] * 4 for name in "abcdefghijklmnopqrstuvwxyz"}
    problem["long"] = ["z" * 50_000]
    found = list(corruptions(problem))
    alike = [one for one in found if isinstance(one, dict)]
    assert len(found) <= 1000
    assert all(any(one.get(name) != problem[name] for one in alike) for name in problem)
    assert max(len(json.dumps(one)) for one in found) < 1_000_000
