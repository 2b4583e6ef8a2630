"""The Python and the shell commands that a page of the docs shows."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SNIPPET = re.compile(r"```python( needs-packages)?\n(.*?)```", re.DOTALL)
SHELL = re.compile(r"^```(?:sh|bash|shell|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def has_python(page: Path) -> bool:
    return any(not marked for marked, _ in SNIPPET.findall(page.read_text(encoding="utf-8")))


def shell_blocks(page: Path) -> list[tuple[int, str]]:
    """The shell blocks of a page, each with the number of its first line."""
    text = page.read_text(encoding="utf-8")
    return [(text[: block.start()].count("\n") + 1, block[1]) for block in SHELL.finditer(text)]


def run_page(page: Path, *, packages: bool = False, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Runs a page's Python as one program and returns its names; each block of the README is its own program.

    Blocks marked `needs-packages`, which take packages that `make test` does without, run only with them;
    `given` is what such a block expects of its reader, a model for instance.
    """
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "page", **(given or {})}
    for snippet in SNIPPET.finditer(text):
        if snippet[1] and not packages:
            continue
        if page == ROOT / "README.md":
            names = {"__name__": "page"}  # whoever reads it copies one of them
        # Where the page has them, so that a traceback names the page's own line.
        lines = "\n" * (text[: snippet.start()].count("\n") + 1)
        exec(compile(lines + snippet[2], str(page.relative_to(ROOT)), "exec"), names)
    return names
