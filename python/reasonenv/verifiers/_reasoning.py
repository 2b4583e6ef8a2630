"""The part of a completion after its reasoning."""

import re

_MARK = re.compile(
    r"<(?P<tag>/?)(?P<name>think|thinking|thought|reasoning|seed:think)>"
    r"|\[(?P<bracket>/?)THINK\]"
    r"|<\|(?P<thought>begin|end)_of_thought\|>"
    r"|<\|(?P<thinking>START|END)_THINKING\|>"
    r"|◁(?P<triangle>/?)think▷"
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]{0,80}<\|message\|>|\Aanalysis\b|assistantfinal")
_MESSAGE_END = re.compile(r"<\|(?:end|return|call|start)\|>")
_TOKEN = re.compile(r"(?:<\|[\w ]{1,40}\|>|</s>)\s*\Z")
_SOLUTION = re.compile(r"<\|(?:begin|end)_of_solution\|>")


def without_reasoning(text: str) -> str:
    """Return a completion without its reasoning, which may lack an opening or a closing mark.

    Knows `<think>` and its relatives, `[THINK]`, `<|begin_of_thought|>` and the channels of harmony.
    """
    if "<|channel|>" in text or text.startswith("analysis"):
        text = _final_channel(text)
    kept: list[str] = []
    at, inside = 0, ""
    for mark in _MARK.finditer(text):
        kind = mark["name"] or mark.lastgroup or ""
        closes = any(mark[part] in ("/", "end", "END") for part in ("tag", *_MARKS))
        if closes and inside in ("", kind):
            if not inside:
                kept.clear()  # the opening mark was in the prompt
            at, inside = mark.end(), ""
        elif not closes and not inside:
            kept.append(text[at : mark.start()])
            inside = kind
    if not inside:
        kept.append(text[at:])
    return "".join(kept)


_MARKS = ("bracket", "thought", "thinking", "triangle")


def _final_channel(text: str) -> str:
    """Return the last message on the channel `final`; "" if only other channels were used."""
    found = ""
    channels = list(_CHANNEL.finditer(text))
    if not any(one[1] or one[0] == "assistantfinal" for one in channels):
        return text
    for one in channels:
        if one[1] == "final":
            end = _MESSAGE_END.search(text, one.end())
            found = text[one.end() : end.start() if end else len(text)]
        elif one[0] == "assistantfinal":  # the special tokens were dropped
            found = text[one.end() :]
    return found


def without_tokens(text: str) -> str:
    """Return a completion without the special tokens of a chat template at its end."""
    text = _SOLUTION.sub("", text)
    while found := _TOKEN.search(text.rstrip()[-64:]):
        text = text.rstrip()[: found.start() - len(found.string)]
    return text
