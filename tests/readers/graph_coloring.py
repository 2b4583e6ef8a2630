"""Reads graph_coloring: every name needs one of the colors, and no pair may have the same."""

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random

NAMES = re.compile(r"(?:has the nodes|these groups:|transmitters:|regions:|Variables:) (\w+(?:, \w+)*)")
PAIR = re.compile(
    r"^ *(\w+) (?:-|/|!=|and) (\w+)(?: don't get along\.)?$|(?:run between|;) (\w+) and (\w+)", re.MULTILINE
)
COLORS = re.compile(r"NAME: (\w+)")


@lru_cache(maxsize=64)
def problem(prompt: str) -> tuple[list[str], list[tuple[str, str]], list[str]]:
    (names,) = NAMES.findall(prompt)
    nodes = names.split(", ")
    pairs = [(a or c, b or d) for a, b, c, d in PAIR.findall(prompt)]
    assert {name for pair in pairs for name in pair} <= set(nodes)
    return nodes, pairs, COLORS.findall(prompt)


def judge(prompt: str, answer: str) -> bool:
    nodes, pairs, colors = problem(prompt)
    color_of: dict[str, str] = {}
    for entry in re.split(r" *(?:, *\n?|\n) *", answer.strip(" \n")):
        name, colon, color = entry.partition(": ")
        if not colon or name not in nodes or name in color_of or color not in colors:
            return False
        color_of[name] = color
    return len(color_of) == len(nodes) and all(color_of[a] != color_of[b] for a, b in pairs)


def solved(
    nodes: list[str], pairs: list[tuple[str, str]], colors: list[str], rng: Random
) -> dict[str, str] | None:
    """A coloring at random, by trying what has the fewest colors left (or None where there is none)."""
    near: dict[str, list[str]] = {node: [] for node in nodes}
    for a, b in pairs:
        near[a].append(b)
        near[b].append(a)
    found: dict[str, str] = {}

    def go() -> bool:
        free = {
            node: [color for color in colors if all(found.get(other) != color for other in near[node])]
            for node in nodes
            if node not in found
        }
        if not free:
            return True
        node = min(free, key=lambda node: (len(free[node]), -len(near[node]), rng.random()))
        for color in rng.sample(free[node], len(free[node])):
            found[node] = color
            if go():
                return True
            del found[node]
        return False

    return found if go() else None


def answers(prompt: str, rng: Random) -> Iterator[str]:
    nodes, pairs, colors = problem(prompt)
    right = solved(nodes, pairs, colors, rng)
    assert right is not None

    def text(coloring: dict[str, str], between: str = ", ", form: str = "{}: {}") -> str:
        return between.join(form.format(name, color) for name, color in coloring.items())

    yield text(right)
    turned = dict(zip(colors, [*colors[1:], colors[0]], strict=True))
    yield text({name: turned[color] for name, color in right.items()}, "\n")
    yield text(right, ",\n")
    yield text(solved(nodes, pairs, colors, rng) or {}, ",")
    for _ in range(3):
        name, other = rng.sample(nodes, 2)
        yield text({**right, name: turned[right[name]]})
        yield text({**right, name: right[other], other: right[name]})
    broken = rng.choice(pairs)
    yield text(solved(nodes, [pair for pair in pairs if pair != broken], colors, rng) or {})
    one = {broken[1]: broken[0]}
    merged = {(one.get(a, a), one.get(b, b)) for a, b in pairs if (a, b) != broken}
    held = solved([node for node in nodes if node != broken[1]], sorted(merged), colors, rng)
    if held:
        yield text({**held, broken[1]: held[broken[0]]})
    yield text(dict.fromkeys(nodes, colors[0]))
    yield text({name: rng.choice(colors) for name in nodes})
    yield text({name: color for name, color in right.items() if name != nodes[-1]})
    yield text(right) + ", " + text({nodes[0]: right[nodes[0]]})
    yield text(right) + ", " + text({nodes[0]: turned[right[nodes[0]]]})
    yield text({**right, nodes[0]: "yellow"})
    yield text({**right, "Nowhere": colors[0]})
    yield text({color: name for name, color in right.items()})
    yield text(right, ", ", "{1}: {0}")
    yield text(right, "; ")
    yield text(right, ", ", "{} {}")
    yield ", ".join(right.values())
