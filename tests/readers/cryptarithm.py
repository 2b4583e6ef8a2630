"""Reads cryptarithm: digits for letters that make a sum, difference or product of words correct."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice, permutations, product
from math import prod
from random import Random
from typing import NamedTuple

UNKNOWN = r"(?P<unknown>[A-Z](?:, [A-Z])* and [A-Z])"
GIVEN = r"(?P<given>[A-Z] = \d(?:(?:, [A-Z] = \d)* and [A-Z] = \d)?)"
LINE = r"(?P<line>[A-Z]+(?: [*+-] [A-Z]+)+ = [A-Z]+)"
GRID = r"(?P<grid>[A-Z =*+\n-]+)"
KIND = r"(?P<kind>addition|subtraction|multiplication)"
SOLVE = (
    rf"In this {KIND}, every letter stands for a digit from 0 to 9\. Different letters stand for different "
    r"digits, and no number starts with 0\.(?P<times> The sign \* means multiplication\.)?"
    rf"\n\n{GRID}\n\n(?:It is known that {GIVEN}\. )?Find the digits of {UNKNOWN}\.\n"
)
MESSAGE = (
    rf"I found this in a puzzle magazine: {LINE}\. Each letter is one digit \(0 to 9\), no two letters are "
    r"the same digit, and no number begins with a zero\.(?P<times> The \* is a multiplication sign\.)?"
    rf"(?: They say that {GIVEN}\.)? I'm stuck\. What are {UNKNOWN}\?\n"
)
SHOP = (
    r"A shopkeeper writes all her numbers in a secret code, in which each of the ten digits has its own "
    rf"letter\. She never writes a zero at the start of a number\. Today her book says\n\n{LINE}\n\n"
    rf"(?P<times>where \* means times\. )?(?:Her son already knows that {GIVEN}\. )?Only one choice of "
    rf"digits makes the calculation correct\. Which digits do {UNKNOWN} stand for\?\n"
)
SPECIFICATION = (
    rf"Unknowns: {UNKNOWN}\nDomain: digits 0 to 9, all letters different\n(?:Given: {GIVEN}\n)?"
    rf"Constraint: {LINE}, where each word is a decimal number, a letter for each digit"
    r"(?P<times> and \* is multiplication)?\nLeading digits: not 0\n\nFind the only solution\.\n"
)
LEDGER = (
    r"A clerk copied an old ledger and replaced every digit by a letter: the same digit always by the same "
    rf"letter, different digits by different letters\. One page of the copy shows a correct {KIND}"
    rf"(?P<times> \(\* is the sign for times\))?:\n\n{GRID}\n\nNo number in the ledger began with a "
    rf"zero\. (?:Another page shows that {GIVEN}\. )?Which digits were replaced by {UNKNOWN}\?\n"
)
LAST = (
    r"List every unknown letter exactly once, in any order, each as NAME: VALUE, where VALUE is 0, 1, 2, 3, "
    r"4, 5, 6, 7, 8 or 9, separated by commas or line breaks, or both, "
    r"inside <answer></answer> tags, and write nothing after them\."
)
KINDS = {"+": "addition", "-": "subtraction", "*": "multiplication"}
BETWEEN = re.compile(r"[ \t]*(?:(?:\r?\n[ \t]*)*,[ \t]*(?:\r?\n[ \t]*)*|(?:\r?\n[ \t]*)+)")

Digits = Mapping[str, int]


class Puzzle(NamedTuple):
    """The words that `sign` joins, the word they make, the known digits and the letters asked for."""

    sign: str
    words: list[str]
    result: str
    given: dict[str, int]
    unknown: list[str]

    def total(self, numbers: list[int]) -> int:
        if self.sign == "*":
            return prod(numbers)
        return sum(numbers) if self.sign == "+" else 2 * numbers[0] - sum(numbers)

    def correct(self, digits: Digits) -> bool:
        """True if the calculation is, whatever else is asked of the digits."""
        *numbers, result = (int("".join(str(digits[x]) for x in w)) for w in [*self.words, self.result])
        return self.total(numbers) == result

    def heads(self) -> set[str]:
        return {word[0] for word in [*self.words, self.result]}


@lru_cache(maxsize=64)
def read(prompt: str) -> Puzzle:
    forms = (SOLVE, MESSAGE, SHOP, SPECIFICATION, LEDGER)
    (match,) = filter(None, (re.fullmatch(form + LAST, prompt) for form in forms))
    part = match.groupdict()
    line = part.get("line") or re.sub(r"\s+", " ", part["grid"]).strip()
    left, result = line.split(" = ")
    (sign,) = {*left} & {*KINDS}
    words = left.split(f" {sign} ")
    assert "line" in part or part["kind"] == KINDS[sign]
    assert bool(part["times"]) == (sign == "*")
    if "grid" in part:
        rows = list(zip([" ", *sign * (len(words) - 1), "="], [*words, result], strict=True))
        wide = max(len(text) for _, text in rows)
        assert part["grid"] == "\n".join(f"{mark} {text:>{wide}}" for mark, text in rows)
    pairs = re.findall(r"([A-Z]) = (\d)", part["given"] or "")
    given, unknown = {name: int(digit) for name, digit in pairs}, re.findall("[A-Z]", part["unknown"])
    assert len(pairs) == len(given) == len({*given.values()})
    assert sorted([*given, *unknown]) == sorted({*"".join(words), *result})
    return Puzzle(sign, words, result, given, unknown)


def judge(prompt: str, answer: str) -> bool:
    puzzle, found = read(prompt), dict[str, int]()
    for entry in BETWEEN.split(answer.strip(" \t\r\n")):
        match = re.fullmatch(r"([A-Z])[ \t]*:[ \t]*([0-9])", entry.upper())
        if match is None or match[1] in found or match[1] not in puzzle.unknown:
            return False
        found[match[1]] = int(match[2])
    digits = puzzle.given | found
    if len(found) < len(puzzle.unknown) or len({*digits.values()}) < len(digits):
        return False
    return all(digits[head] > 0 for head in puzzle.heads()) and puzzle.correct(digits)


def solved(
    puzzle: Puzzle, rng: Random, digits: Digits, at: int = 0, *, apart: bool = True, heads: bool = True
) -> Iterator[Digits]:
    """The digits that make the calculation correct, from the last column to the first.

    `apart`: different letters have different digits; `heads`: no number starts with 0.
    """
    words = puzzle.words
    if at == max(map(len, [*words, puzzle.result])):
        if puzzle.correct(digits):
            yield digits
        return
    new = sorted({word[-1 - at] for word in words if at < len(word)} - digits.keys())
    left = [digit for digit in range(10) if not apart or digit not in digits.values()]
    rng.shuffle(left)
    zero = puzzle.heads() if heads else set[str]()
    for chosen in permutations(left, len(new)) if apart else product(left, repeat=len(new)):
        tried = {**digits, **dict(zip(new, chosen, strict=True))}
        tails = [int("".join(str(tried[x]) for x in word[-1 - at :])) for word in words]
        digit = puzzle.total(tails) // 10**at % 10
        letter = puzzle.result[-1 - at] if at < len(puzzle.result) else None
        if letter is None or letter in tried:
            fits = digit == (tried[letter] if letter else 0)
        else:
            fits = not apart or digit not in tried.values()
            tried[letter] = digit
        if fits and all(tried.get(head) != 0 for head in zero):
            yield from solved(puzzle, rng, tried, at + 1, apart=apart, heads=heads)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    puzzle = read(prompt)
    names = puzzle.unknown

    def text(digits: Digits, between: str = ", ", colon: str = ": ") -> str:
        shown = [name for name in digits if name not in puzzle.given]
        return between.join(f"{name}{colon}{digits[name]}" for name in rng.sample(shown, len(shown)))

    right = {name: x for name, x in next(solved(puzzle, rng, puzzle.given)).items() if name in names}
    for between in (", ", "\n", ",\n", ",", "\r\n", " ,\n  ", "\n\n") * 2:
        yield text(right, between)
    yield f"\n{text(right)}\n"
    yield text(right, ", ", ":")
    if len(names) < 6:  # beyond it, breaking one rule takes too long a search
        yield from map(text, islice(solved(puzzle, rng, puzzle.given, apart=False), 3))
        yield from map(text, islice(solved(puzzle, rng, puzzle.given, heads=False), 2))
        yield from map(text, islice(solved(puzzle, rng, {}), 2))
    one, two = rng.sample(names, 2)
    for change in (right[two], (right[one] + 1) % 10, right[one] - 1, rng.randrange(10), 10):
        yield text(right | {one: change})
    yield text(right | {one: right[two], two: right[one]})
    yield text({name: (x + 1) % 10 for name, x in right.items()})
    yield text(dict.fromkeys(names, 0))
    yield text(dict(zip(names, rng.sample(range(10), len(names)), strict=True)))
    yield text({name: x for name, x in right.items() if name != one})
    yield text(right).lower()
    whole = text(right)
    for name, x in [(one, right[one]), (one, right[two]), *puzzle.given.items(), ("a", 1), ("I", 1), ("", 0)]:
        yield f"{whole}, {name}: {x}"
    yield from (f"{whole},", f"{whole}.", f", {whole}", f"{whole}, and", f"[{whole}]", f"{{{whole}}}", "")
    yield from (text(right, *marks) for marks in ((" ",), ("; ",), (" and ",), (",,",), (", ", " = ")))
    yield from (text(right, *marks) for marks in ((", ", " "), (", ", ""), (", ", ": 0"), (", ", ": +")))
    yield from ("".join(str(right[name]) for name in names), ", ".join(str(right[name]) for name in names))
    digits = puzzle.given | right
    number = "".join(str(digits[letter]) for letter in puzzle.result)
    yield from (number, f"{puzzle.result}: {number}", f"NAME: {right[one]}")
