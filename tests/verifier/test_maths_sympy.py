"""`math_equal` compared with SymPy on generated pairs, equal and nearly equal, in both orders."""

import pytest
from reasonenv import verifiers

COUNT = 2_000


@pytest.mark.slow
def test_math_equal_agrees_with_sympy() -> None:
    pytest.importorskip("sympy")  # the extra `oracle`
    from maths_pairs import pairs  # noqa: PLC0415

    rows = list(pairs(COUNT, seed=2026))
    judge = verifiers.math_equal(tag=None)
    references, answers = [row[0] for row in rows], [row[1] for row in rows]
    bad = dict(judge.check(references))
    assert not bad, list(bad.values())[:10]
    verdicts = judge(answers, references)

    paid = [row[:2] for row, passed in zip(rows, verdicts.passed, strict=True) if passed and not row[2]]
    assert not paid, paid[:10]
    refused = [
        (*row[:2], failures)
        for row, passed, failures in zip(rows, verdicts.passed, verdicts.failures, strict=True)
        if row[2] and not passed
    ]
    # An equal answer without a proof fails as over budget, never as wrong.
    assert all(failures == ("over_budget",) for *_, failures in refused), refused[:10]
    assert len(refused) < len(rows) / 50, (len(refused), refused[:10])
