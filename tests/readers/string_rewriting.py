"""Reads string_rewriting: the rules are carried out, and the answer has to be the string at the end."""

import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random

Rules = list[tuple[str, str]]
START = re.compile(
    r"The initial string is (\w+)\.|^Input: (\w+)$|The text is (\w+), and|are (\w+)\.|^text = \"(\w+)\"$",
    re.MULTILINE,
)
RULE = re.compile(
    r"^\d+\. (?:replace )?(\w+) (?:->|becomes|with|is swapped for) (\w+)$|^    \(\"(\w+)\", \"(\w+)\"\),$",
    re.MULTILINE,
)


def problem(prompt: str) -> tuple[str, Rules]:
    (starts,) = START.findall(prompt)
    rules = [(one[0] or one[2], one[1] or one[3]) for one in RULE.findall(prompt)]
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", prompt, re.MULTILINE)]
    assert numbers == [*range(1, len(rules) + 1)] or "rules = [" in prompt
    return "".join(starts), rules


def run(string: str, rules: Rules, *, rightmost: bool = False) -> list[str]:
    """Every string from the start to the end; variants of the rules may need an end set."""
    strings = [string]
    while len(strings) < 1000 and len(string) < 1000:
        for left, right in rules:
            at = string.rfind(left) if rightmost else string.find(left)
            if at >= 0:
                string = string[:at] + right + string[at + len(left) :]
                strings.append(string)
                break
        else:
            break
    return strings


def final(prompt: str) -> str:
    string, rules = problem(prompt)
    end = run(string, rules)[-1]
    assert not any(left in end for left, _ in rules)
    return end


def judge(prompt: str, answer: str) -> bool:
    return answer.strip(" \n") == final(prompt)


def at_once(string: str, rules: Rules) -> str:
    """Wrong result of applying each rule in turn everywhere, over and over."""
    for _ in range(50):
        for left, right in rules:
            string = string.replace(left, right)[:1000]
    return string


def answers(prompt: str, rng: Random) -> Iterator[str]:
    start, rules = problem(prompt)
    strings = run(start, rules)
    end = strings[-1]
    letters = sorted({letter for string in (start, *map("".join, rules)) for letter in string})
    yield end
    yield f" {end}\n"
    yield start
    yield from strings[-3:-1]
    yield rng.choice(strings)
    yield run(start, rules[::-1])[-1]
    yield run(start, rules, rightmost=True)[-1]
    yield run(start, rules[:-1])[-1]
    yield run(start, rng.sample(rules, len(rules)))[-1]
    yield run(start, [(right, left) for left, right in rules if right not in left])[-1]
    yield run(start[::-1], rules)[-1]
    yield run(start + rng.choice(letters), rules)[-1]
    yield at_once(start, rules)
    for left, _ in rules:
        yield run(start, [rule for rule in rules if rule[0] != left])[-1]
    at = rng.randrange(len(end))
    yield end[:at] + end[at + 1 :]
    yield end[:at] + rng.choice(letters) + end[at:]
    yield end[:at] + rng.choice(letters) + end[at + 1 :]
    yield "".join(rng.sample(end, len(end)))
    yield end[::-1]
    yield end.lower()
    yield " ".join(end) if len(end) > 1 else end * 2
    yield f"{start} -> {end}"
    yield "\n".join(strings[-2:])
    for a, b in pairwise(range(len(end))):
        if end[a] != end[b]:
            yield end[:a] + end[b] + end[a] + end[b + 1 :]
            break
