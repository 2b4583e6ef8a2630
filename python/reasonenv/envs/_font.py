"""Letters as strokes, for pictures: no font file, and sharp at any size."""

from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

ADVANCE = 0.75
"""Width of a character with the gap after it, over the height of a capital."""

# Lines from point to point, each a column and a row: capitals are 4 wide and 8 high, `a` is row 10.
_STROKES = {
    "0": "10 30 41 47 38 18 07 01 10, 24 24", "1": "12 20 28, 18 38", "2": "01 10 30 41 43 08 48",
    "3": "01 10 30 41 43 34 14, 34 45 47 38 18 07", "4": "38 30 05 45", "5": "40 00 03 33 44 47 38 18 07",
    "6": "40 10 01 07 18 38 47 45 34 04", "7": "00 40 18",
    "8": "10 30 41 43 34 14 03 01 10, 14 05 07 18 38 47 45 34", "9": "08 38 47 41 30 10 01 03 14 44",
    "A": "08 20 48, 15 35", "B": "34 04 08 38 47 45 34 43 41 30 00 04", "C": "41 30 10 01 07 18 38 47",
    "D": "00 08 28 46 42 20 00", "E": "40 00 08 48, 04 34", "F": "40 00 08, 04 34",
    "G": "41 30 10 01 07 18 38 47 44 24", "H": "00 08, 40 48, 04 44", "I": "10 30, 20 28, 18 38",
    "J": "40 47 38 18 07", "K": "00 08, 40 04 48", "L": "00 08 48", "M": "08 00 24 40 48", "N": "08 00 48 40",
    "O": "10 30 41 47 38 18 07 01 10", "P": "08 00 30 41 43 34 04", "Q": "10 30 41 47 38 18 07 01 10, 26 48",
    "R": "08 00 30 41 43 34 04, 24 48", "S": "41 30 10 01 03 14 34 45 47 38 18 07", "T": "00 40, 20 28",
    "U": "00 07 18 38 47 40", "V": "00 28 40", "W": "00 18 23 38 40", "X": "00 48, 40 08",
    "Y": "00 24 40, 24 28", "Z": "00 40 08 48",
    "a": "03 33 44 48 18 07 06 15 45", "b": "00 08 38 47 44 33 03", "c": "44 33 13 04 07 18 38 47",
    "d": "40 48 18 07 04 13 43", "e": "05 45 44 33 13 04 07 18 38 47", "f": "40 30 21 28, 03 43",
    "g": "43 49 3a 1a 09, 43 13 04 07 18 48", "h": "00 08, 04 13 33 44 48", "i": "13 23 28, 20 20",
    "j": "13 23 29 1a 0a, 20 20", "k": "00 08, 43 06, 25 48", "l": "10 20 28",
    "m": "08 03 13 24 28, 24 33 44 48",
    "n": "03 08, 04 13 33 44 48", "o": "13 33 44 47 38 18 07 04 13", "p": "0a 03 33 44 47 38 08",
    "q": "4a 43 13 04 07 18 48", "r": "03 08, 05 23 43", "s": "44 33 13 04 15 35 46 47 38 18 07",
    "t": "10 17 28 38, 03 33", "u": "03 07 18 38 47, 43 48", "v": "03 28 43", "w": "03 18 25 38 43",
    "x": "03 48, 43 08", "y": "03 28, 43 1a 0a", "z": "03 43 08 48",
    " ": "", ".": "28 28", ",": "27 19", ":": "24 24, 28 28", ";": "24 24, 27 19", "!": "20 25, 28 28",
    "?": "01 10 30 41 42 24 25, 28 28", "'": "20 22", '"': "10 12, 30 32", "-": "14 34", "_": "08 48",
    "+": "22 26, 04 44", "*": "12 36, 32 16", "=": "03 43, 05 45", "/": "40 08", "\\": "00 48", "|": "20 28",
    "<": "41 04 47", ">": "01 44 07", "(": "30 21 27 38", ")": "10 21 27 18", "[": "30 10 18 38",
    "]": "10 30 38 18", "{": "30 21 23 14 25 27 38", "}": "10 21 23 34 25 27 18",
    "#": "11 17, 31 37, 03 43, 05 45",
    "%": "40 08, 01 01, 47 47", "&": "48 11 20 31 05 07 18 38 45",
    "@": "35 15 13 33 36 45 41 30 10 01 07 18 38",
    "$": "41 11 03 14 34 45 37 07, 20 28", "^": "02 20 42", "~": "04 13 35 44", "`": "10 21",
}  # fmt: skip


@cache
def glyph(letter: str, height: int) -> tuple[NDArray[np.float32], int]:
    """A letter whose capitals have this height in pixels.

    Returns:
        Coverage of each pixel, in [0, 1], and the number of pixels to the left of the letter's left
        edge and above its top.
    """
    unit, radius = height / 8, max(height / 16, 0.75)
    margin = int(radius) + 2
    size = int(10 * unit) + 2 * margin + 1, int(4 * unit) + 2 * margin + 1
    y, x = (np.mgrid[: size[0], : size[1]] + 0.5 - margin).astype(np.float32)
    covered = np.zeros(size, np.float32)
    for line in _STROKES.get(letter, "00 40 48 08 00").split(","):
        points = [(int(point[0]) * unit, int(point[1], 11) * unit) for point in line.split()]
        for start, end in pairwise(points):
            np.maximum(covered, share(x, y, start, end, radius), out=covered)
    return covered, margin


def share(
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    start: tuple[float, float],
    end: tuple[float, float],
    radius: float,
) -> NDArray[np.float32]:
    """Coverage, in [0, 1], of pixels with centers at `x` and `y` by a line with round ends."""
    (x0, y0), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    length = dx * dx + dy * dy
    along = np.clip(((x - x0) * dx + (y - y0) * dy) / length, 0, 1) if length else np.zeros_like(x)
    return np.clip(radius + 0.5 - np.hypot(x - x0 - along * dx, y - y0 - along * dy), 0, 1)
