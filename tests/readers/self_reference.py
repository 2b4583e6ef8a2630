"""Reads self_reference: statements about which statements of their own list are true or false."""

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import NamedTuple

# "|" ends a line; what is in brackets is there if a statement speaks of odd and even numbers of others.
WORDINGS = {
    "#. ": """
    Here is a list of COUNT statements about the list itself.||LINES||Each statement is either true or false:
    it is true if what it says is the case, and false if not.[ Zero counts as even.] A statement that counts
    the true or false ones of several counts itself wherever it is one of them. Only one choice of true
    statements is consistent with all this. Which statements are true?|
    """,
    "(#) ": """
    My sister has sent me this list, and each of its COUNT statements is about the list!||LINES||She swears
    that it can be decided in exactly one way which of them are true and which are false so that every true
    statement says what is so, and every false one what is not.[ She says that 0 is an even number.] Where one
    of them counts how many of several statements are true or false, it counts itself as well if it is one of
    those. Can you tell me which statements are true?|
    """,
    "Statement #: ": """
    Exercise. Assign a truth value to each of the COUNT statements of the list below, in such a way that a
    statement is assigned "true" if and only if its content holds under the assignment.[ Zero is even.] A
    statement that counts true or false statements counts itself, too, wherever it belongs to those
    counted.||LINES||The assignment is unique. State which of the statements are true under it.|
    """,
    "#: ": """
    A program tries every list of COUNT booleans, truth[1] to truth[COUNT], and prints the only one in which,
    for each i, truth[i] is True exactly when sentence i of this list of statements holds:||LINES||For the
    program, statement i is true if truth[i] is True and false otherwise, whether the sentence is about itself
    or about others[; 0 is an even number]. For which i is truth[i] True?|
    """,
    "# - ": """
    On the door of the Liars' Club hangs a list of COUNT statements:||LINES||Nobody gets in who cannot say
    which of them are true. A false statement never happens to say what is the case, a true one always does,
    and no second way to divide them into true and false ones fits that. A statement that counts the
    true or false ones of a group counts itself if it belongs to the group[, and 0 counts as even]. Which are
    the true ones?|
    """,
}
LAST = (
    "Give the numbers of all the true statements, each once and separated by commas, or 0 if there are none, "
    "inside <answer></answer> tags, and write nothing after them."
)
OPTIONAL = re.compile(r"\[((?:;|,| ).*?)\]")
CLAIM = re.compile(
    r"This list has exactly (?P<length>\d+) statements\."
    r"|(?:Statement (?P<one>\d+) is|Statements (?P<both>\d+ and \d+) are both"
    r"|(?P<how>Neither|None|All|An odd number|An even number|(?:At least|At most|Exactly) (?P<k>\d+)) of "
    r"(?:statements (?P<list>\d+(?:, \d+)* and \d+)|the (?:(?P<end>first|last) (?P<ends>\d+) statements"
    r"|(?P<group>other statements|statements in this list|(?:even|odd)-numbered statements)))"
    r" (?P<verb>is|are)) (?P<said>true|false)\."
)


class Claim(NamedTuple):
    """Says how many of the statements in `mask` may be true: as many as `allowed` has its bits at."""

    mask: int
    allowed: int


class Reading(NamedTuple):
    """Ways to misread a list."""

    others_all: bool = False  # the other statements include the one that says it
    self_out: bool = False  # a statement never counts itself
    zero_odd: bool = False
    strict: bool = False  # at least is more than, and at most less than
    loose: bool = False  # exactly is at least


RIGHT = Reading()
MISREAD = (
    Reading(others_all=True),
    Reading(self_out=True),
    Reading(zero_odd=True),
    Reading(strict=True),
    Reading(loose=True),
)


def claim(text: str, own: int, count: int, reading: Reading = RIGHT) -> Claim:
    """Claim of statement number `own`."""
    part = CLAIM.fullmatch(text)
    assert part, text
    if part["length"]:
        return Claim(0, int(int(part["length"]) == count))
    how, everyone = part["how"] or "All", range(1, count + 1)
    if part["group"]:
        group = part["group"].split(" ")[0].split("-")[0]
        left_out = {"odd": everyone[1::2], "even": everyone[::2], "other": [own], "statements": []}[group]
        taken = [n for n in everyone if n not in left_out or (group == "other" and reading.others_all)]
    elif part["end"]:
        ends = int(part["ends"])
        assert 1 < ends < count, text
        taken = [*everyone[:ends]] if part["end"] == "first" else [*everyone[-ends:]]
    else:
        taken = [int(n) for n in re.findall(r"\d+", part["one"] or part["both"] or part["list"])]
        assert taken == sorted({*taken} & {*everyone}), text
        assert part["list"] is None or how not in (("All", "None") if len(taken) == 2 else ("Neither",)), text
    k, size = int(part["k"] or 0), len(taken)
    single = how in ("Neither", "None") or k == 1
    assert part["verb"] is None or (part["verb"] == "is") == single, text
    assert part["k"] is None or 0 < k <= size, text
    if reading.self_out:
        taken = [n for n in taken if n != own]
        size = len(taken)
    sizes = range(size + 1)
    fitting = {
        "Neither": {0},
        "None": {0},
        "All": {size},
        "An odd number": {n for n in sizes if n % 2 or (n == 0 and reading.zero_odd)},
        "An even number": {n for n in sizes if n % 2 == 0 and (n or not reading.zero_odd)},
        f"At least {k}": {n for n in sizes if n >= k + reading.strict},
        f"At most {k}": {n for n in sizes if n <= k - reading.strict},
        f"Exactly {k}": {n for n in sizes if n == k or (n > k and reading.loose)},
    }[how]
    trues = fitting if part["said"] == "true" else {size - n for n in fitting}
    return Claim(sum(1 << n - 1 for n in taken), sum(1 << n for n in trues))


def pattern(wording: str, parity: bool) -> re.Pattern[str]:
    text = OPTIONAL.sub(r"\1" if parity else "", " ".join(wording.split()))
    form = re.escape(text.replace("|", "\n") + LAST).replace("COUNT", r"(?P<count>\d+)", 1)
    return re.compile(form.replace("COUNT", "(?P=count)").replace("LINES", r"(?P<lines>[^\n]+(?:\n[^\n]+)+)"))


PATTERNS = {
    (begin, parity): pattern(text, parity) for begin, text in WORDINGS.items() for parity in (True, False)
}


@lru_cache(maxsize=64)
def read(prompt: str) -> list[str]:
    """The statements, without their numbers."""
    found = [(*key, match) for key, form in PATTERNS.items() if (match := form.fullmatch(prompt))]
    ((begin, parity, match),) = found
    starts = [begin.replace("#", str(i + 1)) for i in range(int(match["count"]))]
    lines = match["lines"].split("\n")
    assert all(line.startswith(start) for line, start in zip(lines, starts, strict=True)), prompt
    texts = [line.removeprefix(start) for line, start in zip(lines, starts, strict=True)]
    assert parity == any(re.match("An (odd|even) number", text) for text in texts), prompt
    return texts


@lru_cache(maxsize=64)
def choices(prompt: str, most: int, reading: Reading = RIGHT) -> dict[int, int]:
    """The choices of true statements, as bits, and how many statements don't fit: `most` or fewer."""
    texts, fits = read(prompt), {}
    claims = [claim(text, i + 1, len(texts), reading) for i, text in enumerate(texts)]
    for bits in range(1 << len(claims)):
        missed = 0
        for i, (mask, allowed) in enumerate(claims):
            if (allowed >> (bits & mask).bit_count() ^ bits >> i) & 1:
                missed += 1
                if missed > most:
                    break
        else:
            fits[bits] = missed
    return fits


def numbers(bits: int) -> list[int]:
    return [i + 1 for i in range(bits.bit_length()) if bits >> i & 1]


def judge(prompt: str, answer: str) -> bool:
    (right,) = choices(prompt, 0)
    parts = re.split(r"[ \n]*,[ \n]*", answer.strip(" \n"))
    return sorted(parts) == sorted(map(str, numbers(right) or [0]))


def answers(prompt: str, rng: Random) -> Iterator[str]:
    count = len(read(prompt))
    (right,) = choices(prompt, 0)
    best = numbers(right) or [0]

    def text(given: list[int], between: str = ", ") -> str:
        return between.join(map(str, given))

    for between in (", ", ",", ",\n", " , ", ",  ", "\n,"):
        yield text(best, between)
        yield text(rng.sample(best, len(best)), between)
    yield from (f" {text(best)}", f"\n{text(best[::-1])}\n")

    near = [bits for bits, missed in choices(prompt, 1).items() if missed]
    tried = rng.sample(near, min(6, len(near)))
    for reading in rng.sample(MISREAD, 2):
        tried += [*choices(prompt, 0, reading)][:2]
    for _ in range(3):
        one, two = rng.sample(range(count), 2)
        tried += [right ^ 1 << one, right ^ 1 << one ^ 1 << two]
    tried += [right ^ (1 << count) - 1, (1 << count) - 1, rng.randrange(1 << count), right << 1, right >> 1]
    yield from (text(numbers(bits) or [0]) for bits in tried)
    at = rng.randrange(len(best))
    lists = [[*best, best[at]], [*best, count + 1], [*best, 0], [0, *best], best * 2, [0], []]
    lists += [best[:at] + best[at + 1 :], [n - 1 for n in best], [-n for n in best], best[:1], [len(best)]]
    lists += [[int(right >> i & 1) for i in range(count)]]
    yield from map(text, lists)
    yield from (text(best) + end for end in (".", ",", ", and", " are true", ", x"))
    yield from (start + text(best) for start in ("Statements ", "#", ", ", "true: "))
    if len(best) > 1:
        yield from (text(best, between) for between in (" ", "\n", "; ", " and ", ", and ", ",, ", "", "-"))
    spelled = ("({})", "S{}", "{}.", "{}: true", "Statement {}", "{}.0")
    yield from (", ".join(form.format(n) for n in best) for form in spelled)
    yield from (f"[{text(best)}]", "none", "None", "-", "all", "")
