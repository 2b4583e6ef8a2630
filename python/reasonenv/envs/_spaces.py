"""Spaces of text: for prompts and messages, and for the completions that an agent may sample."""

import multiprocessing
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory
from numpy.typing import NDArray

from reasonenv import _native

ASCII = "\t\n" + "".join(map(chr, range(0x20, 0x7F)))
"""Characters of prompts, and of completions that an action space samples."""

PROMPT_LENGTH = 2**16
COMPLETION_LENGTH = 2**17
SAMPLE_LENGTH = 2**8


class _LongText(spaces.Text):
    """Text with short samples.

    Gymnasium samples the length uniformly. A long sample would take 30 ms, and test a verifier no better than
    a short one.
    """

    def sample(
        self,
        mask: tuple[int | None, NDArray[np.int8] | None] | None = None,
        probability: tuple[int | None, NDArray[np.float64] | None] | None = None,
    ) -> str:
        """A text of at most `SAMPLE_LENGTH` random characters, unless `mask` or `probability` is given."""
        if mask is None and probability is None:
            mask = (int(self.np_random.integers(SAMPLE_LENGTH + 1)), None)
        return super().sample(mask, probability)


class CompletionSpace(_LongText):
    """Text of up to `COMPLETION_LENGTH` characters."""

    def __init__(self) -> None:
        super().__init__(COMPLETION_LENGTH, min_length=0, charset=ASCII)


class SharedText(spaces.Text):
    """Text that Gymnasium's `AsyncVectorEnv` can pass through shared memory."""

    numbers = 'give mode="token", which observes numbers'
    """Advice for those who need numbers."""

    @property
    def shape(self) -> None:
        """None, as of all text.

        Raises:
            InvalidArgument: Stable-Baselines3 asks, which would make an array of it.
        """
        if sys._getframe(1).f_globals.get("__name__", "").startswith("stable_baselines3."):
            raise _native.InvalidArgument(f"Stable-Baselines3 has no policy for text; {self.numbers}")

    @property
    def capacity(self) -> int:
        """Maximum number of characters per environment in shared memory."""
        return self.max_length


class AnyText(_LongText, SharedText):
    """Text of any characters; `max_length` is what fits in shared memory, and longer text is allowed, too.

    Scratchpads and transcripts repeat everything that was said.
    """

    def __init__(self) -> None:
        super().__init__(4 * PROMPT_LENGTH, min_length=0, charset=ASCII)

    def contains(self, x: object) -> bool:
        """True for text."""
        return isinstance(x, str)


class Observed(Sequence[str]):
    """Current texts in shared memory; a deep copy is a tuple of them.

    `AsyncVectorEnv` reads its memory once, and from then on copies the result.
    """

    def __init__(self, memory: Any, count: int) -> None:
        self._rows = np.frombuffer(memory.get_obj(), np.uint32).reshape(count, -1)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return tuple(self)[i]
        row = self._rows[i]
        return row[1 : 1 + row[0]].tobytes().decode(_CODES, "surrogatepass")

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)


_CODES = "utf-32-le"
"""Encoding of text in shared memory, after the number of its characters."""


@create_shared_memory.register(SharedText)
def _created(space: SharedText, n: int = 1, ctx: Any = multiprocessing) -> Any:
    return ctx.Array("I", n * (1 + space.capacity))


@read_from_shared_memory.register(SharedText)
def _read(space: SharedText, shared_memory: Any, n: int = 1) -> Observed:  # noqa: ARG001  Gymnasium's signature
    return Observed(shared_memory, n)


@write_to_shared_memory.register(SharedText)
def _written(space: SharedText, index: int, value: str, shared_memory: Any) -> None:
    if len(value) > space.capacity:
        msg = f"a text has {len(value)} characters, but shared memory holds {space.capacity}"
        raise _native.InvalidArgument(f"{msg}; pass shared_memory=False")
    size = 1 + space.capacity
    row = np.frombuffer(shared_memory.get_obj(), np.uint32)[index * size : (index + 1) * size]
    row[1 : 1 + len(value)] = np.frombuffer(value.encode(_CODES, "surrogatepass"), np.uint32)
    row[0] = len(value)


def prompts(more: str = "", numbers: str = SharedText.numbers) -> SharedText:
    """The space of prompts, which may also hold the characters of a wrapper."""
    charset = "".join(dict.fromkeys(ASCII + more))
    made = SharedText(PROMPT_LENGTH + len(more), min_length=0, charset=charset)
    made.numbers = numbers
    return made
