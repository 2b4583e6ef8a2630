"""Reads pocket_cube: fewest turns from one pattern to another, proved by a search from both ends."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from operator import itemgetter
from random import Random
from typing import NamedTuple

# "|" ends a line.
WORDINGS = """
This is a 2x2x2 cube, unfolded: the top, then left, front, right and back side by side, then the bottom. The
places of its stickers have numbers:||NUMBERS||U turns the top half by a quarter, R the right half and F the
front half, clockwise as seen from that side. In cycles, where (1 -> 2 -> 4 -> 3) says that the stickers at 1,
2, 4 and 3 go to 2, 4, 3 and 1:||U: RING_U|R: RING_R|F: RING_F||All others stay. U', R' and F' are quarter
turns the other way, and U2, R2 and F2 half turns; each of these nine is one move, and there are no others.
With a letter for each color, the cube is now||NET||and should become||NET||Find a shortest sequence of moves.
If there are several, any of them will do.|

I numbered the stickers of my 2x2x2 cube and drew it unfolded (top; left, front, right, back; bottom):||
NUMBERS||Then I tried what one turn does. After U, which is the top layer a quarter turn clockwise, seen from
above, I have:|| AFTER_U||After R instead, the right layer clockwise:||AFTER_R||After F instead, the front
layer clockwise:|| AFTER_F||I can also turn them counterclockwise, that's U', R' and F', or twice, U2, R2 and
F2, which I count as one turn. I don't turn other layers. Now the colors on the cube (one letter per color)
are these:||NET||How do I get exactly this pattern?||NET||I want to use as few turns as possible, and I don't
mind which if there's more than one way.|

x = LIST, with indices from 1||Each instruction moves values within x: (1 -> 2 -> 4 -> 3) moves the value at
index 1 to index 2, that at 2 to 4, that at 4 to 3 and that at 3 to 1, all at once, and other values stay.||U:
RING_U|R: RING_R|F: RING_F||U2 does what U does twice, and U' what U does three times; R2, R', F2 and F'
likewise. Each of these nine is one instruction. (x holds the stickers of a 2x2x2 cube.) Write a shortest
program after which||x = LIST||Any program of that length is accepted.|

The lock of the treasure room is a stone cube of 2x2x2 blocks with 24 jewels on its faces. The mate drew it
unfolded (the lid; left, front, right and back; the base) and numbered the settings:||NUMBERS||Three grips
turn the upper (U), right (R) and front half (F), clockwise as seen when facing that side. A quarter turn
moves the jewels in rings, (1 -> 2 -> 4 -> 3) meaning that what is in 1 goes to 2, from 2 to 4, from 4 to 3
and from 3 to 1:||U: RING_U|R: RING_R|F: RING_F||The other jewels stay. A quarter turn back is U', R' or F',
and half a turn U2, R2 or F2. The jewels, with a letter for each color, are now||NET||and the room opens when
they are||NET||Every turn creaks, whatever its size, so the crew wants as few as possible. Which turns? Any
such way is fine.|

Problem: 2x2x2 cube|Positions (unfolded; rows 1-2: up face; rows 3-4: left, front, right, back faces; rows
5-6: down face):|NUMBERS|Actions, in cycle notation (content moves to the next position of its cycle, and from
the last to the first):|U = RING_U|R = RING_R|F = RING_F|U2, R2, F2: the same twice|U', R', F': the inverse|
Initial colors:|NET|Goal colors:|NET|Cost: 1 for each of the nine actions|Task: find a plan with minimum cost;
any such plan is accepted||
"""
LAST = (
    "Give the turns in order, each written like U, U' or U2, separated by commas, "
    "inside <answer></answer> tags, and write nothing after them."
)
# The cycles of a quarter turn, and where the 24 stickers are in the net.
RINGS = {
    "U": ((1, 2, 4, 3), (5, 11, 9, 7), (6, 12, 10, 8)),
    "R": ((2, 19, 22, 8), (4, 11, 24, 16), (9, 10, 18, 17)),
    "F": ((3, 9, 22, 14), (4, 17, 21, 6), (7, 8, 16, 15)),
}
NET = ("..##....", "..##....", "########", "########", "..##....", "..##....")


def net(cells: list[str], gap: str) -> str:
    """The cells in the form of a net, with gaps where nothing is."""
    rest = iter(cells)
    return "\n".join(" ".join(gap if c == "." else next(rest) for c in row) for row in NET)


def quarter(side: str) -> list[int]:
    """The place from 0 that each sticker comes from."""
    comes = {to: at for ring in RINGS[side] for at, to in zip(ring, ring[1:] + ring[:1], strict=True)}
    return [comes.get(to, to) - 1 for to in range(1, 25)]


TURNS: dict[str, Callable[[str], tuple[str, ...]]] = {}
for _side in RINGS:
    _once = quarter(_side)
    _twice = [_once[at] for at in _once]
    TURNS |= {_side: itemgetter(*_once), f"{_side}2": itemgetter(*_twice)}
    TURNS[f"{_side}'"] = itemgetter(*(_once[at] for at in _twice))
BACK = {name: name if name[1:] == "2" else name[0] if name[1:] else f"{name}'" for name in TURNS}


def patterns() -> list[re.Pattern[str]]:
    parts = {"NUMBERS": net([f"{n:>2}" for n in range(1, 25)], " .")}
    for side, rings in RINGS.items():
        parts[f"RING_{side}"] = " ".join(f"({' -> '.join(map(str, ring))})" for ring in rings)
        parts[f"AFTER_{side}"] = net([f"{n + 1:>2}" for n in quarter(side)], " .")
    forms = []
    for wording in WORDINGS.strip().split("\n\n"):
        form = re.escape(re.sub(r"\| ", "|", wording.replace("\n", " ")).replace("|", "\n") + LAST)
        for name, text in parts.items():
            form = form.replace(name, re.escape(text))
        shown = re.escape(net(["?"] * 24, ".")).replace(r"\?", "[A-Z]")
        form = form.replace("NET", f"({shown})").replace("LIST", r"(\[[A-Z](?:, [A-Z]){23}\])")
        forms.append(re.compile(form))
    return forms


PATTERNS = patterns()


class Puzzle(NamedTuple):
    """The letters at places 1 to 24."""

    start: str
    goal: str


@lru_cache(maxsize=64)
def read(prompt: str) -> Puzzle:
    (match,) = [found for form in PATTERNS if (found := form.fullmatch(prompt))]
    start, goal = ("".join(re.findall("[A-Z]", colors)) for colors in match.groups())
    assert [*Counter(start).values()] == [4] * 6, prompt
    assert Counter(start) == Counter(goal), prompt
    assert start != goal, prompt
    return Puzzle(start, goal)


def turned(state: str, name: str) -> str:
    return "".join(TURNS[name](state))


@lru_cache(maxsize=8)
def layers(puzzle: Puzzle) -> tuple[list[set[str]], list[set[str]]]:
    """The patterns at each distance from the start and from the goal, until the last layers meet.

    Every turn can be turned back in one, so the neighbors of a layer are in it or in one beside it.
    """
    ahead: list[set[str]] = [set(), {puzzle.start}]
    behind: list[set[str]] = [set(), {puzzle.goal}]
    while ahead[-1].isdisjoint(behind[-1]):
        side = min(ahead, behind, key=lambda side: len(side[-1]))
        after = {"".join(turn(state)) for state in side[-1] for turn in TURNS.values()}
        side.append(after - side[-1] - side[-2])
        assert side[-1], "no way"
    return ahead[1:], behind[1:]


def least(puzzle: Puzzle) -> int:
    ahead, behind = layers(puzzle)
    return len(ahead) + len(behind) - 2


def shortest(puzzle: Puzzle, rng: Random) -> list[str]:
    """A shortest plan, any of several."""
    ahead, behind = layers(puzzle)
    middle = rng.choice(sorted(ahead[-1] & behind[-1]))
    ways: list[list[str]] = []
    for side in (ahead, behind):
        state, way = middle, list[str]()
        for layer in side[-2::-1]:
            name = rng.choice([name for name in TURNS if turned(state, name) in layer])
            way.append(name)
            state = turned(state, name)
        ways.append(way)
    return [BACK[name] for name in ways[0][::-1]] + ways[1]


def judge(prompt: str, answer: str) -> bool:
    puzzle = read(prompt)
    plan = re.split(r"[ \n]*,[ \n]*", answer.strip(" \n"))
    if not {*plan} <= {*TURNS}:
        return False
    state = puzzle.start
    for name in plan:
        state = turned(state, name)
    return state == puzzle.goal and len(plan) == least(puzzle)


def answers(prompt: str, rng: Random) -> Iterator[str]:
    puzzle = read(prompt)

    def text(plan: list[str], between: str = ", ") -> str:
        return between.join(plan)

    for between in (", ", ",", ",\n", " , ", ", ", ", ", ", ", ", "):
        yield text(shortest(puzzle, rng), between)
    best = shortest(puzzle, rng)
    yield f"\n{text(best)} "

    names = [*TURNS]
    for _ in range(3):
        i, name = rng.randrange(len(best)), rng.choice(names)
        before, after = best[:i], best[i + 1 :]
        split = {"'": ["2", ""], "2": ["", ""], "": ["2", "'"]}[best[i][1:]]
        yield text([*before, *(best[i][0] + end for end in split), *after])  # right, but one turn too long
        yield text([*before, name, BACK[name], *best[i:]])
        yield text([*before, name, *after])
        yield text([*before, best[i][0] + rng.choice(["", "'", "2"]), *after])
        yield text([*before, name, *best[i:]])
        yield text([*before, *after])
        yield text([*best[:i], *best[i : i + 2][::-1], *best[i + 2 :]])
        yield text([*before, rng.choice(["D", "L'", "B2", "U'2", "U3", "x", "M", "UR", "'"]), *after])
    aside = rng.choice(names)  # may be the first turn of a shortest plan, or a detour
    yield text([aside, *shortest(puzzle._replace(start=turned(puzzle.start, aside)), rng)])
    back = [BACK[name] for name in best[::-1]]
    lists = [back, back[::-1], best[::-1], best[:-1], best[1:], best * 2, best + back, [*best, best[-1]]]
    lists += [[name[0] for name in best], [f"{name[0]}2" for name in best], best + ["U"] * 4]
    lists += [rng.sample(best, len(best)), [rng.choice(names) for _ in best]]
    lists += [[name.translate(str.maketrans("URF", other)) for name in best] for other in ("DLB", "RFU")]
    yield from map(text, lists)
    yield from (text(best, between) for between in (" ", "\n", "; ", " -> ", ",, ", ", and "))
    yield from (f"{text(best)},", f"{text(best)}.", f", {text(best)}", f"[{text(best)}]", f"1. {text(best)}")
    yield from (text(best).lower(), text([f"({name})" for name in best]), str(len(best)), "-", "0", "")
    yield from (text([name.replace("'", prime) for name in best]) for prime in ("3", "-", "i", " '"))
    yield from (text([name[1:] + name[0] for name in best]), text([" ".join(name) for name in best]))
