"""A second implementation of docs/determinism.md in plain Python: keys, ChaCha8, draws, splits, game turns.

It shares no code with the core. Where the two disagree, one of them is wrong.
"""

import hashlib
import struct
from collections.abc import Sequence

_MASK = 0xFFFFFFFF
_COLUMNS_AND_DIAGONALS = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)


def key(unit: str, version: int, split: str, seed: int, canonical: str) -> bytes:
    """The key of a batch."""
    parts = ["reasonenv/1", unit, str(version), split, str(seed), canonical]
    return hashlib.sha256("\0".join(parts).encode()).digest()


def derive(of: bytes, purpose: str) -> bytes:
    """A key derived for another purpose, such as the wording."""
    return hashlib.sha256(of + purpose.encode()).digest()


def fingerprint(family: str, instance: bytes) -> tuple[str, str]:
    """The 128-bit key of a problem in hex, and its split."""
    digest = hashlib.sha256(b"reasonenv/1/fingerprint\0" + family.encode() + b"\0" + instance).digest()
    bucket = int.from_bytes(digest[16:24], "big") % 16
    split = "train" if bucket < 12 else "eval" if bucket < 14 else "test"
    return digest[:16].hex(), split


def _rotated(word: int, by: int) -> int:
    return ((word << by) | (word >> (32 - by))) & _MASK


def _block(of: bytes, stream: int, counter: int) -> list[int]:
    start = [
        0x61707865,
        0x3320646E,
        0x79622D32,
        0x6B206574,
        *struct.unpack("<8I", of),
        counter & _MASK,
        counter >> 32,
        stream & _MASK,
        stream >> 32,
    ]
    state = start[:]
    for _ in range(4):
        for a, b, c, d in _COLUMNS_AND_DIAGONALS:
            for added, mixed, by in ((b, d, 16), (d, b, 12), (b, d, 8), (d, b, 7)):
                target = a if mixed == d else c
                state[target] = (state[target] + state[added]) & _MASK
                state[mixed] = _rotated(state[mixed] ^ state[target], by)
    return [(word + first) & _MASK for word, first in zip(state, start, strict=True)]


class Stream:
    """The stream of one item: 64-bit words, and the draws built on them."""

    def __init__(self, of: bytes, index: int) -> None:
        self._key, self._index = of, index
        self._counter = 0
        self._halves: list[int] = []

    def word(self) -> int:
        if not self._halves:
            self._halves = _block(self._key, self._index, self._counter)[::-1]
            self._counter += 1
        return self._halves.pop() | self._halves.pop() << 32

    def below(self, n: int) -> int:
        threshold = 2**64 % n
        while True:
            wide = self.word() * n
            if wide % 2**64 >= threshold:
                return wide >> 64

    def int_(self, low: int, high: int) -> int:
        span = high - low + 1
        if span == 2**64:
            word = self.word()
            return word - 2**64 if word >= 2**63 else word
        return low + self.below(span)

    def chance(self, of: int, outcomes: int) -> bool:
        return self.below(outcomes) < of

    def pick(self, items: Sequence[str]) -> str:
        return items[self.below(len(items))]

    def shuffle(self, items: list[str]) -> list[str]:
        items = items[:]
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items

    def weighted(self, weights: Sequence[int]) -> int:
        left = self.below(sum(weights))
        for at, weight in enumerate(weights):
            if left < weight:
                return at
            left -= weight
        raise AssertionError


_WORD = 0xFFFFFFFFFFFFFFFF


def _sip_round(v: list[int]) -> None:
    def rotate(word: int, by: int) -> int:
        return ((word << by) | (word >> (64 - by))) & _WORD

    v[0] = (v[0] + v[1]) & _WORD
    v[1] = rotate(v[1], 13) ^ v[0]
    v[0] = rotate(v[0], 32)
    v[2] = (v[2] + v[3]) & _WORD
    v[3] = rotate(v[3], 16) ^ v[2]
    v[0] = (v[0] + v[3]) & _WORD
    v[3] = rotate(v[3], 21) ^ v[0]
    v[2] = (v[2] + v[1]) & _WORD
    v[1] = rotate(v[1], 17) ^ v[2]
    v[2] = rotate(v[2], 32)


def siphash(k0: int, k1: int, message: bytes, *, each: int = 1, last: int = 3) -> int:
    """SipHash-c-d (Aumasson and Bernstein, 2012) of `each` rounds a block and `last` at the end."""
    initial = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
    v = [key ^ word for key, word in zip((k0, k1, k0, k1), initial, strict=True)]
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        for _ in range(each):
            _sip_round(v)
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(last):
        _sip_round(v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def splitmix64(state: int, count: int) -> list[int]:
    """The first outputs of SplitMix64."""
    words = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & _WORD
        mixed = state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _WORD
        words.append(mixed ^ (mixed >> 31))
    return words


CHANCE, EXAMPLE = 2, 3
"""Stand for a player's number where chance acts, and for what is drawn once an example."""


class EpisodeDraws:
    """Two words that key the words of every turn."""

    def __init__(self, k0: int, k1: int) -> None:
        self.k0, self.k1 = k0, k1

    @classmethod
    def drawn(cls, stream: Stream) -> "EpisodeDraws":
        """The first two words of a stream."""
        return cls(stream.word(), stream.word())

    def words(self, player: int, position: int) -> list[int]:
        """Four words for a player's turn in the position with this key: coin, random pick, tie pick …"""
        message = position.to_bytes(16, "little") + bytes([player])
        return splitmix64(siphash(self.k0, self.k1, message), 4)

    def example(self, seed: int) -> tuple["EpisodeDraws", int, int]:
        """The draws of an example, and its words for the seat and the opponent's error rate."""
        k0, k1, side, share = self.words(EXAMPLE, seed)
        return EpisodeDraws(k0, k1), side, share


def scaled(word: int, n: int) -> int:
    """A word as a number below `n`."""
    return word * n >> 64


def falls(word: int, p: float) -> bool:
    """A word as a coin that falls with probability `p`."""
    return word < int(p * 2.0**64)
