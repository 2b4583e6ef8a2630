"""Proofs as values: a second checker and truth tables agree with the kernel."""

import json
import random
from itertools import product
from typing import Any

import pytest
from proof_checker import Checker
from proof_terms import Refused, Term
from proof_walks import FALSE, GROUP, LETTERS, TRUE, walk
from reasonenv.envs import Proof
from reasonenv.errors import InvalidArgument, InvalidProblem


@pytest.mark.parametrize(
    ("problem", "match"),
    [
        ("[", "EOF"),
        ("{}", "missing field"),
        (GROUP | {"goal": "a * b"}, "`goal` has"),
        (GROUP | {"goal": "a = b", "rules": ["assoc"]}, "`rules` has assoc"),
        (GROUP | {"goal": "a = b", "hypotheses": ["h1 a = b"]}, "`hypotheses` has"),
        (GROUP | {"goal": "((a)) = b"}, "must have"),
    ],
)
def test_problems_that_ask_for_no_proof_are_refused(problem: Any, match: str) -> None:
    with pytest.raises(InvalidProblem, match=match):
        Proof(problem if isinstance(problem, str) else json.dumps(problem))


def test_proofs_are_values() -> None:
    one, other = (Proof(json.dumps(GROUP | {"goal": "a * b = b * a"})) for _ in range(2))
    there = one.apply("rewrite <- left_id at 1")
    assert isinstance(there, Proof)
    assert there.apply("rewrite left_id at 1") == other
    assert {one: 1}[other] == 1
    assert one != there
    assert there.lines == ["rewrite <- left_id at 1"]
    assert one.goals == 1
    with pytest.raises(InvalidArgument, match=r"`lines\[0\]` is \"refl\": the two sides differ"):
        Proof(json.dumps(GROUP | {"goal": "a = b"}), ["refl"])
    with pytest.raises(InvalidArgument, match="`budget` is 0"):
        one.search(0)


def truth(formula: Term, values: dict[str, bool]) -> bool:
    """Truth of a formula of letters."""
    parts = [truth(part, values) for part in formula[1:]]
    match formula[0]:
        case "not":
            return not parts[0]
        case "and":
            return all(parts)
        case "or":
            return any(parts)
        case "->":
            return not parts[0] or parts[1]
        case "false":
            return False
    return values[formula[0]]


def follows(goals: Any) -> bool:
    """True if all goals hold for all values of the letters."""
    rows = (dict(zip("pqr", row, strict=True)) for row in product((False, True), repeat=3))
    return all(
        truth(target, row) or not all(truth(known, row) for _, known in hypotheses)
        for row in rows
        for hypotheses, target in goals
    )


def spelled(formula: str) -> str:
    """A formula without needless parentheses, as problems have it."""
    after = Proof(json.dumps(LETTERS | {"goal": "p"})).apply(f"have lemma: {formula}")
    assert isinstance(after, Proof)
    return str(json.loads(after.to_json())["goals"][0]["target"])


def test_propositional_results_agree_with_truth_tables() -> None:
    draw, seen = random.Random(7), set()
    letters = ["p", "q", "r"]
    for _ in range(150):
        pieces = list(letters)
        for _ in range(draw.randint(2, 5)):
            one, two = draw.sample(pieces, 2)
            pieces.append(draw.choice((f"({one}) and ({two})", f"({one}) or ({two})", f"({one}) -> ({two})")))
            pieces.append(f"not ({one})")
        known, goal = map(spelled, draw.sample(pieces[3:], 2))
        problem = LETTERS | {"hypotheses": [f"h1: {known}"], "goal": goal}
        found = Proof(json.dumps(problem)).search(300_000)
        seen.add(found is not None)
        assert (found is not None) == follows(Checker(problem).start), (known, goal)
    assert seen == {True, False}


def agreement(rounds: int) -> None:
    """Compare both checkers on lines about true and false goals."""
    applied, propositional = 0, 0
    for number, problem in enumerate(TRUE + FALSE):
        checker = Checker(problem)
        for proof, said, after in walk(problem, random.Random(number), rounds):
            goals = checker.read_goals(json.loads(proof.to_json())["goals"])
            try:
                other = checker.apply(goals, said)
            except Refused:
                assert isinstance(after, str), f"only one checker takes {said!r} from\n{proof.text}"
                continue
            if isinstance(after, str):
                is_bound = "more than" in after or "too" in after
                assert is_bound, f"only one checker takes {said!r} from\n{proof.text}"
                continue
            assert other == checker.read_goals(json.loads(after.to_json())["goals"])
            assert problem in TRUE or not after.is_proved
            applied += 1
            if not problem["values"] and "sorry" not in after.lines:
                # New goals entail the old ones, so where no old one fails no proof can be wrong.
                propositional += 1
                assert follows(goals) or not follows(other)
    assert applied > rounds
    assert propositional


def test_a_second_checker_agrees() -> None:
    agreement(300)


@pytest.mark.slow
def test_a_second_checker_agrees_at_length() -> None:
    agreement(6_500)  # 104,000 lines


def test_proofs_that_a_search_finds_pass_both_checkers() -> None:
    for problem in TRUE:
        checker, found = Checker(problem), Proof(json.dumps(problem)).search()
        assert found is not None, problem["goal"]
        goals = checker.start
        for said in found:
            goals = checker.apply(goals, said)
        assert goals == ()
        assert Proof(json.dumps(problem), found).is_proved
