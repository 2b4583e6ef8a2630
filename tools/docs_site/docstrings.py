"""A Griffe extension: how docstrings and names of the package read in the API reference."""

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^( *)>>> .*(?:\n(?! *\n| *$).*)*", re.MULTILINE)


def fenced(text: str) -> str:
    """A docstring with a fence around every doctest."""
    return DOCTEST.sub(lambda found: f"{found[1]}```pycon\n{found[0]}\n{found[1]}```", text)


class Docstrings(griffe.Extension):
    """Fences doctests, and shows the functions of the registry as the extension documents them."""

    def on_package(self, *, pkg: griffe.Module, **_kwargs: Any) -> None:
        """Rewrites a package that was just loaded."""
        # `family = _native.family` has an overload for every name, which a reader can do without.
        for name in ("family", "game"):
            pkg.members[name] = griffe.Alias(name, pkg["_native"].members[name], parent=pkg)
        waiting: list[griffe.Object] = [pkg]
        while waiting:
            one = waiting.pop()
            if one.docstring and ">>> " in one.docstring.value:
                one.docstring.value = fenced(one.docstring.value)
            waiting += [member for member in one.members.values() if isinstance(member, griffe.Object)]
