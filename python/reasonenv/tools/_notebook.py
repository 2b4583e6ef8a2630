"""A notebook for the length of an episode."""

from typing import Literal

from reasonenv.tools._tool import ToolContext, ToolError

_MOST_NOTES, _LONGEST = 32, 2000


def notebook(
    action: Literal["write", "read", "list"], context: ToolContext, title: str = "", text: str = ""
) -> str:
    """Keeps notes until the end: writes one, reads one, or lists their titles.

    Args:
        action: What to do.
        context: Whose notes.
        title: The note's title; one that is there already is written over.
        text: What is to be written.
    """
    notes: dict[str, str] = context.memory.setdefault("notes", {})
    if action == "list":
        return ", ".join(notes) or "there are no notes"
    if not title:
        raise ToolError(f"to {action} a note give its `title`")
    if action == "read":
        if title not in notes:
            raise ToolError(f"there is no note {title!r}; there are {', '.join(notes) or 'none'}")
        return notes[title]
    if len(text) > _LONGEST or len(title) > _LONGEST:
        raise ToolError(f"a note has at most {_LONGEST} characters")
    if title not in notes and len(notes) >= _MOST_NOTES:
        raise ToolError(f"the notebook is full: it holds {_MOST_NOTES} notes")
    notes[title] = text
    return "written"
