"""Reads graph_coloring: every name needs one of the colours, and no pair may have the same."""

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random

NAMES = re.compile(r"(?:the nodes|The groups|The regions are) (\w+(?:, (?!and )\w+)*)")
PAIR = re.compile(r"^(\w+) (?:-|cannot stand) (\w+)\.?$|(?:run between|;) (\w+) and (\w+)", re.MULTILINE)
COLOURS = re.compile(r"NAME: (\w+)")


@lru_cache(maxsize=64)
def problem(prompt: str) -> tuple[list[str], list[tuple[str, str]], list[str]]:
    (names,) = NAMES.findall(prompt)
    nodes = names.split(", ")
    pairs = [(a or c, b or d) for a, b, c, d in PAIR.findall(prompt)]
    assert {name for pair in pairs for name in pair} <= set(nodes)
    return nodes, pairs, COLOURS.findall(prompt)


def judge(prompt: str, answer: str) -> bool:
    nodes, pairs, colours = problem(prompt)
    colour_of: dict[str, str] = {}
    for entry in re.split(r" *(?:, *\n?|\n) *", answer.strip(" \n")):
        name, colon, colour = entry.partition(": ")
        if not colon or name not in nodes or name in colour_of or colour not in colours:
            return False
        colour_of[name] = colour
    return len(colour_of) == len(nodes) and all(colour_of[a] != colour_of[b] for a, b in pairs)


def solved(
    nodes: list[str], pairs: list[tuple[str, str]], colours: list[str], rng: Random
) -> dict[str, str] | None:
    """A colouring at random, by trying what has the fewest colours left (or None where there is none)."""
    near: dict[str, list[str]] = {node: [] for node in nodes}
    for a, b in pairs:
        near[a].append(b)
        near[b].append(a)
    found: dict[str, str] = {}

    def go() -> bool:
        free = {
            node: [colour for colour in colours if all(found.get(other) != colour for other in near[node])]
            for node in nodes
            if node not in found
        }
        if not free:
            return True
        node = min(free, key=lambda node: (len(free[node]), -len(near[node]), rng.random()))
        for colour in rng.sample(free[node], len(free[node])):
            found[node] = colour
            if go():
                return True
            del found[node]
        return False

    return found if go() else None


def answers(prompt: str, rng: Random) -> Iterator[str]:
    nodes, pairs, colours = problem(prompt)
    right = solved(nodes, pairs, colours, rng)
    assert right is not None

    def text(colouring: dict[str, str], between: str = ", ", form: str = "{}: {}") -> str:
        return between.join(form.format(name, colour) for name, colour in colouring.items())

    yield text(right)
    turned = dict(zip(colours, [*colours[1:], colours[0]], strict=True))
    yield text({name: turned[colour] for name, colour in right.items()}, "\n")
    yield text(right, ",\n")
    yield text(solved(nodes, pairs, colours, rng) or {}, ",")
    for _ in range(3):
        name, other = rng.sample(nodes, 2)
        yield text({**right, name: turned[right[name]]})
        yield text({**right, name: right[other], other: right[name]})
    broken = rng.choice(pairs)
    yield text(solved(nodes, [pair for pair in pairs if pair != broken], colours, rng) or {})
    one = {broken[1]: broken[0]}
    merged = {(one.get(a, a), one.get(b, b)) for a, b in pairs if (a, b) != broken}
    held = solved([node for node in nodes if node != broken[1]], sorted(merged), colours, rng)
    if held:
        yield text({**held, broken[1]: held[broken[0]]})
    yield text(dict.fromkeys(nodes, colours[0]))
    yield text({name: rng.choice(colours) for name in nodes})
    yield text({name: colour for name, colour in right.items() if name != nodes[-1]})
    yield text(right) + ", " + text({nodes[0]: right[nodes[0]]})
    yield text(right) + ", " + text({nodes[0]: turned[right[nodes[0]]]})
    yield text({**right, nodes[0]: "yellow"})
    yield text({**right, "Nowhere": colours[0]})
    yield text({colour: name for name, colour in right.items()})
    yield text(right, ", ", "{1}: {0}")
    yield text(right, "; ")
    yield text(right, ", ", "{} {}")
    yield ", ".join(right.values())
