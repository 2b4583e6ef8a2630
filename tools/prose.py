"""Finds habits of translated prose in docs, docstrings and comments.

`python tools/prose.py [FILE …]` prints each place with what to write instead and exits with 1 if there is
one; without files it reads everything that is written by hand.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

TELLS = {
    r"\b(?:it|that|which|what|they) (?:is|are) told\b|\btells? what\b|\bis told of\b": "say, report, show",
    r"\bof (?:one's|ours) own\b": "your own …",
    r"\bstands? (?:in|on|at|for itself|there|once|behind|before|beside|between)\b": "is, appears",
    r"\blies? in\b": "is in",
    r"\b(?:is|are) no (?!longer|more\b|less\b|fewer|better|worse|match|such|other)[a-z]+": "is not a …",
    r"\bthat are none\b": "that are not",
    r"\bgo(?:es)? on\b|\bgoing on\b": "continue, resume",
    r"\bwhat is left\b": "the rest, the remainder",
    r"\bas it is\b(?! (?:now|today|in))": "unchanged, out of the box",
    r"\bon the way\b": "intermediate",
    r"\bwhat came of\b|\bwhat comes of\b": "the result of",
    r"\bhas to be\b(?= what)": "must be",
    r"\bbeside (?:each|one) other\b": "side by side",
    r"\bgives? itself\b": "returns itself",
    r"\bof whatever\b": "of any",
    r"\b(?:serialis|optimis(?!m)|normalis|initialis|colour|behaviour|neighbour|analyse|grey)": "color, …",
}
OPENINGS = re.compile(r"(?:What|Whether|Where|How|Which|That)\b(?! (?:a|an|the)\b[^.]*\?)")


def plain(line: str) -> str:
    """The line without its code."""
    return re.sub(r"`[^`]*`", "", line)


def lines_of(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Line number, prose and whether it opens a docstring or doc comment."""
    readers = {".md": markdown, ".rs": rust, ".py": python}
    return readers[path.suffix](path.read_text("utf-8"))


def markdown(text: str) -> Iterator[tuple[int, str, bool]]:
    """Lines outside of code blocks."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, plain(line), False


def rust(text: str) -> Iterator[tuple[int, str, bool]]:
    """Comments."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"\s*//([/!]?) ?(.*)", line):
            yield number, plain(found[2]), bool(found[1]) and not inside
        inside = bool(found)


def python(text: str) -> Iterator[tuple[int, str, bool]]:
    """Docstrings and comments."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"\s*# (.*)", line):
            yield number, plain(found[1]), False
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        for one in body if isinstance(body, list) else ():
            value = one.value if isinstance(one, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                for at, line in enumerate(value.value.splitlines()):
                    yield one.lineno + at, plain(line), at == 0


def found_in(path: Path) -> Iterator[str]:
    """A line of the report for each tell in a file."""
    for number, line, opens in lines_of(path):
        for tell, instead in TELLS.items():
            for found in re.finditer(tell, line):
                yield f"{path.relative_to(ROOT)}:{number}: {found[0]!r}: {instead}"
        if opens and OPENINGS.match(line):
            yield f"{path.relative_to(ROOT)}:{number}: {line.split()[0]!r}: open with a noun phrase or a verb"


def written() -> Iterator[Path]:
    """Every Markdown, Rust and Python file in git that is written by hand."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        generated = name.startswith(("docs/families/", "docs/games/"))
        if name.endswith((".md", ".rs", ".py")) and not generated and name != "tools/prose.py":
            yield ROOT / name


if __name__ == "__main__":
    files = [Path(name).resolve() for name in sys.argv[1:]] or written()
    places = [place for path in files for place in found_in(path)]
    print(*places, sep="\n")
    print(f"{len(places)} tells", file=sys.stderr)
    sys.exit(bool(places))
