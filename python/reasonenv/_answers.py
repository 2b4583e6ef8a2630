"""Whether a text holds an answer between marks that were asked for; what it is worth a judge says."""

_BOX = "\\boxed{"


def has_block(tag: str, text: str) -> bool:
    """Whether there is a closed tag with something in it: who quotes `<answer></answer>` answers nothing."""
    return _has_content(f"<{tag}>", f"</{tag}>", text)


def before_answer(tag: str | None, text: str) -> str:
    """What stands before the last mark of an answer, a tag or a box; all of a text that has none."""
    before, mark, _ = text.rpartition(_BOX if tag is None else f"<{tag}>")
    return before.rstrip() if mark else text


def has_box(text: str) -> bool:
    r"""Whether there is a closed `\boxed{…}` with something in it."""
    return _has_content(_BOX, "}", text)


def _has_content(opening: str, closing: str, text: str) -> bool:
    # By `find`, whose time grows with the text alone, whatever marks it repeats.
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
