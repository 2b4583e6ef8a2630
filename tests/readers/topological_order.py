"""A reader of topological_order: names in an order that keeps rules of what comes before what."""

import re
from collections.abc import Iterator
from random import Random

NAMES = re.compile(r"(?:one after another:|one at a time:|the nodes|modules:|Items:) (\w+(?:, \w+)*)[.\n]")
FORWARD = re.compile(r"^ *(\w+) (?:must be done before|->|<) (\w+)\.?$", re.M)
REQUIRES = re.compile(r"^(\w+) (?:requires|depends on) (\w+)\.?$", re.M)

Rules = list[tuple[str, str]]


def read(prompt: str) -> tuple[list[str], Rules]:
    """The names, and pairs of which the first comes before the second."""
    found = NAMES.search(prompt)
    assert found is not None, prompt
    names = found.group(1).split(", ")
    rules = FORWARD.findall(prompt) + [(first, then) for then, first in REQUIRES.findall(prompt)]
    assert len(set(names)) == len(names), prompt
    assert rules, prompt
    assert {name for rule in rules for name in rule} <= set(names), prompt
    return names, rules


def judge(prompt: str, answer: str) -> bool:
    """True if the answer has each name once and keeps every rule."""
    names, rules = read(prompt)
    given = [name.strip() for name in answer.split("->")]
    if sorted(given) != sorted(names):
        return False
    place = {name: i for i, name in enumerate(given)}
    return all(place[first] < place[then] for first, then in rules)


def an_order(names: list[str], rules: Rules, rng: Random) -> list[str]:
    """Any order that keeps the rules, drawn name by name from those that may come next."""
    order: list[str] = []
    left = set(names)
    while left:
        blocked = {then for first, then in rules if first in left}
        order.append(rng.choice(sorted(left - blocked)))
        left.remove(order[-1])
    return order


def moved(order: list[str], name: str, other: str) -> list[str]:
    """The order with one name taken out and put right behind another."""
    rest = [each for each in order if each != name]
    i = rest.index(other) + 1
    return [*rest[:i], name, *rest[i:]]


def answers(prompt: str, rng: Random) -> Iterator[str]:
    """Several right orders, right ones with moves that may break a rule, and malformed lists."""
    names, rules = read(prompt)
    for joiner in (" -> ", "->", " ->\n", "\n-> ", "\t->  ") * 2:
        yield joiner.join(an_order(names, rules, rng))
    right = an_order(names, rules, rng)
    yield f"\n{' -> '.join(right)}\n"

    others = [names, right[::-1], rng.sample(names, len(names)), [*right[1:], right[0]]]
    others.append(an_order(names, [(then, first) for first, then in rules], rng))
    for _ in range(3):
        first, then = rng.choice(rules)
        others.append(moved(right, first, then))
        others.append(an_order(names, [rule for rule in rules if rule != (first, then)], rng))
        i = rng.randrange(len(right) - 1)
        others.append([*right[:i], right[i + 1], right[i], *right[i + 2 :]])
    i = rng.randrange(len(right))
    others.append(right[:i] + right[i + 1 :])
    others.append([*right[: i + 1], *right[i:]])
    others.append([*right[:i], right[i - 1], *right[i + 1 :]])
    others.append([*right, right[0]])
    others.append([*right, "Nowhere"])
    others.append([f"{right[0]}x", *right[1:]])
    for order in others:
        yield " -> ".join(order)
    yield " <- ".join(reversed(right))
    yield ", ".join(right)
    yield ""
