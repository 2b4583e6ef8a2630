"""The factory of `math_equal`."""

from typing import Unpack

from reasonenv._native import Verifier
from reasonenv.verifiers._factories import Common


def math_equal(
    tag: str | None = "answer",
    *,
    rounded: bool = True,
    tolerance: float = 0.0,
    require_units: bool = False,
    **common: Unpack[Common],
) -> Verifier:
    r"""The same mathematics, in LaTeX or plain: `0.5` for `\frac12`, `(2,\infty)` for `x > 2`.

    Reads numbers, formulas, equations, inequalities, intervals, sets, tuples, lists, matrices, congruences
    and words. Numbers and polynomials are compared exactly, algebraic numbers by proof; docs/maths.md has the
    table of what equals what. Unless `extract` is given, answers stand where `extract="auto"` finds them, or,
    without a tag, are the whole completion. Truths are read once for all their rows.

    `parts` hold `proven`: 1 where an answer is shown to equal its truth, 0 where the two agree as far as they
    were tested, at points or to hundreds of digits.

    Besides the common labels a refused answer has `missing_solutions`, `extra_solutions`, `wrong_unit` or
    `wrong_precision`. An answer of which it takes too much work to show whether it is right is `over_budget`.

    Args:
        tag: The tag the answer may stand in.
        rounded: A truth that is a decimal of three digits or more passes what rounds to it: `3.14` passes
            `\pi`. Otherwise, and for `0.5` or truths without a point, numbers must be equal.
        tolerance: The difference that still passes; it is the decimal that Python prints: 0.1 is one tenth.
        require_units: An answer must have the unit that its truth has. Otherwise it may leave it out; another
            unit never passes, and none is converted but degrees and percent.
        **common: `Common`.
    """
    return Verifier(
        "math_equal", tag=tag, rounded=rounded, tolerance=tolerance, require_units=require_units, **common
    )
