"""Calls of tools in what a policy wrote, and results that cannot be mistaken for anything else."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from reasonenv.tools._tool import ToolError

_BEGIN = re.compile(r"<(/?think|tool_call)>")
_CLOSED = re.compile(r"\s*(?:</tool_call>|\Z)")
_SPACE = re.compile(r"\s*")
_FORM = 'a call is {"name": NAME, "arguments": {...}}, in JSON'
_LARGEST = 100_000
"""Maximum number of characters of a call."""


class Call(NamedTuple):
    """A call as the policy wrote it."""

    text: str
    """The JSON between the tags."""

    def written(self) -> tuple[str | None, str, str]:
        """Id, name and arguments as far as they are there, of a call that may be malformed."""
        try:
            call = json.loads(self.text)
        except (ValueError, RecursionError):
            call = None
        if not isinstance(call, dict):
            return None, "", self.text
        given, name, arguments = call.get("id"), call.get("name"), call.get("arguments", {})
        return (
            given if isinstance(given, str) and given else None,
            name if isinstance(name, str) else "",
            arguments if isinstance(arguments, str) else _json(arguments),
        )

    def read(self) -> tuple[str, dict[str, Any]]:
        """Name and arguments.

        Raises:
            ToolError: It isn't a valid call.
        """
        if len(self.text) > _LARGEST:
            raise ToolError(f"the call has {len(self.text)} characters, but may have {_LARGEST}")
        call = _parsed(self.text, "the call is not JSON")
        if not isinstance(call, dict):
            raise ToolError(_FORM)
        name, arguments = call.get("name"), call.get("arguments", {})
        if isinstance(arguments, str):  # as OpenAI's API writes them
            arguments = _parsed(arguments, "the arguments are not JSON")
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise ToolError(_FORM)
        return name, arguments


def split(text: str) -> tuple[str, list[Call]]:
    """Text without its calls, and the calls; a `<think>` block is neither read nor removed.

    A chat template may have opened the block, so that the text begins within it and has its end alone.
    A call ends where its JSON ends, so that a tag within an argument neither closes it nor begins another.
    """
    kept, calls = list[str](), list[Call]()
    at, has_thought = 0, False
    while (begin := _BEGIN.search(text, at)) is not None:
        if begin[1] == "think":
            end = text.find("</think>", begin.end())
            end = len(text) if end < 0 else end + len("</think>")
            kept.append(text[at:end])
            has_thought = True
        elif begin[1] == "/think":
            end = begin.end()
            if has_thought:
                kept.append(text[at:end])
            else:
                kept, calls, has_thought = [text[:end]], [], True
        else:
            kept.append(text[at : begin.start()])
            written, end = _until_closed(text, begin.end())
            calls.append(Call(written))
        at = end
    return "".join([*kept, text[at:]]), calls


def _until_closed(text: str, start: int) -> tuple[str, int]:
    """The text that a tag encloses, and the end of its closing tag."""
    first = _SPACE.match(text, start)
    begin = start if first is None else first.end()
    try:
        _, stop = _DECODER.raw_decode(text, begin)
        closed = _CLOSED.match(text, stop)
        if closed is not None:
            return text[begin:stop], closed.end()
    except (ValueError, RecursionError):
        pass
    end = text.find("</tool_call>", start)
    return (text[start:], len(text)) if end < 0 else (text[start:end], end + len("</tool_call>"))


_DECODER = json.JSONDecoder()


def as_text(message: Mapping[Any, Any]) -> str:
    """Text of a message in the form of OpenAI's API, with its calls in tags."""
    content, calls = message.get("content"), message.get("tool_calls")
    said = [content] if isinstance(content, str) and content else []
    made = list(calls) if isinstance(calls, Sequence) and not isinstance(calls, str) else []
    if made and said and said[0].rfind("<think>") > said[0].rfind("</think>"):
        said.append("</think>")  # calls beside the text are no thoughts
    for call in made:
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(call, Mapping) and (isinstance(function, Mapping) or function is None):
            function = {"id": call.get("id"), **(function or {})}
        said.append(f"<tool_call>{_json(function)}</tool_call>")
    return "\n".join(said)


def inert(result: str) -> str:
    """A result that holds neither a call, nor its own end, nor a chat template's marks."""
    return re.sub(r"<(?=/?tool_|\|)", "&lt;", result)


def _parsed(text: str, else_say: str) -> Any:
    try:
        # Models write line breaks inside strings as they are.
        return json.loads(text, strict=False, parse_constant=_refused)
    except json.JSONDecodeError as error:
        at = f"{error.msg[:1].lower()}{error.msg[1:]} at character {error.pos}"
        raise ToolError(f"{else_say} ({at}); {_FORM}") from None
    except (ValueError, RecursionError):
        raise ToolError(f"{else_say}; {_FORM}") from None


def _refused(constant: str) -> None:
    raise ValueError(constant)


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return type(value).__name__
