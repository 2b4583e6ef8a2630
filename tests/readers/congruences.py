"""Reads congruences: the smallest positive x that gives every remainder, as a factor or as an exponent."""

import re
from collections.abc import Iterator
from functools import lru_cache
from math import gcd, lcm, prod
from random import Random
from typing import NamedTuple

FACTOR = r"(?:(?P<a>\d+)(?P<op>\^?))?x"
CONGRUENT = FACTOR + r" is congruent to (?P<b>\d+) modulo (?P<m>\d+)"
REMAINDER = FACTOR + r" leaves a remainder of (?P<b>\d+) when divided by (?P<m>\d+)"
TEST = r"(?:(?P<a>\d+) (?P<op>\*\*?) )?x % (?P<m>\d+) == (?P<b>\d+)"
RULE = r"- (?P<op>add|multiply by) (?P<a>\d+), then keep the remainder modulo (?P<m>\d+)"
EXERCISE = (
    r"I've been at this exercise for an hour now: (.+)\. I can check an x, but how do I find one\? "
    r"Please tell me the smallest positive integer that works\.\n"
)
PROGRAM = (
    r"What does this program print, if it is given enough time\? The sign % gives the remainder of a "
    r"division(?:, and \*\* a power)?\.\n\nx = 1\nwhile not \((.+)\):\n    x = x \+ 1\nprint\(x\)\n\n"
)
COUNTERS = (
    r"(?:A counter starts|Several counters all start) at [01]\. This is how (?:it|each of them) changes at "
    r"every tick, and its target:\n\n(.+)\n\nWhat is the smallest positive number of ticks after which (?:"
    r"the counter shows its target|all counters show their targets at the same time)\?\n"
)
# Each whole text, what is between two parts of it, and how a part goes.
WORDINGS = (
    (r"Find the smallest positive integer x such that (.+)\.\n", ", | and ", CONGRUENT),
    (r"What is the smallest positive whole number x for which (.+)\?\n", ", | and ", REMAINDER),
    (EXERCISE, ", | and ", CONGRUENT),
    (PROGRAM, " and ", TEST),
    (COUNTERS, "\n", RULE + r"; target (?P<b>\d+)"),
)
LAST = (
    r"Give your answer as one integer in digits, without separators, "
    r"inside <answer></answer> tags, and write nothing after them\."
)


class Part(NamedTuple):
    """a * x (or a ** x if `power`) leaves the remainder b when it is divided by m."""

    power: bool
    a: int
    b: int
    m: int

    def first(self) -> tuple[int, int]:
        """The smallest positive x, and the step from each such x to the next."""
        common = gcd(self.a, self.m)
        if not self.power:
            assert self.b % common == 0
            step = self.m // common
            return self.b // common * pow(self.a // common, -1, step) % step or step, step
        assert common == 1
        powers = [self.a % self.m]
        while powers[-1] != 1:
            powers.append(powers[-1] * self.a % self.m)
        return powers.index(self.b) + 1, len(powers)


@lru_cache(maxsize=64)
def read(prompt: str) -> tuple[Part, ...]:
    matches = [re.fullmatch(text + LAST, prompt, re.DOTALL) for text, _, _ in WORDINGS]
    ((match, (_, between, each)),) = [pair for pair in zip(matches, WORDINGS, strict=True) if pair[0]]
    assert match
    parts = []
    for text in re.split(between, match[1]):
        part = re.fullmatch(each, text)
        assert part, text
        a, b, m = (int(part[name] or 1) for name in "abm")
        assert b < m, text
        parts.append(Part(part["op"] in ("^", "**", "multiply by"), a, b, m))
    one, power = len(parts) == 1, parts[0].power
    assert one or not power
    assert all(part.power == power for part in parts)
    assert "%" not in prompt or ("** a power" in prompt) == power
    if "tick" in prompt:
        assert prompt.startswith(
            f"{'A counter starts' if one else 'Several counters all start'} at {int(power)}."
        )
        assert ("how it changes" in prompt) == ("the counter shows its target" in prompt) == one
    return tuple(parts)


def solved(parts: tuple[Part, ...]) -> tuple[int, int]:
    """The smallest positive x that suits all parts, and the step from each such x to the next."""
    x, step = 0, 1
    for start, period in (part.first() for part in parts):
        common = gcd(step, period)
        assert (start - x) % common == 0
        left = period // common
        x += (start - x) // common * pow(step // common, -1, left) % left * step
        step = lcm(step, period)
    return x or step, step


def judge(prompt: str, answer: str) -> bool:
    integer = re.fullmatch(r"[ \t\r\n]*\+?([0-9]+)[ \t\r\n]*", answer)
    return integer is not None and int(integer[1]) == solved(read(prompt))[0]


def answers(prompt: str, rng: Random) -> Iterator[str]:
    parts = read(prompt)
    x, step = solved(parts)
    yield from (f"{x}", f" {x}", f"{x}\n", f"\n{x} ", f"0{x}", f"000{x}", f"+{x}")
    yield from (f"-{x}", f"++{x}", f"+ {x}", f"{x}.", f"{x}.0", f"{x:,}", f"{x:_}", f"{x:e}", hex(x), "")
    yield from (f"x = {x}", f"{x} mod {step}", f"{x}, {x + step}", f"{x} {x}", f"{x}x", f"({x})", f"**{x}**")
    yield from (f"{x // 10} {x % 10}", "".join(chr(0x0660 + int(digit)) for digit in str(x)))  # Arabic digits
    near = [x + 1, x - 1, x + step, x - step, x + rng.randrange(2, 9) * step, step - x, -x % step, 0, 1, step]
    for part in parts:
        near += [part.a, part.b, part.m, *part.first(), part.m - x, x % part.m, x * part.a, x * part.b]
        near += [part.b - part.a, (part.b - part.a) % part.m]
        near.append(solved(tuple(other for other in parts if other != part))[0])
    near += [prod(part.m for part in parts), max(part.first()[0] for part in parts)]
    yield from (str(number) for number in near)
