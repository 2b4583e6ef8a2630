"""Families that pass wrong answers or reveal right ones: `check_family` and `health` refuse each."""

import re
import time
from typing import Any

import pytest
import reasonenv
from own_knight import KnightByReference, KnightRoute, name
from own_units import Adder, AdderParams, AdderProblem
from reasonenv import health, kit
from reasonenv.testing import BrokenContract, check_family

ITEMS = {"items": 2, "guesses": 20}
LIMIT = 0.2
"""Most seconds for a verdict here, instead of half a second."""


def spoiled(kind: type[Any], **methods: Any) -> type[Any]:
    return type("Spoiled", (kind,), methods)


def facts(kind: type[Any], **given: Any) -> kit.About:
    known = {name: getattr(kind.about, name) for name in kind.about.__dataclass_fields__}
    return kit.About(**(known | given))


@pytest.fixture(autouse=True)
def _forgotten() -> Any:
    yield
    for kind in (Adder, KnightRoute):
        if kind.about.name in reasonenv.list_families():
            reasonenv.unregister_family(kind.about.name)


@pytest.mark.parametrize("kind", [Adder, KnightRoute, KnightByReference])
def test_sound_families_pass(kind: type[Any]) -> None:
    check_family(kind, **ITEMS)


def is_stored(self: Any, problem: Any, answer: Any) -> bool:
    return bool(answer == self.solution(problem).answer)


def is_legal(self: Any, problem: Any, answer: Any) -> bool:
    return self.misstep(problem, answer) is None


def is_short(self: Any, problem: Any, answer: Any) -> bool:
    ends = [name(problem.start), name(problem.goal)]
    return len(answer) == len(problem.way) and [answer[0], answer[-1]] == ends


def filtered(self: Any, problem: Any, faults: kit.Faults, rng: kit.Rng) -> list[Any]:
    """Near misses chosen by the verifier under test."""
    right = self.solution(problem).answer
    tried = [*KnightRoute.near_misses(self, problem, faults, rng), right[1:], right[:1], right[::-1]]
    return [wrong for wrong in tried if self.verify(problem, wrong) is not True]


def none_but_ends(self: Any, problem: Any, faults: kit.Faults, rng: kit.Rng) -> list[Any]:
    right = self.solution(problem).answer
    return [right[1:], right[:-1], right[:1]]


def slowly(self: Any, problem: Any, answer: Any) -> Any:
    time.sleep(LIMIT + 0.1)
    return Adder.verify(self, problem, answer)


def slowly_if_large(self: Any, problem: Any, answer: int) -> Any:
    if answer > 10**9:
        time.sleep(LIMIT + 0.1)
    return Adder.verify(self, problem, answer)


def nothing(*_: Any) -> None:
    return None


def told_in_prompt(problem: AdderProblem) -> str:
    return f"{', '.join(map(str, problem.terms))} come to how much? (Ann got {sum(problem.terms)} yesterday.)"


def without_the_last(problem: AdderProblem) -> str:
    return f"What is the sum of {', '.join(map(str, problem.terms[:-1]))} and one more number?"


UNSOUND: dict[str, tuple[type[Any], str, str]] = {
    "a verifier that accepts only its stored solution": (
        spoiled(KnightRoute, verify=is_stored),
        "payments",
        "`verify` refuses .*, which `another` draws",
    ),
    "the same with nothing but its solution to go by": (
        spoiled(KnightRoute, verify=is_stored, another=nothing),
        "payments",
        "give `another`, .* or `reference`",
    ),
    "the same beside a reference, which has only wrong answers to say": (
        spoiled(KnightByReference, verify=is_stored, another=KnightRoute.another),
        "payments",
        "`verify` refuses",
    ),
    "over-long routes": (
        spoiled(KnightRoute, verify=is_legal, near_misses=none_but_ends),
        "payments",
        "neither the solution .* nor drawn by `another`; give `reference`",
    ),
    "over-long routes beside a reference": (
        spoiled(KnightByReference, verify=is_legal, near_misses=none_but_ends),
        "payments",
        "`verify` passes .*, which is wrong by `reference`",
    ),
    "illegal moves": (
        spoiled(KnightRoute, verify=is_short, near_misses=none_but_ends),
        "payments",
        "nor drawn by `another`",
    ),
    "illegal moves beside a reference": (
        spoiled(KnightByReference, verify=is_short, near_misses=none_but_ends),
        "payments",
        "which is wrong by `reference`",
    ),
    "illegal moves where only one answer is said to be right": (
        spoiled(
            KnightRoute,
            verify=is_short,
            near_misses=none_but_ends,
            about=facts(KnightRoute, judged_by="exact"),
        ),
        "payments",
        "the only right answer",
    ),
    "near misses that the verifier filters": (
        spoiled(KnightRoute, verify=is_legal, near_misses=filtered),
        "near misses",
        r"asks `verify` \d+ times .*, and leaves out the [1-9]\d* that it passes",
    ),
    "a prompt that shows the answer": (
        spoiled(Adder, templates=(kit.Template("ask", told_in_prompt),)),
        "prompts",
        "the answer stands in 100% of the prompts of `ask`",
    ),
    "two problems with one prompt": (
        spoiled(Adder, templates=(kit.Template("ask", without_the_last),)),
        "same prompts",
        "have the same prompt under `ask`, but different keys",
    ),
    "two problems with one prompt and one key": (
        spoiled(
            Adder,
            templates=(kit.Template("ask", without_the_last),),
            key=lambda _, problem: problem.terms[:-1],
            twin=lambda _, problem, rng: problem,
            levels=[AdderParams(2, 99), AdderParams(3, 99)],
        ),
        "same prompts",
        "`verify` refuses .*, the solution of the first, for the second",
    ),
}


@pytest.mark.parametrize("unsound", UNSOUND)
def test_a_family_that_pays_or_tells_what_it_must_not_is_refused(unsound: str) -> None:
    kind, contract, says = UNSOUND[unsound]
    with pytest.raises(BrokenContract, match=says) as caught:
        check_family(kind, **ITEMS)
    assert contract in caught.value.broken, str(caught.value)


@pytest.mark.parametrize(("verify", "text"), [(slowly, "<answer>"), (slowly_if_large, "999999999999")])
def test_a_slow_verdict_is_told_soon_and_its_text_is_named(
    verify: Any, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reasonenv.testing._answers.SLOWEST", LIMIT)
    start = time.monotonic()
    with pytest.raises(BrokenContract) as caught:
        check_family(spoiled(Adder, verify=verify), **ITEMS)
    [*told] = caught.value.broken["time"]
    assert all(text in one and "may take 0.2 s" in one for one in told)
    assert time.monotonic() - start < 60


def test_an_answer_may_stand_in_the_prompt_where_the_task_is_to_find_it_there() -> None:
    class Largest(Adder):
        about = facts(Adder, answer_in_prompt=True, guess_rate=0.5, guess_score=1.0)
        templates = (kit.Template("ask", lambda problem: f"Which is the largest of {problem.terms}?"),)

        def solution(self, problem: AdderProblem) -> kit.WorkedSolution[int]:
            return kit.WorkedSolution(max(problem.terms), [f"{max(problem.terms)} is the largest"])

        def verify(self, problem: AdderProblem, answer: int) -> bool:
            return answer == max(problem.terms)

        def near_misses(self, problem: AdderProblem, faults: kit.Faults, rng: kit.Rng) -> list[int]:
            return [max(problem.terms) + 1, max(problem.terms) - 1, min(problem.terms) - 1]

        def effort(self, problem: AdderProblem) -> kit.Effort:
            return kit.Effort(len(problem.terms))

        def guesses(self, problem: AdderProblem, rng: kit.Rng) -> dict[str, int]:
            return {"the first number": problem.terms[0]}

    check_family(Largest, **ITEMS)
    with pytest.raises(BrokenContract, match="the answer stands in"):
        check_family(spoiled(Largest, about=facts(Largest, answer_in_prompt=False)), **ITEMS)


@pytest.mark.parametrize("unsound", {contract: name for name, (_, contract, _) in UNSOUND.items()}.values())
def test_health_tells_of_it_too(unsound: str) -> None:
    kind, _, says = UNSOUND[unsound]
    family = reasonenv.register_family(kind, replace=True)
    complaints = health.check(family, levels=[0], count=20).complaints
    assert any(re.search(says, told) for told in complaints), complaints


def test_health_tells_of_a_verifier_that_refuses_its_own_solution() -> None:
    family = reasonenv.register_family(spoiled(Adder, verify=lambda *_: False), replace=True)
    complaints = health.check(family, levels=[0], count=20).complaints
    assert any("its solution fails" in told for told in complaints)
    assert any("refuses 100.0% of the family's own solutions" in told for told in complaints)


def test_health_stops_at_slow_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reasonenv.testing._answers.SLOWEST", LIMIT)
    family = reasonenv.register_family(spoiled(Adder, verify=slowly), replace=True)
    found = health.check(family, levels=[0], count=20)
    assert found.levels == []
    assert len(found.complaints) == 2
    assert all("may take 0.2 s" in told for told in found.complaints)
