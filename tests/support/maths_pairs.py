"""Pairs of formulas, and what SymPy says of them."""

import random
from collections.abc import Iterator
from typing import Any

import sympy as sp

X, Y, N = sp.symbols("x y n", real=True)

Pair = tuple[str, str, bool, Any, Any]
"""Reference, answer, whether they are equal, and both as SymPy has them."""


def constant(rng: random.Random, depth: int) -> Any:
    """A number: integers, fractions, roots, π, e, logarithms, angles."""
    if depth == 0:
        small = sp.Integer(rng.randint(-9, 9))
        pick = rng.randrange(6)
        if pick == 0:
            return sp.sqrt(rng.randint(2, 12))
        if pick == 1:
            return sp.Rational(rng.randint(-9, 9), rng.randint(1, 9))
        if pick == 2:
            return rng.choice([sp.pi, sp.E, sp.log(rng.randint(2, 9)), sp.cbrt(rng.randint(2, 9))])
        if pick == 3:
            return rng.choice([sp.sin, sp.cos])(
                sp.pi * sp.Rational(rng.randint(1, 11), rng.choice([1, 2, 3, 4, 6]))
            )
        return small
    one, other = constant(rng, depth - 1), constant(rng, depth - 1)
    return combined(rng, one, other)


def combined(rng: random.Random, one: Any, other: Any) -> Any:
    pick = rng.randrange(5)
    if pick == 0:
        return one - other
    if pick == 1:
        return one * other
    if pick == 2 and other != 0:
        return one / other
    if pick == 3:
        return one ** rng.randint(2, 3)
    return one + other


def formula(rng: random.Random, depth: int, functions: bool) -> Any:
    """A formula in x and y, rational or with functions."""
    if depth == 0:
        pick = rng.randrange(6 if functions else 4)
        if pick == 4:
            return rng.choice([sp.sin, sp.cos, sp.exp])(rng.choice([X, 2 * X, Y, X + Y]))
        if pick == 5:
            return rng.choice(
                [sp.log(X**2 + 1), sp.sqrt(X**2 + 1), sp.exp(-X), sp.tan(X), sp.atan(X), sp.Abs(X - 1)]
            )
        return rng.choice(
            [X, Y, X, sp.Integer(rng.randint(-5, 5)), sp.Rational(rng.randint(1, 5), rng.randint(2, 5))]
        )
    one, other = formula(rng, depth - 1, functions), formula(rng, depth - 1, functions)
    return combined(rng, one, other)


def rewritten(rng: random.Random, expr: Any) -> Any:
    """The same, written in another way."""
    ways = [
        sp.expand,
        sp.factor,
        sp.together,
        sp.expand_trig,
        sp.radsimp,
        sp.apart if not expr.has(Y) else sp.cancel,
    ]
    ways += [sp.cancel, sp.nsimplify, lambda given: sp.expand_log(given, force=False)]
    try:
        return rng.choice(ways)(expr)
    except (sp.PolynomialError, NotImplementedError, ValueError, TypeError, AttributeError):
        return expr


def disturbed(rng: random.Random, expr: Any) -> Any:
    """Nearly the same: one number, sign or function of it is another."""
    pick = rng.randrange(5)
    if pick == 0:
        return expr + sp.Rational(1, rng.choice([2, 10, 10**6, 10**12]))
    if pick == 1:
        return -expr
    if pick == 2:
        return expr * sp.Rational(rng.choice([2, 3, 101]), rng.choice([1, 5, 100]))
    if pick == 3:
        return expr.subs(X, X + 1).subs(sp.pi, sp.pi + sp.Rational(1, 7))
    return expr + rng.choice([X, sp.sqrt(2), sp.pi]) * sp.Rational(1, 10**3)


def usable(expr: Any) -> bool:
    odd = (sp.zoo, sp.nan, sp.oo, -sp.oo, sp.I)
    return not expr.has(*odd) and sp.count_ops(expr) < 60 and expr.is_real is not False


def values(expr: Any, rng: random.Random) -> list[Any]:
    """The value at a few points, to forty digits."""
    points = [
        {X: sp.Rational(rng.randint(1, 999), 331), Y: sp.Rational(rng.randint(1, 999), 337)} for _ in range(4)
    ]
    return [sp.N(expr.subs(point), 40) for point in points]


def equal(one: Any, other: Any) -> bool | None:
    """True if SymPy finds the two equal; None if it cannot decide."""
    try:
        difference = sp.simplify(one - other)
        if difference == 0:
            return True
        gaps = values(one - other, random.Random(5))
    except (TypeError, ValueError, RecursionError, AttributeError, ZeroDivisionError):
        return None
    if any(not gap.is_number or gap.has(sp.nan, sp.zoo) for gap in gaps):
        return None
    if any(abs(gap) > sp.Float("1e-25") for gap in gaps):
        return False
    return None


def written(rng: random.Random, expr: Any) -> str:
    """As LaTeX or as plain text."""
    if rng.random() < 0.6:
        return str(sp.latex(expr, ln_notation=True))
    return (
        str(expr).replace("log(", "ln(").replace("E", "e")
        if not expr.has(sp.Abs)
        else str(sp.latex(expr, ln_notation=True))
    )


def pairs(count: int, seed: int) -> Iterator[Pair]:
    """Pairs of which SymPy knows whether they are equal."""
    rng = random.Random(seed)
    found = 0
    while found < count:
        kind = rng.randrange(3)
        expr = constant(rng, rng.randint(1, 2)) if kind == 0 else formula(rng, rng.randint(1, 2), kind == 2)
        other = rewritten(rng, expr) if rng.random() < 0.5 else disturbed(rng, expr)
        if not (usable(expr) and usable(other)):
            continue
        verdict = equal(expr, other)
        if verdict is None:
            continue
        found += 1
        one, another = written(rng, expr), written(rng, other)
        for reference, answer in ((one, another), (another, one)):
            yield reference, answer, verdict, expr, other
