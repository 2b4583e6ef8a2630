"""Text as a picture, for render mode "rgb_array"."""

import numpy as np
from numpy.typing import NDArray

MARGIN = 8
INK, PAPER = (32, 32, 32), (250, 250, 245)


def picture(text: str) -> NDArray[np.uint8]:
    """Dark letters of one width on light ground: uint8 of shape (height, width, 3).

    Raises:
        ImportError: Pillow is not installed; the message names the extra.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415  an optional extra
    except ImportError as error:
        raise ImportError(
            "render_mode='rgb_array' needs Pillow; install it with: pip install 'reasonenv[pettingzoo]'"
        ) from error
    font = ImageFont.load_default_imagefont()
    left, top, right, bottom = ImageDraw.Draw(Image.new("1", (1, 1))).multiline_textbbox((0, 0), text, font)
    size = (int(right - left) + 2 * MARGIN, int(bottom - top) + 2 * MARGIN)
    image = Image.new("RGB", size, PAPER)
    ImageDraw.Draw(image).multiline_text((MARGIN, MARGIN), text, INK, font)
    return np.array(image.resize((2 * size[0], 2 * size[1]), Image.Resampling.NEAREST))
