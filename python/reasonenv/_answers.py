"""Search for an answer between its marks in a text, without verifying it."""

_BOX = "\\boxed{"


def has_block(tag: str, text: str) -> bool:
    """True if there is a closed tag with something in it; quoting `<answer></answer>` is not an answer."""
    return _has_content(f"<{tag}>", f"</{tag}>", text)


def before_answer(tag: str | None, text: str) -> str:
    """Text before the last answer mark, a tag or a box; the whole text without one."""
    before, mark, _ = text.rpartition(_BOX if tag is None else f"<{tag}>")
    return before.rstrip() if mark else text


def has_box(text: str) -> bool:
    r"""True if there is a closed `\boxed{…}` with something in it."""
    return _has_content(_BOX, "}", text)


def _has_content(opening: str, closing: str, text: str) -> bool:
    # `find` takes linear time, even if the text repeats the marks.
    start = text.find(opening)
    while start >= 0:
        start += len(opening)
        end = text.find(closing, start)
        if end < 0:
            return False
        if text[start:end].strip():
            return True
        start = text.find(opening, end)
    return False
