"""Parsing and rewriting of the source of programs and tests, without running it."""

import ast
import builtins
import os
import threading
import warnings
from collections.abc import Iterable, Mapping

_LOCK = threading.Lock()
if hasattr(os, "register_at_fork"):  # its holder may not survive a fork
    os.register_at_fork(after_in_child=_LOCK._at_fork_reinit)  # type: ignore[attr-defined]  # as `logging` does
BUILTINS = frozenset(dir(builtins))


def parse(source: str) -> ast.Module:
    """Parse untrusted source.

    Raises:
        SyntaxError: The source is not valid Python, or exceeds what the parser can take.
    """
    # Warning filters belong to the process: two threads at once would leave them changed.
    with _LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except SyntaxError:
            raise
        except (ValueError, MemoryError, RecursionError) as error:
            raise SyntaxError(str(error) or "nested too deeply", ("", 0, 0, "")) from None
    _refuse_stray_return(tree)
    return tree


def _refuse_stray_return(tree: ast.Module) -> None:
    """Refuse what Python refuses after parsing, because monty would hand the value to its caller."""
    statements: list[ast.AST] = list(tree.body)
    while statements:
        node = statements.pop()
        if isinstance(node, ast.Return):
            raise SyntaxError("'return' outside function", ("", node.lineno, node.col_offset, ""))
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = (ast.stmt, ast.excepthandler, ast.match_case)
            statements += [one for one in ast.iter_child_nodes(node) if isinstance(one, inner)]


def unparse(tree: ast.AST) -> str:
    """Return the source of a tree.

    Raises:
        SyntaxError: The tree is nested too deeply.
    """
    try:
        return ast.unparse(tree)
    except RecursionError:
        raise SyntaxError("nested too deeply", ("", 0, 0, "")) from None


def is_main_guard(node: ast.stmt) -> bool:
    """True if a statement is `if __name__ == "__main__":`."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and isinstance(node.test.left, ast.Name)
        and node.test.left.id == "__name__"
        and isinstance(node.test.ops[0], ast.Eq)
    )


def defined(body: Iterable[ast.stmt]) -> set[str]:
    """Return the names that statements define, assign or import."""
    found: set[str] = set()
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found.update((one.asname or one.name).partition(".")[0] for one in names)
            case _:
                found.update(
                    one.id
                    for one in ast.walk(node)
                    if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
                )
    return found


_SOLUTION = ("solution", "main", "answer")
"""Modules that tests import the program from."""
_LIBRARY = frozenset(
    ("cmath", "collections", "copy", "functools", "itertools", "json", "math", "operator", "re")
)
"""Modules that tests may use without importing them."""


class Helpers:
    """Names that code around the tests binds."""

    def __init__(self, *sources: Iterable[ast.stmt], program: str | None = None) -> None:
        body = [one for source in sources for one in source]
        kept = [one for one in body if not (isinstance(one, ast.ImportFrom) and one.module in _SOLUTION)]
        self._names = defined(kept) - {program}
        self._functions = {one.name for one in kept if isinstance(one, ast.FunctionDef)} - {program}
        if any(isinstance(one, ast.ClassDef) for one in kept):
            self._functions = set()  # they may make objects, which only the program's sandbox can hold

    def decide(self, call: ast.Call) -> bool:
        """True if a helper, not the program, computes the value of a call or the arguments that it takes."""
        base: ast.expr = call.func
        while isinstance(base, ast.Attribute | ast.Call):
            base = base.value if isinstance(base, ast.Attribute) else base.func
        if not isinstance(base, ast.Name) or base.id in self._names or base.id in BUILTINS:
            return True
        if _library_modules(call.func):
            return True
        called = (one.func for one in ast.walk(call) if isinstance(one, ast.Call))
        return any(isinstance(one, ast.Name) and one.id in self._functions for one in called)


def _library_modules(tree: ast.AST) -> set[str]:
    """Return the modules of the standard library whose attributes an expression reads."""
    values = (one.value for one in ast.walk(tree) if isinstance(one, ast.Attribute))
    return {one.id for one in values if isinstance(one, ast.Name)} & _LIBRARY


def head_of(prompt: str, entry_point: str | None) -> list[ast.stmt]:
    """Return the imports and helpers of a prompt, without the function that the program defines."""
    try:
        tree = parse(prompt)
    except SyntaxError:
        tree = parse(prompt + "\n    pass")
    return [one for one in tree.body if getattr(one, "name", None) != entry_point]


def provided(source: str) -> set[str]:
    """Return the functions, classes, methods and variables that a program defines."""
    try:
        tree = parse(source)
    except SyntaxError:
        return set()
    body = [one for one in tree.body if not isinstance(one, ast.Import | ast.ImportFrom)]
    methods = (one for node in body if isinstance(node, ast.ClassDef) for one in node.body)
    return defined([*body, *methods])


def has_method(tree: ast.Module, kind: str, method: str) -> bool:
    """True if a class of the module defines a method."""
    return any(
        isinstance(node, ast.ClassDef)
        and node.name == kind
        and any(isinstance(one, ast.FunctionDef) and one.name == method for one in node.body)
        for node in tree.body
    )


def asserts_of(body: Iterable[ast.stmt], names: Mapping[str, str]) -> list[ast.Assert] | None:
    """Return a body's assertions with names replaced, or None if the body holds anything else."""
    found: list[ast.Assert] = []
    for node in body:
        if isinstance(node, ast.Assert):
            found.append(ast.Assert(renamed(node.test, names), None))
        elif not isinstance(node, ast.Pass) and not (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            return None
    return found or None


def renamed(tree: ast.expr, names: Mapping[str, str]) -> ast.expr:
    """Return an expression with names replaced by other expressions."""
    found: ast.expr = _Renamed({old: parse(new).body[0] for old, new in names.items()}).visit(tree)
    return found


class _Renamed(ast.NodeTransformer):
    def __init__(self, statements: Mapping[str, ast.stmt]) -> None:
        self._values = {old: one.value for old, one in statements.items() if isinstance(one, ast.Expr)}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._values.get(node.id, node)


def pytest_calls(tree: ast.Module) -> list[str]:
    """Return a statement for each test of a module: functions, parametrized functions and methods."""
    calls: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            calls.append(_call_of(node.name, node))
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            calls += [
                _call_of(f"{node.name}().{one.name}", one)
                for one in node.body
                if isinstance(one, ast.FunctionDef) and one.name.startswith("test")
            ]
    return calls


def _call_of(name: str, node: ast.FunctionDef) -> str:
    cases = [found for one in node.decorator_list if (found := _parameters(one)) is not None]
    if not cases:
        return f"{name}()"
    if len(cases) > 1:
        raise ValueError(f"`{node.name}` is parametrized twice, which is not supported")
    names, values = cases[0]
    star = "*" if len(names) > 1 else ""
    return f"for _case in {ast.unparse(values)}:\n    {name}({star}_case)"


def _parameters(node: ast.expr) -> tuple[list[str], ast.expr] | None:
    """Return the names and values of `pytest.mark.parametrize`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="parametrize"), args=[names, values]):
            given = ast.literal_eval(names)
            split = given.split(",") if isinstance(given, str) else given
            return [one.strip() for one in split], values
    return None


def prepare_tests(module: str, tests: Iterable[str]) -> tuple[str, set[str]]:
    """Prepare a module of tests; return its source and the names that the program must provide.

    Drops imports of the program and of pytest, and pytest's decorators.
    """
    tree = parse(module)
    wanted: set[str] = set()
    body: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module in _SOLUTION:
            wanted.update(one.name for one in node.names if one.name != "*" and not one.asname)
            continue
        if isinstance(node, ast.Import):
            names = [one for one in node.names if one.name not in ("pytest", "numpy")]
            arrays = [one.asname or one.name for one in node.names if one.name == "numpy"]
            body += [parse(f"{name} = _numpy").body[0] for name in arrays]
            if not names:
                continue
            node = ast.Import(names)  # noqa: PLW2901  the rest of the statement
        if not is_main_guard(node):
            body.append(node)
    for one in ast.walk(ast.Module(body, [])):
        if isinstance(one, ast.FunctionDef):
            one.decorator_list = [
                kept for kept in one.decorator_list if not ast.unparse(kept).startswith("pytest.")
            ]
    everything = ast.Module([*body, *(node for test in tests for node in parse(test).body)], [])
    wanted |= free_names(everything) - {"pytest"}
    library = wanted & _library_modules(everything)
    body[:0] = [ast.Import([ast.alias(name)]) for name in sorted(library)]
    return unparse(ast.fix_missing_locations(ast.Module(body, []))), wanted - library


def free_names(tree: ast.AST, builtin: frozenset[str] = BUILTINS) -> set[str]:
    """Return names that are read but bound nowhere, and that are not built in."""
    read: set[str] = set()
    bound: set[str] = set(builtin)
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                read.add(name)
            case ast.Name(id=name) | ast.arg(arg=name):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                bound.update((one.asname or one.name).partition(".")[0] for one in names)
            case ast.ExceptHandler(name=str(name)):
                bound.add(name)
    return read - bound
