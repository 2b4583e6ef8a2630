"""A reader of bin_packing: each thing goes into one of equal boxes, none of which may be overfull."""

import re
from collections.abc import Iterator
from itertools import islice
from random import Random

ROOM = re.compile(
    r"into (\d+) boxes, numbered 1 to \d+\. A box can hold at most (\d+) kilogram"
    r"|on (\d+) identical machines, numbered 1 to \d+, each of which is available for (\d+) minute"
    r"|onto (\d+) backup drives, labeled 1 to \d+\. Each drive has (\d+) GB free"
    r"|has (\d+) spools of cable, numbered 1 to \d+, with (\d+) meter"
    r"|Bins: (\d+), numbered 1 to \d+\nCapacity of each bin: (\d+)\n"
)
THING = re.compile(r"^(?:- |  )?(\w+)(?:: (\d+) (?:kg|meters?)|,(\d+)|  (\d+)| = (\d+))$", re.M)
BETWEEN = re.compile(r"[ \t]*(?:(?:\r?\n[ \t]*)*,[ \t]*(?:\r?\n[ \t]*)*|(?:\r?\n[ \t]*)+)")

Packing = dict[str, int]
Boxes = list[list[str]]


def read(prompt: str) -> tuple[dict[str, int], int, int]:
    """The size of each thing, the number of boxes and how much one holds."""
    room = ROOM.search(prompt)
    assert room is not None, prompt
    boxes, holds = (int(group) for group in room.groups() if group)
    things = THING.findall(prompt)
    sizes = {name: int("".join(numbers)) for name, *numbers in things}
    assert len(sizes) == len(things) > boxes, prompt
    numbers = [str(i + 1) for i in range(boxes)]
    spelled = "NAME: VALUE, where VALUE is " if boxes > 5 else "NAME: "
    between = ", " if boxes > 5 else ", NAME: "
    last = " or " if boxes > 5 else " or NAME: "
    assert f"each as {spelled}{between.join(numbers[:-1])}{last}{numbers[-1]}, separated" in prompt, prompt
    return sizes, boxes, holds


def judge(prompt: str, answer: str) -> bool:
    """True if the answer puts each thing into one box and no box holds too much."""
    sizes, boxes, holds = read(prompt)
    loads = [0] * (boxes + 1)
    seen = set()
    for entry in BETWEEN.split(answer.strip()):
        match = re.fullmatch(r"(\w+)[ \t]*:[ \t]*([1-9][0-9]*)", entry)
        if match is None or match[1] not in sizes or match[1] in seen or int(match[2]) > boxes:
            return False
        seen.add(match[1])
        loads[int(match[2])] += sizes[match[1]]
    return len(seen) == len(sizes) and max(loads) <= holds


def fillings(things: list[str], sizes: dict[str, int], room: int, spare: int) -> Iterator[list[str]]:
    """Choices of things that leave at most `spare` of the room."""
    if room <= spare:
        yield []
    for i, name in enumerate(things):
        if sizes[name] <= room:
            for more in fillings(things[i + 1 :], sizes, room - sizes[name], spare):
                yield [name, *more]


def fill(sizes: dict[str, int], boxes: int, holds: int, rng: Random) -> Boxes | None:
    """The things of each box, packed box by box, the largest thing first; None where chance failed."""
    if not sizes or boxes == 0:
        return None if sizes else []
    spare = boxes * holds - sum(sizes.values())
    largest, *things = sorted(sizes, key=lambda name: (-sizes[name], rng.random()))
    rng.shuffle(things)
    found = islice(fillings(things, sizes, holds - sizes[largest], spare), 30)
    loads = [(sum(sizes[name] for name in names) + 6 * rng.random(), names) for names in found]
    if not loads:
        return None
    _, box = max(loads)
    left = {name: size for name, size in sizes.items() if name not in (largest, *box)}
    rest = fill(left, boxes - 1, holds, rng)
    return None if rest is None else [[largest, *box], *rest]


def pack(sizes: dict[str, int], boxes: int, holds: int, rng: Random) -> Packing | None:
    """A packing with the boxes numbered at random."""
    for _ in range(300):
        packed = fill(sizes, boxes, holds, rng)
        if packed is not None:
            numbers = rng.sample(range(1, boxes + 1), len(packed))
            return {name: number for number, box in zip(numbers, packed, strict=True) for name in box}
    return None


def spelled(packing: Packing, rng: Random, between: str = ", ", colon: str = ": ") -> str:
    """The packing in any order of its things."""
    things = rng.sample(sorted(packing), len(packing))
    return between.join(f"{name}{colon}{packing[name]}" for name in things)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    """Packings that fit, packings with things moved, and malformed lists."""
    sizes, boxes, holds = read(prompt)
    names = sorted(sizes)
    packed = pack(sizes, boxes, holds, rng)
    base = packed or {name: rng.randint(1, boxes) for name in names}
    for between in (", ", "\n", ",\n", ",", "\r\n", " ,\n  ", "\n\n") * 2:
        numbers = [0, *rng.sample(range(1, boxes + 1), boxes)]
        yield spelled({name: numbers[box] for name, box in base.items()}, rng, between)
    yield f"\n{spelled(base, rng)}\n"
    for _ in range(4):
        one, two = rng.sample(names, 2)
        yield spelled(base | {one: base[two], two: base[one]}, rng)
        yield spelled(base | {one: base[two]}, rng)
    yield spelled(base | {one: boxes + 1}, rng)
    yield spelled(base | {one: 0}, rng)
    yield spelled({name: box - 1 for name, box in base.items()}, rng)
    yield spelled({name: base[name] for name in names if name != one}, rng)
    yield spelled(base | {"Nowhere": 1}, rng)
    yield f"{spelled(base, rng)}, {one}: {base[one]}"
    yield spelled({name: rng.randint(1, boxes) for name in names}, rng)
    yield spelled({name: i % boxes + 1 for i, name in enumerate(names)}, rng)
    yield spelled(base, rng, ", ", " ")
    yield spelled(base, rng, " ")
    yield ""
