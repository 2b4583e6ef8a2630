"""Factory of `math_equal`."""

from typing import Literal, Unpack

from reasonenv.verifiers._defined import Verifier
from reasonenv.verifiers._factories import Common


def math_equal(
    tag: str | None = "answer",
    *,
    rounded: bool = True,
    tolerance: float = 0.0,
    require_units: bool = False,
    references: Literal["answer", "solution"] = "answer",
    decimal: Literal[".", ","] = ".",
    **common: Unpack[Common],
) -> Verifier:
    r"""Compare mathematics in LaTeX or plain text: `0.5` equals `\frac12`, `(2,\infty)` equals `x > 2`.

    Reads numbers, formulas, equations, inequalities, intervals, sets, tuples, lists, matrices, congruences
    and words. Numbers and polynomials are compared exactly, algebraic numbers by proof; docs/maths.md has a
    table of what equals what. By default answers are found as with `extract="auto"`, which falls back to the
    last formula of the text and to a short completion as a whole; with `tag=None`, the answer is the whole
    completion. Each reference is read once for all its rows.

    `parts` hold `proven`: 1 if an answer is proven equal to its reference, 0 if the two agree as far as they
    were tested, at points or to hundreds of digits.

    Besides the common labels, a failed answer may have `missing_solutions`, `extra_solutions`, `wrong_unit`
    or `wrong_precision`. An answer that is too much work to decide is `over_budget`.

    Args:
        tag: Tag that may be around the answer.
        rounded: Whether a reference that is a decimal of three digits or more accepts answers that round to
            it: `3.14` passes `\pi`. Otherwise, and for `0.5` or references without a point, numbers must be
            equal.
        tolerance: Largest difference that still passes, taken as the decimal that it prints as: 0.1 is one
            tenth.
        require_units: Whether an answer must have the unit of its reference. Otherwise it may leave it out; a
            different unit never passes, and only degrees and percent are converted.
        references: "answer", or "solution": the answer of a reference is then in its last `\boxed{}` or
            behind its last `####`. `check` reports the rows in which there is none.
        decimal: Decimal mark of answers and references. With ",", `1.234,5` is 1234.5, and items are
            separated by a semicolon or by a comma and a space.
        **common: `Common`.
    """
    return Verifier(
        "math_equal",
        tag=tag,
        rounded=rounded,
        tolerance=tolerance,
        require_units=require_units,
        references=references,
        decimal=decimal,
        **common,
    )
