"""Finds the marks around an answer; the verifier decides whether the answer is right."""

_BOX = "\\boxed{"


def has_block(tag: str, text: str) -> bool:
    """True if there is a closed tag with content: a quoted `<answer></answer>` doesn't count."""
    return _has_content(f"<{tag}>", f"</{tag}>", text)


def before_answer(tag: str | None, text: str) -> str:
    """Text before the last opening mark of an answer, a tag or a box; all of a text without one."""
    before, mark, _ = text.rpartition(_BOX if tag is None else f"<{tag}>")
    return before.rstrip() if mark else text


def has_box(text: str) -> bool:
    r"""True if there is a closed `\boxed{…}` with content."""
    return _has_content(_BOX, "}", text)


def _has_content(opening: str, closing: str, text: str) -> bool:
    # `find` takes time linear in the text, whatever marks it repeats.
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
