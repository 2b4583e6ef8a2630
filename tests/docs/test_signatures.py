"""Signatures stay short: what most callers need, with settings objects for the rest."""

import ast
from collections.abc import Iterator
from pathlib import Path

import reasonenv

PACKAGE = Path(reasonenv.__file__).parent
MOST = 12


def signatures(path: Path) -> Iterator[tuple[str, int]]:
    """Each function of a file with the number of its parameters, the bound first one left out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            yield node.name, len(given) - (given[:1] in (["self"], ["cls"]))


def test_no_signature_is_long() -> None:
    # A command's parameters are its options, which Typer reads from the signature.
    files = [path for path in PACKAGE.rglob("*.py") if path.parent.name != "_cli"]
    long = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in files
        for name, count in signatures(path)
        if count > MOST
    }
    assert long == set()
