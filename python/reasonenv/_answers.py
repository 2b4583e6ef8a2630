"""Whether a text holds an answer between marks that were asked for; what it is worth a judge says."""

__all__ = ["has_block", "has_box"]


def has_block(tag: str, text: str) -> bool:
    """Whether there is a closed tag with something in it: who quotes `<answer></answer>` answers nothing."""
    return _has_content(f"<{tag}>", f"</{tag}>", text)


def has_box(text: str) -> bool:
    r"""Whether there is a closed `\boxed{…}` with something in it."""
    return _has_content("\\boxed{", "}", text)


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
