"""Spaces of text: what prompts and messages are made of, and the completions an agent may sample."""

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

ASCII = "\t\n" + "".join(map(chr, range(0x20, 0x7F)))
"""The characters of prompts, and of the completions an action space samples."""

PROMPT_LENGTH = 2**16
COMPLETION_LENGTH = 2**17
SAMPLE_LENGTH = 2**8


class Completion(spaces.Text):
    """Text of up to `COMPLETION_LENGTH` characters, of which samples are short.

    Gymnasium samples the length uniformly. One such sample would take 30 ms, and tell a judge no more than a
    short one.
    """

    def __init__(self) -> None:
        super().__init__(COMPLETION_LENGTH, min_length=0, charset=ASCII)

    def sample(
        self,
        mask: tuple[int | None, NDArray[np.int8] | None] | None = None,
        probability: tuple[int | None, NDArray[np.float64] | None] | None = None,
    ) -> str:
        """A text of at most `SAMPLE_LENGTH` random characters, unless `mask` or `probability` is given."""
        if mask is None and probability is None:
            mask = (int(self.np_random.integers(SAMPLE_LENGTH + 1)), None)
        return super().sample(mask, probability)


class AnyText(spaces.Text):
    """Text of any characters and any length, of which samples are short and ASCII.

    Scratchpads and transcripts repeat what was said, whatever it was.
    """

    def __init__(self) -> None:
        super().__init__(SAMPLE_LENGTH, min_length=0, charset=ASCII)

    def contains(self, x: object) -> bool:
        """Whether it is text."""
        return isinstance(x, str)


def prompts(more: str = "") -> spaces.Text:
    """The space of prompts, which may also hold the characters of a wrapper."""
    charset = "".join(dict.fromkeys(ASCII + more))
    return spaces.Text(PROMPT_LENGTH + len(more), min_length=0, charset=charset)
