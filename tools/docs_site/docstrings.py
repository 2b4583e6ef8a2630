"""A Griffe extension that adapts docstrings and names of the package to the API reference."""

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^( *)>>> .*(?:\n(?! *\n| *$).*)*", re.MULTILINE)


def fenced(text: str) -> str:
    """Return a docstring with a fence around every doctest."""
    return DOCTEST.sub(lambda found: f"{found[1]}```pycon\n{found[0]}\n{found[1]}```", text)


class Docstrings(griffe.Extension):
    """Fences doctests and shows the registry's functions as documented in the compiled extension."""

    def on_package(self, *, pkg: griffe.Module, **_kwargs: Any) -> None:
        """Rewrite a package that was just loaded."""
        # `family = _native.family` has an overload for every name, which would clutter the page.
        for name in ("family", "game"):
            pkg.members[name] = griffe.Alias(name, pkg["_native"].members[name], parent=pkg)
        waiting: list[griffe.Object] = [pkg]
        while waiting:
            one = waiting.pop()
            if one.docstring and ">>> " in one.docstring.value:
                one.docstring.value = fenced(one.docstring.value)
            waiting += [member for member in one.members.values() if isinstance(member, griffe.Object)]
