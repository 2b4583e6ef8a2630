"""A miniature encyclopedia of invented people and places, to search for answers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from reasonenv import _checks, verifiers
from reasonenv._native import InvalidArgument
from reasonenv.data._rows import Rows, from_rows
from reasonenv.tools._tool import Tool, from_function

_BEGIN = [
    "Bra", "Cor", "Del", "Fen", "Gar", "Hol", "Jas", "Kel", "Lor", "Mar", "Nev", "Or",
    "Pel", "Quin", "Ras", "Sel", "Tam", "Ul", "Ver", "Wil", "Yar", "Zan",
]  # fmt: skip
_MIDDLE = ["a", "e", "i", "o", "u", "ara", "eli", "ino", "ola", "uri", "anti", "esto", "indo", "ovi", "umba"]
_END = {
    "person": ["d", "ck", "l", "m", "n", "r", "s", "th", "v", "x"],
    "town": ["burg", "dale", "ford", "gate", "ham", "mere", "stow", "wick"],
    "river": ["ash", "brin", "dor", "eth", "ine", "oss"],
    "guild": ["ators", "ists", "iners", "orers", "undi"],
}
_SHOWN = 2
"""Number of pages that a search shows."""

_LONGEST = 3500
"""Number of characters that the pages of a search share."""

_MOST_MISSES = 1000
"""Consecutive draws without a new question after which there are taken to be no more."""


class Page(NamedTuple):
    """An article."""

    title: str
    text: str


def shown_pages(pages: Sequence[Page]) -> str:
    """Result of a search, in which a long page leaves room for the others."""
    longest = _LONGEST // max(1, len(pages))
    shown = []
    for page in pages:
        text = f"{page.title}\n{page.text}" if page.title else page.text
        cut = f"\n[cut: {longest} of {len(text)} characters are shown]" if len(text) > longest else ""
        shown.append(text[:longest] + cut)
    return "\n\n".join(shown) or "no page has any of these words"


def make(*, seed: int = 0, size: int = 20) -> Tool:
    """The tool `search` over a `Wiki`.

    Args:
        seed: As in `Wiki`.
        size: As in `Wiki`.

    Raises:
        InvalidArgument: An argument is invalid.
    """
    return from_function(Wiki(seed, size).search)


class _Relation(NamedTuple):
    """A relation between two things, as a page states it and as a question does."""

    name: str
    source: str
    target: str
    said: str
    asked: str


_RELATIONS = (
    _Relation("birthplace", "person", "town", "{s} was born in {t}.", "the town where {} was born"),
    _Relation("teacher", "person", "person", "The teacher of {s} was {t}.", "the teacher of {}"),
    _Relation("employer", "person", "guild", "{s} worked for the {t}.", "the guild that {} worked for"),
    _Relation("river", "town", "river", "{s} lies on the {t}.", "the river on which {} lies"),
    _Relation("mayor", "town", "person", "The first mayor of {s} was {t}.", "the first mayor of {}"),
    _Relation("seat", "guild", "town", "The {s} have their seat in {t}.", "the seat of {}"),
    _Relation("founder", "guild", "person", "The {s} were founded by {t}.", "the founder of {}"),
    _Relation("source", "river", "town", "The {s} rises near {t}.", "the town near which {} rises"),
)


class Wiki:
    """Pages about invented people, towns, rivers and guilds, and questions that take several pages to answer.

    No model can know the answers: names and facts are drawn from `seed`. A page states only the relations of
    its own subject, and searching for a question of several hops does not show its answer.

    Args:
        seed: Determines all names and facts.
        size: Pages of each of the four kinds: from 4 to 400.
    """

    def __init__(self, seed: int = 0, size: int = 20) -> None:
        self.seed = _checks.seed("seed", seed)
        self.size = _checks.whole("size", size, 4, 400)
        rng = np.random.Generator(np.random.PCG64(self.seed))
        self._names = {kind: _names(rng, kind, self.size) for kind in _END}
        self._facts: dict[tuple[str, str], str] = {}
        pages = [
            Page(name, " ".join(self._tell(rng, kind, at)))
            for kind, names in self._names.items()
            for at, name in enumerate(names)
        ]
        self.pages = tuple(pages[i] for i in rng.permutation(len(pages)))
        self._words = [set(_words(" ".join(page))) for page in self.pages]
        self._pages_with = Counter(word for words in self._words for word in words)

    def __repr__(self) -> str:
        return f"Wiki(seed={self.seed}, size={self.size})"

    def search(self, query: str) -> str:
        """Searches the encyclopedia and shows the two pages that fit best.

        Args:
            query: Words to look for, such as a name.
        """
        wanted, scored = set(_words(query)), []
        for at, (page, words) in enumerate(zip(self.pages, self._words, strict=True)):
            # A word weighs more the fewer pages have it, and more in a title than in the text.
            title = set(_words(page.title))
            score = sum(
                1000 // self._pages_with[word] * (3 if word in title else 1) for word in wanted & words
            )
            if score:
                scored.append((-score, at))
        return shown_pages([self.pages[at] for _, at in sorted(scored)[:_SHOWN]])

    def questions(self, count: int = 100, *, hops: int = 2, seed: int = 0) -> list[dict[str, Any]]:
        """Questions, each of which takes `hops` pages to answer.

        Args:
            count: Number of questions; all are different.
            hops: Number of facts from the name in the question to the answer: from 1 to 6.
            seed: Other seeds give other questions.

        Returns:
            One dict per question, with `question`, `answer`, `hops` and `trail`, the titles of the pages that
            lead there.

        Raises:
            InvalidArgument: There are fewer different questions than `count`.
        """
        count = _checks.whole("count", count, 1, 10**6)
        hops = _checks.whole("hops", hops, 1, 6)
        rng = np.random.Generator(np.random.PCG64([self.seed, _checks.seed("seed", seed), hops]))
        found: dict[str, dict[str, Any]] = {}
        misses = 0
        while len(found) < count and misses < _MOST_MISSES:
            row = self._question(rng, hops)
            misses += 1
            if row is not None and row["question"] not in found:
                found[row["question"]], misses = row, 0
        if len(found) == count:
            return list(found.values())
        msg = f"`count` is {count}, but only {len(found)} such questions were found; ask for fewer"
        raise InvalidArgument(msg)

    def rows(self, count: int = 100, *, hops: int = 2, seed: int = 0) -> Rows:
        """The questions as tasks, grouped by the number of hops."""
        judge = verifiers.exact_match(normalize="case+spacing")
        return from_rows(self.questions(count, hops=hops, seed=seed), verifier=judge, group="hops")

    def _tell(self, rng: np.random.Generator, kind: str, at: int) -> Iterator[str]:
        """Text of the page of a thing, fact by fact."""
        name = self._names[kind][at]
        for relation in _RELATIONS:
            if relation.source == kind:
                # A step of at least one, because nobody teaches themselves.
                target = self._names[relation.target][(at + 1 + int(rng.integers(self.size - 1))) % self.size]
                self._facts[name, relation.name] = target
                yield relation.said.format(s=name, t=target)

    def _question(self, rng: np.random.Generator, hops: int) -> dict[str, Any] | None:
        """A question, unless its path visits the same thing twice, or one search shows the answer."""
        kind = list(self._names)[int(rng.integers(len(self._names)))]
        thing = self._names[kind][int(rng.integers(self.size))]
        asked, trail = thing if kind in ("person", "town") else f"the {thing}", [thing]
        for _ in range(hops):
            ways = [relation for relation in _RELATIONS if relation.source == kind]
            relation = ways[int(rng.integers(len(ways)))]
            thing, kind = self._facts[thing, relation.name], relation.target
            asked = relation.asked.format(asked)
            if thing in trail:
                return None
            trail.append(thing)
        what = f"What is the name of {asked}?"
        if hops > 1 and thing in self.search(what):
            return None
        return {"question": what, "answer": thing, "hops": hops, "trail": trail[:-1]}


def _names(rng: np.random.Generator, kind: str, count: int) -> list[str]:
    """Different names, each one word."""
    found: dict[str, None] = {}
    while len(found) < count:
        begin, one, other, end = (
            part[int(rng.integers(len(part)))] for part in (_BEGIN, _MIDDLE, _MIDDLE, _END[kind])
        )
        found[f"{begin}{one}{end}" if kind == "town" else f"{begin}{one}{end[0]}{other}{end}"] = None
    return list(found)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
