"""Ready-made forms, which ask for an answer, read it and write it.

Each form writes the last sentence of the prompt, reads exactly what that sentence allows, and lists spellings
that it does not allow, which must fail. `verify` gets what the form has read.
"""

from collections.abc import Sequence

from reasonenv._native import ReadyForm

__all__ = [
    "assignment",
    "choices",
    "grid",
    "integer",
    "integers",
    "line",
    "lines",
    "numbers",
    "route",
    "words",
]


def integer() -> ReadyForm:
    """One whole number: `int`."""
    return ReadyForm.integer()


def integers(count: int, what: str) -> ReadyForm:
    """Exactly `count` whole numbers separated by commas, two or more: `list[int]`.

    Args:
        count: Number of whole numbers.
        what: Description of the numbers and their order: "counts in the order in which the letters are
            named".
    """
    return ReadyForm.integers(count, what)


def numbers(what: str, most: int = 100) -> ReadyForm:
    """One or more whole numbers separated by commas: `list[int]`.

    Args:
        what: Description of the numbers and their order: "prime factors in increasing order".
        most: Largest count of numbers that is read.
    """
    return ReadyForm.numbers(what, most)


def choices(count: int, what: str) -> ReadyForm:
    """Any subset of `count` things numbered from 1, possibly empty: `list[int]` in increasing order.

    Args:
        count: Number of things.
        what: Plural noun for the chosen ones: "true statements".
    """
    return ReadyForm.choices(count, what)


def line(what: str) -> ReadyForm:
    """One line in which every character counts: `str`.

    Args:
        what: Description of the line: "the reversed text".
    """
    return ReadyForm.line(what)


def lines(what: str) -> ReadyForm:
    """Several lines in which every character counts: `str`. Any text is read; `verify` reports mistakes.

    Args:
        what: Description of the answer: "the lines of the drawing".
    """
    return ReadyForm.lines(what)


def words(what: str, words: Sequence[str]) -> ReadyForm:
    """One or more words of a list, separated by commas: `list[str]`.

    Args:
        what: Description of the answer and of each word: "the moves in order, each like up or down,".
        words: Allowed words.
    """
    return ReadyForm.words(what, words)


def assignment(noun: str, names: Sequence[str], values: Sequence[str]) -> ReadyForm:
    """A value for every name, in any order: `dict[str, str]`.

    Args:
        noun: Singular noun for the named things: "islander".
        names: All names.
        values: Two or more possible values.
    """
    return ReadyForm.assignment(noun, names, values)


def route(
    names: Sequence[str], start: str | None = None, end: str | None = None, *, closed: bool = False
) -> ReadyForm:
    """Names in the order they are visited, joined by `->`: `list[str]`.

    Args:
        names: All names.
        start: Name at which the sentence says the route begins; `verify` must check it.
        end: Name at which the sentence says the route ends; `verify` must check it.
        closed: Whether the route returns to its start; writing that name again is optional, and `read`
            drops it.
    """
    return ReadyForm.route(names, start, end, closed=closed)


def grid(what: str, rows: int, columns: int, low: int, high: int) -> ReadyForm:
    """A grid of whole numbers, one row per line: `list[list[int]]`.

    Args:
        what: Description of the grid: "the completed grid".
        rows: Number of rows.
        columns: Numbers per row.
        low: Smallest number that is read.
        high: Largest number that is read.
    """
    return ReadyForm.grid(what, rows, columns, low, high)
