"""Replies of endpoints: answers, streams, token counts, rate limits, and prompts that are too long."""

import math
import re
import time
from collections.abc import AsyncIterator, Mapping
from email.utils import parsedate_to_datetime
from types import SimpleNamespace
from typing import Any

from reasonenv import _checks
from reasonenv.rollouts._completion import Completion

_EPOCH = 1e9
"""Reset times from here on are points in time: seconds, or from a thousand times that milliseconds."""

_UNITS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = r"(?:\d+(?:\.\d+)?(?:ms|s|m|h))+"
_ASKED_IN_TEXT = re.compile(rf"(?:again|retry) (?:in|after) ({_DURATION})|retryDelay\W+({_DURATION})", re.I)

_TOO_LONG = re.compile(
    r"context.?(length|window|size)|maximum (context|sequence|prompt|input)|too many (input )?tokens"
    r"|(prompt|input) is too long|longer than the maximum",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"context (?:length|window|size)\D{0,20}?(\d+)", re.IGNORECASE)
_OF_PROMPT = re.compile(
    r"(\d+) (?:tokens? )?(?:in|from) (?:the|your) (?:messages|prompt|input)|(\d+) input tokens"
)


WITHHELD = "the endpoint's filter withheld the answer"
"""Reason for a missing answer that no retry mends."""

_BROKEN_OFF = ("abort", "aborted", "cancelled", "error", "insufficient_system_resource", "network_error")
"""Values of `finish_reason` with which servers give up on an answer."""


def completions(reply: Any, seconds: float, *, calls: bool = False) -> list[Completion] | str:
    """Answers in a reply in order, or the reason why there are none.

    Args:
        reply: The reply.
        seconds: Time that it took.
        calls: True if the request had tools: then an answer with calls of them is a message as `action`.
    """
    choices = getattr(reply, "choices", None)
    if not isinstance(choices, list) or not choices:
        return "the reply is malformed: it has no message"
    found: list[Completion] = []
    for choice in choices:
        one = _completion(choice, seconds, calls)
        if isinstance(one, str):
            return one
        found.append(one)
    usage = _usage(getattr(reply, "usage", None))
    return [
        Completion.from_dict(one.to_dict() | {"usage": counts})
        for one, counts in zip(found, _shared(usage, found), strict=True)
    ]


def _completion(choice: Any, seconds: float, calls: bool) -> Completion | str:
    message = getattr(choice, "message", None)
    if message is None:
        return "the reply is malformed: it has no message"
    finish = getattr(choice, "finish_reason", None)
    if finish == "content_filter":
        return WITHHELD
    if finish in _BROKEN_OFF:
        return f"the endpoint broke the answer off (finish_reason {finish})"
    text = getattr(message, "content", None)
    if isinstance(text, list):
        text = "".join(str(part.get("text", "")) for part in text if isinstance(part, Mapping))
    if text is None:
        # A refusal is an answer, and so is an empty message: both come from the model.
        text = getattr(message, "refusal", None) or ""
    if not isinstance(text, str):
        return f"the reply is malformed: its content is {_checks.shown(text)}"
    reasoning = getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None)
    made = [_call(one) for one in getattr(message, "tool_calls", None) or ()] if calls else []
    return Completion(
        text,
        action={"role": "assistant", "content": text, "tool_calls": made} if made else None,
        reasoning=reasoning if isinstance(reasoning, str) else None,
        truncated=finish == "length",
        seconds=seconds,
    )


def _call(given: Any) -> Any:
    """A call as plain data; the library parses what it knows and passes on the rest."""
    return given.model_dump() if hasattr(given, "model_dump") else given


def _usage(given: Any) -> dict[str, int] | None:
    counts = {name: getattr(given, name, None) for name in ("prompt_tokens", "completion_tokens")}
    return {name: count for name, count in counts.items() if isinstance(count, int)} or None


def _shared(usage: dict[str, int] | None, found: list[Completion]) -> list[dict[str, int] | None]:
    """Token counts of each answer: the prompt counts once, the rest by the length of the texts."""
    if usage is None or len(found) == 1:
        return [usage] * len(found)
    lengths = [len(one.text) + len(one.reasoning or "") + 1 for one in found]
    total, before = sum(lengths), 0
    shares = []
    for at, length in enumerate(lengths):
        spent = usage.get("completion_tokens", 0)
        share = spent * (before + length) // total - spent * before // total
        before += length
        shares.append(
            {"prompt_tokens": 0 if at else usage.get("prompt_tokens", 0), "completion_tokens": share}
        )
    return list(shares)


async def joined(stream: AsyncIterator[Any]) -> Any:
    """A stream's chunks, joined to a reply as it comes without streaming.

    Raises:
        ValueError: It ended before the answer did.
    """
    choices: dict[int, dict[str, Any]] = {}
    usage = None
    async for chunk in stream:
        usage = getattr(chunk, "usage", None) or usage
        for choice in getattr(chunk, "choices", None) or ():
            said = choices.setdefault(choice.index, {"finish_reason": None})
            said["finish_reason"] = choice.finish_reason or said["finish_reason"]
            for name in ("content", "reasoning_content", "reasoning", "refusal"):
                piece = getattr(choice.delta, name, None)
                if isinstance(piece, str):
                    said[name] = said.get(name, "") + piece
            for piece in getattr(choice.delta, "tool_calls", None) or ():
                _add(piece, said.setdefault("tool_calls", []))
    if not choices or any(said["finish_reason"] is None for said in choices.values()):
        msg = "the stream ended before the answer did"
        raise ValueError(msg)
    whole = [
        SimpleNamespace(message=SimpleNamespace(**said), finish_reason=said["finish_reason"])
        for _, said in sorted(choices.items())
    ]
    return SimpleNamespace(choices=whole, usage=usage)


def _add(piece: Any, calls: list[dict[str, Any]]) -> None:
    """Add a piece of a call to the calls of a stream so far."""
    at = piece.index if isinstance(piece.index, int) else len(calls)
    if at >= len(calls):
        calls.append({"id": None, "type": "function", "function": {"name": "", "arguments": ""}})
        at = len(calls) - 1
    calls[at]["id"] = piece.id or calls[at]["id"]
    for name in ("name", "arguments"):
        calls[at]["function"][name] += getattr(piece.function, name, None) or ""


def asked_wait(headers: Mapping[str, str], text: str) -> float | None:
    """Seconds to wait that an endpoint asked for in its headers or its message; None if it didn't."""
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        if name in headers:
            found = _seconds(headers[name], unit)
            if found is not None:
                return found
    resets = {name.rpartition("reset")[2]: name for name in headers if "ratelimit-reset" in name}
    # The limit that is used up is the one to wait for.
    spent = [kind for kind in resets if headers.get(f"x-ratelimit-remaining{kind}") == "0"]
    waits = [_seconds(headers[resets[kind]]) for kind in spent or resets]
    if known := [wait for wait in waits if wait is not None]:
        return max(known)
    said = _ASKED_IN_TEXT.search(text)
    return None if said is None else _seconds(said[1] or said[2])


def _seconds(text: str, unit: float = 1.0) -> float | None:
    """Seconds in a header: a number, a duration such as `6m0s`, a point in time or a date."""
    text = text.strip()
    if re.fullmatch(_DURATION, text):
        parts = re.findall(r"([\d.]+)(ms|s|m|h)", text)
        return sum(float(number) * _UNITS[name] for number, name in parts)
    try:
        number = float(text)
    except ValueError:
        try:
            number, unit = parsedate_to_datetime(text).timestamp(), 1.0
        except ValueError:
            return None
    if number >= _EPOCH:
        number = (number / 1000 if number >= 1000 * _EPOCH else number) - time.time()
        unit = 1.0
    return max(0.0, number * unit) if math.isfinite(number) else None


def is_overflow(status: int, code: object, text: str) -> bool:
    """True if an endpoint refused a prompt because it is too long."""
    says = code == "context_length_exceeded" or _TOO_LONG.search(text) is not None
    return status in (400, 413, 422) and says


def room_for_answer(text: str) -> int | None:
    """Tokens that an endpoint's message about its context leaves for the answer; None if it doesn't say."""
    limit, prompt = _LIMIT.search(text), _OF_PROMPT.search(text)
    if limit is None or prompt is None:
        return None
    return max(0, int(limit[1]) - int(prompt[1] or prompt[2]))
