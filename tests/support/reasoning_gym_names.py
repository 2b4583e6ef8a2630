"""The table of reasoning-gym's names in docs/trainers/reasoning_gym.md; run it to write the table."""

from pathlib import Path

from reasonenv.integrations.reasoning_gym import MISSING, NAMES, Counterpart

PAGE = Path(__file__).parents[2] / "docs/trainers/reasoning_gym.md"
START, END = "<!-- names -->", "<!-- /names -->"


def row(theirs: str, ours: Counterpart) -> str:
    """Return a row of the table."""
    given = ", ".join(f"{name}={value!r}" for name, value in ours.params.items())
    here = f"[`{ours.family}`](../families/README.md#{ours.family})" + (given and f" with `{given}`")
    return f"| `{theirs}` | {here} | {ours.differs} |"


def written(page: str) -> str:
    """Return the page with the table of now."""
    before, rest = page.split(START)
    _, after = rest.split(END)
    rows = [row(theirs, ours) for theirs, ours in sorted(NAMES.items())]
    reasons: dict[str, list[str]] = {}
    for theirs, reason in sorted(MISSING.items()):
        reasons.setdefault(reason, []).append(f"`{theirs}`")
    missing = [f"- {', '.join(names)}: {reason}." for reason, names in reasons.items()]
    lines = ["| theirs | here | what differs |", "| --- | --- | --- |", *rows]
    lines += ["", "These have no counterpart here; the error says why:", "", *missing]
    return "\n".join([f"{before}{START}", "", *lines, "", f"{END}{after}"])


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
