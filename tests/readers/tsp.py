"""A reader of tsp: a shortest round trip through points or by a table of distances."""

import re
from collections.abc import Iterator
from functools import lru_cache
from math import isqrt
from random import Random

import numpy as np
from numpy.typing import NDArray

POINT = re.compile(r"^(\w+) \((\d+), (\d+)\)$", re.M)
ROW = re.compile(r"^ *(\w+)((?: +\d+){3,})$", re.M)

TOP_LEVEL = 7  # beyond it, a second is spent on each prompt

Map = dict[tuple[str, str], int]


def between(x: int, y: int, *, straight: bool) -> int:
    """The distance over a difference in x and in y, along the axes or straight and rounded."""
    return (isqrt(4 * (x * x + y * y)) + 1) // 2 if straight else abs(x) + abs(y)


@lru_cache(maxsize=4)
def read(prompt: str) -> tuple[list[str], Map]:
    """The names and the distance of each pair."""
    points = [(name, int(x), int(y)) for name, x, y in POINT.findall(prompt)]
    if points:
        straight = "sqrt((x1 - x2)^2 + (y1 - y2)^2) rounded to the nearest whole number" in prompt
        assert straight or "|x1 - x2| + |y1 - y2|" in prompt, prompt
        far = {(a, b): between(x - v, y - w, straight=straight) for a, x, y in points for b, v, w in points}
        return [name for name, _, _ in points], far
    table = prompt.split("\n\n")[1].split("\n")
    names = table[0].split()
    rows = [match.groups() for line in table[1:] if (match := ROW.match(line))]
    assert [name for name, _ in rows] == names, prompt
    far = {(a, b): int(n) for a, row in rows for b, n in zip(names, row.split(), strict=True)}
    assert all(far[a, b] == far[b, a] for a, b in far), prompt
    return names, far


def length(trip: list[str], far: Map) -> int:
    """The length of a round trip whose first name is not written again."""
    return sum(far[a, b] for a, b in zip(trip, trip[1:] + trip[:1], strict=True))


@lru_cache(maxsize=4)
def paths(distances: tuple[int, ...]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The distances as a table, and the least length from the last place through a set to one of the set."""
    size = isqrt(len(distances))
    d = np.array(distances, np.int32).reshape(size, size)
    others = size - 1
    best = np.full((others, 1 << others), 1 << 20, np.int32)
    best[np.arange(others), 1 << np.arange(others)] = d[-1, :-1]
    sets = np.arange(1 << others)
    sizes = sum((sets >> j) & 1 for j in range(others))
    for many in range(1, others):
        layer = sets[sizes == many]
        ends = best[:, layer]
        for j in range(others):
            free = layer >> j & 1 == 0
            best[j, layer[free] | 1 << j] = (ends + d[:-1, j, None]).min(axis=0)[free]
    return d, best


def least(prompt: str) -> int:
    """The length of a shortest round trip."""
    d, best = paths(tuple(read(prompt)[1].values()))
    return int((best[:, -1] + d[-1, :-1]).min())


def shortest(prompt: str, rng: Random) -> list[str]:
    """A shortest round trip, any of several."""
    names, far = read(prompt)
    d, best = paths(tuple(far.values()))
    left, trip = best.shape[1] - 1, [len(names) - 1]
    while left:
        ways = best[:, left] + d[trip[-1], :-1]
        trip.append(int(rng.choice(np.flatnonzero(ways == ways.min()).tolist())))
        left ^= 1 << trip[-1]
    start = rng.randrange(len(trip))
    return [names[i] for i in trip[start:] + trip[:start]]


def judge(prompt: str, answer: str) -> bool:
    """True if the answer is a shortest trip that visits each place once, with or without the return."""
    names, far = read(prompt)
    trip = [name.strip() for name in answer.split("->")]
    if len(trip) == len(names) + 1 and trip[0] == trip[-1]:
        trip.pop()
    return sorted(trip) == sorted(names) and length(trip, far) == least(prompt)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    """Shortest trips, slightly longer trips, and malformed lists."""
    names, far = read(prompt)
    for joiner in (" -> ", "->", " ->\n", "\n-> ", "\t->  "):
        trip = shortest(prompt, rng)
        yield joiner.join(trip)
        yield joiner.join([*trip, trip[0]][::-1])

    right = shortest(prompt, rng)
    others = [names, rng.sample(names, len(names)), [*right, right[1]], [*right, right[0], right[0]]]
    for _ in range(6):
        i, j = sorted(rng.sample(range(len(right) + 1), 2))
        others.append(right[:i] + right[i:j][::-1] + right[j:])
        rest = [name for name in right if name != right[i - 1]]
        at = rng.randrange(len(rest) + 1)
        others.append([*rest[:at], right[i - 1], *rest[at:]])
    nearest = [rng.choice(names)]
    while len(nearest) < len(names):
        left = [name for name in names if name not in nearest]
        nearest.append(min(left, key=lambda name: far[nearest[-1], name]))
    i = rng.randrange(1, len(right))
    others += [nearest, right[:i] + right[i + 1 :], right[: i + 1] + right[i:]]
    others += [[*right[:i], right[i - 1], *right[i + 1 :]], [*right, "Nowhere"], [*right[:-1], right[0]]]
    for trip in others:
        yield " -> ".join(trip)
    yield ", ".join(right)
    yield str(least(prompt))
    yield ""
