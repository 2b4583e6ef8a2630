"""Verifiers of rows of your own: each factory returns a function of (texts, truths) that gives verdicts.

>>> from reasonenv import verifiers
>>> judge = verifiers.exact_match(tag="answer")
>>> judge(["so <answer>4</answer>", "<answer>5</answer>"], ["4", "4"]).passed.tolist()
[True, False]

Any text gets a verdict. Verifiers are stateless, pickle, and run in parallel without the GIL. All take

- `tag`: the tag the answer stands in; None takes the whole completion, trimmed.
- `reading`: how answers are read: "clean", "strict" or "lenient" (docs/verifier-safety.md).
- `stop_tokens`: marks of your model's own at which its turn ends. At the end of a completion they count as
  white space, as the marks of the common chat templates do; with `tag=None` only yours do.

A bad option raises InvalidParams. A call raises InvalidArgument unless there are as many truths as texts, all
of them str, and InvalidTruth for the first truth that no answer could be held against.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from reasonenv._native import Verifier, list_verifiers, read_answers, tree_compat

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.types import ReadingName

__all__ = [
    "Normalize",
    "Verifier",
    "ascii_tree",
    "difflib_ratio",
    "edit_ratio",
    "exact_match",
    "json_equal",
    "lcs_ratio",
    "list_verifiers",
    "number_equal",
    "read_answers",
    "tree_compat",
]

Normalize = Literal["case", "spacing", "case+spacing"] | Callable[[str], str] | None


def exact_match(
    tag: str | None = "answer",
    *,
    normalize: Normalize = None,
    reading: "ReadingName" = "strict",
    stop_tokens: Sequence[str] = (),
) -> Verifier:
    """The same text; `score` is 1.0 or 0.0.

    Args:
        tag: As above.
        normalize: What is ignored: "case", "spacing" (runs of white space count as one space),
            "case+spacing". Or a function: what it makes of the answer, as it was read, and of the truth,
            without outer white space, is compared. It runs in Python, row by row; where it raises or returns
            no str, the call raises InvalidArgument naming the row.
        reading: As above.
        stop_tokens: As above.
    """
    given = "none" if normalize is None else normalize
    return Verifier("exact_match", tag=tag, normalize=given, reading=reading, stop_tokens=stop_tokens)


def json_equal(
    tag: str | None = "answer", *, reading: "ReadingName" = "strict", stop_tokens: Sequence[str] = ()
) -> Verifier:
    """The same JSON value, whatever the order of keys and the notation of numbers.

    Numbers are compared exactly, with any number of digits. JSON is that of RFC 8259: NaN and Infinity, which
    Python writes too, are not. A key given twice is malformed, and so is a value nested deeper than 1,000
    levels.
    """
    return Verifier("json_equal", tag=tag, reading=reading, stop_tokens=stop_tokens)


def number_equal(
    tag: str | None = "answer",
    *,
    tolerance: float = 0.0,
    reading: "ReadingName" = "strict",
    stop_tokens: Sequence[str] = (),
) -> Verifier:
    """The same number, exactly, whatever its notation and size.

    A number is a decimal, with or without an exponent (`-12`, `+12`, `.5`, `1.2e-3`), or a fraction of two
    integers (`3/4`, `-3 / 4`). A minus sign is `-` or `−`. Nothing else is read: no thousands separators,
    units, percent signs, mixed numbers, words or formulas.

    Args:
        tag: As above.
        tolerance: The difference that still passes, decided exactly; it is the decimal that Python prints, so
            0.1 is one tenth.
        reading: As above.
        stop_tokens: As above.
    """
    return Verifier("number_equal", tag=tag, tolerance=tolerance, reading=reading, stop_tokens=stop_tokens)


def difflib_ratio(
    tag: str | None = None, *, reading: "ReadingName" = "strict", stop_tokens: Sequence[str] = ()
) -> Verifier:
    """Score = Python's difflib ratio over characters, autojunk and all; passes only when equal.

    The ratio is Ratcliff-Obershelp's, not a longest common subsequence: from 200 characters on, autojunk
    ignores common characters and the score can collapse. `lcs_ratio` has no such cliff.
    """
    return Verifier("difflib_ratio", tag=tag, reading=reading, stop_tokens=stop_tokens)


def lcs_ratio(
    tag: str | None = None, *, reading: "ReadingName" = "strict", stop_tokens: Sequence[str] = ()
) -> Verifier:
    """Score = longest common subsequence over the longer length, in characters; passes only when equal."""
    return Verifier("lcs_ratio", tag=tag, reading=reading, stop_tokens=stop_tokens)


def edit_ratio(
    tag: str | None = None, *, reading: "ReadingName" = "strict", stop_tokens: Sequence[str] = ()
) -> Verifier:
    """Score = 1 - edit distance over the longer length, in characters; passes only when equal."""
    return Verifier("edit_ratio", tag=tag, reading=reading, stop_tokens=stop_tokens)


def ascii_tree(
    tag: str | None = "ascii_formatted",
    *,
    scorer: Literal["strict", "compat", "structural"] = "strict",
    reading: "ReadingName" = "clean",
    stop_tokens: Sequence[str] = (),
) -> Verifier:
    """Drawings of directory trees.

    Args:
        tag: As above.
        scorer: "strict" passes the same drawing, line by line. "compat" scores as SYNTHETIC-2 does, bit for
            bit (`tree_compat` gives it as float64): it reads the first tag block, whatever the reading, and
            passes at 1.0. "structural" passes the same tree however it is drawn; `score` is the F1 over
            edges, and `parts` hold `node_f1`, `edge_f1`, `order` and `depth`.
        reading: As above, but "compat" has its own.
        stop_tokens: As above.
    """
    return Verifier("ascii_tree", tag=tag, scorer=scorer, reading=reading, stop_tokens=stop_tokens)
