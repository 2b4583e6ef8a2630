"""A Griffe extension: doctests among the text of a docstring become code blocks."""

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^( *)>>> .*(?:\n(?! *\n| *$).*)*", re.MULTILINE)


def fenced(text: str) -> str:
    """A docstring with a fence around every doctest."""
    return DOCTEST.sub(lambda found: f"{found[1]}```pycon\n{found[0]}\n{found[1]}```", text)


class Doctests(griffe.Extension):
    """Fences the doctests of every docstring."""

    def on_object(self, *, obj: griffe.Object, **_kwargs: Any) -> None:
        """Rewrites the docstring of an object that was just loaded."""
        if obj.docstring and ">>> " in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)
