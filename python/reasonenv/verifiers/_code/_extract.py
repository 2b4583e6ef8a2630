"""The code in a completion: a fenced block, the text of a tag, or the whole completion."""

import re
from typing import Literal, NamedTuple

from reasonenv._native import read_answers

Extract = Literal["auto", "fence", "whole"]
EXTRACTS: tuple[Extract, ...] = ("auto", "fence", "whole")

LONGEST = 1 << 16
"""Limit in bytes of the code; longer programs are `answer_too_long`, like longer answers elsewhere."""

ALIASES = {"python": ("python", "py", "python3"), "sql": ("sql", "sqlite", "sqlite3")}
"""Names of each language in the first line of a fenced block."""

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL)
_CLOSED_THINKING = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.DOTALL)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\n`]*$", re.MULTILINE)


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


def extract_code(text: str, language: str, extract: Extract, tag: str | None) -> Code:
    """Find the code in a completion: its last fenced block in the language, or else without a language."""
    if tag is not None:
        answer = read_answers([text], tag=tag, reading="lenient")[0]
        if answer is None:
            return Code(None, "no_code", f"no <{tag}> holds an answer")
        text = answer
    else:
        text = without_reasoning(text)
    found = _find(text, language, extract)
    if found.text is not None and len(found.text.encode("utf-8", "replace")) > LONGEST:
        return Code(None, "answer_too_long", "the code is longer than 64 KiB")
    return found


def without_reasoning(text: str) -> str:
    """Return a completion without its reasoning, which may lack an opening or a closing mark."""
    return _CLOSED_THINKING.sub("", _THINKING.sub("", text))


def _find(text: str, language: str, extract: Extract) -> Code:
    if extract != "whole":
        blocks = fenced_blocks(text)
        names = ALIASES[language]
        chosen = [one for one in blocks if one.language in names] or [
            one for one in blocks if not one.language
        ]
        if chosen and not chosen[-1].closed:
            return Code(None, "truncated", "the last code block is not closed")
        if chosen:
            return Code(chosen[-1].text)
        if blocks or extract == "fence":
            return Code(None, "no_code", f"no fenced code block holds {language}")
    return (
        Code(text, fenced=extract == "whole")
        if text.strip()
        else Code(None, "no_code", "the completion holds no code")
    )


def fenced_blocks(text: str) -> list[Block]:
    """Return all fenced blocks in order. A block ends at a bare fence of the kind that opened it."""
    blocks: list[Block] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif not fence[2] and fence[1][0] == opened[1][0] and len(fence[1]) >= len(opened[1]):
            blocks.append(Block(opened[2].lower(), text[opened.end() + 1 : fence.start()], True))
            opened = None
    if opened is not None:
        blocks.append(Block(opened[2].lower(), text[opened.end() + 1 :], False))
    return blocks
