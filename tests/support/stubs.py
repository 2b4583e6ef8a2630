"""Docstrings of `_native.pyi`, copied from the extension. Run this file to write them.

Editors read the stub and never the extension, so the stub repeats the docs written in Rust. Names without
docs in the extension (such as a self-explanatory property) are documented by hand in the stub.
"""

import ast
import textwrap
from collections.abc import Iterator
from inspect import cleandoc, getattr_static
from pathlib import Path

from reasonenv import _native

STUB = Path(__file__).parents[2] / "python/reasonenv/_native.pyi"
WIDTH = 110

Documented = ast.ClassDef | ast.FunctionDef


def members(tree: ast.Module) -> Iterator[tuple[Documented, object, int]]:
    """Yield the node, the extension's object and the depth of every public class, method and function.

    Only the first overload of a function is documented.
    """
    seen: set[tuple[str, str]] = set()
    for node in tree.body:
        if not isinstance(node, Documented) or node.name.startswith("_"):
            continue
        owner = getattr(_native, node.name)
        yield node, owner, 0
        for member in node.body if isinstance(node, ast.ClassDef) else ():
            if not isinstance(member, ast.FunctionDef) or member.name.startswith("_"):
                continue
            if (node.name, member.name) not in seen:
                seen.add((node.name, member.name))
                what = getattr_static(owner, member.name)
                yield member, what.__func__ if isinstance(what, staticmethod) else what, 1


def words(doc: str | None) -> str:
    """Return a docstring without its line breaks."""
    return " ".join((doc or "").split())


SECTIONS = ("Args:", "Raises:", "Returns:")


def parts(doc: str | None) -> list[list[str]]:
    """Return the paragraphs of a docstring: one text, or a section's title and a text for each entry."""
    found = []
    for paragraph in cleandoc(doc or "").split("\n\n"):
        title, _, body = paragraph.partition("\n")
        if title not in SECTIONS:
            found.append([words(paragraph)])
            continue
        entries: list[str] = []
        for line in textwrap.dedent(body).split("\n"):
            if line.startswith(" ") and entries:
                entries[-1] += f" {line.strip()}"
            else:
                entries.append(line.strip())
        found.append([title, *entries])
    return found


def docstring(doc: str, indent: str) -> list[str]:
    """Return a docstring as lines of source."""
    width = WIDTH - len(indent) - 3
    made = []
    for first, *entries in parts(doc.replace("\\", "\\\\")):
        lines = textwrap.wrap(first, width)
        for entry in entries:
            lines += textwrap.wrap(entry, width, initial_indent=" " * 4, subsequent_indent=" " * 8)
        made.append("\n".join(lines))
    lines = "\n\n".join(made).split("\n")
    lines = [f'"""{lines[0]}', *lines[1:]] + (['"""'] if len(lines) > 1 else [])
    if len(lines) == 1:
        lines[0] += '"""'
    return [indent + line if line else "" for line in lines]


def documented(source: str) -> str:
    """Return the stub with the docstrings of the extension."""
    lines = source.split("\n")
    found = list(members(ast.parse(source)))
    for node, what, depth in reversed(found):
        doc = what.__doc__
        if not doc or parts(doc) == parts(ast.get_docstring(node)):
            continue
        made = docstring(doc, "    " * (depth + 1))
        first = node.body[0]
        is_constant = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        if is_constant and first.value.value is ...:  # type: ignore[attr-defined]
            assert first.end_lineno is not None
            lines[first.lineno - 1] = lines[first.lineno - 1].removesuffix(" ...")
            lines[first.lineno : first.lineno] = made
        elif is_constant:
            lines[first.lineno - 1 : first.end_lineno] = made
        else:
            start = min([first.lineno, *(line.lineno for line in getattr(first, "decorator_list", []))])
            lines[start - 1 : start - 1] = [*made, ""]
    return "\n".join(lines)


if __name__ == "__main__":
    STUB.write_text(documented(STUB.read_text()))
