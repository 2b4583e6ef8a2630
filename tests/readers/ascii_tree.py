"""Reader of ascii_tree: a tree of directories, given in one of six ways, as lines of ASCII."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from random import Random

LINE = re.compile(r"(?P<inner>(?:\|   |    )*)(?P<joint>\+--|`--)(?P<name>.*)")
CHILD = re.compile(
    r"(?:In the root directory|At the top level|On the first level|Directly under the root), (.*)"
)
DEEPER = re.compile(
    r"(?:Further down, at|Under the nested path|Following the path|Within the hierarchy) '(.*)', (.*)"
)
INSIDE = re.compile(r"[^']*'([^']+)'[^:]*?(?: (\d+) [a-z ]+: (.*))?\.")
ROOT = re.compile(r"(.+?) is (?:a|the) root directory.*?(\d+) [a-z ]+[,.].*?(?:namely|across|are) (.*)\.")

Tree = list[tuple[int, str]]  # the depth and the name of each directory, in the order of the lines


def from_paths(paths: Iterable[tuple[str, ...]]) -> Tree:
    """The tree of these paths, which start with the root; children are in the order of the paths."""
    inside: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for path in paths:
        assert path not in inside, path
        inside[path] = []
        if len(path) > 1:
            inside[path[:-1]].append(path)
    [root] = [path for path in inside if len(path) == 1]

    def below(path: tuple[str, ...]) -> Tree:
        return [(len(path) - 1, path[-1])] + [line for child in inside[path] for line in below(child)]

    return below(root)


def described(text: str) -> Iterator[tuple[str, ...]]:
    """The paths that sentences describe; all that they count and name has to be there."""
    first, *_, sentences = text.split("\n\n")[1:4]
    found = ROOT.fullmatch(first)
    assert found, first
    root, size, names = found.groups()
    top: list[str] = []
    told: dict[tuple[str, ...], list[str]] = {}
    for line in sentences.split("\n"):
        if line == "Back to the top level.":
            continue
        child, deeper = CHILD.fullmatch(line), DEEPER.fullmatch(line)
        sentence = INSIDE.fullmatch((child and child[1]) or (deeper and deeper[2]) or "")
        assert sentence, line
        name, number, listed = sentence.groups()
        path = (root, *deeper[1].split(" / ")) if deeper else (root, name)
        assert path[-1] == name, line
        told[path] = listed.split(", ") if listed else []
        assert len(told[path]) == int(number or 0), line
        top += [name] if child else []
    assert len(top) == int(size), text
    assert top[: names.count(", ") + 1] == names.split(", "), text
    assert set(told) == {(root, name) for name in top} | {(*p, name) for p, ns in told.items() for name in ns}
    yield (root,)
    yield from told


def listed(blocks: list[str]) -> Iterator[tuple[str, ...]]:
    """The paths of a recursive listing."""
    for at, block in enumerate(blocks):
        head, *names = block.split("\n")
        path = tuple(head.removesuffix(":").split("/"))
        if at == 0:
            yield path
        for name in names:
            yield (*path, name)


@lru_cache(maxsize=4)
def read(prompt: str) -> Tree:
    """The tree that a prompt describes."""
    text = re.split(r"\n+(?:Use|Write the tree in) this style:\n", prompt)[0]
    if text.startswith("Turn this English description"):
        return from_paths(described(text))
    lines = text.split("\n\n")[1].split("\n")
    if text.startswith("Draw the following outline"):
        return [
            ((len(line) - len(line.lstrip(" "))) // 2, line.lstrip(" ").removeprefix("- ")) for line in lines
        ]
    if text.startswith("Here are the paths"):
        return from_paths(tuple(line.removesuffix("/").split("/")) for line in lines)
    if text.startswith("This is a recursive listing"):
        return from_paths(listed(text.split("\n\n")[1:]))
    if text.startswith("Each line gives the depth"):
        return [(int(depth), name) for depth, name in (line.split(" ", 1) for line in lines)]
    start = re.match(r"You are in an empty \w+, (.*?)\. The command `enter`", text)
    assert start, prompt
    tree, depth = [(0, start[1])], 0
    for line in lines:
        command, value = line.split(" ", 1)
        depth += 1 if command == "enter" else -int(value)
        if command == "enter":
            tree.append((depth, value))
    return tree


def drawn(tree: Tree, joint: str = "+--", last: str = "`--", bar: str = "|   ", gap: str = "    ") -> str:
    """The lines of a tree, written from the last one up."""
    lines: list[str] = []
    later: set[int] = set()  # the depths at which a sibling follows
    for depth, name in reversed(tree[1:]):
        bars = "".join(bar if level in later else gap for level in range(1, depth))
        lines.append(f" {bars}{joint if depth in later else last}{name}")
        later = {level for level in later if level < depth} | {depth}
    return "\n".join([tree[0][1], *reversed(lines)])


def parsed(text: str) -> Tree | None:
    """The tree that lines of ASCII draw, or nothing if they break the rules of the style."""
    first, *rest = text.split("\n")
    tree, open_at = [(0, first)], {0: False}
    for line in rest:
        found = LINE.fullmatch(line[1:]) if line.startswith(" ") else None
        if not found:
            return None
        bars = [found["inner"][i] == "|" for i in range(0, len(found["inner"]), 4)]
        if len(bars) > tree[-1][0] or any(open_at[i] != bar for i, bar in enumerate(bars, 1)):
            return None
        depth = len(bars) + 1
        if any(more for at, more in open_at.items() if at > depth) or (
            depth <= tree[-1][0] and not open_at[depth]
        ):
            return None
        open_at = {at: more for at, more in open_at.items() if at < depth} | {depth: found["joint"] == "+--"}
        tree.append((depth, found["name"]))
    return None if any(open_at.values()) else tree


def judge(prompt: str, answer: str) -> bool:
    """True if the lines draw the tree. Spaces and line breaks next to the tags are not part of them, and
    Windows line endings are read like any others."""
    return parsed(answer.strip().replace("\r\n", "\n")) == read(prompt)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    """The tree, trees that are nearly it, and lines in other styles."""
    tree = read(prompt)
    right = drawn(tree)
    yield right
    yield f"\n{right}\n"
    yield right.replace("\n", "\r\n")
    for _ in range(4):
        at = rng.randrange(1, len(tree))
        depth, name = tree[at]
        yield (
            drawn([*tree[:at], (depth + rng.choice([-1, 1]), name), *tree[at + 1 :]]) if depth > 1 else right
        )
        yield drawn(tree[:at] + tree[at + 1 :]) if len(tree) > 2 else tree[0][1]
        yield drawn([*tree[:at], (depth, name + rng.choice("x/ ")), *tree[at + 1 :]])
        yield drawn([*tree[:at], (depth, name.swapcase()), *tree[at + 1 :]])
        yield drawn([*tree[:at], (depth, f" {name}"), *tree[at + 1 :]])
        yield drawn([*tree[:at], tree[at], tree[at], *tree[at + 1 :]])
        other = rng.randrange(1, len(tree))
        order = [*tree]
        order[at], order[other] = (depth, tree[other][1]), (tree[other][0], name)
        yield drawn(order)
        spot = rng.choice([i for i, c in enumerate(right) if c in " |+`-\n"])
        yield right[:spot] + rng.choice(" |+`-\n") + right[spot + 1 :]
        yield right[:spot] + right[spot + 1 :]
        yield right[:spot] + rng.choice(" |-\n") + right[spot:]
    yield drawn(tree, last="+--")
    yield drawn(tree, joint="`--")
    yield drawn(tree, bar="    ")
    yield drawn(tree, joint="├──", last="└──", bar="│   ")
    yield drawn(tree, joint="|--")
    yield drawn(tree, joint="+-- ", last="`-- ")
    yield drawn(tree, bar="|  ", gap="   ")
    yield re.sub(r"(?m)^ ", "", right)
    yield right.replace("\n", "\n\n")
    yield f"```\n{right}\n```"
    yield "\n".join("  " * depth + "- " + name for depth, name in tree)
    yield ""
