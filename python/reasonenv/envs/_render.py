"""What environments show: a task with its verdict as text, a game as a picture."""

from collections.abc import Sequence

import gymnasium
import numpy as np
from numpy.typing import NDArray

from reasonenv import _checks, _native

EIGHTH = 6
"""Pixels in an eighth of a cell's side, the unit of drawings."""

INKS = {
    "paper": (250, 248, 242),
    "grey": (150, 150, 150),
    "black": (34, 34, 34),
    "white": (255, 255, 255),
    "red": (205, 60, 55),
    "yellow": (243, 205, 90),
    "blue": (52, 101, 190),
    "green": (60, 140, 85),
    "brown": (165, 110, 65),
}

Drawing = tuple[int, int, list[tuple[str, list[int], str]]]
"""What `State.drawing` gives."""


def check_render_mode(mode: str | None, modes: Sequence[str]) -> bool:
    """Whether there is something to render; warns without a mode, as Gymnasium's own environments do.

    Raises:
        UnknownName: The mode is not among `modes`. `gymnasium.make` warned of it, and frameworks that ask
            every environment for "rgb_array" only fail if they render.
    """
    if mode is None:
        gymnasium.logger.warn('render() without a render mode shows nothing; make with render_mode="ansi"')
    else:
        _checks.one_of("render_mode", mode, modes)
    return mode is not None


def judged_text(prompt: str, completion: str, verdict: _native.Verdict | None) -> str:
    """A prompt and, once it is answered, the completion with the verdict: ASCII, whatever they hold."""
    if verdict is None:
        return prompt
    judged = "passed" if verdict.passed else f"failed ({', '.join(verdict.failures)}): {verdict.detail}"
    frame = f"{prompt}\n\n{completion}\n\n{judged} [score {verdict.score:.2f}]"
    return frame.encode("ascii", "backslashreplace").decode()


def print_frame(frame: str) -> None:
    """Prints a frame as render mode "human" does."""
    print(frame, end="\n\n", flush=True)


def picture(drawing: Drawing) -> NDArray[np.uint8]:
    """A drawing in pixels.

    Returns:
        A uint8 array of shape (rows * 48, columns * 48, 3).
    """
    rows, columns, shapes = drawing
    image = np.empty((rows * 8 * EIGHTH, columns * 8 * EIGHTH, 3), np.float32)
    image[:] = INKS["paper"]
    for kind, numbers, ink in shapes:
        x, y, *rest = (EIGHTH * number for number in numbers)
        if kind == "rectangle":
            width, height = rest
            image[y : y + height, x : x + width] = INKS[ink]
        elif kind == "disc":
            _cover(image, (x, y), (x, y), rest[0], ink)
        else:
            to_x, to_y, width = rest
            _cover(image, (x, y), (to_x, to_y), max(width / 2, 1), ink)
    return image.round().astype(np.uint8)


def _cover(
    image: NDArray[np.float32], start: tuple[int, int], end: tuple[int, int], radius: float, ink: str
) -> None:
    """Inks every pixel that is nearer to a line than a radius, and those on the rim in part."""
    reach = int(radius) + 2
    left, right = min(start[0], end[0]) - reach, max(start[0], end[0]) + reach
    top, bottom = min(start[1], end[1]) - reach, max(start[1], end[1]) + reach
    left, top = max(left, 0), max(top, 0)
    part = image[top:bottom, left:right]
    y, x = np.mgrid[top : top + part.shape[0], left : left + part.shape[1]] + 0.5
    (x0, y0), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    length = dx * dx + dy * dy
    along = np.clip(((x - x0) * dx + (y - y0) * dy) / length, 0, 1) if length else np.zeros_like(x)
    far = np.hypot(x - x0 - along * dx, y - y0 - along * dy)
    share = np.clip(radius + 0.5 - far, 0, 1)[..., None]
    part[:] = part * (1 - share) + np.array(INKS[ink], np.float32) * share
