"""Ready-made forms: how an answer is asked for, read and written.

Each writes the last sentence of the prompt, reads exactly what that sentence allows, and knows spellings that
it does not allow, which must fail. What is read, `verify` is given.
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
    """`count` whole numbers with commas between them, two or more: `list[int]`.

    Args:
        count: How many there are.
        what: What they are and in which order: "counts in the order in which the letters are named".
    """
    return ReadyForm.integers(count, what)


def numbers(what: str, most: int = 100) -> ReadyForm:
    """One whole number or more, with commas between them: `list[int]`.

    Args:
        what: What they are and in which order: "prime factors in increasing order".
        most: The most that are read.
    """
    return ReadyForm.numbers(what, most)


def choices(count: int, what: str) -> ReadyForm:
    """Some of `count` things numbered from 1, or none of them: `list[int]` in increasing order.

    Args:
        count: How many things there are.
        what: What the chosen ones are, in the plural: "true statements".
    """
    return ReadyForm.choices(count, what)


def line(what: str) -> ReadyForm:
    """One line in which every character counts: `str`.

    Args:
        what: What to write: "the reversed text".
    """
    return ReadyForm.line(what)


def lines(what: str) -> ReadyForm:
    """Lines that must stand exactly so: `str`. Any text is read, so what is wrong with it `verify` says.

    Args:
        what: What the answer is: "the lines of the drawing".
    """
    return ReadyForm.lines(what)


def words(what: str, words: Sequence[str]) -> ReadyForm:
    """Words of a list with commas between them, at least one: `list[str]`.

    Args:
        what: What is asked for and how each looks: "the moves in order, each like up or down,".
        words: Those that may be used.
    """
    return ReadyForm.words(what, words)


def assignment(noun: str, names: Sequence[str], values: Sequence[str]) -> ReadyForm:
    """A value for every name, in any order: `dict[str, str]`.

    Args:
        noun: What has a name, in the singular: "islander".
        names: All of them.
        values: What each may be, two or more.
    """
    return ReadyForm.assignment(noun, names, values)


def route(
    names: Sequence[str], start: str | None = None, end: str | None = None, *, closed: bool = False
) -> ReadyForm:
    """Names in the order they are visited, joined by `->`: `list[str]`.

    Args:
        names: All that there are.
        start: Where the sentence says that it begins, and `verify` checks that it does.
        end: Where it ends.
        closed: It ends where it begins; that name at the end is optional and not in what is read.
    """
    return ReadyForm.route(names, start, end, closed=closed)


def grid(what: str, rows: int, columns: int, low: int, high: int) -> ReadyForm:
    """A grid of whole numbers, one row a line: `list[list[int]]`.

    Args:
        what: What is asked for: "the completed grid".
        rows: How many rows.
        columns: How many numbers a row.
        low: The least number that is read.
        high: The largest.
    """
    return ReadyForm.grid(what, rows, columns, low, high)
