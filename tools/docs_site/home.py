"""Writes the picture of the home page: `python -m docs_site.home`."""

from pathlib import Path

import reasonenv

from docs_site.markdown import drawing

FILE = Path(__file__).parents[2] / "docs/assets/connect_four.svg"

BOARD = {"columns": 5, "rows": 4}
MOVES = (2, 3, 3, 1)
"""A position in which one move wins, one draws and three lose."""

WORTH = {1: ("green", "+"), 0: ("grey", "="), -1: ("red", "-")}
"""Color and sign of a value."""


def picture() -> str:
    """Return a position of Connect Four with the exact value of a disc in each column below it, as SVG."""
    state = reasonenv.game("connect_four", BOARD).start()
    for move in MOVES:
        state.apply(move)
    rows, columns, shapes = state.drawing(0)
    for column, value in state.values().items():
        ink, sign = WORTH[value.outcome]
        shapes.append(("title", [8 * column + 4, 8 * rows + 4, 3], ink, f"{sign}{value.distance or ''}"))
    made = drawing((rows + 1, columns, shapes), "Connect Four with the value of every move")
    return made.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ') + "\n"


if __name__ == "__main__":
    FILE.write_text(picture(), encoding="utf-8")
