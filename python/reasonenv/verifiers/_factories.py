"""Typed factory of each verifier, with the common options in `Common`."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from reasonenv.verifiers._defined import Verifier

if TYPE_CHECKING:  # it has a class for every family and game, which would slow down the import
    from reasonenv.types import ReadingName

Extract = Literal["auto", "tag", "boxed", "hash", "formula", "last_number", "last_line", "whole"]


class Common(TypedDict, total=False):
    """Options of every verifier."""

    extract: Extract
    """Place of the answer in a completion. By default "tag", or "whole" if `tag` is None."""
    reading: "ReadingName"
    """Reading of the answer, which decides how much other text may surround it."""
    stop_tokens: Sequence[str]
    """End-of-turn marks of your model."""


Normalize = Literal["case", "spacing", "case+spacing", "squad"] | Callable[[str], str] | None


def exact_match(
    tag: str | None = "answer",
    *,
    normalize: Normalize = None,
    **common: Unpack[Common],
) -> Verifier:
    """Compare texts; `score` is 1.0 or 0.0.

    Args:
        tag: Tag around the answer.
        normalize: Differences to ignore: "case", "spacing" (repeated white space counts as one space),
            "case+spacing" or "squad" (case, ASCII punctuation, articles and spacing, as in SQuAD). Or a
            function that is applied to the answer and to the reference, trimmed, before they are compared.
            It runs in Python, row by row; if it raises or does not return a str, the call raises
            InvalidArgument naming the row.
        **common: `Common`.
    """
    given = "none" if normalize is None else normalize
    return Verifier("exact_match", tag=tag, normalize=given, **common)


def json_equal(tag: str | None = "answer", **common: Unpack[Common]) -> Verifier:
    """Compare JSON values, ignoring the order of keys and the notation of numbers.

    Numbers are compared exactly, with any number of digits. JSON follows RFC 8259, without the NaN and
    Infinity that Python can write. A duplicate key is malformed, and so is a value nested deeper than 1,000
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
    """Compare numbers exactly, in any notation and of any size.

    A number is a decimal, with or without an exponent (`-12`, `+12`, `.5`, `1.2e-3`), or a fraction of two
    integers (`3/4`, `-3 / 4`). A minus sign is `-` or `−`. Thousands separators, currency signs and units are
    read only if you allow them; percent signs, mixed numbers, words and formulas never are. An answer passes
    if it is within any of the tolerances; each is decided exactly.

    Args:
        tag: Tag around the answer.
        tolerance: Largest difference that still passes, taken as the decimal that it prints as: 0.1 is one
            tenth.
        relative: Share of the reference by which an answer may differ and still pass.
        significant_digits: Significant digits of the reference to within half a unit of which an answer may
            differ and still pass; 0 for none.
        thousands: Whether commas may separate the digits before the point in groups of three: `1,000`.
        currency: Whether one sign of `$€£¥₹₩₽¢` may appear before or after the number.
        units: Units that may follow the number, like "km". Two different units or signs do not pass; leaving
            one out does. Nothing is converted.
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
    """Compare choices: "B", "(B)", "B.", "**B**", "option B", the text of the choice, or both if they agree.

    Two letters, or a letter with the text of another choice, are `hedged`.

    Args:
        tag: Tag around the answer.
        choices: Texts of the choices, starting with A. Without them only letters are read.
        num_choices: Number of choices if their texts are not given.
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
    """Compare items in any order; a repeated item counts once. `score` is the F1 over items.

    Args:
        tag: Tag around the answer.
        items: Type of the items: "words"; "numbers", compared exactly, so `1/2` equals `0.5`; or "maths",
            compared as by `math_equal`, where `(1,2)` is one item.
        separator: Separator between the items; a space matches any white space. Brackets around the items
            and quotes around an item are ignored.
        ignore_case: Whether to ignore the case of words.
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
    """Compare items in order; `score` is the share of them in the right position.

    Args:
        tag: Tag around the answer.
        items: As for `set_equal`.
        separator: As for `set_equal`.
        ignore_case: As for `set_equal`.
        tolerance: Largest difference between numbers that still passes, taken as the decimal that it prints
            as.
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
    """Match the answer against the reference, a regular expression.

    The syntax is that of Rust's crate `regex`: linear time, no look-around and no back references.

    Args:
        tag: Tag around the answer.
        search: Whether to accept a match anywhere in the answer; otherwise all of it must match.
        ignore_case: Whether to ignore case.
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
    """Compare tables, such as query results; `score` is the F1 over rows, `detail` names row and column.

    A table is CSV, Markdown, the output of a database shell, or JSON: a list of objects, a list of lists
    starting with the names, or one object per line. Cells that read as numbers are compared exactly; an empty
    cell, `NULL`, `null`, `None`, `NaN`, `nan` and `<NA>` are NULL; a number with a superfluous leading zero
    is text. `parts` hold `columns` and `rows`.

    Args:
        tag: Tag around the answer.
        format: Format of an answer. A reference may have any of them.
        delimiter: Separator between the cells of CSV, one character; tabs are read if the first line has
            some.
        row_order: Whether to compare the order of the rows. Without it, a repeated row still counts as often
            as it appears.
        columns: Way to match columns: "by_name", in any order; "in_order", by name in the same order;
            "by_place", by position, ignoring the names; "no_header", by position, where the first row is
            data.
        tolerance: Largest difference between numbers that still passes, taken as the decimal that it prints
            as.
        ignore_case: Whether to ignore the case of texts and names.
        typed: Whether JSON strings and quoted cells of CSV are text even if they read as a number, a boolean
            or NULL.
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
    """Check JSON against a JSON Schema of draft 2020-12, or with the spellings of drafts 6 to 2019-09.

    Each reference is a schema, which is read once even if it is repeated. `$ref` may point only into the
    schema itself. Numbers are compared exactly, and patterns are matched in linear time without look-around.
    `detail` names the place of the first broken rule: "`/items/2/name` is 3, but must be of type string".

    Args:
        tag: Tag around the answer.
        schema: Schema of all rows; references are then ignored. Without it, each reference is a schema.
        formats: Whether to check `format` if its name is known: date-time, date, time, duration, email,
            hostname, ipv4, ipv6, uri, uri-reference, uuid, json-pointer or regex.
        **common: `Common`.
    """
    return Verifier("json_schema", tag=tag, schema=schema, formats=formats, **common)


def text_f1(tag: str | None = "answer", *, threshold: float = 1.0, **common: Unpack[Common]) -> Verifier:
    """Compare words, ignoring case, ASCII punctuation and articles; `score` is the F1 as in SQuAD.

    `parts` hold `f1` and `exact`.

    Args:
        tag: Tag around the answer.
        threshold: Lowest F1 that passes. At 1 the order of the words counts as well.
        **common: `Common`.
    """
    return Verifier("text_f1", tag=tag, threshold=threshold, **common)


def rouge_l(tag: str | None = "answer", *, threshold: float = 1.0, **common: Unpack[Common]) -> Verifier:
    """ROUGE-L: the F-measure over the longest common subsequence of words, without stemming.

    Words are runs of letters and digits of any script, in lower case. `parts` hold `rouge_l`, `precision` and
    `recall`.

    Args:
        tag: Tag around the answer.
        threshold: Lowest F-measure that passes.
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
    """Compare program output; `score` is the share of words or lines in the right position.

    Args:
        tag: Tag around the answer.
        by: "tokens": the same words in any spacing. "lines": the same lines, including indents, except for
            white space at their ends and empty lines at either end.
        tolerance: Largest difference between numbers that still passes, taken as the decimal that it prints
            as.
        ignore_case: Whether to ignore case.
        **common: `Common`.
    """
    return Verifier("output_equal", tag=tag, by=by, tolerance=tolerance, ignore_case=ignore_case, **common)


def instructions(
    tag: str | None = None,
    *,
    constraints: Sequence[Mapping[str, Any]] = (),
    **common: Unpack[Common],
) -> Verifier:
    """Check a text against a list of constraints; `score` is the share met, `detail` names the others.

    A constraint is a dict with a `kind`, such as `{"kind": "words", "max": 100}`; docs/verifiers.md
    lists them.

    Args:
        tag: Tag around the text; None takes the whole completion.
        constraints: Constraints on every answer; references are then ignored. Without it, each reference is
            a JSON list of constraints.
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
    """Check that each tag appears once, in order and with something in it. References are ignored.

    Args:
        tag: Tag around the text; None takes the whole completion.
        names: Names of the tags in order.
        text_outside: Whether text is allowed outside the tags.
        **common: `Common`.
    """
    return Verifier("tags", tag=tag, names=list(names), text_outside=text_outside, **common)


def think(
    tag: str | None = None, *, opened: bool = False, min_chars: int = 1, **common: Unpack[Common]
) -> Verifier:
    """Check for reasoning in `<think>` at the start, closed once, and text after it. References are ignored.

    Args:
        tag: Tag around the text; None takes the whole completion.
        opened: Whether the chat template writes `<think>`, so that a completion starts inside it.
        min_chars: Fewest characters of reasoning.
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
    """Check the number of characters and words. References are ignored.

    Args:
        tag: Tag around the text; None takes the whole completion.
        min_chars: Fewest characters.
        max_chars: Most characters.
        min_words: Fewest words.
        max_words: Most words.
        reasoning: Whether reasoning counts, too.
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
    """Compare drawings of directory trees.

    Args:
        tag: Tag around the answer.
        scorer: "strict" passes the same drawing, line by line. "compat" reproduces SYNTHETIC-2's reward bit
            for bit (`tree_compat` returns it as float64): it reads the first tag block, whatever the
            reading, and passes at 1.0. "structural" passes the same tree in any drawing; `score` is the F1
            over edges, and `parts` hold `node_f1`, `edge_f1`, `order` and `depth`.
        **common: `Common`; "compat" ignores `reading`.
    """
    return Verifier("ascii_tree", tag=tag, scorer=scorer, **common)
