"""Reads vertex_subset: some nodes of a graph are chosen by a rule, as many or as few as possible."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from random import Random
from typing import NamedTuple

Near = tuple[int, ...]  # the neighbors of each node, as the bits of a number

LIST = r"\w+(?:, \w+)*"
DASHED = r"\w+-\w+(?:, \w+-\w+)*"
# What is shown, and how its ties are said.
SHOWN = {
    rf"An undirected graph has the nodes (?P<nodes>{LIST}) and these edges: (?P<edges>{DASHED})\.\n\n":
        r"If several answers are equally good, any of them will do\.",
    r"Here is everybody in our club, with the people they know \(it's always mutual\):\n"
    rf"(?P<lines>(?:\n\w+: {LIST})+)\n\n":
        r"If there's more than one best answer, just give me one of them\.",
    rf"V = \{{(?P<nodes>{LIST})\}}\nE = \{{(?P<edges>{DASHED})\}}\n\n"
    r"E holds the edges of an undirected graph on V\. Choose a subset S of V such that ":
        r"Any best S is accepted\.",
    rf"On an island there are (?P<count>\d+) villages: (?P<nodes>{LIST})\. "
    r"Roads join (?P<edges>\w+ and \w+(?:; \w+ and \w+)*)\.\n\n":
        r"There may be more than one best answer; one is enough\.",
    rf"graph = adjacency lists, undirected, no weights:(?P<lines>(?:\n  \w+: {LIST})+)\n\n":
        r"Ties may be broken in any way\.",
}  # fmt: skip
# The words for each rule: of a graph, of people, of V and E, and of villages.
RULES = {
    "cover": """
    Find a smallest vertex cover: as few nodes as possible, such that every edge has at least one of
    them as an end.

    Whenever two people know each other, at least one of the two has to sign a form. Who should sign, if
    as few people as possible are to be bothered?

    every edge in E has at least one end in S, and S is as small as possible.

    Every road needs a guard in at least one of the two villages that it joins. A guard watches all
    roads of a village. In which villages should guards be posted, if there are to be as few as
    possible?
    """,
    "independent": """
    Find a largest independent set: as many nodes as possible, no two of which are joined by an edge.

    I want to invite as many of them as I can, but no two of my guests may know each other. Whom should
    I invite?

    no edge in E has both ends in S, and S is as large as possible.

    A bakery wants to open as many shops as possible, at most one in each village and never in two
    villages that are joined by a road. In which villages should it open them?
    """,
    "clique": """
    Find a largest clique: as many nodes as possible, every two of which are joined by an edge.

    I'm looking for a group as large as possible in which everybody knows everybody else. Who should be
    in it?

    every two elements of S are joined by an edge in E, and S is as large as possible.

    A rider wants to visit as many villages as possible, each of which is joined by a road to every
    other one she visits. Which villages should she choose?
    """,
    "dominating": """
    Find a smallest dominating set: as few nodes as possible, such that every other node is joined by an
    edge to at least one of them.

    I have some news, and I'd like to tell as few of them as possible myself: everyone else should know
    somebody I told. Whom should I tell?

    every element of V is in S or shares an edge in E with an element of S, and S is as small as
    possible.

    Every village without a doctor must be joined by a road to a village with one. In which villages
    should doctors live, if there are to be as few as possible?
    """,
    "cut": """
    Find a largest cut: split the nodes into two groups so that as many edges as possible join a node of
    one group to a node of the other, and name all nodes of one of the two groups.

    I have to split them into two teams of any size, so that as many pairs as possible who know each
    other are on different teams. Who should be on the first team?

    the number of edges in E that have exactly one end in S is as large as possible.

    Every village is to be painted white or blue, so that as many roads as possible join a white village
    to a blue one. Which villages should be white?
    """,
}
WORDS = (0, 1, 2, 3, 0)  # the words of a rule that go with each thing shown
LAST = (
    r"\nGive the names you choose, each once, in any order and separated by commas, "
    r"inside <answer></answer> tags, and write nothing after them\."
)


class Problem(NamedTuple):
    rule: str
    names: list[str]
    near: Near


def escaped(text: str) -> str:
    return re.escape(" ".join(text.split()))


@lru_cache(maxsize=64)
def read(prompt: str) -> Problem:
    found = [
        (rule, match)
        for (shown, ties), words in zip(SHOWN.items(), WORDS, strict=True)
        for rule, text in RULES.items()
        if (match := re.fullmatch(shown + escaped(text.split("\n\n")[words]) + f" {ties}{LAST}", prompt))
    ]
    ((rule, match),) = found
    groups = match.groupdict()
    if "lines" in groups:
        lines = dict(line.strip().split(": ") for line in groups["lines"].strip("\n").split("\n"))
        assert len(lines) == groups["lines"].count(":")
        names, pairs = [*lines], []
        for name, others in lines.items():
            pairs += [(name, other) for other in others.split(", ") if others != "none"]
        assert all((b, a) in pairs for a, b in pairs)
        assert len(set(pairs)) == len(pairs)
    else:
        names = groups["nodes"].split(", ")
        pairs = [(a, b) for a, b in re.findall(r"(\w+)(?:-| and )(\w+)", groups["edges"])]
        assert len({frozenset(pair) for pair in pairs}) == len(pairs)
        assert int(groups.get("count") or len(names)) == len(names)
    assert len(set(names)) == len(names)
    near = [0] * len(names)
    for a, b in pairs:
        assert a != b
        near[names.index(a)] |= 1 << names.index(b)
        near[names.index(b)] |= 1 << names.index(a)
    return Problem(rule, names, tuple(near))


def bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def value(rule: str, near: Near, mask: int) -> int | None:
    """The worth of choosing these nodes (more is better); None if the rule does not allow it."""
    everything = (1 << len(near)) - 1
    inside = [*bits(mask)]
    if rule == "cut":
        return sum((near[v] & ~mask).bit_count() for v in inside)
    if rule == "independent":
        return None if any(near[v] & mask for v in inside) else len(inside)
    if rule == "clique":
        return len(inside) if all(near[v] | 1 << v | mask == near[v] | 1 << v for v in inside) else None
    if rule == "cover":
        return None if any(near[v] & ~mask for v in bits(everything & ~mask)) else -len(inside)
    return None if any(not near[v] & mask for v in bits(everything & ~mask)) else -len(inside)


def independent(near: Near) -> int:
    """A largest set without neighbors: takes ends and lone nodes, then branches at the busiest node."""

    @cache
    def go(left: int) -> int:
        taken, busiest, most = 0, -1, 3
        while most > 2:
            busiest, most = -1, -1
            for v in bits(left):
                degree = (near[v] & left).bit_count()
                if degree < 2:
                    taken, left, most = taken | 1 << v, left & ~(near[v] | 1 << v), 3
                    break
                if degree > most:
                    busiest, most = v, degree
            else:
                break
        if not left:
            return taken
        one = go(left & ~(near[busiest] | 1 << busiest)) | 1 << busiest
        other = go(left & ~(1 << busiest))
        return taken | max(one, other, key=int.bit_count)

    return go((1 << len(near)) - 1)


def dominating(near: Near) -> int:
    """A smallest dominating set: branches over who can reach the node that the fewest can reach."""
    reach = [near[v] | 1 << v for v in range(len(near))]
    best = (1 << len(near)) - 1

    def go(left: int, free: int, chosen: int) -> None:
        nonlocal best
        ways = sorted(((reach[v] & free).bit_count(), v) for v in bits(left))
        bound, used = chosen.bit_count(), 0
        for _, v in ways:  # each of these needs one of its own
            if not reach[v] & free & used:
                used |= reach[v] & free
                bound += 1
        if bound >= best.bit_count():
            return
        if not ways:
            best = chosen
            return
        for v in sorted(bits(reach[ways[0][1]] & free), key=lambda v: -(reach[v] & left).bit_count()):
            free &= ~(1 << v)
            go(left & ~reach[v], free, chosen | 1 << v)

    go(best, best, 0)
    return best


def cut(near: Near) -> int:
    """A side of a largest cut: nodes are removed one by one, each with a table over its neighbors' sides."""
    links, left = list(near), set(range(len(near)))
    tables: list[dict[int, int]] = []  # of one node each: its neighbors' sides and its own best side
    waiting: list[tuple[int, dict[int, int]]] = [
        ((1 << a | 1 << b), {0: 0, 1 << a: 1, 1 << b: 1, (1 << a | 1 << b): 0})
        for a in left
        for b in bits(near[a] >> a << a)
    ]
    order = []
    while left:
        v = min(left, key=lambda v: links[v].bit_count())
        left.remove(v)
        around = [*bits(links[v])]
        parts = [part for part in waiting if part[0] >> v & 1]
        gain, side = dict[int, int](), dict[int, int]()
        for number in range(1 << len(around)):
            sides = sum(1 << u for i, u in enumerate(around) if number >> i & 1)
            off = sum(table[scope & sides] for scope, table in parts)
            on = sum(table[scope & (sides | 1 << v)] for scope, table in parts)
            gain[sides], side[sides] = max(off, on), int(on > off)
        waiting = [part for part in waiting if not part[0] >> v & 1] + [(links[v], gain)]
        for u in around:
            links[u] = (links[u] | links[v]) & ~(1 << u | 1 << v)
        order.append((v, sum(1 << u for u in around)))
        tables.append(side)
    mask = 0
    for (v, scope), side in zip(order[::-1], tables[::-1], strict=True):
        mask |= side[mask & scope] << v
    return mask


def best(rule: str, near: Near) -> int:
    """The nodes of a best choice."""
    everything = (1 << len(near)) - 1
    if rule == "clique":
        return independent(tuple(everything & ~(others | 1 << v) for v, others in enumerate(near)))
    if rule == "cover":
        return everything & ~independent(near)
    return {"independent": independent, "dominating": dominating, "cut": cut}[rule](near)


@lru_cache(maxsize=64)
def top(prompt: str) -> int | None:
    rule, _, near = read(prompt)
    return value(rule, near, best(rule, near))


def judge(prompt: str, answer: str) -> bool:
    """True if the answer names nodes that the rule allows, and no choice is better."""
    rule, names, near = read(prompt)
    chosen = [name.strip() for name in answer.split(",")]
    if len(set(chosen)) < len(chosen) or not set(chosen) <= set(names):
        return False
    return value(rule, near, sum(1 << names.index(name) for name in chosen)) == top(prompt)


def shuffled(rule: str, near: Near, rng: Random) -> int:
    """A best choice, any of several."""
    order = rng.sample(range(len(near)), len(near))
    turned = tuple(sum(1 << order.index(u) for u in bits(near[v])) for v in order)
    return sum(1 << order[i] for i in bits(best(rule, turned)))


def greedy(rule: str, near: Near, rng: Random) -> int:
    """A choice that no single node added or taken away would make better."""
    mask = (1 << len(near)) - 1 if rule in ("cover", "dominating") else 0
    for v in rng.sample(range(len(near)), len(near)) * 2:
        now, then = value(rule, near, mask), value(rule, near, mask ^ 1 << v)
        if now is not None and then is not None and then > now:
            mask ^= 1 << v
    return mask


def answers(prompt: str, rng: Random) -> Iterator[str]:
    """Best choices, nearly best ones, best ones for other rules, and malformed lists."""
    rule, names, near = read(prompt)
    everything = (1 << len(names)) - 1

    def listed(mask: int) -> list[str]:
        chosen = [names[v] for v in bits(mask)]
        return rng.sample(chosen, len(chosen))

    rights = [shuffled(rule, near, rng) for _ in range(2)]
    for between in (", ", ",", ",\n", " , ") * 2:
        yield between.join(listed(rng.choice(rights)))
    right = rights[0]
    yield f"\n  {', '.join(listed(right))} \n"
    yield ", ".join(listed(everything & ~right))
    for _ in range(6):
        yield ", ".join(listed(greedy(rule, near, rng)))
        out, new = rng.choice([*bits(right)]), rng.choice([*bits(everything & ~right)] or [0])
        yield ", ".join(listed(right ^ 1 << out ^ 1 << new))
        yield ", ".join(listed(right & ~(1 << out)))
        yield ", ".join(listed(right | 1 << new))
    for other in RULES:
        if other not in (rule, "cut"):  # the largest cuts of dense graphs take long to find
            yield ", ".join(listed(best(other, near)))
    yield ", ".join(listed(everything))
    yield ", ".join(listed(rng.randrange(1 << len(names))))
    chosen = listed(right)
    yield ", ".join([*chosen, chosen[0]])
    yield ", ".join([*chosen[1:], chosen[1 % len(chosen)]])
    yield ", ".join([*chosen[1:], "Nowhere"])
    yield ", ".join([*chosen, str(len(names) + 1)])
    yield ", ".join([*chosen[1:], "0"])
    yield ", ".join(f"0{name}" for name in chosen)
    yield " ".join(chosen)
    yield "; ".join(chosen)
    yield "-".join(chosen)
    yield str(len(chosen))
    yield ""
