"""Tests of EvalPlus (MBPP+ and HumanEval+): a loop over inputs and results."""

import ast
from collections.abc import Mapping, Sequence

from reasonenv.verifiers._code._source import renamed
from reasonenv.verifiers._code._tests import CallTest, Test
from reasonenv.verifiers._code._values import literal

_TOLERANCE = 1e-6
_COMPARED_BY = {"out", "exp", "atol", "is_floats", "np"}
"""Names that the assertion of EvalPlus uses; one with others compares sets, say."""


def plus_tests(
    body: Sequence[ast.stmt], names: Mapping[str, str], helpers: Sequence[ast.stmt]
) -> tuple[Test, ...]:
    """Return a test for each result of the loop; none if it is of another form.

    Args:
        body: Statements that assign `inputs` and `results` and loop over them.
        names: Names to replace, such as that of the candidate.
        helpers: Statements that define `assertion`.
    """
    found: dict[str, list[ast.expr]] = {}
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=items)):
                found[name] = items
    loops = [one for one in body if isinstance(one, ast.For)]
    try:
        if len(loops) == 1 and (function := _called(loops[0], helpers)):
            pairs = zip(found["inputs"], found["results"], strict=True)
            name = ast.unparse(renamed(function, names))
            return tuple(_test(name, given, expected) for given, expected in pairs)
    except (KeyError, ValueError, TypeError, RecursionError):
        pass
    return ()


def _called(loop: ast.For, around: Sequence[ast.stmt]) -> ast.expr | None:
    """Return the function of `assertion(function(*inp), exp, 0)` if that compares as EvalPlus does."""
    usual = any(
        isinstance(one, ast.FunctionDef)
        and one.name == "assertion"
        and {name.id for name in ast.walk(one) if isinstance(name, ast.Name)} <= _COMPARED_BY
        for one in around
    )
    match loop.body:
        case [
            ast.Expr(
                value=ast.Call(
                    func=ast.Name(id="assertion"),
                    args=[
                        ast.Call(func=function, args=[ast.Starred(value=ast.Name(id="inp"))], keywords=[]),
                        ast.Name(id="exp"),
                        ast.Constant(),
                    ],
                )
            )
        ] if usual:
            return function
    return None


def _test(function: str, given: ast.expr, expected: ast.expr) -> CallTest:
    if not isinstance(given, ast.List | ast.Tuple):
        raise TypeError("an input is not a list of arguments")
    value = literal(expected)
    floats = isinstance(value, float) or (
        isinstance(value, list | tuple) and all(isinstance(one, float) for one in value)
    )
    arguments = [renamed(one, {"inf": "float('inf')", "nan": "float('nan')"}) for one in given.elts]
    source = f"{function}({', '.join(map(ast.unparse, arguments))})"
    return CallTest(None, source, value, tolerance=_TOLERANCE if floats else 0.0)
