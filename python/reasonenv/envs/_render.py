"""What environments show: a task with its verdict as text, a game as a picture."""

from collections.abc import Sequence

import gymnasium
import numpy as np
from numpy.typing import NDArray

from reasonenv import _checks, _native

CELL = 32
"""Pixels of a cell's side in a picture."""

PALETTE = np.array(
    [[214, 69, 65], [52, 101, 190], [88, 160, 83], [232, 170, 50], [134, 88, 160], [70, 170, 180]], np.float32
)
PAPER, LINE = 238, 160


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


def picture(observation: NDArray[np.float32]) -> NDArray[np.uint8]:
    """An observation as a picture: each plane has a colour, each cell a square.

    Args:
        observation: Values in [0, 1], of any shape; the last two axes are rows and columns.

    Returns:
        A uint8 array of shape (rows * 32 + 1, columns * 32 + 1, 3).
    """
    planes = np.atleast_2d(observation)
    planes = planes.reshape(-1, *planes.shape[-2:])
    _, rows, columns = planes.shape
    cells = np.full((rows, columns, 3), PAPER, np.float32)
    for at, plane in enumerate(planes):
        share = np.clip(plane, 0, 1)[..., None]
        cells = cells * (1 - share) + PALETTE[at % len(PALETTE)] * share
    image = np.full((rows * CELL + 1, columns * CELL + 1, 3), LINE, np.uint8)
    image[:-1, :-1] = np.repeat(np.repeat(cells.astype(np.uint8), CELL, 0), CELL, 1)
    image[::CELL], image[:, ::CELL] = LINE, LINE
    return image
