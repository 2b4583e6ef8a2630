"""The imports that graders put before programs of rows with `fn_name`."""

import ast
import importlib
from functools import cache

from reasonenv.verifiers._code._source import free_names

_MODULES = (
    *("typing", "string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random"),
    *("statistics", "itertools", "functools", "operator", "io", "sys", "json"),
)
"""Modules that the graders of LiveCodeBench and genesys import by name and with `*`."""


@cache
def _names_of(module: str) -> frozenset[str]:
    """Return the names that `from module import *` binds."""
    loaded = importlib.import_module(module)
    listed = getattr(loaded, "__all__", None)
    return frozenset(listed or (one for one in vars(loaded) if not one.startswith("_")))


@cache
def _statements() -> dict[str, ast.stmt]:
    """Return the import that binds each name."""
    found: dict[str, ast.stmt] = {}
    for module in _MODULES:
        found |= {one: ast.ImportFrom(module, [ast.alias(one)], 0) for one in _names_of(module)}
    return found | {one: ast.Import([ast.alias(one)]) for one in (*_MODULES, "os")}


def with_imports(tree: ast.Module) -> ast.Module:
    """Import what a program reads without defining it."""
    known = _statements()
    missing = [known[name] for name in sorted(free_names(tree) & known.keys())]
    if not missing:
        return tree
    first = next((at for at, one in enumerate(tree.body) if not _comes_first(one)), len(tree.body))
    return ast.Module([*tree.body[:first], *missing, *tree.body[first:]], [])


def _comes_first(node: ast.stmt) -> bool:
    return (isinstance(node, ast.ImportFrom) and node.module == "__future__") or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def without_stars(tree: ast.Module) -> ast.Module:
    """Name what a program reads of each `from module import *`."""
    if not any(_is_star(node) for node in tree.body):
        return tree
    read = free_names(tree, frozenset())
    return ast.Module([one for node in tree.body for one in _named(node, read)], [])


def _is_star(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module in _MODULES and node.names[0].name == "*"


def _named(node: ast.stmt, read: set[str]) -> list[ast.stmt]:
    if not (isinstance(node, ast.ImportFrom) and node.module and _is_star(node)):
        return [node]
    names = sorted(read & _names_of(node.module))
    return [ast.ImportFrom(node.module, [ast.alias(one) for one in names], 0)] if names else []
