"""Answers in completions, as the data set finds them and as the strict reading does.

The data set's own regular expressions take quadratic time on hostile text. The functions here find the same
text in linear time.
"""

import json
import re
from typing import Any, NamedTuple

from reasonenv.verifiers._code._extract import fenced_blocks
from reasonenv.verifiers._reasoning import without_reasoning

LONGEST = 1 << 16
"""Limit in bytes of a strict answer, as for other verifiers."""

_MARK = "</think>"
_JSON_FENCE = re.compile("```(?:json)?", re.IGNORECASE)
_MOST_BROKEN = 1000
"""Limit of opening braces at which no JSON value starts."""


class Answer(NamedTuple):
    """The strict answer, or a label and a reason."""

    text: str | None
    label: str = ""
    detail: str = ""


def after_think(text: str) -> str | None:
    """Return the text after the first `</think>`; None if there is no such mark."""
    _, mark, tail = text.partition(_MARK)
    return tail if mark else None


def between_thinks(text: str) -> str | None:
    """Return the text after the first `</think>` and before the second; None if there is no such mark."""
    tail = after_think(text)
    return None if tail is None else tail.partition(_MARK)[0]


def tagged(text: str, tag: str) -> str | None:
    """Return the text of the first block of a tag, as `<tag>(.*?)</tag>` finds it."""
    start = text.find(f"<{tag}>") + len(tag) + 2
    end = text.find(f"</{tag}>", start) if start > len(tag) + 1 else -1
    return text[start:end] if end >= 0 else None


def blocks(text: str, fence: str | re.Pattern[str]) -> list[str]:
    """Return the trimmed texts of all blocks from a fence to the next three backticks."""
    opening = re.compile(re.escape(fence)) if isinstance(fence, str) else fence
    found: list[str] = []
    at = 0
    while mark := opening.search(text, at):
        end = text.find("```", mark.end())
        if end < 0:
            break
        found.append(text[mark.end() : end].strip())
        at = end + 3
    return found


def last_json(completion: str) -> Any:
    """Return the data set's reading of JSON: the last fenced block after `</think>`, or else the last braces.

    None stands for no JSON.
    """
    tail = after_think(completion)
    if tail is None:
        return None
    tail = tail.strip()
    fenced = blocks(tail, _JSON_FENCE)
    text = fenced[-1] if fenced else _last_braces(tail)
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None


def _last_braces(text: str) -> str | None:
    """Return the text from the last closing brace back to its opening one, strings included."""
    depth, end = 0, text.rfind("}") + 1
    for brace in reversed(list(re.finditer("[{}]", text[:end]))):
        depth += 1 if brace[0] == "}" else -1
        if depth == 0:
            return text[brace.start() : end].strip()
    return None


def json_answer(completion: str) -> Answer:
    """Find the one JSON answer behind the reasoning: in fenced blocks, or else the objects in the text."""
    tail = without_reasoning(completion)
    if len(tail.encode()) > LONGEST:
        return Answer(None, "answer_too_long", "the answer is longer than 64 KiB")
    fenced = [block for block in fenced_blocks(tail) if block.language in ("", "json")]
    if fenced and not fenced[-1].closed:
        return Answer(None, "truncated", "the last code block is not closed")
    texts = [block.text for block in fenced] or _objects(tail)
    if texts is None:
        return Answer(None, "over_budget", "the text has too many braces without JSON")
    if not texts:
        return Answer(None, "no_answer", "there is no JSON after the reasoning")
    values = {_canonical(text) for text in texts}
    if len(values) > 1:
        return Answer(None, "hedged", "the text has different JSON values")
    return Answer(texts[-1])


def _objects(text: str) -> list[str] | None:
    """Return the outermost JSON objects of a text; None if too many braces open none."""
    decoder = json.JSONDecoder(parse_int=str)
    found: list[str] = []
    broken = 0
    at = text.find("{")
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
            found.append(text[at:end])
        except (ValueError, RecursionError):
            broken += 1
            if broken > _MOST_BROKEN:
                return None
            end = at + 1
        at = text.find("{", end)
    return found


def _canonical(text: str) -> str:
    try:
        return json.dumps(json.loads(text, parse_int=_number, parse_float=_number), sort_keys=True)
    except (ValueError, RecursionError):
        return text


def _number(digits: str) -> list[str]:
    """Keep a number apart from a string with the same digits."""
    return ["number", digits]
