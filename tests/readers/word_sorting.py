"""Reader of word_sorting: words in the order of an alphabet, which the prompt may give."""

import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from string import ascii_lowercase

WORDS = re.compile(
    r"(?:^|^words: |not yet in order: )([a-z]+(?:, [a-z]+)+)[.\n]"
    r"|(?:players are|goes first\.)\n\n([a-z\n]+)\n\n",
    re.M,
)
ALPHABET = re.compile(r"\b(?:[a-z] ){25}[a-z]\b")


def read(prompt: str) -> tuple[list[str], str]:
    """The words and the letters in their order."""
    found = WORDS.search(prompt)
    assert found is not None, prompt
    own = ALPHABET.search(prompt)
    letters = own.group().replace(" ", "") if own else ascii_lowercase
    assert sorted(letters) == list(ascii_lowercase), prompt
    words = re.findall("[a-z]+", next(group for group in found.groups() if group))
    assert len(set(words)) == len(words), prompt
    return words, letters


def before(one: str, other: str, letters: str) -> bool:
    """True if a word comes before another by the first letter that differs, or is a prefix of it."""
    for a, b in zip(one, other, strict=False):
        if a != b:
            return letters.index(a) < letters.index(b)
    return len(one) < len(other)


def in_order(words: list[str], letters: str) -> list[str]:
    """The words, each put behind those that come before it."""
    order: list[str] = []
    for word in words:
        order.insert(sum(before(other, word, letters) for other in order), word)
    return order


def judge(prompt: str, answer: str) -> bool:
    """True if the answer has each word once, and each comes before the next."""
    words, letters = read(prompt)
    given = [name.strip() for name in answer.split("->")]
    return sorted(given) == sorted(words) and all(before(a, b, letters) for a, b in pairwise(given))


def answers(prompt: str, rng: Random) -> Iterator[str]:
    """The right order in several spacings, and orders that are not right."""
    words, letters = read(prompt)
    right = in_order(words, letters)
    for joiner in (" -> ", "->", " ->", "-> ", " ->\n", "\n-> ", "  ->  ", "\t->\t"):
        yield joiner.join(right)
    yield f"\n{' -> '.join(right)}\n"
    yield f"  {'->'.join(right)} "

    wrong = [words, sorted(words), in_order(words, letters[::-1])]
    wrong.append(in_order(words, letters[1:] + letters[0]))
    wrong.append(sorted(words, key=lambda word: [letters.index(c) for c in reversed(word)]))
    wrong.append(sorted(words, key=lambda word: (letters.index(word[0]), len(word))))
    wrong.append(sorted(words, key=lambda word: (len(word), word)))
    wrong.append([right[-1], *right[:-1]])
    for _ in range(3):
        i = rng.randrange(len(right) - 1)
        wrong.append([*right[:i], right[i + 1], right[i], *right[i + 2 :]])
        one, two = sorted(rng.sample(range(len(right)), 2))
        wrong.append([*right[:one], right[two], *right[one + 1 : two], right[one], *right[two + 1 :]])
    wrong.append(rng.sample(right, len(right)))
    i = rng.randrange(len(right))
    wrong.append(right[:i] + right[i + 1 :])
    wrong.append([*right[: i + 1], *right[i:]])
    wrong.append([*right[:i], right[i][:-1], *right[i + 1 :]])
    wrong.append([*right[:i], right[i - 1], *right[i + 1 :]])
    wrong.append([*right, "zzz"])
    for order in wrong:
        yield " -> ".join(order)
    yield " <- ".join(reversed(right))
    yield ", ".join(right)
    yield ""
