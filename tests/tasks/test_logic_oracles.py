"""Logic families read from their prompts and solved in Python: answers are the same, wrong ones are others.

Needs the `oracle` extra; `make test-all` installs it. Where it is missing these tests fail.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import reasonenv

pytestmark = pytest.mark.slow

COUNT = 1_000
"""Tasks of each family, over all its levels."""


def tasks(name: str) -> Iterator[Any]:
    family = reasonenv.family(name)
    levels = family.top_level + 1
    for level in range(levels):
        for split in ("train", "eval"):
            yield from family.source(level=level, seed=2026, split=split).batch(0, COUNT // levels // 2 + 1)


def compare(name: str, answer: Callable[[Any], str]) -> None:
    """Assert that these answers pass, and that the family's wrong ones are other sets and fail."""
    right = wrong = 0
    for task in tasks(name):
        own = answer(task)
        assert task.verify(task.wrap(own)).passed, task.prompt
        right += 1
        for other in task.wrong_answers(seed=right)[:3]:
            assert set(other.split(", ")) != set(own.split(", ")), task.prompt
            assert not task.verify(task.wrap(other)).passed, task.prompt
            wrong += 1
    assert min(right, wrong) >= COUNT


def counted(words: str, at: int, count: int) -> list[int]:
    """The statements, from 0, that a part of a sentence of statement `at` names."""
    if match := re.fullmatch(r"the (first|last) (\d+) statements", words):
        size = int(match[2])
        return list(range(size)) if match[1] == "first" else list(range(count - size, count))
    groups = {
        "the statements in this list": range(count),
        "the other statements": [other for other in range(count) if other != at],
        "the odd-numbered statements": range(0, count, 2),
        "the even-numbered statements": range(1, count, 2),
    }
    if words in groups:
        return list(groups[words])
    assert re.fullmatch(r"[Ss]tatements? \d+((, \d+)* and \d+)?", words), words
    return [int(number) - 1 for number in re.findall(r"\d+", words)]


def holds(sentence: str, at: int, worlds: Any) -> Any:
    """Evaluate a sentence in each world, a row of truth values each."""
    count = worlds.shape[1]
    if match := re.fullmatch(r"This list has exactly (\d+) statements\.", sentence):
        return np.full(len(worlds), int(match[1]) == count)
    match = re.fullmatch(r"(.*?) (?:is|are|(are both)) (true|false)\.", sentence)
    assert match, sentence
    words, both, value = match.groups()
    number = re.match(r"(Exactly|At least|At most) (\d+) of ", words)
    start = re.match(r"(None|Neither|All|An even number|An odd number) of ", words)
    prefix = number or start
    among = counted(words[prefix.end() :] if prefix else words, at, count)
    assert both is None or len(among) == 2, sentence
    total = (worlds[:, among] == (value == "true")).sum(axis=1)
    if number:
        bound = int(number[2])
        return {"Exactly": total == bound, "At least": total >= bound, "At most": total <= bound}[number[1]]
    match start[1] if start else "All":
        case "All":
            return total == len(among)
        case "None" | "Neither":
            return total == 0
        case parity:
            return total % 2 == ("odd" in parity)


def test_one_choice_of_truths_agrees_with_what_statements_say() -> None:
    worlds = {
        count: (np.arange(1 << count)[:, None] >> np.arange(count) & 1).astype(bool) for count in range(3, 17)
    }

    def answer(task: Any) -> str:
        listed = re.findall(r"^(?:Statement )?\(?(\d+)(?:\.|\)|:| -) (.*)$", task.prompt, re.MULTILINE)
        count = len(json.loads(task.problem)["truths"])
        assert [int(number) for number, _ in listed] == list(range(1, count + 1)), task.prompt
        ways = worlds[count]
        for at, (_, sentence) in enumerate(listed):
            ways = ways[holds(sentence, at, ways) == ways[:, at]]
        (only,) = ways
        return ", ".join(str(at + 1) for at in range(count) if only[at]) or "0"

    compare("self_reference", answer)
