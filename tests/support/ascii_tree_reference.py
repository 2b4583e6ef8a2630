"""Reference ASCII-tree scorers in plain Python with difflib: slow, short, and independent of the core."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Hashable, Iterable

TAG = "ascii_formatted"

Row = tuple[int, str]


class Structure(NamedTuple):
    """F1 over names, then over names with their parents, siblings before them, and depths."""

    node_f1: float
    edge_f1: float
    order: float
    depth: float


def draw(rows: list[Row]) -> str:
    """Draws depth-first rows of depth and name; looks ahead for every glyph."""

    def continues(row: int, depth: int) -> bool:
        below = [later for later, _ in rows[row + 1 :]]
        return next((later == depth for later in below if later <= depth), False)

    lines = [rows[0][1]]
    for row, (depth, name) in enumerate(rows[1:], start=1):
        bars = ["|   " if continues(row, above) else "    " for above in range(1, depth)]
        lines.append(" " + "".join(bars) + ("+--" if continues(row, depth) else "`--") + name)
    return "\n".join(lines)


def strict(answer: str, reference: str) -> bool:
    """Equal apart from outer white space."""
    return answer.strip() == reference.strip()


def compat(completion: str, reference: str, tag: str = TAG) -> float:
    """SYNTHETIC-2's reward."""
    found = re.search(f"<{re.escape(tag)}>(.*?)</{re.escape(tag)}>", completion, re.DOTALL)
    if found is None or not reference:
        return 0.0
    root, *below = answer = found[1].strip().split("\n")
    wanted = reference.strip().split("\n")
    matcher = difflib.SequenceMatcher(None, answer, wanted)
    longest = max(block.size for block in matcher.get_matching_blocks())
    reward = 0.3 * matcher.ratio() + 0.7 * (longest / len(wanted))
    if any(not line.startswith(" ") and line.rstrip() != root for line in below):
        reward *= 0.5
    if not any("--" in line for line in below):
        reward *= 0.5
    return reward


def parse(text: str) -> list[Row]:
    """Reads a drawing leniently: a line's parent is the nearest line above that branches further left."""
    lines = [line for line in text.strip().split("\n") if line.strip()]
    rows: list[Row] = []
    columns: list[int] = []
    for line in lines:
        if not rows:
            rows.append((0, line.strip()))
            continue
        lead, name = _branch(line)
        columns = [column for column in columns if column < lead] + [lead]
        rows.append((len(columns), name))
    return rows


def _branch(line: str) -> Row:
    bars = "|│┃"
    lead = len(line) - len(line.lstrip("".join(c for c in set(line) if c.isspace() or c in bars)))
    rest = line[lead:]
    if rest[:3] in ("+--", "`--", "\\--"):
        return lead, rest[3:].strip()
    if rest.startswith("--") and line[:lead].endswith(tuple(bars)):
        return lead - 1, rest[2:].strip()
    if rest.startswith(("├", "└", "╰", "┣", "┗")):
        return lead, rest[1:].lstrip("─━-").strip()
    return lead, rest.strip()


def structural(answer: str, reference: str) -> Structure:
    """Structural similarity of two trees."""
    a, b = parse(answer), parse(reference)
    places_a, places_b = _places(a), _places(b)
    return Structure(
        f1((name for _, name in a), (name for _, name in b)),
        f1((place[:2] for place in places_a), (place[:2] for place in places_b)),
        f1(places_a, places_b),
        f1(a, b),
    )


def _places(rows: list[Row]) -> list[tuple[str, str | None, str | None]]:
    """Each name with its parent's and with that of the sibling before it."""
    places = []
    for row, (depth, name) in enumerate(rows):
        before = [rows[above] for above in range(row - 1, -1, -1)]
        parent = next((other for above, other in before if above < depth), None)
        nearest = next(((above, other) for above, other in before if above <= depth), None)
        sibling = nearest[1] if nearest is not None and nearest[0] == depth else None
        places.append((name, parent, sibling))
    return places


def f1(a: Iterable[Hashable], b: Iterable[Hashable]) -> float:
    """F1 of two collections: twice their overlap over the sum of their sizes; 1 if both are empty."""
    one, two = Counter(a), Counter(b)
    sizes = one.total() + two.total()
    return 2.0 * (one & two).total() / sizes if sizes else 1.0


NAMES = (
    "src", "docs", "a", "b", "main", "java", "tests", "brew", "linux-arch", "Old Photos", ".github",
    "v1.2", "día", "日本", "--x", "| y", "+--z", "`--w",
)  # fmt: skip
PIECES = (
    " ", "\n", "\r\n", "\t", "|   ", "    ", "+--", "`--", "\\--", "|--", "├── ", "└── ", "│   ", "--", "-",
    "```\n", "x", "\x1c", "\x1f", "\x85", "\xa0", "\u2028", "\u3000", "\ufeff",
    f"<{TAG}>", f"</{TAG}>", "<think>", "</think>",
)  # fmt: skip


def random_rows(rng: random.Random, most: int) -> list[Row]:
    """A tree of up to `most` rows; siblings may share a name."""
    rows = [(0, rng.choice(NAMES))]
    for _ in range(rng.randrange(most)):
        rows.append((rng.randint(1, min(rows[-1][0] + 1, 8)), rng.choice(NAMES)))
    return rows


def random_completion(rng: random.Random, reference: str) -> str:
    """A right completion with zero to many random edits."""
    lines = reference.split("\n")
    for _ in range(rng.choice((0, 1, 1, 2, 3, 8))):
        at, other = rng.randrange(len(lines) + 1), rng.randrange(len(lines) + 1)
        low, high = min(at, other), max(at, other)
        match rng.randrange(6):
            case 0:
                lines[at:at] = [rng.choice(PIECES) + rng.choice(NAMES)]
            case 1:
                del lines[at : at + rng.randrange(3)]
            case 2:
                lines[at:at] = lines[low:high]
            case 3:
                lines[low:high] = reversed(lines[low:high])
            case 4:
                lines[low:high] = [line[1:] for line in lines[low:high]]
            case _:
                lines[at : at + 1] = [line.rstrip("x") + rng.choice(PIECES) for line in lines[at : at + 1]]
        lines = lines or [""]
    text = "\n".join(lines)
    if rng.random() < 0.1:
        for glyph, other_glyph in (("|  ", "│  "), ("+--", "├── "), ("`--", "└── ")):
            text = text.replace(glyph, other_glyph)
    around = [rng.choice(PIECES) if rng.random() < 0.2 else "" for _ in range(4)]
    text = f"{around[0]}<{TAG}>{around[1]}\n{text}\n{around[2]}</{TAG}>{around[3]}"
    for _ in range(rng.choice((0, 0, 0, 1, 3))):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(PIECES) + text[at + rng.randrange(3) :]
    return text * rng.choice((1, 1, 1, 1, 1, 1, 1, 1, 1, 2))
