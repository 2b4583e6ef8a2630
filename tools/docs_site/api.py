"""The API reference: one page per public module, with the names listed in docs/surface.txt."""

import re
from pathlib import Path


def modules(surface: str) -> dict[str, list[str]]:
    """Return the public names of every module, except modules, which have their own pages."""
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in surface.splitlines():
        if match := re.fullmatch(r"(reasonenv[\w.]*) \(\d+\)", line):
            names = found.setdefault(match[1], [])
        elif match := re.fullmatch(r"    (?:class |def )?(\w+)(?::.*)?", line):
            names.append(match[1])
    return found


def page(module: str, names: list[str]) -> str:
    """Return the page of a module, which mkdocstrings fills in from its docstrings."""
    members = ", ".join(names)
    return (
        f"# {module}\n\n::: {module}\n    options:\n      members: [{members}]\n"
        "      show_root_heading: false\n      show_root_toc_entry: false\n"
    )


def index(found: dict[str, list[str]]) -> str:
    """Return the list of modules, each with its names."""
    lines = [
        f"- [`{module}`]({module}.md): "
        + ", ".join(f"[`{name}`]({module}.md#{module}.{name})" for name in names)
        for module, names in found.items()
    ]
    return (
        "# API reference\n\nEvery public name, by module. Params and names of the registry are typed in "
        "`reasonenv.types`.\n\n" + "\n".join(lines) + "\n"
    )


def pages(surface: Path) -> dict[str, str]:
    """Return every page of the reference by its path on the site."""
    found = modules(surface.read_text(encoding="utf-8"))
    return {"api/README.md": index(found)} | {
        f"api/{module}.md": page(module, names) for module, names in found.items()
    }
