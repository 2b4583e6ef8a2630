"""Reads blocksworld: fewest moves from some stacks to others, proved by a search over moves to the table."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, count, pairwise
from random import Random

# "|" ends a line.
WORDINGS = """
These are stacks of blocks on a table, each from bottom to top:||NOW||They should become these, again from
bottom to top:||GOAL||A move takes a block with no block on it and puts it on another block with none on it
("A to B") or on the table ("A to table"), where there is always room. The order of the stacks does not
matter. Find a way with as few moves as possible; if there are several, any of them will do.|

Can you help me restack the boxes on my workbench? I have these piles, lowest box first:||LIST||And I need
these, also lowest box first (I don't care which pile is where):||LIST||I carry one box at a time, and only
one with nothing on it. I can put it on another box with nothing on it (say "A to B") or straight on the
bench, where there's room enough ("A to table"). What's a way with the fewest moves? Any shortest will do.|

stacks now (the last letter is the top):|NOW||stacks wanted, in any order:|GOAL||instructions:|X to Y: pop X,
which must be on top of its stack, and push it onto the stack with Y on top|X to table: pop X, which must be
on top of its stack but not alone there, and start a new stack with it||Write a shortest program that turns
the first stacks into the second. Any program of that length is accepted.|

Containers are piled up in a harbor. Tonight the piles are, from the ground up:||LIST||Tomorrow they must be,
from the ground up and in any order:||LIST||The crane lifts one container at a time, and only if no other is
on it. It sets it down on a different pile, or on free ground, of which there is plenty. The foreman writes
"A to B" when A is set down on B, and "A to table" when it starts a new pile. How can it be done with as few
lifts as possible? Any such plan is fine.|

Blocks world||Initial towers, bottom block first:|NOW||Goal towers, bottom block first:|GOAL||Actions: "X to
Y" puts clear block X on clear block Y, "X to table" puts clear block X on the table. Clear blocks have no
block on them. An action must change what X is on. The table holds any number of towers, in no particular
order.|Objective: fewest actions; every optimal plan is accepted||
"""
LAST = (
    "Give the moves in order, each written like A to B or A to table, separated by commas, "
    "inside <answer></answer> tags, and write nothing after them."
)
ROW = "[A-Z](?: [A-Z])*"
ROWS, LIST = (f"({start}{ROW}(?:\\n{start}{ROW})*)" for start in ("", "- "))
PATTERNS = [
    re.compile(
        re.escape(text.replace("\n", " ").replace("|", "\n") + LAST)
        .replace("NOW", ROWS)
        .replace("GOAL", ROWS)
        .replace("LIST", LIST)
    )
    for text in WORDINGS.strip().split("\n\n")
]
TABLE = "table"

Stacks = dict[str, str]  # what each block is on
Plan = list[tuple[str, str]]
Failed = dict[tuple[str, ...], int]


@lru_cache(maxsize=64)
def read(prompt: str) -> tuple[Stacks, Stacks]:
    (match,) = [found for form in PATTERNS if (found := form.fullmatch(prompt))]
    now, goal = ([row.removeprefix("- ").split(" ") for row in rows.split("\n")] for rows in match.groups())
    names = [chr(65 + i) for i in range(sum(map(len, now)))]
    assert sorted(chain(*now)) == sorted(chain(*goal)) == names, prompt
    pairs = [[pair for row in rows for pair in pairwise([TABLE, *row])] for rows in (now, goal)]
    first, last = ({block: on for on, block in side} for side in pairs)
    return first, last


def clear(on: Stacks) -> list[str]:
    return [block for block in on if block not in on.values()]


def played(on: Stacks, plan: Plan) -> Stacks | None:
    """The stacks after the moves, if all of them can be made."""
    for block, onto in plan:
        free = clear(on)
        if block not in free or onto in (block, on[block]) or onto not in (TABLE, *free):
            return None
        on = {**on, block: onto}
    return on


def finish(on: Stacks, goal: Stacks, spare: int, rng: Random, failed: Failed) -> Plan | None:
    """A way to the goal with at most `spare` moves that put a block on the table for a while.

    Some shortest way puts each block down only in its final place or on the table, since any other stop can
    be one on the table instead. And where a block can go to its final place, some shortest way begins so.
    """
    done: set[str] = {TABLE}
    while more := {x for x in on if x not in done and on[x] == goal[x] and goal[x] in done}:
        done |= more
    left = [block for block in on if block not in done]
    if not left:
        return []
    free = clear(on)
    home = [x for x in left if x in free and goal[x] in done and goal[x] in (TABLE, *free)]
    if home:
        block = rng.choice(home)
        rest = finish({**on, block: goal[block]}, goal, spare, rng, failed)
        return None if rest is None else [(block, goal[block]), *rest]
    key = tuple(on.values())
    if failed.get(key, 0) >= spare:
        return None
    high = [block for block in left if block in free and on[block] != TABLE]
    for block in rng.sample(high, len(high)):
        rest = finish({**on, block: TABLE}, goal, spare - 1, rng, failed)
        if rest is not None:
            return [(block, TABLE), *rest]
    failed[key] = spare
    return None


def shortest(prompt: str, rng: Random) -> Plan:
    """A shortest plan, one of those that put blocks nowhere but on the table and in their final places.

    Every way moves all blocks to their final places, so the shortest has the fewest other moves.
    """
    on, goal = read(prompt)
    for spare in count():
        plan = finish(on, goal, spare, rng, {})
        if plan is not None:
            return plan
    raise AssertionError


@lru_cache(maxsize=4096)
def least(prompt: str) -> int:
    return len(shortest(prompt, Random(0)))


def judge(prompt: str, answer: str) -> bool:
    on, goal = read(prompt)
    texts = re.split(r"[ \n]*,[ \n]*", answer.strip(" \n"))
    moves = [re.fullmatch(r"([A-Z]) to ([A-Z]|table)", text) for text in texts]
    plan = [(move[1], move[2]) for move in moves if move]
    return len(plan) == len(texts) and played(on, plan) == goal and len(plan) == least(prompt)


def stirred(on: Stacks, goal: Stacks, plan: Plan, rng: Random) -> Plan:
    """Another plan as long: moves change places, or blocks are put down elsewhere in between."""
    for _ in range(6 * len(plan)):
        other, at = plan[:], rng.randrange(len(plan))
        if rng.random() < 0.5 and at:
            other[at - 1 : at + 1] = plan[at], plan[at - 1]
        else:
            other[at] = plan[at][0], rng.choice([TABLE, *on])
        if played(on, other) == goal:
            plan = other
    return plan


def answers(prompt: str, rng: Random) -> Iterator[str]:
    on, goal = read(prompt)

    def text(plan: Plan, between: str = ", ", form: str = "{} to {}") -> str:
        return between.join(form.format(*move) for move in plan)

    for between in (", ", ",", ",\n", " , "):
        yield text(shortest(prompt, rng), between)
        yield text(stirred(on, goal, shortest(prompt, rng), rng), between)
    best = stirred(on, goal, shortest(prompt, rng), rng)
    yield f"\n{text(best)} "

    blocks, stranger = [*on], chr(65 + len(on))
    for _ in range(3):
        i, j = sorted(rng.sample(range(len(best)), 2))
        block = rng.choice(blocks)
        yield text([*best[:i], best[j], *best[i + 1 : j], best[i], *best[j + 1 :]])
        yield text([*best[:i], (best[i][0], rng.choice(blocks)), *best[i + 1 :]])
        yield text([*best[:i], (block, best[i][1]), *best[i + 1 :]])
        yield text([*best[:i], (rng.choice(blocks), block), *best[i:]])
        yield text([*best[:i], (block, TABLE), *best[i:]])
        yield text([*best[:i], best[i], *best[i:]])
        yield text(best[:i] + best[i + 1 :])
        yield text([*best[:i], (best[i][0], best[i][0]), *best[i + 1 :]])
    down = played(on, [(best[0][0], TABLE)])
    if down:
        yield text([(best[0][0], TABLE), *best])
    lowered: Plan = []
    while (now := played(on, lowered)) and (high := [x for x in clear(now) if now[x] != TABLE]):
        lowered.append((rng.choice(high), TABLE))
    built = [(x, y) for x, y in goal.items() if y != TABLE]  # upwards, as read
    yield text(lowered + built)
    lists = [lowered, best[::-1], best[:-1], best[1:], [(y, x) for x, y in best], [*best, best[-1]], built]
    lists += [[*best, (rng.choice(blocks), TABLE)], [*best[:-1], (stranger, best[-1][1])], best + best]
    lists += [[*best, (stranger, TABLE)], [*best[:-1], (best[-1][0], stranger)], [(TABLE, best[0][0]), *best]]
    lists += [[(x, y) for x, y in goal.items() if on[x] != y], [*on.items()], rng.sample(best, len(best))]
    yield from map(text, lists)
    yield from (text(best, between) for between in (" ", "\n", "; ", ", then ", ",, "))
    forms = ("{} -> {}", "{} {}", "{} on {}", "move {} to {}", "{}to{}", "{} to the {}", "({}, {})")
    yield from (text(best, form=form) for form in forms)
    yield from (f"{text(best)},", f"{text(best)}.", f"[{text(best)}]", str(len(best)), "")
