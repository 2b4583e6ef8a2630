"""A typed function for each verifier. The common options stand in `Common`."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from reasonenv._native import Verifier

if TYPE_CHECKING:  # it has a class for every unit, which an import need not wait for
    from reasonenv.types import ReadingName

Extract = Literal["auto", "tag", "boxed", "hash", "last_number", "last_line", "whole"]


class Common(TypedDict, total=False):
    """What every verifier takes."""

    extract: Extract
    """Where the answer stands; "tag" unless `tag` is None, and then "whole"."""
    reading: "ReadingName"
    """How much may stand around the answer."""
    stop_tokens: Sequence[str]
    """Marks of your model's own at which its turn ends."""


Normalize = Literal["case", "spacing", "case+spacing", "squad"] | Callable[[str], str] | None


def exact_match(
    tag: str | None = "answer",
    *,
    normalize: Normalize = None,
    **common: Unpack[Common],
) -> Verifier:
    """The same text; `score` is 1.0 or 0.0.

    Args:
        tag: The tag the answer stands in.
        normalize: What is ignored: "case", "spacing" (runs of white space count as one space),
            "case+spacing"; "squad" (case, ASCII punctuation, articles and spacing, as SQuAD does). Or a
            function: what it makes of the answer, as it was read, and of the truth, without outer white
            space, is compared. It runs in Python, row by row; where it raises or returns no str, the call
            raises InvalidArgument naming the row.
        **common: `Common`.
    """
    given = "none" if normalize is None else normalize
    return Verifier("exact_match", tag=tag, normalize=given, **common)


def json_equal(tag: str | None = "answer", **common: Unpack[Common]) -> Verifier:
    """The same JSON value, whatever the order of keys and the notation of numbers.

    Numbers are compared exactly, with any number of digits. JSON is that of RFC 8259: NaN and Infinity, which
    Python writes too, are not. A key given twice is malformed, and so is a value nested deeper than 1,000
    levels.
    """
    return Verifier("json_equal", tag=tag, **common)


def number_equal(
    tag: str | None = "answer",
    *,
    tolerance: float = 0.0,
    relative: float = 0.0,
    significant_digits: int = 0,
    thousands: bool = False,
    currency: bool = False,
    units: Sequence[str] = (),
    **common: Unpack[Common],
) -> Verifier:
    """The same number, exactly, whatever its notation and size.

    A number is a decimal, with or without an exponent (`-12`, `+12`, `.5`, `1.2e-3`), or a fraction of two
    integers (`3/4`, `-3 / 4`). A minus sign is `-` or `−`. Nothing else is read unless it is asked for: no
    thousands separators, units, percent signs, mixed numbers, words or formulas. An answer passes that is
    near enough in one of the ways asked for; each is decided exactly.

    Args:
        tag: The tag the answer stands in.
        tolerance: The difference that still passes; it is the decimal that Python prints: 0.1 is one tenth.
        relative: The difference that still passes, as a share of the truth.
        significant_digits: A difference of half a unit of this many digits of the truth still passes.
        thousands: Commas may part the digits before the point in threes: `1,000`.
        currency: One sign of `$€£¥₹₩₽¢` may stand before or after the number.
        units: What may follow the number, such as "km". Two units or signs that differ do not pass; one that
            is left out does. Nothing is converted.
        **common: `Common`.
    """
    return Verifier(
        "number_equal",
        tag=tag,
        tolerance=tolerance,
        relative=relative,
        significant_digits=significant_digits,
        thousands=thousands,
        currency=currency,
        units=list(units),
        **common,
    )


def choice(
    tag: str | None = "answer",
    *,
    choices: Sequence[str] = (),
    num_choices: int = 26,
    **common: Unpack[Common],
) -> Verifier:
    """The same choice: "B", "(B)", "B.", "**B**", "option B", or the choice's text, or both where they agree.

    Two letters, or a letter with the text of another choice, are `hedged`.

    Args:
        tag: The tag the answer stands in.
        choices: The texts of the choices, that of A first. Without them only letters are read.
        num_choices: How many letters there are where the texts are not given.
        **common: `Common`.
    """
    return Verifier("choice", tag=tag, choices=list(choices), num_choices=num_choices, **common)


def set_equal(
    tag: str | None = "answer",
    *,
    items: Literal["words", "numbers", "maths"] = "words",
    separator: str = ",",
    ignore_case: bool = False,
    **common: Unpack[Common],
) -> Verifier:
    """The same items in any order; one given twice counts once. `score` is the F1 over items.

    Args:
        tag: The tag the answer stands in.
        items: "words"; "numbers", which are compared exactly: `1/2` is `0.5`; or "maths", which are compared
            as `math_equal` does: `(1,2)` is one item.
        separator: What stands between items; " " is any white space. Brackets around the items and quotes
            around an item do not count.
        ignore_case: Whether the case of words does not count.
        **common: `Common`.
    """
    return Verifier("set_equal", tag=tag, items=items, separator=separator, ignore_case=ignore_case, **common)


def list_equal(
    tag: str | None = "answer",
    *,
    items: Literal["words", "numbers", "maths"] = "words",
    separator: str = ",",
    ignore_case: bool = False,
    tolerance: float = 0.0,
    **common: Unpack[Common],
) -> Verifier:
    """The same items in the same order; `score` is the share of them in place.

    Args:
        tag: The tag the answer stands in.
        items: As for `set_equal`.
        separator: As for `set_equal`.
        ignore_case: As for `set_equal`.
        tolerance: By how much numbers may differ.
        **common: `Common`.
    """
    return Verifier(
        "list_equal",
        tag=tag,
        items=items,
        separator=separator,
        ignore_case=ignore_case,
        tolerance=tolerance,
        **common,
    )


def regex_match(
    tag: str | None = "answer",
    *,
    search: bool = False,
    ignore_case: bool = False,
    **common: Unpack[Common],
) -> Verifier:
    """What the truth, a regular expression, matches.

    The syntax is that of Rust's crate `regex`: linear time, no look-around and no back references.

    Args:
        tag: The tag the answer stands in.
        search: Whether a match anywhere in the answer is enough; else it must be all of it.
        ignore_case: Whether case does not count.
        **common: `Common`.
    """
    return Verifier("regex_match", tag=tag, search=search, ignore_case=ignore_case, **common)


def table_equal(
    tag: str | None = "answer",
    *,
    format: Literal["auto", "csv", "markdown", "json"] = "auto",
    delimiter: str = ",",
    row_order: bool = False,
    columns: Literal["by_name", "in_order", "by_place", "no_header"] = "by_name",
    tolerance: float = 0.0,
    ignore_case: bool = False,
    typed: bool = False,
    **common: Unpack[Common],
) -> Verifier:
    """The same table, as a query returns it; `score` is the F1 over rows, and `detail` names row and column.

    A table is CSV, Markdown or what a database's shell prints, or JSON: a list of objects, a list of lists
    of which the first holds the names, or an object a line. Cells that read as numbers are compared exactly;
    an empty cell, `NULL`, `null`, `None`, `NaN`, `nan` and `<NA>` are NULL; a number with a zero too many at
    its start is text. `parts` hold `columns` and `rows`.

    Args:
        tag: The tag the answer stands in.
        format: How an answer is written; a truth may be written in any way.
        delimiter: What stands between the cells of CSV; a first line with tabs is read as such.
        row_order: Whether the order of rows counts. Else a row that comes twice must come twice.
        columns: How columns find each other: "by_name", in any order; by name "in_order"; "by_place",
            whatever their names; "no_header" where the first row is data.
        tolerance: By how much numbers may differ; it is the decimal that Python prints.
        ignore_case: Whether the case of texts and names does not count.
        typed: Whether JSON strings and quoted cells of CSV are text even where they read as a number, a truth
            value or NULL.
        **common: `Common`.
    """
    return Verifier(
        "table_equal",
        tag=tag,
        format=format,
        delimiter=delimiter,
        row_order=row_order,
        columns=columns,
        tolerance=tolerance,
        ignore_case=ignore_case,
        typed=typed,
        **common,
    )


def json_schema(
    tag: str | None = "answer",
    *,
    schema: Mapping[str, Any] | bool | None = None,
    formats: bool = True,
    **common: Unpack[Common],
) -> Verifier:
    """JSON that a JSON Schema allows (draft 2020-12, and what drafts 6 to 2019-09 write otherwise).

    Each truth is a schema, read once however often it comes. `$ref` leads into the schema itself and nowhere
    else. Numbers are compared exactly, patterns matched in linear time: look-around is refused. The first
    broken rule is named by its place, as in "`/items/2/name` is 3, but must be of type string".

    Args:
        tag: The tag the answer stands in.
        schema: The schema of all rows; then truths do not count.
        formats: Whether `format` is checked. Known are date-time, date, time, duration, email, hostname,
            ipv4, ipv6, uri, uri-reference, uuid, json-pointer and regex.
        **common: `Common`.
    """
    return Verifier("json_schema", tag=tag, schema=schema, formats=formats, **common)


def text_f1(tag: str | None = "answer", *, threshold: float = 1.0, **common: Unpack[Common]) -> Verifier:
    """The same words up to case, ASCII punctuation and articles; `score` is the F1 over words, as for SQuAD.

    Args:
        tag: The tag the answer stands in.
        threshold: From which F1 on an answer passes. At 1 the order of words counts as well. `parts`
            hold `f1` and `exact`.
        **common: `Common`.
    """
    return Verifier("text_f1", tag=tag, threshold=threshold, **common)


def rouge_l(tag: str | None = "answer", *, threshold: float = 1.0, **common: Unpack[Common]) -> Verifier:
    """ROUGE-L, the F-measure over the longest common subsequence of words, without stemming.

    Words are runs of letters and digits of any script, in lower case.

    Args:
        tag: The tag the answer stands in.
        threshold: From which F-measure on an answer passes. `parts` hold `rouge_l`, `precision` and `recall`.
        **common: `Common`.
    """
    return Verifier("rouge_l", tag=tag, threshold=threshold, **common)


def output_equal(
    tag: str | None = "answer",
    *,
    by: Literal["tokens", "lines"] = "tokens",
    tolerance: float = 0.0,
    ignore_case: bool = False,
    **common: Unpack[Common],
) -> Verifier:
    """The same program output; `score` is the share of words or lines in place.

    Args:
        tag: The tag the answer stands in.
        by: "tokens": the same words, however they are spaced. "lines": the same lines, indents included, but
            for white space at their ends and empty lines at either end.
        tolerance: By how much numbers may differ.
        ignore_case: Whether case does not count.
        **common: `Common`.
    """
    return Verifier("output_equal", tag=tag, by=by, tolerance=tolerance, ignore_case=ignore_case, **common)


def instructions(
    tag: str | None = None,
    *,
    constraints: Sequence[Mapping[str, Any]] = (),
    **common: Unpack[Common],
) -> Verifier:
    """What follows every instruction of a list; `score` is the share followed, `detail` names the rest.

    A constraint is a dict with a `kind`, such as `{"kind": "words", "max": 100}`; docs/verifiers.md
    lists them.

    Args:
        tag: The tag the text stands in; without one it is the whole completion.
        constraints: What every row is held against; truths do not count then. Else each truth is a JSON list
            of constraints.
        **common: `Common`.
    """
    return Verifier("instructions", tag=tag, constraints=[dict(one) for one in constraints], **common)


def tags(
    tag: str | None = None,
    *,
    names: Sequence[str] = ("answer",),
    text_outside: bool = True,
    **common: Unpack[Common],
) -> Verifier:
    """The tags stand once each, in this order, none of them empty. Truths do not count.

    Args:
        tag: The tag all of this stands in; without one it is the whole completion.
        names: The tags in the order in which they come.
        text_outside: Whether text may stand outside of them.
        **common: `Common`.
    """
    return Verifier("tags", tag=tag, names=list(names), text_outside=text_outside, **common)


def think(
    tag: str | None = None, *, opened: bool = False, min_chars: int = 1, **common: Unpack[Common]
) -> Verifier:
    """Reasoning in `<think>` at the start, closed once, and text after it. Truths do not count.

    Args:
        tag: The tag all of this stands in; without one it is the whole completion.
        opened: Whether the chat template writes `<think>`, so that a completion starts inside of it.
        min_chars: The fewest characters of reasoning.
        **common: `Common`.
    """
    return Verifier("think", tag=tag, opened=opened, min_chars=min_chars, **common)


def length(
    tag: str | None = None,
    *,
    min_chars: int = 1,
    max_chars: int | None = None,
    min_words: int = 0,
    max_words: int | None = None,
    reasoning: bool = True,
    **common: Unpack[Common],
) -> Verifier:
    """As many characters and words as are asked for. Truths do not count.

    Args:
        tag: The tag the text stands in; without one it is the whole completion.
        min_chars: The fewest characters.
        max_chars: The most characters.
        min_words: The fewest words.
        max_words: The most words.
        reasoning: Whether reasoning counts.
        **common: `Common`.
    """
    return Verifier(
        "length",
        tag=tag,
        min_chars=min_chars,
        max_chars=max_chars,
        min_words=min_words,
        max_words=max_words,
        reasoning=reasoning,
        **common,
    )


def difflib_ratio(tag: str | None = None, **common: Unpack[Common]) -> Verifier:
    """Score = Python's difflib ratio over characters, autojunk and all; passes only when equal.

    The ratio is Ratcliff-Obershelp's, not a longest common subsequence: from 200 characters on, autojunk
    ignores common characters and the score can collapse. `lcs_ratio` has no such cliff.
    """
    return Verifier("difflib_ratio", tag=tag, **common)


def lcs_ratio(tag: str | None = None, **common: Unpack[Common]) -> Verifier:
    """Score = longest common subsequence over the longer length, in characters; passes only when equal."""
    return Verifier("lcs_ratio", tag=tag, **common)


def edit_ratio(tag: str | None = None, **common: Unpack[Common]) -> Verifier:
    """Score = 1 - edit distance over the longer length, in characters; passes only when equal."""
    return Verifier("edit_ratio", tag=tag, **common)


def ascii_tree(
    tag: str | None = "ascii_formatted",
    *,
    scorer: Literal["strict", "compat", "structural"] = "strict",
    **common: Unpack[Common],
) -> Verifier:
    """Drawings of directory trees.

    Args:
        tag: The tag the answer stands in.
        scorer: "strict" passes the same drawing, line by line. "compat" scores as SYNTHETIC-2 does, bit for
            bit (`tree_compat` gives it as float64): it reads the first tag block, whatever the reading, and
            passes at 1.0. "structural" passes the same tree however it is drawn; `score` is the F1 over
            edges, and `parts` hold `node_f1`, `edge_f1`, `order` and `depth`.
        **common: `Common`; "compat" has a reading of its own.
    """
    return Verifier("ascii_tree", tag=tag, scorer=scorer, **common)
