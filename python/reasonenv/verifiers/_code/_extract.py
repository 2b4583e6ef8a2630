"""The code in a completion: a fenced block, the text of a tag, or the whole completion."""

import ast
import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from reasonenv._native import read_answers
from reasonenv.verifiers._code._source import parse
from reasonenv.verifiers._reasoning import without_reasoning, without_tokens

Extract = Literal["auto", "fence", "whole"]
EXTRACTS: tuple[Extract, ...] = ("auto", "fence", "whole")

LONGEST = 1 << 16
"""Limit in bytes of the code; longer programs are `answer_too_long`, like longer answers elsewhere."""

LANGUAGES = {
    "python": re.compile(r"\{?\.?(?:python|py|ipython)[\d.]*\}?"),
    "sql": re.compile(r"\{?\.?(?:sql|sqlite|sqlite3)\}?"),
}
"""Names of each language in the first line of a fenced block."""

_OPENING = re.compile(
    r"([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}(?=[^`]*\Z)|~{3,})[ \t]*(\{?\.?[\w+#.-]*\}?)"
)
_QUOTED = re.compile(r"^ {0,3}> ?(?:`{3}|~{3})", re.MULTILINE)
_QUOTE = re.compile(r"^ {0,3}> ?", re.MULTILINE)
_CLOSING = re.compile(r"([ \t]*)(`{3,}+|~{3,}+)[ \t]*+(?!\w)")


class Code(NamedTuple):
    """The extracted code, or a label and a reason."""

    text: str | None
    label: str = ""
    detail: str = ""
    fenced: bool = True
    """False if no block was found and the text is the whole completion, which may not be code."""


class Block(NamedTuple):
    """A fenced block: its language, its text, and a flag for a closing fence."""

    language: str
    text: str
    closed: bool


def extract_code(
    text: str, language: str, extract: Extract, tag: str | None, fits: Callable[[str], bool] | None = None
) -> Code:
    """Find the code in a completion: its last fenced block in the language, or else without a language.

    Args:
        text: The completion.
        language: "python" or "sql".
        extract: Where the code may be.
        tag: Tag that holds the code.
        fits: True for a block that can be the answer, as opposed to an example of its use.
    """
    if tag is not None:
        answer = read_answers([text], tag=tag, reading="lenient")[0]
        if answer is None:
            return Code(None, "no_code", f"no <{tag}> holds an answer")
        text = answer
    else:
        text = without_reasoning(text)
    found = _find(text, language, extract, fits)
    if found.text is None:
        return found
    if len(found.text.encode("utf-8", "replace")) > LONGEST:
        return Code(None, "answer_too_long", "the code is longer than 64 KiB")
    return found._replace(text=found.text.removeprefix("\ufeff"))


def _find(text: str, language: str, extract: Extract, fits: Callable[[str], bool] | None) -> Code:
    if extract != "whole":
        blocks = [] if extract == "auto" and _quotes_fences(text, language) else fenced_blocks(text, language)
        chosen = [one for one in blocks if LANGUAGES[language].fullmatch(one.language)] or [
            one for one in blocks if not one.language
        ]
        if chosen and not chosen[-1].closed and (language != "python" or not _is_code(chosen[-1].text)):
            return Code(None, "truncated", "the last code block is not closed")
        if fits is not None and len(chosen) > 1:
            chosen = [one for one in chosen if fits(one.text)] or chosen
        if chosen:
            return Code(chosen[-1].text)
        if blocks or extract == "fence":
            return Code(None, "no_code", f"no fenced code block holds {language}")
        text = without_tokens(text)
    return (
        Code(text, fenced=extract == "whole")
        if text.strip()
        else Code(None, "no_code", "the completion holds no code")
    )


def _is_code(text: str) -> bool:
    """True if text is a Python program rather than a word or a sentence."""
    if len(text) > LONGEST:
        return False
    try:
        body = parse(text).body
    except SyntaxError:
        return False
    return any(not isinstance(one, ast.Expr) or isinstance(one.value, ast.Call) for one in body)


def _quotes_fences(text: str, language: str) -> bool:
    """True if fences occur only within strings or comments of a program that is the whole completion."""
    if language != "python" or any(f"\n{marks}" in f"\n{text}" for marks in ("```", "~~~")):
        return False
    return ("```" in text or "~~~" in text) and _is_code(text)


def fenced_blocks(text: str, prefilled: str = "") -> list[Block]:
    """Return all fenced blocks in order, without the indentation that their first lines have.

    A block ends at a bare fence of the kind that opened it, not indented further than by three columns.

    Args:
        text: The text to search.
        prefilled: Language of the block that the text may begin in, because the prompt has opened it.
    """
    if _QUOTED.search(text):
        text = _QUOTE.sub("", text)
    lines = text.split("\n")
    blocks = _blocks(lines, None)
    if prefilled == "python":
        first = next((at for at, line in enumerate(lines) if _OPENING.match(line)), None)
        if first and not (_OPENING.match(lines[first]) or [""])[3] and _is_code("\n".join(lines[:first])):
            continued = _blocks(lines, Block(prefilled, "", False))
            if all(one.closed for one in continued):
                return continued
    return blocks


def _blocks(lines: list[str], opened: Block | None) -> list[Block]:
    blocks: list[Block] = []
    fence, width, body = "", 0, list[str]()
    for line in lines:
        if opened is None:
            if opening := _OPENING.match(line):
                width, fence = len(opening[1].expandtabs(4)), opening[2]
                opened, body = Block(opening[3].lower(), "", False), []
            continue
        closing = _CLOSING.match(line)
        if closing and _closes(closing, fence, width):
            blocks.append(Block(opened.language, "".join(f"{one}\n" for one in body), True))
            opened = None
        else:
            body.append(_dedented(line, width))
    if opened is not None:
        blocks.append(Block(opened.language, "\n".join(body), False))
    return blocks


def _closes(closing: re.Match[str], fence: str, width: int) -> bool:
    indentation, marks = closing[1], closing[2]
    if not fence:  # opened by the prompt
        return not indentation
    return marks[0] == fence[0] and len(marks) >= len(fence) and len(indentation.expandtabs(4)) <= width + 3


def _dedented(line: str, width: int) -> str:
    """Remove at most `width` columns of white space."""
    if not width:
        return line
    blank = line[: len(line) - len(line.lstrip(" \t"))]
    return (
        line[min(len(blank), width) :]
        if "\t" not in blank
        else blank.expandtabs(4)[width:] + line.lstrip(" \t")
    )
