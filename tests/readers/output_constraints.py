"""Reader of output_constraints: any text that has all the properties of a list."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from random import Random
from string import ascii_lowercase

END = re.compile(r"[.!?](?:_|[^\w\s])*(?:\s|$)")  # what is no letter, digit or space passes as punctuation

# What small changes put in place of a space, of line breaks, of a mark and at the end of a word.
GAPS = [
    "-",
    "_",
    ", ",
    ". ",
    "! ",
    "? ",
    "\n",
    "\n\n",
    "  ",
    " - ",
    " \u2014 ",
    "; ",
    "'",
    ".",
    "\t",
    ".\t",
    "\u2026 ",
    ' ." ',
    ".\u201d ",
]
BREAKS = [" ", "\n", "\n\n", "\n\n\n", "\n-\n", "\n...\n", ".\n", " \n", "\n \n", "\r\n"]
MARKS = [
    "",
    ".",
    "!",
    "?",
    "\u2026",
    ".\u2026",
    '."',
    ".)",
    "...",
    ";",
    ".x",
    ". .",
    "!?",
    ".-",
    "!\u201d",
    ".\u2019)",
]
TAILS = ["s", "_", "'s", "\u2019s", "-x", "1", ",", ".", "\u00e9", '"', " &"]

Values = tuple[str, ...]


def words(text: str) -> int:
    return sum(any(map(str.isalnum, part)) for part in text.split())


def lines(text: str) -> int:
    return sum(line.strip() != "" for line in text.split("\n"))


def paragraphs(text: str) -> int:
    return len(re.split(r"\n\s*\n", text))


def sentences(text: str) -> int:
    """Parts with a letter or a digit, each up to a mark that ends it or to the end of its line."""
    return sum(any(map(str.isalnum, part)) for line in text.split("\n") for part in END.split(line))


def named(text: str, word: str) -> int:
    """The number of times that a word appears with no letter, digit or underscore beside it."""
    return len(re.findall(rf"(?<!\w){word}(?!\w)", text, re.I))


def letters(text: str, letter: str) -> int:
    return text.count(letter) + text.count(letter.upper())


def every(test: Callable[[int], bool], text: str, listed: str) -> bool:
    return all(test(named(text, word)) for word in listed.split(", "))


def exactly(count: Callable[..., int], text: str, *values: str) -> bool:
    *name, number = values
    return count(text, *name) == int(number)


KINDS: dict[str, tuple[str, Callable[..., bool]]] = {
    "start": (r"It starts with: (.+)", str.startswith),
    "end": (r"It ends with: (.+)", str.endswith),
    "words": (r"It has exactly (\d+) words?\.", partial(exactly, words)),
    "lines": (r"It has exactly (\d+) lines?, not counting empty ones\.", partial(exactly, lines)),
    "paragraphs": (
        r"It has exactly (\d+) paragraphs?\. Paragraphs are separated by empty lines\.",
        partial(exactly, paragraphs),
    ),
    "sentences": (
        (
            r"It has exactly (\d+) sentences?\. A sentence contains a letter or a digit\. It ends with a "
            r"period, an exclamation mark or a question mark that is followed by white space \(quotes and "
            r"other punctuation may come in between\), or at the end of its line\."
        ),
        partial(exactly, sentences),
    ),
    "size": (
        r"It has (?:exactly )?(\d+)(?: to (\d+))? characters, including spaces and line breaks\.",
        lambda text, low, high: int(low) <= len(text) <= int(high or low),
    ),
    "contains": (
        r"It contains (?:each of these words|this word), in upper or lower case: (.+)\.",
        partial(every, lambda times: times > 0),
    ),
    "avoids": (
        r"It does not contain (?:any of these words|this word), in upper or lower case: (.+)\.",
        partial(every, lambda times: times == 0),
    ),
    "word": (
        r"The word (\w+) appears exactly (\d+) times?, counting upper and lower case alike\.",
        partial(exactly, named),
    ),
    "letter": (
        r"The letter (\w) appears exactly (\d+) times?, counting upper and lower case alike\.",
        partial(exactly, letters),
    ),
    "commas": (r"It does not contain any commas\.()", lambda text, _: "," not in text),
    "upper": (r"All of its letters are uppercase\.()", lambda text, _: not any(map(str.islower, text))),
}


@lru_cache(maxsize=4)
def read(prompt: str) -> list[tuple[str, Values]]:
    """The kind of each property, and its values."""
    properties = []
    listed = re.findall(r"^\d+\. (.*)$", prompt, re.M)
    for line in listed:
        [found] = [(kind, m.groups()) for kind, (text, _) in KINDS.items() if (m := re.fullmatch(text, line))]
        properties.append(found)
    assert listed, prompt
    return properties


def judge(prompt: str, answer: str) -> bool:
    """True if the text has all properties; spaces and line breaks next to the tags are not part of it."""
    text = answer.strip()
    return all(KINDS[kind][1](text, *values) for kind, values in read(prompt))


def composed(properties: list[tuple[str, Values]], rng: Random) -> str:
    """A text of nonsense that mostly has the properties."""
    one = {kind: values[0] for kind, values in properties}
    upper = "upper" in one
    start, end = one["start"].split(" "), one["end"].split(" ")
    room = int(one["words"]) - len(start) - len(end)

    fixed = f"{one['start']} {one['end']}"
    wanted = {values[0]: int(values[1] or 0) for kind, values in properties if kind == "word"}
    wanted = dict.fromkeys(one["contains"].split(", ") if "contains" in one else [], 1) | wanted
    required = [word for word, times in wanted.items() for _ in range(times - named(fixed, word))]
    while len(required) > max(room - (rng.random() < 0.5), 1):
        required[-2:] = [f"{required[-2]}{rng.choice('-/+')}{required[-1]}"]

    owed = {values[0]: int(values[1] or 0) for kind, values in properties if kind == "letter"}
    free = sorted(set("bcdfgjkmpqvwxz") - set(owed)) or ["7"]
    fillers = [rng.choice(free) for _ in range(room - len(required))]
    for letter, total in owed.items():
        for _ in range(total - letters(" ".join([fixed, *required]), letter)):
            if fillers:
                at = rng.randrange(len(fillers))
                fillers[at] += letter if rng.random() < 0.7 else letter.upper()
    middle = required + fillers
    own = [False] * len(required) + [True] * len(fillers)
    order = rng.sample(range(len(middle)), len(middle))
    tokens = start + [middle[i] for i in order] + end
    fills = [len(start) + at for at, i in enumerate(order) if own[i]]

    gaps = range(len(start) - 1, len(tokens) - len(end))  # a break may come after each of these
    between = [" "] * (len(tokens) - 1)
    parts = int(one.get("paragraphs", 1))
    stops = int(one.get("sentences", len(gaps) + 1))
    rows = int(one.get("lines", rng.randint(parts, max(parts, min(stops, parts + 3, len(gaps) + 1)))))
    breaks = rng.sample(gaps, min(rows - 1, len(gaps)))
    for i, at in enumerate(breaks):
        between[at] = "\n\n" if i < parts - 1 else "\n"
        if i < parts - 1 and rng.random() < 0.2:
            between[at] = "\n\n\n"
        tokens[at] += rng.choice(["", ".", "!", '."', "?!", ")"])
    inner = [at for at in gaps if at not in breaks]
    if "sentences" in one:
        for at in rng.sample(inner, max(0, min(stops - rows, len(inner)))):
            tokens[at] += rng.choice([".", "!", "?", '."', "?)", "...", ".'"])
    elif fills and "commas" not in one and rng.random() < 0.5:
        tokens[rng.choice(fills)] += ","

    def text() -> str:
        joined = "".join(token + gap for token, gap in zip(tokens, [*between, ""], strict=True))
        return joined.upper() if upper else joined

    low, high = next(((int(v[0]), int(v[1] or v[0])) for k, v in properties if k == "size"), (0, 0))
    more = rng.randint(low, high) - len(text()) if low else rng.randint(0, 4 * len(fills))
    for _ in range(more if fills else 0):
        at = rng.choice(fills)
        tokens[at] = rng.choice(free) + tokens[at]
    return text()


def changed(text: str, rng: Random) -> Iterator[str]:
    """The text with small changes, which may or may not break a property."""

    def once(pattern: str, new: str | Callable[[re.Match[str]], str]) -> str:
        found = [*re.finditer(pattern, text)]
        if not found:
            return text
        match = rng.choice(found)
        return text[: match.start()] + (new if isinstance(new, str) else new(match)) + text[match.end() :]

    yield once(r"\w+", lambda m: f"{m[0]} {m[0]}")
    yield once(r" \w+", "")
    yield once(r"(\w+)( )(\w+)", lambda m: m[3] + m[2] + m[1])
    yield once(r"(?<=\w) (?=\w)", rng.choice(GAPS))
    yield once(r"\n+", rng.choice(BREAKS))
    yield once(r"[.!?]", rng.choice(MARKS))
    yield once(r"\w", rng.choice(ascii_lowercase + ascii_lowercase.upper() + "0_ "))
    yield once(r"\w", lambda m: m[0].swapcase())
    yield once(r"\w+", lambda m: m[0].swapcase())
    yield once(r"\w+", lambda m: m[0] + rng.choice(TAILS))
    yield once(r"\w+", lambda m: rng.choice("\"'([*_") + m[0])
    yield once(r"\w+", rng.choice(["is", "of", "and", "the", "his", "7", "--", "\u00e9a", "Q"]))
    yield rng.choice(["Well, ", '"', "- ", "X"]) + text
    yield text + rng.choice([" Yes.", ".", '"', "\n.", "\nX", " "])


def answers(prompt: str, rng: Random) -> Iterator[str]:
    """Texts of nonsense that fit, and texts that are nearly these."""
    properties = read(prompt)
    for _ in range(4):
        for _ in range(10):
            text = composed(properties, rng)
            if judge(prompt, text):
                break
        yield text
        yield text
        yield from changed(text, rng)
    yield f"\n{text}\n"
    yield text.swapcase()
    yield text.replace("\n", " ")
    yield text.replace(" ", "\n")
    yield ""
