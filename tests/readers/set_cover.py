"""Reads set_cover: some sets, or some elements of sets, are chosen by one of four rules."""

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import NamedTuple

NUMBERS = r"\d+(?:, \d+)*"
# What is shown, and how its ties are said.
SHOWN = {
    r"Here are (?P<count>\d+) sets of whole numbers from 1 to (?P<n>\d+):\n"
    rf"(?P<sets>(?:\n\w+: {NUMBERS})+)\n\n":
        r" If several answers are equally good, any of them will do\.",
    r"We have to plan days 1 to (?P<n>\d+)\. These are the days on which each team can work:\n"
    rf"(?P<sets>(?:\n- \w+: {NUMBERS})+)\n\n":
        r" If there's a tie, pick any\.",
    r"U = set\(range\(1, (?P<n>\d+) \+ 1\)\)\n"
    rf'S = \{{(?P<sets>(?:\n    "\w+": \[{NUMBERS}\],)+)\n\}}\n\n':
        r" Any best list is accepted\.",
    r"Radio masts can be built at (?P<count>\d+) places\. This is which of the villages 1 to (?P<n>\d+) each "
    rf"of them would reach:\n(?P<sets>(?:\n\w+ reaches {NUMBERS})+)\n\n":
        r" One best answer is enough\.",
    rf"elements: 1 to (?P<n>\d+)\nset \| elements(?P<sets>(?:\n\w+ \| {NUMBERS})+)\n\ntask: ": r"\nties: any",
}  # fmt: skip
# The words for each rule: of sets, of teams, of U and S, of masts, and in a table.
RULES = {
    "cover": """
    Choose as few of the sets as possible, so that every number from 1 to [n] is in at least one of them.

    I'd like to hire as few teams as possible and have at least one that can work on each of the days.
    Which ones should I hire?

    Find a smallest list of keys of S such that the union of their sets is U.

    Every village is to be reached by at least one mast. Where should masts be built, if there are to be
    as few as possible?

    minimum set cover (choose as few sets as possible such that each element is in one or more of them)
    """,
    "exact": """
    Choose as few of the sets as possible, so that every number from 1 to [n] is in exactly one of them.

    I'd like to hire as few teams as possible, but on each of the days exactly one team that I hire
    should be able to work. Which ones should I hire?

    Find a smallest list of keys of S such that their sets are pairwise disjoint and their union is U.

    Every village is to be reached by exactly one mast, since two would interfere. Where should masts be
    built, if there are to be as few as possible?

    minimum exact cover (choose as few sets as possible such that each element is in exactly one of
    them)
    """,
    "coverage": """
    Choose exactly [k] of the sets, so that as many different numbers as possible are in at least one of
    them.

    I'm going to hire exactly [k] teams, and I want as many days as possible on which at least one of
    them can work. Which ones should I hire?

    Find a list of exactly [k] different keys of S such that the union of their sets is as large as
    possible.

    There is money for [k] masts, and all of it is to be spent. Where should they be built, so that as
    many villages as possible are reached by at least one?

    maximum coverage (choose [k] sets, no more and no fewer, such that as many elements as possible are
    in one or more of them)
    """,
    "hitting": """
    Choose as few numbers as possible, so that every set contains at least one of them.

    I'd like to be at the site on as few days as possible and still see every team on at least one of
    the days when it can work. On which days should I be there?

    Find a smallest list of elements of U such that every set in S has at least one of them.

    All of the masts are built, and each of them needs a mechanic in at least one of the villages that
    it reaches. In which villages should mechanics live, if as few villages as possible are to have one?

    minimum hitting set (choose as few elements as possible such that each set has one or more of them)
    """,
}
LAST = (
    r"\nGive the (?P<what>names|numbers) you choose, each once, in any order and separated by commas, "
    r"inside <answer></answer> tags, and write nothing after them\."
)


class Problem(NamedTuple):
    """The choices there are, with the things that each choice deals with (as the bits of a number)."""

    rule: str
    names: list[str]
    masks: tuple[int, ...]
    things: list[str]
    k: int  # how many to choose, or 0

    def value(self, chosen: int) -> int | None:
        """The worth of choosing these (more is better); None if the rule does not allow it."""
        union = total = 0
        for i in bits(chosen):
            union |= self.masks[i]
            total += self.masks[i].bit_count()
        if self.rule == "coverage":
            return union.bit_count() if chosen.bit_count() == self.k else None
        whole = union.bit_count() == len(self.things) and (self.rule != "exact" or total == len(self.things))
        return -chosen.bit_count() if whole else None


def bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def turned(masks: tuple[int, ...], size: int) -> tuple[int, ...]:
    """For each bit the masks that have it."""
    return tuple(sum(1 << i for i, mask in enumerate(masks) if mask >> bit & 1) for bit in range(size))


def pattern(text: str) -> str:
    words = re.escape(" ".join(text.split()))
    return words.replace(r"\[n\]", "(?P=n)").replace(r"\[k\]", r"(?P<k>\d+)")


@lru_cache(maxsize=64)
def read(prompt: str) -> Problem:
    found = [
        (rule, match.groupdict())
        for words, (shown, ties) in enumerate(SHOWN.items())
        for rule, text in RULES.items()
        if (match := re.fullmatch(shown + pattern(text.split("\n\n")[words]) + ties + LAST, prompt))
    ]
    ((rule, groups),) = found
    names, masks, size = [], [], int(groups["n"])
    for line in groups["sets"].strip("\n").split("\n"):
        name, *numbers = re.findall(r"\w+", line.replace(" reaches ", " "))
        assert len(set(numbers)) == len(numbers)
        assert all(str(int(number)) == number and 1 <= int(number) <= size for number in numbers)
        names.append(name)
        masks.append(sum(1 << int(number) - 1 for number in numbers))
    assert len(set(names)) == len(names) == int(groups.get("count") or len(names))
    assert groups["what"] == ("numbers" if rule == "hitting" else "names")
    elements = [str(i + 1) for i in range(size)]
    if rule == "hitting":
        return Problem(rule, elements, turned(tuple(masks), size), names, 0)
    return Problem(rule, names, tuple(masks), elements, int(groups.get("k") or 0))


def smallest(masks: tuple[int, ...], size: int, *, exact: bool) -> int:
    """A smallest choice that has each bit (once, if `exact`); branches over the bit that has fewest ways."""
    having = turned(masks, size)
    near = [sum(1 << j for j, other in enumerate(masks) if exact and mask & other) for mask in masks]
    best, fewest = 0, size + 1

    def go(left: int, free: int, chosen: int) -> None:
        nonlocal best, fewest
        ways = sorted(((having[bit] & free).bit_count(), bit) for bit in bits(left))
        bound, used = chosen.bit_count(), 0
        for _, bit in ways:  # each of these needs one of its own
            if not having[bit] & free & used:
                used |= having[bit] & free
                bound += 1
        if bound >= fewest:
            return
        if not ways:
            best, fewest = chosen, bound
            return
        for i in sorted(bits(having[ways[0][1]] & free), key=lambda i: -(masks[i] & left).bit_count()):
            free &= ~(1 << i)
            go(left & ~masks[i], free & ~near[i], chosen | 1 << i)

    go((1 << size) - 1, (1 << len(masks)) - 1, 0)
    assert best
    return best


def widest(masks: tuple[int, ...], k: int) -> int:
    """A choice of k with as many bits as there can be, by branch and bound."""
    best, most = 0, -1

    def go(covered: int, free: list[int], chosen: int, k: int) -> None:
        nonlocal best, most
        if k == 0:
            if covered.bit_count() > most:
                best, most = chosen, covered.bit_count()
            return
        gains = sorted((((masks[i] & ~covered).bit_count(), i) for i in free), reverse=True)
        rest = [i for _, i in gains]
        for at in range(len(gains) - k + 1):
            if covered.bit_count() + sum(gain for gain, _ in gains[at : at + k]) <= most:
                return
            go(covered | masks[rest[at]], rest[at + 1 :], chosen | 1 << rest[at], k - 1)

    go(0, [*range(len(masks))], 0, k)
    return best


def best(problem: Problem, rule: str, rng: Random) -> int:
    """A best choice by this rule, any of several."""
    order = rng.sample(range(len(problem.names)), len(problem.names))
    masks = tuple(problem.masks[i] for i in order)
    if rule == "coverage":
        chosen = widest(masks, problem.k)
    else:
        chosen = smallest(masks, len(problem.things), exact=rule == "exact")
    return sum(1 << order[i] for i in bits(chosen))


@lru_cache(maxsize=64)
def top(prompt: str) -> int | None:
    problem = read(prompt)
    return problem.value(best(problem, problem.rule, Random(prompt)))


def judge(prompt: str, answer: str) -> bool:
    """True if the answer names what the rule allows, and no choice is better."""
    problem = read(prompt)
    chosen = [name.strip() for name in answer.split(",")]
    if len(set(chosen)) < len(chosen) or not set(chosen) <= set(problem.names):
        return False
    value = problem.value(sum(1 << problem.names.index(name) for name in chosen))
    return value is not None and value == top(prompt)


def greedy(problem: Problem, rng: Random) -> int:
    """A choice in which none is idle: of k at random, or the rest after dropping all that is not needed."""
    order = rng.sample(range(len(problem.names)), len(problem.names))
    if problem.rule == "coverage":
        return sum(1 << i for i in order[: problem.k])
    mask = (1 << len(order)) - 1
    for i in order:
        rest = mask & ~(1 << i)
        if problem._replace(rule="cover").value(rest) is not None:
            mask = rest
    return mask


def answers(prompt: str, rng: Random) -> Iterator[str]:
    """Best choices, nearly best ones, best ones for another rule, and malformed lists."""
    problem = read(prompt)
    names, everything = problem.names, (1 << len(problem.names)) - 1

    def listed(mask: int) -> list[str]:
        chosen = [names[i] for i in bits(mask)]
        return rng.sample(chosen, len(chosen))

    rights = [best(problem, problem.rule, rng) for _ in range(2)]
    for between in (", ", ",", ",\n", " , ") * 2:
        yield between.join(listed(rng.choice(rights)))
    right = rights[0]
    yield f"\n  {', '.join(listed(right))} \n"
    for _ in range(4):
        out, new = rng.choice([*bits(right)]), rng.choice([*bits(everything & ~right)])
        yield ", ".join(listed(right ^ 1 << out ^ 1 << new))
        yield ", ".join(listed(right & ~(1 << out)))
        yield ", ".join(listed(right | 1 << new))
        yield ", ".join(listed(greedy(problem, rng)))
    swaps = [right ^ 1 << i ^ 1 << j for i in bits(right) for j in bits(everything & ~right)]
    for swap in [swap for swap in swaps if problem.value(swap) is not None][:3]:
        yield ", ".join(listed(swap))
    if problem.rule == "exact":
        yield ", ".join(listed(best(problem, "cover", rng)))
    yield ", ".join(listed(everything))
    yield ", ".join(listed(everything & ~right))
    chosen = listed(right)
    yield ", ".join([*chosen, chosen[0]])
    yield ", ".join([*chosen[1:], chosen[1]])
    yield ", ".join([*chosen[1:], "Nowhere"])
    yield ", ".join([*chosen, str(len(names) + 1)])
    yield ", ".join([*chosen[1:], "0"])
    yield ", ".join([*chosen[1:], rng.choice(problem.things)])
    yield ", ".join(problem.things)
    yield ", ".join(f"0{name}" for name in chosen)
    yield " ".join(chosen)
    yield "; ".join(chosen)
    yield str(len(chosen))
    yield ""
