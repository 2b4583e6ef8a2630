"""Rendering of environments: a task with its verdict as text, a game as a picture."""

from collections.abc import Sequence

import gymnasium
import numpy as np
from numpy.typing import NDArray

from reasonenv import _checks, _native
from reasonenv.envs._font import ADVANCE, glyph, share

EIGHTH = 6
"""Pixels per eighth of a cell's side, the unit of drawings, unless a drawing is large."""

STRIP = 64
"""Number of pixels of a slanting line drawn at once."""

LONGEST = 1152
"""Pixels along the longer side beyond which cells shrink."""

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

Picture = tuple[int, int, list[tuple[str, list[int], str, str]]]
"""Output of `Play.drawing`."""


def check_render_mode(mode: str | None, modes: Sequence[str]) -> bool:
    """True if there is something to render; warns without a mode, as Gymnasium's own environments do.

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
    """A prompt and, once it is answered, the completion with the verdict, in ASCII."""
    if verdict is None:
        return prompt
    judged = "passed" if verdict.passed else f"failed ({', '.join(verdict.failures)}): {verdict.detail}"
    frame = f"{prompt}\n\n{completion}\n\n{judged} [score {verdict.score:.2f}]"
    return frame.encode("ascii", "backslashreplace").decode()


def viewer(state: _native.State, player: int) -> int:
    """The player who is shown the position: the first, so that its marks never swap, or `player` of cards."""
    return player if state.game.has_hidden_information else 0


def game_frame(episodes: _native.Episodes, lane: int = 0) -> str:
    """The message to the learner as ASCII; in self-play the position alone."""
    if not isinstance(episodes.opponent, str):
        return episodes.message(lane)
    state = episodes.state(lane)
    return state.text(viewer(state, episodes.episode_info(lane)["seat"]))


def print_frame(frame: str) -> None:
    """Print a frame, as render mode "human" does."""
    print(frame, end="\n\n", flush=True)


def picture(drawing: Picture) -> NDArray[np.uint8]:
    """A drawing in pixels.

    Returns:
        A uint8 array of shape (rows * 48, columns * 48, 3); in large drawings cells have fewer pixels.
    """
    rows, columns, shapes = drawing
    unit = max(min(EIGHTH, LONGEST // (8 * max(rows, columns))), 2)
    image = np.empty((rows * 8 * unit, columns * 8 * unit, 3), np.float32)
    image[:] = INKS["paper"]
    for kind, numbers, ink, text in shapes:
        x, y, *rest = (unit * number for number in numbers)
        if kind == "rectangle":
            width, height = rest
            image[y : y + height, x : x + width] = INKS[ink]
        elif kind == "disc":
            _line(image, (x, y), (x, y), rest[0], ink)
        elif kind == "line":
            to_x, to_y, width = rest
            _line(image, (x, y), (to_x, to_y), max(width / 2, unit / 6), ink)
        else:
            _text(image, (x, y), rest[0], text, ink, centred=kind == "title")
    return image.round().astype(np.uint8)


def _line(
    image: NDArray[np.float32], start: tuple[int, int], end: tuple[int, int], radius: float, ink: str
) -> None:
    """Ink every pixel that is nearer to a line than a radius, and those on the rim in part."""
    reach = int(radius) + 2
    left, right = max(min(start[0], end[0]) - reach, 0), max(start[0], end[0]) + reach
    steepness = abs(end[1] - start[1]) / max(abs(end[0] - start[0]), 1)
    # A long slanting line touches little of its bounding box, so it is drawn in strips.
    width = max(round(STRIP / max(steepness, 1)), 1) if steepness else right - left
    for at in range(left, right, width):
        to = min(at + width, right)
        ends = [_height(start, end, x) for x in (at - reach, to + reach)]
        top, bottom = max(min(ends) - reach, 0), max(ends) + reach
        part = image[top:bottom, at:to]
        y, x = np.mgrid[top : top + part.shape[0], at : at + part.shape[1]] + 0.5
        _ink(part, share(x, y, start, end, radius), ink)


def _height(start: tuple[int, int], end: tuple[int, int], x: int) -> int:
    """Row of a line at `x`, or at its nearer end."""
    (x0, y0), (x1, y1) = sorted([start, end])
    if x <= x0:
        return y0
    return y1 if x >= x1 else round(y0 + (y1 - y0) * (x - x0) / (x1 - x0))


def _text(
    image: NDArray[np.float32], at: tuple[int, int], height: int, text: str, ink: str, *, centred: bool
) -> None:
    """Write a line of text, vertically centered at a place; it begins there or is centered there."""
    # Small letters look thin and cramped unless they have nearly the full height.
    height = round(height * 0.8)
    advance = ADVANCE * height
    left = at[0] - (advance * len(text) - advance / 3) / 2 if centred else at[0]
    for i, letter in enumerate(text):
        covered, margin = glyph(letter, height)
        x, y = round(left + i * advance) - margin, round(at[1] - height / 2) - margin
        cut_x, cut_y = max(-x, 0), max(-y, 0)
        part = image[y + cut_y : y + covered.shape[0], x + cut_x : x + covered.shape[1]]
        _ink(part, covered[cut_y : cut_y + part.shape[0], cut_x : cut_x + part.shape[1]], ink)


def _ink(part: NDArray[np.float32], covered: NDArray[np.float32], ink: str) -> None:
    part += (np.array(INKS[ink], np.float32) - part) * covered[..., None]
