"""`math_equal` from Python: its corpora, options, labels and parts."""

import json
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reasonenv import verifiers
from reasonenv.errors import InvalidReference

DATA = Path(__file__).parents[1] / "golden/maths"


def corpus(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["plain", "hostile", "near"])
def test_the_corpora_are_judged_as_they_say(name: str) -> None:
    rows = corpus(name)
    judge = verifiers.math_equal(tag=None)
    answers, references = [row["answer"] for row in rows], [row["reference"] for row in rows]
    assert judge.check(references) == []
    verdicts = judge(answers, references)
    wrong = [row for row, passed in zip(rows, verdicts.passed, strict=True) if passed != row["passes"]]
    assert wrong == []
    assert len({(row["reference"], row["answer"]) for row in rows}) == len(rows) >= 400
    counts = Counter(row["passes"] for row in rows)
    assert min(counts.values()) >= {"plain": 400, "hostile": 5, "near": 250}[name]
    # One by one, and from threads, the verdicts are the same.
    with ThreadPoolExecutor(4) as threads:
        singles = list(threads.map(lambda row: judge([row["answer"]], [row["reference"]])[0], rows[:200]))
    assert singles == list(verdicts)[:200]


def test_answers_are_found_in_completions() -> None:
    judge = verifiers.math_equal()
    texts = [
        r"So $x = \boxed{\frac{1}{2}}$.",
        r"First \boxed{1}, then \boxed{\frac{1}{2}}.",
        "#### 0.5",
        "The answer is $\\tfrac12$.",
        "<answer>50\\%</answer>",
        "0.5",
        r"<think>\boxed{7}</think> The answer is 1/2.",
    ]
    verdicts = judge(texts, ["1/2"] * len(texts))
    assert verdicts.passed.tolist() == [True, False, True, True, True, True, True]
    assert verdicts.failures[1] == ("hedged",)
    assert judge(["0.5 or 0.6"], ["1/2"]).failures[0] == ("hedged",)
    assert judge.options["extract"] == "auto"
    assert verifiers.math_equal(tag=None).options["extract"] == "whole"
    boxed = verifiers.from_config({"verifier": "math_equal", "extract": "boxed"})
    assert boxed([r"\boxed{2\sqrt3}"], [r"\sqrt{12}"]).passed.all()


def test_what_is_only_tested_is_told() -> None:
    judge = verifiers.math_equal(tag=None)
    verdicts = judge([r"2\sin x\cos x", "x+x", "x"], [r"\sin 2x", "2x", "2x"])
    assert verdicts.passed.tolist() == [True, True, False]
    assert verdicts.parts["proven"].tolist() == [0.0, 1.0, 0.0]


def test_a_reference_that_matches_nothing_is_told_with_its_row() -> None:
    judge = verifiers.math_equal(tag=None)
    assert [row for row, _ in judge.check(["1", "1/0", r"\int x", "(1,2)", ""])] == [1, 2, 4]
    with pytest.raises(
        InvalidReference,
        match=r"`references\[1\]` is `1/0`, but must have a value: it has a division by zero",
    ):
        judge(["1", "1"], ["1", "1/0"])


def test_options_change_what_passes() -> None:
    def passes(judge: verifiers.Verifier, answer: str, reference: str) -> bool:
        return bool(judge([answer], [reference]).passed[0])

    assert passes(verifiers.math_equal(tag=None), r"\pi", "3.14")
    assert not passes(verifiers.math_equal(tag=None, rounded=False), r"\pi", "3.14")
    assert passes(verifiers.math_equal(tag=None, tolerance=0.1), "3.2", r"\pi")
    assert not passes(verifiers.math_equal(tag=None, tolerance=0.1), "3.25", r"\pi")
    assert passes(verifiers.math_equal(tag=None), "5", "5 km")
    assert not passes(verifiers.math_equal(tag=None, require_units=True), "5", "5 km")


def rounded_pair(rng: random.Random) -> tuple[str, str, bool]:
    """A sum of floors, one of ceilings, and whether they agree at all integers of several periods."""
    terms = []
    for _ in range(rng.randint(1, 2)):
        below = rng.randint(2, 6)
        rest = rng.choice([below - 1, below - 1, below, 0])
        terms.append((rng.choice([-1, 1, 2]), rng.choice([1, -1, 2]), rng.randint(-3, 3), below, rest))

    def written(left: str, right: str, less: int) -> str:
        parts = (
            rf"{scale:+d}\{left} \frac{{{slope}n{shift - less * rest:+d}}}{{{below}}}\{right}"
            for scale, slope, shift, below, rest in terms
        )
        return "".join(parts)

    gaps = (
        sum(s * ((a * n + b) // d + (rest - a * n - b) // d) for s, a, b, d, rest in terms)
        for n in range(-120, 121)
    )
    return written("lfloor", "rfloor", 0), written("lceil", "rceil", 1), not any(gaps)


def test_floors_of_whole_numbers_are_judged_as_counting_finds() -> None:
    rng = random.Random(2027)
    rows = [rounded_pair(rng) for _ in range(300)]
    verdicts = verifiers.math_equal(tag=None)([row[1] for row in rows], [row[0] for row in rows])
    assert [row for row, passed in zip(rows, verdicts.passed, strict=True) if passed != row[2]] == []
    equal = sum(row[2] for row in rows)
    assert 30 < equal < 270


PIECES = [
    *"12xyei+-*/^_{}()[]|,;=<>!%$&'.: ",
    "10",
    "0.5",
    "1/2",
    "1e5",
    "1,000",
    "²",
    "½",
    "∞",
    "apples",
]
PIECES += [
    r"\{",
    r"\}",
    r"\pi",
    r"\le",
    r"\ne",
    r"\in",
    r"\cup",
    r"\setminus",
    r"\mathbb{R}",
    r"\emptyset",
    r"\pm",
]
PIECES += [
    r"\frac",
    r"\frac12",
    r"\sqrt",
    r"\sqrt[3]",
    r"\sin",
    r"\ln",
    r"\log_2",
    r"\infty",
    r"\max(1,2)",
    r"\gcd(m,",
    "_{10}C_3",
    r"^\circ",
    r"\$",
    r"\\",
]
PIECES += [
    r"\text{cm}",
    r"\text{ and }",
    " or ",
    r"\text{yes}",
    r"\begin{pmatrix}",
    r"\end{pmatrix}",
    r"\pmod{5}",
]
PIECES += [
    r"\equiv",
    "mod",
    r"\overline{3}",
    r"0.\overline{3}",
    "...",
    r"\binom{4}{2}",
    r"\choose",
    r"\boxed{2}",
]
PIECES += ["f(x)", r"\mid", r"\lfloor", r"\rfloor", "|x|", "(1,2)", "x=", r"\approx", r"\left(", r"\right)"]
REFERENCES = [
    "x",
    "1",
    "(1,2)",
    "x>2",
    r"\{1,2\}",
    "yes",
    "x=5",
    "5 km",
    "[0,1)",
    "x^2=4",
    r"\sin x",
    r"\pm 2",
    "0.5",
    r"\lfloor n/2\rfloor",
    "x_1=2, x_2=3",
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=9).map("".join), min_size=50, max_size=50))
@example(
    ["|x|=", "=", "x=", "=1", "x<", r"\in", "and", ",", r"\begin{pmatrix}\end{pmatrix}", "1 mod", "mod 1"]
)
def test_pieces_of_latex_in_any_order_get_a_verdict(answers: list[str]) -> None:
    judge = verifiers.math_equal(tag=None)
    for reference in REFERENCES:
        assert len(judge(answers, [reference] * len(answers))) == len(answers)
    judge.check(answers)
